"""Books of the solver: the scores of all positions with up to a given number of discs.

A file holds scores of the positions with exactly that many discs in which nobody has won, in the order of
their keys; of two mirror images, it has one. The positions themselves are not stored, since enumerating them
is faster than reading them. The scores of earlier positions are computed from these by minimax.

The file is compressed (.xz). Its content is a line of JSON, which names the board, the plies
and the number of positions, and then one signed byte for each position. While a book is being
built, the missing scores are `UNKNOWN`.
"""

import json
import lzma
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from boardgames.errors import BookError, OptionError
from boardgames.kernels import Words
from boardgames.paths import read_bytes, write_atomic
from boardgames_connect4.board import Board

Scores = npt.NDArray[np.int8]
Numbers = npt.NDArray[np.int64]

MAX_PLIES = 14
UNKNOWN = 127
"""Stands for a score that is not known."""
BATCH = 64
"""Number of positions to solve between two checks of the clock."""
SAVE_PERIOD_S = 5.0
SHIPPED = Path(__file__).parent.parent / "data"


class Book:
    """The exact scores of all unfinished positions with up to `plies` discs.

    Parameters
    ----------
    board : Board
        The board.
    levels : list of Level
        The positions for each number of discs, from `enumerate_positions`.
    scores : int8[n]
        The scores of the last level.
    """

    def __init__(self, board: Board, levels: "list[Level]", scores: Scores) -> None:
        self.board, self.plies = board, len(levels) - 1
        self._levels = levels
        self._scores = [scores.astype(np.int64)]
        for ply in range(self.plies - 1, -1, -1):
            win = (board.columns * board.rows + 1 - ply) // 2
            self._scores.insert(0, self._levels[ply].backed_up(self._scores[0], win))

    @classmethod
    def read(cls, path: Path, board: Board) -> "Book":
        """Read a finished book.

        Raises
        ------
        FileError
            If the file cannot be read.
        BookError
            If it is not a book, is damaged, is for another board, or is not finished.
        """
        plies, scores = read_scores(path, board)
        missing = int((scores == UNKNOWN).sum())
        if missing:
            raise BookError(f"{path} is not finished: {missing:,} of {scores.size:,} positions are missing")
        levels = enumerate_positions(board, plies)
        if scores.size != len(levels[-1].packed):
            raise _not_a_book(path)
        return cls(board, levels, scores)

    def scores(self, packed: Words) -> Numbers:
        """Return the scores of packed positions, `UNKNOWN` for those with more than `plies` discs."""
        found, counts = np.full(len(packed), UNKNOWN), disc_counts(packed)
        for ply in np.unique(counts[counts <= self.plies]):
            (places,) = np.nonzero(counts == ply)
            keys = _keys(_canonical(self.board, packed[places]))
            found[places] = self._scores[ply][np.searchsorted(self._levels[ply].keys, keys)]
        return found


@dataclass(slots=True)
class Level:
    """All positions with the same number of discs in which nobody has won; of two mirror images, only one.

    Attributes
    ----------
    packed : uint64[n, 2]
        The positions, in the order of their keys.
    keys : uint64[n]
        Their keys.
    moves : list of tuple
        For each column: indices of the positions in which it is not full, which of these moves win,
        and for the other moves the indices of their successors in the next level.
    """

    packed: Words
    keys: Words
    moves: list[tuple[Numbers, npt.NDArray[np.bool_], Numbers]] = field(default_factory=list)

    def backed_up(self, later: Numbers, win: int) -> Numbers:
        """Return the scores of the positions, given those of the next level and that of a win at once."""
        best = np.full(len(self.packed), -win)
        for playable, wins, successors in self.moves:
            values = np.full(len(playable), win)
            values[~wins] = -later[successors]
            best[playable] = np.maximum(best[playable], values)
        return best


@cache
def shipped_book(board: Board) -> Path | None:
    """Return the file of the book that comes with the plug-in, or None if this board has none."""
    path = SHIPPED / f"solver-{board.name}.xz"
    return path if path.exists() else None


@cache
def load_book(path: Path, board: Board) -> Book:
    """Return the book in a file, which is read only once per process."""
    return Book.read(path, board)


def build_book(
    path: Path,
    board: Board,
    plies: int,
    solve: Callable[[Words], Numbers],
    report: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Solve all positions with `plies` discs and write a book, or continue one that is not finished.

    The file is written every few seconds and when the work is interrupted. Interruptions do not
    change the bytes of a finished book.

    Parameters
    ----------
    path : Path
        The file.
    board : Board
        The board.
    plies : int
        Number of discs, 1 to 14.
    solve : callable
        Returns the scores of packed positions: `Solver.packed_scores`.
    report : callable, optional
        Called after every batch with the number of solved positions and the number of all positions.

    Returns
    -------
    int
        The number of positions.

    Raises
    ------
    OptionError
        If there are no books for this board or number of plies.
    BookError
        If the file is not a book, is damaged, or is for another board or number of plies.
    FileError
        If the file cannot be read or written.
    """
    if not board.has_guards:
        raise OptionError(f"there are no books for {board.name}")
    if not 1 <= plies <= MAX_PLIES:
        raise OptionError(f"plies must be 1 to {MAX_PLIES}, not {plies}")
    positions = enumerate_positions(board, plies)[-1].packed
    scores = np.full(len(positions), UNKNOWN, dtype=np.int8)
    if path.exists():
        plies_before, scores = read_scores(path, board)
        if plies_before != plies:
            raise BookError(f"{path} has {plies_before} plies, not {plies}")
        if scores.size != len(positions):
            raise _not_a_book(path)
    saved = time.monotonic()
    try:
        for first in range(0, len(scores), BATCH):
            batch = slice(first, first + BATCH)
            if (scores[batch] == UNKNOWN).any():
                scores[batch] = solve(positions[batch])
            report(min(first + BATCH, len(scores)), len(scores))
            if time.monotonic() > saved + SAVE_PERIOD_S:
                write_scores(path, board, plies, scores)
                saved = time.monotonic()
    finally:
        write_scores(path, board, plies, scores)
    return len(scores)


def enumerate_positions(board: Board, plies: int) -> list[Level]:
    """Return the unfinished positions with 0 to `plies` discs, one level each; mirror images count once.

    Examples
    --------
    >>> [len(level.packed) for level in enumerate_positions(Board(7, 6), 4)]
    [1, 4, 25, 121, 568]
    """
    start = np.zeros((1, 2), dtype=np.uint64)
    levels = [Level(start, _keys(start))]
    for _ in range(plies):
        level = levels[-1]
        moves = [_successors(board, level.packed, column) for column in range(board.columns)]
        successors = _canonical(board, np.concatenate([after[~wins] for _, after, wins in moves]))
        keys = _keys(successors)
        order = np.argsort(keys)
        is_first = np.append(True, np.diff(keys[order]) != 0)
        places = np.empty(len(order), dtype=np.int64)
        places[order] = np.cumsum(is_first) - 1
        ends = np.cumsum([np.count_nonzero(~wins) for _, _, wins in moves])[:-1]
        for (playable, _, wins), after in zip(moves, np.split(places, ends), strict=True):
            level.moves.append((playable, wins, after))
        levels.append(Level(successors[order][is_first], keys[order][is_first]))
    return levels


def disc_counts(packed: Words) -> Numbers:
    """Return the number of discs of each position."""
    cells = np.unpackbits(np.ascontiguousarray(packed[:, 1]).view(np.uint8)).reshape(-1, 64)
    counts: Numbers = cells.sum(axis=1, dtype=np.int64)
    return counts


def read_scores(path: Path, board: Board) -> tuple[int, Scores]:
    """Return the plies and the scores of a book for a board; the scores may be incomplete.

    Raises
    ------
    FileError
        If the file cannot be read.
    BookError
        If the file is not a book, or is for another board.
    """
    data = read_bytes(path)
    try:
        header, _, content = lzma.decompress(data).partition(b"\n")
        facts = json.loads(header)
        plies, size = facts["plies"], (facts["columns"], facts["rows"])
        scores = np.frombuffer(content, dtype=np.int8).copy()
        if scores.size != facts["positions"] or plies not in range(1, MAX_PLIES + 1):
            raise ValueError
    except (lzma.LZMAError, EOFError, ValueError, KeyError, TypeError):
        raise _not_a_book(path) from None
    if size != (board.columns, board.rows):
        raise BookError(f"{path} is a book for {size[0]}x{size[1]}, not for {board.name}")
    return plies, scores


def write_scores(path: Path, board: Board, plies: int, scores: Scores) -> None:
    """Write the scores of a book."""
    facts = {"columns": board.columns, "rows": board.rows, "plies": plies, "positions": scores.size}
    content = json.dumps(facts).encode() + b"\n" + scores.tobytes()
    write_atomic(path, lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))


def _not_a_book(path: Path) -> BookError:
    return BookError(f"{path} is not a book of the solver, or it is damaged")


def _keys(packed: Words) -> Words:
    """Return the key of each position; different positions have different keys."""
    return packed[:, 0] + packed[:, 1]


def _canonical(board: Board, packed: Words) -> Words:
    """Return each position, or its mirror image if that has a smaller key."""
    images = np.zeros_like(packed)
    column = np.uint64((1 << board.height) - 1)
    for number in range(board.columns):
        low, high = (np.uint64(board.bit(place, 0)) for place in (number, board.columns - 1 - number))
        images |= ((packed >> low) & column) << high
    is_larger = _keys(packed) > _keys(images)
    return np.where(is_larger[:, None], images, packed)


def _successors(board: Board, packed: Words, column: int) -> tuple[Numbers, Words, npt.NDArray[np.bool_]]:
    """Drop a disc into a column; return the indices of positions with room, the successors, and the wins."""
    own, discs = packed[:, 0], packed[:, 1]
    disc = (discs + np.uint64(1 << board.bit(column, 0))) & np.uint64(board.column(column))
    (playable,) = np.nonzero(disc)
    own, discs, disc = own[playable], discs[playable], disc[playable]
    after = np.stack([own ^ discs, discs | disc], axis=1)
    return playable, after, _has_four(board, own | disc)


def _has_four(board: Board, discs: Words) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(discs), dtype=bool)
    for step in (1, board.height - 1, board.height, board.height + 1):
        pairs = discs & (discs >> np.uint64(step))
        found |= pairs & (pairs >> np.uint64(2 * step)) != 0
    return found
