"""The Python interface of the solver: scores of positions, moves and lines of play."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from boardgames.errors import MatchError, OptionError, PositionError
from boardgames.game import Game, Move, Position
from boardgames.kernels import Actions, Control, Words
from boardgames.kernels.bundles import Bundle
from boardgames.kernels.control import CONTROL_DTYPE
from boardgames.player import Stop
from boardgames.search.alphabeta.table import new_table
from boardgames.search.runner import run
from boardgames_connect4.board import CONNECT, Board
from boardgames_connect4.features import winning_cells
from boardgames_connect4.solver.book import UNKNOWN, disc_counts, load_book, shipped_book
from boardgames_connect4.solver.geometry import geometry_of
from boardgames_connect4.solver.search import FLAG_STRIDE, WIDTH, SolverWorkspace, solver_kernel

TABLE_MB = 128
UNGUARDED_TABLE_MB = 64
"""Minimum table size on a board without guard bits. In a smaller table, the tags would not fit."""
MAX_THREADS = 64
MAX_CELLS = 64
BUSY_WORDS = 1 << 12
CONTROL_STRIDE = FLAG_STRIDE * 8 // CONTROL_DTYPE.itemsize
"""Distance between the control records of two threads, in records."""
NO_TASK = -1
UNSOLVED = 99
"""A number larger than every score."""
DIRECT_NODES = 5_000
"""Number of nodes, about a millisecond of work, that one thread searches before others are started. Starting
threads takes longer than solving most positions."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The exact score of a position and of each of its moves, for the side to move.

    Attributes
    ----------
    score : int
        (cells + 1 - discs before the winning disc) // 2: positive for a win of the side to
        move, negative for a loss, 0 for a draw. The sooner the win, the larger the score.
    scores : dict of Move to int
        The score after each legal move, from the point of view of the side that makes it.
    """

    score: int
    scores: dict[Move, int]

    @property
    def best(self) -> tuple[Move, ...]:
        """Return the moves that keep the score."""
        return tuple(move for move, score in self.scores.items() if score == self.score)


class Solver:
    """Solves positions of Connect Four on one size of the board.

    It keeps its transposition table, so related positions take less time. It is not thread-safe: use a
    separate solver in each of your threads.

    Parameters
    ----------
    game : Game
        Connect Four of any size.
    table : int
        Size of the transposition table in MB; on 8 x 8 at least 64.
    threads : int
        Number of threads, which solve different positions or work on one position together.
    book : bool or Path
        The book with the scores of early positions: True for the one that comes with the plug-in
        (only for 7 x 6), False for none, or a file made by `boardgames connect4-book`.

    Raises
    ------
    OptionError
        If the game is not Connect Four, or an option is out of range.
    BookError, FileError
        If the book cannot be read, or is for another board.

    Examples
    --------
    >>> import boardgames
    >>> solver = Solver(boardgames.load("connect4", columns=5, rows=4))
    >>> solution = solver.solve(solver.game.parse("3"))
    >>> solution.score, [str(move) for move in solution.best]
    (0, ['1', '2', '3', '4', '5'])
    """

    def __init__(
        self, game: Game, *, table: int = TABLE_MB, threads: int = 1, book: bool | Path = True
    ) -> None:
        board = getattr(game, "board", None)
        if not isinstance(board, Board):
            raise OptionError(f"the solver solves Connect Four, not {game.facts.title}")
        if not board.has_guards and table < UNGUARDED_TABLE_MB:
            raise OptionError(f"{board.name} needs a table of at least {UNGUARDED_TABLE_MB} MB, not {table}")
        if not (isinstance(threads, int) and 1 <= threads <= MAX_THREADS):
            raise OptionError(f"threads must be 1 to {MAX_THREADS}, not {threads}")
        self.game = game
        self.board = board
        file = (shipped_book(board) if book else None) if isinstance(book, bool) else Path(book)
        self._book = load_book(file, board) if file else None
        self._table = new_table(table)
        self._tasks = _zeros(threads)
        controls = np.zeros(threads * CONTROL_STRIDE, dtype=CONTROL_DTYPE).view(np.recarray)
        self._controls: list[Control] = [
            controls[first : first + 1] for first in range(0, controls.size, CONTROL_STRIDE)
        ]
        busy, flags, preferences = _zeros(BUSY_WORDS), controls.view(np.int64), _preferences(board)
        shared = self._table, busy, self._tasks, flags, preferences
        self._bundles = [
            Bundle(SolverWorkspace(*shared, _zeros((MAX_CELLS + 1) * WIDTH), control))
            for control in self._controls
        ]
        self._columns = [board.column(column) for column in range(board.columns)]
        self._solve_all, self._geometry = solver_kernel(board), geometry_of(board)

    @property
    def nodes(self) -> int:
        """Return the number of positions that have been searched so far."""
        return sum(int(control[0].nodes) for control in self._controls)

    def clear(self) -> None:
        """Empty the transposition table and set the number of nodes to 0; the book is kept."""
        self._table[:] = 0
        for control in self._controls:
            control[0].nodes = 0

    def load_code(self) -> None:
        """Load or compile the search, without solving anything."""
        stop = Stop()
        stop.set()
        with suppress(MatchError):
            self._search(pack([self.game.start()]), stop)

    def scores(self, positions: Iterable[Position], *, stop: Stop | None = None) -> list[int]:
        """Return the scores of many positions in one call of compiled code.

        Raises
        ------
        MatchError
            If the match is over in one of the positions, or the search was stopped.
        PositionError
            If one of the positions is for another board.
        """
        return [int(score) for score in self.packed_scores(self._pack(positions), stop=stop)]

    def packed_scores(self, packed: Words, *, stop: Stop | None = None) -> npt.NDArray[np.int64]:
        """Return the scores of packed positions, `int64[n]`.

        Parameters
        ----------
        packed : uint64[n, 2]
            Positions from `pack`. They are not checked: nobody may have four in a line.
        stop : Stop, optional
            Set by another thread to end the search.

        Raises
        ------
        MatchError
            If the search was stopped.
        """
        if self._book is None or (disc_counts(packed) > self._book.plies).all():
            return self._search(packed, stop)
        scores = self._book.scores(packed)
        (unknown,) = np.nonzero(scores == UNKNOWN)
        if unknown.size:
            scores[unknown] = self._search(packed[unknown], stop)
        return scores

    def is_in_book(self, position: Position) -> bool:
        """Return True if the book has the score of a position, so that no search is needed."""
        return self._book is not None and int(disc_counts(self._pack([position]))[0]) <= self._book.plies

    def solve(self, position: Position, *, stop: Stop | None = None) -> Solution:
        """Return the score of a position and of each of its moves.

        Raises
        ------
        MatchError
            If the match is over, or the search was stopped.
        PositionError
            If the position is for another board.
        """
        packed, geometry = self._pack([position]), self._geometry
        own, discs = packed[0].tolist()
        empty = self.board.full & ~discs
        wins = int(winning_cells(packed[0, 0], np.uint64(empty), geometry.height, geometry.starts))
        playable = ((discs << 1) | self.board.bottom) & empty
        scores: dict[Move, int] = {}
        pending: dict[Move, tuple[int, int]] = {}
        for move in position.legal_moves:
            disc = playable & self._columns[move.action]
            scores[move] = (empty.bit_count() + 1) // 2 if wins & disc else 0
            if not wins & disc and empty != disc:
                pending[move] = own ^ discs, discs | disc
        if pending:
            found = self.packed_scores(np.array([*pending.values()], dtype=np.uint64), stop=stop)
            scores.update(zip(pending, (-found).tolist(), strict=True))
        return Solution(max(scores.values()), scores)

    def _pack(self, positions: Iterable[Position]) -> Words:
        positions = list(positions)
        for position in positions:
            if position.game is not self.game and position.game != self.game:
                raise PositionError(f"not a position of {self.game!r}: {position!r}")
        return pack(positions)

    def _search(self, packed: Words, stop: Stop | None) -> npt.NDArray[np.int64]:
        """Return the scores of positions, `int64[n]`, without the book."""
        found = np.zeros((len(packed), 3), dtype=np.int64)
        found[:, 0], found[:, 1] = -UNSOLVED, UNSOLVED
        lower, upper = found[:, 0], found[:, 1]
        self._tasks[:] = NO_TASK
        for control in self._controls:
            control[0].stop = 0
        first = self._controls[0]
        if stop is None or not stop.is_set():
            first[0].node_limit = first[0].nodes + DIRECT_NODES
            self._work(0, packed, found.ravel())
            first[0].node_limit = 0
            if (lower == upper).all():
                return lower
        with self._helpers_solving(packed, found.ravel()):
            run(lambda: self._work(0, packed, found.ravel()), first, stop=stop)
        if (lower != upper).any():
            raise MatchError("the search was stopped before the position was solved")
        return lower

    def _work(self, thread: int, packed: Words, found: Actions) -> None:
        self._solve_all(self._bundles[thread].words, packed, found, thread)

    @contextmanager
    def _helpers_solving(self, packed: Words, found: Actions) -> Iterator[None]:
        """Run all threads except the first one while the block runs."""
        helpers = [
            threading.Thread(
                target=self._work, args=(number, packed, found), name="boardgames-helper", daemon=True
            )
            for number in range(1, len(self._bundles))
        ]
        for helper in helpers:
            helper.start()
        try:
            yield
        finally:
            for control in self._controls[1:]:
                control[0].stop = 1
            for helper in helpers:
                helper.join()


def pack(positions: Iterable[Position]) -> Words:
    """Return positions as `uint64[n, 2]`: the discs of the side to move, and all discs.

    Raises
    ------
    MatchError
        If the match is over in one of the positions.
    """
    packed = []
    for position in positions:
        if position.outcome is not None:
            raise MatchError(f"the match is over in {position}")
        discs = [int(word) for word in position.words[:2]]
        packed.append((discs[position.side_to_move], discs[0] | discs[1]))
    return np.array(packed, dtype=np.uint64).reshape(-1, 2)


def _zeros(words: int) -> Actions:
    return np.zeros(words, dtype=np.int64)


def _preferences(board: Board) -> Actions:
    """Return two rows of ranks by cell: by nearness to the centre, and with the number of lines added."""
    values = np.zeros((2, MAX_CELLS), dtype=np.int64)
    directions = ((1, 0), (0, 1), (1, 1), (1, -1))
    cells = [(column, row) for column in range(board.columns) for row in range(board.rows)]
    for column, row in cells:
        centre = board.columns - abs(2 * column - (board.columns - 1))
        lines = sum(
            all((column + step * right, row + step * up) in cells for step in range(first, first + CONNECT))
            for right, up in directions
            for first in range(1 - CONNECT, 1)
        )
        values[:, board.bit(column, row)] = centre, centre + lines
    return values
