"""Plots of runs: labels, clipping and smoothing; `tests/cli/test_plot.py` has the command."""

import re
from itertools import pairwise

import numpy as np
import pytest

from boardgames.adapters.plots import RunHistory, plot_runs, smooth, spread

pytest.importorskip("matplotlib")


def test_only_the_largest_weights_are_labelled() -> None:
    weights = np.zeros((3, 100))
    weights[:, 40:45] = 1.0
    features = [f"feature {number}" for number in range(100)]
    history = RunHistory("run", "run", "score", [1], [0.5], 1, weights, [1, 2, 3], features)
    labels = re.findall(r"<!-- (feature \d+) -->", plot_runs([history], "svg").decode())
    assert {f"feature {number}" for number in range(40, 45)} <= set(labels)
    assert len(labels) == 24


@pytest.mark.parametrize("number", [1e308, -1e308, 1e200])
def test_huge_numbers_are_drawn(number: float) -> None:
    weights = np.array([[number, 0.5], [0.0, 0.25]])
    history = RunHistory("run", "run", "score", [1, 2], [number, 0.5], 1, weights, [1, 2], ["one", "two"])
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
