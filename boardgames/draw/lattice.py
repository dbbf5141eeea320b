"""Coordinates of the cells of square and hexagonal boards, for the views of games.

Coordinates are as in `boardgames.picture`: neighbouring cells are 1 apart, x
points right and y points down. Hexagonal boards have horizontal rows of
hexagons with a corner at the top. A cell has a row and a column, and columns
run diagonally, down and to the right:

          (0, 1) (0, 2)
       (1, 0) (1, 1) (1, 2)
          (2, 0) (2, 1)

Coordinates of corners are rounded, so that a corner or side that two cells share
has exactly the same coordinates for both cells.
"""

import math

ROW_STEP = math.sqrt(3) / 2
"""Distance between adjacent rows of a hexagonal board."""
CORNER_DISTANCE = 1 / math.sqrt(3)
"""Distance from the centre of a hexagon to its corners."""
DIGITS = 6

Point = tuple[float, float]


def square(row: int, column: int) -> Point:
    """Return the centre of a cell on a square board.

    Examples
    --------
    >>> square(2, 1)
    (1.0, 2.0)
    """
    return float(column), float(row)


def hexagonal(row: int, column: int) -> Point:
    """Return the centre of a cell on a hexagonal board.

    Examples
    --------
    >>> x, y = hexagonal(2, 0)
    >>> (x, round(y, 4))
    (1.0, 1.7321)
    """
    return column + row / 2, row * ROW_STEP


def hexagon_places(size: int) -> tuple[tuple[int, int], ...]:
    """Return the rows and columns of the cells of a hexagonal board with `size` cells on each side.

    Rows are ordered from top to bottom, and the cells of a row from left to right.

    Examples
    --------
    >>> hexagon_places(2)
    ((0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1))
    """
    return tuple(
        (row, column)
        for row in range(2 * size - 1)
        for column in range(2 * size - 1)
        if size - 1 <= row + column <= 3 * (size - 1)
    )


def corners(x: float, y: float) -> tuple[Point, ...]:
    """Return the six corners of the hexagon around (x, y), clockwise from the top.

    Examples
    --------
    >>> corners(0, 0)[:3]
    ((0.0, -0.57735), (0.5, -0.288675), (0.5, 0.288675))
    """
    half = CORNER_DISTANCE / 2
    offsets = (
        (0.0, -CORNER_DISTANCE),
        (0.5, -half),
        (0.5, half),
        (0.0, CORNER_DISTANCE),
        (-0.5, half),
        (-0.5, -half),
    )
    return tuple((round(x + dx, DIGITS), round(y + dy, DIGITS)) for dx, dy in offsets)


def hexagon_side(x: float, y: float, side: int) -> tuple[Point, Point]:
    """Return the ends of a side of the hexagon around (x, y): the left end first, or the upper end.

    Sides are numbered clockwise: 0 north-east, 1 east, 2 south-east,
    3 south-west, 4 west, 5 north-west. A side shared by two hexagons has the
    same ends for both.

    Examples
    --------
    >>> hexagon_side(0, 0, 1) == hexagon_side(1, 0, 4)
    True
    """
    around = corners(x, y)
    first, last = sorted((around[side], around[(side + 1) % 6]))
    return first, last
