"""A server in a thread, and pages that talk to it."""

import asyncio
import json
import socket
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import uvicorn
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from boardgames.web.app import create_app
from boardgames.web.archive import Archive
from boardgames.web.deltas import StateReader
from boardgames.web.lobby import Lobby
from boardgames.web.server import listen, new_config

ANSWER_SECONDS = 60


class Server:
    """A server on a port of this machine, by default a free one. With a store, it keeps its matches there."""

    def __init__(
        self,
        *,
        token: str | None = None,
        store: Path | None = None,
        searches: int | None = None,
        port: int = 0,
        ping_seconds: float = 20.0,
        unread_bytes: int | None = None,
    ) -> None:
        self._listener = listen("127.0.0.1", port)
        if unread_bytes is not None:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, unread_bytes)
        self.port = self._listener.getsockname()[1]
        self.host = f"127.0.0.1:{self.port}"
        self.token, self.store, self.searches = token, store, searches
        self._ping_seconds = ping_seconds
        self._started = threading.Event()
        self._thread = threading.Thread(target=asyncio.run, args=(self._run(),))
        self._thread.start()
        assert self._started.wait(ANSWER_SECONDS)

    async def _run(self) -> None:
        archive = None if self.store is None else Archive(self.store)
        self.lobby = Lobby(self.searches, archive=archive, is_private=self.token is None)
        await self.lobby.open()
        ready = asyncio.get_running_loop().create_future()
        ready.set_result(self.lobby)
        app = create_app(ready, hosts=frozenset(() if self.token else (self.host,)), token=self.token)
        config = new_config(app)
        config.ws_ping_interval = config.ws_ping_timeout = self._ping_seconds
        self._server = uvicorn.Server(config)
        self._started.set()
        await self._server.serve(sockets=[self._listener])

    @property
    def connections(self) -> int:
        """Return the number of open connections."""
        return len(self._server.server_state.connections)

    def wait_until_idle(self) -> None:
        """Wait until all connections are closed."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while self.connections:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._listener.close()

    def page(self, **headers: str) -> "Page":
        """Return a page of this server, which the caller must close."""
        return Page(
            connect(f"ws://{self.host}/ws", origin=Origin(f"http://{self.host}"), additional_headers=headers)
        )


class Kept:
    """A server that can be restarted with the same port and, if it has one, the same store."""

    def __init__(self, store: Path | None) -> None:
        self.store = store
        self.server = Server(store=store)

    def restart(self) -> None:
        """Stop the server, and start it again."""
        port = self.server.port
        self.server.close()
        self.server = Server(store=self.store, port=port)


class Page:
    """A page as the server sees it: it sends requests and receives messages."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._readers: dict[str, StateReader] = defaultdict(StateReader)
        self.socket = connection.__enter__()

    def close(self) -> None:
        self._connection.__exit__(None, None, None)

    def send(self, kind: str, /, **fields: object) -> None:
        self.socket.send(json.dumps({"type": kind, **fields}))

    def receive(self, *kinds: str) -> Any:
        """Return the next message of one of these types; states of matches are always complete."""
        while True:
            message = self._read()
            if message["type"] in kinds:
                return message

    def _read(self) -> Any:
        message = json.loads(self.socket.recv(timeout=ANSWER_SECONDS))
        if message["type"] in ("match", "match-change"):
            return self._readers[message["id"]].read(message)
        return message

    def ask(self, kind: str, /, **fields: object) -> Any:
        """Return the direct answer to a request."""
        self.send(kind, re=7, **fields)
        while True:
            message = self._read()
            if message.get("re") == 7:
                return message

    def create(self, *seats: str, **fields: object) -> Any:
        """Create a match of Connect Four; a seat is `here`, `open` or an agent."""
        described = [
            {"kind": seat} if seat in ("here", "open") else {"kind": "agent", "agent": seat} for seat in seats
        ]
        return self.ask("create", **{"game": "connect4", "seats": described, **fields})

    def start(self, *seats: str, **fields: object) -> str:
        """Create a match, join it as the player of all seats that are `here`, and return its key."""
        created = self.create(*seats, **fields)
        self.send("join", match=created["match"], token=created["token"])
        return str(created["match"])

    def state(self, **expected: object) -> Any:
        """Return the next state of a match that has these values."""
        while True:
            state = self.receive("match")
            if all(state[name] == value for name, value in expected.items()):
                return state

    def outcome(self) -> Any:
        """Wait for the end of a match, and return its outcome."""
        while (state := self.receive("match"))["outcome"] is None:
            continue
        return state["outcome"]
