"""Games whose kernels are not compiled yet: boards are shown, and only agents wait."""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from waiting import TIMEOUT_S
from web_pages import Page, Server

import boardgames
from boardgames.compiling import compilation_listener
from boardgames.web import preparation
from boardgames.web.calls import Calls
from boardgames.web.preparation import Games


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Make all games need a compilation, which ends when the event is set."""
    event = threading.Event()

    def wait(*arguments: object) -> bool:
        return event.wait(60)

    monkeypatch.setattr(
        preparation, "uncompiled_kernels", lambda: set() if event.is_set() else {"boardgames"}
    )
    monkeypatch.setattr(preparation, "_run_elsewhere", wait)
    return event


@pytest.fixture
def page(compiled: threading.Event) -> Iterator[Page]:
    server = Server()
    page = server.page()
    yield page
    compiled.set()
    page.close()
    server.close()


def received(page: Page) -> set[str]:
    """Return the types of the messages that a page receives until there are none for a while."""
    types = set()
    with suppress(TimeoutError):
        while True:
            types.add(json.loads(page.socket.recv(timeout=0.5))["type"].partition("-")[0])
    return types


def test_a_form_can_be_filled_in_while_its_game_is_compiled(page: Page) -> None:
    reply = page.ask("game", name="abalone")
    assert (reply["title"], len(reply["pictures"])) == ("Abalone", 47)
    assert {"alphabeta", "level"} < {agent["name"] for agent in reply["agents"]}


def test_two_people_play_a_game_that_is_not_compiled(page: Page) -> None:
    key = page.start("here", "here")
    for ply, move in enumerate("4433"):
        page.send("move", match=key, ply=ply, move=move)
        state = page.state(ply=ply + 1)
    assert state["picture"]["clicks"].keys() == set("1234567")


@pytest.mark.parametrize("seats", [("here", "random"), ("random", "here")], ids=["first", "second"])
def test_an_opponent_moves_when_it_is_compiled(
    seats: tuple[str, str], compiled: threading.Event, page: Page
) -> None:
    key = page.start(*seats, clock=(60, 60))
    mine = seats.index("here")
    if mine == 0:
        page.send("shown", match=key, ply=0)
        page.send("move", match=key, ply=0, move="4")
    state = page.state(ply=1 - mine)
    assert (state["to_move"], state["thinking"], state["running"]) == (1 - mine, False, None)
    assert page.state(preparing=True)["thinking"] is False
    assert "match" not in received(page)
    compiled.set()
    state = page.state(ply=2 - mine)
    assert not state["preparing"]
    assert state["clocks"][1 - mine] > 59.5, "its clock did not run meanwhile"


def test_a_step_of_a_paused_match_is_made_when_its_agent_is_compiled(
    compiled: threading.Event, page: Page
) -> None:
    created = page.create("random", "random")
    key = created["match"]
    page.send("join", match=key, token=created["token"])
    page.send("pause", match=key)
    page.state(paused=True)
    page.send("step", match=key)
    received(page)
    compiled.set()
    assert page.state(ply=1)["paused"]


def test_a_match_with_an_opponent_that_is_being_compiled_can_be_resigned(page: Page) -> None:
    key = page.start("random", "here")
    page.send("resign", match=key)
    while (state := page.state())["outcome"] is None:
        assert not state["thinking"]
    assert state["outcome"]["winner"] == 0


def test_hints_and_analyses_wait_until_their_agent_is_compiled(compiled: threading.Event, page: Page) -> None:
    key = page.start("here", "random")
    page.send("hint", re=8, match=key)
    page.send("analyse", re=9, agent="alphabeta:depth=2", game="connect4")
    assert page.ask("matches")["type"] == "matches"
    assert not {"hint", "analysis", "refused"} & received(page)
    compiled.set()
    assert {page.receive("hint", "analysis", "refused")["type"] for _ in range(2)} == {"hint", "analysis"}


@pytest.mark.slow
def test_a_puzzle_waits_until_its_solver_is_compiled(compiled: threading.Event, page: Page) -> None:
    asked = {"game": "connect4", "kind": "two-threats", "number": 1}
    page.send("puzzle", re=8, **asked)
    with pytest.raises(TimeoutError):
        page.socket.recv(timeout=4)  # looking for a puzzle takes a second
    compiled.set()
    assert page.receive("puzzle", "refused")["type"] == "puzzle"


def test_an_agent_is_compiled_once_for_everybody_and_again_if_that_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []

    def fail_once(function: Callable[[], object], title: str, *arguments: object) -> bool:
        calls.append(title)
        if len(calls) == 1:
            raise OSError("no memory")
        return True

    monkeypatch.setattr(preparation, "uncompiled_kernels", lambda: {"boardgames"})
    monkeypatch.setattr(preparation, "_run_elsewhere", fail_once)

    async def compile_for_two_pages_at_a_time() -> list[object]:
        games, game = Games(Calls()), boardgames.load("connect4")
        results: list[object] = []
        for _ in range(3):
            tasks = [games.compile_agents(game, ("random",)) for _ in range(2)]
            results += await asyncio.gather(*tasks, return_exceptions=True)
        return [type(result) for result in results]

    done = asyncio.run(compile_for_two_pages_at_a_time())
    assert done == [OSError, OSError, *4 * [type(None)]]
    assert calls == ["Connect Four", "Connect Four"]


def test_compilations_that_somebody_waits_for_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[str] = []
    finishing = threading.Event()

    def run(function: object, title: str, gives_way: Callable[[], bool], reporting: object) -> bool:
        events.append(f"{title or 'something'} begins")
        while not finishing.wait(0.01):
            if gives_way():
                events.append(f"{title or 'something'} gives way")
                return False
        events.append(f"{title or 'something'} ends")
        return True

    monkeypatch.setattr(preparation, "uncompiled_kernels", lambda: {"boardgames"})
    monkeypatch.setattr(preparation, "_run_elsewhere", run)

    async def until(event: str) -> None:
        while event not in events:
            await asyncio.sleep(0.01)

    async def compile_all_at_once() -> None:
        games = Games(Calls())
        later = asyncio.create_task(games.warm_up())
        await until("something begins")
        await games.describe("connect4")
        await until("Connect Four begins")
        waited_for = asyncio.create_task(games.compile_agents(boardgames.load("hexifence"), ("random",)))
        await until("Hexifence begins")
        await until("Connect Four gives way")
        finishing.set()
        await asyncio.gather(later, waited_for)
        await until("Connect Four ends")

    asyncio.run(compile_all_at_once())
    assert set(events[:5]) == {
        *("something begins", "something gives way", "Connect Four begins"),
        *("Hexifence begins", "Connect Four gives way"),
    }
    assert events.index("Hexifence ends") < events.index("Connect Four ends") < events.index("something ends")


def test_one_process_at_a_time_compiles_a_game_for_those_who_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    running: list[int] = []
    most: list[int] = []

    def run(*arguments: object) -> bool:
        running.append(1)
        most.append(len(running))
        time.sleep(0.05)
        running.pop()
        return True

    monkeypatch.setattr(preparation, "uncompiled_kernels", lambda: {"boardgames"})
    monkeypatch.setattr(preparation, "_run_elsewhere", run)

    async def compile_two_agents() -> None:
        games, game = Games(Calls()), boardgames.load("connect4")
        await asyncio.gather(*(games.compile_agents(game, (agent,)) for agent in ("random", "greedy")))

    asyncio.run(compile_two_agents())
    assert most == [1, 1]


def test_an_agent_that_hangs_does_not_keep_others_of_its_game_from_being_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hanging = threading.Event()
    runs: list[int] = []

    def run(*arguments: object) -> bool:
        runs.append(1)
        return len(runs) > 1 or hanging.wait(60)

    monkeypatch.setattr(preparation, "TURN_SECONDS", 0.1)
    monkeypatch.setattr(preparation, "uncompiled_kernels", lambda: {"boardgames"})
    monkeypatch.setattr(preparation, "_run_elsewhere", run)

    async def compile_two_agents() -> None:
        games, game = Games(Calls()), boardgames.load("connect4")
        stuck = asyncio.create_task(games.compile_agents(game, ("random",)))
        while not runs:
            await asyncio.sleep(0.01)
        await games.compile_agents(game, ("greedy",))
        assert not stuck.done()
        hanging.set()
        await stuck

    asyncio.run(compile_two_agents())


def test_a_compilation_can_be_stopped_and_reports_that_it_ended(home: Path) -> None:
    reports: list[tuple[str, int]] = []
    stopped = threading.Event()
    with compilation_listener(lambda module, count: reports.append((module, count))):
        timer = threading.Timer(0.5, stopped.set)
        timer.start()
        is_done = preparation._run_elsewhere(
            partial(time.sleep, TIMEOUT_S), "Connect Four", stopped.is_set, threading.Lock()
        )
    assert not is_done
    assert {reports[0][0], reports[-1][0]} == {"Connect Four", ""}


def test_the_server_forgets_what_it_has_compiled_for_too_many_variants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(preparation, "MAX_KNOWN", 3)

    async def compile_many() -> int:
        games, game = Games(Calls()), boardgames.load("connect4")
        for seed in range(8):
            await games.compile_agents(game, (f"random:seed={seed}",))
        return len(games._tasks) + len(games._ready)

    assert asyncio.run(compile_many()) <= 6


@pytest.mark.slow
def test_what_an_agent_needs_is_compiled_in_another_process(tmp_path: Path) -> None:
    code = """
import asyncio
from boardgames.compiling import compilation_deferred, compilation_listener
from boardgames.web.calls import Calls
from boardgames.web.preparation import Games

async def compile_agents():
    game = boardgames.load("hexifence", dimension=2)
    await Games(Calls()).compile_agents(game, ("greedy",))
    return game

with compilation_deferred(), compilation_listener(lambda module, count: print(module, count)):
    import boardgames
    game = asyncio.run(compile_agents())
    print("compiled")
    player = boardgames.load_player("greedy", game)
    player.match_started(0)
    player.choose(game.start())
"""
    environment = {**os.environ, "BOARDGAMES_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    before, _, after = done.stdout.partition("compiled\n")
    assert "Hexifence " in before, "progress is reported with the title of the game"
    assert after == "", "nothing was left to compile"
