"""What a network sees of a position: drawn edges, cells and the lead, on the grid of the original program."""

from functools import cache

import numpy as np

from boardgames.kernels import Bytes, Observe, Words, has_bit, kernel
from boardgames.observation import Observation
from boardgames_hexifence.board import CELL_WORDS, EDGE_WORDS, grid_places
from boardgames_hexifence.rules import FIRST, closed_cells, is_drawn

MAX_LEAD = 127
"""Maximum lead that is shown; every match with such a lead is decided."""


@cache
def observation(dimension: int) -> Observation:
    """Return the observation for boards of this dimension.

    The observation does not show who drew an edge, since that does not matter. The lead in cells is
    repeated in every place of its plane.
    """
    size = 4 * dimension - 1
    plane = size * size
    edge_places, cell_places = grid_places(dimension)
    place_of_edge = np.array([row * size + column for row, column in edge_places])
    place_of_cell = np.array([row * size + column for row, column in cell_places])
    edges, cells = len(edge_places), len(cell_places)
    first_cells, cell_words = FIRST + 2 * int(EDGE_WORDS[dimension]), int(CELL_WORDS[dimension])

    @kernel(Observe)
    def observe(position: Words, side: int, out: Bytes) -> None:
        for place in range(4 * plane):
            out[place] = 0
        for edge in range(edges):
            out[place_of_edge[edge]] = is_drawn(position, dimension, edge)
        for number in range(2):
            owned = first_cells + (side if number == 0 else 1 - side) * cell_words
            for cell in range(cells):
                is_owned = has_bit(position[owned + (cell >> 6)], cell & 63)
                out[(1 + number) * plane + place_of_cell[cell]] = is_owned
        lead = closed_cells(position, side) - closed_cells(position, 1 - side)
        shown = max(-MAX_LEAD, min(MAX_LEAD, lead))
        for edge in range(edges):
            out[3 * plane + place_of_edge[edge]] = shown
        for cell in range(cells):
            out[3 * plane + place_of_cell[cell]] = shown

    names = ("drawn edges", "own cells", "opponent's cells", "lead in cells")
    places = edge_places + cell_places
    return Observation(observe, names, size, size, places, scales=(1.0, 1.0, 1.0, 0.125))
