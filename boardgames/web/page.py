"""One connected page: answers the requests that arrive over its WebSocket, and sends it news."""

import asyncio
import logging
import re
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from boardgames.compiling import compilation_listener
from boardgames.errors import BoardgamesError, MatchError, PluginError, shortened
from boardgames.web import lessons, messages, positions
from boardgames.web.analysis import Analyst
from boardgames.web.calls import PAGE
from boardgames.web.deltas import StateStream
from boardgames.web.lobby import Lobby
from boardgames.web.match import LiveMatch
from boardgames.web.messages import decode, encode
from boardgames.web.training import TrainingReply

_log = logging.getLogger(__name__)

REQUESTS_PER_SECOND, BURST = 20.0, 80.0
"""A page may send `BURST` requests at the same time, and afterwards `REQUESTS_PER_SECOND`."""
MAX_JOINED_MATCHES = 20
MAX_WAITING_REPLIES = 200
"""Maximum number of replies waiting for a page; a page that does not read them is disconnected."""
MAX_PENDING_REQUESTS = 16
"""Maximum number of requests of one page that are answered at the same time."""
UNSUPPORTED, POLICY = 1003, 1008
"""Reasons to close a WebSocket (RFC 6455)."""
_CLOSED = (RuntimeError, OSError, WebSocketDisconnect)
"""What Starlette raises if the connection is closed or being closed, which is not an error here."""
_PATH = re.compile(r"(?<![\w.])(?:~|[A-Za-z]:)?[/\\](?:[^\s'\"/\\]+[/\\])+([^\s'\"/\\]+)")
"""Matches the path of a file; the group is its last part, which a page may see."""


class Page:
    """A page that is connected to the server.

    Parameters
    ----------
    socket : WebSocket
        The connection, not yet accepted.
    lobby : Lobby
        The matches on the server.
    """

    def __init__(self, socket: WebSocket, lobby: Lobby) -> None:
        self._socket = socket
        self._lobby = lobby
        self._joined: dict[str, set[int]] = {}
        self._owned: set[str] = set()
        self._streams: dict[str, StateStream] = {}
        self._lists_matches = False
        self._sent_stored: messages.StoredReply | None = None
        self._dirty: set[str] = set()
        self._is_list_dirty = False
        self._news: TrainingReply | None = None
        self._compiling: messages.Compiling | None = None
        self._replies: deque[bytes] = deque()
        self._answering: set[asyncio.Task[None]] = set()
        self._loading: dict[str, asyncio.Task[None]] = {}
        """For each match that is being loaded, the task that answers the latest request to load it."""
        self._ready = asyncio.Event()
        self._analyst = Analyst(lobby)
        self._allowance, self._counted_at = BURST, time.monotonic()

    async def run(self) -> None:
        """Answer requests until the page disconnects."""
        PAGE.set(id(self))
        try:
            await self._socket.accept()
        except _CLOSED:
            return
        loop = asyncio.get_running_loop()

        def compilation_changed(module: str, count: int) -> None:
            loop.call_soon_threadsafe(self._compilation_changed, module, count)

        with compilation_listener(compilation_changed):
            await self._serve()

    async def _serve(self) -> None:
        unsubscribe = self._lobby.subscribe(self._match_changed)
        sender, receiver = asyncio.create_task(self._send()), asyncio.create_task(self._receive())
        tasks: set[asyncio.Task[None]] = {sender, receiver}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            unsubscribe()
            self._analyst.close()
            self._lobby.training.unwatch(self._training_changed)
            for key in tuple(self._joined):
                self._leave(key)
            tasks |= self._answering
            for task in tasks:
                task.cancel()
            for ended in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(ended, Exception) and not isinstance(ended, WebSocketDisconnect):
                    raise ended

    async def _close(self, code: int, reason: str) -> None:
        with suppress(*_CLOSED):
            await self._socket.close(code, reason)

    # --- receiving -------------------------------------------------------------

    async def _receive(self) -> None:
        while True:
            try:
                event = await self._socket.receive()
            except _CLOSED:
                return
            if event["type"] == "websocket.disconnect":
                return
            text = event.get("text")
            if text is None:
                await self._close(UNSUPPORTED, "messages must be text, not binary")
                return
            if not self._is_allowed():
                await self._close(POLICY, "too many messages")
                return
            if len(text.encode()) > messages.MAX_BYTES:
                await self._close(POLICY, f"a message may have at most {messages.MAX_BYTES} bytes")
                return
            if len(self._replies) > MAX_WAITING_REPLIES:
                await self._close(POLICY, "the page does not read its messages")
                return
            await self._accept(text)

    def _is_allowed(self) -> bool:
        now = time.monotonic()
        self._allowance = min(BURST, self._allowance + (now - self._counted_at) * REQUESTS_PER_SECOND) - 1
        self._counted_at = now
        return self._allowance >= 0

    async def _accept(self, text: str) -> None:
        """Answer a request; one that may take long is answered in a task, so as not to delay later requests.

        Only requests about a match that is being loaded wait until it has been loaded.
        """
        try:
            request = decode(text)
        except (msgspec.MsgspecError, RecursionError) as error:
            self._reply(messages.Refused(reason=shortened(f"not a message of this protocol: {error}")))
            return
        key: str = getattr(request, "match", None) or ""
        is_loading = type(request) in _LOADING and self._lobby.get(key) is None
        loading = self._loading.get(key)
        if type(request) not in _SLOW and not is_loading and loading is None:
            await self._answer(request)
        elif len(self._answering) >= MAX_PENDING_REQUESTS:
            self._reply(messages.Refused(reason="wait for the answers to earlier requests"), request)
        else:
            task = asyncio.create_task(self._answer_after(loading, request))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
            if is_loading:
                self._loading[key] = task
                task.add_done_callback(partial(self._loaded, key))

    async def _answer_after(self, loading: asyncio.Task[None] | None, request: messages.Request) -> None:
        """Answer a request after the match that it is about has been loaded."""
        if loading is not None:
            await asyncio.wait([loading])
        await self._answer(request)

    def _loaded(self, key: str, task: asyncio.Task[None]) -> None:
        if self._loading.get(key) is task:
            del self._loading[key]

    async def _answer(self, request: messages.Request) -> None:
        try:
            reply = await _ANSWERS[type(request)](self, request)
        except BoardgamesError as error:
            if isinstance(error, PluginError) and error.__cause__ is not None:
                _log.error("a request of a page failed: %s", error, exc_info=error.__cause__)
            reply = messages.Refused(reason=_PATH.sub(r"\1", str(error).partition("\n")[0]))
        except Exception as error:  # noqa: BLE001 - a plug-in may raise anything; its text may name files
            _log.exception("a request of a page failed")
            reply = messages.Refused(reason=f"that failed on the server: {type(error).__name__}")
        if reply is not None:
            self._reply(reply, request)

    # --- answers ---------------------------------------------------------------

    async def _catalogue(self, request: messages.Catalogue) -> messages.Reply:
        return await self._lobby.games.catalogue()

    async def _describe(self, request: messages.DescribeGame) -> messages.Reply:
        return await self._lobby.games.describe(request.name)

    async def _list_matches(self, request: messages.ListMatches) -> messages.Reply:
        self._lists_matches, self._sent_stored = True, None
        reading = asyncio.create_task(self._lobby.read_stored())
        self._answering.add(reading)
        reading.add_done_callback(self._answering.discard)
        return messages.MatchesReply(matches=self._lobby.entries())

    async def _create(self, request: messages.CreateMatch) -> messages.Reply:
        match, token = await self._lobby.create(request)
        return messages.Created(match=match.key, token=token)

    async def _delete(self, request: messages.DeleteMatches) -> messages.Reply:
        await self._lobby.delete({one.match: one.tokens for one in request.matches})
        return messages.Done()

    async def _rename(self, request: messages.RenameMatch) -> messages.Reply:
        await self._lobby.rename(request.match, request.name.strip(), request.tokens)
        return messages.Done()

    async def _join(self, request: messages.JoinMatch) -> None:
        if request.match not in self._joined and len(self._joined) >= MAX_JOINED_MATCHES:
            raise MatchError(f"a page can show at most {MAX_JOINED_MATCHES} matches")
        match = await self._lobby.find(request.match)
        sides = self._joined.setdefault(match.key, set())
        sides.update(match.add_page(id(self), request.token))
        if match.is_owned_by(request.token):
            self._owned.add(match.key)
        self._streams.setdefault(match.key, StateStream()).restart()
        self._match_changed(match.key)

    async def _leave_match(self, request: messages.LeaveMatch) -> None:
        self._leave(request.match)

    async def _claim(self, request: messages.ClaimSeat) -> messages.Reply:
        match = await self._lobby.find(request.match)
        token = await match.claim(request.side, request.name)
        return messages.Claimed(match=request.match, side=request.side, token=token)

    async def _move(self, request: messages.MakeMove) -> None:
        await self._match(request.match).move(self._sides(request.match), request.ply, request.move)

    async def _shown(self, request: messages.BoardShown) -> None:
        await self._match(request.match).shown(self._joined.get(request.match, set()), request.ply)

    async def _take_back(self, request: messages.TakeBack) -> None:
        await self._match(request.match).take_back(self._sides(request.match))

    async def _resign(self, request: messages.Resign) -> None:
        await self._match(request.match).resign(self._acting_side(request.match))

    async def _offer_draw(self, request: messages.OfferDraw) -> None:
        await self._match(request.match).offer_draw(self._acting_side(request.match))

    async def _answer_offer(self, request: messages.Answer) -> None:
        await self._match(request.match).answer(self._sides(request.match), accepts=request.accept)

    async def _hint(self, request: messages.AskHint) -> messages.Reply:
        return await self._match(request.match).hint()

    async def _pause(self, request: messages.Pause) -> None:
        await self._controlled(request.match).pause(self._joined.get(request.match, ()))

    async def _resume(self, request: messages.Resume) -> None:
        await self._controlled(request.match).resume(self._joined.get(request.match, ()))

    async def _rematch(self, request: messages.Rematch) -> None:
        sides = self._joined.get(request.match, ())
        await self._controlled(request.match).rematch(sides, swap=request.swap)

    async def _step(self, request: messages.Step) -> None:
        self._controlled(request.match).step()

    async def _delay(self, request: messages.SetDelay) -> None:
        self._controlled(request.match).set_delay(request.seconds)

    async def _view(self, request: messages.ViewPly) -> messages.Reply:
        match = self._match(request.match)
        return await match.view(request.ply, request.move, request.overlays)

    async def _premoves(self, request: messages.ViewPremoves) -> messages.Reply:
        return await self._match(request.match).premoves(self._sides(request.match), request.ply)

    async def _analyse(self, request: messages.Analyse) -> messages.Reply:
        return await self._analyst.analyse(request)

    async def _stop_analysis(self, request: messages.StopAnalysis) -> messages.Reply:
        self._analyst.stop(request.purpose)
        return messages.Done()

    async def _list_runs(self, request: messages.ListRuns) -> messages.Reply:
        return await self._watch_training(None)

    async def _run(self, request: messages.WatchRun) -> messages.Reply:
        return await self._watch_training(request.name)

    async def _unwatch(self, request: messages.StopWatching) -> None:
        self._lobby.training.unwatch(self._training_changed)
        self._news = None

    async def _watch_training(self, name: str | None) -> messages.Reply:
        news = await self._lobby.training.watch(name, self._training_changed)
        self._news = None
        return news

    async def _annotate(self, request: messages.Annotate) -> messages.Reply:
        return await self._analyst.annotate(request, self._reply)

    async def _show_board(self, request: messages.ShowBoard) -> messages.Reply:
        return await positions.show(self._lobby, request)

    async def _explain(self, request: messages.ExplainClicks) -> messages.Reply:
        return await positions.explain(self._lobby, request)

    async def _edit(self, request: messages.EditPosition) -> messages.Reply:
        return await positions.edit(self._lobby, request)

    async def _import(self, request: messages.ImportText) -> messages.Reply:
        return await positions.import_text(self._lobby, request)

    async def _export(self, request: messages.ExportRecord) -> messages.Reply:
        return await positions.export_record(self._lobby, request)

    async def _lessons(self, request: messages.AskLessons) -> messages.Reply:
        return await lessons.lessons(self._lobby, request)

    async def _puzzle(self, request: messages.AskPuzzle) -> messages.Reply:
        return await lessons.puzzle(self._lobby, request)

    # --- matches and seats -----------------------------------------------------

    def _match(self, key: str) -> LiveMatch:
        match = self._lobby.get(key)
        if match is None:
            raise MatchError("there is no such match on this server")
        return match

    def _controlled(self, key: str) -> LiveMatch:
        """Return a match that this page may pause, restart or slow down.

        Raises
        ------
        MatchError
            If there is no such match, or the page only watches it.
        """
        match = self._match(key)
        match.check_control(self._joined.get(key, ()), owner=key in self._owned)
        return match

    def _sides(self, key: str) -> list[int]:
        """Return the sides of a match that this page may play.

        Raises
        ------
        MatchError
            If the page only watches the match.
        """
        sides = self._joined.get(key)
        if not sides:
            raise MatchError("only the players can do that; you are watching this match")
        return sorted(sides)

    def _acting_side(self, key: str) -> int:
        """Return the side for which this page acts; if it plays both, this is the side to move."""
        sides = self._sides(key)
        return self._match(key).side_to_move if len(sides) == 2 else sides[0]

    def _leave(self, key: str) -> None:
        match = self._lobby.get(key)
        self._streams.pop(key, None)
        self._owned.discard(key)
        if self._joined.pop(key, None) is not None and match is not None:
            match.remove_page(id(self))
            self._lobby.unload_if_over(match)

    # --- sending ---------------------------------------------------------------

    def _match_changed(self, key: str) -> None:
        if key in self._joined:
            self._dirty.add(key)
            self._ready.set()
        if self._lists_matches:
            self._is_list_dirty = True
            self._ready.set()

    def _training_changed(self, news: TrainingReply) -> None:
        self._news = news
        self._ready.set()

    def _compilation_changed(self, module: str, count: int) -> None:
        title = self._lobby.games.title_of(module)
        self._compiling = messages.Compiling(title=title, count=count, ended=not module)
        self._ready.set()

    def _reply(self, reply: messages.Reply, request: messages.Request | None = None) -> None:
        """Send a reply, as the direct answer to a request if one is given."""
        if request is not None and request.re is not None:
            reply = msgspec.structs.replace(reply, re=request.re)
        self._replies.append(encode(reply))
        self._ready.set()

    async def _send(self) -> None:
        """Send replies in order, and only the latest state of each match that has changed."""
        while True:
            await self._ready.wait()
            self._ready.clear()
            while self._replies:
                await self._send_text(self._replies.popleft())
            for key in tuple(self._dirty):
                self._dirty.discard(key)
                await self._send_state(key)
            if self._is_list_dirty:
                self._is_list_dirty = False
                await self._send_text(encode(messages.MatchesReply(matches=self._lobby.entries())))
            if self._lists_matches and self._sent_stored is not self._lobby.stored:
                self._sent_stored = self._lobby.stored
                await self._send_text(encode(self._sent_stored))
            if self._news is not None:
                news, self._news = self._news, None
                await self._send_text(encode(news))
            if self._compiling is not None:
                compiling, self._compiling = self._compiling, None
                await self._send_text(encode(compiling))

    async def _send_state(self, key: str) -> None:
        """Send the state of a match, or how it has changed.

        This is a separate method because a local variable of `_send`, which does not return, would keep the
        match in memory.
        """
        match = self._lobby.get(key)
        if match is None and key in self._joined:
            self._leave(key)
            await self._send_text(encode(messages.MatchGone(match=key)))
        elif match is not None and key in self._joined:
            message = self._streams[key].message(
                match.state(sorted(self._joined[key]), owner=key in self._owned)
            )
            if message is not None:
                await self._send_text(message)

    async def _send_text(self, message: bytes) -> None:
        try:
            await self._socket.send_text(message.decode())
        except _CLOSED:  # the receiver has not noticed it yet
            raise WebSocketDisconnect from None


_ANSWERS: dict[type, Callable[[Page, Any], Awaitable[messages.Reply | None]]] = {
    messages.Catalogue: Page._catalogue,
    messages.DescribeGame: Page._describe,
    messages.ListMatches: Page._list_matches,
    messages.CreateMatch: Page._create,
    messages.DeleteMatches: Page._delete,
    messages.RenameMatch: Page._rename,
    messages.JoinMatch: Page._join,
    messages.LeaveMatch: Page._leave_match,
    messages.ClaimSeat: Page._claim,
    messages.MakeMove: Page._move,
    messages.BoardShown: Page._shown,
    messages.TakeBack: Page._take_back,
    messages.Resign: Page._resign,
    messages.OfferDraw: Page._offer_draw,
    messages.Answer: Page._answer_offer,
    messages.AskHint: Page._hint,
    messages.Pause: Page._pause,
    messages.Resume: Page._resume,
    messages.Rematch: Page._rematch,
    messages.Step: Page._step,
    messages.SetDelay: Page._delay,
    messages.ViewPly: Page._view,
    messages.ViewPremoves: Page._premoves,
    messages.Analyse: Page._analyse,
    messages.StopAnalysis: Page._stop_analysis,
    messages.ListRuns: Page._list_runs,
    messages.WatchRun: Page._run,
    messages.StopWatching: Page._unwatch,
    messages.Annotate: Page._annotate,
    messages.ShowBoard: Page._show_board,
    messages.ExplainClicks: Page._explain,
    messages.EditPosition: Page._edit,
    messages.ImportText: Page._import,
    messages.ExportRecord: Page._export,
    messages.AskLessons: Page._lessons,
    messages.AskPuzzle: Page._puzzle,
}
_SLOW = frozenset(
    {
        messages.Catalogue,
        messages.DescribeGame,
        messages.CreateMatch,
        messages.DeleteMatches,
        messages.Rematch,
        messages.OfferDraw,
        messages.AskHint,
        messages.ViewPly,
        messages.ViewPremoves,
        messages.Analyse,
        messages.ListRuns,
        messages.WatchRun,
        messages.Annotate,
        messages.ShowBoard,
        messages.ExplainClicks,
        messages.EditPosition,
        messages.ImportText,
        messages.ExportRecord,
        messages.AskLessons,
        messages.AskPuzzle,
    }
)
_LOADING = frozenset({messages.JoinMatch, messages.ClaimSeat})
"""Requests that load a match if necessary, which may take as long as a compilation."""
