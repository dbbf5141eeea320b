r"""The syntax of records: words, tags and comments of PGN, without their meaning.

Source: S. J. Edwards, "Portable Game Notation Specification and Implementation
Guide", 1994. A tag stands on one line. In its value a quote and a backslash
have a backslash before them, and every character that is not printable (line
ends, controls, lone surrogates) is written as \u{HEX}. A line that begins
with a bracket and a letter is a tag wherever it stands, so that a match that
cannot be read never hides the next one.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from boardgames.errors import RecordError

COLUMNS = 80
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
SHOWN_TOKEN = 40

_TAG_LINE = re.compile(r"\s*\[[A-Za-z]")
_GAME_LINE = re.compile(r"\s*\[\s*Game\b")
_TAG = re.compile(r'\s*\[\s*([A-Za-z][A-Za-z0-9_]*)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
_ESCAPE = re.compile(r"\\(?:([\"\\])|u\{([0-9a-fA-F]{1,6})\}|)")
_TOKEN = re.compile(
    r"(?P<skipped>\s+|;[^\n]*|\$[0-9]+(?!\S))|\{(?P<comment>[^}]*)\}|(?P<word>[^\s{}\[\];\"$]+)|(?P<bad>.)"
)
_NUMBER = re.compile(r"[0-9]+\.+")
_SECONDS = re.compile(r"\s*[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?\s*")


@dataclass(slots=True)
class MatchText:
    """What one match consists of as text: tags in order, moves, their seconds, the result."""

    tags: list[tuple[str, str]] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    seconds: list[float | None] = field(default_factory=list)
    result: str = ""


def split_matches(text: str) -> Iterator[list[str]]:
    r"""Yield the lines of each match: a tag after moves begins the next one.

    Examples
    --------
    >>> list(split_matches('[Game "x"]\n1. a *\n[Game "y"]\n*'))
    [['[Game "x"]', '1. a *'], ['[Game "y"]', '*']]
    """
    lines: list[str] = []
    in_moves = names_game = False
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if _TAG_LINE.match(line):
            if in_moves or (names_game and _GAME_LINE.match(line)):
                yield lines
                lines = []
                in_moves = names_game = False
            names_game = names_game or _GAME_LINE.match(line) is not None
        elif _is_said(line):
            in_moves = True
        elif not lines:
            continue
        lines.append(line)
    if any(_is_said(line) for line in lines):
        yield lines


def parse_match(lines: Sequence[str]) -> MatchText:
    """Return the tags and words of one match's lines.

    Raises
    ------
    RecordError
        If they are none; the message names ply and token.

    Examples
    --------
    >>> parse_match(['[Game "x"]', "1. a {0.5} b *"])
    MatchText(tags=[('Game', 'x')], moves=['a', 'b'], seconds=[0.5, None], result='*')
    """
    said = (index for index, line in enumerate(lines) if _is_said(line) and not _TAG_LINE.match(line))
    header = next(said, len(lines))
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
    """Say whether `text` can stand as a move in a record.

    Examples
    --------
    >>> is_word("a1b2"), is_word("1."), is_word("a b")
    (True, False, False)
    """
    found = _TOKEN.fullmatch(text)
    is_plain = found is not None and found["word"] is not None and text.isprintable()
    return is_plain and text not in RESULTS and not _NUMBER.match(text)


def escape(value: str) -> str:
    r"""Return a tag's value as it is written between quotes.

    Examples
    --------
    >>> print(escape('the "best"\n'))
    the \"best\"\u{a}
    """
    plain = value.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(sign if sign.isprintable() else f"\\u{{{ord(sign):x}}}" for sign in plain)


def unescape(text: str) -> str:
    r"""Return the value that `escape` wrote.

    Raises
    ------
    RecordError
        If a backslash stands before something else.

    Examples
    --------
    >>> unescape('the \\"best\\"')
    'the "best"'
    """

    def character(found: re.Match[str]) -> str:
        sign, code = found.groups()
        number = int(code, 16) if code else 0
        if (sign is None and code is None) or number > 0x10FFFF:
            token = _token(found.string)
            raise RecordError(f'expected \\", \\\\ or \\u{{HEX}} (before ply 1, token {token})')
        return sign or chr(number)

    return _ESCAPE.sub(character, text)


def _is_said(line: str) -> bool:
    """Say whether a line holds more than space and a comment to its end."""
    return bool(line.strip()) and not line.lstrip().startswith(";")


def _parse_tags(line: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(line):
        found = _TAG.match(line, at)
        if found is None:
            raise RecordError(f'expected [Name "value"] (before ply 1, token {_token(line[at:])})')
        yield found[1], unescape(found[2])
        at = found.end()


def _parse_moves(text: str, match: MatchText) -> None:
    for found in _TOKEN.finditer(text):
        if found["skipped"] is not None:
            continue
        if found["comment"] is not None:
            _take_comment(found["comment"], match)
            continue
        if found["bad"] is not None or match.result:
            expected = f"nothing after {match.result}" if match.result else "a move or a closed comment"
            token = _token(text[found.start() :])
            raise RecordError(f"expected {expected} (ply {len(match.moves) + 1}, token {token})")
        _take_word(found["word"], match)
    if not match.result:
        raise RecordError(f"expected a result after the moves (ply {len(match.moves) + 1}, token '')")


def _take_word(word: str, match: MatchText) -> None:
    if word in RESULTS:
        match.result = word
        return
    number = _NUMBER.match(word)
    move = word[number.end() :] if number else word
    if move:
        match.moves.append(move)
        match.seconds.append(None)


def _take_comment(comment: str, match: MatchText) -> None:
    """Take a number as the seconds of the move before it; leave any other comment."""
    if match.moves and match.seconds[-1] is None and _SECONDS.fullmatch(comment):
        seconds = float(comment)
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
        elif len(line) + 1 + len(word) <= COLUMNS:
            line = f"{line} {word}"
        else:
            yield line
            line = word
    yield line


def _token(text: str) -> str:
    """Quote the first word of `text`, cut where it is long."""
    word = text.split(maxsplit=1)[0] if text.strip() else ""
    return repr(word if len(word) <= SHOWN_TOKEN else word[:SHOWN_TOKEN] + "...")
