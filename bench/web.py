"""Measure the server of the browser's page: spectators, memory over many matches, and the start.

The server is a process of its own, with an empty store; pages are WebSockets of this process.
"""

import asyncio
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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from engine import Row, summary
from playwright.sync_api import sync_playwright
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect as connect_once
from websockets.typing import Origin

from boardgames.paths import cache_folder

SPECTATORS = 200
SESSIONS = 20
MINUTES_PER_RUN = 2
WARM_UP = 0.2
"""Share of a long run after which memory counts as that of a server that is in use."""
GAMES = ("abalone", "connect4", "hexifence")


@dataclass(frozen=True, slots=True)
class Server:
    """A server, and the time at which its process was started."""

    host: str
    pid: int
    started: float

    def memory(self) -> float:
        """Return the resident memory in MiB."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024

    def descriptors(self) -> int:
        """Return the number of open files and connections."""
        return sum(1 for _ in Path(f"/proc/{self.pid}/fd").iterdir())

    def connect(self) -> connect:
        """Return a connection of a page."""
        return connect(f"ws://{self.host}/ws", origin=Origin(f"http://{self.host}"), max_size=None)


@contextmanager
def server() -> Iterator[Server]:
    """Yield a server that is stopped at the end."""
    with tempfile.TemporaryDirectory() as folder:
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
            yield Server(found[1], process.pid, started)
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
    """Return the seconds from sending a move until each spectator has its state, for all moves."""
    chance = random.Random(1)
    async with running.connect() as player:
        key, token = await _create(player, game, "here", "here")
        await _send(player, "join", match=key, token=token)
        state = await _receive(player, "match")
        pages = [await running.connect() for _ in range(SPECTATORS)]
        for page in pages:
            await _send(page, "join", match=key)
        for page in pages:
            await _receive(page, "match")
        delays = []
        while state["ply"] < moves and state["outcome"] is None:
            ply = state["ply"]
            readers = [asyncio.create_task(_time_of_ply(page, ply + 1)) for page in pages]
            sent = time.perf_counter()
            move = chance.choice(sorted(state["picture"]["clicks"]))
            await _send(player, "move", match=key, ply=ply, move=move)
            delays += [at - sent for at in await asyncio.gather(*readers)]
            while state["ply"] == ply:
                state = await _receive(player, "match")
        for page in pages:
            await page.close()
    return delays


async def _time_of_ply(page: ClientConnection, ply: int) -> float:
    wanted = f'"ply":{ply},'.encode()
    while wanted not in await page.recv(decode=False):
        continue
    return time.perf_counter()


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
    """Play matches until the time is up, each on a new page, and return how many."""
    chance, count = random.Random(number), 0
    while time.monotonic() < end:
        with suppress(ConnectionClosed):
            async with running.connect() as page:
                await _play_match(page, chance, end)
                count += 1
    return count


async def _play_match(page: ClientConnection, chance: random.Random, end: float) -> None:
    seats = chance.choice([("here", "random"), ("here", "here"), ("greedy", "here")])
    key, token = await _create(page, chance.choice(GAMES), *seats, ply_limit=60)
    await _send(page, "join", match=key, token=token)
    while time.monotonic() < end:
        state = await _receive(page, "match")
        if state["outcome"] is not None or chance.random() < 0.01:
            return
        if state["to_move"] in state["yours"] and not state["thinking"]:
            if chance.random() < 0.1:
                await _send(page, "view", match=key, ply=chance.randrange(state["ply"] + 1))
            move = chance.choice(sorted(state["picture"]["clicks"]))
            await asyncio.sleep(0.1)  # a page may send twenty requests a second
            await _send(page, "move", match=key, ply=state["ply"], move=move)


def start(runs: int) -> Iterator[Row]:
    """Measure the time from starting the process to the page, and to the first board in a browser."""
    answers, boards = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), chromium_sandbox=False)
        for _ in range(runs + 1):  # the first run fills the cache of kernels
            page = browser.new_page()
            with server() as running:
                with urlopen(f"http://{running.host}/") as answer:
                    answer.read()
                answers.append(time.perf_counter() - running.started)
                page.goto(f"http://{running.host}/#/match/{_new_match(running)}")
                page.locator(".board .target").first.wait_for(state="attached")
                boards.append(time.perf_counter() - running.started)
            page.close()
        browser.close()
    yield "boardgames serve to the page, warm", summary(answers[1:], "s"), "< 1"
    yield "the same to the first board of abalone in Chromium", summary(boards[1:], "s"), "< 1"


def _new_match(running: Server) -> str:
    seats = [{"kind": "here"}, {"kind": "here"}]
    with connect_once(f"ws://{running.host}/ws", origin=Origin(f"http://{running.host}")) as page:
        page.send(json.dumps({"type": "create", "game": "abalone", "seats": seats}))
        return str(json.loads(page.recv())["match"])


# --- messages ------------------------------------------------------------------


async def _send(page: ClientConnection, kind: str, **fields: object) -> None:
    await page.send(json.dumps({"type": kind, **fields}))


async def _receive(page: ClientConnection, kind: str) -> Any:  # whatever the server sends
    while True:
        message = json.loads(await page.recv())
        if message["type"] == kind:
            return message
        assert message["type"] != "refused", message


async def _create(page: ClientConnection, game: str, *seats: str, **fields: object) -> tuple[str, str | None]:
    described = [{"kind": "here"} if seat == "here" else {"kind": "agent", "agent": seat} for seat in seats]
    await _send(page, "create", game=game, seats=described, **fields)
    created = await _receive(page, "created")
    return created["match"], created["token"]
