"""Simulate series of matches of known strength to check the arena's statistics.

    python bench/intervals.py                     # all tables; takes about seven minutes
    python bench/intervals.py intervals --series 2000 --seed 1

Pairs come from a model of two matches with sides swapped. It is logistic in the difference of
strength, with a margin for draws, an advantage of the first player that varies with the
opening, and a style that favours one player in both matches of a pair. The difference of
strength is chosen so that the mean score has a given value.
"""

import argparse
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from boardgames.arena.bradley_terry import Estimates, match_ratings, ratings
from boardgames.arena.pentanomial import (
    PSEUDOCOUNT,
    SCORES,
    Estimate,
    Pairs,
    elo_from_score,
    estimate,
    expected_score,
    find_root,
    t_quantile,
)
from boardgames.arena.sprt import MIN_PAIRS, Sprt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

SCORE_ARRAY = np.array(SCORES)
MAX_PAIRS = 30_000
FIELDS = ((0, 0, 0), (0, 100, 300), (-100, 0, 50, 200), (0, 40, 80, 120, 160, 400), (0, 200, 500, 900))


@dataclass(frozen=True, slots=True)
class Model:
    """A model of pairs, in log-odds: draw margin, first-player advantage, spread of openings and styles."""

    draws: float = 0.0
    first: float = 0.0
    openings: float = 0.0
    style: float = 0.0


MODELS: Mapping[str, Model] = {
    "drawless": Model(),
    "first-player advantage": Model(first=1.5),
    "one-sided openings": Model(first=0.5, openings=3.0),
    "drawish": Model(draws=2.5, first=0.5, openings=1.0),
    "mostly drawn": Model(draws=5.0, first=0.5, openings=0.5),
    "style": Model(style=3.0),
}


def main() -> None:
    """Print the requested tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="default: all")
    parser.add_argument("--series", type=int, default=2000, help="simulated series per setting")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for table in arguments.tables or TABLES:
        for row in TABLES[table](arguments.series, np.random.default_rng(arguments.seed)):
            print("| " + " | ".join(row) + " |", flush=True)
        print()


def intervals(series: int, random: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Measure how often the interval of `estimate`, and a normal interval, contains the true score."""
    yield "pairs", "scores", "within 93 to 97 %", "mean", "min", "max", "normal: mean", "min"
    yield ("---",) * 8
    for scores in ((0.5, 0.6, 0.75, 0.9), (0.97, 0.99)):
        for count in (1, 2, 5, 10, 20, 50, 100, 200, 500):
            settings = list(itertools.product(MODELS.values(), scores))
            drawn = [(score, random.multinomial(count, chances(score, of), series)) for of, score in settings]
            own = np.array([_coverage(counts, score, arena_interval) for score, counts in drawn])
            normal = np.array([_coverage(counts, score, normal_interval) for score, counts in drawn])
            within = f"{np.sum((own >= 93) & (own <= 97))} of {len(own)}"
            shown = (
                f"{value:.1f}" for value in (own.mean(), own.min(), own.max(), normal.mean(), normal.min())
            )
            yield str(count), f"{scores[0]} to {scores[-1]}", within, *shown


def sequential(series: int, random: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Measure the error rates of the sequential test if one of the hypotheses holds exactly."""
    yield "ELO0,ELO1", "model of pairs", "H1 at ELO0", "H0 at ELO1", "mean pairs", "at ELO1"
    yield ("---",) * 6
    for text in ("0,20", "0,50", "0,100", "0,200", "300,400"):
        test = Sprt.parse(text)
        for name, model in MODELS.items():
            false_h1, _, at_elo0 = decisions(test, chances(expected_score(test.elo0), model), series, random)
            _, false_h0, at_elo1 = decisions(test, chances(expected_score(test.elo1), model), series, random)
            rates = f"{100 * false_h1:.1f} %", f"{100 * false_h0:.1f} %"
            yield text, name, *rates, f"{at_elo0:.0f}", f"{at_elo1:.0f}"


def fields(series: int, random: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Measure how often intervals contain the true Elo of agents that play pairs of matches in a field."""
    yield from _fields("pairs", tuple(MODELS.values()), series, random)


def singles(series: int, random: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Measure the same as `fields` for single matches, without draws and with half of the matches drawn."""
    yield from _fields("matches", (0.0, 0.5), series, random)


def _fields(
    clusters: str, models: Sequence[Model | float], series: int, random: np.random.Generator
) -> Iterator[tuple[str, ...]]:
    yield "Elo of the agents", f"{clusters} per pairing", "mean", "min", "max", "bounds"
    yield ("---",) * 6
    for elos in FIELDS:
        for count in (10, 20, 50, 100):
            results = [_field(elos, count, model, series, random) for model in models]
            covered = np.concatenate([coverage for coverage, _ in results])
            shown = (f"{value:.1f}" for value in (covered.mean(), covered.min(), covered.max()))
            bounds = np.mean([bounds for _, bounds in results])
            yield ", ".join(map(str, elos)), str(count), *shown, f"{bounds:.1f} %"


TABLES: Mapping[str, Callable[[int, np.random.Generator], Iterator[tuple[str, ...]]]] = {
    "intervals": intervals,
    "sequential": sequential,
    "fields": fields,
    "singles": singles,
}


@cache
def chances(score: float, model: Model) -> FloatArray:
    """Return the probabilities, `float64[5]`, of the possible points in a pair, given the mean score."""
    return _chances_at(
        find_root(lambda lead: float(_chances_at(lead, model) @ SCORE_ARRAY) - score, -30.0, 30.0),
        model,
    )


def _chances_at(lead: float, model: Model) -> FloatArray:
    """Return the five probabilities for a lead in strength, by Gauss-Hermite quadrature over the effects."""
    effects, weights = np.polynomial.hermite_e.hermegauss(21)
    weights = weights / weights.sum()
    opening = model.first + model.openings * effects[:, None]
    style = lead + model.style * effects[None, :]
    matches = []
    for sign in (1, -1):
        won = 1 / (1 + np.exp(model.draws - style - sign * opening))
        lost = 1 / (1 + np.exp(model.draws + style + sign * opening))
        matches.append((lost, np.maximum(1 - won - lost, 0.0), won))
    total = np.zeros(5)
    for (i, one), (j, two) in itertools.product(enumerate(matches[0]), enumerate(matches[1])):
        total[i + j] += weights @ (one * two) @ weights
    probabilities: FloatArray = total / total.sum()
    return probabilities


def _coverage(counts: IntArray, score: float, interval: Callable[[Pairs], Estimate | None]) -> float:
    """Return the percentage of series whose interval contains the true score."""
    elo = elo_from_score(score)
    distinct, times = np.unique(counts, axis=0, return_counts=True)
    covered = [_contains(interval(_pairs(row)), elo) for row in distinct]
    return float(100 * np.average(covered, weights=times))


def _contains(interval: Estimate | None, elo: float) -> bool:
    if interval is None:
        return True
    return (interval.low is None or interval.low <= elo) and (interval.high is None or elo <= interval.high)


def _pairs(row: IntArray) -> Pairs:
    return Pairs((int(row[0]), int(row[1]), int(row[2]), int(row[3]), int(row[4])))


@cache
def arena_interval(pairs: Pairs) -> Estimate | None:
    """Return the interval that the arena reports."""
    return estimate(pairs)


def normal_interval(pairs: Pairs) -> Estimate | None:
    """Return the Student's t interval of the mean score in Elo, or None if it does not exist."""
    if pairs.count == 1 or pairs.is_sweep:
        return None  # counted as containing the true score
    extent = t_quantile(pairs.count - 1) * math.sqrt(pairs.variance / (pairs.count - 1))
    low, high = pairs.score - extent, pairs.score + extent
    return Estimate(0.0, elo_from_score(low) if low > 0 else None, elo_from_score(high) if high < 1 else None)


def decisions(
    test: Sprt, probabilities: FloatArray, series: int, random: np.random.Generator
) -> tuple[float, float, float]:
    """Return the shares of series decided for H1 and for H0, and the mean number of pairs."""
    counts = np.zeros((series, 5))
    decided, ended = np.zeros(series), np.full(series, MAX_PAIRS)
    running = np.arange(series)
    for count in range(1, MAX_PAIRS + 1):
        counts[running, random.choice(5, p=probabilities, size=len(running))] += 1
        if count < MIN_PAIRS:
            continue
        decision = _decision(test, counts[running])
        over = decision != 0
        decided[running[over]], ended[running[over]] = decision[over], count
        running = running[~over]
        if not len(running):
            break
    return float(np.mean(decided > 0)), float(np.mean(decided < 0)), float(ended.mean())


def _decision(test: Sprt, counts: FloatArray) -> IntArray:
    """Return 1 for H1, -1 for H0 or 0 for neither, for each row of counts."""
    score0, score1 = expected_score(test.elo0), expected_score(test.elo1)
    lower, upper = test.bounds
    decision = np.zeros(len(counts), dtype=np.int64)
    near = _may_decide(counts, score0, score1)
    ratio = (deviances(counts[near], score0) - deviances(counts[near], score1)) / 2
    decision[near] = np.where(ratio >= upper, 1, np.where(ratio <= lower, -1, 0))
    return decision


def _may_decide(counts: FloatArray, score0: float, score1: float) -> BoolArray:
    """Return a mask of rows that need the exact ratio: those with few pairs, or nearly decided."""
    total = counts.sum(axis=1)
    mean: FloatArray = counts @ SCORE_ARRAY / total
    variance = counts @ SCORE_ARRAY**2 / total - mean**2
    ratio = total * (score1 - score0) * (mean - (score0 + score1) / 2) / np.maximum(variance, 1e-9)
    near: BoolArray = (np.abs(ratio) > 2) | (total < 200)
    return near


def deviances(counts: FloatArray, score: float) -> FloatArray:
    """Return the deviance of each row of counts at a mean score, by a Lagrange multiplier.

    It shares no code with `boardgames.arena.pentanomial`, and is vectorised over all rows.
    """
    seen = np.where(counts == 0, PSEUDOCOUNT, counts)
    leads = SCORE_ARRAY - score
    low = np.full(len(seen), -1 / leads.max() + 1e-13)
    high = np.full(len(seen), -1 / leads.min() - 1e-13)
    for _ in range(32):  # enough, because the deviance is flat at the optimal multiplier
        middle = (low + high) / 2
        excess = (seen * leads / (1 + middle[:, None] * leads)).sum(axis=1)
        low, high = np.where(excess > 0, middle, low), np.where(excess > 0, high, middle)
    deviance: FloatArray = 2 * (seen * np.log1p(middle[:, None] * leads)).sum(axis=1)
    return deviance


def _field(
    elos: tuple[int, ...], count: int, model: Model | float, series: int, random: np.random.Generator
) -> tuple[FloatArray, float]:
    """Return the coverage for each agent, and the percentage of estimates that are only bounds.

    `model` is a model of pairs, or the share of draws in single matches between equal agents.
    """
    truth = np.array(elos) - np.mean(elos)
    agents = range(len(elos))
    covered = np.zeros(len(elos))
    rated = np.zeros(len(elos))
    for _ in range(series):
        estimates = _simulate(truth, count, model, random)
        for agent in agents:
            interval = estimates[agent]
            if interval is not None and not interval.is_one_sided:
                rated[agent] += 1
                covered[agent] += _contains(interval, truth[agent])
    return 100 * covered / np.maximum(rated, 1), float(100 * (1 - rated.mean() / series))


def _simulate(truth: FloatArray, count: int, model: Model | float, random: np.random.Generator) -> Estimates:
    pairings = list(itertools.combinations(range(len(truth)), 2))
    scores = {(i, j): expected_score(float(truth[i] - truth[j])) for i, j in pairings}
    if isinstance(model, Model):
        drawn = {
            pairing: _pairs(random.multinomial(count, chances(scores[pairing], model)))
            for pairing in pairings
        }
        return ratings(len(truth), drawn)
    results = {}
    for pairing, score in scores.items():
        draws = model * 2 * min(score, 1 - score)
        won, drew, lost = random.multinomial(count, (score - draws / 2, draws, 1 - score - draws / 2))
        results[pairing] = int(won), int(drew), int(lost)
    return match_ratings(len(truth), results)


if __name__ == "__main__":
    main()
