"""The worth of an end, seen by the side to move, in every kind of end."""

import numpy as np
import pytest
from boardgames.search.tree import (
    EVALUATION_BOUND,
    EXACT_AT_END,
    INFINITY,
    MAX_DEPTH,
    NO_MOVES_DRAWS,
    SETTINGS,
    WIN,
    end_value,
)
from nim import Nim
from reference.minimax import tictactoe

import boardgames
from boardgames.game import Position

pytestmark = pytest.mark.plain

CLOSED = "2:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBB:BBBBBRR:R"


def end_worth(position: Position, ply: int, *flags: int) -> float:
    """Return what the kernel says of an end, with the flags at these places set."""
    settings = np.zeros(SETTINGS, dtype=np.int64)
    settings[list(flags)] = 1
    kernels, evaluation = position.game.kernels, position.game.evaluation
    return end_value(
        kernels.side_to_move, kernels.outcome, evaluation.kernel, evaluation.weights,
        position.words, ply, settings,
    )  # fmt: skip


@pytest.mark.parametrize("ply", [0, 1, 7])
def test_a_lost_match_costs_less_the_later_it_ends(ply: int) -> None:
    assert end_worth(tictactoe().parse("xxx/oo./..."), ply) == ply - WIN


def test_a_match_won_by_the_side_to_move_is_a_win() -> None:
    # blue has closed five cells of seven, and the last one was red's
    position = boardgames.load("hexifence", dimension=2).parse(CLOSED.replace(":R", ":B"))
    assert position.side_to_move == 0
    assert end_worth(position, 3) == WIN - 3


def test_a_draw_is_worth_nothing() -> None:
    assert end_worth(tictactoe().parse("xox/xxo/oxo"), 4) == 0


def test_a_lack_of_moves_is_a_loss() -> None:
    assert end_worth(Nim(stuck=True).parse("0:0:3:4"), 5) == 5 - WIN


def test_a_lack_of_moves_is_a_draw_where_the_game_says_so() -> None:
    assert end_worth(Nim(stuck=True).parse("0:0:3:4"), 5, NO_MOVES_DRAWS) == 0


def test_an_exact_evaluation_takes_the_place_of_win_and_loss() -> None:
    position = boardgames.load("hexifence", dimension=2).parse(CLOSED)
    assert position.side_to_move == 1
    assert end_worth(position, 3, EXACT_AT_END) == -3


def test_evaluations_stay_below_every_win_and_every_win_below_infinity() -> None:
    assert EVALUATION_BOUND < WIN - MAX_DEPTH < WIN < INFINITY


@pytest.mark.parametrize("name", ["abalone", "connect4", "hexifence"])
def test_evaluations_of_the_games_are_within_the_bound(name: str) -> None:
    assert boardgames.load(name).evaluation.bound < EVALUATION_BOUND
