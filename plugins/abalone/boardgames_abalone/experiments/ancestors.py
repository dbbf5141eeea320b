"""The experiment `ancestors`: whether the winner of an evolution is better than its ancestors.

The winner plays every ancestor that the evolution has kept: once while both
continue to learn, and once without learning, from the same openings. There is
no exploration unless `test_epsilon` is set.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from typing import ClassVar

from boardgames.experiments import (
    MIN_UNITS,
    Figure,
    Findings,
    Listener,
    StageProgress,
    Table,
    Wins,
    combine,
    run_tasks,
)
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learning.base import TEST_MATCHES
from boardgames.learning.evolve import Evolve
from boardgames.learning.td import td_parameters
from boardgames.options import Option
from boardgames.selfplay import SelfPlayMatch, derive_seed
from boardgames_abalone.experiments.base import LearningExperiment, sum_wins
from boardgames_abalone.experiments.tasks import TEST_EPSILON, play_learning_and_frozen

COLUMNS = ("learning", "not learning")
OWN_OPTIONS = (
    Option("evolutions", int, 2, "number of evolutions", minimum=1, maximum=1000),
    Option("matches", int, 20, "matches against each ancestor", minimum=1, maximum=100_000),
    TEST_EPSILON,
)
ORIGINAL: tuple[tuple[Wins, ...], ...] = (
    ((2, 2), (0, 0), (2, 3), (3, 0), (8, 0), (10, 0), (4, 0), (2, 2)),
    ((0, 3), (0, 0), (1, 0), (0, 0)),
)
"""Original results by evolution: wins of the winner and of the ancestor, for each ancestor; both learned."""


class Ancestors(LearningExperiment):
    """The winner of an evolution plays each ancestor, with and without learning."""

    name: ClassVar[str] = "ancestors"
    declared_options = (
        *OWN_OPTIONS,
        *(option for option in Evolve.declared_options if option != TEST_MATCHES),
    )

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        own = {option.name for option in OWN_OPTIONS}
        evolve_options = {name: value for name, value in self.options.items() if name not in own}
        self._learner = Evolve(game, test_matches=0, **evolve_options)

    def run(self, executor: Executor, seed: int, listener: Listener | None = None) -> Findings:
        """Return one table: the winner of each evolution against each of its ancestors, oldest first."""
        evolutions = [
            self._evolution(number, derive_seed(seed, self.name, number), executor, listener)
            for number in range(self.integer("evolutions"))
        ]
        figures = tuple(figure for rows in evolutions for row in rows for figure in row)
        totals = self._totals(evolutions)
        table = Table("winners and ancestors", "winner", "ancestor", 0, figures, totals, is_ordered=True)
        return Findings((table,), _conclusion(table, len(evolutions)))

    @property
    def _original(self) -> tuple[tuple[Wins, ...], ...]:
        return ORIGINAL if self.game.facts.name == "abalone" else ()

    def _evolution(
        self, number: int, seed: int, executor: Executor, listener: Listener | None
    ) -> list[list[Figure]]:
        """Return the figures of one evolution, a row for each ancestor."""
        winner, ancestors = self._evolve(number, seed, executor, listener)
        parameters = td_parameters(self, epsilon=self.number(TEST_EPSILON.name))
        tasks = [
            partial(
                play_learning_and_frozen, self.setup, winner, ancestor, parameters,
                matches=self.integer("matches"), seed=derive_seed(seed, "contest", place),
            )
            for place, ancestor in enumerate(ancestors)
        ]  # fmt: skip
        results = run_tasks(executor, tasks, listener, f"ancestors {number + 1}")
        return [self._figures(number, place, matches) for place, matches in enumerate(results)]

    def _evolve(
        self, number: int, seed: int, executor: Executor, listener: Listener | None
    ) -> tuple[Reals, Reals]:
        """Return the weights of an evolution's winner, and those of its ancestors."""
        learner = self._learner
        state, done = learner.start(seed), 0
        while not learner.is_done(state):
            if listener is not None:
                listener(StageProgress(f"evolution {number + 1}", done, learner.length))
            state, _ = learner.step(state, executor)
            done += 1
        return learner.weights(state), state.arrays["ancestors"]

    def _figures(
        self, number: int, place: int, results: tuple[list[SelfPlayMatch], list[SelfPlayMatch]]
    ) -> list[Figure]:
        wins = self._original[number] if number < len(self._original) else ()
        originals = (wins[place] if place < len(wins) else None, None)
        return [
            Figure.of(f"ancestor {number + 1}.{place + 1}", column, matches, original)
            for column, matches, original in zip(COLUMNS, results, originals, strict=True)
        ]

    def _totals(self, evolutions: Sequence[Sequence[Sequence[Figure]]]) -> tuple[Figure, ...]:
        """Return the total of each evolution, and the grand total.

        For an evolution, each ancestor is a unit. For the grand total, each evolution
        is a unit, because all ancestors of one evolution have played the same winner.
        """
        totals = []
        for place, column in enumerate(COLUMNS):
            originals = self._original if place == 0 else ()
            sums = [
                combine(
                    f"evolution {number + 1}",
                    column,
                    [row[place] for row in rows],
                    sum_wins(originals[number] if number < len(originals) else ()),
                )
                for number, rows in enumerate(evolutions)
            ]
            original = sum_wins([wins for evolution in originals for wins in evolution])
            totals += [*sums, combine("total", column, sums, original)]
        return tuple(totals)


def _conclusion(table: Table, evolutions: int) -> str:
    parts = []
    for figure in table.totals:
        if figure.row == "total":
            share = table.share(figure)
            won = "none" if share is None else f"{figure.wins[0]} of {sum(figure.wins)}: {share}"
            parts.append(f"{figure.column}, {won}")
    remark = f" (no interval: fewer than {MIN_UNITS} evolutions)" if evolutions < MIN_UNITS else ""
    return f"of the decided matches the winners won, {'; '.join(parts)}{remark}"
