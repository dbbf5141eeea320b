"""Perft: the number of leaf positions at a depth, for any game."""

from collections.abc import Callable

import numpy as np
from numba import types

from boardgames.errors import LimitError, shown
from boardgames.game import Move, Position
from boardgames.kernels import (
    STOP,
    Actions,
    Apply,
    Control,
    LegalMoves,
    Words,
    kernel,
    new_control,
    peek,
    row,
    row_out,
)
from boardgames.kernels.abi import ACTIONS_OUT, ACTIONS_STACK, WORDS_STACK, first_class
from boardgames.search.runner import run

MAX_PERFT_DEPTH = 100


@kernel(
    types.int64(
        first_class(LegalMoves),
        first_class(Apply),
        WORDS_STACK,
        ACTIONS_STACK,
        types.int64,
        types.int64,
        ACTIONS_OUT,
    )
)
def count_leaves(
    legal_moves: Callable[[Words, Actions], int],
    apply: Callable[[Words, int, Words], None],
    positions: Words,
    moves: Actions,
    ply: int,
    depth: int,
    control: Control,
) -> int:
    """Count the leaves `depth` plies below `positions[ply]`.

    Parameters
    ----------
    legal_moves, apply : kernels
        The rules.
    positions : uint64[n, words]
        Stack of positions; rows after `ply` are overwritten.
    moves : int64[n, actions]
        One buffer a ply; overwritten.
    ply, depth : int64
        Row to start from, and how much deeper; `ply` + `depth` <= n.
    control : int64[CONTROL_SIZE]
        Only the stop flag is read; a stopped count is too small.

    Returns
    -------
    int64
        Leaves. The last ply is counted without making its positions.
    """
    if depth == 0:
        return 1
    count = legal_moves(row(positions, ply), row_out(moves, ply))
    if depth == 1:
        return count
    leaves = 0
    for index in range(count):
        if peek(control, STOP) != 0:
            break
        apply(row(positions, ply), moves[ply, index], row_out(positions, ply + 1))
        leaves += count_leaves(legal_moves, apply, positions, moves, ply + 1, depth - 1, control)
    return leaves


def perft(position: Position, depth: int) -> int:
    """Count the leaf positions `depth` plies below `position`; a finished one has none.

    Raises
    ------
    LimitError
        If `depth` is not 0 to 100.

    Examples
    --------
    >>> import boardgames
    >>> perft(boardgames.load("abalone", layout="standard").start(), 2)
    1936
    """
    if not isinstance(depth, int) or not 0 <= depth <= MAX_PERFT_DEPTH:
        raise LimitError(f"expected a depth from 0 to {MAX_PERFT_DEPTH}: {shown(depth)}")
    facts, kernels = position.game.facts, position.game.kernels
    positions = np.zeros((depth + 1, facts.words), dtype=np.uint64)
    positions[0] = position.words
    moves = np.zeros((depth + 1, facts.actions), dtype=np.int64)
    control = new_control()

    def work() -> int:
        rules = (kernels.legal_moves, kernels.apply)
        return int(count_leaves(*rules, positions, moves, 0, depth, control))

    return run(work, control)


def divide(position: Position, depth: int) -> dict[Move, int]:
    """Count the leaves below each legal move; they add up to `perft` of the position.

    Raises
    ------
    LimitError
        If `depth` is not 1 to 100.

    Examples
    --------
    >>> import boardgames
    >>> counts = divide(boardgames.load("abalone", layout="standard").start(), 2)
    >>> len(counts), sum(counts.values())
    (44, 1936)
    """
    if not isinstance(depth, int) or not 1 <= depth <= MAX_PERFT_DEPTH:
        raise LimitError(f"expected a depth from 1 to {MAX_PERFT_DEPTH}: {shown(depth)}")
    return {move: perft(position.apply(move), depth - 1) for move in position.legal_moves}
