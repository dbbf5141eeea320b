"""Books of the solver: building and reading them, and looking up scores."""

import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import boardgames
from boardgames.errors import BookError, FileError, OptionError
from boardgames.game import Game, Position
from boardgames.kernels import JIT, Words
from boardgames_connect4.board import Board
from boardgames_connect4.commands import connect4_book
from boardgames_connect4.solver import Solver
from boardgames_connect4.solver.book import (
    BATCH,
    UNKNOWN,
    Book,
    build_book,
    enumerate_positions,
    read_scores,
    shipped_book,
)

BOARD = Board(5, 4)
GAME = boardgames.load("connect4", layout=BOARD.name)
PLIES = 5


def solver() -> Solver:
    return Solver(GAME, table=4, book=False)


def positions_after(plies: int) -> list[Position]:
    """Return all positions of unfinished matches after a number of plies."""
    positions = {str(GAME.start()): GAME.start()}
    for _ in range(plies):
        successors = [
            position.apply(move) for position in positions.values() for move in position.legal_moves
        ]
        positions = {str(after): after for after in successors if after.outcome is None}
    return list(positions.values())


def mirror_image(position: Position) -> str:
    return "/".join(row[::-1] for row in str(position).split("/"))


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book") / "5x4.xz"
    build_book(path, BOARD, PLIES, solver().packed_scores)
    return path


# --- building ----------------------------------------------------------------


@pytest.mark.parametrize("plies", range(1, PLIES + 1))
def test_a_book_has_one_position_of_each_pair_of_mirror_images(plies: int) -> None:
    pairs = {min(str(position), mirror_image(position)) for position in positions_after(plies)}
    assert len(enumerate_positions(BOARD, plies)[plies].packed) == len(pairs)


def test_an_interrupted_book_is_continued(book: Path, tmp_path: Path) -> None:
    path = tmp_path / "again.xz"
    solved: list[int] = []

    def solve(packed: Words) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        if len(solved) == 2:
            raise KeyboardInterrupt
        solved.append(len(packed))
        return solver().packed_scores(packed)

    with pytest.raises(KeyboardInterrupt):
        build_book(path, BOARD, PLIES, solve)
    _, scores = read_scores(path, BOARD)
    assert (scores != UNKNOWN).sum() == 2 * BATCH
    with pytest.raises(
        BookError, match=f"is not finished: {scores.size - 2 * BATCH} of {scores.size} positions are missing"
    ):
        Book.read(path, BOARD)
    rest: list[int] = []

    def solve_rest(packed: Words) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        rest.append(len(packed))
        return solver().packed_scores(packed)

    build_book(path, BOARD, PLIES, solve_rest)
    assert sum(rest) == scores.size - 2 * BATCH
    assert path.read_bytes() == book.read_bytes()


def test_the_command_writes_the_same_book_with_any_number_of_threads(book: Path, tmp_path: Path) -> None:
    path = tmp_path / "5x4.xz"
    options = ["--layout", "5x4", "--plies", str(PLIES), "--threads", "3", "--table", "4", "--out", str(path)]
    ran = CliRunner().invoke(connect4_book, options)
    assert ran.output == f"{read_scores(book, BOARD)[1].size} positions: {path}\n"
    assert path.read_bytes() == book.read_bytes()


# --- use ---------------------------------------------------------------------


@pytest.mark.parametrize("plies", range(PLIES + 1))
def test_scores_in_a_book_agree_with_the_search(book: Path, plies: int) -> None:
    positions = positions_after(plies)
    with_book = Solver(GAME, table=4, book=book)
    assert with_book.scores(positions) == solver().scores(positions)
    assert with_book.nodes == 0


def test_later_positions_are_searched(book: Path) -> None:
    with_book, position = Solver(GAME, table=4, book=book), GAME.parse("135241")
    assert with_book.scores([GAME.start(), position]) == solver().scores([GAME.start(), position])
    assert with_book.nodes > 0


# --- the book of the plug-in -------------------------------------------------


SHIPPED = shipped_book(Board(7, 6))


def random_positions(game: Game, plies: range, count: int) -> list[Position]:
    """Return positions of unfinished matches after random moves."""
    random, positions = np.random.default_rng(1), list[Position]()
    while len(positions) < count:
        position = game.start()
        for _ in range(int(random.integers(plies.start, plies.stop))):
            position = position.apply(position.legal_moves[int(random.integers(len(position.legal_moves)))])
            if position.outcome is not None:
                break
        else:
            positions.append(position)
    return positions


def test_first_moves_score_what_is_known_about_the_game() -> None:
    game = boardgames.load("connect4")
    shipped = Solver(game, table=4)
    assert list(shipped.solve(game.start()).scores.values()) == [-2, -1, 0, 1, 0, -1, -2]
    assert shipped.nodes == 0


def test_the_shipped_book_is_small() -> None:
    assert SHIPPED is not None
    assert read_scores(SHIPPED, Board(7, 6))[0] == 8
    assert SHIPPED.stat().st_size < 150_000


@pytest.mark.slow
def test_the_shipped_book_agrees_with_bitbully() -> None:
    bitbully: Any = pytest.importorskip("bitbully.bitbully_core")  # compiled code without type stubs
    databases: Any = pytest.importorskip("bitbully_databases")
    other = bitbully.BitBullyCore(databases.BitBullyDatabases.get_database_path("12-ply-dist"))
    game = boardgames.load("connect4")
    positions = random_positions(game, range(9), 500)
    shipped, theirs = Solver(game, table=4), []
    for position in positions:
        board = bitbully.BoardCore()
        assert board.setBoard([int(move) - 1 for move in game.format(position, notation="moves").strip("-")])
        theirs.append(other.mtdf(board, 0))
    assert shipped.scores(positions) == theirs
    assert shipped.nodes == 0


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="too slow in plain Python")
def test_the_shipped_book_agrees_with_the_search() -> None:
    game = boardgames.load("connect4")
    positions = random_positions(game, range(7, 9), 20)
    assert Solver(game, table=4).scores(positions) == Solver(game, book=False).scores(positions)


# --- errors ------------------------------------------------------------------


def test_a_book_for_another_board_is_rejected(book: Path) -> None:
    with pytest.raises(BookError, match="is a book for 5x4, not for 7x6"):
        Solver(boardgames.load("connect4"), table=4, book=book)


@pytest.mark.parametrize("folder", ["", "a-file"])
def test_a_book_that_cannot_be_written_is_reported_before_the_work(folder: str, tmp_path: Path) -> None:
    (tmp_path / "a-file").touch()
    path = tmp_path / folder / "book.xz" if folder else tmp_path
    ran = CliRunner().invoke(connect4_book, ["--layout", "5x4", "--plies", "1", "--out", str(path)])
    assert isinstance(ran.exception, FileError)
    assert "cannot" in str(ran.exception)


def test_a_book_of_other_plies_is_not_continued(book: Path) -> None:
    with pytest.raises(BookError, match="has 5 plies, not 6"):
        build_book(book, BOARD, 6, solver().packed_scores)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut off": lambda content: content[:-9],
    "not compressed": lambda _: b"scores",
    "no facts": lambda _: lzma.compress(b"[]\n"),
    "a score too few": lambda content: lzma.compress(lzma.decompress(content)[:-1]),
    "other plies": lambda content: changed(content, f'"plies": {PLIES}', f'"plies": {PLIES - 1}'),
    "endless plies": lambda content: changed(content, f'"plies": {PLIES}', '"plies": 99'),
    "plies in words": lambda content: changed(content, f'"plies": {PLIES}', '"plies": "five"'),
}


def changed(content: bytes, old: str, new: str) -> bytes:
    """Return a book with other facts."""
    return lzma.compress(lzma.decompress(content).replace(old.encode(), new.encode()))


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_book_is_rejected_and_not_changed(
    damage: Callable[[bytes], bytes], book: Path, tmp_path: Path
) -> None:
    path, damaged = tmp_path / "damaged.xz", damage(book.read_bytes())
    path.write_bytes(damaged)
    with pytest.raises(BookError, match="is not a book of the solver, or it is damaged"):
        Book.read(path, BOARD)
    with pytest.raises(BookError):
        build_book(path, BOARD, PLIES, solver().packed_scores)
    assert path.read_bytes() == damaged


@pytest.mark.parametrize(
    ("size", "plies", "message"),
    [((8, 8), 4, "there are no books for 8x8"), ((7, 6), 0, "plies must be 1 to 14, not 0")],
)
def test_impossible_books_are_rejected(
    tmp_path: Path, size: tuple[int, int], plies: int, message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        build_book(tmp_path / "book", Board(*size), plies, solver().packed_scores)
