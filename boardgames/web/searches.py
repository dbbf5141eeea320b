"""Threads in which agents think. Nobody waits long for one, however many ask at the same time."""

import asyncio
import heapq
import itertools
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from boardgames.errors import PluginError
from boardgames.player import Stop
from boardgames.web.calls import call_in_thread

LONGEST_WAIT = 3.0
"""Seconds that a search waits for a thread, if those that run end when they are told to."""
GRACE = 2.0
"""Seconds that a search has for ending; after that it no longer counts as running."""
CHECK_INTERVAL = 0.05
MOST_STUCK = 3
"""An agent with this many searches that do not end when they are told to is broken."""
HANG_SECONDS = 300.0
"""A search hangs if it takes this much longer than it may; it may have to compile first."""

PERSON_WAITS, NOBODY_WAITS = 0, 1

_Result = TypeVar("_Result")


@dataclass(slots=True, eq=False)
class _Search:
    stop: Stop
    subject: str
    started: float = field(default_factory=time.monotonic)
    counts: bool = True


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
        self._timer: asyncio.TimerHandle | None = None
        self._stuck: Counter[str] = Counter()

    async def run(
        self,
        search: Callable[[], _Result],
        stop: Stop,
        *,
        urgency: int = PERSON_WAITS,
        subject: str = "",
        seconds: float | None = None,
    ) -> _Result:
        """Call a function in a thread of its own as soon as there is room, and return its result.

        Parameters
        ----------
        search : callable
            Called without arguments.
        stop : Stop
            Ends it early.
        urgency : int
            Those for which a person waits go before the others.
        subject : str
            Who thinks, such as `agent 'alphabeta'`; an agent that does not end its searches is broken.
        seconds : float, optional
            The time that the search may take, if the caller does not watch it.

        Raises
        ------
        PluginError
            If the search hangs, or several others of this subject do.
        """
        self._check(subject)
        await self._turn(urgency)
        try:
            self._check(subject)  # others of this agent may have hung meanwhile
        except PluginError:
            self._room += 1
            self._admit()
            raise
        running = _Search(stop, subject)
        self._running.add(running)
        call = asyncio.get_running_loop().create_task(call_in_thread(search))
        call.add_done_callback(lambda ended: self._end(running, ended))
        limit = None if seconds is None else seconds + HANG_SECONDS
        await asyncio.wait([call], timeout=limit)
        if call.done():
            return call.result()
        stop.set()
        self._give_up(running)
        raise PluginError(f"{subject} is broken: it has not answered within {limit:g} s")

    def close(self) -> None:
        """Tell all searches to end."""
        for running in self._running:
            running.stop.set()
        if self._timer is not None:
            self._timer.cancel()

    def _check(self, subject: str) -> None:
        if subject and self._stuck[subject] >= MOST_STUCK:
            raise PluginError(f"{subject} is broken: {MOST_STUCK} of its searches do not end")

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

    def _end(self, search: _Search, call: asyncio.Task[Any]) -> None:  # its result may be anything
        if not call.cancelled():
            call.exception()  # perhaps nobody waits for it any more
        self._running.discard(search)
        if search.counts:
            self._release(search)
        else:
            self._stuck[search.subject] -= 1

    def _give_up(self, search: _Search) -> None:
        """Stop counting a search that does not end, so that another one can run."""
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
            self._timer = asyncio.get_running_loop().call_later(CHECK_INTERVAL, self._make_room)

    def _make_room(self) -> None:
        """Tell searches to end that have had their share while others wait."""
        self._timer = None
        now, share = time.monotonic(), LONGEST_WAIT * self._count / max(len(self._waiting), 1)
        for running in self._running if self._waiting else ():
            if now - running.started > share:
                running.stop.set()
            if now - running.started > share + GRACE:
                self._give_up(running)
        self._watch()
