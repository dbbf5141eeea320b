"""Schedules: round robin, gauntlet, Swiss system.

Agents are numbered from 0, in the order given.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from boardgames.errors import LimitError, quote

MAX_TRIES = 20_000
"""How many pairings are tried for a Swiss round before repeated ones are allowed."""

Pairing = tuple[int, int]
"""Two agents that play each other."""


def round_robin(agents: int) -> list[Pairing]:
    """Return the pairings in which every agent plays every other one once.

    Examples
    --------
    >>> round_robin(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(combinations(range(agents), 2))


def gauntlet(agents: int, champion: int) -> list[Pairing]:
    """Return the pairings in which the champion plays all other agents.

    Examples
    --------
    >>> gauntlet(3, 1)
    [(1, 0), (1, 2)]
    """
    return [(champion, other) for other in range(agents) if other != champion]


def swiss_round_count(agents: int, rounds: int | None = None) -> int:
    """Return the number of Swiss rounds; by default, enough to leave only one agent unbeaten.

    Raises
    ------
    LimitError
        If `rounds` is below 1, or more than a round robin would need.

    Examples
    --------
    >>> swiss_round_count(8)
    3
    """
    most = agents - 1 + agents % 2
    count = math.ceil(math.log2(agents)) if rounds is None else rounds
    if not 1 <= count <= most:
        raise LimitError(
            f"the number of rounds among {agents} agents must be 1 to {most}, not {quote(rounds)}"
        )
    return count


def swiss_pairings(
    scores: Sequence[float], played: Mapping[Pairing, int]
) -> tuple[list[Pairing], int | None]:
    """Return the pairings of the next Swiss round, and the agent that gets a bye if their number is odd.

    Neighbours in the standings play each other (Monrad system). A pairing is
    repeated only if no alternative is found within `MAX_TRIES`. The bye goes to
    the lowest-ranked of the agents with the fewest byes.

    Parameters
    ----------
    scores : sequence of float
        Points of each agent so far, a bye counting as a win.
    played : mapping of (int, int) to int
        How often two agents have played each other, with the lower number
        first; (n, n) counts the byes of agent n.

    Examples
    --------
    >>> swiss_pairings([1, 0, 1, 0, 0], {(0, 1): 1, (2, 3): 1, (4, 4): 1})
    ([(0, 2), (1, 4)], 3)
    """
    standings = sorted(range(len(scores)), key=lambda agent: (-scores[agent], agent))
    bye = None
    if len(standings) % 2:
        fewest = min(played.get((agent, agent), 0) for agent in standings)
        bye = next(agent for agent in reversed(standings) if played.get((agent, agent), 0) == fewest)
        standings.remove(bye)
    for repeats in range(max(played.values(), default=0) + 1):
        pairings = _PairingSearch(played, repeats).find(standings)
        if pairings is not None:
            return pairings, bye
    raise AssertionError("there is always a pairing if all repeats are allowed")


class _PairingSearch:
    """Backtracking search for a round in which no opponents have met more than `repeats` times before."""

    def __init__(self, played: Mapping[Pairing, int], repeats: int) -> None:
        self._played, self._repeats = played, repeats
        self._tries = 0

    def find(self, standings: Sequence[int]) -> list[Pairing] | None:
        """Pair the first agent with the nearest possible opponent, then the others; None if impossible."""
        if not standings:
            return []
        first, *others = standings
        for place, other in enumerate(others):
            pairing = (min(first, other), max(first, other))
            if self._played.get(pairing, 0) > self._repeats:
                continue
            self._tries += 1
            rest = self.find(others[:place] + others[place + 1 :]) if self._tries <= MAX_TRIES else None
            if rest is not None:
                return [pairing, *rest]
        return None
