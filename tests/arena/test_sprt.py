"""Sequential test: published examples, validation, order of the pairs, error rates."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boardgames.arena.pentanomial import SCORES, Pairs, expected_score
from boardgames.arena.sprt import MIN_PAIRS, Sprt, SprtRun
from boardgames.errors import LimitError

Counts = tuple[int, int, int, int, int]

COUNTS = st.tuples(*[st.integers(0, 300)] * 5)
SPLIT = np.array([0.0, 0.0, 1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("counts", "hypotheses", "ratio"),
    [
        ((223, 9863, 21279, 10037, 246), (0.5, 2.5), -3.07),
        ((871, 26175, 55983, 26678, 821), (0, 2), -4.98),
        ((13, 37, 50, 25, 3), (0, 2.716), -0.53772),
    ],
    ids=["fastchess test 1", "fastchess test 2", "montytest 69d3c8dc"],
)
def test_llr_agrees_with_published_values(
    counts: Counts, hypotheses: tuple[float, float], ratio: float
) -> None:
    assert Sprt(*hypotheses).llr(Pairs(counts)) == pytest.approx(ratio, rel=0.003)


def test_bounds_are_those_given_by_wald() -> None:
    assert Sprt(0, 10).bounds == pytest.approx((-math.log(19), math.log(19)))
    assert Sprt(0, 10, alpha=0.01, beta=0.1).bounds == pytest.approx((math.log(10 / 99), math.log(90)))


@pytest.mark.parametrize(
    "hypotheses", [(10, 0), (5, 5), (math.nan, 5), (0, math.inf), ("0", 5), (0, 10**9), (None, 1)], ids=str
)
def test_invalid_hypotheses_are_rejected(hypotheses: Any) -> None:
    with pytest.raises(LimitError, match="ELO0 must be below ELO1"):
        Sprt(*hypotheses)


@pytest.mark.parametrize("errors", [(0, 0.05), (0.05, 1), (0.5, 0.5), (math.nan, 0.05), ("5", 0.1)], ids=str)
def test_invalid_error_rates_are_rejected(errors: Any) -> None:
    with pytest.raises(LimitError, match="alpha and beta must be positive"):
        Sprt(0, 10, alpha=errors[0], beta=errors[1])


@pytest.mark.parametrize("text", ["0,10", " 0 , 10 ", "0.0,1e1", "-0,10"])
def test_test_is_parsed_from_text(text: str) -> None:
    assert Sprt.parse(text) == Sprt(0, 10)


@pytest.mark.parametrize("text", ["", "10", "0,5,10", "0;10", "a,b", "nan,5", "1_0,20", "10,0", "0,inf"])
def test_invalid_text_is_rejected(text: str) -> None:
    with pytest.raises(LimitError, match="ELO0"):
        Sprt.parse(text)


@given(COUNTS)
def test_swapping_players_and_hypotheses_negates_the_llr(counts: Counts) -> None:
    ratio = Sprt(-10, 30).llr(Pairs(counts))
    assert Sprt(-30, 10).llr(Pairs(counts).reversed()) == pytest.approx(-ratio, abs=1e-6)


@given(COUNTS)
def test_winning_another_pair_never_lowers_the_llr(counts: Counts) -> None:
    test = Sprt(0, 50)
    assert test.llr(Pairs(counts) + Pairs.of([2])) > test.llr(Pairs(counts)) - 1e-6


def test_without_pairs_there_is_no_decision() -> None:
    assert Sprt(0, 10).llr(Pairs()) == 0
    assert Sprt(0, 10).decision(Pairs()) is None


def test_llr_of_a_sweep_is_that_of_a_series_of_coin_tosses() -> None:
    # the most likely probabilities allow only pairs that are won or lost outright
    ratio = Sprt(0, 100).llr(Pairs((0, 0, 0, 0, 20)))
    assert ratio == pytest.approx(20 * math.log(expected_score(100) / 0.5), rel=0.01)


@pytest.mark.parametrize(
    ("counts", "decision"),
    [
        ((0, 0, 0, 0, MIN_PAIRS), "H1"),
        ((MIN_PAIRS, 0, 0, 0, 0), "H0"),
        ((0, 0, MIN_PAIRS, 0, 0), "H0"),
        ((0, 0, 0, 0, MIN_PAIRS - 1), None),
        ((0, 0, 1, 0, 0), None),
        ((5, 5, 5, 5, 5), None),
    ],
    ids=["all won", "all lost", "all even", "too few", "one", "no decision"],
)
def test_decision_needs_enough_pairs_and_a_bound(counts: Counts, decision: str | None) -> None:
    assert Sprt(0, 100).decision(Pairs(counts)) == decision


# --- order of the pairs --------------------------------------------------------------------


def test_pairs_are_evaluated_in_order_whatever_the_order_of_arrival() -> None:
    points = {number: (2.0 if number < 60 else 0.0, number) for number in range(100)}
    in_order, delayed = SprtRun(Sprt(0, 100)), SprtRun(Sprt(0, 100))
    for number in range(100):
        in_order.update({other: points[other] for other in range(number + 1)})
    arrived: dict[int, tuple[float, int]] = {}
    for number in reversed(range(100)):
        arrived[number] = points[number]
        delayed.update(arrived)
        assert number == 0 or delayed.seen == 0
    assert in_order.seen == delayed.seen < 60
    assert in_order.state == delayed.state
    assert in_order.decision == "H1"


def test_repeated_pairs_are_skipped() -> None:
    run = SprtRun(Sprt(0, 100))
    run.update(dict.fromkeys(range(100), (2.0, "same")))
    assert (run.seen, run.decision) == (100, None)


# --- error rates ---------------------------------------------------------------------


def at_elo(elo: float, *, split: float) -> np.ndarray:
    """Return probabilities with a share of split pairs; all others are won or lost outright."""
    return split * SPLIT + (1 - split) * mean_cells((expected_score(elo) - split / 2) / (1 - split))


def mean_cells(score: float) -> np.ndarray:
    return np.array([1 - score, 0, 0, 0, score])


@cache
def decision_of(test: Sprt, pairs: Pairs) -> str | None:
    return test.decision(pairs)


def decisions(test: Sprt, cells: np.ndarray, *, series: int) -> tuple[float, float]:
    """Run the test on simulated series; return the shares decided for H0 and H1."""
    random = np.random.default_rng(1)
    decided: list[str] = []
    for _ in range(series):
        counts = [0] * len(SCORES)
        for cell in random.choice(len(SCORES), p=cells, size=3000):
            counts[cell] += 1
            losing, behind, even, ahead, winning = counts
            decision = decision_of(test, Pairs((losing, behind, even, ahead, winning)))
            if decision is not None:
                decided.append(decision)
                break
    assert len(decided) == series
    return decided.count("H0") / series, decided.count("H1") / series


def test_distant_hypotheses_are_distinguished() -> None:
    test = Sprt(0, 200)
    assert decisions(test, at_elo(0, split=0.4), series=40)[1] < 0.15
    assert decisions(test, at_elo(200, split=0.4), series=40)[0] < 0.15


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "split"),
    [
        (Sprt(0, 100), 0.0),
        (Sprt(-100, 100), 0.3),
        (Sprt(0, 50, alpha=0.1, beta=0.1), 0.6),
    ],
    ids=str,
)
def test_error_rates_are_as_specified(test: Sprt, split: float) -> None:
    # allow for two standard deviations of 500 series
    series = 500
    false_h1 = decisions(test, at_elo(test.elo0, split=split), series=series)[1]
    false_h0 = decisions(test, at_elo(test.elo1, split=split), series=series)[0]
    assert false_h1 < test.alpha + 2 * math.sqrt(test.alpha * (1 - test.alpha) / series)
    assert false_h0 < test.beta + 2 * math.sqrt(test.beta * (1 - test.beta) / series)
