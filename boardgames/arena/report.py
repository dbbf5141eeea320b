"""What an arena has found: a report of its matches, and the tally it is read from."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from boardgames.arena.bradley_terry import ratings
from boardgames.arena.pentanomial import Estimate, Pairs, estimate, likelihood_of_superiority
from boardgames.arena.play import FAULTS, Played
from boardgames.arena.schedule import Meeting
from boardgames.arena.sprt import Sprt


@dataclass(frozen=True, slots=True)
class Standing:
    """What one agent has reached.

    Attributes
    ----------
    agent : str
        Its text, numbered where two are the same.
    wins, losses, draws : int
        Of its matches.
    estimate : Estimate or None
        Between two agents the Elo difference to the other; among more, Elo
        against the mean of all. None if nothing can be said.
    faults : mapping of str to int
        Matches lost by an illegal move, by time and by a crash.
    reason : str
        Why it lost the first of these; empty if there are none.
    """

    agent: str
    wins: int
    losses: int
    draws: int
    estimate: Estimate | None
    faults: Mapping[str, int]
    reason: str = ""

    @property
    def matches(self) -> int:
        """Return the number of its matches."""
        return self.wins + self.losses + self.draws

    @property
    def score(self) -> float | None:
        """Return its share of the points, in [0, 1]; None without matches."""
        return (self.wins + self.draws / 2) / self.matches if self.matches else None


@dataclass(frozen=True, slots=True)
class Encounters:
    """The matches of two agents: wins, draws and losses of the first, numbers in the order of standings."""

    first: int
    second: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class SprtState:
    """How far a sequential test has come: the ratio it has reached, and what it says."""

    test: Sprt
    llr: float
    decision: Literal["H0", "H1"] | None


@dataclass(frozen=True, slots=True)
class Report:
    """What is known of an arena's matches.

    Attributes
    ----------
    game : str
        Its name.
    matches, planned : int
        Matches that are counted, and those there would be at the end.
    distinct : int
        How many of them differ in start, moves or who played, whoever had which side.
    repeated : int
        Pairs that repeat another one of the same agents, both matches alike.
    first_side_share : float or None
        Share of all points that side 0 got.
    standings : tuple of Standing
        In the order in which the agents were named.
    encounters : tuple of Encounters
        Of every two agents that met.
    pairs : Pairs or None
        Between two agents, the pairs from the point of view of the first.
    superiority : float or None
        Between two agents, the likelihood that the first is the stronger one.
    sprt : SprtState or None
        If a test was asked for.
    """

    game: str
    matches: int
    planned: int
    distinct: int
    repeated: int
    first_side_share: float | None
    standings: tuple[Standing, ...]
    encounters: tuple[Encounters, ...]
    pairs: Pairs | None
    superiority: float | None
    sprt: SprtState | None

    @property
    def ranked(self) -> list[Standing]:
        """Return the standings, the strongest first: by points where all have played as much, else by Elo."""
        standings = sorted(self.standings, key=lambda standing: rank_of(standing.estimate), reverse=True)
        if len({standing.matches for standing in standings}) > 1:
            return standings
        return sorted(standings, key=lambda standing: standing.score or 0.0, reverse=True)


def rank_of(found: Estimate | None) -> float:
    """Return what ranks agents, larger for stronger, those that cannot be compared last."""
    return -math.inf if found is None else found.elo


class Tally:
    """Counts of matches, pair by pair.

    Parameters
    ----------
    agents : sequence of str
        Agent texts.
    """

    def __init__(self, agents: Sequence[str]) -> None:
        self.agents = tuple(agents)
        self.matches = 0
        self._first_points = 0.0
        self._courses: set[tuple[frozenset[int], bytes]] = set()
        self._repeated: Counter[tuple[Meeting, bytes, bytes]] = Counter()
        self._results: list[Counter[float]] = [Counter() for _ in agents]
        self._faults: list[Counter[str]] = [Counter() for _ in agents]
        self._reasons = [""] * len(agents)
        self._pairs: dict[Meeting, Pairs] = {}
        self._met: dict[Meeting, Counter[float]] = {}

    def add(self, first: Played, second: Played) -> None:
        """Count a pair: two matches of the same agents with the sides exchanged."""
        agents = first.sides
        points = [played.points(agents[0]) for played in (first, second)]
        self._pairs[agents] = self._pairs.get(agents, Pairs()) + Pairs.of([sum(points)])
        self._met.setdefault(agents, Counter()).update(points)
        if first.faulty is None and second.faulty is None:
            self._repeated[agents, first.moves_hash, second.moves_hash] += 1
        for played in (first, second):
            self._add_match(played)

    def _add_match(self, played: Played) -> None:
        self.matches += 1
        self._courses.add((frozenset(played.sides), played.moves_hash))
        self._first_points += 0.5 if played.winner is None else 1.0 - played.winner
        for agent in played.sides:
            self._results[agent][played.points(agent)] += 1
        if played.faulty is not None:
            self._faults[played.faulty][str(played.termination)] += 1
            self._reasons[played.faulty] = self._reasons[played.faulty] or played.fault

    def points(self, agent: int) -> float:
        """Return the points of an agent."""
        return sum(points * times for points, times in self._results[agent].items())

    def report(self, game: str, planned: int, sprt: SprtState | None = None) -> Report:
        """Return what the matches say.

        Raises
        ------
        MissingExtraError
            If there are more than two agents and `choix` is not installed.
        """
        pairs = self._pairs.get((0, 1), Pairs()) if len(self.agents) == 2 else None
        estimates = self._estimates() if pairs is None else (estimate(pairs), estimate(pairs.reversed()))
        return Report(
            game,
            self.matches,
            planned,
            len(self._courses),
            sum(times - 1 for times in self._repeated.values()),
            self._first_points / self.matches if self.matches else None,
            tuple(self._standing(agent, estimates[agent]) for agent in range(len(self.agents))),
            tuple(Encounters(*met, c[1.0], c[0.5], c[0.0]) for met, c in sorted(self._met.items())),
            pairs,
            None if pairs is None else likelihood_of_superiority(pairs),
            sprt,
        )

    def _estimates(self) -> Sequence[Estimate | None]:
        return ratings(len(self.agents), self._pairs)

    def _standing(self, agent: int, found: Estimate | None) -> Standing:
        results = self._results[agent]
        faults = {str(fault): self._faults[agent][str(fault)] for fault in FAULTS}
        return Standing(
            self.agents[agent], results[1.0], results[0.0], results[0.5], found, faults, self._reasons[agent]
        )
