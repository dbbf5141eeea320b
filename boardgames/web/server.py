"""Serving the page with uvicorn."""

import ipaddress
import os
import secrets
import socket
from collections.abc import Callable

import uvicorn

from boardgames.errors import OptionError, quote
from boardgames.web.app import create_app
from boardgames.web.messages import MAX_BYTES

LOOPBACK = "127.0.0.1"
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
SHUTDOWN_SECONDS = 1


def serve(host: str, port: int, announce: Callable[[str], None]) -> None:
    """Serve the page until the program is interrupted.

    Another host than loopback is only served with a token, which the address contains.

    Parameters
    ----------
    host : str
        The address to listen on.
    port : int
        The port, or 0 for one that is free.
    announce : callable
        Called with the address of the page as soon as it can be opened.

    Raises
    ------
    OptionError
        If nothing can listen on this address and port.
    """
    listener = _listen(host, port)
    port = listener.getsockname()[1]
    token = None if _is_loopback(host) else secrets.token_urlsafe(18)
    hosts = frozenset(f"{name}:{port}" for name in LOOPBACK_NAMES) if token is None else frozenset[str]()
    config = uvicorn.Config(
        create_app(hosts=hosts, token=token),
        log_level="warning",
        ws_max_size=MAX_BYTES,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    named = f"[{host}]" if ":" in host else host
    announce(f"http://{named}:{port}/" + (f"?token={token}" if token else ""))
    with listener:
        uvicorn.Server(config).run(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    if os.name == "posix":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
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
