"""Alpha-beta by the book: when it plays by it, what it plays, and who it is then."""

from pathlib import Path

import pytest

import boardgames
from boardgames.books import Book, BookMove, Page
from boardgames.errors import BookError, UnknownNameError
from boardgames.player import NO_LIMIT, Clock, Limit

GAME = boardgames.load("connect4")
SOON = Limit(seconds=0.01)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Return the file of a book whose moves no search would make."""
    path = tmp_path / "odd.book"
    told = tuple(BookMove(move, 0.0, 0.0, 10) for move in ("1", "2"))
    Book("connect4", GAME.options, "return", {}, [Page(str(GAME.start()), 0, 8, 900, told)]).write(path)
    return path


def played(agent: str, limit: Limit, *, seed: int = 1) -> str:
    return str(boardgames.load_player(agent, GAME, seed=seed).choose(GAME.start(), limit).move)


@pytest.mark.parametrize("limit", [SOON, Limit(clock=Clock((9.0, 9.0))), NO_LIMIT], ids=str)
def test_where_time_alone_is_limited_it_plays_by_the_book(book: Path, limit: Limit) -> None:
    assert played(f"alphabeta:book={book}", limit) in ("1", "2")


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ("", Limit(depth=4)),
        ("", Limit(seconds=5.0, nodes=2000)),
        (",depth=4", SOON),
        (",nodes=2000", NO_LIMIT),
    ],
)
def test_where_depth_or_nodes_are_limited_it_searches(book: Path, options: str, limit: Limit) -> None:
    assert played(f"alphabeta:book={book}{options}", limit) == "4"


def test_beyond_the_book_it_searches(book: Path) -> None:
    after = GAME.start().apply("4")
    choice = boardgames.load_player(f"alphabeta:book={book}", GAME).choose(after, SOON)
    assert choice.nodes > 0


def test_an_analysis_always_searches(book: Path) -> None:
    found = boardgames.load_player(f"alphabeta:book={book}", GAME).analyse(GAME.start(), SOON)
    assert str(found.moves[0].move) == "4"
    assert found.nodes > 0


def test_the_seed_decides_among_the_moves_of_the_book(book: Path) -> None:
    agent = f"alphabeta:book={book}"
    drawn = [played(agent, SOON, seed=seed) for seed in range(20)]
    assert set(drawn) == {"1", "2"}
    assert drawn == [played(agent, SOON, seed=seed) for seed in range(20)]


def test_a_player_with_another_book_is_another_player(book: Path) -> None:
    without = boardgames.load_player("alphabeta:book=false", GAME).fingerprint()
    first = boardgames.load_player(f"alphabeta:book={book}", GAME).fingerprint()
    book.write_text(book.read_text().replace('["1"', '["7"'))
    assert len({without, first, boardgames.load_player(f"alphabeta:book={book}", GAME).fingerprint()}) == 3


def test_a_book_that_is_not_there_is_told_when_the_player_is_made(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="expected true, false, a book of connect4 or a file: 'deep'"):
        boardgames.load_player("alphabeta:book=deep", GAME)
    (tmp_path / "bad.book").write_text("rubbish")
    with pytest.raises(BookError, match="on line 1"):
        boardgames.load_player(f"alphabeta:book={tmp_path / 'bad.book'}", GAME)
