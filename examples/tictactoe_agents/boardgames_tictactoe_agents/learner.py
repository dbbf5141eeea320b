"""A learner: hill climbing."""

from collections.abc import Mapping
from concurrent.futures import Executor
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from boardgames import LearnerState, Option
from boardgames.learning.base import FeatureLearner, mean_points
from boardgames.selfplay import Contestant, derive_seed


class HillClimbing(FeatureLearner):
    """Changes the weights at random and keeps a change if it wins more than half of the points.

    The state has everything that training needs to continue, and every random number depends only on the
    seed and the step. So a run that is killed and resumed ends with the same weights.
    """

    name: ClassVar[str] = "hill-climbing"
    declared_options = (
        Option("steps", int, 30, "number of changes to try", minimum=1, maximum=100_000),
        Option("change", float, 0.5, "standard deviation of a change of a weight", minimum=0, maximum=100),
        Option("matches", int, 40, "matches between the old and the new weights", minimum=2, maximum=10_000),
        *FeatureLearner.declared_options,
    )

    def start(self, seed: int) -> LearnerState:
        """Return the initial weights, which are zeros unless `--from` names other weights."""
        given = np.zeros(self.size) if self.given is None else self.given
        return LearnerState({"weights": given}, {"seed": seed, "step": 0})

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Play matches between changed weights and the old ones, and keep the better weights."""
        old, number = state.arrays["weights"], state.integer("step")
        seed = derive_seed(state.integer("seed"), number)
        change = np.random.default_rng(seed).normal(size=self.size) * self.number("change")
        matches = self.play(
            Contestant(old + change), Contestant(old), self.integer("matches"), executor, derive_seed(seed, 1)
        )
        points = mean_points(matches)
        weights = old + change if points > 0.5 else old
        metrics = {"points": points, **self.score_metrics(weights, executor, seed=derive_seed(seed, 2))}
        return LearnerState({"weights": weights}, {**state.scalars, "step": number + 1}), metrics

    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        """Return the current weights."""
        return state.arrays["weights"]
