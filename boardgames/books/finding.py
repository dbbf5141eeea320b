"""Opening books by the text that a user gives: all that plug-ins offer, none, a name or a file."""

import warnings
from functools import lru_cache
from pathlib import Path

from boardgames import plugins
from boardgames.books.book import Book
from boardgames.errors import (
    BoardgamesError,
    BookError,
    FileError,
    PluginError,
    UnknownNameError,
    near,
    shown,
)
from boardgames.game import Game

ALL, NONE = "true", "false"
KEPT = 8
"""Books that stay in memory after reading."""


def find_books(text: str, game: Game) -> tuple[Book, ...]:
    """Return the books that a text names, in the order in which they are asked.

    Parameters
    ----------
    text : str
        `true` for those that plug-ins offer for the game with its options as
        they are, by name; `false` for none; the name of one; or a file.
    game : Game
        What is played.

    Raises
    ------
    UnknownNameError
        If nothing has this name; the message names near ones.
    BookError, FileError, PluginError
        If a book that was named cannot be read or is not for this game. Of those
        that are offered a broken one is left out, with a warning.

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
        found = (_whole(name, game) for name in names)
        return tuple(book for book in found if book is not None and book.fits(game))
    path = _offered(text, game) if text in names else _as_path(text)
    if path is None:
        known = near(text, [ALL, NONE, *names])
        raise UnknownNameError(f"expected true, false, a book of {game} or a file: {shown(text)}{known}")
    book = read_book(path)
    if not book.fits(game):
        raise BookError(f"expected a book for {game.describe()}: {path} is for {_described(book)}")
    return (book,)


def read_book(path: Path) -> Book:
    """Return the book of a file, from memory if the file has not changed; raises as `Book.read`."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        raise FileError(f"cannot read {shown(str(path))}") from None
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=KEPT)
def _read(path: Path, changed: int, size: int) -> Book:
    return Book.read(path)


def _whole(name: str, game: Game) -> Book | None:
    """Return a book that a plug-in offers; where it is broken say so, and play goes on without."""
    try:
        return read_book(_offered(name, game))
    except BoardgamesError as error:
        warnings.warn(f"the opening book {name!r} is left out: {error}", RuntimeWarning, stacklevel=2)
        return None


def _as_path(text: str) -> Path | None:
    """Return the file that a text names; a text that looks like a path names one in any case."""
    try:
        path = Path(text).expanduser()
        is_path = path.exists() or len(path.parts) > 1 or bool(path.suffix)
    except (OSError, ValueError, RuntimeError):  # too long, of no file system, of an unknown user
        return None
    return path if text and is_path else None


def _offered(name: str, game: Game) -> Path:
    path = plugins.registry().load("books", name, game.facts.name)
    if not isinstance(path, Path):
        raise PluginError(f"expected the path of a file as book {name!r}: {shown(path)}")
    return path


def _described(book: Book) -> str:
    options = (f"{name}={value}".lower() for name, value in book.options.items())
    return " ".join([book.game, *options])
