"""Measure the server of the page in the browser: spectators, memory, size of states, start, and clicks.

The server runs in its own process, with an empty store; pages are WebSockets of this process.
"""

import asyncio
import itertools
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from engine import Row, summary
from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Page as Tab
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect as connect_once
from websockets.typing import Origin

from boardgames.paths import cache_folder
from boardgames.web.deltas import StateReader

SPECTATORS = 200
SESSIONS = 20
MINUTES_PER_RUN = 2
WARM_UP = 0.2
"""Share of a long run that is warm-up: the memory after it is compared with the memory at the end."""
GAMES = ("abalone", "connect4", "hexifence")
MATCHES = 20
"""Number of matches after which the memory of the server is measured."""
PLIES = 20
"""Number of plies of each of these matches, in which the game's own agent plays against `random`."""
CLICKS = 6
"""Number of moves in a match of Connect Four, which fill one column."""
LIVE = ".board .target.live"
"""CSS selector of what can be clicked on the board."""
BOARD = f"""new MutationObserver((_, observer) => {{
  if (!document.querySelector("{LIVE}")) return;
  globalThis.boardAt = performance.now();
  observer.disconnect();
}}).observe(document, {{ childList: true, subtree: true, attributes: true }});"""
"""Script that stores the milliseconds from the start of loading until the board can be clicked."""
CLICK = """async (target) => {
  const moves = document.querySelector(".moves");
  const before = moves.querySelectorAll(".move-text").length;
  const started = performance.now();
  const shown = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (moves.querySelectorAll(".move-text").length === before) return;
      observer.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - started));
    });
    observer.observe(document.body, { childList: true, subtree: true });
  });
  target.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, view: window }));
  return shown;
}"""
"""Script that clicks on a target of the board and returns the milliseconds until the move is listed."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server, and the times at which its process was started and its address was printed."""

    host: str
    pid: int
    started: float
    announced: float

    def memory(self) -> float:
        """Return the resident memory in MiB."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024

    def descriptors(self) -> int:
        """Return the number of open files and connections."""
        return sum(1 for _ in Path(f"/proc/{self.pid}/fd").iterdir())

    @asynccontextmanager
    async def page(self) -> AsyncIterator["Page"]:
        """Yield a connected page, and disconnect it at the end."""
        origin = Origin(f"http://{self.host}")
        async with connect(f"ws://{self.host}/ws", origin=origin, max_size=None) as socket:
            yield Page(socket)


class Page:
    """The connection of a page, which puts the states of matches together from their changes.

    Attributes
    ----------
    received_at : float
        Time at which the last message arrived.
    size : int
        Size of the last message in bytes.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self.received_at, self.size = 0.0, 0
        self._socket = socket
        self._readers: dict[str, StateReader] = defaultdict(StateReader)

    async def send(self, kind: str, **fields: object) -> None:
        """Send a request."""
        await self._socket.send(json.dumps({"type": kind, **fields}))

    async def receive(self, kind: str) -> Any:  # whatever the server sends
        """Return the next message of a type."""
        while True:
            text = await self._socket.recv(decode=False)
            self.received_at, self.size = time.perf_counter(), len(text)
            message = json.loads(text)
            assert message["type"] != "refused", message
            if message["type"] in ("match", "match-change"):
                message = self._readers[message["id"]].read(message)
            if message["type"] == kind:
                return message

    async def create(self, game: str, *seats: str, **fields: object) -> tuple[str, str | None]:
        """Create a match, and return its key and token.

        A seat is `here`, `agent` for the agent of the game, or the name of another agent.
        """
        kinds = {"here": {"kind": "here"}, "agent": {"kind": "agent"}}
        described = [kinds.get(seat, {"kind": "agent", "agent": seat}) for seat in seats]
        await self.send("create", game=game, seats=described, **fields)
        created = await self.receive("created")
        return created["match"], created["token"]


@contextmanager
def server(*, is_cold: bool = False) -> Iterator[Server]:
    """Start and yield a server, and stop it at the end; a cold server has no compiled kernels."""
    with tempfile.TemporaryDirectory() as folder:
        if not is_cold:
            Path(folder, "cache").symlink_to(cache_folder())
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "boardgames", "serve", "--port", "0", "--no-open"],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"BOARDGAMES_HOME": folder},
        )
        assert process.stdout is not None
        try:
            while not (found := re.search(r"http://(127\.0\.0\.1:\d+)/", process.stdout.readline())):
                assert process.poll() is None
            yield Server(found[1], process.pid, started, time.perf_counter())
        finally:
            process.terminate()
            process.wait()


def spectators(runs: int) -> Iterator[Row]:
    """Measure how soon spectators receive a move that a person makes."""
    for game in GAMES:
        with server() as running:
            delays = asyncio.run(_watch(running, game, 10 * runs))
        middle, most = statistics.median(delays), statistics.quantiles(delays, n=20)[-1]
        figures = f"median {1e3 * middle:.0f} ms, 95 % within {1e3 * most:.0f} ms"
        yield f"a move of {game} reaches {SPECTATORS} spectators", figures, "median < 100 ms"


async def _watch(running: Server, game: str, moves: int) -> list[float]:
    """Return, for all moves and spectators, the seconds from sending a move to receiving its state."""
    chance = random.Random(1)
    async with AsyncExitStack() as connections:
        player = await connections.enter_async_context(running.page())
        key, token = await player.create(game, "here", "here")
        await player.send("join", match=key, token=token)
        state = await player.receive("match")
        pages = [await connections.enter_async_context(running.page()) for _ in range(SPECTATORS)]
        for page in pages:
            await page.send("join", match=key)
        for page in pages:
            await page.receive("match")
        delays = []
        while state["ply"] < moves and state["outcome"] is None:
            ply = state["ply"]
            readers = [asyncio.create_task(_time_of_ply(page, ply + 1)) for page in pages]
            sent = time.perf_counter()
            move = chance.choice(sorted(state["picture"]["clicks"]))
            await player.send("move", match=key, ply=ply, move=move)
            delays += [at - sent for at in await asyncio.gather(*readers)]
            while state["ply"] == ply:
                state = await player.receive("match")
    return delays


async def _time_of_ply(page: Page, ply: int) -> float:
    while (await page.receive("match"))["ply"] != ply:
        continue
    return page.received_at


def sessions(runs: int) -> Iterator[Row]:
    """Measure memory and descriptors while people play many matches against agents and each other."""
    minutes = MINUTES_PER_RUN * runs
    with server() as running:
        figures, matches = asyncio.run(_play_for(running, minutes))
    for name, unit in (("memory", " MiB"), ("descriptors", "")):
        used = [figure[name] for figure in figures]
        early, late = used[int(len(used) * WARM_UP)], used[-1]
        result = f"{early:.0f}{unit} after {minutes * WARM_UP:.0f} min, {late:.0f}{unit} at the end"
        yield f"{SESSIONS} sessions, {matches:,} matches in {minutes} min, {name}", result, "flat"


async def _play_for(running: Server, minutes: int) -> tuple[list[dict[str, float]], int]:
    """Play random matches in many sessions; return memory and descriptors over time, and the matches."""
    end = time.monotonic() + 60 * minutes
    tasks = [asyncio.create_task(_play_matches(running, number, end)) for number in range(SESSIONS)]
    figures = []
    while time.monotonic() < end:
        await asyncio.sleep(1)
        figures.append({"memory": running.memory(), "descriptors": float(running.descriptors())})
    return figures, sum(await asyncio.gather(*tasks))


async def _play_matches(running: Server, number: int, end: float) -> int:
    """Play matches until the time is up, each on a new page, and return their number."""
    chance, count = random.Random(number), 0
    while time.monotonic() < end:
        with suppress(ConnectionClosed):
            async with running.page() as page:
                await _play_match(page, chance, end)
                count += 1
    return count


async def _play_match(page: Page, chance: random.Random, end: float) -> None:
    seats = chance.choice([("here", "random"), ("here", "here"), ("greedy", "here")])
    key, token = await page.create(chance.choice(GAMES), *seats, ply_limit=60)
    await page.send("join", match=key, token=token)
    while time.monotonic() < end:
        state = await page.receive("match")
        if state["outcome"] is not None or chance.random() < 0.01:
            return
        if state["to_move"] in state["yours"] and not state["thinking"]:
            if chance.random() < 0.1:
                await page.send("view", match=key, ply=chance.randrange(state["ply"] + 1))
            move = chance.choice(sorted(state["picture"]["clicks"]))
            await asyncio.sleep(0.1)  # a page may send twenty requests a second
            await page.send("move", match=key, ply=state["ply"], move=move)


def memory(runs: int) -> Iterator[Row]:
    """Measure the memory of the server at several stages of a sequence of matches of all games."""
    with server() as running:
        stages = asyncio.run(_memory_of_stages(running, MATCHES * runs))
    for name, used in stages.items():
        yield f"memory {name}", f"{used:.0f} MiB", "< 400 MiB"


async def _memory_of_stages(running: Server, matches: int) -> dict[str, float]:
    stages = {"of a server without matches": running.memory()}
    games = itertools.cycle(GAMES)
    for count in range(1, matches + 1):
        game = next(games)
        async with running.page() as page:
            key, _ = await page.create(game, "agent", "random", ply_limit=PLIES, move_time=(0.1, 0.1))
            await page.send("join", match=key)
            while (await page.receive("match"))["outcome"] is None:
                continue
        if count <= len(GAMES):
            stages[f"after a match of {game}"] = running.memory()
    stages[f"after {matches} matches"] = running.memory()
    return stages


def states(runs: int) -> Iterator[Row]:
    """Measure the size of states in bytes, before compression, in matches with random moves."""
    with server() as running:
        for game in GAMES:
            first, later = asyncio.run(_sizes(running, game, PLIES * runs))
            yield f"first state of {game}", f"{first:,} bytes", ""
            figures = f"mean {statistics.mean(later):,.0f} bytes, most {max(later):,} bytes"
            yield f"state of {game} after each move", figures, "mean < 2,000 bytes"


async def _sizes(running: Server, game: str, moves: int) -> tuple[int, list[int]]:
    """Return the size in bytes of the first state, and of the state after each move."""
    chance = random.Random(1)
    async with running.page() as page:
        key, token = await page.create(game, "here", "here")
        await page.send("join", match=key, token=token)
        state = await page.receive("match")
        first, later = page.size, []
        while state["ply"] < moves and state["outcome"] is None:
            ply, size = state["ply"], 0
            move = chance.choice(sorted(state["picture"]["clicks"]))
            await page.send("move", match=key, ply=ply, move=move)
            while state["ply"] == ply:
                state = await page.receive("match")
                size += page.size
            later.append(size)
            await asyncio.sleep(0.05)  # a page may send twenty requests a second
    return first, later


def start(runs: int) -> Iterator[Row]:
    """Measure the times from starting a process, warm and cold, to a board and to moves in a browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), chromium_sandbox=False)
        yield from _warm_start(browser, runs)
        yield from _cold_start(browser, runs)
        yield from _board_and_clicks(browser, runs)
        browser.close()


def _warm_start(browser: Browser, runs: int) -> Iterator[Row]:
    answers, boards = [], []
    for _ in range(runs + 1):  # the first run fills the cache of kernels
        with server() as running, _tab(browser) as tab:
            with urlopen(f"http://{running.host}/") as answer:
                answer.read()
            answers.append(time.perf_counter() - running.started)
            address = _new_match(running, "abalone")
            opened = time.perf_counter()
            boards.append(opened - running.started + _open_board(tab, address))
    yield "boardgames serve to the page, warm", summary(answers[1:], "s"), "< 1"
    yield "the same to the first board of abalone in Chromium", summary(boards[1:], "s"), "< 1"


def _cold_start(browser: Browser, runs: int) -> Iterator[Row]:
    pages, boards = [], []
    for _ in range(runs):
        with server(is_cold=True) as running, _tab(browser) as tab:
            tab.goto(f"http://{running.host}/")
            tab.locator(".games .card").first.wait_for()
            pages.append(time.perf_counter() - running.announced)
        with server(is_cold=True) as running, _tab(browser) as tab:
            address = _new_match(running, "abalone", opponent="agent")
            opened = time.perf_counter()
            boards.append(opened - running.announced + _open_board(tab, address))
    yield "address of a server without kernels to the page in Chromium", summary(pages, "s"), "< 1"
    yield "the same to the first board against the default agent", summary(boards, "s"), ""


def _board_and_clicks(browser: Browser, runs: int) -> Iterator[Row]:
    boards, clicks = [], []
    with server() as running:
        for number in range(runs + 1):  # the first run warms the server up
            with _tab(browser) as tab:
                _open_board(tab, _new_match(running, "connect4"))
                for _ in range(CLICKS if number else 0):
                    target = tab.locator(LIVE).first
                    target.wait_for(state="attached")
                    clicks.append(target.evaluate(CLICK))
            with _tab(browser) as tab:
                boards.append(_open_board(tab, _new_match(running, "abalone")))
    yield "first board of abalone from a warm server", summary(boards[1:], "s"), "< 0.3"
    yield "click to shown move of connect4", summary(clicks, "ms"), "median < 20"


@contextmanager
def _tab(browser: Browser) -> Iterator[Tab]:
    """Yield a new tab without stored data."""
    tab = browser.new_page()
    yield tab
    tab.close()


def _open_board(tab: Tab, address: str) -> float:
    """Open a match in which a person is to move, and return the seconds until the board can be clicked.

    The page itself measures the time, since this process notices the board later.
    """
    tab.add_init_script(BOARD)
    tab.goto(address)
    tab.locator(LIVE).first.wait_for(state="attached")
    return 1e-3 * float(tab.evaluate("boardAt"))


def _new_match(running: Server, game: str, opponent: str = "here") -> str:
    """Create a match of a person, by default against another person here, and return its address."""
    seats = [{"kind": "here"}, {"kind": opponent}]
    with connect_once(f"ws://{running.host}/ws", origin=Origin(f"http://{running.host}")) as page:
        page.send(json.dumps({"type": "create", "game": game, "seats": seats}))
        created = json.loads(page.recv())
        while created["type"] != "created":  # progress of compiling, on an empty cache
            created = json.loads(page.recv())
    return f"http://{running.host}/#/match/{created['match']}/{created['token']}"
