"""Ratings of a field: maximum likelihood, intervals, and fields in which an agent won everything."""

import itertools
import math
from collections.abc import Mapping

import numpy as np
import pytest

from boardgames.arena.bradley_terry import Estimates, match_ratings, ratings
from boardgames.arena.pentanomial import Pairs, elo_from_score, estimate, expected_score, t_quantile
from boardgames.errors import LimitError

Series = Mapping[tuple[int, int], Pairs]

MIXED = Pairs((2, 5, 9, 7, 7))
WON = Pairs((0, 0, 0, 0, 10))
EVEN = Pairs((0, 0, 20, 0, 0))
ROUND_ROBIN: Series = {
    (0, 1): Pairs((1, 4, 10, 9, 6)),
    (2, 0): Pairs((9, 9, 7, 4, 1)),
    (1, 2): Pairs((3, 3, 15, 5, 4)),
    (3, 0): Pairs((20, 5, 4, 0, 1)),
    (3, 1): Pairs((0, 0, 3, 0, 0)),
}
LADDER = {(0, 1): (5, 2, 3), (1, 2): (1, 0, 4), (2, 3): (0, 6, 1), (3, 0): (2, 0, 2), (1, 0): (1, 1, 0)}


def points_of(count: int, series: Series) -> np.ndarray:
    points = np.zeros((count, count))
    for (first, second), pairs in series.items():
        points[first, second] += 2 * pairs.count * pairs.score
        points[second, first] += 2 * pairs.count * pairs.reversed().score
    return points


def slow_ratings(points: np.ndarray) -> list[float]:
    """Return the ratings of the package choix, which iterates Luce spectral ranking."""
    import choix  # here, since it takes a second, and all workers import this module

    log_odds = choix.ilsr_pairwise_dense(points, max_iter=100_000)
    return list(400 / math.log(10) * (log_odds - log_odds.mean()))


def elos(estimates: Estimates) -> list[float]:
    return [result.elo for result in estimates if result is not None]


def texts(estimates: Estimates) -> list[str]:
    return [str(result) for result in estimates]


# --- the fit -----------------------------------------------------------------------------


def test_ratings_maximise_the_likelihood() -> None:
    expected = slow_ratings(points_of(4, ROUND_ROBIN))
    assert elos(ratings(4, ROUND_ROBIN)) == pytest.approx(expected, abs=0.01)


def test_ratings_from_single_matches_maximise_the_likelihood() -> None:
    points = np.zeros((4, 4))
    for (first, second), (won, drawn, lost) in LADDER.items():
        points[first, second] += won + drawn / 2
        points[second, first] += lost + drawn / 2
    assert elos(match_ratings(4, LADDER)) == pytest.approx(slow_ratings(points), abs=0.01)


def test_distant_agents_are_rated_exactly() -> None:
    series = {(i, i + 1): Pairs((0, 0, 1, 0, 10**4)) for i in range(5)}
    assert elos(ratings(6, series)) == pytest.approx(slow_ratings(points_of(6, series)), abs=0.1)


@pytest.mark.parametrize("seed", range(5))
def test_ratings_of_a_large_field_maximise_the_likelihood(seed: int) -> None:
    random = np.random.default_rng(seed)
    strengths = random.normal(scale=2, size=20)
    points = np.zeros((20, 20))
    results = {}
    for first, second in itertools.combinations(range(20), 2):
        won = int(random.binomial(200, 1 / (1 + np.exp(strengths[second] - strengths[first]))))
        results[first, second] = (won + 1, 2, 201 - won)  # everybody has won, so that the fit is finite
        points[first, second], points[second, first] = won + 2, 202 - won
    assert elos(match_ratings(20, results)) == pytest.approx(slow_ratings(points), abs=0.01)


def test_mean_of_the_field_is_zero() -> None:
    assert sum(elos(ratings(4, ROUND_ROBIN))) == pytest.approx(0, abs=1e-9)


def test_every_agent_has_an_estimate() -> None:
    assert len(ratings(4, ROUND_ROBIN)) == 4


def test_order_of_two_agents_does_not_matter() -> None:
    turned = {(second, first): pairs.reversed() for (first, second), pairs in ROUND_ROBIN.items()}
    split = {(0, 1): MIXED, (1, 0): MIXED.reversed(), (1, 2): EVEN}
    assert texts(ratings(2, {(0, 1): EVEN, (1, 0): EVEN})) == texts(ratings(2, {(0, 1): EVEN + EVEN}))
    assert texts(ratings(4, turned)) == texts(ratings(4, ROUND_ROBIN))
    assert texts(ratings(3, split)) == texts(ratings(3, {(0, 1): MIXED + MIXED, (1, 2): EVEN}))


def test_renumbering_the_agents_changes_nothing() -> None:
    order = [2, 0, 3, 1]
    renumbered = {(order[i], order[j]): pairs for (i, j), pairs in ROUND_ROBIN.items()}
    result = texts(ratings(4, renumbered))
    assert [result[order[agent]] for agent in range(4)] == texts(ratings(4, ROUND_ROBIN))


# --- two agents ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pairs",
    [Pairs((4, 3, 34, 42, 117)), MIXED, EVEN, Pairs((30, 0, 0, 0, 30)), Pairs((332, 433, 498, 333, 334))],
    ids=str,
)
def test_difference_of_two_agents_is_the_estimate_of_their_pairs(pairs: Pairs) -> None:
    first = ratings(2, {(0, 1): pairs})[0]
    own = estimate(pairs)
    assert first is not None
    assert own is not None
    assert 2 * first.elo == pytest.approx(own.elo)
    assert first.error is not None
    assert own.error is not None
    assert 2 * first.error == pytest.approx(own.error, rel=0.05)


def test_bound_after_a_sweep_between_two_agents_is_that_of_their_pairs() -> None:
    first, second = ratings(2, {(0, 1): Pairs((0, 0, 0, 0, 100))})
    own = estimate(Pairs((0, 0, 0, 0, 100)))
    assert own is not None
    assert own.low is not None
    assert first is not None
    assert (first.elo, first.low) == pytest.approx((own.elo / 2, own.low / 2))
    assert first.high is None
    assert texts((first, second)) == ["> +285", "< -285"]


# --- fields that are not fully connected -----------------------------------------------


def test_agent_that_won_everything_has_only_a_lower_bound() -> None:
    series = {(0, 1): WON, (0, 2): WON, (1, 2): EVEN}
    winner, *others = ratings(3, series)
    assert winner is not None
    assert winner.is_one_sided
    assert winner.high is None
    # 20 pairs won against equals: score**20 = 0.025
    lead = elo_from_score(0.025 ** (1 / 20))
    assert winner.low == pytest.approx(lead * 2 / 3)
    guess = elo_from_score(20.5 / 21)
    assert winner.elo == pytest.approx(guess * 2 / 3)
    assert elos(tuple(others)) == pytest.approx([-guess / 3] * 2)


def test_agent_that_lost_everything_has_only_an_upper_bound() -> None:
    loser = ratings(3, {(0, 2): WON, (1, 2): WON, (0, 1): EVEN})[2]
    assert str(loser) == f"< -{elo_from_score(0.025 ** (1 / 20)) * 2 / 3:.0f}"


def test_lower_bound_depends_on_the_strength_of_the_losers() -> None:
    stronger = {(0, 1): WON, (1, 2): Pairs((0, 0, 10, 0, 10))}
    weaker = {(0, 2): WON, (1, 2): Pairs((0, 0, 10, 0, 10))}
    assert elos(ratings(3, stronger))[0] > elos(ratings(3, weaker))[0] + 50


def test_upper_bound_depends_on_the_strength_of_the_winner() -> None:
    to_weaker = {(0, 1): Pairs((0, 0, 10, 0, 10)), (1, 2): WON}
    to_stronger = {(0, 1): Pairs((0, 0, 10, 0, 10)), (0, 2): WON}
    assert elos(ratings(3, to_weaker))[2] < elos(ratings(3, to_stronger))[2] - 50


def test_bounds_add_up_along_a_chain() -> None:
    series = {(0, 1): WON, (1, 2): WON, (2, 3): EVEN, (3, 4): WON}
    estimates = ratings(5, series)
    above, next_above, _, _, below = estimates
    lead, guess = elo_from_score(0.025 ** (1 / 10)), elo_from_score(10.5 / 11)
    result = elos(estimates)
    assert np.subtract(result, result[2]) == pytest.approx([2 * guess, guess, 0, 0, -guess])
    assert above is not None
    assert next_above is not None
    assert above.low is not None
    assert next_above.low is not None
    assert above.low - next_above.low == pytest.approx(lead)
    assert [str(one)[0] for one in (above, next_above, below)] == [">", ">", "<"]


@pytest.mark.parametrize("seed", range(30))
def test_estimate_lies_in_its_interval(seed: int) -> None:
    random = np.random.default_rng(seed)
    results = {
        pairing: tuple(int(number) for number in random.integers(0, 2, size=3))
        for pairing in itertools.combinations(range(6), 2)
    }
    for result in match_ratings(6, results):  # type: ignore[arg-type]  # three each
        if result is not None:
            assert result.low is None or result.low <= result.elo
            assert result.high is None or result.elo <= result.high


def test_agents_of_a_component_that_won_everything_have_lower_bounds() -> None:
    series = {(0, 1): MIXED, (0, 2): WON, (1, 3): WON, (2, 3): EVEN, (3, 4): EVEN}
    first, second = ratings(5, series)[:2]
    inner = ratings(2, {(0, 1): MIXED})
    assert elos((first,))[0] - elos((second,))[0] == pytest.approx(elos(inner)[0] - elos(inner)[1])
    assert [str(standing)[0] for standing in (first, second)] == [">", ">"]


def test_groups_that_never_played_each_other_are_incomparable() -> None:
    standings = ratings(6, {(0, 1): MIXED, (2, 3): MIXED, (3, 4): MIXED})
    assert [standing is None for standing in standings] == [True, True, False, False, False, True]
    assert texts(standings)[2:5] == texts(ratings(3, {(0, 1): MIXED, (1, 2): MIXED}))


def test_largest_group_is_the_field_even_if_an_agent_won_everything() -> None:
    standings = ratings(5, {(0, 1): MIXED, (2, 3): WON, (2, 4): WON})
    assert [text[0] for text in texts(standings)] == ["N", "N", ">", "<", "<"]


def test_agent_that_only_lost_to_the_winner_is_incomparable() -> None:
    series = {(0, 1): WON, (1, 2): EVEN, (0, 3): WON}
    assert texts(ratings(4, series))[3] == "None"


@pytest.mark.parametrize("count", [0, 1, 3])
def test_agents_without_matches_are_incomparable(count: int) -> None:
    assert texts(ratings(count, {})) == ["None"] * count
    assert texts(match_ratings(count, {})) == ["None"] * count


def test_empty_series_are_ignored() -> None:
    assert texts(ratings(3, {(0, 1): MIXED, (1, 2): Pairs()}))[2] == "None"


def test_middle_of_a_chain_of_sweeps_is_unrated() -> None:
    assert [text[0] for text in texts(ratings(3, {(0, 1): WON, (1, 2): WON}))] == [">", "N", "<"]


def test_lopsided_field_is_rated() -> None:
    results = {
        (0, 3): (2, 0, 0),
        (0, 4): (0, 0, 2),
        (1, 3): (0, 0, 24),
        (1, 4): (32, 0, 2),
        (1, 5): (0, 0, 34),
        (2, 3): (0, 0, 26),
        (2, 4): (0, 0, 20),
        (3, 5): (2, 0, 0),
    }
    assert all(result is not None for result in match_ratings(6, results))


@pytest.mark.parametrize("seed", range(30))
def test_sparse_fields_give_finite_numbers(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = int(random.integers(2, 8))
    results: dict[tuple[int, int], tuple[int, int, int]] = {}
    for pairing in itertools.combinations(range(count), 2):
        if random.random() < 0.4:
            wins, losses, draws = (int(number) for number in random.integers(0, 3, size=3))
            results[pairing] = wins, losses, draws
    for result in match_ratings(count, results):
        if result is not None:
            ends = [end for end in (result.low, result.high) if end is not None]
            assert ends
            assert all(abs(number) < 10_000 for number in (result.elo, *ends))


# --- validation ------------------------------------------------------------------------------


@pytest.mark.parametrize("agents", [(0, 2), (-1, 0), (1, 1)], ids=str)
def test_agents_out_of_range_are_rejected(agents: tuple[int, int]) -> None:
    with pytest.raises(LimitError, match="two different agents below 2"):
        ratings(2, {agents: MIXED})


@pytest.mark.parametrize("counts", [(1, 2), (1, -1, 0), (0.5, 0, 0)], ids=str)
def test_invalid_counts_are_rejected(counts: tuple[int, int, int]) -> None:
    with pytest.raises(LimitError, match="three non-negative integers"):
        match_ratings(2, {(0, 1): counts})


# --- intervals -----------------------------------------------------------------------------------------


def test_correlated_matches_widen_the_interval_and_draws_narrow_it() -> None:
    swept, split = Pairs((30, 0, 0, 0, 30)), Pairs((0, 0, 60, 0, 0))
    errors = {}
    for name, pairs in (("swept", swept), ("split", split)):
        result = ratings(3, dict.fromkeys([(0, 1), (0, 2), (1, 2)], pairs))[0]
        assert result is not None
        errors[name] = result.error or math.inf
    single = match_ratings(3, dict.fromkeys([(0, 1), (0, 2), (1, 2)], (60, 0, 60)))[0]
    assert single is not None
    assert single.error is not None
    assert errors["split"] < single.error < errors["swept"]
    assert errors["swept"] == pytest.approx(math.sqrt(2) * single.error, rel=0.05)


@pytest.mark.parametrize("pairs", [Pairs((1, 0, 2, 1, 2)), Pairs((1, 3, 2, 2, 4)), MIXED], ids=str)
def test_interval_of_two_agents_is_the_textbook_interval_of_a_mean(pairs: Pairs) -> None:
    result = ratings(2, {(0, 1): pairs})[0]
    assert result is not None
    slope = 400 / math.log(10) / (pairs.score * (1 - pairs.score))  # Elo by score, at the mean
    extent = t_quantile(pairs.count - 1) * math.sqrt(pairs.variance / (pairs.count - 1))
    assert result.error == pytest.approx(slope * extent / 2)


def coverage(truth: list[float], *, pairs: int, series: int) -> float:
    """Return the coverage of the intervals; half the pairs are split, which the model does not expect."""
    random = np.random.default_rng(1)
    true_elos = np.array(truth) - np.mean(truth)
    held = 0
    for _ in range(series):
        drawn = {}
        for i, j in itertools.combinations(range(len(truth)), 2):
            won = expected_score(float(true_elos[i] - true_elos[j])) - 0.25
            lost, split, swept = random.multinomial(pairs, (0.5 - won, 0.5, won))
            drawn[i, j] = Pairs((int(lost), 0, int(split), 0, int(swept)))
        for result, true_elo in zip(ratings(len(truth), drawn), true_elos, strict=True):
            assert result is not None
            assert result.low is not None
            assert result.high is not None
            held += result.low <= true_elo <= result.high
    return held / (series * len(truth))


def test_intervals_of_a_field_cover_the_true_value_about_95_times_in_100() -> None:
    assert 0.92 < coverage([0, 40, 100], pairs=30, series=300) < 0.98


@pytest.mark.slow
@pytest.mark.parametrize(
    ("truth", "pairs"), [([0, 0, 0], 20), ([0, 30, 60, 120, 150], 100)], ids=["equals", "a field of five"]
)
def test_intervals_of_a_field_cover_the_true_value_93_to_97_times_in_100(
    truth: list[float], pairs: int
) -> None:
    assert 0.93 < coverage(truth, pairs=pairs, series=1500) < 0.97
