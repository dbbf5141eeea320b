"""The value of a finished position for the side to move, for every kind of end, and principal variations."""

import numpy as np
import pytest
from nim import Nim

import boardgames
from boardgames.game import Position
from boardgames.kernels.bundles import Bundle
from boardgames.search.alphabeta.workspace import final_value, update_line
from boardgames.search.rules import EVALUATION_BOUND, INFINITY, MAX_DEPTH, WIN
from boardgames.selfplay.contest import new_workspaces

pytestmark = pytest.mark.plain

CLOSED = "2:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBB:BBBBBRR:R"


def value_at_end(position: Position, ply: int, **flags: bool) -> float:
    """Return the value of a finished position at a ply, with options set as given."""
    work = new_workspaces(position.game, [position.game.evaluation], ply + 1)[0]
    work.positions[ply] = position.words
    work.options[0].exact_at_end = work.options[0].no_moves_draws = 0
    for name, value in flags.items():
        setattr(work.options[0], name, value)
    return final_value(Bundle(work).words, ply)


@pytest.mark.parametrize("ply", [0, 1, 7])
def test_a_later_loss_is_better(ply: int) -> None:
    assert value_at_end(boardgames.load("tictactoe").parse("xxx/oo./..."), ply) == ply - WIN


def test_a_match_won_by_the_side_to_move_is_a_win() -> None:
    # blue has closed five cells of seven
    position = boardgames.load("hexifence", dimension=2).parse(CLOSED.replace(":R", ":B"))
    assert position.side_to_move == 0
    assert value_at_end(position, 3) == WIN - 3


def test_a_draw_is_worth_0() -> None:
    assert value_at_end(boardgames.load("tictactoe").parse("xox/xxo/oxo"), 4) == 0


def test_a_side_without_moves_loses() -> None:
    assert value_at_end(Nim(stuck=True).parse("0:0:3:4"), 5) == 5 - WIN


def test_a_side_without_moves_draws_where_the_game_says_so() -> None:
    assert value_at_end(Nim(stuck=True).parse("0:0:3:4"), 5, no_moves_draws=True) == 0


def test_an_exact_evaluation_replaces_win_and_loss() -> None:
    position = boardgames.load("hexifence", dimension=2).parse(CLOSED)
    assert position.side_to_move == 1
    assert value_at_end(position, 3, exact_at_end=True) == -3


def test_evaluations_stay_below_every_win_and_every_win_below_infinity() -> None:
    assert EVALUATION_BOUND < WIN - MAX_DEPTH < WIN < INFINITY


@pytest.mark.parametrize("name", ["abalone", "connect4", "hexifence"])
def test_evaluations_of_the_games_are_within_the_bound(name: str) -> None:
    assert boardgames.load(name).evaluation.bound < EVALUATION_BOUND


def test_a_line_is_a_move_followed_by_the_line_of_the_next_ply() -> None:
    lines = np.zeros((4, 5), dtype=np.int64)
    lines[2, :3] = 2, 8, 9
    update_line(lines, 1, 7)
    assert lines[1, :4].tolist() == [3, 7, 8, 9]
