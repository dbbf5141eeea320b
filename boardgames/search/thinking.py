"""Thinker: principal variation search that remembers from move to move, on one thread or several.

Several threads search the same position. Where they meet they look at different
moves (`paths`), each finds in the transposition table what others found, and
all go a ply deeper when the first one is done (`team`). One thread with a limit
of depth or nodes does the same every time.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from numba import types

from boardgames.declarations import Evaluation, no_pass_turn, position_key
from boardgames.game import Game, Position
from boardgames.kernels import (
    NODE_LIMIT,
    NODES,
    STOP,
    Actions,
    Control,
    PositionKey,
    Words,
    is_stopped,
    kernel,
    new_control,
    row,
)
from boardgames.kernels.abi import WORDS_OUT, WORDS_STACK, first_class
from boardgames.kernels.bundles import Bundle
from boardgames.player import Analysis, Context, Limit
from boardgames.search.deepening import Buffers, Found, deepen
from boardgames.search.futility import FEW_MOVES
from boardgames.search.means import Means
from boardgames.search.ordering import MEMORY_ROWS
from boardgames.search.root import principal_root
from boardgames.search.runner import run
from boardgames.search.table import GENERATIONS, new_table
from boardgames.search.team import Team
from boardgames.search.tree import (
    EVALUATION_BOUND,
    FINISHED,
    FIRST,
    FUNCTIONS,
    GENERATION,
    INFINITY,
    LINES,
    MARGIN,
    MAX_DEPTH,
    SPARE_ROWS,
    START,
    STRIDE,
)
from boardgames.search.workspace import ARRAYS

LONGEST_QUIESCENCE = 16
ROWS = MAX_DEPTH + LONGEST_QUIESCENCE + SPARE_ROWS
REMEMBERED = 200
"""Positions of the match that are compared with those of the search."""
KEYS = REMEMBERED + ROWS
"""Keys that each thread has room for."""
ASPIRATION = 1.0
"""Half the width of the first window, in steps of the evaluation."""
NARROW_FROM = 3


class Thinker:
    """Searches positions of a match, one after another, with what earlier searches found.

    Parameters
    ----------
    game : Game
        What is played.
    evaluation : Evaluation
        Of positions at the horizon.
    means : Means
        What the search makes use of.

    Raises
    ------
    OptionError
        At the first search, if the table does not fit into memory.

    Examples
    --------
    >>> import boardgames
    >>> from boardgames.player import NO_CONTEXT
    >>> game = boardgames.load("connect4")
    >>> thinker = Thinker(game, game.evaluation, Means(table=1))
    >>> found = thinker.search(game.parse("112233"), Limit(depth=4), NO_CONTEXT)
    >>> str(found.moves[0].move), found.value, found.proven
    ('4', 1.0, True)
    """

    def __init__(self, game: Game, evaluation: Evaluation, means: Means) -> None:
        self.game, self.evaluation, self.means = game, evaluation, means
        self._minds: list[_Mind] = []
        self._table: Actions | None = None
        self.keys = np.zeros(means.threads * KEYS, dtype=np.uint64)
        kernels, key = game.kernels, game.kernels.symmetric_key if means.symmetry else position_key
        self.key: Callable[[Words], np.uint64] = key
        self.functions = Bundle(
            FUNCTIONS,
            (
                kernels.legal_moves,
                kernels.apply,
                kernels.side_to_move,
                kernels.outcome,
                kernels.move_order,
                evaluation.kernel,
                kernels.tactical_moves,
                key,
                kernels.pass_turn,
            ),
        )
        self.generation = 0

    def release(self) -> None:
        """Give the memory back; a search takes it again."""
        self._table, self._minds, self.generation = None, [], 0

    def forget(self) -> None:
        """Begin anew: what follows does not depend on what was searched before."""
        if self._table is not None and self.generation > 0:
            self._table.fill(0)
        for mind in self._minds:
            mind.memory.fill(0)
        self.generation = 0

    def search(
        self, position: Position, limit: Limit, context: Context, *, lines: int | None = 1
    ) -> Analysis:
        """Return what is known of the best `lines` moves, or of all, when the limit is reached.

        The parameters and what stops a search are those of `deepening.search`.

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
        threads = self.means.threads
        own = limit if limit.nodes is None else replace(limit, nodes=max(1, limit.nodes // threads))
        begun = self._keys_before(position, context)
        team = Team(position)
        works = [_Work(mind, self, position, exact_moves, begun, team) for mind in self._minds]
        control = new_control()

        def go() -> Analysis:
            with _helping(works[1:], min(limit.depth or MAX_DEPTH, MAX_DEPTH)):
                return deepen(works[0], position, own, context, control)

        works[0].helpers = works[1:]
        for helper in works[1:]:
            helper.control[NODE_LIMIT] = own.nodes or 0
        budget = limit.budget(position.side_to_move)
        return run(go, control, seconds=budget, stop=context.stop)

    @property
    def table(self) -> Actions:
        """Return the transposition table; one bucket that is not used where there is none."""
        if self._table is None:
            self._table = new_table(self.means.table) if self.means.table else np.zeros(8, dtype=np.int64)
        return self._table

    def _prepare(self) -> None:
        """Take what memory is needed, and let the findings of earlier searches age."""
        assert self.table is not None
        if not self._minds:
            self._minds = [_Mind(self.game, number) for number in range(self.means.threads)]
        for mind in self._minds:
            mind.memory[:2] = -1  # killers are of one tree
            mind.memory[2:] //= 2
        self.generation = self.generation % (GENERATIONS - 1) + 1

    def _keys_before(self, position: Position, context: Context) -> Words:
        """Return the keys of the positions of the match that this one may come back to."""
        if not self.means.minds_repetition(self.game.facts):
            return np.zeros(0, dtype=np.uint64)
        score, words = position.score, []
        for earlier in reversed(context.history[-REMEMBERED:]):
            if earlier.score != score:
                break  # what was pushed off does not come back
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


class _Mind:
    """The buffers of one thread, kept from search to search."""

    def __init__(self, game: Game, number: int) -> None:
        facts = game.facts
        self.first = number * KEYS
        self.positions = np.zeros((ROWS, facts.words), dtype=np.uint64)
        self.moves = np.zeros((2 * ROWS, facts.actions), dtype=np.int64)
        self.lines = np.zeros((ROWS, ROWS + 1), dtype=np.int64)
        self.memory = np.zeros((MEMORY_ROWS, max(ROWS, facts.actions)), dtype=np.int64)


class _Work:
    """One thread's search of one position."""

    def __init__(
        self,
        mind: _Mind,
        thinker: Thinker,
        position: Position,
        exact_moves: int,
        begun: Words,
        team: Team,
    ) -> None:
        self.mind, self.thinker, self.position, self.team = mind, thinker, position, team
        self.evaluation, self.exact_moves = thinker.evaluation, exact_moves
        self.settings = thinker.means.settings(thinker.game, thinker.evaluation)
        places = {
            LINES: exact_moves,
            GENERATION: thinker.generation,
            FIRST: mind.first,
            START: mind.first + begun.size,
            STRIDE: KEYS if thinker.means.threads > 1 else 0,
        }
        for place, value in places.items():
            self.settings[place] = value
        if self._fewest_moves() < FEW_MOVES:
            self.settings[MARGIN] = 0
        self.control = new_control()
        self.helpers: list[_Work] = []
        self._bundle: Bundle | None = None
        mind.positions[0] = position.words
        thinker.keys[mind.first : mind.first + begun.size] = begun

    def _fewest_moves(self) -> int:
        """Return how many moves the side to move has, or the other one if that is fewer."""
        kernels, mind = self.position.game.kernels, self.mind
        if kernels.pass_turn is no_pass_turn:
            return len(self.position.actions)
        kernels.pass_turn(self.position.words, mind.positions[1])
        others = kernels.legal_moves(mind.positions[1], mind.moves[0])
        return min(len(self.position.actions), int(others))

    def nodes(self, control: Control) -> int:
        """Return the positions visited by all threads."""
        return int(control[NODES]) + sum(int(helper.control[NODES]) for helper in self.helpers)

    def to_depth(self, depth: int, known: Found, control: Control) -> Found:
        """Return what the thread finds that is the first to reach a depth; if stopped, what is known."""
        known = self.team.begin(depth, known, control)
        return (
            known if known.depth >= depth else self.team.end(self._by_itself(depth, known, control), control)
        )

    def _by_itself(self, depth: int, known: Found, control: Control) -> Found:
        """Search to a depth in a narrow window first, and in a wider one if the value is not inside."""
        count = len(known.actions)
        low, high = self._window(depth, known)
        while True:
            control[FINISHED] = 0
            buffers = self._searched(depth, known, low, high, control)
            finished = int(control[FINISHED])
            best = float(buffers.values[:finished].max()) if finished else -INFINITY
            if finished < count and is_stopped(control):
                return self._stopped(known, buffers, finished, best > low)
            if low < best < high:
                return known.after(depth, buffers, self._order(buffers, count))
            if best >= high:
                known = known.led_by(finished - 1, best)
                high = INFINITY
            else:
                low = -INFINITY

    def _window(self, depth: int, known: Found) -> tuple[float, float]:
        width = ASPIRATION * self.evaluation.margin
        is_narrow = self.thinker.means.aspiration and depth >= NARROW_FROM and width > 0
        if not is_narrow or self.exact_moves > 1 or abs(known.values[0]) > EVALUATION_BOUND:
            return -INFINITY, INFINITY
        return known.values[0] - width, known.values[0] + width

    def _order(self, buffers: Buffers, finished: int) -> list[int]:
        """Return the moves that are valued exactly, best first, and the others as they were."""
        ranked = sorted(range(finished), key=lambda index: -buffers.values[index])
        best = ranked[: self.exact_moves]
        return best + [index for index in range(finished) if index not in best]

    def _stopped(self, known: Found, buffers: Buffers, finished: int, is_valued: bool) -> Found:
        """Return what is known when the search was stopped within a depth."""
        if finished == 0 or self.exact_moves > 1 or not is_valued:
            return known
        order = self._order(buffers, finished)
        if buffers.values[order[0]] < -EVALUATION_BOUND:
            return known.without(buffers.values[:finished].tolist())
        return known.after(known.depth, buffers, order)

    def _searched(self, depth: int, known: Found, low: float, high: float, control: Control) -> Buffers:
        buffers = Buffers(len(known.actions), self.mind.lines.shape[1])
        principal_root(
            self._workspace(control).words,
            np.array(known.actions, dtype=np.int64),
            depth,
            low,
            high,
            buffers.values,
            buffers.horizons,
            buffers.lines,
        )
        return buffers

    def _workspace(self, control: Control) -> Bundle:
        """Return what the kernels work with; it is kept as long as they get the same control array."""
        mind, thinker = self.mind, self.thinker
        if self._bundle is None or self._bundle.items[-1] is not control:
            self._bundle = thinker.functions.followed_by(
                ARRAYS,
                (
                    self.evaluation.weights,
                    thinker.table,
                    thinker.keys,
                    mind.positions,
                    mind.moves,
                    mind.lines,
                    mind.memory,
                    self.settings,
                    control,
                ),
            )
        return self._bundle

    def help_on(self, deepest: int) -> None:
        """Search deeper and deeper with the others until somebody stops it."""
        known = self.team.deepest
        while known.depth < deepest and not (is_stopped(self.control) or known.is_done(self.exact_moves)):
            self.to_depth(known.depth + 1, known, self.control)
            known = self.team.deepest


@contextmanager
def _helping(helpers: list[_Work], deepest: int) -> Iterator[None]:
    """Have helpers search while the body does."""
    threads = [
        threading.Thread(target=helper.help_on, args=(deepest,), name="boardgames-helper", daemon=True)
        for helper in helpers
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for helper in helpers:
            helper.control[STOP] = 1
        for thread in threads:
            thread.join()
