"""Hexifence as a `Picture`: cells as hexagons, edges as lines."""

from functools import cache
from types import MappingProxyType

from boardgames.draw.lattice import Point, hexagon_places, hexagon_side, hexagonal
from boardgames.kernels import Words
from boardgames.picture import Cell, Line, Picture, Tray
from boardgames_hexifence.board import board
from boardgames_hexifence.notation import unpack_sides
from boardgames_hexifence.rules import dimension_of

SIDES = ("blue", "red")
COLOURS = ("#1f5fbf", "#c62f2f")


def draw(words: Words) -> Picture:
    """Return the picture of a packed position.

    Cells have the ids `c0`, `c1`, ..., and edges `e0`, `e1`, ... The label of an edge is its
    number, which is also the text of the move. A move is one click on its edge.

    Examples
    --------
    >>> from boardgames_hexifence.notation import parse_words, start_text
    >>> picture = draw(parse_words(start_text(2), 2))
    >>> len(picture.cells), len(picture.lines), picture.clicks["29"]
    (7, 30, (('e29',),))
    """
    dimension = int(dimension_of(words))
    edges, owners = unpack_sides(words)
    cells = tuple(
        Cell(f"c{cell}", x, y, "hexagon", owner if owner >= 0 else None)
        for cell, ((x, y), owner) in enumerate(zip(_centres(dimension), owners, strict=True))
    )
    lines = tuple(
        Line(f"e{edge}", *start, *end, side if side >= 0 else None, str(edge))
        for edge, ((start, end), side) in enumerate(zip(_edge_ends(dimension), edges, strict=True))
    )
    return Picture(
        cells=cells,
        lines=lines,
        trays=tuple(Tray(side, "cells", owners.count(side)) for side in (0, 1)),
        sides=SIDES,
        colours=COLOURS,
        clicks=MappingProxyType({line.label: ((line.id,),) for line in lines if line.side is None}),
        title="Hexifence",
    )


@cache
def _centres(dimension: int) -> tuple[Point, ...]:
    """Return the centres of all cells in order."""
    return tuple(hexagonal(row, column) for row, column in hexagon_places(dimension))


@cache
def _edge_ends(dimension: int) -> tuple[tuple[Point, Point], ...]:
    """Return both ends of all edges in order."""
    centres = _centres(dimension)
    ends = {
        edge: hexagon_side(*centres[cell], side)
        for cell, around in enumerate(board(dimension).edges_of_cell)
        for side, edge in enumerate(around)
    }
    return tuple(ends[edge] for edge in sorted(ends))
