"""Geometry of the Hexifence board against the reference and formulas."""

import numpy as np
import pytest
from reference import hexifence as reference

from boardgames_hexifence.board import (
    CELL_OFFSETS,
    CELLS_OF_EDGE,
    EDGE_OFFSETS,
    EDGES_OF_CELL,
    board,
    cells_of,
    edges_of,
    symmetries,
)

DIMENSIONS = range(2, 9)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_numbers_of_cells_and_edges_match_the_formulas(dimension: int) -> None:
    places = board(dimension)
    assert len(places.centres) == cells_of(dimension) == len(reference.cells(dimension))
    assert len(places.edges) == edges_of(dimension) == len(reference.edges(dimension))


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_edges_of_cells_match_the_reference(dimension: int) -> None:
    number = {edge: index for index, edge in enumerate(reference.edges(dimension))}
    expected = [{number[edge] for edge in reference.around(cell)} for cell in reference.cells(dimension)]
    assert [set(around) for around in board(dimension).edges_of_cell] == expected


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_kernel_tables_contain_every_dimension(dimension: int) -> None:
    places = board(dimension)
    first_cell, first_edge = CELL_OFFSETS[dimension], EDGE_OFFSETS[dimension]
    around = EDGES_OF_CELL[first_cell : first_cell + len(places.centres)]
    touching = CELLS_OF_EDGE[first_edge : first_edge + len(places.edges)]
    assert [tuple(row) for row in around.tolist()] == list(places.edges_of_cell)
    assert [tuple(cell for cell in row if cell >= 0) for row in touching.tolist()] == list(
        places.cells_of_edge
    )


def test_edges_are_numbered_from_the_top_and_from_left_to_right() -> None:
    # the rows of edges of dimension 2 are slanted, vertical, slanted, ...
    midpoints = [(start[1] + end[1], start[0] + end[0]) for start, end in board(2).edges]
    heights = [height for height, _ in midpoints]
    assert midpoints == sorted(midpoints)
    assert [heights.count(height) for height in sorted(set(heights))] == [4, 3, 6, 4, 6, 3, 4]


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_symmetries_map_the_edges_of_a_cell_to_the_edges_of_its_image(dimension: int) -> None:
    edges, cells = symmetries(dimension)
    around = np.array(board(dimension).edges_of_cell)
    for edge_map, cell_map in zip(edges, cells, strict=True):
        assert np.array_equal(np.sort(edge_map[around]), np.sort(around[cell_map]))


def test_the_twelve_symmetries_are_different() -> None:
    edges, _ = symmetries(2)
    assert len({row.tobytes() for row in edges}) == 12


def test_the_second_symmetry_rotates_clockwise() -> None:
    edges, _ = symmetries(2)
    assert edges[1, 0] == 3  # the upper left edge of the rim goes to the upper right
