"""The web application: the page, its files, and the WebSocket, for requests from this origin only."""

import asyncio
import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.cookies import SimpleCookie
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from boardgames.draw.svg import STYLES_FILE
from boardgames.web.calls import call_in_thread
from boardgames.web.files import PageFiles
from boardgames.web.messages import CatalogueReply, GameEntry, encode

if TYPE_CHECKING:
    from boardgames.web.lobby import Lobby

STATIC = Path(__file__).parent / "static"
COOKIE = "boardgames-token"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def create_app(lobby: "asyncio.Future[Lobby]", *, hosts: frozenset[str], token: str | None = None) -> ASGIApp:
    """Return the application.

    Parameters
    ----------
    lobby : asyncio.Future of Lobby
        The matches on the server. Until they have been loaded, the page's files are served, but WebSockets
        wait.
    hosts : frozenset of str
        Allowed values of the header Host, such as `127.0.0.1:8000`; if empty, any host is allowed.
    token : str, optional
        A secret that each browser must send once, as `/?token=...`.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        if not lobby.cancel() and not lobby.cancelled() and lobby.exception() is None:
            await lobby.result().close()

    async def connect(socket: WebSocket) -> None:
        await asyncio.wait([lobby])
        if lobby.cancelled() or lobby.exception() is not None:  # the server is shutting down
            await socket.close(1012)
            return
        from boardgames.web.page import Page  # imported late, since it imports Numba

        await Page(socket, lobby.result()).run()

    async def games(request: Request) -> Response:
        try:
            listed = await call_in_thread(_listed_games, name="list games")
        except asyncio.CancelledError:  # the server is shutting down
            return Response(status_code=503)
        return Response(encode(listed), media_type="application/json")

    files = PageFiles([*STATIC.iterdir(), STYLES_FILE])
    places = ("/", "/{name}", "/{version}/{name}")
    routes = [WebSocketRoute("/ws", connect), Route("/games.json", games)]
    routes += [Route(place, files.respond) for place in places]
    return RequestGuard(Starlette(routes=routes, lifespan=lifespan), hosts=hosts, token=token)


def _listed_games() -> CatalogueReply:
    """Return what the plug-ins say about their games; this loads neither Numba nor the games."""
    from boardgames.plugins import registry  # late, so that the server can start before this

    entries = [offer.entry for offer in registry().offers("games")]
    return CatalogueReply(games=[GameEntry.of(entry) for entry in entries])


class RequestGuard:
    """Refuses requests that do not come from a page of this server, and adds security headers to responses.

    Parameters
    ----------
    app : ASGI application
        The application to guard.
    hosts, token
        See `create_app`.
    """

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str], token: str | None) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        reason = self._refusal(scope, headers)
        if reason is None:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await WebSocket(scope, receive, send).close(1008, reason)
        elif self._is_token_given(scope):
            response = RedirectResponse("/", headers=HEADERS)
            response.set_cookie(COOKIE, self._token or "", httponly=True, samesite="strict")
            await response(scope, receive, send)
        else:
            await PlainTextResponse(f"{reason}\n", 403, headers=HEADERS)(scope, receive, send)

    def _refusal(self, scope: Scope, headers: Headers) -> str | None:
        """Return why a request is refused, or None if it is allowed."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if self._hosts and host not in self._hosts:
            return f"the host must be {' or '.join(sorted(self._hosts))}"
        if scope["type"] == "websocket" and origin is None:
            return "the WebSocket is only for pages of this server"
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return "the request comes from a page of another server"
        if self._token is None:
            return None
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        if cookie is None or not hmac.compare_digest(cookie.value.encode(), self._token.encode()):
            return "open the link with the token that `boardgames serve` has printed"
        return None

    def _is_token_given(self, scope: Scope) -> bool:
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        host_is_known = not self._hosts or Headers(scope=scope).get("host", "") in self._hosts
        return (
            self._token is not None
            and host_is_known
            and hmac.compare_digest(given.encode(), self._token.encode())
        )


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return send_with_headers
