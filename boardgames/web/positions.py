"""Answers requests about positions: trying moves, setting up a position, importing and exporting records.

The coroutines run in the event loop and call game code in threads.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeVar

from boardgames import pgn, plugins
from boardgames.errors import MatchError, MoveError, OptionError, PositionError, RecordError, quote
from boardgames.game import Game, Outcome, Position
from boardgames.match_state import MatchRules
from boardgames.player import Context
from boardgames.plugins import load_game_of, load_overlay
from boardgames.reading import Defaults, read_moves, read_position, without_examples
from boardgames.record import Record, choose_record, options_as_texts
from boardgames.repetition import outcome_after
from boardgames.review import plies_until_limit
from boardgames.web.calls import LOAD_SECONDS, call_in_thread, game_subject
from boardgames.web.games import overlay_entries
from boardgames.web.lobby import Lobby, game_of
from boardgames.web.match import load_overlays
from boardgames.web.messages import (
    BoardReply,
    EditPosition,
    ExplainClicks,
    Explanation,
    Exported,
    ExportRecord,
    Imported,
    ImportText,
    OutcomeState,
    PositionRequest,
    ShowBoard,
    picture_json,
)

_Result = TypeVar("_Result")
_RECORD = re.compile(r"^\s*\[\s*[A-Za-z]", re.MULTILINE)
_NO_MOVES = re.compile(r"\{[^}]*\}|;[^\n]*|\$[0-9]+")
_MOVE_NUMBER = re.compile(r"^[0-9]+\.+")
_PLY = re.compile(r"\(ply ([0-9]+), token ")


@dataclass(frozen=True, slots=True)
class Line:
    """Moves from a position, as a record, and the ply that a page shows; `rules` are those of its match."""

    record: Record
    positions: tuple[Position, ...]
    ply: int
    rules: MatchRules | None = None

    @property
    def plies_left(self) -> int | None:
        """Return the number of plies from here until a limit ends the match.

        It is None without a limit, and in games that do not say who wins at a limit.
        """
        if not self.game.kernels.decides_at_limit:
            return None
        if (end := plies_until_limit(self.record, self.game)) is not None:
            return end - self.ply
        return None if self.rules is None else self.rules.plies_left(self.positions[: self.ply + 1])

    @property
    def is_over(self) -> bool:
        """Return True if the rules, repetition or a limit of plies end the match here."""
        return self.outcome is not None or self.plies_left == 0

    @property
    def outcome(self) -> Outcome | None:
        """Return the outcome if the rules, with those about repetition, end the match here, or None."""
        positions = self.positions[: self.ply + 1]
        return outcome_after(positions, self.context.repetition_in(self.game))

    @property
    def context(self) -> Context:
        """Return what an agent needs besides the position to analyse it."""
        positions = self.positions[: self.ply + 1]
        told = None if self.rules is None else self.rules.context(positions).repetition
        own = Context(history=positions[:-1], plies_left=self.plies_left, repetition=told)
        return own.for_advice()

    def explain_clicks(self, ids: Sequence[str]) -> str:
        """Return why clicks on these ids do not make a move; empty if the game does not explain it.

        Raises
        ------
        OptionError
            If the picture has nothing with one of these ids.
        """
        picture, allowed = self.position.picture(), self.context.legal_actions(self.position)
        if unknown := set(ids).difference(picture.ids):
            raise OptionError(f"there is nothing to click with the id {quote(min(unknown))}")
        forbidden = [move.text for move in self.position.legal_moves if move.action not in allowed]
        clicks = [sorted(one) for text in forbidden for one in picture.clicks.get(text, ())]
        if sorted(ids) in clicks:
            return "that would repeat an earlier position"
        return self.game.explain_clicks(self.position, ids)

    @property
    def position(self) -> Position:
        """Return the position that the page shows."""
        return self.positions[self.ply]

    @property
    def game(self) -> Game:
        """Return the game."""
        return self.positions[0].game


async def line_of(lobby: Lobby, request: PositionRequest) -> Line:
    """Return the line of moves and the position that a request names.

    Raises
    ------
    BoardgamesError
        If there is no such match or game, or the position or a move is not valid.
    """
    if request.match is None:
        if request.game is None:
            raise OptionError("a position needs a match or a game")
        plugins.registry().check_name("games", request.game)
        load = partial(game_of, request.game, request.layout, request.options)
        return await in_thread(lobby, request.game, partial(_line_of_game, request), load=load)
    match = await lobby.find(request.match)
    record, positions = match.record_and_positions
    return Line(record, positions, _checked_ply(request.ply, positions), match.rules)


async def in_thread(
    lobby: Lobby, game: str, function: Callable[[], _Result], *, load: Callable[[], object] | None = None
) -> _Result:
    """Call game code in a thread, after calling `load`, which gets more time because it may compile code."""
    subject = game_subject(game)
    if load is not None:
        await lobby.calls.run(subject, load, seconds=LOAD_SECONDS)
    return await lobby.calls.run(subject, function)


async def show(lobby: Lobby, request: ShowBoard) -> BoardReply:
    """Return the board of a position."""
    line = await line_of(lobby, request)
    return await _draw(lobby, request, line, lambda: _board(line, request.overlays))


async def explain(lobby: Lobby, request: ExplainClicks) -> Explanation:
    """Explain why the clicked cells do not make a move.

    Raises
    ------
    BoardgamesError
        If there is no such position, or its picture has nothing with one of these ids.
    """
    line = await line_of(lobby, request)

    def look() -> Explanation:
        return Explanation(reason=line.explain_clicks(request.ids))

    return await in_thread(lobby, _loaded_name(lobby, request), look)


async def edit(lobby: Lobby, request: EditPosition) -> BoardReply:
    """Edit a position and return its board, without the moves that led to it.

    Raises
    ------
    BoardgamesError
        If the position cannot be edited in this way.
    """
    line = await line_of(lobby, request)

    def change() -> BoardReply:
        game, position = line.game, line.position
        if request.clear:
            position = _cleared(position)
        if request.target is not None:
            position = game.edit(position, request.target, request.piece)
        if request.side is not None:
            position = game.edit_turn(position, request.side)
        return _board(_line((position,), ()), request.overlays)

    return await _draw(lobby, request, line, change)


async def import_text(lobby: Lobby, request: ImportText) -> Imported:
    """Return what a text contains: a match, which the request chooses by its number, or moves or a position.

    Raises
    ------
    BoardgamesError
        If the text is none of these, or the record has an error.
    """
    if _RECORD.search(request.text):
        defaults = Defaults()
        if request.match is not None or request.game is not None:
            game = (await line_of(lobby, request)).game
            defaults = Defaults(game.facts.name, game.layout, options_as_texts(dict(game.changed_options())))
        return await _import_record(lobby, request.text, request.number, defaults)
    if not request.text.strip():
        raise RecordError("there is no text; paste a record, moves or a position")
    if request.match is None and request.game is None:
        raise RecordError('no matches in the text; a record begins with tags such as [Game "abalone"]')
    line = await line_of(lobby, request)
    return await in_thread(lobby, _loaded_name(lobby, request), partial(_read_text, line, request.text))


async def _import_record(lobby: Lobby, text: str, number: int, defaults: Defaults) -> Imported:
    def choose(load: Callable[[Record], Game] | None) -> tuple[int, int, Record]:
        return choose_record(text, load, number=number, defaults=defaults)

    _, _, unchecked = await call_in_thread(partial(choose, None))  # runs no code of a game
    plugins.registry().check_name("games", unchecked.game)
    number, count, record = await in_thread(
        lobby, unchecked.game, partial(choose, load_game_of), load=partial(load_game_of, unchecked)
    )
    return _imported("record", record, number=number, count=count)


async def export_record(lobby: Lobby, request: ExportRecord) -> Exported:
    """Return a match, or moves from a position, as a record."""
    line = await line_of(lobby, request)
    record = line.record
    if request.match is None:
        seconds = tuple(request.seconds) if len(request.seconds) == len(record.moves) else ()
        noted = pgn.parse_line(request.tree)
        notes = noted.notes if noted.moves == record.moves else {}
        record = replace(record, names=request.names or record.names, seconds=seconds, notes=notes)
    return Exported(text=f"{record}\n")


def _imported(
    kind: Literal["record", "moves", "position"],
    record: Record,
    *,
    number: int = 1,
    count: int = 1,
    notation: str = "",
) -> Imported:
    game = record.loaded_game
    assert game is not None
    return Imported(
        kind=kind,
        notation=notation,
        number=number,
        count=count,
        game=record.game,
        layout=game.layout,
        options=options_as_texts(dict(game.changed_options())),
        start=record.start,
        names=record.names,
        moves=record.moves,
        seconds=record.seconds,
        result=record.result,
        outcome="" if record.outcome is None else record.outcome.describe(game.facts.sides),
        tree=pgn.format_line(pgn.Line(record.moves, record.notes)) if record.notes else "",
    )


def _read_text(line: Line, text: str) -> Imported:
    """Return the moves or the position in a text, in any notation of the game.

    Raises
    ------
    RecordError
        If the text has neither.
    """
    game, words, problems = line.game, _moves_in(text), []
    for ply in dict.fromkeys((0, line.ply)) if words else ():
        try:
            positions, moves, notation = read_moves(line.positions[ply], words)
        except RecordError as error:
            problems.append(without_examples(error))
            continue
        made = _line((*line.positions[:ply], *positions), (*line.record.moves[:ply], *moves))
        return _imported("moves", made.record, notation=_named(notation, game.facts.move_notations))
    try:
        position = read_position(game, text)
    except PositionError as error:
        problem = max(problems, key=_ply_of, default="it has no moves")
        reason = problem if _ply_of(problem) > 1 else f"{problem}; {error}"
        what = f"a record, moves or a position of {game.facts.title}"
        raise RecordError(f"that cannot be read as {what}: {reason}") from None
    named = _named(_notation_of(text, position), game.facts.position_notations)
    return _imported("position", _line((position,), ()).record, notation=named)


def _ply_of(problem: str) -> int:
    """Return the number of the move that an error names as the first unreadable one, or 0."""
    return int(found[1]) if (found := _PLY.search(problem)) else 0


def _notation_of(text: str, position: Position) -> str:
    """Return the first of the game's notations in which a text stands for a position."""
    for name in position.game.facts.position_notations:
        with suppress(PositionError):
            if position.game.parse(text, notation=name) == position:
                return name
    return ""


def _named(notation: str, notations: Sequence[str]) -> str:
    """Return the name of a notation, or an empty string if the game has only one."""
    return notation if len(notations) > 1 else ""


def _moves_in(text: str) -> list[str]:
    """Return the moves in a text, without numbers, comments, annotations and the result."""
    words = _NO_MOVES.sub(" ", text).split()
    words = [_MOVE_NUMBER.sub("", word) for word in words]
    return [word for word in words if word and word not in pgn.RESULTS]


async def _draw(
    lobby: Lobby, request: ShowBoard | EditPosition, line: Line, draw: Callable[[], BoardReply]
) -> BoardReply:
    """Return a board, after its overlays have been loaded."""
    overlays = request.overlays
    load = partial(load_overlays, overlays, line.game.facts.name) if overlays else None
    return await in_thread(lobby, _loaded_name(lobby, request), draw, load=load)


def _loaded_name(lobby: Lobby, request: PositionRequest) -> str:
    """Return the name under which the game was loaded, which may differ from the name in its facts."""
    match = None if request.match is None else lobby.get(request.match)
    return (request.game or "") if match is None else match.request.game


def _line_of_game(request: PositionRequest) -> Line:
    assert request.game is not None
    game = game_of(request.game, request.layout, request.options)
    positions = [game.start() if request.position is None else game.parse(request.position)]
    moves = []
    for number, text in enumerate(request.moves, start=1):
        try:
            move = game.parse_move(positions[-1], text)
        except MoveError as error:
            raise type(error)(f"move {number}: {error}") from None
        moves.append(move.text)
        positions.append(positions[-1].apply(move))
    return _line(tuple(positions), tuple(moves), request.ply)


def _line(positions: tuple[Position, ...], moves: tuple[str, ...], ply: int | None = None) -> Line:
    """Return positions and the moves between them as a line, with the outcome of the last position."""
    game = positions[0].game
    record = Record(
        game.facts.name,
        game.layout,
        start=str(positions[0]),
        moves=moves,
        outcome=positions[-1].outcome,
        options=options_as_texts(game.options),
        loaded_game=game,
    )
    return Line(record, positions, _checked_ply(ply, positions))


def _checked_ply(ply: int | None, positions: tuple[Position, ...]) -> int:
    """Return the number of moves before a position, by default all; raise MatchError if there are fewer."""
    last = len(positions) - 1
    if ply is not None and ply > last:
        raise MatchError(f"the match has {last} moves, not {ply}")
    return last if ply is None else ply


def _board(line: Line, overlays: Sequence[str] = ()) -> BoardReply:
    game, position, record = line.game, line.position, line.record
    facts, outcome, ply = game.facts, position.outcome, line.ply
    if ply == len(line.positions) - 1:  # a match may also end by resignation, for example
        outcome = record.outcome
    picture = position.picture()
    if ply:
        picture = picture.since(line.positions[ply - 1].picture())
    picture = picture.with_overlays(*(load_overlay(name, position) for name in overlays))
    return BoardReply(
        game=facts.name,
        title=facts.title,
        layout=game.layout,
        options=options_as_texts(dict(game.changed_options())),
        sides=facts.sides,
        names=record.names,
        start=None if line.positions[0] == game.start() else record.start,
        ply=ply,
        moves=record.moves,
        movers=[one.side_to_move for one in line.positions[: len(record.moves)]],
        seconds=record.seconds,
        position=str(position),
        notations=_notations(position),
        to_move=position.side_to_move,
        score=position.score,
        outcome=None if outcome is None else OutcomeState.of(outcome, facts.sides),
        picture=picture_json(picture),
        pieces=game.edit_pieces,
        overlays=overlay_entries(facts.name),
    )


def _notations(position: Position) -> dict[str, str]:
    """Return the position in every notation that can express it and is recognised when it is read."""
    texts, game = {}, position.game
    for notation in game.facts.position_notations:
        with suppress(PositionError):
            text = game.format(position, notation=notation)
            if read_position(game, text) == position:
                texts[notation] = text
    return texts


def _cleared(position: Position) -> Position:
    """Remove as many pieces as possible, and try again, since some can be removed only after others."""
    game = position.game
    while True:
        before, picture = position, position.picture()
        filled = [piece.cell for piece in picture.pieces]
        filled += [line.id for line in picture.lines if line.side is not None]
        for target in filled:
            with suppress(PositionError):
                position = game.unpack(game.edit_words(position.words, target, None))
        if position == before:
            return position
