"""Positions as strings and coins: what the exact search works on.

Dots and Boxes can be played with strings and coins (E. Berlekamp, "The Dots and Boxes Game",
2000). Every cell is a coin, and every open edge is a string that ties it to a neighbouring
cell or, at the rim of the board, to the ground. A move cuts a string, and whoever cuts the
last string of a coin takes it. Who drew an edge and who owns a cell does not matter for the
rest of the match, so these strings are the whole state.

A state is `uint64[6]`, one word for each direction: the cells that have a string in this
direction. A string between two cells is thus in two words. The cell in row r and column q of
the axial coordinates is bit 8r + q. There are at most seven rows and columns on the boards up to
dimension 4, so that the neighbour of a cell is found by shifting, and a shift beyond the rim
leads to a bit that no cell has.

Kernels refer to a cell by the word that contains only its bit. The *degree* of a cell is its
number of strings. The strings of a cell to the ground are interchangeable: a state has those
of the directions that come last (`collapsed`).
"""

from functools import cache
from typing import Any

import numpy as np
from numba import types

from boardgames.kernels import Words, kernel
from boardgames.kernels.abi import WORDS_OUT
from boardgames_hexifence.board import SIDES_OF_CELL, WORD_BITS, board
from boardgames_hexifence.rules import FIRST

DIRECTIONS = 6
"""Right, lower right, lower left, and then their opposites."""
ROW_BITS = 8
UP = np.array([1, 8, 7, 0, 0, 0], dtype=np.uint64)
DOWN = np.array([0, 0, 0, 1, 8, 7], dtype=np.uint64)
"""Shifts to the left and to the right that lead to the neighbour in each direction."""
ZERO, ONE = np.uint64(0), np.uint64(1)
NOWHERE = -1

Cells = Any  # np.uint64, but mypy takes the results of shifts of words for Any
"""A set of cells, or a single one."""


@kernel(types.UniTuple(types.uint64, 3)(WORDS_OUT), inline=True)
def cells_by_degree(strings: Words) -> tuple[Cells, Cells, Cells]:
    """Return the cells of degree 1, those of degree 2, and those of a higher degree."""
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
    """Return the direction of a string of a cell, but not `other_than`; `NOWHERE` if there is none."""
    for direction in range(DIRECTIONS):
        if direction != other_than and strings[direction] & cell != ZERO:
            return direction
    return NOWHERE


@kernel(types.uint64(types.uint64, types.int64), inline=True)
def shifted(cells: Cells, direction: int) -> Cells:
    """Return the neighbours of cells in a direction."""
    return (cells << UP[direction]) >> DOWN[direction]


@kernel(types.uint64(WORDS_OUT, types.uint64, types.int64), inline=True)
def tied_to(strings: Words, cell: Cells, direction: int) -> Cells:
    """Return the cell at the other end of a string, `ZERO` for the ground."""
    return shifted(cell, direction) & strings[opposite(direction)]


@kernel(types.void(WORDS_OUT, types.uint64, types.int64), inline=True)
def cut(strings: Words, cell: Cells, direction: int) -> None:
    """Cut a string."""
    other = tied_to(strings, cell, direction)
    strings[direction] &= ~cell
    strings[opposite(direction)] &= ~other


@kernel(types.int64(WORDS_OUT, types.uint64, types.int64), inline=True)
def take(strings: Words, cell: Cells, direction: int) -> int:
    """Cut the only string of a cell, and return how many cells this takes: 1 or 2."""
    other = tied_to(strings, cell, direction)
    cut(strings, cell, direction)
    return 2 if other != ZERO and string_of(strings, other, NOWHERE) == NOWHERE else 1


@cache
def places(dimension: int) -> tuple[tuple[int, ...], tuple[tuple[tuple[int, int], ...], ...]]:
    """Return where cells and edges are in a state.

    Returns
    -------
    bits : tuple of int
        The bit of each cell.
    strings : tuple of tuple of (int, int)
        For each edge the directions and the bits of its one or two strings' ends.

    Examples
    --------
    >>> bits, strings = places(2)
    >>> bits
    (1, 2, 8, 9, 10, 16, 17)
    >>> strings[5]
    ((0, 1), (3, 2))
    """
    lattice = board(dimension)
    bits = []
    for x, y in lattice.centres:
        row = y // 3
        bits.append(ROW_BITS * (row + dimension - 1) + (x - row) // 2 + dimension - 1)
    strings: list[list[tuple[int, int]]] = [[] for _ in lattice.edges]
    for cell, around in enumerate(lattice.edges_of_cell):
        for index, edge in enumerate(around):  # clockwise from the upper right, directions from the right
            strings[edge].append(((index - 1) % SIDES_OF_CELL, bits[cell]))
    return tuple(bits), tuple(map(tuple, strings))


def strings_of(words: Words, dimension: int) -> Words:
    """Return the state of a packed position of the game, collapsed.

    Examples
    --------
    >>> import boardgames
    >>> start = boardgames.load("hexifence", dimension=2).start()
    >>> [int(word).bit_count() for word in strings_of(start.words, 2)]
    [7, 7, 7, 7, 7, 7]
    """
    count = (len(places(dimension)[1]) + WORD_BITS - 1) // WORD_BITS
    state = np.zeros(DIRECTIONS, dtype=np.uint64)
    for edge, ends in enumerate(places(dimension)[1]):
        word, bit = FIRST + edge // WORD_BITS, edge % WORD_BITS
        if (int(words[word]) | int(words[word + count])) >> bit & 1 == 0:
            for direction, cell in ends:
                state[direction] |= np.uint64(1 << cell)
    return collapsed(state, dimension)


def collapsed(state: Words, dimension: int) -> Words:
    """Return a state in which each cell has its strings to the ground in the directions that come last."""
    result = state.copy()
    for cell, directions in grounded(dimension):
        count = sum(int(state[direction]) >> cell & 1 for direction in directions)
        for index, direction in enumerate(directions):
            word = int(result[direction]) & ~(1 << cell)
            is_kept = index >= len(directions) - count
            result[direction] = np.uint64(word | (is_kept << cell))
    return result


@cache
def grounded(dimension: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return for each cell at the rim its bit and the directions that lead to the ground.

    Examples
    --------
    >>> grounded(2)[0]
    (1, (3, 4, 5))
    """
    found: dict[int, list[int]] = {}
    for ends in places(dimension)[1]:
        if len(ends) == 1:
            direction, cell = ends[0]
            found.setdefault(cell, []).append(direction)
    return tuple((cell, tuple(sorted(directions))) for cell, directions in sorted(found.items()))
