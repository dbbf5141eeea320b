"""The learner `td`: TD(lambda) in self-play; see `boardgames.selfplay.temporal`.

The matches of a step are divided into a fixed number of groups. Each group
starts from the same weights and trains on its own, and the results are
averaged, so they do not depend on the number of workers.
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
    START,
    TEST_MATCHES,
    Configured,
    FeatureLearner,
    group_sizes,
    match_metrics,
)
from boardgames.options import Option
from boardgames.selfplay import TDParameters, derive_seed, train_players

DEFAULTS = TDParameters()
TD_OPTIONS = (
    Option("alpha", float, DEFAULTS.alpha, "learning rate", minimum=0, maximum=100),
    Option("gamma", float, DEFAULTS.gamma, "discount factor", minimum=0, maximum=1),
    Option("lambda", float, DEFAULTS.trace_decay, "trace decay", minimum=0, maximum=1),
    Option("tanh", bool, DEFAULTS.tanh, "squash values to the range -1 to 1"),
)
"""Hyperparameters of TD(lambda), for learners and experiments that train with it."""
INITIAL_EPSILON = 0.5
"""Default of the option `epsilon`, which decays to `epsilon_floor`."""
BETA = Option(
    "beta", float, DEFAULTS.beta,
    "how much smaller steps are for weights with fluctuating errors; 0 for equal steps",
    minimum=0, maximum=100,
)  # fmt: skip
"""The option for temporal coherence."""
INITIAL = Option(
    "initial", float, 0.1, "largest initial weight; weights start at random", minimum=0, maximum=1e3
)


def self_play_options(steps: int, matches: int) -> tuple[Option, ...]:
    """Return the options for the self-play of each step, with these default numbers of steps and matches."""
    return (
        Option("steps", int, steps, "number of steps", minimum=1, maximum=10**9),
        Option("matches", int, matches, "matches per step", minimum=1, maximum=10**6),
        Option(
            "groups", int, 4, "groups of matches per step that train separately and are averaged",
            minimum=1, maximum=1024,
        ),
        OPENING,
        PLY_LIMIT,
        TEST_MATCHES,
    )  # fmt: skip


def schedule_options(period: str) -> tuple[Option, ...]:
    """Return the options for a learning rate and an epsilon that decay once per `period`."""
    return (
        Option(
            "alpha_decay", float, 1.0, f"factor applied to alpha after each {period}", minimum=0, maximum=1
        ),
        Option(
            "epsilon", float, INITIAL_EPSILON, "initial probability of an exploratory move",
            minimum=0, maximum=1,
        ),
        Option(
            "epsilon_decay", float, 0.95, f"factor applied to epsilon after each {period}",
            minimum=0, maximum=1,
        ),
        Option("epsilon_floor", float, DEFAULTS.epsilon, "lowest epsilon", minimum=0, maximum=1),
    )  # fmt: skip


def scheduled(configured: Configured, step: int) -> tuple[float, float]:
    """Return the learning rate and epsilon after `step` steps, from `schedule_options` and `alpha`."""
    initial = configured.number("epsilon")
    decayed = initial * configured.number("epsilon_decay") ** step
    alpha = configured.number("alpha") * configured.number("alpha_decay") ** step
    return alpha, max(decayed, min(initial, configured.number("epsilon_floor")))


def td_parameters(configured: Configured, epsilon: float) -> TDParameters:
    """Return the parameters that the options in `TD_OPTIONS` set, with the given epsilon."""
    return TDParameters(
        configured.number("alpha"),
        configured.number("gamma"),
        configured.number("lambda"),
        epsilon,
        bool(configured.options["tanh"]),
    )


class TDLearner(FeatureLearner):
    """Base class for learners of feature weights by TD(lambda).

    A subclass declares `TD_OPTIONS` and `schedule_options` besides the options of `FeatureLearner`.
    """

    def parameters(self, step: int) -> TDParameters:
        """Return the parameters, with the learning rate and epsilon after `step` steps."""
        alpha, epsilon = scheduled(self, step)
        return replace(td_parameters(self, epsilon), alpha=alpha)


class TemporalDifference(TDLearner):
    """TD(lambda) with accumulating traces and a linear value function, optionally with temporal coherence."""

    name: ClassVar[str] = "td"
    declared_options = (
        FEATURES,
        START,
        *TD_OPTIONS,
        BETA,
        *schedule_options("step"),
        Option("shared", bool, True, "both sides share one set of weights"),
        INITIAL,
        *self_play_options(steps=50, matches=200),
    )

    def start(self, seed: int) -> LearnerState:
        """Return the given weights for both sides, or random ones."""
        weights = initial_weights(2, self.size, self.number("initial"), derive_seed(seed, "td"))
        if self.given is not None:
            weights[:] = self.given
        if self.options["shared"]:
            weights[1] = weights[0]
        scalars = {"step": 0, "seed": seed, "leader": 0}
        arrays = {"players": weights}
        if self.number("beta"):
            arrays["errors"] = np.zeros((2, 2, self.size))
        return LearnerState(arrays, scalars)

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Train for a step, and score the weights."""
        step, seed = state.integer("step"), state.integer("seed")
        parameters = self.parameters(step)
        players, errors = state.arrays["players"], state.arrays.get("errors")
        futures = [
            executor.submit(
                train_players, self.setup, players, parameters,
                matches=size, seed=derive_seed(seed, "td", step, index), errors=errors,
            )
            for index, size in enumerate(group_sizes(self.integer("matches"), self.integer("groups")))
        ]  # fmt: skip
        trained = [future.result() for future in futures]
        weights = np.mean([group.weights for group in trained], axis=0)
        if parameters.shared:
            weights[1] = weights[0]
        scores = [
            self.score_metrics(weights[side], executor, seed=derive_seed(seed, "test", step, side))
            for side in range(1 if parameters.shared else 2)
        ]
        leader = int(np.argmax([metrics.get("score", 0.0) for metrics in scores]))
        metrics = {
            **scores[leader],
            **match_metrics([match for group in trained for match in group.matches]),
            "epsilon": parameters.epsilon,
            "alpha": parameters.alpha,
            "change": float(np.abs(weights - players).max()),
        }
        scalars = {"step": step + 1, "seed": seed, "leader": leader}
        arrays = {"players": weights}
        if errors is not None:
            arrays["errors"] = errors + np.sum([group.errors - errors for group in trained], axis=0)
        return LearnerState(arrays, scalars), metrics

    def parameters(self, step: int) -> TDParameters:
        """Return the parameters after `step` steps, including `shared` and `beta`."""
        shared, beta = bool(self.options["shared"]), self.number("beta")
        return replace(super().parameters(step), shared=shared, beta=beta)

    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        """Return the weights of the side with the better score, or of side 0 if there are no scores."""
        weights: Reals = state.arrays["players"][state.integer("leader")].copy()
        return weights


def initial_weights(count: int, size: int, spread: float, seed: int) -> Reals:
    """Return random weights of `count` players, `float64[count, size]`, from -`spread` to `spread`."""
    return np.random.default_rng(seed).uniform(-spread, spread, (count, size))
