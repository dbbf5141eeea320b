"""Rows of a stack as views, and small arrays."""

import numpy as np
import pytest

from boardgames.kernels import JIT, Words, kernel, local_integers, local_reals, row, row_out, types
from boardgames.kernels.abi import WORDS, WORDS_OUT, WORDS_STACK

pytestmark = pytest.mark.plain


@kernel(types.uint64(WORDS))
def total(words: Words) -> np.uint64:
    result = np.uint64(0)
    for index in range(words.shape[0]):
        result += words[index]
    return result


@kernel(types.void(WORDS_OUT, types.uint64))
def fill(words: Words, value: np.uint64) -> None:
    for index in range(words.shape[0]):
        words[index] = value


@kernel(types.uint64(WORDS_STACK, types.int64))
def total_of_row(stack: Words, index: int) -> np.uint64:
    return total(row(stack, index))


@kernel(types.void(WORDS_STACK, types.int64, types.uint64))
def fill_row(stack: Words, index: int, value: np.uint64) -> None:
    fill(row_out(stack, index), value)


@kernel(types.int64(WORDS_STACK, types.int64))
def length_of_row(stack: Words, index: int) -> int:
    return row(stack, index).shape[0]


def stack() -> Words:
    return np.arange(12, dtype=np.uint64).reshape(4, 3)


@pytest.mark.parametrize("index", range(4))
def test_a_row_has_the_elements_of_that_row(index: int) -> None:
    assert total_of_row(stack(), index) == stack()[index].sum()


def test_a_row_is_as_long_as_the_stack_is_wide() -> None:
    assert length_of_row(stack(), 2) == 3


def test_writing_to_a_row_changes_that_row_alone() -> None:
    changed = stack()
    fill_row(changed, 1, np.uint64(99))
    expected = stack()
    expected[1] = 99
    assert np.array_equal(changed, expected)


@pytest.mark.skipif(not JIT, reason="the compiler is what rejects it")
def test_a_kernel_that_writes_to_a_row_does_not_compile() -> None:
    def broken(positions: Words) -> None:
        fill(row(positions, 0), np.uint64(1))

    with pytest.raises(Exception, match=r"readonly|No matching|Invalid use|No implementation"):
        kernel(types.void(WORDS_STACK))(broken)


@kernel(types.float64(types.int64))
def sum_of_squares(first: int) -> float:
    integers, reals = local_integers(5), local_reals(5)
    for index in range(len(integers)):
        integers[index] = first + index
        reals[index] = float(integers[index]) ** 2
    total = 0.0
    for number in reals:
        total += number
    return total


def test_local_arrays_keep_their_elements() -> None:
    assert sum_of_squares(3) == 9 + 16 + 25 + 36 + 49
    assert sum_of_squares(0) == 0 + 1 + 4 + 9 + 16
