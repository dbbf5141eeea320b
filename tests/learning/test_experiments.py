"""The base of experiments: tasks, tables, CSV, confidence intervals, and loading by name."""

import csv
import io
import sys
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from joining import Joining
from learning.helpers import small

import boardgames
from boardgames.errors import OptionError, PluginError, UnknownNameError
from boardgames.executors import InProcess
from boardgames.hookspecs import Entry, hookimpl
from boardgames.learning.experiments import (
    CSV_FIELDS,
    MIN_UNITS,
    Figure,
    Findings,
    Grid,
    LearningExperiment,
    Listener,
    Measurements,
    Progress,
    Share,
    Table,
    combine,
    estimate_share,
    load_experiment,
    run_tasks,
    wilson,
)
from boardgames.learning.resumable import ResumableExecutor
from boardgames.options import Option
from boardgames.plugins import PROJECT, Registry
from boardgames.selfplay import MatchResult

# --- tables -------------------------------------------------------------------

WON, LOST = MatchResult(0, 0, False, 9, 1, (0, 0)), MatchResult(1, 0, False, 9, 2, (0, 0))
DRAWN = MatchResult(1, None, False, 9, 3, (0, 0))


def test_figure_counts_wins_unfinished_and_distinct_matches() -> None:
    figure = Figure.of("row", "column", [WON, LOST, WON, DRAWN])
    assert (figure.wins, figure.unfinished, figure.distinct, figure.matches) == ((2, 1), 1, 3, 4)


def test_share_is_that_of_the_subject() -> None:
    figure = Figure("row", "column", ((1, 3),), 0, 4, original=(2, 6))
    table = Table("table", "old", "new", 1, (figure,), ())
    fields = table.fields(figure)
    assert (fields["share"], table.share_name) == (0.75, "new")
    assert (fields["original_first_wins"], fields["original_second_wins"]) == (2, 6)
    assert replace(table, subject=0).fields(figure)["share"] == 0.25


def test_combined_figures_are_one_unit_each() -> None:
    figures = [Figure("1", "", ((1, 1), (0, 2)), 0, 4), Figure("2", "", ((0, 0),), 2, 2)]
    assert combine("total", "", figures, (1, 2)) == Figure(
        "total", "", ((1, 3), (0, 0)), 2, 6, (1, 2), min_units=3
    )


def test_csv_has_each_figure_and_total_once() -> None:
    figures = [Figure.of(row, "a", [WON, LOST, WON, DRAWN]) for row in ("1", "2")]
    tables = [
        Table(name, "old", "new", 0, tuple(figures), (combine("total", "a", figures),)) for name in ("t", "u")
    ]
    findings = Findings(tuple(tables), "")
    text = findings.csv("connect4", "fine-tuning", 7, {"alpha": 0.1, "tanh": True})
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert tuple(rows[0]) == CSV_FIELDS
    places = [(row["table"], row["row"], row["column"]) for row in rows]
    assert len(places) == len(set(places)) == 6
    common = {(row["game"], row["seed"], row["first"], row["second"], row["settings"]) for row in rows}
    assert common == {("connect4", "7", "old", "new", "alpha=0.1 tanh=true")}
    single = [row for row in rows if row["total"] == "0"]
    assert sum(int(row["distinct"]) for row in single) == findings.distinct == 12
    counted = ("first_wins", "second_wins", "unfinished")
    assert sum(int(row[name]) for row in single for name in counted) == findings.matches == 16


# --- confidence intervals -----------------------------------------------------


@pytest.mark.parametrize(
    ("share", "count", "low", "high"),
    [(0.5, 10, 0.2366, 0.7634), (0.9, 10, 0.5958, 0.9821), (0.0, 10, 0.0, 0.2775), (1.0, 10, 0.7225, 1.0)],
)
def test_wilson_interval_matches_published_values(share: float, count: int, low: float, high: float) -> None:
    """Source: R. Newcombe, "Two-sided confidence intervals for the single proportion", 1998, method 3."""
    assert wilson(share, count) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_units_that_vary_like_single_matches_give_the_plain_interval() -> None:
    share = estimate_share([(1, 1)] * 20)
    assert share is not None
    assert (share.low, share.high) == pytest.approx(wilson(0.5, 40))


def test_related_matches_widen_the_interval() -> None:
    mixed, split = estimate_share([(5, 5)] * 10), estimate_share([(10, 0), (0, 10)] * 5)
    assert mixed is not None
    assert split is not None
    assert split.value == mixed.value == 0.5
    assert split.high - split.low > 2 * (mixed.high - mixed.low)


@pytest.mark.parametrize(
    ("units", "low"),
    [
        ([(10, 0)], wilson(1.0, 1)),
        ([(1, 0)] * 6, wilson(1.0, 6)),
        ([(2, 0)] * 5, wilson(1.0, 5)),
        ([(10, 0)] * 20, wilson(0.995, 200)),
    ],
    ids=["one unit", "single matches", "pairs", "trainings"],
)
def test_interval_after_a_sweep(units: list[tuple[int, int]], low: tuple[float, float]) -> None:
    share, other = estimate_share(units), estimate_share([(lost, won) for won, lost in units])
    assert share is not None
    assert other is not None
    assert (share.value, share.high) == (1.0, 1.0)
    assert share.low == pytest.approx(low[0], abs=0.01)
    assert (other.value, other.low, other.high) == (0.0, 0.0, pytest.approx(1 - share.low))


@pytest.mark.parametrize("count", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("size", [1, 2, 10])
def test_losing_a_match_never_raises_the_lower_end(count: int, size: int) -> None:
    sweep = estimate_share([(size, 0)] * count)
    one_lost = estimate_share([*[(size, 0)] * (count - 1), (size - 1, 1)])
    assert sweep is not None
    assert one_lost is not None
    assert one_lost.low <= sweep.low


def test_units_without_a_winner_do_not_count() -> None:
    assert estimate_share([(2, 1), (0, 0), (1, 2)]) == estimate_share([(2, 1), (1, 2)])
    assert estimate_share([(0, 0)]) is None


def coverage(units: int, size: int, chance: float, interval: Callable[..., tuple[float, float]]) -> float:
    """Return how often an interval contains the true share, for units with correlation 0.1."""
    random, rho, trials = np.random.default_rng(5), 0.1, 400
    covered = 0
    for _ in range(trials):
        own = random.beta(chance * (1 / rho - 1), (1 - chance) * (1 / rho - 1), units)
        low, high = interval([(int(won), size - int(won)) for won in random.binomial(size, own)])
        covered += low <= chance <= high
    return covered / trials


def by_units(units: list[tuple[int, int]]) -> tuple[float, float]:
    share = estimate_share(units)
    assert share is not None
    return share.low, share.high


def by_matches(units: list[tuple[int, int]]) -> tuple[float, float]:
    won, lost = (sum(wins) for wins in zip(*units, strict=True))
    return wilson(won / (won + lost), won + lost)


@pytest.mark.parametrize(("units", "chance"), [(5, 0.7), (10, 0.5), (20, 0.9)])
def test_intervals_cover_as_promised_if_units_differ(units: int, chance: float) -> None:
    assert coverage(units, 20, chance, by_units) > 0.91
    assert coverage(units, 20, chance, by_matches) < 0.85


def test_interval_of_two_units_would_not_cover_as_promised() -> None:
    """Totals need `MIN_UNITS` for this reason."""
    assert coverage(2, 80, 0.7, by_units) < 0.87


@pytest.mark.parametrize("units", [[(10, 0)] * 2, [(60, 20), (61, 19)], [(0, 9), (0, 0), (0, 0)]], ids=str)
def test_too_few_units_have_a_share_but_no_interval(units: list[tuple[int, int]]) -> None:
    share, free = estimate_share(units, MIN_UNITS), estimate_share(units)
    assert share is not None
    assert free is not None
    assert share == Share(free.value, 0.0, 1.0)
    assert estimate_share([*units, *units, *units], MIN_UNITS) == estimate_share([*units, *units, *units])


# --- measurements -------------------------------------------------------------

LOSSES = Grid("mean loss", ("8", "12", "all"), ("greedy", "td"), ((1.5, 0.25, 0.875), (None, 0.1, 0.1)))


def test_measurements_have_a_line_of_csv_for_each_number() -> None:
    text = Measurements("ply", (LOSSES,), "").csv("connect4", "perfection", 7, {"positions": 2})
    lines = text.splitlines()
    assert lines[0] == "game,experiment,seed,table,row,column,value,settings"
    assert lines[1] == "connect4,perfection,7,mean loss,greedy,8,1.5,positions=2"
    assert lines[4] == "connect4,perfection,7,mean loss,td,8,,positions=2"
    assert len(lines) == 7


def test_measurements_are_drawn_over_the_columns_that_are_numbers() -> None:
    chart = Measurements("ply", (LOSSES,), "").svg("Connect Four")
    assert "Connect Four by ply. mean loss: greedy 1.5 at 8, 0.25 at 12; td 0.1 at 12" in chart


# --- experiments --------------------------------------------------------------


def test_workers_that_join_during_an_experiment_are_used(tmp_path: Path) -> None:
    joining = Joining()
    executor = ResumableExecutor(joining, tmp_path, "v1")
    run_tasks(executor, [partial(pow, number, 2) for number in range(40)], None, "squares")
    assert joining.have_met


class Squares(LearningExperiment):
    """An experiment of a plug-in."""

    name = "squares"
    declared_options = (*LearningExperiment.declared_options, Option("count", int, 3, "number of tasks"))

    def run(self, executor: Executor, seed: int, listener: Listener | None = None) -> Findings:
        tasks = [partial(pow, number, 2) for number in range(self.integer("count"))]
        return Findings((), str(run_tasks(executor, tasks, listener, "squares")))


class Broken(Squares):
    def __init__(self, game: boardgames.Game, **options: object) -> None:
        raise RuntimeError("no")


not_an_experiment = 3


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that offers an object of this module as the experiment `squares`."""

    def add(target: str) -> None:
        module = ModuleType("experiments_under_test")

        def bg_experiments() -> list[Entry]:
            return [Entry("squares", "made for a test", f"experiments_under_test:{target}")]

        monkeypatch.setattr(module, "bg_experiments", hookimpl(bg_experiments), raising=False)
        monkeypatch.setattr(module, target, globals()[target], raising=False)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        points = [("connect4", "boardgames_connect4.plugin"), ("under-test", module.__name__)]
        registry = Registry([EntryPoint(name, target, PROJECT) for name, target in points])
        for place in ("boardgames.plugins.registry", "boardgames.learning.experiments.registry"):
            monkeypatch.setattr(place, lambda: registry)

    return add


def test_experiment_is_loaded_by_name_and_reports_progress(offer: Callable[[str], None]) -> None:
    offer("Squares")
    experiment = load_experiment("squares", small(), count="2")
    reports: list[Progress] = []
    assert experiment.run(InProcess(), 1, reports.append).conclusion == "[0, 1]"
    assert reports == [Progress("squares", done, 2) for done in range(3)]
    assert experiment.settings == {"features": "lines", "opening": 4, "ply_limit": 400, "count": 2}


def test_unknown_names_and_options_are_rejected(offer: Callable[[str], None]) -> None:
    offer("Squares")
    with pytest.raises(UnknownNameError, match="did you mean 'squares'"):
        load_experiment("square", small())
    with pytest.raises(OptionError, match="did you mean 'count'"):
        load_experiment("squares", small(), counts=4)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("Broken", "experiment 'squares' is broken: RuntimeError: no"),
        ("not_an_experiment", "experiment 'squares' is not a subclass of Experiment: 3"),
    ],
)
def test_broken_experiment_is_named(target: str, words: str, offer: Callable[[str], None]) -> None:
    offer(target)
    with pytest.raises(PluginError, match=words):
        load_experiment("squares", small())
