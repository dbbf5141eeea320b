"""The learner `spsa`: simultaneous perturbation stochastic approximation, for the weights of alpha-beta.

Each step plays matches between two opposite changes of all weights at once, and moves the weights
towards the side that scores more; see `perturbation`. By default the two play each other, which
needs half as many matches as playing a third player.

Source: L. Kocsis and C. Szepesvari, "Universal Parameter Optimisation in Games Based on SPSA",
Machine Learning 63, 2006.
"""

from collections.abc import Mapping
from concurrent.futures import Executor
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from boardgames.kernels import Reals
from boardgames.learner import LearnerState
from boardgames.learning.base import batch_count, gather_results
from boardgames.learning.fitness import MARGIN, SEARCH_OPTIONS, FitnessLearner, batch_sizes, fitness_option
from boardgames.learning.perturbation import Perturbation
from boardgames.options import Option
from boardgames.selfplay import derive_seed

EACH_OTHER = "each other"


class SPSA(Perturbation, FitnessLearner):
    """Simultaneous perturbation stochastic approximation."""

    name: ClassVar[str] = "spsa"
    follows_curve: ClassVar[bool] = False
    own_opponent: ClassVar[str] = EACH_OTHER
    declared_options = (
        Option("directions", int, 8, "random directions per step", minimum=1, maximum=10_000),
        Option("change", float, 0.3, "initial change of each weight in matches", minimum=1e-6, maximum=100),
        Option(
            "rate", float, 0.3, "how far each weight moves in the first step if one side wins all matches",
            minimum=0, maximum=100,
        ),
        Option(
            "delay", float, 10.0, "number of steps before the rate falls noticeably", minimum=0, maximum=1e6
        ),
        *SEARCH_OPTIONS,
        fitness_option(MARGIN),
        Option(
            "opponent", str, EACH_OTHER,
            "each other (both changes play each other), game, random, weights, a run or a file",
        ),
    )  # fmt: skip

    def start(self, seed: int) -> LearnerState:
        """Return a state with the given weights, or with zeros."""
        return self.first_state(seed, {"mean": self.start_point})

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Play matches with changes in random directions, and move the weights to where points are gained."""
        self.check_opponent(state)
        mean, step = state.arrays["mean"], state.integer("step")
        directions = self.directions(
            self.integer("directions"), self.space.size, self.step_seed(state, "directions")
        )
        change = self.change(step)
        gains = self.gains(mean, change * directions, executor, self.step_seed(state))
        moved = self.moved(mean, directions, gains, step)
        after = self.next_state(state, {"mean": moved})
        test_seed = self.step_seed(state, "test")
        metrics = {
            **self.score_metrics(self.weights(after), executor, seed=test_seed, depth=self.depth),
            "gain": float(np.abs(gains).mean()),
            "moved": float(np.abs(moved - mean).mean()),
            "change": change,
            "rate": self.rate(step),
        }
        return after, metrics

    def gains(self, mean: Reals, changes: Reals, executor: Executor, seed: int) -> Reals:
        """Return how much better each change scores than its opposite, from -1 to 1.

        Parameters
        ----------
        mean : float64[size]
            The numbers that are changed.
        changes : float64[count, size]
            Added to `mean`, and subtracted from it.
        """
        if self.text("opponent") != EACH_OTHER:
            both = np.concatenate([mean + changes, mean - changes])
            measured = self.measure_fitness(both, self.opponent, executor, seed)
            values = np.array([one.value for one in measured])
            gains: Reals = values[: len(changes)] - values[len(changes) :]
            return gains
        futures = [
            self.submit_matches(
                self.contestant(mean + change),
                self.contestant(mean - change),
                self.integer("pairs"),
                executor,
                derive_seed(seed, number),
            )
            for number, change in enumerate(changes)
        ]
        results = [self.result_of(gather_results(played)) for played in futures]
        return 2.0 * np.array(results) - 1.0

    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        """Return the current weights, without any change."""
        return self.space.weights(state.arrays["mean"])

    def task_count(self, step: int) -> int:
        """Return the number of tasks: one for each batch of matches."""
        sides = 1 if self.text("opponent") == EACH_OTHER else 2
        batches = len(batch_sizes(2 * self.integer("pairs")))
        return sides * self.integer("directions") * batches + batch_count(self.integer("test_matches"))
