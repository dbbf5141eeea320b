"""Opening books: their file format, finding them by name, and looking up moves.

A book has one page for all positions that symmetries of the game map onto each other;
symmetries that swap the sides are not used. The page is stored under the
lexicographically smallest text of these positions, and its moves are moves of that
position. docs/books.md describes the file.
"""

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from boardgames import plugins
from boardgames.declarations import LIMIT, Symmetry
from boardgames.errors import (
    BoardgamesError,
    BookError,
    FileError,
    PluginError,
    ScoreError,
    UnknownNameError,
    quote,
    suggest,
)
from boardgames.game import Game, Move, Position
from boardgames.options import is_finite
from boardgames.paths import find_path, read_text, write_atomic
from boardgames.player import Choice, fingerprint_of
from boardgames.score import Score, Unit

FORMAT = "boardgames opening book"
VERSION = 2
MAX_CHARACTERS = 1 << 26
"""Size limit of a book, about 200,000 pages."""
MAX_WEIGHT = 1_000_000
ALL, NONE = "true", "false"
"""Texts that select all books of a game, or none, instead of naming one."""
CACHED_BOOKS = 8


@dataclass(frozen=True, slots=True)
class BookMove:
    """A move on a page.

    Attributes
    ----------
    move : str
        The move in canonical notation.
    score : Score
        Score for the side to move, backed up from the pages of later positions.
    searched : Score
        Score found by the search of this position itself.
    weight : int
        Relative frequency with which the move is played; 0 means never.
    """

    move: str
    score: Score
    searched: Score
    weight: int


@dataclass(frozen=True, slots=True)
class BookPage:
    """The moves of a position, best first.

    Attributes
    ----------
    position : str
        Text of the position: the smallest text of all symmetric positions.
    ply : int
        Plies from the start of a layout.
    depth, nodes : int
        Depth of the search, and number of nodes that it visited.
    """

    position: str
    ply: int
    depth: int
    nodes: int
    moves: tuple[BookMove, ...]

    @property
    def score(self) -> Score:
        """Return the score of the position for the side to move."""
        return max(move.score for move in self.moves)


class Book:
    """The opening book of a game with given options.

    Parameters
    ----------
    game, options : str, mapping
        Name and options of the game; see `options_of_book`.
    unit : Unit
        Unit of the scores.
    provenance : mapping
        How the book was made, as JSON values; it has no times, so that equal work
        gives equal files.
    pages : iterable of BookPage
        At most one for each position.

    Examples
    --------
    >>> import boardgames
    >>> from boardgames.score import RETURN
    >>> even = Score.of(0, RETURN)
    >>> move = BookMove("4", even, even, 1)
    >>> page = BookPage("......./......./......./......./......./......r", 1, 8, 900, (move,))
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
        pages: Iterable[BookPage],
    ) -> None:
        self.game, self.options, self.unit, self.provenance = game, dict(options), unit, dict(provenance)
        self.pages = {page.position: page for page in pages}

    @classmethod
    def read(cls, path: Path) -> "Book":
        """Return the book in a file.

        Raises
        ------
        FileError, BookError
            If the file cannot be read or is not a book; the message names the
            line.
        """
        text = read_text(path)
        if len(text) > MAX_CHARACTERS:
            raise BookError(f"{path} is too large: a book has at most {MAX_CHARACTERS:,} characters")
        try:
            return cls.parse(text)
        except BookError as error:
            raise BookError(f"{path}, {error}") from None

    @classmethod
    def parse(cls, text: str) -> "Book":
        """Return the book in the text of a file; raises BookError."""
        lines = text.removesuffix("\n").split("\n")
        header = _header(_object(lines[0], 1))
        unit, pages = _unit(header["unit"]), dict[str, BookPage]()
        for number, line in enumerate(lines[1:], start=2):
            page = _page(_object(line, number), unit, number)
            if page.position in pages:
                raise BookError(f"line {number}: a second page for {quote(page.position)}")
            pages[page.position] = page
        return cls(header["game"], header["options"], unit, header["made"], pages.values())

    def write(self, path: Path) -> None:
        """Write the book to a file atomically; raises FileError."""
        write_atomic(path, self.text())

    def text(self) -> str:
        """Return the text of the file: a header, then the pages, sorted by ply and position."""
        header = {
            "format": FORMAT,
            "version": VERSION,
            "game": self.game,
            "options": self.options,
            "unit": asdict(self.unit),
            "made": self.provenance,
        }
        pages = sorted(self.pages.values(), key=lambda page: (page.ply, page.position))
        return "".join(f"{line}\n" for line in (_line(header), *(_line(_page_json(page)) for page in pages)))

    def fits(self, game: Game) -> bool:
        """Return True if the book is for this game with its current options."""
        return self.game == game.facts.name and self.options == options_of_book(game)

    def lookup(self, position: Position) -> tuple[tuple[Move, BookMove], ...]:
        """Return the legal moves that the book has for a position, each with its entry."""
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
        known = [(actions[entry.move], entry) for entry in page.moves if entry.move in actions]
        return tuple((game.decode(position, action), entry) for action, entry in known)

    @cached_property
    def fingerprint(self) -> str:
        """Return a short hash of the book."""
        return fingerprint_of(self.text().encode())

    def describe(self) -> str:
        """Return the game and options that the book is for."""
        options = (f"{name}={value}".lower() for name, value in self.options.items())
        return " ".join([self.game, *options])


def options_of_book(game: Game) -> dict[str, object]:
    """Return the options of a game that its books depend on.

    `LIMIT` is not among them, since openings are far from any limit.

    Examples
    --------
    >>> import boardgames
    >>> options_of_book(boardgames.load("abalone", limit="score"))
    {'broadside': True}
    """
    return {option.name: game.options[option.name] for option in game.declared_options if option != LIMIT}


def book_choice(books: Sequence[Book], position: Position, random: np.random.Generator) -> Choice | None:
    """Return a move from the first book that has one for the position, drawn by weight, or None.

    Parameters
    ----------
    books : sequence of Book
        Books for the game of the position.
    random : Generator
        Advanced only if there are several moves to draw from.
    """
    for book in books:
        playable = [(move, entry) for move, entry in book.lookup(position) if entry.weight > 0]
        if not playable:
            continue
        place = 0
        if len(playable) > 1:
            bounds = np.cumsum([entry.weight for _, entry in playable])
            place = int(np.searchsorted(bounds, random.integers(bounds[-1]), side="right"))
        move, entry = playable[place]
        page = book.pages[canonical(position)[0]]
        return Choice(move, entry.score, (move,), page.depth, from_book=True)
    return None


def canonical(position: Position) -> tuple[str, Symmetry | None]:
    """Return the text under which a position is stored, and the symmetry that leads to it, if any."""
    smallest, by = str(position), None
    for symmetry in position.game.symmetries():
        if symmetry.swaps_sides:
            continue
        text = position.game.format_words(symmetry.words(position.words))
        if text < smallest:
            smallest, by = text, symmetry
    return smallest, by


# --- books by name ---


def find_books(text: str, game: Game) -> tuple[Book, ...]:
    """Return the books that a text names, in the order in which they are looked up.

    Parameters
    ----------
    text : str
        `true` for all books that plug-ins offer for the game with its current options,
        sorted by name; `false` for no books; the name of a book; or a file.
    game : Game
        The game to play.

    Raises
    ------
    UnknownNameError
        If there is no book with this name; the message suggests others.
    BookError, FileError, PluginError
        If a named book cannot be read or is for another game. With `true`, broken
        books are skipped with a warning.

    Examples
    --------
    >>> import boardgames
    >>> find_books("false", boardgames.load("connect4"))
    ()
    """
    if text == NONE:
        return ()
    names = [offer.entry.name for offer in plugins.registry().offers("books", game.facts.name)]
    if text == ALL:
        books = (_offered_book(name, game) for name in names)
        return tuple(book for book in books if book is not None and book.fits(game))
    path = _offered_path(text, game) if text in names else find_path(text)
    if path is None:
        similar = suggest(text, [ALL, NONE, *names])
        raise UnknownNameError(f"no such opening book for {game}: {quote(text)}{similar}")
    book = read_book(path)
    if not book.fits(game):
        raise BookError(f"{path} is a book for {book.describe()}, not for {game.describe()}")
    return (book,)


def read_book(path: Path) -> Book:
    """Return the book in a file, cached until the file changes; raises like `Book.read`."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        raise FileError(f"cannot read {quote(str(path))}") from None
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=CACHED_BOOKS)
def _read(path: Path, modified: int, size: int) -> Book:
    return Book.read(path)


def _offered_book(name: str, game: Game) -> Book | None:
    """Return a book that a plug-in offers, or None with a warning if it is broken."""
    try:
        return read_book(_offered_path(name, game))
    except BoardgamesError as error:
        warnings.warn(f"skipped the opening book {name!r}: {error}", RuntimeWarning, stacklevel=2)
        return None


def _offered_path(name: str, game: Game) -> Path:
    path = plugins.registry().load("books", name, game.facts.name)
    if not isinstance(path, Path):
        raise PluginError(f"the book {name!r} must be offered as a Path, not {quote(path)}")
    return path


# --- the file ---


def _line(fields: Mapping[str, object]) -> str:
    return json.dumps(fields, allow_nan=False, separators=(",", ":"))


def _page_json(page: BookPage) -> dict[str, object]:
    moves = [
        [entry.move, _score_json(entry.score), _score_json(entry.searched), entry.weight]
        for entry in page.moves
    ]
    return {
        "position": page.position,
        "ply": page.ply,
        "depth": page.depth,
        "nodes": page.nodes,
        "moves": moves,
    }


def _score_json(score: Score) -> float | dict[str, int | None]:
    """Return a score as a JSON value: its amount, or the signed number of plies to the end of the match."""
    return score.amount if score.amount is not None else {"win_in": score.win_in}


def _object(line: str, number: int) -> dict[str, Any]:  # JSON values
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise BookError(f"line {number}: not a JSON object: {quote(line)}")
    return fields


def _header(fields: dict[str, Any]) -> dict[str, Any]:  # JSON values
    if fields.get("format") != FORMAT:
        raise BookError(f"line 1: not the header of an opening book: format is {quote(fields.get('format'))}")
    if fields.get("version") != VERSION:
        version = quote(fields.get("version"))
        raise BookError(f"line 1: version {version} of the format is not supported, only {VERSION}")
    kinds = {"game": str, "options": dict, "unit": dict, "made": dict}
    for name, kind in kinds.items():
        if not isinstance(fields.get(name), kind):
            raise BookError(f"line 1: {name!r} is missing or invalid: {quote(fields.get(name))}")
    return fields


def _unit(fields: dict[str, Any]) -> Unit:  # JSON values
    for name in fields:
        if name not in Unit.__dataclass_fields__:
            raise BookError(f"line 1: invalid unit: it has no field {quote(name)}")
    try:
        return Unit(**fields)
    except (ScoreError, TypeError) as error:
        raise BookError(f"line 1: invalid unit: {error}") from None


def _page(fields: dict[str, Any], unit: Unit, number: int) -> BookPage:  # JSON values
    position, moves = fields.get("position"), fields.get("moves")
    ply, depth, nodes = (fields.get(name) for name in ("ply", "depth", "nodes"))
    if not (
        isinstance(position, str)
        and isinstance(moves, list)
        and moves
        and all(map(_is_count, (ply, depth, nodes)))
    ):
        raise BookError(f"line {number}: a page needs position, ply, depth, nodes and moves")
    entries = tuple(_move(move, unit, number) for move in moves)
    return BookPage(position, ply, depth, nodes, entries)  # type: ignore[arg-type]  # checked above


def _move(entry: object, unit: Unit, number: int) -> BookMove:
    if isinstance(entry, list) and len(entry) == 4:
        move, weight = entry[0], entry[3]
        score, searched = _score(entry[1], unit), _score(entry[2], unit)
        is_scored = score is not None and searched is not None
        if is_scored and isinstance(move, str) and _is_count(weight) and weight <= MAX_WEIGHT:
            return BookMove(move, score, searched, weight)  # type: ignore[arg-type]  # see `is_scored`
    raise BookError(f"line {number}: a move needs a text, two scores and a weight, not {quote(entry)}")


def _score(value: object, unit: Unit) -> Score | None:
    """Return the score that a JSON value represents, or None if it is not a score."""
    if type(value) in (int, float) and is_finite(value):
        return Score.of(float(value), unit)
    plies = value.get("win_in") if isinstance(value, dict) and len(value) == 1 else None
    if type(plies) is not int or plies == 0:
        return None
    return Score.win(plies) if plies > 0 else Score.loss(-plies)


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 63
