"""What the tests of `genetic`, `cem` and `cmaes` share: a small game, and a fitness without matches."""

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np

import boardgames
from boardgames import plugins
from boardgames.executors import InProcess
from boardgames.game import Game
from boardgames.learner import Learner, LearnerState
from boardgames.learning.cem import CrossEntropy
from boardgames.learning.cmaes import CovarianceAdaptation
from boardgames.learning.fitness import Fitness, Searcher
from boardgames.learning.genetic import Genetic
from boardgames.selfplay import Contestant

NAMES = ("genetic", "cem", "cmaes")
TARGET = np.array([0.5, -1.0, 0.0, 0.25, 0.75, -0.5])
QUICK = {"depth": 1, "pairs": 2, "population": 6, "steps": 4, "test_matches": 4}
OF = {
    "genetic": {"parents": 2, "duel_pairs": 3},
    "cem": {"elite": 2},
    "cmaes": {},
}


def small() -> Game:
    return boardgames.load("connect4", columns=5, rows=4)


def made(name: str, **options: object) -> Searcher:
    """Return a learner with matches, quick by default."""
    return plugins.load_learner(name, small(), **{**QUICK, **OF[name], **options})


def trained(learner: Learner, seed: int, executor: Executor | None = None) -> Sequence[LearnerState]:
    """Return all states from the first to the last."""
    states = [learner.start(seed)]
    while not learner.is_done(states[-1]):
        states.append(learner.step(states[-1], executor or InProcess())[0])
    return states


def same(first: LearnerState, second: LearnerState) -> bool:
    """Say whether two states are the same to the last bit."""
    return (
        first.scalars == second.scalars
        and first.arrays.keys() == second.arrays.keys()
        and all(first.arrays[name].tobytes() == second.arrays[name].tobytes() for name in first.arrays)
    )


class Recording(InProcess):
    """Keeps the results of all tasks, and what they were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[Any] = []

    def submit(self, *arguments: Any, **keywords: Any) -> Any:
        future = super().submit(*arguments, **keywords)
        self.results.append(future.result())
        return future


class _Measured(Searcher):
    """Individuals are better the nearer they are to a target."""

    def measure(
        self, individuals: np.ndarray, opponent: Contestant, executor: Executor, seed: int
    ) -> list[Fitness]:
        return [Fitness(-float(np.square(row - TARGET).sum()), 1.0) for row in individuals]

    def test(self, weights: np.ndarray, executor: Executor, *, seed: int, depth: int = 1) -> float:
        return 0.5


class QuadraticGenetic(_Measured, Genetic):
    """Genetic search whose duels the nearer one wins."""

    def duel(self, individual: np.ndarray, best: np.ndarray, executor: Executor, seed: int) -> float:
        own, other = (fitness.value for fitness in self.measure(np.array([individual, best]), None, None, 0))
        return 0.5 if own == other else float(own > other)


class QuadraticCem(_Measured, CrossEntropy):
    pass


class QuadraticCmaes(_Measured, CovarianceAdaptation):
    pass
