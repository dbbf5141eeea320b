"""The learner `regression`: logistic regression of match results on the leaves of searches.

Each step plays matches by search with the current weights. The score of a search
is the evaluation of the last position of its principal variation, which is
quiet, so features are taken from there. New weights are fitted to predict the
results of the matches from these features.

The evidence of earlier steps is a normal distribution around the weights. Each
step forgets part of its precision, since better players play other positions.

Sources: P. Österlund, "Texel's tuning method", chess programming wiki, 2014;
J. Baxter, A. Tridgell, L. Weaver, "Learning to play chess using temporal
differences", 2000, for the leaves; D. Spiegelhalter and S. Lauritzen,
"Sequential updating of conditional probabilities", 1990, for the precision.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from boardgames.game import Move, Position
from boardgames.kernels import Reals
from boardgames.learner import LearnerState
from boardgames.learning.base import FEATURES, PLY_LIMIT, START, TEST_MATCHES, FeatureLearner
from boardgames.learning.td import INITIAL, initial_weights
from boardgames.options import Option
from boardgames.player import Context, Limit, MoveValue
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.searcher import Searcher
from boardgames.selfplay import SelfPlaySetup, derive_seed
from boardgames.selfplay.worker import WorkerState, worker_state
from boardgames.weights.linear import linear_evaluation

BATCH = 5
"""Maximum number of matches in a task."""
TABLE_MB = 1
PRIOR = 1e-4
"""Precision of the initial weights, as a share of the evidence in one step."""
MAX_ITERATIONS = 50
TOLERANCE = 1e-9


class Regression(FeatureLearner):
    """Logistic regression of match results on the leaves of searches."""

    name: ClassVar[str] = "regression"
    follows_curve: ClassVar[bool] = False
    declared_options = (
        FEATURES,
        Option("nodes", int, 1500, "nodes searched per move", minimum=1, maximum=10**9),
        Option("matches", int, 200, "matches per step", minimum=1, maximum=10**6),
        Option("steps", int, 10, "number of steps", minimum=1, maximum=10**9),
        Option("epsilon", float, 0.04, "probability of an exploratory move", minimum=0, maximum=1),
        Option("memory", float, 0.5, "share of earlier evidence that each step keeps", minimum=0, maximum=1),
        START,
        INITIAL,
        Option("opening", int, 8, "number of random opening plies", minimum=0, maximum=1000),
        PLY_LIMIT,
        TEST_MATCHES,
    )  # fmt: skip

    @property
    def searches(self) -> bool:
        """Return True, because the features are read at the leaves of searches."""
        return True

    def start(self, seed: int) -> LearnerState:
        """Return the initial weights, with no evidence for them yet."""
        weights = self.given
        if weights is None:
            spread = self.number("initial")
            weights = initial_weights(1, self.size, spread, derive_seed(seed, "regression"))[0]
        arrays = {"mean": weights.copy(), "precision": np.zeros((self.size, self.size))}
        return LearnerState(arrays, {"step": 0, "seed": seed})

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Play the matches of a step and fit the weights to their results."""
        step, seed = state.integer("step"), state.integer("seed")
        mean, matches = state.arrays["mean"], self.integer("matches")
        futures = [
            executor.submit(
                self_play, self.setup, mean,
                nodes=self.integer("nodes"), epsilon=self.number("epsilon"),
                matches=min(BATCH, matches - begun), seed=derive_seed(seed, "regression", step, begun),
            )
            for begun in range(0, matches, BATCH)
        ]  # fmt: skip
        batches = [future.result() for future in futures]
        features = np.concatenate([batch.features for batch in batches])
        points = np.concatenate([batch.points for batch in batches])
        weights, precision = fit(features, points, mean, state.arrays["precision"])
        metrics = {
            **self.score_metrics(weights, executor, seed=derive_seed(seed, "test", step)),
            **_match_metrics(batches),
            "loss": loss(features, points, weights),
            "change": float(np.abs(weights - mean).max()),
        }
        arrays = {"mean": weights, "precision": self.number("memory") * precision}
        return LearnerState(arrays, {"step": step + 1, "seed": seed}), metrics

    def weights(self, state: LearnerState) -> Reals:
        """Return the weights after the last step."""
        weights: Reals = state.arrays["mean"].copy()
        return weights


# --- regression -------------------------------------------------------------


def fit(features: Reals, points: Reals, mean: Reals, precision: Reals) -> tuple[Reals, Reals]:
    """Return the most probable weights and their precision, by Newton's method.

    Parameters
    ----------
    features : float64[m, n]
        Features of the positions.
    points : float64[m]
        Points, 0 to 1, of the side for which the features were computed.
    mean, precision : float64[n], float64[n, n]
        Prior normal distribution of the weights; precision 1 weighs as much as all positions together.

    Examples
    --------
    >>> features, points = np.array([[1.0], [1.0], [1.0], [-1.0]]), np.array([1.0, 1.0, 0.0, 0.5])
    >>> weights, _ = fit(features, points, np.zeros(1), np.zeros((1, 1)))
    >>> round(float(weights[0]), 2)
    0.51
    """
    count = len(points)
    if not count:
        return mean.copy(), precision.copy()
    prior = precision + PRIOR * np.diag((features**2).mean(axis=0) + TOLERANCE)

    def objective(weights: Reals) -> float:
        distance = weights - mean
        return loss(features, points, weights) + 0.5 * float(distance @ prior @ distance)

    weights, hessian = mean.copy(), prior
    for _ in range(MAX_ITERATIONS):
        expected = _logistic(features @ weights)
        gradient = features.T @ (expected - points) / count + prior @ (weights - mean)
        hessian = prior + (features * (expected * (1.0 - expected))[:, None]).T @ features / count
        change = np.linalg.solve(hessian, gradient)
        before = objective(weights)
        scale = 1.0  # halved until the objective does not increase
        while scale > TOLERANCE and objective(weights - scale * change) > before:
            scale /= 2.0
        weights = weights - scale * change
        if np.abs(scale * change).max() < TOLERANCE:
            break
    return weights, hessian


def loss(features: Reals, points: Reals, weights: Reals) -> float:
    """Return the mean logarithmic loss of predicting points; log 2 for predictions of one half."""
    if not points.size:
        return float("nan")
    sums = features @ weights
    return float(np.mean(np.logaddexp(0.0, sums) - points * sums))


def _logistic(sums: Reals) -> Reals:
    values: Reals = 0.5 * (1.0 + np.tanh(0.5 * sums))
    return values


# --- self-play by search ----------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class SelfPlayMatches:
    """Matches of self-play and the leaves of their searches.

    Attributes
    ----------
    features : float64[m, n]
        Features of the leaves, on the scale on which ranges are -1 to 1, from the
        point of view of the side that has just moved there.
    points : float64[m]
        Points of that side at the end of the match: 1, 0, or one half.
    plies : tuple of int
        Length of each match.
    decided : int
        Number of matches with a winner.
    """

    features: Reals
    points: Reals
    plies: tuple[int, ...]
    decided: int


def self_play(
    setup: SelfPlaySetup, weights: Reals, *, nodes: int, epsilon: float, matches: int, seed: int
) -> SelfPlayMatches:
    """Play matches in which both sides search with the same weights; a task for an executor.

    Parameters
    ----------
    weights : float64[n]
        Weights of the setup's features.
    nodes : int
        Nodes searched per move.
    epsilon : float
        Probability of a random move after the opening.
    matches : int
        Number of matches; one that reaches the ply limit counts for the side with the higher score.
    seed : int
        Seeds openings and exploration.
    """
    state = worker_state(setup)
    search_play = _SearchPlay(state, weights, nodes, epsilon)
    return state.run_stoppable(lambda: search_play.play(matches, np.random.default_rng(seed)))


class _SearchPlay:
    """Self-play by alpha-beta search that collects leaves."""

    def __init__(self, state: WorkerState, weights: Reals, nodes: int, epsilon: float) -> None:
        self.state, self.epsilon, self.limit = state, epsilon, Limit(nodes=nodes)
        evaluation = linear_evaluation(state.game, state.features, weights, tanh=False)
        self.searcher = Searcher(state.game, evaluation, SearchOptions(table=TABLE_MB))

    def play(self, matches: int, random: np.random.Generator) -> SelfPlayMatches:
        features: list[Reals] = []
        points: list[float] = []
        plies, decided = [], 0
        for _ in range(matches):
            leaves, end, length = self._play_match(random)
            if self._is_stopped:
                break
            for side, values in leaves:
                features.append(values)
                points.append(_points(end, side))
            plies.append(length)
            decided += end.outcome is not None and end.outcome.winner is not None
        size = len(self.state.features.features)
        return SelfPlayMatches(np.array(features).reshape(-1, size), np.array(points), tuple(plies), decided)

    @property
    def _is_stopped(self) -> bool:
        return bool(self.state.control[0].stop)

    def _play_match(self, random: np.random.Generator) -> tuple[list[tuple[int, Reals]], Position, int]:
        """Return the leaves, each with the side that had just moved, the final position and the length."""
        self.searcher.forget()
        position = self._opening(random)
        history: list[Position] = []
        leaves: list[tuple[int, Reals]] = []
        for _ in range(self.state.setup.ply_limit):
            if not position.actions or self._is_stopped:
                break
            best = self._best_move(position, history)
            if not best.score.is_decisive:
                leaves.extend(self._leaf(position, best.line))
            is_exploring = random.random() < self.epsilon
            history.append(position)
            position = position.apply(_random_move(position, random) if is_exploring else best.move)
        return leaves, position, len(history)

    def _opening(self, random: np.random.Generator) -> Position:
        """Return the position after the random opening plies, or the last one with legal moves."""
        position = self.state.game.start()
        for _ in range(self.state.setup.opening):
            after = position.apply(_random_move(position, random))
            if not after.actions:
                break
            position = after
        return position

    def _best_move(self, position: Position, history: list[Position]) -> MoveValue:
        return self.searcher.search(position, self.limit, Context(history=tuple(history))).moves[0]

    def _leaf(self, position: Position, line: Sequence[Move]) -> Iterator[tuple[int, Reals]]:
        """Yield the side that has just moved at the end of a line, and its features; nothing after an end."""
        for move in line:
            position = position.apply(move)
        if position.actions:
            features = self.state.features
            values = np.zeros(len(features.features))
            side = 1 - position.side_to_move
            features.kernel(position.words, side, values)
            yield side, features.normalised(values)


def _random_move(position: Position, random: np.random.Generator) -> Move:
    moves = position.legal_moves
    return moves[int(random.integers(len(moves)))]


def _points(end: Position, side: int) -> float:
    if end.outcome is not None:
        return 0.5 if end.outcome.winner is None else float(end.outcome.winner == side)
    ahead = end.score[side] - end.score[1 - side]
    return 0.5 + 0.5 * float(np.sign(ahead))


def _match_metrics(batches: Sequence[SelfPlayMatches]) -> dict[str, float]:
    plies = [length for batch in batches for length in batch.plies]
    decided = sum(batch.decided for batch in batches)
    return {"decided": decided / len(plies), "plies": float(np.mean(plies))} if plies else {}
