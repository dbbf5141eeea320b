"""Abalone as a game: facts, options, checks of words, symmetries, conformance."""

import numpy as np
import pytest
from reference.abalone import Abalone as Slow

import boardgames
from boardgames.errors import OptionError, PositionError, UnknownNameError
from boardgames.game import Outcome, Termination
from boardgames.testing import check_game
from boardgames_abalone.board import BIT_OF_CELL, CELL_OF_BIT, LAYOUTS

GAME = boardgames.load("abalone")
START = GAME.start()
EMPTY = "...../....../......./......../........./......../......./....../....."


@pytest.mark.slow
@pytest.mark.parametrize("broadside", [True, False], ids=["full rules", "without broadside moves"])
def test_checks_of_the_package_pass(broadside: bool) -> None:
    game = boardgames.load("abalone", broadside=broadside)
    report = check_game(game, matches=6, positions=20, reference=Slow(broadside))
    assert report.ok, report


def test_facts_are_those_of_the_rules() -> None:
    facts = GAME.facts
    assert (facts.actions, facts.words, facts.longest_match) == (1098, 5, None)
    assert (facts.ply_limit, facts.no_progress_limit) == (400, 100)
    assert (facts.alternates, facts.no_moves_draws) == (True, False)
    assert facts.sides == ("black", "white")
    assert facts.default_agent == "alphabeta"


def test_default_layout_is_belgian_daisy() -> None:
    assert (GAME.layout, tuple(GAME.facts.layouts)) == ("belgian-daisy", tuple(LAYOUTS))
    assert boardgames.load("abalone", layout="belgian-daisy").start() == START


@pytest.mark.parametrize("value", ["false", "no", False])
def test_broadside_moves_can_be_left_out(value: object) -> None:
    game = boardgames.load("abalone", layout="standard", broadside=value)
    texts = [str(move) for move in game.start().legal_moves]
    assert len(texts) == 34
    assert all(len(text) == 4 for text in texts)


def test_perft_is_declared_for_the_rules_in_use() -> None:
    standard = GAME.facts.layouts["standard"]
    simplified = boardgames.load("abalone", broadside=False)
    assert GAME.facts.perft[standard][:3] == (44, 1936, 98_912)
    assert simplified.facts.perft[standard][:3] == (34, 1156, 45_356)


@pytest.mark.parametrize("layout", ["standard", "belgian-daisy", "german-daisy"])
@pytest.mark.parametrize("broadside", [True, False], ids=["full rules", "without broadside moves"])
def test_perft_is_as_declared(layout: str, broadside: bool) -> None:
    game = boardgames.load("abalone", layout=layout, broadside=broadside)
    declared = game.facts.perft[str(game.start())]
    assert tuple(boardgames.perft(game.start(), depth) for depth in (1, 2, 3)) == declared[:3]


def test_an_unknown_layout_is_refused_with_near_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"'standart'; did you mean 'standard'\?"):
        boardgames.load("abalone", layout="standart")


def test_a_bad_option_is_refused() -> None:
    with pytest.raises(OptionError, match="expected true or false for broadside: 'sideways'"):
        boardgames.load("abalone", broadside="sideways")


def test_six_pushed_off_win() -> None:
    white_lost_six = GAME.parse(f"{EMPTY[:-1]}b:w:0:6")
    assert white_lost_six.outcome == Outcome(0, Termination.RULES)
    assert white_lost_six.score == (6, 0)


def test_a_side_without_a_marble_has_no_move_and_loses() -> None:
    assert GAME.parse(f"{EMPTY[:-1]}b:w:0:0").outcome == Outcome(0, Termination.NO_MOVES)


BIT = {int(bit) for bit in BIT_OF_CELL}
GUARD = next(bit for bit in range(128) if CELL_OF_BIT[bit] < 0 and bit > 10)


def changed(**words: int) -> list[int]:
    """Return the words of the start with some replaced, by place."""
    numbers = START.words.tolist()
    for place, word in words.items():
        numbers[int(place[1:])] = word
    return numbers


BAD_WORDS = {
    "a marble on a guard": changed(w0=1 << GUARD),
    "a marble above the board": changed(w1=1 << 63),
    "two marbles on a cell": changed(w2=int(START.words[0])),
    "seven lost by black": changed(w4=7 << 8),
    "seven lost by white": changed(w4=7 << 16),
    "six lost by both": changed(w4=6 << 8 | 6 << 16),
    "an unknown fact": changed(w4=1 << 1),
    "a fact above": changed(w4=1 << 63),
}


@pytest.mark.parametrize("words", BAD_WORDS.values(), ids=BAD_WORDS)
def test_words_that_are_no_position_are_refused(words: list[int]) -> None:
    with pytest.raises(PositionError, match=r"^expected "):
        GAME.unpack(words)


def test_words_of_the_start_are_a_position() -> None:
    assert GAME.unpack(changed()) == START


def test_symmetries_are_eleven_turns_and_mirrors_and_the_swap_of_sides() -> None:
    symmetries = GAME.symmetries()
    assert len(symmetries) == len({symmetry.name for symmetry in symmetries}) == 12
    assert [symmetry.name for symmetry in symmetries if symmetry.swaps_sides] == ["swap of sides"]
    images = {symmetry.words(GAME.parse("b" + EMPTY[1:-2] + "w.").words).tobytes() for symmetry in symmetries}
    assert len(images) == 12


@pytest.mark.parametrize("symmetry", GAME.symmetries(), ids=lambda symmetry: symmetry.name)
def test_mapped_moves_lead_to_mapped_positions(symmetry: boardgames.declarations.Symmetry) -> None:
    mapped = GAME.unpack(symmetry.words(START.words))
    for move in START.legal_moves:
        image = GAME.decode(mapped, symmetry.action(START.words, move.action))
        expected = symmetry.words(START.apply(move).words)
        assert np.array_equal(mapped.apply(image).words, expected)
