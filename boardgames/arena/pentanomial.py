"""Pairs of matches and the strength they show: Elo with an interval, superiority.

Two matches from the same opening with the sides exchanged are one observation,
a pair, because neither is independent of the other. All numbers are from the
point of view of the player named first.

Sources: A. Elo, "The Rating of Chessplayers", 1978 (logistic scale of 400);
A. Owen, "Empirical likelihood ratio confidence intervals for a single
functional", Biometrika 75, 1988; M. Van den Bergh, notes on the generalised
sequential probability ratio test for engines. docs/statistics.md says how well
the intervals hold.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import index
from statistics import NormalDist

from boardgames.errors import LimitError, shown
from boardgames.options import is_finite

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Share of the two points that a pair brings the first-named player, cell by cell."""

ELO_PER_LOG_ODDS = 400 / math.log(10)
TAIL = 0.025
"""Probability left on either side of a 95 % interval."""

UNSEEN = 1e-3
"""What stands for a count of zero, as in the sequential tests of fishtest and fastchess."""

Z = NormalDist().inv_cdf(1 - TAIL)
WIDEST = -2 * math.log(TAIL)
"""Deviance at which the interval of a clean sweep ends: there TAIL = score**count."""

_TILT_BOUND = 300.0


@dataclass(frozen=True, slots=True)
class Pairs:
    """How often a pair brought the first-named player 0, 1/2, 1, 3/2 and 2 points.

    Attributes
    ----------
    counts : (int, int, int, int, int)
        Number of pairs by points, none negative.

    Raises
    ------
    LimitError
        If these are not five counts.

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
            raise LimitError(f"expected five counts of pairs: {shown(self.counts)}") from None
        if min(a, b, c, d, e) < 0:
            raise LimitError(f"expected counts of at least 0: {shown(self.counts)}")
        object.__setattr__(self, "counts", (a, b, c, d, e))

    @classmethod
    def of(cls, points: Iterable[float]) -> "Pairs":
        """Count pairs by the points of the first-named player in each, 0 to 2.

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
            counts[_cell(points_of_pair)] += 1
        return cls((counts[0], counts[1], counts[2], counts[3], counts[4]))

    @property
    def count(self) -> int:
        """Return the number of pairs."""
        return sum(self.counts)

    @property
    def score(self) -> float:
        """Return the mean score of the first-named player, in [0, 1]; 0.5 without pairs."""
        # in quarters of a point and whole numbers, so that an even score is even to the last bit
        quarters = sum(cell * count for cell, count in enumerate(self.counts))
        return quarters / (4 * self.count) if self.count else 0.5

    @property
    def variance(self) -> float:
        """Return the variance of one pair's score about the mean; 0 without pairs."""
        score = self.score
        squares = (count * (cell - score) ** 2 for cell, count in zip(SCORES, self.counts, strict=True))
        return sum(squares) / self.count if self.count else 0.0

    @property
    def is_sweep(self) -> bool:
        """Say whether one player won every match, and there is one."""
        return self.count > 0 and self.count in (self.counts[0], self.counts[-1])

    def reversed(self) -> "Pairs":
        """Return the same pairs from the point of view of the other player."""
        a, b, c, d, e = self.counts
        return Pairs((e, d, c, b, a))

    def __add__(self, other: "Pairs") -> "Pairs":
        a, b, c, d, e = (mine + theirs for mine, theirs in zip(self.counts, other.counts, strict=True))
        return Pairs((a, b, c, d, e))


@dataclass(frozen=True, slots=True)
class Estimate:
    """Elo of the first-named player over the other, or over a field, with its interval of 95 %.

    Attributes
    ----------
    elo : float
        Most likely difference; after a clean sweep, which any would explain,
        a cautious guess between the bound and infinity.
    low, high : float or None
        Ends of the interval; None where nothing bounds it.

    Examples
    --------
    >>> print(Estimate(123.4, 90.1, 157.0), Estimate(919.4, 570.0, None), sep="; ")
    +123 [90, 157]; > +570
    """

    elo: float
    low: float | None
    high: float | None

    @property
    def is_bound(self) -> bool:
        """Say whether only one end is known, as after a clean sweep."""
        return self.low is None or self.high is None

    @property
    def error(self) -> float | None:
        """Return half the width of the interval in Elo, None if an end is not known."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def __str__(self) -> str:
        if self.high is None and self.low is not None:
            return f"> {round(self.low):+d}"
        if self.low is None and self.high is not None:
            return f"< {round(self.high):+d}"
        ends = "" if self.low is None or self.high is None else f" [{round(self.low)}, {round(self.high)}]"
        return f"{round(self.elo):+d}{ends}"


def elo_of(score: float) -> float:
    """Return the Elo difference at which `score` is expected (Elo 1978, logistic).

    Raises
    ------
    LimitError
        If the score is not between 0 and 1.

    Examples
    --------
    >>> round(elo_of(0.64))
    100
    """
    if not (is_finite(score) and 0 < score < 1):
        raise LimitError(f"expected a score between 0 and 1: {shown(score)}")
    return ELO_PER_LOG_ODDS * (math.log(score) - math.log1p(-score))


def score_of(elo: float) -> float:
    """Return the score in [0, 1] that is expected at an Elo difference (Elo 1978, logistic).

    Raises
    ------
    LimitError
        If the difference is not a finite number.

    Examples
    --------
    >>> score_of(0), round(score_of(100), 4)
    (0.5, 0.6401)
    """
    if not is_finite(elo):
        raise LimitError(f"expected a finite Elo difference: {shown(elo)}")
    odds = math.exp(-abs(elo) / ELO_PER_LOG_ODDS)
    return 1 / (1 + odds) if elo >= 0 else odds / (1 + odds)


def estimate(pairs: Pairs) -> Estimate | None:
    """Return the Elo difference that the pairs show, None if there are none.

    The interval holds every mean score whose empirical likelihood (Owen 1988)
    is at least a certain share of the best; that share follows from the F
    distribution with 1 and count - 1 degrees of freedom. It stays inside the
    possible scores and is wider towards the nearer end. A clean sweep gives
    the exact bound score**count >= 0.025, and no other result a better one;
    its `elo` is that of `swept_score`.

    Examples
    --------
    >>> print(estimate(Pairs((4, 3, 34, 42, 117))))
    +277 [237, 318]
    >>> print(estimate(Pairs.of([2] * 100)), estimate(Pairs()))
    > +570 None
    """
    if pairs.count == 0:
        return None
    bound = elo_of(TAIL ** (1 / pairs.count))
    if pairs.is_sweep:
        elo = elo_of(swept_score(pairs.count))
        return Estimate(elo, bound, None) if pairs.score else Estimate(-elo, None, -bound)
    low, high = min(_end(pairs, -1), bound), max(_end(pairs, 1), -bound)
    return Estimate(elo_of(pairs.score), low, high)


def swept_score(count: int) -> float:
    """Return the score, below 1, that is guessed after so many pairs that were all won.

    Half a pair more, lost: the mean of Jeffreys' prior for a share after that
    many successes.

    Examples
    --------
    >>> swept_score(1), swept_score(9)
    (0.75, 0.95)
    """
    return (count + 0.5) / (count + 1)


def likelihood_of_superiority(pairs: Pairs) -> float:
    """Return how sure it is, in [0, 1], that the first-named player is the stronger one.

    The signed root of the deviance at an even score, read as a normal deviate
    in units of the interval's width: above 0.975 if the interval of `estimate`
    lies above 0 Elo, and 0.5 without pairs.

    Examples
    --------
    >>> round(likelihood_of_superiority(Pairs((332, 433, 498, 333, 334))), 4)
    0.0508
    """
    if pairs.score == 0.5:  # without pairs too
        return 0.5
    root = math.sqrt(max(-2 * log_likelihood(pairs, 0.5), 0.0))
    extents = math.copysign(root, pairs.score - 0.5) / quantile(pairs.count - 1)
    return NormalDist().cdf(extents * Z)


def log_likelihood(pairs: Pairs, score: float) -> float:
    """Return the largest log-likelihood of the counts if the mean is `score`, less that of the best.

    The probabilities of the five cells are free but for their mean (Owen 1988;
    Van den Bergh). Counts of zero are taken as `UNSEEN`, so that every mean is
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
    log_odds = elo_of(score) / ELO_PER_LOG_ODDS
    counts = _seen(pairs)
    tilt = crossing(lambda tilt: _tilted(counts, tilt)[0] - log_odds, -_TILT_BOUND, _TILT_BOUND)
    return -_tilted(counts, tilt)[1] / 2


def quantile(freedom: int) -> float:
    """Return how many standard errors a 95 % interval reaches to either side.

    The 0.975 quantile of Student's t, but for few degrees of freedom no more
    than what a clean sweep is allowed.

    Source: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions",
    1964, 26.7.5.

    Examples
    --------
    >>> round(quantile(199), 3), quantile(1) == quantile(0) == WIDEST**0.5
    (1.972, True)
    """
    if freedom < 5:
        return math.sqrt(WIDEST)
    z = Z
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(freedom) ** power for power, term in enumerate(terms, start=1))


def crossing(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where an increasing function reaches 0 between `low` and `high`, by bisection.

    Examples
    --------
    >>> round(crossing(lambda x: x * x - 2, 0.0, 2.0), 6)
    1.414214
    """
    while low < (middle := (low + high) / 2) < high:
        if function(middle) < 0:
            low = middle
        else:
            high = middle
    return high


def _cell(points: float) -> int:
    if not is_finite(points) or points * 2 not in range(len(SCORES)):
        raise LimitError(f"expected the points of a pair, 0, 0.5, 1, 1.5 or 2: {shown(points)}")
    return int(points * 2)


def _seen(pairs: Pairs) -> list[float]:
    return [count or UNSEEN for count in pairs.counts]


def _tilted(counts: Sequence[float], tilt: float) -> tuple[float, float]:
    """Return log-odds of the mean and deviance of the likeliest cells, tilted towards two points.

    Lagrange's condition makes every likeliest set of probabilities the counts
    divided by a positive linear function of the score, here 1 - score + score *
    exp(-tilt). Both numbers are thus explicit; log-odds grow with the tilt, and
    the deviance grows from 0 on either side of tilt 0.
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


def _end(pairs: Pairs, towards: int) -> float:
    """Return the Elo where the deviance reaches the threshold, below (-1) or above (1) the best."""
    counts, threshold = _seen(pairs), quantile(pairs.count - 1) ** 2
    tilt = crossing(lambda tilt: _tilted(counts, towards * tilt)[1] - threshold, 0.0, _TILT_BOUND)
    return ELO_PER_LOG_ODDS * _tilted(counts, towards * tilt)[0]
