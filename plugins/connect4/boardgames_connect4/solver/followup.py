"""A bound on the score of a side whose opponent always answers in the same column.

Suppose that every column has an even number of empty cells. Then the side that is not to move,
the follower, can answer every disc in the same column, and it is known from the start who gets
which cell: the mover gets the first, third, ... empty cell of each column and the follower
the others. If the mover's discs and these cells contain no four in a line, the mover cannot
win. If the follower has a threat on one of its cells, it wins there at the latest when the
mover has no other column left.

If exactly one column has an odd number of empty cells, the same works when the follower has
a threat in this column with an odd number of empty cells below it: the mover never wants to
drop below the threat, and in the end it must.

Source: V. Allis, "A Knowledge-Based Approach of Connect-Four", 1988, chapter 3 (follow-up and
zugzwang); the bounds on scores are ours.
"""

import numpy as np
from numba import types

from boardgames.kernels import kernel, popcount
from boardgames_connect4.rules import ONE, ZERO, has_four
from boardgames_connect4.solver.geometry import GEOMETRY, Geometry

NO_BOUND = 99


@kernel(types.uint64(types.uint64, types.uint64), inline=True)
def cells_above(cells: np.uint64, full: np.uint64) -> np.uint64:
    """Return all cells of the board above one of `cells`."""
    above = ZERO
    row = (cells << ONE) & full
    while row != ZERO:
        above |= row
        row = (row << ONE) & full
    return above


@kernel(types.int64(types.int64), inline=True)
def latest_loss(cells_left: int) -> int:
    """Return the score of losing when `cells_left` cells are still empty after the winning disc."""
    return -((cells_left + 2) // 2)


@kernel(
    types.int64(GEOMETRY, types.uint64, types.uint64, types.uint64, types.uint64, types.uint64), inline=True
)
def follow_up_bound(
    geometry: Geometry,
    mover: np.uint64,
    follower: np.uint64,
    empty: np.uint64,
    playable: np.uint64,
    threats: np.uint64,
) -> int:
    """Return an upper bound of the score of the side to move, `NO_BOUND` if there is none.

    Parameters
    ----------
    geometry : GEOMETRY_DTYPE[1]
        The board.
    mover, follower : uint64
        Discs of the side to move and of its opponent. The mover cannot win at once.
    empty, playable : uint64
        The empty cells, and the lowest one of each column.
    threats : uint64
        Empty cells on which the follower wins.
    """
    board = geometry[0]
    rows = board.mover_rows
    odd = playable & ~rows  # the lowest empty cells of columns with an odd number of them
    if odd == ZERO:
        claimed = threats & ~rows
        above = cells_above(claimed, board.full)  # never reached: the follower wins below
        if has_four(mover | (empty & rows & ~above), board.height):
            return NO_BOUND
        if claimed != ZERO:
            left = 0
            row = (claimed << ONE) & board.full
            while row != ZERO:
                left += 1
                row = (row << ONE) & board.full
            return latest_loss(left)
        if has_four(follower | (empty & ~rows), board.height):
            return latest_loss(0)
        return 0
    if odd & (odd - ONE) != ZERO:
        return NO_BOUND
    column = odd | cells_above(odd, board.full)
    threat = threats & rows & column
    if threat == ZERO:
        return NO_BOUND
    threat &= ZERO - threat  # the lowest one
    below = column & (threat - ONE)
    cells = (empty & rows & ~column) | (below & ~rows)
    if has_four(mover | cells, board.height):
        return NO_BOUND
    return latest_loss(popcount(column & ~below & ~threat))
