"""Shares of related matches, and their confidence intervals."""

from collections.abc import Callable

import numpy as np
import pytest

from boardgames.arena.intervals import wilson
from boardgames.experiments import MIN_UNITS, Share, estimate_share


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
def test_the_interval_after_a_sweep_extends_to_one_side(
    units: list[tuple[int, int]], low: tuple[float, float]
) -> None:
    share, other = estimate_share(units), estimate_share([(lost, won) for won, lost in units])
    assert share is not None
    assert other is not None
    assert (share.value, share.high) == (1.0, 1.0)
    assert share.low == pytest.approx(low[0], abs=0.01)
    assert (other.value, other.low) == (0.0, 0.0)
    assert other.high == pytest.approx(1 - share.low)


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
def test_intervals_have_the_promised_coverage_if_units_differ(units: int, chance: float) -> None:
    assert coverage(units, 20, chance, by_units) > 0.91
    assert coverage(units, 20, chance, by_matches) < 0.85


def test_an_interval_from_two_units_would_be_too_narrow() -> None:
    """Totals need `MIN_UNITS` for this reason."""
    assert coverage(2, 80, 0.7, by_units) < 0.87


@pytest.mark.parametrize("units", [[(10, 0)] * 2, [(60, 20), (61, 19)], [(0, 9), (0, 0), (0, 0)]], ids=str)
def test_too_few_units_have_a_share_but_no_interval(units: list[tuple[int, int]]) -> None:
    share, free = estimate_share(units, MIN_UNITS), estimate_share(units)
    assert share is not None
    assert free is not None
    assert share == Share(free.value, 0.0, 1.0)
    assert estimate_share([*units, *units, *units], MIN_UNITS) == estimate_share([*units, *units, *units])
