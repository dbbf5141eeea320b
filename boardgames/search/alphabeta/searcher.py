"""Searcher: iterative deepening with aspiration windows, on one thread or several, kept between moves.

Several threads search the same position. They share the transposition table,
defer moves that another thread is searching (ABDADA, see `search`), and all
move on to the next depth as soon as one of them has finished the current one.
A single thread with a limit of depth or nodes does the same every time.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numba import types

from boardgames.declarations import Evaluation, no_pass_turn, position_key
from boardgames.game import Game, Position
from boardgames.kernels import (
    Actions,
    Control,
    PositionKey,
    Reals,
    Words,
    is_stopped,
    kernel,
    new_control,
    row,
)
from boardgames.kernels.abi import WORDS_OUT, WORDS_STACK, first_class
from boardgames.kernels.bundles import Bundle
from boardgames.player import Analysis, Context, Limit, MoveValue
from boardgames.search.alphabeta.options import SearchOptions, reduction_table
from boardgames.search.alphabeta.search import pvs, search_root
from boardgames.search.alphabeta.table import GENERATIONS, WORDS_PER_BUCKET, new_table
from boardgames.search.alphabeta.workspace import KINDS, ROWS, Workspace
from boardgames.search.results import decode_line, score_of
from boardgames.search.rules import EVALUATION_BOUND, INFINITY, MAX_DEPTH
from boardgames.search.runner import run

REMEMBERED_POSITIONS = 200
"""Positions of the match that may be repeated in the search."""
KEYS_PER_THREAD = REMEMBERED_POSITIONS + ROWS
ASPIRATION = 1.0
"""Half the width of the aspiration window, in margins of the evaluation."""
ASPIRATION_DEPTH = 3
"""Depth from which aspiration windows are used."""
FEW_MOVES = 12
"""With fewer moves at the root a side may soon be stuck, which futility pruning would not see."""
FIRST_DEPTH_NODES = 1_000_000
"""Limit of nodes for depth 1, which no other limit ends: there must be a move to answer with."""

NodeKernel = Callable[[Actions, int, int, float, float], float]
"""A kernel of the signature `workspace.NODE`."""


class Searcher:
    """Searches the positions of a match one after another and keeps what it learned about them.

    Parameters
    ----------
    game : Game
        The game.
    evaluation : Evaluation
        Of positions at the horizon.
    options : SearchOptions
        The techniques to use.
    node : kernel
        What searches below each root move; by default principal variation search.

    Examples
    --------
    >>> import boardgames
    >>> from boardgames.player import NO_CONTEXT
    >>> game = boardgames.load("connect4")
    >>> searcher = Searcher(game, game.evaluation, SearchOptions(table=1))
    >>> found = searcher.search(game.parse("112233"), Limit(depth=4), NO_CONTEXT)
    >>> str(found.moves[0].move), str(found.score), found.proven
    ('4', 'win in 1', True)
    """

    def __init__(
        self, game: Game, evaluation: Evaluation, options: SearchOptions, *, node: NodeKernel = pvs
    ) -> None:
        self.game, self.evaluation, self.options, self.node = game, evaluation, options, node
        self.key = game.kernels.symmetric_key if options.symmetry else position_key
        self.reductions = reduction_table()
        self.keys: Words = np.zeros(options.threads * KEYS_PER_THREAD, dtype=np.uint64)
        self.generation = 0
        self._states: list[ThreadState] = []
        self._table: Actions | None = None

    def search(
        self, position: Position, limit: Limit, context: Context, *, lines: int | None = 1
    ) -> Analysis:
        """Return what is known of the best `lines` moves, or of all, when a limit is reached.

        Depth 1 is always completed, so that there is a move. If the search is
        stopped within a deeper iteration, the moves that were completed there
        count, the best of them first; if all of them lose, the next one is played.

        Parameters
        ----------
        position : Position
            Not finished.
        limit : Limit
            Time, depth and nodes.
        context : Context
            Its `stop` ends the search; its `report` is called after each depth.

        Raises
        ------
        OptionError
            If the table does not fit into memory.
        KeyboardInterrupt
            When the user interrupts; the kernels have ended by then.
        """
        self._prepare()
        count = len(position.actions)
        exact_moves = count if lines is None else min(lines, count)
        earlier = self._earlier_keys(position, context)
        team = SearchTeam(position)
        threads = [SearchThread(self, state, position, exact_moves, earlier, team) for state in self._states]
        if limit.nodes is not None:
            limit = replace(limit, nodes=max(1, limit.nodes // len(threads)))
        control = new_control()
        deepening = _IterativeDeepening(threads, position, limit, context, control)
        return run(deepening.run, control, seconds=limit.budget(position.side_to_move), stop=context.stop)

    def forget(self) -> None:
        """Start afresh: later searches do not depend on earlier ones."""
        if self._table is not None and self.generation > 0:
            self._table.fill(0)
        for state in self._states:
            state.killers.fill(0)
            state.history.fill(0)
        self.generation = 0

    def release(self) -> None:
        """Free the memory; the next search allocates it again."""
        self._table, self._states, self.generation = None, [], 0

    @property
    def table(self) -> Actions:
        """Return the transposition table; one unused bucket if there is none."""
        if self._table is None:
            size = self.options.table
            self._table = new_table(size) if size else np.zeros(WORDS_PER_BUCKET, dtype=np.int64)
        return self._table

    def _prepare(self) -> None:
        """Allocate what is missing, and age what earlier searches left."""
        assert self.table is not None
        if not self._states:
            self._states = [ThreadState(self.game, number) for number in range(self.options.threads)]
        for state in self._states:
            state.killers.fill(-1)  # they belong to one tree
            state.history //= 2
        self.generation = self.generation % (GENERATIONS - 1) + 1

    def _earlier_keys(self, position: Position, context: Context) -> Words:
        """Return the keys of the match's positions that may be repeated, oldest first."""
        if not self.options.detects_repetition(self.game.facts):
            return np.zeros(0, dtype=np.uint64)
        score, words = position.score, []
        for earlier in reversed(context.history[-REMEMBERED_POSITIONS:]):
            if earlier.score != score:
                break  # what was captured does not come back
            words.append(earlier.words)
        keys = np.zeros(len(words), dtype=np.uint64)
        if words:
            write_keys(self.key, np.array(words[::-1], dtype=np.uint64), keys)
        return keys


@kernel(types.void(first_class(PositionKey), WORDS_STACK, WORDS_OUT))
def write_keys(key_of: Callable[[Words], np.uint64], positions: Words, keys: Words) -> None:
    """Write the key of each row of `positions`, `uint64[n, words]`, into `keys`, `uint64[n]`."""
    for index in range(keys.size):
        keys[index] = key_of(row(positions, index))


@dataclass(frozen=True, slots=True)
class RootResult:
    """What a completed depth says about the root moves, best first."""

    depth: int
    actions: tuple[int, ...]
    values: tuple[float, ...]
    exact: tuple[bool, ...]
    lines: tuple[tuple[int, ...], ...]

    @classmethod
    def unsearched(cls, position: Position) -> "RootResult":
        """Return the legal moves, before any search."""
        count = len(position.actions)
        return cls(0, position.actions, (0.0,) * count, (False,) * count, ((),) * count)

    def is_proven(self, index: int) -> bool:
        """Return True if a move's value is that of perfect play."""
        return self.exact[index] or abs(self.values[index]) > EVALUATION_BOUND

    def is_solved(self) -> bool:
        """Return True if the best value is that of perfect play."""
        return abs(self.values[0]) > EVALUATION_BOUND or all(self.exact)

    def is_final(self, lines: int) -> bool:
        """Return True if a deeper search can say nothing new about the best `lines` moves."""
        if lines > 1:
            return all(self.is_proven(index) for index in range(lines))
        return len(self.actions) == 1 or self.is_solved()

    def with_losing_moves(self, losses: Sequence[float]) -> "RootResult":
        """Return the same with the first moves last, since they were seen to lose."""
        count = len(losses)
        rest = sorted(range(count, len(self.actions)), key=lambda index: -self.values[index])
        valued = replace(self, values=(*losses, *self.values[count:]))
        return valued._reordered([*rest, *range(count)])

    def with_best_move(self, place: int, value: float) -> "RootResult":
        """Return the same with the move at `place` first, worth at least `value`."""
        order = [place, *(index for index in range(len(self.actions)) if index != place)]
        result = self._reordered(order)
        return replace(result, values=(value, *result.values[1:]), exact=(False, *result.exact[1:]))

    def _reordered(self, order: Sequence[int]) -> "RootResult":
        return RootResult(
            self.depth,
            tuple(self.actions[index] for index in order),
            tuple(self.values[index] for index in order),
            tuple(self.exact[index] for index in order),
            tuple(self.lines[index] for index in order),
        )

    def searched(self, depth: int, buffers: "RootBuffers", order: Sequence[int]) -> "RootResult":
        """Return what a search of the same moves says: the searched ones in `order`, then the others."""
        rest, places = len(self.actions) - len(order), np.array(order)
        lines = buffers.lines[places]
        width = int(lines[:, 0].max()) + 1
        return RootResult(
            depth,
            (*(self.actions[index] for index in order), *self.actions[len(order) :]),
            (*buffers.values[places].tolist(), *(-INFINITY,) * rest),
            (*(buffers.evaluated[places] == 0).tolist(), *(False,) * rest),
            (*(tuple(line[1 : line[0] + 1]) for line in lines[:, :width].tolist()), *((),) * rest),
        )


class RootBuffers:
    """What `search_root` writes: the value, number of evaluations and line of each root move."""

    def __init__(self, count: int) -> None:
        self.values: Reals = np.zeros(count)
        self.evaluated: Actions = np.zeros(count, dtype=np.int64)
        self.lines: Actions = np.zeros((count, ROWS + 1), dtype=np.int64)


class ThreadState:
    """The stacks of one thread, kept from search to search; see `Workspace`."""

    def __init__(self, game: Game, number: int) -> None:
        facts = game.facts
        self.first_key = number * KEYS_PER_THREAD
        self.positions = np.zeros((ROWS, facts.words), dtype=np.uint64)
        self.moves = np.zeros((2 * ROWS, facts.actions), dtype=np.int64)
        self.lines = np.zeros((ROWS, ROWS + 1), dtype=np.int64)
        self.killers = np.zeros((2, ROWS), dtype=np.int64)
        self.history = np.zeros((2, facts.actions), dtype=np.int64)


class SearchTeam:
    """The threads of one search, which move on to the next depth together.

    A thread that is still at a depth that another one has finished is stopped
    by a node limit of 1 in its control record; `finish` restores its own limit.
    The stop flag is not used for that, so that no other request to stop is lost.
    """

    def __init__(self, position: Position) -> None:
        self._results = [RootResult.unsearched(position)]
        self._searching: dict[int, tuple[int, int, Control]] = {}
        self._lock = threading.Lock()

    @property
    def deepest(self) -> RootResult:
        """Return the result of the deepest depth that a thread has finished."""
        return self._results[-1]

    def start(self, depth: int, known: RootResult, control: Control) -> RootResult:
        """Register a thread at a depth; return what is known, of that depth if it is finished already.

        Parameters
        ----------
        depth : int
            One more than a depth that a thread has finished.
        known : RootResult
            Of the depth before.
        control : Control
            The thread's own.
        """
        with self._lock:
            if depth < len(self._results):
                return self._results[depth]
            self._searching[id(control)] = depth, int(control[0].node_limit), control
            return known

    def finish(self, result: RootResult, control: Control) -> RootResult:
        """Return a thread's result, or that of the thread that finished the same depth before it."""
        with self._lock:
            depth, limit, _ = self._searching.pop(id(control))
            control[0].node_limit = limit
            if depth < len(self._results):
                return self._results[depth]
            if result.depth == depth:
                self._results.append(result)
                for _, _, other in self._searching.values():  # at this depth, or stopped already
                    other[0].node_limit = 1
            return result


class SearchThread:
    """One thread's search of one position."""

    def __init__(
        self,
        searcher: Searcher,
        state: ThreadState,
        position: Position,
        exact_moves: int,
        earlier: Words,
        team: SearchTeam,
    ) -> None:
        self.searcher, self.state, self.position, self.team = searcher, state, position, team
        self.exact_moves = exact_moves
        self.control = new_control()
        self._bundle: Bundle | None = None
        self.options = searcher.options.record(searcher.game, searcher.evaluation)
        here = self.options[0]
        here.exact_root_moves, here.generation = exact_moves, searcher.generation
        here.first_key, here.root_key = state.first_key, state.first_key + earlier.size
        here.keys_per_thread = KEYS_PER_THREAD if searcher.options.threads > 1 else 0
        if self._fewest_moves() < FEW_MOVES:
            here.futility_margin = 0.0
        state.positions[0] = position.words
        searcher.keys[state.first_key : state.first_key + earlier.size] = earlier

    def deepen(self, deepest: int) -> None:
        """Search deeper and deeper together with the other threads until stopped."""
        known = self.team.deepest
        while known.depth < deepest and not (is_stopped(self.control) or known.is_final(self.exact_moves)):
            self.search_depth(known.depth + 1, known, self.control)
            known = self.team.deepest

    def search_depth(self, depth: int, known: RootResult, control: Control) -> RootResult:
        """Return the result of the thread that finishes a depth first, or what is known if stopped."""
        known = self.team.start(depth, known, control)
        if known.depth >= depth:
            return known
        return self.team.finish(self._search_windows(depth, known, control), control)

    def _search_windows(self, depth: int, known: RootResult, control: Control) -> RootResult:
        """Search to a depth with an aspiration window, widened whenever the value is outside."""
        count = len(known.actions)
        low, high = self._aspiration_window(depth, known)
        while True:
            control[0].finished_moves = 0
            buffers = RootBuffers(count)
            actions = np.array(known.actions, dtype=np.int64)
            search_root(
                self._words(control),
                actions,
                depth,
                low,
                high,
                buffers.values,
                buffers.evaluated,
                buffers.lines,
            )
            finished = int(control[0].finished_moves)
            best = float(buffers.values[:finished].max()) if finished else -INFINITY
            if finished < count and is_stopped(control):
                return self._stopped_result(known, buffers, finished, has_value=best > low)
            if low < best < high:
                return known.searched(depth, buffers, self._best_first(buffers, count))
            if best >= high:
                known = known.with_best_move(finished - 1, best)
                high = INFINITY
            else:
                low = -INFINITY

    def _aspiration_window(self, depth: int, known: RootResult) -> tuple[float, float]:
        width = ASPIRATION * self.searcher.evaluation.margin
        is_narrow = self.searcher.options.aspiration and depth >= ASPIRATION_DEPTH and width > 0
        if not is_narrow or self.exact_moves > 1 or abs(known.values[0]) > EVALUATION_BOUND:
            return -INFINITY, INFINITY
        return known.values[0] - width, known.values[0] + width

    def _best_first(self, buffers: RootBuffers, finished: int) -> list[int]:
        """Return the moves with exact values, best first, then the others in their old order."""
        ranked = sorted(range(finished), key=lambda index: -buffers.values[index])
        best = ranked[: self.exact_moves]
        return best + [index for index in range(finished) if index not in best]

    def _stopped_result(
        self, known: RootResult, buffers: RootBuffers, finished: int, *, has_value: bool
    ) -> RootResult:
        """Return what is known when the search was stopped within a depth."""
        if finished == 0 or self.exact_moves > 1 or not has_value:
            return known
        order = self._best_first(buffers, finished)
        if buffers.values[order[0]] < -EVALUATION_BOUND:
            return known.with_losing_moves(buffers.values[:finished].tolist())
        return known.searched(known.depth, buffers, order)

    def _fewest_moves(self) -> int:
        """Return the number of legal moves of the side that has fewer."""
        kernels, state = self.position.game.kernels, self.state
        if kernels.pass_turn is no_pass_turn:
            return len(self.position.actions)
        kernels.pass_turn(self.position.words, state.positions[1])
        opposing = kernels.legal_moves(state.positions[1], state.moves[0])
        return min(len(self.position.actions), int(opposing))

    def _words(self, control: Control) -> Actions:
        """Return the words of the workspace, which is rebuilt only for another control record."""
        if self._bundle is None or self._bundle.items[-1] is not control:
            searcher, state, kernels = self.searcher, self.state, self.searcher.game.kernels
            workspace = Workspace(
                legal_moves=kernels.legal_moves,
                apply=kernels.apply,
                side_to_move=kernels.side_to_move,
                outcome=kernels.outcome,
                move_order=kernels.move_order,
                tactical_moves=kernels.tactical_moves,
                pass_turn=kernels.pass_turn,
                position_key=searcher.key,
                node=searcher.node,
                evaluate=searcher.evaluation.kernel,
                weights=searcher.evaluation.weights,
                positions=state.positions,
                moves=state.moves,
                lines=state.lines,
                killers=state.killers,
                history=state.history,
                reductions=searcher.reductions,
                table=searcher.table,
                keys=searcher.keys,
                options=self.options,
                control=control,
            )
            self._bundle = Bundle(KINDS, workspace)
        return self._bundle.words


class _IterativeDeepening:
    """Searches deeper and deeper until a limit is reached or nothing is left to decide."""

    def __init__(
        self,
        threads: Sequence[SearchThread],
        position: Position,
        limit: Limit,
        context: Context,
        control: Control,
    ) -> None:
        self.main, self.helpers = threads[0], threads[1:]
        self.position, self.limit, self.context, self.control = position, limit, context, control
        self.started = time.perf_counter()
        self.deepest = min(limit.depth or MAX_DEPTH, MAX_DEPTH)
        for helper in self.helpers:
            helper.control[0].node_limit = limit.nodes or 0

    def run(self) -> Analysis:
        """Return the analysis of the deepest depth."""
        with self._helpers_searching():
            result = self._first_depth()
            self._report(result)
            while result.depth < self.deepest and not self._is_done(result):
                self.control[0].finished_moves = 0
                deeper = self.main.search_depth(result.depth + 1, result, self.control)
                if deeper.depth == result.depth:  # stopped within it
                    result = deeper
                    break
                result = deeper
                self._report(result)
        return self._analysis(result)

    def _is_done(self, result: RootResult) -> bool:
        return is_stopped(self.control) or result.is_final(self.main.exact_moves)

    def _first_depth(self) -> RootResult:
        """Search depth 1, whatever the limits: there must be a move to answer with."""
        control = new_control(FIRST_DEPTH_NODES)
        result = self.main.search_depth(1, RootResult.unsearched(self.position), control)
        self.control[0].nodes += control[0].nodes
        self.control[0].node_limit = self.limit.nodes or 0
        return result

    @contextmanager
    def _helpers_searching(self) -> Iterator[None]:
        threads = [
            threading.Thread(
                target=helper.deepen, args=(self.deepest,), name="boardgames-helper", daemon=True
            )
            for helper in self.helpers
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            for helper in self.helpers:
                helper.control[0].stop = 1
            for thread in threads:
                thread.join()

    def _report(self, result: RootResult) -> None:
        if self.context.report is not None:
            self.context.report(self._analysis(result).choice())

    def _analysis(self, result: RootResult) -> Analysis:
        moves = tuple(self._move_value(result, index) for index in range(self.main.exact_moves))
        return Analysis(
            position=self.position,
            score=moves[0].score,
            unit=self.main.searcher.evaluation.unit,
            proven=result.is_solved(),
            moves=moves,
            depth=result.depth,
            nodes=sum(int(control[0].nodes) for control in self._controls()),
            seconds=time.perf_counter() - self.started,
        )

    def _controls(self) -> list[Control]:
        return [self.control, *(helper.control for helper in self.helpers)]

    def _move_value(self, result: RootResult, index: int) -> MoveValue:
        score = score_of(result.values[index], self.main.searcher.evaluation)
        line = decode_line(self.position, result.lines[index] or result.actions[index : index + 1])
        return MoveValue(line[0], score, result.is_proven(index), line)
