"""Matches that pages play and watch: a `Manager`, its seats, and the agents that think for it.

All calls of a manager are made in threads that hold the lock of the match; the lock is released while
an agent thinks. Code that changes a match makes a new snapshot of it before it releases the lock, so
the event loop never waits for a thread.
"""

import asyncio
import contextvars
import hashlib
import hmac
import logging
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

import msgspec

from boardgames import plugins
from boardgames.declarations import THREEFOLD, Repetition
from boardgames.errors import MatchError, PluginError
from boardgames.game import Game, Outcome, Position, Termination
from boardgames.manager import MIN_DRAW_PLIES, Manager
from boardgames.match_setup import HUMAN
from boardgames.player import Context, Limit, Player, Stop
from boardgames.plugins import close_player, load_overlay, load_player
from boardgames.record import Record
from boardgames.store import ServedMatch
from boardgames.web.calls import LOAD_SECONDS, Calls, NotRespondingError, call_in_thread, game_subject
from boardgames.web.deltas import WholeState
from boardgames.web.messages import (
    CreateMatch,
    Hint,
    KeptReview,
    MatchEntry,
    MatchState,
    MoveState,
    OfferKind,
    OfferState,
    OutcomeState,
    SeatState,
    ViewReply,
    picture_json,
)
from boardgames.web.searches import GRACE_SECONDS, NOBODY_WAITS, PERSON_WAITS, Searches
from boardgames.web.tables import Tables, size_of

TOKEN_BYTES = 18
UNKNOWN = "?"
"""The name of a player that a record does not name."""
HINT_SECONDS = 1.0
OVERDUE_SECONDS = 60.0
"""How far an agent may exceed its time limit before it is told to stop; after twice that, it forfeits."""
RETRY_SECONDS = 1.0
"""How long a match waits before it repeats a call that got no response."""
DECLINED_SECONDS = 6.0
"""How long a page shows that an offer was declined before it shows whose turn it is again."""
COUNT_SECONDS = 0.5
"""Minimum time between two reports of the number of spectators."""
WATCH_INTERVAL_SECONDS = 0.1
READY_INTERVAL_SECONDS = 0.05
UNREADY_SECONDS = 0.5
"""Pages say that an agent is getting ready if it needs longer than this."""
SHARED_SECONDS = 0.05
"""How long a state is reused for other pages, although its clocks are no longer exact."""
TICK_MARGIN_SECONDS = 0.02
"""Seconds to wait after a person's time is up before the clock is checked, so that it has surely run out."""

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


@dataclass(slots=True)
class Seat:
    """The seat of a side: who plays it, and the hash of the secret with which a page may play it.

    `has_seen_board` becomes true when both seats are taken and a page shows this person the board at their
    turn.
    """

    kind: str
    name: str
    token_hash: str = ""
    pages: set[int] = field(default_factory=set)
    has_seen_board: bool = False

    @property
    def is_free(self) -> bool:
        """Return True if a person can take the seat."""
        return self.kind == "open" and not self.token_hash

    def is_opened_by(self, token: str) -> bool:
        """Return True if this is the secret of the seat."""
        return bool(self.token_hash) and hmac.compare_digest(hash_of(token), self.token_hash)


def is_owned(owner_hash: str, seats: Sequence[Seat]) -> bool:
    """Return True if a match has a secret, either its creator's or that of a seat."""
    return bool(owner_hash) or any(seat.token_hash for seat in seats)


def check_may_change(owner_hash: str, seats: Sequence[Seat], tokens: Sequence[str]) -> None:
    """Raise a MatchError unless a page with these secrets may rename or delete a match.

    If the match has no secrets, every page may.
    """
    hashes = {owner_hash, *(seat.token_hash for seat in seats)}
    if is_owned(owner_hash, seats) and not any(hash_of(token) in hashes for token in tokens):
        raise MatchError("only whoever started the match, or plays in it, can do that")


def check_may_delete(
    owner_hash: str, seats: Sequence[Seat], tokens: Sequence[str], *, is_in_progress: bool
) -> None:
    """Raise a MatchError unless a page with these secrets may delete a match.

    A match in progress cannot be deleted while another person plays in it.
    """
    check_may_change(owner_hash, seats, tokens)
    others = [
        seat for seat in seats if seat.token_hash and not any(seat.is_opened_by(token) for token in tokens)
    ]
    if is_in_progress and others:
        raise MatchError("another person plays in this match; resign it first")


def load_overlays(names: Sequence[str], game: str) -> None:
    """Load overlays, which may have to be compiled."""
    for name in names:
        plugins.registry().load("overlays", name, game)


def agent_subject(agent: str, game: str) -> str:
    """Return the name of an agent for messages about its searches."""
    return f"agent {agent.partition(':')[0]!r} of {game}"


def new_token() -> str:
    """Return a new secret for seats."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def hash_of(token: str) -> str:
    """Return the SHA-256 hash of a secret; the server stores only this hash."""
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """The state of a match at one moment, without what the event loop adds, and the seconds left to move."""

    state: MatchState
    seconds_left: float | None
    is_running: bool
    taken_at: float


@dataclass(frozen=True, slots=True)
class _Saved:
    """A match after a change; `values` are what the players expected, `fault` says how an agent failed."""

    record: Record
    text: str
    positions: tuple[Position, ...]
    values: list[str | None]
    fault: str | None


class MatchLock:
    """The lock of a match, which is released while one of its agents thinks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Release the lock for the duration of a `with` statement."""
        self._lock.release()
        try:
            yield
        finally:
            self._lock.acquire()


class LiveMatch:
    """A match on the server. Its methods are called in the event loop.

    Parameters
    ----------
    key : str
        Identifies the match in messages and links.
    request : CreateMatch
        The request from which the match was made.
    manager : Manager
        The manager, created with `lock.released` as `while_thinking`.
    lock : MatchLock
        The lock of the match.
    seats : (Seat, Seat)
        The seats of side 0 and side 1.
    calls : Calls
        Calls the methods of the manager in threads.
    searches : Searches
        Runs the searches of agents.
    tables : Tables
        Where agents that give hints reserve memory for their tables.
    compile_agents : callable
        Called before agents give hints; compiles what they need for the game.
    on_change : callable
        Called after every change.
    on_watched : callable
        Called with the key when the number of spectators, which is not saved, has changed.
    start_rematch : callable
        Starts a match like this one, with sides swapped if its second argument is True, and
        returns the key of the new match.
    values : sequence of str or None
        The value that the player expected at each of the moves with which the match begins.
    fault : str or None
        What an agent did wrong in the match before it was loaded.
    owner_hash : str
        The hash of the creator's secret; empty if nobody has such a secret.
    trusted : bool
        Whether the match was requested on the command line, so that all agents are allowed.
    paused : bool
        Whether the match begins paused, or was paused when it was saved.
    next_key : str or None
        The key of the rematch, or None if there is none.
    name : str
        The name that somebody has given to the match, or an empty string.
    started : float
        When the match was started, in seconds since 1970; 0 if that is not known.
    """

    def __init__(
        self,
        key: str,
        request: CreateMatch,
        manager: Manager,
        lock: MatchLock,
        seats: tuple[Seat, Seat],
        *,
        calls: Calls,
        searches: Searches,
        tables: Tables,
        compile_agents: Callable[[Game, Sequence[str]], Awaitable[None]],
        on_change: Callable[["LiveMatch"], None],
        on_watched: Callable[[str], None],
        start_rematch: Callable[["LiveMatch", bool], Awaitable[str]],
        values: Sequence[str | None] = (),
        fault: str | None = None,
        owner_hash: str = "",
        trusted: bool = False,
        paused: bool = False,
        next_key: str | None = None,
        name: str = "",
        started: float = 0.0,
    ) -> None:
        self.key, self.owner_hash, self.name, self.started = key, owner_hash, name, started
        self.request, self.trusted = request, trusted
        self.review: KeptReview | None = None
        self.seats = seats
        self._offer: OfferState | None = None
        self._declined: OfferState | None = None
        self._next, self._start_rematch = next_key, start_rematch
        self._is_starting_rematch = False
        self._manager = manager
        self._lock = lock
        self._calls, self._searches, self._tables = calls, searches, tables
        self._compile_agents = compile_agents
        self._on_change, self._on_watched = on_change, on_watched
        self._old_values, self._old_fault = tuple(values), fault
        self.rules = manager.rules
        self._limits = manager.limit_for(0), manager.limit_for(1)
        self._is_archived = manager.outcome is not None and all(player is None for player in manager.players)
        self.delay = request.delay
        self._is_paused = paused and manager.outcome is None
        if self._is_paused and self._has_person:
            manager.pause()
        self._is_thinking, self._thinking_since = False, 0.0
        self._created_at, self._said_preparing = time.monotonic(), False
        self._steps = 0
        self._wake = asyncio.Event()
        self._stop: Stop | None = None
        self._trouble: str | None = None
        self._saved: _Saved  # `open` makes this and the first snapshot
        self._snapshot: _Snapshot
        self._pages: set[int] = set()
        self._owner_pages: set[int] = set()
        self._spectators = 0
        self._counting: asyncio.TimerHandle | None = None
        self._forgetting: asyncio.TimerHandle | None = None
        self._states: dict[tuple[tuple[int, ...], bool], tuple[WholeState, float]] = {}
        """The latest states for pages, and when they were made, by the sides and ownership of the pages."""
        self._loop = asyncio.get_running_loop()
        self._driver: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Begin the match.

        Raises
        ------
        PluginError
            If the game cannot draw its board.
        """
        await self._call_game(partial(self._update, 0))
        # a new context, since the driver does not work on behalf of the page that opened the match
        self._driver = self._loop.create_task(self._drive(), context=contextvars.Context())
        self._driver.add_done_callback(self._report)

    # --- what pages see --------------------------------------------------------

    def entry(self) -> MatchEntry:
        """Return the entry of the match in the lobby's list."""
        state = self._snapshot.state
        return MatchEntry(
            self.key,
            state.game,
            state.title,
            state.names,
            state.ply,
            "" if state.outcome is None else state.outcome.text,
            [side for side, seat in enumerate(self.seats) if seat.is_free],
            state.outcome is None,
            self.name,
            is_owned(self.owner_hash, self.seats),
            self._spectators,
            self.started,
        )

    def rename(self, name: str) -> None:
        """Give the match a name for the list."""
        self.name = name
        self._tell()

    @property
    def pages(self) -> int:
        """Return the number of pages that show the match."""
        return len(self._pages)

    @property
    def is_over(self) -> bool:
        """Return True if the match has ended."""
        return self._snapshot.state.outcome is not None

    @property
    def waits_for_person(self) -> bool:
        """Return True if nothing happens until a person moves or resumes the match."""
        return not self.is_over and (not self._is_agents_turn or (self._is_held and not self._is_thinking))

    @property
    def has_tables(self) -> bool:
        """Return True if an agent of the match uses memory for tables."""
        return any(player is not None and size_of(player) for player in self._manager.players)

    @property
    def has_running_clock(self) -> bool:
        """Return True if a person's clock is running, so that they can lose on time."""
        return self.waits_for_person and self._seconds_left() is not None

    @property
    def side_to_move(self) -> int:
        """Return the side to move."""
        return self._snapshot.state.to_move

    @property
    def record(self) -> str:
        """Return the record of the match after the last change, as text."""
        return self._saved.text

    @property
    def record_and_positions(self) -> tuple[Record, tuple[Position, ...]]:
        """Return the record and the positions of the match after the last change."""
        return self._saved.record, self._saved.positions

    @property
    def start(self) -> Position:
        """Return the position in which the match began."""
        return self._manager.start

    def state(self, yours: Sequence[int], *, owner: bool = False) -> WholeState:
        """Return the state of the match for a page that may play these sides.

        Pages with the same rights get the same object if they ask at the same time.
        """
        now, rights = time.monotonic(), (tuple(yours), owner)
        if rights not in self._states or now - self._states[rights][1] > SHARED_SECONDS:
            self._states[rights] = self._new_state(*rights), now
        return self._states[rights][0]

    def _new_state(self, yours: tuple[int, ...], owner: bool) -> WholeState:
        state = self._snapshot.state
        seats = [
            SeatState(seat.kind, not seat.is_free, seat.kind == "agent" or bool(seat.pages))
            for seat in self.seats
        ]
        running, clocks, move_left, used = None, state.clocks, state.move_left, state.used
        if self._is_clock_running:
            running = state.to_move
            spent = time.monotonic() - self._snapshot.taken_at
            now_used = [seconds + spent * (side == running) for side, seconds in enumerate(used)]
            used = now_used[0], now_used[1]
            if clocks is not None:
                left = [max(seconds - spent * (side == running), 0.0) for side, seconds in enumerate(clocks)]
                clocks = left[0], left[1]
            if move_left is not None:
                move_left = max(move_left - spent, 0.0)
        return WholeState(
            msgspec.structs.replace(
                state,
                seats=tuple(seats),
                yours=list(yours),
                owner=owner,
                clocks=clocks,
                move_left=move_left,
                used=used,
                running=running,
                offer=self._offer or state.offer,
                declined=self._declined,
                next=self._next,
                thinking=self._is_thinking,
                preparing=self._is_preparing,
                fault=state.fault or self._trouble,
                paused=self._is_paused,
                delay=self.delay,
                spectators=self._spectators,
            )
        )

    async def view(self, ply: int, move: str | None = None, overlays: Sequence[str] = ()) -> ViewReply:
        """Return the board after `ply` moves and, if given, after `move`, with overlays.

        Raises
        ------
        MatchError, MoveError, UnknownNameError
            If the match has fewer moves, `move` is not legal there, or there is no such overlay.
        """

        def look(manager: Manager) -> tuple[Position, ...]:
            positions = manager.positions
            if ply >= len(positions):
                raise MatchError(f"the match has {len(positions) - 1} moves, not {ply}")
            return positions[max(ply - 1, 0) : ply + 1]

        *earlier, position = await self._read(look)
        if move is not None:
            earlier = [position]

        def draw() -> msgspec.Raw:
            shown = position if move is None else position.apply(move)
            picture = shown.picture()
            if earlier:
                picture = picture.since(earlier[0].picture())
            return picture_json(picture.with_overlays(*(load_overlay(one, shown) for one in overlays)))

        if overlays:
            await self._call_game(
                partial(load_overlays, overlays, position.game.facts.name), seconds=LOAD_SECONDS
            )
        # an overlay may have to be compiled
        picture = await self._call_game(draw, seconds=LOAD_SECONDS if overlays else None)
        return ViewReply(match=self.key, ply=ply, move=move, picture=picture)

    async def premoves(self, sides: list[int], ply: int) -> ViewReply:
        """Return the board for choosing a move in advance, as if one of these sides were to move.

        Raises
        ------
        MatchError, PositionError
            If the match has moved on or is over, it is already the turn of one of these sides, or the game
            has no such position.
        """

        def look(manager: Manager) -> Position:
            if manager.outcome is not None or manager.ply != ply:
                raise MatchError("the match has moved on")
            if manager.side_to_move in sides:
                raise MatchError("it is your turn")
            return manager.position

        position = await self._read(look)

        def draw() -> msgspec.Raw:
            return picture_json(position.game.edit_turn(position, 1 - position.side_to_move).picture())

        return ViewReply(match=self.key, ply=ply, move=None, picture=await self._call_game(draw))

    async def hint(self) -> Hint:
        """Return the move that the agent to move would play; for a person, the game's default agent is asked.

        Raises
        ------
        MatchError
            If the match is over.
        TablesError
            If there is not enough memory for the agent's tables.
        """

        def look(manager: Manager) -> tuple[Position, int, Context]:
            if manager.outcome is not None:
                raise MatchError("the match is over")
            return manager.position, manager.ply, manager.context.for_advice()

        while self._is_paused and self._is_thinking:  # the agent to move still plays its move
            await asyncio.sleep(WATCH_INTERVAL_SECONDS)
        position, ply, context = await self._read(look)
        game, stop = position.game, Stop()
        seat = self.request.seats[position.side_to_move]
        agent = (seat.kind == "agent" and seat.agent) or game.facts.default_agent

        def think() -> Hint:
            player = load_player(agent, game)
            try:
                self._tables.reserve(player)
                limit = Limit(seconds=HINT_SECONDS)
                choice = player.choose(position, limit, replace(context, stop=stop))
            finally:
                close_player(player)
            value = None if choice.score is None else game.facts.score_text(choice.score)
            return Hint(match=self.key, ply=ply, move=str(choice.move), value=value)

        await self._compile_agents(game, (agent,))
        subject = agent_subject(agent, game.facts.name)
        return await self._searches.run(think, stop, subject=subject, seconds=HINT_SECONDS)

    def saved(self) -> ServedMatch:
        """Return the match after the last change, in the form in which it is stored."""
        data = {
            "request": msgspec.to_builtins(self.request),
            "entry": msgspec.to_builtins(msgspec.structs.replace(self.entry(), spectators=0)),
            "seats": [[seat.kind, seat.name, seat.token_hash] for seat in self.seats],
            "values": self._saved.values,
            "fault": self._saved.fault,
            "owner": self.owner_hash,
            "trusted": self.trusted,
            "paused": self._is_paused,
            "next": self._next,
            "name": self.name,
            "review": msgspec.to_builtins(self.review),
        }
        return ServedMatch(self.key, data, self._saved.text)

    def keep_review(self, review: KeptReview) -> None:
        """Keep a finished review with the match."""
        self.review = review
        self._on_change(self)

    # --- what people do --------------------------------------------------------

    async def move(self, sides: list[int], ply: int, text: str) -> None:
        """Make a move for the side to move, which must be one of these sides, after `ply` moves.

        Raises
        ------
        MatchError, MoveError
            If it is the other side's turn, the match has moved on, or the move is not legal.
        """

        def make(manager: Manager) -> None:
            if manager.outcome is None and manager.ply != ply:
                raise MatchError("the match has moved on")
            side = manager.side_to_move
            if manager.outcome is None and side not in sides:
                raise MatchError(f"it is {manager.game.facts.sides[side]}'s turn")
            manager.make_move(side, text)
            self.seats[side].has_seen_board |= self._is_full

        await self._change(make)

    async def shown(self, sides: Collection[int], ply: int) -> None:
        """Start the clock of a side at its first turn, because a page that plays it shows the board.

        At later turns, the clock runs as soon as the side is to move, so nobody gains time by closing the
        page.
        """
        state, seat = self._snapshot.state, self.seats[self.side_to_move]
        if state.to_move in sides and state.ply == ply and self._is_full and not seat.has_seen_board:
            seat.has_seen_board = True
            await self._call(lambda manager: None)
            self._changed()

    async def take_back(self, sides: list[int]) -> None:
        """Take back a move, or ask the other person to agree.

        Raises
        ------
        MatchError
            If there is nothing to take back.
        """
        if self._is_archived:
            raise MatchError("moves cannot be taken back in a match that ended before the server was started")
        if not self._needs_consent(sides):
            await self._change(lambda manager: manager.undo())
            return
        if all(move.side != sides[0] for move in self._snapshot.state.moves):
            raise MatchError("there is no move to take back")
        await self._propose(sides, "undo")

    async def resign(self, side: int) -> None:
        """Resign for a side."""
        await self._change(lambda manager: manager.resign(side))

    async def offer_draw(self, side: int) -> None:
        """Offer a draw; an agent answers at once."""
        await self._change(lambda manager: manager.offer_draw(side))
        state = self._snapshot.state
        if state.offer is None and state.outcome is None:
            early = f"not in the first {MIN_DRAW_PLIES // 2} moves"
            self._decline(OfferState("draw", side, early if state.ply < MIN_DRAW_PLIES else ""))

    async def answer(self, sides: list[int], *, accepts: bool) -> None:
        """Answer an offer or request of the other side.

        Raises
        ------
        MatchError
            If the other side is not waiting for an answer.
        """
        offer = self._offer or self._snapshot.state.offer
        if offer is None or 1 - offer.side not in sides:
            raise MatchError("there is nothing to answer")
        side = 1 - offer.side
        if offer.kind == "draw":
            answer = Manager.accept if accepts else Manager.decline
            await self._change(lambda manager: answer(manager, side))
        elif accepts:
            await self._do(offer)
        else:
            self._offer = None
        if not accepts:
            self._decline(offer)

    def _decline(self, offer: OfferState) -> None:
        """Show on the pages, for a few seconds, that an offer was declined."""

        def forget() -> None:
            if self._declined is offer:
                self._declined = None
                self._tell()

        self._declined = offer
        self._changed()
        if self._forgetting is not None:
            self._forgetting.cancel()
        self._forgetting = self._loop.call_later(DECLINED_SECONDS, forget)

    async def _propose(self, sides: Collection[int], kind: OfferKind) -> None:
        """Ask the other person to agree; if they asked for the same, or nobody has to be asked, do it now."""
        side = min(sides, default=0)
        is_same = self._offer is not None and (self._offer.kind, self._offer.side) == (kind, 1 - side)
        if is_same or not self._needs_consent(sides):
            await self._do(OfferState(kind, side))
        else:
            self._offer, self._declined = OfferState(kind, side), None
            self._changed()

    def check_control(self, sides: Collection[int], *, owner: bool) -> None:
        """Raise a MatchError unless a page with these sides may pause, restart or slow down the match.

        In a match between agents, only the page of its creator may.
        """
        if self._has_person and not sides:
            raise MatchError("only the players can do that; you are watching this match")
        if not self._has_person and not owner:
            raise MatchError("only whoever started the match can do that; you are watching it")

    def _needs_consent(self, sides: Collection[int]) -> bool:
        """Return True if exactly one side is not among these, and another person plays it."""
        others = [seat for side, seat in enumerate(self.seats) if side not in sides]
        return len(others) == 1 and others[0].kind != "agent" and not others[0].is_free

    async def _do(self, offer: OfferState) -> None:
        """Carry out what an offer proposes."""
        if offer.kind == "undo":
            await self._change(partial(_undo_move_of, offer.side))
        elif offer.kind in ("pause", "resume"):
            await self._set_paused(offer.kind == "pause")
        else:
            await self._begin_rematch(offer.kind == "swap")

    async def _begin_rematch(self, swap: bool) -> None:
        if self._is_starting_rematch:
            raise MatchError("the new match is already being started")
        self._is_starting_rematch = True
        try:
            key = await self._start_rematch(self, swap)
            if not self.is_over:
                await self._set_paused(True)
        finally:
            self._is_starting_rematch = False
        self._offer, self._next = None, key
        self._changed()

    async def _set_paused(self, is_paused: bool) -> None:
        """Pause or resume; in a match between agents, an agent that is thinking still makes its move."""
        if self.is_over:
            raise MatchError("the match is over")
        self._is_paused, self._steps = is_paused, 0
        if not self._has_person:
            self._changed()
        elif is_paused:
            await self._change(lambda manager: manager.pause())
        else:
            await self._change(lambda manager: manager.resume())

    async def claim(self, side: int, name: str) -> str:
        """Take a free seat and return its secret.

        Raises
        ------
        MatchError
            If the seat is not free.
        """
        seat, token = self.seats[side], new_token()
        if not seat.is_free:
            raise MatchError(f"the seat of {self._snapshot.state.sides[side]} is taken")
        seat.token_hash, seat.name = hash_of(token), name or seat.name

        def rename(manager: Manager) -> None:
            names = list(manager.names)
            names[side] = seat.name or names[side]
            manager.names = (names[0], names[1])

        await self._change(rename)
        return token

    async def pause(self, sides: Collection[int]) -> None:
        """Pause the match, or ask the other person for their consent.

        Raises
        ------
        MatchError
            If the match is over.
        """
        await self._propose(sides, "pause")

    async def resume(self, sides: Collection[int]) -> None:
        """Resume a paused match, or ask the other person for their consent.

        Raises
        ------
        MatchError
            As for `pause`.
        """
        await self._propose(sides, "resume")

    async def rematch(self, sides: Collection[int], *, swap: bool) -> None:
        """Start a new match with the same players and settings, or ask the other person to agree.

        If the old match is not over, it is paused.

        Raises
        ------
        BoardgamesError
            If the match cannot be started.
        """
        await self._propose(sides, "swap" if swap else "rematch")

    def set_delay(self, seconds: float) -> None:
        """Set the minimum time between two moves of a match between agents."""
        self._check_watched()
        self.delay = seconds
        self._changed()

    def step(self) -> None:
        """Let the agents of a paused match make one move."""
        self._check_watched()
        if self._is_paused:
            self._steps = 1
            self._changed()

    def start_closing(self) -> list[asyncio.Task[None]]:
        """Stop the agents, and return a task for each one that ends when its resources are released."""
        for timer in (self._counting, self._forgetting):
            if timer is not None:
                timer.cancel()
        if self._driver is not None:
            self._driver.cancel()
        if self._stop is not None:
            self._stop.set()
        return [
            self._loop.create_task(self._close_player(side, player))
            for side, player in enumerate(self._manager.players)
            if player is not None
        ]

    async def _close_player(self, side: int, player: Player) -> None:
        while not self._manager.is_ready(side):
            await asyncio.sleep(READY_INTERVAL_SECONDS)
        await call_in_thread(partial(close_player, player))
        self._tables.release(player)

    # --- changes ---------------------------------------------------------------

    def add_page(self, page: int, token: str | None) -> list[int]:
        """Add a page that shows the match, and return the sides that its token allows it to play."""
        sides = [side for side, seat in enumerate(self.seats) if token and seat.is_opened_by(token)]
        self._pages.add(page)
        if self.is_owned_by(token):
            self._owner_pages.add(page)
        self._count_soon()
        for side in sides:
            self.seats[side].pages.add(page)
        if sides:
            self._changed()
        return sides

    def is_owned_by(self, token: str | None) -> bool:
        """Return True if this is the secret of the match's creator."""
        return bool(token and self.owner_hash) and hmac.compare_digest(hash_of(token or ""), self.owner_hash)

    def remove_page(self, page: int) -> None:
        """Remove a page that no longer shows the match."""
        self._pages.discard(page)
        self._owner_pages.discard(page)
        self._count_soon()
        left = [seat for seat in self.seats if page in seat.pages]
        for seat in left:
            seat.pages.discard(page)
        if left:
            self._changed()

    def _count_soon(self) -> None:
        """Count the spectators after `COUNT_SECONDS`, unless this is about to happen anyway."""
        if self._counting is None:
            self._counting = self._loop.call_later(COUNT_SECONDS, self._count)

    def _count(self) -> None:
        self._counting = None
        spectators = len(self._pages.difference(self._owner_pages, *(seat.pages for seat in self.seats)))
        if spectators != self._spectators:
            self._spectators = spectators
            self._states.clear()
            self._on_watched(self.key)

    def _changed(self) -> None:
        self._wake.set()
        self._tell()

    def _tell(self) -> None:
        self._states.clear()
        self._on_change(self)

    async def _change(self, action: Callable[[Manager], object]) -> None:
        self._offer = self._declined = self._next = None
        await self._call(action)
        self._is_paused = self._is_paused and not self.is_over
        self._changed()

    async def _read(self, read: Callable[[Manager], _Result]) -> _Result:
        """Call a function that does not change the manager in another thread, and return its result."""

        def call() -> _Result:
            with self._lock:
                return read(self._manager)

        return await self._call_game(call)

    async def _call(self, action: Callable[[Manager], object]) -> None:
        await self._call_game(partial(self._act, action))

    async def _call_game(self, function: Callable[[], _Result], *, seconds: float | None = None) -> _Result:
        """Call a function that runs code of the game in another thread, and return its result."""
        return await self._calls.run(game_subject(self.request.game), function, seconds=seconds)

    def _act(self, action: Callable[[Manager], object]) -> None:
        """Call a function that changes the manager, and take a new snapshot; runs in another thread."""
        with self._lock:
            try:
                action(self._manager)
                if self.seats[self._manager.side_to_move].has_seen_board:
                    self._manager.start_clock()
            finally:
                self._update(self._snapshot.state.version + 1)

    def _check_watched(self) -> None:
        if self._has_person:
            raise MatchError("only matches between agents can be slowed down or played move by move")

    # --- the agents and the clocks ---------------------------------------------

    async def _drive(self) -> None:
        """Let agents move, and end the match when a person's time is up.

        If a game or an agent does not respond, try again later; if it is broken, try again when the match
        changes.
        """
        while True:
            self._wake.clear()
            try:
                await self._advance()
            except PluginError as error:
                if self._trouble != error.summary:
                    _log.error("match %s cannot continue: %s", self.key, error, exc_info=error.__cause__)
                    self._trouble = error.summary
                    self._tell()
                await self._wait(RETRY_SECONDS if isinstance(error, NotRespondingError) else None)
            else:
                if self._trouble is not None:
                    self._trouble = None
                    self._tell()

    async def _advance(self) -> None:
        """Let an agent move, or wait until a person's time is up or the match changes."""
        state = self._snapshot.state
        if self.is_over:  # the match can be reopened by taking a move back
            await self._wake.wait()
        elif not self._is_agents_turn:
            await self._wait(self._seconds_left())
            if not self._wake.is_set():
                await self._change(lambda manager: manager.tick())
        elif self._is_held or (state.clocks is not None and not self._is_full):
            await self._wake.wait()
        else:
            await self._let_agent_move()

    async def _let_agent_move(self) -> None:
        if not self._manager.is_ready(self.side_to_move):
            await self._wait(READY_INTERVAL_SECONDS)
            if self._is_preparing and not self._said_preparing:
                self._said_preparing = True
                self._tell()
            return
        self._steps = 0
        started, stop = time.monotonic(), Stop()
        self._stop = stop

        def step(manager: Manager) -> None:
            is_on = manager.outcome is None and not manager.is_paused
            if is_on and manager.players[manager.side_to_move] is not None:
                self._is_thinking, self._thinking_since = True, time.monotonic()
                self._update(self._snapshot.state.version)  # the clock starts now
                self._loop.call_soon_threadsafe(self._tell)
                manager.step(stop=stop)

        urgency = PERSON_WAITS if self._has_person else NOBODY_WAITS
        player = self._manager.players[self.side_to_move]
        subject = agent_subject(player.name if player else "", self.request.game)
        search = self._loop.create_task(
            self._searches.run(lambda: self._act(step), stop, urgency=urgency, subject=subject)
        )
        try:
            await self._watch_agent(search, self.side_to_move, stop)
        except (asyncio.CancelledError, PluginError):
            stop.set()
            search.cancel()
            raise
        finally:
            self._is_thinking = False
        self._tell()
        if not (self.is_over or self._has_person):
            await asyncio.sleep(max(self.delay - (time.monotonic() - started), 0.0))

    async def _watch_agent(self, search: asyncio.Task[None], side: int, stop: Stop) -> None:
        """Wait until an agent has moved, or has lost because its time is up or it hangs.

        If the match ends while the agent thinks, wait only for `GRACE_SECONDS`.
        """
        seconds, over_since = self._limits[side].seconds or 0.0, None
        while not search.done():
            await asyncio.wait([search], timeout=WATCH_INTERVAL_SECONDS)
            now = time.monotonic()
            if search.done():
                await search
            elif self.is_over:
                over_since = over_since or now
                if now - over_since > GRACE_SECONDS:
                    return
            elif self._is_thinking:
                late = now - self._thinking_since - seconds
                left = self._seconds_left()
                with suppress(NotRespondingError):  # the game hangs; try again at the next check
                    if left is not None and left <= TICK_MARGIN_SECONDS:
                        await self._change(lambda manager: manager.tick())
                    elif late > 2 * OVERDUE_SECONDS:
                        await self._change(partial(_forfeit_if_to_move, side))
                    elif late > OVERDUE_SECONDS:
                        stop.set()

    def _report(self, driver: asyncio.Task[None]) -> None:
        if not driver.cancelled() and (error := driver.exception()) is not None:
            _log.error("match %s has stopped", self.key, exc_info=error)

    async def _wait(self, seconds: float | None) -> None:
        try:
            await asyncio.wait_for(self._wake.wait(), seconds)
        except TimeoutError:
            return

    @property
    def _is_full(self) -> bool:
        """Return True if both seats are taken; no clock runs before that."""
        return not any(seat.is_free for seat in self.seats)

    @property
    def _is_held(self) -> bool:
        """Return True if agents must not move because the match is paused."""
        return self._is_paused and (self._has_person or not self._steps)

    @property
    def _has_person(self) -> bool:
        """Return True if a person plays."""
        return any(seat.kind != "agent" for seat in self.seats)

    @property
    def _is_clock_running(self) -> bool:
        """Return True while the clock of the side to move is running."""
        if self.is_over or (self._is_paused and self._has_person):
            return False
        return self._is_thinking if self._is_agents_turn else self._snapshot.is_running

    @property
    def _is_agents_turn(self) -> bool:
        return self.seats[self.side_to_move].kind == "agent"

    @property
    def _is_preparing(self) -> bool:
        """Return True if the agent to move is not ready, unless the match has just been loaded."""
        if self.is_over or not self._is_agents_turn or self._manager.is_ready(self.side_to_move):
            return False
        return time.monotonic() - self._created_at > UNREADY_SECONDS

    def _seconds_left(self) -> float | None:
        """Return the seconds until the time of the side to move is up; None if no time passes."""
        left = self._snapshot.seconds_left
        if left is None or not self._is_clock_running:
            return None
        return max(left - (time.monotonic() - self._snapshot.taken_at), 0.0) + TICK_MARGIN_SECONDS

    # --- snapshots -------------------------------------------------------------

    def _update(self, version: int) -> None:
        """Update what is saved, and then the snapshot, since drawing the board for the snapshot may fail.

        The caller holds the lock, unless no other thread knows the match yet.
        """
        manager = self._manager
        # keep the values of moves that were not taken back
        self._old_values = self._old_values[: len(manager.moves)]
        new = [played.score for played in manager.moves[len(self._old_values) :]]
        text = manager.game.facts.score_text
        values = [*self._old_values, *(None if score is None else text(score) for score in new)]
        fault, record = _fault_text(manager) or self._old_fault, manager.record()
        self._saved = _Saved(record, str(record), manager.positions, values, fault)
        self._snapshot = self._new_snapshot(version)

    def _new_snapshot(self, version: int) -> _Snapshot:
        """Return a snapshot of the match; `_saved` must be up to date."""
        manager = self._manager
        facts, outcome = manager.game.facts, manager.outcome
        picture = manager.picture()
        if manager.ply:
            picture = picture.since(manager.positions[-2].picture())
        state = MatchState(
            id=self.key,
            version=version,
            game=facts.name,
            title=facts.title,
            layout=manager.game.layout,
            options=dict(manager.game.options),
            sides=facts.sides,
            names=shown_names(manager.names, facts.sides),
            ply=manager.ply,
            to_move=manager.side_to_move,
            moves=[
                MoveState(
                    played.move.text,
                    played.side,
                    round(played.seconds, 3),
                    value,
                )
                for played, value in zip(manager.moves, self._saved.values, strict=True)
            ],
            picture=picture_json(picture),
            clocks=manager.clocks,
            increments=(manager.rules.times[0].increment, manager.rules.times[1].increment),
            move_times=(manager.rules.times[0].move, manager.rules.times[1].move),
            move_left=manager.move_clock,
            used=_seconds_used(manager),
            moves_left=_moves_left(manager),
            limit="" if manager.move_limit is None else "move {} of {}".format(*manager.move_limit),
            score=manager.position.score,
            outcome=None if outcome is None else _outcome_state(outcome, manager),
            fault=self._saved.fault,
            offer=None if manager.draw_offer is None else OfferState("draw", manager.draw_offer),
            announcement=_announcement(manager),
        )
        limits = [] if manager.clocks is None else [manager.clocks[manager.side_to_move]]
        limits += [] if manager.move_clock is None else [manager.move_clock]
        return _Snapshot(state, min(limits, default=None), manager.is_clock_running, time.monotonic())


def shown_names(names: Sequence[str], sides: tuple[str, str]) -> tuple[str, str]:
    """Return the players' names for the page; a player without a name gets the name of their side."""
    first, second = (
        side if name in (HUMAN, UNKNOWN) else name for name, side in zip(names, sides, strict=True)
    )
    return first, second


def _undo_move_of(side: int, manager: Manager) -> None:
    """Take back the last move of a side and everything played after it."""
    ply = manager.ply
    manager.undo()
    if manager.ply not in (0, ply) and manager.side_to_move != side:
        manager.undo()


def _seconds_used(manager: Manager) -> tuple[float, float]:
    """Return the seconds that each side has spent, including those on a move that has not been made."""
    used = list(manager.time_used)
    used[manager.side_to_move] += manager.seconds_on_move
    return used[0], used[1]


def _moves_left(manager: Manager) -> tuple[int, int] | None:
    """Return the moves that each side may still make, or None without a limit."""
    if manager.rules.move_limits is None:
        return None
    first, second = (
        max(limit - made, 0)
        for limit, made in zip(manager.rules.move_limits, manager.moves_made, strict=True)
    )
    return first, second


def _outcome_state(outcome: Outcome, manager: Manager) -> OutcomeState:
    """Return how a match ended, with a reason if that was a lack of progress or a repetition."""
    facts, reason = manager.game.facts, ""
    if outcome.termination is Termination.NO_PROGRESS:
        reason = f"{facts.no_progress} for {manager.plies_since_score} plies"
    if outcome.termination is Termination.REPETITION:
        reason = _repetition_reason(manager.rules.repetition_rule)
    return OutcomeState.of(outcome, facts.sides, reason)


def _repetition_reason(rule: Repetition) -> str:
    """Return why a match ended by repetition, or an empty string if the page's own text is enough."""
    if rule.meaning == "forbidden":
        return "every move would repeat an earlier position"
    if rule.meaning == "draw" and rule != THREEFOLD:
        return f"the same position occurred {rule.count} times"
    return ""


def _forfeit_if_to_move(side: int, manager: Manager) -> None:
    """End the match because an agent hangs, unless it has moved in the meantime or the match is over."""
    if manager.outcome is None and manager.side_to_move == side:
        manager.forfeit(side, "it does not answer")


def _fault_text(manager: Manager) -> str | None:
    """Return what an agent did wrong; for an exception only its class, since the text may name files."""
    if manager.fault is None or manager.outcome is None:
        return None
    if manager.outcome.termination is Termination.CRASH:
        parts = manager.fault.split(": ")
        return ": ".join(parts[: 2 if parts[0].endswith(" is broken") else 1])
    return manager.fault


def _announcement(manager: Manager) -> str:
    """Return the last move and whose turn it is, for screen readers."""
    sides, parts = manager.game.facts.sides, []
    if manager.moves:
        played = manager.moves[-1]
        parts.append(f"{sides[played.side]} played {played.move}.")
    if manager.outcome is not None:
        parts.append(f"{manager.outcome.describe(sides)}.")
    else:
        parts.append(f"{sides[manager.side_to_move]} to move.")
    return " ".join(part[0].upper() + part[1:] for part in parts)
