"""Perft: the number of leaf positions at a depth, for any game."""

from collections.abc import Callable

from numba import types

from boardgames.kernels import (
    STOP,
    Actions,
    Apply,
    Control,
    LegalMoves,
    Words,
    kernel,
    peek,
    row,
    row_out,
)
from boardgames.kernels.abi import ACTIONS_OUT, ACTIONS_STACK, WORDS_STACK, first_class


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
def perft(
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
        leaves += perft(legal_moves, apply, positions, moves, ply + 1, depth - 1, control)
    return leaves
