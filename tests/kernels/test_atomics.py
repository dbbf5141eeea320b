"""Atomic operations: what they return and store, and that threads do not lose additions."""

import threading

import numpy as np
import pytest

from boardgames.kernels import JIT, Actions, kernel, types
from boardgames.kernels.abi import ACTIONS_OUT
from boardgames.kernels.atomics import atomic_add, atomic_load, atomic_store, compare_and_swap, load_acquire


@kernel(types.int64(ACTIONS_OUT, types.int64))
def loaded(array: Actions, index: int) -> int:
    return atomic_load(array, index)


@kernel(types.int64(ACTIONS_OUT, types.int64))
def acquired(array: Actions, index: int) -> int:
    return load_acquire(array, index)


@kernel(types.void(ACTIONS_OUT, types.int64, types.int64))
def stored(array: Actions, index: int, value: int) -> None:
    atomic_store(array, index, value)


@kernel(types.int64(ACTIONS_OUT, types.int64, types.int64))
def added(array: Actions, index: int, amount: int) -> int:
    return atomic_add(array, index, amount)


@kernel(types.boolean(ACTIONS_OUT, types.int64, types.int64, types.int64))
def swapped(array: Actions, index: int, expected: int, value: int) -> bool:
    return compare_and_swap(array, index, expected, value)


@kernel(types.void(ACTIONS_OUT, types.int64))
def add_many(array: Actions, count: int) -> None:
    for _ in range(count):
        atomic_add(array, 0, 1)


def numbers() -> Actions:
    return np.array([5, -6, 7], dtype=np.int64)


@pytest.mark.plain
def test_loads_read_each_element() -> None:
    assert [loaded(numbers(), index) for index in range(3)] == [5, -6, 7]
    assert [acquired(numbers(), index) for index in range(3)] == [5, -6, 7]


@pytest.mark.plain
def test_a_store_changes_one_element() -> None:
    array = numbers()
    stored(array, 1, 9)
    assert array.tolist() == [5, 9, 7]


@pytest.mark.plain
def test_an_addition_returns_the_previous_value() -> None:
    array = numbers()
    assert added(array, 2, -3) == 7
    assert array.tolist() == [5, -6, 4]


@pytest.mark.plain
@pytest.mark.parametrize(("expected", "swaps"), [(5, True), (4, False)])
def test_a_swap_happens_only_if_the_expected_value_is_there(expected: int, swaps: bool) -> None:
    array = numbers()
    assert swapped(array, 0, expected, 1) == swaps
    assert array.tolist() == [1 if swaps else 5, -6, 7]


@pytest.mark.skipif(not JIT, reason="in plain Python an addition is not atomic")
def test_no_addition_of_two_threads_is_lost() -> None:
    array = np.zeros(1, dtype=np.int64)
    threads = [threading.Thread(target=add_many, args=(array, 200_000)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert array[0] == 400_000
