"""The constants of a board size that are compiled into the kernels of the solver."""

from typing import NamedTuple

import numpy as np

from boardgames.kernels import types
from boardgames_connect4.board import WORD_BITS, Board

MIRRORED_PLIES = 14
"""In the first plies of a match, this many, a position and its mirror image share an entry of the table."""


class Geometry(NamedTuple):
    """The constants of a board size.

    Attributes
    ----------
    columns, height : int
        Columns, and bits per column with the guard bit if there is one.
    has_guards : bool
        Whether the columns have guard bits.
    key_bits : int
        Bits of the key of a position.
    mirrored : int
        Minimum number of empty cells at which a position and its mirror image share an entry.
    full, bottom, upper : uint64
        The cells of all rows, of the bottom row, and of the other rows.
    starts : uint64
        `Board.line_starts`.
    mover_rows : uint64
        The rows that the side to move fills if every column has an even number of empty cells and
        the opponent always answers in the same column.
    """

    columns: int
    height: int
    has_guards: bool
    key_bits: int
    mirrored: int
    full: np.uint64
    bottom: np.uint64
    upper: np.uint64
    starts: np.uint64
    mover_rows: np.uint64


GEOMETRY = types.NamedTuple(
    [types.int64, types.int64, types.boolean, types.int64, types.int64, *[types.uint64] * 5], Geometry
)


def geometry_of(board: Board) -> Geometry:
    """Return the constants of a board.

    Examples
    --------
    >>> geometry = geometry_of(Board(7, 6))
    >>> geometry.key_bits, int(geometry.full).bit_count()
    (49, 42)
    """
    return Geometry(
        columns=board.columns,
        height=board.height,
        has_guards=board.has_guards,
        key_bits=min(board.columns * board.height, WORD_BITS),
        mirrored=board.columns * board.rows - MIRRORED_PLIES + 1,
        full=np.uint64(board.full),
        bottom=np.uint64(board.bottom),
        upper=np.uint64(board.full & ~board.bottom),
        starts=np.uint64(board.line_starts),
        mover_rows=np.uint64(sum(board.bottom << row for row in range(board.rows % 2, board.rows, 2))),
    )
