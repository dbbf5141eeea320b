"""The learner `td`: TD(lambda) in matches of self-play; see `boardgames.selfplay.temporal`.

A step plays its matches in a fixed number of groups. Each group begins with
the same weights and learns by itself, and the weights of all are averaged;
so a step's result does not depend on how many workers there are.
"""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from boardgames.kernels import Reals
from boardgames.learner import LearnerState
from boardgames.learning.base import (
    FEATURES,
    OPENING,
    PLY_LIMIT,
    TEST_MATCHES,
    FeatureLearner,
    course_of,
)
from boardgames.options import Option
from boardgames.selfplay import TDParameters, derive_seed, train_players

RATES = (
    Option("alpha", float, 0.1, "learning rate", minimum=0, maximum=100),
    Option("gamma", float, 0.9, "discount of what comes a move later", minimum=0, maximum=1),
    Option("lambda", float, 0.5, "decay of the traces, besides the discount", minimum=0, maximum=1),
    Option("tanh", bool, True, "squash the weighted sum to -1 to 1"),
)
"""How TD(lambda) learns; learners that train by it declare these."""
INITIAL = Option(
    "initial", float, 0.1, "first weights are random, so far from 0 at most", minimum=0, maximum=1e3
)


def exploration(unit: str) -> tuple[Option, ...]:
    """Return the options of a share of exploratory moves that falls once a unit."""
    return (
        Option("epsilon", float, 0.5, "share of exploratory moves at the start", minimum=0, maximum=1),
        Option("epsilon_decay", float, 0.95, f"factor of it a {unit}", minimum=0, maximum=1),
        Option("epsilon_floor", float, 0.1, "it never falls below", minimum=0, maximum=1),
    )


class TemporalLearner(FeatureLearner):
    """Learns by TD(lambda); declares `RATES` and `exploration` among its options."""

    @property
    def is_squashed(self) -> bool:
        """Say whether values are the hyperbolic tangent of the weighted sum."""
        return bool(self.options["tanh"])

    def rates(self, number: int) -> TDParameters:
        """Return how is learned after so many steps, or whatever exploration falls by."""
        start = self.number("epsilon")
        fallen = start * self.number("epsilon_decay") ** number
        return TDParameters(
            self.number("alpha"),
            self.number("gamma"),
            self.number("lambda"),
            max(fallen, min(start, self.number("epsilon_floor"))),
            self.is_squashed,
        )


class TemporalDifference(TemporalLearner):
    """TD(lambda) with accumulating traces on a linear value function."""

    name: ClassVar[str] = "td"
    declared_options = (
        FEATURES,
        *RATES,
        *exploration("step"),
        Option("alpha_decay", float, 1.0, "factor of the learning rate a step", minimum=0, maximum=1),
        Option("shared", bool, True, "both sides have the same weights"),
        INITIAL,
        Option("steps", int, 50, "steps in all", minimum=1, maximum=10**9),
        Option("matches", int, 200, "matches a step", minimum=1, maximum=10**6),
        Option("groups", int, 4, "groups that learn apart in a step", minimum=1, maximum=1024),
        OPENING,
        PLY_LIMIT,
        TEST_MATCHES,
    )

    @property
    def length(self) -> int:
        """Return the number of steps."""
        return self.whole("steps")

    def start(self, seed: int) -> LearnerState:
        """Return random weights of both sides."""
        weights = first_weights(2, self.size, self.number("initial"), derive_seed(seed, "td"))
        if self.options["shared"]:
            weights[1] = weights[0]
        scalars = {"step": 0, "seed": seed, "leader": 0}
        return LearnerState({"players": weights}, scalars)

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Learn from a step's matches, and measure the weights."""
        step, seed = _whole(state, "step"), _whole(state, "seed")
        rates = self.rates(step)
        groups, matches = self.whole("groups"), self.whole("matches")
        shares = [matches // groups + (index < matches % groups) for index in range(groups)]
        players = state.arrays["players"]
        futures = [
            executor.submit(
                train_players,
                self.setup,
                players,
                rates,
                matches=share,
                seed=derive_seed(seed, "td", step, index),
            )
            for index, share in enumerate(shares)
            if share
        ]
        taught = [future.result() for future in futures]
        weights = np.mean([group.weights for group in taught], axis=0)
        if rates.shared:
            weights[1] = weights[0]
        ended = [match for group in taught for match in group.matches]
        tests = [
            self.scored(weights[side], executor, seed=derive_seed(seed, "test", step, side))
            for side in range(1 if rates.shared else 2)
        ]
        leader = int(np.argmax([test.get("score", 0.0) for test in tests]))
        metrics = {
            **tests[leader],
            **course_of(ended),
            "epsilon": rates.epsilon,
            "alpha": rates.alpha,
            "change": float(np.abs(weights - players).max()),
        }
        scalars = {"step": step + 1, "seed": seed, "leader": leader}
        return LearnerState({"players": weights}, scalars), metrics

    def rates(self, step: int) -> TDParameters:
        """Return how the matches of a step are learned from."""
        rates = super().rates(step)
        alpha = rates.alpha * self.number("alpha_decay") ** step
        return replace(rates, alpha=alpha, shared=bool(self.options["shared"]))

    def is_done(self, state: LearnerState) -> bool:
        """Say whether all steps are done."""
        return _whole(state, "step") >= self.length

    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        """Return the weights of the side that did better against the reference, of the first without one."""
        found: Reals = state.arrays["players"][_whole(state, "leader")].copy()
        return found


def first_weights(count: int, size: int, spread: float, seed: int) -> Reals:
    """Return random weights of so many players, `float64[count, size]`, from -`spread` to `spread`."""
    return np.random.default_rng(seed).uniform(-spread, spread, (count, size))


def _whole(state: LearnerState, name: str) -> int:
    value = state.scalars[name]
    assert isinstance(value, int)
    return value
