"""Features of Hexifence positions as kernels: cells, and open edges by kind.

The four kinds of edges are those of J. Tran and M. Farrugia's Hexifence agent
(COMP30024, University of Melbourne, 2016).
"""

import numpy as np

from boardgames.declarations import Feature, FeatureSet
from boardgames.game import Game
from boardgames.kernels import Features, Reals, Words, bit, has_bit, kernel, lowest_bit, types
from boardgames.kernels.abi import WORDS
from boardgames_hexifence.board import (
    CELL_OFFSETS,
    CELLS,
    CELLS_OF_EDGE,
    EDGE_OFFSETS,
    EDGE_WORDS,
    EDGES_OF_CELL,
    SIDES_OF_CELL,
    WORD_BITS,
    cells_of,
    edges_of,
)
from boardgames_hexifence.rules import (
    ONE,
    ZERO,
    closed_cells,
    dimension_of,
    drawn_edges,
    is_drawn,
    open_edges,
    side_to_move,
)

FREE, CAPTURING, SAFE, SACRIFICING = 0, 1, 2, 3
OWN_CELLS, OTHER_CELLS, TO_MOVE, EDGE_KINDS, CLOSABLE_CELLS, FOUR_CELLS = 0, 1, 2, 3, 7, 8


@kernel(types.int64(WORDS, types.int64, types.int64))
def edge_kind(position: Words, dimension: int, edge: int) -> int:
    """Return the kind of an open edge.

    Returns
    -------
    int64
        `FREE` if drawing it closes a cell and offers none, `CAPTURING` if it closes a cell and offers
        another (leaves it with one open edge), `SACRIFICING` if it only offers a cell, and `SAFE` if it
        does neither.
    """
    closes = offers = False
    for index in range(2):
        cell = CELLS_OF_EDGE[EDGE_OFFSETS[dimension] + edge, index]
        if cell >= 0:
            drawn = drawn_edges(position, dimension, cell)
            closes = closes or drawn == SIDES_OF_CELL - 1
            offers = offers or drawn == SIDES_OF_CELL - 2
    if closes:
        return CAPTURING if offers else FREE
    return SACRIFICING if offers else SAFE


@kernel(types.int64(WORDS, types.int64))
def cells_with(position: Words, drawn: int) -> int:
    """Return the number of cells with exactly `drawn` edges drawn."""
    dimension = dimension_of(position)
    count = 0
    for cell in range(CELLS[dimension]):
        if drawn_edges(position, dimension, cell) == drawn:
            count += 1
    return count


@kernel(types.boolean(types.uint64, types.uint64, types.uint64, types.int64))
def _has_cell(first: np.uint64, second: np.uint64, third: np.uint64, cell: int) -> bool:
    """Return True if the bit of a cell is set in one of three words."""
    if cell < WORD_BITS:
        return has_bit(first, cell)
    return has_bit(second, cell - WORD_BITS) if cell < 2 * WORD_BITS else has_bit(third, cell - 2 * WORD_BITS)


@kernel(types.int64(WORDS))
def takeable_cells(position: Words) -> int:
    """Return the number of cells that the side to move can capture in this turn.

    The order of the captures does not matter: from each cell with one open edge, captures follow that edge
    to the next cell, as long as this cell then has at most one open edge.
    """
    dimension = dimension_of(position)
    first = second = third = ZERO  # the cells that have been taken, as bits
    count = 0
    for start in range(CELLS[dimension]):
        if drawn_edges(position, dimension, start) != SIDES_OF_CELL - 1:
            continue
        cell = start
        while cell >= 0 and not _has_cell(first, second, third, cell):
            left, following = 0, -1
            for index in range(SIDES_OF_CELL):
                edge = EDGES_OF_CELL[CELL_OFFSETS[dimension] + cell, index]
                if not is_drawn(position, dimension, edge):
                    place = EDGE_OFFSETS[dimension] + edge
                    other = CELLS_OF_EDGE[place, 0] + CELLS_OF_EDGE[place, 1] - cell  # -1 on the rim
                    if other < 0 or not _has_cell(first, second, third, other):
                        left += 1
                        following = other
            if left > 1:
                break
            if cell < WORD_BITS:
                first |= bit(cell)
            elif cell < 2 * WORD_BITS:
                second |= bit(cell - WORD_BITS)
            else:
                third |= bit(cell - 2 * WORD_BITS)
            count += 1
            cell = following
    return count


@kernel(Features)
def simple_features(position: Words, side: int, out: Reals) -> None:
    """Write the nine features of `simple` for `side` into `out`, `float64[9]`."""
    dimension = dimension_of(position)
    out[OWN_CELLS] = closed_cells(position, side)
    out[OTHER_CELLS] = closed_cells(position, 1 - side)
    out[TO_MOVE] = 1.0 if side_to_move(position) == side else 0.0
    for kind in range(4):
        out[EDGE_KINDS + kind] = 0.0
    for word in range(EDGE_WORDS[dimension]):
        left = open_edges(position, dimension, word)
        while left != ZERO:
            edge = WORD_BITS * word + lowest_bit(left)
            out[EDGE_KINDS + edge_kind(position, dimension, edge)] += 1.0
            left &= left - ONE
    out[CLOSABLE_CELLS] = cells_with(position, SIDES_OF_CELL - 1)
    out[FOUR_CELLS] = cells_with(position, SIDES_OF_CELL - 2)


def simple(game: Game) -> FeatureSet:
    """Return the feature set `simple`, which has nine features.

    Examples
    --------
    >>> from boardgames_hexifence.game import Hexifence
    >>> [feature.name for feature in simple(Hexifence(dimension=2)).features][:3]
    ['own cells', "opponent's cells", 'to move']
    """
    dimension = int(game.options["dimension"] or 0)
    cells, edges = float(cells_of(dimension)), float(edges_of(dimension))
    features = (
        Feature("own cells", "cells", 0.0, cells, "cells that this side owns"),
        Feature("opponent's cells", "cells", 0.0, cells, "cells that the opponent owns"),
        Feature("to move", "", 0.0, 1.0, "1 if this side is to move"),
        Feature("free edges", "edges", 0.0, edges, "open edges that close a cell and offer none"),
        Feature("capturing edges", "edges", 0.0, edges, "open edges that close a cell and offer another"),
        Feature("safe edges", "edges", 0.0, edges, "open edges that neither close nor offer a cell"),
        Feature("sacrificing edges", "edges", 0.0, edges, "open edges that only offer a cell"),
        Feature("closable cells", "cells", 0.0, cells, "cells with one edge open"),
        Feature("cells with four", "cells", 0.0, cells, "cells with two edges open"),
    )
    return FeatureSet("simple", simple_features, features)
