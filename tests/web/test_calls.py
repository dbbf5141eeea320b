"""Threads for the code of games: what hangs or raises affects only those who use the same game."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from waiting import TIMEOUT_S

from boardgames.errors import MatchError, PluginError
from boardgames.web import calls as module
from boardgames.web.calls import PAGE, Calls, NotRespondingError, call_in_thread


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, TIMEOUT_S))


class Gate:
    """Makes calls wait until it is opened, and counts the waiting ones."""

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
        await until(lambda: gate.count == module.MAX_CALLS_PER_GAME)
        assert await ask(calls, "quick", lambda: "answer") == "answer"
        assert gate.count == module.MAX_CALLS_PER_GAME
        gate.opened.set()
        assert await asyncio.gather(*slow) == ["through"] * 10

    run(test())


def test_calls_of_one_page_leave_room_for_another() -> None:
    async def test() -> None:
        calls, gate = Calls(), Gate()
        slow = [ask(calls, "game", gate.wait, page=1) for _ in range(10)]
        await until(lambda: gate.count == module.MAX_CALLS_PER_PAGE)
        assert await ask(calls, "game", lambda: "answer", page=2) == "answer"
        assert gate.count == module.MAX_CALLS_PER_PAGE
        gate.opened.set()
        assert await asyncio.gather(*slow) == ["through"] * 10

    run(test())


HUNG = "game 'x' did not answer within 0.02 s and cannot be used until it does"


def test_subject_with_a_hung_call_is_refused_to_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HANG_SECONDS", 0.02)

    async def test() -> None:
        calls, gate = Calls(), Gate()
        waiting = [ask(calls, "game 'x'", gate.wait, page) for page in range(10)]
        answers = await asyncio.gather(*waiting, return_exceptions=True)
        assert {type(answer) for answer in answers} == {NotRespondingError}
        assert {str(answer) for answer in answers} == {HUNG}
        assert gate.count <= module.MAX_CALLS_PER_GAME
        with pytest.raises(NotRespondingError, match="game 'x' did not answer"):
            await calls.run("game 'x'", lambda: "answer")
        assert await calls.run("game 'y'", lambda: "answer", seconds=TIMEOUT_S) == "answer"
        gate.opened.set()

    run(test())


def test_subject_can_be_used_again_when_its_last_hung_call_has_returned() -> None:
    async def test() -> None:
        calls, first, last = Calls(), Gate(), Gate()
        hung = [calls.run("game 'x'", gate.wait, seconds=0.02) for gate in (first, last)]
        assert [str(one) for one in await asyncio.gather(*hung, return_exceptions=True)] == [HUNG, HUNG]
        first.opened.set()
        await asyncio.sleep(0.05)
        with pytest.raises(NotRespondingError):
            await calls.run("game 'x'", lambda: "answer")
        last.opened.set()
        await until(lambda: not calls._broken)
        gate = Gate()
        again = [ask(calls, "game 'x'", gate.wait, page) for page in range(10)]
        await until(lambda: gate.count == module.MAX_CALLS_PER_GAME)  # there is as much room as before
        await asyncio.sleep(0.02)
        assert gate.count == module.MAX_CALLS_PER_GAME
        gate.opened.set()
        assert await asyncio.gather(*again) == ["through"] * 10

    run(test())


def test_call_that_ends_while_another_hangs_does_not_count_as_hung() -> None:
    async def test() -> None:
        calls, ends, hangs = Calls(), Gate(), Gate()
        ended = ask(calls, "game 'x'", ends.wait, page=1)
        await until(lambda: ends.count == 1)
        with pytest.raises(NotRespondingError):
            await calls.run("game 'x'", hangs.wait, seconds=0.02)
        ends.opened.set()
        assert await ended == "through"
        assert not calls._of_pages["game 'x'", 1]
        hangs.opened.set()
        await until(lambda: not calls._broken)
        assert not calls._running["game 'x'"]

    run(test())


def test_cancelled_call_counts_until_it_ends() -> None:
    async def test() -> None:
        calls, gate = Calls(), Gate()
        given_up = [ask(calls, "game", gate.wait, page) for page in range(module.MAX_CALLS_PER_GAME)]
        await until(lambda: gate.count == module.MAX_CALLS_PER_GAME)
        for task in given_up:
            task.cancel()
        last = ask(calls, "game", gate.wait, page=9)
        await asyncio.sleep(0.02)
        assert gate.count == module.MAX_CALLS_PER_GAME
        gate.opened.set()
        assert await last == "through"

    run(test())


def test_call_cancelled_while_waiting_does_not_block_others() -> None:
    async def test() -> None:
        calls, gate = Calls(), Gate()
        first = [ask(calls, "game", gate.wait, page) for page in range(module.MAX_CALLS_PER_GAME)]
        given_up = ask(calls, "game", gate.wait, page=8)
        await until(lambda: gate.count == module.MAX_CALLS_PER_GAME)
        given_up.cancel()
        last = ask(calls, "game", lambda: "answer", page=9)
        gate.opened.set()
        assert await last == "answer"
        await asyncio.gather(*first)
        assert gate.count == module.MAX_CALLS_PER_GAME

    run(test())


@pytest.mark.parametrize(
    "error",
    [SystemExit(0), KeyboardInterrupt(), GeneratorExit(), StopIteration(), asyncio.CancelledError()],
    ids=lambda error: type(error).__name__,
)
def test_exception_that_would_end_the_server_fails_only_the_call(error: BaseException) -> None:
    def fail() -> None:
        raise error

    async def test() -> None:
        for call in (Calls().run("game", fail), call_in_thread(fail)):
            with pytest.raises(PluginError, match=f"raised {type(error).__name__}"):
                await call

    run(test())


def test_intended_error_reaches_the_caller() -> None:
    def fail() -> None:
        raise MatchError("the match has moved on")

    with pytest.raises(MatchError, match="moved on"):
        asyncio.run(Calls().run("game", fail))
