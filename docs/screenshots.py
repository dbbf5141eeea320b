"""Take the screenshots in the documentation.

    python docs/screenshots.py                  # those in docs/images
    python docs/screenshots.py --review FOLDER  # everything at three widths, light and dark

It needs the extra `browser` and a Chromium that is installed on the machine (on Debian `chromium`).
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from boardgames.paths import cache_folder

IMAGES = Path(__file__).parent / "images"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDTHS, HEIGHT = (360, 800, 1300), 780
COLOURS = 128
SETTLE_MS = 400
TIMEOUT_S = 600
"""Long enough to compile the agents."""
MATCHES: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "abalone": (
        {"names": ("Ann", "Ben")},
        (
            "a1b2 a5b5 i9h8 i5h5 a2b3 i6h6 c2c3 g4g5 g8g9f7 c6c7d6 "
            "b3c4 h5g5 f8f7 h6g5 f7f6 f3e3 c4d5 a4b4 f5e4 b6b5"
        ),
    ),
    "connect4": ({"names": ("Ann", "Ben")}, "5 3 6 4 5 3 3 2 1 5 3 2 2"),
    "hexifence": (
        {"names": ("Ann", "Ben")},
        (
            "32 46 69 57 5 13 17 12 58 62 41 2 7 25 33 45 35 20 11 51 54 1 14 38 34 66 43 36 37 55 "
            "49 18 61 68 56 10 28 52 47 71 23 9 4 21 29 15 30 70 22 31 16 48 3 8 39 53 60 59 44 27"
        ),
    ),
}
"""Matches by game: the options of the message `create`, and the moves."""
RUN = "first-steps"
TRAINING = ("train", "connect4", "--seed", "1", "--workers", "1", "--measure", "0", "--run", RUN)


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--review", type=Path, metavar="FOLDER", help="where to put everything instead")
    folder = parser.parse_args().review
    with _server() as host, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_chromium(), chromium_sandbox=False)
        views = _views(host)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        sizes = [(1100, "light")] if folder is None else [(w, s) for w in WIDTHS for s in ("light", "dark")]
        for width, scheme in sizes:
            context = browser.new_context(
                viewport={"width": width, "height": HEIGHT}, color_scheme=scheme, reduced_motion="reduce"
            )
            context.set_default_timeout(1000 * TIMEOUT_S)
            for name, (address, prepare) in views.items():
                page = context.new_page()
                page.goto(f"http://{host}/{address}")
                prepare(page)
                page.wait_for_timeout(SETTLE_MS)
                path = IMAGES / f"page-{name}.png"
                if folder is not None:
                    path = folder / f"{name}-{width}-{scheme}.png"
                page.screenshot(path=path, full_page=folder is not None)
                if folder is None:
                    Image.open(path).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
                        path, optimize=True
                    )
                print(path)
                page.close()
            context.close()
        browser.close()


def _views(host: str) -> dict[str, tuple[str, Callable[[Page], object]]]:
    """Make the matches; return what is shown by name: the end of the address, and what is done there."""
    keys = {}
    for game, (fields, moves) in MATCHES.items():
        with connect(f"ws://{host}/ws", origin=Origin(f"http://{host}"), open_timeout=TIMEOUT_S) as socket:
            keys[game] = _play(socket, game, dict(fields), moves.split())
    views: dict[str, tuple[str, Callable[[Page], object]]] = {
        game: (f"#/match/{key}/{token}", _wait_for_board) for game, (key, token) in keys.items()
    }
    views["abalone"] = views["abalone"][0], _select
    views["lobby"] = "#/new/abalone", lambda page: page.locator(".seats").wait_for()
    views["analysis"] = f"#/analysis/match/{keys['connect4'][0]}/10", _analyse
    views["lesson"] = "#/learn/abalone/3", _select_for_push
    views["training"] = "#/training/first-steps", lambda page: page.locator("main svg").first.wait_for()
    return views


def _play(socket: ClientConnection, game: str, fields: dict[str, Any], moves: list[str]) -> tuple[str, str]:
    """Make a match with these moves; return its key and the secret of its seats."""
    seats = [{"kind": "here", "name": name} for name in fields.pop("names")]
    created = _ask(socket, type="create", game=game, seats=seats, **fields)
    key, token = created["match"], created["token"]
    _ask(socket, type="join", match=key, token=token)
    for ply, move in enumerate(moves):
        _ask(socket, type="move", match=key, ply=ply, move=move)
    return key, token


def _ask(socket: ClientConnection, **message: object) -> Any:  # the answer, or the next state of a match
    socket.send(json.dumps({**message, "re": 1}))
    while True:
        answer = json.loads(socket.recv())
        if answer["type"] == "refused":
            raise SystemExit(f"{message}: {answer['reason']}")
        if answer["type"] in ("match", "match-change", "created", "done"):
            return answer


def _wait_for_board(page: Page) -> None:
    page.locator(".board .target").first.wait_for(state="attached")


def _analyse(page: Page) -> None:
    """Wait until the values of the moves are drawn."""
    _wait_for_board(page)
    page.locator(".values *").first.wait_for(state="attached")
    page.locator(".value").get_by_text("depth").wait_for()


def _select_for_push(page: Page) -> None:
    """Select the marbles of the lesson, so that what they can do is shown."""
    _wait_for_board(page)
    for cell in ("c2", "c4"):
        page.locator(f'.board [data-id="{cell}"]').click(force=True)


def _select(page: Page) -> None:
    """Select two marbles, so that the ways to move them are shown."""
    _wait_for_board(page)
    for cell in ("d5", "d4"):
        target = page.locator(f'.board [data-id="{cell}"]')
        if target.count():
            target.first.click(force=True)


def _chromium() -> str:
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        raise SystemExit("there is no Chromium on this machine; on Debian: apt install chromium")
    return program


@contextmanager
def _server() -> Iterator[str]:
    """Start a server with a training run and nothing else, and yield its host and port."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "cache").symlink_to(cache_folder())
        program, environment = [sys.executable, "-m", "boardgames"], os.environ | {"BOARDGAMES_HOME": folder}
        subprocess.run([*program, *TRAINING], env=environment, check=True, stdout=subprocess.DEVNULL)
        process = subprocess.Popen(
            [*program, "serve", "--port", "0", "--no-open"],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert process.stdout is not None
        try:
            while not (found := re.search(r"http://([\d.:]+)/", process.stdout.readline())):
                assert process.poll() is None
            yield found[1]
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()
