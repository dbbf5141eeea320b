"""Kernels and arrays for another kernel in one array."""

import numpy as np
import pytest
from numba import types

from boardgames.errors import KernelError
from boardgames.kernels import JIT, Actions, kernel
from boardgames.kernels.abi import ACTIONS, ACTIONS_OUT, ACTIONS_STACK, REALS
from boardgames.kernels.bundles import Bundle, item_at

pytestmark = pytest.mark.plain

NUMBER, SUM = types.int64(types.int64), types.float64(types.float64, types.float64)
number_of, sum_of = item_at(NUMBER, 0), item_at(SUM, 1)
stack_of, reals_of, out_of = item_at(ACTIONS_STACK, 2), item_at(REALS, 3), item_at(ACTIONS_OUT, 4)


@kernel(NUMBER)
def twice(number: int) -> int:
    return 2 * number


@kernel(NUMBER)
def thrice(number: int) -> int:
    return 3 * number


@kernel(SUM)
def total(one: float, other: float) -> float:
    return one + other


@kernel(types.float64(ACTIONS, types.int64))
def both(bundle: Actions, number: int) -> float:
    return sum_of(bundle)(float(number_of(bundle)(number)), 0.5)


@kernel(types.float64(ACTIONS, types.int64, types.int64))
def all_of_it(bundle: Actions, line: int, place: int) -> float:
    stack, reals, out = stack_of(bundle), reals_of(bundle), out_of(bundle)
    stack[line, place] += 1
    out[-1] = stack.shape[0] * 100 + stack.shape[1] * 10 + out.size
    return reals[place] + stack[line, place]


KERNELS = Bundle((NUMBER, SUM), (twice, total))
ARRAYS = (ACTIONS_STACK, REALS, ACTIONS_OUT)


def test_each_kernel_is_called_from_its_place() -> None:
    assert both(KERNELS.words, 4) == 8.5
    assert both(Bundle((NUMBER, SUM), (thrice, total)).words, 4) == 12.5


def test_arrays_are_read_and_written_where_they_are() -> None:
    stack, reals, out = np.arange(6).reshape(2, 3), np.array([0.25, 0.5, 0.75]), np.zeros(4, dtype=np.int64)
    bundle = KERNELS.followed_by(ARRAYS, (stack, reals, out))
    assert all_of_it(bundle.words, 1, 2) == 0.75 + 6
    assert stack.tolist() == [[0, 1, 2], [3, 4, 6]]
    assert out.tolist() == [0, 0, 0, 234]
    assert both(bundle.words, 4) == 8.5


def test_what_is_bundled_lives_as_long_as_the_bundle() -> None:
    reals = np.full(1000, 0.5)
    bundle = KERNELS.followed_by(ARRAYS, (np.zeros((1, 1000), dtype=np.int64), reals, np.zeros(1, np.int64)))
    assert bundle.items[3] is reals
    del reals
    np.full(1000, 7.0)  # would take the same memory
    assert all_of_it(bundle.words, 0, 999) == 1.5


def test_there_are_three_words_for_each() -> None:
    assert KERNELS.words.shape == (6,)


def test_a_kernel_of_another_signature_is_refused() -> None:
    with pytest.raises(KernelError, match="expected the kernel total"):
        Bundle((NUMBER, NUMBER), (twice, total))


def test_what_is_no_kernel_is_refused() -> None:
    with pytest.raises(KernelError, match="not made by `kernel`"):
        Bundle((NUMBER,), (np.abs,))


FROZEN = np.zeros(3, dtype=np.int64)
FROZEN.flags.writeable = False


@pytest.mark.parametrize(
    ("kind", "item", "told"),
    [
        (ACTIONS, [1, 2], "int64 with 1 axes: list"),
        (ACTIONS, np.zeros(3), r"int64 with 1 axes: float64\[3\]"),
        (ACTIONS_STACK, np.zeros(3, dtype=np.int64), r"int64 with 2 axes: int64\[3\]"),
        (ACTIONS, np.zeros(6, dtype=np.int64)[::2], r"in one piece: int64\[3\] with gaps"),
        (ACTIONS_OUT, FROZEN, r"that may be written: int64\[3\] may not"),
    ],
    ids=["a list", "reals", "a line", "every second", "frozen"],
)
def test_what_is_no_such_array_is_refused(kind: object, item: object, told: str) -> None:
    with pytest.raises(KernelError, match=told):
        Bundle((kind,), (item,))


def test_a_frozen_array_may_be_read() -> None:
    assert Bundle((ACTIONS,), (FROZEN,)).items == (FROZEN,)


@pytest.mark.skipif(JIT, reason="compiled code cannot be made to write there")
def test_what_is_read_only_is_so_without_compilation_too() -> None:
    bundle = KERNELS.followed_by(ARRAYS, (np.zeros((1, 3), np.int64), np.zeros(3), np.zeros(1, np.int64)))
    with pytest.raises(ValueError, match="read-only"):
        reals_of(bundle.words)[0] = 1.0
    out_of(bundle.words)[0] = 7
