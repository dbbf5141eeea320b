"""The ladder of a game: all agents that have met, from the matches that are kept, on one scale."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from boardgames.arena.bradley_terry import match_ratings
from boardgames.arena.pentanomial import Estimate
from boardgames.arena.report import rank_of
from boardgames.arena.schedule import Meeting
from boardgames.store import PlayerKey, ResultCount


@dataclass(frozen=True, slots=True)
class Rung:
    """One agent of a ladder.

    Attributes
    ----------
    player : PlayerKey
        Agents with other weights are other players.
    wins, losses, draws : int
        Of its matches; equal ones are counted once.
    estimate : Estimate or None
        Elo against the mean of all; None if nothing compares it with the others.
    """

    player: PlayerKey
    wins: int
    losses: int
    draws: int
    estimate: Estimate | None

    @property
    def matches(self) -> int:
        """Return the number of its matches."""
        return self.wins + self.losses + self.draws


def ladder(encounters: Sequence[ResultCount]) -> list[Rung]:
    """Return the standing table, the strongest first, those that cannot be compared last.

    Raises
    ------
    MissingExtraError
        If `choix` is not installed.

    Examples
    --------
    >>> strong, weak = PlayerKey("alphabeta"), PlayerKey("random")
    >>> met = [ResultCount(strong, weak, 0, 9), ResultCount(weak, strong, 0, 1)]
    >>> [(rung.player.agent, str(rung.estimate)) for rung in ladder(met)][0]
    ('alphabeta', '+191 [-27, 409]')
    """
    players = sorted({player for met in encounters for player in (met.first, met.second)}, key=str)
    number = {player: place for place, player in enumerate(players)}
    results: dict[Meeting, list[int]] = {}
    points: list[Counter[float]] = [Counter() for _ in players]
    for met in encounters:
        sides = (number[met.first], number[met.second])
        for side, agent in enumerate(sides):
            points[agent][0.5 if met.winner is None else float(met.winner == side)] += met.count
        low, high = min(sides), max(sides)
        counts = results.setdefault((low, high), [0, 0, 0])
        place = 1 if met.winner is None else 0 if sides[met.winner] == low else 2
        counts[place] += met.count
    rated = match_ratings(len(players), {meeting: (c[0], c[1], c[2]) for meeting, c in results.items()})
    rungs = [
        Rung(player, points[place][1.0], points[place][0.0], points[place][0.5], rated[place])
        for place, player in enumerate(players)
    ]
    return sorted(rungs, key=lambda rung: rank_of(rung.estimate), reverse=True)
