"""The learner `genetic`: a genetic algorithm.

A student's Abalone program used a genetic algorithm to tune the three weights of its evaluation (see the
agent `simple`).

The best individual so far stays in the population and competes in every generation.
An individual that ranks above it must also beat it in a duel to replace it;
otherwise the generation counts as a step back.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import LearnerState
from boardgames.learning.base import check_part_of_population, gather_results, rank
from boardgames.learning.fitness import (
    SEARCH_OPTIONS,
    WINS,
    FitnessLearner,
    fitness_option,
    fitness_standings,
)
from boardgames.options import Option
from boardgames.selfplay import derive_seed

BEST = "best"


class Genetic(FitnessLearner):
    """Truncation selection, uniform crossover and mutation."""

    name: ClassVar[str] = "genetic"
    follows_curve: ClassVar[bool] = False
    own_opponent: ClassVar[str] = BEST
    declared_options = (
        Option("population", int, 16, "population size", minimum=2, maximum=10_000),
        Option("parents", int, 4, "number of fittest individuals that breed", minimum=1, maximum=10_000),
        Option("mutation", float, 0.5, "largest mutation of a weight", minimum=0, maximum=1e3),
        Option("mutation_rate", float, 0.3, "probability that a weight mutates", minimum=0, maximum=1),
        Option(
            "initial", float, 1.0, "largest initial weight; weights start at random", minimum=0, maximum=1e3
        ),
        Option(
            "duel_pairs", int, 20, "openings in a duel against the best so far, each played with both sides",
            minimum=1, maximum=10_000,
        ),
        *SEARCH_OPTIONS,
        fitness_option(WINS),
        Option(
            "opponent", str, BEST, "best (the best individual so far), game, random, weights, a run or a file"
        ),
    )  # fmt: skip

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        check_part_of_population(self, "parents")

    def start(self, seed: int) -> LearnerState:
        """Return a random population. If weights are given, it contains them and varies around them.

        Its first individual, which has the given weights, counts as the best so far.
        """
        shape, spread = (self.integer("population"), self.space.size), self.number("initial")
        population = np.random.default_rng(derive_seed(seed, self.name)).uniform(-spread, spread, shape)
        if self.given is not None:
            population[0] = 0.0
            population += self.start_point
        arrays = {"population": population, "best": population[0].copy(), "measured": np.zeros(0)}
        return self.first_state(seed, arrays)

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Measure a generation, let its fittest challenge the best so far, and breed the next one."""
        self.check_opponent(state)
        population, best = state.arrays["population"], state.arrays["best"]
        opponent = self.contestant(best) if self.text("opponent") == BEST else self.opponent
        measured = self.measure_fitness(population, opponent, executor, self.step_seed(state))
        values = np.array([fitness.value for fitness in measured])
        places = rank(values)
        fittest = measured[places[0]]
        best, duel_metrics = self._challenge(
            population[places[0]], best, executor, self.step_seed(state, "duel")
        )
        parents = population[places[: self.integer("parents")]]
        test_seed = self.step_seed(state, "test")
        metrics = {
            **self.score_metrics(self.space.weights(best), executor, seed=test_seed, depth=self.depth),
            **duel_metrics,
            "fitness": fittest.value,
            "mean_fitness": float(values.mean()),
            "plies_to_win": fittest.plies_to_win,
        }
        next_population = np.vstack([best, self._children(parents, self.step_seed(state, "breed"))])
        arrays = {"population": next_population, "best": best, "measured": values}
        return self.next_state(state, arrays), metrics

    def duel(self, individual: Reals, best: Reals, executor: Executor, seed: int) -> float:
        """Return the result of an individual in matches against the best so far, 0 to 1."""
        futures = self.submit_matches(
            self.contestant(individual), self.contestant(best), self.integer("duel_pairs"), executor, seed
        )
        return self.result_of(gather_results(futures))

    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        """Return the weights of the best individual so far."""
        return self.space.weights(state.arrays["best"])

    def standings(self, state: LearnerState) -> Sequence[tuple[str, float]]:
        """Return the fitness of the last generation."""
        return fitness_standings(state.arrays["measured"], "previous best")

    def _challenge(
        self, fittest: Reals, best: Reals, executor: Executor, seed: int
    ) -> tuple[Reals, dict[str, float]]:
        """Return the new best individual, and metrics. The best does not duel itself."""
        if np.array_equal(fittest, best):
            return best, {"stepped_back": 0.0}
        share = self.duel(fittest, best, executor, seed)
        metrics = {"against_previous": share, "stepped_back": float(share <= 0.5)}
        return (fittest.copy() if share > 0.5 else best), metrics

    def _children(self, parents: Reals, seed: int) -> Reals:
        return breed(
            parents,
            self.integer("population") - 1,
            mutation=self.number("mutation"),
            rate=self.number("mutation_rate"),
            random=np.random.default_rng(seed),
        )


def breed(parents: Reals, count: int, *, mutation: float, rate: float, random: np.random.Generator) -> Reals:
    """Return children, `float64[count, size]`, by uniform crossover of random pairs of parents.

    Parameters
    ----------
    parents : float64[m, size]
        A single parent is paired with itself.
    mutation : float
        A number that mutates changes by up to this amount, uniformly distributed.
    rate : float
        Probability that a number mutates.

    Examples
    --------
    >>> parents = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    >>> breed(parents, 2, mutation=0.0, rate=1.0, random=np.random.default_rng(1)) % 9
    array([[1., 2., 3.],
           [1., 2., 3.]])
    """
    size = parents.shape[1]
    children = np.empty((count, size))
    for child in children:
        pair = random.choice(len(parents), 2, replace=len(parents) < 2)
        child[:] = np.where(random.random(size) < 0.5, *parents[pair])
    mutates = random.random(children.shape) < rate
    changes = random.uniform(-mutation, mutation, children.shape)
    return children + mutates * changes
