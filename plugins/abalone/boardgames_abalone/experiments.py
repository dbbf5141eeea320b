"""The core's experiments with what the first project that let Abalone learn had found, to compare.

Source: tables of wins in the report of that project, "Tests Results"; its
players learned by TD(lambda) with the fourteen features of `classic14`, and the
rest of each ten or twenty matches was not decided. It does not say whether the
contests with ancestors were with learning; that ancestors began to win after
several rounds, as it notes, is possible only then.
"""

from typing import ClassVar

from boardgames.learning.experiments import Wins
from boardgames.learning.experiments.ancestors import Ancestors as AnyAncestors
from boardgames.learning.experiments.basic_training import BasicTraining as AnyBasicTraining
from boardgames.learning.experiments.fine_tuning import FineTuning as AnyFineTuning


class BasicTraining(AnyBasicTraining):
    """Two random players train against each other; each meets its old self."""

    original: ClassVar[tuple[tuple[Wins, Wins], ...]] = (
        ((2, 6), (1, 3)),
        ((1, 9), (4, 1)),
        ((2, 8), (1, 7)),
        ((2, 7), (0, 6)),
        ((1, 9), (0, 3)),
    )


class Ancestors(AnyAncestors):
    """The winner of an evolution meets each ancestor, learning and not."""

    original: ClassVar[tuple[tuple[Wins, ...], ...]] = (
        ((2, 2), (0, 0), (2, 3), (3, 0), (8, 0), (10, 0), (4, 0), (2, 2)),
        ((0, 3), (0, 0), (1, 0), (0, 0)),
    )


class FineTuning(AnyFineTuning):
    """Players trained at a baseline meet what they become with one setting changed."""

    players: ClassVar[tuple[str, ...]] = (
        "player 1",
        "player 3",
        "player 5",
        "player 6",
        "player 4",
        "player 8",
    )
    original: ClassVar[tuple[tuple[Wins, ...], ...]] = (
        ((0, 2), (2, 4), (0, 4), (0, 2), (0, 2), (2, 4), (0, 6), (3, 0)),
        ((1, 3), (5, 1), (3, 2), (4, 2), (8, 2), (7, 0), (5, 0), (0, 5)),
        ((1, 1), (0, 4), (0, 7), (1, 2), (7, 0), (4, 1), (4, 2), (10, 0)),
        ((2, 6), (3, 6), (0, 4), (3, 5), (3, 4), (1, 8), (5, 4), (2, 8)),
        ((4, 2), (9, 0), (5, 3), (5, 5), (7, 1), (6, 2), (9, 1), (2, 6)),
        ((3, 5), (5, 1), (7, 1), (4, 3), (5, 2), (6, 2), (4, 4), (8, 1)),
    )
