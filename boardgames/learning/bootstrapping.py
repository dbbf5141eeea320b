"""The learners `treestrap` and `td-leaf`, which learn weights through alpha-beta search in self-play.

See `boardgames.selfplay.bootstrapping` for the algorithms. As with `td`, the matches of a step are
divided into a fixed number of groups. Each group starts from the same weights and trains on its own,
and the results are averaged, so they do not depend on the number of workers.

In games like Abalone, play may become so passive that no match is decided. It stays passive, since
undecided matches teach nothing, so the option `restart_below` makes training begin again with new
weights.
"""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from typing import ClassVar

import numpy as np

from boardgames.kernels import Reals
from boardgames.kernels.bundles import Bundle
from boardgames.learner import LearnerState
from boardgames.learning.base import FEATURES, START, FeatureLearner, batch_count, group_sizes, match_metrics
from boardgames.learning.td import (
    INITIAL,
    TD_OPTIONS,
    initial_weights,
    schedule_options,
    scheduled,
    self_play_options,
)
from boardgames.options import Option
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.search import pvs
from boardgames.search.alphabeta.workspace import SPARE_ROWS
from boardgames.search.alphabeta.workspace import new_workspace as new_search
from boardgames.selfplay import SelfPlayMatch, SelfPlaySetup, bootstrapping, derive_seed
from boardgames.selfplay.worker import WorkerState, check_finite, worker_state
from boardgames.weights.linear import linear_evaluation

MAX_DEPTH = 8
ALPHA, GAMMA, LAMBDA, TANH = TD_OPTIONS
DEFAULTS = {"alpha_decay": 0.97, "epsilon": 0.1, "epsilon_floor": 0.02}
SEARCHED = (
    replace(GAMMA, default=1.0, summary="discount factor per ply"),
    TANH,
    *(
        replace(option, default=DEFAULTS.get(option.name, option.default))
        for option in schedule_options("step")
    ),
    Option("depth", int, 2, "search depth of all matches, in plies", minimum=1, maximum=MAX_DEPTH),
    Option("quiescence", int, 4, "maximum depth of quiescence search, in plies", minimum=0, maximum=16),
    INITIAL,
    Option(
        "restart_below", float, 0.0,
        "restart with new weights if a smaller share of matches is decided, in the first half of the steps",
        minimum=0, maximum=1,
    ),
    *self_play_options(steps=40, matches=100),
)  # fmt: skip


class _SearchedLearner(FeatureLearner):
    """Base class of both learners, which search in self-play and learn from the searches."""

    follows_curve: ClassVar[bool] = False
    whole_tree: ClassVar[bool]

    @property
    def searches(self) -> bool:
        """Return True, because weights are learned from searches."""
        return True

    def start(self, seed: int) -> LearnerState:
        """Return the given weights, or random ones."""
        weights = self.given
        if weights is None:
            weights = self._random_weights(derive_seed(seed, self.name))
        return LearnerState({"values": weights.copy()}, {"step": 0, "seed": seed})

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Train for a step, and score the weights."""
        step, seed = state.integer("step"), state.integer("seed")
        parameters, before = self.parameters(step), state.arrays["values"]
        futures = [
            executor.submit(
                train_by_search, self.setup, before, parameters,
                matches=size, seed=derive_seed(seed, self.name, step, index),
            )
            for index, size in enumerate(self._sizes())
        ]  # fmt: skip
        groups = [future.result() for future in futures]
        weights = np.mean([group.weights for group in groups], axis=0)
        deltas = sum(group.deltas for group in groups)
        metrics = {
            **self.score_metrics(weights, executor, seed=derive_seed(seed, "test", step)),
            **match_metrics([match for group in groups for match in group.matches]),
            "epsilon": parameters.epsilon,
            "alpha": parameters.alpha,
            "error": float(np.sqrt(sum(group.squares for group in groups) / max(1, deltas))),
            "change": float(np.abs(weights - before).max()),
        }
        if self._is_stuck(step, metrics["decided"]):
            weights = self._random_weights(derive_seed(seed, "restart", step))
        return LearnerState({"values": weights}, {"step": step + 1, "seed": seed}), metrics

    def parameters(self, step: int) -> "SearchTraining":
        """Return the parameters, with the learning rate and epsilon after `step` steps."""
        alpha, epsilon = scheduled(self, step)
        return SearchTraining(
            alpha=alpha,
            gamma=self.number("gamma"),
            trace_decay=self.number("lambda") if "lambda" in self.options else 0.0,
            epsilon=epsilon,
            tanh=self.uses_tanh,
            depth=self.integer("depth"),
            quiescence=self.integer("quiescence"),
            whole_tree=self.whole_tree,
        )

    def weights(self, state: LearnerState) -> Reals:
        """Return the current weights."""
        weights: Reals = state.arrays["values"].copy()
        return weights

    def task_count(self, step: int) -> int:
        """Return the number of tasks: one for each group and for each batch of test matches."""
        return len(self._sizes()) + batch_count(self.integer("test_matches"))

    def _random_weights(self, seed: int) -> Reals:
        """Return random weights to start with, `float64[size]`."""
        weights: Reals = initial_weights(1, self.size, self.number("initial"), seed)[0]
        return weights

    def _is_stuck(self, step: int, decided: float) -> bool:
        """Return whether too few matches of a step were decided while it is early enough to begin again."""
        is_early = 2 * (step + 1) <= self.length
        return is_early and not self.text("start") and decided < self.number("restart_below")

    def _sizes(self) -> list[int]:
        """Return the number of matches of each group, without empty groups."""
        return group_sizes(self.integer("matches"), self.integer("groups"))


class TreeStrap(_SearchedLearner):
    """TreeStrap: moves the values of all positions in a search tree towards their searched values."""

    name: ClassVar[str] = "treestrap"
    whole_tree: ClassVar[bool] = True
    declared_options = (FEATURES, START, replace(ALPHA, default=0.3), *SEARCHED)


class TDLeaf(_SearchedLearner):
    """TD-leaf: TD(lambda) on the last positions of the principal variations."""

    name: ClassVar[str] = "td-leaf"
    whole_tree: ClassVar[bool] = False
    declared_options = (
        FEATURES,
        START,
        replace(ALPHA, default=0.05),
        replace(LAMBDA, default=0.7),
        *SEARCHED,
    )


# --- the task ---------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTraining:
    """Hyperparameters of learning from searches; see `boardgames.selfplay.bootstrapping`.

    Attributes
    ----------
    alpha, gamma, trace_decay : float
        Learning rate, discount factor per ply, and lambda, which only TD-leaf uses.
    epsilon : float
        Probability of an exploratory move.
    tanh : bool
        True if values are the hyperbolic tangent of the weighted sum.
    depth, quiescence : int
        Depth of the search and maximum depth of its quiescence search, in plies.
    whole_tree : bool
        True for TreeStrap, False for TD-leaf.
    """

    alpha: float
    gamma: float
    trace_decay: float
    epsilon: float
    tanh: bool
    depth: int
    quiescence: int
    whole_tree: bool


@dataclass(frozen=True, slots=True, eq=False)
class SearchTrained:
    """Weights after training, `float64[n]`; matches; number of TD errors and the sum of their squares."""

    weights: Reals
    matches: list[SelfPlayMatch]
    deltas: int
    squares: float


def train_by_search(
    setup: SelfPlaySetup, weights: Reals, parameters: SearchTraining, *, matches: int, seed: int
) -> SearchTrained:
    """Train weights in self-play by search; a task for an executor.

    Parameters
    ----------
    weights : float64[n]
        Weights of the setup's features. Not changed.
    seed : int
        Seeds openings and exploration.

    Raises
    ------
    WeightsError
        If the weights diverge.
    """
    state = worker_state(setup)
    trained = state.run_stoppable(lambda: _train(state, weights.copy(), parameters, matches, seed))
    check_finite(trained.weights, parameters.alpha)
    return trained


def _train(
    state: WorkerState, weights: Reals, parameters: SearchTraining, matches: int, seed: int
) -> SearchTrained:
    """Train `weights` in place."""
    setup, game, features = state.setup, state.game, state.features
    evaluation = linear_evaluation(game, features, weights, tanh=parameters.tanh)
    options = replace(
        SearchOptions.plain(quiescence=parameters.quiescence), killers=True, history=True
    ).record(game, evaluation)
    rows = parameters.depth + parameters.quiescence + SPARE_ROWS
    search = new_search(game, evaluation, options, pvs, state.control, rows=rows)
    search = search._replace(weights=search.weights.copy())  # copied, since training changes the weights
    hyperparameters = asdict(parameters)
    del hyperparameters["quiescence"]
    work = bootstrapping.new_workspace(
        features, weights, search.weights, bootstrapping.new_parameters(**hyperparameters)
    )
    work.random_state[0] = seed
    searched, learned = Bundle(search), Bundle(work)
    results = []
    for number in range(matches):
        search.positions[0] = state.start
        search.history.fill(0)
        work.moves_hash[0] = 0
        code = bootstrapping.learn_match(searched.words, learned.words, setup.opening, setup.ply_limit)
        results.append(state.result(code, number % 2, work.moves_hash, search.positions[0]))
    deltas, squares = work.totals[1]
    return SearchTrained(weights, results, int(deltas), float(squares))
