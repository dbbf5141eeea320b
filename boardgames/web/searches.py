"""Threads in which agents think. Nobody waits long for one, however many ask at the same time."""

import asyncio
import heapq
import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeVar

from boardgames.player import Stop

LONGEST_WAIT = 3.0
"""Seconds that a search waits for a thread, if those that run end when they are told to."""
GRACE = 2.0
"""Seconds that a search has for ending; after that it no longer counts as running."""
CHECK_INTERVAL = 0.05

PERSON_WAITS, NOBODY_WAITS = 0, 1

_Result = TypeVar("_Result")


@dataclass(slots=True, eq=False)
class _Search:
    stop: Stop
    started: float = field(default_factory=time.monotonic)
    counts: bool = True


async def call_in_thread(function: Callable[[], _Result]) -> _Result:
    """Call a function in a new thread, which does not keep the program from ending if it hangs."""
    result: Future[_Result] = Future()
    result.set_running_or_notify_cancel()

    def call() -> None:
        try:
            result.set_result(function())
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            result.set_exception(error)

    threading.Thread(target=call, name="search", daemon=True).start()
    return await asyncio.wrap_future(result)


class Searches:
    """Runs a limited number of searches at a time.

    While others wait, each search may take only its share of `LONGEST_WAIT`; then it is told to
    end and answers with the best move so far. Its methods are called in the event loop.

    Parameters
    ----------
    count : int
        How many searches run at the same time.
    """

    def __init__(self, count: int) -> None:
        self._count = self._room = count
        self._running: set[_Search] = set()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._check: asyncio.TimerHandle | None = None

    async def run(self, search: Callable[[], _Result], stop: Stop, *, urgency: int = PERSON_WAITS) -> _Result:
        """Call a function in a thread of its own as soon as there is room, and return its result.

        Parameters
        ----------
        search : callable
            Called without arguments.
        stop : Stop
            Ends it early.
        urgency : int
            Those for which a person waits go before the others.
        """
        await self._turn(urgency)
        running = _Search(stop)
        self._running.add(running)
        try:
            return await call_in_thread(search)
        finally:
            self._running.discard(running)
            self._release(running)

    def close(self) -> None:
        """Tell all searches to end."""
        for running in self._running:
            running.stop.set()
        if self._check is not None:
            self._check.cancel()

    async def _turn(self, urgency: int) -> None:
        """Wait until there is room."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (urgency, next(self._numbers), turn))
        self._admit()
        self._watch()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._room += 1
                self._admit()
            raise

    def _admit(self) -> None:
        """Let those go on that are most urgent and have waited longest, as far as there is room."""
        while self._waiting and self._room > 0:
            turn = heapq.heappop(self._waiting)[2]
            if not turn.done():  # otherwise it was cancelled
                turn.set_result(None)
                self._room -= 1

    def _release(self, search: _Search) -> None:
        if search.counts:
            search.counts = False
            self._room += 1
            self._admit()

    def _watch(self) -> None:
        if self._check is None and self._waiting:
            self._check = asyncio.get_running_loop().call_later(CHECK_INTERVAL, self._make_room)

    def _make_room(self) -> None:
        """Tell searches to end that have had their share while others wait."""
        self._check = None
        now, share = time.monotonic(), LONGEST_WAIT * self._count / max(len(self._waiting), 1)
        for running in self._running if self._waiting else ():
            if now - running.started > share:
                running.stop.set()
            if now - running.started > share + GRACE:
                self._release(running)
        self._watch()
