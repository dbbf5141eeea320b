"""Records of matches, as text and in files.

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

Moves are numbered in pairs. If a side has moved several times in a row, turns are
numbered instead, and each turn begins with its number: in `1. a 1... b c 2. d`,
side 1 moves twice. Braces contain comments, or the seconds spent on the previous
move. `boardgames.pgn` implements the syntax: how tags are escaped, and where one
match ends and the next begins. `boardgames.reading` interprets matches written by
other programs, which may not say what game was played, or how it began and ended.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from boardgames import pgn
from boardgames.draw.svg import svg
from boardgames.draw.tables import fact_table, html_text
from boardgames.errors import BoardgamesError, MoveError, RecordError, describe_error, quote
from boardgames.faults import must_propagate
from boardgames.game import Game, Outcome, Position
from boardgames.options import OptionValue, is_finite
from boardgames.paths import read_any_text, read_text, write_atomic
from boardgames.picture import Caption, Picture
from boardgames.reading import (
    BY_POSITION,
    UNFINISHED,
    WINNERS,
    Defaults,
    Memory,
    ReadMatch,
    check_no_test_set,
    is_foreign_termination,
    is_own,
    move_notations,
    named_notation,
    other_notations,
    plain_matches,
    read_match,
    termination_of,
)

OWN_TAGS = ("Game", "Layout", "Option", "Start", "First", "Second", "Result", "Termination")

_TAG_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NOT_OPTIONS = ("name", "layout", "self")  # parameters of `plugins.load`


_NO_BREAK = "\N{NO-BREAK SPACE}"
"""Prevents line breaks within commands; neither tags nor moves contain this character."""
_NO_DEFAULTS = Defaults()
_EMPTY: Mapping[str, str] = MappingProxyType({})
_NO_NOTES: Mapping[int, pgn.Note] = MappingProxyType({})
_NO_SECONDS: Mapping[int, tuple[float, float]] = MappingProxyType({})


def _empty() -> Mapping[str, str]:
    return _EMPTY


def _no_notes() -> Mapping[int, pgn.Note]:
    return _NO_NOTES


def _frozen(values: Mapping[str, str]) -> Mapping[str, str]:
    """Return a read-only copy; empty mappings are shared, because a file may have thousands of matches."""
    return MappingProxyType(dict(values)) if values else _EMPTY


@dataclass(frozen=True, slots=True)
class Record:
    """One match, finished or not, as text.

    Attributes
    ----------
    game, layout : str
        Names for `boardgames.load`; an empty layout stands for the default.
    start : str
        Canonical text of the start position. In a record that has not been checked, an empty text
        stands for the start of the layout.
    names : (str, str)
        Names of the players of side 0 and side 1.
    moves : tuple of str
        The moves in canonical notation, each one word without spaces, brackets or braces.
    seconds : tuple of float or None
        Time spent on each move; None if unknown, which is the default.
    outcome : Outcome or None
        How the match ended; None if it is unfinished.
    options : mapping of str to str
        Options of the game as text.
    tags : mapping of str to str
        All other tags, in order: Date as YYYY.MM.DD, Event, Round; FirstAgent and SecondAgent
        if players are not named after their agents; Termination if another program's text says why
        the match ended.
    notes : mapping of int to Note
        Glyphs, comments and variations by ply, from 1; the note on ply 0 has the comments before
        the first move.
    loaded_game : Game or None
        The game itself if it is available, so that a notebook can draw the last position. It is not
        part of the text and is ignored in comparisons.

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
    notes: Mapping[int, pgn.Note] = field(default_factory=_no_notes, kw_only=True)
    loaded_game: Game | None = field(default=None, kw_only=True, compare=False, repr=False)

    def __post_init__(self) -> None:
        seconds = self.seconds or (None,) * len(self.moves)
        # + 0.0 turns integers into floats and -0.0 into 0.0, as happens when a record is read
        seconds = tuple(second + 0.0 if is_finite(second) else second for second in seconds)
        object.__setattr__(self, "seconds", seconds)
        object.__setattr__(self, "options", _frozen(self.options))
        object.__setattr__(self, "tags", _frozen(self.tags))
        object.__setattr__(self, "notes", MappingProxyType(dict(self.notes)) if self.notes else _NO_NOTES)
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
            If a move is illegal or malformed; the message names ply and token.
        PositionError
            If the start is not a position of the game.
        """
        position = game.parse(self.start) if self.start else game.start()
        yield position
        for ply, move in enumerate(self.moves, start=1):
            try:
                position = position.apply(move)
            except MoveError as error:
                raise RecordError(f"{error} (ply {ply}, token {quote(move)})") from None
            yield position

    def svgs(self, game: Game) -> Iterator[str]:
        """Yield an SVG drawing of each position, with the last move in a caption and its changes marked."""
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
        return f"{fact_table('', _tag_pairs(self))}{moves_html(self)}{self._repr_svg_() or ''}"


def moves_html(record: Record) -> str:
    """Return the numbered moves and the result of a record as an HTML paragraph.

    Examples
    --------
    >>> moves_html(Record("connect4", start="-", moves=("4", "3", "4")))
    '<p>1. 4 3 2. 4 *</p>'
    """
    numbers = pgn.move_numbers(len(record.moves), _sides_of(record))
    numbered = [
        f"{number} {move}" if is_written else move
        for move, (number, is_written) in zip(record.moves, numbers, strict=True)
    ]
    return f"<p>{html_text(' '.join([*numbered, record.result]))}</p>"


def options_as_texts(options: Mapping[str, OptionValue]) -> dict[str, str]:
    """Return options as texts for a record. Options that are None are omitted.

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
    match = pgn.MatchText(
        _tag_pairs(record),
        list(record.moves),
        list(record.seconds),
        record.result,
        dict(record.notes),
        _sides_of(record),
    )
    return pgn.format_match(match)


def _sides_of(record: Record) -> list[int]:
    """Return the side that made each move; an empty list if the sides take turns."""
    game = record.loaded_game
    if game is None or game.facts.alternates:
        return []
    try:
        return [position.side_to_move for position in record.positions(game)][: len(record.moves)]
    except BoardgamesError:
        return []


def format_annotated(
    record: Record, *, values: Sequence[str | None] = (), writes_elapsed: bool = False
) -> str:
    """Return the text of a record with values and times in comments that other programs can read.

    Parameters
    ----------
    values : sequence of str or None
        The value after each move; if there are fewer values than moves, no values are written.
    writes_elapsed : bool
        Write times in the form `[%emt 0:00:05]` instead of `5.0`.

    Examples
    --------
    >>> record = Record("connect4", start="-", moves=("4", "4"), seconds=(5.0, 0.5))
    >>> format_annotated(record, values=("52.0%", None), writes_elapsed=True).splitlines()[-1]
    '1. 4 {[%eval 52.0%] [%emt 0:00:05]} 1... 4 {[%emt 0:00:00.5]} *'
    """
    seconds, notes = list(record.seconds), dict(record.notes)
    known = values if len(values) >= len(record.moves) else [None] * len(record.moves)
    for index, (value, elapsed) in enumerate(zip(known, record.seconds, strict=False)):
        commands = pgn.commands(value=value, seconds=elapsed if writes_elapsed else None)
        if any(command.startswith("[%emt") for command in commands):
            seconds[index] = None
        if commands:
            comment = " ".join(command.replace(" ", _NO_BREAK) for command in commands)
            note = notes.get(index + 1, pgn.Note())
            notes[index + 1] = replace(note, comments=(comment, *note.comments))
    match = pgn.MatchText(
        _tag_pairs(record), list(record.moves), seconds, record.result, notes, _sides_of(record)
    )
    return pgn.format_match(match).replace(_NO_BREAK, " ")


@dataclass(frozen=True, slots=True)
class ParsedRecords:
    """The records in a text.

    Attributes
    ----------
    records, numbers : tuple
        The matches that could be read, and their numbers in the text, from 1.
    errors : tuple of RecordError
        What is wrong with the matches that could not be read.
    warnings : tuple of str
        What had to be assumed to read the text.
    notations : tuple of str
        Notations, other than the canonical one, that were inferred from the moves.
    side_seconds : tuple
        For each record, the seconds that side 0 and side 1 took, as far as they are known; empty if
        the moves were not checked.
    """

    records: tuple[Record, ...]
    errors: tuple[RecordError, ...]
    numbers: tuple[int, ...] = field(default=(), compare=False)
    warnings: tuple[str, ...] = field(default=(), compare=False)
    notations: tuple[str, ...] = field(default=(), compare=False)
    side_seconds: tuple[tuple[float, float], ...] = field(default=(), compare=False)


def parse_records(
    text: str, load: Callable[[Record], Game] | None, defaults: Defaults = _NO_DEFAULTS
) -> ParsedRecords:
    r"""Return the records in a text and one error for each match that cannot be read.

    Parameters
    ----------
    text : str
        Any number of matches: our own records, PGN from other programs, or moves alone.
    load : callable or None
        Returns the game of a record, such as `boardgames.plugins.load_game_of`. Start, moves and
        outcome are then checked against the rules and rewritten in canonical notation. With None,
        nothing is checked, the game need not be installed, and only our own records can be read.
    defaults : Defaults
        Values to use if the text does not give them. Moves without tags can only be read if the game is
        given.

    Returns
    -------
    ParsedRecords
        Every error names the number of the match (from 1), the ply and the token.

    Raises
    ------
    RecordError
        If the text contains no matches but is a test set for solvers.

    Examples
    --------
    >>> parse_records('[Game "connect4"] [Start "-"]\n1. 4 } *', None).errors
    (RecordError("match 1: not a move (ply 2, token '}')"),)
    """
    if load is None:
        return _parse_unchecked(text)
    reader = _Reader(load, defaults)
    records: dict[int, Record] = {}
    side_seconds: dict[int, tuple[float, float]] = {}
    foreign: dict[int, tuple[pgn.MatchText, ReadMatch | None]] = {}
    errors: dict[int, BoardgamesError] = {}
    for number, match in enumerate(reader.matches(text), start=1):
        if isinstance(match, RecordError):
            errors[number] = match
            continue
        is_foreign, read = "Start" not in dict(match.tags), None
        try:
            records[number], read = reader.record(match)
            side_seconds[number] = read.side_seconds
        except BoardgamesError as error:
            errors[number] = error
        if is_foreign:
            foreign[number] = match, read
    if reader.learn(read for _, read in foreign.values() if read is not None):
        for number, (match, read) in foreign.items():
            if read is not None and not reader.may_change(read):
                continue
            with suppress(BoardgamesError):
                records[number], again = reader.record(match)
                side_seconds[number] = again.side_seconds
                foreign[number] = match, again
                errors.pop(number, None)
    parsed = _parsed(records, errors, side_seconds)
    return _with_assumptions(
        parsed, [(match, read) for match, read in foreign.values() if read is not None], defaults
    )


def _with_assumptions(
    parsed: ParsedRecords, foreign: Sequence[tuple[pgn.MatchText, ReadMatch]], defaults: Defaults
) -> ParsedRecords:
    """Add warnings about what had to be assumed to read the records of other programs."""
    is_shown = any(read.white_won_first is not None for _, read in foreign)
    count = 0 if is_shown else sum(read.is_winner_assumed for _, read in foreign)
    warnings = [_winner_warning(count)] if count else []
    notations: list[str] = []
    if defaults.notation is None:
        unnamed = [(match, read) for match, read in foreign if "Notation" not in dict(match.tags)]
        notations = move_notations(unnamed)
        if not notations and len({read.game.facts.name for _, read in unnamed}) == 1:
            warnings += _notation_warnings(unnamed[0][1].game, other_notations(unnamed))
    return replace(parsed, notations=tuple(notations), warnings=tuple(warnings))


def _winner_warning(count: int) -> str:
    """Return a warning that `1-0` was read as a win for the side that moved first, which was not White."""
    matches = "1 match" if count == 1 else f"{count:,} matches"
    return (
        f"in {matches}, White moved second and the moves do not show who won; "
        "1-0 is read as a win for the side that moved first"
    )


def _notation_warnings(game: Game, others: Sequence[str]) -> list[str]:
    """Return a warning if the moves could also be in other notations than the canonical one."""
    if not others:
        return []
    own, names = game.facts.move_notations[0], " or ".join(map(repr, others))
    return [f"moves read in the notation {own!r}, but they also fit {names}"]


def _parse_unchecked(text: str) -> ParsedRecords:
    records: dict[int, Record] = {}
    errors: dict[int, BoardgamesError] = {}
    for number, lines in enumerate(pgn.split_matches(text), start=1):
        try:
            records[number] = _unchecked(pgn.parse_match(lines))
        except BoardgamesError as error:
            errors[number] = error
    return _parsed(records, errors)


def _parsed(
    records: Mapping[int, Record],
    errors: Mapping[int, BoardgamesError],
    side_seconds: Mapping[int, tuple[float, float]] = _NO_SECONDS,
) -> ParsedRecords:
    found = sorted(records)
    return ParsedRecords(
        tuple(records[number] for number in found),
        tuple(RecordError(f"match {number}: {errors[number]}") for number in sorted(errors)),
        tuple(found),
        side_seconds=tuple(side_seconds[number] for number in found if number in side_seconds),
    )


def choose_record(
    text: str,
    load: Callable[[Record], Game] | None,
    *,
    number: int | None = None,
    game: str | None = None,
    where: str = "the text",
    defaults: Defaults = _NO_DEFAULTS,
) -> tuple[int, int, Record]:
    r"""Return the number of the chosen match in a text, the number of matches, and the match.

    Only the moves of this match are checked against the rules, which saves time with a long text.

    Parameters
    ----------
    load : callable or None
        Returns the game of a record; without it, the moves are not checked.
    number : int, optional
        Number of the match, from 1; by default the first match.
    game : str, optional
        The game that must have been played.
    where : str
        Where the text comes from, for error messages.
    defaults : Defaults
        Values to use if the text does not give them.

    Raises
    ------
    RecordError
        If there is no such match, it has an error or no moves, or is a match of another game.

    Examples
    --------
    >>> from boardgames.plugins import load_game_of
    >>> number, count, record = choose_record('[Game "connect4"] [Start "-"]\n1. 4 4 *', load_game_of)
    >>> number, count, record.moves
    (1, 1, ('4', '4'))
    """
    reader = _Reader(load or _load_nothing, defaults)
    matches = list(reader.matches(text))
    count, chosen = len(matches), number or 1
    if count == 0:
        raise RecordError(f"no matches in {where}")
    if chosen > count:
        raise RecordError(f"no match {chosen} in {where}; the last one is {count}")
    match = matches[chosen - 1]
    try:
        if isinstance(match, RecordError):
            raise match
        record = _unchecked(match, defaults)
        if (game is None or record.game == game) and load is not None and record.moves:
            record, _ = reader.record(match)
    except BoardgamesError as error:
        raise RecordError(f"{where}: match {chosen}: {error}") from None
    if game is not None and record.game != game:
        raise RecordError(f"{where}: match {chosen} is a match of {quote(record.game)}, not {game}")
    if not record.moves:
        raise RecordError(f"{where}: match {chosen} has no moves")
    return chosen, count, record


def read_records(
    path: Path, load: Callable[[Record], Game] | None, defaults: Defaults = _NO_DEFAULTS
) -> ParsedRecords:
    """Return the records in a file, as `parse_records` does. A file that is not UTF-8 is read as Latin-1.

    Raises
    ------
    FileError
        If the file is missing or unreadable, or does not contain text.
    RecordError
        If the file is a test set for solvers.
    """
    text, warning = read_any_text(path)
    parsed = parse_records(text, load, defaults)
    return replace(parsed, warnings=(*parsed.warnings, warning)) if warning else parsed


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write records to a file, replacing its content.

    Raises
    ------
    FileError
        If the file cannot be written; an existing file does not change.
    """
    write_atomic(path, "".join(f"{format_record(record)}\n\n" for record in records))


def append_record(path: Path, record: Record) -> None:
    """Append a record to a file, which is created if necessary.

    Existing content is neither parsed nor changed. Only one process at a time
    may append to a file.

    Raises
    ------
    FileError
        If the file cannot be read or written; an existing file does not change.
    """
    before = read_text(path, exact=True) if os.path.isfile(path) else ""  # noqa: PTH113 - never raises
    end = before[-4:].replace("\r\n", "\n")
    gap = "" if not end or end.endswith("\n\n") else "\n" if end.endswith("\n") else "\n\n"
    write_atomic(path, f"{before}{gap}{format_record(record)}\n\n")


def _tag_pairs(record: Record) -> list[tuple[str, str]]:
    layout = [("Layout", record.layout)] if record.layout else []
    pairs = [("Game", record.game), *layout]
    pairs += [("Option", f"{name}={value}") for name, value in record.options.items()]
    pairs += [("Start", record.start)] if record.start else []
    pairs += [("First", record.names[0]), ("Second", record.names[1])]
    pairs.append(("Result", record.result))
    if record.outcome is not None and "Termination" not in record.tags:
        pairs.append(("Termination", record.outcome.termination.value))
    return [*pairs, *record.tags.items()]


def _read_tags(match: pgn.MatchText) -> tuple[dict[str, str], dict[str, str]]:
    """Return the tags of a match, and the options of its game."""
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
    return tags, options


def _unchecked(match: pgn.MatchText, defaults: Defaults = _NO_DEFAULTS) -> Record:
    """Return the record of a match without checking its moves."""
    tags, options = _read_tags(match)
    game = tags.get("Game", defaults.game)
    if not game and "Game" not in tags:
        raise RecordError("the tag Game is missing; name the game with --game NAME")
    outcome = None
    if match.result != UNFINISHED:
        outcome = Outcome(WINNERS[match.result], termination_of(tags.get("Termination")))
    return Record(
        game,
        tags.get("Layout", ""),
        start=tags.get("Start", ""),
        names=(tags.get("First", "?"), tags.get("Second", "?")),
        moves=tuple(match.moves),
        seconds=tuple(match.seconds),
        outcome=outcome,
        options=options,
        tags=_other_tags(tags),
        notes=match.notes,
    )


def _other_tags(tags: Mapping[str, str]) -> dict[str, str]:
    """Return the tags to keep as text: those that no field holds, and a foreign `Termination`."""
    others = {name: value for name, value in tags.items() if name not in OWN_TAGS}
    if is_foreign_termination(tags.get("Termination", "")):
        others["Termination"] = tags["Termination"]
    return others


def _load_nothing(record: Record) -> Game:
    raise RecordError(f"the game {quote(record.game)} is not loaded")


class _Reader:
    """Reads the matches of a text, loading each game only once.

    Parameters
    ----------
    load : callable
        Returns the game of a record.
    defaults : Defaults
        Values to use if the text does not give them.
    """

    def __init__(self, load: Callable[[Record], Game], defaults: Defaults) -> None:
        self._load, self._defaults = load, defaults
        self._games: dict[tuple[object, ...], Game] = {}
        self._white_is_one = self._has_new_notation = False
        self._memory = Memory()

    def game(self, name: str, layout: str, options: Mapping[str, str]) -> Game:
        """Return a game; equal arguments give the same object."""
        key = (name, layout, *options.items())
        if key not in self._games:
            self._games[key] = self._load(Record(name, layout, start="", options=options))
        return self._games[key]

    def matches(self, text: str) -> Iterator[pgn.MatchText | RecordError]:
        """Yield the parts of each match, or what is wrong with it."""
        if not self._defaults.game and not pgn.has_tags(text):
            if any(pgn.has_content(line) for line in text.split("\n")):
                yield RecordError("the tag Game is missing; name the game with --game NAME")
            return
        if not pgn.has_tags(text):
            given = self._defaults

            def load(layout: str) -> Game:
                return self.game(given.game, layout or given.layout, given.options)

            check_no_test_set(text, load(""))
            yield from plain_matches(text, load, given.notation, self._memory)
            return
        for lines in pgn.split_matches(text):
            try:
                yield pgn.parse_match(lines)
            except RecordError as error:
                yield error

    def record(self, match: pgn.MatchText) -> tuple[Record, ReadMatch]:
        """Return the record of a match, checked against the rules of its game.

        Exceptions of the plug-in become errors of this match.
        """
        tags, options = _read_tags(match)
        try:
            read = read_match(
                match,
                tags,
                options,
                self.game,
                self._defaults,
                white_is_one=self._white_is_one,
                memory=self._memory,
            )
        except BoardgamesError:
            raise
        except BaseException as error:
            if must_propagate(error):
                raise
            name = tags.get("Game", self._defaults.game)
            raise RecordError(f"the rules of {name} failed: {describe_error(error)}") from error
        others = _other_tags(tags)
        if not is_own(tags) and named_notation(read.game, tags) is not None:
            del others["Notation"]  # the moves are in canonical notation now
        record = Record(
            tags.get("Game", read.game.facts.name),
            _layout_of(tags, read),
            start=read.start,
            names=read.names,
            moves=read.moves,
            seconds=read.seconds,
            outcome=read.outcome,
            options=options if is_own(tags) else options_as_texts(dict(read.game.changed_options())),
            tags=others,
            loaded_game=read.game,
            notes=read.notes,
        )
        return record, read

    def learn(self, read: Iterable[ReadMatch]) -> bool:
        """Learn from matches how to read other matches; return True if some may now be read differently."""
        matches = list(read)
        before = self._defaults, self._white_is_one
        notations = {one.notation for one in matches if one.notation is not None}
        if len(notations) == 1 and self._defaults.notation is None:
            self._defaults = replace(self._defaults, notation=notations.pop())
        self._white_is_one = {one.white_won_first for one in matches} - {None} == {True}
        self._has_new_notation = self._defaults != before[0]
        return (self._defaults, self._white_is_one) != before

    def may_change(self, read: ReadMatch) -> bool:
        """Return True if a match may be read differently after what `learn` has found."""
        follows_from_moves = read.outcome is None or read.outcome.termination in BY_POSITION
        return self._has_new_notation or not follows_from_moves


def _layout_of(tags: Mapping[str, str], read: ReadMatch) -> str:
    """Return the layout for a record: as our own records name it, or as `read_match` found it."""
    if is_own(tags):
        return tags.get("Layout", "")
    return "" if read.game.layout == next(iter(read.game.layout_names), "") else read.game.layout


def _check_names(record: Record) -> None:
    if len(record.names) != 2:
        raise RecordError(f"a record needs the names of two players, not {quote(record.names)}")
    for name in record.tags:
        is_foreign = name == "Termination" and is_foreign_termination(record.tags[name])
        if not _TAG_NAME.fullmatch(name) or (name in OWN_TAGS and not is_foreign):
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
