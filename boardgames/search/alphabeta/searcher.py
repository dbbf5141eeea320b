"""Searcher: iterative deepening with aspiration windows, on one or more threads.

The transposition table and the history scores are kept for the next moves. Several threads can search the
same position. They share the table, killers and history scores, so that all of them order moves in the same
way. A thread defers moves that another thread is searching (ABDADA, see `search`). When one thread has
finished a depth, all of them move on to the next. With a single thread and a limit of depth or nodes, a
search is reproducible.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from boardgames.declarations import NO_REPETITION, Evaluation, no_pass_turn
from boardgames.errors import MatchError
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
    types,
)
from boardgames.kernels.abi import WORDS_OUT, WORDS_STACK, first_class
from boardgames.kernels.bundles import Bundle
from boardgames.player import NO_CONTEXT, Analysis, Context, Limit, MoveValue
from boardgames.repetition import occurrences_of
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.search import pvs, search_root
from boardgames.search.alphabeta.table import GENERATIONS, HUGE_PAGE_WORDS, WORDS_PER_BUCKET, clear, new_table
from boardgames.search.alphabeta.workspace import ROWS, AlphaBetaWorkspace, new_workspace
from boardgames.search.remembering import Remembering, remembering
from boardgames.search.results import decode_line, score_of
from boardgames.search.rules import EVALUATION_BOUND, INFINITY, MAX_DEPTH, plies_left_of
from boardgames.search.runner import run

REMEMBERED_POSITIONS = 200
"""Maximum number of earlier positions of the match that the search checks for repetition."""
KEYS_PER_THREAD = REMEMBERED_POSITIONS + ROWS
ASPIRATION = 1.0
"""Half the width of the aspiration window, in margins of the evaluation."""
ASPIRATION_DEPTH = 3
"""Minimum depth of a search with an aspiration window."""
FEW_MOVES = 12
"""Minimum number of root moves for futility pruning, which overlooks that a side may run out of moves."""
FIRST_NODE_LIMIT = 1_000_000
"""Node limit of depth 1. No other limit applies to it, because there must be a move to return."""

NodeKernel = Callable[[Actions, int, int, float, float], float]
"""A kernel with the signature `workspace.NODE`."""


class Searcher:
    """Searches the positions of a match one after another, with a table that is kept from move to move.

    Parameters
    ----------
    game : Game
        The game.
    evaluation : Evaluation
        Evaluates positions at the horizon.
    options : SearchOptions
        The techniques to use.
    node : kernel
        Searches the position after each root move; by default principal
        variation search.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> searcher = Searcher(game, game.evaluation, SearchOptions(table=1))
    >>> analysis = searcher.search(game.parse("112233"), Limit(depth=4), NO_CONTEXT)
    >>> str(analysis.moves[0].move), str(analysis.score), analysis.proven
    ('4', 'win in 1 move (1 ply)', True)
    """

    def __init__(
        self, game: Game, evaluation: Evaluation, options: SearchOptions, *, node: NodeKernel = pvs
    ) -> None:
        self.game, self.evaluation, self.options, self.node = game, evaluation, options, node
        self.keys: Words = np.zeros(options.threads * KEYS_PER_THREAD, dtype=np.uint64)
        self.killers: Actions = np.zeros((2, ROWS), dtype=np.int64)
        self.history: Actions = np.zeros((2, game.facts.actions), dtype=np.int64)
        self.generation = 0
        self._rule = NO_REPETITION  # the rule about repetition, if the kernels have to know it
        self._remembering: Remembering | None = None
        self._threads: list[SearchThread] = []
        self._table: Actions | None = None

    def search(
        self, position: Position, limit: Limit, context: Context, *, lines: int | None = 1
    ) -> Analysis:
        """Search until a limit is reached and return the best `lines` moves, or all moves.

        A time limit begins after `prepare`. Depth 1 is always completed, so that
        there is a move. If the search is stopped during a deeper iteration, the moves
        that it completed come first, best first; but if all of these lose, they come
        last.

        Parameters
        ----------
        position : Position
            An unfinished position.
        limit : Limit
            Time, depth and nodes.
        context : Context
            Its `stop` ends the search; its `report` is called after each depth.

        Raises
        ------
        OptionError
            If the table does not fit into memory.
        MatchError
            If repetition forbids every move.
        KeyboardInterrupt
            When the user interrupts; the kernels have ended by then.
        """
        seconds = limit.budget(position.side_to_move)
        if seconds is not None:
            self.prepare()
        started = time.perf_counter()
        search = _IterativeDeepening(self, position, limit, context, lines)
        result = run(search.first_depth, search.control)
        if result.depth >= search.deepest or result.is_final(search.exact_moves):
            return search.analysis(result)
        search.control[0].stop = 0
        if seconds is not None:
            seconds -= time.perf_counter() - started
        return run(lambda: search.deepen(result), search.control, seconds=seconds, stop=context.stop)

    def forget(self) -> None:
        """Forget everything, so that later searches do not depend on earlier ones."""
        if self._table is not None:
            clear(self._table)
        self.history.fill(0)
        self.generation = 0

    def prepare(self) -> None:
        """Allocate memory and load compiled code now, so that this does not take time from the first search.

        The operating system clears a page when it is first written to. This is slow only for huge pages,
        so one word is written to each of them.

        Raises
        ------
        OptionError
            If the table does not fit into memory.
        """
        if self._table is None:
            self.table[::HUGE_PAGE_WORDS] = 0
            self.search(self.game.start(), Limit(depth=2), NO_CONTEXT)
            self.forget()
        self._prepare_threads()

    def release(self) -> None:
        """Free the memory; the next search allocates it again."""
        self._table, self._threads, self.generation = None, [], 0
        self.history.fill(0)

    @property
    def table(self) -> Actions:
        """Return the transposition table, or one unused bucket if the search has no table."""
        if self._table is None:
            size = self.options.table
            self._table = new_table(size) if size else np.zeros(WORDS_PER_BUCKET, dtype=np.int64)
        return self._table

    def start_threads(self, position: Position, exact_moves: int, context: Context) -> "list[SearchThread]":
        """Return the threads, ready to search a position, and begin a new generation of table entries."""
        self.generation = self.generation % (GENERATIONS - 1) + 1
        self._set_rule(context)
        self._prepare_threads()
        self.killers.fill(-1)  # killers are valid in one tree only
        self.history //= 2
        plies_left = plies_left_of(self.game, context, ROWS)
        earlier, team = self._earlier_keys(position, context), SearchTeam(context.legal_actions(position))
        for thread in self._threads:
            thread.start(position, context.history, exact_moves, plies_left, earlier, team)
        return self._threads

    def workspace(self, control: Control) -> AlphaBetaWorkspace:
        """Return a workspace for a thread, with kernels that know the repetition rule of the match."""
        game, evaluation, options = self.game, self.evaluation, self.options
        if self._remembering is not None:
            game, evaluation = self._remembering.game, self._remembering.evaluation(evaluation)
            options = replace(options, repetition=False, symmetry=True)  # positions have a key of their own
        record = options.record(game, evaluation)
        return new_workspace(game, evaluation, record, self.node, control, symmetry=options.symmetry)

    def root_words(self, position: Position, history: Sequence[Position]) -> Words:
        """Return the packed position at the root of a search."""
        return position.words if self._remembering is None else self._remembering.pack(position, history)

    def _set_rule(self, context: Context) -> None:
        """Switch to kernels that know the repetition rule of the match if the search cannot apply it."""
        rule = context.repetition_in(self.game)
        is_usual = rule.meaning == "none" or (rule.meaning == "draw" and self.options.repetition)
        rule, needed = NO_REPETITION if is_usual else rule, len(context.history) + ROWS
        has_room = self._remembering is None or self._remembering.room >= needed
        if rule == self._rule and has_room:
            return
        self._rule, self._threads = rule, []
        self._remembering = None if is_usual else remembering(self.game, rule, needed)

    def _prepare_threads(self) -> None:
        if not self._threads:
            self._threads = [SearchThread(self, number) for number in range(self.options.threads)]

    def _earlier_keys(self, position: Position, context: Context) -> Words:
        """Return the keys of the earlier positions that count as drawn if they occur again, oldest first.

        If the match is drawn at the nth occurrence, these are the positions that have occurred n - 1 times;
        otherwise they are all positions since the score last changed.
        """
        if self._remembering is not None or not self.options.detects_repetition(self.game.facts):
            return np.zeros(0, dtype=np.uint64)
        rule, score, words = context.repetition or self.game.facts.repetition, position.score, []
        least = rule.count - 1 if rule is not None and rule.meaning == "draw" else 1
        occurrences = occurrences_of(context.history) if least > 1 else {}
        for earlier in reversed(context.history[-REMEMBERED_POSITIONS:]):
            if earlier.score != score:
                break  # no position before a change of the score can occur again
            if least == 1 or occurrences[earlier.words.tobytes()] >= least:
                words.append(earlier.words)
        keys = np.zeros(len(words), dtype=np.uint64)
        if words:
            write_keys(self._threads[0].workspace.position_key, np.array(words[::-1], dtype=np.uint64), keys)
        return keys


@kernel(types.void(first_class(PositionKey), WORDS_STACK, WORDS_OUT))
def write_keys(key_of: Callable[[Words], np.uint64], positions: Words, keys: Words) -> None:
    """Write the key of each row of `positions`, `uint64[n, words]`, into `keys`, `uint64[n]`."""
    for index in range(keys.size):
        keys[index] = key_of(row(positions, index))


@dataclass(frozen=True, slots=True)
class RootResult:
    """The root moves after a completed depth, best first, with their values and lines."""

    depth: int
    actions: tuple[int, ...]
    values: tuple[float, ...]
    exact: tuple[bool, ...]
    lines: tuple[tuple[int, ...], ...]

    @classmethod
    def unsearched(cls, actions: tuple[int, ...]) -> "RootResult":
        """Return a result with the legal actions, before any of them has been searched."""
        count = len(actions)
        return cls(0, actions, (0.0,) * count, (False,) * count, ((),) * count)

    def is_proven(self, index: int) -> bool:
        """Return True if the value of the move at `index` is that of perfect play."""
        return self.exact[index] or abs(self.values[index]) > EVALUATION_BOUND

    def is_solved(self) -> bool:
        """Return True if the best value is that of perfect play."""
        return abs(self.values[0]) > EVALUATION_BOUND or all(self.exact)

    def is_final(self, exact_moves: int) -> bool:
        """Return True if a deeper search cannot change the best `exact_moves` moves."""
        if exact_moves > 1:
            return all(self.is_proven(index) for index in range(exact_moves))
        return len(self.actions) == 1 or self.is_solved()

    def with_losing_moves(self, losses: Sequence[float]) -> "RootResult":
        """Return the result with its first moves, which lose, moved to the end; `losses` has their values."""
        count = len(losses)
        rest = sorted(range(count, len(self.actions)), key=lambda index: -self.values[index])
        valued = replace(self, values=(*losses, *self.values[count:]))
        return valued.reordered([*rest, *range(count)])

    def with_best_move(self, place: int, value: float) -> "RootResult":
        """Return the result with the move at `place` first, worth at least `value`."""
        order = [place, *(index for index in range(len(self.actions)) if index != place)]
        result = self.reordered(order)
        return replace(result, values=(value, *result.values[1:]), exact=(False, *result.exact[1:]))

    def reordered(self, order: Sequence[int]) -> "RootResult":
        """Return the result with its moves in another order, given by their indices."""
        return RootResult(
            self.depth,
            tuple(self.actions[index] for index in order),
            tuple(self.values[index] for index in order),
            tuple(self.exact[index] for index in order),
            tuple(self.lines[index] for index in order),
        )

    def searched(self, depth: int, buffers: "RootBuffers", order: Sequence[int]) -> "RootResult":
        """Return the result of a search of these moves: the finished moves in `order`, then the others."""
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
    """Buffers that `search_root` fills with the value, number of evaluations and line of each root move."""

    def __init__(self, count: int) -> None:
        self.values: Reals = np.zeros(count)
        self.evaluated: Actions = np.zeros(count, dtype=np.int64)
        self.lines: Actions = np.zeros((count, ROWS + 1), dtype=np.int64)


class SearchTeam:
    """The threads of one search, which move on to the next depth together.

    When one thread has finished a depth, the flag `superseded` stops the threads
    that are still searching it, until `finish` clears the flag. The stop flag is
    not used for this, so that a request to stop is never lost.
    """

    def __init__(self, actions: tuple[int, ...]) -> None:
        self._results = [RootResult.unsearched(actions)]
        self._searching: dict[int, tuple[int, Control]] = {}
        self._lock = threading.Lock()

    @property
    def deepest(self) -> RootResult:
        """Return the result of the deepest search that a thread has finished."""
        return self._results[-1]

    def start(self, depth: int, previous: RootResult, control: Control) -> RootResult:
        """Register a thread for a depth; return `previous`, or the depth's result if it is finished.

        Parameters
        ----------
        depth : int
            One more than the depth of `previous`.
        previous : RootResult
            The result of the previous depth.
        control : Control
            The control record of the thread.
        """
        with self._lock:
            if depth < len(self._results):
                return self._results[depth]
            self._searching[id(control)] = depth, control
            return previous

    def finish(self, result: RootResult, control: Control) -> RootResult:
        """Return a thread's result, or that of another thread that finished the same depth first."""
        with self._lock:
            depth, _ = self._searching.pop(id(control))
            control[0].superseded = 0
            if depth < len(self._results):
                return self._results[depth]
            if result.depth == depth:
                self._results.append(result)
                for _, other in self._searching.values():  # searching this depth, or already stopped
                    other[0].superseded = 1
            return result


class SearchThread:
    """One thread's workspace, which is kept from search to search because building a bundle is slow."""

    def __init__(self, searcher: Searcher, number: int) -> None:
        self.searcher, self.first_key, self.control = searcher, number * KEYS_PER_THREAD, new_control()
        self.workspace = searcher.workspace(self.control)._replace(
            table=searcher.table,
            keys=searcher.keys,
            killers=searcher.killers,
            history=searcher.history,
        )
        self.bundle = Bundle(self.workspace)
        self.futility_margin = float(self.workspace.options[0].futility_margin)

    def start(
        self,
        position: Position,
        history: Sequence[Position],
        exact_moves: int,
        plies_left: int,
        earlier: Words,
        team: "SearchTeam",
    ) -> None:
        """Set the root, the limit of plies and the keys of earlier positions; clear the control record."""
        self.position, self.exact_moves, self.team = position, exact_moves, team
        self.control.fill(0)
        work, first = self.workspace, self.first_key
        work.positions[0] = self.searcher.root_words(position, history)
        work.keys[first : first + earlier.size] = earlier
        options = work.options[0]
        options.plies_left = plies_left
        options.exact_moves, options.generation = exact_moves, self.searcher.generation
        options.first_key, options.root_key = first, first + earlier.size
        options.keys_per_thread = KEYS_PER_THREAD if self.searcher.options.threads > 1 else 0
        options.futility_margin = 0.0 if self._fewest_moves() < FEW_MOVES else self.futility_margin

    def deepen(self, deepest: int) -> None:
        """Search deeper and deeper, together with the other threads, until the search is stopped."""
        result = self.team.deepest
        while result.depth < deepest and not (is_stopped(self.control) or result.is_final(self.exact_moves)):
            self.search_depth(result.depth + 1, result)
            result = self.team.deepest

    def search_depth(self, depth: int, previous: RootResult) -> RootResult:
        """Return the result of the first thread that finishes a depth, or the best so far if stopped."""
        result = self.team.start(depth, previous, self.control)
        if result.depth >= depth:
            return result
        return self.team.finish(self._search_windows(depth, result), self.control)

    def _search_windows(self, depth: int, previous: RootResult) -> RootResult:
        """Search to a depth with an aspiration window, which is widened whenever the value is outside it."""
        count, control = len(previous.actions), self.control
        low, high = self._aspiration_window(depth, previous)
        while True:
            control[0].finished_moves = 0
            buffers = RootBuffers(count)
            order = np.arange(count)
            self.workspace.moves[0, :count] = previous.actions
            search_root(
                self.bundle.words,
                order,
                depth,
                low,
                high,
                buffers.values,
                buffers.evaluated,
                buffers.lines,
            )
            places, finished = order.tolist(), int(control[0].finished_moves)
            previous = previous.reordered(places)
            best = float(buffers.values[:finished].max()) if finished else -INFINITY
            if finished < count and is_stopped(control):
                return self._stopped_result(previous, buffers, places[:finished], has_value=best > low)
            is_full = low == -INFINITY and high == INFINITY  # then stop, even if an evaluation returns NaN
            if is_full or low < best < high:
                return previous.searched(depth, buffers, self._best_first(buffers, places))
            if best >= high:
                previous = previous.with_best_move(finished - 1, best)
                high = INFINITY
            else:
                low = -INFINITY

    def _aspiration_window(self, depth: int, previous: RootResult) -> tuple[float, float]:
        width = ASPIRATION * self.searcher.evaluation.margin
        is_narrow = self.searcher.options.aspiration and depth >= ASPIRATION_DEPTH and width > 0
        if not is_narrow or self.exact_moves > 1 or abs(previous.values[0]) > EVALUATION_BOUND:
            return -INFINITY, INFINITY
        return previous.values[0] - width, previous.values[0] + width

    def _best_first(self, buffers: RootBuffers, places: Sequence[int]) -> list[int]:
        """Return the indices of the moves with exact values, best first, then of the others by `places`."""
        ranked = sorted(range(len(places)), key=lambda index: -buffers.values[index])
        best = ranked[: self.exact_moves]
        return best + sorted(ranked[self.exact_moves :], key=lambda index: places[index])

    def _stopped_result(
        self, previous: RootResult, buffers: RootBuffers, places: Sequence[int], *, has_value: bool
    ) -> RootResult:
        """Return the best result so far of a search that was stopped during a depth.

        `places` has the places of the finished moves in the result of the previous depth.
        """
        finished = len(places)
        if finished == 0 or self.exact_moves > 1 or not has_value:
            return previous
        order = self._best_first(buffers, places)
        if buffers.values[order[0]] < -EVALUATION_BOUND:
            return previous.with_losing_moves(buffers.values[:finished].tolist())
        return previous.searched(previous.depth, buffers, order)

    def _fewest_moves(self) -> int:
        """Return the number of legal moves of the side that has fewer moves."""
        work = self.workspace
        if work.pass_turn is no_pass_turn:
            return len(self.position.actions)
        work.pass_turn(work.positions[0], work.positions[1])
        opposing = work.legal_moves(work.positions[1], work.moves[0])
        return min(len(self.position.actions), int(opposing))


class _IterativeDeepening:
    """Searches deeper and deeper until a limit is reached or the result is final."""

    def __init__(
        self, searcher: Searcher, position: Position, limit: Limit, context: Context, lines: int | None
    ) -> None:
        self.started = time.perf_counter()
        self.evaluation, self.position, self.context = searcher.evaluation, position, context
        self.deepest = min(limit.depth or MAX_DEPTH, MAX_DEPTH)
        self.actions = context.legal_actions(position)
        count = len(self.actions)
        if count == 0:
            raise MatchError("the match is over: repetition forbids every move")
        self.exact_moves = count if lines is None else min(lines, count)
        self.threads = searcher.start_threads(position, self.exact_moves, context)
        self.node_limit = 0 if limit.nodes is None else max(1, limit.nodes // len(self.threads))
        self.main, self.control = self.threads[0], self.threads[0].control

    def first_depth(self) -> RootResult:
        """Return the result of depth 1, which ignores the limits, because there must be a move."""
        self.control[0].node_limit = FIRST_NODE_LIMIT
        result = self.main.search_depth(1, RootResult.unsearched(self.actions))
        self._report(result)
        return result

    def deepen(self, result: RootResult) -> Analysis:
        """Return the analysis of the deepest search that is completed, given the result of depth 1."""
        for thread in self.threads:
            thread.control[0].node_limit = self.node_limit
        with self._helpers_searching():
            while result.depth < self.deepest and not self._is_done(result):
                self.control[0].finished_moves = 0
                deeper = self.main.search_depth(result.depth + 1, result)
                if deeper.depth == result.depth:  # stopped during this depth
                    result = deeper
                    break
                result = deeper
                self._report(result)
        return self.analysis(result)

    def analysis(self, result: RootResult) -> Analysis:
        """Return the analysis that follows from the result of a depth."""
        moves = tuple(self._move_value(result, index) for index in range(self.exact_moves))
        return Analysis(
            position=self.position,
            score=moves[0].score,
            unit=self.evaluation.unit,
            proven=result.is_solved(),
            moves=moves,
            depth=result.depth,
            nodes=sum(int(thread.control[0].nodes) for thread in self.threads),
            seconds=time.perf_counter() - self.started,
        )

    def _is_done(self, result: RootResult) -> bool:
        return is_stopped(self.control) or result.is_final(self.exact_moves)

    @contextmanager
    def _helpers_searching(self) -> Iterator[None]:
        threads = [
            threading.Thread(
                target=helper.deepen, args=(self.deepest,), name="boardgames-helper", daemon=True
            )
            for helper in self.threads[1:]
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            for helper in self.threads[1:]:
                helper.control[0].stop = 1
            for thread in threads:
                thread.join()

    def _report(self, result: RootResult) -> None:
        if self.context.report is not None:
            self.context.report(self.analysis(result).choice())

    def _move_value(self, result: RootResult, index: int) -> MoveValue:
        score = score_of(result.values[index], self.evaluation)
        line = decode_line(self.position, result.lines[index] or result.actions[index : index + 1])
        return MoveValue(line[0], score, result.is_proven(index), line)
