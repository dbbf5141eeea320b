"""Matches that pages play and watch: a `Manager`, its seats, and the threads in which agents think.

All calls of a manager are made in threads while the lock of the match is held; the lock is released
while an agent thinks. Whoever changes a match makes a new snapshot of it before it releases the lock, so
the event loop never waits for a thread.
"""

import asyncio
import hashlib
import hmac
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from boardgames.errors import MatchError
from boardgames.game import Termination
from boardgames.manager import Manager
from boardgames.player import Limit, Stop
from boardgames.plugins import close_player, load_player
from boardgames.web.messages import (
    Hint,
    MatchEntry,
    MatchState,
    MoveState,
    OutcomeState,
    SeatState,
    ViewReply,
    encode,
    picture_json,
)

TOKEN_BYTES = 18
HINT_SECONDS = 1.0
TICK_MARGIN = 0.02
"""Seconds after the end of a person's time before it is checked, so that it is certainly over."""

_Result = TypeVar("_Result")


@dataclass(slots=True)
class Seat:
    """The seat of a side: who plays it, and the hash of the secret that lets a page do so."""

    kind: str
    name: str
    token_hash: str = ""
    connections: Counter[int] = field(default_factory=Counter)

    @property
    def is_free(self) -> bool:
        """Return True if a person can take the seat."""
        return self.kind == "open" and not self.token_hash

    def is_opened_by(self, token: str) -> bool:
        """Return True if this is the secret of the seat."""
        return bool(self.token_hash) and hmac.compare_digest(hash_of(token), self.token_hash)


def new_token() -> str:
    """Return a new secret for seats."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def hash_of(token: str) -> str:
    """Return what is kept of a secret."""
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """A match at one moment, apart from what the event loop knows, and the time left to the side to move."""

    state: MatchState
    seconds_left: float | None
    taken_at: float


class LiveMatch:
    """A match on the server.

    Its methods are called in the event loop.

    Parameters
    ----------
    key : str
        Identifies the match in messages and links.
    manager : callable
        Returns the manager. It is called with `while_thinking`, an argument of `Manager`.
    seats : (Seat, Seat)
        The seats of side 0 and side 1.
    threads : Executor
        Where the methods of the manager are called.
    searches : Executor
        Where agents think. Its number of threads limits how many do so at the same time.
    on_change : callable
        Called after every change.
    """

    def __init__(
        self,
        key: str,
        manager: Callable[..., Manager],
        seats: tuple[Seat, Seat],
        *,
        threads: Executor,
        searches: Executor,
        on_change: Callable[["LiveMatch"], None],
    ) -> None:
        self.key = key
        self.seats = seats
        self._delay = 0.0
        self.undo_request: int | None = None
        self._is_paused = False
        self._is_thinking = False
        self._steps = 0
        self._lock = threading.Lock()
        self._threads, self._searches = threads, searches
        self._on_change = on_change
        self._wake = asyncio.Event()
        self._stop: Stop | None = None
        with self._lock:
            self.manager = manager(while_thinking=self._unlocked)
            self._snapshot = self._new_snapshot(0)
        self._driver = asyncio.get_running_loop().create_task(self._drive())

    # --- what pages see --------------------------------------------------------

    def entry(self) -> MatchEntry:
        """Return the match as the lobby lists it."""
        state = self._snapshot.state
        return MatchEntry(
            self.key,
            state.game,
            state.title,
            self.names,
            state.ply,
            "" if state.outcome is None else state.outcome.text,
            [side for side, seat in enumerate(self.seats) if seat.is_free],
            state.outcome is None,
        )

    @property
    def names(self) -> tuple[str, str]:
        """Return the names of both players; a side whose player has none gives its own."""
        first, second = (
            seat.name or side for seat, side in zip(self.seats, self._snapshot.state.sides, strict=True)
        )
        return first, second

    @property
    def is_over(self) -> bool:
        """Return True if the match has ended."""
        return self._snapshot.state.outcome is not None

    @property
    def side_to_move(self) -> int:
        """Return the side to move."""
        return self._snapshot.state.to_move

    @property
    def draw_offer(self) -> int | None:
        """Return the side that has offered a draw and waits for an answer."""
        return self._snapshot.state.draw_offer

    def sides_of(self, token: str | None) -> list[int]:
        """Return the sides that a page with this secret may play."""
        return [side for side, seat in enumerate(self.seats) if token and seat.is_opened_by(token)]

    def state(self, yours: list[int]) -> bytes:
        """Return the state of the match as JSON, for a page that may play these sides."""
        state = self._snapshot.state
        seats = [
            SeatState(seat.kind, not seat.is_free, seat.kind == "agent" or seat.connections.total() > 0)
            for seat in self.seats
        ]
        is_persons_turn = self.seats[state.to_move].kind != "agent"
        running = None
        if state.outcome is None and state.clocks is not None and (is_persons_turn or self._is_thinking):
            running = state.to_move
        clocks = state.clocks
        if running is not None and clocks is not None:
            spent = time.monotonic() - self._snapshot.taken_at
            left = [max(seconds - spent * (side == running), 0.0) for side, seconds in enumerate(clocks)]
            clocks = left[0], left[1]
        return encode(
            msgspec.structs.replace(
                state,
                names=self.names,
                seats=(seats[0], seats[1]),
                yours=yours,
                clocks=clocks,
                running=running,
                undo_request=self.undo_request,
                thinking=self._is_thinking,
                paused=self._is_paused,
            )
        )

    async def view(self, ply: int, re: int | None) -> bytes:
        """Return the board after a number of moves.

        Raises
        ------
        MatchError
            If the match has fewer moves.
        """

        def draw(manager: Manager) -> msgspec.Raw:
            positions = manager.positions
            if ply >= len(positions):
                raise MatchError(f"the match has {len(positions) - 1} moves, not {ply}")
            picture = positions[ply].picture()
            return picture_json(picture.since(positions[ply - 1].picture()) if ply else picture)

        picture = await self._call(draw)
        return encode(ViewReply(match=self.key, ply=ply, picture=picture, **_answering(re)))

    async def hint(self, re: int | None) -> bytes:
        """Return a move that the game's default agent would play."""

        def think(manager: Manager) -> Hint:
            position, ply = manager.position, manager.ply
            if manager.outcome is not None:
                raise MatchError("the match is over")
            with self._unlocked():
                player = load_player(manager.game.facts.default_agent, manager.game)
                try:
                    choice = player.choose(position, Limit(seconds=HINT_SECONDS))
                finally:
                    close_player(player)
            value = None if choice.score is None else str(choice.score)
            return Hint(match=self.key, ply=ply, move=str(choice.move), value=value, **_answering(re))

        return encode(await self._call(think, executor=self._searches))

    # --- what people do --------------------------------------------------------

    async def move(self, sides: list[int], ply: int, text: str) -> None:
        """Make a move for the side to move, which must be one of these sides.

        Raises
        ------
        MatchError, MoveError
            If it is another side's turn, the match has moved on, or the move is not legal.
        """

        def make(manager: Manager) -> None:
            if manager.outcome is None and manager.ply != ply:
                raise MatchError("the match has moved on")
            side = manager.side_to_move
            if manager.outcome is None and side not in sides:
                raise MatchError(f"it is the turn of {manager.game.facts.sides[side]}")
            manager.make_move(side, text)

        await self._change(make)

    async def take_back(self, sides: list[int]) -> None:
        """Take back a move, or ask the other person to agree.

        Raises
        ------
        MatchError
            If there is nothing to take back.
        """
        opponent = self.seats[1 - sides[0]]
        if len(sides) == 1 and opponent.kind != "agent":
            if self._snapshot.state.ply == 0:
                raise MatchError("there is no move to take back")
            self.undo_request = sides[0]
            self._changed()
            return
        await self._change(lambda manager: manager.undo())

    async def resign(self, side: int) -> None:
        """Resign for a side."""
        await self._change(lambda manager: manager.resign(side))

    async def offer_draw(self, side: int) -> None:
        """Offer a draw, which an agent answers at once."""
        await self._change(lambda manager: manager.offer_draw(side))

    async def answer(self, side: int, *, accepts: bool) -> None:
        """Answer the other side's wish to take back a move, or else its draw offer.

        Raises
        ------
        MatchError
            If the other side waits for no answer.
        """
        if self.undo_request == 1 - side:
            if accepts:
                await self._change(lambda manager: manager.undo())
            self.undo_request = None
            self._changed()
        elif accepts:
            await self._change(lambda manager: manager.accept(side))
        else:
            await self._change(lambda manager: manager.decline(side))

    def claim(self, side: int, name: str) -> str:
        """Take a free seat and return its secret.

        Raises
        ------
        MatchError
            If the seat is not free.
        """
        seat = self.seats[side]
        if not seat.is_free:
            raise MatchError(f"the seat of {self._snapshot.state.sides[side]} is taken")
        token = new_token()
        seat.token_hash, seat.name = hash_of(token), name or seat.name
        self._changed()
        return token

    def pause(self) -> None:
        """Stop a match between agents before the next move.

        Raises
        ------
        MatchError
            If a person plays in this match.
        """
        self._check_watched()
        self._is_paused = True
        self._changed()

    def resume(self) -> None:
        """Let a match between agents go on."""
        self._check_watched()
        self._is_paused, self._steps = False, 0
        self._changed()

    def set_delay(self, seconds: float) -> None:
        """Set the shortest time between two moves of a match between agents."""
        self._check_watched()
        self._delay = seconds

    def step(self) -> None:
        """Let the agents of a paused match make one move."""
        self._check_watched()
        if self._is_paused:
            self._steps = 1
            self._changed()

    async def close(self) -> None:
        """Stop the agents and release what they hold."""
        self._driver.cancel()
        if self._stop is not None:
            self._stop.set()
        for player in self.manager.players:
            if player is not None:
                await asyncio.get_running_loop().run_in_executor(self._threads, close_player, player)

    # --- changes ---------------------------------------------------------------

    def connections_changed(self) -> None:
        """Tell all pages that one of them has joined or left."""
        self._changed()

    def _changed(self) -> None:
        self._wake.set()
        self._on_change(self)

    async def _change(self, action: Callable[[Manager], object]) -> None:
        self.undo_request = None
        await self._call(action)
        self._changed()

    async def _call(self, action: Callable[[Manager], _Result], executor: Executor | None = None) -> _Result:
        """Call a function with the manager in another thread."""

        def call() -> _Result:
            with self._lock:
                try:
                    return action(self.manager)
                finally:
                    self._snapshot = self._new_snapshot(self._snapshot.state.version + 1)

        return await asyncio.get_running_loop().run_in_executor(executor or self._threads, call)

    @contextmanager
    def _unlocked(self) -> Iterator[None]:
        self._lock.release()
        try:
            yield
        finally:
            self._lock.acquire()

    def _check_watched(self) -> None:
        if any(seat.kind != "agent" for seat in self.seats):
            raise MatchError("only matches between agents can be paused or slowed down")

    # --- the agents and the clocks ---------------------------------------------

    async def _drive(self) -> None:
        """Let agents move, and end the match when a person's time is up."""
        while True:
            self._wake.clear()
            state = self._snapshot.state
            if self.is_over:  # it can be reopened by taking a move back
                await self._wake.wait()
            elif self.seats[state.to_move].kind != "agent":
                await self._wait(self._seconds_left())
                if not self._wake.is_set():
                    await self._change(lambda manager: manager.tick())
            elif self._is_paused and not self._steps:
                await self._wake.wait()
            else:
                self._steps = 0
                await self._let_agent_move()

    async def _let_agent_move(self) -> None:
        started, self._stop = time.monotonic(), Stop()
        stop = self._stop
        self._is_thinking = True
        self._on_change(self)
        try:
            await self._call(lambda manager: _step(manager, stop), self._searches)
        finally:
            self._is_thinking = False
        self._on_change(self)
        if not self.is_over:
            await asyncio.sleep(max(self._delay - (time.monotonic() - started), 0.0))

    async def _wait(self, seconds: float | None) -> None:
        try:
            await asyncio.wait_for(self._wake.wait(), seconds)
        except TimeoutError:
            return

    def _seconds_left(self) -> float | None:
        """Return the seconds until the time of the side to move is up; None if it has no limit."""
        left = self._snapshot.seconds_left
        if left is None:
            return None
        return max(left - (time.monotonic() - self._snapshot.taken_at), 0.0) + TICK_MARGIN

    # --- snapshots -------------------------------------------------------------

    def _new_snapshot(self, version: int) -> _Snapshot:
        """Return the state of the match; the lock is held."""
        manager = self.manager
        facts, outcome = manager.game.facts, manager.outcome
        picture = manager.position.picture()
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
            names=facts.sides,
            seats=(_NO_SEAT, _NO_SEAT),
            yours=[],
            ply=manager.ply,
            to_move=manager.side_to_move,
            moves=[
                MoveState(
                    played.move.text,
                    played.side,
                    round(played.seconds, 3),
                    None if played.score is None else str(played.score),
                )
                for played in manager.moves
            ],
            picture=picture_json(picture),
            clocks=manager.clocks,
            running=None,
            limit="" if manager.move_limit is None else "move {} of {}".format(*manager.move_limit),
            score=manager.position.score,
            outcome=None if outcome is None else OutcomeState(outcome.winner, outcome.describe(facts.sides)),
            fault=_fault_text(manager),
            draw_offer=manager.draw_offer,
            undo_request=None,
            thinking=False,
            paused=False,
            announcement=_announcement(manager),
        )
        limits = [] if manager.clocks is None else [manager.clocks[manager.side_to_move]]
        limits += [] if manager.move_clock is None else [manager.move_clock]
        return _Snapshot(state, min(limits, default=None), time.monotonic())


_NO_SEAT = SeatState("open", taken=False, connected=False)


def _step(manager: Manager, stop: Stop) -> None:
    if manager.outcome is None and manager.players[manager.side_to_move] is not None:
        manager.step(stop=stop)


def _fault_text(manager: Manager) -> str | None:
    """Return what an agent did wrong; of an exception only its class, since its text may name files."""
    if manager.fault is None or manager.outcome is None:
        return None
    if manager.outcome.termination is Termination.CRASH:
        return manager.fault.partition(":")[0]
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


def _answering(re: int | None) -> dict[str, int]:
    return {} if re is None else {"re": re}
