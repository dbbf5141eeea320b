"""Plots of runs: labels, clipping and smoothing; `tests/cli/test_plot.py` has the command."""

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from boardgames.adapters.plots import RunHistory, plot_runs, smooth, spread

pytest.importorskip("matplotlib")


def test_only_the_largest_weights_are_labelled() -> None:
    weights = np.zeros((3, 100))
    weights[:, 40:45] = 1.0
    features = [f"feature {number}" for number in range(100)]
    history = RunHistory("run", "run", "score", [1], [0.5], 1, True, weights, [1, 2, 3], features)
    labels = re.findall(r"<!-- (feature \d+) -->", plot_runs([history], "svg").decode())
    assert {f"feature {number}" for number in range(40, 45)} <= set(labels)
    assert len(labels) == 24


@pytest.mark.parametrize("number", [1e308, -1e308, 1e200])
def test_huge_numbers_are_drawn(number: float) -> None:
    weights = np.array([[number, 0.5], [0.0, 0.25]])
    history = RunHistory(
        "run", "run", "score", [1, 2], [number, 0.5], 1, True, weights, [1, 2], ["one", "two"]
    )
    assert plot_runs([history], "svg").startswith(b"<?xml")


def test_labels_do_not_overlap() -> None:
    places = spread([0.1, 0.1, 0.1, 5.0, 5.05, -3.0], 1.0)
    assert all(b - a >= 1.0 - 1e-12 for a, b in pairwise(sorted(places)))
    assert places[5] == -3.0
    assert abs(places[3] + places[4] - 10.05) < 1e-12


def test_smooth_curve_is_a_centred_moving_average() -> None:
    values = [float(index % 2) for index in range(40)]
    smoothed = smooth(values)
    assert (smoothed[0], smoothed[-1]) == (values[0], values[-1])
    assert smoothed[20] == pytest.approx(2 / 5)


def run_of_seed(seed: int, values: list[float], group: str = "slow") -> RunHistory:
    return RunHistory(f"td-{seed}", "", "score", list(range(1, len(values) + 1)), values, group=group)


def test_runs_that_differ_only_in_their_seed_share_a_curve() -> None:
    histories = [run_of_seed(1, [0.1, 0.2, 0.3]), run_of_seed(2, [0.2, 0.4]), run_of_seed(9, [0.5], "fast")]
    drawn = plot_runs(histories, "svg").decode()
    assert "<!-- td, mean of 2 runs -->" in drawn
    assert "<!-- td-9 -->" in drawn
    assert "<!-- td-1 -->" not in drawn
    assert "PolyCollection" in drawn, "the band"


def test_the_band_of_scores_stays_between_0_and_1() -> None:
    runs = [run_of_seed(1, [0.1, 0.9]), run_of_seed(2, [0.3, 0.5])]
    scores = [replace(run, steps=[0, 1]) for run in runs]  # so that the steps have no larger labels either
    losses = [replace(run, metric="loss") for run in scores]
    highest = [
        max(float(label) for label in re.findall(r"<!-- ([\d.]+) -->", plot_runs(drawn, "svg").decode()))
        for drawn in (scores, losses)
    ]
    assert highest[0] <= 1.2 < highest[1]


def test_runs_without_a_common_step_are_drawn_without_a_mean() -> None:
    other = RunHistory("b", "", "score", [7], [0.5], group="slow")
    drawn = plot_runs([run_of_seed(1, [0.1]), other], "svg").decode()
    assert "mean of" not in drawn
    assert "<!-- td-1 -->" in drawn


def test_tournaments_of_a_single_run_are_drawn() -> None:
    history = RunHistory("run", "run", "score", [2], [0.5], standings=[(2, [3.0, 1.0]), (4, [5.0])])
    drawn = plot_runs([history], "svg").decode()
    assert "<!-- points in tournaments -->" in drawn
    assert "<!-- points in tournaments -->" not in plot_runs([history, run_of_seed(1, [0.1])], "svg").decode()


@pytest.mark.parametrize(("is_best", "words"), [(True, "best 0.5 at step 1"), (False, "last 0.5 at step 1")])
def test_the_marked_step_is_called_best_only_if_it_is_the_best(is_best: bool, words: str) -> None:
    history = RunHistory("run", "run", "score", [1, 2], [0.5, 0.4], 1, is_best)
    assert f"<!-- {words} -->" in plot_runs([history], "svg").decode()
