"""Helpers for tests of learners: quick settings on a small board, and fitness without matches."""

from collections.abc import Sequence
from concurrent.futures import Executor
from functools import cache
from typing import Any

import numpy as np

import boardgames
from boardgames import plugins
from boardgames.executors import InProcess
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import Learner, LearnerState
from boardgames.learning.cem import CrossEntropy
from boardgames.learning.cmaes import CovarianceAdaptation
from boardgames.learning.fitness import Fitness, FitnessLearner
from boardgames.learning.genetic import Genetic
from boardgames.learning.spsa import SPSA
from boardgames.selfplay import Contestant
from boardgames.weights import Weights

TARGET = np.array([0.5, -1.0, 0.0, 0.25, 0.75, -0.5])
"""The individual with the largest fitness for the quadratic learners."""
FITNESS: dict[str, object] = {"depth": 1, "pairs": 2, "population": 6, "steps": 3, "test_matches": 4}
QUICK: dict[str, dict[str, object]] = {
    "td": {"steps": 3, "matches": 8, "groups": 2, "test_matches": 4},
    "evolve": {
        "population": 6, "survivors": 2, "generations": 2, "training_matches": 2,
        "tournament_matches": 2, "test_matches": 4,
    },
    "treestrap": {"steps": 3, "matches": 6, "groups": 2, "test_matches": 4},
    "td-leaf": {"steps": 3, "matches": 6, "groups": 2, "test_matches": 4},
    "genetic": {**FITNESS, "parents": 2, "duel_pairs": 3},
    "cem": {**FITNESS, "elite": 2},
    "cmaes": FITNESS,
    "spsa": {"depth": 1, "pairs": 2, "directions": 3, "steps": 3, "test_matches": 4},
    "tune": {
        "agent": "mcts:simulations=10,exploration=2,cutoff=10", "ranges": "exploration=0:4,cutoff=0:20",
        "steps": 2, "pairs": 2,
    },
    "ntuple": {"steps": 3, "matches": 30, "tuples": 6, "length": 4, "test_matches": 4},
    "patterns": {
        "steps": 2, "matches": 6, "nodes": 50, "epochs": 1, "opening": 4, "test_matches": 4,
    },
    "value-iteration": {"steps": 3, "matches": 12, "test_matches": 4},
    "regression": {"steps": 2, "matches": 6, "nodes": 30, "test_matches": 4, "opening": 4},
    "alphazero": {
        "steps": 2, "matches": 4, "simulations": 4, "fast_simulations": 2, "channels": 4, "blocks": 1,
        "batch_size": 8, "test_matches": 2, "test_simulations": 2,
    },
}  # fmt: skip
"""Settings with which each learner is quick."""


@cache
def small() -> Game:
    """Return Connect Four on a small board."""
    return boardgames.load("connect4", columns=5, rows=4)


def make(name: str, **options: object) -> Any:  # a learner of the class with this name
    """Return a learner for a small board, by default with quick settings."""
    return plugins.load_learner(name, small(), **{**QUICK[name], **options})


def train(learner: Learner, seed: int, executor: Executor | None = None) -> Sequence[LearnerState]:
    """Train to the end, and return all states from the first to the last."""
    states = [learner.start(seed)]
    while not learner.is_done(states[-1]):
        states.append(learner.step(states[-1], executor or InProcess())[0])
    return states


@cache
def states_of(name: str) -> Sequence[LearnerState]:
    """Return all states of a quick learner with seed 3. Tests must not change them."""
    return train(make(name), 3)


def same(first: LearnerState, second: LearnerState) -> bool:
    """Return True if two states are equal to the last bit."""
    return (
        first.scalars == second.scalars
        and first.arrays.keys() == second.arrays.keys()
        and all(first.arrays[name].tobytes() == second.arrays[name].tobytes() for name in first.arrays)
    )


class Recording(InProcess):
    """Executor that keeps the results of all tasks."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[Any] = []

    def submit(self, *arguments: Any, **keywords: Any) -> Any:
        future = super().submit(*arguments, **keywords)
        self.results.append(future.result())
        return future


NOBODY = Contestant(is_random=True)
"""An opponent that does not matter, because no matches are played."""


class _Quadratic(FitnessLearner):
    """A learner whose fitness is minus the squared distance to the target."""

    def measure_fitness(
        self, individuals: np.ndarray, opponent: Contestant, executor: Executor, seed: int
    ) -> list[Fitness]:
        return [Fitness(-float(np.square(row - TARGET).sum()), 1.0) for row in individuals]

    def score(self, weights: Reals | Weights, executor: Executor, *, seed: int, depth: int = 1) -> float:
        return 0.5


class QuadraticGenetic(_Quadratic, Genetic):
    """A quadratic learner in which the fitter individual wins every duel."""

    def duel(self, individual: np.ndarray, best: np.ndarray, executor: Executor, seed: int) -> float:
        fitness = self.measure_fitness(np.array([individual, best]), NOBODY, executor, 0)
        own, other = (one.value for one in fitness)
        return 0.5 if own == other else float(own > other)


class QuadraticCem(_Quadratic, CrossEntropy):
    pass


class QuadraticCmaes(_Quadratic, CovarianceAdaptation):
    pass


class QuadraticSpsa(_Quadratic, SPSA):
    pass
