"""The common part of `genetic`, `cem`, `cmaes` and `spsa`: search space, and fitness measured in matches.

They optimise the weights of an evaluation for alpha-beta search at a fixed
depth. An individual is a row of numbers, `float64[size]`, on the scale on which
the features' ranges are -1 to 1. All individuals of a generation play the same
opponent from the same openings, each opening with both sides.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from boardgames.declarations import NO_EVALUATION, FeatureSet
from boardgames.errors import LearnerStateError, OptionError, quote
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import Array, LearnerState
from boardgames.learning.base import (
    FEATURES,
    OPENING,
    PLY_LIMIT,
    START,
    TEST_MATCHES,
    FeatureLearner,
    gather_results,
    mean_points,
    rank,
)
from boardgames.options import Option
from boardgames.selfplay import Contestant, SelfPlayMatch, derive_seed, play_matches
from boardgames.weights import find_weights

WINS, MARGIN = "wins", "margin"
OPPONENT = Option(
    "opponent", str, None,
    "game, random, weights, a run or a file; default: the game's evaluation, or random if it has none",
)  # fmt: skip
SEARCH_OPTIONS = (
    FEATURES,
    START,
    Option(
        "mirrored",
        bool,
        None,
        "give each feature of the opponent the negated weight of one's own; default: if possible",
    ),
    Option("depth", int, 2, "search depth of all matches, in plies", minimum=1, maximum=20),
    Option("steps", int, 50, "number of generations", minimum=1, maximum=10**6),
    Option(
        "pairs", int, 10, "openings per individual, each played with both sides", minimum=1, maximum=10_000
    ),
    OPENING,
    PLY_LIMIT,
    TEST_MATCHES,
)
"""Options that all of these learners share."""
RESOLUTION = 2.0**-12
"""Values of matches are multiples of this, so that their sums are exact."""
BATCH = 20
"""Maximum number of matches in a task."""

OWN_PREFIX, OPPONENT_PREFIX = "own ", "opponent's "


def fitness_option(default: str) -> Option:
    """Return the option `fitness`."""
    return Option(
        "fitness", str, default, "wins: more wins, then fewer plies to win; margin: final scores count too",
        choices=(WINS, MARGIN),
    )  # fmt: skip


# --- fitness ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fitness:
    """The fitness of an individual.

    Attributes
    ----------
    value : float
        From `fitness_by_wins` or `fitness_by_margin`; larger is better.
    plies_to_win : float
        Mean length of the matches that it won; the ply limit if it won none.
    """

    value: float
    plies_to_win: float


def match_value(match: SelfPlayMatch) -> float:
    """Return the value, in [0, 1], of a match for the first contestant.

    A win is 1 and a loss 0. Without a winner it is 1/2 + margin / (1 + sum of
    both scores) / 4, which is between 1/4 and 3/4, rounded to `RESOLUTION`.

    Examples
    --------
    >>> match_value(SelfPlayMatch(0, 0, False, 30, 7, (6, 1)))
    1.0
    >>> match_value(SelfPlayMatch(0, None, True, 400, 7, (2, 1)))
    0.5625
    """
    if match.winner is not None:
        return match.points
    total = abs(match.scores[0]) + abs(match.scores[1])
    return 0.5 + round(match.margin / (1 + total) / 4 / RESOLUTION) * RESOLUTION


def fitness_by_wins(results: Sequence[SelfPlayMatch], ply_limit: int) -> Fitness:
    """Return the first contestant's fitness, measured by its wins in one or more matches.

    Ties are broken by the fewest plies to win: `plies_to_win` / (`ply_limit` + 1),
    which is less than 1, is subtracted from the number of wins. The difference
    is divided by the number of matches.

    Examples
    --------
    >>> won, lost = SelfPlayMatch(0, 0, False, 30, 7, (6, 0)), SelfPlayMatch(0, 1, False, 30, 7, (5, 6))
    >>> fitness_by_wins([won, lost], 59), fitness_by_wins([lost], 59)
    (Fitness(value=0.25, plies_to_win=30.0), Fitness(value=0.0, plies_to_win=59.0))
    """
    won = [match.plies for match in results if match.points == 1]
    if not won:
        return Fitness(0.0, float(ply_limit))
    plies = float(np.mean(won))
    return Fitness((len(won) - plies / (ply_limit + 1)) / len(results), plies)


def fitness_by_margin(results: Sequence[SelfPlayMatch], ply_limit: int) -> Fitness:
    """Return the first contestant's fitness, measured by wins and final scores in one or more matches.

    It is the mean of `match_value`. Ties are broken by the fewest plies to win:
    `plies_to_win` / (`ply_limit` + 1) times `RESOLUTION`, which is less than any
    other difference, is subtracted from the sum.

    Examples
    --------
    >>> quick, slow = (SelfPlayMatch(0, 0, False, plies, 7, (6, 0)) for plies in (30, 40))
    >>> 1 > fitness_by_margin([quick], 400).value > fitness_by_margin([slow], 400).value > 1 - RESOLUTION
    True
    """
    won = [match.plies for match in results if match.points == 1]
    plies = float(np.mean(won)) if won else float(ply_limit)
    total = sum(match_value(match) for match in results)
    return Fitness((total - RESOLUTION * plies / (ply_limit + 1)) / len(results), plies)


# --- search space -----------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class SearchSpace:
    """The numbers that are optimised, and how they map to weights.

    Attributes
    ----------
    matrix : float64[size, n]
        An individual times this matrix gives the weights. Each column holds a single 1 or -1.
    """

    matrix: Reals

    @property
    def size(self) -> int:
        """Return the number of dimensions."""
        return len(self.matrix)

    def weights(self, individuals: Reals) -> Reals:
        """Return the weights, `float64[..., n]`, of individuals, `float64[..., size]`."""
        weights: Reals = individuals @ self.matrix
        return weights

    def individual(self, weights: Reals) -> Reals:
        """Return the individual, `float64[size]`, whose weights are nearest to the given ones, `float64[n]`.

        Where two weights share a dimension, their mean is taken.
        """
        nearest: Reals = self.matrix @ weights / (self.matrix**2).sum(axis=1)
        return nearest


def search_space(features: FeatureSet, mirrored: bool | None = None) -> SearchSpace:
    """Return the search space for the weights of a feature set.

    If mirrored, the feature `opponent's X` gets the weight of `own X` negated,
    which requires equal ranges; other features have independent weights.

    Parameters
    ----------
    mirrored : bool, optional
        By default, mirrored if possible.

    Raises
    ------
    OptionError
        If `mirrored` is True and not possible.

    Examples
    --------
    >>> import boardgames
    >>> space = search_space(boardgames.load_features("lines", boardgames.load("connect4")))
    >>> space.weights(np.array([1.0, 2, 3, 4, 5, 6])).tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0, -1.0, -2.0, -3.0, -4.0, -5.0, 6.0]
    """
    pairs = _mirror_pairs(features)
    if mirrored and not pairs:
        raise OptionError(
            f"features {quote(features.name)} cannot be mirrored: every 'own X' needs an \"opponent's X\" "
            "with the same range"
        )
    if mirrored is False or not pairs:
        return SearchSpace(np.eye(len(features.features)))
    rows = [place for place in range(len(features.features)) if place not in pairs.values()]
    matrix = np.zeros((len(rows), len(features.features)))
    for row, place in enumerate(rows):
        matrix[row, place] = 1.0
        if place in pairs:
            matrix[row, pairs[place]] = -1.0
    return SearchSpace(matrix)


def _mirror_pairs(features: FeatureSet) -> dict[int, int]:
    """Map the index of each own feature to that of the opponent's, or return {} if one has no counterpart."""
    by_name = {feature.name: (place, feature) for place, feature in enumerate(features.features)}
    terms = {name.removeprefix(OWN_PREFIX) for name in by_name if name.startswith(OWN_PREFIX)}
    if terms != {name.removeprefix(OPPONENT_PREFIX) for name in by_name if name.startswith(OPPONENT_PREFIX)}:
        return {}
    pairs = {}
    for term in terms:
        (place, own), (other_place, other) = by_name[OWN_PREFIX + term], by_name[OPPONENT_PREFIX + term]
        if (own.low, own.high) != (other.low, other.high):
            return {}
        pairs[place] = other_place
    return pairs


# --- learners ---------------------------------------------------------------


class FitnessLearner(FeatureLearner):
    """Base class of the learners that maximise a fitness measured in matches, such as `genetic` and `cem`.

    Attributes
    ----------
    space : SearchSpace
        The space that is searched.
    opponent : Contestant
        The opponent of all individuals, unless the learner provides one itself; see `own_opponent`.
    """

    declared_options: ClassVar[tuple[Option, ...]] = (*SEARCH_OPTIONS, fitness_option(MARGIN), OPPONENT)
    own_opponent: ClassVar[str] = ""
    """Value of the option `opponent` with which the learner provides the opponent itself."""

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        mirrored = self.options["mirrored"]
        self.space = search_space(self.features, None if mirrored is None else bool(mirrored))
        self.depth = self.integer("depth")
        self.opponent, self._fingerprint = self._find_opponent(self.text("opponent"))

    @property
    def start_point(self) -> Reals:
        """Return the first individual, `float64[size]`: the one of the given weights, or zeros."""
        return np.zeros(self.space.size) if self.given is None else self.space.individual(self.given)

    @property
    def searches(self) -> bool:
        """Return whether the players search deeper than one ply."""
        return self.depth > 1

    def step_seed(self, state: LearnerState, *content: object) -> int:
        """Return a seed for the step that follows a state; `content` tells the seeds of one step apart."""
        return derive_seed(state.scalars["seed"], self.name, state.integer("step"), *content)

    def first_state(self, seed: int, arrays: Mapping[str, Array]) -> LearnerState:
        """Return the state before the first step."""
        return LearnerState(arrays, {"step": 0, "seed": seed, "opponent": self._fingerprint})

    def next_state(self, state: LearnerState, arrays: Mapping[str, Array]) -> LearnerState:
        """Return the state one step later."""
        return LearnerState(arrays, {**state.scalars, "step": state.integer("step") + 1})

    def measure_fitness(
        self, individuals: Reals, opponent: Contestant, executor: Executor, seed: int
    ) -> list[Fitness]:
        """Return the fitness of individuals, `float64[count, size]`, against an opponent."""
        futures = [
            self.submit_matches(
                Contestant(weights, self.depth), opponent, self.integer("pairs"), executor, seed
            )
            for weights in self.space.weights(individuals)
        ]
        fitness = fitness_by_wins if self.text("fitness") == WINS else fitness_by_margin
        return [fitness(gather_results(own), self.setup.ply_limit) for own in futures]

    def submit_matches(
        self, first: Contestant, second: Contestant, pairs: int, executor: Executor, seed: int
    ) -> list["Future[list[SelfPlayMatch]]"]:
        """Submit tasks that play two matches from each of `pairs` openings, which `seed` determines."""
        return [
            executor.submit(
                play_matches, self.setup, first, second, matches=matches, seed=derive_seed(seed, number)
            )
            for number, matches in enumerate(batch_sizes(2 * pairs))
        ]

    def contestant(self, individual: Reals) -> Contestant:
        """Return a player with the weights of an individual, `float64[size]`."""
        return Contestant(self.space.weights(individual), self.depth)

    def result_of(self, matches: Sequence[SelfPlayMatch]) -> float:
        """Return the result of the first contestant, 0 to 1.

        It is the share of the points if fitness counts wins, otherwise the mean of `match_value`.
        """
        if self.text("fitness") == WINS:
            return mean_points(matches)
        return float(np.mean([match_value(match) for match in matches]))

    def check_opponent(self, state: LearnerState) -> None:
        """Raise LearnerStateError if the opponent's weights have changed since the run began."""
        if state.scalars["opponent"] != self._fingerprint:
            raise LearnerStateError(
                f"cannot resume: the weights of the opponent {self.text('opponent')!r} have changed since "
                "the run began"
            )

    def _find_opponent(self, text: str) -> tuple[Contestant, str]:
        """Return the opponent that a text names, and the fingerprint of its weights."""
        has_evaluation = self.game.evaluation is not NO_EVALUATION
        is_own = bool(text) and text == self.own_opponent
        if text == "random" or is_own or (not text and not has_evaluation):
            return Contestant(depth=self.depth, is_random=True), ""
        if text in ("", "game"):
            if not has_evaluation:
                raise OptionError(f"opponent=game needs an evaluation, and {self.game.facts.name} has none")
            return Contestant(depth=self.depth), ""
        weights, _ = find_weights(text, self.game)
        return Contestant(weights, self.depth), weights.fingerprint()


class Optimiser(Protocol):
    """Maximises any function of an individual, by asking for its values at chosen points."""

    @property
    def mean(self) -> Reals:
        """Return the centre of the distribution, `float64[size]`."""

    def ask(self) -> Reals:
        """Return the next generation, `float64[count, size]`."""

    def tell(self, individuals: Reals, fitness: Reals) -> None:
        """Update the distribution from the fitness, `float64[count]`, of that generation."""

    def arrays(self) -> dict[str, Array]:
        """Return the arrays that are needed to resume, among them `deviation`, `float64[size]`."""


class DistributionLearner(FitnessLearner):
    """Base class of `cem` and `cmaes`, which sample individuals from a distribution that they improve.

    The state has the arrays of the optimiser, and `measured`, the fitness of
    the last generation, which the standings show.
    """

    @abstractmethod
    def optimiser(self, state: LearnerState) -> Optimiser:
        """Return the optimiser that a state describes."""

    def keep(self, state: LearnerState, optimiser: Optimiser) -> None:
        """Keep the optimiser of a new state in memory if it would be slow to recreate."""

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Measure a generation and update the distribution."""
        self.check_opponent(state)
        optimiser = self.optimiser(state)
        individuals = optimiser.ask()
        measured = self.measure_fitness(individuals, self.opponent, executor, self.step_seed(state))
        values = np.array([fitness.value for fitness in measured])
        optimiser.tell(individuals, values)
        arrays = optimiser.arrays()
        after = self.next_state(state, {**arrays, "measured": values})
        best = measured[rank(values)[0]]
        test_seed = self.step_seed(state, "test")
        metrics = {
            **self.score_metrics(self.weights(after), executor, seed=test_seed, depth=self.depth),
            "fitness": best.value,
            "mean_fitness": float(values.mean()),
            "plies_to_win": best.plies_to_win,
            "deviation": float(arrays["deviation"].mean()),
        }
        self.keep(after, optimiser)
        return after, metrics

    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        """Return the weights at the distribution's mean; fitness is too noisy to choose an individual by."""
        return self.space.weights(state.arrays["mean"])

    def standings(self, state: LearnerState) -> Sequence[tuple[str, float]]:
        """Return the fitness of the last generation."""
        return fitness_standings(state.arrays["measured"])


def fitness_standings(values: Reals, first: str = "individual 1") -> list[tuple[str, float]]:
    """Return the name and fitness of each individual, best first; `first` names individual 1.

    Examples
    --------
    >>> fitness_standings(np.array([0.25, 0.75]), "previous best")
    [('individual 2', 0.75), ('previous best', 0.25)]
    """
    return [
        (f"individual {place + 1}" if place else first, round(float(values[place]), 4))
        for place in rank(values)
    ]


def batch_sizes(matches: int) -> list[int]:
    """Return the number of matches of each task.

    Examples
    --------
    >>> batch_sizes(50)
    [20, 20, 10]
    """
    return [min(BATCH, matches - begun) for begun in range(0, matches, BATCH)]
