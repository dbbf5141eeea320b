"""Connections that are idle or stuck are closed, so that others can be opened; answers are sent at once."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from waiting import TIMEOUT_S
from web_pages import Server
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from boardgames.web import server as module


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Return a server with a short request timeout."""
    monkeypatch.setattr(module, "REQUEST_SECONDS", 0.1)
    server = Server(ping_seconds=TIMEOUT_S)
    yield server
    server.close()


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Return a server with a short timeout for sending."""
    monkeypatch.setattr(module, "UNREAD_SECONDS", 1.0)
    server = Server(ping_seconds=TIMEOUT_S, unread_bytes=4096)
    yield server
    server.close()


def wait(condition: Callable[[], bool], interval: float = 0.01) -> None:
    """Wait until a condition is true; fail if it never is."""
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(interval)


def read_all(connection: socket.socket) -> bytes:
    """Return what is sent until the other end closes the connection."""
    received = b""
    with connection:
        while True:
            try:
                some = connection.recv(4096)
            except ConnectionResetError:
                return received
            if not some:
                return received
            received += some


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: x",
        b"GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n",
    ],
    ids=["nothing", "headers", "handshake", "second request"],
)
def test_connections_that_never_end_a_request_are_closed(impatient: Server, sent: bytes) -> None:
    idle = [socket.create_connection(("127.0.0.1", impatient.port), TIMEOUT_S) for _ in range(5)]
    for connection in idle:
        connection.sendall(sent)
    for connection in idle:
        read_all(connection)
    impatient.wait_until_idle()


def test_pages_that_do_not_answer_pings_are_disconnected() -> None:
    server = Server(ping_seconds=0.1)
    connection = socket.create_connection(("127.0.0.1", server.port), TIMEOUT_S)
    headers = {
        "Host": server.host,
        "Origin": f"http://{server.host}",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "MDEyMzQ1Njc4OWFiY2RlZg==",
    }
    lines = ["GET /ws HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    connection.sendall("\r\n".join(lines).encode())
    assert read_all(connection).startswith(b"HTTP/1.1 101")
    server.wait_until_idle()
    server.close()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="this system has no such limit")
def test_pages_that_do_not_read_are_disconnected_and_leave_their_matches(unread: Server) -> None:
    with socket.socket() as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect(("127.0.0.1", unread.port))
        address, origin = f"ws://{unread.host}/ws", Origin(f"http://{unread.host}")
        with connect(address, origin=origin, sock=raw, max_queue=1, close_timeout=0) as page:
            seats = [{"kind": "here"}, {"kind": "here"}]
            page.send(json.dumps({"type": "create", "game": "abalone", "seats": seats}))
            key = json.loads(page.recv())["match"]
            match = unread.lobby.get(key)
            assert match is not None
            page.send(json.dumps({"type": "join", "match": key}))
            assert json.loads(page.recv())["type"] == "match"

            def is_gone() -> bool:
                with suppress(ConnectionClosed):  # each request is answered with a state, which nobody reads
                    page.send(json.dumps({"type": "join", "match": key}))
                return match.pages == 0

            wait(is_gone, 0.06)
            unread.wait_until_idle()


def test_messages_are_sent_at_once() -> None:
    """Nagle's algorithm would delay answers by 40 ms; asyncio disables it only if the protocol is TCP."""
    with module.listen("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP
