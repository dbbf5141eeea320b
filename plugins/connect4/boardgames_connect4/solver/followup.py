"""A bound on the score of a side whose opponent always answers in the same column.

Suppose that every column has an even number of empty cells. Then the side that is not to move, the
*follower*, can answer every disc of the *mover* in the same column. So it is known from the start
which side gets which cell: the mover gets the first, third, ... empty cell of each column, and the
follower the others. If the mover's discs and these cells contain no four in a line, the mover cannot
win. If the follower has a threat on one of its cells, it wins there when the mover has no other
column left, or earlier.

Columns with an odd number of empty cells form pairs: if the mover takes the lowest empty cell of
one column, the follower takes that of the other, and both numbers are even. So the mover gets one
of these two cells.

If an odd number of columns have an odd number of empty cells, the follower needs a threat in one
of them, with an odd number of empty cells below it. The mover does not want to drop a disc just
below the threat, but in the end it must. The other odd columns form pairs.

Source: V. Allis, "A Knowledge-Based Approach of Connect-Four", 1988, chapter 3 (follow-up,
base-inverse and zugzwang); the bounds on scores are ours.
"""

import numpy as np

from boardgames.kernels import kernel, popcount, types
from boardgames_connect4.rules import ONE, ZERO, has_line
from boardgames_connect4.solver.geometry import GEOMETRY, Geometry

NO_BOUND = 99
TWO_COLUMNS = 2


@kernel(types.boolean(GEOMETRY, types.uint64), inline=True)
def has_four(geometry: Geometry, cells: np.uint64) -> bool:
    """Return True if four of the cells are in a line."""
    return has_line(cells, geometry.height, geometry.starts)


@kernel(types.uint64(GEOMETRY, types.uint64, types.uint64), inline=True)
def upwards(geometry: Geometry, cells: np.uint64, empty: np.uint64) -> np.uint64:
    """Return the given empty cells and all cells above them."""
    if geometry.has_guards:
        return cells | (empty & ~(empty + cells))  # the carry runs from the lowest cell to the guard bit
    column = cells
    row = (cells << ONE) & geometry.upper
    while row != ZERO:
        column |= row
        row = (row << ONE) & geometry.upper
    return column


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
    """Return an upper bound on the score of the side to move, or `NO_BOUND` if the strategy gives none.

    Parameters
    ----------
    geometry : Geometry
        The board.
    mover, follower : uint64
        Discs of the side to move and of its opponent. The mover cannot win at once.
    empty, playable : uint64
        The empty cells, and the lowest one of each column.
    threats : uint64
        Empty cells on which the follower wins.
    """
    rows = geometry.mover_rows
    odd = playable & ~rows  # the lowest empty cells of columns with an odd number of them
    claimed = threats & ~rows & ~odd
    dead = upwards(geometry, claimed, empty)  # nobody plays there: the follower has won before
    cells = empty & rows & ~dead
    odd_columns = popcount(odd)
    if odd_columns & 1 == 0:
        first = odd if odd_columns > TWO_COLUMNS else odd & (ZERO - odd)
        if has_four(geometry, mover | cells | first):
            return NO_BOUND
        if first != odd and has_four(geometry, mover | cells | (odd ^ first)):
            return NO_BOUND
        if claimed != ZERO:
            return latest_loss(popcount(dead | (claimed >> ONE)) - 2)
        if has_four(geometry, follower | (empty & ~rows & ~odd)):
            return latest_loss(0)
        return 0
    bound = NO_BOUND
    rest = odd
    while rest != ZERO:
        lowest = rest & (ZERO - rest)
        rest ^= lowest
        column = upwards(geometry, lowest, empty)
        threat = threats & rows & column
        if threat != ZERO:
            threat &= ZERO - threat  # the lowest one
            below = column & (threat - ONE)
            paired = odd ^ lowest
            if not has_four(geometry, mover | (cells & ~column) | (below & ~rows) | paired):
                bound = min(bound, latest_loss(popcount(column & ~below & ~threat)))
    return bound
