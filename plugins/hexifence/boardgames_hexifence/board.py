r"""Geometry of the Hexifence board: cells, edges, which edges belong to which cells, and symmetries.

Source: project of COMP30024 Artificial Intelligence, University of Melbourne, 2016. The
game is Dots and Boxes on a hexagon of hexagons.

A board of dimension n is a hexagon with n pointy-topped cells per side: 2n - 1 rows,
3n(n - 1) + 1 cells, 3n(3n - 1) edges. Cells are numbered from 0, row by row from the top
and from left to right. Edges are numbered from 0 by the height of their midpoints, from
top to bottom and from left to right: first the slanted edges above the first row of
cells, then the vertical edges of that row, then the slanted edges below it, and so
on. Dimension 2:

            0/\1  2/\3             cells   0 1
           4|   5|   6|                    2 3 4
          7/\8  9/\10 11/\12              5 6
        13|   14|   15|   16|
         17\/18 19\/20 21\/22       edges 0 to 29
          23|   24|   25|
           26\/27 28\/29

Points have integer coordinates relative to the centre of the board. x runs to the right
in units of half the distance between neighbouring cells, y runs down in units of a third
of the distance between rows. A cell at (x, y) has its corners at (x, y - 2),
(x + 1, y - 1), (x + 1, y + 1), (x, y + 2), (x - 1, y + 1) and (x - 1, y - 1).

The grid of the original program has 4n - 1 rows and columns, counted from 0. Cells are at odd
rows and columns, and the edges of the cell at (r, c) are at (r - 1, c - 1), (r - 1, c), (r, c - 1),
(r, c + 1), (r + 1, c) and (r + 1, c + 1). In row-major order of this grid, cells and edges have the
same order as by number.

The tables at the end are for kernels. They contain all dimensions, one after the
other; the entries of dimension n start at `CELL_OFFSETS[n]` or `EDGE_OFFSETS[n]`.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

MIN_DIMENSION, MAX_DIMENSION = 2, 8
CORNERS = ((0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1))
SIDES_OF_CELL = 6
WORD_BITS = 64

Point = tuple[int, int]
Place = tuple[int, int]
Edge = tuple[Point, Point]


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """The board of one dimension; cells and edges are identified by their numbers.

    Attributes
    ----------
    dimension : int
        Cells per side.
    centres : tuple of (int, int)
        Centre of each cell.
    edges : tuple of pairs of (int, int)
        Both ends of each edge, the left or upper one first.
    edges_of_cell : tuple of tuple of int
        The six edges of each cell, clockwise from the upper right.
    cells_of_edge : tuple of tuple of int
        The one or two cells of each edge, in ascending order.
    """

    dimension: int
    centres: tuple[Point, ...]
    edges: tuple[Edge, ...]
    edges_of_cell: tuple[tuple[int, ...], ...]
    cells_of_edge: tuple[tuple[int, ...], ...]


@cache
def board(dimension: int) -> Board:
    """Return the board with `dimension` cells per side.

    Examples
    --------
    >>> small = board(2)
    >>> len(small.centres), len(small.edges)
    (7, 30)
    >>> small.edges_of_cell[0]
    (1, 5, 9, 8, 4, 0)
    >>> small.cells_of_edge[5]
    (0, 1)
    """
    centres = _centres(dimension)
    outlines = [_outline(centre) for centre in centres]
    edges = tuple(sorted({edge for outline in outlines for edge in outline}, key=_reading_order))
    number = {edge: index for index, edge in enumerate(edges)}
    edges_of_cell = tuple(tuple(number[edge] for edge in outline) for outline in outlines)
    touching: list[list[int]] = [[] for _ in edges]
    for cell, around in enumerate(edges_of_cell):
        for edge in around:
            touching[edge].append(cell)
    return Board(dimension, centres, edges, edges_of_cell, tuple(map(tuple, touching)))


@cache
def symmetries(dimension: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the images of all edges and cells under the twelve symmetries.

    Returns
    -------
    edges : int64[12, edges]
        Six clockwise rotations by multiples of 60 degrees, starting with the identity, and then the
        same rotations after a reflection from left to right.
    cells : int64[12, cells]
        Likewise for cells.

    Examples
    --------
    >>> edges, cells = symmetries(2)
    >>> edges[1, :4].tolist(), cells[1].tolist()
    ([3, 6, 12, 16], [1, 4, 0, 3, 6, 2, 5])
    """
    places = board(dimension)
    edge_number = {edge: index for index, edge in enumerate(places.edges)}
    cell_number = {centre: index for index, centre in enumerate(places.centres)}
    edges, cells = [], []
    for symmetry in range(12):
        ends = [(_image(start, symmetry), _image(end, symmetry)) for start, end in places.edges]
        edges.append([edge_number[_edge(start, end)] for start, end in ends])
        cells.append([cell_number[_image(centre, symmetry)] for centre in places.centres])
    return _frozen(np.array(edges)), _frozen(np.array(cells))


@cache
def grid_places(dimension: int) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
    """Return the places (row, column) of all edges and of all cells on the grid of the original program.

    Examples
    --------
    >>> edges, cells = grid_places(2)
    >>> edges[:5], edges[29], cells[:3]
    (((0, 0), (0, 1), (0, 2), (0, 3), (1, 0)), (6, 6), ((1, 1), (1, 3), (3, 1)))
    """
    places, middle = board(dimension), 2 * dimension - 1

    def place(x: int, y: int) -> Place:
        """Return the place of a point, given twice its coordinates."""
        return y // 3 + middle, (3 * x + y) // 6 + middle

    edges = tuple(place(x1 + x2, y1 + y2) for (x1, y1), (x2, y2) in places.edges)
    return edges, tuple(place(2 * x, 2 * y) for x, y in places.centres)


def cells_of(dimension: int) -> int:
    """Return the number of cells.

    Examples
    --------
    >>> [cells_of(dimension) for dimension in range(2, 9)]
    [7, 19, 37, 61, 91, 127, 169]
    """
    return 3 * dimension * (dimension - 1) + 1


def edges_of(dimension: int) -> int:
    """Return the number of edges.

    Examples
    --------
    >>> [edges_of(dimension) for dimension in range(2, 9)]
    [30, 72, 132, 210, 306, 420, 552]
    """
    return 3 * dimension * (3 * dimension - 1)


def _centres(dimension: int) -> tuple[Point, ...]:
    centres = []
    for down in range(1 - dimension, dimension):
        length = 2 * dimension - 1 - abs(down)
        centres += [(2 * index - length + 1, 3 * down) for index in range(length)]
    return tuple(centres)


def _outline(centre: Point) -> list[Edge]:
    """Return the six edges of a cell, clockwise from the upper right."""
    x, y = centre
    corners = [(x + dx, y + dy) for dx, dy in CORNERS]
    return [_edge(corners[index], corners[(index + 1) % 6]) for index in range(6)]


def _edge(start: Point, end: Point) -> Edge:
    return (start, end) if start < end else (end, start)


def _reading_order(edge: Edge) -> tuple[int, int]:
    (x1, y1), (x2, y2) = edge
    return y1 + y2, x1 + x2


def _image(point: Point, symmetry: int) -> Point:
    """Return the image of a point under a symmetry, 0 to 11."""
    x, y = point
    if symmetry >= 6:
        x = -x
    for _ in range(symmetry % 6):
        x, y = (x - y) // 2, (3 * x + y) // 2
    return x, y


def _frozen(array: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    array.flags.writeable = False
    return array


def _by_dimension(counts: list[int]) -> npt.NDArray[np.int64]:
    """Return a table indexed by dimension; entries below the smallest dimension are 0."""
    return _frozen(np.array([0] * MIN_DIMENSION + counts, dtype=np.int64))


def _words(count: int) -> int:
    return (count + WORD_BITS - 1) // WORD_BITS


def _pair(cells: tuple[int, ...]) -> tuple[int, int]:
    return (cells[0], cells[1]) if len(cells) == 2 else (cells[0], -1)


_BOARDS = [board(dimension) for dimension in range(MIN_DIMENSION, MAX_DIMENSION + 1)]

CELLS = _by_dimension([len(places.centres) for places in _BOARDS])
"""`int64[9]`: number of cells by dimension."""
EDGES = _by_dimension([len(places.edges) for places in _BOARDS])
"""`int64[9]`: number of edges by dimension."""
CELL_WORDS = _by_dimension([_words(len(places.centres)) for places in _BOARDS])
"""`int64[9]`: words for one bit per cell, by dimension."""
EDGE_WORDS = _by_dimension([_words(len(places.edges)) for places in _BOARDS])
"""`int64[9]`: words for one bit per edge, by dimension."""
CELL_OFFSETS = _frozen(np.cumsum(CELLS) - CELLS)
"""`int64[9]`: row of cell 0 in `EDGES_OF_CELL`, by dimension."""
EDGE_OFFSETS = _frozen(np.cumsum(EDGES) - EDGES)
"""`int64[9]`: row of edge 0 in `CELLS_OF_EDGE`, by dimension."""
EDGES_OF_CELL = _frozen(np.array([around for places in _BOARDS for around in places.edges_of_cell]))
"""`int64[511, 6]`: edges of each cell."""
CELLS_OF_EDGE = _frozen(np.array([_pair(cells) for places in _BOARDS for cells in places.cells_of_edge]))
"""`int64[1722, 2]`: cells of each edge, the second -1 for edges on the rim of the board."""
