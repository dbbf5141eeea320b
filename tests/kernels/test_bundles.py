"""Bundles: kernels, arrays and records that a kernel receives as one argument."""

import gc
import re
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

from boardgames.errors import KernelError
from boardgames.kernels import JIT, Actions, Reals, bundles, kernel, types
from boardgames.kernels.abi import ACTIONS, ACTIONS_OUT, ACTIONS_STACK, REALS, record_array
from boardgames.kernels.bundles import BUNDLE, Bundle, unpacker

pytestmark = pytest.mark.plain

NUMBER, SUM = types.int64(types.int64), types.float64(types.float64, types.float64)
COUNTERS = np.dtype([("calls", np.int64), ("total", np.float64)], align=True)


class Workspace(NamedTuple):
    number: Annotated[Callable[[int], int], NUMBER]
    add: Annotated[Callable[[float, float], float], SUM]
    stack: Annotated[Actions, ACTIONS_STACK]
    reals: Annotated[Reals, REALS]
    out: Annotated[Actions, ACTIONS_OUT]
    counters: Annotated[Any, record_array(COUNTERS)]


unpack = unpacker(Workspace)


@kernel(NUMBER)
def double(number: int) -> int:
    return 2 * number


@kernel(NUMBER)
def triple(number: int) -> int:
    return 3 * number


@kernel(SUM)
def add(one: float, other: float) -> float:
    return one + other


@kernel(types.float64(BUNDLE, types.int64))
def call_both(bundle: Actions, number: int) -> float:
    work = unpack(bundle)
    return work.add(float(work.number(number)), 0.5)


@kernel(types.float64(REALS, types.int64))
def call_both_by_reals(bundle: Reals, number: int) -> float:
    work = unpack(bundle)
    return work.add(float(work.number(number)), 0.5)


@kernel(types.float64(BUNDLE, types.int64, types.int64))
def use_arrays(bundle: Actions, line: int, place: int) -> float:
    work = unpack(bundle)
    work.stack[line, place] += 1
    work.out[-1] = work.stack.shape[0] * 100 + work.stack.shape[1] * 10 + work.out.size
    return work.reals[place] + work.stack[line, place]


@kernel(types.void(BUNDLE, types.float64))
def count_call(bundle: Actions, amount: float) -> None:
    counters = unpack(bundle).counters
    counters[0].calls += 1
    counters[0].total += amount


def workspace(**items: Any) -> Workspace:
    given = Workspace(
        number=double,
        add=add,
        stack=np.arange(6).reshape(2, 3),
        reals=np.array([0.25, 0.5, 0.75]),
        out=np.zeros(4, dtype=np.int64),
        counters=np.zeros(1, dtype=COUNTERS).view(np.recarray),
    )
    return given._replace(**items)


def test_kernels_are_called_through_their_fields() -> None:
    assert call_both(Bundle(workspace()).words, 4) == 8.5
    assert call_both(Bundle(workspace(number=triple)).words, 4) == 12.5


def test_arrays_are_shared_with_the_caller() -> None:
    work = workspace()
    assert use_arrays(Bundle(work).words, 1, 2) == 0.75 + 6
    assert work.stack.tolist() == [[0, 1, 2], [3, 4, 6]]
    assert work.out.tolist() == [0, 0, 0, 234]


def test_fields_of_records_are_read_and_written_by_name() -> None:
    work = workspace()
    bundle = Bundle(work)
    for _ in range(3):
        count_call(bundle.words, 0.5)
    assert (work.counters[0].calls, work.counters[0].total) == (3, 1.5)


def test_a_bundle_keeps_its_items_alive() -> None:
    reals = np.full(1000, 0.5)
    bundle = Bundle(workspace(stack=np.zeros((1, 1000), dtype=np.int64), reals=reals))
    assert bundle.items[3] is reals
    del reals
    np.full(1000, 7.0)  # would reuse the memory
    assert use_arrays(bundle.words, 0, 999) == 1.5


def test_a_bundle_has_three_words_per_field() -> None:
    assert Bundle(workspace()).words.shape == (3 * len(Workspace._fields),)


def test_a_kernel_of_another_signature_is_rejected() -> None:
    with pytest.raises(KernelError, match="number"):
        Bundle(workspace(number=add))


def test_a_function_that_is_not_a_kernel_is_rejected() -> None:
    with pytest.raises(KernelError, match="add"):
        Bundle(workspace(add=np.add))


@pytest.mark.parametrize("items", [(1, 2), {}, None], ids=repr)
def test_only_a_named_tuple_makes_a_bundle(items: Any) -> None:
    message = re.escape(f"a bundle is made of a named tuple, not of {items!r}")
    with pytest.raises(KernelError, match=f"^{message}$"):
        Bundle(items)


class Unmarked(NamedTuple):
    moves: Actions


def test_a_field_without_a_kind_is_rejected() -> None:
    with pytest.raises(KernelError, match="field moves of Unmarked must state its kind"):
        unpacker(Unmarked)
    with pytest.raises(KernelError, match="field moves of Unmarked must state its kind"):
        Bundle(Unmarked(np.zeros(3, dtype=np.int64)))


FROZEN, FROZEN_REALS = np.zeros(3, dtype=np.int64), np.array([0.25, 0.5, 0.75])
for frozen in (FROZEN, FROZEN_REALS):
    frozen.flags.writeable = False


@pytest.mark.parametrize(
    ("kind", "item", "message"),
    [
        (ACTIONS, [1, 2], "moves must be an array of int64 with 1 axes, not list"),
        (ACTIONS, np.zeros(3), r"moves must be an array of int64 with 1 axes, not float64\[3\]"),
        (ACTIONS_STACK, np.zeros(3, dtype=np.int64), r"with 2 axes, not int64\[3\]"),
        (ACTIONS, np.zeros(6, dtype=np.int64)[::2], r"moves must be contiguous: int64\[3\] has gaps"),
        (ACTIONS_OUT, FROZEN, r"moves must be writable: int64\[3\] is read-only"),
        (record_array(COUNTERS), np.zeros(1), r"records of calls, total with 1 axes, not float64\[1\]"),
    ],
    ids=["list", "wrong type", "wrong shape", "strided", "read-only", "no record"],
)
def test_an_array_of_another_kind_is_rejected(kind: object, item: object, message: str) -> None:
    class Fields(NamedTuple):
        moves: Annotated[Any, kind]

    with pytest.raises(KernelError, match=message):
        Bundle(Fields(item))


def test_a_read_only_array_may_be_read() -> None:
    assert Bundle(workspace(reals=FROZEN_REALS)).items[3] is FROZEN_REALS


def test_the_words_of_a_bundle_may_be_passed_as_floats() -> None:
    bundle = Bundle(workspace())
    assert call_both_by_reals(bundle.words.view(np.float64), 4) == 8.5


@pytest.mark.skipif(JIT, reason="compiled code reads memory, whoever owns it")
def test_without_compilation_items_are_released_together_with_the_words() -> None:
    before = len(bundles._items)
    bundle = Bundle(workspace())
    assert len(bundles._items) == before + 1
    del bundle
    gc.collect()
    assert len(bundles._items) == before


@pytest.mark.skipif(JIT, reason="the compiler rejects it already")
def test_a_read_only_field_is_read_only_without_compilation_too() -> None:
    work = unpack(Bundle(workspace()).words)
    with pytest.raises(ValueError, match="read-only"):
        work.reals[0] = 1.0
    work.out[0] = 7
