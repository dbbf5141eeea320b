"""Simulate series of known strength, and print how often the arena's statistics are right.

    python bench/intervals.py                     all tables, about seven minutes
    python bench/intervals.py intervals --series 2000 --seed 1

Pairs come from a model of two matches with the sides exchanged: logistic in the
difference of strength, with a margin for draws, an advantage of moving first
that varies with the opening, and a style that suits one player in both matches
of a pair. Strength is set so that the mean score is the one asked for.
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
    SCORES,
    UNSEEN,
    Estimate,
    Pairs,
    crossing,
    elo_of,
    estimate,
    quantile,
    score_of,
)
from boardgames.arena.sprt import FEWEST_PAIRS, Sprt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

CELLS = np.array(SCORES)
MOST_PAIRS = 30_000
FIELDS = ((0, 0, 0), (0, 100, 300), (-100, 0, 50, 200), (0, 40, 80, 120, 160, 400), (0, 200, 500, 900))


@dataclass(frozen=True, slots=True)
class Model:
    """What pairs are like, in natural log-odds: margin of draws, mean and spread of effects."""

    draws: float = 0.0
    first: float = 0.0
    openings: float = 0.0
    style: float = 0.0


MODELS: Mapping[str, Model] = {
    "drawless": Model(),
    "first mover ahead": Model(first=1.5),
    "one-sided openings": Model(first=0.5, openings=3.0),
    "drawish": Model(draws=2.5, first=0.5, openings=1.0),
    "mostly drawn": Model(draws=5.0, first=0.5, openings=0.5),
    "style": Model(style=3.0),
}


def main() -> None:
    """Print the tables asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="default: all")
    parser.add_argument("--series", type=int, default=2000, help="simulated series of each setting")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for table in arguments.tables or TABLES:
        for row in TABLES[table](arguments.series, np.random.default_rng(arguments.seed)):
            print("| " + " | ".join(row) + " |", flush=True)
        print()


def intervals(series: int, random: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Cover true scores with the interval of `estimate`, and with the normal one beside it."""
    yield "pairs", "scores", "within 93 to 97 %", "mean", "worst", "most", "normal: mean", "worst"
    yield ("---",) * 8
    for scores in ((0.5, 0.6, 0.75, 0.9), (0.97, 0.99)):
        for count in (1, 2, 5, 10, 20, 50, 100, 200, 500):
            settings = list(itertools.product(MODELS.values(), scores))
            drawn = [(score, random.multinomial(count, cells(score, of), series)) for of, score in settings]
            own = np.array([_coverage(counts, score, estimated) for score, counts in drawn])
            normal = np.array([_coverage(counts, score, normal_interval) for score, counts in drawn])
            within = f"{np.sum((own >= 93) & (own <= 97))} of {len(own)}"
            shown = (
                f"{value:.1f}" for value in (own.mean(), own.min(), own.max(), normal.mean(), normal.min())
            )
            yield str(count), f"{scores[0]} to {scores[-1]}", within, *shown


def sequential(series: int, random: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Count wrong decisions of the sequential test where either hypothesis holds exactly."""
    yield "ELO0,ELO1", "pairs are", "H1 at ELO0", "H0 at ELO1", "mean pairs", "at ELO1"
    yield ("---",) * 6
    for text in ("0,20", "0,50", "0,100", "0,200", "300,400"):
        test = Sprt.parse(text)
        for name, model in MODELS.items():
            false_h1, _, at_elo0 = decisions(test, cells(score_of(test.elo0), model), series, random)
            _, false_h0, at_elo1 = decisions(test, cells(score_of(test.elo1), model), series, random)
            rates = f"{100 * false_h1:.1f} %", f"{100 * false_h0:.1f} %"
            yield text, name, *rates, f"{at_elo0:.0f}", f"{at_elo1:.0f}"


def fields(series: int, random: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Cover the true Elo of the agents of a field, each over the field's mean; pairs of all models."""
    yield from _fields("pairs", tuple(MODELS.values()), series, random)


def singles(series: int, random: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Cover the true Elo of agents who met in single matches, drawless and with half as many decided."""
    yield from _fields("matches", (0.0, 0.5), series, random)


def _fields(
    clusters: str, models: Sequence[Model | float], series: int, random: np.random.Generator
) -> Iterator[tuple[str, ...]]:
    yield "Elo of the agents", f"{clusters} a pairing", "mean", "worst", "most", "bounds"
    yield ("---",) * 6
    for elos in FIELDS:
        for count in (10, 20, 50, 100):
            found = [_field(elos, count, model, series, random) for model in models]
            covered = np.concatenate([covered for covered, _ in found])
            shown = (f"{value:.1f}" for value in (covered.mean(), covered.min(), covered.max()))
            bounds = np.mean([bounds for _, bounds in found])
            yield ", ".join(map(str, elos)), str(count), *shown, f"{bounds:.1f} %"


TABLES: Mapping[str, Callable[[int, np.random.Generator], Iterator[tuple[str, ...]]]] = {
    "intervals": intervals,
    "sequential": sequential,
    "fields": fields,
    "singles": singles,
}


@cache
def cells(score: float, model: Model) -> FloatArray:
    """Return the probabilities float64[5] of a pair's points where the mean score is `score`."""
    return _cells_at(crossing(lambda lead: float(_cells_at(lead, model) @ CELLS) - score, -30.0, 30.0), model)


def _cells_at(lead: float, model: Model) -> FloatArray:
    """Return the five probabilities at a lead in strength, effects integrated by Gauss and Hermite."""
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
    """Return the percentage of series whose interval holds the true score."""
    elo = elo_of(score)
    different, times = np.unique(counts, axis=0, return_counts=True)
    held = [_holds(interval(_pairs(row)), elo) for row in different]
    return float(100 * np.average(held, weights=times))


def _holds(found: Estimate | None, elo: float) -> bool:
    if found is None:
        return True
    return (found.low is None or found.low <= elo) and (found.high is None or elo <= found.high)


def _pairs(row: IntArray) -> Pairs:
    return Pairs((int(row[0]), int(row[1]), int(row[2]), int(row[3]), int(row[4])))


@cache
def estimated(pairs: Pairs) -> Estimate | None:
    """Return the interval that is examined."""
    return estimate(pairs)


def normal_interval(pairs: Pairs) -> Estimate | None:
    """Return the interval of the mean with Student's t, its ends turned into Elo; None if there is none."""
    if pairs.count == 1 or pairs.is_sweep:
        return None  # counted as right
    extent = quantile(pairs.count - 1) * math.sqrt(pairs.variance / (pairs.count - 1))
    low, high = pairs.score - extent, pairs.score + extent
    return Estimate(0.0, elo_of(low) if low > 0 else None, elo_of(high) if high < 1 else None)


def decisions(
    test: Sprt, probabilities: FloatArray, series: int, random: np.random.Generator
) -> tuple[float, float, float]:
    """Return the shares of series decided for H1 and H0, and the mean number of pairs."""
    counts = np.zeros((series, 5))
    decided, ended = np.zeros(series), np.full(series, MOST_PAIRS)
    running = np.arange(series)
    for count in range(1, MOST_PAIRS + 1):
        counts[running, random.choice(5, p=probabilities, size=len(running))] += 1
        if count < FEWEST_PAIRS:
            continue
        decision = _decision(test, counts[running])
        over = decision != 0
        decided[running[over]], ended[running[over]] = decision[over], count
        running = running[~over]
        if not len(running):
            break
    return float(np.mean(decided > 0)), float(np.mean(decided < 0)), float(ended.mean())


def _decision(test: Sprt, counts: FloatArray) -> IntArray:
    """Return 1 for H1, -1 for H0 and 0 for neither, for each row of counts."""
    score0, score1 = score_of(test.elo0), score_of(test.elo1)
    lower, upper = test.bounds
    decision = np.zeros(len(counts), dtype=np.int64)
    near = _may_decide(counts, score0, score1)
    ratio = (deviances(counts[near], score0) - deviances(counts[near], score1)) / 2
    decision[near] = np.where(ratio >= upper, 1, np.where(ratio <= lower, -1, 0))
    return decision


def _may_decide(counts: FloatArray, score0: float, score1: float) -> BoolArray:
    """Say where the quadratic approximation of the ratio is not far from the bounds, or no good."""
    total = counts.sum(axis=1)
    mean: FloatArray = counts @ CELLS / total
    variance = counts @ CELLS**2 / total - mean**2
    ratio = total * (score1 - score0) * (mean - (score0 + score1) / 2) / np.maximum(variance, 1e-9)
    near: BoolArray = (np.abs(ratio) > 2) | (total < 200)
    return near


def deviances(counts: FloatArray, score: float) -> FloatArray:
    """Return the deviance of each row of counts at a mean score, by Lagrange's multiplier.

    Written apart from `boardgames.arena.pentanomial`, for all rows at once.
    """
    seen = np.where(counts == 0, UNSEEN, counts)
    leads = CELLS - score
    low = np.full(len(seen), -1 / leads.max() + 1e-13)
    high = np.full(len(seen), -1 / leads.min() - 1e-13)
    for _ in range(32):  # the deviance is flat there: errors of the multiplier count squared
        middle = (low + high) / 2
        excess = (seen * leads / (1 + middle[:, None] * leads)).sum(axis=1)
        low, high = np.where(excess > 0, middle, low), np.where(excess > 0, high, middle)
    deviance: FloatArray = 2 * (seen * np.log1p(middle[:, None] * leads)).sum(axis=1)
    return deviance


def _field(
    elos: tuple[int, ...], count: int, like: Model | float, series: int, random: np.random.Generator
) -> tuple[FloatArray, float]:
    """Return the coverage of each agent and the percentage of bounds.

    `like` is a model of pairs, or the share of draws among single matches of equals.
    """
    truth = np.array(elos) - np.mean(elos)
    agents = range(len(elos))
    held = np.zeros(len(elos))
    rated = np.zeros(len(elos))
    for _ in range(series):
        estimates = _simulated(truth, count, like, random)
        for agent in agents:
            found = estimates[agent]
            if found is not None and not found.is_bound:
                rated[agent] += 1
                held[agent] += _holds(found, truth[agent])
    return 100 * held / np.maximum(rated, 1), float(100 * (1 - rated.mean() / series))


def _simulated(truth: FloatArray, count: int, like: Model | float, random: np.random.Generator) -> Estimates:
    pairings = list(itertools.combinations(range(len(truth)), 2))
    scores = {(i, j): score_of(float(truth[i] - truth[j])) for i, j in pairings}
    if isinstance(like, Model):
        drawn = {both: _pairs(random.multinomial(count, cells(scores[both], like))) for both in pairings}
        return ratings(len(truth), drawn)
    results = {}
    for both, score in scores.items():
        draws = like * 2 * min(score, 1 - score)
        won, drew, lost = random.multinomial(count, (score - draws / 2, draws, 1 - score - draws / 2))
        results[both] = int(won), int(drew), int(lost)
    return match_ratings(len(truth), results)


if __name__ == "__main__":
    main()
