"""What the learners of weights share: features, matches to learn from, a reference to be measured by."""

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import ClassVar

import numpy as np

from boardgames.declarations import FeatureSet
from boardgames.errors import OptionError
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learner import Learner, LearnerState
from boardgames.options import Option, OptionValue
from boardgames.plugins import load_features, registry
from boardgames.selfplay import Contestant, MatchResult, MatchSetup, derive_seed, play_matches
from boardgames.weights import Weights

FEATURES = Option("features", str, None, "feature set; the game's default if none is named")
OPENING = Option("opening", int, 4, "plies that are any at the start of a match", minimum=0, maximum=1000)
PLY_LIMIT = Option(
    "ply_limit", int, 400, "plies after which a match is undecided", minimum=1, maximum=100_000
)
TEST_MATCHES = Option(
    "test_matches", int, 40, "matches a step against the reference, for the curve", minimum=0, maximum=100_000
)
TEST_BATCH = 20


class Configured:
    """What has options, as kinds that the type checker knows; learners and experiments have.

    Attributes
    ----------
    options : dict
        Values of what is declared.
    """

    options: dict[str, OptionValue]

    def whole(self, name: str) -> int:
        """Return an option that is a whole number."""
        value = self.options[name]
        assert isinstance(value, int)
        return value

    def number(self, name: str) -> float:
        """Return an option that is a number."""
        value = self.options[name]
        assert isinstance(value, int | float)
        return float(value)

    def text(self, name: str) -> str:
        """Return an option that is a text, empty if it is not set."""
        return str(self.options[name] or "")


class FeatureLearner(Configured, Learner):
    """Learns weights of a game's features; base class of the core's learners.

    A subclass declares `FEATURES`, `OPENING`, `PLY_LIMIT` and `TEST_MATCHES`
    among its options.

    Attributes
    ----------
    features : FeatureSet
        What the weights are of.
    setup : MatchSetup
        Of all matches.

    Raises
    ------
    OptionError
        If the game has no features.
    """

    squashes: ClassVar[bool] = False
    declared_options: ClassVar[tuple[Option, ...]] = (FEATURES, OPENING, PLY_LIMIT, TEST_MATCHES)

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        self.features = features_of(game, self.text("features"))
        self.setup = MatchSetup.of(
            game, self.features.name, opening=self.whole("opening"), ply_limit=self.whole("ply_limit")
        )

    def result(self, state: LearnerState) -> Weights:
        """Return the best weights so far, with what is needed to play by them."""
        return Weights.of(
            self.game, self.features, self.weights(state), squashes=self.is_squashed, provenance={}
        )

    @property
    def is_squashed(self) -> bool:
        """Say whether values are the hyperbolic tangent of the weighted sum."""
        return type(self).squashes

    @property
    def size(self) -> int:
        """Return the number of weights."""
        return len(self.features.features)

    def scored(self, weights: Reals, executor: Executor, *, seed: int, depth: int = 1) -> dict[str, float]:
        """Return the metric `score`, what `test` returns; nothing where no matches are to be played."""
        if not self.whole("test_matches"):
            return {}
        return {"score": self.test(weights, executor, seed=seed, depth=depth)}

    def test(self, weights: Reals, executor: Executor, *, seed: int, depth: int = 1) -> float:
        """Return the share of points of weights against the reference, in [0, 1].

        It is the game's evaluation at the same depth, or any move where the game has none.
        """
        has_evaluation = self.game.evaluation.weights.size > 0
        reference = Contestant(depth=depth, is_random=not has_evaluation)
        ended = self.contests(
            Contestant(weights, depth), reference, self.whole("test_matches"), executor, seed
        )
        return points_of(ended)

    def contests(
        self, first: Contestant, second: Contestant, matches: int, executor: Executor, seed: int
    ) -> list[MatchResult]:
        """Return matches, played in tasks."""
        futures = [
            executor.submit(
                play_matches, self.setup, first, second,
                matches=min(TEST_BATCH, matches - begun), seed=derive_seed(seed, begun),
            )
            for begun in range(0, matches, TEST_BATCH)
        ]  # fmt: skip
        return [ended for future in futures for ended in future.result()]


def points_of(ended: Sequence[MatchResult]) -> float:
    """Return the share of points that the first of matches, at least one, has."""
    return float(np.mean([match.points for match in ended]))


def course_of(ended: Sequence[MatchResult]) -> dict[str, float]:
    """Return what the curves show of matches: the share that was decided and mean plies."""
    if not ended:
        return {}
    decided = np.mean([match.winner is not None for match in ended])
    return {"decided": float(decided), "plies": float(np.mean([match.plies for match in ended]))}


def features_of(game: Game, name: str) -> FeatureSet:
    """Return a feature set of a game, its default where no name is given.

    Raises
    ------
    OptionError
        If the game has none.
    UnknownNameError
        If it has none of that name.
    """
    names = [offer.entry.name for offer in registry().offers("features", game.facts.name)]
    if not names:
        raise OptionError(f"expected a game with features: {game.facts.name} has none")
    return load_features(name or game.facts.default_features or names[0], game)
