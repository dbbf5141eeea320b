"""Shares of decided matches and their intervals of 95 %.

The interval is Wilson's. He takes matches to be independent; ours are not: the
two of one opening go together, and so do all matches of one player. They are
therefore given in units that are independent of each other, pairs of one
opening for a single figure and whole trainings for a total, and the number of
matches is divided by the design effect, how much more the share varies between
units than it would between single matches. The arena's intervals of pairs would
do for a figure, but count what is undecided as half a win: there they would say
how strong two players are, not who wins if somebody does.

Sources: E. Wilson, "Probable inference, the law of succession, and statistical
inference", 1927; E. Korn and B. Graubard, "Confidence intervals for proportions
with small expected number of positive counts estimated from survey data", 1998.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from boardgames.arena.pentanomial import Z, quantile

FEWEST = 3
"""From fewer units that hold many matches each nothing is known of how far they differ."""

Wins = tuple[int, int]
"""Matches won by the player named first, and by the one named second."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share of decided matches with its interval of 95 %, all in [0, 1].

    Examples
    --------
    >>> print(Share(0.896, 0.778, 0.955))
    90 % [78, 96]
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{percent(self.value)} % [{percent(self.low)}, {percent(self.high)}]"


def share_of(units: Sequence[Wins], fewest: int = 1) -> Share | None:
    """Return the share of decided matches that the player named first has won, None if there are none.

    A clean sweep does not show how far the matches of a unit go together. Its
    interval is that of the same units with one match lost, or of one match a
    unit if that is narrower: no other result has a better one.

    Parameters
    ----------
    units : sequence of (int, int)
        Matches won by the first and by the second in each of what is
        independent; with a single unit all rests on one observation.
    fewest : int
        From fewer units with decided matches no interval is told: it is 0 to 1.

    Examples
    --------
    >>> print(share_of([(1, 1), (2, 0), (1, 0), (2, 0), (1, 1)]))
    78 % [37, 95]
    >>> print(share_of([(2, 0)] * 5), share_of([(9, 0)] * 20), share_of([(0, 0)]))
    100 % [57, 100] 100 % [97, 100] None
    >>> print(share_of([(9, 1), (8, 2)], fewest=FEWEST))
    85 % [0, 100]
    """
    decided = [(won, won + lost) for won, lost in units if won + lost]
    count = sum(of for _, of in decided)
    if not count:
        return None
    share = sum(won for won, _ in decided) / count
    if len(decided) < fewest:
        return Share(share, 0.0, 1.0)
    if share == 1:
        return Share(1.0, _swept(decided), 1.0)
    if share == 0:
        return Share(0.0, 0.0, 1.0 - _swept(decided))
    return Share(share, *wilson(share, count / _design_effect(decided, share)))


def wilson(share: float, count: float) -> tuple[float, float]:
    """Return the ends of Wilson's interval of 95 % of a share of so many observations.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(0.9, 10)]
    [0.596, 0.982]
    """
    square = Z * Z / count
    middle = (share + square / 2) / (1 + square)
    reach = Z / (1 + square) * math.sqrt(share * (1 - share) / count + square / (4 * count))
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


def percent(share: float) -> int:
    """Return a share in whole per cent, halves rounded up."""
    return math.floor(100 * share + 0.5)


def _swept(decided: Sequence[Wins]) -> float:
    """Return the lower end after a clean sweep of units, of which only the numbers of matches count."""
    sizes = sorted(of for _, of in decided)
    count, alone = sum(sizes), wilson(1.0, len(sizes))[0]
    if count == len(sizes):
        return alone
    one_lost = [*((of, of) for of in sizes[:-1]), (sizes[-1] - 1, sizes[-1])]
    share = 1 - 1 / count
    return max(alone, wilson(share, count / _design_effect(one_lost, share))[0])


def _design_effect(decided: Sequence[Wins], share: float) -> float:
    """Return by how much more the share varies between units than between matches, at least 1.

    Parameters
    ----------
    decided : sequence of (int, int)
        Won by the first, and decided, for each unit.
    share : float
        That of all, neither 0 nor 1.
    """
    units, count = len(decided), sum(of for _, of in decided)
    if units == 1:
        return count
    squares = sum((won - share * of) ** 2 for won, of in decided)
    observed = units / (units - 1) * squares / count**2
    # few units do not tell their variance well: Student's t instead of the normal deviate
    widened = observed * (quantile(units - 1) / Z) ** 2
    return max(widened / (share * (1 - share) / count), 1.0)
