"""Iterative deepening: search a position deeper and deeper until a limit is reached."""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from boardgames.declarations import Evaluation
from boardgames.game import Move, Position
from boardgames.kernels import NODE_LIMIT, NODES, Actions, Control, Reals, is_stopped, new_control
from boardgames.player import Analysis, Choice, Context, Limit, MoveValue
from boardgames.search.root import search_root
from boardgames.search.runner import run
from boardgames.search.tree import (
    ALL_MOVES,
    EVALUATION_BOUND,
    EXACT_AT_END,
    FINISHED,
    INFINITY,
    MAX_DEPTH,
    NO_MOVES_DRAWS,
    SETTINGS,
    SPARE_ROWS,
)

NodeSearch = Callable[..., float]
"""A kernel of the type `tree.NODE`: `alphabeta.negamax` or `minimax.minimax`."""


FIRST_NODES = 1_000_000
"""Positions visited for the first ply at most, which no other limit ends."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a depth says of the root moves, best first."""

    depth: int
    actions: tuple[int, ...]
    values: tuple[float, ...]
    exact: tuple[bool, ...]
    lines: tuple[tuple[int, ...], ...]

    @classmethod
    def nothing(cls, position: Position) -> "Found":
        """Return what is known before any search: the legal moves."""
        count = len(position.actions)
        return cls(0, position.actions, (0.0,) * count, (False,) * count, ((),) * count)

    def is_proven(self, index: int) -> bool:
        """Say whether a move's value is that of perfect play: seen to the end, or decided."""
        return self.exact[index] or abs(self.values[index]) > EVALUATION_BOUND

    def is_settled(self) -> bool:
        """Say whether the best value is that of perfect play."""
        return abs(self.values[0]) > EVALUATION_BOUND or all(self.exact)

    def is_done(self, lines: int) -> bool:
        """Say whether a deeper search could say nothing new of the best `lines` moves."""
        if lines > 1:
            return all(self.is_proven(index) for index in range(lines))
        return len(self.actions) == 1 or self.is_settled()

    def without(self, losses: Sequence[float]) -> "Found":
        """Return the same with the first moves last, which were seen to lose, and the others best first."""
        count = len(losses)
        rest = sorted(range(count, len(self.actions)), key=lambda index: -self.values[index])
        seen = replace(self, values=(*losses, *self.values[count:]))
        return seen._in_order([*rest, *range(count)])

    def led_by(self, place: int, value: float) -> "Found":
        """Return the same with the move at `place` first, which is worth `value` at least."""
        order = [place, *(index for index in range(len(self.actions)) if index != place)]
        found = self._in_order(order)
        return replace(found, values=(value, *found.values[1:]), exact=(False, *found.exact[1:]))

    def _in_order(self, order: Sequence[int]) -> "Found":
        return Found(
            self.depth,
            tuple(self.actions[index] for index in order),
            tuple(self.values[index] for index in order),
            tuple(self.exact[index] for index in order),
            tuple(self.lines[index] for index in order),
        )

    def after(self, depth: int, found: "Buffers", order: Sequence[int]) -> "Found":
        """Return what a search of the same moves says, the searched ones in `order`, then the others."""
        count, places = len(self.actions) - len(order), np.array(order)
        lines = found.lines[places]
        width = int(lines[:, 0].max()) + 1
        return Found(
            depth,
            (*(self.actions[index] for index in order), *self.actions[len(order) :]),
            (*found.values[places].tolist(), *(-INFINITY,) * count),
            (*(found.horizons[places] == 0).tolist(), *(False,) * count),
            (*(tuple(line[1 : line[0] + 1]) for line in lines[:, :width].tolist()), *((),) * count),
        )


class Buffers:
    """What a search of the root moves writes: value, evaluated positions and line of each."""

    def __init__(self, count: int, width: int) -> None:
        self.values: Reals = np.zeros(count)
        self.horizons: Actions = np.zeros(count, dtype=np.int64)
        self.lines: Actions = np.zeros((count, width), dtype=np.int64)


class DepthSearch(Protocol):
    """Searches the root moves to one depth."""

    evaluation: Evaluation
    exact_moves: int
    """So many of the best are valued exactly."""

    def to_depth(self, depth: int, known: Found, control: Control) -> Found:
        """Return what is found, or, if stopped, what is known with what could be added to it."""

    def nodes(self, control: Control) -> int:
        """Return the positions visited so far."""


def deepen(
    searcher: DepthSearch, position: Position, limit: Limit, context: Context, control: Control
) -> Analysis:
    """Search deeper and deeper until a limit is reached, all is proven, or nothing is left to decide.

    Parameters
    ----------
    searcher : DepthSearch
        Does one depth.
    control : int64[CONTROL_SIZE]
        Once it is stopped, the depth under way is the last.
    """
    return _Deepening(searcher, position, limit, context, control).go()


class _Deepening:
    def __init__(
        self, searcher: DepthSearch, position: Position, limit: Limit, context: Context, control: Control
    ) -> None:
        self.searcher, self.position, self.limit = searcher, position, limit
        self.context, self.control = context, control
        self.started = time.perf_counter()
        self.deepest = min(limit.depth or MAX_DEPTH, MAX_DEPTH)
        self.shown = min(searcher.exact_moves, len(position.actions))

    def go(self) -> Analysis:
        found = self._first_depth()
        self._report(found)
        while found.depth < self.deepest and not (is_stopped(self.control) or found.is_done(self.shown)):
            self.control[FINISHED] = 0
            deeper = self.searcher.to_depth(found.depth + 1, found, self.control)
            if deeper.depth == found.depth:  # stopped within it
                found = deeper
                break
            found = deeper
            self._report(found)
        return self._analysis(found)

    def _first_depth(self) -> Found:
        """Search one ply, whatever the limits: there must be a move to answer with."""
        unstopped = new_control()
        unstopped[NODE_LIMIT] = FIRST_NODES
        found = self.searcher.to_depth(1, Found.nothing(self.position), unstopped)
        self.control[NODES] += unstopped[NODES]
        self.control[NODE_LIMIT] = self.limit.nodes or 0
        return found

    def _report(self, found: Found) -> None:
        if self.context.report is not None:
            self.context.report(as_choice(self._analysis(found)))

    def _analysis(self, found: Found) -> Analysis:
        moves = tuple(self._move_value(found, index) for index in range(self.shown))
        return Analysis(
            position=self.position,
            value=moves[0].value,
            unit=self.searcher.evaluation.unit,
            proven=found.is_settled(),
            moves=moves,
            depth=found.depth,
            nodes=self.searcher.nodes(self.control),
            seconds=time.perf_counter() - self.started,
        )

    def _move_value(self, found: Found, index: int) -> MoveValue:
        value = found.values[index] + 0.0  # no negative zero
        if self.searcher.evaluation.unit == "return" and abs(value) > EVALUATION_BOUND:
            value = math.copysign(1.0, value)
        line = _named(self.position, found.lines[index] or found.actions[index : index + 1])
        return MoveValue(line[0], value, found.is_proven(index), line)


def search(
    position: Position,
    node: NodeSearch,
    evaluation: Evaluation,
    limit: Limit,
    context: Context,
    *,
    all_moves: bool = False,
) -> Analysis:
    """Return what plain minimax or alpha-beta knows of the root moves when the limit is reached.

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
    rows = min(limit.depth or MAX_DEPTH, MAX_DEPTH) + SPARE_ROWS
    return searched(_ByNode(position, evaluation, rows, all_moves, node), position, limit, context)


def searched(searcher: DepthSearch, position: Position, limit: Limit, context: Context) -> Analysis:
    """Return what a search finds in a thread of its own, which time, stop and Ctrl-C reach."""
    control = new_control(0)
    return run(
        lambda: deepen(searcher, position, limit, context, control),
        control,
        seconds=limit.budget(position.side_to_move),
        stop=context.stop,
    )


class Plain(ABC):
    """A search that remembers nothing from one depth to the next but the order of the root moves.

    Parameters
    ----------
    rows : int
        Plies from the root that its stacks have room for.
    all_moves : bool
        Every move is to be valued exactly.
    """

    def __init__(self, position: Position, evaluation: Evaluation, rows: int, all_moves: bool) -> None:
        self.evaluation, self.kernels = evaluation, position.game.kernels
        self.exact_moves = len(position.actions) if all_moves else 1
        facts = position.game.facts
        self.positions = np.zeros((rows, facts.words), dtype=np.uint64)
        self.positions[0] = position.words
        self.moves = np.zeros((2 * rows, facts.actions), dtype=np.int64)
        self.lines = np.zeros((rows, rows + 1), dtype=np.int64)
        self.settings = np.zeros(SETTINGS, dtype=np.int64)
        self.settings[NO_MOVES_DRAWS] = facts.no_moves_draws
        self.settings[EXACT_AT_END] = evaluation.exact_at_end
        self.settings[ALL_MOVES] = all_moves

    @abstractmethod
    def fill(self, actions: Actions, depth: int, buffers: Buffers, control: Control) -> None:
        """Write the value, the evaluated positions and the line of each root move, in their order."""

    def to_depth(self, depth: int, known: Found, control: Control) -> Found:
        """Return what is found, or, if stopped, what is known with what could be added to it."""
        count = len(known.actions)
        buffers = Buffers(count, self.lines.shape[1])
        self.fill(np.array(known.actions, dtype=np.int64), depth, buffers, control)
        finished = int(control[FINISHED])
        if finished < count and (finished == 0 or self.exact_moves > 1):
            return known
        order = sorted(range(finished), key=lambda index: -buffers.values[index])
        if finished < count and buffers.values[order[0]] < -EVALUATION_BOUND:
            return known.without(buffers.values[:finished].tolist())
        return known.after(depth if finished == count else known.depth, buffers, order)

    def nodes(self, control: Control) -> int:
        """Return the positions visited so far."""
        return int(control[NODES])


class _ByNode(Plain):
    """A search by a kernel of the type `tree.NODE`."""

    def __init__(
        self, position: Position, evaluation: Evaluation, rows: int, all_moves: bool, node: NodeSearch
    ) -> None:
        super().__init__(position, evaluation, rows, all_moves)
        self.node = node

    def fill(self, actions: Actions, depth: int, buffers: Buffers, control: Control) -> None:
        kernels, evaluation = self.kernels, self.evaluation
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
            actions,
            depth,
            buffers.values,
            buffers.horizons,
            buffers.lines,
            self.settings,
            control,
        )


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


def _named(position: Position, actions: tuple[int, ...]) -> tuple[Move, ...]:
    moves = []
    for action in actions:
        moves.append(position.game.decode(position, action))
        position = position.apply(moves[-1])
    return tuple(moves)
