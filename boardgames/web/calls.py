"""Threads for the requests of pages: each game has a few of its own, so it cannot block other games.

Within a call, kernels are compiled only if the rules of a game cannot be interpreted instead.

A call that exceeds its time limit counts as hung: its caller gets an error, and its game cannot be used
until the call returns. The thread cannot be stopped, but as a daemon it does not block exit.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from functools import partial
from typing import TypeVar

from boardgames.compiling import compilation_deferred, rules_interpreted
from boardgames.errors import PluginError
from boardgames.faults import as_exception

MAX_CALLS_PER_GAME = 3
"""Maximum number of simultaneous calls for one game."""
MAX_CALLS_PER_PAGE = 2
"""Maximum number of simultaneous calls for one game that one page may have requested."""
HANG_SECONDS = 20.0
"""A call that takes longer than this counts as hung."""
LOAD_SECONDS = 600.0
"""The same limit for calls that may compile a game or an agent."""

PAGE: ContextVar[int] = ContextVar("page", default=0)
"""The page whose request is being answered; 0 for work that no page has requested."""

_Result = TypeVar("_Result")


class NotRespondingError(PluginError):
    """A game or an agent does not respond. It can be used again as soon as it responds."""


async def call_in_thread(function: Callable[[], _Result], name: str = "search") -> _Result:
    """Call a function in a new daemon thread, so that the program can exit even if the function hangs.

    An exception that would end the server, such as SystemExit, is raised here as a PluginError.
    """
    result: Future[_Result] = Future()
    result.set_running_or_notify_cancel()

    def call() -> None:
        try:
            result.set_result(function())
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            result.set_exception(as_exception(error))

    threading.Thread(target=call, name=name, daemon=True).start()
    return await asyncio.wrap_future(result)


class Calls:
    """Calls functions in threads, a few at a time for each subject. Its methods run in the event loop."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, int, asyncio.Future[None]]] = []
        self._running: Counter[str] = Counter()
        self._of_pages: Counter[tuple[str, int]] = Counter()
        self._hung: Counter[str] = Counter()
        self._broken: dict[str, str] = {}
        """The subjects that have hung calls, and the messages about them."""

    async def run(
        self, subject: str, function: Callable[[], _Result], *, seconds: float | None = None
    ) -> _Result:
        """Call a function in a thread as soon as there is room, and return its result.

        Parameters
        ----------
        subject : str
            What the call is for, such as `game 'abalone'`.
        function : callable
            Called without arguments.
        seconds : float, optional
            Time limit of the call, by default `HANG_SECONDS`.

        Raises
        ------
        NotRespondingError
            If the call hangs, or another call for the same subject does.
        """
        page, limit = PAGE.get(), HANG_SECONDS if seconds is None else seconds
        await self._turn(subject, page)
        # the call keeps its slot and its time limit even if nobody waits for it any longer
        return await asyncio.shield(asyncio.create_task(self._call(subject, page, function, limit)))

    async def _call(self, subject: str, page: int, function: Callable[[], _Result], limit: float) -> _Result:
        """Call a function whose turn it is; the turn ends when the function returns or hangs."""
        call = asyncio.create_task(call_in_thread(partial(_without_compiling, function), name="call"))
        try:
            await asyncio.wait([call], timeout=limit)
            if call.done():
                return call.result()
            self._broken[subject] = (
                f"{subject} did not answer within {limit:g} s and cannot be used until it does"
            )
            self._hung[subject] += 1
            call.add_done_callback(partial(self._answered, subject))
            raise NotRespondingError(self._broken[subject])
        finally:
            self._release(subject, page)

    def _answered(self, subject: str, call: asyncio.Task[_Result]) -> None:
        """Allow a subject to be used again when the last of its hung calls has returned."""
        if not call.cancelled():
            call.exception()  # nobody waits for it any longer
        self._hung[subject] -= 1
        if not self._hung[subject]:
            del self._broken[subject]

    def _release(self, subject: str, page: int) -> None:
        self._running[subject] -= 1
        self._of_pages[subject, page] -= 1
        self._admit()

    async def _turn(self, subject: str, page: int) -> None:
        """Wait until there is room for another call."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((subject, page, turn))
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._release(subject, page)
            raise

    def _admit(self) -> None:
        """Start calls in the order of their requests, and refuse those for subjects that hang."""
        still_waiting = []
        for subject, page, turn in self._waiting:
            if turn.done():  # cancelled
                continue
            has_room = (
                self._running[subject] < MAX_CALLS_PER_GAME
                and self._of_pages[subject, page] < MAX_CALLS_PER_PAGE
            )
            if subject in self._broken:
                turn.set_exception(NotRespondingError(self._broken[subject]))
            elif has_room:
                self._running[subject] += 1
                self._of_pages[subject, page] += 1
                turn.set_result(None)
            else:
                still_waiting.append((subject, page, turn))
        self._waiting = still_waiting
        self._of_pages += Counter()  # removes counts of 0


def _without_compiling(function: Callable[[], _Result]) -> _Result:
    """Call a function without compiling anything, as far as possible, because pages are waiting."""
    with compilation_deferred(), rules_interpreted():
        return function()


def game_subject(name: str) -> str:
    """Return the subject of calls for a game."""
    return f"game {name!r}"
