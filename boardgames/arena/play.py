"""Play pairs of matches, wherever they are sent: what an executor does for an arena.

Everything that travels is names, texts and numbers. A match depends on the
setting and its place in it, not on who plays it or when: each side's chance
is begun anew with a seed of that match.
"""

import hashlib
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from boardgames import plugins
from boardgames.arena.identity import code_stamp
from boardgames.clock import UNTIMED, TimeControl
from boardgames.errors import MatchError
from boardgames.game import Game, Position, Termination
from boardgames.manager import Manager, MatchRules
from boardgames.player import NO_LIMIT, Limit, Player
from boardgames.record import format_record
from boardgames.store import moves_hash

FAULTS = (Termination.ILLEGAL_MOVE, Termination.TIME, Termination.CRASH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What all matches of an arena share.

    Attributes
    ----------
    game, layout : str
        Names as `boardgames.load` takes them.
    options : tuple of (str, str)
        The game's options as texts.
    agents : tuple of str
        Agent texts, those that take part, in order.
    seed : int
        From which every match's chance is derived.
    limit : Limit
        What an agent may spend on a move.
    time : TimeControl
        Whoever spends more loses.
    ply_limit : int or None
        Replaces the game's own, None leaves it.
    code : str
        Stamp of the core's and the game's sources; who has others plays nothing.
    """

    game: str
    layout: str
    options: tuple[tuple[str, str], ...]
    agents: tuple[str, ...]
    seed: int
    limit: Limit = NO_LIMIT
    time: TimeControl = UNTIMED
    ply_limit: int | None = None
    code: str = ""

    def load_game(self) -> Game:
        """Return the game with its layout and options."""
        return plugins.load(self.game, layout=self.layout or None, **dict(self.options))


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two matches from one opening, `first` having side 0 in the one and side 1 in the other.

    `number` is its place in the arena; its matches are `2 * number` and the one after.
    """

    number: int
    first: int
    second: int
    opening: str


@dataclass(frozen=True, slots=True)
class Played:
    """One match as it ended; `sides` are the agents that had side 0 and side 1.

    `moves_hash` is equal for matches with equal starts and moves.
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
    def faulty(self) -> int | None:
        """Return the agent that lost by an illegal move, by time or by a crash; None if none did."""
        return None if self.winner is None or self.termination not in FAULTS else self.sides[1 - self.winner]

    def points(self, agent: int) -> float:
        """Return what the match is worth for an agent of it: 1, 1/2 or 0."""
        return 0.5 if self.winner is None else float(self.sides[self.winner] == agent)


@dataclass(frozen=True, slots=True)
class Batch:
    """Some pairs of a setting, played by one task.

    `keeps_players` says whether players stay ready for the process's next task.
    """

    setting: Setting
    pairings: tuple[Pairing, ...]
    keeps_players: bool = True


def play_batch(batch: Batch) -> tuple[list[Played], float]:
    """Play every pair of a batch; return the matches and the seconds they took."""
    started = time.perf_counter()
    room = _room_of(batch.setting)
    played: list[Played] = []
    try:
        for pairing in batch.pairings:
            played += room.play_pair(pairing)
    finally:
        if not batch.keeps_players:
            close_players()
    return played, time.perf_counter() - started


def close_players() -> None:
    """Close the players that this thread has kept ready."""
    room = getattr(_kept, "room", None)
    if room is not None:
        room.close()
        _kept.room = None


def seed_of(setting: Setting, match: int, *, side: int, agent: int) -> int:
    """Return the seed of an agent's chance on a side of a match, from 0 to 2**63 - 1.

    Examples
    --------
    >>> setting = Setting(game="x", layout="", options=(), agents=("random", "greedy"), seed=1)
    >>> len({seed_of(setting, match, side=side, agent=0) for match in (0, 1) for side in (0, 1)})
    4
    """
    content = f"{setting.seed} {match} {side} {setting.agents[agent]}".encode()
    return int.from_bytes(hashlib.sha256(content).digest()[:8]) >> 1


_kept = threading.local()


class _Room:
    """A setting with its game loaded and its players ready; used by one thread."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.game = setting.load_game()
        self._players: dict[int, Player] = {}
        if setting.code and code_stamp([type(self.game)]) != setting.code:
            raise MatchError(
                f"expected the code with which the arena of {setting.game} began: it has changed"
            )

    def play_pair(self, pairing: Pairing) -> list[Played]:
        """Play the two matches of a pair."""
        opening = self.game.parse(pairing.opening)
        sides = ((pairing.first, pairing.second), (pairing.second, pairing.first))
        return [self._play(2 * pairing.number + index, sides[index], opening) for index in (0, 1)]

    def _play(self, number: int, sides: tuple[int, int], opening: Position) -> Played:
        setting = self.setting
        players = self._seated(number, sides)
        limits = {} if setting.ply_limit is None else {"ply_limit": setting.ply_limit}
        manager = Manager(
            self.game,
            players,
            start=opening,
            rules=MatchRules.between(players, self.game, time=setting.time, **limits),
            limit=setting.limit,
            names=(setting.agents[sides[0]], setting.agents[sides[1]]),
            tags={"Event": "arena", "Round": str(number + 1)},
        )
        record = manager.play()
        outcome = manager.outcome
        assert outcome is not None
        return Played(
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

    def _seated(self, number: int, sides: Sequence[int]) -> list[Player]:
        """Return the players of a match, their chance begun anew."""
        for side, agent in enumerate(sides):
            if agent not in self._players:
                self._players[agent] = plugins.load_player(self.setting.agents[agent], self.game)
            self._players[agent].reseed(seed_of(self.setting, number, side=side, agent=agent))
        return [self._players[agent] for agent in sides]

    def close(self) -> None:
        """Close all players."""
        for player in self._players.values():
            player.close()


def _room_of(setting: Setting) -> _Room:
    """Return this thread's room of a setting, made anew if it has another one's."""
    room: _Room | None = getattr(_kept, "room", None)
    if room is None or room.setting != setting:
        close_players()
        room = _kept.room = _Room(setting)
    return room
