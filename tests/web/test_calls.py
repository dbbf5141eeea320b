"""Threads for the code of games: what hangs or raises affects only those who use the same game."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from waiting import TIMEOUT_S

from boardgames.errors import MatchError, PluginError
from boardgames.web import calls as module
from boardgames.web.calls import PAGE, Calls, call_in_thread


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, TIMEOUT_S))


class Gate:
    """Lets calls wait until it is opened, and counts those that wait."""

    def __init__(self) -> None:
        self.opened, self.count = threading.Event(), 0

    def wait(self) -> str:
        self.count += 1
        self.opened.wait(TIMEOUT_S)
        return "through"


def ask(calls: Calls, subject: str, call: Callable[[], object], page: int = 0) -> asyncio.Task[object]:
    """Ask for a call on behalf of a page."""

    async def answer() -> object:
        PAGE.set(page)
        return await calls.run(subject, call)

    return asyncio.get_running_loop().create_task(answer())


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


def test_calls_of_one_game_leave_room_for_another() -> None:
    async def test() -> None:
        calls, gate = Calls(), Gate()
        slow = [ask(calls, "slow", gate.wait, page) for page in range(10)]
        await until(lambda: gate.count == module.MOST_CALLS)
        assert await ask(calls, "quick", lambda: "answer") == "answer"
        assert gate.count == module.MOST_CALLS
        gate.opened.set()
        assert await asyncio.gather(*slow) == ["through"] * 10

    run(test())


def test_calls_of_one_page_leave_room_for_another() -> None:
    async def test() -> None:
        calls, gate = Calls(), Gate()
        slow = [ask(calls, "game", gate.wait, page=1) for _ in range(10)]
        await until(lambda: gate.count == module.MOST_OF_PAGE)
        assert await ask(calls, "game", lambda: "answer", page=2) == "answer"
        assert gate.count == module.MOST_OF_PAGE
        gate.opened.set()
        assert await asyncio.gather(*slow) == ["through"] * 10

    run(test())


def test_subject_that_hangs_is_broken_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HANG_SECONDS", 0.02)

    async def test() -> None:
        calls, gate = Calls(), Gate()
        waiting = [ask(calls, "game 'x'", gate.wait, page) for page in range(10)]
        answers = await asyncio.gather(*waiting, return_exceptions=True)
        assert {type(answer) for answer in answers} == {PluginError}
        assert {str(answer) for answer in answers} == {
            (
                "game 'x' is broken: it has not answered within 0.02 s; "
                "it cannot be used until the server is started again"
            )
        }
        assert gate.count <= module.MOST_CALLS
        with pytest.raises(PluginError, match="game 'x' is broken"):
            await calls.run("game 'x'", lambda: "answer")
        gate.opened.set()
        assert await calls.run("game 'y'", lambda: "answer") == "answer"
        with pytest.raises(PluginError, match="game 'x' is broken"):
            await calls.run("game 'x'", lambda: "answer")

    run(test())


def test_call_that_nobody_waits_for_keeps_its_place_until_it_ends() -> None:
    async def test() -> None:
        calls, gate = Calls(), Gate()
        given_up = [ask(calls, "game", gate.wait, page) for page in range(module.MOST_CALLS)]
        await until(lambda: gate.count == module.MOST_CALLS)
        for task in given_up:
            task.cancel()
        last = ask(calls, "game", gate.wait, page=9)
        await asyncio.sleep(0.02)
        assert gate.count == module.MOST_CALLS
        gate.opened.set()
        assert await last == "through"

    run(test())


def test_call_that_is_given_up_while_it_waits_holds_up_nobody() -> None:
    async def test() -> None:
        calls, gate = Calls(), Gate()
        first = [ask(calls, "game", gate.wait, page) for page in range(module.MOST_CALLS)]
        given_up = ask(calls, "game", gate.wait, page=8)
        await until(lambda: gate.count == module.MOST_CALLS)
        given_up.cancel()
        last = ask(calls, "game", lambda: "answer", page=9)
        gate.opened.set()
        assert await last == "answer"
        await asyncio.gather(*first)
        assert gate.count == module.MOST_CALLS

    run(test())


@pytest.mark.parametrize(
    "error",
    [SystemExit(0), KeyboardInterrupt(), GeneratorExit(), StopIteration(), asyncio.CancelledError()],
    ids=lambda error: type(error).__name__,
)
def test_what_would_end_the_server_fails_the_call_only(error: BaseException) -> None:
    def fail() -> None:
        raise error

    async def test() -> None:
        for call in (Calls().run("game", fail), call_in_thread(fail)):
            with pytest.raises(PluginError, match=f"raised {type(error).__name__}"):
                await call

    run(test())


def test_error_on_purpose_reaches_the_one_who_asked() -> None:
    def fail() -> None:
        raise MatchError("the match has moved on")

    with pytest.raises(MatchError, match="moved on"):
        asyncio.run(Calls().run("game", fail))
