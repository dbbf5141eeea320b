"""`BatchSearch`: the batched search for Python.

    search = BatchSearch(game, 256, seed=1)
    found = search.run(batch, evaluator, simulations=64)
    batch.step(found.actions)

An evaluator is any function that takes observations and masks and returns policies and values: a network
in PyTorch, playouts, or ten lines of NumPy.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from boardgames.declarations import Repetition
from boardgames.errors import LimitError, OptionError, PositionError, quote
from boardgames.executors.pool import core_count
from boardgames.game import Game, Position, observation_of
from boardgames.kernels import Actions, Words
from boardgames.kernels.abi import Floats
from boardgames.kernels.bits import random_states
from boardgames.kernels.bundles import Bundle
from boardgames.search.batched.options import MAX_DEPTH, BatchSearchOptions, BatchSearchWorkspace, Integers
from boardgames.search.batched.proofs import NO_PROOF, proven_value
from boardgames.search.batched.roots import ROOT, write_results
from boardgames.search.batched.simulate import (
    NO_ROW,
    SHORT,
    UNFINISHED_TREES,
    gather,
    receive,
    write_leaves,
)
from boardgames.search.remembering import remembering_if_needed
from boardgames.search.rules import UNLIMITED, rules_of

LARGEST = 1 << 16
"""Maximum number of trees."""
WORTH_A_THREAD = 128
"""Minimum number of trees per thread, by default."""
NODES, EDGES_PER_NODE = 64, 16
"""Initial number of nodes of a tree, and of edges per node; both double when a tree is full."""
ROUNDING = 1e-4
"""Tolerance for values outside -1 to 1, which rounding errors of networks can cause."""


@runtime_checkable
class Matches(Protocol):
    """Matches that are played side by side, such as a `Batch`."""

    @property
    def plies(self) -> Actions:
        """Number of plies that have been played in each match, `int64[n]`."""

    def packed(self) -> Words:
        """Return the packed positions, `uint64[n, words]`."""


class Leaves(NamedTuple):
    """Positions that a search needs to have evaluated.

    Attributes
    ----------
    observations : int8[m, planes, rows, columns]
        From the point of view of the side to move.
    masks : bool[m, actions]
        Which actions are legal.
    """

    observations: npt.NDArray[np.int8]
    masks: npt.NDArray[np.bool_]


Evaluator = Callable[[npt.NDArray[np.int8], npt.NDArray[np.bool_]], tuple[npt.ArrayLike, npt.ArrayLike]]
"""A function that takes the fields of `Leaves` and returns policies and values.

Policies are `float[m, actions]`, at least 0; the search ignores illegal actions and divides by the sum over
the legal ones. Values are `float[m]`, the expected return of the side to move, -1 to 1.
"""


@dataclass(frozen=True, slots=True)
class Found:
    """The results of searches of n positions.

    Attributes
    ----------
    actions : int64[n]
        The moves to play; -1 where a match is over.
    visits : int64[n, actions]
        Number of simulations that played each move.
    policies : float32[n, actions]
        The policies that a network should learn: with a Gumbel root, the improved policy; otherwise, the
        shares of visits, pruned if there is noise. Moves that are proven to lose are left out unless all
        moves lose, and other moves are left out if one is proven to win.
    values : float32[n]
        The expected return of the side to move, or its return with perfect play if that is proven.
    results : int64[n]
        The result of perfect play: the winning side, 2 for a draw, or -1 if it is not known.
    """

    actions: Actions
    visits: Actions
    policies: Floats
    values: Floats
    results: Actions


@dataclass(frozen=True, slots=True)
class EdgeValue:
    """What a search knows about a move.

    Attributes
    ----------
    action, visits : int
        The move, and the number of simulations that played it.
    value : float
        Mean return of the side that makes the move, or its return with perfect play; 0 if nothing is known.
    is_proven : bool
        True if the value is that of perfect play.
    prior : float
        Prior probability of the move.
    node : int
        The node that the move leads to, or 0 if there is none.
    """

    action: int
    visits: int
    value: float
    is_proven: bool
    prior: float
    node: int

    @property
    def rank(self) -> tuple[bool, float, int, float]:
        """Return the sort key: proven wins, then moves by visits, proven losses last."""
        is_lost = self.is_proven and self.value < 0
        is_won = self.is_proven and self.value > 0
        return (not is_lost, float(is_won), self.visits, self.value + self.prior * 1e-6)


class BatchSearch:
    """Searches n positions of a game side by side. Only one thread may use an object at a time.

    Equal seeds give equal results with any number of threads, if the evaluator gives equal values
    to a position in every batch.

    Parameters
    ----------
    game : Game
        The game. It may be a game in plain Python, but this is slow.
    size : int
        Number of positions, 1 to 65,536.
    options : BatchSearchOptions, optional
        Options of the searches.
    ply_limit : int, optional
        Ply limit of the matches, at which a position counts as a draw unless the rules say
        otherwise; by default the limit of the game.
    seed : int
        Seed of the noise at the roots.
    repetition : Repetition, optional
        The rule about repeated positions; by default the rule of the game.
    memory : int, optional
        Megabytes (2^20 bytes) that the trees may use; a search whose tree is full ends. By default, trees
        grow as long as there is memory.
    threads : int, optional
        Number of threads; by default, as many as are worthwhile for this number of trees on this machine.

    Raises
    ------
    LimitError
        If the size or the number of threads is out of range.
    OptionError
        If there is no game, or the seed is not an integer.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> search = BatchSearch(game, 2, options=BatchSearchOptions(root="plain"))
    >>> def know_nothing(observations, masks):
    ...     return masks, np.zeros(len(masks))
    >>> positions = [game.start(), game.parse("112233")]
    >>> found = search.run(positions, know_nothing, simulations=100)
    >>> int(found.actions[1]), int(found.results[1])  # the fourth column wins
    (3, 0)
    """

    def __init__(
        self,
        game: Game,
        size: int,
        *,
        options: BatchSearchOptions | None = None,
        ply_limit: int | None = None,
        seed: int = 0,
        repetition: Repetition | None = None,
        memory: int | None = None,
        threads: int | None = None,
    ) -> None:
        if not isinstance(game, Game):
            raise OptionError(f"a search needs a Game, as boardgames.load makes it, not {quote(game)}")
        threads = max(1, min(core_count(), size // WORTH_A_THREAD)) if threads is None else threads
        for name, value, most in (("size", size, LARGEST), ("threads", threads, 1024)):
            if not (type(value) is int and 1 <= value <= most):
                raise LimitError(f"{name} must be 1 to {most:,}, not {quote(value)}")
        self.game, self.size = game, size
        self.options = BatchSearchOptions() if options is None else options
        facts = game.facts
        ply_limit = facts.ply_limit if ply_limit is None else ply_limit
        self._ply_limit = UNLIMITED if ply_limit is None else ply_limit
        if not (type(self._ply_limit) is int and self._ply_limit >= 1):
            raise LimitError(f"ply_limit must be at least 1, not {quote(ply_limit)}")
        self._most_bytes = None if memory is None else memory << 20
        self.rules = remembering_if_needed(game, repetition or game.facts.repetition, self._ply_limit)
        self._observation = observation_of(game)
        self._threads = min(threads, size)
        self._workers = ThreadPoolExecutor(self._threads) if self._threads > 1 else None
        self._workspace = self._make_workspace(seed)
        self._bundle = Bundle(self._workspace)

    @property
    def done(self) -> npt.NDArray[np.bool_]:
        """Whether each search has made all its simulations or proven the result, `bool[n]`."""
        state = self._workspace
        is_proven = state.node_proof[:, ROOT] != NO_PROOF
        ended = is_proven | (state.done >= state.budgets)
        done: npt.NDArray[np.bool_] = (state.nodes_used > 0) & (state.waiting == 0) & ended
        return done

    @property
    def simulations(self) -> Actions:
        """The number of simulations that each search has made, `int64[n]`."""
        return self._workspace.done.copy()

    def run(
        self,
        positions: Matches | Sequence[Position] | Words,
        evaluator: Evaluator,
        *,
        simulations: int | npt.ArrayLike,
    ) -> Found:
        """Search all positions.

        Parameters
        ----------
        positions : Batch, sequence of n Position, or uint64[n, words]
            The positions to search. Only positions of a batch have a history.
        evaluator : callable
            See `Evaluator`.
        simulations : int or int[n]
            Number of simulations for each position; with 0, only the root is evaluated.

        Raises
        ------
        LimitError
            If the number of positions or simulations is wrong, or the evaluator does not return policies
            and values as `Evaluator` describes them.
        OptionError
            If the evaluator cannot be called.
        PositionError
            If there are no positions, or a position belongs to another game.
        """
        self.start(positions, simulations=simulations)
        while (leaves := self.leaves()) is not None:
            self.update(*answer_of(evaluator, *leaves))
        return self.found()

    def start(
        self,
        positions: Matches | Sequence[Position] | Words,
        *,
        simulations: int | npt.ArrayLike,
        which: npt.NDArray[np.bool_] | None = None,
        plies_left: int | None = None,
        noisy: bool | npt.NDArray[np.bool_] = True,
    ) -> None:
        """Start all searches, or only those in `which`, `bool[n]`; the other searches continue.

        `plies_left` replaces the ply limit and is counted from the given positions. `noisy`, one value or
        `bool[n]`, says which roots get Dirichlet noise and forced playouts if the options turn these on.
        For the other parameters, see `run`.
        """
        state = self._workspace
        chosen = np.ones(self.size, dtype=np.bool_) if which is None else np.asarray(which)
        if chosen.dtype != np.bool_ or chosen.shape != (self.size,):
            raise LimitError(
                f"positions are chosen by bool[{self.size}], not {chosen.dtype}{list(chosen.shape)}"
            )
        packed = self._packed(positions)
        given = np.asarray(simulations)
        if given.dtype.kind not in "iu" or given.shape not in ((), (self.size,)) or given.min() < 0:
            raise LimitError(
                f"simulations must be an integer of at least 0, or {self.size} such integers, not "
                f"{quote(simulations)}"
            )
        budgets = np.broadcast_to(np.minimum(given, UNLIMITED), self.size)
        state.roots[chosen] = packed[chosen]
        plies = positions.plies if isinstance(positions, Matches) else np.zeros(self.size, dtype=np.int64)
        left = (
            np.maximum(self._ply_limit - plies, 0) if plies_left is None else np.full(self.size, plies_left)
        )
        state.plies_left[chosen] = left[chosen]
        state.budgets[chosen] = budgets[chosen]
        state.noisy[chosen] = np.broadcast_to(noisy, self.size)[chosen]
        for counters in (state.done, state.waiting, state.nodes_used, state.edges_used):
            counters[chosen] = 0

    def leaves(self, is_over: Callable[[], bool] = lambda: False) -> Leaves | None:
        """Run simulations until searches need evaluations, and return the leaves; None if all are done.

        `update` must be called with the evaluations before the next call. `is_over` is called now and then
        if simulations need no evaluations; if it returns True, the search ends.
        """
        total = 0
        while total == 0:
            reached = max(self._share(lambda *rows: gather(self._bundle.words, *rows)))
            if reached == SHORT and self._grow():
                continue
            total = int(self._workspace.waiting.sum())
            if total == 0 and (reached != UNFINISHED_TREES or is_over()):
                return None
        state, leaves = self._workspace, self.options.leaves
        counts = state.waiting
        slots = np.arange(leaves) < counts[:, None]
        state.path_row[:] = NO_ROW
        state.path_row[slots.ravel()] = np.arange(total)
        observations = np.zeros((total, self._observation.size), dtype=np.int8)
        masks = np.zeros((total, self.game.facts.actions), dtype=np.int8)
        self._share(lambda *rows: write_leaves(self._bundle.words, observations, masks, *rows))
        return Leaves(observations.reshape(total, *self._observation.shape), masks.view(np.bool_))

    def update(self, policies: npt.ArrayLike, values: npt.ArrayLike) -> None:
        """Continue with the evaluations of the leaves; see `Evaluator`.

        Raises
        ------
        LimitError
            If the evaluations are not as `Evaluator` describes them.
        """
        total = int(self._workspace.waiting.sum())
        given, returns = checked_evaluations(policies, values, (total, self.game.facts.actions))
        self._share(lambda *rows: receive(self._bundle.words, given, returns.reshape(total, 1), *rows))

    def found(self) -> Found:
        """Return the results of the searches so far.

        While a root has not been evaluated, its policy is 0 and its action is -1.
        """
        actions = self.game.facts.actions
        results = np.full((self.size, 2), -1, dtype=np.int64)
        visits = np.zeros((self.size, actions), dtype=np.int64)
        policies = np.zeros((self.size, actions + 1), dtype=np.float32)
        self._share(lambda *rows: write_results(self._bundle.words, results, visits, policies, *rows))
        chosen, proven = results.T.copy()
        return Found(chosen, visits, policies[:, :-1].copy(), policies[:, -1].copy(), proven)

    def root_values(self) -> Floats:
        """Return the evaluator's values of the roots, `float32[n]`, for the side to move.

        If a root needed no evaluation, because a move wins at once or the match is over, its value is NaN
        until `found` is called.
        """
        state = self._workspace
        signs: Floats = (1 - 2 * state.node_side[:, ROOT]).astype(np.float32)
        return signs * state.node_value[:, ROOT]

    def edges(self, tree: int, node: int = ROOT) -> list[EdgeValue]:
        """Return the moves of a node of a tree, in the order of their actions; an empty list for a leaf."""
        state = self._workspace
        first, count = int(state.node_first[tree, node]), int(state.node_count[tree, node])
        sign = 1 - 2 * int(state.node_side[tree, node])
        if state.nodes_used[tree] <= node:
            return []
        found = []
        for edge in range(first, first + count):
            visits, proof = int(state.edge_visits[tree, edge]), int(state.edge_proof[tree, edge])
            value = 0.0
            if proof != NO_PROOF:
                value = sign * proven_value(proof)
            elif visits:
                value = sign * float(state.edge_total[tree, edge]) / visits
            prior = float(np.nan_to_num(state.edge_prior[tree, edge], nan=1 / count))
            found.append(
                EdgeValue(
                    int(state.edge_action[tree, edge]),
                    visits,
                    min(max(value, -1.0), 1.0) + 0.0,  # no negative zero
                    proof != NO_PROOF,
                    prior,
                    int(state.edge_child[tree, edge]),
                )
            )
        return found

    def _packed(self, positions: Matches | Sequence[Position] | Words) -> Words:
        words = self._workspace.roots.shape[1]
        if isinstance(positions, Matches):
            packed = positions.packed()
        elif isinstance(positions, np.ndarray):
            packed = positions
        elif not isinstance(positions, Iterable):
            raise PositionError(
                f"a search needs a Batch, a list of positions or an array, not {quote(positions)}"
            )
        else:
            packed = np.array([self._pack(position) for position in positions], dtype=np.uint64)
        if packed.dtype != np.uint64 or packed.shape != (self.size, words):
            raise LimitError(
                f"a search of {self.size} positions of {self.game.facts.name} needs "
                f"uint64[{self.size}, {words}], not {packed.dtype}{list(packed.shape)}"
            )
        return packed

    def _pack(self, position: Position) -> Words:
        if not isinstance(position, Position):
            raise PositionError(f"positions must be Position, not {quote(position)}")
        own = self.game.pack(position)
        return own if self.rules is None else self.rules.pack(position)

    def _make_workspace(self, seed: int) -> BatchSearchWorkspace:
        facts, size, leaves = self.game.facts, self.size, self.options.leaves
        longer = self.game if self.rules is None else self.rules.game
        words, edges = longer.facts.words, NODES * EDGES_PER_NODE + facts.actions

        def counters(count: int = size) -> Actions:
            return np.zeros(count, dtype=np.int64)

        def integers(columns: int, rows: int = size) -> Integers:
            return np.zeros((rows, columns), dtype=np.int32)

        def floats(columns: int) -> Floats:
            return np.zeros((size, columns), dtype=np.float32)

        return BatchSearchWorkspace(
            **rules_of(longer),
            observe=self._observation.kernel,
            roots=np.zeros((size, words), dtype=np.uint64),
            leaves=np.zeros((size * leaves, words), dtype=np.uint64),
            positions=np.zeros((3 * size, words), dtype=np.uint64),
            moves=np.zeros((size, facts.actions), dtype=np.int64),
            plies_left=counters(),
            budgets=counters(),
            noisy=counters(),
            done=counters(),
            waiting=counters(),
            nodes_used=counters() - 1,
            edges_used=counters(),
            node_first=integers(NODES),
            node_count=integers(NODES),
            node_side=np.zeros((size, NODES), dtype=np.int8),
            node_proof=np.zeros((size, NODES), dtype=np.int8),
            node_value=floats(NODES),
            edge_action=integers(edges),
            edge_child=integers(edges),
            edge_visits=integers(edges),
            edge_waiting=integers(edges),
            edge_prior=floats(edges),
            edge_total=np.zeros((size, edges)),
            edge_proof=np.zeros((size, edges), dtype=np.int8),
            root_noise=floats(facts.actions),
            root_scores=floats(facts.actions),
            root_policy=floats(facts.actions),
            path_nodes=integers(MAX_DEPTH, size * leaves),
            path_edges=integers(MAX_DEPTH, size * leaves),
            path_length=counters(size * leaves),
            path_end=counters(size * leaves),
            path_row=counters(size * leaves),
            random_states=random_states(seed, size),
            options=self.options.record(no_moves_draws=facts.no_moves_draws),
        )

    def _grow(self) -> bool:
        """Make room for more nodes or edges; return False if this would take too much memory."""
        state = self._workspace
        grown: dict[str, Any] = {}  # arrays of several types
        for kind, used in (("node_", state.nodes_used), ("edge_", state.edges_used)):
            columns = getattr(state, f"{kind}{'first' if kind == 'node_' else 'action'}").shape[1]
            reserve = 1 if kind == "node_" else self.game.facts.actions
            if used.max() + reserve <= columns:
                continue
            for name, array in state._asdict().items():
                if name.startswith(kind):
                    larger = np.zeros((self.size, 2 * columns), dtype=array.dtype)
                    larger[:, :columns] = array
                    grown[name] = larger
        added = sum(array.nbytes // 2 for array in grown.values())
        if self._most_bytes is not None and self._tree_bytes() + added > self._most_bytes:
            return False
        self._workspace = state._replace(**grown)
        self._bundle = Bundle(self._workspace)
        return True

    def _tree_bytes(self) -> int:
        arrays = self._workspace._asdict().items()
        return sum(array.nbytes for name, array in arrays if name.startswith(("node_", "edge_")))

    def _share(self, work: Callable[[int, int], int | None]) -> list[int]:
        """Divide work on all trees among the threads, and return the results of the calls of `work`."""
        if self._workers is None:
            return [work(0, self.size) or 0]
        bounds = [self.size * thread // self._threads for thread in range(self._threads + 1)]
        return [done or 0 for done in self._workers.map(work, bounds[:-1], bounds[1:])]


def answer_of(
    evaluator: Evaluator, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]
) -> tuple[npt.ArrayLike, npt.ArrayLike]:
    """Call an evaluator and return its policies and values, which `checked_evaluations` then checks.

    Raises
    ------
    OptionError
        If the evaluator cannot be called.
    LimitError
        If it does not return a pair.
    """
    if not callable(evaluator):
        raise OptionError(f"an evaluator must be a function, not {quote(evaluator)}")
    answer: object = evaluator(observations, masks)
    if not (isinstance(answer, Sequence) and len(answer) == 2):
        raise LimitError(f"the evaluator must return a pair of policies and values, not {quote(answer)}")
    policies, values = answer
    return policies, values


def checked_evaluations(
    policies: npt.ArrayLike, values: npt.ArrayLike, shape: tuple[int, ...]
) -> tuple[Floats, Floats]:
    """Check the policies, which must have this shape, and the values; return both as arrays.

    Raises
    ------
    LimitError
        If they are not as `Evaluator` describes them.
    """
    given, returns = _numbers("policies", policies, shape), _numbers("values", values, shape[:1])
    if given.min(initial=0) < 0:
        raise LimitError("the evaluator returned policies that are negative; they must be at least 0")
    if np.abs(returns).max(initial=0) > 1 + ROUNDING:
        worst = returns[np.abs(returns).argmax()]
        raise LimitError(f"the evaluator returned the value {worst:g}; values must be -1 to 1")
    return given, returns


def _numbers(name: str, given: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Return policies or values as an array; raise LimitError if the shape is wrong or one is not finite."""
    try:
        array = np.ascontiguousarray(given, dtype=np.float32)
    except (TypeError, ValueError):
        raise LimitError(f"the evaluator must return {name} as numbers, not {quote(given)}") from None
    if array.shape != shape:
        raise LimitError(
            f"the evaluator must return {name} of the shape {list(shape)}, not {list(array.shape)}"
        )
    if not np.isfinite(array).all():
        raise LimitError(f"the evaluator returned {name} that are not finite")
    return array
