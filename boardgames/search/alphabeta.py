"""Alpha-beta search (negamax) as kernels, correct when a side moves twice in a row.

Source: D. Knuth and R. Moore, "An Analysis of Alpha-Beta Pruning", 1975.
"""

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
from boardgames.search.ordering import bring_best_forward, extend_line
from boardgames.search.tree import HORIZON, INFINITY, NODE, ONGOING, end_value


@kernel(NODE)
def negamax(
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
    """Return the worth of `positions[ply]` for its side to move, within a window.

    Parameters
    ----------
    legal_moves, apply, side_to_move, outcome, move_order, evaluate : kernels
        The game.
    weights : float64[n]
        Of the evaluation.
    positions : uint64[m, words]
        Stack; rows after `ply` are overwritten.
    moves : int64[2 m, actions]
        Moves of a ply in row 2 ply, their order keys in the next; overwritten.
    lines : int64[m, m + 1]
        Row `ply` gets the length of the principal variation from there, then
        its actions.
    ply, depth : int64
        Plies from the root, and still to look ahead; their sum is below m.
    alpha, beta : float64
        A result at or outside them is only a bound (fail-soft).
    settings : int64[SETTINGS]
        Flags of the game and of this search.
    control : int64[CONTROL_SIZE]
        Nodes and horizon are counted; once stopped the result means nothing.
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
    for index in range(count):
        moves[2 * ply + 1, index] = move_order(row(positions, ply), moves[2 * ply, index])
    side = side_to_move(row(positions, ply))
    best = -INFINITY
    for index in range(count):
        if is_stopped(control):
            return best
        action = bring_best_forward(moves, ply, index, count)
        apply(row(positions, ply), action, row_out(positions, ply + 1))
        low = max(alpha, best)
        if side_to_move(row(positions, ply + 1)) == side:
            value = negamax(
                legal_moves, apply, side_to_move, outcome, move_order, evaluate, weights,
                positions, moves, lines, ply + 1, depth - 1, low, beta, settings, control,
            )  # fmt: skip
        else:
            value = -negamax(
                legal_moves, apply, side_to_move, outcome, move_order, evaluate, weights,
                positions, moves, lines, ply + 1, depth - 1, -beta, -low, settings, control,
            )  # fmt: skip
        if value > best:
            best = value
            extend_line(lines, ply, action)
            if best >= beta:
                return best
    return best
