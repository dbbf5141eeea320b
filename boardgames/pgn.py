r"""The syntax of records: the tags, moves and comments of PGN, but not their meaning.

Source: S. J. Edwards, "Portable Game Notation Specification and Implementation
Guide", 1994. A tag takes one line. In its value, quotes and backslashes are
escaped by a backslash, and every character that is not printable (line ends,
control characters, lone surrogates) is written as \u{HEX}. A line that starts
with a bracket and a letter is always a tag, so that a malformed match never
hides the next one.
"""

import math
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from boardgames.errors import RecordError

MAX_COLUMNS = 80
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
MAX_TOKEN_LENGTH = 40
MAX_PLIES = 100_000
"""Moves of a match that is read; the longest known ones of any game have a few thousand."""

_TAG_LINE = re.compile(r"\s*\[[A-Za-z]")
_GAME_LINE = re.compile(r"\s*\[\s*Game\b")
_TAG = re.compile(r'\s*\[\s*([A-Za-z][A-Za-z0-9_]*)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
_ESCAPE = re.compile(r"\\(?:([\"\\])|u\{([0-9a-fA-F]{1,6})\}|)")
_TOKEN = re.compile(
    r"(?P<skipped>\s+|;[^\n]*|\$[0-9]+(?!\S))|\{(?P<comment>[^}]*)\}|(?P<word>[^\s{}\[\];\"$]+)|(?P<bad>.)"
)
_NUMBER = re.compile(r"[0-9]+\.+")
_SECONDS = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)\s*")


@dataclass(slots=True)
class MatchText:
    """The parts of one match as text: tags in order, moves, the seconds of each move, and the result."""

    tags: list[tuple[str, str]] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    seconds: list[float | None] = field(default_factory=list)
    result: str = ""


def split_matches(text: str) -> Iterator[list[str]]:
    r"""Yield the lines of each match; a tag after moves starts the next match.

    Examples
    --------
    >>> list(split_matches('[Game "x"]\n1. a *\n[Game "y"]\n*'))
    [['[Game "x"]', '1. a *'], ['[Game "y"]', '*']]
    """
    lines: list[str] = []
    in_moves = has_game = False
    for line in _lines(text.replace("\r\n", "\n").replace("\r", "\n")):
        if _TAG_LINE.match(line):
            if in_moves or (has_game and _GAME_LINE.match(line)):
                yield lines
                lines = []
                in_moves = has_game = False
            has_game = has_game or _GAME_LINE.match(line) is not None
        elif _has_content(line):
            in_moves = True
        elif not lines:
            continue
        lines.append(line)
    if any(_has_content(line) for line in lines):
        yield lines


def parse_match(lines: Sequence[str]) -> MatchText:
    """Return the parts of one match.

    Raises
    ------
    RecordError
        If the text is malformed; the message names ply and token.

    Examples
    --------
    >>> parse_match(['[Game "x"]', "1. a {0.5} b *"])
    MatchText(tags=[('Game', 'x')], moves=['a', 'b'], seconds=[0.5, None], result='*')
    """
    content = (index for index, line in enumerate(lines) if _has_content(line) and not _TAG_LINE.match(line))
    header = next(content, len(lines))
    match = MatchText()
    for line in lines[:header]:
        if _TAG_LINE.match(line):
            match.tags += _parse_tags(line)
    _parse_moves("\n".join(lines[header:]), match)
    return match


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


def is_word(text: str) -> bool:
    """Return True if `text` can be written as a move in a record.

    Examples
    --------
    >>> is_word("a1b2"), is_word("1."), is_word("a b")
    (True, False, False)
    """
    token = _TOKEN.fullmatch(text)
    is_plain = token is not None and token["word"] is not None and text.isprintable()
    return is_plain and text not in RESULTS and not _NUMBER.match(text)


def escape(value: str) -> str:
    r"""Return a tag value as it is written between quotes.

    Examples
    --------
    >>> print(escape('the "best"\n'))
    the \"best\"\u{a}
    """
    plain = value.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in plain)


def unescape(text: str) -> str:
    r"""Return the original of a value escaped by `escape`.

    Raises
    ------
    RecordError
        If a backslash is followed by something else.

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
    """Yield the lines of a text one at a time; a list of them takes several times its memory."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _has_content(line: str) -> bool:
    """Return True unless a line is blank or only a comment."""
    return bool(line.strip()) and not line.lstrip().startswith(";")


def _parse_tags(line: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(line):
        tag = _TAG.match(line, at)
        if tag is None:
            raise RecordError(f'a tag must be [Name "value"] (before ply 1, token {_token(line[at:])})')
        yield tag[1], unescape(tag[2])
        at = tag.end()


def _parse_moves(text: str, match: MatchText) -> None:
    for token in _TOKEN.finditer(text):
        if token["skipped"] is not None:
            continue
        if token["comment"] is not None:
            _add_comment(token["comment"], match)
            continue
        if token["bad"] is not None or match.result:
            problem = "unclosed comment" if token["bad"] == "{" else "not a move"
            if match.result:
                problem = f"text after the result {match.result}"
            where = f"(ply {len(match.moves) + 1}, token {_token(text[token.start() :])})"
            raise RecordError(f"{problem} {where}")
        _add_word(token["word"], match)
    if not match.result:
        raise RecordError(f"no result after the moves (ply {len(match.moves) + 1}, token '')")


def _add_word(word: str, match: MatchText) -> None:
    if word in RESULTS:
        match.result = word
        return
    number = _NUMBER.match(word)
    move = word[number.end() :] if number else word
    if move:
        if len(match.moves) == MAX_PLIES:
            raise RecordError(f"more than {MAX_PLIES:,} moves (ply {MAX_PLIES + 1:,}, token {_token(word)})")
        match.moves.append(sys.intern(move))  # a file has few different moves
        match.seconds.append(None)


def _add_comment(comment: str, match: MatchText) -> None:
    """Store a number as the seconds of the move before it; ignore any other comment."""
    number = _SECONDS.fullmatch(comment)
    if number is not None and match.moves and match.seconds[-1] is None:
        seconds = float(number[1])
        match.seconds[-1] = seconds if math.isfinite(seconds) else None


def _words(match: MatchText) -> Iterator[str]:
    for index, (move, seconds) in enumerate(zip(match.moves, match.seconds, strict=True)):
        if index % 2 == 0:
            yield f"{index // 2 + 1}."
        yield move
        if seconds is not None:
            yield f"{{{seconds!r}}}"
    yield match.result


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
