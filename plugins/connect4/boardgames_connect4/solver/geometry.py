"""What the kernels of the solver know about the board and the table: one record.

The kernels take the size of the board at run time, so they are compiled once for all sizes.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from boardgames.kernels.abi import record_array
from boardgames_connect4.board import Board

GEOMETRY_DTYPE = np.dtype(
    [
        ("columns", np.int64),
        ("height", np.int64),
        ("bottom", np.uint64),
        ("full", np.uint64),
        ("mover_rows", np.uint64),
        ("mirrored", np.int64),
        ("key_mask", np.uint64),
        ("far_shift", np.uint64),
        ("far_tag", np.uint64),
        ("near_shift", np.uint64),
        ("near_tag", np.uint64),
        ("near_start", np.int64),
    ],
    align=True,
)
"""Fields of a geometry record.

columns, height : columns, and bits per column with the guard bit
bottom, full : cells of the bottom row, all cells
mover_rows : cells of the rows into which the side to move drops if every column has an even
    number of empty cells and the opponent always answers in the same column
mirrored : empty cells from which a position and its mirror image share an entry of the table
key_mask : the bits of a position's key
far_shift, far_tag, near_shift, near_tag, near_start : how table.py finds an entry
"""

GEOMETRY = record_array(GEOMETRY_DTYPE)

Geometry = npt.NDArray[Any]  # one record of GEOMETRY_DTYPE: NumPy has no type for fields

NEAR_BITS = 17
"""Logarithm of the number of buckets for positions with few empty cells: 2 MB, which stay in the cache."""
MIRRORED_PLIES = 14


def geometry_of(board: Board, table_words: int) -> Geometry:
    """Return the record of a board and a table of `table_words`, a power of two.

    The first half of the table is for positions with many empty cells.
    """
    key_bits = board.columns * board.height
    far_bits = min((table_words // 4).bit_length() - 1, key_bits)
    near_bits = min(NEAR_BITS, far_bits)
    geometry: Geometry = np.zeros(1, dtype=GEOMETRY_DTYPE).view(np.recarray)
    record = geometry[0]
    record.columns, record.height = board.columns, board.height
    record.bottom, record.full = board.bottom, board.full
    record.mover_rows = sum(board.bottom << row for row in range(board.rows % 2, board.rows, 2))
    record.mirrored = board.columns * board.rows - MIRRORED_PLIES
    record.key_mask = (1 << key_bits) - 1
    record.far_shift, record.far_tag = key_bits - far_bits, (1 << (key_bits - far_bits)) - 1
    record.near_shift, record.near_tag = key_bits - near_bits, (1 << (key_bits - near_bits)) - 1
    record.near_start = table_words // 2
    return geometry
