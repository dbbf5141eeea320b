"""`boardgames serve`: what it prints, and wrong addresses."""

import socket
import subprocess
import sys
from collections.abc import Callable
from signal import SIGINT
from typing import Any
from urllib.request import urlopen

import pytest

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
