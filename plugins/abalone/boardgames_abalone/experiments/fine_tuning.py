"""The experiment `fine-tuning`: which hyperparameters of TD(lambda) train better players.

Pairs of random players train against each other with baseline hyperparameters.
The pairs that learned best, whose trained selves beat their old selves most
clearly, are selected. Each is trained again from the same weights and openings
with one hyperparameter changed, and each baseline player plays the player that
it becomes with the change.

Selected pairs were also lucky, so they do well against any opponent. A control
shows by how much: the pairs are trained again with the baseline's
hyperparameters, but with different openings and random numbers. If all
candidates are selected, no luck is involved, and variants are compared with
one half, which is what the baseline would win against itself.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from boardgames.errors import OptionError
from boardgames.experiments import Figure, Findings, Listener, Table, Wins, combine, run_tasks
from boardgames.game import Game
from boardgames.kernels import Reals
from boardgames.learning.base import FEATURES, OPENING, PLY_LIMIT
from boardgames.learning.td import INITIAL, TD_OPTIONS, initial_weights, td_parameters
from boardgames.options import Option
from boardgames.selfplay import TDParameters, derive_seed
from boardgames_abalone.experiments.base import EPSILON, TESTS, LearningExperiment, sum_wins
from boardgames_abalone.experiments.tasks import TEST_EPSILON, TrainedPair, train_and_test

DYNAMIC_EPSILON = 0.5
"""Initial epsilon of the variant in which epsilon decays to that of the baseline."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The baseline with one field of `TDParameters` changed."""

    name: str
    field: str
    value: float


VARIANTS = (
    Variant("dynamic epsilon", "epsilon", DYNAMIC_EPSILON),
    *(Variant(f"gamma {value}", "gamma", value) for value in (0.8, 0.6, 0.4)),
    *(Variant(f"lambda {value}", "trace_decay", value) for value in (0.9, 0.7, 0.3)),
    Variant("alpha 0.01", "alpha", 0.01),
)
CONTROL = Variant("other matches", "", 0.0)
PLAYERS = ("first", "second")

ORIGINAL_PLAYERS = ("player 1", "player 3", "player 5", "player 6", "player 4", "player 8")
ORIGINAL: tuple[tuple[Wins, ...], ...] = (
    ((0, 2), (2, 4), (0, 4), (0, 2), (0, 2), (2, 4), (0, 6), (3, 0)),
    ((1, 3), (5, 1), (3, 2), (4, 2), (8, 2), (7, 0), (5, 0), (0, 5)),
    ((1, 1), (0, 4), (0, 7), (1, 2), (7, 0), (4, 1), (4, 2), (10, 0)),
    ((2, 6), (3, 6), (0, 4), (3, 5), (3, 4), (1, 8), (5, 4), (2, 8)),
    ((4, 2), (9, 0), (5, 3), (5, 5), (7, 1), (6, 2), (9, 1), (2, 6)),
    ((3, 5), (5, 1), (7, 1), (4, 3), (5, 2), (6, 2), (4, 4), (8, 1)),
)
"""Original results by player and variant: wins of the baseline and of the modified player."""


class FineTuning(LearningExperiment):
    """Each baseline player plays the player that it becomes with one hyperparameter changed."""

    name: ClassVar[str] = "fine-tuning"
    declared_options = (
        FEATURES,
        Option("couples", int, 3, "pairs of players that are trained again", minimum=1, maximum=10_000),
        Option("candidates", int, 8, "pairs they are selected from", minimum=1, maximum=10_000),
        Option("matches", int, 150, "training matches", minimum=1, maximum=10**6),
        TESTS,
        *(replace(option, default=0.95) if option.name == "gamma" else option for option in TD_OPTIONS),
        EPSILON,
        TEST_EPSILON,
        INITIAL,
        OPENING,
        PLY_LIMIT,
    )

    def __init__(self, game: Game, **options: object) -> None:
        super().__init__(game, **options)
        couples, candidates = self.integer("couples"), self.integer("candidates")
        if candidates < couples:
            raise OptionError(f"candidates must be at least couples ({couples}), not {candidates}")

    def run(self, executor: Executor, seed: int, listener: Listener | None = None) -> Findings:
        """Return two tables: the candidates against their old selves, and the baseline against variants.

        In totals the two players of a pair count as one unit, since they have learned from each other.
        """
        seeds = [derive_seed(seed, self.name, number) for number in range(self.integer("candidates"))]
        weights = [self._initial_weights(own) for own in seeds]
        tasks = [
            self._task(own, initial, self._schedule(CONTROL), initial)
            for own, initial in zip(seeds, weights, strict=True)
        ]
        trained = run_tasks(executor, tasks, listener, "couples")
        selected = self._select(trained)
        tasks = [
            self._variant_task(variant, seeds[number], weights[number], trained[number])
            for variant in (*VARIANTS, CONTROL)
            for number in selected
        ]
        table = self._variants_table(run_tasks(executor, tasks, listener, "variants"))
        conclusion = _conclusion(table, is_selection=len(selected) < len(trained))
        return Findings((_couples_table(trained, selected), table), conclusion)

    @property
    def _original(self) -> tuple[tuple[Wins, ...], ...]:
        return ORIGINAL if self.game.facts.name == "abalone" else ()

    def _initial_weights(self, seed: int) -> Reals:
        size = len(self.features.features)
        return initial_weights(2, size, self.number("initial"), derive_seed(seed, "weights"))

    def _task(
        self, seed: int, weights: Reals, parameters: Sequence[TDParameters], opponents: Reals
    ) -> "partial[TrainedPair]":
        return partial(
            train_and_test, self.setup, weights, parameters, opponents,
            tests=self.integer("test_matches"), seed=seed, test_epsilon=self.number("test_epsilon"),
        )  # fmt: skip

    def _variant_task(
        self, variant: Variant, seed: int, weights: Reals, baseline: TrainedPair
    ) -> "partial[TrainedPair]":
        own = derive_seed(seed, "other") if variant == CONTROL else seed
        return self._task(own, weights, self._schedule(variant), baseline.weights)

    def _schedule(self, variant: Variant) -> list[TDParameters]:
        """Return the hyperparameters of each training match."""
        baseline = td_parameters(self, self.number("epsilon"))
        matches = self.integer("matches")
        if variant == CONTROL:
            return [baseline] * matches
        if variant.field == "epsilon":
            epsilons = geometric(variant.value, baseline.epsilon, matches)
            return [replace(baseline, epsilon=epsilon) for epsilon in epsilons]
        change: dict[str, Any] = {variant.field: variant.value}  # the type of the field
        return [replace(baseline, **change)] * matches

    def _select(self, trained: Sequence[TrainedPair]) -> list[int]:
        """Return the numbers of the pairs that learned best, in order."""
        lost = [sum(-match.points for test in pair.tests for match in test) for pair in trained]
        ranked = sorted(range(len(trained)), key=lambda number: -lost[number])
        return sorted(ranked[: self.integer("couples")])

    def _variants_table(self, trained: Sequence[TrainedPair]) -> Table:
        couples = self.integer("couples")
        figures: list[Figure] = []
        totals = []
        for place, variant in enumerate((*VARIANTS, CONTROL)):
            rows = [
                self._pair_figures(number, variant, pair)
                for number, pair in enumerate(trained[place * couples : (place + 1) * couples])
            ]
            figures += [figure for row in rows for figure in row]
            units = [combine("", "", row) for row in rows]
            originals = [self._original_wins(player, variant) for player in range(len(self._original))]
            total = sum_wins([wins for wins in originals if wins])
            totals.append(combine(variant.name, "total", units, total))
        return Table("baseline and variants", "baseline", "modified", 0, tuple(figures), tuple(totals))

    def _pair_figures(self, number: int, variant: Variant, trained: TrainedPair) -> list[Figure]:
        """Return the figures of both players of a pair for one variant."""
        figures = []
        for place, test in enumerate(trained.tests):
            player = 2 * number + place
            original = self._original_wins(player, variant)
            figures.append(Figure.of(variant.name, self._player_name(player), test, original))
        return figures

    def _original_wins(self, player: int, variant: Variant) -> Wins | None:
        if player >= len(self._original) or variant == CONTROL:
            return None
        return self._original[player][VARIANTS.index(variant)]

    def _player_name(self, number: int) -> str:
        return ORIGINAL_PLAYERS[number] if number < len(self._original) else f"player {number + 1}"


def geometric(start: float, end: float, count: int) -> list[float]:
    """Return a geometric sequence from `start` to `end`.

    Examples
    --------
    >>> [round(value, 3) for value in geometric(0.8, 0.1, 4)]
    [0.8, 0.4, 0.2, 0.1]
    """
    return [start * (end / start) ** (place / max(count - 1, 1)) for place in range(count)]


def _couples_table(trained: Sequence[TrainedPair], selected: Sequence[int]) -> Table:
    """Return the table of the candidates against their old selves."""
    rows = []
    for number, pair in enumerate(trained):
        name = f"couple {number + 1}{', selected' if number in selected else ''}"
        rows.append([
            Figure.of(name, player, test) for player, test in zip(PLAYERS, pair.tests, strict=True)
        ])  # fmt: skip
    units = [combine("", "both", row) for row in rows]
    totals = (
        combine("selected", "both", [units[number] for number in selected]),
        combine("all", "both", units),
    )
    figures = tuple(figure for row in rows for figure in row)
    return Table("couples", "old self", "trained self", 1, figures, totals)


def _conclusion(table: Table, *, is_selection: bool) -> str:
    """Name the variants whose interval excludes that of the control, or one half without a selection."""
    *variants, control = table.totals
    control_share = table.share(control)
    if control_share is None:
        return "no match of the control had a winner"
    low, high = (control_share.low, control_share.high) if is_selection else (0.5, 0.5)
    shares = [(figure.row, table.share(figure)) for figure in variants]
    more = [name for name, share in shares if share is not None and share.low > high]
    less = [name for name, share in shares if share is not None and share.high < low]
    variants_text = (
        f"clearly more against {', '.join(more) or 'none'}, clearly less against {', '.join(less) or 'none'}"
    )
    if is_selection:
        return (
            f"in other matches against its own hyperparameters the baseline won {control_share} "
            f"of the decided ones; {variants_text}"
        )
    return f"the baseline would win half of the decided matches against itself; it won {variants_text}"
