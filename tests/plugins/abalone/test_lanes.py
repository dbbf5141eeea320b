"""Operations on four words at once: they do to each what is done to one."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import types

from boardgames.kernels import Reals, kernel
from boardgames.kernels.abi import REALS
from boardgames_abalone.board import CELLS, DIRECTIONS, NEIGHBOURS
from boardgames_abalone.lanes import (
    LANES,
    QUAD,
    Lanes,
    Quad,
    add,
    all_ahead,
    counts,
    join,
    lanes_of,
    leads_of,
    less,
    less_by,
    meet,
    most,
    multiply,
    odd,
    others_of,
    own_of,
    plus,
    quad_at,
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


@kernel(LANES(LANES, LANES))
def _less_by(first: Lanes, second: Lanes) -> Lanes:
    return less_by(first, second)


@kernel(LANES(LANES, LANES, LANES))
def _odd(first: Lanes, second: Lanes, third: Lanes) -> Lanes:
    return odd(first, second, third)


@kernel(LANES(LANES, LANES, LANES))
def _most(first: Lanes, second: Lanes, third: Lanes) -> Lanes:
    return most(first, second, third)


@kernel(QUAD(LANES, LANES, LANES, LANES))
def _own_of(first: Lanes, second: Lanes, third: Lanes, fourth: Lanes) -> Quad:
    return own_of(first, second, third, fourth)


@kernel(QUAD(LANES, LANES, LANES, LANES))
def _others_of(first: Lanes, second: Lanes, third: Lanes, fourth: Lanes) -> Quad:
    return others_of(first, second, third, fourth)


@kernel(QUAD(LANES, LANES, LANES, LANES))
def _leads_of(first: Lanes, second: Lanes, third: Lanes, fourth: Lanes) -> Quad:
    return leads_of(first, second, third, fourth)


@kernel(QUAD(REALS, types.int64))
def _line_at(reals: Reals, first: int) -> Quad:
    """Return 2 x + x^2 of four numbers."""
    numbers = quad_at(reals, first)
    return add(add(numbers, numbers), multiply(numbers, numbers))


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


@given(WORDS, WORDS, WORDS)
def test_three_counts_are_those_of_two_digits(first: Lanes, second: Lanes, third: Lanes) -> None:
    ones, twos = _odd(first, second, third), _most(first, second, third)
    for lane in range(4):
        count = sum(int(lanes[lane]).bit_count() for lanes in (first, second, third))
        assert int(ones[lane]).bit_count() + 2 * int(twos[lane]).bit_count() == count


NUMBERS = st.tuples(*[st.integers(0, 2**29).map(np.uint64)] * 4)


@given(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS))
def test_sums_of_both_sides_become_floats_in_their_order(four: tuple[Lanes, ...]) -> None:
    own = [float(int(numbers[0]) + int(numbers[1])) for numbers in four]
    others = [float(int(numbers[2]) + int(numbers[3])) for numbers in four]
    assert list(_own_of(*four)) == own
    assert list(_others_of(*four)) == others
    assert list(_leads_of(*four)) == [a - b for a, b in zip(own, others, strict=True)]


@given(WORDS, WORDS)
def test_numbers_are_taken_away_lane_by_lane(first: Lanes, second: Lanes) -> None:
    with np.errstate(over="ignore"):
        given = [(int(a) - int(b)) % 2**64 for a, b in zip(first, second, strict=True)]
        assert [int(word) for word in _less_by(first, second)] == given


def test_four_reals_are_reckoned_with_at_once() -> None:
    reals = np.array([9.0, 0.5, -1.0, 3.0, 0.0, 7.0])
    assert _line_at(reals, 1) == (1.25, -1.0, 15.0, 0.0)
    assert _line_at(reals, 2) == (-1.0, 15.0, 0.0, 63.0)


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
