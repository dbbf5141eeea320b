"""TD(lambda) with accumulating traces and a linear value function, in compiled self-play.

Each side values the positions after its own moves: V(s) = w . phi(s), or its
tanh, where phi are the features scaled to -1 to 1 by their ranges. It plays the
move with the greatest value or, with probability epsilon, a random one. After a
move that was not exploratory:

    delta = r + gamma V(s') - V(s);  e = gamma lambda e + grad V(s);  w = w + alpha delta e

where s and s' are two successive positions of the same side. r is 0 until the
end of the match, where it is 1, -1 or 0 and V(s') = 0. Both sides learn from the
end. Nothing is learned from an exploratory move, which clears the traces.

With temporal coherence, each weight has its own step size, which is smaller if the
errors cancel out: with the sum N of its errors so far and the sum A of their absolute values,

    w = w + alpha exp(beta (|N| / A - 1)) delta e;  N = N + delta e;  A = A + |delta e|

Sources: R. Sutton and A. Barto, "Reinforcement Learning", 1998, chapters 7 and 8; D. Beal and
M. Smith, "Temporal Coherence and Prediction Decay in TD Learning", 1999, for step sizes of single
weights; S. Bagheri, M. Thill, P. Koch and W. Konen, "Online Adaptable Learning Rates for the Game
Connect-4", 2016, for their exponential form.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boardgames.declarations import FeatureSet
from boardgames.game import Game
from boardgames.kernels import (
    Actions,
    Control,
    Features,
    Reals,
    Words,
    kernel,
    load_stop,
    new_control,
    next_random,
    random_below,
    row,
    row_out,
    types,
)
from boardgames.kernels.abi import (
    ACTIONS_STACK,
    REALS,
    REALS_STACK,
    WORDS_OUT,
    WORDS_STACK,
    ApplyKernel,
    LegalMovesKernel,
    OutcomeKernel,
    SideToMoveKernel,
    record_array,
)
from boardgames.kernels.bundles import BUNDLE, unpacker
from boardgames.kernels.control import CONTROL
from boardgames.search.rules import UNFINISHED, final_result, result_at_limit, rules_of

RESULTS = 4
"""Number of possible results of a match: either side won, `DRAWN`, `UNFINISHED`."""

PARAMETERS_DTYPE = np.dtype(
    [
        ("alpha", np.float64),
        ("gamma", np.float64),
        ("trace_decay", np.float64),
        ("epsilon", np.float64),
        ("beta", np.float64),
        ("tanh", np.int64),
        ("shared", np.int64),
        ("plies", np.int64),
    ],
    align=True,
)
"""Learning rate, discount factor, lambda, probability of exploration, steepness of the step sizes of single
weights (0 for equal steps); whether V is a tanh, whether both sides share one row of weights, and the search
depth of moves in plies, 1 or 2."""
PARAMETERS = record_array(PARAMETERS_DTYPE, readonly=True)


@dataclass(frozen=True, slots=True)
class TDParameters:
    """Hyperparameters of TD(lambda), with the defaults of all learners that use it.

    Attributes
    ----------
    alpha, gamma, trace_decay : float
        Learning rate, discount factor, and lambda.
    epsilon : float
        Probability of an exploratory move.
    tanh : bool
        True if values are the hyperbolic tangent of the weighted sum.
    shared : bool
        True if both sides use and train the first row of the weights.
    plies : int
        Search depth of moves in plies, 1 or 2. Learning uses the positions one ply ahead in both cases.
    beta : float
        How much smaller steps are for weights with fluctuating errors; 0 for equal steps.
    """

    alpha: float = 0.1
    gamma: float = 0.9
    trace_decay: float = 0.5
    epsilon: float = 0.1
    tanh: bool = True
    shared: bool = False
    plies: int = 1
    beta: float = 0.0

    def record(self) -> npt.NDArray[Any]:  # one record of PARAMETERS_DTYPE: NumPy cannot annotate its fields
        """Return the parameters as a record for the kernels."""
        values = tuple(getattr(self, name) for name in PARAMETERS_DTYPE.names or ())
        return np.array([values], dtype=PARAMETERS_DTYPE).view(np.recarray)


CHOICE = types.Tuple((types.int64, types.float64))
U11 = np.uint64(11)
TO_UNIT = 2.0**-53


class TemporalWorkspace(NamedTuple):
    """Kernels and arrays of TD(lambda), for `n` features.

    Attributes
    ----------
    legal_moves, apply, side_to_move, outcome, outcome_at_limit, features : kernels
        The rules, and the features of a position.
    positions : uint64[3, words]
        The position, and rows for its successors one and two plies ahead.
    moves : int64[2, actions]
        Legal moves of the position and of a successor.
    weights : float64[2, n]
        Weights of side 0 and side 1; only the first row is used if they are shared.
    sums, sizes : float64[2, n]
        For each weight, the sums of its errors and of their absolute values; only used if `beta` is not 0.
    traces, previous : float64[2, n]
        For each side, its eligibility traces and the features after its previous move.
    scratch : float64[2, n]
        Features of the successor under consideration and of the best successor.
    scale : float64[2, n]
        Middle and half the width of each feature's range.
    random_state : uint64[1]
        State of the random generator.
    moves_hash : uint64[1]
        Hash of the moves of the match; see `hash_move`.
    parameters : record[2]
        Hyperparameters of each side. `tanh`, `shared` and `plies` are equal.
    control : record[1]
        The stop flag and, in `nodes`, the number of positions that have been valued.
    """

    legal_moves: LegalMovesKernel
    apply: ApplyKernel
    side_to_move: SideToMoveKernel
    outcome: OutcomeKernel
    outcome_at_limit: OutcomeKernel
    features: Annotated[Callable[[Words, int, Reals], None], Features]
    positions: Annotated[Words, WORDS_STACK]
    moves: Annotated[Actions, ACTIONS_STACK]
    weights: Annotated[Reals, REALS_STACK]
    sums: Annotated[Reals, REALS_STACK]
    sizes: Annotated[Reals, REALS_STACK]
    traces: Annotated[Reals, REALS_STACK]
    previous: Annotated[Reals, REALS_STACK]
    scratch: Annotated[Reals, REALS_STACK]
    scale: Annotated[Reals, REALS_STACK]
    random_state: Annotated[Words, WORDS_OUT]
    moves_hash: Annotated[Words, WORDS_OUT]
    parameters: Annotated[
        npt.NDArray[Any], PARAMETERS
    ]  # records of PARAMETERS_DTYPE: NumPy cannot annotate their fields
    control: Annotated[Control, CONTROL]


unpack = unpacker(TemporalWorkspace)


def new_workspace(
    game: Game,
    features: FeatureSet,
    weights: Reals,
    parameters: npt.NDArray[Any],  # records of PARAMETERS_DTYPE: NumPy cannot annotate their fields
    control: Control | None = None,
) -> TemporalWorkspace:
    """Return a workspace with new buffers for `weights`, `float64[2, n]`, which learning changes.

    `parameters` has one record for both sides, or one for each.
    """
    facts, shape = game.facts, (2, len(features.features))
    return TemporalWorkspace(
        **rules_of(game),
        features=features.kernel,
        positions=np.zeros((3, facts.words), dtype=np.uint64),
        moves=np.zeros((2, facts.actions), dtype=np.int64),
        weights=weights,
        sums=np.zeros(shape),
        sizes=np.zeros(shape),
        traces=np.zeros(shape),
        previous=np.zeros(shape),
        scratch=np.zeros(shape),
        scale=np.array(features.scale),
        random_state=np.zeros(1, dtype=np.uint64),
        moves_hash=np.zeros(1, dtype=np.uint64),
        parameters=np.resize(parameters, 2).view(np.recarray),
        control=new_control() if control is None else control,
    )


@kernel(types.float64(WORDS_OUT))
def uniform(random_state: Words) -> float:
    """Advance `random_state`, `uint64[1]`, and return a random number in [0, 1)."""
    return float(next_random(random_state) >> U11) * TO_UNIT


@kernel(types.void(WORDS_OUT, types.int64))
def hash_move(moves_hash: Words, action: int) -> None:
    """Mix an action into the hash of a match's moves, `uint64[1]`.

    Matches with equal moves have equal hashes; other matches practically
    never do.
    """
    moves_hash[0] ^= np.uint64(action)
    moves_hash[0] = next_random(moves_hash)


@kernel(types.float64(REALS_STACK, types.int64, REALS, types.boolean))
def value_of(weights: Reals, which: int, features: Reals, tanh: bool) -> float:
    """Return the value of a position with these scaled features, given one row of the weights."""
    total = 0.0
    for index in range(features.shape[0]):
        total += weights[which, index] * features[index]
    return math.tanh(total) if tanh else total


@kernel(types.float64(BUNDLE, types.int64, types.int64, types.float64, types.float64), inline=True)
def coherence(bundle: Actions, which: int, index: int, beta: float, error: float) -> float:
    """Return the factor, 0 to 1, that reduces alpha for a weight; then add an error to the weight's sums."""
    work = unpack(bundle)
    sums, sizes = work.sums, work.sizes
    rate = 1.0
    if sizes[which, index] > 0.0:
        rate = math.exp(beta * (abs(sums[which, index]) / sizes[which, index] - 1.0))
    sums[which, index] += error
    sizes[which, index] += abs(error)
    return rate


@kernel(types.void(BUNDLE, types.int64, types.float64))
def learn(bundle: Actions, side: int, target: float) -> None:
    """Move a side's weights so that the value of its previous position comes closer to `target`.

    Parameters
    ----------
    bundle : int64[m]
        Words of a `TemporalWorkspace`; weights, sums of their errors, and traces are changed.
    side : int64
        The side that learns.
    target : float64
        r + gamma V(s').
    """
    work = unpack(bundle)
    parameters, weights, traces, previous = work.parameters[side], work.weights, work.traces, work.previous
    which = 0 if parameters.shared != 0 else side
    tanh = parameters.tanh != 0
    value = value_of(weights, which, row(previous, side), tanh)
    slope = 1.0 - value * value if tanh else 1.0
    step = parameters.alpha * (target - value)
    decay = parameters.gamma * parameters.trace_decay
    for index in range(weights.shape[1]):
        traces[side, index] = decay * traces[side, index] + slope * previous[side, index]
        rate = 1.0
        if parameters.beta > 0.0:
            rate = coherence(bundle, which, index, parameters.beta, (target - value) * traces[side, index])
        weights[which, index] += rate * step * traces[side, index]


@kernel(types.float64(types.int64, types.int64))
def reward(result: int, side: int) -> float:
    """Return 1 for a side that has won, -1 for one that has lost, 0 otherwise."""
    if result == side:
        return 1.0
    return -1.0 if result == 1 - side else 0.0


@kernel(types.float64(BUNDLE, types.int64, types.int64, types.int64), inline=True)
def value_of_position(bundle: Actions, place: int, side: int, which: int) -> float:
    """Return the value of `positions[place]` to `side`: the reward if the match is over, else by weights.

    `which` is the row of the weights. `scratch[0]` receives the features if the match is not over.
    """
    work = unpack(bundle)
    scratch, scale = work.scratch, work.scale
    result = work.outcome(row(work.positions, place))
    if result >= 0:
        return reward(result, side)
    work.control[0].nodes += 1
    work.features(row(work.positions, place), side, row_out(scratch, 0))
    for feature in range(scratch.shape[1]):
        scratch[0, feature] = (scratch[0, feature] - scale[0, feature]) / scale[1, feature]
    return value_of(work.weights, which, row(scratch, 0), work.parameters[0].tanh != 0)


@kernel(CHOICE(BUNDLE, types.int64, types.int64, types.int64))
def choose(bundle: Actions, first: int, last: int, side: int) -> tuple[int, float]:
    """Return the index of the best move in `moves[first:last]`, and its value for `side`.

    `scratch[1]` receives the features of the position after that move.
    """
    work = unpack(bundle)
    positions, scratch = work.positions, work.scratch
    which = 0 if work.parameters[0].shared != 0 else side
    best, chosen = -math.inf, first
    for index in range(first, last):
        work.apply(row(positions, 0), work.moves[0, index], row_out(positions, 1))
        value = value_of_position(bundle, 1, side, which)
        if value > best:
            best, chosen = value, index
            scratch[1, :] = scratch[0, :]
    return chosen, best


@kernel(types.float64(BUNDLE, types.int64, types.int64, types.float64))
def value_of_replies(bundle: Actions, side: int, legal: int, bound: float) -> float:
    """Return the value of `positions[1]` to `side`, which is its value after the best reply in `moves[1]`.

    Replies are valued with the weights of `side`. The search ends once a reply proves that
    the value is at most `bound`.
    """
    work = unpack(bundle)
    positions = work.positions
    which = 0 if work.parameters[0].shared != 0 else side
    other = work.side_to_move(row(positions, 1))
    lowest = math.inf
    for index in range(legal):
        work.apply(row(positions, 1), work.moves[1, index], row_out(positions, 2))
        lowest = min(lowest, -value_of_position(bundle, 2, other, which))
        if lowest <= bound:
            break
    return lowest


@kernel(types.int64(BUNDLE, types.int64, types.int64))
def choose_by_replies(bundle: Actions, legal: int, side: int) -> int:
    """Return the index of the best of the first `legal` moves for `side`, searched two plies deep.

    A move that ends the match or leaves the turn with `side` is searched only one ply deep.
    """
    work = unpack(bundle)
    positions = work.positions
    best, chosen = -math.inf, 0
    for index in range(legal):
        work.apply(row(positions, 0), work.moves[0, index], row_out(positions, 1))
        replies = 0
        if work.outcome(row(positions, 1)) < 0 and work.side_to_move(row(positions, 1)) != side:
            replies = work.legal_moves(row(positions, 1), row_out(work.moves, 1))
        if replies > 0:
            value = value_of_replies(bundle, side, replies, best)
        else:
            value = choose(bundle, index, index + 1, side)[1]
        if value > best:
            best, chosen = value, index
    return chosen


@kernel(types.int64(BUNDLE, types.int64, types.int64, types.boolean))
def learn_match(bundle: Actions, opening: int, ply_limit: int, no_moves_draws: bool) -> int:
    """Play a match of the weights against themselves; both sides learn from it.

    Parameters
    ----------
    bundle : int64[m]
        Words of a `TemporalWorkspace`. `positions[0]` is the start, and afterwards the final position.
    opening : int64
        Number of random opening plies, which count as exploratory.
    ply_limit : int64
        Maximum length. A match that reaches it or is stopped is unfinished, unless the game says who wins
        at the limit.
    no_moves_draws : bool
        Whether a side without legal moves draws instead of losing.

    Returns
    -------
    int64
        Plies times `RESULTS` plus the result: the winner, `DRAWN` or `UNFINISHED`.
    """
    work = unpack(bundle)
    positions, moves, traces, scratch = work.positions, work.moves, work.traces, work.scratch
    random_state = work.random_state
    result, plies, has_previous = UNFINISHED, 0, 0  # has_previous: a bit for each side
    traces[:, :] = 0.0
    while load_stop(work.control) == 0:
        legal = work.legal_moves(row(positions, 0), row_out(moves, 0))
        if legal == 0:
            result = final_result(work.side_to_move, work.outcome, row(positions, 0), no_moves_draws)
            break
        if plies == ply_limit:
            result = result_at_limit(work.outcome_at_limit, row(positions, 0))
            break
        side = work.side_to_move(row(positions, 0))
        parameters = work.parameters[side]
        is_exploring = plies < opening or uniform(random_state) < parameters.epsilon
        first = random_below(random_state, legal) if is_exploring else 0
        is_searching = not is_exploring and parameters.plies > 1
        if is_searching:
            first = choose_by_replies(bundle, legal, side)
        last = first + 1 if is_exploring or is_searching else legal
        chosen, best = choose(bundle, first, last, side)
        work.apply(row(positions, 0), moves[0, chosen], row_out(positions, 1))
        positions[0, :] = positions[1, :]
        hash_move(work.moves_hash, moves[0, chosen])
        is_over = work.outcome(row(positions, 0)) >= 0
        if is_exploring:
            traces[side, :] = 0.0
        elif (has_previous >> side) & 1:
            learn(bundle, side, best if is_over else parameters.gamma * best)
        work.previous[side, :] = scratch[1, :]
        has_previous = has_previous & ~(1 << side) if is_over else has_previous | (1 << side)
        plies += 1
    for side in range(2):
        if (has_previous >> side) & 1 and load_stop(work.control) == 0:
            learn(bundle, side, reward(result, side))
    return plies * RESULTS + result
