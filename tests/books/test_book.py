"""Opening books: the file, looking up moves of symmetric positions, and finding books by name."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import boardgames
from boardgames.books import Book, BookMove, BookPage, book_choice, find_books
from boardgames.books.book import canonical
from boardgames.errors import BookError, FileError, PluginError, UnknownNameError
from boardgames.game import Game, Position
from boardgames.score import RETURN, Score

FOUR = boardgames.load("connect4")
SMALL = boardgames.load("connect4", columns=4, rows=4)
START = str(FOUR.start())


def entry(move: str, weight: int = 10) -> BookMove:
    return BookMove(move, Score.of(0.25, RETURN), Score.of(0.5, RETURN), weight)


def book_of(*pages: BookPage, game: Game = FOUR) -> Book:
    return Book(game.facts.name, game.options, RETURN, {"command": "by hand"}, pages)


def page(position: Position, *moves: BookMove) -> BookPage:
    return BookPage(canonical(position)[0], 1, 8, 900, moves)


# --- the file ---


def test_a_book_survives_the_round_trip(tmp_path: Path) -> None:
    written = book_of(
        page(FOUR.start(), entry("4"), entry("3", 0)), page(FOUR.start().apply("1"), entry("4"))
    )
    written.write(tmp_path / "a.book")
    read = Book.read(tmp_path / "a.book")
    assert read.pages == written.pages
    assert (read.game, read.options, read.unit) == (written.game, written.options, written.unit)
    assert read.provenance == {"command": "by hand"}
    assert read.fingerprint == written.fingerprint


def test_wins_and_losses_are_written_with_their_plies() -> None:
    moves = (BookMove("4", Score.win(5), Score.loss(4), 10), entry("3"))
    written = book_of(page(FOUR.start(), *moves))
    assert Book.parse(written.text()).pages == written.pages
    assert written.pages[START].score == Score.win(5)


@pytest.mark.parametrize("name", ["u\u2028.book", "u\x85.book", "caf\udce9.book"])
def test_provenance_may_be_any_text(tmp_path: Path, name: str) -> None:
    made = {"agent": f"alphabeta:book={name}"}
    written = Book("connect4", FOUR.options, RETURN, made, [page(FOUR.start(), entry("4"))])
    written.write(tmp_path / "a.book")
    assert Book.read(tmp_path / "a.book").provenance == made


def test_equal_books_give_equal_files_whatever_the_order_of_their_pages() -> None:
    first, second = page(FOUR.start(), entry("4")), page(FOUR.start().apply("1"), entry("4"))
    assert book_of(first, second).text() == book_of(second, first).text()


HEADER = book_of().text()
PAGE = {"position": "x", "ply": 0, "depth": 1, "nodes": 1, "moves": [["4", 0, 0, 1]]}
BAD_MOVE = "line 2: a move needs a text, two scores and a weight, not "
BAD_PAGE = "line 2: a page needs position, ply, depth, nodes and moves"


def line(**changed: object) -> str:
    return HEADER + json.dumps({**PAGE, **changed})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: not a JSON object: ''"),
        ("rubbish", "line 1: not a JSON object: 'rubbish'"),
        ("{}", "line 1: not the header of an opening book: format is None"),
        (
            HEADER.replace('"version":2', '"version":1'),
            "line 1: version 1 of the format is not supported, only 2",
        ),
        (HEADER.replace('"connect4"', "4"), "line 1: 'game' is missing or invalid: 4"),
        (HEADER.replace('"return"', '""'), "line 1: invalid unit: a unit needs a name and a label, not ''"),
        (HEADER.replace('"digits"', '"decimals"'), "line 1: invalid unit: "),
        (HEADER + "[" * 100_000, "line 2: not a JSON object: "),
        (HEADER + "[1]", "line 2: not a JSON object: '[1]'"),
        (line(ply=-1), BAD_PAGE),
        (line(depth=True), BAD_PAGE),
        (line(moves=[]), BAD_PAGE),
        (line(moves=[["4", 0, 0]]), f"{BAD_MOVE}['4', 0, 0]"),
        (line(moves=[["4", 0, 0, -1]]), BAD_MOVE),
        (line(moves=[["4", 0, 0, 10**9]]), BAD_MOVE),
        (line(moves=[["4", float("nan"), 0, 1]]), BAD_MOVE),
        (line(moves=[["4", {"win_in": 0}, 0, 1]]), BAD_MOVE),
        (line(moves=[["4", {"win_in": "5"}, 0, 1]]), BAD_MOVE),
        (f"{line()}\n{json.dumps(PAGE)}", "line 3: a second page for 'x'"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) and value.startswith("line") else "",
)
def test_a_malformed_file_is_rejected_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.book"
    path.write_text(text)
    with pytest.raises(BookError) as raised:
        Book.read(path)
    assert str(raised.value).startswith(f"{path}, {message}")
    assert "\n" not in str(raised.value)


def test_a_file_that_is_too_large_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardgames.books.book.MAX_CHARACTERS", 100)
    book_of().write(tmp_path / "large.book")
    with pytest.raises(BookError, match="is too large: a book has at most 100 characters"):
        Book.read(tmp_path / "large.book")


# --- looking up moves ---


@pytest.mark.parametrize("layout", ["belgian-daisy", "standard", "snakes"])
def test_symmetric_positions_share_a_page(layout: str) -> None:
    game = boardgames.load("abalone", layout=layout)
    position = game.start().apply(game.start().legal_moves[5])
    text, _ = canonical(position)
    filed = game.parse(text)
    move = filed.legal_moves[7]
    book = book_of(page(position, entry(str(move))), game=game)
    after = canonical(filed.apply(move))[0]
    for symmetry in (symmetry for symmetry in game.symmetries() if not symmetry.swaps_sides):
        image = game.unpack(symmetry.words(position.words))
        ((answer, _),) = book.lookup(image)
        assert canonical(image.apply(answer))[0] == after


def test_a_position_with_the_sides_swapped_has_a_page_of_its_own() -> None:
    game = boardgames.load("abalone", layout="standard")
    position = game.start().apply(game.start().legal_moves[5])
    book = book_of(page(position, entry("4")), game=game)
    (swap,) = (symmetry for symmetry in game.symmetries() if symmetry.swaps_sides)
    assert canonical(game.unpack(swap.words(position.words)))[0] not in book.pages


def test_moves_are_drawn_by_their_weights() -> None:
    book = book_of(page(FOUR.start(), entry("4", 3), entry("3", 1), entry("1", 0)))
    random = np.random.default_rng(1)
    choices = [book_choice([book], FOUR.start(), random) for _ in range(400)]
    moves = [str(choice.move) for choice in choices if choice is not None]
    assert 270 <= moves.count("4") <= 330
    assert moves.count("3") == 400 - moves.count("4")


def test_a_choice_has_the_score_and_depth_of_its_page() -> None:
    choice = book_choice([book_of(page(FOUR.start(), entry("4")))], FOUR.start(), np.random.default_rng(1))
    assert choice is not None
    assert (str(choice.move), choice.score, choice.depth) == ("4", Score.of(0.25, RETURN), 8)
    assert choice.line == (choice.move,)


def test_a_single_move_does_not_advance_the_generator() -> None:
    random = np.random.default_rng(1)
    assert book_choice([book_of(page(FOUR.start(), entry("4")))], FOUR.start(), random) is not None
    assert random.integers(1 << 40) == np.random.default_rng(1).integers(1 << 40)


def test_the_next_book_is_consulted_if_the_first_has_nothing_to_play() -> None:
    empty, useful = book_of(page(FOUR.start(), entry("1", 0))), book_of(page(FOUR.start(), entry("4")))
    choice = book_choice([empty, useful], FOUR.start(), np.random.default_rng(1))
    assert choice is not None
    assert str(choice.move) == "4"
    assert book_choice([empty], FOUR.start(), np.random.default_rng(1)) is None
    assert book_choice([], FOUR.start(), np.random.default_rng(1)) is None


def test_illegal_moves_are_ignored() -> None:
    full = FOUR.parse(canonical(FOUR.parse("1" * 6))[0])
    column = next(name for name in "17" if not full.is_legal(name))
    assert book_of(page(full, entry(column), entry("9"))).lookup(full) == ()


def test_a_book_fits_only_the_options_it_was_made_for() -> None:
    assert book_of(game=SMALL).fits(SMALL)
    assert not book_of(game=SMALL).fits(FOUR)
    assert not book_of(game=FOUR).fits(boardgames.load("hexifence"))


# --- books by name ---


def write(path: Path, move: str = "4", game: Game = FOUR) -> Path:
    book_of(BookPage(str(game.start()), 0, 8, 900, (entry(move),)), game=game).write(path)
    return path


def first_moves(books: tuple[Book, ...]) -> list[str]:
    return [book.pages[START].moves[0].move for book in books]


def test_the_option_true_selects_all_books_that_fit_and_false_selects_none(
    offer: Callable[..., None], tmp_path: Path
) -> None:
    offer(
        "bg_books",
        second=write(tmp_path / "s", "3"),
        first=write(tmp_path / "f", "4"),
        small=write(tmp_path / "small", "1", SMALL),
    )
    assert first_moves(find_books("true", FOUR)) == ["4", "3"]
    assert find_books("false", FOUR) == ()
    assert [book.options for book in find_books("true", SMALL)] == [dict(SMALL.options)]
    others = find_books("true", boardgames.load("abalone"))
    assert all(START not in book.pages for book in others)


def test_a_name_or_a_file_names_one_book(offer: Callable[..., None], tmp_path: Path) -> None:
    offer("bg_books", deep=write(tmp_path / "d", "5"))
    assert first_moves(find_books("deep", FOUR)) == ["5"]
    assert first_moves(find_books(str(write(tmp_path / "mine.book", "6")), FOUR)) == ["6"]


def test_a_modified_file_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.book", "6")
    assert first_moves(find_books(str(path), FOUR)) == ["6"]
    write(path, "2")
    os.utime(path, ns=(1, 1))
    assert first_moves(find_books(str(path), FOUR)) == ["2"]


def test_a_broken_book_of_a_plug_in_is_skipped_with_a_warning(
    offer: Callable[..., None], tmp_path: Path
) -> None:
    offer("bg_books", gone=tmp_path / "gone", whole=write(tmp_path / "w"))
    with pytest.warns(RuntimeWarning, match="skipped the opening book 'gone': cannot read"):
        assert first_moves(find_books("true", FOUR)) == ["4"]
    with pytest.raises(FileError, match="cannot read "):
        find_books("gone", FOUR)


def test_a_plug_in_must_offer_a_path(offer: Callable[..., None]) -> None:
    offer("bg_books", odd="text")
    with pytest.raises(PluginError, match=r"book 'odd' is not a pathlib\.Path: 'text'"):
        find_books("odd", FOUR)


def test_a_book_for_other_options_is_rejected_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.book")
    with pytest.raises(BookError, match=r"is a book for connect4 .*columns=7.*not for connect4 4x6"):
        find_books(str(path), boardgames.load("connect4", columns=4))


@pytest.mark.parametrize("text", ["deeep", "", "a\0b", "~nobody-of-this-name/x.book"])
def test_an_unknown_name_is_rejected(offer: Callable[..., None], tmp_path: Path, text: str) -> None:
    offer("bg_books", deep=write(tmp_path / "d"))
    with pytest.raises(UnknownNameError, match="no such opening book for connect4: "):
        find_books(text, FOUR)


def test_a_name_with_an_extension_is_taken_for_a_file() -> None:
    with pytest.raises(FileError, match=r"cannot read 'missing\.book'"):
        find_books("missing.book", FOUR)
