r"""The syntax of records: the tags, moves, comments and variations of PGN, but not their meaning.

Source: S. J. Edwards, "Portable Game Notation Specification and Implementation
Guide", 1994. Each tag is on one line. In its value, quotes and backslashes are
escaped by a backslash, and every character that is not printable (line ends,
control characters, lone surrogates) is written as \u{HEX}. A line that starts
with a bracket and a letter is always read as a tag, so that a malformed match
never hides the next one. A comment that is only a number is the time of a move
in seconds.
"""

import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from boardgames.errors import RecordError

MAX_COLUMNS = 80
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
MAX_TOKEN_LENGTH = 40
MAX_PLIES = 100_000
"""Maximum number of moves in a match; the longest known matches of any game have a few thousand."""
MAX_DEPTH = 64
"""Maximum depth to which variations may be nested."""
GLYPHS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
"""Suffixes of moves, and the numeric annotation glyphs ($1 and so on) that they stand for."""

_TAG_LINE = re.compile(r"\s*\[[A-Za-z]")
_FIRST_TAG = re.compile(r"\s*\[\s*(Game|Event)\b")
_TAG = re.compile(r'\s*\[\s*([A-Za-z][A-Za-z0-9_]*)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
_ESCAPE = re.compile(r"\\(?:([\"\\])|u\{([0-9a-fA-F]{1,6})\}|)")
_TOKEN = re.compile(
    r"(?P<skipped>\s+|^%[^\n]*)|\$(?P<glyph>[0-9]{1,3})(?![^\s{}();])|;(?P<rest>[^\n]*)|\{(?P<comment>[^}]*)\}"
    r"|(?P<bracket>[()])|(?P<word>[^\s{}()\[\];\"$]+)|(?P<bad>.)",
    re.MULTILINE,
)
_SPACE = re.compile(r" (?!\[[A-Za-z])")
"""A space in a comment that may be replaced by a line end, because no text like a tag follows."""
_NUMBER = re.compile(r"[0-9]+\.+|\.+(?=.)")
_GLYPH = re.compile(r"(.*[^!?])([!?]{1,2})")
_GLUED_RESULT = re.compile(r"(.+?)(1-0|0-1|1/2-1/2|\*)")
_SECONDS = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)\s*")
_ELAPSED = re.compile(r"\[%emt\s+([0-9]{1,9}):([0-9]{1,2}):([0-9]{1,2})(?:\.([0-9]+))?\]")
_VALUE = re.compile(r"\s*\[%eval\s[^\]]*\]\s*")
MAX_ELAPSED_S = 1e12
"""Times longer than this are not written as `[%emt]`."""


@dataclass(frozen=True, slots=True)
class Note:
    """The annotations of one move.

    Attributes
    ----------
    glyphs : tuple of int
        Numeric annotation glyphs: 1 is a good move, 2 a mistake, and so on.
    comments : tuple of str
        Comments after the move, without line ends.
    variations : tuple of Line
        Lines of play that begin with an alternative to this move.
    """

    glyphs: tuple[int, ...] = ()
    comments: tuple[str, ...] = ()
    variations: tuple["Line", ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """Moves as text, and notes by ply, from 1; the note on ply 0 has the comments before the first move."""

    moves: tuple[str, ...]
    notes: Mapping[int, Note] = field(default_factory=dict)


@dataclass(slots=True)
class MatchText:
    """The parts of one match as text: tags in order, moves, their seconds and notes, and the result.

    `sides` contains the side that made each move; it is empty if the move numbers count moves in pairs.
    """

    tags: list[tuple[str, str]] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    seconds: list[float | None] = field(default_factory=list)
    result: str = ""
    notes: dict[int, Note] = field(default_factory=dict)
    sides: Sequence[int] = field(default=(), repr=False, compare=False)


def move_numbers(count: int, sides: Sequence[int] = ()) -> list[tuple[str, bool]]:
    """Return the number of each move, and whether it is always written or only after a comment.

    If sides take turns, numbers count pairs of moves and are always written before moves of the first side.
    If a side moves several times in a row, numbers count pairs of turns and are written at the beginning
    of each turn: after `2...` come all moves of one turn of side 1.

    Examples
    --------
    >>> move_numbers(3)
    [('1.', True), ('1...', False), ('2.', True)]
    >>> move_numbers(4, [0, 1, 1, 0])
    [('1.', True), ('1...', True), ('1...', False), ('2.', True)]
    """
    if all(before != after for before, after in pairwise(sides)):
        return [(f"{index // 2 + 1}{'...' if index % 2 else '.'}", index % 2 == 0) for index in range(count)]
    numbers, number = [], 1
    for index, side in enumerate(sides):
        before = sides[index - 1] if index else None
        number += side == 0 and before == 1
        numbers.append((f"{number}{'...' if side else '.'}", side != before))
    return numbers


def split_matches(text: str) -> Iterator[list[str]]:
    r"""Yield the lines of each match; a tag after moves starts the next match.

    Examples
    --------
    >>> list(split_matches('[Game "x"]\n1. a *\n[Game "y"]\n*'))
    [['[Game "x"]', '1. a *'], ['[Game "y"]', '*']]
    """
    lines: list[str] = []
    in_moves, first = False, ""
    for line in _lines(text.replace("\r\n", "\n").replace("\r", "\n")):
        if _TAG_LINE.match(line):
            found = _FIRST_TAG.match(line)
            if in_moves or (found and first == found[1]):
                yield lines
                lines = []
                in_moves, first = False, ""
            if found:
                first = first or found[1]
        elif has_content(line):
            in_moves = True
        elif not lines:
            continue
        lines.append(line)
    if any(has_content(line) for line in lines):
        yield lines


def has_tags(text: str) -> bool:
    """Return True if a line of a text begins with a tag."""
    return re.search(r"^\s*\[[A-Za-z]", text, re.MULTILINE) is not None


def parse_match(lines: Sequence[str]) -> MatchText:
    """Return the parts of one match.

    Raises
    ------
    RecordError
        If the text is malformed; the message names ply and token.

    Examples
    --------
    >>> parse_match(['[Game "x"]', "1. a {0.5} b *"])
    MatchText(tags=[('Game', 'x')], moves=['a', 'b'], seconds=[0.5, None], result='*', notes={})
    """
    content = (index for index, line in enumerate(lines) if has_content(line) and not _TAG_LINE.match(line))
    header = next(content, len(lines))
    match = MatchText()
    for line in lines[:header]:
        if _TAG_LINE.match(line):
            match.tags += _parse_tags(line)
    numbers = _parse_moves("\n".join(lines[header:]), match)
    match.sides = _written_sides(numbers, len(match.moves))
    return match


def parse_line(text: str) -> Line:
    """Return the moves and notes in a text without tags and result.

    Raises
    ------
    RecordError
        If the text is malformed.

    Examples
    --------
    >>> parse_line("4 $1 (3 {so} 3) 4").notes
    {1: Note(glyphs=(1,), comments=(), variations=(Line(moves=('3', '3'), notes={1: Note(glyphs=(), \
comments=('so',), variations=())}),))}
    """
    match = MatchText()
    _parse_moves(f"{text} *", match)
    return Line(tuple(match.moves), match.notes)


def format_line(line: Line) -> str:
    """Return moves with their notes as text, without numbers.

    Examples
    --------
    >>> format_line(parse_line("4 $1 (3 {so} 3) 4"))
    '4 $1 (3 {so} 3) 4'
    """
    words = [*_comment_words(line.notes.get(0))]
    for ply, move in enumerate(line.moves, start=1):
        words.append(move)
        if note := line.notes.get(ply):
            words += [f"${glyph}" for glyph in note.glyphs]
            words += _comment_words(note)
            words += [f"({format_line(variation)})" for variation in note.variations]
    return " ".join(words)


def _comment_words(note: Note | None) -> list[str]:
    """Return the comments of a note as one word in braces."""
    return [f"{{{' '.join(note.comments).replace('}', ')')}}}"] if note and note.comments else []


def format_match(match: MatchText) -> str:
    """Return the text of a match: tags, an empty line, moves in 80 columns.

    Examples
    --------
    >>> print(format_match(MatchText([("Game", "x")], ["a", "b"], [0.5, None], "*")))
    [Game "x"]
    <BLANKLINE>
    1. a {0.5} b *
    """
    tags = [f'[{name} "{escape(value)}"]' for name, value in match.tags]
    return "\n".join([*tags, "", *_wrapped(_words(match))])


def commands(*, value: str | None = None, seconds: float | None = None) -> list[str]:
    """Return the comment commands that give other programs the value of a move and the time it took.

    Source: "PGN Specification and Implementation Guide, Supplement", 2001, for `[%emt]`.

    Examples
    --------
    >>> commands(value="+0.35", seconds=75.5), commands()
    (['[%eval +0.35]', '[%emt 0:01:15.5]'], [])
    """
    words = [] if value is None else [f"[%eval {value.replace(']', ')')}]"]
    if seconds is not None and seconds < MAX_ELAPSED_S:
        whole, _, fraction = f"{Decimal(repr(seconds)):f}".partition(".")
        minutes, rest = divmod(int(whole), 60)
        decimals = f".{fraction}" if fraction.strip("0") else ""
        words.append(f"[%emt {minutes // 60}:{minutes % 60:02}:{rest:02}{decimals}]")
    return words


def without_values(text: str) -> str:
    r"""Return the text of a match without the `[%eval]` commands in its comments.

    Raises
    ------
    RecordError
        If the text is malformed.

    Examples
    --------
    >>> without_values('[Game "x"]\n\n1. a {[%eval +0.35] so} b {[%eval 0]} *').splitlines()[-1]
    '1. a {so} 1... b *'
    """
    if "[%eval" not in text:
        return text
    match = parse_match(text.split("\n"))
    for ply, note in list(match.notes.items()):
        comments = tuple(filter(None, (_VALUE.sub(" ", comment).strip() for comment in note.comments)))
        match.notes[ply] = replace(note, comments=comments)
    return format_match(match)


@lru_cache(maxsize=10_000)  # a file has few different moves
def is_word(text: str) -> bool:
    """Return True if a record can contain `text` as a move.

    Examples
    --------
    >>> is_word("a1b2"), is_word("1."), is_word("a b")
    (True, False, False)
    """
    token = _TOKEN.fullmatch(text)
    is_plain = token is not None and token["word"] is not None and text.isprintable()
    return is_plain and text not in RESULTS and not _NUMBER.match(text) and text[-1] not in "!?"


def escape(value: str) -> str:
    r"""Return a tag value as it is written between quotes.

    Examples
    --------
    >>> print(escape('the "best"\n'))
    the \"best\"\u{a}
    """
    plain = value.replace("\\", "\\\\").replace('"', '\\"')
    if plain.isprintable():
        return plain
    return "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in plain)


def unescape(text: str) -> str:
    r"""Return the original of a value escaped by `escape`.

    Raises
    ------
    RecordError
        If a backslash does not start a valid escape sequence.

    Examples
    --------
    >>> unescape('the \\"best\\"')
    'the "best"'
    """

    def character(escaped: re.Match[str]) -> str:
        plain, code = escaped.groups()
        number = int(code, 16) if code else 0
        if (plain is None and code is None) or number > 0x10FFFF:
            token = _token(escaped.string)
            raise RecordError(f'a backslash must start \\", \\\\ or \\u{{HEX}} (before ply 1, token {token})')
        return plain or chr(number)

    return _ESCAPE.sub(character, text)


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text one at a time; a list would take several times the memory of the text."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def has_content(line: str) -> bool:
    """Return False if a line is blank, only a comment, or escaped by a percent sign."""
    return bool(line.strip()) and not line.lstrip().startswith(";") and not line.startswith("%")


def _parse_tags(line: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(line):
        tag = _TAG.match(line, at)
        if tag is None:
            raise RecordError(f'a tag must be [Name "value"] (before ply 1, token {_token(line[at:])})')
        yield tag[1], unescape(tag[2])
        at = tag.end()


class _LineParser:
    """A line of play that is being parsed."""

    def __init__(self) -> None:
        self.moves: list[str] = []
        self._notes: dict[int, tuple[list[int], list[str], list[Line]]] = {}

    def note(self) -> tuple[list[int], list[str], list[Line]]:
        """Return the glyphs, comments and variations of the last move, as lists that can be extended."""
        return self._notes.setdefault(len(self.moves), ([], [], []))

    def comment(self, text: str) -> None:
        """Add a comment after the last move unless it is empty; it can always be written in braces."""
        if words := text.replace("}", ")").split():
            self.note()[1].append(" ".join(words))

    def notes(self) -> dict[int, Note]:
        """Return the notes by ply."""
        return {
            ply: Note(tuple(glyphs), tuple(comments), tuple(variations))
            for ply, (glyphs, comments, variations) in self._notes.items()
        }


def _written_sides(numbers: Mapping[int, str], count: int) -> list[int]:
    """Return the side of each move if move numbers count turns; an empty list if they count pairs of moves.

    Parameters
    ----------
    numbers : mapping of int to str
        The move numbers in the text, by the index of the move that follows.
    """
    usual = move_numbers(count)
    is_complete = all(index in numbers for index in range(0, count, 2))
    fits = all(index >= count or usual[index][0] == number for index, number in numbers.items())
    if not numbers or (fits and is_complete):
        return []
    sides, side = [], 0
    for index in range(count):
        side = int(numbers[index].endswith("...")) if index in numbers else side
        sides.append(side)
    return sides


def _parse_moves(text: str, match: MatchText) -> dict[int, str]:
    """Read the moves of a match; return the move numbers in it, by the index of the move that follows."""
    numbers: dict[int, str] = {}
    lines = [_LineParser()]  # the main line, then the open variations from the outermost to the innermost
    match.moves = lines[0].moves
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "skipped":
            continue
        if len(lines) == 1 and (number := _number_before(token["word"] or "")):
            numbers[len(match.moves)] = number
        if not _parse_token(token, lines, match):
            problem = "unclosed comment" if token["bad"] == "{" else "not a move"
            if match.result:
                problem = f"text after the result {match.result}"
            elif len(lines) > MAX_DEPTH:
                problem = "variations are nested too deeply"
            raise RecordError(f"{problem} {_place(lines, text[token.start() :])}")
    if len(lines) > 1:
        raise RecordError(f"unclosed variation {_place(lines, '')}")
    _split_result(lines[0], match)
    if not match.result:
        raise RecordError(
            f"no result after the moves, which end at ply {len(match.moves)}; "
            "write 1-0, 0-1, 1/2-1/2 or, for a match that is not over, *"
        )
    match.notes = lines[0].notes()
    return numbers


def _parse_token(token: re.Match[str], lines: list[_LineParser], match: MatchText) -> bool:
    """Add a token to the innermost line; return False if it is not allowed there."""
    line, kind = lines[-1], token.lastgroup
    if kind in ("comment", "rest"):
        comment = token[kind]
        line.comment(comment if len(lines) > 1 else _without_time(comment, match))
    elif kind == "glyph":
        line.note()[0].append(int(token["glyph"]))
    elif kind == "word" and not match.result:
        _add_word(token["word"], line, match if len(lines) == 1 else None)
    elif kind == "bracket" and not match.result and _takes_bracket(token["bracket"], lines):
        if token["bracket"] == "(":
            lines.append(_LineParser())
        else:
            lines.pop()
            lines[-1].note()[2].append(Line(tuple(line.moves), line.notes()))
    else:
        return False
    return True


def _takes_bracket(bracket: str, lines: Sequence[_LineParser]) -> bool:
    """Return True if a variation can begin or end here."""
    return bool(lines[-1].moves) and (len(lines) <= MAX_DEPTH if bracket == "(" else len(lines) > 1)


def _add_word(word: str, line: _LineParser, match: MatchText | None) -> None:
    """Add a move or a result to a line. `match` is None if the line is a variation."""
    if word in RESULTS:
        if match is not None:  # the result of a variation is ignored
            match.result = word
        return
    move = word[len(_number_before(word)) :]
    glyph = _GLYPH.fullmatch(move) if move and move[-1] in "!?" else None
    if glyph is not None:
        move = glyph[1]
    if not move.strip("."):
        return
    if len(line.moves) == MAX_PLIES:
        raise RecordError(f"more than {MAX_PLIES:,} moves (ply {MAX_PLIES + 1:,}, token {_token(word)})")
    line.moves.append(sys.intern(move))  # a file has few different moves
    if match is not None:
        match.seconds.append(None)
    if glyph is not None:
        line.note()[0].append(GLYPHS[glyph[2]])


def _number_before(word: str) -> str:
    """Return the move number or dots with which a word begins, or an empty string."""
    number = _NUMBER.match(word) if "." in word else None
    return number[0] if number else ""


def _split_result(line: _LineParser, match: MatchText) -> None:
    """Separate a result from the last move if no space is between them."""
    glued = _GLUED_RESULT.fullmatch(line.moves[-1]) if line.moves and not match.result else None
    if glued is not None:
        line.moves[-1], match.result = glued.groups()


def _without_time(comment: str, match: MatchText) -> str:
    """Store the time of the last move if a comment contains it, and return the rest of the comment."""
    if not match.moves or match.seconds[-1] is not None:
        return comment
    if number := _SECONDS.fullmatch(comment):
        seconds = float(number[1])
        match.seconds[-1] = seconds if math.isfinite(seconds) else None
        return ""
    if elapsed := _ELAPSED.search(comment):
        hours, minutes, rest = map(int, elapsed.groups()[:3])
        # parsed as one decimal, so that writing and reading a time does not change it
        match.seconds[-1] = float(f"{3600 * hours + 60 * minutes + rest}.{elapsed[4] or 0}")
        return comment[: elapsed.start()] + comment[elapsed.end() :]
    return comment


def _place(lines: Sequence[_LineParser], rest: str) -> str:
    """Return the ply and text of a token, given the main line and the open variations around it."""
    ply = sum(len(line.moves) - 1 for line in lines) + 2  # a variation replaces the last move before it
    return f"(ply {ply}, token {_token(rest)})"


def _words(match: MatchText) -> Iterator[str]:
    is_interrupted = False
    numbers = move_numbers(len(match.moves), match.sides)
    takes_turns = numbers == move_numbers(len(match.moves))
    for index, (move, seconds) in enumerate(zip(match.moves, match.seconds, strict=True)):
        number, begins_turn = numbers[index]
        if index == 0 and 0 in match.notes:
            yield from _note_words(match.notes[0], 0)
        if begins_turn or is_interrupted:
            yield number
        yield move
        if seconds is not None:
            yield f"{{{seconds!r}}}"
        note = match.notes.get(index + 1)
        is_interrupted = note is not None and bool(note.comments or note.variations)
        if note is not None:
            yield from _note_words(note, index if takes_turns else number)
    if not match.moves and 0 in match.notes:
        yield from _note_words(match.notes[0], 0)
    yield match.result


def _note_words(note: Note, place: int | str) -> Iterator[str]:
    """Yield the words of a note on the move at `place`, its index from 0 or its number as text."""
    yield from (f"${glyph}" for glyph in note.glyphs)
    for comment in note.comments:
        yield from _SPACE.split(f"{{{comment.replace('}', ')')}}}")
    for variation in note.variations:
        words = list(_line_words(variation, place))
        yield from (f"({words[0]}", *words[1:-1], f"{words[-1]})")


def _line_words(line: Line, place: int | str) -> Iterator[str]:
    """Yield the words of a variation that replaces the move at `place`, its index or its number.

    If sides do not take turns, only the first move has a number: the sides of later moves are unknown.
    """
    is_interrupted = True
    if 0 in line.notes:
        yield from _note_words(line.notes[0], place)
    for offset, move in enumerate(line.moves):
        here = place if isinstance(place, str) else place + offset
        if isinstance(here, int) and (here % 2 == 0 or is_interrupted):
            yield f"{here // 2 + 1}{'...' if here % 2 else '.'}"
        elif isinstance(here, str) and offset == 0:
            yield here
        yield move
        note = line.notes.get(offset + 1)
        is_interrupted = note is not None and bool(note.comments or note.variations)
        if note is not None:
            yield from _note_words(note, here)


def _wrapped(words: Iterable[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if not line:
            line = word
        elif len(line) + 1 + len(word) <= MAX_COLUMNS:
            line = f"{line} {word}"
        else:
            yield line
            line = word
    yield line


def _token(text: str) -> str:
    """Quote the first word of `text`, truncated if it is long."""
    word = text.split(maxsplit=1)[0] if text.strip() else ""
    return repr(word if len(word) <= MAX_TOKEN_LENGTH else word[:MAX_TOKEN_LENGTH] + "...")
