"""The learner `cem`: the cross-entropy method with decaying noise.

A generation is drawn from a normal distribution, each number for itself; the
elite's mean and variance, and noise added to the variance so that it does not
shrink too early, are the next distribution.

Source: I. Szita and A. Lorincz, "Learning Tetris Using the Noisy Cross-Entropy
Method", Neural Computation 18, 2006; its noise falls linearly, as here.
"""

from typing import ClassVar

import numpy as np

from boardgames.errors import OptionError
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import Array, LearnerState
from boardgames.learning.fitness import MARGIN, OPPONENT, SEARCH, DistributionSearcher, fitness_option
from boardgames.options import Option


class CrossEntropy(DistributionSearcher):
    """The cross-entropy method with decaying noise."""

    name: ClassVar[str] = "cem"
    declared_options = (
        Option("population", int, 32, "individuals of a generation", minimum=2, maximum=10_000),
        Option("elite", int, 8, "best of them, whom the next distribution is of", minimum=1, maximum=10_000),
        Option("deviation", float, 1.0, "standard deviation at first", minimum=1e-6, maximum=100),
        Option("noise", float, 0.05, "added to the variance after the first step", minimum=0, maximum=100),
        Option("noise_decay", float, 0.02, "share of that by which it falls a step", minimum=0, maximum=1),
        Option(
            "smoothing", float, 0.3, "share of the old mean and deviation that stays", minimum=0, maximum=0.99
        ),
        *SEARCH,
        fitness_option(MARGIN),
        OPPONENT,
    )

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        elite, population = self.whole("elite"), self.whole("population")
        if elite > population:
            raise OptionError(f"expected an elite within the population of {population}: {elite}")

    def start(self, seed: int) -> LearnerState:
        """Return the first distribution, around 0."""
        size = self.space.size
        deviation = np.full(size, self.number("deviation"))
        return self.begin(seed, {"mean": np.zeros(size), "deviation": deviation, "measured": np.zeros(0)})

    def optimiser(self, state: LearnerState) -> "Gaussian":
        """Return the distribution of a state."""
        return Gaussian(
            state.arrays["mean"],
            state.arrays["deviation"],
            population=self.whole("population"),
            elite=self.whole("elite"),
            noise=self.noise(self.done(state)),
            smoothing=self.number("smoothing"),
            seed=self.seed(state, "draw"),
        )

    def noise(self, step: int) -> float:
        """Return what is added to the variance after a step, counted from 0."""
        return self.number("noise") * max(0.0, 1.0 - self.number("noise_decay") * step)


class Gaussian:
    """One step of the cross-entropy method.

    Parameters
    ----------
    mean, deviation : float64[size]
        Of the distribution.
    population, elite : int
        How many are drawn, and how many the next distribution is of.
    noise : float
        Added to the elite's variance.
    smoothing : float
        Share of the old mean and deviation that stays.
    seed : int
        Of what is drawn.

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
        """Return individuals, `float64[population, size]`."""
        return self.mean + self.deviation * np.random.default_rng(self._seed).standard_normal(self._shape)

    def tell(self, individuals: Reals, fitness: Reals) -> None:
        """Move to the elite of individuals whose fitness, `float64[population]`, is known."""
        elite = individuals[np.argsort(-fitness, kind="stable")[: self._elite]]
        deviation = np.sqrt(elite.var(axis=0) + self._noise)
        self.mean = self._smoothing * self.mean + (1 - self._smoothing) * elite.mean(axis=0)
        self.deviation = self._smoothing * self.deviation + (1 - self._smoothing) * deviation

    def arrays(self) -> dict[str, Array]:
        """Return mean and deviation."""
        return {"mean": self.mean, "deviation": self.deviation}
