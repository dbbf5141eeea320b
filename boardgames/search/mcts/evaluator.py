"""The evaluation of leaves: the value of a leaf, and the priors of its moves.

A leaf is worth the result of a random playout, which the game's evaluation may cut short. The priors
of its moves come from the move order or from the evaluation of the positions after them.
Nothing else in `boardgames.search.mcts.simulate` depends on the evaluation.
"""

import math

from boardgames.kernels import Actions, kernel, load_stop, random_below, row, row_out, types
from boardgames.kernels.bundles import BUNDLE
from boardgames.search.mcts.options import EVALUATION_PRIOR, ORDER_PRIOR, unpack
from boardgames.search.mcts.tree import (
    FACTS,
    ONE,
    PRIOR_MASK,
    PRIOR_SHIFT,
    SORTED_CHILDREN,
    WORDS_PER_NODE,
    prior_of,
    proven_total,
)
from boardgames.search.rules import ONGOING, final_result

CANCELLED = 1 << 62
"""Returned instead of a total if the simulation was stopped."""
LOOKAHEAD = 3
"""The row of `positions` that expansion uses to look one ply ahead."""


@kernel(types.int64(types.int64))
def row_at(depth: int) -> int:
    """Return the row of `positions` for a depth: 0 for the root, else 1 for odd and 2 for even depths."""
    return 2 - depth % 2 if depth > 0 else 0


@kernel(types.int64(types.float64, types.float64, types.int64))
def to_total(value: float, half_return: float, side: int) -> int:
    """Return an evaluation for `side` as a return for side 0, in units of a total.

    `half_return` is the evaluation that counts as a return of one half, or 0 if evaluations are
    returns.
    """
    squashed = value / (half_return + abs(value)) if half_return > 0.0 else min(max(value, -1.0), 1.0)
    return int(squashed * ONE) if side == 0 else -int(squashed * ONE)


@kernel(types.int64(BUNDLE, types.int64, types.int64))
def result_at(bundle: Actions, place: int, depth: int) -> int:
    """Return the result of the position in row `place`, at a depth of the tree, or `ONGOING`."""
    game = unpack(bundle)
    position = row(game.positions, place)
    result = game.outcome(position)
    if result == ONGOING and depth >= game.options[0].plies_left:
        if game.legal_moves(position, row_out(game.moves, 1)) > 0:  # having no moves takes precedence
            return game.outcome_at_limit(position)
        no_moves_draws = game.options[0].no_moves_draws != 0
        return final_result(game.side_to_move, game.outcome, position, no_moves_draws)
    return result


@kernel(types.int64(BUNDLE, types.int64))
def final_proof(bundle: Actions, here: int) -> int:
    """Return the proof of the position in row `here`, which has no legal moves."""
    game = unpack(bundle)
    no_moves_draws = game.options[0].no_moves_draws != 0
    return final_result(game.side_to_move, game.outcome, row(game.positions, here), no_moves_draws) + 1


@kernel(types.int64(BUNDLE, types.int64, types.int64))
def play_out(bundle: Actions, depth: int, count: int) -> int:
    """Return the result of a random playout, or of the evaluation at the cutoff, as a total.

    The playout starts from the position at `depth`, whose `count` moves are in `moves`,
    and overwrites rows 1 and 2. If the stop flag is set, the result is `CANCELLED`.
    """
    game = unpack(bundle)
    positions, moves, options = game.positions, game.moves, game.options[0]
    here, plies = row_at(depth), 0
    while plies != options.cutoff:
        if load_stop(game.control) != 0:
            return CANCELLED
        there = 2 if here == 1 else 1
        action = moves[0, random_below(game.random_state, count)]
        game.apply(row(positions, here), action, row_out(positions, there))
        here = there
        plies += 1
        count = game.legal_moves(row(positions, here), row_out(moves, 0))
        if count == 0:
            game.counters[0].nodes += plies
            return proven_total(final_proof(bundle, here))
        if depth + plies >= options.plies_left:
            game.counters[0].nodes += plies
            return proven_total(result_at(bundle, here, depth + plies) + 1)
    game.counters[0].nodes += plies
    value = game.evaluate(row(positions, here), game.weights)
    return to_total(value, options.half_return, game.side_to_move(row(positions, here)))


@kernel(types.float64(BUNDLE, types.int64, types.int64, types.int64, types.int64, types.int64), inline=True)
def value_of_move(bundle: Actions, here: int, action: int, mover: int, side: int, result: int) -> float:
    """Return the number from which a move's prior is computed: its rank in the move order, or its value.

    Parameters
    ----------
    here : int64
        The row of the position before the move. The position after it is in row `LOOKAHEAD`.
    mover, side : int64
        The side that moves, and the side to move after that. The value is for the side that moves.
    result : int64
        The result of the position after the move.
    """
    game = unpack(bundle)
    options = game.options[0]
    if options.prior == ORDER_PRIOR:
        return float(game.move_order(row(game.positions, here), action))
    total = proven_total(result + 1)
    if result == ONGOING:
        value = game.evaluate(row(game.positions, LOOKAHEAD), game.weights)
        total = to_total(value, options.half_return, side)
    return (1.0 - 2.0 * mover) * total / ONE


@kernel(types.void(BUNDLE, types.int64, types.int64))
def set_priors(bundle: Actions, first: int, count: int) -> None:
    """Set the priors of new children, and move the `SORTED_CHILDREN` highest ones to the front in order.

    The values of the moves are in `priors`. Priors by evaluation are the
    softmax of these values; priors by move order are proportional to 1, 1/2,
    1/3 and so on.
    """
    game = unpack(bundle)
    tree, priors, options = game.tree, game.priors, game.options[0]
    highest = -math.inf
    for index in range(count):
        highest = max(highest, priors[index])
    total = 0.0
    for index in range(count):
        share = 0.0
        if options.prior == EVALUATION_PRIOR:
            share = math.exp((priors[index] - highest) / options.prior_temperature)
        else:
            rank = 1
            for other in range(count):
                if priors[other] > priors[index]:
                    rank += 1
            share = 1.0 / rank
        total += share
        priors[count + index] = share
    last_sorted = first + (SORTED_CHILDREN - 1) * WORDS_PER_NODE
    for index in range(count):
        prior = int(PRIOR_MASK * priors[count + index] / total)
        child = first + index * WORDS_PER_NODE
        # insertion sort; new children differ only in their facts
        facts = tree[child + FACTS] | (prior << PRIOR_SHIFT)
        if child > last_sorted and prior_of(tree, last_sorted) < prior:
            tree[child + FACTS] = tree[last_sorted + FACTS]
            child = last_sorted
        while first < child <= last_sorted and prior_of(tree, child - WORDS_PER_NODE) < prior:
            tree[child + FACTS] = tree[child - WORDS_PER_NODE + FACTS]
            child -= WORDS_PER_NODE
        tree[child + FACTS] = facts
