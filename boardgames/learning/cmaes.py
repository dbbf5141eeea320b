"""The learner `cmaes`: evolution strategy with covariance matrix adaptation.

The strategy is that of the package `cma` (extra `train`). It has no state that
could be kept in a file, so the state has the fitness of all individuals so
far, and the strategy is made anew by telling it those again.

Source: N. Hansen, "The CMA Evolution Strategy: A Tutorial", 2016,
arXiv:1604.00772.
"""

from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from boardgames.errors import LearnerStateError, MissingExtraError, OptionError
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import Array, LearnerState
from boardgames.learning.fitness import (
    MARGIN,
    OPPONENT,
    SEARCH,
    DistributionSearcher,
    Optimiser,
    fitness_option,
)
from boardgames.options import Option
from boardgames.selfplay import derive_seed

LARGEST_DEVIATION = 100.0
"""The strategy looks further and further while that pays; weights of evaluations need not be as large."""


class CovarianceAdaptation(DistributionSearcher):
    """Evolution strategy with covariance matrix adaptation."""

    name: ClassVar[str] = "cmaes"
    declared_options = (
        Option("population", int, 16, "individuals of a generation", minimum=4, maximum=10_000),
        Option("deviation", float, 0.5, "standard deviation at first", minimum=1e-6, maximum=100),
        *SEARCH,
        fitness_option(MARGIN),
        OPPONENT,
    )

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        self._kept: tuple[tuple[object, bytes], Strategy] | None = None
        if self.space.size < 2:
            raise OptionError(f"expected at least two weights to look for: {self.space.size}")
        strategies()

    def start(self, seed: int) -> LearnerState:
        """Return the state without any fitness."""
        size = self.space.size
        arrays = {
            "fitness": np.zeros((0, self.whole("population"))),
            "mean": np.zeros(size),
            "deviation": np.full(size, self.number("deviation")),
            "measured": np.zeros(0),
        }
        return self.begin(seed, arrays)

    def optimiser(self, state: LearnerState) -> "Strategy":
        """Return the strategy of a state: the one at hand if it fits, else one that is told all again."""
        kept, self._kept = self._kept, None  # one that a step interrupts fits no state
        if kept is not None and kept[0] == _key(state):
            return kept[1]
        return self._replayed(state)

    def keep(self, state: LearnerState, optimiser: Optimiser) -> None:
        """Keep the strategy for the next step."""
        assert isinstance(optimiser, Strategy)
        self._kept = (_key(state), optimiser)

    def _replayed(self, state: LearnerState) -> "Strategy":
        size, seed = self.space.size, derive_seed(state.scalars["seed"], self.name)
        made = Strategy(size, self.whole("population"), self.number("deviation"), seed)
        fitness = state.arrays["fitness"]
        if fitness.shape[1:] != (self.whole("population"),):
            raise LearnerStateError(
                f"expected fitness of {self.whole('population')} individuals: {fitness.shape}"
            )
        for values in fitness:
            made.tell(made.ask(), values)
        if not np.allclose(made.mean, state.arrays["mean"], rtol=1e-6, atol=1e-9):
            raise LearnerStateError(
                "expected the version of cma that the run began with: this one goes elsewhere"
            )
        return made


class Strategy:
    """The strategy of `cma`, with random numbers of its own.

    Parameters
    ----------
    size, population : int
        Numbers that are looked for, at least two; individuals of a generation.
    deviation : float
        At first, around 0.
    seed : int
        Equal seeds and equal fitness give equal generations.

    Raises
    ------
    MissingExtraError
        If `cma` is not installed.

    Examples
    --------
    >>> strategy = Strategy(2, 8, 0.5, seed=1)
    >>> for _ in range(60):
    ...     individuals = strategy.ask()
    ...     strategy.tell(individuals, -np.square(individuals - [1, 2]).sum(axis=1))
    >>> strategy.mean.round(3).tolist()
    [1.0, 2.0]
    """

    def __init__(self, size: int, population: int, deviation: float, seed: int) -> None:
        chance = np.random.default_rng(seed)
        options = {
            "popsize": population,
            "maxstd": LARGEST_DEVIATION,
            "randn": lambda *shape: chance.standard_normal(shape),
            "seed": np.nan,  # `randn` needs none, and the package warns of one
            "verbose": -10,  # so quiet that it reads no file of signals either
        }
        self._strategy = strategies().CMAEvolutionStrategy(np.zeros(size), deviation, options)
        self._fitness: list[Reals] = []

    @property
    def mean(self) -> Reals:
        """Return the mean of the distribution, `float64[size]`."""
        return np.array(self._strategy.mean, dtype=np.float64)

    def ask(self) -> Reals:
        """Return individuals, `float64[population, size]`; to be told of before it is asked again."""
        return np.array(self._strategy.ask(), dtype=np.float64)

    def tell(self, individuals: Reals, fitness: Reals) -> None:
        """Move to the better ones of individuals whose fitness, `float64[population]`, is known."""
        self._strategy.tell(list(individuals), (-fitness).tolist())
        self._fitness.append(np.array(fitness))

    def arrays(self) -> dict[str, Array]:
        """Return the fitness of all generations, `float64[generations, population]`, mean and deviation."""
        deviation = np.array(self._strategy.stds, dtype=np.float64)
        return {"fitness": np.array(self._fitness), "mean": self.mean, "deviation": deviation}


def strategies() -> Any:  # the package has no types
    """Return the package `cma`, or raise MissingExtraError."""
    try:
        return import_module("cma")
    except ImportError:
        raise MissingExtraError("train", "the learner cmaes") from None


def _key(state: LearnerState) -> tuple[object, bytes]:
    return state.scalars["seed"], state.arrays["fitness"].tobytes()
