"""Records: matches as text, and files of them.

The format is that of PGN (S. J. Edwards, "Portable Game Notation Specification
and Implementation Guide", 1994) with additional tags:

    [Game "connect4"]
    [Option "columns=7"]
    [Start "-"]
    [First "alphabeta:depth=4"]
    [Second "Ann"]
    [Result "1-0"]
    [Termination "resignation"]

    1. 4 {0.52} 4 {3.1} 2. 5 {0.5} 1-0

Move numbers count plies in pairs, whichever side moves; braces hold the
seconds spent on the move before them. `boardgames.pgn` has the syntax: how
tags are escaped and where one match ends and the next begins.
"""

import html
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from boardgames import pgn
from boardgames.draw.svg import svg
from boardgames.errors import BoardgamesError, MoveError, RecordError, describe_error, quote, suggest
from boardgames.faults import must_propagate
from boardgames.game import Game, Outcome, Position, Termination
from boardgames.options import OptionValue, is_finite
from boardgames.paths import read_text, write_atomic
from boardgames.picture import Caption, Picture

WINNERS: Mapping[str, int | None] = MappingProxyType({"1-0": 0, "0-1": 1, "1/2-1/2": None})
UNFINISHED = "*"
OWN_TAGS = ("Game", "Layout", "Option", "Start", "First", "Second", "Result", "Termination")

_BY_POSITION = (Termination.RULES, Termination.NO_MOVES)
_TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NOT_OPTIONS = ("name", "layout", "self")  # parameters of `plugins.load`


_EMPTY: Mapping[str, str] = MappingProxyType({})


def _empty() -> Mapping[str, str]:
    return _EMPTY


def _frozen(values: Mapping[str, str]) -> Mapping[str, str]:
    """Return a read-only copy; empty ones are shared, since a file may have many thousand matches."""
    return MappingProxyType(dict(values)) if values else _EMPTY


@dataclass(frozen=True, slots=True)
class Record:
    """One match, finished or not, as text.

    Attributes
    ----------
    game, layout : str
        Names for `boardgames.load`; an empty layout stands for the default.
    start : str
        Canonical text of the start position.
    names : (str, str)
        Names of the players of side 0 and side 1.
    moves : tuple of str
        In canonical notation, each a word without spaces, brackets or braces.
    seconds : tuple of float or None
        Time spent on each move; None if unknown, which is the default.
    outcome : Outcome or None
        None if the match is unfinished.
    options : mapping of str to str
        Options of the game as text.
    tags : mapping of str to str
        All other tags, in order: Date as YYYY.MM.DD, Event, Round; FirstAgent and SecondAgent
        if players have other names than their agents.
    loaded_game : Game or None
        The game itself if it was available, so that a notebook can draw the
        last position. It is not part of the text and is ignored in comparisons.

    Raises
    ------
    RecordError
        If a value cannot be written and read back.

    Examples
    --------
    >>> record = Record("connect4", start="-", names=("Ann", "Bob"), moves=("4", "4", "5"))
    >>> print(record)  # doctest: +ELLIPSIS
    [Game "connect4"]
    ...
    1. 4 4 2. 5 *
    >>> parse_records(str(record), None).records == (record,)
    True
    """

    game: str
    layout: str = ""
    start: str = field(kw_only=True)
    names: tuple[str, str] = field(default=("?", "?"), kw_only=True)
    moves: tuple[str, ...] = field(default=(), kw_only=True)
    seconds: tuple[float | None, ...] = field(default=(), kw_only=True)
    outcome: Outcome | None = field(default=None, kw_only=True)
    options: Mapping[str, str] = field(default_factory=_empty, kw_only=True)
    tags: Mapping[str, str] = field(default_factory=_empty, kw_only=True)
    loaded_game: Game | None = field(default=None, kw_only=True, compare=False, repr=False)

    def __post_init__(self) -> None:
        seconds = self.seconds or (None,) * len(self.moves)
        # + 0.0 turns integers into floats and -0.0 into 0.0, just as reading a record
        # does
        seconds = tuple(second + 0.0 if is_finite(second) else second for second in seconds)
        object.__setattr__(self, "seconds", seconds)
        object.__setattr__(self, "options", _frozen(self.options))
        object.__setattr__(self, "tags", _frozen(self.tags))
        _check_names(self)
        _check_moves(self)

    def __hash__(self) -> int:
        return hash((self.game, self.start, self.names, self.moves, self.outcome))

    @property
    def result(self) -> str:
        """Return `1-0`, `0-1`, `1/2-1/2` or, if the match is unfinished, `*`."""
        if self.outcome is None:
            return UNFINISHED
        return next(result for result, winner in WINNERS.items() if winner == self.outcome.winner)

    def positions(self, game: Game) -> Iterator[Position]:
        """Yield the start and the position after each move, checking every move.

        Parameters
        ----------
        game : Game
            The game of the record, from `boardgames.plugins.load_game_of`.

        Raises
        ------
        RecordError
            If a move is illegal or not a move; the message names ply and token.
        PositionError
            If the start is not a position of the game.
        """
        position = game.parse(self.start)
        yield position
        for ply, move in enumerate(self.moves, start=1):
            try:
                position = position.apply(move)
            except MoveError as error:
                raise RecordError(f"{error} (ply {ply}, token {quote(move)})") from None
            yield position

    def svgs(self, game: Game) -> Iterator[str]:
        """Yield a drawing of each position, with the last move as a caption and its changes marked."""
        previous: tuple[Position, Picture] | None = None
        for ply, position in enumerate(self.positions(game)):
            picture = marked = position.picture()
            text = "start"
            if previous is not None:
                before, drawn = previous
                marked = picture.since(drawn)
                text = f"ply {ply}, {game.facts.sides[before.side_to_move]}: {self.moves[ply - 1]}"
            previous = position, picture
            yield svg(marked.with_captions(Caption("bottom-right", text)))

    def __str__(self) -> str:
        return format_record(self)

    def _repr_svg_(self) -> str | None:
        if self.loaded_game is None:
            return None
        try:
            return list(self.positions(self.loaded_game))[-1].svg()
        except BoardgamesError:
            return None

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
            for name, value in _tag_pairs(self)
        )
        numbered = (f"{ply // 2 + 1}. " * (ply % 2 == 0) + move for ply, move in enumerate(self.moves))
        moves = html.escape(" ".join([*numbered, self.result]))
        page = f"<table>{rows}</table><p>{moves}</p>{self._repr_svg_() or ''}"
        return page.encode(errors="replace").decode()


def options_as_texts(options: Mapping[str, OptionValue]) -> dict[str, str]:
    """Return options as text, as stored in a record. Options that are not set are omitted.

    Examples
    --------
    >>> options_as_texts({"broadside": False, "dimension": 3, "book": None})
    {'broadside': 'false', 'dimension': '3'}
    """
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in options.items()
        if value is not None
    }


def format_record(record: Record) -> str:
    """Return the text of a record: tags, an empty line, moves in 80 columns.

    Examples
    --------
    >>> format_record(Record("connect4", start="-")).splitlines()[-1]
    '*'
    """
    match = pgn.MatchText(_tag_pairs(record), list(record.moves), list(record.seconds), record.result)
    return pgn.format_match(match)


@dataclass(frozen=True, slots=True)
class ParsedRecords:
    """The records in a text, their match numbers, and the errors of matches that could not be read."""

    records: tuple[Record, ...]
    errors: tuple[RecordError, ...]
    numbers: tuple[int, ...] = field(default=(), compare=False)


def parse_records(text: str, load: Callable[[Record], Game] | None) -> ParsedRecords:
    r"""Return the records in a text and one error for each match that cannot be read.

    Parameters
    ----------
    text : str
        Any number of matches.
    load : callable or None
        Returns the game of a record: `boardgames.plugins.load_game_of`. Start,
        moves and outcome are then checked against the rules and rewritten in
        canonical notation. With None nothing is checked, and the game need not
        be installed.

    Returns
    -------
    ParsedRecords
        Every error names the number of the match (from 1), the ply and the
        token.

    Examples
    --------
    >>> parse_records('[Game "connect4"] [Start "-"]\n1. 4 } *', None).errors
    (RecordError("match 1: not a move (ply 2, token '}')"),)
    """
    games: dict[tuple[object, ...], Game] = {}

    def load_once(record: Record) -> Game:
        assert load is not None
        key = (record.game, record.layout, *record.options.items())
        if key not in games:
            games[key] = load(record)
        return games[key]

    records: dict[int, Record] = {}
    errors: list[RecordError] = []
    for number, lines in enumerate(pgn.split_matches(text), start=1):
        try:
            record = _to_record(pgn.parse_match(lines))
            records[number] = record if load is None else _replay(record, load_once)
        except BoardgamesError as error:
            errors.append(RecordError(f"match {number}: {error}"))
    return ParsedRecords(tuple(records.values()), tuple(errors), tuple(records))


def choose_record(
    text: str,
    load: Callable[[Record], Game] | None,
    *,
    number: int | None = None,
    game: str | None = None,
    where: str = "the text",
) -> tuple[int, int, Record]:
    r"""Return the number of a match in a text, the number of matches, and the match with its moves checked.

    Only this match is checked against the rules, so that it can be taken from a long text.

    Parameters
    ----------
    load : callable or None
        Returns the game of a record; without it, the moves are not checked.
    number : int, optional
        From 1; by default the first.
    game : str, optional
        The game that it must be a match of.
    where : str
        Where the text comes from, for errors.

    Raises
    ------
    RecordError
        If there is no such match, it has an error or no moves, or is of another game.

    Examples
    --------
    >>> from boardgames.plugins import load_game_of
    >>> number, count, record = choose_record('[Game "connect4"] [Start "-"]\n1. 4 4 *', load_game_of)
    >>> number, count, record.moves
    (1, 1, ('4', '4'))
    """
    parsed = parse_records(text, None)  # only one of them has to be replayed
    count, chosen = len(parsed.records) + len(parsed.errors), number or 1
    if count == 0:
        raise RecordError(f"no matches in {where}")
    if chosen > count:
        raise RecordError(f"no match {chosen} in {where}; the last one is {count}")
    records = dict(zip(parsed.numbers, parsed.records, strict=True))
    if chosen not in records:
        broken = [number for number in range(1, count + 1) if number not in records]
        raise RecordError(f"{where}: {parsed.errors[broken.index(chosen)]}")
    record = records[chosen]
    if game is not None and record.game != game:
        raise RecordError(f"{where}: match {chosen} is a match of {quote(record.game)}, not {game}")
    if not record.moves:
        raise RecordError(f"{where}: match {chosen} has no moves")
    checked = parse_records(str(record), load)
    for error in checked.errors:
        raise RecordError(f"{where}: match {chosen}: {str(error).removeprefix('match 1: ')}")
    return chosen, count, checked.records[0]


def read_records(path: Path, load: Callable[[Record], Game] | None) -> ParsedRecords:
    """Return the records in a file, as `parse_records` does.

    Raises
    ------
    FileError
        If the file is missing, unreadable or not UTF-8.
    """
    return parse_records(read_text(path), load)


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write records to a file, replacing its content.

    Raises
    ------
    FileError
        If it cannot be written; an existing file does not change.
    """
    write_atomic(path, "".join(f"{format_record(record)}\n\n" for record in records))


def append_record(path: Path, record: Record) -> None:
    """Append a record to a file, which is created if necessary.

    Existing content is neither parsed nor changed. Only one process at a time
    may append to a file.

    Raises
    ------
    FileError
        If it cannot be read or written; an existing file does not change.
    """
    before = read_text(path, exact=True) if os.path.isfile(path) else ""  # noqa: PTH113 - never raises
    end = before[-4:].replace("\r\n", "\n")
    gap = "" if not end or end.endswith("\n\n") else "\n" if end.endswith("\n") else "\n\n"
    write_atomic(path, f"{before}{gap}{format_record(record)}\n\n")


def _tag_pairs(record: Record) -> list[tuple[str, str]]:
    layout = [("Layout", record.layout)] if record.layout else []
    pairs = [("Game", record.game), *layout]
    pairs += [("Option", f"{name}={value}") for name, value in record.options.items()]
    pairs += [("Start", record.start), ("First", record.names[0]), ("Second", record.names[1])]
    pairs.append(("Result", record.result))
    if record.outcome is not None:
        pairs.append(("Termination", record.outcome.termination.value))
    return [*pairs, *record.tags.items()]


def _to_record(match: pgn.MatchText) -> Record:
    """Return the record, without checking the rules."""
    tags: dict[str, str] = {}
    options: dict[str, str] = {}
    for name, value in match.tags:
        option, equals, setting = value.partition("=")
        if name == "Option" and not equals:
            raise RecordError(f"an option must be name=value (before ply 1, token {quote(value)})")
        key, text, kept = (option, setting, options) if name == "Option" else (name, value, tags)
        if key in kept:
            raise RecordError(f"{quote(key)} is given twice (before ply 1, token {quote(value)})")
        kept[key] = text
    for name in ("Game", "Start"):
        if name not in tags:
            raise RecordError(f"the tag {name} is missing (before ply 1, token '')")
    return Record(
        tags["Game"],
        tags.get("Layout", ""),
        start=tags["Start"],
        names=(tags.get("First", "?"), tags.get("Second", "?")),
        moves=tuple(match.moves),
        seconds=tuple(match.seconds),
        outcome=_outcome(match, tags),
        options=options,
        tags={name: value for name, value in tags.items() if name not in OWN_TAGS},
    )


def _outcome(match: pgn.MatchText, tags: Mapping[str, str]) -> Outcome | None:
    where = f"(ply {len(match.moves) + 1}, token {quote(match.result)})"
    if tags.get("Result", match.result) != match.result:
        raise RecordError(f"the result differs from the tag Result, {quote(tags['Result'])} {where}")
    termination = tags.get("Termination")
    if match.result == UNFINISHED:
        if termination is not None:
            raise RecordError(f"an unfinished match cannot have the termination {quote(termination)} {where}")
        return None
    if termination is None:
        raise RecordError(f"the tag Termination is missing {where}")
    if termination not in tuple(Termination):
        hint = suggest(termination, [reason.value for reason in Termination])
        raise RecordError(f"no such termination {quote(termination)}{hint} {where}")
    return Outcome(WINNERS[match.result], Termination(termination))


def _replay(record: Record, load: Callable[[Record], Game]) -> Record:
    """Return the record in canonical notation, with moves and outcome checked against the rules.

    Any exception of the plug-in becomes an error of this match.
    """
    try:
        game = load(record)
        return _check_moves_and_outcome(record, game)
    except BoardgamesError:
        raise
    except BaseException as error:
        if must_propagate(error):
            raise
        raise RecordError(f"the rules of {record.game} failed: {describe_error(error)}") from error


def _check_moves_and_outcome(record: Record, game: Game) -> Record:
    positions = list(record.positions(game))
    last = positions[-1]
    ended = record.outcome is not None and record.outcome.termination in _BY_POSITION
    if (ended or last.outcome is not None) and last.outcome != record.outcome:
        where = f"(ply {len(record.moves) + 1}, token {record.result!r})"
        raise RecordError(f"according to the rules, {_describe_outcome(last.outcome, game)} {where}")
    moves = (game.parse_move(at, move).text for at, move in zip(positions, record.moves, strict=False))
    return replace(record, start=str(positions[0]), moves=tuple(moves), loaded_game=game)


def _describe_outcome(outcome: Outcome | None, game: Game) -> str:
    if outcome is None:
        return "the match is not over"
    return f"the result is {outcome.describe(game.facts.sides)!r}"


def _check_names(record: Record) -> None:
    if len(record.names) != 2:
        raise RecordError(f"a record needs the names of two players, not {quote(record.names)}")
    for name in record.tags:
        if not _TAG_NAME.fullmatch(name) or name in OWN_TAGS:
            raise RecordError(f"invalid tag name: {quote(name)}")
    for name in record.options:
        if not name or "=" in name or name in _NOT_OPTIONS:
            raise RecordError(f"invalid option name: {quote(name)}")


def _check_moves(record: Record) -> None:
    if len(record.seconds) != len(record.moves):
        raise RecordError(f"there are {len(record.seconds)} times for {len(record.moves)} moves")
    for ply, (move, seconds) in enumerate(zip(record.moves, record.seconds, strict=True), start=1):
        if not pgn.is_word(move):
            raise RecordError(f"a move must be one word without brackets (ply {ply}, token {quote(move)})")
        if seconds is not None and not (is_finite(seconds) and seconds >= 0):
            raise RecordError(f"seconds must be at least 0 (ply {ply}, token {quote(seconds)})")
