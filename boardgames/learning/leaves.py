"""Matches of self-play by search, and what stands at the ends of its lines.

A search values a position by the last one of its principal variation, where
nothing hangs any more: features are read there. The task of this module plays
matches and gives, for each move, those features and how the match ended.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from boardgames.game import Move, Position
from boardgames.kernels import Reals
from boardgames.player import Context, Limit, MoveValue
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher
from boardgames.selfplay.worker import MatchSetup, WorkerState, worker_state
from boardgames.weights.linear import linear_evaluation

TABLE_MB = 1


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Leaves of matches, each seen by the side that has just moved there.

    Attributes
    ----------
    features : float64[m, n]
        On the scale where ranges are -1 to 1.
    points : float64[m]
        Of that side at the end of the match: 1, 0, or one half.
    plies : tuple of int
        Of each match.
    decided : int
        Matches that somebody won.
    """

    features: Reals
    points: Reals
    plies: tuple[int, ...]
    decided: int


def gather(
    setup: MatchSetup, weights: Reals, *, nodes: int, epsilon: float, matches: int, seed: int
) -> Gathered:
    """Play matches between equals who search, and return their leaves; a task.

    Parameters
    ----------
    weights : float64[n]
        Of the setup's features: both sides' evaluation.
    nodes : int
        Positions visited a move.
    epsilon : float
        Share of moves that are any, besides those of the opening.
    matches : int
        An undecided one counts for the side that is ahead in what the rules count.
    seed : int
        Decides openings and exploration.
    """
    room = worker_state(setup)
    gatherer = _Gatherer(room, weights, nodes, epsilon)
    return room.run_stoppable(lambda: gatherer.gather(matches, np.random.default_rng(seed)))


class _Gatherer:
    def __init__(self, room: WorkerState, weights: Reals, nodes: int, epsilon: float) -> None:
        self.room, self.epsilon, self.limit = room, epsilon, Limit(nodes=nodes)
        evaluation = linear_evaluation(room.game, room.features, weights, squashes=False)
        self.searcher = Searcher(room.game, evaluation, SearchOptions(table=TABLE_MB))

    def gather(self, matches: int, random: np.random.Generator) -> Gathered:
        features: list[Reals] = []
        points: list[float] = []
        plies, decided = [], 0
        for _ in range(matches):
            found, end, length = self._match(random)
            if self.room.control[0].stop:
                break
            for side, numbers in found:
                features.append(numbers)
                points.append(_points(end, side))
            plies.append(length)
            decided += end.outcome is not None and end.outcome.winner is not None
        size = len(self.room.features.features)
        return Gathered(np.array(features).reshape(-1, size), np.array(points), tuple(plies), decided)

    def _match(self, random: np.random.Generator) -> tuple[list[tuple[int, Reals]], Position, int]:
        """Return the leaves with the side that moved there, the last position, and the plies."""
        self.searcher.forget()
        position = self._opened(random)
        history: list[Position] = []
        found: list[tuple[int, Reals]] = []
        for _ in range(self.room.setup.ply_limit):
            if not position.actions or self.room.control[0].stop:
                break
            best = self._best(position, history)
            if not best.score.is_decisive:
                found.extend(self._leaf(position, best.line))
            explores = random.random() < self.epsilon
            history.append(position)
            position = position.apply(_any_move(position, random) if explores else best.move)
        return found, position, len(history)

    def _opened(self, random: np.random.Generator) -> Position:
        """Return a position after the opening's moves, or one before if the match would be over."""
        position = self.room.game.start()
        for _ in range(self.room.setup.opening):
            after = position.apply(_any_move(position, random))
            if not after.actions:
                break
            position = after
        return position

    def _best(self, position: Position, history: list[Position]) -> MoveValue:
        return self.searcher.search(position, self.limit, Context(history=tuple(history))).moves[0]

    def _leaf(self, position: Position, line: tuple[Move, ...]) -> Iterator[tuple[int, Reals]]:
        """Give the features at the end of a line, unless the match is over there."""
        for move in line:
            position = position.apply(move)
        if position.actions:
            features = self.room.features
            numbers = np.zeros(len(features.features))
            side = 1 - position.side_to_move
            features.kernel(position.words, side, numbers)
            yield side, features.normalised(numbers)


def _any_move(position: Position, random: np.random.Generator) -> Move:
    moves = position.legal_moves
    return moves[int(random.integers(len(moves)))]


def _points(end: Position, side: int) -> float:
    if end.outcome is not None:
        return 0.5 if end.outcome.winner is None else float(end.outcome.winner == side)
    ahead = end.score[side] - end.score[1 - side]
    return 0.5 + 0.5 * float(np.sign(ahead))
