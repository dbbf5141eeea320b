"""Minimax as kernels, without any pruning: for teaching, and to test other searches by."""

from collections.abc import Callable

from boardgames.kernels import (
    NODES,
    Actions,
    Control,
    Reals,
    Words,
    is_stopped,
    kernel,
    row,
    row_out,
)
from boardgames.search.ordering import extend_line
from boardgames.search.tree import HORIZON, INFINITY, NODE, ONGOING, end_value


@kernel(NODE)
def minimax(
    legal_moves: Callable[[Words, Actions], int],
    apply: Callable[[Words, int, Words], None],
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    move_order: Callable[[Words, int], int],
    evaluate: Callable[[Words, Reals], float],
    weights: Reals,
    positions: Words,
    moves: Actions,
    lines: Actions,
    ply: int,
    depth: int,
    alpha: float,
    beta: float,
    settings: Actions,
    control: Control,
) -> float:
    """Return the worth of `positions[ply]` for its side to move.

    The parameters are those of `alphabeta.negamax`; `move_order`, `alpha` and
    `beta` are not used.
    """
    control[NODES] += 1
    lines[ply, 0] = 0
    if depth == 0 and outcome(row(positions, ply)) == ONGOING:
        control[HORIZON] += 1
        return evaluate(row(positions, ply), weights)
    count = legal_moves(row(positions, ply), row_out(moves, 2 * ply))
    if count == 0:
        here = row(positions, ply)
        return end_value(side_to_move, outcome, evaluate, weights, here, ply, settings)
    side = side_to_move(row(positions, ply))
    best = -INFINITY
    for index in range(count):
        if is_stopped(control):
            break
        action = moves[2 * ply, index]
        apply(row(positions, ply), action, row_out(positions, ply + 1))
        value = minimax(
            legal_moves, apply, side_to_move, outcome, move_order, evaluate, weights,
            positions, moves, lines, ply + 1, depth - 1, alpha, beta, settings, control,
        )  # fmt: skip
        if side_to_move(row(positions, ply + 1)) != side:
            value = -value
        if value > best:
            best = value
            extend_line(lines, ply, action)
    return best
