"""Vector operations: every lane has the result of the same operation on single words."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boardgames.kernels import Reals, kernel, types
from boardgames.kernels.abi import REALS
from boardgames_abalone import rules
from boardgames_abalone.board import CELLS, DIRECTIONS, NEIGHBOURS
from boardgames_abalone.simd import (
    FLOAT_VECTOR,
    VECTOR,
    FloatVector,
    Vector,
    add,
    add_floats,
    and_,
    and_not,
    behind,
    differences,
    load_floats,
    majority,
    mask,
    multiply_floats,
    opponent_totals,
    or_,
    own_totals,
    popcounts,
    subtract,
    swap_sides,
    xor3,
)

pytestmark = pytest.mark.plain

VECTORS = st.tuples(*[st.integers(0, 2**64 - 1).map(np.uint64)] * 4)
COUNTS = st.tuples(*[st.integers(0, 2**29).map(np.uint64)] * 4)
FEW = settings(max_examples=30)


# intrinsics can only be called from compiled code


@kernel(VECTOR(VECTOR, VECTOR))
def _and(first: Vector, second: Vector) -> Vector:
    return and_(first, second)


@kernel(VECTOR(VECTOR, VECTOR))
def _or(first: Vector, second: Vector) -> Vector:
    return or_(first, second)


@kernel(VECTOR(VECTOR, VECTOR))
def _and_not(first: Vector, second: Vector) -> Vector:
    return and_not(first, second)


@kernel(VECTOR(VECTOR, VECTOR))
def _add(first: Vector, second: Vector) -> Vector:
    return add(first, second)


@kernel(VECTOR(VECTOR, VECTOR))
def _subtract(first: Vector, second: Vector) -> Vector:
    return subtract(first, second)


@kernel(VECTOR(VECTOR, VECTOR, VECTOR))
def _xor3(first: Vector, second: Vector, third: Vector) -> Vector:
    return xor3(first, second, third)


@kernel(VECTOR(VECTOR, VECTOR, VECTOR))
def _majority(first: Vector, second: Vector, third: Vector) -> Vector:
    return majority(first, second, third)


@kernel(FLOAT_VECTOR(VECTOR, VECTOR, VECTOR, VECTOR))
def _own_totals(first: Vector, second: Vector, third: Vector, fourth: Vector) -> FloatVector:
    return own_totals(first, second, third, fourth)


@kernel(FLOAT_VECTOR(VECTOR, VECTOR, VECTOR, VECTOR))
def _opponent_totals(first: Vector, second: Vector, third: Vector, fourth: Vector) -> FloatVector:
    return opponent_totals(first, second, third, fourth)


@kernel(FLOAT_VECTOR(VECTOR, VECTOR, VECTOR, VECTOR))
def _differences(first: Vector, second: Vector, third: Vector, fourth: Vector) -> FloatVector:
    return differences(first, second, third, fourth)


@kernel(FLOAT_VECTOR(REALS, types.int64))
def _polynomial(array: Reals, first: int) -> FloatVector:
    """Return 2 x + x^2 for four consecutive elements x."""
    numbers = load_floats(array, first)
    return add_floats(add_floats(numbers, numbers), multiply_floats(numbers, numbers))


@kernel(VECTOR(VECTOR))
def _swap_sides(vector: Vector) -> Vector:
    return swap_sides(vector)


@kernel(VECTOR(VECTOR))
def _popcounts(vector: Vector) -> Vector:
    return popcounts(vector)


def _behind_in(direction: int) -> Callable[[Vector], Vector]:
    @kernel(VECTOR(VECTOR))
    def in_direction(vector: Vector) -> Vector:
        return behind(vector, direction)

    return in_direction


BEHIND = [_behind_in(direction) for direction in range(6)]


@FEW
@given(VECTORS, VECTORS)
def test_binary_operations_work_lane_by_lane(first: Vector, second: Vector) -> None:
    lanes = [(int(a), int(b)) for a, b in zip(first, second, strict=True)]
    assert [int(word) for word in _and(first, second)] == [a & b for a, b in lanes]
    assert [int(word) for word in _or(first, second)] == [a | b for a, b in lanes]
    assert [int(word) for word in _and_not(first, second)] == [a & ~b for a, b in lanes]
    with np.errstate(over="ignore"):
        assert [int(word) for word in _add(first, second)] == [(a + b) % 2**64 for a, b in lanes]
        assert [int(word) for word in _subtract(first, second)] == [(a - b) % 2**64 for a, b in lanes]


@FEW
@given(VECTORS, VECTORS, VECTORS)
def test_xor3_and_majority_are_the_sum_and_carry_of_a_full_adder(
    first: Vector, second: Vector, third: Vector
) -> None:
    ones, twos = _xor3(first, second, third), _majority(first, second, third)
    for lane in range(4):
        count = sum(int(vector[lane]).bit_count() for vector in (first, second, third))
        assert int(ones[lane]).bit_count() + 2 * int(twos[lane]).bit_count() == count


@FEW
@given(st.tuples(COUNTS, COUNTS, COUNTS, COUNTS))
def test_totals_of_both_sides_are_floats_in_the_order_of_the_arguments(vectors: tuple[Vector, ...]) -> None:
    own = [float(int(counts[0]) + int(counts[1])) for counts in vectors]
    others = [float(int(counts[2]) + int(counts[3])) for counts in vectors]
    assert list(_own_totals(*vectors)) == own
    assert list(_opponent_totals(*vectors)) == others
    assert list(_differences(*vectors)) == [a - b for a, b in zip(own, others, strict=True)]


def test_float_operations_work_on_four_elements_of_an_array() -> None:
    array = np.array([9.0, 0.5, -1.0, 3.0, 0.0, 7.0])
    assert _polynomial(array, 1) == (1.25, -1.0, 15.0, 0.0)
    assert _polynomial(array, 2) == (-1.0, 15.0, 0.0, 63.0)


@FEW
@given(VECTORS)
def test_popcounts_counts_the_bits_of_each_lane(vector: Vector) -> None:
    assert [int(word) for word in _popcounts(vector)] == [int(word).bit_count() for word in vector]


def test_swap_sides_exchanges_pairs_of_lanes() -> None:
    vector = tuple(np.uint64(word) for word in (1, 2, 3, 4))
    assert [int(word) for word in _swap_sides(vector)] == [3, 4, 1, 2]


@FEW
@given(VECTORS, st.integers(0, 5))
def test_behind_shifts_both_sides_as_the_rules_shift_one(vector: Vector, direction: int) -> None:
    expected = [*rules.behind(*vector[:2], direction), *rules.behind(*vector[2:], direction)]
    assert [int(word) for word in BEHIND[direction](vector)] == [int(word) for word in expected]


@pytest.mark.parametrize("direction", range(6), ids=DIRECTIONS)
def test_the_cell_behind_a_cell_has_it_as_its_neighbour(direction: int) -> None:
    board = mask(range(CELLS))
    for cell in range(CELLS):
        shifted = [
            int(word & on_board)
            for word, on_board in zip(BEHIND[direction](mask([cell])), board, strict=True)
        ]
        expected = mask(other for other in range(CELLS) if NEIGHBOURS[other, direction] == cell)
        assert shifted == [int(word) for word in expected]
