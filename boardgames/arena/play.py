"""The tasks that an arena sends to an executor: playing pairs of matches.

Only names, text and numbers are sent to workers. A match depends only on the settings and
its number, not on the worker that plays it, because the random generators of
both players are seeded for every match. Players that are given as objects stay in this
process, and may remember earlier matches.
"""

import hashlib
import threading
import time
from dataclasses import dataclass

from boardgames import plugins
from boardgames.arena.plan import MatchSettings
from boardgames.declarations import Repetition
from boardgames.errors import MatchError
from boardgames.game import Position, Termination
from boardgames.installation import code_stamp
from boardgames.match_setup import MatchSetup
from boardgames.player import Player
from boardgames.record import format_record
from boardgames.store import moves_hash

FAULTS = (Termination.ILLEGAL_MOVE, Termination.TIME, Termination.CRASH)


@dataclass(frozen=True, slots=True)
class OpeningPair:
    """Two matches from one opening; agent `first` plays side 0 in one of them and side 1 in the other.

    `number` is the pair's number in the arena; its matches have the numbers
    `2 * number` and `2 * number + 1`.
    """

    number: int
    first: int
    second: int
    opening: str


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A finished match.

    Attributes
    ----------
    number : int
        Number of the match in the arena.
    sides : (int, int)
        The agents of side 0 and side 1.
    winner : int or None
        The side that won; None for a draw.
    termination : Termination
        Why the match ended.
    plies : int
        Number of moves by both sides.
    seconds : (float, float)
        Time used by each side.
    record : str
        The record as text.
    moves_hash : bytes
        Equal for matches with the same start and moves.
    fault : str
        Details of an illegal move, a time forfeit or a crash.
    """

    number: int
    sides: tuple[int, int]
    winner: int | None
    termination: Termination
    plies: int
    seconds: tuple[float, float]
    record: str
    moves_hash: bytes
    fault: str = ""

    @property
    def faulty_agent(self) -> int | None:
        """Return the agent that lost by an illegal move, on time or by a crash, or None if neither did."""
        return None if self.winner is None or self.termination not in FAULTS else self.sides[1 - self.winner]

    def points(self, agent: int) -> float:
        """Return the points that an agent scored: 1, 1/2 or 0."""
        return 0.5 if self.winner is None else float(self.sides[self.winner] == agent)


@dataclass(frozen=True, slots=True)
class PairBatch:
    """Pairs to be played by one task.

    If `keep_players` is set, the players stay open for the next task of the
    process.
    """

    settings: MatchSettings
    pairs: tuple[OpeningPair, ...]
    keep_players: bool = True


def play_batch(batch: PairBatch) -> tuple[list[MatchResult], float]:
    """Play all pairs of a batch; return the results in order and the seconds it took."""
    started = time.perf_counter()
    players = _players_for(batch.settings)
    results: list[MatchResult] = []
    try:
        for pair in batch.pairs:
            results += players.play_pair(pair)
    finally:
        if not batch.keep_players:
            close_players()
    return results, time.perf_counter() - started


def close_players() -> None:
    """Close the players that this thread has kept open."""
    players = getattr(_thread, "players", None)
    if players is not None:
        players.close()
        _thread.players = None


def player_seed(settings: MatchSettings, match: int, *, side: int, agent: int) -> int:
    """Return the seed of an agent that plays a side of a match, 0 to 2**63 - 1.

    Examples
    --------
    >>> settings = MatchSettings(game="x", layout="", options=(), agents=("random", "greedy"), seed=1)
    >>> len({player_seed(settings, match, side=side, agent=0) for match in (0, 1) for side in (0, 1)})
    4
    """
    content = f"{settings.seed} {match} {side} {settings.agents[agent]}".encode()
    return int.from_bytes(hashlib.sha256(content).digest()[:8]) >> 1


_thread = threading.local()


class _Players:
    """The game and the players of an arena, which are loaded once per thread."""

    def __init__(self, settings: MatchSettings) -> None:
        self.settings = settings
        self.game = settings.load_game()
        self._players: dict[int, Player] = {}
        if settings.code and code_stamp([type(self.game)]) != settings.code:
            raise MatchError(f"the code of {settings.game} has changed since the arena was started")

    def play_pair(self, pair: OpeningPair) -> list[MatchResult]:
        opening = self.game.parse(pair.opening)
        sides = ((pair.first, pair.second), (pair.second, pair.first))
        return [self._play(2 * pair.number + index, sides[index], opening) for index in (0, 1)]

    def close(self) -> None:
        for agent, player in self._players.items():
            if player is not self._given_player(agent):
                plugins.close_player(player)

    def _play(self, number: int, sides: tuple[int, int], opening: Position) -> MatchResult:
        settings = self.settings
        setup = MatchSetup(
            self.game,
            self._seeded_players(number, sides),
            names=(settings.agents[sides[0]], settings.agents[sides[1]]),
            start=opening,
            time=settings.time,
            limit=settings.limit,
            ply_limit=settings.ply_limit,
            repetition=Repetition.parse(settings.repetition) if settings.repetition else None,
            adjudication=settings.adjudication,
        )
        manager = setup.start_match(tags={"Event": "arena", "Round": str(number + 1)})
        record = manager.play()
        outcome = manager.outcome
        assert outcome is not None
        return MatchResult(
            number,
            sides,
            outcome.winner,
            outcome.termination,
            manager.ply,
            manager.time_used,
            format_record(record),
            moves_hash(record.start, record.moves),
            manager.fault or "",
        )

    def _seeded_players(self, number: int, sides: tuple[int, int]) -> tuple[Player, Player]:
        for side, agent in enumerate(sides):
            if agent not in self._players:
                given = self._given_player(agent)
                self._players[agent] = self._loaded_player(agent) if given is None else given
            self._players[agent].reseed(player_seed(self.settings, number, side=side, agent=agent))
        return self._players[sides[0]], self._players[sides[1]]

    def _given_player(self, agent: int) -> Player | None:
        """Return the player object given for this agent, which its owner closes, or None."""
        return self.settings.players[agent] if self.settings.players else None

    def _loaded_player(self, agent: int) -> Player:
        """Load an agent and check its fingerprint, since weights may differ between machines."""
        text = self.settings.agents[agent]
        player = plugins.load_player(text, self.game)
        if self.settings.fingerprints and player.fingerprint() != self.settings.fingerprints[agent]:
            plugins.close_player(player)
            raise MatchError(
                f"agent {text!r} has different weights or a different program on this worker than where the "
                "arena was started"
            )
        return player


def _players_for(settings: MatchSettings) -> _Players:
    """Return this thread's players, which are replaced if the settings have changed."""
    players: _Players | None = getattr(_thread, "players", None)
    if players is None or players.settings != settings:
        close_players()
        players = _thread.players = _Players(settings)
    return players
