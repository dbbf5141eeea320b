"""Lattices: neighbours are 1 apart, and what two hexagons share is the same for both."""

import math
from itertools import combinations

import pytest

from boardgames.draw.lattice import corners, hexagon_places, hexagon_side, hexagonal, square


def test_squares_stand_row_by_row() -> None:
    assert square(3, 5) == (5.0, 3.0)


@pytest.mark.parametrize("size", range(1, 9))
def test_a_hexagon_has_the_cells_of_its_size(size: int) -> None:
    assert len(hexagon_places(size)) == 3 * size * (size - 1) + 1


def test_places_come_row_by_row_from_the_top_left() -> None:
    places = [hexagonal(row, column) for row, column in hexagon_places(5)]
    assert places == sorted(places, key=lambda place: (place[1], place[0]))


def test_no_two_cells_are_nearer_than_one() -> None:
    places = [hexagonal(row, column) for row, column in hexagon_places(4)]
    assert math.isclose(min(math.dist(a, b) for a, b in combinations(places, 2)), 1.0)


def test_the_rows_of_a_hexagon_share_their_middle() -> None:
    rows: dict[int, list[float]] = {}
    for row, column in hexagon_places(5):
        rows.setdefault(row, []).append(hexagonal(row, column)[0])
    assert {(row[0] + row[-1]) / 2 for row in rows.values()} == {6.0}


def test_corners_run_clockwise_from_the_top() -> None:
    angles = [math.degrees(math.atan2(x, -y)) % 360 for x, y in corners(0.0, 0.0)]
    assert [round(angle) for angle in angles] == [0, 60, 120, 180, 240, 300]


@pytest.mark.parametrize("size", [2, 3, 8])
def test_neighbours_share_a_side_to_the_last_digit(size: int) -> None:
    places = [hexagonal(row, column) for row, column in hexagon_places(size)]
    sides = {hexagon_side(x, y, side) for x, y in places for side in range(6)}
    assert len(sides) == 3 * size * (3 * size - 1)


@pytest.mark.parametrize("side", range(6))
def test_a_side_comes_with_its_left_or_upper_end_first(side: int) -> None:
    first, last = hexagon_side(2.0, 3.0, side)
    assert first < last
