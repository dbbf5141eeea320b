"""Comparing runs: intervals, and which runs belong together."""

from dataclasses import replace
from pathlib import Path

import pytest
from training import small

from boardgames.arena.intervals import mean_interval
from boardgames.errors import OptionError
from boardgames.executors import InProcess
from boardgames.learning.comparison import compare_runs, differences, groups, points_interval
from boardgames.learning.config import Config
from boardgames.learning.measurement import Measurement, Series
from boardgames.learning.runs import Run
from boardgames.learning.trainer import Trainer


def trained(folder: Path, *, seed: int, wins: int = 0, **settings: object) -> Path:
    """Train a run, and write that it won `wins` of ten matches."""
    with Run.create(folder, replace(small(**settings), seed=seed)) as run:
        Trainer(run).train(InProcess())
        series = Series("td:weights=x", "greedy", wins, 10 - wins, 0)
        Measurement(10, 1, (series,), 10).write(folder)
    return folder


def test_runs_that_differ_in_the_seed_alone_are_a_group(tmp_path: Path) -> None:
    first, second = (trained(tmp_path / f"{seed}", seed=seed, wins=seed, steps=1) for seed in (4, 6))
    other = trained(tmp_path / "other", seed=4, steps=1, alpha=0.2)
    runs = compare_runs([first, other, second])
    assert differences(runs) == ["alpha"]
    assert [run.differing(["alpha"]) for run in runs] == [[0.1], [0.2], [0.1]]
    (group,) = groups(runs)
    assert [run.summary.name for run in group.runs] == ["4", "6"]
    assert group.strength["greedy"].value == pytest.approx(0.5)


def test_settings_that_follow_from_the_learner_are_not_listed_as_differences(tmp_path: Path) -> None:
    for name, learner, alpha in (("a", "td", 0.1), ("b", "td", 0.2), ("c", "treestrap", 0.1)):
        settings = {"alpha": alpha, "steps": 1}
        Run.create(tmp_path / name, Config("connect4", learner, seed=1, settings=settings)).close()
    first, second, third = compare_runs([tmp_path / name for name in "abc"])
    assert differences([first, third]) == ["learner"]
    assert differences([first, second, third]) == ["learner", "alpha"]


def test_the_mean_of_two_runs_has_students_interval() -> None:
    mean, low, high = mean_interval([0.4, 0.6])
    assert mean == pytest.approx(0.5)
    assert high - mean == pytest.approx(12.706 * 0.1, rel=1e-3)
    assert high - mean == pytest.approx(mean - low)


def test_the_interval_has_a_width_even_if_every_match_was_won() -> None:
    value, low, high = points_interval(Series("a", "b", 10, 0, 0))
    assert (value, high) == (1.0, 1.0)
    assert low == pytest.approx(0.722, abs=1e-3)


def test_runs_of_different_games_are_not_compared(tmp_path: Path) -> None:
    trained(tmp_path / "one", seed=1, steps=1)
    other = tmp_path / "two"
    Run.create(other, replace(small(steps=1), game="hexifence", options={}, layout=None, seed=1)).close()
    with pytest.raises(OptionError, match="runs of different games cannot be compared: connect4, hexifence"):
        compare_runs([tmp_path / "one", other])
