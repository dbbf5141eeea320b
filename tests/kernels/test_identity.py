"""The identity of a kernel: what changes it, and what does not."""

import subprocess
import sys
from collections.abc import Callable
from enum import Enum
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import llvmlite
import numba
import numpy as np
import pytest
from numba.core import config
from numba.extending import intrinsic, overload

from boardgames.kernels import JIT, types
from boardgames.kernels.cache import compiled_identity
from boardgames.kernels.identity import identity
from boardgames.kernels.lanes import Chunk, row_adder

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python needs no cache")


def run(source: str, **variables: object) -> FunctionType:
    """Return the function `made` of a module that is given by its source."""
    module = ModuleType("made_module")
    vars(module).update(variables)
    exec(source, vars(module))
    made: FunctionType = module.made
    return made


class Pair(NamedTuple):
    first: int
    second: int


class Swapped(NamedTuple):
    second: int
    first: int


Swapped.__name__ = Swapped.__qualname__ = "Pair"


def colours(*names: str) -> type[Enum]:
    return type(Enum("Colour", names).RED)  # type: ignore[attr-defined]


def module_with(**variables: object) -> ModuleType:
    module = ModuleType("other_module")
    vars(module).update(variables)
    return module


def emitter(amount: int) -> Callable[..., object]:
    """Return an intrinsic whose code comes from a Python function with a captured amount."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.add(arguments[0], arguments[0].type(amount))

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no type stubs
    def add_amount(typing_context: Any, number: Any) -> Any:
        return number(number), generate

    return add_amount  # type: ignore[no-any-return]


def overloaded(amount: int) -> Callable[[int], int]:
    """Return a Python function for which kernels get other code."""

    def plus(number: int) -> int:
        return number

    @overload(plus)  # type: ignore[untyped-decorator]
    def plus_in_kernels(number: Any) -> Any:
        return lambda number: number + amount

    return plus


def compiled(source: str) -> Callable[[int], int]:
    return numba.njit(run(source))  # type: ignore[no-any-return]


def test_moving_code_and_changing_its_comments_does_not_change_its_identity() -> None:
    first = run("def made(number): return number + 1")
    second = run("\n\n# a comment\ndef made(number: int) -> int:\n\n    return number + 1")
    assert identity(first) == identity(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("def made(a, b): return a + b", "def made(a, b): return a - b"),
        ("def made(a, b): return a + 1", "def made(a, b): return a + 2"),
        ("def made(a, b): return a + 1", "def made(a, b): return a + 1.0"),
        ("def made(a, b): return a + 1", "def made(a, b): return a + True"),
        ("def made(a, b): return a + 0.0", "def made(a, b): return a + -0.0"),
        ("def made(a, b): return a + b", "def made(b, a): return a + b"),
        ("def made(a, b=1): return a + b", "def made(a, b=2): return a + b"),
        ("def made(a): return [i + 1 for i in a]", "def made(a): return [i + 2 for i in a]"),
        ("def made(a): return a.first", "def made(a): return a.second"),
    ],
    ids=[
        "operator",
        "constant",
        "float",
        "boolean",
        "sign of zero",
        "order",
        "default",
        "inner",
        "attribute",
    ],
)
def test_changed_code_has_another_identity(first: str, second: str) -> None:
    assert identity(run(first)) != identity(run(second))


CHANGES: dict[str, tuple[object, object]] = {
    "number": (5, 7),
    "number of thousands of digits": (10**5000, 10**5000 + 1),
    "type of a number": (np.int64(5), np.uint64(5)),
    "array": (np.zeros(5000, dtype=np.int64), np.eye(1, 5000, 2500, dtype=np.int64)[0]),
    "type of an array": (np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.uint64)),
    "order of an array": (np.zeros((2, 3)), np.zeros((2, 3), order="F")),
    "name of a field": (np.zeros(1, [("one", "i8")]), np.zeros(1, [("two", "i8")])),
    "tuple": ((1, (2, 3)), (1, (2, 4))),
    "fields of a named tuple": (Pair(1, 2), Swapped(1, 2)),
    "named tuple": (Pair, Swapped),
    "enumeration": (colours("RED", "BLUE"), colours("BLUE", "RED")),
    "type": (types.int64, types.uint64),
    "type of Numba": (numba.types.int64, numba.types.uint64),
    "type of a named tuple": (
        types.NamedTuple([types.int64] * 2, Pair),
        types.NamedTuple([types.int64] * 2, Swapped),
    ),
    "signature": (types.int64(types.int64), types.int64(types.float64)),
    "variable of a module": (module_with(size=5), module_with(size=7)),
    "variable of a module in a module": (
        module_with(board=module_with(size=5)),
        module_with(board=module_with(size=7)),
    ),
    "compiled function": (compiled("def made(n): return n + 1"), compiled("def made(n): return n + 2")),
    "intrinsic": (emitter(1), emitter(2)),
    "rows of an intrinsic": (
        row_adder(((0, 1),), (Chunk(0, 0, 3),)),
        row_adder(((0, 1),), (Chunk(0, 0, 4),)),
    ),
    "overload": (overloaded(1), overloaded(2)),
}


@pytest.mark.parametrize(("first", "second"), CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("captured", ["variable of the module", "closure"])
def test_another_captured_value_gives_another_identity(first: object, second: object, captured: str) -> None:
    def capture(value: object) -> FunctionType:
        source = "def made(n): return value.board.size + value.size"
        if captured == "closure":
            source = (
                "def make(value):\n    def size(n): return value.board.size + value.size\n    return size"
            )
            return run(f"{source}\nmade = make(value)", value=value)
        return run("def made(n): return value.board.size + value.size", value=value)

    assert identity(capture(first)) == identity(capture(first)) != identity(capture(second))


def test_a_constant_with_the_name_of_the_function_changes_its_identity() -> None:
    def named_like_its_constant(constant: int) -> FunctionType:
        function = run("def made(n): return n + made")
        function.__globals__["made"] = constant
        return function

    assert identity(named_like_its_constant(3)) != identity(named_like_its_constant(5))


def test_a_variable_that_the_code_does_not_use_does_not_change_its_identity() -> None:
    source = "def made(n): return value + n"
    assert identity(run(source, value=1, other=2)) == identity(run(source, value=1, other=3))


def test_functions_behind_an_intrinsic_are_followed() -> None:
    source = """
from numba.extending import intrinsic

def emit_inner(builder, number):
    return builder.{operation}(number, number)

def emit(context, builder, signature, arguments):
    return emit_inner(builder, arguments[0])

@intrinsic
def twice(typing_context, number):
    return number(number), emit

def made(number):
    return twice(number)
"""
    added, multiplied = (run(source.format(operation=operation)) for operation in ("add", "mul"))
    assert identity(added) != identity(multiplied)


def test_functions_and_modules_that_refer_to_each_other_are_followed_once() -> None:
    one, two = module_with(), module_with()
    vars(one)["two"], vars(two)["one"] = two, one
    source = "def made(n): return other(n) + one.two.one.size\ndef other(n): return made(n)"
    assert identity(run(source, one=one)) == identity(run(source, one=one))


def test_compiler_settings_change_the_identity() -> None:
    made = run("def made(n): return n")
    assert identity(made) == identity(made, *())
    assert len({identity(made, types.int64(kind)) for kind in (types.int64, types.float64)}) == 2
    assert identity(made, {"forceinline": True}) != identity(made, {"forceinline": False})


@pytest.mark.parametrize("flag", ["OPT", "BOUNDSCHECK"])
def test_compiler_flags_change_the_identity(monkeypatch: pytest.MonkeyPatch, flag: str) -> None:
    before = compiled_identity("")
    monkeypatch.setattr(config, flag, "other")
    assert compiled_identity("") != before


@pytest.mark.parametrize("library", [numba, llvmlite, np], ids=lambda library: library.__name__)
def test_library_versions_change_the_identity(monkeypatch: pytest.MonkeyPatch, library: ModuleType) -> None:
    made = run("def made(n): return n")
    before = compiled_identity(identity(made))
    monkeypatch.setattr(library, "__version__", "0.0")
    assert compiled_identity(identity(made)) != before


@pytest.mark.slow
def test_identities_are_the_same_in_every_process() -> None:
    code = """
import gc
import boardgames
from boardgames.kernels.identity import identity

game = boardgames.load("abalone")
boardgames.load_player("alphabeta", game)
boardgames.load_player("mcts", game)
kernels = [one for one in gc.get_objects() if type(one).__name__ == "Kernel"]
assert len(kernels) > 100
print(*sorted({one.identity for one in kernels}))
print(identity(eval("lambda n: n in {'one', 'two', 'three'}")))
"""
    outputs = {
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
        for _ in range(2)
    }
    assert len(outputs) == 1
