"""Features of Abalone against distances walked cell by cell on the neighbour table."""

from collections import deque
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import boardgames
from boardgames_abalone.board import CELLS, CENTRE, LAYOUTS, NEIGHBOURS
from boardgames_abalone.features import centre_distance, density, marbles_lost
from boardgames_abalone.notation import pack_marbles

pytestmark = pytest.mark.plain

GAME = boardgames.load("abalone")
SETS = st.sets(st.integers(0, CELLS - 1))


@cache
def steps_from(start: int) -> tuple[int, ...]:
    """Return the steps from one cell to every other."""
    steps, queue = {start: 0}, deque([start])
    while queue:
        cell = queue.popleft()
        for neighbour in NEIGHBOURS[cell].tolist():
            if neighbour >= 0 and neighbour not in steps:
                steps[neighbour] = steps[cell] + 1
                queue.append(neighbour)
    return tuple(steps[cell] for cell in range(CELLS))


def slow_terms(cells: set[int], lost: int) -> list[float]:
    """Return the three terms of one side as they are defined."""
    if not cells:
        return [0.0, 0.0, float(lost)]
    centre = sum(steps_from(CENTRE)[cell] for cell in cells) / len(cells)
    spread = [sum(steps_from(cell)[other] for other in cells) / len(cells) for cell in cells]
    return [centre, sum(spread) / len(cells), float(lost)]


@given(SETS, SETS, st.tuples(st.integers(0, 5), st.integers(0, 5)), st.integers(0, 1), st.integers(0, 1))
def test_features_are_the_terms_of_both_sides_own_first(
    first: set[int], second: set[int], lost: tuple[int, int], to_move: int, side: int
) -> None:
    marbles = (first - second, second)
    words = pack_marbles(*marbles, to_move, lost)
    out = np.full(6, np.nan)
    boardgames.feature_set("simple", GAME).kernel(words, side, out)
    expected = [*slow_terms(marbles[side], lost[side]), *slow_terms(marbles[1 - side], lost[1 - side])]
    assert out.tolist() == pytest.approx(expected, abs=1e-12)


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


@pytest.mark.parametrize("layout", LAYOUTS)
def test_features_stay_within_their_declared_range(layout: str) -> None:
    features = boardgames.feature_set("simple", GAME)
    out = np.zeros(6)
    features.kernel(boardgames.load("abalone", layout=layout).start().words, 0, out)
    assert len(features.features) == out.size
    assert all(
        feature.low <= value <= feature.high for feature, value in zip(features.features, out, strict=True)
    )


def test_features_are_named_own_first() -> None:
    names = [feature.name for feature in boardgames.feature_set("simple", GAME).features]
    assert names == [
        "own centre distance", "own density", "own lost",
        "other's centre distance", "other's density", "other's lost",
    ]  # fmt: skip
