"""The pentanomial model: Elo difference with an interval, and likelihood of superiority.

Two matches from the same opening with sides swapped form a pair. The matches of
a pair depend on each other, so a pair is one observation with five possible
outcomes. All numbers are from the point of view of the first player. The
numerical parts (a bisection, a t quantile) do not use SciPy, so that two agents
can be compared without installing an extra.

Sources: A. Elo, "The Rating of Chessplayers", 1978 (logistic scale of 400);
A. Owen, "Empirical likelihood ratio confidence intervals for a single
functional", Biometrika 75, 1988; M. Van den Bergh, notes on the generalised
sequential probability ratio test for engines. docs/statistics.md has the
measured coverage of the intervals.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import index
from statistics import NormalDist

from boardgames.errors import LimitError, quote
from boardgames.options import is_finite

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Scores of the first player for the five outcomes of a pair."""

ELO_PER_LOG_ODDS = 400 / math.log(10)
TAIL = 0.025
"""Probability beyond each end of a 95% interval."""

PSEUDOCOUNT = 1e-3
"""Replaces a count of zero, as in the sequential tests of fishtest and fastchess."""

Z = NormalDist().inv_cdf(1 - TAIL)
MAX_DEVIANCE = -2 * math.log(TAIL)
"""Deviance at the end of the interval after a clean sweep, where score**count = TAIL."""

_MAX_TILT = 300.0


@dataclass(frozen=True, slots=True)
class Pairs:
    """Number of pairs in which the first player scored 0, 1/2, 1, 3/2 and 2 points.

    Attributes
    ----------
    counts : (int, int, int, int, int)
        Number of pairs by points.

    Raises
    ------
    LimitError
        If the counts are not five non-negative integers.

    Examples
    --------
    >>> pairs = Pairs((4, 3, 34, 42, 117))
    >>> pairs.count, pairs.score
    (200, 0.83125)
    >>> pairs + Pairs.of([2, 1.5]) == Pairs((4, 3, 34, 43, 118))
    True
    """

    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def __post_init__(self) -> None:
        try:
            a, b, c, d, e = (index(count) for count in self.counts)
        except (TypeError, ValueError):
            raise LimitError(f"the counts of pairs must be five integers, not {quote(self.counts)}") from None
        if min(a, b, c, d, e) < 0:
            raise LimitError(f"counts of pairs cannot be negative: {quote(self.counts)}")
        object.__setattr__(self, "counts", (a, b, c, d, e))

    @classmethod
    def of(cls, points: Iterable[float]) -> "Pairs":
        """Count pairs, given the points of the first player in each.

        Raises
        ------
        LimitError
            If a number is not 0, 0.5, 1, 1.5 or 2.

        Examples
        --------
        >>> Pairs.of([1, 1, 1.5])
        Pairs(counts=(0, 0, 2, 1, 0))
        """
        counts = [0, 0, 0, 0, 0]
        for points_of_pair in points:
            counts[_outcome(points_of_pair)] += 1
        return cls((counts[0], counts[1], counts[2], counts[3], counts[4]))

    @property
    def count(self) -> int:
        """Return the number of pairs."""
        return sum(self.counts)

    @property
    def score(self) -> float:
        """Return the mean score of the first player, in [0, 1], or 0.5 if there are no pairs."""
        # integers are added, so that an even score is exactly 0.5
        quarters = sum(outcome * count for outcome, count in enumerate(self.counts))
        return quarters / (4 * self.count) if self.count else 0.5

    @property
    def variance(self) -> float:
        """Return the variance of the score of a pair, or 0 if there are no pairs."""
        mean = self.score
        squares = (count * (score - mean) ** 2 for score, count in zip(SCORES, self.counts, strict=True))
        return sum(squares) / self.count if self.count else 0.0

    @property
    def is_sweep(self) -> bool:
        """Return True if there are pairs and the same player won every match."""
        return self.count > 0 and self.count in (self.counts[0], self.counts[-1])

    def reversed(self) -> "Pairs":
        """Return the same pairs from the other player's point of view."""
        a, b, c, d, e = self.counts
        return Pairs((e, d, c, b, a))

    def __add__(self, other: "Pairs") -> "Pairs":
        a, b, c, d, e = (mine + theirs for mine, theirs in zip(self.counts, other.counts, strict=True))
        return Pairs((a, b, c, d, e))


@dataclass(frozen=True, slots=True)
class Estimate:
    """Elo difference to the other player, or to the mean of a field, with a 95% interval.

    Attributes
    ----------
    elo : float
        Most likely difference. After a clean sweep there is no finite maximum,
        and this is a cautious guess beyond the bound.
    low, high : float or None
        Ends of the interval; None where it is open.

    Examples
    --------
    >>> print(Estimate(123.4, 90.1, 157.0), Estimate(919.4, 570.0, None), sep="; ")
    +123 [90, 157]; > +570
    """

    elo: float
    low: float | None
    high: float | None

    @property
    def is_one_sided(self) -> bool:
        """Return True if an end of the interval is open, as after a clean sweep."""
        return self.low is None or self.high is None

    @property
    def error(self) -> float | None:
        """Return half the width of the interval in Elo, or None if it is open."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def __str__(self) -> str:
        if self.high is None and self.low is not None:
            return f"> {round(self.low):+d}"
        if self.low is None and self.high is not None:
            return f"< {round(self.high):+d}"
        ends = "" if self.low is None or self.high is None else f" [{round(self.low)}, {round(self.high)}]"
        return f"{round(self.elo):+d}{ends}"


def elo_from_score(score: float) -> float:
    """Return the Elo difference at which `score` is expected (Elo 1978, logistic).

    Raises
    ------
    LimitError
        If the score is not between 0 and 1.

    Examples
    --------
    >>> round(elo_from_score(0.64))
    100
    """
    if not (is_finite(score) and 0 < score < 1):
        raise LimitError(f"the score must be between 0 and 1, not {quote(score)}")
    return ELO_PER_LOG_ODDS * (math.log(score) - math.log1p(-score))


def expected_score(elo: float) -> float:
    """Return the score in [0, 1] expected at an Elo difference (Elo 1978, logistic).

    Raises
    ------
    LimitError
        If the difference is not a finite number.

    Examples
    --------
    >>> expected_score(0), round(expected_score(100), 4)
    (0.5, 0.6401)
    """
    if not is_finite(elo):
        raise LimitError(f"the Elo difference must be a finite number, not {quote(elo)}")
    odds = math.exp(-abs(elo) / ELO_PER_LOG_ODDS)
    return 1 / (1 + odds) if elo >= 0 else odds / (1 + odds)


def estimate(pairs: Pairs) -> Estimate | None:
    """Estimate the Elo difference; None if there are no pairs.

    The interval contains the mean scores whose empirical likelihood (Owen 1988)
    is not too far below the maximum; the threshold comes from the F
    distribution with 1 and count - 1 degrees of freedom. It contains only
    possible scores and is wider towards the nearer end of the scale. After a
    clean sweep the bound is exact (score**count >= 0.025), no other result
    gives a better bound, and `elo` comes from `score_after_sweep`.

    Examples
    --------
    >>> print(estimate(Pairs((4, 3, 34, 42, 117))))
    +277 [237, 318]
    >>> print(estimate(Pairs.of([2] * 100)), estimate(Pairs()))
    > +570 None
    """
    if pairs.count == 0:
        return None
    bound = elo_from_score(TAIL ** (1 / pairs.count))
    if pairs.is_sweep:
        elo = elo_from_score(score_after_sweep(pairs.count))
        return Estimate(elo, bound, None) if pairs.score else Estimate(-elo, None, -bound)
    low, high = min(_interval_end(pairs, -1), bound), max(_interval_end(pairs, 1), -bound)
    return Estimate(elo_from_score(pairs.score), low, high)


def score_after_sweep(count: int) -> float:
    """Return the score, below 1, to assume after a clean sweep of `count` pairs.

    It is the posterior mean under Jeffreys' prior, as if one more pair had been
    even.

    Examples
    --------
    >>> score_after_sweep(1), score_after_sweep(9)
    (0.75, 0.95)
    """
    return (count + 0.5) / (count + 1)


def likelihood_of_superiority(pairs: Pairs) -> float:
    """Return the probability, in [0, 1], that the first player is the stronger one.

    The signed root of the deviance at an even score, scaled like the width of the
    interval, is taken as a normal deviate. The result is above 0.975 if and only if
    the interval of `estimate` lies above 0 Elo; it is 0.5 if there are no pairs.

    Examples
    --------
    >>> round(likelihood_of_superiority(Pairs((332, 433, 498, 333, 334))), 4)
    0.0508
    """
    if pairs.score == 0.5:  # also if there are no pairs
        return 0.5
    root = math.sqrt(max(-2 * log_likelihood(pairs, 0.5), 0.0))
    deviate = Z * math.copysign(root, pairs.score - 0.5) / t_quantile(pairs.count - 1)
    return NormalDist().cdf(deviate)


def log_likelihood(pairs: Pairs, score: float) -> float:
    """Return the log-likelihood of the counts, maximised under the condition that the mean is `score`.

    It is relative to the maximum without that condition. Apart from their mean,
    the probabilities of the five outcomes are free (Owen 1988; Van den Bergh).
    Counts of zero are replaced by `PSEUDOCOUNT`, so that every mean is
    possible.

    Returns
    -------
    float
        At most 0.

    Raises
    ------
    LimitError
        If the score is not between 0 and 1.

    Examples
    --------
    >>> round(log_likelihood(Pairs.of([2] * 10), 0.5), 2)  # ten times the logarithm of 1/2
    -6.92
    """
    log_odds = elo_from_score(score) / ELO_PER_LOG_ODDS
    counts = _positive_counts(pairs)
    tilt = find_root(lambda tilt: _tilted(counts, tilt)[0] - log_odds, -_MAX_TILT, _MAX_TILT)
    return -_tilted(counts, tilt)[1] / 2


def t_quantile(degrees_of_freedom: int) -> float:
    """Return the half width of a 95% interval in standard errors.

    It is the 0.975 quantile of Student's t distribution or, below five degrees
    of freedom, the width after a clean sweep.

    Source: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions",
    1964, 26.7.5.

    Examples
    --------
    >>> round(t_quantile(199), 3), t_quantile(1) == t_quantile(0) == MAX_DEVIANCE**0.5
    (1.972, True)
    """
    if degrees_of_freedom < 5:
        return math.sqrt(MAX_DEVIANCE)
    z = Z
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(degrees_of_freedom) ** power for power, term in enumerate(terms, start=1))


def find_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of an increasing function between `low` and `high`, by bisection to the last bit.

    Examples
    --------
    >>> round(find_root(lambda x: x * x - 2, 0.0, 2.0), 6)
    1.414214
    """
    while low < (middle := (low + high) / 2) < high:
        if function(middle) < 0:
            low = middle
        else:
            high = middle
    return high


def _outcome(points: float) -> int:
    if not is_finite(points) or points * 2 not in range(len(SCORES)):
        raise LimitError(f"the points of a pair must be 0, 0.5, 1, 1.5 or 2, not {quote(points)}")
    return int(points * 2)


def _positive_counts(pairs: Pairs) -> list[float]:
    return [count or PSEUDOCOUNT for count in pairs.counts]


def _tilted(counts: Sequence[float], tilt: float) -> tuple[float, float]:
    """Return the log-odds of the mean, and the deviance, of the most likely probabilities for a tilt.

    By Lagrange's condition the most likely probabilities with a given mean are
    the counts divided by a positive linear function of the score, here 1 -
    score + score * exp(-tilt). Both numbers then have closed forms. The log-odds
    increase with the tilt; the deviance is 0 at tilt 0 and increases on both
    sides.
    """
    factor = math.exp(-tilt)
    lost = won = logarithms = 0.0
    for score, count in zip(SCORES, counts, strict=True):
        divisor = 1 - score + score * factor
        weight = count / divisor
        lost += weight * (1 - score)
        won += weight * score
        logarithms += count * math.log(divisor)
    total = sum(counts)
    return math.log(won / lost), 2 * (logarithms + total * math.log((lost + won) / total))


def _interval_end(pairs: Pairs, direction: int) -> float:
    """Return the Elo at which the deviance reaches the threshold, on one side (-1 or 1) of the maximum."""
    counts, threshold = _positive_counts(pairs), t_quantile(pairs.count - 1) ** 2
    tilt = find_root(lambda tilt: _tilted(counts, direction * tilt)[1] - threshold, 0.0, _MAX_TILT)
    return ELO_PER_LOG_ODDS * _tilted(counts, direction * tilt)[0]
