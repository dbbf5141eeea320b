"""The solver for Python: exact values of positions and moves."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from boardgames.errors import MatchError, OptionError, PositionError
from boardgames.game import Game, Move, Position
from boardgames.kernels import Actions, Words, mix, new_control
from boardgames.kernels.bundles import Bundle
from boardgames.player import Stop
from boardgames.search.alphabeta.table import new_table
from boardgames.search.runner import run
from boardgames_hexifence.board import CELLS, SIDES_OF_CELL, board, symmetries
from boardgames_hexifence.game import Hexifence, lead_of
from boardgames_hexifence.handouts import GROUPS
from boardgames_hexifence.rules import drawn_edges
from boardgames_hexifence.solver.chains import MOST_IN_GROUP
from boardgames_hexifence.solver.search import (
    MOST_MOVES,
    MOST_PLIES,
    SETS_OF_DIRECTIONS,
    SolverWorkspace,
    solve,
)
from boardgames_hexifence.solver.small import COUNT_BITS, DIMENSION, STATES, index_of
from boardgames_hexifence.solver.small import all_values as values_of_all_states
from boardgames_hexifence.solver.strings import DIRECTIONS, MAX_CELLS, edge_towards, frame_of

TABLE_MB = 64
CODE_SHIFT = 8
STOPPED = "the search was stopped before the position was solved"


@dataclass(frozen=True, slots=True)
class Solution:
    """The exact value of a position and of each of its moves, for the side to move.

    Attributes
    ----------
    value : int
        The cells that the side to move will take minus those that its opponent will take, from
        now on and with best play by both.
    values : dict of Move to int
        The value after each legal move, including the cells that it takes.
    """

    value: int
    values: dict[Move, int]

    @property
    def best(self) -> tuple[Move, ...]:
        """Return the moves that keep the value."""
        return tuple(move for move, value in self.values.items() if value == self.value)


class Solver:
    """Solves positions of Hexifence with at most 64 open cells, which are all positions up to dimension 5.

    It keeps its transposition table, so related positions take less time. It is not thread-safe.

    Parameters
    ----------
    game : Game
        Hexifence of any dimension.
    table : int
        Size of the transposition table in MB.
    all_values : bool
        Whether the values of dimension 2 are looked up in a table of all positions, which is built on
        first use and kept in the cache folder.

    Raises
    ------
    OptionError
        If the game is not Hexifence, or the dimension or the size is out of range.

    Examples
    --------
    >>> import boardgames
    >>> solver = Solver(boardgames.load("hexifence", dimension=2))
    >>> position = solver.game.parse("2:BBBB.R.BB.RRR.R.RRRBRBRBRBRBRB:.....RB:B")
    >>> solution = solver.solve(position)
    >>> solution.value, [str(move) for move in solution.best]
    (5, ['6', '13', '15'])
    """

    def __init__(self, game: Game, *, table: int = TABLE_MB, all_values: bool = True) -> None:
        if not isinstance(game, Hexifence):
            raise OptionError(f"the solver solves Hexifence, not {game.facts.title}")
        self.game = game
        self._has_all_values = all_values and game.dimension == DIMENSION
        self._table = new_table(table)
        self._control = new_control()
        self._frame = frame_of(game.dimension, tuple(range(min(int(CELLS[game.dimension]), MAX_CELLS))))
        self._neighbours, self._grounded = self._frame.neighbours.copy(), self._frame.grounded.copy()
        self._bundle = Bundle(
            SolverWorkspace(
                table=self._table,
                neighbours=self._neighbours,
                grounded=self._grounded,
                images=images_of(game.dimension),
                states=np.zeros((MOST_PLIES, DIRECTIONS), dtype=np.uint64),
                moves=np.zeros((MOST_PLIES, MOST_MOVES), dtype=np.int64),
                shortest=np.zeros(GROUPS, dtype=np.int64),
                lengths=np.zeros((GROUPS, MOST_IN_GROUP), dtype=np.int64),
                values=np.zeros(MOST_IN_GROUP**2, dtype=np.int64),
                control=self._control,
            ),
        )

    @property
    def nodes(self) -> int:
        """Return the number of states that have been searched or looked up so far."""
        return int(self._control[0].nodes)

    @property
    def tabulated_states(self) -> int:
        """Return the number of states in the table of all values, or 0 without such a table."""
        return STATES if self._has_all_values else 0

    def clear(self) -> None:
        """Empty the transposition table and set the number of nodes to 0."""
        self._table[:] = 0
        self._control[0].nodes = 0

    def values(
        self, positions: Iterable[Position], *, stop: Stop | None = None, node_limit: int = 0
    ) -> list[int]:
        """Return the value of each position, with best play from now on, for the side to move (`Solution`).

        Parameters
        ----------
        positions : iterable of Position
            Positions of this game; 0 is returned where the match is over.
        stop : Stop, optional
            Set by another thread to end the search.
        node_limit : int
            Maximum number of states to search, 0 for no limit.

        Raises
        ------
        MatchError
            If the search was stopped, or reached the limit.
        PositionError
            If one of the positions belongs to another game.
        """
        bounds = self.bounds(positions, stop=stop, node_limit=node_limit)
        if (bounds[:, 0] != bounds[:, 1]).any():
            raise MatchError(STOPPED)
        return [int(value) for value in bounds[:, 0]]

    def bounds(
        self,
        positions: Iterable[Position],
        *,
        stop: Stop | None = None,
        node_limit: int = 0,
        window: tuple[int, int] | None = None,
    ) -> Actions:
        """Return bounds on each value, `int64[n, 2]`, which are equal unless the search was stopped.

        The other parameters are those of `values`.

        Parameters
        ----------
        window : (int, int), optional
            The interval that matters: for a value outside it, its nearest end is returned. Both ends must be
            even if the number of open cells is even, and odd if it is odd.
        """
        positions = list(positions)
        self._check(positions)
        if self._has_all_values:
            table = values_of_all_states()
            self._control[0].nodes += len(positions)
            values = np.array([table[index_of(position.words)] for position in positions], dtype=np.int64)
            if window is not None:
                values = values.clip(*window)
            return np.stack([values, values], axis=1)
        if not self._fit(positions) and len(positions) > 1:
            return np.concatenate(
                [
                    self.bounds([position], stop=stop, node_limit=node_limit, window=window)
                    for position in positions
                ]
            )
        states = np.array([self._frame.state_of(position.words) for position in positions])
        states = states.reshape(-1, DIRECTIONS)
        cells = np.bitwise_count(np.bitwise_or.reduce(states, axis=1)).astype(np.int64)
        bounds = np.stack([-cells, cells], axis=1)
        if window is not None:
            bounds = bounds.clip(*window)
        self._narrow(states, bounds, stop, node_limit)
        return bounds

    def is_won(self, position: Position, *, stop: Stop | None = None, node_limit: int = 0) -> bool | None:
        """Return whether the side to move wins, or None if the search was stopped or reached the limit.

        This is faster than `values`, which also finds the margin. The parameters are those of `values`.

        Examples
        --------
        >>> import boardgames
        >>> start = boardgames.load("hexifence", dimension=2).start()
        >>> Solver(start.game).is_won(start)
        False
        """
        cells, lead = len(open_cells(position)), lead_of(position)
        least = 1 - lead + (1 - lead + cells) % 2  # the smallest value with which the side to move wins
        if least <= -cells or least > cells:
            return least <= -cells
        window = (max(least - 2, -cells), least)
        ((lower, upper),) = self.bounds([position], stop=stop, node_limit=node_limit, window=window).tolist()
        return None if lower < upper else bool(lower == least)

    def solve(self, position: Position, *, stop: Stop | None = None, node_limit: int = 0) -> Solution:
        """Return the value of a position and of each of its moves.

        Raises
        ------
        MatchError
            If the match is over, or the search was stopped or reached the limit.
        PositionError
            If the position belongs to another game.
        """
        self._check([position])
        if position.outcome is not None:
            raise MatchError(f"the match is over in {position}")
        after = {move: position.apply(move) for move in position.legal_moves}
        rests = self.values(after.values(), stop=stop, node_limit=node_limit)
        values = {
            move: cells_taken(position, successor) + (rest if keeps_turn(position, successor) else -rest)
            for (move, successor), rest in zip(after.items(), rests, strict=True)
        }
        return Solution(max(values.values()), values)

    def best_moves(
        self,
        position: Position,
        moves: Iterable[Move],
        value: int,
        *,
        count: int = 0,
        stop: Stop | None = None,
    ) -> list[Move]:
        """Return the moves that keep the value of a position.

        This is faster than `solve`, which also finds the values of all other moves.

        Parameters
        ----------
        position : Position
            A position in which the match is not over.
        moves : iterable of Move
            Legal moves, in the order in which to try them.
        value : int
            The value of the position (`values`).
        count : int
            Maximum number of moves to find, 0 for no limit.
        stop : Stop, optional
            Set by another thread to end the search.

        Raises
        ------
        MatchError
            If the search was stopped.
        PositionError
            If the position belongs to another game or has too many open cells.
        """
        best: list[Move] = []
        for move in moves:
            after = position.apply(move)
            rest = value - cells_taken(position, after)
            goal, window = (
                (rest, (rest - 2, rest)) if keeps_turn(position, after) else (-rest, (-rest, 2 - rest))
            )
            ((lower, upper),) = self.bounds([after], stop=stop, window=window)
            if lower != upper:
                raise MatchError(STOPPED)
            if lower == goal:
                best.append(move)
                if len(best) == count:
                    break
        return best

    def _check(self, positions: Iterable[Position]) -> None:
        """Raise PositionError if a position belongs to another game."""
        for position in positions:
            if position.game is not self.game and position.game != self.game:
                raise PositionError(f"not a position of {self.game!r}: {position!r}")

    def _fit(self, positions: Sequence[Position]) -> bool:
        """Choose a frame with all open cells of the positions; return False if they do not fit into one.

        Choosing a new frame clears the table, whose entries are valid for one frame only.

        Raises
        ------
        PositionError
            If there is only one position, and it has too many open cells.
        """
        cells = {cell for position in positions for cell in open_cells(position)}
        if cells <= set(self._frame.cells):
            return True
        if len(cells) > MAX_CELLS:
            if len(positions) == 1:
                raise PositionError(too_many_cells(len(cells)))
            return False
        self._frame = frame_of(self.game.dimension, tuple(sorted(cells)))
        self._neighbours[:], self._grounded[:] = self._frame.neighbours, self._frame.grounded
        self._table[:] = 0
        return True

    def _narrow(self, states: Words, bounds: Actions, stop: Stop | None, node_limit: int) -> None:
        """Narrow down the bounds on the values of states."""
        self._control[0].stop = 0
        self._control[0].node_limit = self.nodes + node_limit if node_limit else 0
        run(lambda: solve(self._bundle.words, states, bounds), self._control, stop=stop)


@cache
def images_of(dimension: int) -> Words:
    """Return hashes of the strings of each cell under each symmetry for `symmetric_key_of`.

    Above dimension 2 there are none: positions that can be solved there are too late to be symmetric.
    """
    if dimension > DIMENSION:
        return np.zeros((0, 0), dtype=np.uint64)
    lattice, (edge_images, cell_images) = board(dimension), symmetries(dimension)
    frame = frame_of(dimension, tuple(range(len(lattice.centres))))
    images = np.zeros((len(edge_images), len(frame.cells) * SETS_OF_DIRECTIONS), dtype=np.uint64)
    for symmetry, (edges, cells) in enumerate(zip(edge_images.tolist(), cell_images.tolist(), strict=True)):
        for cell, around in enumerate(lattice.edges_of_cell):
            for directions in range(SETS_OF_DIRECTIONS):
                open_edges = [
                    edge_towards(around, direction)
                    for direction in range(DIRECTIONS)
                    if directions >> direction & 1
                ]
                inner = sum(1 << edges[edge] for edge in open_edges if len(lattice.cells_of_edge[edge]) == 2)
                outer = sum(len(lattice.cells_of_edge[edge]) == 1 for edge in open_edges)
                images[symmetry, cell * SETS_OF_DIRECTIONS + directions] = mix(
                    np.uint64(inner << CODE_SHIFT | cells[cell] << COUNT_BITS | outer)
                )
    return images


def cells_taken(before: Position, after: Position) -> int:
    """Return how many cells a move has taken."""
    game = before.game
    return sum(game.score(after.words)) - sum(game.score(before.words))


def keeps_turn(before: Position, after: Position) -> bool:
    """Return True if the side that has moved is to move again, or has closed the last cell."""
    return before.side_to_move == after.side_to_move


def too_many_cells(count: int) -> str:
    """Return why a position with this number of open cells cannot be solved."""
    return f"the solver takes positions with at most {MAX_CELLS} open cells, not {count}"


def open_cells(position: Position) -> list[int]:
    """Return the cells that have an open edge."""
    dimension = int(position.game.options["dimension"] or 0)
    return [
        cell
        for cell in range(CELLS[dimension])
        if drawn_edges(position.words, dimension, cell) < SIDES_OF_CELL
    ]
