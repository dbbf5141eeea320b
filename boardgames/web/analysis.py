"""Analyses that a page asks for: the values of moves, and lines of play."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import msgspec

from boardgames import plugins
from boardgames.errors import BoardgamesError, MatchError, OptionError, PluginError, describe_error
from boardgames.game import Game, Outcome, Position
from boardgames.player import Analysis, Context, Limit, MoveValue, Player, Stop
from boardgames.plugins import close_player
from boardgames.record import Record
from boardgames.review import Review, ReviewedPosition, review_end, review_positions, reviewed_move
from boardgames.score import Score
from boardgames.web.lobby import Lobby, agent_of
from boardgames.web.match import agent_subject
from boardgames.web.messages import (
    Analyse,
    AnalysisReply,
    Annotate,
    AnnotatedMove,
    AnnotatedPly,
    AnnotationReply,
    KeptReview,
    LineState,
    MoveValueState,
)
from boardgames.web.positions import line_of
from boardgames.web.searches import NOBODY_WAITS, PERSON_WAITS
from boardgames.web.tables import Tables

LINE_MOVES = 12
"""Maximum number of moves to send from a line of play."""
GENERAL_AGENTS = ("alphabeta", "mcts")
STUCK_SECONDS = 10.0
"""How long an analysis waits for the previous one to stop."""
SUPERSEDED = "the analysis was stopped because a new one has started"

_Result = TypeVar("_Result")


@dataclass(slots=True, eq=False)
class _KeptAgent:
    """The agent that a page uses for one purpose of analysis, kept for the next request."""

    tables: Tables
    stop: Stop = field(default_factory=Stop)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    agent: str | None = None
    player: Player | None = None
    in_use: threading.Lock = field(default_factory=threading.Lock)
    is_closed: bool = False

    def think(self, agent: str | None, game: Game, think: Callable[[Player], _Result]) -> tuple[str, _Result]:
        """Load the agent if necessary, and return its description and the result of `think`.

        This is called in another thread.
        """
        try:
            with self.in_use:
                if self.is_closed:
                    raise MatchError(SUPERSEDED)
                player = self._load(agent, game)
                return player.describe(), think(player)
        except BoardgamesError:
            raise
        except BaseException as error:
            text = agent or self.agent or ""
            kind, _, details = describe_error(error).partition(": ")
            raise PluginError(f"agent {text.partition(':')[0]!r} is broken: {kind}", details) from error
        finally:
            self.release_if_closed()

    def release_if_closed(self) -> None:
        """Release the agent if the page has gone and no thread is using the agent."""
        if self.is_closed and self.in_use.acquire(blocking=False):
            try:
                if self.player is not None:
                    close_player(self.player)
                    self.player = None
            finally:
                self.in_use.release()

    def _load(self, agent: str | None, game: Game) -> Player:
        """Return the requested agent, or by default the first that evaluates moves."""
        text = agent or _evaluating_agent(game)
        if self.player is None or self.agent != text or self.player.game != game:
            if self.player is not None:
                close_player(self.player)
                self.player = None
            self.agent, self.player = text, agent_of(text, game, tables=self.tables)
        return self.player


class Analyst:
    """Runs the analyses of one page, at most one at a time for each purpose.

    Its methods are called in the event loop.

    Parameters
    ----------
    lobby : Lobby
        The matches on the server, and the threads in which agents think.
    """

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._agents: dict[str, _KeptAgent] = {}

    async def analyse(self, request: Analyse) -> AnalysisReply:
        """Return the values of a position's moves.

        Raises
        ------
        BoardgamesError
            If there is no such match or position, the agent does not evaluate moves or cannot be used,
            or another analysis for the same purpose has begun.
        """
        kept, stop = self._begin(request.purpose)
        line = await line_of(self._lobby, request)
        position, ply = line.position, line.ply
        if line.is_over:
            return _end_reply(request, ply, position, line.outcome)

        def think(player: Player) -> Analysis:
            lines = None if request.values else max(request.lines, 1)
            context = replace(line.context, stop=stop)
            return player.analyse(position, Limit(seconds=request.seconds), context, lines=lines)

        agent, analysis = await self._search(
            kept, stop, request.agent, position.game, think, seconds=request.seconds
        )
        return _reply(request, ply, agent, analysis)

    async def annotate(self, request: Annotate, tell: Callable[[AnnotatedPly], None]) -> AnnotationReply:
        """Review the moves that lead to a position, and tell the page about each position.

        Raises
        ------
        BoardgamesError
            As for `analyse`.
        """
        line = await line_of(self._lobby, request)
        match, record = None if request.match is None else self._lobby.get(request.match), line.record
        if request.kept:
            old = None if match is None else match.review
            if old is None or old.moves != record.moves:
                raise MatchError("there is no finished review of this match")
            for note in old.notes:
                tell(msgspec.structs.replace(note, key=request.key))
            return msgspec.structs.replace(old.reply, key=request.key)
        kept, stop = self._begin("annotation")
        notes: list[AnnotatedPly] = []
        reviewed: list[ReviewedPosition] = []
        reviews: Iterator[ReviewedPosition] | None = None
        agent = ""

        def think(player: Player) -> ReviewedPosition | None:
            nonlocal reviews
            if reviews is None:
                limit, context = Limit(seconds=request.seconds), Context(stop=stop)
                reviews = review_positions(record, player, limit, context)
            return next(reviews, None)

        assert record.loaded_game is not None
        while not stop.is_set() and len(reviewed) <= len(record.moves):
            agent, position = await self._search(
                kept,
                stop,
                request.agent,
                record.loaded_game,
                think,
                seconds=request.seconds,
                urgency=NOBODY_WAITS,
            )
            if position is None:
                break
            reviewed.append(position)
            notes.append(_annotated(request.key, record, reviewed))
            tell(notes[-1])
        if not reviewed:
            raise MatchError("the analysis was stopped")
        unit = reviewed[0].unit
        review = Review(record, agent, unit, tuple(reviewed))
        reply = AnnotationReply(
            key=request.key,
            agent=agent,
            unit=review.unit.label,
            legend=review.unit.legend,
            summaries=(review.summary(0), review.summary(1)),
            accuracies=(review.accuracy(0), review.accuracy(1)),
            complete=review.is_complete,
            losses=(
                unit.loss_text(unit.inaccuracy),
                unit.loss_text(unit.mistake),
                unit.loss_text(unit.blunder),
            ),
            delay=unit.delay,
        )
        if match is not None and reply.complete:
            match.keep_review(KeptReview(record.moves, tuple(notes), reply))
        return reply

    def _begin(self, purpose: str) -> tuple[_KeptAgent, Stop]:
        """Stop the search for a purpose, and return the agent and the `Stop` for the next search."""
        kept = self._agents.setdefault(purpose, _KeptAgent(self._lobby.tables))
        kept.stop.set()
        kept.stop = Stop()
        return kept, kept.stop

    async def _search(
        self,
        kept: _KeptAgent,
        stop: Stop,
        agent: str | None,
        game: Game,
        think: Callable[[Player], _Result],
        *,
        seconds: float,
        urgency: int = PERSON_WAITS,
    ) -> tuple[str, _Result]:
        """Let an agent think; return its description and the result.

        Raises
        ------
        BoardgamesError
            If the agent cannot be loaded or does not evaluate moves, or if another search for the same
            purpose has begun.
        """
        name = (agent or kept.agent or "").partition(":")[0]
        try:  # a search that was told to stop ends soon
            await asyncio.wait_for(kept.lock.acquire(), STUCK_SECONDS)
        except TimeoutError:
            self._abandon(kept)
            raise PluginError(
                f"the previous analysis by {(kept.agent or name).partition(':')[0]!r} did not stop within "
                f"{STUCK_SECONDS:g} s"
            ) from None
        try:
            if kept.stop is not stop:
                raise MatchError(SUPERSEDED)
            await self._lobby.games.compile_agents(game, (agent or game.facts.default_agent,))
            # a review has one Stop for all its positions, so it must not be set to make room for others
            result = await self._lobby.searches.run(
                lambda: kept.think(agent, game, think),
                stop if urgency == PERSON_WAITS else None,
                urgency=urgency,
                subject=agent_subject(name or game.facts.default_agent, game.facts.name),
                seconds=seconds,
            )
        except PluginError:
            if kept.in_use.locked():  # the agent hangs
                self._abandon(kept)
            raise
        finally:
            kept.lock.release()
        if kept.stop is not stop:
            raise MatchError(SUPERSEDED)
        return result

    def _abandon(self, kept: _KeptAgent) -> None:
        """Discard an agent that hangs, so that the next request loads a new one."""
        kept.is_closed = True
        kept.stop.set()
        self._agents = {purpose: one for purpose, one in self._agents.items() if one is not kept}

    def stop(self, purpose: str) -> None:
        """Stop the analysis for this purpose; it replies with what it has found so far."""
        if purpose in self._agents:
            self._agents[purpose].stop.set()

    def close(self) -> None:
        """End all searches, and release the agents as soon as their searches have ended."""
        for kept in self._agents.values():
            kept.is_closed = True
            kept.stop.set()
            if kept.player is not None:
                threading.Thread(target=kept.release_if_closed, name="release", daemon=True).start()
        self._agents.clear()


def _evaluating_agent(game: Game) -> str:
    """Return the first agent that evaluates moves: the game's default agent or else a general one.

    Raises
    ------
    OptionError
        If no agent evaluates moves.
    """
    for name in (game.facts.default_agent, *GENERAL_AGENTS):
        agent = plugins.registry().load("agents", name.partition(":")[0], game.facts.name)
        if agent.analyse is not Player.analyse:
            return name
    raise OptionError(f"no agent evaluates the moves of {game.facts.title}")


def _reply(request: Analyse, ply: int, agent: str, analysis: Analysis) -> AnalysisReply:
    position, best = analysis.position, analysis.moves[0]
    side, facts = position.side_to_move, position.game.facts
    return AnalysisReply(
        match=request.match,
        ply=ply,
        to_move=side,
        agent=agent,
        unit=analysis.unit.label,
        best=str(best.move),
        value=facts.score_text(analysis.score, proven=analysis.proven),
        score=_score_for_first(analysis.score, side),
        proven=analysis.proven,
        values=[
            MoveValueState(
                str(entry.move),
                facts.score_text(entry.score, proven=entry.proven),
                _short(entry),
                _score_for_first(entry.score, side),
                entry.proven,
                None if analysis.network_value is None else entry.prior,
                _share(entry, analysis.simulations),
            )
            for entry in analysis.moves
        ],
        lines=[_line(entry, position) for entry in analysis.moves[: request.lines]],
        depth=analysis.depth,
        nodes=analysis.nodes,
        seconds=round(analysis.seconds, 3),
        network_value="" if analysis.network_value is None else facts.score_text(analysis.network_value),
    )


def _end_reply(request: Analyse, ply: int, position: Position, outcome: Outcome | None) -> AnalysisReply:
    """Return the value of a finished match; if `outcome` is None, a limit of plies has ended it."""
    end = review_end(position, position.game.evaluation.unit, outcome)
    return AnalysisReply(
        match=request.match,
        ply=ply,
        to_move=position.side_to_move,
        agent="",
        unit=end.unit.label,
        best=None,
        value=end.text_for_side(position.side_to_move),
        score=_score_for_first(end.score, position.side_to_move),
        proven=True,
        values=[],
        lines=[],
        depth=0,
        nodes=0,
        seconds=0.0,
    )


def _line(entry: MoveValue, position: Position) -> LineState:
    return LineState(
        position.game.facts.score_text(entry.score, proven=entry.proven),
        _score_for_first(entry.score, position.side_to_move),
        entry.proven,
        [str(move) for move in entry.line[:LINE_MOVES]],
    )


def _score_for_first(score: Score, side: int) -> float:
    """Return the expected return of side 0, given a score for `side`."""
    value = score.to_return()
    return round(value if side == 0 else -value, 4) + 0.0


def _share(entry: MoveValue, simulations: int) -> float | None:
    """Return the share of the simulations that played a move, or None if there were none."""
    return entry.visits / simulations if entry.visits is not None and simulations else None


def _short(entry: MoveValue) -> str:
    """Return the value of a move as a text that is short enough for the board."""
    if entry.score.win_in is not None:
        return f"{'W' if entry.score.sign > 0 else 'L'}{abs(entry.score.win_in)}"
    text = entry.score.text(proven=entry.proven)
    return {"draw": "=", "win": "W", "loss": "L"}.get(text, text)


def _annotated(key: str, record: Record, reviewed: Sequence[ReviewedPosition]) -> AnnotatedPly:
    """Return the message about the last reviewed position and the move that led to it."""
    ply, last = len(reviewed) - 1, reviewed[-1]
    move = None
    if ply:
        made = reviewed_move(ply, record.moves[ply - 1], reviewed[-2], last, reviewed[0].unit)
        before = made.before
        move = AnnotatedMove(
            made.side,
            str(made.move),
            made.mark,
            f"{made.delay} plies" if made.delay else made.after.unit.loss_text(made.loss),
            made.text,
            before.text_for_side(made.side),
            [str(one) for one in before.line[:LINE_MOVES]],
        )
    return AnnotatedPly(
        key=key,
        ply=ply,
        count=len(record.moves),
        value=last.text_for_side(0),
        score=_score_for_first(last.score, last.position.side_to_move),
        proven=last.proven,
        move=move,
    )
