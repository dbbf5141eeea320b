"""The experiment `ancestors`: whether an evolution ends with a better player than it kept before.

The winner meets every kept ancestor, without exploration: once while both go
on learning, and once as they are, from the same openings.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from typing import ClassVar

from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learning.base import TEST_MATCHES
from boardgames.learning.evolve import Evolve
from boardgames.learning.experiments.base import Experiment, Listener, Progress, gathered
from boardgames.learning.experiments.shares import FEWEST, Wins
from boardgames.learning.experiments.tables import Figure, Findings, Table, added, merged
from boardgames.learning.experiments.tasks import meet_twice
from boardgames.options import Option
from boardgames.selfplay import MatchResult, derive_seed

COLUMNS = ("learning", "not learning")


class Ancestors(Experiment):
    """The winner of an evolution meets each ancestor, learning and not."""

    name: ClassVar[str] = "ancestors"
    declared_options = (
        Option("evolutions", int, 2, "evolutions, one after another", minimum=1, maximum=1000),
        Option("matches", int, 20, "matches against each ancestor", minimum=1, maximum=100_000),
        *(option for option in Evolve.declared_options if option != TEST_MATCHES),
    )
    original: ClassVar[tuple[tuple[Wins, ...], ...]] = ()
    """What an earlier experiment found, both learning: of each evolution the winner and each ancestor."""

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        own = ("evolutions", "matches")
        evolving = {name: value for name, value in self.options.items() if name not in own}
        self._learner = Evolve(game, test_matches=0, **evolving)

    def run(self, executor: Executor, seed: int, listener: Listener | None = None) -> Findings:
        """Return one table: how the winner of each evolution did against each ancestor.

        Ancestors are named by evolution and number, the oldest first.
        """
        rows = []
        for number in range(self.whole("evolutions")):
            own = derive_seed(seed, self.name, number)
            winner, ancestors = self._evolve(number, own, executor, listener)
            calls = [
                partial(
                    meet_twice, self.setup, winner, ancestor, self.rates(epsilon=0.0),
                    matches=self.whole("matches"), seed=derive_seed(own, "contest", place),
                )
                for place, ancestor in enumerate(ancestors)
            ]  # fmt: skip
            met = gathered(executor, calls, listener, f"ancestors {number + 1}")
            rows.append([self._figures(number, place, pair) for place, pair in enumerate(met)])
        flat = tuple(figure for row in rows for pair in row for figure in pair)
        table = Table("winners and ancestors", "winner", "ancestor", 0, flat, self._totals(rows))
        return Findings((table,), _conclusion(table, len(rows)))

    def _evolve(
        self, number: int, seed: int, executor: Executor, listener: Listener | None
    ) -> tuple[Reals, Reals]:
        """Return the weights of the winner of an evolution, and those of its ancestors."""
        learner = self._learner
        state, done = learner.start(seed), 0
        while not learner.is_done(state):
            if listener is not None:
                listener(Progress(f"evolution {number + 1}", done, learner.length))
            state, _ = learner.step(state, executor)
            done += 1
        return learner.weights(state), state.arrays["ancestors"]

    def _figures(
        self, number: int, place: int, met: tuple[list[MatchResult], list[MatchResult]]
    ) -> list[Figure]:
        row = f"ancestor {number + 1}.{place + 1}"
        known = self.original[number] if number < len(self.original) else ()
        originals = (known[place] if place < len(known) else None, None)
        return [
            Figure.of(row, column, ended, original)
            for column, ended, original in zip(COLUMNS, met, originals, strict=True)
        ]

    def _totals(self, rows: Sequence[Sequence[Sequence[Figure]]]) -> tuple[Figure, ...]:
        """Return the sums of each evolution, in which ancestors are the units, and of all.

        Ancestors of one evolution have met the same winner: in the sum of all
        the evolutions are the units.
        """
        totals = []
        for column, name in enumerate(COLUMNS):
            originals = self.original if column == 0 else ()
            sums = [
                merged(
                    f"evolution {number + 1}",
                    name,
                    [pair[column] for pair in row],
                    added(originals[number] if number < len(originals) else ()),
                )
                for number, row in enumerate(rows)
            ]
            everything = added([wins for evolution in originals for wins in evolution])
            totals += [*sums, merged("total", name, sums, everything)]
        return tuple(totals)


def _conclusion(table: Table, evolutions: int) -> str:
    told = []
    for figure in table.totals:
        share = table.share(figure)
        if figure.row == "total":
            won = "none was decided" if share is None else f"{figure.wins[0]} of {sum(figure.wins)}: {share}"
            told.append(f"{figure.column}, {won}")
    remark = f" (fewer than {FEWEST} evolutions: no interval is known)" if evolutions < FEWEST else ""
    return f"of the decided matches the winners won, {'; '.join(told)}{remark}"
