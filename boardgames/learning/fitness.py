"""What `genetic`, `cem` and `cmaes` share: weights to look for, and matches that say how good they are.

The weights are of an evaluation in alpha-beta of fixed depth. Individuals are
`float64[n, size]`, a row of numbers each, on the scale where the features'
ranges are -1 to 1; all of a generation meet the same opponent from the same
openings, each with both sides.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from boardgames.declarations import FeatureSet
from boardgames.errors import LearnerStateError, OptionError, shown
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import Array, LearnerState
from boardgames.learning.base import FEATURES, OPENING, PLY_LIMIT, TEST_MATCHES, FeatureLearner
from boardgames.options import Option
from boardgames.selfplay import Contestant, MatchResult, derive_seed, play_matches
from boardgames.weights import find_weights

OPPONENT = Option(
    "opponent", str, None, "game, random, weights, a run or a file; game's evaluation where it has one"
)
SEARCH = (
    FEATURES,
    Option("mirrored", bool, None, "the other's weights are the negatives of the own; where that can be"),
    Option("depth", int, 2, "plies looked ahead in all matches", minimum=1, maximum=20),
    Option("steps", int, 50, "generations in all", minimum=1, maximum=10**6),
    Option("pairs", int, 10, "openings of each individual, with both sides each", minimum=1, maximum=10_000),
    OPENING,
    PLY_LIMIT,
    TEST_MATCHES,
)
"""Options of every learner here, beside its own."""
WINS, MARGIN = "wins", "margin"
GRAIN = 2.0**-12
"""A match counts in multiples of this, so that sums are exact."""
TASK_MATCHES = 20

OWN, OTHERS = "own ", "other's "


@dataclass(frozen=True, slots=True)
class Fitness:
    """How good an individual is: by `value` alone they are ranked, larger is better.

    Attributes
    ----------
    value : float
        As `fitness_by_wins` or `fitness_by_margin` has it.
    plies_to_win : float
        Mean of the matches it won, the limit of plies if none.
    """

    value: float
    plies_to_win: float


def worth(match: MatchResult) -> float:
    """Return what a match counts for the contestant named first, in [0, 1].

    A win is 1, a loss 0. Drawn or undecided it is 1/2, moved by margin / (1 +
    total of both scores) / 4, which stays within 1/4; to the nearest `GRAIN`.

    Examples
    --------
    >>> worth(MatchResult(0, 0, False, 30, 7, (6, 1))), worth(MatchResult(0, None, True, 400, 7, (2, 1)))
    (1.0, 0.5625)
    """
    if match.winner is not None:
        return match.points
    total = abs(match.scores[0]) + abs(match.scores[1])
    return 0.5 + round(match.margin / (1 + total) / 4 / GRAIN) * GRAIN


def fitness_option(default: str) -> Option:
    """Return the option of what individuals are ranked by."""
    return Option(
        "fitness", str, default, "wins, then fewest plies to win; or margin, which counts scores too",
        choices=(WINS, MARGIN),
    )  # fmt: skip


def fitness_by_wins(ended: Sequence[MatchResult], ply_limit: int) -> Fitness:
    """Return the fitness of the contestant named first in these matches, at least one, by wins alone.

    Most wins are best; of equal ones fewest plies to win: plies to win /
    (`ply_limit` + 1), less than a win, are taken off the number of wins, and
    the rest is divided by the number of matches.

    Examples
    --------
    >>> won, lost = MatchResult(0, 0, False, 30, 7, (6, 0)), MatchResult(0, 1, False, 30, 7, (5, 6))
    >>> fitness_by_wins([won, lost], 59), fitness_by_wins([lost], 59)
    (Fitness(value=0.25, plies_to_win=30.0), Fitness(value=0.0, plies_to_win=59.0))
    """
    won = [match.plies for match in ended if match.points == 1]
    if not won:
        return Fitness(0.0, float(ply_limit))
    plies = float(np.mean(won))
    return Fitness((len(won) - plies / (ply_limit + 1)) / len(ended), plies)


def fitness_by_margin(ended: Sequence[MatchResult], ply_limit: int) -> Fitness:
    """Return the fitness of the contestant named first in these matches, at least one, scores counted too.

    Its value is the mean of what the matches count, `worth`; of equal ones
    that with fewer plies to win is larger, by less than any other difference:
    plies to win / (`ply_limit` + 1) times one `GRAIN` of one match is taken off.

    Examples
    --------
    >>> quick, slow = (MatchResult(0, 0, False, plies, 7, (6, 0)) for plies in (30, 40))
    >>> 1 > fitness_by_margin([quick], 400).value > fitness_by_margin([slow], 400).value > 1 - GRAIN
    True
    """
    won = [match.plies for match in ended if match.points == 1]
    plies = float(np.mean(won)) if won else float(ply_limit)
    total = sum(worth(match) for match in ended)
    return Fitness((total - GRAIN * plies / (ply_limit + 1)) / len(ended), plies)


def ranking(measured: Sequence[Fitness]) -> list[int]:
    """Return places by fitness, best first; of equal ones the earlier comes first."""
    return sorted(range(len(measured)), key=lambda place: -measured[place].value)


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """What is looked for: numbers from which the weights follow.

    Attributes
    ----------
    matrix : float64[size, n]
        Numbers times this are the weights: a column holds one 1 or -1.
    """

    matrix: Reals

    @property
    def size(self) -> int:
        """Return how many numbers are looked for."""
        return len(self.matrix)

    def weights(self, individuals: Reals) -> Reals:
        """Return weights, `float64[..., n]`, of individuals, `float64[..., size]`."""
        made: Reals = individuals @ self.matrix
        return made


def space_of(features: FeatureSet, mirrored: bool | None = None) -> Space:
    """Return what is looked for to have weights of a feature set.

    Mirrored, a feature named `other's X` has the negative of the weight of
    `own X`, and the others have one of their own; both need the same range.

    Parameters
    ----------
    mirrored : bool, optional
        By default it is if it can be.

    Raises
    ------
    OptionError
        If the features cannot be mirrored, and should.

    Examples
    --------
    >>> import boardgames
    >>> space = space_of(boardgames.load_features("lines", boardgames.load("connect4")))
    >>> space.weights(np.array([1.0, 2, 3, 4, 5, 6])).tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0, -1.0, -2.0, -3.0, -4.0, -5.0, 6.0]
    """
    pairs = _pairs(features)
    if mirrored and not pairs:
        raise OptionError(f"expected features 'own ...' with 'other's ...' to mirror: {shown(features.name)}")
    if mirrored is False or not pairs:
        return Space(np.eye(len(features.features)))
    rows = [place for place in range(len(features.features)) if place not in pairs.values()]
    matrix = np.zeros((len(rows), len(features.features)))
    for row, place in enumerate(rows):
        matrix[row, place] = 1.0
        if place in pairs:
            matrix[row, pairs[place]] = -1.0
    return Space(matrix)


def _pairs(features: FeatureSet) -> dict[int, int]:
    """Return the place of each own feature with that of the other's; none if one is alone."""
    found = {feature.name: (place, feature) for place, feature in enumerate(features.features)}
    terms = {name.removeprefix(OWN) for name in found if name.startswith(OWN)}
    if terms != {name.removeprefix(OTHERS) for name in found if name.startswith(OTHERS)}:
        return {}
    pairs = {}
    for term in terms:
        (place, own), (other, others) = found[OWN + term], found[OTHERS + term]
        if (own.low, own.high) != (others.low, others.high):
            return {}
        pairs[place] = other
    return pairs


class Searcher(FeatureLearner):
    """Looks for weights by matches; base class of `genetic`, `cem` and `cmaes`.

    Attributes
    ----------
    space : Space
        What is looked for.
    opponent : Contestant
        Whom individuals meet.
    """

    declared_options: ClassVar[tuple[Option, ...]] = (*SEARCH, fitness_option(MARGIN), OPPONENT)

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        mirrored = self.options["mirrored"]
        self.space = space_of(self.features, None if mirrored is None else bool(mirrored))
        self.depth = self.whole("depth")
        self.opponent, self._fingerprint = self._find(self.text("opponent"))

    @property
    def length(self) -> int:
        """Return the number of generations."""
        return self.whole("steps")

    def is_done(self, state: LearnerState) -> bool:
        """Say whether all generations are done."""
        return self.done(state) >= self.length

    def done(self, state: LearnerState) -> int:
        """Return the number of steps that are done."""
        return int(state.scalars["step"] or 0)

    def seed(self, state: LearnerState, *content: object) -> int:
        """Return a seed of the step that comes next."""
        return derive_seed(state.scalars["seed"], self.name, self.done(state), *content)

    def begin(self, seed: int, arrays: Mapping[str, Array]) -> LearnerState:
        """Return the state before the first step."""
        return LearnerState(arrays, {"step": 0, "seed": seed, "opponent": self._fingerprint})

    def follow(self, state: LearnerState, arrays: Mapping[str, Array]) -> LearnerState:
        """Return the state after a step more."""
        return LearnerState(arrays, {**state.scalars, "step": self.done(state) + 1})

    def measure(
        self, individuals: Reals, opponent: Contestant, executor: Executor, seed: int
    ) -> list[Fitness]:
        """Return how good individuals, `float64[count, size]`, are against an opponent."""
        tasks = [
            self.submit(Contestant(weights, self.depth), opponent, self.whole("pairs"), executor, seed)
            for weights in self.space.weights(individuals)
        ]
        fitness = fitness_by_wins if self.text("fitness") == WINS else fitness_by_margin
        return [fitness(ended_of(own), self.setup.ply_limit) for own in tasks]

    def submit(
        self, first: Contestant, second: Contestant, pairs: int, executor: Executor, seed: int
    ) -> list["Future[list[MatchResult]]"]:
        """Return the tasks of matches from so many openings; equal seeds give equal openings."""
        return [
            executor.submit(
                play_matches, self.setup, first, second, matches=matches, seed=derive_seed(seed, number)
            )
            for number, matches in enumerate(batches(2 * pairs))
        ]

    def check_opponent(self, state: LearnerState) -> None:
        """Raise LearnerStateError if the opponent has other weights than when the run began."""
        if state.scalars["opponent"] != self._fingerprint:
            text = self.text("opponent")
            raise LearnerStateError(f"expected the opponent's weights as they were at the start: {text!r}")

    def _find(self, text: str) -> tuple[Contestant, str]:
        """Return who an opponent is, and a hash of its weights."""
        has_evaluation = self.game.evaluation.weights.size > 0
        if text == "random" or (not text and not has_evaluation):
            return Contestant(depth=self.depth, is_random=True), ""
        if text in ("", "game"):
            if not has_evaluation:
                raise OptionError(f"expected an opponent: {self.game.facts.name} has no evaluation")
            return Contestant(depth=self.depth), ""
        weights, features = find_weights(text, self.game)
        return Contestant(weights.values, self.depth, features=features.name), weights.fingerprint()


class Optimiser(Protocol):
    """Looks for numbers with the largest fitness; knows nothing of matches."""

    @property
    def mean(self) -> Reals:
        """Return where it is looking, `float64[size]`."""

    def ask(self) -> Reals:
        """Return a generation to be measured, `float64[count, size]`."""

    def tell(self, individuals: Reals, fitness: Reals) -> None:
        """Learn how good that generation is, `float64[count]`."""

    def arrays(self) -> dict[str, Array]:
        """Return what it needs to go on, and `deviation`, `float64[size]`."""


class DistributionSearcher(Searcher):
    """Looks by a distribution that moves to where fitness is; base class of `cem` and `cmaes`.

    The state holds what the optimiser needs and, for the standings, the
    `measured` values of the last generation.
    """

    @abstractmethod
    def optimiser(self, state: LearnerState) -> Optimiser:
        """Return the optimiser as it was in a state."""

    def keep(self, state: LearnerState, optimiser: Optimiser) -> None:
        """Learn which state an optimiser now stands for, so as to have it at once."""

    def step(self, state: LearnerState, executor: Executor) -> tuple[LearnerState, Mapping[str, float]]:
        """Measure a generation and move the distribution."""
        self.check_opponent(state)
        optimiser = self.optimiser(state)
        individuals = optimiser.ask()
        measured = self.measure(individuals, self.opponent, executor, self.seed(state))
        values = np.array([fitness.value for fitness in measured])
        optimiser.tell(individuals, values)
        arrays = optimiser.arrays()
        made = self.follow(state, {**arrays, "measured": values})
        best = measured[ranking(measured)[0]]
        metrics = {
            **self.scored(self.weights(made), executor, seed=self.seed(state, "test"), depth=self.depth),
            "fitness": best.value,
            "mean_fitness": float(values.mean()),
            "plies_to_win": best.plies_to_win,
            "deviation": float(arrays["deviation"].mean()),
        }
        self.keep(made, optimiser)
        return made, metrics

    def weights(self, state: LearnerState) -> npt.NDArray[np.float64]:
        """Return those of the distribution's mean: single matches say little of single individuals."""
        return self.space.weights(state.arrays["mean"])

    def standings(self, state: LearnerState) -> Sequence[tuple[str, float]]:
        """Return the fitness of the last generation."""
        return standings_of(state.arrays["measured"])


def standings_of(values: Reals, first: str = "individual 1") -> list[tuple[str, float]]:
    """Return names and fitness, best first; the first of a generation may have a name of its own.

    Examples
    --------
    >>> standings_of(np.array([0.25, 0.75]), "best before")
    [('individual 2', 0.75), ('best before', 0.25)]
    """
    places = np.argsort(-values, kind="stable").tolist()
    return [
        (f"individual {place + 1}" if place else first, round(float(values[place]), 4)) for place in places
    ]


def ended_of(tasks: Sequence["Future[list[MatchResult]]"]) -> list[MatchResult]:
    """Return the matches of tasks, in their order."""
    return [match for task in tasks for match in task.result()]


def batches(matches: int) -> list[int]:
    """Return how many matches each task has.

    Examples
    --------
    >>> batches(50)
    [20, 20, 10]
    """
    return [min(TASK_MATCHES, matches - begun) for begun in range(0, matches, TASK_MATCHES)]
