"""The learner `regression`: how matches end, by logistic regression on the leaves of their searches.

Each step plays matches with the weights so far and fits new ones to how they
ended. What earlier steps found is kept as a normal distribution around the
weights, whose precision is forgotten bit by bit, since better play is other
play.

Sources: P. Österlund, "Texel's tuning method", chess programming wiki, 2014;
J. Baxter, A. Tridgell, L. Weaver, "Learning to play chess using temporal
differences", 2000, for the leaves; D. Spiegelhalter and S. Lauritzen,
"Sequential updating of conditional probabilities", 1990, for the precision.
"""

from collections.abc import Mapping
from concurrent.futures import Executor
from typing import ClassVar

import numpy as np

from boardgames.errors import OptionError
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import LearnerState
from boardgames.learning.base import FEATURES, PLY_LIMIT, TEST_MATCHES, FeatureLearner
from boardgames.learning.leaves import Gathered, gather
from boardgames.learning.td import INITIAL, first_weights
from boardgames.options import Option
from boardgames.selfplay import derive_seed
from boardgames.weights import find_weights

BATCH = 5
"""Matches a task."""
PRIOR = 1e-4
"""Precision of the first weights, as a share of what one step tells."""
ITERATIONS = 50
SMALLEST_CHANGE = 1e-9


class Regression(FeatureLearner):
    """Logistic regression of outcomes on the leaves of searches."""

    name: ClassVar[str] = "regression"
    follows_curve: ClassVar[bool] = False
    declared_options = (
        FEATURES,
        Option("nodes", int, 1500, "positions visited a move", minimum=1, maximum=10**9),
        Option("matches", int, 200, "matches a step", minimum=1, maximum=10**6),
        Option("steps", int, 10, "steps in all", minimum=1, maximum=10**9),
        Option("epsilon", float, 0.04, "share of exploratory moves", minimum=0, maximum=1),
        Option("memory", float, 0.5, "share of what was known that a step keeps", minimum=0, maximum=1),
        Option("start", str, None, "weights to begin with, a name, run or file; random if none"),
        INITIAL,
        Option("opening", int, 8, "plies that are any at the start of a match", minimum=0, maximum=1000),
        PLY_LIMIT,
        TEST_MATCHES,
    )

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        self._start = self._given()

    def _given(self) -> Reals | None:
        """Return the weights of the option `start`, None without it.

        Raises
        ------
        OptionError
            If they are of other features.
        """
        if not self.text("start"):
            return None
        weights, _ = find_weights(self.text("start"), self.game)
        if weights.features != self.features.name:
            raise OptionError(f"expected weights of {self.features.name} to start with: {weights.features}")
        return weights.values

    @property
    def length(self) -> int:
        """Return the number of steps."""
        return self.whole("steps")

    def start(self, seed: int) -> LearnerState:
        """Return the first weights, of which nothing is known for sure."""
        weights = self._start
        if weights is None:
            weights = first_weights(1, self.size, self.number("initial"), derive_seed(seed, "regression"))[0]
        arrays = {"mean": weights.copy(), "precision": np.zeros((self.size, self.size))}
        return LearnerState(arrays, {"step": 0, "seed": seed})

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Play a step's matches and fit the weights to how they ended."""
        step, seed = state.scalars["step"], state.scalars["seed"]
        assert isinstance(step, int)
        mean, matches = state.arrays["mean"], self.whole("matches")
        futures = [
            executor.submit(
                gather, self.setup, mean,
                nodes=self.whole("nodes"), epsilon=self.number("epsilon"),
                matches=min(BATCH, matches - begun), seed=derive_seed(seed, "regression", step, begun),
            )
            for begun in range(0, matches, BATCH)
        ]  # fmt: skip
        gathered = [future.result() for future in futures]
        features = np.concatenate([part.features for part in gathered])
        points = np.concatenate([part.points for part in gathered])
        weights, precision = fitted(features, points, mean, state.arrays["precision"])
        metrics = {
            **self.scored(weights, executor, seed=derive_seed(seed, "test", step)),
            **_course(gathered),
            "loss": loss(features, points, weights),
            "change": float(np.abs(weights - mean).max()),
        }
        arrays = {"mean": weights, "precision": self.number("memory") * precision}
        return LearnerState(arrays, {"step": step + 1, "seed": seed}), metrics

    def is_done(self, state: LearnerState) -> bool:
        """Say whether all steps are done."""
        step = state.scalars["step"]
        assert isinstance(step, int)
        return step >= self.length

    def weights(self, state: LearnerState) -> Reals:
        """Return the weights after the last step."""
        found: Reals = state.arrays["mean"].copy()
        return found


def fitted(features: Reals, points: Reals, mean: Reals, precision: Reals) -> tuple[Reals, Reals]:
    """Return the most probable weights and their precision.

    Parameters
    ----------
    features : float64[m, n]
        Of positions.
    points : float64[m]
        What the side that sees them so got in the end, 0 to 1.
    mean, precision : float64[n], float64[n, n]
        What was known: a normal distribution, in units of one step's mean loss.

    Examples
    --------
    >>> seen = np.array([[1.0], [1.0], [1.0], [-1.0]])
    >>> weights, _ = fitted(seen, np.array([1.0, 1.0, 0.0, 0.5]), np.zeros(1), np.zeros((1, 1)))
    >>> round(float(weights[0]), 2)
    0.51
    """
    count = len(points)
    if not count:
        return mean.copy(), precision.copy()
    prior = precision + PRIOR * np.diag((features**2).mean(axis=0) + SMALLEST_CHANGE)
    weights, informed = mean.copy(), prior
    for _ in range(ITERATIONS):
        expected = _logistic(features @ weights)
        slope = features.T @ (expected - points) / count + prior @ (weights - mean)
        informed = prior + (features * (expected * (1.0 - expected))[:, None]).T @ features / count
        change = np.linalg.solve(informed, slope)
        share = 1.0
        before = _worth(features, points, weights, mean, prior)
        while share > SMALLEST_CHANGE:
            if _worth(features, points, weights - share * change, mean, prior) <= before:
                break
            share /= 2.0
        weights = weights - share * change
        if np.abs(share * change).max() < SMALLEST_CHANGE:
            break
    return weights, informed


def loss(features: Reals, points: Reals, weights: Reals) -> float:
    """Return the mean logarithmic loss of what the weights expect; log 2 is that of a coin."""
    if not points.size:
        return float("nan")
    sums = features @ weights
    return float(np.mean(np.logaddexp(0.0, sums) - points * sums))


def _worth(features: Reals, points: Reals, weights: Reals, mean: Reals, prior: Reals) -> float:
    away = weights - mean
    return loss(features, points, weights) + 0.5 * float(away @ prior @ away)


def _logistic(sums: Reals) -> Reals:
    found: Reals = 0.5 * (1.0 + np.tanh(0.5 * sums))
    return found


def _course(gathered: list[Gathered]) -> dict[str, float]:
    plies = [length for part in gathered for length in part.plies]
    decided = sum(part.decided for part in gathered)
    return {"decided": decided / len(plies), "plies": float(np.mean(plies))} if plies else {}
