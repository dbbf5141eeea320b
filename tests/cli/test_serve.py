"""`boardgames serve`: what it prints, and wrong addresses."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from signal import SIGINT
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from websockets.sync.client import connect
from websockets.typing import Origin

from boardgames.record import Record, write_records
from boardgames.web.deltas import StateReader

Run = Callable[..., Any]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "203.0.113.1"], "cannot listen on '203.0.113.1', port 0"),
        (["--host", "a..b"], "cannot listen on 'a..b', port 0"),
        (["--port", "70000"], "70000"),
        (["chess"], "chess"),
    ],
)
def test_wrong_addresses_and_games_are_refused(arguments: list[str], message: str, bg: Run) -> None:
    port = [] if "--port" in arguments else ["--port", "0"]
    ran = bg("serve", "--no-open", *port, *arguments)
    assert (ran.code, message in ran.err) == (2, True), ran.err
    assert ran.err.count("\n") == 1


def test_a_port_in_use_is_refused_in_one_line(bg: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        ran = bg("serve", "--no-open", "--port", port)
    assert ran.code == 2
    assert ran.err == f"error: cannot listen on '127.0.0.1', port {port}: Address already in use\n"


def test_a_store_that_cannot_be_read_ends_the_server_in_one_line(
    bg: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOARDGAMES_HOME", str(tmp_path))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "matches.db").write_text("rubbish")
    ran = bg("serve", "--no-open", "--port", "0")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert ran.err.startswith("error: "), ran.err
    assert "matches.db" in ran.err


@pytest.mark.slow  # a process
def test_the_page_is_served_until_ctrl_c() -> None:
    command = [sys.executable, "-m", "boardgames", "serve", "connect4", "--no-open", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        with urlopen(address.partition("#")[0]) as page:
            assert b"<script" in page.read()
        process.send_signal(SIGINT)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, "")


@pytest.mark.slow  # a process
def test_ctrl_c_ends_the_server_quietly_while_a_page_waits_for_the_matches() -> None:
    command = [sys.executable, "-m", "boardgames", "serve", "--no-open", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        host = urlsplit(process.stdout.readline().split()[-1]).netloc
        name, port = host.split(":")
        with socket.create_connection((name, int(port))) as page:
            wanted = ["GET /ws HTTP/1.1", f"Host: {host}", f"Origin: http://{host}", "Connection: Upgrade"]
            wanted += [
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                f"Sec-WebSocket-Key: {22 * 'A'}==",
                "",
                "",
            ]
            page.sendall("\r\n".join(wanted).encode())
            # the server has received the previous request by now
            with urlopen(f"http://{host}/games.json") as listed:
                assert b"connect4" in listed.read()
            process.send_signal(SIGINT)
            _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, "")


@pytest.mark.slow  # a process
def test_play_in_the_browser_opens_a_match_directly(tmp_path: Path) -> None:
    record = tmp_path / "match.record"
    match = Record("connect4", start="-", moves=("4", "4", "4"), tags={"TimeControl": "300+2"})
    write_records(record, [match])
    command = [sys.executable, "-m", "boardgames", "play", "connect4", "--web", "--no-open"]
    command += ["--resume", str(record), "--agent", "random", "--seed", "1", "--plies", "9"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        host = urlsplit(address).netloc
        _, key, token = urlsplit(address).fragment.strip("/").split("/")
        with connect(f"ws://{host}/ws", origin=Origin(f"http://{host}")) as socket:
            socket.send(json.dumps({"type": "join", "match": key, "token": token}))
            reader = StateReader()
            while (state := reader.read(json.loads(socket.recv(60))))["ply"] < 4:
                continue
        process.send_signal(SIGINT)
        assert process.wait(60) == 130
    assert (state["yours"], state["limit"]) == ([0], "move 5 of 9")
    assert [move["text"] for move in state["moves"][:3]] == ["4", "4", "4"]
    assert state["clocks"][0] > 290


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--web", "--confirm"], "--confirm is for the terminal; it does not work with --web"),
        (["--web", "--watch"], "--watch is for the terminal"),
        (["--web", "--agent", "chess"], "connect4 has no agent 'chess'"),
        (["--web", "--position", "?"], "position"),
        (["--web", "--plies", "1000000"], "this match cannot be played in the browser"),
        (["--no-open"], "--open and --no-open only work with --web"),
        (["--port", "8000"], "--port only works with --web"),
    ],
)
def test_wrong_options_of_a_match_in_the_browser_are_refused(
    arguments: list[str], message: str, bg: Run
) -> None:
    ran = bg("play", "connect4", *arguments)
    assert (ran.code, message in ran.err) == (2, True), ran.err
    assert ran.err.count("\n") == 1


def test_match_in_the_browser_is_served_on_the_port_that_was_asked_for(bg: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        ran = bg("play", "connect4", "--web", "--no-open", "--port", str(port))
    assert (ran.code, ran.err) == (
        2,
        f"error: cannot listen on '127.0.0.1', port {port}: Address already in use\n",
    )
