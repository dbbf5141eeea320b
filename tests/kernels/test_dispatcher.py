"""When the code of kernels is loaded: at the first use, and never other code than that of the definition."""

import gc
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import time_ns
from typing import Any

import numpy as np
import pytest
from numba.extending import intrinsic

from boardgames.compiling import (
    compilation_deferred,
    compilation_in_background,
    rules_code,
    rules_compiled,
    rules_interpreted,
)
from boardgames.errors import KernelError
from boardgames.kernels import JIT, kernel, types
from boardgames.kernels.cache import kernel_folder
from boardgames.kernels.lazy import uncompiled_kernels

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python needs no code")

OFFSET = time_ns()
"""A constant of this run, so that no cache has the kernels below."""

Adder = Callable[[int], int]


def new_adder() -> Any:  # a dispatcher: Numba has no type stubs
    @kernel(types.int64(types.int64))
    def add_offset(number: int) -> int:
        return number + OFFSET

    return add_offset


def new_doubler(adder: Adder) -> Any:  # a dispatcher: Numba has no type stubs
    @kernel(types.int64(types.int64))
    def double(number: int) -> int:
        return 2 * adder(number)

    return double


def is_loaded(function: Any) -> bool:  # Numba has no type stubs
    return bool(function.dispatcher.stats.cache_hits)


@pytest.fixture(autouse=True)
def compiled() -> Iterator[None]:
    """Put the kernels into the cache, and remove them at the end."""
    new_doubler(new_adder())
    yield
    remove_files()


def remove_files() -> None:
    for path in files():
        path.unlink()


def files() -> list[Path]:
    folder = kernel_folder(__name__)
    assert folder is not None
    return [path for name in ("add_offset", "double") for path in folder.glob(f"*{name}-*.kernel")]


def test_code_is_loaded_when_it_is_first_needed() -> None:
    adder = new_adder()
    doubler = new_doubler(adder)
    assert not is_loaded(adder)
    assert not is_loaded(doubler)
    assert doubler(3) == 2 * (3 + OFFSET)
    assert is_loaded(doubler)
    assert not is_loaded(adder), "its code is part of that of its caller"
    assert adder(4) == 4 + OFFSET


def test_threads_that_need_the_code_at_once_all_get_it() -> None:
    adder = new_adder()
    start, found = threading.Barrier(8), []

    def call(number: int) -> None:
        start.wait()
        found.append(adder(number) - OFFSET)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(8))


@pytest.mark.parametrize("first", ["call", "type"])
def test_arguments_of_other_types_are_refused_before_and_after_the_code_is_loaded(first: str) -> None:
    adder = new_adder()
    if first == "call":
        adder(1)
    for _ in range(2):
        with pytest.raises(TypeError, match="No matching definition"):
            adder("one")
    assert adder(1) == 1 + OFFSET
    with pytest.raises(TypeError):
        adder(1, 2)


@pytest.mark.parametrize("damage", ["removed", "cut"])
def test_code_that_is_gone_from_the_cache_is_compiled_again(damage: str) -> None:
    adder = new_adder()
    for path in files():
        if damage == "removed":
            path.unlink()
        else:
            path.write_bytes(path.read_bytes()[:100])
    assert adder(5) == 5 + OFFSET


def test_constants_changed_after_the_definition_are_not_compiled_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept, lost = new_adder(), new_adder()
    monkeypatch.setitem(globals(), "OFFSET", OFFSET + 1)
    assert kept(5) == 4 + OFFSET, "the constant of the definition"
    for path in files():
        path.unlink()
    with pytest.raises(KernelError, match="code or constants that it uses have changed"):
        lost(5)


def test_deferred_kernels_are_compiled_when_they_are_first_called() -> None:
    remove_files()
    with compilation_deferred():
        adder = new_adder()
        doubler = new_doubler(adder)
    assert files() == []
    assert adder(3) == 3 + OFFSET
    assert [path.name for path in files() if "double" in path.name] == []
    assert doubler(3) == 2 * (3 + OFFSET)
    assert len(files()) == 2


def test_a_deferred_kernel_has_no_dispatcher_until_it_is_called() -> None:
    with compilation_deferred():
        adder = new_adder()
    assert "_dispatcher" not in vars(adder)
    assert adder(3) == 3 + OFFSET
    assert "_dispatcher" in vars(adder)


def test_deferred_kernels_called_by_another_are_compiled_with_it() -> None:
    remove_files()
    with compilation_deferred():
        doubler = new_doubler(new_adder())
    assert doubler(4) == 2 * (4 + OFFSET)


def test_a_deferred_kernel_of_a_function_can_call_itself() -> None:
    remove_files()
    with compilation_deferred():

        @kernel(types.int64(types.int64))
        def factorial(number: int) -> int:
            if number < 1:
                return 1
            return number * factorial(number - 1)

    assert factorial(4) == 24


def test_a_deferred_kernel_that_does_not_compile_raises_at_every_call() -> None:
    with compilation_deferred():

        @kernel(types.int64(types.int64))
        def wrong(number: int) -> int:
            return number + "one"  # type: ignore[operator]  # wrong on purpose

    for _ in range(2):
        with pytest.raises(KernelError, match="wrong does not compile: "):
            wrong(1)


def test_deferred_kernels_are_listed_until_they_are_compiled() -> None:
    remove_files()
    gc.collect()  # collect the kernels of other tests
    with compilation_deferred():
        adder = new_adder()
        doubler = new_doubler(adder)
    assert __name__ in uncompiled_kernels()
    adder(1)
    assert __name__ in uncompiled_kernels()
    doubler(1)
    assert __name__ not in uncompiled_kernels()
    with compilation_deferred():
        kept = new_adder()
    assert __name__ not in uncompiled_kernels(), f"{kept} is in the cache"


def test_deferred_kernels_are_compiled_once_by_threads_that_call_them_together() -> None:
    remove_files()
    with compilation_deferred():
        adder = new_adder()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(adder, range(8))) == [number + OFFSET for number in range(8)]
    assert sum(adder.dispatcher.stats.cache_misses.values()) == 1


# --- rules as plain Python -----------------------------------------------------


@rules_code
def by_rules(function: Any, number: int) -> Any:  # a dispatcher: Numba has no type stubs
    """Call a kernel as the rules of a game do."""
    return function(number)


def test_kernels_of_interpreted_rules_are_not_loaded() -> None:
    adder = new_adder()
    doubler = new_doubler(adder)
    with rules_interpreted():
        assert by_rules(doubler, 4) == 2 * (4 + OFFSET)
        assert not is_loaded(doubler)
        assert not is_loaded(adder)
        assert doubler(4) == 2 * (4 + OFFSET), "not a call by the rules"
        assert is_loaded(doubler)


def test_kernels_are_loaded_where_rules_are_not_interpreted() -> None:
    for elsewhere in (rules_compiled, compilation_in_background):
        adder = new_adder()
        with rules_interpreted(), elsewhere():
            assert by_rules(adder, 4) == 4 + OFFSET
        assert is_loaded(adder)
    assert by_rules(new_adder(), 4) == 4 + OFFSET


def test_a_loaded_kernel_is_not_interpreted() -> None:
    adder = new_adder()
    adder(1)
    with rules_interpreted():
        adder.py_func = None
        assert by_rules(adder, 4) == 4 + OFFSET


def test_interpreted_kernels_are_as_strict_about_types_as_compiled_ones() -> None:
    with compilation_deferred():

        @kernel(types.uint64(types.Array(types.uint64, 1, "C", readonly=True), types.uint64))
        def shifted(words: Any, step: Any) -> Any:
            return words[0] << step

    with rules_interpreted():
        found = rules_code(shifted)(np.array([2**63 + 3], dtype=np.uint64), 1)
    assert (found, type(found)) == (6, np.uint64)
    assert not is_loaded(shifted)


def test_an_interpreted_kernel_that_fails_as_plain_python_is_loaded() -> None:
    @kernel(types.int64(types.int64))
    def reinterpreted(number: int) -> int:
        return only_compiled(number) + OFFSET

    with compilation_deferred(), rules_interpreted():
        assert by_rules(reinterpreted, 5) == 5 + OFFSET
    compiled: Any = reinterpreted  # Numba has no type stubs
    assert sum(compiled.dispatcher.stats.cache_misses.values()) == 1


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no type stubs
def only_compiled(typing_context: Any, number: Any) -> Any:
    return number(number), lambda context, builder, signature, arguments: arguments[0]
