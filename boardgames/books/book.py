"""Book: pages of moves with their values, one for each position, whichever way it is turned.

A page is known by the least of the texts of the positions that the symmetries
of the game map onto each other, those that swap the sides left out; its moves
are moves of that position. docs/books.md describes the file.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from boardgames.declarations import Symmetry
from boardgames.errors import BookError, ScoreError, shown
from boardgames.game import Game, Move, Position
from boardgames.options import is_finite
from boardgames.paths import read_text, write_atomic
from boardgames.player import Choice, fingerprint_of
from boardgames.score import Score, Unit

FORMAT = "boardgames opening book"
VERSION = 2
LARGEST_BOOK = 1 << 26
"""Characters; about 200,000 pages."""
MOST_WEIGHT = 1_000_000


@dataclass(frozen=True, slots=True)
class BookMove:
    """A move of a page.

    Attributes
    ----------
    move : str
        In canonical notation.
    score : Score
        For the side to move, the pages of later positions considered.
    searched : Score
        The same as the search of this page alone found it.
    weight : int
        How often it is played, beside the others; 0 is never.
    """

    move: str
    score: Score
    searched: Score
    weight: int


@dataclass(frozen=True, slots=True)
class Page:
    """What a book says of a position: the moves of `position`, best first.

    Attributes
    ----------
    position : str
        The least text of those that symmetries map onto each other.
    ply : int
        Plies from the start of a layout.
    depth, nodes : int
        Plies searched to the end; positions visited.
    """

    position: str
    ply: int
    depth: int
    nodes: int
    moves: tuple[BookMove, ...]

    @property
    def score(self) -> Score:
        """The score of the position for the side to move."""
        return max(move.score for move in self.moves)


class Book:
    """The pages of one game with its options set.

    Parameters
    ----------
    game, options : str, mapping
        Name and options of the game.
    unit : Unit
        What the amounts of scores count.
    provenance : mapping
        What made the book, as JSON values; no times, so that equal work gives
        equal files.
    pages : iterable of Page
        At most one a position.

    Examples
    --------
    >>> import boardgames
    >>> from boardgames.score import RETURN
    >>> even = Score.of(0, RETURN)
    >>> move = BookMove("4", even, even, 1)
    >>> page = Page("......./......./......./......./......./......r", 1, 8, 900, (move,))
    >>> book = Book("connect4", {"rows": 6, "columns": 7}, RETURN, {}, [page])
    >>> mirrored = boardgames.load("connect4").start().apply("1")
    >>> [str(move) for move, _ in book.lookup(mirrored)]
    ['4']
    """

    def __init__(
        self,
        game: str,
        options: Mapping[str, object],
        unit: Unit,
        provenance: Mapping[str, Any],  # JSON values
        pages: Iterable[Page],
    ) -> None:
        self.game, self.options, self.unit, self.provenance = game, dict(options), unit, dict(provenance)
        self.pages = {page.position: page for page in pages}

    @classmethod
    def read(cls, path: Path) -> "Book":
        """Return the book of a file.

        Raises
        ------
        FileError, BookError
            If it cannot be read, or is none; the message names the line.
        """
        text = read_text(path)
        if len(text) > LARGEST_BOOK:
            raise BookError(f"expected a book of at most {LARGEST_BOOK:,} characters: {path}")
        try:
            return cls.parse(text)
        except BookError as error:
            raise BookError(f"{error} of {path}") from None

    @classmethod
    def parse(cls, text: str) -> "Book":
        """Return the book of the text of a file; raise BookError."""
        lines = text.removesuffix("\n").split("\n")
        if not text:
            raise BookError("expected the header of a book: nothing came on line 1")
        header = _header(_fields(lines[0], 1))
        unit = _unit(header["unit"])
        pages = [_page(_fields(line, number), unit, number) for number, line in enumerate(lines[1:], start=2)]
        if len({page.position for page in pages}) < len(pages):
            raise BookError("expected one line a position: one comes twice after line 1")
        return cls(header["game"], header["options"], unit, header["made"], pages)

    def write(self, path: Path) -> None:
        """Write the book to a file, whole or not at all; raise FileError."""
        write_atomic(path, self.text())

    def text(self) -> str:
        """Return the text of a file: the header, then the pages by ply and position."""
        header = {
            "format": FORMAT,
            "version": VERSION,
            "game": self.game,
            "options": self.options,
            "unit": asdict(self.unit),
            "made": self.provenance,
        }
        pages = sorted(self.pages.values(), key=lambda page: (page.ply, page.position))
        return "".join(f"{line}\n" for line in (_line(header), *(_line(_fields_of(page)) for page in pages)))

    def fits(self, game: Game) -> bool:
        """Say whether the book is for this game with its options as they are."""
        return self.game == game.facts.name and self.options == dict(game.options)

    def lookup(self, position: Position) -> tuple[tuple[Move, BookMove], ...]:
        """Return the legal moves that the book has here, each with what it says; none if it says nothing."""
        text, symmetry = canonical(position)
        page = self.pages.get(text)
        if page is None:
            return ()
        game, words = position.game, position.words
        image = words if symmetry is None else symmetry.words(words)
        actions = {}
        for action in position.actions:
            mapped = action if symmetry is None else symmetry.action(words, action)
            actions[game.format_action(image, mapped)] = action
        known = [(actions[told.move], told) for told in page.moves if told.move in actions]
        return tuple((game.decode(position, action), told) for action, told in known)

    @cached_property
    def fingerprint(self) -> str:
        """Return a short hash of the book."""
        return fingerprint_of(self.text().encode())


def book_choice(books: Sequence[Book], position: Position, random: np.random.Generator) -> Choice | None:
    """Return a move of the first book that has one here, drawn by weight; None if none has.

    Parameters
    ----------
    books : sequence of Book
        That fit the game of the position.
    random : Generator
        Draws among several moves; it is left alone where there is one.
    """
    for book in books:
        known = [(move, told) for move, told in book.lookup(position) if told.weight > 0]
        if not known:
            continue
        place = 0
        if len(known) > 1:
            bounds = np.cumsum([told.weight for _, told in known])
            place = int(np.searchsorted(bounds, random.integers(bounds[-1]), side="right"))
        move, told = known[place]
        page = book.pages[canonical(position)[0]]
        return Choice(move, told.score, (move,), page.depth)
    return None


def canonical(position: Position) -> tuple[str, Symmetry | None]:
    """Return the text by which a book knows a position, and what maps the position onto it."""
    least, by = str(position), None
    for symmetry in position.game.symmetries():
        if symmetry.swaps_sides:
            continue
        text = position.game.format_words(symmetry.words(position.words))
        if text < least:
            least, by = text, symmetry
    return least, by


def _line(fields: Mapping[str, object]) -> str:
    return json.dumps(fields, allow_nan=False, separators=(",", ":"))


def _fields_of(page: Page) -> dict[str, object]:
    moves = [[told.move, _plain(told.score), _plain(told.searched), told.weight] for told in page.moves]
    return {
        "position": page.position,
        "ply": page.ply,
        "depth": page.depth,
        "nodes": page.nodes,
        "moves": moves,
    }


def _fields(line: str, number: int) -> dict[str, Any]:  # JSON values
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        raise BookError(f"expected a JSON object: {shown(line)} on line {number}") from None
    if not isinstance(fields, dict):
        raise BookError(f"expected a JSON object: {shown(line)} on line {number}")
    return fields


def _header(fields: dict[str, Any]) -> dict[str, Any]:  # JSON values
    if fields.get("format") != FORMAT:
        raise BookError(f"expected the format {FORMAT!r}: {shown(fields.get('format'))} on line 1")
    if fields.get("version") != VERSION:
        raise BookError(f"expected version {VERSION} of the format: {shown(fields.get('version'))} on line 1")
    kinds = {"game": str, "options": dict, "unit": dict, "made": dict}
    for name, kind in kinds.items():
        if not isinstance(fields.get(name), kind):
            raise BookError(f"expected {name!r} in the header: {shown(fields.get(name))} on line 1")
    return fields


def _unit(fields: dict[str, Any]) -> Unit:  # JSON values
    try:
        return Unit(**fields)
    except (ScoreError, TypeError) as error:
        raise BookError(f"the unit on line 1 is not valid: {error}") from None


def _plain(score: Score) -> float | dict[str, int | None]:
    """Return a score as JSON has it: an amount, or the signed plies to the end of the match."""
    return score.amount if score.amount is not None else {"win_in": score.win_in}


def _score(value: object, unit: Unit) -> Score | None:
    """Return the score that JSON has, None if it has none."""
    if type(value) in (int, float) and is_finite(value):
        return Score.of(float(value), unit)
    plies = value.get("win_in") if isinstance(value, dict) and len(value) == 1 else None
    if type(plies) is not int or plies == 0:
        return None
    return Score.win(plies) if plies > 0 else Score.loss(-plies)


def _page(fields: dict[str, Any], unit: Unit, number: int) -> Page:  # JSON values
    position, moves = fields.get("position"), fields.get("moves")
    ply, depth, nodes = (fields.get(name) for name in ("ply", "depth", "nodes"))
    if not (
        isinstance(position, str)
        and isinstance(moves, list)
        and moves
        and all(map(_is_count, (ply, depth, nodes)))
    ):
        raise BookError(f"expected position, ply, depth, nodes and moves on line {number}")
    told = tuple(_move(move, unit, number) for move in moves)
    return Page(position, ply, depth, nodes, told)  # type: ignore[arg-type]  # seen to


def _move(told: object, unit: Unit, number: int) -> BookMove:
    if isinstance(told, list) and len(told) == 4:
        move, weight = told[0], told[3]
        score, searched = _score(told[1], unit), _score(told[2], unit)
        is_scored = score is not None and searched is not None
        if is_scored and isinstance(move, str) and _is_count(weight) and weight <= MOST_WEIGHT:
            return BookMove(move, score, searched, weight)  # type: ignore[arg-type]  # see `is_scored`
    raise BookError(f"expected a move with two scores and a weight: {shown(told)} on line {number}")


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 63
