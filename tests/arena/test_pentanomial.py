"""Pairs and estimates: published examples, bounds, symmetry, coverage of the intervals."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames.arena.pentanomial import (
    MAX_DEVIANCE,
    PSEUDOCOUNT,
    SCORES,
    Estimate,
    Pairs,
    elo_from_score,
    estimate,
    expected_score,
    find_root,
    likelihood_of_superiority,
    log_likelihood,
    t_quantile,
)
from boardgames.errors import LimitError

Counts = tuple[int, int, int, int, int]

COUNTS = st.tuples(*[st.integers(0, 300)] * 5).filter(any)
DRAWLESS_FIRST_MOVER_AHEAD = np.array([0.128, 0.0, 0.744, 0.0, 0.128])
DRAWISH = np.array([0.02, 0.18, 0.6, 0.18, 0.02])
STRONGER = np.array([0.02, 0.08, 0.2, 0.2, 0.5])


# --- published examples --------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "elo", "error"),
    [
        ((4, 3, 34, 42, 117), 277.00, 40.90),
        ((34, 54, 63, 64, 75), 55.58, 27.65),
        ((332, 433, 498, 333, 334), -8.64, 10.33),
        ((7895, 8757, 5685, 568, 9999), -21.04, 2.95),
    ],
    ids=["fastchess output", "fastchess test 1", "fastchess test 2", "fastchess test 3"],
)
def test_elo_and_error_agree_with_fastchess(counts: Counts, elo: float, error: float) -> None:
    result = estimate(Pairs(counts))
    assert result is not None
    assert result.elo == pytest.approx(elo, abs=0.005)
    assert result.error == pytest.approx(error, rel=0.01)


def test_likelihood_of_superiority_agrees_with_fastchess() -> None:
    assert likelihood_of_superiority(Pairs((332, 433, 498, 333, 334))) == pytest.approx(0.0505, abs=0.0005)
    assert likelihood_of_superiority(Pairs((4, 3, 34, 42, 117))) == pytest.approx(1)


def test_score_and_variance_agree_with_montytest() -> None:
    pairs = Pairs((13, 37, 50, 25, 3))
    result = estimate(pairs)
    assert result is not None
    assert pairs.score == 0.4375
    assert pairs.variance == pytest.approx(0.05762, abs=0.000005)
    assert result.elo == pytest.approx(-43.6578, abs=0.00005)


# --- pairs -----------------------------------------------------------------------------


def test_pairs_are_counted_by_points() -> None:
    assert Pairs.of([0, 0.5, 1, 1, 1.5, 2.0, 2]) == Pairs((1, 1, 2, 1, 2))


@pytest.mark.parametrize("points", [0.25, -0.5, 2.5, math.nan, math.inf, "1", None, True])
def test_impossible_points_are_rejected(points: float) -> None:
    with pytest.raises(LimitError, match="points of a pair must be"):
        Pairs.of([points])


@pytest.mark.parametrize("counts", [(1, 2, 3), (1, 2, 3, 4, -1), (1.5, 0, 0, 0, 0), None, "abcde"], ids=str)
def test_invalid_counts_are_rejected(counts: Counts) -> None:
    with pytest.raises(LimitError, match="counts of pairs"):
        Pairs(counts)


def test_numpy_counts_become_plain_integers() -> None:
    counts = tuple(np.array([1, 2, 3, 4, 5]))
    assert [type(count) for count in Pairs(counts).counts] == [int] * 5


@given(COUNTS)
def test_scores_of_both_players_add_up_to_one(counts: Counts) -> None:
    assert Pairs(counts).score + Pairs(counts).reversed().score == pytest.approx(1)


# --- the logistic scale ----------------------------------------------------------------


@given(st.floats(-5000, 5000))
def test_elo_and_expected_score_are_inverse(elo: float) -> None:
    assert elo_from_score(expected_score(-abs(elo))) == pytest.approx(-abs(elo), abs=1e-6)


def test_ten_to_one_is_400_elo() -> None:
    assert elo_from_score(10 / 11) == pytest.approx(400)
    assert expected_score(10**6) == 1
    assert expected_score(-(10**6)) == 0


@pytest.mark.parametrize("score", [0, 1, -0.1, 1.1, math.nan, "0.5", None])
def test_score_outside_zero_to_one_is_rejected(score: float) -> None:
    with pytest.raises(LimitError, match="score must be between 0 and 1"):
        elo_from_score(score)


@pytest.mark.parametrize("elo", [math.inf, math.nan, "5", None])
def test_elo_must_be_finite(elo: float) -> None:
    with pytest.raises(LimitError, match="must be a finite number"):
        expected_score(elo)


# --- the likelihood ----------------------------------------------------------------------


def slow_log_likelihood(counts: Counts, score: float) -> float:
    """Owen's form, with a multiplier for the mean result by bisection; the module uses tilts instead."""
    seen = np.array([count or PSEUDOCOUNT for count in counts])
    leads = np.array(SCORES) - score
    low, high = -1 / leads.max(), -1 / leads.min()
    for _ in range(200):
        middle = (low + high) / 2
        if np.sum(seen * leads / (1 + middle * leads)) > 0:
            low = middle
        else:
            high = middle
    return -float(np.sum(seen * np.log1p(middle * leads)))


@given(COUNTS, st.floats(0.01, 0.99))
def test_likelihood_agrees_with_an_independent_computation(counts: Counts, score: float) -> None:
    expected = slow_log_likelihood(counts, score)
    assert log_likelihood(Pairs(counts), score) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_estimated_probabilities_are_the_most_likely_with_their_mean() -> None:
    counts = np.array([3, 5, 9, 2, 7])
    best = counts @ np.log(counts / counts.sum())
    random = np.random.default_rng(1)
    for cells in random.dirichlet(counts, size=500):
        score = float(cells @ SCORES)
        assert counts @ np.log(cells) <= best + log_likelihood(Pairs(tuple(counts)), score) + 1e-9


def test_t_quantiles_agree_with_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    freedoms = [5, 6, 8, 10, 20, 60, 120, 10_000]
    assert [t_quantile(freedom) for freedom in freedoms] == pytest.approx(
        [stats.t.ppf(0.975, freedom) for freedom in freedoms], abs=0.001
    )


def test_root_is_found_to_the_last_bit() -> None:
    assert find_root(lambda x: x**3 - 8, -1e9, 1e9) == 2


# --- intervals ------------------------------------------------------------------------------


def test_without_pairs_there_is_no_estimate() -> None:
    assert estimate(Pairs()) is None
    assert likelihood_of_superiority(Pairs()) == 0.5


@pytest.mark.parametrize("count", [1, 2, 10, 100, 10**6])
def test_clean_sweep_gives_the_exact_bound(count: int) -> None:
    result = estimate(Pairs((0, 0, 0, 0, count)))
    assert result is not None
    assert result.is_one_sided
    assert result.high is None
    assert result.low is not None
    assert expected_score(result.low) ** count == pytest.approx(0.025)


@pytest.mark.parametrize("count", [1, 2, 10, 100, 10**6])
def test_clean_sweep_has_the_highest_estimate(count: int) -> None:
    sweep, nearly = estimate(Pairs((0, 0, 0, 0, count))), estimate(Pairs((0, 0, 1, 0, count - 1)))
    swept = estimate(Pairs((count, 0, 0, 0, 0)))
    assert sweep is not None
    assert nearly is not None
    assert swept is not None
    assert sweep.elo > nearly.elo >= 0
    assert swept.elo == -sweep.elo


def test_clean_sweep_is_formatted_as_a_bound() -> None:
    assert str(estimate(Pairs((0, 0, 0, 0, 100)))) == "> +570"
    assert str(estimate(Pairs((100, 0, 0, 0, 0)))) == "< -570"


def test_a_clean_sweep_gives_the_best_bound_of_all_results() -> None:
    for count in (1, 2, 5, 20, 100, 1000):
        sweep = estimate(Pairs((0, 0, 0, 0, count)))
        nearly = estimate(Pairs((0, 0, 0, 1, count - 1)))
        assert sweep is not None
        assert nearly is not None
        assert nearly.low is not None
        assert sweep.low is not None
        assert nearly.low <= sweep.low


def test_interval_of_a_near_sweep_is_wide() -> None:
    result = estimate(Pairs((0, 0, 1, 0, 99)))
    assert result is not None
    assert result.low is not None
    assert result.high is not None
    assert result.low < 600 < result.elo < 1000 < result.high < 1500


@pytest.mark.parametrize(
    "counts",
    [counts for counts in itertools.product(range(3), repeat=5) if 1 <= sum(counts) <= 2],
    ids=str,
)
def test_intervals_of_one_or_two_pairs_are_wide_but_finite(counts: Counts) -> None:
    result = estimate(Pairs(counts))
    assert result is not None
    assert result.low is None or -2000 < result.low < 0
    assert result.high is None or 0 < result.high < 2000


def test_a_result_with_only_even_pairs_is_not_treated_as_certain() -> None:
    result = estimate(Pairs((0, 0, 20, 0, 0)))
    assert result is not None
    assert result.elo == 0
    assert result.error is not None
    assert 20 < result.error < 100


@given(COUNTS)
def test_estimate_is_finite_and_lies_in_its_interval(counts: Counts) -> None:
    result = estimate(Pairs(counts))
    assert result is not None
    assert math.isfinite(result.elo)
    assert result.low is None or -math.inf < result.low <= result.elo
    assert result.high is None or math.inf > result.high >= result.elo


@given(COUNTS)
def test_estimate_is_symmetric_in_the_players(counts: Counts) -> None:
    own, other = estimate(Pairs(counts)), estimate(Pairs(counts).reversed())
    assert own is not None
    assert other is not None
    mirrored = [None if end is None else -end for end in (other.elo, other.high, other.low)]
    assert [own.elo, own.low, own.high] == pytest.approx(mirrored, abs=1e-6)
    superiority = likelihood_of_superiority(Pairs(counts))
    assert superiority == pytest.approx(1 - likelihood_of_superiority(Pairs(counts).reversed()), abs=1e-9)


@given(COUNTS)
def test_superiority_is_significant_exactly_if_the_interval_is_positive(counts: Counts) -> None:
    pairs = Pairs(counts)
    result = estimate(pairs)
    assert result is not None
    if result.low is not None and abs(result.low) > 1e-6 and pairs.score > 0.5:
        assert (likelihood_of_superiority(pairs) > 0.975) == (result.low > 0)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (Estimate(0.3, -10.2, 11.4), "+0 [-10, 11]"),
        (Estimate(-0.3, -10.2, 11.4), "+0 [-10, 11]"),
        (Estimate(-50.0, None, -50.0), "< -50"),
    ],
    ids=["even", "just below even", "bound"],
)
def test_estimate_is_formatted_in_whole_elo(shown: Estimate, text: str) -> None:
    assert str(shown) == text


# --- coverage of the intervals ------------------------------------------------------------------


def coverage(cells: np.ndarray, *, count: int, series: int) -> float:
    elo = elo_from_score(float(cells @ SCORES))
    drawn = np.random.default_rng(1).multinomial(count, cells, size=series)
    covered = 0
    for row, times in zip(*np.unique(drawn, axis=0, return_counts=True), strict=True):
        result = estimate(Pairs(tuple(row)))
        assert result is not None
        is_covered = (result.low is None or result.low <= elo) and (result.high is None or elo <= result.high)
        covered += is_covered * int(times)
    return covered / series


def test_intervals_cover_the_true_value_about_95_times_in_100() -> None:
    assert 0.92 < coverage(STRONGER, count=100, series=1000) < 0.98


@pytest.mark.slow
@pytest.mark.parametrize("count", [50, 200])
@pytest.mark.parametrize(
    "cells",
    [DRAWLESS_FIRST_MOVER_AHEAD, DRAWISH, STRONGER],
    ids=["drawless, first mover ahead", "drawish", "stronger"],
)
def test_intervals_cover_the_true_value_93_to_97_times_in_100(cells: np.ndarray, count: int) -> None:
    assert 0.93 < coverage(cells, count=count, series=4000) < 0.97


@pytest.mark.slow
@pytest.mark.parametrize("count", [5, 20, 100, 500])
@pytest.mark.parametrize("lost", [0.01, 0.03])
def test_intervals_of_near_sweeps_are_wide_enough(lost: float, count: int) -> None:
    for cells in ([lost, 0, 0, 0, 1 - lost], [0, 0, 2 * lost, 0, 1 - 2 * lost]):
        assert coverage(np.array(cells), count=count, series=2000) > 0.93


def test_deviance_of_a_sweep_at_its_bound_is_the_maximum() -> None:
    pairs = Pairs((0, 0, 0, 0, 50))
    result = estimate(pairs)
    assert result is not None
    assert result.low is not None
    assert -2 * log_likelihood(pairs, expected_score(result.low)) == pytest.approx(MAX_DEVIANCE, rel=0.01)
