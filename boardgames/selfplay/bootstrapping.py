"""Learning from searches in compiled self-play: TreeStrap and TD-leaf, with a linear value function.

Both sides play by plain alpha-beta of fixed depth, whose leaves are valued by the weights:
V(s) = w . phi(s), or its tanh, where phi are the features of the side that has just moved, scaled to
-1 to 1. A search knows the value of a position better than its evaluation does. The algorithms differ in
how they learn from that.

TreeStrap learns from every position inside the tree, after each search. H(s) is the evaluation of s
for the side to move, and the search has found a value b of s, or only a bound on it:

    delta = b - H(s), but 0 if b is an upper bound and H(s) <= b, or a lower bound and H(s) >= b
    w = w + alpha (mean of delta grad H(s) over the positions)

TD-leaf learns from the searches of one match, at its end. V(t) is the value of the t-th search of a
side, the evaluation at the end of its principal variation:

    delta(t) = gamma V(t + 1) - V(t);  e(t) = gamma lambda e(t - 1) + grad V(t)
    w = w + alpha (sum of delta(t) e(t))

After the last search of a side, the result of the match, 1, -1 or 0, takes the place of V(t + 1). An
exploratory move teaches nothing about the positions before it, so it ends the sums of both sides.

The discount gamma applies to each ply, including those from a position to the end of its principal
variation. A win that the search has found is worth 1 and a loss -1, with this discount.

Sources: J. Veness, D. Silver, W. Uther, A. Blair, "Bootstrapping from Game Tree Search", 2009, which
adds up the changes instead of averaging them; J. Baxter, A. Tridgell, L. Weaver, "KnightCap: a chess
program that learns by combining TD(lambda) with game-tree search", 1998.
"""

import math
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boardgames.declarations import FeatureSet
from boardgames.kernels import (
    Actions,
    Features,
    Reals,
    Words,
    is_stopped,
    kernel,
    load_stop,
    random_below,
    row,
    row_out,
    types,
)
from boardgames.kernels.abi import ACTIONS_OUT, REALS_OUT, REALS_STACK, WORDS_OUT, record_array
from boardgames.kernels.bundles import BUNDLE, unpacker
from boardgames.search.alphabeta.ordering import (
    TACTICAL_RANK,
    pick_move,
    rank_moves,
    update_killers_and_history,
)
from boardgames.search.alphabeta.quiescence import quiescence
from boardgames.search.alphabeta.workspace import final_value, update_line
from boardgames.search.alphabeta.workspace import unpack as unpack_search
from boardgames.search.rules import (
    EVALUATION_BOUND,
    INFINITY,
    ONGOING,
    UNFINISHED,
    WIN,
    final_result,
    result_at_limit,
)
from boardgames.selfplay.temporal import RESULTS, hash_move, reward, uniform

NODES, SQUARES = range(2)
"""Columns of `BootstrappingWorkspace.totals`."""
NEVER = -1

PARAMETERS_DTYPE = np.dtype(
    [
        ("alpha", np.float64),
        ("gamma", np.float64),
        ("trace_decay", np.float64),
        ("epsilon", np.float64),
        ("tanh", np.int64),
        ("depth", np.int64),
        ("whole_tree", np.int64),
    ],
    align=True,
)
"""Learning rate, discount factor per ply, lambda, probability of exploration; whether V is a tanh, search
depth, and whether to learn from the whole tree (TreeStrap) or only from the principal variation's leaf."""
PARAMETERS = record_array(PARAMETERS_DTYPE, readonly=True)


class BootstrappingWorkspace(NamedTuple):
    """Kernels and arrays of learning, besides the workspace of the search, for `n` features.

    Attributes
    ----------
    features : kernel
        The features of a position.
    weights : float64[n]
        Weights of scaled features, which learning changes.
    unscaled : float64[n + 1]
        The weights as the evaluation of the search uses them: for unscaled features, and a constant.
        It is the array `weights` of the workspace of the search.
    change : float64[n]
        Sum of the changes that are not yet part of the weights, without the learning rate.
    traces : float64[2, n]
        For each side, the sum of the gradients of its earlier searches.
    values : float64[2]
        For each side, the value of its previous search.
    searched : int64[2]
        For each side, the ply of its previous search since the last exploratory move, or `NEVER`.
    scratch : float64[1, n]
        Scaled features of a position.
    scale : float64[2, n]
        Middle and half the width of each feature's range.
    totals : float64[2, 2]
        Number of deltas and the sum of their squares, since the last change of weights and in total.
    random_state : uint64[1]
        State of the random generator.
    moves_hash : uint64[1]
        Hash of the moves of the match; see `temporal.hash_move`.
    parameters : one record
        Hyperparameters.
    """

    features: Annotated[Callable[[Words, int, Reals], None], Features]
    weights: Annotated[Reals, REALS_OUT]
    unscaled: Annotated[Reals, REALS_OUT]
    change: Annotated[Reals, REALS_OUT]
    traces: Annotated[Reals, REALS_STACK]
    values: Annotated[Reals, REALS_OUT]
    searched: Annotated[Actions, ACTIONS_OUT]
    scratch: Annotated[Reals, REALS_STACK]
    scale: Annotated[Reals, REALS_STACK]
    totals: Annotated[Reals, REALS_STACK]
    random_state: Annotated[Words, WORDS_OUT]
    moves_hash: Annotated[Words, WORDS_OUT]
    parameters: Annotated[
        npt.NDArray[Any], PARAMETERS
    ]  # one record of PARAMETERS_DTYPE: NumPy cannot annotate its fields


unpack = unpacker(BootstrappingWorkspace)


def new_parameters(
    *,
    alpha: float = 0.1,
    gamma: float = 1.0,
    trace_decay: float = 0.7,
    epsilon: float = 0.1,
    tanh: bool = True,
    depth: int = 2,
    whole_tree: bool = True,
) -> npt.NDArray[Any]:  # one record of PARAMETERS_DTYPE: NumPy cannot annotate its fields
    """Return a record of hyperparameters; see `PARAMETERS_DTYPE`."""
    values = (alpha, gamma, trace_decay, epsilon, tanh, depth, whole_tree)
    return np.array([values], dtype=PARAMETERS_DTYPE).view(np.recarray)


def new_workspace(
    features: FeatureSet,
    weights: Reals,
    unscaled: Reals,
    parameters: npt.NDArray[Any],  # one record of PARAMETERS_DTYPE: NumPy cannot annotate its fields
) -> BootstrappingWorkspace:
    """Return a workspace with new buffers; learning changes `weights` and `unscaled`."""
    size = len(features.features)
    return BootstrappingWorkspace(
        features=features.kernel,
        weights=weights,
        unscaled=unscaled,
        change=np.zeros(size),
        traces=np.zeros((2, size)),
        values=np.zeros(2),
        searched=np.full(2, NEVER, dtype=np.int64),
        scratch=np.zeros((1, size)),
        scale=np.array(features.scale),
        totals=np.zeros((2, 2)),
        random_state=np.zeros(1, dtype=np.uint64),
        moves_hash=np.zeros(1, dtype=np.uint64),
        parameters=parameters,
    )


@kernel(types.float64(types.float64, types.int64, types.int64, types.float64))
def discounted(value: float, ply: int, depth: int, gamma: float) -> float:
    """Return the value of a search as a discounted return at a position of its tree.

    Parameters
    ----------
    value : float64
        A win n plies from the root is `WIN` - n; see `boardgames.search.rules`.
    ply, depth : int64
        Plies from the root to the position, and depth to which the position was searched.
    gamma : float64
        Discount factor per ply.
    """
    if value > EVALUATION_BOUND:
        return float(gamma ** (WIN - value - ply))
    if value < -EVALUATION_BOUND:
        return -float(gamma ** (WIN + value - ply))
    return float(value * gamma**depth)


@kernel(types.float64(BUNDLE, BUNDLE, types.int64, types.int64))
def value_at(search: Actions, bundle: Actions, ply: int, side: int) -> float:
    """Return the value to `side` that the weights give the position at `ply`.

    `scratch[0]` receives the gradient of the value with respect to the weights.
    """
    game, work = unpack_search(search), unpack(bundle)
    scratch, scale, weights = work.scratch, work.scale, work.weights
    mover = 1 - game.side_to_move(row(game.positions, ply))
    work.features(row(game.positions, ply), mover, row_out(scratch, 0))
    total = 0.0
    for index in range(weights.shape[0]):
        scratch[0, index] = (scratch[0, index] - scale[0, index]) / scale[1, index]
        total += weights[index] * scratch[0, index]
    sign, slope = 1.0 if mover == side else -1.0, 1.0
    if work.parameters[0].tanh != 0:
        total = math.tanh(total)
        slope = 1.0 - total * total
    for index in range(weights.shape[0]):
        scratch[0, index] *= sign * slope
    return sign * total


@kernel(types.void(BUNDLE, types.float64))
def count_delta(bundle: Actions, delta: float) -> None:
    """Add a delta to the totals."""
    work = unpack(bundle)
    for line in range(2):
        work.totals[line, NODES] += 1.0
        work.totals[line, SQUARES] += delta * delta


@kernel(types.void(BUNDLE, BUNDLE, types.int64, types.int64, types.float64, types.float64, types.float64))
def learn_value(
    search: Actions, bundle: Actions, ply: int, depth: int, value: float, alpha: float, beta: float
) -> None:
    """Add to the change of weights what the search of the position at `ply` teaches, if `whole_tree` is set.

    Parameters
    ----------
    depth : int64
        Depth to which the position was searched, in plies.
    value, alpha, beta : float64
        The value that the search returned, and its window; at its edges or outside, the value is a bound.
    """
    game, work = unpack_search(search), unpack(bundle)
    if work.parameters[0].whole_tree == 0:
        return
    side = game.side_to_move(row(game.positions, ply))
    target = discounted(value, ply, depth, work.parameters[0].gamma)
    delta = target - value_at(search, bundle, ply, side)
    if (value >= beta and delta < 0.0) or (value <= alpha and delta > 0.0):
        delta = 0.0  # the evaluation is within the bound
    count_delta(bundle, delta)
    if delta != 0.0:
        for index in range(work.change.shape[0]):
            work.change[index] += delta * work.scratch[0, index]


@kernel(types.void(BUNDLE, types.float64))
def change_weights(bundle: Actions, rate: float) -> None:
    """Add the sum of the changes to the weights, multiplied by `rate`, and begin a new sum."""
    work = unpack(bundle)
    weights, unscaled, change, scale, totals = (
        work.weights,
        work.unscaled,
        work.change,
        work.scale,
        work.totals,
    )
    constant = 0.0
    for index in range(weights.shape[0]):
        weights[index] += rate * change[index]
        change[index] = 0.0
        unscaled[index] = weights[index] / scale[1, index]
        constant -= unscaled[index] * scale[0, index]
    unscaled[weights.shape[0]] = constant
    totals[0, NODES] = 0.0
    totals[0, SQUARES] = 0.0


@kernel(types.float64(BUNDLE, BUNDLE, types.int64, types.int64, types.float64, types.float64))
def search_tree(search: Actions, bundle: Actions, ply: int, depth: int, alpha: float, beta: float) -> float:
    """Return the value of the position at `ply` for its side to move, by alpha-beta search.

    If `whole_tree` is set, every position of the tree above the leaves adds to the change of weights.

    Parameters
    ----------
    search : int64[m]
        Words of a `search.alphabeta.workspace.AlphaBetaWorkspace`; its stacks and counters are changed. Its
        options determine the order of moves and the depth of quiescence search.
    bundle : int64[k]
        Words of a `BootstrappingWorkspace`.
    ply, depth : int64
        Plies from the root, and plies to search.
    alpha, beta : float64
        The window. A value at or outside its edges is only a bound (fail-soft).
    """
    game = unpack_search(search)
    positions, moves, control = game.positions, game.moves, game.control
    control[0].nodes += 1
    if depth <= 0:
        return quiescence(search, ply, game.options[0].quiescence, alpha, beta)
    game.lines[ply, 0] = 0
    if is_stopped(control):
        return 0.0
    count = game.legal_moves(row(positions, ply), row_out(moves, 2 * ply))
    if count == 0:
        return final_value(search, ply)
    side = game.side_to_move(row(positions, ply))
    rank_moves(search, ply, count, side, -1)
    best = -INFINITY
    for index in range(count):
        action = pick_move(moves, ply, index, count)
        game.apply(row(positions, ply), action, row_out(positions, ply + 1))
        low = max(alpha, best)
        if game.side_to_move(row(positions, ply + 1)) == side:
            value = search_tree(search, bundle, ply + 1, depth - 1, low, beta)
        else:
            value = -search_tree(search, bundle, ply + 1, depth - 1, -beta, -low)
        if is_stopped(control):
            return best
        if value > best:
            best = value
            update_line(game.lines, ply, action)
        if best >= beta:
            if moves[2 * ply + 1, index] < TACTICAL_RANK:
                update_killers_and_history(search, ply, index, depth, side)
            break
    learn_value(search, bundle, ply, depth, best, alpha, beta)
    return best


@kernel(types.void(BUNDLE, types.int64, types.float64))
def learn_delta(bundle: Actions, side: int, target: float) -> None:
    """Add the change of weights that moves the previous search of `side` towards `target`."""
    work = unpack(bundle)
    delta = target - work.values[side]
    count_delta(bundle, delta)
    for index in range(work.change.shape[0]):
        work.change[index] += delta * work.traces[side, index]


@kernel(types.void(BUNDLE, BUNDLE, types.float64, types.float64))
def trace_leaf(search: Actions, bundle: Actions, value: float, decay: float) -> None:
    """Add the gradient of the search of `positions[0]` to the traces of its side, and keep its value.

    Parameters
    ----------
    value : float64
        The value that the search has found. Its principal variation is in `lines[0]`. The rows of
        `positions` below the root are overwritten.
    decay : float64
        Factor of the earlier traces.
    """
    game, work = unpack_search(search), unpack(bundle)
    positions, lines, traces, depth = game.positions, game.lines, work.traces, work.parameters[0].depth
    side = game.side_to_move(row(positions, 0))
    plies = lines[0, 0]
    for ply in range(plies):
        game.apply(row(positions, ply), lines[0, 1 + ply], row_out(positions, ply + 1))
    # the value of a match that is over does not depend on the weights
    is_over = plies < depth or game.outcome(row(positions, plies)) != ONGOING
    factor = 0.0
    if not is_over:
        value_at(search, bundle, plies, side)
        factor = work.parameters[0].gamma ** depth
    for index in range(traces.shape[1]):
        traces[side, index] = decay * traces[side, index]
        if not is_over:
            traces[side, index] += factor * work.scratch[0, index]
    work.values[side] = discounted(value, 0, depth, work.parameters[0].gamma)


@kernel(types.void(BUNDLE))
def forget_searches(search: Actions) -> None:
    """Forget the killer moves of the previous search, and halve the history scores."""
    game = unpack_search(search)
    killers, history = game.killers, game.history
    for line in range(2):
        for ply in range(killers.shape[1]):
            killers[line, ply] = -1
        for action in range(history.shape[1]):
            history[line, action] //= 2


@kernel(types.void(BUNDLE, BUNDLE, types.int64, types.float64))
def learn_search(search: Actions, bundle: Actions, plies: int, value: float) -> None:
    """Learn from the search of `positions[0]`: TreeStrap changes the weights, TD-leaf only adds to `change`.

    Parameters
    ----------
    plies : int64
        Plies of the match so far.
    value : float64
        The value that the search has found.
    """
    game, work = unpack_search(search), unpack(bundle)
    parameters, searched = work.parameters[0], work.searched
    if parameters.whole_tree != 0:
        change_weights(bundle, parameters.alpha / max(1.0, work.totals[0, NODES]))
        return
    side = game.side_to_move(row(game.positions, 0))
    decay = 0.0
    if searched[side] != NEVER:
        decay = parameters.gamma ** (plies - searched[side])
        learn_delta(bundle, side, decay * discounted(value, 0, parameters.depth, parameters.gamma))
    trace_leaf(search, bundle, value, decay * parameters.trace_decay)
    searched[side] = plies


@kernel(types.void(BUNDLE, types.int64, types.int64))
def learn_result(bundle: Actions, plies: int, result: int) -> None:
    """Learn from the result of a match by TD-leaf, and change the weights."""
    work = unpack(bundle)
    parameters = work.parameters[0]
    for side in range(2):
        if work.searched[side] != NEVER:
            decay = parameters.gamma ** (plies - work.searched[side])
            learn_delta(bundle, side, decay * reward(result, side))
    change_weights(bundle, parameters.alpha)


@kernel(types.int64(BUNDLE, BUNDLE, types.int64, types.int64))
def learn_match(search: Actions, bundle: Actions, opening: int, ply_limit: int) -> int:
    """Play a match of the weights against themselves and learn from its searches.

    Parameters
    ----------
    search, bundle : int64[m], int64[k]
        Words of the two workspaces. `positions[0]` is the start, and afterwards the final position.
    opening : int64
        Number of random opening plies, from which nothing is learned.
    ply_limit : int64
        Maximum length. A match that reaches it or is stopped is unfinished, unless the game says who wins
        at the limit.

    Returns
    -------
    int64
        Plies times `RESULTS` plus the result: the winner, `DRAWN` or `UNFINISHED`.
    """
    game, work = unpack_search(search), unpack(bundle)
    positions, moves, lines = game.positions, game.moves, game.lines
    parameters, searched, random_state = work.parameters[0], work.searched, work.random_state
    result, plies = UNFINISHED, 0
    searched[0] = searched[1] = NEVER
    while load_stop(game.control) == 0:
        legal = game.legal_moves(row(positions, 0), row_out(moves, 0))
        if legal == 0:
            no_moves_draws = game.options[0].no_moves_draws != 0
            result = final_result(game.side_to_move, game.outcome, row(positions, 0), no_moves_draws)
            break
        if plies == ply_limit:
            result = result_at_limit(game.outcome_at_limit, row(positions, 0))
            break
        is_exploring = plies < opening or uniform(random_state) < parameters.epsilon
        action = moves[0, random_below(random_state, legal) if is_exploring else 0]
        if plies >= opening:
            forget_searches(search)
            value = search_tree(search, bundle, 0, parameters.depth, -INFINITY, INFINITY)
            if load_stop(game.control) != 0:
                break
            if not is_exploring and lines[0, 0] > 0:  # there is no line if the weights have diverged
                action = lines[0, 1]
            learn_search(search, bundle, plies, value)
        if is_exploring:
            searched[0] = searched[1] = NEVER
        game.apply(row(positions, 0), action, row_out(positions, 1))
        for word in range(positions.shape[1]):
            positions[0, word] = positions[1, word]
        hash_move(work.moves_hash, action)
        plies += 1
    if parameters.whole_tree == 0 and load_stop(game.control) == 0:
        learn_result(bundle, plies, result)
    return plies * RESULTS + result
