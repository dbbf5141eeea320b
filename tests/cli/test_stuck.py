"""Ctrl-C ends commands although a plug-in hangs, in a kernel that never returns or elsewhere."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from signal import SIGINT
from typing import Any

import pytest
from waiting import TIMEOUT_S
from websockets.sync.client import connect
from websockets.typing import Origin

pytestmark = pytest.mark.slow  # processes

SOURCE = '''
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
import numpy as np
from boardgames.hookspecs import Entry, hookimpl
from boardgames.kernels import Actions, LegalMoves, Words, kernel
from boardgames_tictactoe.game import TicTacToe

MARK = Path(__file__).with_name("mark")


@kernel(LegalMoves)
def endless(position: Words, moves: Actions) -> int:
    if position[0] | position[1] == np.uint64(0):
        moves[0] = 0
        moves[1] = 1
        return 2
    while True:
        moves[0] = moves[0] ^ 1


class Stuck(TicTacToe):
    """A game whose kernel never returns once a move has been made."""

    def prepare(self):
        super().prepare()
        self.kernels = replace(self.kernels, legal_moves=endless)

    def check_words(self, words):
        if words[0] or words[1] or "alphabeta" in " ".join(sys.argv):
            MARK.touch()
        return super().check_words(words)

    def parse_action(self, position, text, notation=None):
        if "serve" in sys.argv:  # what follows is the move, after which the kernel is called
            MARK.touch()
        return super().parse_action(position, text, notation)

    def format_action(self, words, action, notation=None):
        if "--second" in sys.argv or "serve" in sys.argv:  # two random agents choose among the texts of moves
            MARK.touch()
        return super().format_action(words, action, notation)


class Sleeping(TicTacToe):
    """A game that is drawn in an hour."""

    def draw(self, position):
        MARK.touch()
        time.sleep(3600)


class Lingering(TicTacToe):
    """A game that starts a thread, for which Python waits when it ends, once a move has been made."""

    def draw(self, position):
        if position.words.any():
            threading.Thread(target=time.sleep, args=(3600,), daemon=False).start()
            MARK.touch()
        return super().draw(position)


@hookimpl
def bg_games():
    games = {"stuck": "Stuck", "sleeping": "Sleeping", "lingering": "Lingering"}
    return [Entry(name, "x", f"stuck_parts:{target}") for name, target in games.items()]
'''

IMPORTED = """
import time
from pathlib import Path

Path(__file__).with_name("mark").touch()
time.sleep(3600)
"""

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path, home: Path) -> Iterator[Start]:
    """Return a function that starts the program with a plug-in; its process is killed at the end."""
    (tmp_path / "stuck_parts.py").write_text(SOURCE)
    metadata = tmp_path / "stuck-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: stuck\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[boardgames]\nstuck = stuck_parts\n")
    example = Path(__file__).parents[2] / "examples" / "tictactoe"
    paths = os.pathsep.join([str(tmp_path), str(example), os.environ.get("PYTHONPATH", "")])
    processes = []

    def run(*arguments: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "boardgames", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": paths},
        )
        processes.append(process)
        return process

    yield run
    for process in processes:
        process.kill()
        process.communicate()


def wait_for(mark: Path, process: "subprocess.Popen[str]") -> None:
    """Wait until the plug-in hangs: it leaves a mark before that."""
    deadline = time.monotonic() + TIMEOUT_S
    while not mark.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(2.0)  # the kernel starts some time after the mark


def ends(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """Press Ctrl-C once and return the output; fail if the process does not end."""
    process.send_signal(SIGINT)
    output = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130, output
    return output


@pytest.mark.parametrize(
    ("arguments", "saved"),
    [
        (("play", "stuck", "--first", "random", "--second", "random"), True),
        (("play", "stuck", "--first", "alphabeta:depth=2", "--second", "random"), False),
        (("play", "sleeping", "--first", "random", "--second", "human"), False),
        (("analyze", "stuck", "--agent", "alphabeta:depth=3"), False),
    ],
    ids=["kernel", "search", "drawing", "analysis"],
)
def test_one_ctrl_c_ends_a_command_that_hangs(
    start: Start, tmp_path: Path, home: Path, arguments: tuple[str, ...], saved: bool
) -> None:
    process = start(*arguments)
    wait_for(tmp_path / "mark", process)
    out, err = ends(process)
    assert "Traceback" not in err
    assert len(list(home.rglob("*.record"))) == saved, (out, err)
    assert ("match saved to" in out) == saved


def test_ctrl_c_ends_the_program_while_a_plugin_is_imported(start: Start, tmp_path: Path) -> None:
    module = tmp_path / "stuck_parts.py"
    module.write_text(IMPORTED + module.read_text())
    process = start("games")
    wait_for(tmp_path / "mark", process)
    _, err = ends(process)
    assert "Traceback" not in err
    assert "broken" not in err


@pytest.mark.parametrize(
    "request_",
    [
        {"type": "board", "game": "sleeping"},
        {"type": "board", "game": "stuck", "moves": ["a1"]},
        {"type": "create", "game": "stuck", "seats": [{"kind": "agent", "agent": "random"}] * 2},
        {"type": "board", "game": "lingering", "moves": ["a1"]},
    ],
    ids=["drawing", "kernel", "agents", "thread"],
)
def test_one_ctrl_c_ends_a_server_whose_threads_hang(
    start: Start, tmp_path: Path, request_: dict[str, Any]
) -> None:
    process = start("serve", "--no-open", "--port", "0")
    assert process.stdout is not None
    host = process.stdout.readline().split()[-1].removeprefix("http://").partition("/")[0]
    with connect(f"ws://{host}/ws", origin=Origin(f"http://{host}")) as page:
        for _ in range(10):
            page.send(json.dumps(request_))
        wait_for(tmp_path / "mark", process)
        page.send(json.dumps({"type": "board", "game": "connect4"}))
        while json.loads(page.recv(TIMEOUT_S))["type"] != "board":
            continue
        ends(process)
