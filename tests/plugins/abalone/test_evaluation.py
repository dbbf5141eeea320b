"""Evaluation of Abalone: its terms, and that no side and no corner is preferred."""

import numpy as np
import pytest
from hypothesis import given, settings

import boardgames
from boardgames.game import Position
from boardgames.testing import positions
from boardgames_abalone.evaluation import CLASSIC, CLASSIC_WEIGHTS

pytestmark = pytest.mark.plain

GAME = boardgames.load("abalone")


def worth(position: Position) -> float:
    """Return the evaluation for the side to move."""
    return float(CLASSIC.kernel(position.words, CLASSIC.weights))


def with_turn(position: Position, side: str) -> Position:
    """Return the same board with a side to move."""
    board, _, *lost = str(position).split(":")
    return position.game.parse(":".join([board, side, *lost]))


@settings(max_examples=30)
@given(positions(GAME, max_plies=80))
def test_value_is_the_weighted_sum_of_the_features(position: Position) -> None:
    features = np.zeros(6)
    boardgames.feature_set("simple", GAME).kernel(position.words, position.side_to_move, features)
    assert worth(position) == pytest.approx(float(features @ np.array(CLASSIC_WEIGHTS)), abs=1e-9)


@settings(max_examples=30)
@given(positions(GAME, max_plies=80))
def test_what_is_good_for_one_side_is_as_bad_for_the_other(position: Position) -> None:
    assert worth(with_turn(position, "b")) == -worth(with_turn(position, "w"))


@settings(max_examples=20)
@given(positions(GAME, max_plies=80))
def test_turned_mirrored_and_swapped_boards_are_worth_the_same(position: Position) -> None:
    for symmetry in GAME.symmetries():
        mapped = GAME.unpack(symmetry.words(position.words))
        assert worth(mapped) == pytest.approx(worth(position), abs=1e-9), symmetry.name


@pytest.mark.parametrize("layout", ["standard", "belgian-daisy", "german-daisy", "snakes"])
def test_equal_sides_are_worth_nothing(layout: str) -> None:
    assert worth(boardgames.load("abalone", layout=layout).start()) == 0.0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (":b:0:1", ":b:0:0"),
        (":b:0:0", ":b:1:0"),
        (":w:1:0", ":w:0:0"),
    ],
)
def test_a_marble_is_worth_a_hundred(better: str, worse: str) -> None:
    board = str(GAME.start()).removesuffix(":b:0:0")
    assert worth(GAME.parse(board + better)) - worth(GAME.parse(board + worse)) == pytest.approx(100)


def test_marbles_near_the_centre_are_worth_more() -> None:
    near = "...../....../......./......../....b..../......../......./....../w...."
    far = "b..../....../......./......../........./......../......./....../w...."
    assert worth(GAME.parse(near)) - worth(GAME.parse(far)) == pytest.approx(400)


def test_marbles_close_together_are_worth_more() -> None:
    # all on the edge, so that only the distances between them differ
    close = "bb.../....../......./......../........./......../......./....../....w"
    loose = "b...b/....../......./......../........./......../......./....../....w"
    assert worth(GAME.parse(close)) - worth(GAME.parse(loose)) == pytest.approx(50 * (4 - 1) / 2)


def test_it_is_what_the_game_uses_in_hundredths_of_a_marble() -> None:
    assert GAME.evaluation is CLASSIC
    assert (CLASSIC.unit, CLASSIC.exact_at_end) == ("centimarble", False)


def test_weights_are_as_the_name_classic_promises() -> None:
    # later strength is measured against agents with these
    assert CLASSIC.weights.tolist() == [-100, -50, -100, 100, 50, 100]
    assert not CLASSIC.weights.flags.writeable
