"""Serves the page with uvicorn."""

import asyncio
import ipaddress
import os
import secrets
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from boardgames.compiling import compilation_deferred
from boardgames.errors import OptionError, quote
from boardgames.web.app import create_app
from boardgames.web.calls import call_in_thread
from boardgames.web.messages import MAX_BYTES, CreateMatch

if TYPE_CHECKING:
    from boardgames.record import Record
    from boardgames.web.lobby import Lobby

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
SHUTDOWN_SECONDS = 0.5
"""How long uvicorn waits for open connections before the server ends."""
REQUEST_SECONDS = 30.0
"""A connection without a complete request is closed after this time."""
UNREAD_SECONDS = 30.0
"""A connection whose other end does not read the data sent to it is closed after this time."""


def serve(
    host: str,
    port: int,
    announce: Callable[[str], None],
    *,
    match: CreateMatch | None = None,
    record: "Record | None" = None,
) -> None:
    """Serve the page until the program is interrupted.

    Unless the host is a loopback address, pages need a token, which the announced address contains.

    Parameters
    ----------
    host : str
        The address to listen on.
    port : int
        The port, or 0 for any free port.
    announce : callable
        Called with the address of the page as soon as it can be opened.
    match : CreateMatch, optional
        A match to start; its address is announced, and all agents are allowed in it.
    record : Record, optional
        A record that this match continues.

    Raises
    ------
    OptionError
        If nothing can listen on this address and port.
    StoreError
        If the store of matches cannot be used.
    BoardgamesError
        If the match cannot be started.
    """
    with listen(host, port) as listener:
        asyncio.run(_serve(host, listener, announce, match, record))


async def _serve(
    host: str,
    listener: socket.socket,
    announce: Callable[[str], None],
    match: CreateMatch | None,
    record: "Record | None",
) -> None:
    port = listener.getsockname()[1]
    named = f"[{host}]" if ":" in host else host
    token = None if _is_loopback(host) else secrets.token_urlsafe(18)
    hosts = frozenset(f"{name}:{port}" for name in (*LOOPBACK_NAMES, named)) if token is None else frozenset()
    address = f"http://{named}:{port}/" + (f"?token={token}" if token else "")
    lobby = asyncio.create_task(_open_lobby(is_private=token is None))
    if match is not None:
        created, seat = await _create(await lobby, match, record)
        address += f"#/match/{created}/{seat}"
    server = _Server(new_config(create_app(lobby, hosts=hosts, token=token)), lobby)
    announce(address)
    warming_up = asyncio.create_task(_warm_up(lobby, server))
    await server.serve(sockets=[listener])
    warming_up.cancel()
    if lobby.done() and not lobby.cancelled():
        lobby.result()  # raises the error if the matches could not be loaded


async def _open_lobby(*, is_private: bool) -> "Lobby":
    """Return the lobby with the saved matches; its modules are imported in a thread, which takes a while."""

    def new_lobby() -> "Lobby":
        with compilation_deferred():  # otherwise the first page would wait for Numba
            from boardgames.web.archive import Archive
            from boardgames.web.lobby import Lobby

        return Lobby(archive=Archive(), is_private=is_private)

    lobby = await call_in_thread(new_lobby, name="import")
    await lobby.open()
    return lobby


async def _create(lobby: "Lobby", match: CreateMatch, record: "Record | None") -> tuple[str, str | None]:
    """Return the key of a new match, and the secret of its seats."""
    try:
        created, seat = await lobby.create(match, record, trusted=True)
    except BaseException:
        await lobby.close()
        raise
    return created.key, seat


async def _warm_up(lobby: "asyncio.Task[Lobby]", server: uvicorn.Server) -> None:
    """Load all games once the matches have been loaded; if the matches cannot be loaded, end the server."""
    await asyncio.wait([lobby])
    if lobby.cancelled() or lobby.exception() is not None:
        server.should_exit = True
    else:
        await lobby.result().games.warm_up()


def new_config(app: ASGIApp) -> uvicorn.Config:
    """Return the configuration with which uvicorn serves the application."""
    return uvicorn.Config(
        app,
        http=_Connection,
        log_config=None,  # keep the program's logging configuration
        log_level="warning",
        ws_max_size=MAX_BYTES,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,  # type: ignore[arg-type]  # a float works too
    )


def is_free(host: str, port: int) -> bool:
    """Return True if nothing listens on this address and port."""
    try:
        listen(host, port).close()
    except OptionError:
        return False
    return True


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on this address and port.

    Raises
    ------
    OptionError
        If nothing can listen there.
    """
    if not host:
        raise OptionError("the host must not be empty; use 0.0.0.0 to listen on all addresses")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns Nagle's algorithm off only if the protocol is named
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; connections inherit it from the listening socket
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * UNREAD_SECONDS))
    try:
        listener.bind((host, port))
        listener.listen()
    except (OSError, UnicodeError) as error:
        listener.close()
        reason = (error.strerror if isinstance(error, OSError) else None) or "it is not an address"
        raise OptionError(f"cannot listen on {quote(host)}, port {port}: {reason}") from None
    return listener


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Server(uvicorn.Server):
    """A server that stops loading matches when it shuts down, so that no page still waits for them."""

    def __init__(self, config: uvicorn.Config, lobby: "asyncio.Task[Lobby]") -> None:
        super().__init__(config)
        self._lobby = lobby

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._lobby.cancel()
        await super().shutdown(sockets)


class _Connection(H11Protocol):
    """An HTTP connection that is closed after some time if it is idle and has not become a WebSocket."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self.loop.call_later(REQUEST_SECONDS, self._expire)

    def _expire(self) -> None:
        is_http = self in self.connections
        if is_http and (self.cycle is None or self.cycle.response_complete):
            self.transport.abort()
