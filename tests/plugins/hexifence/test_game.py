"""Hexifence as a `Game`: facts, the option, packed positions that are rejected, conformance."""

import numpy as np
import pytest
from reference.hexifence import Reference

from boardgames import check_game, load
from boardgames.errors import OptionError, PositionError
from boardgames_hexifence.game import Hexifence

GAME = Hexifence(dimension=2)  # words: status, edges of blue and red, cells of blue and red
FULL = (1 << 30) - 1
ALL_CELLS = (1 << 7) - 1


@pytest.mark.parametrize(
    ("dimension", "edges", "words"),
    [(2, 30, 5), (3, 72, 7), (4, 132, 9), (5, 210, 11), (6, 306, 15), (7, 420, 19), (8, 552, 25)],
)
def test_facts_depend_on_the_dimension(dimension: int, edges: int, words: int) -> None:
    facts = load("hexifence", dimension=dimension).facts
    assert (facts.actions, facts.longest_match, facts.words) == (edges, edges, words)


def test_the_default_dimension_is_3() -> None:
    assert str(load("hexifence").start()).startswith("3:")


@pytest.mark.parametrize("value", [1, 9, "three", 2.5, True])
def test_dimensions_outside_2_to_8_are_rejected(value: object) -> None:
    with pytest.raises(OptionError, match=r"dimension must be (2 to 8|an integer), not"):
        Hexifence(dimension=value)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([3 << 24, 0, 0, 0, 0], "the position has dimension 3, but the game has 2"),
        ([2 << 24 | 2, 0, 0, 0, 0], "unused bits"),
        ([2 << 24 | 1 << 32, 0, 0, 0, 0], "the position has dimension 258, but the game has 2"),
        ([2 << 24, 1 << 30, 0, 0, 0], "unused bits"),
        ([2 << 24, 0, 0, 0, 1 << 7], "unused bits"),
        ([2 << 24, 5, 4, 0, 0], "an edge or a cell belongs to both sides"),
        (
            [2 << 24 | 7 << 8 | 7 << 16, FULL, 0, ALL_CELLS, ALL_CELLS],
            "an edge or a cell belongs to both sides",
        ),
        ([2 << 24 | 6 << 8, FULL, 0, ALL_CELLS, 0], "the cell count of blue is 6, but 7 cells are marked"),
        ([2 << 24 | 1 << 16, 0, 0, 0, 0], "the cell count of red is 1, but 0 cells are marked"),
        ([2 << 24 | 1 << 8, 0, 0, 1, 0], "cell 0 has 0"),
        ([2 << 24, FULL, 0, 0, 0], "cell 0 has 6"),
    ],
)
def test_invalid_packed_positions_are_rejected(words: list[int], message: str) -> None:
    with pytest.raises(PositionError, match=message):
        GAME.unpack(words)


def test_packed_positions_round_trip() -> None:
    position = GAME.start().apply("3").apply("29")
    assert GAME.unpack(GAME.pack(position)) == position


def test_games_of_different_dimensions_are_different() -> None:
    assert Hexifence(dimension=2) != Hexifence(dimension=3)
    assert not np.array_equal(Hexifence(dimension=2).start().words, Hexifence(dimension=3).start().words)


def test_score_counts_the_cells_of_both_sides() -> None:
    assert GAME.parse("2:" + "B" * 30 + ":BBRRRRR:B").score == (2, 5)


@pytest.mark.parametrize("dimension", [2, 3, pytest.param(5, marks=pytest.mark.slow)])
def test_the_game_passes_every_check(dimension: int) -> None:
    game = Hexifence(dimension=dimension)
    report = check_game(game, matches=6, positions=20, reference=Reference(dimension))
    assert report.ok, report
