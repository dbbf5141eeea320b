"""Which agents think, and for how long, when there are more of them than threads."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import pytest
from waiting import TIMEOUT_S

from boardgames.player import Stop
from boardgames.web import searches as module
from boardgames.web.searches import MAX_STUCK_SEARCHES, NOBODY_WAITS, PERSON_WAITS, Searches


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten all waiting times."""
    for name in ("MAX_WAIT_SECONDS", "GRACE_SECONDS", "CHECK_INTERVAL_SECONDS"):
        monkeypatch.setattr(module, name, getattr(module, name) / 50)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, TIMEOUT_S))


def until_told(stop: Stop) -> Callable[[], None]:
    """Return a search that runs until it is told to stop."""

    def search() -> None:
        while not stop.is_set():
            time.sleep(0.001)

    return search


def test_the_number_of_running_searches_is_limited() -> None:
    running, most = [], []

    def search() -> None:
        running.append(1)
        most.append(len(running))
        time.sleep(0.005)
        running.pop()

    async def test() -> None:
        searches = Searches(2)
        await asyncio.gather(*(searches.run(search, Stop()) for _ in range(20)))

    run(test())
    assert len(most) == 20
    assert max(most) <= 2


def test_searches_for_which_a_person_waits_go_first() -> None:
    order: list[str] = []

    async def test() -> None:
        searches, held = Searches(1), threading.Event()
        first = asyncio.create_task(searches.run(held.wait, Stop()))
        await asyncio.sleep(0)
        others = [
            asyncio.create_task(searches.run(partial(order.append, name), Stop(), urgency=urgency))
            for name, urgency in (
                ("watched", NOBODY_WAITS),
                ("watched too", NOBODY_WAITS),
                ("played", PERSON_WAITS),
            )
        ]
        await asyncio.sleep(0)
        held.set()
        await asyncio.gather(first, *others)

    run(test())
    assert order == ["played", "watched", "watched too"]


def test_fifty_long_searches_do_not_stall_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GRACE_SECONDS", TIMEOUT_S)
    ended: list[str] = []

    async def search(searches: Searches, name: str, urgency: int) -> None:
        stop = Stop()
        await searches.run(until_told(stop), stop, urgency=urgency)
        ended.append(name)

    async def test() -> None:
        searches = Searches(1)
        watched = [asyncio.create_task(search(searches, "watched", NOBODY_WAITS)) for _ in range(50)]
        await asyncio.sleep(0)
        await search(searches, "played", PERSON_WAITS)
        searches.close()
        for one in watched:
            one.cancel()
        await asyncio.gather(*watched, return_exceptions=True)

    run(test())
    assert ended[1] == "played"


def test_search_that_nobody_waits_for_may_take_its_time() -> None:
    async def test() -> None:
        stop = Stop()

        def search() -> bool:
            time.sleep(3 * module.MAX_WAIT_SECONDS)
            return stop.is_set()

        assert not await Searches(1).run(search, stop)

    run(test())


def test_search_that_ignores_its_stop_makes_room_after_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        searches, held = Searches(1), threading.Event()
        stubborn = asyncio.create_task(searches.run(held.wait, Stop()))
        await asyncio.sleep(0)
        assert await searches.run(lambda: "moved", Stop()) == "moved"
        held.set()
        await stubborn
        monkeypatch.setattr(module, "GRACE_SECONDS", TIMEOUT_S)
        both = threading.Barrier(2, timeout=0.05)  # there is no more room than before

        def meet() -> bool:
            try:
                both.wait()
            except threading.BrokenBarrierError:
                return False
            return True

        met = await asyncio.gather(searches.run(meet, Stop()), searches.run(meet, Stop()))
        assert not any(met)

    run(test())


def test_search_without_a_stop_may_use_its_own_time_while_others_wait() -> None:
    async def test() -> None:
        searches = Searches(2)
        review = partial(time.sleep, 4 * (module.MAX_WAIT_SECONDS + module.GRACE_SECONDS))
        reviews = [
            searches.run(review, None, urgency=NOBODY_WAITS, subject="agent 'x'", seconds=TIMEOUT_S)
            for _ in range(6)
        ]
        assert await asyncio.gather(*reviews) == [None] * 6

    run(test())


def test_search_without_a_stop_that_exceeds_its_own_time_makes_room() -> None:
    async def test() -> None:
        searches, held = Searches(1), threading.Event()
        stubborn = asyncio.create_task(searches.run(held.wait, None, seconds=0.0))
        await asyncio.sleep(0)
        assert await searches.run(lambda: "moved", Stop()) == "moved"
        held.set()
        await stubborn

    run(test())


def test_agent_whose_searches_do_not_end_gets_no_more_not_even_waiting_ones() -> None:
    begun: list[int] = []

    async def test() -> None:
        searches, held = Searches(1), threading.Event()

        def hang() -> None:
            begun.append(1)
            held.wait()

        asked = [asyncio.create_task(searches.run(hang, Stop(), subject="agent 'x'")) for _ in range(9)]
        other = asyncio.create_task(searches.run(lambda: "moved", Stop(), subject="agent 'y'"))
        refused, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_EXCEPTION)
        assert all("agent 'x' is broken" in str(one.exception()) for one in refused)
        assert await other == "moved"
        assert len(begun) <= MAX_STUCK_SEARCHES + 1
        held.set()
        await asyncio.gather(*asked, return_exceptions=True)

    run(test())


def test_search_cancelled_while_waiting_does_not_block_others() -> None:
    async def test() -> None:
        searches, held = Searches(1), threading.Event()
        first = asyncio.create_task(searches.run(held.wait, Stop()))
        await asyncio.sleep(0)
        given_up = asyncio.create_task(searches.run(lambda: None, Stop()))
        await asyncio.sleep(0)
        last = asyncio.create_task(searches.run(lambda: "moved", Stop()))
        await asyncio.sleep(0)
        given_up.cancel()
        held.set()
        assert await last == "moved"
        await first

    run(test())


def test_error_of_a_search_reaches_the_caller() -> None:
    def fail() -> None:
        raise ValueError("no such move")

    with pytest.raises(ValueError, match="no such move"):
        asyncio.run(Searches(1).run(fail, Stop()))
