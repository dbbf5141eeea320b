"""The experiment `lookahead`: whether learning with two plies of search is better than with one.

The first project in which a program learned Abalone gave up looking ahead: with 70 to
100 moves in a position, training would have taken weeks. Here a player with random weights
learns twice by TD(lambda) against itself, once with moves searched one ply deep and
once two plies deep. The second training either has as many matches as the first, or
ends when as many positions have been valued, which takes about the same time.
The two trained players then play each other, both searching one ply or both two plies deep.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from boardgames.experiments import Figure, Findings, Listener, Table, combine, run_tasks
from boardgames.kernels import Reals
from boardgames.learning.base import FEATURES, OPENING, PLY_LIMIT
from boardgames.learning.td import INITIAL, TD_OPTIONS, initial_weights, td_parameters
from boardgames.options import Option
from boardgames.selfplay import (
    Contestant,
    SelfPlayMatch,
    SelfPlaySetup,
    TDParameters,
    derive_seed,
    play_matches,
    train_players,
)
from boardgames_abalone.experiments.base import EPSILON, LearningExperiment

BUDGETS = ("equal time", "equal matches")
DEPTHS = (1, 2)
COLUMNS = tuple(
    f"{budget}, {depth} {'ply' if depth == 1 else 'plies'}" for budget in BUDGETS for depth in DEPTHS
)


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """A player after training.

    Attributes
    ----------
    weights : float64[2, n]
        Learned weights, the same in both rows.
    matches, plies, valued : int
        Numbers of training matches, of their plies, and of positions that were valued.
    """

    weights: Reals
    matches: int
    plies: int
    valued: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Three trainings of one player, and tests of two plies against one in the order of `COLUMNS`."""

    one: Training
    equal_time: Training
    equal_matches: Training
    tests: tuple[list[SelfPlayMatch], ...]


class Lookahead(LearningExperiment):
    """Players that learn with two plies of search meet those that learn with one."""

    name: ClassVar[str] = "lookahead"
    declared_options = (
        FEATURES,
        Option(
            "repetitions",
            int,
            5,
            "new players, each trained with one ply of search and with two",
            minimum=1,
            maximum=10_000,
        ),
        Option("matches", int, 200, "training matches with one ply of search", minimum=1, maximum=10**6),
        Option("test_matches", int, 40, "test matches of each kind", minimum=1, maximum=100_000),
        *TD_OPTIONS,
        EPSILON,
        INITIAL,
        OPENING,
        PLY_LIMIT,
    )

    def run(self, executor: Executor, seed: int, listener: Listener | None = None) -> Findings:
        """Return one table: for each training, the two-ply player against the one-ply player."""
        seeds = [derive_seed(seed, self.name, number) for number in range(self.integer("repetitions"))]
        compared = run_tasks(executor, [self._task(own) for own in seeds], listener, "training")
        rows = [
            [
                Figure.of(f"training {number + 1}", column, matches)
                for column, matches in zip(COLUMNS, one.tests, strict=True)
            ]
            for number, one in enumerate(compared)
        ]
        totals = tuple(
            combine("total", column, [row[place] for row in rows]) for place, column in enumerate(COLUMNS)
        )
        figures = tuple(figure for row in rows for figure in row)
        table = Table("two plies and one", "two plies", "one ply", 0, figures, totals)
        return Findings((table,), _conclusion(compared))

    def _task(self, seed: int) -> "partial[Comparison]":
        size = len(self.features.features)
        weights = initial_weights(1, size, self.number("initial"), derive_seed(seed, "weights"))
        parameters = replace(td_parameters(self, self.number("epsilon")), shared=True)
        return partial(
            compare, self.setup, weights[[0, 0]], parameters,
            matches=self.integer("matches"), tests=self.integer("test_matches"), seed=seed,
        )  # fmt: skip


def compare(
    setup: SelfPlaySetup, weights: Reals, parameters: TDParameters, *, matches: int, tests: int, seed: int
) -> Comparison:
    """Train a player with one ply of search and with two, and let the results play each other.

    Parameters
    ----------
    weights : float64[2, n]
        Initial weights, in both rows.
    matches : int
        Training matches with one ply of search.
    tests : int
        Test matches for each column.
    """
    deep = replace(parameters, plies=2)
    one = train(setup, weights, parameters, matches=matches, seed=seed)
    equal_time = train(setup, weights, deep, matches=matches, seed=seed, budget=one.valued)
    equal_matches = train(setup, weights, deep, matches=matches, seed=seed)
    results = tuple(
        play_matches(
            setup,
            Contestant(trained.weights[0], depth),
            Contestant(one.weights[0], depth),
            matches=tests,
            seed=derive_seed(seed, "test", place, depth),
        )
        for place, trained in enumerate((equal_time, equal_matches))
        for depth in DEPTHS
    )
    return Comparison(one, equal_time, equal_matches, results)


def train(
    setup: SelfPlaySetup,
    weights: Reals,
    parameters: TDParameters,
    *,
    matches: int,
    seed: int,
    budget: int | None = None,
) -> Training:
    """Train a player against itself, until `budget` positions have been valued or all matches are played."""
    played = plies = valued = 0
    while played < matches and (budget is None or valued < budget):
        result = train_players(setup, weights, parameters, matches=1, seed=derive_seed(seed, "train", played))
        weights = result.weights[[0, 0]]
        played, plies, valued = played + 1, plies + result.matches[0].plies, valued + result.valued
    return Training(weights, played, plies, valued)


def _conclusion(compared: Sequence[Comparison]) -> str:
    one = [comparison.one for comparison in compared]
    deep = [comparison.equal_matches for comparison in compared]
    plies = sum(training.plies for training in one)
    per_ply = sum(training.valued for training in one) / plies
    per_deep_ply = sum(training.valued for training in deep) / sum(training.plies for training in deep)
    matches = sum(training.matches for training in one)
    afforded = sum(comparison.equal_time.matches for comparison in compared)
    return (
        f"{plies / matches:.0f} plies a match; with one ply of search {per_ply:.0f} positions are valued per "
        f"move, with two {per_deep_ply:.0f}; {matches} matches with one ply take as long as {afforded} "
        "with two"
    )
