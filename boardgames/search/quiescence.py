"""Quiescence: tactical moves are followed beyond the horizon until nothing hangs.

The side to move need not play one, so what it has without is a lower bound
(C. Shannon, "Programming a computer for playing chess", 1950; D. Beal, "A
generalised quiescence search algorithm", 1990).
"""

from collections.abc import Callable

from numba import types

from boardgames.kernels import (
    NODES,
    Actions,
    Control,
    LegalMoves,
    Reals,
    Words,
    is_stopped,
    kernel,
    row,
    row_out,
)
from boardgames.kernels.abi import ACTIONS, ACTIONS_OUT, ACTIONS_STACK, REALS, WORDS_STACK, first_class
from boardgames.search.ordering import bring_best_forward, extend_line, rank_tactical
from boardgames.search.tree import HORIZON, ONGOING, RULES, end_value


@kernel(
    types.float64(
        *RULES[1:],
        first_class(LegalMoves),
        REALS,
        WORDS_STACK,
        ACTIONS_STACK,
        ACTIONS_STACK,
        types.int64,
        types.int64,
        types.float64,
        types.float64,
        ACTIONS,
        ACTIONS_OUT,
    )
)
def quiesce(
    apply: Callable[[Words, int, Words], None],
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    move_order: Callable[[Words, int], int],
    evaluate: Callable[[Words, Reals], float],
    tactical_moves: Callable[[Words, Actions], int],
    weights: Reals,
    positions: Words,
    moves: Actions,
    lines: Actions,
    ply: int,
    plies: int,
    alpha: float,
    beta: float,
    settings: Actions,
    control: Control,
) -> float:
    """Return the worth of `positions[ply]` when at most `plies` tactical moves are made.

    The parameters are those of `alphabeta.negamax`, with

    Parameters
    ----------
    tactical_moves : kernel
        The moves that are followed.
    plies : int64
        At 0 the evaluation counts as it is.
    """
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
            value = quiesce(
                apply, side_to_move, outcome, move_order, evaluate, tactical_moves, weights,
                positions, moves, lines, ply + 1, plies - 1, low, beta, settings, control,
            )  # fmt: skip
        else:
            value = -quiesce(
                apply, side_to_move, outcome, move_order, evaluate, tactical_moves, weights,
                positions, moves, lines, ply + 1, plies - 1, -beta, -low, settings, control,
            )  # fmt: skip
        if value > best:
            best = value
            extend_line(lines, ply, action)
            if best >= beta:
                return best
    return best
