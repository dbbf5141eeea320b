"""Perft and divide: counts, limits and interrupts."""

import threading

import numpy as np
import pytest
from nim import Nim
from waiting import interrupted

import boardgames
from boardgames.errors import LimitError
from boardgames.game import Position
from boardgames.kernels import new_control
from boardgames.kernels.bundles import Bundle
from boardgames.search.perft import MAX_PERFT_DEPTH, count_leaves, divide, new_workspace, perft

TICTACTOE_LEAVES = (1, 9, 72, 504, 3024, 15_120, 54_720, 148_176, 200_448, 127_872, 0)
"""Matches of each length; none is longer than nine plies."""


def slow_count(position: Position, depth: int) -> int:
    """Count the leaves by making every position."""
    if depth == 0:
        return 1
    return sum(slow_count(position.apply(move), depth - 1) for move in position.legal_moves)


@pytest.mark.plain
@pytest.mark.parametrize("depth", range(4))
@pytest.mark.parametrize(
    "position",
    [
        pytest.param(boardgames.load("tictactoe").start(), id="tictactoe"),
        pytest.param(boardgames.load("connect4", columns=4, rows=4).start(), id="connect4"),
        pytest.param(Nim(again=True).parse("5:0:0:0"), id="nim where one stone keeps the turn"),
    ],
)
def test_leaf_counts_agree_with_making_every_position(position: Position, depth: int) -> None:
    assert perft(position, depth) == slow_count(position, depth)


@pytest.mark.parametrize("depth", range(len(TICTACTOE_LEAVES)))
def test_finished_matches_have_no_leaves(depth: int) -> None:
    assert perft(boardgames.load("tictactoe").start(), depth) == TICTACTOE_LEAVES[depth]


@pytest.mark.plain
def test_divide_counts_the_leaves_below_each_legal_move() -> None:
    position = boardgames.load("connect4", columns=4, rows=4).start()
    parts = divide(position, 3)
    assert list(parts) == list(position.legal_moves)
    assert parts == {move: perft(position.apply(move), 2) for move in position.legal_moves}
    assert sum(parts.values()) == perft(position, 3)


@pytest.mark.plain
def test_perft_does_not_change_the_position() -> None:
    position = boardgames.load("connect4").parse("4453")
    before = position.words.copy()
    perft(position, 3)
    assert np.array_equal(position.words, before)


@pytest.mark.parametrize("depth", [-1, MAX_PERFT_DEPTH + 1, 2.0, "3", None])
def test_a_depth_out_of_range_is_rejected(depth: object) -> None:
    with pytest.raises(LimitError, match=f"^depth must be 0 to 100, not {depth!r}$"):
        perft(boardgames.load("tictactoe").start(), depth)  # type: ignore[arg-type]  # what a caller may do


def test_divide_needs_a_depth_of_at_least_1() -> None:
    with pytest.raises(LimitError, match=r"^depth must be 1 to 100, not 0$"):
        divide(boardgames.load("tictactoe").start(), 0)


@pytest.mark.plain
def test_the_stop_flag_ends_the_count() -> None:
    control = new_control()
    control[0].stop = 1
    bundle = Bundle(new_workspace(boardgames.load("tictactoe").start(), 5, control))
    assert count_leaves(bundle.words, 0, 5) == 0


def test_an_interrupt_ends_the_count() -> None:
    # deeper than anyone can wait for
    with interrupted():
        perft(boardgames.load("abalone").start(), 12)
    assert not any(thread.name == "boardgames-search" for thread in threading.enumerate())
