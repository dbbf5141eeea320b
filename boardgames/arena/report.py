"""Results: the report of an arena, and the ladder of all stored players."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boardgames.arena.bradley_terry import match_ratings, ratings
from boardgames.arena.pentanomial import Estimate, Pairs, estimate, likelihood_of_superiority
from boardgames.arena.play import FAULTS, MatchResult
from boardgames.arena.schedule import Pairing
from boardgames.arena.sprt import SprtState
from boardgames.draw.tables import table
from boardgames.game import Termination
from boardgames.store import PlayerKey, ResultCount


@dataclass(frozen=True, slots=True)
class Standing:
    """Results of one agent of an arena.

    Attributes
    ----------
    agent : str
        The agent with its options, numbered if it takes part twice.
    wins, losses, draws : int
        Number of matches.
    estimate : Estimate or None
        With two agents, the Elo difference to the other; with more, the Elo
        relative to the mean of all. None if no results can be compared.
    faults : mapping of str to int
        Number of matches lost by an illegal move, on time and by a crash.
    reason : str
        Details of the first of these losses; empty if there is none.
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
        """Return the number of matches."""
        return self.wins + self.losses + self.draws

    @property
    def score(self) -> float | None:
        """Return the share of the points, in [0, 1], or None if there are no matches."""
        return (self.wins + self.draws / 2) / self.matches if self.matches else None


@dataclass(frozen=True, slots=True)
class CrosstableEntry:
    """Wins, draws and losses of one agent against another; agents are given as indices of `standings`."""

    first: int
    second: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Report:
    """Results of an arena.

    Attributes
    ----------
    game : str
        Name of the game.
    matches, planned : int
        Number of matches counted, and number planned.
    distinct : int
        Number of matches that differ in players, start or moves; who played
        which side makes no difference.
    repeated : int
        Number of pairs whose matches both repeat the matches of an earlier pair
        of the same agents.
    adjudicated : int
        Number of matches that were decided by scores or points before their end.
    first_side_share : float or None
        Share of the points that went to side 0.
    standings : tuple of Standing
        In the order of the agents in the plan.
    crosstable : tuple of CrosstableEntry
        One for each pair of agents that played each other.
    pairs : Pairs or None
        With two agents, the results of pairs from the first one's point of
        view.
    superiority : float or None
        With two agents, the likelihood that the first one is stronger.
    sprt : SprtState or None
        Progress of the sequential test, if there is one.
    """

    game: str
    matches: int
    planned: int
    distinct: int
    repeated: int
    adjudicated: int
    first_side_share: float | None
    standings: tuple[Standing, ...]
    crosstable: tuple[CrosstableEntry, ...]
    pairs: Pairs | None
    superiority: float | None
    sprt: SprtState | None

    @property
    def ranked(self) -> list[Standing]:
        """Return the standings, best first: by points if all have played equally often, otherwise by Elo."""
        standings = sorted(self.standings, key=lambda standing: rank_key(standing.estimate), reverse=True)
        if len({standing.matches for standing in standings}) > 1:
            return standings
        return sorted(standings, key=lambda standing: standing.score or 0.0, reverse=True)

    def _repr_html_(self) -> str:
        caption = f"{self.game}: {self.matches} of {self.planned} matches, {self.distinct} distinct"
        heads, has_faults = (
            ["agent", "wins", "losses", "draws", "score", "Elo"],
            any(map(_faults, self.standings)),
        )
        html = table(
            caption,
            [*heads, "lost by faults"] if has_faults else heads,
            (_row(one, has_faults) for one in self.ranked),
        )
        if len(self.standings) > 2 and self.crosstable:
            names = [standing.agent for standing in self.standings]
            html += table(
                "Encounters, from the first agent's point of view",
                ("first agent", "second agent", "wins", "losses", "draws"),
                (
                    (names[one.first], names[one.second], one.wins, one.losses, one.draws)
                    for one in self.crosstable
                ),
            )
        return html


def _faults(standing: Standing) -> int:
    return sum(standing.faults.values())


def _row(standing: Standing, has_faults: bool) -> tuple[object, ...]:
    """Return the row of an agent in a table of results."""
    score = "" if standing.score is None else f"{standing.score:.1%}"
    elo = "?" if standing.estimate is None else standing.estimate
    results = (standing.agent, standing.wins, standing.losses, standing.draws, score, elo)
    return (*results, _faults(standing)) if has_faults else results


def rank_key(estimate: Estimate | None) -> float:
    """Return a sort key that increases with strength; unrated agents sort lowest."""
    return -math.inf if estimate is None else estimate.elo


class Tally:
    """Running totals of an arena's matches, updated pair by pair."""

    def __init__(self, agents: Sequence[str]) -> None:
        self.agents = tuple(agents)
        self.matches = 0
        self._adjudicated = 0
        self._first_side_points = 0.0
        self._contents: set[tuple[frozenset[int], bytes]] = set()
        self._pair_contents: Counter[tuple[Pairing, bytes, bytes]] = Counter()
        self._points: list[Counter[float]] = [Counter() for _ in agents]
        self._faults: list[Counter[str]] = [Counter() for _ in agents]
        self._reasons = [""] * len(agents)
        self._pairs: dict[Pairing, Pairs] = {}
        self._crosstable: dict[Pairing, Counter[float]] = {}

    def add(self, first: MatchResult, second: MatchResult) -> None:
        """Add the two matches of a pair."""
        agents = first.sides
        points = [match.points(agents[0]) for match in (first, second)]
        self._pairs[agents] = self._pairs.get(agents, Pairs()) + Pairs.of([sum(points)])
        self._crosstable.setdefault(agents, Counter()).update(points)
        if first.faulty_agent is None and second.faulty_agent is None:
            self._pair_contents[agents, first.moves_hash, second.moves_hash] += 1
        for match in (first, second):
            self._add_match(match)

    def _add_match(self, match: MatchResult) -> None:
        self.matches += 1
        self._adjudicated += match.termination is Termination.ADJUDICATION
        self._contents.add((frozenset(match.sides), match.moves_hash))
        self._first_side_points += 0.5 if match.winner is None else 1.0 - match.winner
        for agent in match.sides:
            self._points[agent][match.points(agent)] += 1
        agent_at_fault = match.faulty_agent
        if agent_at_fault is not None:
            self._faults[agent_at_fault][str(match.termination)] += 1
            self._reasons[agent_at_fault] = self._reasons[agent_at_fault] or match.fault

    def points(self, agent: int) -> float:
        """Return the points of an agent."""
        return sum(points * count for points, count in self._points[agent].items())

    def report(self, game: str, planned: int, sprt: SprtState | None = None) -> Report:
        """Return the report on the matches so far."""
        if len(self.agents) == 2:
            pairs = self._pairs.get((0, 1), Pairs())
            estimates: Sequence[Estimate | None] = (estimate(pairs), estimate(pairs.reversed()))
        else:
            pairs, estimates = None, ratings(len(self.agents), self._pairs)
        return Report(
            game,
            self.matches,
            planned,
            len(self._contents),
            sum(count - 1 for count in self._pair_contents.values()),
            self._adjudicated,
            self._first_side_points / self.matches if self.matches else None,
            tuple(self._standing(agent, estimates[agent]) for agent in range(len(self.agents))),
            tuple(
                CrosstableEntry(*agents, counts[1.0], counts[0.5], counts[0.0])
                for agents, counts in sorted(self._crosstable.items())
            ),
            pairs,
            None if pairs is None else likelihood_of_superiority(pairs),
            sprt,
        )

    def _standing(self, agent: int, estimate: Estimate | None) -> Standing:
        points = self._points[agent]
        return Standing(
            self.agents[agent],
            points[1.0],
            points[0.0],
            points[0.5],
            estimate,
            {str(fault): self._faults[agent][str(fault)] for fault in FAULTS},
            self._reasons[agent],
        )


@dataclass(frozen=True, slots=True)
class LadderEntry:
    """One player of a ladder.

    Attributes
    ----------
    player : PlayerKey
        The same agent with different weights or limits has a separate entry.
    wins, losses, draws : int
        Number of distinct matches.
    estimate : Estimate or None
        Elo relative to the mean of all players; None if no results connect this
        player with the others.
    """

    player: PlayerKey
    wins: int
    losses: int
    draws: int
    estimate: Estimate | None

    @property
    def matches(self) -> int:
        """Return the number of distinct matches."""
        return self.wins + self.losses + self.draws


def ladder(results: Sequence[ResultCount]) -> list[LadderEntry]:
    """Rate all players in `results` on one scale; the best comes first, and unrated ones come last.

    Examples
    --------
    >>> strong, weak = PlayerKey("alphabeta"), PlayerKey("random")
    >>> results = [ResultCount(strong, weak, 0, 9), ResultCount(weak, strong, 0, 1)]
    >>> [(entry.player.agent, str(entry.estimate)) for entry in ladder(results)][0]
    ('alphabeta', '+191 [-27, 409]')
    """
    players = sorted({player for result in results for player in (result.first, result.second)}, key=str)
    numbers = {player: number for number, player in enumerate(players)}
    wins_draws_losses: dict[Pairing, list[int]] = {}
    points: list[Counter[float]] = [Counter() for _ in players]
    for result in results:
        sides = (numbers[result.first], numbers[result.second])
        for side, number in enumerate(sides):
            points[number][0.5 if result.winner is None else float(result.winner == side)] += result.count
        low, high = min(sides), max(sides)
        counts = wins_draws_losses.setdefault((low, high), [0, 0, 0])
        place = 1 if result.winner is None else 0 if sides[result.winner] == low else 2
        counts[place] += result.count
    estimates = match_ratings(
        len(players), {agents: (c[0], c[1], c[2]) for agents, c in wins_draws_losses.items()}
    )
    entries = [
        LadderEntry(player, points[number][1.0], points[number][0.0], points[number][0.5], estimates[number])
        for number, player in enumerate(players)
    ]
    return sorted(entries, key=lambda entry: rank_key(entry.estimate), reverse=True)
