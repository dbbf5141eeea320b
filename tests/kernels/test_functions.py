"""Kernels for another kernel in one array."""

import numpy as np
import pytest
from numba import types

from boardgames.errors import KernelError
from boardgames.kernels import Actions, kernel
from boardgames.kernels.abi import ACTIONS
from boardgames.kernels.functions import addresses, function_at

pytestmark = pytest.mark.plain

NUMBER, SUM = types.int64(types.int64), types.float64(types.float64, types.float64)
number_of, sum_of = function_at(NUMBER, 0), function_at(SUM, 1)


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
def both(functions: Actions, number: int) -> float:
    return sum_of(functions)(float(number_of(functions)(number)), 0.5)


def test_each_is_called_from_its_place() -> None:
    assert both(addresses((NUMBER, SUM), (twice, total)), 4) == 8.5
    assert both(addresses((NUMBER, SUM), (thrice, total)), 4) == 12.5


def test_there_are_two_words_for_each() -> None:
    assert addresses((NUMBER, SUM), (twice, total)).shape == (4,)


def test_a_kernel_of_another_signature_is_refused() -> None:
    with pytest.raises(KernelError, match="expected the kernel total"):
        addresses((NUMBER, NUMBER), (twice, total))


def test_what_is_no_kernel_is_refused() -> None:
    with pytest.raises(KernelError, match="not made by `kernel`"):
        addresses((NUMBER,), (np.abs,))
