"""The experiment `basic-training`: whether training makes players better.

Two random players train against each other by TD(lambda). Then each of them
plays its old self, with the initial weights, without learning and, unless
`test_epsilon` is set, without exploration. This is repeated with new players.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from typing import ClassVar

from boardgames.experiments import Figure, Findings, Listener, Table, Wins, combine, count_wins, run_tasks
from boardgames.learning.base import FEATURES, OPENING, PLY_LIMIT
from boardgames.learning.td import INITIAL, TD_OPTIONS, initial_weights, td_parameters
from boardgames.options import Option
from boardgames.selfplay import derive_seed
from boardgames_abalone.experiments.base import EPSILON, TESTS, LearningExperiment, sum_wins
from boardgames_abalone.experiments.tasks import TEST_EPSILON, TrainedPair, train_and_test

COLUMNS = ("winner", "loser")
ORIGINAL: tuple[tuple[Wins, Wins], ...] = (
    ((2, 6), (1, 3)),
    ((1, 9), (4, 1)),
    ((2, 8), (1, 7)),
    ((2, 7), (0, 6)),
    ((1, 9), (0, 3)),
)
"""Original results by training: wins of the old and the trained self, for its winner and for its loser."""


class BasicTraining(LearningExperiment):
    """Two random players train against each other; then each plays its old self."""

    name: ClassVar[str] = "basic-training"
    declared_options = (
        FEATURES,
        Option("repetitions", int, 5, "trainings, each of two new players", minimum=1, maximum=100_000),
        Option("matches", int, 100, "training matches", minimum=1, maximum=10**6),
        TESTS,
        *TD_OPTIONS,
        EPSILON,
        TEST_EPSILON,
        INITIAL,
        OPENING,
        PLY_LIMIT,
    )

    def run(self, executor: Executor, seed: int, listener: Listener | None = None) -> Findings:
        """Return one table: results of the winner and the loser of each training against their old selves.

        The winner of a training is the player that won more of its matches, or the first one in a tie.
        """
        seeds = [derive_seed(seed, self.name, number) for number in range(self.integer("repetitions"))]
        trained = run_tasks(executor, [self._task(own) for own in seeds], listener, "training")
        rows = [self._figures(number, pair) for number, pair in enumerate(trained)]
        figures = tuple(figure for row in rows for figure in row)
        table = Table("old and trained selves", "old self", "trained self", 1, figures, self._totals(rows))
        return Findings((table,), _conclusion(table))

    @property
    def _original(self) -> tuple[tuple[Wins, Wins], ...]:
        return ORIGINAL if self.game.facts.name == "abalone" else ()

    def _task(self, seed: int) -> "partial[TrainedPair]":
        weights = initial_weights(
            2, len(self.features.features), self.number("initial"), derive_seed(seed, "weights")
        )
        return partial(
            train_and_test,
            self.setup,
            weights,
            [td_parameters(self, self.number("epsilon"))] * self.integer("matches"),
            weights,
            tests=self.integer("test_matches"),
            seed=seed,
            test_epsilon=self.number("test_epsilon"),
        )

    def _figures(self, number: int, trained: TrainedPair) -> list[Figure]:
        first, second = count_wins(trained.training)
        players = (0, 1) if first >= second else (1, 0)
        originals = self._original[number] if number < len(self._original) else (None, None)
        return [
            Figure.of(f"training {number + 1}", column, trained.tests[player], original)
            for column, player, original in zip(COLUMNS, players, originals, strict=True)
        ]

    def _totals(self, rows: Sequence[Sequence[Figure]]) -> tuple[Figure, ...]:
        columns = [
            combine(
                "total",
                column,
                [row[place] for row in rows],
                sum_wins([training[place] for training in self._original]),
            )
            for place, column in enumerate(COLUMNS)
        ]
        trainings = [combine(row[0].row, "both", row) for row in rows]
        original = sum_wins([wins for training in self._original for wins in training])
        return *columns, combine("total", "both", trainings, original)


def _conclusion(table: Table) -> str:
    both = table.totals[-1]
    share = table.share(both)
    if share is None:
        return "no match had a winner"
    return f"the trained selves won {both.wins[1]} of {sum(both.wins)} decided matches: {share}"
