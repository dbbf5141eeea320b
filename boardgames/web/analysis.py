"""Analyses that a page asks for: the values of moves, and lines of play."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from boardgames.errors import BoardgamesError, MatchError, MoveError, OptionError
from boardgames.game import Game, Position
from boardgames.player import Analysis, Context, Limit, MoveValue, Player, Stop
from boardgames.plugins import close_player, load, load_game_of, registry, solver_of
from boardgames.record import parse_records
from boardgames.review import review_end
from boardgames.score import Score
from boardgames.web.lobby import Lobby, agent_of
from boardgames.web.messages import Analyse, AnalysisReply, LineState, MoveValueState, PositionRequest

LINE_MOVES = 12
"""Largest number of moves that are sent of a line of play."""
GENERAL_AGENTS = ("alphabeta", "mcts")
SUPERSEDED = "the analysis was stopped, since another one has begun"

_Result = TypeVar("_Result")


@dataclass(slots=True, eq=False)
class _Desk:
    """What one page analyses for one purpose, with the agent that it has used last."""

    stop: Stop = field(default_factory=Stop)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    agent: str | None = None
    player: Player | None = None
    in_use: threading.Lock = field(default_factory=threading.Lock)
    is_closed: bool = False

    def think(self, agent: str | None, game: Game, think: Callable[[Player], _Result]) -> tuple[str, _Result]:
        """Let an agent think; called in another thread."""
        try:
            with self.in_use:
                if self.is_closed:
                    raise MatchError(SUPERSEDED)
                player = self._seat(agent, game)
                return player.describe(), think(player)
        except BoardgamesError:
            raise
        except Exception as error:
            raise MatchError(f"the agent failed: {type(error).__name__}") from error
        finally:
            self.release_if_closed()

    def release_if_closed(self) -> None:
        """Release the agent if the page has gone and no thread uses the agent any more."""
        if self.is_closed and self.in_use.acquire(blocking=False) and self.player is not None:
            close_player(self.player)

    def _seat(self, agent: str | None, game: Game) -> Player:
        """Return the agent that was asked for, or else one that evaluates moves."""
        text = agent or _evaluating_agent(game)
        if self.player is None or self.agent != text or self.player.game != game:
            if self.player is not None:
                close_player(self.player)
                self.player = None
            self.agent, self.player = text, agent_of(text, game)
        return self.player


class Analyst:
    """The analyses of one page: at most one at a time for each purpose.

    Its methods are called in the event loop.

    Parameters
    ----------
    lobby : Lobby
        The matches on the server, and the threads in which agents think.
    """

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._desks: dict[str, _Desk] = {}

    async def analyse(self, request: Analyse) -> AnalysisReply:
        """Return the values of a position's moves.

        Raises
        ------
        BoardgamesError
            If there is no such match or position, the agent does not evaluate moves or cannot be used,
            or another analysis for the same purpose has begun.
        """
        desk, stop = self._begin(request.purpose)
        positions = await self.positions(request)
        position, ply = positions[-1], len(positions) - 1
        if position.outcome is not None:
            return _end_reply(request, ply, position)

        def think(player: Player) -> Analysis:
            lines = None if request.values else max(request.lines, 1)
            return player.analyse(position, Limit(seconds=request.seconds), Context(stop=stop), lines=lines)

        agent, analysis = await self._search(desk, stop, request.agent, position.game, think)
        return _reply(request, ply, agent, analysis)

    async def positions(self, request: PositionRequest) -> tuple[Position, ...]:
        """Return the first position of a request, and the position after each move.

        Raises
        ------
        BoardgamesError
            If there is no such match or game, or the position or a move is not one of the game.
        """
        loop = asyncio.get_running_loop()
        if request.match is None:
            return await loop.run_in_executor(self._lobby.threads, _replay, request)
        saved = await (await self._lobby.find(request.match)).saved()
        positions = await loop.run_in_executor(self._lobby.threads, _positions_of, saved.record)
        ply = len(positions) - 1 if request.ply is None else request.ply
        if ply >= len(positions):
            raise MatchError(f"the match has {len(positions) - 1} moves, not {ply}")
        return positions[: ply + 1]

    def _begin(self, purpose: str) -> tuple[_Desk, Stop]:
        """End the search for a purpose, and return what the next one works with."""
        desk = self._desks.setdefault(purpose, _Desk())
        desk.stop.set()
        desk.stop = Stop()
        return desk, desk.stop

    async def _search(
        self, desk: _Desk, stop: Stop, agent: str | None, game: Game, think: Callable[[Player], _Result]
    ) -> tuple[str, _Result]:
        """Let an agent think; return its description and the result.

        Raises
        ------
        BoardgamesError
            If the agent cannot be loaded or does not do this, or another search for the same purpose
            has begun.
        """
        async with desk.lock:  # a search that was told to stop ends soon
            if desk.stop is not stop:
                raise MatchError(SUPERSEDED)
            result = await self._lobby.searches.run(lambda: desk.think(agent, game, think), stop)
        if desk.stop is not stop:
            raise MatchError(SUPERSEDED)
        return result

    def stop(self, purpose: str) -> None:
        """End the search for a purpose; it answers with what it has found."""
        if purpose in self._desks:
            self._desks[purpose].stop.set()

    def close(self) -> None:
        """End all searches, and release what the agents hold as soon as these have ended."""
        for desk in self._desks.values():
            desk.is_closed = True
            desk.stop.set()
            self._lobby.threads.submit(desk.release_if_closed)
        self._desks.clear()


def game_of(name: str, layout: str | None, options: Mapping[str, object]) -> Game:
    """Return a game that a page has chosen.

    Raises
    ------
    BoardgamesError
        If there is no such game, layout or option.
    """
    if "layout" in options:
        raise OptionError("the layout is not an option of a game; it is chosen separately")
    return load(name, layout=layout, **options)


def _positions_of(text: str) -> tuple[Position, ...]:
    """Return the start of a match and the position after each move, given its record."""
    (record,) = parse_records(text, None).records
    return tuple(record.positions(load_game_of(record)))


def _replay(request: PositionRequest) -> tuple[Position, ...]:
    if request.game is None:
        raise OptionError("a position needs a match or a game")
    game = game_of(request.game, request.layout, request.options)
    positions = [game.start() if request.position is None else game.parse(request.position)]
    for number, move in enumerate(request.moves, start=1):
        try:
            positions.append(positions[-1].apply(move))
        except MoveError as error:
            raise type(error)(f"move {number}: {error}") from None
    return tuple(positions)


def _evaluating_agent(game: Game) -> str:
    """Return the solver of a game, its default agent or a general one: the first that evaluates moves.

    Raises
    ------
    OptionError
        If there is none.
    """
    for name in (solver_of(game), game.facts.default_agent, *GENERAL_AGENTS):
        if name is not None:
            agent = registry().load("agents", name.partition(":")[0], game.facts.name)
            if agent.analyse is not Player.analyse:
                return name
    raise OptionError(f"no agent evaluates the moves of {game.facts.title}")


def _reply(request: Analyse, ply: int, agent: str, analysis: Analysis) -> AnalysisReply:
    position, best = analysis.position, analysis.moves[0]
    side = position.side_to_move
    return AnalysisReply(
        match=request.match,
        ply=ply,
        to_move=side,
        agent=agent,
        unit=analysis.unit.label,
        best=str(best.move),
        value=analysis.score.text(proven=analysis.proven),
        score=_score_for_first(analysis.score, side),
        proven=analysis.proven,
        values=[
            MoveValueState(
                str(entry.move),
                entry.score.text(proven=entry.proven),
                _score_for_first(entry.score, side),
                entry.proven,
            )
            for entry in analysis.moves
        ],
        lines=[_line(entry, side) for entry in analysis.moves[: request.lines]],
        depth=analysis.depth,
        nodes=analysis.nodes,
        seconds=round(analysis.seconds, 3),
    )


def _end_reply(request: Analyse, ply: int, position: Position) -> AnalysisReply:
    """Return the value of a finished match."""
    end = review_end(position, position.game.evaluation.unit)
    outcome = position.outcome
    is_draw = outcome is not None and outcome.winner is None
    return AnalysisReply(
        match=request.match,
        ply=ply,
        to_move=position.side_to_move,
        agent="",
        unit=end.unit.label,
        best=None,
        value="draw" if is_draw else end.score.text(proven=True),
        score=_score_for_first(end.score, position.side_to_move),
        proven=True,
        values=[],
        lines=[],
        depth=0,
        nodes=0,
        seconds=0.0,
    )


def _line(entry: MoveValue, side: int) -> LineState:
    return LineState(
        entry.score.text(proven=entry.proven),
        _score_for_first(entry.score, side),
        entry.proven,
        [str(move) for move in entry.line[:LINE_MOVES]],
    )


def _score_for_first(score: Score, side: int) -> float:
    """Return the expected return of side 0, given a score for `side`."""
    value = score.to_return()
    return round(value if side == 0 else -value, 4) + 0.0
