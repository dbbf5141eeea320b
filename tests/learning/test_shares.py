"""Shares of decided matches: intervals as tabled, wider for units that go together, none from too few."""

import numpy as np
import pytest

from boardgames.learning.experiments import Share, share_of
from boardgames.learning.experiments.shares import FEWEST, wilson


@pytest.mark.parametrize(
    ("share", "count", "low", "high"),
    [(0.5, 10, 0.2366, 0.7634), (0.9, 10, 0.5958, 0.9821), (0.0, 10, 0.0, 0.2775), (1.0, 10, 0.7225, 1.0)],
)
def test_wilson_gives_the_tabled_ends(share: float, count: int, low: float, high: float) -> None:
    """Source: R. Newcombe, "Two-sided confidence intervals for the single proportion", 1998, method 3."""
    assert wilson(share, count) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_units_that_agree_as_much_as_single_matches_change_nothing() -> None:
    share = share_of([(1, 1)] * 20)
    assert share is not None
    assert (share.low, share.high) == pytest.approx(wilson(0.5, 40))


def test_units_that_go_together_widen_the_interval() -> None:
    mixed, split = share_of([(5, 5)] * 10), share_of([(10, 0), (0, 10)] * 5)
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
def test_a_sweep_counts_its_units_at_least(units: list[tuple[int, int]], low: tuple[float, float]) -> None:
    share, other = share_of(units), share_of([(lost, won) for won, lost in units])
    assert share is not None
    assert other is not None
    assert (share.value, share.high) == (1.0, 1.0)
    assert share.low == pytest.approx(low[0], abs=0.01)
    assert (other.value, other.low, other.high) == (0.0, 0.0, pytest.approx(1 - share.low))


@pytest.mark.parametrize("count", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("size", [1, 2, 10])
def test_a_match_that_is_lost_makes_nobody_surer(count: int, size: int) -> None:
    swept = share_of([(size, 0)] * count)
    not_quite = share_of([*[(size, 0)] * (count - 1), (size - 1, 1)])
    assert swept is not None
    assert not_quite is not None
    assert not_quite.low <= swept.low


def test_undecided_units_count_for_nothing() -> None:
    assert share_of([(2, 1), (0, 0), (1, 2)]) == share_of([(2, 1), (1, 2)])
    assert share_of([(0, 0)]) is None


@pytest.mark.parametrize(("units", "chance"), [(5, 0.7), (10, 0.5), (20, 0.9)])
def test_intervals_hold_what_they_promise_where_units_differ(units: int, chance: float) -> None:
    """Units whose own chances differ (beta distributed, correlation 0.1): 95 % hold it, or nearly."""
    random, rho, trials = np.random.default_rng(5), 0.1, 400
    held = held_by_wilson = 0
    for _ in range(trials):
        own = random.beta(chance * (1 / rho - 1), (1 - chance) * (1 / rho - 1), units)
        won = random.binomial(20, own)
        share = share_of([(int(first), 20 - int(first)) for first in won])
        assert share is not None
        held += share.low <= chance <= share.high
        low, high = wilson(share.value, 20 * units)
        held_by_wilson += low <= chance <= high
    assert held / trials > 0.91
    assert held_by_wilson / trials < 0.85


@pytest.mark.parametrize("units", [[(10, 0)] * 2, [(60, 20), (61, 19)], [(0, 9), (0, 0), (0, 0)]], ids=str)
def test_fewer_units_than_are_wanted_tell_a_share_but_no_interval(units: list[tuple[int, int]]) -> None:
    share, free = share_of(units, FEWEST), share_of(units)
    assert share is not None
    assert free is not None
    assert share == Share(free.value, 0.0, 1.0)
    assert share_of([*units, *units, *units], FEWEST) == share_of([*units, *units, *units])


def test_an_interval_of_two_units_would_not_hold_what_it_promises() -> None:
    """As before (correlation 0.1), with 80 matches each: that is why there is a least number."""
    random, chance, rho, units, held = np.random.default_rng(5), 0.7, 0.1, 2, 0
    for _ in range(400):
        own = random.beta(chance * (1 / rho - 1), (1 - chance) * (1 / rho - 1), units)
        share = share_of([(int(won), 80 - int(won)) for won in random.binomial(80, own)])
        assert share is not None
        held += share.low <= chance <= share.high
    assert held / 400 < 0.87
