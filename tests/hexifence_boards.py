"""Positions of Hexifence that consist of given chains and loops."""

from collections.abc import Sequence
from itertools import pairwise

import boardgames
from boardgames import Position
from boardgames_hexifence.board import board
from boardgames_hexifence.notation import pack_sides

GAMES = {dimension: boardgames.load("hexifence", dimension=dimension) for dimension in (2, 3)}
RING = [0, 1, 2, 6, 11, 15, 18, 17, 16, 12, 7, 3]
"""The cells on the rim of a board of dimension 3, in order."""
LOOP = [4, 5, 10, 14, 13, 8]
"""The cells around the centre of a board of dimension 3, in order."""
LONG_CHAIN = [11, 15, 18, 17, 16, 12]


def shared(dimension: int, first: int, second: int) -> int:
    """Return the edge between two neighbouring cells."""
    around = board(dimension).edges_of_cell
    return next(iter(set(around[first]) & set(around[second])))


def rim(dimension: int, cell: int, index: int = 0) -> int:
    """Return an outer edge of a cell on the rim of the board."""
    places = board(dimension)
    return [edge for edge in places.edges_of_cell[cell] if len(places.cells_of_edge[edge]) == 1][index]


def inside(dimension: int, cells: Sequence[int]) -> list[int]:
    """Return the edges between consecutive cells."""
    return [shared(dimension, first, second) for first, second in pairwise(cells)]


def chain(dimension: int, cells: Sequence[int], *, is_opened: bool = False) -> list[int]:
    """Return the open edges of a chain from rim to rim; if it is opened, its first edge is drawn."""
    ends = [rim(dimension, cells[0]), rim(dimension, cells[-1], -1)]
    return [*ends[is_opened:], *inside(dimension, cells)]


def with_open(dimension: int, edges: Sequence[int]) -> Position:
    """Return the position with blue to move in which all other edges are drawn."""
    places = board(dimension)
    drawn = [-1 if edge in edges else edge % 2 for edge in range(len(places.edges))]
    cells = [-1 if set(around) & set(edges) else 0 for around in places.edges_of_cell]
    return GAMES[dimension].unpack(pack_sides(dimension, drawn, cells, 0).tolist())
