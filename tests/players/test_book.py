"""The opening book of alpha-beta: when it is used, what is played, and the player's fingerprint."""

from pathlib import Path

import pytest

import boardgames
from boardgames.books import Book, BookMove, BookPage
from boardgames.errors import BookError, UnknownNameError
from boardgames.player import NO_LIMIT, Clock, Limit
from boardgames.score import RETURN, Score

GAME = boardgames.load("connect4")
SHORT = Limit(seconds=0.01)
EVEN = Score.of(0.0, RETURN)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Return the file of a book whose moves no search would choose."""
    path = tmp_path / "odd.book"
    moves = tuple(BookMove(move, EVEN, EVEN, 10) for move in ("1", "2"))
    Book("connect4", GAME.options, RETURN, {}, [BookPage(str(GAME.start()), 0, 8, 900, moves)]).write(path)
    return path


def first_move(agent: str, limit: Limit, *, seed: int = 1) -> str:
    return str(boardgames.load_player(agent, GAME, seed=seed).choose(GAME.start(), limit).move)


@pytest.mark.parametrize("limit", [SHORT, Limit(clock=Clock((9.0, 9.0))), NO_LIMIT], ids=str)
def test_the_book_is_used_if_only_time_is_limited(book: Path, limit: Limit) -> None:
    assert first_move(f"alphabeta:book={book}", limit) in ("1", "2")


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ("", Limit(depth=4)),
        ("", Limit(seconds=5.0, nodes=2000)),
        (",depth=4", SHORT),
        (",nodes=2000", NO_LIMIT),
    ],
)
def test_the_book_is_not_used_if_depth_or_nodes_are_limited(book: Path, options: str, limit: Limit) -> None:
    assert first_move(f"alphabeta:book={book}{options}", limit) == "4"


def test_a_position_outside_the_book_is_searched(book: Path) -> None:
    after = GAME.start().apply("4")
    choice = boardgames.load_player(f"alphabeta:book={book}", GAME).choose(after, SHORT)
    assert choice.nodes > 0


def test_an_analysis_always_searches(book: Path) -> None:
    analysis = boardgames.load_player(f"alphabeta:book={book}", GAME).analyse(GAME.start(), SHORT)
    assert str(analysis.moves[0].move) == "4"
    assert analysis.nodes > 0


def test_the_seed_decides_among_book_moves(book: Path) -> None:
    agent = f"alphabeta:book={book}"
    drawn = [first_move(agent, SHORT, seed=seed) for seed in range(20)]
    assert set(drawn) == {"1", "2"}
    assert drawn == [first_move(agent, SHORT, seed=seed) for seed in range(20)]


def test_the_book_is_part_of_the_fingerprint(book: Path) -> None:
    without = boardgames.load_player("alphabeta:book=false", GAME).fingerprint()
    first = boardgames.load_player(f"alphabeta:book={book}", GAME).fingerprint()
    book.write_text(book.read_text().replace('["1"', '["7"'))
    assert len({without, first, boardgames.load_player(f"alphabeta:book={book}", GAME).fingerprint()}) == 3


def test_a_missing_or_damaged_book_raises_when_the_player_is_made(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="'deep'"):
        boardgames.load_player("alphabeta:book=deep", GAME)
    (tmp_path / "bad.book").write_text("rubbish")
    with pytest.raises(BookError, match="line 1"):
        boardgames.load_player(f"alphabeta:book={tmp_path / 'bad.book'}", GAME)
