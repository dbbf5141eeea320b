"""Operations on four words at once: they do to each what is done to one."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boardgames.kernels import kernel
from boardgames_abalone.board import CELLS, DIRECTIONS, NEIGHBOURS
from boardgames_abalone.lanes import (
    LANES,
    Lanes,
    all_ahead,
    counts,
    join,
    lanes_of,
    less,
    meet,
    plus,
    swapped,
)
from boardgames_abalone.rules import ahead

pytestmark = pytest.mark.plain

WORDS = st.tuples(*[st.integers(0, 2**64 - 1).map(np.uint64)] * 4)


@kernel(LANES(LANES, LANES))
def _meet(first: Lanes, second: Lanes) -> Lanes:
    return meet(first, second)


@kernel(LANES(LANES, LANES))
def _join(first: Lanes, second: Lanes) -> Lanes:
    return join(first, second)


@kernel(LANES(LANES, LANES))
def _less(first: Lanes, second: Lanes) -> Lanes:
    return less(first, second)


@kernel(LANES(LANES, LANES))
def _plus(first: Lanes, second: Lanes) -> Lanes:
    return plus(first, second)


@kernel(LANES(LANES))
def _swapped(lanes: Lanes) -> Lanes:
    return swapped(lanes)


@kernel(LANES(LANES))
def _counts(lanes: Lanes) -> Lanes:
    return counts(lanes)


def _ahead_in(direction: int) -> Callable[[Lanes], Lanes]:
    @kernel(LANES(LANES))
    def found(lanes: Lanes) -> Lanes:
        return all_ahead(lanes, direction)

    return found


AHEAD = [_ahead_in(direction) for direction in range(6)]


@given(WORDS, WORDS)
def test_sets_are_combined_lane_by_lane(first: Lanes, second: Lanes) -> None:
    both = [(int(a), int(b)) for a, b in zip(first, second, strict=True)]
    assert [int(word) for word in _meet(first, second)] == [a & b for a, b in both]
    assert [int(word) for word in _join(first, second)] == [a | b for a, b in both]
    assert [int(word) for word in _less(first, second)] == [a & ~b for a, b in both]
    with np.errstate(over="ignore"):
        assert [int(word) for word in _plus(first, second)] == [(a + b) % 2**64 for a, b in both]


@given(WORDS)
def test_cells_are_counted_lane_by_lane(lanes: Lanes) -> None:
    assert [int(word) for word in _counts(lanes)] == [int(word).bit_count() for word in lanes]


def test_sides_are_swapped_with_both_their_words() -> None:
    lanes = tuple(np.uint64(word) for word in (1, 2, 3, 4))
    assert [int(word) for word in _swapped(lanes)] == [3, 4, 1, 2]


@settings(max_examples=30)
@given(WORDS, st.integers(0, 5))
def test_both_sides_go_ahead_as_one_does(lanes: Lanes, direction: int) -> None:
    expected = [*ahead(lanes[0], lanes[1], direction), *ahead(lanes[2], lanes[3], direction)]
    assert [int(word) for word in AHEAD[direction](lanes)] == [int(word) for word in expected]


@pytest.mark.parametrize("direction", range(6), ids=DIRECTIONS)
def test_a_cell_ahead_is_the_neighbour_of_one(direction: int) -> None:
    for cell in range(CELLS):
        behind = AHEAD[direction](lanes_of([cell]))
        expected = [other for other in range(CELLS) if NEIGHBOURS[other, direction] == cell]
        board = lanes_of(range(CELLS))
        assert [int(a & b) for a, b in zip(behind, board, strict=True)] == [
            int(w) for w in lanes_of(expected)
        ]
