"""The lobby: which games can be played, and the matches on the server."""

import asyncio
import os
import secrets
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

import msgspec

from boardgames import plugins
from boardgames.clock import TimeControl, of_both_sides
from boardgames.errors import (
    BoardgamesError,
    MatchError,
    OptionError,
    StoreError,
    quote,
)
from boardgames.game import Game
from boardgames.machine import release_memory
from boardgames.manager import Manager
from boardgames.match_setup import DEFAULT_LIMIT, SEAT_TAGS, MatchSetup, date_tag, is_person
from boardgames.options import Role, parse_agent
from boardgames.player import Player
from boardgames.plugins import close_player, load, load_player
from boardgames.record import Record, parse_records
from boardgames.store import MatchSummary, ServedMatch
from boardgames.web.archive import Archive
from boardgames.web.calls import LOAD_SECONDS, Calls, call_in_thread, game_subject
from boardgames.web.games import NOT_IN_BROWSER, is_path, public_name
from boardgames.web.match import (
    LiveMatch,
    MatchLock,
    Seat,
    check_may_change,
    check_may_delete,
    hash_of,
    new_token,
)
from boardgames.web.messages import (
    CreateMatch,
    KeptReview,
    MatchEntry,
    PuzzleReply,
    SeatRequest,
    StoredReply,
)
from boardgames.web.preparation import Games
from boardgames.web.searches import GRACE_SECONDS, Searches
from boardgames.web.stored import MAX_LISTED, Titles, entries_of, key_of, number_of, record_of
from boardgames.web.stored import request_of as request_of_record
from boardgames.web.tables import Tables, TablesError
from boardgames.web.training import Training
from boardgames.weights.lookup import offered_names, run_names

MAX_MATCHES = 200
"""Maximum number of matches on the server; beyond that, old ones that nobody watches are deleted."""
MAX_LOADED_MATCHES = 4
"""Maximum number of matches in memory, with their agents' tables, unless more are watched or in play."""
EMPTY_SECONDS = 600.0
"""How long to keep a match without moves once nobody has it open, or since the server restarted."""
SWEEP_SECONDS = 30.0
"""Seconds between two checks for such matches."""
TABLES_SECONDS = 60.0
"""How long a new match waits for other agents to close, if their tables leave too little memory."""
CLOSE_SECONDS = 0.5
"""How long the server waits for agents to close before it exits."""
KEY_BYTES = 6
LARGEST_OPTIONS: Mapping[Role, int] = {"threads": os.cpu_count() or 1, "memory": 1024}
"""Largest values that pages may give to options of agents, by their roles; memory is in MB."""


class Lobby:
    """The matches on the server. Its methods are called in the event loop.

    Parameters
    ----------
    searches : int, optional
        How many agents may think at the same time; by default one for each core.
    archive : Archive, optional
        Where matches are kept for the next start of the server; by default nowhere.
    is_private : bool, default False
        Whether all pages belong to the user, who may then delete any stored match.

    Attributes
    ----------
    games : Games
        The games that can be played.
    training : Training
        The training runs.
    stored : StoredReply
        The user's matches that are not on this server, as of the last call of `read_stored`.
    """

    def __init__(
        self, searches: int | None = None, *, archive: Archive | None = None, is_private: bool = False
    ) -> None:
        self.calls = Calls()
        self.games = Games(self.calls)
        self.tables = Tables()
        self.puzzles: dict[tuple[str, str, int], PuzzleReply] = {}
        """The puzzles that pages have asked for, by game, kind and number."""
        self.searches = Searches(searches or os.cpu_count() or 1)
        self.training = Training()
        self.stored = StoredReply(matches=[], left_out=0)
        self._stored_basis: tuple[list[MatchSummary], int, Titles] = ([], 0, {})
        """What `stored` was made from: the listed matches, the number of all matches, and titles."""
        self._reading, self._next_reader = asyncio.Lock(), False
        self._archive, self._is_private = archive, is_private
        self._matches: dict[str, LiveMatch] = {}
        self._saved: dict[str, ServedMatch] = {}
        self._loading: dict[str, asyncio.Lock] = {}
        self._listeners: set[Callable[[str], None]] = set()
        self._empty_since: dict[str, float] = {}
        """When the last page that showed a match without moves was closed, by match."""
        self._sweeper: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()
        """Matches that are being unloaded, and agents that are being closed."""
        self._closed = 0
        """How many of these tasks have ended; when it increases, there may be room for new tables."""

    async def open(self) -> None:
        """List the matches of the archive, and begin to delete matches without moves that no page shows.

        The listed matches are loaded when a page joins them.

        Raises
        ------
        StoreError
            If the archive cannot be read.
        """
        if self._archive is not None:
            for saved in await self._archive.open():
                try:
                    msgspec.convert(saved.data["entry"], MatchEntry)
                except (LookupError, TypeError, msgspec.ValidationError):
                    warnings.warn(f"the saved match {saved.key} is damaged", RuntimeWarning, stacklevel=2)
                else:
                    self._saved[saved.key] = saved
            if not self._archive.is_saving:
                warnings.warn(
                    "another server saves its matches; this one does not", RuntimeWarning, stacklevel=2
                )
        self._sweeper = asyncio.create_task(self._sweep())

    def subscribe(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Call `listener` with the key of each match that changes or is removed.

        The key is empty if the stored matches have changed. Call the returned function to unsubscribe.
        """
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def entries(self) -> list[MatchEntry]:
        """Return the matches on the server, newest first."""
        saved = [msgspec.convert(one.data["entry"], MatchEntry) for one in reversed(self._saved.values())]
        loaded = [match for key, match in reversed(self._matches.items()) if number_of(key) is None]
        return [match.entry() for match in loaded] + saved

    async def read_stored(self) -> None:
        """Update `stored`, and tell the pages if it has changed."""
        if self._archive is None or self._next_reader:  # another call is waiting and will read everything
            return
        self._next_reader = True
        async with self._reading:
            self._next_reader = False
            known = [match.record for key, match in self._matches.items() if number_of(key) is None]
            known += [saved.record for saved in self._saved.values()]
            try:
                found, total = await self._archive.stored(MAX_LISTED, known)
            except StoreError as error:
                warnings.warn(f"stored matches are not listed: {error}", RuntimeWarning, stacklevel=1)
                return
            await self.games.learn_titles(match.game for match in found)
            basis = found, total, dict(self.games.titles)
            if basis != self._stored_basis:
                make = partial(entries_of, found, basis[2], may_delete=self._is_private)
                entries = await call_in_thread(make, name="stored matches")
                self.stored = StoredReply(matches=entries, left_out=total - len(entries))
                self._stored_basis = basis
                self._tell("")

    def get(self, key: str) -> LiveMatch | None:
        """Return a match that has been loaded."""
        return self._matches.get(key)

    async def find(self, key: str) -> LiveMatch:
        """Return a match, which is loaded from the archive if necessary.

        Raises
        ------
        MatchError
            If there is no such match, or it cannot be loaded.
        """
        number = number_of(key)
        if key in self._saved or (number is not None and key not in self._matches):
            async with self._loading.setdefault(key, asyncio.Lock()):
                if key in self._saved:
                    await self._load(self._saved[key])
                elif number is not None and key not in self._matches:
                    await self._load_stored(number)
        if key not in self._matches:
            raise MatchError("there is no such match on this server")
        return self._matches[key]

    async def create(
        self, request: CreateMatch, record: Record | None = None, *, trusted: bool = False
    ) -> tuple[LiveMatch, str]:
        """Start a match; return it and the secret of its creator, which also opens the creator's seats.

        Parameters
        ----------
        request : CreateMatch
            The players and the rules.
        record : Record, optional
            A match to continue.
        trusted : bool, default False
            Allow all agents and options, because the request does not come from a page.

        Raises
        ------
        BoardgamesError
            If the game, an option, an agent, the position or a limit is not valid.
        """
        token = new_token()
        first, second = (_seat_of(seat, token) for seat in request.seats)
        match = await self._start(
            request, (first, second), record, owner_hash=hash_of(token), trusted=trusted
        )
        return match, token

    async def rename(self, key: str, name: str, tokens: Sequence[str]) -> None:
        """Give a match a name for the list.

        Raises
        ------
        MatchError
            If there is no such match, or these secrets do not allow renaming it.
        """
        check_may_change(*self._rights(key), tokens)
        match, saved = self._matches.get(key), self._saved.get(key)
        if match is not None:
            match.rename(name)
        elif saved is not None:
            entry = msgspec.structs.replace(msgspec.convert(saved.data["entry"], MatchEntry), name=name)
            data = {**saved.data, "name": name, "entry": msgspec.to_builtins(entry)}
            self._saved[key] = renamed = ServedMatch(key, data, saved.record)
            if self._archive is not None:
                self._archive.save(key, lambda: renamed)
            self._tell(key)

    async def delete(self, tokens: Mapping[str, Sequence[str]]) -> None:
        """Delete matches; if one of them cannot be deleted, delete none.

        A finished match is also deleted from the user's stored matches if all pages are the user's or one
        of the secrets is the owner's.

        Parameters
        ----------
        tokens : mapping of str to sequence of str
            For the key of each match, the secrets that the page has for it.

        Raises
        ------
        MatchError
            If there is no such match, or these secrets do not allow deleting it.
        """
        lives = {entry.id: entry.live for entry in self.entries()}
        numbers, records = [], []
        for key, known in tokens.items():
            number = number_of(key)
            if number is None:
                owner_hash, seats = self._rights(key)
                check_may_delete(owner_hash, seats, known, is_in_progress=lives[key])
                if self._is_private or any(hash_of(token) == owner_hash for token in known):
                    records.append(self._record(key))
            elif self._is_private:
                numbers.append(number)
            else:
                raise MatchError(
                    f"only whoever runs the server can delete it, with boardgames matches delete {number}"
                )
        await self._remove(list(tokens))
        if self._archive is not None:
            await self._archive.delete_stored(numbers, records)
        await self.read_stored()

    def _record(self, key: str) -> str:
        return self._matches[key].record if key in self._matches else self._saved[key].record

    def _rights(self, key: str) -> tuple[str, Sequence[Seat]]:
        """Return the hash of the owner's secret and the seats of a match, in memory or saved."""
        if key in self._matches:
            return self._matches[key].owner_hash, self._matches[key].seats
        if key not in self._saved:
            raise MatchError("there is no such match on this server")
        data = self._saved[key].data
        try:
            seats = msgspec.convert(data["seats"], list[tuple[str, str, str]])
            return msgspec.convert(data.get("owner", ""), str), [Seat(*seat) for seat in seats]
        except (LookupError, msgspec.ValidationError):
            return "", ()  # the saved match is damaged, so anybody may delete it

    async def _remove(self, keys: Sequence[str]) -> None:
        """Delete matches from memory and from the archive, and tell the pages that show them."""
        for key in keys:
            self._saved.pop(key, None)
            self._empty_since.pop(key, None)
            match = self._matches.pop(key, None)
            self._tell(key)
            if match is not None:
                await self._close(match)
        if self._archive is not None:
            await self._archive.forget(keys)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                await self._remove_empty(time.monotonic())
            except StoreError as error:
                warnings.warn(f"empty matches are not deleted: {error}", RuntimeWarning, stacklevel=1)

    async def _remove_empty(self, now: float) -> None:
        """Delete the matches without moves that no page has shown for `EMPTY_SECONDS`."""
        empty = [
            entry.id
            for entry in self.entries()
            if entry.live and not entry.ply and not self._is_watched(entry.id)
            if entry.id not in self._matches or self._matches[entry.id].waits_for_person
        ]
        self._empty_since = {key: self._empty_since.get(key, now) for key in empty}
        await self._remove([key for key in empty if now - self._empty_since[key] >= EMPTY_SECONDS])

    async def close(self) -> None:
        """Save the matches, end all searches and release what the agents hold."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        if self._archive is not None:
            await self._archive.close()
        self.searches.close()
        self.training.close()
        if closing := [task for match in self._matches.values() for task in match.start_closing()]:
            await asyncio.wait(closing, timeout=CLOSE_SECONDS)

    async def _start(
        self,
        request: CreateMatch,
        seats: tuple[Seat, Seat],
        record: Record | None = None,
        *,
        owner_hash: str,
        trusted: bool,
    ) -> LiveMatch:
        await self._make_room()
        await self._unload_surplus()
        manager, lock = await self._new_manager(request, record, trusted=trusted)
        key = secrets.token_urlsafe(KEY_BYTES)
        match = await self._add(
            key,
            request,
            manager,
            lock,
            seats,
            owner_hash=owner_hash,
            trusted=trusted,
            started=time.time(),
            paused=request.paused,
        )
        self._changed(match)
        return match

    async def _start_rematch(self, match: LiveMatch, swap: bool) -> str:
        """Start a match with the players and settings of another one, and return its key.

        The players keep their seats and tokens, and the owner is the same.
        """
        request = rematch_request(match, swap=swap)
        first, second = (Seat(seat.kind, seat.name, seat.token_hash) for seat in match.seats)
        seats = (second, first) if swap else (first, second)
        return (await self._start(request, seats, owner_hash=match.owner_hash, trusted=match.trusted)).key

    async def _new_manager(
        self, request: CreateMatch, record: Record | None, *, trusted: bool, restored: bool = False
    ) -> tuple[Manager, MatchLock]:
        plugins.registry().check_name("games", request.game)
        subject, loop = game_subject(request.game), asyncio.get_running_loop()

        def compile_agents(game: Game, agents: Sequence[str]) -> None:
            asyncio.run_coroutine_threadsafe(self.games.compile_agents(game, agents), loop).result()

        make = partial(_make_manager, request, record, trusted, restored, self.tables, compile_agents)
        latest = time.monotonic() + TABLES_SECONDS
        while True:
            closed = self._closed
            try:
                return await self.calls.run(subject, make, seconds=LOAD_SECONDS)
            except TablesError:
                if closed == self._closed and not await self._free_tables(latest):
                    raise

    async def _load(self, saved: ServedMatch) -> None:
        """Load a match that is not in memory."""
        await self._unload_surplus()
        data = saved.data
        try:
            request = _read_request(data["request"])
            records = parse_records(saved.record, None).records
            trusted, paused = (msgspec.convert(data.get(name, False), bool) for name in ("trusted", "paused"))
            next_key = msgspec.convert(data.get("next"), str | None)
            owner_hash, name = (msgspec.convert(data.get(of, ""), str) for of in ("owner", "name"))
            started = msgspec.convert(data["entry"], MatchEntry).time
            manager, lock = await self._new_manager(request, records[0], trusted=trusted, restored=True)
            first, second = (
                Seat(*seat) for seat in msgspec.convert(data["seats"], list[tuple[str, str, str]])
            )
            values = msgspec.convert(data["values"], list[str | None])
            fault = msgspec.convert(data["fault"], str | None)
            review = msgspec.convert(data.get("review"), KeptReview | None)
        except (BoardgamesError, LookupError, ValueError, msgspec.MsgspecError) as error:
            reason = str(error).partition("\n")[0]
            raise MatchError(f"the match can no longer be loaded: {reason}") from None
        seats = first, second
        match = await self._add(
            saved.key,
            request,
            manager,
            lock,
            seats,
            values=values,
            fault=fault,
            owner_hash=owner_hash,
            trusted=trusted,
            paused=paused,
            next_key=next_key,
            name=name,
            started=started,
        )
        match.review = review
        if self._saved.pop(saved.key, None) is None:
            await self._remove([saved.key])
            raise MatchError("the match has been deleted")

    async def _load_stored(self, number: int) -> None:
        """Load one of the user's stored matches, in which nobody can play; it is not saved again."""
        await self._unload_surplus()
        stored = None if self._archive is None else await self._archive.find_stored(number)
        if stored is None:
            raise MatchError("there is no such match on this server")
        try:
            record = record_of(stored)
            request = request_of_record(record)
            manager, lock = await self._new_manager(request, record, trusted=False, restored=True)
        except (BoardgamesError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            raise MatchError(f"the record of the match cannot be replayed: {reason}") from None
        await self._add(
            key_of(number),
            request,
            manager,
            lock,
            (Seat("agent", ""), Seat("agent", "")),
            fault=None if record.outcome is not None else "it was stored unfinished",
            owner_hash="",
            trusted=False,
            paused=True,
        )

    async def _add(
        self,
        key: str,
        request: CreateMatch,
        manager: Manager,
        lock: MatchLock,
        seats: tuple[Seat, Seat],
        *,
        values: Sequence[str | None] = (),
        fault: str | None = None,
        owner_hash: str,
        trusted: bool,
        paused: bool = False,
        next_key: str | None = None,
        name: str = "",
        started: float = 0.0,
    ) -> LiveMatch:
        """Add a match to those in memory."""
        match = LiveMatch(
            key,
            request,
            manager,
            lock,
            seats,
            calls=self.calls,
            searches=self.searches,
            tables=self.tables,
            compile_agents=self.games.compile_agents,
            on_change=self._changed,
            on_watched=self._tell,
            start_rematch=self._start_rematch,
            values=values,
            fault=fault,
            owner_hash=owner_hash,
            trusted=trusted,
            paused=paused,
            next_key=next_key,
            name=name,
            started=started,
        )
        try:
            await match.open()
        except BoardgamesError:
            await self._close(match)
            raise
        self._matches[key] = match
        return match

    def _changed(self, match: LiveMatch) -> None:
        if self._archive is not None and match.key in self._matches and number_of(match.key) is None:
            self._archive.save(match.key, match.saved)
        self._tell(match.key)
        self.unload_if_over(match)

    def _tell(self, key: str) -> None:
        for listener in tuple(self._listeners):
            listener(key)

    def unload_if_over(self, match: LiveMatch) -> None:
        """Unload a match if it is over and no page shows it."""
        if match.is_over and not match.pages and self._matches.get(match.key) is match:
            self._free_later(asyncio.create_task(self._unload(match)))

    async def _close(self, match: LiveMatch) -> None:
        """Close a match; slow agents, such as those still being compiled, are closed in the background."""
        if closing := match.start_closing():
            for task in closing:
                self._free_later(task)
            await asyncio.wait(closing, timeout=GRACE_SECONDS)

    def _free_later(self, task: asyncio.Task[None]) -> None:
        """Register a task that frees tables when it ends, so that new matches can wait for it."""
        self._closing.add(task)
        task.add_done_callback(self._forget_closing)

    def _forget_closing(self, task: asyncio.Task[None]) -> None:
        self._closing.discard(task)
        self._closed += 1

    async def _make_room(self) -> None:
        """Delete unwatched matches if there are too many: finished ones first, then those without moves.

        Older matches are deleted before newer ones. An unfinished match with moves is kept.

        Raises
        ------
        MatchError
            If too many matches have to be kept.
        """
        entries = self.entries()
        surplus = len(entries) - MAX_MATCHES + 1
        if surplus <= 0:
            return
        unneeded = [
            entry
            for entry in reversed(entries)
            if not (entry.live and entry.ply) and not self._is_watched(entry.id)
        ]
        unneeded.sort(key=lambda entry: entry.live)
        if len(unneeded) < surplus:
            raise MatchError(
                f"there are {MAX_MATCHES} matches on this server already, and all of them are in progress or "
                "being watched: finish or resign one, or leave a finished one"
            )
        await self._remove([entry.id for entry in unneeded[:surplus]])

    async def _unload_surplus(self) -> None:
        """Unload unwatched matches if too many are in memory."""
        while len(self._matches) >= MAX_LOADED_MATCHES:
            # look again each time, since other matches may change while one is unloaded
            unneeded = self._unneeded()
            if not unneeded:
                return
            await self._unload(unneeded[0])

    async def _free_tables(self, latest: float) -> bool:
        """Free tables: wait until an agent has closed, or else unload a match whose agents have tables.

        Return False if there is no such agent or match, or no agent has been closed by the time `latest`.
        """
        if self._closing:
            seconds = max(0.0, latest - time.monotonic())
            done, _ = await asyncio.wait(self._closing, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if done:
                return True
        for match in self._unneeded():
            if match.has_tables:
                await self._unload(match)
                return True
        return False

    def _unneeded(self) -> list[LiveMatch]:
        """Return the matches that may be unloaded: no page shows them, and no agent or clock is running.

        Finished matches come first.
        """
        unneeded = [
            match
            for match in self._matches.values()
            if match.pages == 0
            and (match.is_over or (match.waits_for_person and not match.has_running_clock))
        ]
        return sorted(unneeded, key=lambda match: not match.is_over)

    async def _unload(self, match: LiveMatch) -> None:
        """Unload a match until a page joins it again."""
        if match.pages or self._matches.get(match.key) is not match:  # joined or removed meanwhile
            return
        if number_of(match.key) is None:
            self._saved[match.key] = match.saved()
        del self._matches[match.key]
        await self._close(match)
        await call_in_thread(release_memory, name="release")

    def _is_watched(self, key: str) -> bool:
        if key in self._loading and self._loading[key].locked():
            return True
        return key in self._matches and self._matches[key].pages > 0


def _read_request(saved: object) -> CreateMatch:
    """Return a saved request; in old requests, a single increment stands for both sides."""
    if isinstance(saved, dict) and isinstance(increment := saved.get("increment"), int | float):
        saved = {**saved, "increment": (increment, increment)}
    return msgspec.convert(saved, CreateMatch)


def _seat_of(seat: SeatRequest, token: str) -> Seat:
    return Seat(seat.kind, seat.name, hash_of(token) if seat.kind == "here" else "")


def setup_of(request: CreateMatch) -> MatchSetup:
    """Return the setup that a request describes.

    Raises
    ------
    BoardgamesError
        If there is no such game, layout or option, or the position or a time is not valid.
    """
    game = game_of(request.game, request.layout, request.options)
    first, second = request.seats
    agents = _agent_of_seat(first, game), _agent_of_seat(second, game)
    has_clock = any(request.clock)  # a clock for only one side is refused later, whatever the increment
    times = [
        TimeControl(match=clock, increment=0.0 if has_clock and clock is None else increment)
        for clock, increment in zip(request.clock, request.increment, strict=True)
    ]
    return MatchSetup(
        game,
        agents,
        names=(first.name or _public_name(agents[0]), second.name or _public_name(agents[1])),
        start=None if request.position is None else game.parse(request.position),
        seed=request.seed,
        time=(times[0], times[1]),
        move_time=request.move_time,
        ply_limit=request.ply_limit,
        move_limits=request.move_limits,
        no_progress_limit=request.no_progress_limit,
        repetition=request.repetition,
    )


def request_of(setup: MatchSetup) -> CreateMatch:
    """Return the request that describes a setup; the page that sends it plays for all people.

    Raises
    ------
    OptionError
        If a page could not request this match, because a number is too large, a text is too long, or
        something is set that pages cannot set.
    """
    first, second = of_both_sides(setup.time)
    game, refusal = setup.game, "this match cannot be played in the browser"
    if setup.limit != DEFAULT_LIMIT or first.move is not None or second.move is not None:
        raise OptionError(f"{refusal}: the time for a move must be set by move_time")
    asked = {
        "type": "create",
        "game": game.facts.name,
        "seats": [
            {"kind": "here", "name": name or ""}
            if is_person(player)
            else {"kind": "agent", "agent": player, "name": name or ""}
            for player, name in zip(setup.players, setup.names, strict=True)
        ],
        "layout": game.layout,
        "options": dict(game.options),
        "position": None if setup.start is None else str(setup.start),
        "clock": (first.match, second.match),
        "increment": (first.increment, second.increment),
        "move_time": setup.move_times,
    }
    names = ("seed", "ply_limit", "move_limits", "no_progress_limit", "repetition")
    try:
        return msgspec.convert(asked | {name: getattr(setup, name) for name in names}, CreateMatch)
    except msgspec.ValidationError as error:
        raise OptionError(f"{refusal}: {error}") from None


def rematch_request(match: LiveMatch, *, swap: bool) -> CreateMatch:
    """Return a request for a match with the players and settings of another one."""
    game, request = match.start.game, match.request
    seats = [
        msgspec.structs.replace(asked, name=seat.name or asked.name)
        for asked, seat in zip(request.seats, match.seats, strict=True)
    ]
    changes = {
        "seats": (seats[0], seats[1]),
        "layout": game.layout,
        "options": dict(game.options),
        "position": None if match.start == game.start() else str(match.start),
        "delay": match.delay,
    }
    request = msgspec.structs.replace(request, re=None, **changes)
    if not swap:
        return request
    of_sides = {
        name: tuple(reversed(value))
        for name in ("seats", "clock", "increment", "move_time", "move_limits")
        if (value := getattr(request, name)) is not None
    }
    return msgspec.structs.replace(request, **of_sides)


def _make_manager(
    request: CreateMatch,
    record: Record | None,
    trusted: bool,
    restored: bool,
    tables: Tables,
    compile_agents: Callable[[Game, Sequence[str]], None],
) -> tuple[Manager, MatchLock]:
    """Return the manager and the lock of a match, which continues from the record if one is given."""
    setup = setup_of(request)
    tags: Mapping[str, str] = date_tag(datetime.now().astimezone().date())
    if record is not None:
        tags = {name: value for name, value in record.tags.items() if name not in SEAT_TAGS}
        if restored:  # people who took a seat have changed the names
            setup = replace(setup, names=record.names)
    agents = [seat for seat in setup.players if isinstance(seat, str)]
    lock = MatchLock()
    load = partial(agent_of, tables=tables, trusted=trusted)
    with lock:
        # no tags name the agents, since their options may contain paths, which pages must not see
        manager = setup.start_match(
            record,
            load=load,
            while_thinking=lock.released,
            starts_clocks=False,
            background=True,
            before_ready=partial(compile_agents, setup.game, agents),
            tags=tags,
        )
    return manager, lock


def _agent_of_seat(seat: SeatRequest, game: Game) -> str | None:
    """Return the agent of a seat, by default the game's default agent, or None for a person."""
    return (seat.agent or game.facts.default_agent) if seat.kind == "agent" else None


def _public_name(agent: str | None) -> str | None:
    """Return the name of an agent if its options contain paths, which pages must not see; otherwise None."""
    return public_name(agent) if agent is not None and is_path(agent) else None


def game_of(name: str, layout: str | None, options: Mapping[str, object]) -> Game:
    """Return a game that a page has chosen.

    Raises
    ------
    BoardgamesError
        If there is no such game, layout or option.
    """
    if "layout" in options:
        raise OptionError("the layout is not an option of a game; it is chosen separately")
    return load(name, layout=layout, **options)


def agent_of(
    text: str, game: Game, /, *, tables: Tables, seed: int | None = None, trusted: bool = False
) -> Player:
    """Return an agent for the browser.

    Parameters
    ----------
    text : str
        The agent, as `NAME` or `NAME:OPTION=VALUE,...`.
    game : Game
        The game that the agent plays.
    tables : Tables
        Where memory for the agent's tables is reserved.
    seed : int, optional
        Seed of the agent's random choices.
    trusted : bool, default False
        Allow agents that start programs, and options that are paths.

    Raises
    ------
    OptionError
        If the agent cannot be used in the browser, an option is a path, or the tables would take too much
        memory.
    BoardgamesError
        If there is no such agent or option.
    """
    name, options = parse_agent(text)
    if not trusted and name in NOT_IN_BROWSER:
        raise OptionError(f"the agent {quote(name)} cannot be used in the browser")
    if not trusted:
        _check_options(name, options, game)
    player = load_player(text, game, seed=seed)
    try:
        tables.reserve(player)
    except TablesError:
        close_player(player)
        raise
    return player


def _check_options(agent: str, options: dict[str, str], game: Game) -> None:
    """Raise an OptionError if an option names a file, or needs more of the machine than pages may use.

    Names of weights and runs, and the default value, do not count as files.
    """
    for option in plugins.registry().load("agents", agent, game.facts.name).declared_options:
        value = options.get(option.name)
        if value is None:
            continue
        if option.file == "write":
            raise OptionError(f"the option {option.name} cannot be used in the browser")
        names = {str(option.default), "true", "false", *offered_names(game), *run_names()}
        if is_path(value) or (option.file == "read" and value not in names):
            raise OptionError(
                f"{option.name} cannot be a file in the browser, and there is nothing called {quote(value)}"
            )
        most = LARGEST_OPTIONS.get(option.role)
        number = option.read(value)
        if most is not None and isinstance(number, int) and number > most:
            raise OptionError(f"{option.name} can be at most {most} in the browser, not {quote(value)}")
