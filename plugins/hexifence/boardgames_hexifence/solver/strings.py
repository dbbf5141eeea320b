"""Positions as strings and coins, the representation that the exact search uses.

Dots and Boxes can be played with strings and coins (E. Berlekamp, "The Dots and Boxes Game",
2000). Every cell is a coin, and every open edge is a string that ties it to a neighbouring
cell or, at the rim of the board, to the ground. A move cuts a string, and whoever cuts the
last string of a coin takes the coin. The rest of the match does not depend on who drew an edge or owns
a cell, so the strings are the whole state.

A state is `uint64[6]`, one word for each direction, with the cells that have a string in this
direction. A string between two cells is thus in two words. A `Frame` says which cell of the board
each of the 64 bits stands for, and which cells are neighbours. Up to dimension 5 there is
a bit for each cell. On larger boards a position fits if it has at most 64 open cells.

Kernels refer to a cell by the word in which only its bit is set. The *degree* of a cell is its
number of strings. The strings of a cell to the ground are interchangeable. A state has them in the
last directions in which the cell has no neighbour.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from boardgames.kernels import Actions, Words, bit, kernel, lowest_bit, types
from boardgames.kernels.abi import ACTIONS, WORDS, WORDS_OUT, WORDS_STACK
from boardgames_hexifence.board import CELL_OFFSETS, EDGES_OF_CELL, SIDES_OF_CELL, board
from boardgames_hexifence.rules import dimension_of, is_drawn

DIRECTIONS = 6
"""Number of directions: right, lower right, lower left, and then their opposites."""
MAX_CELLS = 64
"""Maximum number of cells in a state."""
ZERO, ONE = np.uint64(0), np.uint64(1)
NOWHERE = -1

Cells = Any  # np.uint64, but mypy takes the results of shifts of words for Any
"""A set of cells, or a single one."""


@kernel(types.UniTuple(types.uint64, 3)(WORDS_OUT), inline=True)
def cells_by_degree(strings: Words) -> tuple[Cells, Cells, Cells]:
    """Return the cells of degree 1, of degree 2, and of higher degrees."""
    a, b, c, d, e, f = strings[0], strings[1], strings[2], strings[3], strings[4], strings[5]
    low_1, high_1 = a ^ b ^ c, (a & b) | (c & (a | b))
    low_2, high_2 = d ^ e ^ f, (d & e) | (f & (d | e))
    ones, carry = low_1 ^ low_2, low_1 & low_2
    twos = high_1 ^ high_2 ^ carry
    fours = (high_1 & high_2) | (carry & (high_1 | high_2))
    return ones & ~twos & ~fours, twos & ~ones & ~fours, fours | (ones & twos)


@kernel(types.int64(types.int64), inline=True)
def opposite(direction: int) -> int:
    """Return the opposite direction."""
    return direction + 3 if direction < 3 else direction - 3


@kernel(types.int64(WORDS_OUT, types.uint64, types.int64), inline=True)
def string_of(strings: Words, cell: Cells, other_than: int) -> int:
    """Return the direction of a string of a cell other than `other_than`, or `NOWHERE` if there is none."""
    for direction in range(DIRECTIONS):
        if direction != other_than and strings[direction] & cell != ZERO:
            return direction
    return NOWHERE


@kernel(types.uint64(WORDS_OUT, WORDS_STACK, types.uint64, types.int64), inline=True)
def tied_to(strings: Words, neighbours: Words, cell: Cells, direction: int) -> Cells:
    """Return the cell at the other end of a string, or `ZERO` for the ground."""
    return neighbours[direction, lowest_bit(cell)] & strings[opposite(direction)]


@kernel(types.void(WORDS_OUT, WORDS_STACK, types.uint64, types.int64), inline=True)
def cut(strings: Words, neighbours: Words, cell: Cells, direction: int) -> None:
    """Cut a string."""
    strings[direction] &= ~cell
    strings[opposite(direction)] &= ~neighbours[direction, lowest_bit(cell)]


@kernel(types.int64(WORDS_OUT, WORDS_STACK, types.uint64, types.int64), inline=True)
def take(strings: Words, neighbours: Words, cell: Cells, direction: int) -> int:
    """Cut the only string of a cell, and return how many cells this takes: 1 or 2."""
    other = tied_to(strings, neighbours, cell, direction)
    cut(strings, neighbours, cell, direction)
    return 2 if other != ZERO and string_of(strings, other, NOWHERE) == NOWHERE else 1


@kernel(types.void(WORDS, ACTIONS, WORDS_OUT, WORDS_OUT))
def tie(position: Words, cells: Actions, grounded: Words, strings: Words) -> None:
    """Write the state of a packed position.

    Parameters
    ----------
    position : uint64[n]
        The position.
    cells : int64[:]
        The cells of the frame, including all open cells.
    grounded : uint64[6]
        The cells without a neighbour in each direction.
    strings : uint64[6]
        The state, which must be empty.
    """
    dimension = dimension_of(position)
    for index in range(cells.size):
        cell = bit(index)
        count = 0
        for direction in range(DIRECTIONS):
            side = direction + 1 if direction + 1 < SIDES_OF_CELL else 0
            edge = EDGES_OF_CELL[CELL_OFFSETS[dimension] + cells[index], side]
            if not is_drawn(position, dimension, edge):
                if grounded[direction] & cell == ZERO:
                    strings[direction] |= cell
                else:
                    count += 1
        for direction in range(DIRECTIONS - 1, -1, -1):
            if count > 0 and grounded[direction] & cell != ZERO:
                strings[direction] |= cell
                count -= 1


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A mapping of the bits of a state to cells of a board.

    Attributes
    ----------
    dimension : int
        Cells per side of the board.
    cells : tuple of int
        The cell of each bit, in ascending order.
    neighbours : uint64[6, 64]
        For each direction and bit, the word in which only the neighbour's bit is set, 0 for the ground.
    grounded : uint64[6]
        The cells without a neighbour in each direction.
    """

    dimension: int
    cells: tuple[int, ...]
    neighbours: Words
    grounded: Words

    def state_of(self, words: Words) -> Words:
        """Return the state of a packed position whose open cells are all in this frame.

        Examples
        --------
        >>> import boardgames
        >>> start = boardgames.load("hexifence", dimension=2).start()
        >>> [int(word).bit_count() for word in frame_of(2, tuple(range(7))).state_of(start.words)]
        [7, 7, 7, 7, 7, 7]
        """
        state = np.zeros(DIRECTIONS, dtype=np.uint64)
        tie(words, np.array(self.cells, dtype=np.int64), self.grounded, state)
        return state


def edge_towards(around: Sequence[int], direction: int) -> int:
    """Return the edge in a direction, given the edges around a cell, clockwise from the upper right."""
    return around[(direction + 1) % SIDES_OF_CELL]


@cache
def frame_of(dimension: int, cells: Sequence[int]) -> Frame:
    """Return the frame of at most 64 cells, given in ascending order.

    Examples
    --------
    >>> frame = frame_of(2, tuple(range(7)))
    >>> frame.cells, frame.neighbours[0, :7].tolist()
    ((0, 1, 2, 3, 4, 5, 6), [2, 0, 8, 16, 0, 64, 0])
    """
    lattice, bits = board(dimension), {cell: place for place, cell in enumerate(cells)}
    neighbours = np.zeros((DIRECTIONS, MAX_CELLS), dtype=np.uint64)
    for cell, place in bits.items():
        for direction in range(DIRECTIONS):
            edge = edge_towards(lattice.edges_of_cell[cell], direction)
            for other in lattice.cells_of_edge[edge]:
                if other != cell and other in bits:
                    neighbours[direction, place] = np.uint64(1 << bits[other])
    grounded = [sum(1 << bit for bit in range(len(cells)) if row[bit] == ZERO) for row in neighbours]
    return Frame(dimension, tuple(cells), neighbours, np.array(grounded, dtype=np.uint64))
