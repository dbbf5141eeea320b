"""Who meets whom: round robin, gauntlet, Swiss.

Agents are numbers from 0, in the order in which they were named. A meeting is
a series of pairs of matches between two of them.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from boardgames.errors import LimitError, shown

MOST_TRIES = 20_000
"""So many pairings of two are tried for a round before somebody meets somebody again."""

Meeting = tuple[int, int]
"""Two agents, the first-named one first."""


def round_robin(agents: int) -> list[Meeting]:
    """Return the meetings in which everybody meets everybody once.

    Examples
    --------
    >>> round_robin(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(combinations(range(agents), 2))


def gauntlet(agents: int, champion: int) -> list[Meeting]:
    """Return the meetings in which one agent meets all others.

    Examples
    --------
    >>> gauntlet(3, 1)
    [(1, 0), (1, 2)]
    """
    return [(champion, other) for other in range(agents) if other != champion]


def swiss_rounds(agents: int, rounds: int | None = None) -> int:
    """Return the number of rounds: what is asked for, else enough to leave one agent unbeaten.

    Raises
    ------
    LimitError
        If there are none, or more than all need to meet all.

    Examples
    --------
    >>> swiss_rounds(8)
    3
    """
    most = agents - 1 + agents % 2
    asked = math.ceil(math.log2(agents)) if rounds is None else rounds
    if not 1 <= asked <= most:
        raise LimitError(f"expected from 1 to {most} rounds among {agents} agents: {shown(rounds)}")
    return asked


def swiss_round(scores: Sequence[float], met: Mapping[Meeting, int]) -> tuple[list[Meeting], int | None]:
    """Return the meetings of the next round and who sits out, if the number is odd.

    Neighbours in the standing meet (the Monrad system), nobody meets anybody
    again as long as a way to avoid that is found soon, and the last one who has
    not sat out yet does.

    Parameters
    ----------
    scores : sequence of float
        Points of each agent so far, a round without opponent counting as won.
    met : mapping of (int, int) to int
        How often two have met, the lower number first; (n, n) how often n sat out.

    Examples
    --------
    >>> swiss_round([1, 0, 1, 0, 0], {(0, 1): 1, (2, 3): 1, (4, 4): 1})
    ([(0, 2), (1, 4)], 3)
    """
    standing = sorted(range(len(scores)), key=lambda agent: (-scores[agent], agent))
    resting = None
    if len(standing) % 2:
        fewest = min(met.get((agent, agent), 0) for agent in standing)
        resting = next(agent for agent in reversed(standing) if met.get((agent, agent), 0) == fewest)
        standing.remove(resting)
    for repeats in range(max(met.values(), default=0) + 1):
        meetings = _Pairing(met, repeats).of(standing)
        if meetings is not None:
            return meetings, resting
    raise AssertionError("everybody may meet everybody again")


class _Pairing:
    """A search for a round in which nobody meets anybody more than `repeats` times before; it gives up."""

    def __init__(self, met: Mapping[Meeting, int], repeats: int) -> None:
        self._met, self._repeats = met, repeats
        self._tries = 0

    def of(self, standing: Sequence[int]) -> list[Meeting] | None:
        """Pair the first with the nearest that leaves the others a way; None if none is found."""
        if not standing:
            return []
        first, *others = standing
        for place, other in enumerate(others):
            meeting = (min(first, other), max(first, other))
            if self._met.get(meeting, 0) > self._repeats:
                continue
            self._tries += 1
            rest = self.of(others[:place] + others[place + 1 :]) if self._tries <= MOST_TRIES else None
            if rest is not None:
                return [meeting, *rest]
        return None
