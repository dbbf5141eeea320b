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
from boardgames.search.alphabeta import extend_line
from boardgames.search.tree import FINISHED, HORIZON, INFINITY, NODE, ONGOING, ROOT, end_value


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


@kernel(ROOT)
def minimax_root(
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
    root_moves: Actions,
    depth: int,
    values: Reals,
    horizons: Actions,
    root_lines: Actions,
    settings: Actions,
    control: Control,
) -> None:
    """Search each move of `positions[0]` to `depth` plies; every value is exact for that depth.

    The parameters are those of `alphabeta.search_root`.
    """
    side = side_to_move(row(positions, 0))
    for index in range(root_moves.size):
        horizon = control[HORIZON]
        apply(row(positions, 0), root_moves[index], row_out(positions, 1))
        value = minimax(
            legal_moves, apply, side_to_move, outcome, move_order, evaluate, weights, positions,
            moves, lines, 1, depth - 1, -INFINITY, INFINITY, settings, control,
        )  # fmt: skip
        if is_stopped(control):
            return
        values[index] = value if side_to_move(row(positions, 1)) == side else -value
        horizons[index] = control[HORIZON] - horizon
        extend_line(lines, 0, root_moves[index])
        for place in range(lines[0, 0] + 1):
            root_lines[index, place] = lines[0, place]
        control[FINISHED] += 1
