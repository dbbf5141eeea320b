"""Confidence intervals of the mean of a small sample."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from boardgames.arena.pentanomial import t_quantile

_SMALL_QUANTILES = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}
"""The 0.975 quantile of Student's t distribution by its degrees of freedom."""


class Interval(NamedTuple):
    """A number and its 95% interval, from `low` to `high`."""

    value: float
    low: float
    high: float


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean of at least two values with Student's 95% interval.

    Examples
    --------
    >>> [round(number, 2) for number in mean_interval([0.5, 0.6, 0.7])]
    [0.6, 0.35, 0.85]
    """
    count, mean = len(values), sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    width = _SMALL_QUANTILES.get(count - 1) or t_quantile(count - 1)
    half = width * math.sqrt(variance / count)
    return Interval(mean, mean - half, mean + half)
