"""Quiescence: tactical moves are followed beyond the horizon until nothing hangs.

The side to move need not play one, so what it has without is a lower bound
(C. Shannon, "Programming a computer for playing chess", 1950; D. Beal, "A
generalised quiescence search algorithm", 1990).
"""

from numba import types

from boardgames.kernels import (
    NODES,
    Actions,
    is_stopped,
    kernel,
    row,
    row_out,
)
from boardgames.kernels.abi import ACTIONS
from boardgames.search.ordering import bring_best_forward, extend_line, rank_tactical
from boardgames.search.tree import HORIZON, ONGOING, end_value
from boardgames.search.workspace import (
    apply_in,
    control_in,
    evaluate_in,
    lines_in,
    move_order_in,
    moves_in,
    outcome_in,
    positions_in,
    settings_in,
    side_to_move_in,
    tactical_moves_in,
    weights_in,
)


@kernel(types.float64(ACTIONS, types.int64, types.int64, types.float64, types.float64))
def quiesce(workspace: Actions, ply: int, plies: int, alpha: float, beta: float) -> float:
    """Return the worth of the position at `ply` when at most `plies` tactical moves are made.

    The parameters are those of `principal`, but at 0 plies the evaluation counts as it is.
    """
    lines, positions, moves = lines_in(workspace), positions_in(workspace), moves_in(workspace)
    settings, control, weights = settings_in(workspace), control_in(workspace), weights_in(workspace)
    apply, side_to_move, outcome = apply_in(workspace), side_to_move_in(workspace), outcome_in(workspace)
    move_order, evaluate, tactical_moves = (
        move_order_in(workspace),
        evaluate_in(workspace),
        tactical_moves_in(workspace),
    )
    lines[ply, 0] = 0
    here = row(positions, ply)
    if outcome(here) != ONGOING:
        return end_value(side_to_move, outcome, evaluate, weights, here, ply, settings)
    control[HORIZON] += 1
    best = evaluate(here, weights)
    if plies == 0 or best >= beta:
        return best
    count = tactical_moves(here, row_out(moves, 2 * ply))
    if count == 0:
        return best
    rank_tactical(move_order, positions, moves, ply, count)
    side = side_to_move(row(positions, ply))
    for index in range(count):
        if is_stopped(control):
            return best
        action = bring_best_forward(moves, ply, index, count)
        apply(row(positions, ply), action, row_out(positions, ply + 1))
        control[NODES] += 1
        low = max(alpha, best)
        if side_to_move(row(positions, ply + 1)) == side:
            value = quiesce(workspace, ply + 1, plies - 1, low, beta)
        else:
            value = -quiesce(workspace, ply + 1, plies - 1, -beta, -low)
        if value > best:
            best = value
            extend_line(lines, ply, action)
            if best >= beta:
                return best
    return best
