"""Openings of a series: where its pairs of matches begin.

Two players without chance repeat one match for ever, so a series needs many
starts. An opening is played twice, each player having each side once.
"""

import random
from collections.abc import Mapping
from pathlib import Path

from boardgames.errors import BoardgamesError, FileError, LimitError, UnknownNameError, near, shown
from boardgames.game import Game, Position
from boardgames.paths import read_text
from boardgames.player import fingerprint_of

DEFAULT_OPENINGS = "random:4"
MOST_PLIES = 100
LARGEST_BOOK = 20_000
TRIES = 100
"""After so many random openings in a row that came already there are taken to be no others."""


class Openings:
    """The openings that a text names, read and checked; `take` gives as many as are wanted.

    Parameters
    ----------
    game : Game
        Its layout is where random openings and `every:` start from.
    text : str
        `random:4`, four random plies, each opening another one while there
        are some; `every:2`, all positions after two plies; `layouts`, the
        named starts; the name of one of the game's books; or a file with one
        position a line, `#` starting a comment.

    Attributes
    ----------
    fingerprint : str
        Hash of the positions of a book; empty for random openings.

    Raises
    ------
    UnknownNameError, LimitError, FileError, PositionError
        If the text is none of these, or a position is none or is over.

    Examples
    --------
    >>> import boardgames
    >>> Openings(boardgames.load("connect4"), "random:2").take(1, seed=1)
    ['......./......./......./......./......./.r..b..']
    """

    def __init__(self, game: Game, text: str) -> None:
        self.game, self.text = game, text
        kind, colon, plies = text.partition(":")
        self._plies = _plies(plies) if kind == "random" and colon else None
        self._book = [] if self._plies is not None else _book(game, text)
        self.fingerprint = fingerprint_of(*(line.encode() for line in self._book))
        self.take(1, seed=0)  # says now what would go wrong later

    def take(self, count: int, *, seed: int) -> list[str]:
        """Return so many position texts; a book is shuffled, and repeated if it is short.

        Equal seeds give equal openings, and the first of more are those of fewer.
        """
        chance = random.Random(f"openings {seed}")  # noqa: S311 - a game, no secret
        if self._plies is None:
            book = chance.sample(self._book, len(self._book))
        else:
            book = _random(self.game, self._plies, chance, count)
        return [book[index % len(book)] for index in range(count)]


def _random(game: Game, plies: int, chance: random.Random, count: int) -> list[str]:
    """Return so many different openings, or all that many tries find."""
    found: dict[str, None] = {}
    start, misses = game.start(), 0
    while len(found) < count and misses < TRIES:
        opening = str(_walk(start, plies, chance))
        misses = misses + 1 if opening in found else 0
        found[opening] = None
    return list(found)


def _walk(start: Position, plies: int, chance: random.Random) -> Position:
    """Return a position after so many random plies in which the match goes on."""
    for _ in range(TRIES):
        position = start
        for _ in range(plies):
            if position.outcome is not None:
                break
            action = chance.choice(position.actions)
            position = position.apply(position.game.decode(position, action))
        if position.outcome is None:
            return position
    raise LimitError(f"expected fewer random plies: {plies} end nearly every match of {start.game}")


def _book(game: Game, text: str) -> list[str]:
    """Return the different positions of a book, those that are over left out."""
    kind, colon, plies = text.partition(":")
    if kind == "every" and colon:
        return _every(game, _plies(plies))
    books: Mapping[str, tuple[str, ...]] = {
        "layouts": tuple(game.facts.layouts.values()),
        **game.facts.books,
    }
    if text in books:
        return _checked(game, {f"{text}, position {n}": line for n, line in enumerate(books[text], start=1)})
    path = Path(text)
    if not _is_file(path):
        known = near(text, [*books, "random:4", "every:2"])
        raise UnknownNameError(f"expected a book of {game.facts.name} or a file: {shown(text)}{known}")
    lines = [line.partition("#")[0].strip() for line in read_text(path).splitlines()]
    positions = {f"{text}, line {number}": line for number, line in enumerate(lines, start=1) if line}
    if not positions:
        raise FileError(f"expected at least one position: {text}")
    return _checked(game, positions)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _every(game: Game, plies: int) -> list[str]:
    layer = {game.start().words.tobytes(): game.start()}
    for _ in range(plies):
        successors: dict[bytes, Position] = {}
        for position in layer.values():
            for action in position.actions:
                successor = position.apply(game.decode(position, action))
                successors[successor.words.tobytes()] = successor
            if len(successors) > LARGEST_BOOK:
                raise LimitError(f"expected at most {LARGEST_BOOK} openings: every:{plies} has more")
        layer = successors
    book = [str(position) for position in layer.values() if position.outcome is None]
    if not book:
        raise LimitError(f"expected fewer plies: every match of {game} is over after {plies}")
    return book


def _checked(game: Game, positions: Mapping[str, str]) -> list[str]:
    book: dict[str, None] = {}
    for place, text in positions.items():
        try:
            position = game.parse(text)
        except BoardgamesError as error:
            raise type(error)(f"{error} ({place})") from None
        if position.outcome is not None:
            raise FileError(f"expected a position in which the match goes on: {shown(text)} ({place})")
        book[str(position)] = None
    return list(book)


def _plies(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 3 and int(text) <= MOST_PLIES):
        raise LimitError(f"expected a number of plies from 0 to {MOST_PLIES}: {shown(text)}")
    return int(text)
