"""What simulations do at the leaves of their tree, as kernels: add moves, give priors, play on.

Source of the proofs: M. Winands, Y. Björnsson, J. Saito, "Monte-Carlo Tree
Search Solver", 2008.
"""

import math
from collections.abc import Callable

from numba import types

from boardgames.kernels import (
    Actions,
    Apply,
    Control,
    Evaluate,
    LegalMoves,
    MoveOrder,
    OutcomeOf,
    Reals,
    SideToMove,
    Words,
    kernel,
    load_stop,
    random_below,
    row,
    row_out,
)
from boardgames.kernels.abi import (
    ACTIONS,
    ACTIONS_OUT,
    ACTIONS_STACK,
    REALS,
    REALS_OUT,
    WORDS_OUT,
    WORDS_STACK,
    first_class,
)
from boardgames.kernels.atomics import atomic_store, compare_and_swap
from boardgames.kernels.control import CONTROL
from boardgames.search.nodes import (
    ACTION_SHIFT,
    COUNT_SHIFT,
    DRAWN,
    FACTS,
    LINK,
    NOBODY,
    NODE_WORDS,
    ORDERED,
    PENDING,
    PRIOR_MASK,
    PRIOR_SHIFT,
    SIDE_SHIFT,
    TOTAL,
    UNIT,
    VISITS,
    prior_of,
    proof_from_successors,
    proven_total,
    reserve,
    side_of,
)

NO_MOVES_DRAWS, ALL_MOVES, SHARED, CUTOFF, PRIOR, DEEPEST = 0, 1, 2, 3, 4, 5
SETTINGS = 6
"""Length of the settings array, `int64[6]`, with at the places named above: whether a side without a
move draws, every root move matters, other threads work on the tree; the plies of a playout; the kind
of prior; the deepest ply whose moves are added."""
NO_PRIOR, BY_ORDER, BY_EVALUATION = 0, 1, 2

EXPLORATION, SCALE, SHARPNESS = 0, 1, 2
SCALES = 3
"""Length of the scales array, `float64[3]`: the constant of exploration; the evaluation that counts as
a return of one half, 0 where evaluations are returns; by how much better a move is that a prior takes
to be e times as likely."""

SIMULATIONS, SIMULATION_LIMIT, NODES, NODE_LIMIT = 0, 1, 2, 3
TALLY = 8
"""Length of what a thread counts, `int64[8]`: one line of the processor's cache."""

CANCELLED = 1 << 62
AHEAD = 3


@kernel(types.int64(types.float64, types.float64, types.int64))
def as_total(value: float, scale: float, side: int) -> int:
    """Return an evaluation for `side` as a return for side 0, in units of a total."""
    squashed = value / (scale + abs(value)) if scale > 0.0 else min(max(value, -1.0), 1.0)
    return int(squashed * UNIT) if side == 0 else -int(squashed * UNIT)


@kernel(types.void(ACTIONS_OUT, types.int64, types.int64, REALS_OUT, types.int64, types.float64))
def _set_priors(tree: Actions, first: int, count: int, worths: Reals, kind: int, sharpness: float) -> None:
    """Give new successors their shares of 1: by their place in the order, or by their evaluations.

    The `ORDERED` highest get the first places; all else of new successors is the same.
    """
    highest = -math.inf
    for index in range(count):
        highest = max(highest, worths[index])
    total = 0.0
    for index in range(count):
        share = 0.0
        if kind == BY_EVALUATION:
            share = math.exp((worths[index] - highest) / sharpness)
        else:
            place = 1
            for other in range(count):
                if worths[other] > worths[index]:
                    place += 1
            share = 1.0 / place
        total += share
        worths[count + index] = share
    last = first + (ORDERED - 1) * NODE_WORDS
    for index in range(count):
        prior = int(PRIOR_MASK * worths[count + index] / total)
        place = first + index * NODE_WORDS
        facts = tree[place + FACTS] | (prior << PRIOR_SHIFT)
        if place > last and prior_of(tree, last) < prior:
            tree[place + FACTS] = tree[last + FACTS]
            place = last
        while first < place <= last and prior_of(tree, place - NODE_WORDS) < prior:
            tree[place + FACTS] = tree[place - NODE_WORDS + FACTS]
            place -= NODE_WORDS
        tree[place + FACTS] = facts


@kernel(types.void(ACTIONS_OUT, types.int64, types.int64))
def prove(tree: Actions, node: int, proof: int) -> None:
    """Write down what is proven, if anything; the other facts of a node never change."""
    if proof != 0:
        atomic_store(tree, node + FACTS, tree[node + FACTS] | proof)


@kernel(
    types.boolean(
        first_class(Apply),
        first_class(SideToMove),
        first_class(OutcomeOf),
        first_class(MoveOrder),
        first_class(Evaluate),
        REALS,
        ACTIONS_OUT,
        types.int64,
        WORDS_STACK,
        types.int64,
        ACTIONS_STACK,
        types.int64,
        REALS_OUT,
        ACTIONS,
        REALS,
        ACTIONS_OUT,
    )
)
def expand(
    apply: Callable[[Words, int, Words], None],
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    move_order: Callable[[Words, int], int],
    evaluate: Callable[[Words, Reals], float],
    weights: Reals,
    tree: Actions,
    node: int,
    positions: Words,
    here: int,
    moves: Actions,
    count: int,
    worths: Reals,
    settings: Actions,
    scales: Reals,
    tally: Actions,
) -> bool:
    """Add the successors of a leaf, whose `count` moves are there; say whether that was done.

    It is not if there is no room or another thread is at it. Matches that the
    moves end are seen at once, and what follows is proven.
    """
    if settings[SHARED] != 0 and not compare_and_swap(tree, node + LINK, 0, PENDING):
        return False
    first = reserve(tree, count * NODE_WORDS, settings[SHARED] != 0)
    if first == NOBODY:
        atomic_store(tree, node + LINK, 0)
        return False
    side, prior = side_of(tree, node), settings[PRIOR]
    for index in range(count):
        action = moves[0, index]
        apply(row(positions, here), action, row_out(positions, AHEAD))
        result = outcome(row(positions, AHEAD))
        mover = side_to_move(row(positions, AHEAD))
        place = first + index * NODE_WORDS
        tree[place + VISITS] = 0
        tree[place + TOTAL] = 0
        tree[place + LINK] = 0
        tree[place + FACTS] = (action << ACTION_SHIFT) | (mover << SIDE_SHIFT) | (result + 1)
        if prior == BY_ORDER:
            worths[index] = move_order(row(positions, here), action)
        elif prior == BY_EVALUATION:
            total = proven_total(result + 1)
            if result < 0:
                total = as_total(evaluate(row(positions, AHEAD), weights), scales[SCALE], mover)
            worths[index] = (1.0 - 2.0 * side) * total / UNIT
    tally[NODES] += count
    if prior != NO_PRIOR:
        _set_priors(tree, first, count, worths, prior, scales[SHARPNESS])
    atomic_store(tree, node + LINK, first | (count << COUNT_SHIFT))
    prove(tree, node, proof_from_successors(tree, node))
    return True


@kernel(types.int64(first_class(SideToMove), first_class(OutcomeOf), WORDS_STACK, types.int64, types.boolean))
def end_proof(
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    positions: Words,
    here: int,
    no_moves_draws: bool,
) -> int:
    """Return what a position without legal moves proves."""
    result = outcome(row(positions, here))
    if result < 0:
        result = DRAWN - 1 if no_moves_draws else 1 - side_to_move(row(positions, here))
    return result + 1


@kernel(
    types.int64(
        first_class(LegalMoves),
        first_class(Apply),
        first_class(SideToMove),
        first_class(OutcomeOf),
        first_class(Evaluate),
        REALS,
        WORDS_STACK,
        types.int64,
        ACTIONS_STACK,
        types.int64,
        WORDS_OUT,
        ACTIONS,
        REALS,
        ACTIONS_OUT,
        CONTROL,
    )
)
def play_on(
    legal_moves: Callable[[Words, Actions], int],
    apply: Callable[[Words, int, Words], None],
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    evaluate: Callable[[Words, Reals], float],
    weights: Reals,
    positions: Words,
    here: int,
    moves: Actions,
    count: int,
    state: Words,
    settings: Actions,
    scales: Reals,
    tally: Actions,
    control: Control,
) -> int:
    """Return how a random playout ends, or its evaluation at the cut-off, as a total.

    Parameters
    ----------
    positions : uint64[4, words]
        Row `here`, 0 to 2, is where it starts; rows 1 and 2 are overwritten.
    moves : int64[1, actions]
        Its `count` legal moves; overwritten.

    Returns
    -------
    int64
        In units of a total, for side 0; CANCELLED if the stop flag was set.
    """
    plies = 0
    while plies != settings[CUTOFF]:
        if load_stop(control) != 0:
            return CANCELLED
        there = 2 if here == 1 else 1
        apply(row(positions, here), moves[0, random_below(state, count)], row_out(positions, there))
        here = there
        plies += 1
        count = legal_moves(row(positions, here), row_out(moves, 0))
        if count == 0:
            tally[NODES] += plies
            return proven_total(
                end_proof(side_to_move, outcome, positions, here, settings[NO_MOVES_DRAWS] != 0)
            )
    tally[NODES] += plies
    value = evaluate(row(positions, here), weights)
    return as_total(value, scales[SCALE], side_to_move(row(positions, here)))
