"""The experiment `basic-training`: whether players that train become better than they were.

Two random players train against each other by TD(lambda), then each meets its
old self, the weights it began with, without exploration or learning. All of
that several times over.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from typing import ClassVar

from boardgames.learning.base import FEATURES, OPENING, PLY_LIMIT
from boardgames.learning.experiments.base import TESTS, Experiment, Listener, gathered
from boardgames.learning.experiments.shares import Wins
from boardgames.learning.experiments.tables import Figure, Findings, Table, added, merged, wins_of
from boardgames.learning.experiments.tasks import Trained, train_and_meet
from boardgames.learning.td import INITIAL, RATES, first_weights
from boardgames.options import Option
from boardgames.selfplay import derive_seed

COLUMNS = ("winner", "loser")


class BasicTraining(Experiment):
    """Two random players train against each other; each meets its old self."""

    name: ClassVar[str] = "basic-training"
    declared_options = (
        FEATURES,
        Option("repetitions", int, 5, "trainings, each of two new players", minimum=1, maximum=100_000),
        Option("matches", int, 100, "matches of a training", minimum=1, maximum=10**6),
        TESTS,
        *RATES,
        Option("epsilon", float, 0.1, "share of exploratory moves in training", minimum=0, maximum=1),
        INITIAL,
        OPENING,
        PLY_LIMIT,
    )
    original: ClassVar[tuple[tuple[Wins, Wins], ...]] = ()
    """What an earlier experiment found: of each training old self and trained self, winner and loser."""

    def run(self, executor: Executor, seed: int, listener: Listener | None = None) -> Findings:
        """Return one table: for each training how its winner and its loser did against their old selves.

        The winner is who won more of its matches, of equals the first.
        """
        calls = [
            self._call(derive_seed(seed, self.name, number)) for number in range(self.whole("repetitions"))
        ]
        trained = gathered(executor, calls, listener, "training")
        figures = [self._figures(number, found) for number, found in enumerate(trained)]
        flat = tuple(figure for row in figures for figure in row)
        table = Table("old and trained selves", "old self", "trained self", 1, flat, self._totals(figures))
        return Findings((table,), _conclusion(table))

    def _call(self, seed: int) -> "partial[Trained]":
        weights = first_weights(
            2, len(self.features.features), self.number("initial"), derive_seed(seed, "weights")
        )
        return partial(
            train_and_meet,
            self.setup,
            weights,
            [self.rates(self.number("epsilon"))] * self.whole("matches"),
            weights,
            tests=self.whole("test_matches"),
            seed=seed,
        )

    def _figures(self, number: int, trained: Trained) -> list[Figure]:
        first, second = wins_of(trained.training)
        players = (0, 1) if first >= second else (1, 0)
        known = self.original[number] if number < len(self.original) else (None, None)
        return [
            Figure.of(f"training {number + 1}", column, trained.contests[player], original)
            for column, player, original in zip(COLUMNS, players, known, strict=True)
        ]

    def _totals(self, figures: Sequence[Sequence[Figure]]) -> tuple[Figure, ...]:
        columns = [
            merged(
                "total",
                COLUMNS[place],
                [row[place] for row in figures],
                added([row[place] for row in self.original]),
            )
            for place in range(2)
        ]
        trainings = [merged(row[0].row, "both", row) for row in figures]
        both = added([wins for row in self.original for wins in row])
        return *columns, merged("total", "both", trainings, both)


def _conclusion(table: Table) -> str:
    both = table.totals[-1]
    share, (_, won) = table.share(both), both.wins
    if share is None:
        return "no match was decided"
    return f"the trained selves won {won} of {sum(both.wins)} decided matches: {share}"
