"""A book's file: read back as written, refused where it is none, looked up however a board is turned."""

import json
from pathlib import Path

import numpy as np
import pytest

import boardgames
from boardgames.books import Book, BookMove, Page, book_choice
from boardgames.books.book import canonical
from boardgames.errors import BookError
from boardgames.game import Game, Position
from boardgames.score import RETURN, Score

FOUR = boardgames.load("connect4")
EMPTY = "/".join(["......."] * 5)


def best(move: str, weight: int = 10) -> BookMove:
    return BookMove(move, Score.of(0.25, RETURN), Score.of(0.5, RETURN), weight)


def book_of(*pages: Page, game: Game = FOUR) -> Book:
    return Book(game.facts.name, game.options, RETURN, {"command": "by hand"}, pages)


def page(position: Position, *moves: BookMove) -> Page:
    return Page(canonical(position)[0], 1, 8, 900, moves)


def test_a_book_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = book_of(page(FOUR.start(), best("4"), best("3", 0)), page(FOUR.start().apply("1"), best("4")))
    written.write(tmp_path / "a.book")
    read = Book.read(tmp_path / "a.book")
    assert read.pages == written.pages
    assert (read.game, read.options, read.unit) == (written.game, written.options, written.unit)
    assert read.provenance == {"command": "by hand"}
    assert read.fingerprint == written.fingerprint


def test_wins_and_losses_are_kept_with_their_plies(tmp_path: Path) -> None:
    moves = (BookMove("4", Score.win(5), Score.loss(4), 10), best("3"))
    written = book_of(page(FOUR.start(), *moves))
    written.write(tmp_path / "a.book")
    assert Book.read(tmp_path / "a.book").pages == written.pages
    assert written.pages[canonical(FOUR.start())[0]].score == Score.win(5)


@pytest.mark.parametrize("name", ["u\u2028.book", "u\x85.book", "caf\udce9.book"])
def test_a_book_made_with_any_text_is_read_again(tmp_path: Path, name: str) -> None:
    made = {"agent": f"alphabeta:book={name}"}
    written = Book("connect4", FOUR.options, RETURN, made, [page(FOUR.start(), best("4"))])
    written.write(tmp_path / "a.book")
    assert Book.read(tmp_path / "a.book").provenance == made


def test_pages_stand_by_ply_so_that_equal_books_are_equal_files() -> None:
    first, second = page(FOUR.start(), best("4")), page(FOUR.start().apply("1"), best("4"))
    assert book_of(first, second).text() == book_of(second, first).text()


@pytest.mark.parametrize("layout", ["belgian-daisy", "standard", "snakes"])
def test_one_page_serves_a_position_however_it_is_turned(layout: str) -> None:
    game = boardgames.load("abalone", layout=layout)
    position = game.start().apply(game.start().legal_moves[5])
    text, _ = canonical(position)
    on_page = game.parse(text)
    wanted = on_page.legal_moves[7]
    book = book_of(page(position, best(str(wanted))), game=game)
    after = canonical(on_page.apply(wanted))[0]
    for turned in (symmetry for symmetry in game.symmetries() if not symmetry.swaps_sides):
        image = game.unpack(turned.words(position.words))
        ((move, _),) = book.lookup(image)
        assert canonical(image.apply(move))[0] == after


def test_a_position_with_the_sides_exchanged_is_another_one() -> None:
    game = boardgames.load("abalone", layout="standard")
    position = game.start().apply(game.start().legal_moves[5])
    book = book_of(page(position, best("4")), game=game)
    (swap,) = (symmetry for symmetry in game.symmetries() if symmetry.swaps_sides)
    assert canonical(game.unpack(swap.words(position.words)))[0] not in book.pages


def test_moves_are_drawn_by_their_weights() -> None:
    book = book_of(page(FOUR.start(), best("4", 3), best("3", 1), best("1", 0)))
    random = np.random.default_rng(1)
    drawn = [book_choice([book], FOUR.start(), random) for _ in range(400)]
    moves = [str(choice.move) for choice in drawn if choice is not None]
    assert 270 <= moves.count("4") <= 330
    assert moves.count("3") == 400 - moves.count("4")


def test_a_choice_says_what_the_book_says() -> None:
    choice = book_choice([book_of(page(FOUR.start(), best("4")))], FOUR.start(), np.random.default_rng(1))
    assert choice is not None
    assert (str(choice.move), choice.score, choice.depth) == ("4", Score.of(0.25, RETURN), 8)
    assert choice.line == (choice.move,)


def test_a_single_move_leaves_the_chance_alone() -> None:
    random = np.random.default_rng(1)
    assert book_choice([book_of(page(FOUR.start(), best("4")))], FOUR.start(), random) is not None
    assert random.integers(1 << 40) == np.random.default_rng(1).integers(1 << 40)


def test_the_next_book_is_asked_where_the_first_has_nothing_to_play() -> None:
    silent, telling = book_of(page(FOUR.start(), best("1", 0))), book_of(page(FOUR.start(), best("4")))
    choice = book_choice([silent, telling], FOUR.start(), np.random.default_rng(1))
    assert choice is not None
    assert str(choice.move) == "4"
    assert book_choice([silent], FOUR.start(), np.random.default_rng(1)) is None
    assert book_choice([], FOUR.start(), np.random.default_rng(1)) is None


def test_a_move_that_is_not_legal_is_not_played() -> None:
    full = FOUR.parse(canonical(FOUR.parse("1" * 6))[0])
    column = next(name for name in "17" if not full.is_legal(name))
    assert book_of(page(full, best(column), best("9"))).lookup(full) == ()


def test_a_book_of_a_variant_fits_that_variant_alone() -> None:
    small = boardgames.load("connect4", columns=4, rows=4)
    assert book_of(game=small).fits(small)
    assert not book_of(game=small).fits(FOUR)
    assert not book_of(game=FOUR).fits(boardgames.load("hexifence"))


HEADER = book_of().text()
PAGE = {"position": "x", "ply": 0, "depth": 1, "nodes": 1, "moves": [["4", 0, 0, 1]]}
DEEP = "[" * 100_000


def line(**changed: object) -> str:
    return HEADER + json.dumps({**PAGE, **changed})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "expected the header of a book: nothing came on line 1"),
        ("rubbish", "expected a JSON object: 'rubbish' on line 1"),
        ("{}", "expected the format 'boardgames opening book': None on line 1"),
        (HEADER.replace('"version":2', '"version":1'), "expected version 2 of the format: 1 on line 1"),
        (HEADER.replace('"connect4"', "4"), "expected 'game' in the header: 4 on line 1"),
        (HEADER.replace('"return"', '""'), "the unit on line 1 is not valid: a unit needs a name"),
        (HEADER.replace('"digits"', '"decimals"'), "the unit on line 1 is not valid: "),
        (HEADER + DEEP, "expected a JSON object: "),
        (HEADER + "[1]", "expected a JSON object: '[1]' on line 2"),
        (line(ply=-1), "expected position, ply, depth, nodes and moves on line 2"),
        (line(depth=True), "expected position, ply, depth, nodes and moves on line 2"),
        (line(moves=[]), "expected position, ply, depth, nodes and moves on line 2"),
        (line(moves=[["4", 0, 0]]), "expected a move with two scores and a weight: ['4', 0, 0] on line 2"),
        (line(moves=[["4", 0, 0, -1]]), "expected a move with two scores and a weight"),
        (line(moves=[["4", 0, 0, 10**9]]), "expected a move with two scores and a weight"),
        (line(moves=[["4", {"win_in": 0}, 0, 1]]), "expected a move with two scores and a weight"),
        (line(moves=[["4", {"win_in": "5"}, 0, 1]]), "expected a move with two scores and a weight"),
        (line(moves=[["4", float("nan"), 0, 1]]), "expected a move with two scores and a weight"),
        (f"{line()}\n{json.dumps(PAGE)}", "expected one line a position: one comes twice after line 1"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) and value.startswith("expected") else "",
)
def test_what_is_no_book_is_refused_with_its_line(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "bad.book").write_text(text)
    with pytest.raises(BookError) as caught:
        Book.read(tmp_path / "bad.book")
    assert told in str(caught.value)
    assert str(caught.value).endswith(f"of {tmp_path / 'bad.book'}")
    assert "\n" not in str(caught.value)


def test_a_file_larger_than_any_book_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardgames.books.book.LARGEST_BOOK", 100)
    book_of().write(tmp_path / "large.book")
    with pytest.raises(BookError, match="expected a book of at most 100 characters"):
        Book.read(tmp_path / "large.book")
