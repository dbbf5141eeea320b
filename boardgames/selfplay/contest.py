"""Contests: matches between two evaluations, searched to a fixed depth, in compiled code.

Learners measure weights by them, thousands a second where the depth is one
ply. Between equal moves the first in the game's order is played, so that
chance is in the opening moves alone, and in a side of depth 0, which plays any.
"""

from collections.abc import Callable

from numba import types

from boardgames.kernels import (
    STOP,
    Actions,
    Control,
    Reals,
    Words,
    is_stopped,
    kernel,
    peek,
    random_below,
    row,
    row_out,
)
from boardgames.kernels.abi import ACTIONS, ACTIONS_OUT, ACTIONS_STACK, REALS, WORDS_OUT, WORDS_STACK
from boardgames.search.alphabeta import negamax
from boardgames.search.ordering import bring_best_forward
from boardgames.search.playout import DRAWN, UNDECIDED
from boardgames.search.tree import INFINITY, RULES
from boardgames.selfplay.temporal import RESULTS, note_move


@kernel(
    types.int64(
        *RULES,
        REALS,
        WORDS_STACK,
        ACTIONS_STACK,
        ACTIONS_STACK,
        types.int64,
        types.int64,
        ACTIONS,
        ACTIONS_OUT,
    )
)
def best_action(
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
    count: int,
    depth: int,
    settings: Actions,
    control: Control,
) -> int:
    """Return the best of the actions in `moves[0]` by alpha-beta of fixed depth.

    Parameters
    ----------
    count, depth : int64
        Legal actions of `positions[0]`, at least one; plies to look ahead, at least one.

    The other parameters are those of `search.alphabeta.negamax`.
    """
    for index in range(count):
        moves[1, index] = move_order(row(positions, 0), moves[0, index])
    side = side_to_move(row(positions, 0))
    best, chosen = -INFINITY, moves[0, 0]
    for index in range(count):
        action = bring_best_forward(moves, 0, index, count)
        apply(row(positions, 0), action, row_out(positions, 1))
        if side_to_move(row(positions, 1)) == side:
            value = negamax(
                legal_moves, apply, side_to_move, outcome, move_order, evaluate, weights,
                positions, moves, lines, 1, depth - 1, best, INFINITY, settings, control,
            )  # fmt: skip
        else:
            value = -negamax(
                legal_moves, apply, side_to_move, outcome, move_order, evaluate, weights,
                positions, moves, lines, 1, depth - 1, -INFINITY, -best, settings, control,
            )  # fmt: skip
        if value > best:
            best, chosen = value, action
        if is_stopped(control):
            break
    return chosen


@kernel(
    types.int64(
        *RULES,
        REALS,
        RULES[-1],
        REALS,
        WORDS_STACK,
        ACTIONS_STACK,
        ACTIONS_STACK,
        ACTIONS,
        WORDS_OUT,
        types.int64,
        types.int64,
        types.boolean,
        ACTIONS,
        ACTIONS_OUT,
    )
)
def contest(
    legal_moves: Callable[[Words, Actions], int],
    apply: Callable[[Words, int, Words], None],
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    move_order: Callable[[Words, int], int],
    evaluate: Callable[[Words, Reals], float],
    weights: Reals,
    other_evaluate: Callable[[Words, Reals], float],
    other_weights: Reals,
    positions: Words,
    moves: Actions,
    lines: Actions,
    depths: Actions,
    state: Words,
    opening: int,
    ply_limit: int,
    no_moves_draws: bool,
    settings: Actions,
    control: Control,
) -> int:
    """Play a match; what side 0 plays by comes first.

    Parameters
    ----------
    legal_moves, apply, side_to_move, outcome, move_order : kernels
        The rules.
    evaluate, weights, other_evaluate, other_weights : kernels and float64[n]
        By what side 0 and side 1 choose.
    positions : uint64[depth + 2, words]
        The first row is the start, and at the end the last position.
    moves, lines : int64[2 (depth + 2), actions] and int64[depth + 2, depth + 3]
        Overwritten, as by `search.alphabeta.negamax`.
    depths : int64[2]
        Plies that each side looks ahead; one with 0 plays any move.
    state : uint64[2]
        Of the random generator, advanced; the course of the match, see `temporal.note_move`.
    opening : int64
        The first moves, so many, are any.
    ply_limit : int64
        After so many plies the match is undecided.
    settings : int64[SETTINGS]
        Of the search.
    control : int64[CONTROL_SIZE]
        Its stop flag leaves the match undecided.

    Returns
    -------
    int64
        Plies times `RESULTS` and the result: the winner, `DRAWN` or `UNDECIDED`.
    """
    result, plies = UNDECIDED, 0
    while peek(control, STOP) == 0:
        count = legal_moves(row(positions, 0), row_out(moves, 0))
        if count == 0:
            result = outcome(row(positions, 0))
            if result < 0:
                result = DRAWN if no_moves_draws else 1 - side_to_move(row(positions, 0))
            break
        if plies == ply_limit:
            break
        side = side_to_move(row(positions, 0))
        if plies < opening or depths[side] == 0:
            action = moves[0, random_below(state, count)]
        elif side == 0:
            action = best_action(
                legal_moves, apply, side_to_move, outcome, move_order, evaluate, weights,
                positions, moves, lines, count, depths[side], settings, control,
            )  # fmt: skip
        else:
            action = best_action(
                legal_moves, apply, side_to_move, outcome, move_order, other_evaluate, other_weights,
                positions, moves, lines, count, depths[side], settings, control,
            )  # fmt: skip
        apply(row(positions, 0), action, row_out(positions, 1))
        positions[0, :] = positions[1, :]
        note_move(state, action)
        plies += 1
    return plies * RESULTS + result
