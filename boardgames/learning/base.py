"""Base classes for learners of weights, with common options and test matches against a reference player."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from boardgames.declarations import NO_EVALUATION, FeatureSet
from boardgames.errors import LearnerStateError, OptionError, quote
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import Array, Checkpoint, Learner, LearnerState
from boardgames.learning.metrics import is_step
from boardgames.options import Option, OptionValue
from boardgames.patterns import PatternSet
from boardgames.plugins import load_features, load_patterns, registry
from boardgames.weights import Weights
from boardgames.weights.lookup import find_feature_weights
from boardgames.weights.weights import MAX_WEIGHT

if TYPE_CHECKING:  # so that code that only reads runs does not load the kernels of self-play
    from boardgames.selfplay import Contestant, SelfPlayMatch, SelfPlaySetup

FEATURES = Option("features", str, None, "feature set; default: the game's")
PATTERNS = Option("patterns", str, None, "pattern set; default: the game's")
OPENING = Option("opening", int, 4, "number of random opening plies", minimum=0, maximum=1000)
PLY_LIMIT = Option("ply_limit", int, 400, "maximum number of plies in a match", minimum=1, maximum=100_000)
TEST_MATCHES = Option(
    "test_matches", int, 40, "matches per step against the reference player, which give the score",
    minimum=0, maximum=100_000,
)  # fmt: skip
START = Option(
    "start", str, None, "weights to start with: a name, a run or a file; default: new ones", file="read"
)
SEARCHER = "alphabeta:depth=3"
"""Agent that shows how strong weights are in a search."""
TEST_BATCH = 20
"""Maximum number of test matches in a task."""


class Configured:
    """Mixin with typed access to options, for learners and experiments.

    Attributes
    ----------
    options : dict
        A value for every declared option.
    """

    options: dict[str, OptionValue]

    def integer(self, name: str) -> int:
        """Return an integer option."""
        value = self.options[name]
        assert isinstance(value, int)
        return value

    def number(self, name: str) -> float:
        """Return a numeric option."""
        value = self.options[name]
        assert isinstance(value, int | float)
        return float(value)

    def text(self, name: str) -> str:
        """Return a text option, or an empty string if it is not set."""
        return str(self.options[name] or "")


class SteppedLearner(Configured, Learner):
    """Base class for learners that train for a given number of steps.

    A subclass declares the option `steps` or overrides `length`. The scalar `step` of its states counts
    the steps so far.
    """

    @property
    def length(self) -> int:
        """Return the number of steps."""
        return self.integer("steps")

    def is_done(self, state: LearnerState) -> bool:
        """Return whether all steps are done."""
        return state.integer("step") >= self.length


class WeightsLearner(SteppedLearner):
    """Base class for learners of feature or pattern weights that agents can play with.

    A subclass sets `features`, and declares at least the options `OPENING`, `PLY_LIMIT` and
    `TEST_MATCHES`.

    Attributes
    ----------
    features : FeatureSet or PatternSet
        The features or patterns whose weights are learned.
    """

    agent: ClassVar[str] = "td"
    """Name of the one-ply agent that uses the weights."""
    max_weight: ClassVar[float] = MAX_WEIGHT
    features: FeatureSet | PatternSet

    @cached_property
    def setup(self) -> "SelfPlaySetup":
        """Return the setup of all matches."""
        from boardgames.selfplay import SelfPlaySetup

        opening, ply_limit = self.integer("opening"), self.integer("ply_limit")
        return SelfPlaySetup.of(self.game, self.features.name, opening=opening, ply_limit=ply_limit)

    @property
    def settings(self) -> dict[str, OptionValue]:
        """Return all options, with the name of the default feature or pattern set filled in."""
        names = {option.name for option in (FEATURES, PATTERNS)} & self.options.keys()
        return {**self.options, **dict.fromkeys(names, self.features.name)}

    @abstractmethod
    def result(self, state: LearnerState) -> Weights:
        """Return the best weights so far, ready to be saved."""

    def saved(self, state: LearnerState) -> tuple[Mapping[str, Array], Mapping[str, object]]:
        """Return the arrays and the header of `Weights`."""
        weights = self.result(state)
        return weights.arrays(), weights.header()

    def check(self, checkpoint: Checkpoint, seed: int) -> None:
        """Raise an error unless the checkpoint has weights for these features and a well-formed state."""
        Weights.from_arrays(checkpoint.arrays, checkpoint.header, checkpoint.path).check(
            self.game, self.features
        )
        learner: Learner = self
        if self.options.get(START.name) is not None:  # the run's first weights may have been deleted since
            learner = type(self)(self.game, **{**self.options, START.name: None})
        _check_structure(checkpoint, learner.start(seed))

    def agent_with(self, result: str) -> str:
        """Return an agent that uses the weights: alpha-beta if they were learned in search, else one-ply."""
        return f"{'alphabeta' if self.searches else self.agent}:weights={result}"

    def matchups(self, result: str) -> Sequence[tuple[str, str]]:
        """Return a one-ply agent and a searching agent that use the weights, each with its baseline.

        For weights learned in search, only the searching agent is returned, since one-ply agents play
        badly with them.
        """
        search = self.search_matchup(result)
        if self.searches:
            return (search,)
        return ((f"{self.agent}:weights={result}", self.game.facts.baseline), search)

    def search_matchup(self, result: str) -> tuple[str, str]:
        """Return an agent that searches with the weights, and the game's baseline for searching agents."""
        facts = self.game.facts
        return f"{SEARCHER},weights={result}", facts.search_baseline or facts.baseline

    def score_metrics(
        self, weights: Reals | Weights, executor: Executor, *, seed: int, depth: int = 1
    ) -> dict[str, float]:
        """Return the metric `score`, or an empty dictionary if there are no test matches."""
        if not self.integer("test_matches"):
            return {}
        return {"score": self.score(weights, executor, seed=seed, depth=depth)}

    def score(self, weights: Reals | Weights, executor: Executor, *, seed: int, depth: int = 1) -> float:
        """Return the share of the points, 0 to 1, that the weights win against the reference player.

        The reference player searches to the same depth.
        """
        from boardgames.selfplay import Contestant

        matches = self.integer("test_matches")
        return mean_points(
            self.play(Contestant(weights, depth), self.reference(depth), matches, executor, seed)
        )

    def reference(self, depth: int = 1) -> "Contestant":
        """Return the reference player: the game's own evaluation, or random moves if it has none."""
        from boardgames.selfplay import Contestant

        return Contestant(depth=depth, is_random=self.game.evaluation is NO_EVALUATION)

    def play(
        self, first: "Contestant", second: "Contestant", matches: int, executor: Executor, seed: int
    ) -> "list[SelfPlayMatch]":
        """Play matches without learning."""
        return gather_results(self.submit(first, second, matches, executor, seed))

    def submit(
        self, first: "Contestant", second: "Contestant", matches: int, executor: Executor, seed: int
    ) -> list["Future[list[SelfPlayMatch]]"]:
        """Submit tasks that play up to `TEST_BATCH` matches each, without learning."""
        from boardgames.selfplay import derive_seed, play_matches

        return [
            executor.submit(
                play_matches, self.setup, first, second,
                matches=min(TEST_BATCH, matches - begun), seed=derive_seed(seed, begun),
            )
            for begun in range(0, matches, TEST_BATCH)
        ]  # fmt: skip


def _check_structure(checkpoint: Checkpoint, first: LearnerState) -> None:
    """Raise LearnerStateError unless the state in a checkpoint is structured like the learner's first state.

    The check is needed because compiled code trusts the shapes. Only arrays that are empty in the first
    state may differ in length or be missing, as they are in checkpoints of earlier versions.
    """
    state, path = checkpoint.state, checkpoint.path
    scalars = {name: type(value) for name, value in state.scalars.items()}
    if scalars != {name: type(value) for name, value in first.scalars.items()}:
        raise LearnerStateError(f"the state in {path} must have the scalars {', '.join(first.scalars)}")
    if "step" in scalars and not is_step(state.scalars["step"]):
        raise LearnerStateError(f"the state in {path} has a bad step: {quote(state.scalars['step'])}")
    needed = {name for name, array in first.arrays.items() if array.size}
    if not needed <= state.arrays.keys() <= first.arrays.keys():
        raise LearnerStateError(f"the state in {path} must have the arrays {', '.join(first.arrays)}")
    for name, array in state.arrays.items():
        expected = first.arrays[name]
        fixed = 1 if expected.shape[:1] == (0,) else 0
        is_same_kind = array.dtype == expected.dtype and array.ndim == expected.ndim
        if not is_same_kind or array.shape[fixed:] != expected.shape[fixed:]:
            raise LearnerStateError(
                f"the state's array {name!r} in {path} must be {expected.dtype} of shape {expected.shape}, "
                f"not {array.dtype} of shape {array.shape}"
            )


def group_sizes(matches: int, groups: int) -> list[int]:
    """Return the numbers of matches of groups that are as equal as possible, without empty ones.

    Examples
    --------
    >>> group_sizes(10, 4), group_sizes(2, 4)
    ([3, 3, 2, 2], [1, 1])
    """
    return [matches // groups + (index < matches % groups) for index in range(min(groups, matches))]


def check_part_of_population(learner: Configured, name: str) -> None:
    """Raise OptionError if the option `name` is larger than the option `population`."""
    part, population = learner.integer(name), learner.integer("population")
    if part > population:
        raise OptionError(f"{name} must be at most the population of {population}, not {part}")


def batch_count(matches: int) -> int:
    """Return the number of tasks into which `WeightsLearner.submit` divides matches."""
    return len(range(0, matches, TEST_BATCH))


class FeatureLearner(WeightsLearner):
    """Base class for learners of feature weights.

    A subclass declares at least the options `FEATURES`, `START`, `OPENING`,
    `PLY_LIMIT` and `TEST_MATCHES`.

    Attributes
    ----------
    features : FeatureSet
        The features whose weights are learned.

    Raises
    ------
    OptionError
        If the game has no features.
    """

    declared_options: ClassVar[tuple[Option, ...]] = (FEATURES, START, OPENING, PLY_LIMIT, TEST_MATCHES)
    features: FeatureSet

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        self.features = find_features(game, self.text("features"))

    @property
    def uses_tanh(self) -> bool:
        """Return whether values are the hyperbolic tangent of the weighted sum."""
        return bool(self.options.get("tanh"))

    @property
    def size(self) -> int:
        """Return the number of weights."""
        return len(self.features.features)

    @property
    def weight_names(self) -> Sequence[str]:
        """Return the names of the features."""
        return [feature.name for feature in self.features.features]

    @property
    def given(self) -> Reals | None:
        """Return the weights to start with, `float64[size]`, if the option `start` names any.

        They are needed only for the first state, so a run can be resumed without them.

        Raises
        ------
        OptionError, UnknownNameError, WeightsError, FileError
            If they cannot be read or are for other features.
        """
        if not self.text("start"):
            return None
        weights, _ = find_feature_weights(self.text("start"), self.game)
        if weights.features != self.features.name:
            raise OptionError(
                f"the weights {self.text('start')!r} are for features {weights.features!r}, "
                f"not {self.features.name!r}"
            )
        return weights.values

    def result(self, state: LearnerState) -> Weights:
        """Return the best weights so far, ready to be saved."""
        return Weights.of(self.game, self.features, self.weights(state), tanh=self.uses_tanh, provenance={})


def gather_results(futures: Sequence["Future[list[SelfPlayMatch]]"]) -> "list[SelfPlayMatch]":
    """Return the matches of several tasks, in order."""
    return [match for future in futures for match in future.result()]


def rank(values: Reals) -> list[int]:
    """Return indices by value, largest first; equal values keep their order.

    Examples
    --------
    >>> rank(np.array([1.0, 3.0, 3.0]))
    [1, 2, 0]
    """
    return [int(index) for index in np.argsort(-values, kind="stable")]


def mean_points(results: "Sequence[SelfPlayMatch]") -> float:
    """Return the first contestant's share of the points in one or more matches."""
    return float(np.mean([match.points for match in results]))


def match_metrics(results: "Sequence[SelfPlayMatch]") -> dict[str, float]:
    """Return two metrics of matches: the share that had a winner, and the mean length in plies."""
    if not results:
        return {}
    decided = np.mean([match.winner is not None for match in results])
    return {"decided": float(decided), "plies": float(np.mean([match.plies for match in results]))}


def find_patterns(game: Game, name: str, *, with_model: bool = False) -> PatternSet:
    """Return a pattern set of a game, or its first one if the name is empty.

    Parameters
    ----------
    with_model : bool
        Accept only a set that has a model for search.

    Raises
    ------
    OptionError
        If the game has no patterns, or none with a model.
    UnknownNameError
        If it has no pattern set with that name.
    """
    names = [offer.entry.name for offer in registry().offers("patterns", game.facts.name)]
    if not names:
        raise OptionError(f"{game.facts.name} has no patterns to learn with")
    if not with_model:
        return load_patterns(name or names[0], game)
    for patterns in (load_patterns(known, game) for known in ([name] if name else names)):
        if patterns.model is not None:
            return patterns
    which = f"the patterns {name!r} of {game.facts.name}" if name else f"the patterns of {game.facts.name}"
    raise OptionError(f"{which} have no model for search; the learner 'ntuple' can use them")


def find_features(game: Game, name: str) -> FeatureSet:
    """Return a feature set of a game, or the default one if the name is empty.

    Raises
    ------
    OptionError
        If the game has no features.
    UnknownNameError
        If it has no feature set with that name.
    """
    names = [offer.entry.name for offer in registry().offers("features", game.facts.name)]
    if not names:
        raise OptionError(f"{game.facts.name} has no features to learn with")
    return load_features(name or game.facts.default_features or names[0], game)
