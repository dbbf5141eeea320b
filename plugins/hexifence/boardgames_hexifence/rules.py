"""Rules of Hexifence as kernels on bitboards, for dimensions 2 to 8.

Source: project of COMP30024 Artificial Intelligence, University of Melbourne, 2016. A move
draws an open edge. Whoever draws the last open edge of one or two cells owns them and
moves again. When all edges are drawn, the side with more cells wins.

A position of dimension n has E = `EDGE_WORDS[n]` words per side for edges and
C = `CELL_WORDS[n]` words per side for cells, in this order:

    0                        status: bit 0 is the side to move, bits 8 to 15
                             count the cells of side 0, bits 16 to 23 those of
                             side 1, bits 24 to 31 are the dimension
    1            to E        edges drawn by side 0 (blue)
    1 + E        to 2E       edges drawn by side 1 (red)
    1 + 2E       to 2E + C   cells owned by side 0
    1 + 2E + C   to 2E + 2C  cells owned by side 1

Edge or cell k is bit k % 64 of word k // 64 of its group. An action is the number of an
edge.
"""

import numpy as np

from boardgames.kernels import (
    Actions,
    Apply,
    LegalMoves,
    OutcomeOf,
    SideToMove,
    Words,
    bit,
    has_bit,
    kernel,
    lowest_bit,
    types,
)
from boardgames.kernels.abi import WORDS
from boardgames_hexifence.board import (
    CELL_OFFSETS,
    CELL_WORDS,
    CELLS,
    CELLS_OF_EDGE,
    EDGE_OFFSETS,
    EDGE_WORDS,
    EDGES,
    EDGES_OF_CELL,
    SIDES_OF_CELL,
    WORD_BITS,
)

STATUS = 0
FIRST = 1
CELLS_SHIFTS = (8, 16)
DIMENSION_SHIFT = 24

ONE = np.uint64(1)
ZERO = np.uint64(0)
BYTE = np.uint64(0xFF)


@kernel(SideToMove)
def side_to_move(position: Words) -> int:
    """Return the side to move, 0 (blue) or 1 (red); at the end, the side that closed the last cell."""
    return np.int64(position[STATUS] & ONE)


@kernel(types.int64(WORDS))
def dimension_of(position: Words) -> int:
    """Return the dimension of the board, 2 to 8."""
    return np.int64((position[STATUS] >> np.uint64(DIMENSION_SHIFT)) & BYTE)


@kernel(types.int64(WORDS, types.int64))
def closed_cells(position: Words, side: int) -> int:
    """Return the number of cells that a side owns."""
    return np.int64((position[STATUS] >> np.uint64(CELLS_SHIFTS[side])) & BYTE)


@kernel(types.boolean(WORDS, types.int64, types.int64))
def is_drawn(position: Words, dimension: int, edge: int) -> bool:
    """Return True if either side has drawn an edge."""
    word = FIRST + (edge >> 6)
    drawn = position[word] | position[word + EDGE_WORDS[dimension]]
    return has_bit(drawn, edge & 63)


@kernel(types.int64(WORDS, types.int64, types.int64))
def drawn_edges(position: Words, dimension: int, cell: int) -> int:
    """Return the number of drawn edges of a cell, 0 to 6."""
    second = FIRST + EDGE_WORDS[dimension]
    place = CELL_OFFSETS[dimension] + cell
    count = ZERO
    for index in range(SIDES_OF_CELL):
        edge = EDGES_OF_CELL[place, index]
        drawn = position[FIRST + (edge >> 6)] | position[second + (edge >> 6)]
        count += (drawn >> np.uint64(edge & 63)) & ONE
    return np.int64(count)


@kernel(types.uint64(WORDS, types.int64, types.int64))
def open_edges(position: Words, dimension: int, word: int) -> np.uint64:
    """Return the open edges of one word, as bits; bit 0 is edge 64 * `word`."""
    count = EDGE_WORDS[dimension]
    vacant = ~(position[FIRST + word] | position[FIRST + count + word])
    used = EDGES[dimension] - WORD_BITS * word
    return vacant if used >= WORD_BITS else vacant & (bit(used) - ONE)


@kernel(OutcomeOf)
def outcome(position: Words) -> int:
    """Return the side with more cells once all are closed, and -1 before that."""
    first, second = closed_cells(position, 0), closed_cells(position, 1)
    if first + second < CELLS[dimension_of(position)]:
        return -1
    return 0 if first > second else 1


@kernel(LegalMoves)
def legal_moves(position: Words, moves: Actions) -> int:
    """Write the open edges into `moves`, in ascending order.

    Parameters
    ----------
    position : uint64[words]
        Packed position, assumed to be valid.
    moves : int64[edges]
        Filled from the start; the rest is left unchanged.

    Returns
    -------
    int64
        Number of edges written, 0 once all are drawn.
    """
    dimension = dimension_of(position)
    count = 0
    for word in range(EDGE_WORDS[dimension]):
        left = open_edges(position, dimension, word)
        while left != ZERO:
            moves[count] = WORD_BITS * word + lowest_bit(left)
            count += 1
            left &= left - ONE
    return count


@kernel(Apply)
def apply(position: Words, action: int, successor: Words) -> None:
    """Write the position after drawing an open edge into `successor`, `uint64[words]`."""
    for index in range(position.shape[0]):
        successor[index] = position[index]
    side, dimension = side_to_move(position), dimension_of(position)
    count = EDGE_WORDS[dimension]
    successor[FIRST + side * count + (action >> 6)] |= bit(action & 63)
    owned = FIRST + 2 * count + side * CELL_WORDS[dimension]
    closed = 0
    for index in range(2):
        cell = CELLS_OF_EDGE[EDGE_OFFSETS[dimension] + action, index]
        if cell >= 0 and drawn_edges(successor, dimension, cell) == SIDES_OF_CELL:
            successor[owned + (cell >> 6)] |= bit(cell & 63)
            closed += 1
    if closed == 0:
        successor[STATUS] ^= ONE
    else:
        successor[STATUS] += np.uint64(closed) << np.uint64(CELLS_SHIFTS[side])
