"""What the experiments share: options, and the features whose weights are learned."""

from collections.abc import Sequence
from typing import ClassVar

from boardgames.experiments import Experiment, Wins
from boardgames.game import Game
from boardgames.learning.base import FEATURES, OPENING, PLY_LIMIT, find_features
from boardgames.learning.td import DEFAULTS
from boardgames.options import Option, OptionValue
from boardgames.selfplay import SelfPlaySetup

EPSILON = Option(
    "epsilon", float, DEFAULTS.epsilon, "probability of an exploratory move", minimum=0, maximum=1
)
TESTS = Option(
    "test_matches", int, 10, "test matches of each player, two from each opening", minimum=1, maximum=100_000
)


class LearningExperiment(Experiment):
    """Base class of experiments in which weights of features are learned.

    A subclass declares at least the options `FEATURES`, `OPENING` and `PLY_LIMIT`.

    Attributes
    ----------
    features : FeatureSet
        The features whose weights are learned.
    setup : SelfPlaySetup
        Setup of all matches.

    Raises
    ------
    OptionError
        If an option is unknown or has an invalid value, or the game has no features.
    """

    declared_options: ClassVar[tuple[Option, ...]] = (FEATURES, OPENING, PLY_LIMIT)

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        self.features = find_features(game, self.text("features"))
        self.setup = SelfPlaySetup.of(
            game, self.features.name, opening=self.integer("opening"), ply_limit=self.integer("ply_limit")
        )

    @property
    def settings(self) -> dict[str, OptionValue]:
        """Return all options, with the name of the default feature set filled in."""
        return {**self.options, "features": self.features.name}


def sum_wins(wins: Sequence[Wins]) -> Wins | None:
    """Return the sum of pairs of wins, or None for an empty sequence.

    Examples
    --------
    >>> sum_wins([(2, 6), (1, 9)]), sum_wins([])
    ((3, 15), None)
    """
    if not wins:
        return None
    return sum(first for first, _ in wins), sum(second for _, second in wins)
