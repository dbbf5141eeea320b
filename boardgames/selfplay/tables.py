"""TD(lambda) for tables of pattern weights, in compiled self-play.

A position after a side's move is worth V(s) = tanh(sum of the weights that it looks up)
to that side. A side plays the move with the greatest value or, with probability epsilon, a
random one. Positions are valued from ply to ply, so the two sides' values alternate. After
a match, the value of each position is moved once, from the last position to the first, towards

    G = gamma ((1 - lambda) V(s') + lambda G')

where s' is the next position, V(s') its value just before it was changed, and G' its goal; at the end, both
are the return of the match. V and G are from the point of view of the same side. A position learns nothing
from an exploratory move after it, and goals are not passed back beyond that move.

Each weight has a step size of its own, by temporal coherence: with r = (G - V)(1 - V^2)
for each position that looks up a weight w, N the sum of all earlier r, and A the sum of their |r|,

    w = w + alpha / m exp(beta (|N| / A - 1)) r

where m weights are looked up for a position. Weights on which the errors agree have large
steps, and those around which they fluctuate have small ones.

Sources: D. Beal and M. Smith, "Temporal coherence and prediction decay in TD learning",
1999; S. Bagheri, M. Thill, P. Koch and W. Konen, "Online adaptable learning rates for the
game Connect-4", 2016, for the exponential; W. Jaśkowski, "Mastering 2048 with delayed
temporal coherence learning", 2018, for learning after the match.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boardgames.game import Game
from boardgames.kernels import (
    Actions,
    Cells,
    Control,
    Phase,
    Reals,
    Words,
    kernel,
    load_stop,
    new_control,
    random_below,
    row,
    row_out,
    types,
)
from boardgames.kernels.abi import (
    ACTIONS,
    ACTIONS_OUT,
    ACTIONS_STACK,
    FLOATS_OUT,
    REALS_OUT,
    WORDS,
    WORDS_OUT,
    WORDS_STACK,
    ApplyKernel,
    Floats,
    LegalMovesKernel,
    OutcomeKernel,
    SideToMoveKernel,
    record_array,
)
from boardgames.kernels.bundles import BUNDLE, unpacker
from boardgames.kernels.control import CONTROL
from boardgames.patterns import PatternSet
from boardgames.search.rules import UNFINISHED, final_result, result_at_limit, rules_of
from boardgames.selfplay.temporal import RESULTS, reward, uniform

PARAMETERS_DTYPE = np.dtype(
    [
        ("alpha", np.float64),
        ("beta", np.float64),
        ("gamma", np.float64),
        ("trace_decay", np.float64),
        ("epsilon", np.float64),
        ("opening", np.int64),
        ("ply_limit", np.int64),
        ("no_moves_draws", np.int64),
        ("phase_size", np.int64),
    ],
    align=True,
)
"""Learning rate, steepness of the step sizes, discount factor, lambda, probability of exploration; random
opening plies; ply limit; whether a side without moves draws; size of the tables of one phase."""
PARAMETERS = record_array(PARAMETERS_DTYPE, readonly=True)
MAX_HISTORY = 1 << 27
"""Maximum number of lookups in a match, which are stored until it ends: 1 GB."""
SIDE, EXPLORED = range(2)
"""Columns of `made`."""


@dataclass(frozen=True, slots=True)
class TableParameters:
    """Hyperparameters for learning tables of weights.

    Attributes
    ----------
    alpha, beta : float
        Learning rate, and steepness of the step sizes of single weights; with `beta` 0, steps are equal.
    gamma, trace_decay, epsilon : float
        Discount factor, lambda, and probability of an exploratory move.
    """

    alpha: float = 1.0
    beta: float = 2.7
    gamma: float = 1.0
    trace_decay: float = 0.8
    epsilon: float = 0.1

    def record(
        self, *, opening: int = 0, ply_limit: int = 400
    ) -> npt.NDArray[Any]:  # one record of PARAMETERS_DTYPE: NumPy cannot annotate its fields
        """Return the parameters as a record for the kernels; fields that depend on the game are 0."""
        values = (self.alpha, self.beta, self.gamma, self.trace_decay, self.epsilon, opening, ply_limit, 0, 0)
        return np.array([values], dtype=PARAMETERS_DTYPE).view(np.recarray)


class TablesWorkspace(NamedTuple):
    """Kernels and arrays of learning, for `n` cells, `m` lookups and matches of at most `p` plies.

    Attributes
    ----------
    legal_moves, apply, side_to_move, outcome, outcome_at_limit, cells, phase : kernels
        The rules, and the patterns of a position.
    positions : uint64[2, words]
        The position, and a row for its successor.
    moves : int64[1, actions]
        Legal moves of the position.
    starts : int64[n + 1]
        Cell `c` is in the lookups at places `starts[c]` to `starts[c + 1] - 1` of the next two arrays.
    lookups, factors : int64[k]
        Number of a lookup, and how far its place in the tables moves if the value of the cell grows by 1.
    weights, sums, sizes : float32[size]
        The tables: weights, and N and A of each of them.
    current : int64[2, n]
        The cells of the position, as each side sees them.
    places : int64[2, m]
        The places that are looked up in the first phase, as each side sees the position.
    seen, touched, moved : int64[n], int64[k], int64[m]
        Cells of a successor; the lookups that change there; and how many places each of them moves.
    history : int64[p, m]
        For each ply of the match, the places looked up after it; at most `MAX_HISTORY` in all.
    values : float64[p]
        For each ply, the value of the position after it for side 0.
    made : int64[p, 2]
        The side that moved, and 1 if the move was exploratory.
    random_state : uint64[1]
        State of the random generator.
    parameters, control : one record each
        Hyperparameters; the stop flag.
    """

    legal_moves: LegalMovesKernel
    apply: ApplyKernel
    side_to_move: SideToMoveKernel
    outcome: OutcomeKernel
    outcome_at_limit: OutcomeKernel
    cells: Annotated[Callable[[Words, int, Actions], None], Cells]
    phase: Annotated[Callable[[Words, int], int], Phase]
    positions: Annotated[Words, WORDS_STACK]
    moves: Annotated[Actions, ACTIONS_STACK]
    starts: Annotated[Actions, ACTIONS]
    lookups: Annotated[Actions, ACTIONS]
    factors: Annotated[Actions, ACTIONS]
    weights: Annotated[Floats, FLOATS_OUT]
    sums: Annotated[Floats, FLOATS_OUT]
    sizes: Annotated[Floats, FLOATS_OUT]
    current: Annotated[Actions, ACTIONS_STACK]
    places: Annotated[Actions, ACTIONS_STACK]
    seen: Annotated[Actions, ACTIONS_OUT]
    touched: Annotated[Actions, ACTIONS_OUT]
    moved: Annotated[Actions, ACTIONS_OUT]
    history: Annotated[Actions, ACTIONS_STACK]
    values: Annotated[Reals, REALS_OUT]
    made: Annotated[Actions, ACTIONS_STACK]
    random_state: Annotated[Words, WORDS_OUT]
    parameters: Annotated[
        npt.NDArray[Any], PARAMETERS
    ]  # one record of PARAMETERS_DTYPE: NumPy cannot annotate its fields
    control: Annotated[Control, CONTROL]


unpack = unpacker(TablesWorkspace)


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """The entries of tables that have been trained, with their weights, N and A.

    Attributes
    ----------
    entries : int32[n]
        Places in the tables of all phases and groups, in ascending order.
    weights, sums, sizes : float32[n]
        Weights, sums of errors, and sums of their absolute values.
    """

    entries: npt.NDArray[np.int32]
    weights: Floats
    sums: Floats
    sizes: Floats

    @classmethod
    def empty(cls) -> "Tables":
        """Return tables without any training."""
        return cls(np.zeros(0, dtype=np.int32), *(np.zeros(0, dtype=np.float32) for _ in range(3)))

    @classmethod
    def gather(cls, workspace: TablesWorkspace) -> "Tables":
        """Return the trained entries of a workspace."""
        entries = np.flatnonzero(workspace.sizes).astype(np.int32)
        return cls(entries, workspace.weights[entries], workspace.sums[entries], workspace.sizes[entries])

    def spread(self, workspace: TablesWorkspace) -> None:
        """Write the tables into a workspace that has none yet."""
        workspace.weights[self.entries] = self.weights
        workspace.sums[self.entries] = self.sums
        workspace.sizes[self.entries] = self.sizes


def merged(before: Tables, after: Sequence[Tables]) -> Tables:
    """Merge tables that were trained separately, starting from the same tables.

    A weight changes by the mean of its changes in the trainings that updated it, since each of them
    corrected the same error. N and A change by the sums of their changes.

    Examples
    --------
    >>> def made(entries, weights):
    ...     arrays = (np.array(weights, dtype=np.float32) for _ in range(3))
    ...     return Tables(np.array(entries, dtype=np.int32), *arrays)
    >>> both = merged(made([3], [1.0]), [made([3, 5], [2.0, 4.0]), made([3], [4.0])])
    >>> both.entries.tolist(), both.weights.tolist(), both.sums.tolist()
    ([3, 5], [3.0, 4.0], [5.0, 4.0])
    """
    if len(after) == 1:
        return after[0]
    both = np.sort(np.concatenate([tables.entries for tables in after]), kind="stable")  # a fast merge
    entries = both[np.diff(both, prepend=-1) > 0]
    old = _aligned(before, entries)
    changes = [[new - was for new, was in zip(_aligned(one, entries), old, strict=True)] for one in after]
    weights, sums, sizes = (sum(change[index] for change in changes) for index in range(3))
    trainings = sum((change[2] > 0.0).astype(np.float64) for change in changes)
    weights = weights / np.maximum(trainings, 1.0)
    new = (was + change for was, change in zip(old, (weights, sums, sizes), strict=True))
    return Tables(entries, *(array.astype(np.float32) for array in new))


def _aligned(tables: Tables, entries: npt.NDArray[np.int32]) -> list[Reals]:
    """Return weights, sums and sizes at these entries, 0 for those that the tables do not have."""
    places = np.searchsorted(entries, tables.entries)
    arrays = []
    for array in (tables.weights, tables.sums, tables.sizes):
        aligned = np.zeros(len(entries))
        aligned[places] = array
        arrays.append(aligned)
    return arrays


def longest_match(game: Game, ply_limit: int) -> int:
    """Return the maximum number of plies in a match of the game with this limit."""
    return min(ply_limit, game.facts.longest_match or ply_limit)


def new_workspace(
    game: Game,
    patterns: PatternSet,
    parameters: npt.NDArray[Any],  # one record of PARAMETERS_DTYPE: NumPy cannot annotate its fields
    control: Control | None = None,
) -> TablesWorkspace:
    """Return a workspace with empty tables for patterns that have groups."""
    facts, lookups = game.facts, patterns.lookups
    uses: list[list[tuple[int, int]]] = [[] for _ in range(patterns.cells)]
    for number, (group, _) in enumerate(lookups):
        for place, cell in enumerate(reversed(group)):
            uses[cell].append((number, patterns.values**place))
    flat = np.array([use for cell in uses for use in cell], dtype=np.int64).reshape(-1, 2)
    starts = np.cumsum([0, *map(len, uses)])
    own = parameters.copy().view(np.recarray)
    own[0].no_moves_draws, own[0].phase_size = facts.no_moves_draws, patterns.size // patterns.phases
    plies = longest_match(game, int(own[0].ply_limit))
    count = len(lookups)
    return TablesWorkspace(
        **rules_of(game),
        cells=patterns.kernel,
        phase=patterns.phase,
        positions=np.zeros((2, facts.words), dtype=np.uint64),
        moves=np.zeros((1, facts.actions), dtype=np.int64),
        starts=starts,
        lookups=flat[:, 0].copy(),
        factors=flat[:, 1].copy(),
        weights=np.zeros(patterns.size, dtype=np.float32),
        sums=np.zeros(patterns.size, dtype=np.float32),
        sizes=np.zeros(patterns.size, dtype=np.float32),
        current=np.zeros((2, patterns.cells), dtype=np.int64),
        places=np.array([[start for _, start in lookups]] * 2, dtype=np.int64),
        seen=np.zeros(patterns.cells, dtype=np.int64),
        touched=np.zeros(len(flat), dtype=np.int64),
        moved=np.zeros(count, dtype=np.int64),
        history=np.zeros((plies + 1, count), dtype=np.int64),
        values=np.zeros(plies + 1),
        made=np.zeros((plies + 1, 2), dtype=np.int64),
        random_state=np.zeros(1, dtype=np.uint64),
        parameters=own,
        control=new_control() if control is None else control,
    )


@kernel(types.void(BUNDLE))
def look_up(bundle: Actions) -> None:
    """Update `current` and `places` for the position in `positions[0]`."""
    work = unpack(bundle)
    seen, current, places = work.seen, work.current, work.places
    for side in range(2):
        work.cells(row(work.positions, 0), side, seen)
        for cell in range(seen.size):
            change = seen[cell] - current[side, cell]
            if change != 0:
                current[side, cell] = seen[cell]
                for use in range(work.starts[cell], work.starts[cell + 1]):
                    places[side, work.lookups[use]] += change * work.factors[use]


@kernel(types.float64(BUNDLE, types.int64, types.int64), inline=True)
def change_of_sum(bundle: Actions, side: int, first: int) -> float:
    """Return how much the sum of weights grows from `positions[0]` to `positions[1]` for a side.

    `first` is where the tables of the phase begin. Only lookups with a changed cell are visited.
    """
    work = unpack(bundle)
    seen, current, places, weights = work.seen, work.current, work.places, work.weights
    touched, moved = work.touched, work.moved
    work.cells(row(work.positions, 1), side, seen)
    count = 0
    for cell in range(seen.size):
        change = seen[cell] - current[side, cell]
        if change != 0:
            for use in range(work.starts[cell], work.starts[cell + 1]):
                touched[count] = work.lookups[use]
                moved[work.lookups[use]] += change * work.factors[use]
                count += 1
    total = 0.0
    for index in range(count):
        lookup = touched[index]
        if moved[lookup] != 0:  # the lookup may have been visited for another cell
            place = first + places[side, lookup]
            total += float(weights[place + moved[lookup]]) - float(weights[place])
            moved[lookup] = 0
    return total


@kernel(types.Tuple((types.int64, types.float64))(BUNDLE, types.int64, types.int64, types.int64))
def choose(bundle: Actions, first: int, last: int, side: int) -> tuple[int, float]:
    """Return the index of the best move in `moves[0, first:last]`, and its value for `side`.

    Ties between best moves are broken at random.
    """
    work = unpack(bundle)
    places, weights = work.places, work.weights
    best, chosen, ties = -math.inf, first, 0
    phase, base, start = -1, 0.0, 0
    for index in range(first, last):
        work.apply(row(work.positions, 0), work.moves[0, index], row_out(work.positions, 1))
        result = work.outcome(row(work.positions, 1))
        if result >= 0:
            value = reward(result, side)
        else:
            if work.phase(row(work.positions, 1), side) != phase:
                phase = work.phase(row(work.positions, 1), side)
                start = phase * work.parameters[0].phase_size
                base = 0.0
                for lookup in range(places.shape[1]):
                    base += float(weights[start + places[side, lookup]])
            value = math.tanh(base + change_of_sum(bundle, side, start))
        if value > best:
            best, chosen, ties = value, index, 1
        elif value == best:
            ties += 1
            if random_below(work.random_state, ties) == 0:
                chosen = index
    return chosen, best


@kernel(types.float64(BUNDLE, types.int64, types.float64))
def learn(bundle: Actions, ply: int, goal: float) -> float:
    """Move the value of the position after a ply towards `goal`, and return its previous value."""
    work = unpack(bundle)
    weights, sums, sizes, history = work.weights, work.sums, work.sizes, work.history
    parameters, count = work.parameters[0], history.shape[1]
    total = 0.0
    for lookup in range(count):
        total += float(weights[history[ply, lookup]])
    value = math.tanh(total)
    error = (goal - value) * (1.0 - value * value)
    step = parameters.alpha / count * error
    for lookup in range(count):
        place = history[ply, lookup]
        rate = 1.0
        if sizes[place] > 0.0:
            coherence = abs(float(sums[place])) / float(sizes[place])
            rate = math.exp(parameters.beta * (coherence - 1.0))
        weights[place] += step * rate
        sums[place] += error
        sizes[place] += abs(error)
    return value


@kernel(types.void(BUNDLE, types.int64, types.float64))
def learn_backwards(bundle: Actions, plies: int, final: float) -> None:
    """Learn from the positions of a match, last to first, with the return `final` of side 0."""
    work = unpack(bundle)
    parameters = work.parameters[0]
    goal, value, ply = final, final, plies - 1
    is_cut = False  # whether the move after this position was exploratory
    if work.outcome(row(work.positions, 0)) >= 0:  # the last position has a result instead of a value
        is_cut = work.made[ply, EXPLORED] != 0
        ply -= 1
    while ply >= 0:
        sign = 1.0 if work.made[ply, SIDE] == 0 else -1.0
        if is_cut:
            goal = value = work.values[ply]
        else:
            goal = parameters.gamma * ((1.0 - parameters.trace_decay) * value + parameters.trace_decay * goal)
            value = sign * learn(bundle, ply, sign * goal)
        is_cut = work.made[ply, EXPLORED] != 0
        ply -= 1


@kernel(types.int64(BUNDLE))
def learn_match(bundle: Actions) -> int:
    """Play a match of the tables against themselves, and learn from it.

    `positions[0]` is the start, and afterwards the final position. The return value is the number of plies
    times `RESULTS` plus the result: the winner, `DRAWN` or `UNFINISHED`.
    """
    work = unpack(bundle)
    positions, moves, history = work.positions, work.moves, work.history
    parameters, random_state = work.parameters[0], work.random_state
    result, plies = UNFINISHED, 0
    look_up(bundle)
    while load_stop(work.control) == 0:
        legal = work.legal_moves(row(positions, 0), row_out(moves, 0))
        if legal == 0:
            draws = parameters.no_moves_draws != 0
            result = final_result(work.side_to_move, work.outcome, row(positions, 0), draws)
            break
        if plies == parameters.ply_limit:
            result = result_at_limit(work.outcome_at_limit, row(positions, 0))
            break
        side = work.side_to_move(row(positions, 0))
        is_exploring = plies < parameters.opening or uniform(random_state) < parameters.epsilon
        first = random_below(random_state, legal) if is_exploring else 0
        chosen, value = choose(bundle, first, first + 1 if is_exploring else legal, side)
        work.apply(row(positions, 0), moves[0, chosen], row_out(positions, 1))
        positions[0, :] = positions[1, :]
        look_up(bundle)
        start = work.phase(row(positions, 0), side) * parameters.phase_size
        for lookup in range(history.shape[1]):
            history[plies, lookup] = start + work.places[side, lookup]
        work.values[plies] = value if side == 0 else -value
        work.made[plies, SIDE], work.made[plies, EXPLORED] = side, is_exploring
        plies += 1
    if load_stop(work.control) == 0:
        learn_backwards(bundle, plies, reward(result, 0))
    return plies * RESULTS + result


@kernel(types.int64(BUNDLE, WORDS, types.int64, ACTIONS_OUT))
def learn_matches(bundle: Actions, start: Words, matches: int, results: Actions) -> int:
    """Learn from matches that begin at `start`, count their results, and return the sum of their lengths."""
    work = unpack(bundle)
    total = 0
    for _ in range(matches):
        work.positions[0, :] = start
        plies, result = divmod(learn_match(bundle), RESULTS)
        results[result] += 1
        total += plies
    return total
