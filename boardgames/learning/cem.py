"""The learner `cem`: the cross-entropy method with decaying noise.

A generation is sampled from a normal distribution with independent components.
The mean and variance of the elite give the next distribution; noise is added to
the variance so that it does not shrink too early.

Source: I. Szita and A. Lorincz, "Learning Tetris Using the Noisy Cross-Entropy
Method", Neural Computation 18, 2006; the noise decreases linearly, as in that paper.
"""

from typing import ClassVar

import numpy as np

from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import Array, LearnerState
from boardgames.learning.base import check_part_of_population, rank
from boardgames.learning.fitness import MARGIN, OPPONENT, SEARCH_OPTIONS, DistributionLearner, fitness_option
from boardgames.options import Option


class CrossEntropy(DistributionLearner):
    """The cross-entropy method with decaying noise."""

    name: ClassVar[str] = "cem"
    declared_options = (
        Option("population", int, 32, "population size", minimum=2, maximum=10_000),
        Option(
            "elite", int, 8, "number of fittest individuals to which the distribution is fitted",
            minimum=1, maximum=10_000,
        ),
        Option("deviation", float, 1.0, "initial standard deviation", minimum=1e-6, maximum=100),
        Option("noise", float, 0.05, "initial noise, added to the variance", minimum=0, maximum=100),
        Option(
            "noise_decay", float, 0.02, "decrease of the noise per step, as a share of the initial noise",
            minimum=0, maximum=1,
        ),
        Option(
            "smoothing", float, 0.3, "share of the old mean and deviation that is kept",
            minimum=0, maximum=0.99,
        ),
        *SEARCH_OPTIONS,
        fitness_option(MARGIN),
        OPPONENT,
    )  # fmt: skip

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        check_part_of_population(self, "elite")

    def start(self, seed: int) -> LearnerState:
        """Return the initial distribution, centred on the given weights or 0."""
        deviation = np.full(self.space.size, self.number("deviation"))
        arrays = {"mean": self.start_point, "deviation": deviation, "measured": np.zeros(0)}
        return self.first_state(seed, arrays)

    def optimiser(self, state: LearnerState) -> "Gaussian":
        """Return the optimiser that a state describes."""
        return Gaussian(
            state.arrays["mean"],
            state.arrays["deviation"],
            population=self.integer("population"),
            elite=self.integer("elite"),
            noise=self.noise(state.integer("step")),
            smoothing=self.number("smoothing"),
            seed=self.step_seed(state, "draw"),
        )

    def noise(self, step: int) -> float:
        """Return the noise after `step` steps."""
        return self.number("noise") * max(0.0, 1.0 - self.number("noise_decay") * step)


class Gaussian:
    """One step of the cross-entropy method.

    Parameters
    ----------
    mean, deviation : float64[size]
        Mean and standard deviation of the distribution.
    population, elite : int
        Size of a generation, and of the part to which the distribution is fitted.
    noise : float
        Added to the elite's variance.
    smoothing : float
        Share of the old mean and deviation that is kept.
    seed : int
        Seed of the samples.

    Examples
    --------
    >>> step = Gaussian(np.zeros(2), np.ones(2), population=100, elite=10, noise=0.0, smoothing=0.0, seed=1)
    >>> individuals = step.ask()
    >>> step.tell(individuals, individuals[:, 0])
    >>> bool(step.mean[0] > 1), bool(step.deviation[0] < 0.5 < step.deviation[1])
    (True, True)
    """

    def __init__(
        self,
        mean: Reals,
        deviation: Reals,
        *,
        population: int,
        elite: int,
        noise: float,
        smoothing: float,
        seed: int,
    ) -> None:
        self.mean, self.deviation = mean, deviation
        self._shape = (population, len(mean))
        self._elite, self._noise, self._smoothing, self._seed = elite, noise, smoothing, seed

    def ask(self) -> Reals:
        """Return a generation, `float64[population, size]`."""
        return self.mean + self.deviation * np.random.default_rng(self._seed).standard_normal(self._shape)

    def tell(self, individuals: Reals, fitness: Reals) -> None:
        """Update the distribution from the fitness, `float64[population]`, of a generation."""
        elite = individuals[rank(fitness)[: self._elite]]
        deviation = np.sqrt(elite.var(axis=0) + self._noise)
        self.mean = self._smoothing * self.mean + (1 - self._smoothing) * elite.mean(axis=0)
        self.deviation = self._smoothing * self.deviation + (1 - self._smoothing) * deviation

    def arrays(self) -> dict[str, Array]:
        """Return the mean and the standard deviation."""
        return {"mean": self.mean, "deviation": self.deviation}
