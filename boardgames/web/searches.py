"""Threads in which agents think; searches are cut short so that others do not wait long for a thread."""

import asyncio
import heapq
import itertools
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from boardgames.player import Stop
from boardgames.web.calls import NotRespondingError, call_in_thread

MAX_WAIT_SECONDS = 3.0
"""The longest time that a search should wait for a thread."""
GRACE_SECONDS = 2.0
"""How long a search may continue after it was told to stop."""
CHECK_INTERVAL_SECONDS = 0.05
MAX_STUCK_SEARCHES = 3
"""An agent cannot be used while this many of its searches ignore a request to stop."""
HANG_SECONDS = 300.0
"""Time allowed in addition to a search's own limit, since the agent may have to be compiled first."""

PERSON_WAITS, NOBODY_WAITS = 0, 1

_Result = TypeVar("_Result")


@dataclass(slots=True, eq=False)
class _Search:
    stop: Stop | None
    subject: str
    seconds: float
    started: float = field(default_factory=time.monotonic)
    counts: bool = True


class Searches:
    """Runs a limited number of searches at the same time. Its methods are called in the event loop.

    The more searches wait, the less time each running search may take, so that none has to wait much longer
    than `MAX_WAIT_SECONDS`. A search whose time is up is told to stop, and answers with the best move so far.

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
        self._timer: asyncio.TimerHandle | None = None
        self._stuck: Counter[str] = Counter()

    async def run(
        self,
        search: Callable[[], _Result],
        stop: Stop | None,
        *,
        urgency: int = PERSON_WAITS,
        subject: str = "",
        seconds: float | None = None,
    ) -> _Result:
        """Call a function in a new thread as soon as there is room, and return its result.

        Parameters
        ----------
        search : callable
            Called without arguments.
        stop : Stop or None
            Set to end the search early. If None, the search runs to its own limit, `seconds`, even while
            others wait.
        urgency : int
            Searches that a person waits for come before the others.
        subject : str
            The agent that thinks, such as `agent 'alphabeta'`.
        seconds : float, optional
            The time limit of the search; None if the caller stops the search itself.

        Raises
        ------
        NotRespondingError
            If the search hangs, or several searches by this agent have ignored a request to stop.
        """
        self._check(subject)
        await self._turn(urgency)
        try:
            self._check(subject)  # other searches of this agent may have hung meanwhile
        except NotRespondingError:
            self._room += 1
            self._admit()
            raise
        running = _Search(stop, subject, seconds or 0.0)
        self._running.add(running)
        call = asyncio.get_running_loop().create_task(call_in_thread(search))
        call.add_done_callback(lambda ended: self._end(running, ended))
        limit = None if seconds is None else seconds + HANG_SECONDS
        await asyncio.wait([call], timeout=limit)
        if call.done():
            return call.result()
        if stop is not None:
            stop.set()
        self._give_up(running)
        raise NotRespondingError(f"{subject} did not answer within {limit:g} s")

    def close(self) -> None:
        """Tell all searches to stop."""
        for running in self._running:
            if running.stop is not None:
                running.stop.set()
        if self._timer is not None:
            self._timer.cancel()

    def _check(self, subject: str) -> None:
        if subject and self._stuck[subject] >= MAX_STUCK_SEARCHES:
            raise NotRespondingError(
                f"{subject} is broken: {MAX_STUCK_SEARCHES} of its searches did not stop when told to"
            )

    async def _turn(self, urgency: int) -> None:
        """Wait until there is room for another search."""
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
        """Start the most urgent searches, oldest first, while there is room."""
        while self._waiting and self._room > 0:
            turn = heapq.heappop(self._waiting)[2]
            if not turn.done():  # if it is done, the caller was cancelled
                turn.set_result(None)
                self._room -= 1

    def _end(self, search: _Search, call: asyncio.Task[Any]) -> None:  # a search may return anything
        if not call.cancelled():
            call.exception()  # retrieve the exception, since nobody may be waiting for it any longer
        self._running.discard(search)
        if search.counts:
            self._release(search)
        else:
            self._stuck[search.subject] -= 1

    def _give_up(self, search: _Search) -> None:
        """Make room for another search because this one ignores the request to stop."""
        if search.counts:
            self._stuck[search.subject] += 1
            self._release(search)

    def _release(self, search: _Search) -> None:
        if search.counts:
            search.counts = False
            self._room += 1
            self._admit()

    def _watch(self) -> None:
        if self._timer is None and self._waiting:
            self._timer = asyncio.get_running_loop().call_later(CHECK_INTERVAL_SECONDS, self._make_room)

    def _make_room(self) -> None:
        """Stop searches that have used up their share of the time while others wait."""
        self._timer = None
        now, share = time.monotonic(), MAX_WAIT_SECONDS * self._count / max(len(self._waiting), 1)
        for running in self._running if self._waiting else ():
            allowed = share
            if running.stop is None:
                allowed = max(share, running.seconds)
            elif now - running.started > share:
                running.stop.set()
            if now - running.started > allowed + GRACE_SECONDS:
                self._give_up(running)
        self._watch()
