"""Confidence intervals of the share of matches that a player wins, when the matches are not independent.

The intervals are Wilson's, which assume independent matches. In an experiment, the two matches from
one opening are related, and so are all matches of one player.
Matches are therefore grouped into units that are independent of each other
(openings for a single figure, whole trainings for a total), and the number of
matches is divided by the design effect: the variance between units relative to
that of independent matches. Matches without a winner are ignored, since the
question is who wins decided matches; the arena's intervals count them as half
a win.

Source: E. Korn and B. Graubard, "Confidence intervals for proportions
with small expected number of positive counts estimated from survey data", 1998.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from boardgames.arena.intervals import wilson
from boardgames.arena.pentanomial import Z, t_quantile

Wins = tuple[int, int]
"""Matches won by the first player, and by the second."""

MIN_UNITS = 3
"""Minimum number of units for an interval; with fewer, the variance between units is unknown."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share of decided matches with its 95% interval, all in [0, 1].

    Examples
    --------
    >>> print(Share(0.896, 0.778, 0.955))
    90% [78, 96]
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{percent(self.value)}% [{percent(self.low)}, {percent(self.high)}]"


def estimate_share(units: Sequence[Wins], min_units: int = 1) -> Share | None:
    """Return the first player's share of the decided matches, or None if there are none.

    After a clean sweep the variance between units is unknown. The interval is
    then computed as if one match had been lost, or from one match per unit if
    that is narrower, so that no other result has a better bound.

    Parameters
    ----------
    units : sequence of (int, int)
        Wins of the first and of the second player in each independent unit.
    min_units : int
        With fewer decided units, the interval is 0 to 1.

    Examples
    --------
    >>> print(estimate_share([(1, 1), (2, 0), (1, 0), (2, 0), (1, 1)]))
    78% [37, 95]
    >>> print(estimate_share([(2, 0)] * 5), estimate_share([(9, 0)] * 20), estimate_share([(0, 0)]))
    100% [57, 100] 100% [97, 100] None
    >>> print(estimate_share([(9, 1), (8, 2)], min_units=MIN_UNITS))
    85% [0, 100]
    """
    decided = [(won, won + lost) for won, lost in units if won + lost]
    count = sum(size for _, size in decided)
    if not count:
        return None
    share = sum(won for won, _ in decided) / count
    if len(decided) < min_units:
        return Share(share, 0.0, 1.0)
    if share == 1:
        return Share(1.0, _sweep_bound(decided), 1.0)
    if share == 0:
        return Share(0.0, 0.0, 1.0 - _sweep_bound(decided))
    return Share(share, *wilson(share, count / _design_effect(decided, share)))


def percent(share: float) -> int:
    """Return a share as an integer percentage; halves are rounded up."""
    return math.floor(100 * share + 0.5)


def _sweep_bound(decided: Sequence[Wins]) -> float:
    """Return the lower end of the interval after a clean sweep, given the units, which were all won."""
    sizes = sorted(size for _, size in decided)
    count, one_match_per_unit = sum(sizes), wilson(1.0, len(sizes))[0]
    if count == len(sizes):
        return one_match_per_unit
    one_lost = [*((size, size) for size in sizes[:-1]), (sizes[-1] - 1, sizes[-1])]
    share = 1 - 1 / count
    return max(one_match_per_unit, wilson(share, count / _design_effect(one_lost, share))[0])


def _design_effect(decided: Sequence[Wins], share: float) -> float:
    """Return the variance of the share relative to that of independent matches, at least 1.

    Parameters
    ----------
    decided : sequence of (int, int)
        Matches won by the first player, and decided matches, in each unit.
    share : float
        Share over all units, neither 0 nor 1.
    """
    units, count = len(decided), sum(size for _, size in decided)
    if units == 1:
        return count
    squares = sum((won - share * size) ** 2 for won, size in decided)
    observed = units / (units - 1) * squares / count**2
    # the variance of few units is itself uncertain, hence Student's t instead of the normal quantile
    widened = observed * (t_quantile(units - 1) / Z) ** 2
    return max(widened / (share * (1 - share) / count), 1.0)
