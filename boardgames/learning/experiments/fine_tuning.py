"""The experiment `fine-tuning`: which settings of TD(lambda) make better players.

Couples of random players train against each other at a baseline of settings;
those that learn best, whose trained selves beat their old selves most clearly,
are chosen. Each is trained again from the same weights at the same openings
with one setting changed, and each player of the baseline meets the player that
it would have become.

Couples are chosen by what the baseline made of them, by its luck too, so that
it does well against anything. How well, a control tells: the baseline's own
settings once more, with other openings and other chance. With as many couples
as candidates nothing is chosen, and it would win half against itself.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from boardgames.errors import OptionError
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learning.base import FEATURES, OPENING, PLY_LIMIT
from boardgames.learning.experiments.base import TESTS, Experiment, Listener, gathered
from boardgames.learning.experiments.shares import Wins
from boardgames.learning.experiments.tables import Figure, Findings, Table, added, merged
from boardgames.learning.experiments.tasks import Trained, train_and_meet
from boardgames.learning.td import INITIAL, RATES, first_weights
from boardgames.options import Option
from boardgames.selfplay import TDParameters, derive_seed

DYNAMIC = 0.5
"""Share of exploratory moves at which the dynamic one begins; it falls to the baseline's."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The baseline with one setting changed."""

    name: str
    setting: str
    value: float


VARIANTS = (
    Variant("dynamic epsilon", "epsilon", DYNAMIC),
    *(Variant(f"gamma {value}", "gamma", value) for value in (0.8, 0.6, 0.4)),
    *(Variant(f"lambda {value}", "trace_decay", value) for value in (0.9, 0.7, 0.3)),
    Variant("alpha 0.01", "alpha", 0.01),
)
CONTROL = Variant("other matches", "", 0.0)
SIDES = ("first", "second")
_RATES = tuple(replace(option, default=0.95) if option.name == "gamma" else option for option in RATES)


class FineTuning(Experiment):
    """Players trained at a baseline meet what they become with one setting changed."""

    name: ClassVar[str] = "fine-tuning"
    declared_options = (
        FEATURES,
        Option("couples", int, 3, "couples that are trained again", minimum=1, maximum=10_000),
        Option("candidates", int, 8, "couples to choose them from", minimum=1, maximum=10_000),
        Option("matches", int, 150, "matches of a training", minimum=1, maximum=10**6),
        TESTS,
        *_RATES,
        Option("epsilon", float, 0.1, "share of exploratory moves in training", minimum=0, maximum=1),
        INITIAL,
        OPENING,
        PLY_LIMIT,
    )
    players: ClassVar[tuple[str, ...]] = ()
    """What an earlier experiment called its players; by default they are numbered."""
    original: ClassVar[tuple[tuple[Wins, ...], ...]] = ()
    """What it found: for each player baseline and modified, by variants."""

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        if self.whole("candidates") < self.whole("couples"):
            raise OptionError(
                f"expected at least {self.whole('couples')} candidates: {self.whole('candidates')}"
            )

    def run(self, executor: Executor, seed: int, listener: Listener | None = None) -> Findings:
        """Return two tables: how the candidates did against their old selves, and baseline against variants.

        In totals the two players of a couple are one unit, as they learned from each other.
        """
        seeds = [derive_seed(seed, self.name, number) for number in range(self.whole("candidates"))]
        weights = [self._first(own) for own in seeds]
        calls = [
            self._call(own, first, self._schedule(CONTROL), first)
            for own, first in zip(seeds, weights, strict=True)
        ]
        trained = gathered(executor, calls, listener, "couples")
        chosen = self._best(trained)
        again = [
            self._again(variant, seeds[number], weights[number], trained[number])
            for variant in (*VARIANTS, CONTROL)
            for number in chosen
        ]
        tuned = self._variants_table(gathered(executor, again, listener, "variants"))
        return Findings(
            (_couples_table(trained, chosen), tuned), _conclusion(tuned, is_chosen=len(chosen) < len(trained))
        )

    def _first(self, seed: int) -> Reals:
        size = len(self.features.features)
        return first_weights(2, size, self.number("initial"), derive_seed(seed, "weights"))

    def _call(
        self, seed: int, weights: Reals, rates: Sequence[TDParameters], opponents: Reals
    ) -> "partial[Trained]":
        return partial(
            train_and_meet, self.setup, weights, rates, opponents,
            tests=self.whole("test_matches"), seed=seed,
        )  # fmt: skip

    def _again(self, variant: Variant, seed: int, weights: Reals, trained: Trained) -> "partial[Trained]":
        own = derive_seed(seed, "other") if variant == CONTROL else seed
        return self._call(own, weights, self._schedule(variant), trained.weights)

    def _schedule(self, variant: Variant) -> list[TDParameters]:
        """Return how is learned, match by match."""
        baseline = self.rates(self.number("epsilon"))
        matches = self.whole("matches")
        if variant == CONTROL:
            return [baseline] * matches
        if variant.setting == "epsilon":
            fallen = falling(variant.value, baseline.epsilon, matches)
            return [replace(baseline, epsilon=value) for value in fallen]
        change: dict[str, Any] = {variant.setting: variant.value}  # a field's own type
        return [replace(baseline, **change)] * matches

    def _best(self, trained: Sequence[Trained]) -> list[int]:
        """Return the numbers of the couples to go on with, in their order."""
        clearness = [
            sum(-match.points for contest in couple.contests for match in contest) for couple in trained
        ]
        ranked = sorted(range(len(trained)), key=lambda number: -clearness[number])
        return sorted(ranked[: self.whole("couples")])

    def _variants_table(self, varied: Sequence[Trained]) -> Table:
        couples = self.whole("couples")
        figures: list[Figure] = []
        totals = []
        for place, variant in enumerate((*VARIANTS, CONTROL)):
            rows = [
                self._of_couple(number, variant, found)
                for number, found in enumerate(varied[place * couples : (place + 1) * couples])
            ]
            figures += [figure for row in rows for figure in row]
            units = [merged("", "", row) for row in rows]
            known = [self._known(player, variant) for player in range(len(self.original))]
            totals.append(merged(variant.name, "total", units, added([wins for wins in known if wins])))
        return Table("baseline and variants", "baseline", "modified", 0, tuple(figures), tuple(totals))

    def _of_couple(self, number: int, variant: Variant, found: Trained) -> list[Figure]:
        """Return the figures of both players of a couple for one variant."""
        figures = []
        for side, contest in enumerate(found.contests):
            player = 2 * number + side
            known = self._known(player, variant)
            figures.append(Figure.of(variant.name, self._player(player), contest, known))
        return figures

    def _known(self, player: int, variant: Variant) -> Wins | None:
        if player >= len(self.original) or variant == CONTROL:
            return None
        return self.original[player][VARIANTS.index(variant)]

    def _player(self, number: int) -> str:
        return self.players[number] if number < len(self.players) else f"player {number + 1}"


def falling(start: float, end: float, count: int) -> list[float]:
    """Return numbers from `start` to `end`, each the same part of the one before.

    Examples
    --------
    >>> [round(value, 3) for value in falling(0.8, 0.1, 4)]
    [0.8, 0.4, 0.2, 0.1]
    """
    return [start * (end / start) ** (place / max(count - 1, 1)) for place in range(count)]


def _couples_table(trained: Sequence[Trained], chosen: Sequence[int]) -> Table:
    """Return how the candidates did against their old selves, who were chosen for that."""
    rows = []
    for number, couple in enumerate(trained):
        name = f"couple {number + 1}{', chosen' if number in chosen else ''}"
        rows.append([
            Figure.of(name, side, contest) for side, contest in zip(SIDES, couple.contests, strict=True)
        ])  # fmt: skip
    units = [merged("", "both", row) for row in rows]
    totals = (
        merged("chosen", "both", [units[number] for number in chosen]),
        merged("all", "both", units),
    )
    figures = tuple(figure for row in rows for figure in row)
    return Table("couples", "old self", "trained self", 1, figures, totals)


def _conclusion(table: Table, *, is_chosen: bool) -> str:
    """Name the variants whose interval lies beside the control's, or beside one half if none was chosen."""
    *variants, control = table.totals
    among = table.share(control)
    if among is None:
        return "no match of the control was decided"
    low, high = (among.low, among.high) if is_chosen else (0.5, 0.5)
    shares = [(figure.row, table.share(figure)) for figure in variants]
    more = [name for name, share in shares if share is not None and share.low > high]
    less = [name for name, share in shares if share is not None and share.high < low]
    told = (
        f"clearly more against {', '.join(more) or 'none'}, clearly less against {', '.join(less) or 'none'}"
    )
    if is_chosen:
        return f"against its own settings at other matches the baseline won {among} of decided ones; {told}"
    return f"of decided matches the baseline would win half against itself, {told}"
