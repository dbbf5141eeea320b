"""Threads for the requests of pages: each game has a few of its own and cannot use up those of other games.

A call that takes too long hangs, and what it belongs to is broken until the server is started again. Its
thread cannot be ended, but neither does it keep the program from ending.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from typing import TypeVar

from boardgames.errors import PluginError
from boardgames.faults import contained

MOST_CALLS = 3
"""Calls for one game at the same time."""
MOST_OF_PAGE = 2
"""How many of them may be for one page."""
HANG_SECONDS = 20.0
"""A call that takes longer hangs."""
LOAD_SECONDS = 600.0
"""The same for calls that may compile a game or an agent."""

PAGE: ContextVar[int] = ContextVar("page", default=0)
"""The page whose request is being answered."""

_Result = TypeVar("_Result")


async def call_in_thread(function: Callable[[], _Result], name: str = "search") -> _Result:
    """Call a function in a new thread, which does not keep the program from ending if it hangs.

    Whatever the function raises is raised here as an Exception: what ends a program, such as SystemExit,
    would otherwise end the server.
    """
    result: Future[_Result] = Future()
    result.set_running_or_notify_cancel()

    def call() -> None:
        try:
            result.set_result(function())
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            result.set_exception(contained(error))

    threading.Thread(target=call, name=name, daemon=True).start()
    return await asyncio.wrap_future(result)


class Calls:
    """Calls functions in threads, a few at a time for each subject. Its methods run in the event loop."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, int, asyncio.Future[None]]] = []
        self._running: Counter[str] = Counter()
        self._of_pages: Counter[tuple[str, int]] = Counter()
        self._broken: dict[str, str] = {}

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
            The time after which it hangs, by default `HANG_SECONDS`.

        Raises
        ------
        PluginError
            If it hangs, or another call for the same subject has hung before.
        """
        page = PAGE.get()
        await self._turn(subject, page)
        loop, limit = asyncio.get_running_loop(), HANG_SECONDS if seconds is None else seconds
        call = loop.create_task(call_in_thread(function, name="call"))
        result: asyncio.Future[_Result] = loop.create_future()

        def end() -> None:
            hang.cancel()
            self._running[subject] -= 1
            self._of_pages[subject, page] -= 1
            self._admit()

        def finished(call: asyncio.Task[_Result]) -> None:
            error = None if call.cancelled() else call.exception()
            if subject not in self._broken:
                end()
            if result.done() or call.cancelled():  # nobody waits any more
                return
            if error is None:
                result.set_result(call.result())
            else:
                result.set_exception(error)

        def hung() -> None:
            self._broken[subject] = (
                f"{subject} is broken: it has not answered within {limit:g} s; "
                "it cannot be used until the server is started again"
            )
            end()
            if not result.done():
                result.set_exception(PluginError(self._broken[subject]))

        hang = loop.call_later(limit, hung)
        call.add_done_callback(finished)
        return await result

    async def _turn(self, subject: str, page: int) -> None:
        """Wait until there is room for another call."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((subject, page, turn))
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._running[subject] -= 1
                self._of_pages[subject, page] -= 1
                self._admit()
            raise

    def _admit(self) -> None:
        """Let calls begin, in the order in which they were asked for, and refuse those that cannot."""
        still_waiting = []
        for subject, page, turn in self._waiting:
            if turn.done():  # cancelled
                continue
            has_room = self._running[subject] < MOST_CALLS and self._of_pages[subject, page] < MOST_OF_PAGE
            if subject in self._broken:
                turn.set_exception(PluginError(self._broken[subject]))
            elif has_room:
                self._running[subject] += 1
                self._of_pages[subject, page] += 1
                turn.set_result(None)
            else:
                still_waiting.append((subject, page, turn))
        self._waiting = still_waiting
        self._of_pages += Counter()  # forgets those without calls


def game_subject(name: str) -> str:
    """Return the name of a game as the subject of calls."""
    return f"game {name!r}"
