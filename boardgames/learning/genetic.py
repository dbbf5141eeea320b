"""The learner `genetic`: crossover and mutation of the best, as in the simple Abalone project.

The best so far always stays in the population and plays against every
generation. Who comes out first in its stead must beat it in matches of their
own to take its place; if they do not, the generation was a step back, and is
seen as one.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from boardgames.errors import OptionError
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import LearnerState
from boardgames.learning.base import points_of
from boardgames.learning.fitness import (
    SEARCH,
    WINS,
    Searcher,
    ended_of,
    fitness_option,
    ranking,
    standings_of,
    worth,
)
from boardgames.options import Option
from boardgames.selfplay import Contestant, derive_seed

BEST = "best"


class Genetic(Searcher):
    """Crossover and mutation of those who win most, and of those soonest."""

    name: ClassVar[str] = "genetic"
    follows_curve: ClassVar[bool] = False
    declared_options = (
        Option("population", int, 16, "individuals of a generation", minimum=2, maximum=10_000),
        Option("parents", int, 4, "best of them, who breed the next", minimum=1, maximum=10_000),
        Option("mutation", float, 0.5, "largest change of a weight that mutates", minimum=0, maximum=1e3),
        Option("mutation_rate", float, 0.3, "share of the weights that mutate", minimum=0, maximum=1),
        Option(
            "initial", float, 1.0, "first weights are random, so far from 0 at most", minimum=0, maximum=1e3
        ),
        Option(
            "duel_pairs", int, 20, "openings of a new best with the old, with both sides each",
            minimum=1, maximum=10_000,
        ),
        *SEARCH,
        fitness_option(WINS),
        Option("opponent", str, BEST, "best, the best so far; game, random, weights, a run or a file"),
    )  # fmt: skip

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        parents, population = self.whole("parents"), self.whole("population")
        if parents > population:
            raise OptionError(f"expected parents within the population of {population}: {parents}")

    def start(self, seed: int) -> LearnerState:
        """Return random individuals; the first of them stands for the best before."""
        shape, spread = (self.whole("population"), self.space.size), self.number("initial")
        population = np.random.default_rng(derive_seed(seed, self.name)).uniform(-spread, spread, shape)
        return self.begin(
            seed, {"population": population, "best": population[0].copy(), "measured": np.zeros(0)}
        )

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Measure a generation, let its first play against the best so far, and breed the next."""
        self.check_opponent(state)
        population, best = state.arrays["population"], state.arrays["best"]
        opponent = self._contestant(best) if self.text("opponent") == BEST else self.opponent
        measured = self.measure(population, opponent, executor, self.seed(state))
        places = ranking(measured)
        first = measured[places[0]]
        best, duelled = self._succeeded(population[places[0]], best, executor, self.seed(state, "duel"))
        parents = population[places[: self.whole("parents")]]
        values = np.array([fitness.value for fitness in measured])
        metrics = {
            **self.scored(
                self.space.weights(best), executor, seed=self.seed(state, "test"), depth=self.depth
            ),
            **duelled,
            "fitness": first.value,
            "mean_fitness": float(values.mean()),
            "plies_to_win": first.plies_to_win,
        }
        following = np.vstack([best, self._children(parents, self.seed(state, "breed"))])
        return self.follow(state, {"population": following, "best": best, "measured": values}), metrics

    def _succeeded(
        self, first: Reals, best: Reals, executor: Executor, seed: int
    ) -> tuple[Reals, dict[str, float]]:
        """Return the best from now on, and metrics.

        Where the best so far came out first itself, there is no duel.
        """
        if np.array_equal(first, best):
            return best, {"stepped_back": 0.0}
        share = self.duel(first, best, executor, seed)
        told = {"against_previous": share, "stepped_back": float(share <= 0.5)}
        return (first.copy() if share > 0.5 else best), told

    def duel(self, individual: Reals, best: Reals, executor: Executor, seed: int) -> float:
        """Return an individual's share of what matches against the best so far count, in [0, 1].

        That is points where wins are fitness, else `worth`.
        """
        tasks = self.submit(
            self._contestant(individual), self._contestant(best), self.whole("duel_pairs"), executor, seed
        )
        ended = ended_of(tasks)
        if self.text("fitness") == WINS:
            return points_of(ended)
        return float(np.mean([worth(match) for match in ended]))

    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        """Return those of the best so far."""
        return self.space.weights(state.arrays["best"])

    def standings(self, state: LearnerState) -> Sequence[tuple[str, float]]:
        """Return the fitness of the last generation."""
        return standings_of(state.arrays["measured"], "best before")

    def _children(self, parents: Reals, seed: int) -> Reals:
        return breed(
            parents,
            self.whole("population") - 1,
            mutation=self.number("mutation"),
            rate=self.number("mutation_rate"),
            chance=np.random.default_rng(seed),
        )

    def _contestant(self, individual: Reals) -> Contestant:
        return Contestant(self.space.weights(individual), self.depth)

    def _find(self, text: str) -> tuple[Contestant, str]:
        return super()._find("random" if text == BEST else text)


def breed(parents: Reals, count: int, *, mutation: float, rate: float, chance: np.random.Generator) -> Reals:
    """Return children, `float64[count, size]`, of couples that chance makes of parents.

    Parameters
    ----------
    parents : float64[m, size]
        A couple is two of them, where there are two.
    mutation, rate : float
        A number that mutates, a share `rate` of all, changes uniformly by up to `mutation`.

    Examples
    --------
    >>> parents = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    >>> breed(parents, 2, mutation=0.0, rate=1.0, chance=np.random.default_rng(1)) % 9
    array([[1., 2., 3.],
           [1., 2., 3.]])
    """
    size = parents.shape[1]
    children = np.empty((count, size))
    for child in children:
        couple = chance.choice(len(parents), 2, replace=len(parents) < 2)
        child[:] = np.where(chance.random(size) < 0.5, *parents[couple])
    mutates = chance.random(children.shape) < rate
    changes = chance.uniform(-mutation, mutation, children.shape)
    return children + mutates * changes
