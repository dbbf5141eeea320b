"""One page: the requests that come over its WebSocket, and what it is sent."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from boardgames.errors import BoardgamesError, MatchError
from boardgames.web import messages
from boardgames.web.lobby import Lobby
from boardgames.web.match import LiveMatch
from boardgames.web.messages import decode, encode

REQUESTS_PER_SECOND, BURST = 20.0, 80.0
"""A page may send this many requests at once, and then this many each second."""
MOST_JOINED = 20
MOST_WAITING = 200
"""Replies that wait for a page; one that does not read them is disconnected."""
UNSUPPORTED, POLICY = 1003, 1008
"""Reasons to close a WebSocket (RFC 6455)."""


class Page:
    """A page that is connected to the server.

    Parameters
    ----------
    socket : WebSocket
        Its connection, not yet accepted.
    lobby : Lobby
        The matches on the server.
    """

    def __init__(self, socket: WebSocket, lobby: Lobby) -> None:
        self._socket = socket
        self._lobby = lobby
        self._joined: dict[str, list[int]] = {}
        self._lists_matches = False
        self._dirty: set[str] = set()
        self._is_list_dirty = False
        self._replies: deque[bytes] = deque()
        self._ready = asyncio.Event()
        self._allowance, self._counted_at = BURST, time.monotonic()

    async def run(self) -> None:
        """Answer requests until the page disconnects."""
        await self._socket.accept()
        unsubscribe = self._lobby.subscribe(self._match_changed)
        sender = asyncio.create_task(self._send())
        try:
            await self._receive()
        except WebSocketDisconnect:
            pass
        finally:
            unsubscribe()
            sender.cancel()
            for key in tuple(self._joined):
                self._leave(key)

    # --- receiving -------------------------------------------------------------

    async def _receive(self) -> None:
        while True:
            event = await self._socket.receive()
            if event["type"] == "websocket.disconnect":
                return
            text = event.get("text")
            if text is None:
                await self._socket.close(UNSUPPORTED, "messages must be text, not binary")
                return
            if not self._is_allowed():
                await self._socket.close(POLICY, "too many messages")
                return
            if len(text.encode()) > messages.MAX_BYTES:
                await self._socket.close(POLICY, f"a message has at most {messages.MAX_BYTES} bytes")
                return
            await self._answer(text)

    def _is_allowed(self) -> bool:
        now = time.monotonic()
        self._allowance = min(BURST, self._allowance + (now - self._counted_at) * REQUESTS_PER_SECOND) - 1
        self._counted_at = now
        return self._allowance >= 0

    async def _answer(self, text: str) -> None:
        re: int | None = None
        try:
            request = decode(text)
            re = request.re
            await _ANSWERS[type(request)](self, request)
        except (msgspec.MsgspecError, RecursionError) as error:
            self._reply(messages.Refused(reason=f"not a message of this protocol: {error}"))
        except BoardgamesError as error:
            reason = str(error).partition("\n")[0]
            self._reply(messages.Refused(reason=reason, **_answering(re)))

    # --- answers ---------------------------------------------------------------

    async def _catalogue(self, request: messages.Catalogue) -> None:
        self._reply(msgspec.structs.replace(await self._lobby.catalogue(), **_answering(request.re)))

    async def _describe(self, request: messages.DescribeGame) -> None:
        reply = await self._lobby.describe(request.name)
        self._reply(msgspec.structs.replace(reply, **_answering(request.re)))

    async def _list_matches(self, request: messages.ListMatches) -> None:
        self._lists_matches = True
        self._reply(messages.MatchesReply(matches=self._lobby.entries(), **_answering(request.re)))

    async def _create(self, request: messages.CreateMatch) -> None:
        match, token = await self._lobby.create(request)
        self._reply(messages.Created(match=match.key, token=token, **_answering(request.re)))

    async def _join(self, request: messages.JoinMatch) -> None:
        match = self._match(request.match)
        if match.key not in self._joined and len(self._joined) >= MOST_JOINED:
            raise MatchError(f"a page shows at most {MOST_JOINED} matches")
        sides = self._joined.setdefault(match.key, [])
        for side in match.sides_of(request.token):
            if side not in sides:
                sides.append(side)
                match.seats[side].connections[id(self)] = 1
        sides.sort()
        match.connections_changed()

    async def _leave_match(self, request: messages.LeaveMatch) -> None:
        self._leave(request.match)

    async def _claim(self, request: messages.ClaimSeat) -> None:
        match = self._match(request.match)
        token = match.claim(request.side, request.name)
        self._reply(
            messages.Claimed(match=match.key, side=request.side, token=token, **_answering(request.re))
        )

    async def _move(self, request: messages.MakeMove) -> None:
        await self._match(request.match).move(self._sides(request.match), request.ply, request.move)

    async def _take_back(self, request: messages.TakeBack) -> None:
        await self._match(request.match).take_back(self._sides(request.match))

    async def _resign(self, request: messages.Resign) -> None:
        await self._match(request.match).resign(self._acting_side(request.match))

    async def _offer_draw(self, request: messages.OfferDraw) -> None:
        await self._match(request.match).offer_draw(self._acting_side(request.match))

    async def _answer_offer(self, request: messages.Answer) -> None:
        match, sides = self._match(request.match), self._sides(request.match)
        asked = match.undo_request if match.undo_request is not None else match.draw_offer
        if asked is None or 1 - asked not in sides:
            raise MatchError("there is nothing to answer")
        await match.answer(1 - asked, accepts=request.accept)

    async def _hint(self, request: messages.AskHint) -> None:
        self._send_later(await self._match(request.match).hint(request.re))

    async def _pause(self, request: messages.Pause) -> None:
        self._match(request.match).pause()

    async def _resume(self, request: messages.Resume) -> None:
        self._match(request.match).resume()

    async def _step(self, request: messages.Step) -> None:
        self._match(request.match).step()

    async def _delay(self, request: messages.SetDelay) -> None:
        self._match(request.match).set_delay(request.seconds)

    async def _view(self, request: messages.ViewPly) -> None:
        self._send_later(await self._match(request.match).view(request.ply, request.re))

    # --- matches and seats -----------------------------------------------------

    def _match(self, key: str) -> LiveMatch:
        if key not in self._lobby.matches:
            raise MatchError("there is no such match on this server")
        return self._lobby.matches[key]

    def _sides(self, key: str) -> list[int]:
        """Return the sides of a match that this page may play.

        Raises
        ------
        MatchError
            If it only watches.
        """
        sides = self._joined.get(key)
        if not sides:
            raise MatchError("only the players can do that; this page watches the match")
        return sides

    def _acting_side(self, key: str) -> int:
        """Return the side for which this page acts: if it plays both, the one to move."""
        sides = self._sides(key)
        return self._match(key).side_to_move if len(sides) == 2 else sides[0]

    def _leave(self, key: str) -> None:
        sides = self._joined.pop(key, None)
        match = self._lobby.matches.get(key)
        if sides is None or match is None:
            return
        for side in sides:
            del match.seats[side].connections[id(self)]
        match.connections_changed()

    # --- sending ---------------------------------------------------------------

    def _match_changed(self, match: LiveMatch) -> None:
        if match.key in self._joined:
            self._dirty.add(match.key)
            self._ready.set()
        if self._lists_matches:
            self._is_list_dirty = True
            self._ready.set()

    def _reply(self, message: msgspec.Struct) -> None:
        self._send_later(encode(message))

    def _send_later(self, message: bytes) -> None:
        self._replies.append(message)
        self._ready.set()

    async def _send(self) -> None:
        """Send replies in order, and of each match that has changed only the latest state."""
        while True:
            await self._ready.wait()
            self._ready.clear()
            if len(self._replies) > MOST_WAITING:
                await self._socket.close(POLICY, "the page does not read its messages")
                return
            while self._replies:
                await self._socket.send_text(self._replies.popleft().decode())
            for key in tuple(self._dirty):
                self._dirty.discard(key)
                match = self._lobby.matches.get(key)
                if match is not None and key in self._joined:
                    await self._socket.send_text(match.state(self._joined[key]).decode())
            if self._is_list_dirty:
                self._is_list_dirty = False
                await self._socket.send_text(
                    encode(messages.MatchesReply(matches=self._lobby.entries())).decode()
                )


def _answering(re: int | None) -> dict[str, Any]:
    return {} if re is None else {"re": re}


_ANSWERS: dict[type, Callable[[Page, Any], Awaitable[None]]] = {
    messages.Catalogue: Page._catalogue,
    messages.DescribeGame: Page._describe,
    messages.ListMatches: Page._list_matches,
    messages.CreateMatch: Page._create,
    messages.JoinMatch: Page._join,
    messages.LeaveMatch: Page._leave_match,
    messages.ClaimSeat: Page._claim,
    messages.MakeMove: Page._move,
    messages.TakeBack: Page._take_back,
    messages.Resign: Page._resign,
    messages.OfferDraw: Page._offer_draw,
    messages.Answer: Page._answer_offer,
    messages.AskHint: Page._hint,
    messages.Pause: Page._pause,
    messages.Resume: Page._resume,
    messages.Step: Page._step,
    messages.SetDelay: Page._delay,
    messages.ViewPly: Page._view,
}
