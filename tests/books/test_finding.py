"""Books by what a user writes: all, none, a name, a file; and what is said where there are none."""

import os
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest

import boardgames
from boardgames import plugins
from boardgames.books import Book, BookMove, Page, find_books
from boardgames.errors import BookError, FileError, PluginError, UnknownNameError
from boardgames.game import Game
from boardgames.hookspecs import PROJECT, Entry, hookimpl
from boardgames.plugins import Registry
from boardgames.score import RETURN, Score

GAME = boardgames.load("connect4")
START = str(GAME.start())
EVEN = Score.of(0.0, RETURN)


def write(path: Path, move: str = "4", game: Game = GAME) -> Path:
    told = Page(str(game.start()), 0, 8, 900, (BookMove(move, EVEN, EVEN, 10),))
    Book(game.facts.name, game.options, RETURN, {}, [told]).write(path)
    return path


def moves(books: tuple[Book, ...]) -> list[str]:
    return [book.pages[START].moves[0].move for book in books]


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function by which a plug-in offers books of Connect Four."""

    def add(**targets: object) -> None:
        module = ModuleType("books_under_test")
        entries = []
        for number, (name, target) in enumerate(targets.items()):
            setattr(module, f"B{number}", target)
            entries.append(Entry(name, "made for a test", f"{module.__name__}:B{number}", "connect4"))
        module.bg_books = hookimpl(lambda: entries)  # type: ignore[attr-defined]  # a module made by hand
        module.bg_books.__name__ = "bg_books"
        monkeypatch.setitem(sys.modules, module.__name__, module)
        games = [EntryPoint(name, f"boardgames_{name}.plugin", PROJECT) for name in ("abalone", "connect4")]
        registry = Registry([*games, EntryPoint("under-test", module.__name__, PROJECT)])
        assert registry.plugins[-1].error is None
        monkeypatch.setattr(plugins, "registry", lambda: registry)

    return add


def test_true_is_all_that_fit_by_name_and_false_is_none(offer: Callable[..., None], tmp_path: Path) -> None:
    small = boardgames.load("connect4", columns=4, rows=4)
    offer(
        second=write(tmp_path / "s", "3"),
        first=write(tmp_path / "f", "4"),
        small=write(tmp_path / "small", "1", small),
    )
    assert moves(find_books("true", GAME)) == ["4", "3"]
    assert find_books("false", GAME) == ()
    assert [book.options for book in find_books("true", small)] == [dict(small.options)]
    others = find_books("true", boardgames.load("abalone"))
    assert all(START not in book.pages for book in others)


def test_a_name_and_a_file_are_one_book(offer: Callable[..., None], tmp_path: Path) -> None:
    offer(deep=write(tmp_path / "d", "5"))
    assert moves(find_books("deep", GAME)) == ["5"]
    assert moves(find_books(str(write(tmp_path / "mine.book", "6")), GAME)) == ["6"]


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.book", "6")
    assert moves(find_books(str(path), GAME)) == ["6"]
    write(path, "2")
    os.utime(path, ns=(1, 1))
    assert moves(find_books(str(path), GAME)) == ["2"]


def test_a_broken_book_of_a_plug_in_is_left_out_with_a_warning(
    offer: Callable[..., None], tmp_path: Path
) -> None:
    offer(gone=tmp_path / "gone", whole=write(tmp_path / "w"))
    with pytest.warns(RuntimeWarning, match="the opening book 'gone' is left out: cannot read"):
        assert moves(find_books("true", GAME)) == ["4"]
    with pytest.raises(FileError, match="cannot read "):
        find_books("gone", GAME)


def test_a_target_that_is_no_path_is_blamed_on_the_plug_in(offer: Callable[..., None]) -> None:
    offer(odd="text")
    with pytest.raises(PluginError, match="expected the path of a file as book 'odd': 'text'"):
        find_books("odd", GAME)


def test_a_book_of_another_variant_is_refused_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.book")
    with pytest.raises(
        BookError, match=r"expected a book for connect4 .*columns=4.*is for connect4 .*columns=7"
    ):
        find_books(str(path), boardgames.load("connect4", columns=4))


@pytest.mark.parametrize("text", ["deeep", "", "a\0b", "~nobody-of-this-name/x.book"])
def test_what_names_nothing_is_told(offer: Callable[..., None], tmp_path: Path, text: str) -> None:
    offer(deep=write(tmp_path / "d"))
    with pytest.raises(UnknownNameError, match="expected true, false, a book of connect4 or a file"):
        find_books(text, GAME)


def test_a_path_that_is_missing_is_told_as_a_file() -> None:
    with pytest.raises(FileError, match=r"cannot read 'missing\.book'"):
        find_books("missing.book", GAME)
