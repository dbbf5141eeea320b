"""The three numbers of a simple program, by hand."""

import pytest

import boardgames
from boardgames_abalone.board import CENTRE
from boardgames_abalone.measures import centre_distance, density, marbles_lost
from boardgames_abalone.notation import pack_marbles

pytestmark = pytest.mark.plain

GAME = boardgames.load("abalone")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [({CENTRE}, 0.0), ({0}, 4.0), (set(range(5)), 4.0), ({CENTRE, 0}, 2.0), (set(), 0.0)],
    ids=["centre", "corner", "edge", "both", "none"],
)
def test_distance_to_the_centre_is_the_average(cells: set[int], expected: float) -> None:
    low, high, *_ = pack_marbles(cells, (), 0, (0, 0))
    assert centre_distance(low, high) == expected


@pytest.mark.parametrize(
    ("cells", "expected"),
    [({CENTRE}, 0.0), ({0, 1}, 0.5), ({0, 60}, 4.0), ({0, 1, 2}, 8 / 9), (set(), 0.0)],
    ids=["one", "neighbours", "far apart", "three in line", "none"],
)
def test_density_is_divided_by_the_number_of_marbles_twice(cells: set[int], expected: float) -> None:
    low, high, *_ = pack_marbles(cells, (), 0, (0, 0))
    assert density(low, high) == pytest.approx(expected)


@pytest.mark.parametrize("side", [0, 1])
def test_marbles_lost_are_those_of_the_side(side: int) -> None:
    assert marbles_lost(GAME.start().apply("a1b1").words[4], side) == 0.0
    assert marbles_lost(pack_marbles((), (), 1, (2, 5))[4], side) == (2.0, 5.0)[side]
