"""Simultaneous perturbation: Spall's schedule, the directions, and convergence in spite of noise."""

import numpy as np
import pytest

from boardgames.learning.perturbation import Perturbation


class Steps(Perturbation):
    """Perturbation with options that a test chooses."""

    def __init__(self, *, rate: float, change: float, delay: float) -> None:
        self.options = {"rate": rate, "change": change, "delay": delay}


def test_rate_and_change_follow_the_sequences_of_spall() -> None:
    """The rate is a / (2 c) with a = a0 / (A + k)^0.602 and c = c0 / k^0.101, and k counts from 1."""
    steps = Steps(rate=0.5, change=0.2, delay=9)
    assert [steps.change(0), steps.change(9)] == pytest.approx([0.2, 0.2 / 10**0.101])
    first_gain = 0.5 * 2 * 0.2 * 10**0.602
    for step in (0, 1, 10, 99):
        gain, change = first_gain / (9 + step + 1) ** 0.602, 0.2 / (step + 1) ** 0.101
        assert steps.rate(step) == pytest.approx(gain / (2 * change))


def test_all_components_of_a_direction_are_one_or_minus_one() -> None:
    directions = Steps(rate=1, change=1, delay=0).directions(200, 3, seed=4)
    assert set(directions.ravel()) == {-1.0, 1.0}
    assert len(np.unique(directions, axis=0)) == 8


def test_the_optimum_is_found_in_spite_of_noise() -> None:
    """The noise is that of a pair of matches: a standard deviation of 0.5 for results from -1 to 1."""
    steps, optimum = Steps(rate=0.1, change=0.1, delay=10), np.array([0.6, 0.3])
    random, point = np.random.default_rng(1), np.array([0.1, 0.9])
    for step in range(2000):
        directions = steps.directions(4, 2, seed=step)
        changes = steps.change(step) * directions
        up, down = (np.square(point + sign * changes - optimum).sum(axis=1) for sign in (1, -1))
        point = steps.moved(point, directions, down - up + random.normal(0, 0.5, 4), step)
    assert point == pytest.approx(optimum, abs=0.1)
