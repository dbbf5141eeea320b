"""Lattices: neighbours are 1 apart, and hexagons share corners and sides exactly."""

import math
from itertools import combinations

import pytest

from boardgames.draw.lattice import corners, hexagon_places, hexagon_side, hexagonal, square


def test_a_square_is_named_by_its_column_and_row() -> None:
    assert square(3, 5) == (5.0, 3.0)


@pytest.mark.parametrize("size", range(1, 9))
def test_number_of_cells_of_a_hexagonal_board(size: int) -> None:
    assert len(hexagon_places(size)) == 3 * size * (size - 1) + 1


def test_places_are_ordered_by_row_and_column() -> None:
    places = [hexagonal(row, column) for row, column in hexagon_places(5)]
    assert places == sorted(places, key=lambda place: (place[1], place[0]))


def test_neighbouring_cells_have_the_distance_one() -> None:
    places = [hexagonal(row, column) for row, column in hexagon_places(4)]
    assert math.isclose(min(math.dist(a, b) for a, b in combinations(places, 2)), 1.0)


def test_rows_of_a_hexagonal_board_are_centred() -> None:
    rows: dict[int, list[float]] = {}
    for row, column in hexagon_places(5):
        rows.setdefault(row, []).append(hexagonal(row, column)[0])
    assert {(row[0] + row[-1]) / 2 for row in rows.values()} == {6.0}


def test_corners_run_clockwise_from_the_top() -> None:
    angles = [math.degrees(math.atan2(x, -y)) % 360 for x, y in corners(0.0, 0.0)]
    assert [round(angle) for angle in angles] == [0, 60, 120, 180, 240, 300]


@pytest.mark.parametrize("size", [2, 3, 8])
def test_neighbours_share_sides_exactly(size: int) -> None:
    places = [hexagonal(row, column) for row, column in hexagon_places(size)]
    sides = {hexagon_side(x, y, side) for x, y in places for side in range(6)}
    assert len(sides) == 3 * size * (3 * size - 1)


@pytest.mark.parametrize("side", range(6))
def test_side_starts_at_its_left_or_upper_end(side: int) -> None:
    first, last = hexagon_side(2.0, 3.0, side)
    assert first < last
