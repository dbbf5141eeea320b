"""The `kernel` decorator, the check of signatures, and kernels without compilation."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import time_ns
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba import types as numba_types
from numba.core.runtime import _nrt_python, rtsys

from boardgames.compiling import compilation_listener
from boardgames.declarations import Evaluation, FeatureSet, Kernels
from boardgames.errors import KernelError
from boardgames.kernels import (
    JIT,
    Actions,
    Apply,
    Evaluate,
    Features,
    LegalMoves,
    MoveOrder,
    OutcomeOf,
    PassTurn,
    SideToMove,
    Words,
    dispatcher,
    kernel,
    types,
)
from boardgames.kernels.abi import ACTIONS, ACTIONS_OUT, WORDS, WORDS_STACK, check_kernel, first_class
from boardgames.kernels.cache import KernelCache, counts_references

compiled = pytest.mark.skipif(not JIT, reason="the compiler is what is tested")


@kernel(LegalMoves)
def legal_moves(position: Words, moves: Actions) -> int:
    return 0


@kernel(Apply)
def apply(position: Words, action: int, successor: Words) -> None:
    for index in range(position.shape[0]):
        successor[index] = position[index]


@kernel(SideToMove)
def side_to_move(position: Words) -> int:
    return np.int64(position[0] & np.uint64(1))


@kernel(OutcomeOf)
def outcome(position: Words) -> int:
    return -1


@kernel(types.uint64(types.int64))
def other_signature(number: int) -> np.uint64:
    return np.uint64(number)


@kernel(types.int64(first_class(SideToMove), WORDS))
def call(function: Callable[[Words], int], position: Words) -> int:
    return function(position)


@kernel(types.int64(types.int64))
def factorial(number: int) -> int:
    if number < 2:
        return 1
    return number * factorial(number - 1)


def run_plain(code: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process where kernels are plain Python."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.plain
@pytest.mark.parametrize("count", [1, 3], ids=["too few", "too many"])
def test_another_number_of_arguments_is_an_error(count: int) -> None:
    functions: dict[int, Callable[..., Any]] = {1: lambda position: 0, 3: lambda position, moves, more: 0}
    with pytest.raises(KernelError, match=rf"takes {count} arguments, but its signature .* has 2"):
        kernel(LegalMoves)(functions[count])


@pytest.mark.plain
def test_only_a_function_can_be_a_kernel() -> None:
    with pytest.raises(KernelError, match="only a Python function can be a kernel"):
        kernel(SideToMove)(len)


@pytest.mark.plain
def test_a_signature_of_numba_is_an_error_that_names_the_types_to_use() -> None:
    signature: Any = numba_types.int64(numba_types.int64)
    with pytest.raises(KernelError, match=r"<lambda> must be made of `boardgames\.kernels\.types`"):
        kernel(signature)(lambda number: number)


@pytest.mark.plain
def test_kernels_accept_kernels_of_their_signatures() -> None:
    assert Kernels(legal_moves, apply, side_to_move, outcome).apply is apply


@pytest.mark.plain
@pytest.mark.parametrize("place", ["legal_moves", "apply", "side_to_move", "outcome", "move_order"])
def test_a_kernel_of_another_signature_is_rejected_with_both_signatures(place: str) -> None:
    right = {"legal_moves": legal_moves, "apply": apply, "side_to_move": side_to_move, "outcome": outcome}
    with pytest.raises(KernelError) as caught:
        Kernels(**right | {place: other_signature})
    message = str(caught.value)
    assert message.startswith(f"the kernel {place} must have the signature ")
    assert "(int64) -> uint64" in message


@pytest.mark.plain
def test_a_plain_function_is_not_a_kernel() -> None:
    with pytest.raises(KernelError, match="not a function decorated with `kernel`"):
        Kernels(legal_moves, apply, side_to_move, lambda position: -1)


@compiled
def test_a_lazily_compiled_function_is_not_a_kernel() -> None:
    lazy = njit(lambda position: -1)
    with pytest.raises(KernelError, match="not a function decorated with `kernel`"):
        Kernels(legal_moves, apply, side_to_move, lazy)


@pytest.mark.plain
def test_an_evaluation_rejects_a_kernel_of_another_signature() -> None:
    with pytest.raises(KernelError, match="the kernel evaluation 'x' must"):
        Evaluation("x", side_to_move, np.zeros(0))


@pytest.mark.plain
def test_a_feature_set_rejects_a_kernel_of_another_signature() -> None:
    with pytest.raises(KernelError, match="the kernel features 'x' must"):
        FeatureSet("x", side_to_move, ())


@pytest.mark.plain
@pytest.mark.parametrize(
    ("signature", "text"),
    [
        (LegalMoves, "int64(uint64[::1], int64[::1])"),
        (Apply, "void(uint64[::1], int64, uint64[::1])"),
        (SideToMove, "int64(uint64[::1])"),
        (OutcomeOf, "int64(uint64[::1])"),
        (Features, "void(uint64[::1], int64, float64[::1])"),
        (Evaluate, "float64(uint64[::1], float64[::1])"),
        (MoveOrder, "int64(uint64[::1], int64)"),
    ],
    ids=["legal_moves", "apply", "side_to_move", "outcome", "features", "evaluate", "move_order"],
)
def test_signatures_are_those_of_the_documentation(signature: Any, text: str) -> None:
    names = [f"{kind.dtype}[::1]" if isinstance(kind, types.Array) else str(kind) for kind in signature.args]
    assert f"{signature.return_type}({', '.join(names)})" == text


@pytest.mark.plain
def test_check_kernel_accepts_the_exact_signature() -> None:
    check_kernel("side_to_move", side_to_move, SideToMove)


@pytest.mark.plain
def test_a_kernel_takes_frozen_and_writable_positions() -> None:
    frozen = np.array([3], dtype=np.uint64)
    frozen.flags.writeable = False
    assert side_to_move(frozen) == side_to_move(frozen.copy()) == 1


@pytest.mark.plain
def test_a_kernel_can_be_passed_to_a_kernel() -> None:
    assert call(side_to_move, np.array([3], dtype=np.uint64)) == 1


@pytest.mark.plain
def test_a_kernel_can_call_itself() -> None:
    assert factorial(10) == 3_628_800


@compiled
def test_the_start_and_the_end_of_each_compilation_are_reported_once() -> None:
    seen: list[tuple[str, int]] = []
    source = "def plus(a): return a + 1\ndef first(a): return np.array([a])[0]"
    namespace: dict[str, Any] = {"np": np, "__name__": "typed_at_a_prompt"}
    exec(source, namespace)  # not cached, because it has no file
    with compilation_listener(lambda module, count: seen.append((module, count))):
        for name in ("plus", "first"):  # the second one creates an array, so it is compiled twice
            assert kernel(types.int64(types.int64))(namespace[name])(3) in (3, 4)
    modules, counts = zip(*seen, strict=True)
    assert set(modules) == {"typed_at_a_prompt", ""}
    assert modules[-1] == ""
    assert sorted({count - counts[0] for count in counts}) == [0, 1]


@compiled
def test_a_kernel_is_never_compiled_for_other_types() -> None:
    with pytest.raises(TypeError, match="No matching definition"):
        side_to_move(np.zeros(1, dtype=np.float64))


@compiled
def test_a_strided_position_is_rejected() -> None:
    with pytest.raises(TypeError):
        side_to_move(np.zeros(4, dtype=np.uint64)[::2])


WITHOUT_COMPILATION = """
import warnings
import numpy as np
from boardgames.kernels import types
from boardgames.errors import KernelError
from boardgames.kernels import Apply, JIT, SideToMove, kernel
from boardgames.kernels.abi import WORDS, WORDS_OUT, check_kernel
assert not JIT

# scalars are cast by the signature
@kernel(types.int64(types.uint64, types.int64))
def cast(word, shift):
    assert type(word) is np.uint64 and type(shift) is np.int64
    return 1.0
result = cast(3, 2)
assert type(result) is np.int64 and result == 1

# inputs are read-only
@kernel(SideToMove)
def writes(position):
    position[0] = 1
    return 0
words = np.zeros(1, dtype=np.uint64)
try:
    writes(words)
except ValueError as error:
    assert "read-only" in str(error)
else:
    raise SystemExit("the input was changed")
assert words[0] == 0 and words.flags.writeable

# overflow is silent
@kernel(types.uint64(types.uint64))
def overflows(word):
    return word * np.uint64(3)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    assert int(overflows(2**64 - 1)) == 2**64 - 3

# outputs are written
@kernel(Apply)
def writes_output(position, action, successor):
    successor[0] = position[0]
out = np.zeros(1, dtype=np.uint64)
writes_output(np.ones(1, dtype=np.uint64), 0, out)
assert out[0] == 1

# signatures are checked
@kernel(SideToMove)
def right(position):
    return 0
check_kernel("side_to_move", right, SideToMove)
try:
    check_kernel("side_to_move", right, Apply)
except KernelError as error:
    assert "compiled for" in str(error)
else:
    raise SystemExit("not refused")
"""


@compiled
def test_kernels_are_as_strict_without_compilation() -> None:
    done = run_plain(WITHOUT_COMPILATION)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_a_compiler_error_has_its_place_and_reason_on_one_line() -> None:
    def writes_to_its_input(position: Words, action: int, successor: Words) -> None:
        position[0] = action

    line = writes_to_its_input.__code__.co_firstlineno + 1
    with pytest.raises(KernelError) as caught:
        kernel(Apply)(writes_to_its_input)
    message = str(caught.value)
    assert "\n" not in message
    assert f"test_abi.py:{line})" in message
    assert "inputs such as position are read-only; write to an output array" in message


def and_of_a_float(position: Words) -> int:
    mask = 0
    if position[0]:
        mask = position[0]
    return mask & position[0]


def shift_of_a_float(position: Words) -> int:
    one = np.uint64(1) if position[0] else 1
    return one << position[0]


def index_that_is_a_float(position: Words) -> int:
    one = np.uint64(1) if position[0] else 1
    return position[one]


def constant_that_is_a_float(position: Words) -> int:
    return position[1.5]  # type: ignore[call-overload]  # the mistake


def half_of_an_index(position: Words) -> int:
    half = 4
    return position[half / 2]  # type: ignore[call-overload]  # the mistake


def half_on_another_line(position: Words) -> int:
    half = 4 / 2
    return position[half]  # type: ignore[call-overload]  # the mistake


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("function", "line", "what"),
    [
        (and_of_a_float, 4, "&"),
        (shift_of_a_float, 2, "<<"),
        (index_that_is_a_float, 2, "an index"),
        (constant_that_is_a_float, 1, "an index"),
        (half_of_an_index, 2, "an index"),
        (half_on_another_line, 2, "an index"),
    ],
)
def test_an_error_of_floats_names_what_gives_them(
    function: Callable[[Words], int], line: int, what: str
) -> None:
    with pytest.raises(KernelError) as caught:
        kernel(SideToMove)(function)
    assert str(caught.value) == (
        f"{function.__name__} does not compile: {what} does not work with float64; uint64 mixed with int64 "
        "gives float64, so use np.uint64(...) constants; fractions and / give float64 too, so use integers "
        f"and // ({Path(__file__).resolve()}:{function.__code__.co_firstlineno + line})"
    )


def without_a_result_on_one_path(position: Words) -> int:  # type: ignore[return] # noqa: RET503 - the mistake
    if position[0] > 3:
        return 1


def of_two_types(position: Words) -> int:
    place = (1, 2) if position[0] > 3 else 1
    return 0 if place == 1 else 1


def with_a_variable_of_two_types(position: Words) -> int:
    if position[0] > 3:
        place: object = (1, 2)
    else:
        place = 1
    return 0 if place == 1 else 1


def with_an_empty_dictionary(position: Words) -> int:
    seen: dict[int, int] = {}
    return len(seen)


def with_an_object(position: Words) -> int:
    return int(PATH.drive)


PATH = Path()


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (without_a_result_on_one_path, "not every path returns a value"),
        (of_two_types, "the type of a conditional expression is int on one path and tuple on another"),
        (with_a_variable_of_two_types, "the type of place is int on one path and tuple on another"),
        (with_an_empty_dictionary, "nothing shows what is in the dict seen"),
        (with_an_object, "PATH is of type pathlib.PosixPath; compiled code can use"),
    ],
)
def test_frequent_mistakes_are_explained_in_plain_words(
    function: Callable[[Words], int], reason: str
) -> None:
    with pytest.raises(KernelError, match=rf"^{function.__name__} does not compile: {reason}.* \(.*:\d+\)$"):
        kernel(SideToMove)(function)


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_a_kernel_that_returns_a_value_where_none_is_expected_is_explained() -> None:
    with pytest.raises(KernelError, match="it returns a value, but its signature has none"):

        @kernel(Apply)
        def apply(position: Words, action: int, successor: Words) -> int:
            return 3


def merged_words(position: Words, successor: Words) -> None:
    word = 0
    if position[0] != np.uint64(0):
        word = position[0]
    successor[0] = word


def conditional_words(position: Words, successor: Words) -> None:
    successor[0] = position[0] if position[0] != np.uint64(0) else 0


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("function", "what"),
    [(merged_words, "word"), (conditional_words, "a conditional expression")],
)
def test_a_word_never_becomes_a_float_unnoticed(function: Callable[[Words, Words], None], what: str) -> None:
    for _ in range(2):  # what is rejected is not cached either
        with pytest.raises(
            KernelError, match=f"{what} would be a float64, which loses bits.*np.uint64"
        ) as caught:
            kernel(PassTurn)(function)
    line = int(str(caught.value).rpartition(":")[2].removesuffix(")"))
    assert 0 < line - function.__code__.co_firstlineno < 5


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_an_interrupt_is_deferred_until_a_kernel_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    new = time_ns()  # code that is not in the cache

    @contextmanager
    def interrupted(dispatcher: Any) -> Iterator[None]:
        signal.raise_signal(signal.SIGINT)
        yield
        made.append(dispatcher)

    monkeypatch.setattr(dispatcher, "register_dispatcher", interrupted)
    with pytest.raises(KeyboardInterrupt):

        @kernel(types.int64(types.int64))
        def twice(number: int) -> int:
            return number + new

    assert [one(3) for one in made] == [3 + new]  # type: ignore[operator]  # a compiled function


# --- references to arrays ----------------------------------------------------------


@kernel(types.int64(WORDS, types.int64))
def sum_from(words: Words, first: int) -> int:
    held = np.zeros(words.size, dtype=np.int64)
    for index in range(first, words.size):
        held[index] = np.int64(words[index])
    return int(held.sum())


@kernel(types.int64(WORDS, types.int64), inline=True)
def sum_to(words: Words, end: int) -> int:
    total = 0
    for index in range(end):
        total += np.int64(words[index])  # type: ignore[assignment]  # Numba's integers
    return total


@kernel(types.int64(WORDS_STACK, types.int64))
def sums(stack: Words, times: int) -> int:
    total = 0
    for time in range(times):
        line = stack[time % stack.shape[0]]
        total += sum_from(line, 1) + sum_to(line, 1)
    return total


def test_a_kernel_may_create_arrays() -> None:
    words = np.arange(1000, dtype=np.uint64)
    assert sum_from(words, 998) == 998 + 999


def test_an_inlined_kernel_gives_the_same_result() -> None:
    stack = np.arange(12, dtype=np.uint64).reshape(3, 4)
    assert sum_to(stack[2], 4) == 8 + 9 + 10 + 11
    assert sums(stack, 3) == sum(range(12))


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bypass the cache."""
    monkeypatch.setattr(KernelCache, "load_overload", lambda *given: None)
    monkeypatch.setattr(KernelCache, "save_overload", lambda *given: None)


def counts(function: Any) -> bool:
    (overload,) = function.dispatcher.overloads.values()
    return counts_references(overload.library)


def leaked_arrays(call: Callable[[], object]) -> int:
    """Return the number of arrays that a hundred calls leak."""
    _nrt_python.memsys_enable_stats()
    try:
        call()
        before = rtsys.get_allocation_stats()
        for _ in range(100):
            call()
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    assert after.mi_alloc >= before.mi_alloc + 100
    return int((after.mi_alloc - before.mi_alloc) - (after.mi_free - before.mi_free))


NUMBERS = np.array([3, 1, 2])


@njit  # type: ignore[untyped-decorator]  # Numba has no type stubs
def doubled(numbers: Actions) -> Actions:
    return 2 * numbers


def sum_of(numbers: Actions) -> int:
    total = 0
    for number in numbers:
        total += number
    return total


def largest_place(numbers: Actions) -> int:
    return int(numbers.argsort()[-1])


def double_sum(numbers: Actions) -> int:
    return int(doubled(numbers).sum())


def itself(numbers: Actions) -> Actions:
    return numbers


@compiled
@pytest.mark.usefixtures("fresh")
def test_only_kernels_that_create_arrays_count_references() -> None:
    made = [kernel(types.int64(ACTIONS))(function) for function in (sum_of, double_sum)]
    assert [function(NUMBERS) for function in made] == [6, 12]
    assert [counts(function) for function in made] == [False, True]


@pytest.mark.slow
@compiled
@pytest.mark.usefixtures("fresh")
def test_no_array_leaks_whichever_kernel_is_compiled_first() -> None:
    for function in (largest_place, double_sum):
        for _ in range(2):  # the second one finds what Numba cached for the first
            made = kernel(types.int64(ACTIONS))(function)
            assert counts(made)
            assert leaked_arrays(partial(made, NUMBERS)) == 0


@compiled
@pytest.mark.usefixtures("fresh")
def test_a_returned_array_stays_valid() -> None:
    same = kernel(ACTIONS_OUT(ACTIONS_OUT))(itself)
    summed = kernel(types.int64(ACTIONS))(sum_of)

    @kernel(types.int64(types.int64))
    def go(times: int) -> int:
        numbers = np.ones(1000, dtype=np.int64)
        total = 0
        for _ in range(times):
            again = same(numbers)
            other = np.full(1000, 7)  # would reuse freed memory
            total += summed(again) + other[0] - 7
        return total

    assert counts(same)
    assert go(1000) == 1_000_000
    assert leaked_arrays(lambda: go(3)) == 0
