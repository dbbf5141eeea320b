"""Hexifence as a game: facts, the option, and words that are refused."""

import numpy as np
import pytest

from boardgames import load
from boardgames.errors import OptionError, PositionError
from boardgames_hexifence.game import Hexifence

GAME = Hexifence(dimension=2)  # words: facts, edges of blue, of red, cells of blue, of red
FULL = (1 << 30) - 1
ALL_CELLS = (1 << 7) - 1


@pytest.mark.parametrize(
    ("dimension", "edges", "words"),
    [(2, 30, 5), (3, 72, 7), (4, 132, 9), (5, 210, 11), (6, 306, 15), (7, 420, 19), (8, 552, 25)],
)
def test_facts_follow_the_dimension(dimension: int, edges: int, words: int) -> None:
    facts = load("hexifence", dimension=dimension).facts
    assert (facts.actions, facts.longest_match, facts.words) == (edges, edges, words)


def test_default_dimension_is_3() -> None:
    assert str(load("hexifence").start()).startswith("3:")


@pytest.mark.parametrize("value", [1, 9, "three", 2.5, True])
def test_dimension_outside_2_to_8_is_refused(value: object) -> None:
    with pytest.raises(OptionError, match=r"dimension must be (2 to 8|an integer), not"):
        Hexifence(dimension=value)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([3 << 24, 0, 0, 0, 0], "words of dimension 2: 3"),
        ([2 << 24 | 2, 0, 0, 0, 0], "unused bits"),
        ([2 << 24 | 1 << 32, 0, 0, 0, 0], "words of dimension 2"),
        ([2 << 24, 1 << 30, 0, 0, 0], "unused bits"),
        ([2 << 24, 0, 0, 0, 1 << 7], "unused bits"),
        ([2 << 24, 5, 4, 0, 0], "one side for an edge"),
        ([2 << 24 | 7 << 8 | 7 << 16, FULL, 0, ALL_CELLS, ALL_CELLS], "one side for an edge and for a cell"),
        ([2 << 24 | 6 << 8, FULL, 0, ALL_CELLS, 0], "expected 7 cells counted for blue: 6"),
        ([2 << 24 | 1 << 16, 0, 0, 0, 0], "expected 0 cells counted for red: 1"),
        ([2 << 24 | 1 << 8, 0, 0, 1, 0], "cell 0 has 0"),
        ([2 << 24, FULL, 0, 0, 0], "cell 0 has 6"),
    ],
)
def test_words_that_no_match_leads_to_are_refused(words: list[int], said: str) -> None:
    with pytest.raises(PositionError, match=said):
        GAME.unpack(words)


def test_words_come_back() -> None:
    position = GAME.start().apply("3").apply("29")
    assert GAME.unpack(GAME.pack(position)) == position


def test_positions_of_two_dimensions_differ() -> None:
    assert Hexifence(dimension=2) != Hexifence(dimension=3)
    assert not np.array_equal(Hexifence(dimension=2).start().words, Hexifence(dimension=3).start().words)


def test_score_counts_the_cells_of_both_sides() -> None:
    assert GAME.parse("2:" + "B" * 30 + ":BBRRRRR:B").score == (2, 5)
