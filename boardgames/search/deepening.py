"""Iterative deepening: search a position deeper and deeper until a limit is reached."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from boardgames.declarations import Evaluation
from boardgames.game import Move, Position
from boardgames.kernels import NODE_LIMIT, NODES, Actions, Control, is_stopped, new_control
from boardgames.playing import Analysis, Choice, Context, Limit, MoveValue
from boardgames.search.root import search_root
from boardgames.search.runner import run
from boardgames.search.tree import EVALUATION_BOUND, FINISHED, INFINITY, MAX_DEPTH

NodeSearch = Callable[..., float]
"""A kernel of the type `tree.NODE`: `alphabeta.negamax` or `minimax.minimax`."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What a depth says of the root moves, best first."""

    depth: int
    actions: tuple[int, ...]
    values: tuple[float, ...]
    exact: tuple[bool, ...]
    lines: tuple[tuple[int, ...], ...]

    def is_proven(self, index: int) -> bool:
        """Say whether a move's value is that of perfect play: seen to the end, or decided."""
        return self.exact[index] or abs(self.values[index]) > EVALUATION_BOUND

    def is_settled(self) -> bool:
        """Say whether the best value is that of perfect play."""
        return abs(self.values[0]) > EVALUATION_BOUND or all(self.exact)

    def without(self, count: int) -> "_Found":
        """Return the same with the first `count` moves last: they were seen to lose."""
        return _Found(
            self.depth,
            self.actions[count:] + self.actions[:count],
            self.values[count:] + self.values[:count],
            self.exact[count:] + self.exact[:count],
            self.lines[count:] + self.lines[:count],
        )


def search(
    position: Position,
    node: NodeSearch,
    evaluation: Evaluation,
    limit: Limit,
    context: Context,
    *,
    all_moves: bool = False,
) -> Analysis:
    """Return what is known of the root moves when the limit is reached.

    Parameters
    ----------
    position : Position
        Not finished.
    node : kernel
        Searches below one position: of the type `tree.NODE`.
    evaluation : Evaluation
        Of positions at the horizon.
    limit : Limit
        Time, depth and nodes. Depth 1 is always completed, so that there is a
        move; if the search is stopped within a deeper one, the moves that were
        searched there count, the best one so far first; if all of them lose,
        the next one is played.
    context : Context
        Its `stop` ends the search; its `report` hears of each depth.
    all_moves : bool
        Value every move exactly for its depth, not only the best.

    Raises
    ------
    KeyboardInterrupt
        When the user interrupts; the kernels have ended by then.
    """
    control = new_control(0)
    work = _Deepening(position, node, evaluation, limit, context, control, all_moves)
    budget = limit.budget(position.side_to_move)
    return run(work.go, control, seconds=budget, stop=context.stop)


class _Deepening:
    """The buffers and the loop of one search."""

    def __init__(
        self,
        position: Position,
        node: NodeSearch,
        evaluation: Evaluation,
        limit: Limit,
        context: Context,
        control: Control,
        all_moves: bool,
    ) -> None:
        self.position, self.node, self.evaluation = position, node, evaluation
        self.limit, self.context, self.control, self.all_moves = limit, context, control, all_moves
        self.started = time.perf_counter()
        facts = position.game.facts
        self.deepest = min(limit.depth or MAX_DEPTH, MAX_DEPTH)
        rows = self.deepest + 2
        self.positions = np.zeros((rows, facts.words), dtype=np.uint64)
        self.positions[0] = position.words
        self.moves = np.zeros((2 * rows, facts.actions), dtype=np.int64)
        self.lines = np.zeros((rows, rows + 1), dtype=np.int64)
        settings = (facts.no_moves_draws, evaluation.exact_at_end, all_moves)
        self.settings = np.array(settings, dtype=np.int64)

    def go(self) -> Analysis:
        """Deepen until a limit is reached, all is proven, or nothing is left to decide."""
        found = self._first_depth()
        self._report(found)
        while found.depth < self.deepest and not self._is_done(found):
            deeper = self._next_depth(found)
            if deeper.depth == found.depth:  # stopped within it
                found = deeper
                break
            found = deeper
            self._report(found)
        return self._analysis(found)

    def _is_done(self, found: _Found) -> bool:
        if is_stopped(self.control):
            return True
        if self.all_moves:
            return all(found.is_proven(index) for index in range(len(found.actions)))
        return len(found.actions) == 1 or found.is_settled()

    def _first_depth(self) -> _Found:
        """Search one ply, whatever the limits: there must be a move to answer with."""
        actions = self.position.actions
        start = _Found(0, actions, (0.0,) * len(actions), (False,) * len(actions), ())
        unstopped = new_control()
        found = self._run(1, start, unstopped)
        self.control[NODES] += unstopped[NODES]
        self.control[NODE_LIMIT] = self.limit.nodes or 0
        return found

    def _next_depth(self, found: _Found) -> _Found:
        self.control[FINISHED] = 0
        return self._run(found.depth + 1, found, self.control)

    def _run(self, depth: int, known: _Found, control: Control) -> _Found:
        """Search to `depth`; if that is stopped, return what is known with what it added."""
        count = len(known.actions)
        values, horizons = np.zeros(count), np.zeros(count, dtype=np.int64)
        lines = np.zeros((count, self.lines.shape[1]), dtype=np.int64)
        kernels, evaluation = self.position.game.kernels, self.evaluation
        search_root(
            self.node,
            kernels.legal_moves,
            kernels.apply,
            kernels.side_to_move,
            kernels.outcome,
            kernels.move_order,
            evaluation.kernel,
            evaluation.weights,
            self.positions,
            self.moves,
            self.lines,
            np.array(known.actions, dtype=np.int64),
            depth,
            values,
            horizons,
            lines,
            self.settings,
            control,
        )
        finished = int(control[FINISHED])
        if finished < count and (finished == 0 or self.all_moves):
            return known
        order = sorted(range(finished), key=lambda index: -values[index])
        if finished < count and values[order[0]] < -EVALUATION_BOUND:
            return known.without(finished)
        rest = range(finished, count)
        return _Found(
            depth if finished == count else known.depth,
            tuple(known.actions[index] for index in (*order, *rest)),
            (*(float(values[index]) for index in order), *(-INFINITY for _ in rest)),
            (*(bool(horizons[index] == 0) for index in order), *(False for _ in rest)),
            (*(_line(lines[index]) for index in order), *(() for _ in rest)),
        )

    def _report(self, found: _Found) -> None:
        if self.context.report is not None:
            self.context.report(as_choice(self._analysis(found)))

    def _analysis(self, found: _Found) -> Analysis:
        shown = len(found.actions) if self.all_moves else 1
        moves = tuple(self._move_value(found, index) for index in range(shown))
        return Analysis(
            position=self.position,
            value=moves[0].value,
            unit=self.evaluation.unit,
            proven=found.is_settled(),
            moves=moves,
            depth=found.depth,
            nodes=int(self.control[NODES]),
            seconds=time.perf_counter() - self.started,
        )

    def _move_value(self, found: _Found, index: int) -> MoveValue:
        value = found.values[index] + 0.0  # no negative zero
        if self.evaluation.unit == "return" and abs(value) > EVALUATION_BOUND:
            value = math.copysign(1.0, value)
        line = _named(self.position, found.lines[index])
        return MoveValue(line[0], value, found.is_proven(index), line)


def as_choice(analysis: Analysis) -> Choice:
    """Return the best move of an analysis as a player's answer."""
    best = analysis.moves[0]
    return Choice(
        best.move,
        analysis.value,
        analysis.unit,
        best.line,
        analysis.depth,
        analysis.nodes,
        analysis.seconds,
        analysis.proven,
    )


def _line(actions: Actions) -> tuple[int, ...]:
    """Return a line as a kernel writes it: its length, then its actions."""
    return tuple(actions[1 : actions[0] + 1].tolist())


def _named(position: Position, actions: tuple[int, ...]) -> tuple[Move, ...]:
    moves = []
    for action in actions:
        moves.append(position.game.decode(position, action))
        position = position.apply(moves[-1])
    return tuple(moves)
