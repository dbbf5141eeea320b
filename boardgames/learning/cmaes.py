"""The learner `cmaes`: evolution strategy with covariance matrix adaptation.

The strategy is that of the package `cma` (extra `train`). Its state cannot be
saved, so the learner saves the fitness of all individuals so far, and a resumed
run replays it with a new strategy.

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
    SEARCH_OPTIONS,
    DistributionLearner,
    Optimiser,
    fitness_option,
)
from boardgames.options import Option
from boardgames.selfplay import derive_seed

MAX_DEVIATION = 100.0
"""Largest standard deviation; without a limit, it would grow forever where larger weights are fitter."""


class CovarianceAdaptation(DistributionLearner):
    """Evolution strategy with covariance matrix adaptation."""

    name: ClassVar[str] = "cmaes"
    declared_options = (
        Option("population", int, 16, "population size", minimum=4, maximum=10_000),
        Option("deviation", float, 0.5, "initial standard deviation", minimum=1e-6, maximum=100),
        *SEARCH_OPTIONS,
        fitness_option(MARGIN),
        OPPONENT,
    )

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        self._kept: tuple[tuple[object, bytes], Strategy] | None = None
        if self.space.size < 2:
            raise OptionError("cmaes needs a search space of at least two weights")
        _import_cma()

    def start(self, seed: int) -> LearnerState:
        """Return the initial distribution, centred on the given weights or 0."""
        size = self.space.size
        arrays = {
            "fitness": np.zeros((0, self.integer("population"))),
            "mean": self.start_point,
            "origin": np.zeros(0) if self.given is None else self.start_point,
            "deviation": np.full(size, self.number("deviation")),
            "measured": np.zeros(0),
        }
        return self.first_state(seed, arrays)

    def optimiser(self, state: LearnerState) -> "Strategy":
        """Return the strategy of a state: that of the last step if it matches, otherwise a new one."""
        kept, self._kept = self._kept, None  # if the step is interrupted, the strategy matches no state
        if kept is not None and kept[0] == _key(state):
            return kept[1]
        return self._replay(state)

    def keep(self, state: LearnerState, optimiser: Optimiser) -> None:
        """Keep the strategy for the next step."""
        assert isinstance(optimiser, Strategy)
        self._kept = (_key(state), optimiser)

    def _replay(self, state: LearnerState) -> "Strategy":
        """Return a new strategy, after replaying all fitness values."""
        population = self.integer("population")
        seed = derive_seed(state.scalars["seed"], self.name)
        origin = state.arrays.get("origin", np.zeros(0))
        mean = origin if origin.size else np.zeros(self.space.size)
        strategy = Strategy(mean, population, self.number("deviation"), seed)
        fitness = state.arrays["fitness"]
        if fitness.shape[1:] != (population,):
            raise LearnerStateError(
                f"cannot resume: the population was {fitness.shape[-1]}, and is now {population}"
            )
        for values in fitness:
            strategy.tell(strategy.ask(), values)
        if not np.allclose(strategy.mean, state.arrays["mean"], rtol=1e-6, atol=1e-9):
            raise LearnerStateError("cannot resume: the run was started with another version of cma")
        return strategy


class Strategy:
    """The strategy of `cma`, with its own random generator.

    Parameters
    ----------
    mean : float64[size]
        Initial mean; the search space has at least two dimensions.
    population : int
        Size of a generation.
    deviation : float
        Initial standard deviation.
    seed : int
        Equal seeds and equal fitness give equal generations.

    Raises
    ------
    MissingExtraError
        If `cma` is not installed.

    Examples
    --------
    >>> strategy = Strategy(np.zeros(2), 8, 0.5, seed=1)
    >>> for _ in range(60):
    ...     individuals = strategy.ask()
    ...     strategy.tell(individuals, -np.square(individuals - [1, 2]).sum(axis=1))
    >>> strategy.mean.round(3).tolist()
    [1.0, 2.0]
    """

    def __init__(self, mean: Reals, population: int, deviation: float, seed: int) -> None:
        random = np.random.default_rng(seed)
        options = {
            "popsize": population,
            "maxstd": MAX_DEVIATION,
            "randn": lambda *shape: random.standard_normal(shape),
            "seed": np.nan,  # unused with `randn`; any other value would seed NumPy's global generator
            "verbose": -10,  # no output, and no file of signals is read
        }
        self._strategy = _import_cma().CMAEvolutionStrategy(mean, deviation, options)
        self._origin, self._fitness = mean, list[Reals]()

    @property
    def mean(self) -> Reals:
        """Return the mean of the distribution, `float64[size]`."""
        return np.array(self._strategy.mean, dtype=np.float64)

    def ask(self) -> Reals:
        """Return a generation, `float64[population, size]`; `tell` must follow."""
        return np.array(self._strategy.ask(), dtype=np.float64)

    def tell(self, individuals: Reals, fitness: Reals) -> None:
        """Update the distribution from the fitness, `float64[population]`, of a generation."""
        self._strategy.tell(list(individuals), (-fitness).tolist())
        self._fitness.append(np.array(fitness))

    def arrays(self) -> dict[str, Array]:
        """Return the fitness of all generations, `float64[generations, population]`, and the distribution."""
        deviation = np.array(self._strategy.stds, dtype=np.float64)
        means = {"mean": self.mean, "origin": self._origin if self._origin.any() else np.zeros(0)}
        return {"fitness": np.array(self._fitness), "deviation": deviation, **means}


def _import_cma() -> Any:  # the package has no types
    try:
        return import_module("cma")
    except ImportError:
        raise MissingExtraError("train", "the learner cmaes") from None


def _key(state: LearnerState) -> tuple[object, bytes]:
    return state.scalars["seed"], state.arrays["fitness"].tobytes()
