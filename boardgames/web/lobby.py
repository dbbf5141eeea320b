"""The lobby: which games can be played, and the matches on the server."""

import asyncio
import os
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from boardgames.clock import TimeControl
from boardgames.errors import OptionError, quote
from boardgames.game import Game
from boardgames.manager import Manager, MatchRules
from boardgames.options import Option, parse_agent
from boardgames.player import Limit, Player
from boardgames.plugins import load, load_player, registry
from boardgames.web.match import LiveMatch, Seat, hash_of, new_token
from boardgames.web.messages import (
    AgentEntry,
    CatalogueReply,
    CreateMatch,
    GameEntry,
    GameReply,
    MatchEntry,
    OptionEntry,
    SeatRequest,
)
from boardgames.weights.lookup import usable_agents

MOST_MATCHES = 200
"""Matches kept on the server; the oldest ones that nobody watches make room for new ones."""
AGENT_SECONDS = 1.0
THREADS = 8
KEY_BYTES = 6
LEVELS = 10
NOT_IN_BROWSER = frozenset({"human", "engine"})
"""People have seats of their own, and no page may start programs."""


class Lobby:
    """The matches on the server. Its methods are called in the event loop.

    Parameters
    ----------
    searches : int, optional
        How many agents may think at the same time; by default one for each core.
    """

    def __init__(self, searches: int | None = None) -> None:
        self.matches: dict[str, LiveMatch] = {}
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="match")
        self._searches = ThreadPoolExecutor(searches or os.cpu_count() or 1, thread_name_prefix="search")
        self._listeners: set[Callable[[LiveMatch], None]] = set()

    def subscribe(self, listener: Callable[[LiveMatch], None]) -> Callable[[], None]:
        """Call a function with each match that changes, until the returned function is called."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    async def catalogue(self) -> CatalogueReply:
        """Return the games that are installed."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, _catalogue)

    async def describe(self, name: str) -> GameReply:
        """Return what can be chosen for a match of a game.

        Raises
        ------
        UnknownNameError
            If there is no such game.
        """
        return await asyncio.get_running_loop().run_in_executor(self._threads, _describe, name)

    def entries(self) -> list[MatchEntry]:
        """Return the matches, newest first."""
        return [match.entry() for match in reversed(self.matches.values())]

    async def create(self, request: CreateMatch) -> tuple[LiveMatch, str | None]:
        """Start a match; return it and the secret of the seats of the person who asked for it.

        Raises
        ------
        BoardgamesError
            If the game, an option, an agent, the position or a limit is not as it must be.
        """
        loop = asyncio.get_running_loop()
        manager = await loop.run_in_executor(self._threads, _prepare, request)
        token = new_token() if any(seat.kind == "here" for seat in request.seats) else None
        first, second = (_seat_of(seat, token) for seat in request.seats)
        self._make_room()
        match = LiveMatch(
            secrets.token_urlsafe(KEY_BYTES),
            manager,
            (first, second),
            threads=self._threads,
            searches=self._searches,
            on_change=self._changed,
        )
        self.matches[match.key] = match
        self._changed(match)
        return match, token

    async def close(self) -> None:
        """End all searches and release what the agents hold."""
        await asyncio.gather(*(match.close() for match in self.matches.values()))
        self._searches.shutdown(wait=False, cancel_futures=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _changed(self, match: LiveMatch) -> None:
        for listener in tuple(self._listeners):
            listener(match)

    def _make_room(self) -> None:
        """Forget the oldest finished matches, or else refuse new ones.

        Raises
        ------
        OptionError
            If there are too many matches, all of them unfinished.
        """
        over = [key for key, match in self.matches.items() if match.is_over]
        while len(self.matches) >= MOST_MATCHES:
            if not over:
                raise OptionError(f"there are {MOST_MATCHES} unfinished matches on this server already")
            del self.matches[over.pop(0)]


def _catalogue() -> CatalogueReply:
    games = []
    for offer in registry().offers("games"):
        game = load(offer.entry.name)
        games.append(GameEntry(game.facts.name, game.facts.title, game.facts.summary))
    return CatalogueReply(games=games)


def _describe(name: str) -> GameReply:
    game = load(name)
    facts = game.facts
    agents = []
    for offer in usable_agents(name):
        if offer.entry.name not in NOT_IN_BROWSER:
            declared = registry().load("agents", offer.entry.name, name).declared_options
            agents.append(
                AgentEntry(offer.entry.name, offer.entry.summary, [_entry_of(one) for one in declared])
            )
    return GameReply(
        name=name,
        title=facts.title,
        summary=facts.summary,
        rules=facts.rules,
        sides=facts.sides,
        colours=game.start().picture().colours,
        layouts=game.layout_names,
        default_layout=game.layout,
        options=[_entry_of(option) for option in facts.options],
        agents=agents,
        default_agent=facts.default_agent,
        levels=LEVELS if any(agent.name == "level" for agent in agents) else 0,
    )


def _entry_of(option: Option) -> OptionEntry:
    return OptionEntry(
        option.name,
        option.kind.__name__,
        option.default,
        option.summary,
        option.choices or None,
        option.minimum,
        option.maximum,
    )


def _seat_of(seat: SeatRequest, token: str | None) -> Seat:
    name = seat.name or (seat.agent if seat.kind == "agent" else "")
    return Seat(seat.kind, name, hash_of(token) if token and seat.kind == "here" else "")


def _prepare(request: CreateMatch) -> "partial[Manager]":
    """Return a function that makes the manager of a new match, with all that it needs loaded."""
    game = load(request.game, layout=request.layout, **request.options)
    players = [_player_of(seat, game) for seat in request.seats]
    times, limits = [], []
    for player, seconds, clock in zip(players, request.move_time, request.clock, strict=True):
        times.append(
            TimeControl(
                move=seconds if player is None else None,
                match=clock,
                increment=request.increment if clock else 0.0,
            )
        )
        limits.append(Limit(seconds=seconds or AGENT_SECONDS))
    given = {"ply_limit": request.ply_limit, "move_limits": request.move_limits}
    rules = MatchRules.between(
        players,
        game,
        time=(times[0], times[1]),
        **{name: value for name, value in given.items() if value is not None},
    )
    first, second = (
        seat.name or seat.agent or side for seat, side in zip(request.seats, game.facts.sides, strict=True)
    )
    return partial(
        Manager,
        game,
        players,
        start=None if request.position is None else game.parse(request.position),
        rules=rules,
        limit=(limits[0], limits[1]),
        names=(first, second),
    )


def _player_of(seat: SeatRequest, game: Game) -> Player | None:
    """Return the agent of a seat, or None for a person."""
    if seat.kind != "agent":
        return None
    text = seat.agent or game.facts.default_agent
    name, options = parse_agent(text)
    if name in NOT_IN_BROWSER:
        raise OptionError(f"the agent {quote(name)} cannot be used in the browser")
    for option, value in options.items():
        if any(sign in value for sign in "/\\~"):
            raise OptionError(f"{option} cannot be a path here, such as {quote(value)}")
    return load_player(text, game)
