"""Confidence intervals of the mean of a small sample, and of a share."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from boardgames.arena.pentanomial import Z, t_quantile

_SMALL_QUANTILES = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}
"""The 0.975 quantile of Student's t distribution by its degrees of freedom."""


class Interval(NamedTuple):
    """A number and its 95% interval, from `low` to `high`."""

    value: float
    low: float
    high: float


def mean_interval(values: Sequence[float], *, are_shares: bool = False) -> Interval:
    """Return the mean of at least two values and Student's 95% interval; shares stay within 0 and 1.

    Examples
    --------
    >>> [round(number, 2) for number in mean_interval([0.5, 0.6, 0.7])]
    [0.6, 0.35, 0.85]
    >>> [round(number, 2) for number in mean_interval([0.5, 0.7], are_shares=True)]
    [0.6, 0.0, 1.0]
    """
    count, mean = len(values), sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    width = _SMALL_QUANTILES.get(count - 1) or t_quantile(count - 1)
    half = width * math.sqrt(variance / count)
    low, high = mean - half, mean + half
    return Interval(mean, max(low, 0.0), min(high, 1.0)) if are_shares else Interval(mean, low, high)


def wilson(share: float, count: float) -> tuple[float, float]:
    """Return Wilson's 95% interval for a share of `count` independent observations.

    Source: E. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(0.9, 10)]
    [0.596, 0.982]
    """
    square = Z * Z / count
    middle = (share + square / 2) / (1 + square)
    reach = Z / (1 + square) * math.sqrt(share * (1 - share) / count + square / (4 * count))
    return max(middle - reach, 0.0), min(middle + reach, 1.0)
