"""TD(lambda) with accumulating traces on a linear value, learned in compiled matches of self-play.

Each side values the positions after its own moves: V(s) = w . phi(s), or its
tanh, phi brought to -1 to 1 by the features' ranges. It chooses the successor
with the greatest value, and with probability epsilon any. After a choice that
was not exploratory:

    delta = r + gamma V(s') - V(s);  e = gamma lambda e + grad V(s);  w = w + alpha delta e

with s and s' two of its own successive positions. r is 0 until the end, then 1,
-1 or 0 and V(s') 0; both sides learn from the end. An exploratory move teaches
nothing and clears the traces.

Source: R. Sutton and A. Barto, "Reinforcement Learning", 1998, chapters 7 and 8.
"""

import math
from collections.abc import Callable

import numpy as np
from numba import types

from boardgames.kernels import (
    STOP,
    Actions,
    Apply,
    Control,
    Features,
    LegalMoves,
    OutcomeOf,
    Reals,
    SideToMove,
    Words,
    kernel,
    next_random,
    peek,
    random_below,
    row,
    row_out,
)
from boardgames.kernels.abi import (
    ACTIONS,
    ACTIONS_OUT,
    ACTIONS_STACK,
    REALS,
    WORDS_OUT,
    WORDS_STACK,
    first_class,
)
from boardgames.search.playout import DRAWN, UNDECIDED

ALPHA, GAMMA, LAMBDA, EPSILON, SQUASHES, SHARES = range(6)
"""Places in the settings; the last two say whether V is a tanh and both sides have one set of weights."""
RESULTS = 4
"""How many results there are: a side has won, `DRAWN`, `UNDECIDED`."""

REALS_STACK = types.Array(types.float64, 2, "C")
CHOICE = types.Tuple((types.int64, types.float64))
U11 = np.uint64(11)
TO_UNIT = 2.0**-53


@kernel(types.float64(WORDS_OUT))
def uniform(state: Words) -> float:
    """Advance `state`, `uint64[1]` or more, and return a random number from 0 to below 1."""
    return float(next_random(state) >> U11) * TO_UNIT


@kernel(types.void(WORDS_OUT, types.int64))
def note_move(state: Words, action: int) -> None:
    """Mix a move into the course of a match, the second of `state`, `uint64[2]`.

    Courses are equal where all moves are, else as good as never.
    """
    held = state[0]
    state[0] = state[1] ^ np.uint64(action)
    state[1] = next_random(state)
    state[0] = held


@kernel(types.float64(REALS_STACK, types.int64, REALS, types.boolean))
def value_of(weights: Reals, which: int, features: Reals, squashes: bool) -> float:
    """Return the value, by one row of the weights, of a position with these features."""
    total = 0.0
    for index in range(features.shape[0]):
        total += weights[which, index] * features[index]
    return math.tanh(total) if squashes else total


@kernel(types.void(REALS_STACK, REALS_STACK, REALS_STACK, types.int64, types.float64, REALS))
def learn(weights: Reals, traces: Reals, before: Reals, side: int, target: float, settings: Reals) -> None:
    """Move a side's weights so that the value of its position before comes nearer to `target`.

    Parameters
    ----------
    weights : float64[2, n]
        Of side 0 and side 1; of both in the first row if the settings share them. Changed.
    traces, before : float64[2, n]
        The sides' traces, changed, and the features of their positions before.
    side : int
        Whose turn it is to learn.
    target : float
        r + gamma V(s').
    settings : float64[6]
        By the places above.
    """
    which = 0 if settings[SHARES] != 0.0 else side
    squashes = settings[SQUASHES] != 0.0
    value = value_of(weights, which, row(before, side), squashes)
    slope = 1.0 - value * value if squashes else 1.0
    step = settings[ALPHA] * (target - value)
    decay = settings[GAMMA] * settings[LAMBDA]
    for index in range(weights.shape[1]):
        traces[side, index] = decay * traces[side, index] + slope * before[side, index]
        weights[which, index] += step * traces[side, index]


@kernel(types.float64(types.int64, types.int64))
def reward(result: int, side: int) -> float:
    """Return 1 for a side that has won, -1 for one that has lost, 0 otherwise."""
    if result == side:
        return 1.0
    return -1.0 if result == 1 - side else 0.0


@kernel(
    CHOICE(
        first_class(Apply),
        first_class(OutcomeOf),
        first_class(Features),
        WORDS_STACK,
        ACTIONS,
        types.int64,
        types.int64,
        types.int64,
        REALS_STACK,
        REALS_STACK,
        REALS,
    )
)
def choose(
    apply: Callable[[Words, int, Words], None],
    outcome: Callable[[Words], int],
    features: Callable[[Words, int, Reals], None],
    positions: Words,
    actions: Actions,
    first: int,
    last: int,
    side: int,
    weights: Reals,
    scratch: Reals,
    settings: Reals,
) -> tuple[int, float]:
    """Return the place of the best of some actions, and what it is worth to `side`.

    Parameters
    ----------
    apply, outcome, features : kernels
        The rules, and what is known of a position.
    positions : uint64[2, words]
        The position, and a row that is overwritten.
    actions : int64[actions]
        Legal ones; those from `first` to before `last` are looked at.
    weights : float64[2, n]
        As in `learn`.
    scratch : float64[4, n]
        The first row is overwritten, the second gets the features of the
        position after the best action; then middle and half width of the ranges.
    settings : float64[6]
        By the places above.
    """
    which = 0 if settings[SHARES] != 0.0 else side
    squashes = settings[SQUASHES] != 0.0
    best, chosen = -math.inf, first
    for place in range(first, last):
        apply(row(positions, 0), actions[place], row_out(positions, 1))
        code = outcome(row(positions, 1))
        value = reward(code, side)
        if code < 0:
            features(row(positions, 1), side, row_out(scratch, 0))
            for index in range(scratch.shape[1]):
                scratch[0, index] = (scratch[0, index] - scratch[2, index]) / scratch[3, index]
            value = value_of(weights, which, row(scratch, 0), squashes)
        if value > best:
            best, chosen = value, place
            scratch[1, :] = scratch[0, :]
    return chosen, best


@kernel(
    types.int64(
        first_class(LegalMoves),
        first_class(Apply),
        first_class(SideToMove),
        first_class(OutcomeOf),
        first_class(Features),
        WORDS_STACK,
        ACTIONS_STACK,
        REALS_STACK,
        REALS_STACK,
        REALS_STACK,
        REALS_STACK,
        REALS,
        WORDS_OUT,
        types.int64,
        types.int64,
        types.boolean,
        ACTIONS_OUT,
    )
)
def learn_match(
    legal_moves: Callable[[Words, Actions], int],
    apply: Callable[[Words, int, Words], None],
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    features: Callable[[Words, int, Reals], None],
    positions: Words,
    moves: Actions,
    weights: Reals,
    traces: Reals,
    before: Reals,
    scratch: Reals,
    settings: Reals,
    state: Words,
    opening: int,
    ply_limit: int,
    no_moves_draws: bool,
    control: Control,
) -> int:
    """Play a match of the weights against themselves, both sides learning from each move.

    Parameters
    ----------
    legal_moves, apply, side_to_move, outcome, features : kernels
        The rules, and what is known of a position.
    positions : uint64[2, words]
        The first row is the start, then the position; both are overwritten.
    moves : int64[1, actions]
        Overwritten.
    weights, traces, before : float64[2, n]
        As in `learn`; traces and positions before are begun anew.
    scratch : float64[4, n]
        As in `choose`.
    settings : float64[6]
        By the places above.
    state : uint64[2]
        Of the random generator, advanced; the course of the match, see `note_move`.
    opening : int64
        The first moves, so many, are any, as exploratory ones are.
    ply_limit : int64
        After so many plies the match is undecided.
    control : int64[CONTROL_SIZE]
        Only the stop flag is read; a match that is stopped is undecided.

    Returns
    -------
    int64
        Plies times `RESULTS` and the result: the winner, `DRAWN` or `UNDECIDED`.
    """
    result, plies, has_before = UNDECIDED, 0, 0  # bits: sides that have a position before
    traces[:, :] = 0.0
    while peek(control, STOP) == 0:
        legal = legal_moves(row(positions, 0), row_out(moves, 0))
        if legal == 0:
            result = outcome(row(positions, 0))
            if result < 0:
                result = DRAWN if no_moves_draws else 1 - side_to_move(row(positions, 0))
            break
        if plies == ply_limit:
            break
        side = side_to_move(row(positions, 0))
        is_exploring = plies < opening or uniform(state) < settings[EPSILON]
        first = random_below(state, legal) if is_exploring else 0
        last = first + 1 if is_exploring else legal
        chosen, best = choose(
            apply, outcome, features, positions, row(moves, 0), first, last, side, weights, scratch, settings
        )
        apply(row(positions, 0), moves[0, chosen], row_out(positions, 1))
        positions[0, :] = positions[1, :]
        note_move(state, moves[0, chosen])
        is_over = outcome(row(positions, 0)) >= 0
        if is_exploring:
            traces[side, :] = 0.0
        elif (has_before >> side) & 1:
            learn(weights, traces, before, side, best if is_over else settings[GAMMA] * best, settings)
        before[side, :] = scratch[1, :]
        has_before = has_before & ~(1 << side) if is_over else has_before | (1 << side)
        plies += 1
    for side in range(2):
        if (has_before >> side) & 1 and peek(control, STOP) == 0:
            learn(weights, traces, before, side, reward(result, side), settings)
    return plies * RESULTS + result
