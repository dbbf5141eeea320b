"""The identity of a kernel: a hash of everything that its compiled code depends on.

The hash covers the byte code of the function; the values that it captures from its module and its
closure, which become constants of the compiled code; the identities of the kernels that it calls; the
Python functions that generate the code of intrinsics and overloads, and what these capture in turn;
and the versions of Python and NumPy. `boardgames.kernels.cache` adds the compiler's version and flags,
so that an identity can be computed without Numba. Only code in memory counts: editing a file while a
process runs changes nothing until the module is reloaded. Line numbers, comments and annotations do
not count.

The standard library, NumPy, Numba and llvmlite are covered by their versions. Functions marked as
callbacks are not covered, because compiled code calls them by name.
"""

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache, partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from boardgames.kernels.lazy import Kernel
from boardgames.kernels.plain import Intrinsic, is_callback
from boardgames.kernels.types import Kind, Signature

_LIBRARIES = frozenset(sys.stdlib_module_names) | {"llvmlite", "numba", "numpy"}
_ADDRESS = re.compile(r" at 0x[0-9a-f]+", re.IGNORECASE)
_EMPTY = object()
_SCALARS = frozenset({bool, float, complex, str, bytes, type(None), type(...)})
_NOT_CODE = frozenset(
    {"__dict__", "__doc__", "__module__", "__weakref__", "__firstlineno__", "__annotations__"}
)


def identity(function: FunctionType, *settings: object) -> str:
    """Return a hash, 16 hexadecimal digits, of a function, the values that it captures, and settings.

    Examples
    --------
    >>> def adder(number):
    ...     return lambda other: other + number
    >>> identity(adder(1)) == identity(adder(1)) != identity(adder(2))
    True
    """
    description = _Description()
    description.add_function(function)
    description.add((sys.implementation.name, sys.version, np.__version__, settings))
    return hashlib.sha256("\0".join(description.texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


class _Description:
    """Describes values as texts that are the same in every process.

    An object that occurs again, such as a function or a class, is replaced by the number of its first
    occurrence.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._met: dict[int, tuple[int, object]] = {}  # keeps the objects alive, so that no address is reused
        self._named: set[tuple[int, str]] = set()
        self._is_python = False  # True inside the Python code that generates an intrinsic

    def add(self, value: Any) -> None:
        kind: Any = type(value)  # `Any`, because mypy allows for metaclasses without a hash
        if kind is int:
            self.texts.append(f"int {value:x}")  # Python limits the length of decimal texts
        elif kind in _SCALARS or isinstance(value, (np.generic, np.dtype, Enum)):
            self.texts.append(f"{kind.__name__} {value!r}")
        elif kind is tuple or isinstance(value, tuple):
            self._add_all(f"{_name(kind)} {getattr(value, '_fields', '')}", value)
        elif kind is CodeType:
            self._add_code(value)
        elif isinstance(value, (Kernel, Kind, Signature)):
            self.texts.append(f"kernel {value.identity}" if isinstance(value, Kernel) else repr(value))
        elif isinstance(value, np.ndarray):
            self._add_array(value)
        elif kind is frozenset or kind is set:
            self.texts.append(f"set {sorted(map(repr, value))}")
        elif id(value) in self._met:
            self.texts.append(f"again {self._met[id(value)][0]}")
        elif not (_is_from_numba(kind) and self._add_from_numba(value)):
            self._met[id(value)] = (len(self._met), value)
            self._add_object(value)

    def add_function(self, function: FunctionType) -> None:
        """Add a function that becomes a kernel; after a reload, its name still refers to the old kernel."""
        self._met[id(function)] = (len(self._met), function)
        self._add_function(function, own_name=function.__name__)

    def _add_all(self, text: str, values: Iterable[object]) -> None:
        start = len(self.texts)
        for value in values:
            self.add(value)
        self.texts.append(f"{text} {len(self.texts) - start}")

    def _add_code(self, code: CodeType) -> None:
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        self.texts.append(f"code {counts} {names}")
        self.texts.append((code.co_code + code.co_exceptiontable).hex())
        self._add_all("constants", code.co_consts)

    def _add_array(self, array: Any) -> None:  # an array of any type
        layout = f"{array.flags.c_contiguous:d}{array.flags.f_contiguous:d}"
        self.texts.append(f"array {array.dtype!r} {array.shape} {layout}")
        if array.dtype.hasobject:
            self._add_all("objects", array.flat)
        else:
            self.texts.append(hashlib.sha256(array.tobytes()).hexdigest())

    def _add_from_numba(self, value: Any) -> bool:
        """Add a type, compiled function or intrinsic made with Numba; return False for other objects."""
        from numba.core.dispatcher import Dispatcher
        from numba.core.types import Type
        from numba.core.typing.templates import Signature
        from numba.extending import _Intrinsic

        if isinstance(value, (Type, Signature)):
            self.texts.append(_type_text(value))
        elif isinstance(value, Dispatcher):
            self.texts.append(f"dispatcher {sorted(value.targetoptions.items())}")
            self.add(value.py_func)
        elif isinstance(value, _Intrinsic):
            self._met[id(value)] = (len(self._met), value)
            settings = (value._prefer_literal, sorted(value._ctor_kwargs.items()))
            self._add_intrinsic(settings, value._defn)
        else:
            return False
        return True

    def _add_intrinsic(self, settings: object, code: Any) -> None:  # code: any callable
        self.texts.append(f"intrinsic {settings}")
        before, self._is_python = self._is_python, True
        self.add(code)
        self._is_python = before

    def _add_object(self, value: Any) -> None:
        if isinstance(value, FunctionType):
            self._add_function(value)
        elif isinstance(value, Intrinsic):
            self._add_intrinsic(value.prefer_literal, value.code)
        elif isinstance(value, ModuleType):
            self.texts.append(f"module {value.__name__}")
        elif isinstance(value, type):
            self._add_class(value)
        else:
            self._add_all(_name(type(value)), _parts(value))

    def _add_function(self, function: FunctionType, *, own_name: str = "") -> None:
        self.texts.append(f"function {_name(function)}")
        if _is_of_a_library(function) or is_callback(function):
            return
        self._add_all("defaults", (function.__defaults__, function.__kwdefaults__))
        self._add_code(function.__code__)
        names = sorted(set(_names(function.__code__)))
        for cell in function.__closure__ or ():
            try:
                captured = cell.cell_contents
            except ValueError:
                captured = _EMPTY
            if captured is _EMPTY or getattr(captured, "py_func", None) is function:
                # a recursive kernel captures itself, but is not defined yet when it is first described
                self.texts.append("empty cell")
            else:
                self._add_captured(captured, names)
        older = function.__globals__.get(own_name)
        if own_name == function.__qualname__ and isinstance(older, Kernel):  # a reload replaces it
            self._named.add((id(function.__globals__), own_name))
        self._add_named(function.__globals__, names)
        if not (own_name or self._is_python):
            self._add_all("overloads", _overloads(function))

    def _add_named(self, variables: dict[str, Any], names: list[str]) -> None:
        """Add the variables of a module whose names occur in the code."""
        for name in names:
            if name in variables and (id(variables), name) not in self._named:
                self._named.add((id(variables), name))
                self.texts.append(f"variable {name}")
                self._add_captured(variables[name], names)

    def _add_captured(self, value: object, names: list[str]) -> None:
        """Add a value that code captures and, if it is a module, its variables whose names the code uses."""
        self.add(value)
        if isinstance(value, ModuleType) and not _is_library(value.__name__):
            self._add_named(vars(value), names)

    def _add_class(self, kind: type) -> None:
        self.texts.append(f"class {_name(kind)}")
        if _is_of_a_library(kind):
            return
        self._add_all("bases", kind.__bases__)
        if issubclass(kind, Enum):
            self._add_all("members", [(member.name, member.value) for member in kind])
            return
        self._add_all("body", [item for item in sorted(vars(kind).items()) if item[0] not in _NOT_CODE])


def _parts(value: Any) -> Iterable[object]:
    """Return the parts of an object to describe; for an object of a library, only its `str`."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, partial):
        return value.func, value.args, value.keywords
    if isinstance(value, (staticmethod, classmethod, MethodType)):
        return value.__func__, getattr(value, "__self__", None)
    if isinstance(value, property):
        return value.fget, value.fset
    if _is_of_a_library(type(value)):
        return (_ADDRESS.sub("", str(value)),)
    slots = [name for kind in type(value).__mro__ for name in vars(kind).get("__slots__", ())]
    state = {name: getattr(value, name, None) for name in slots} | getattr(value, "__dict__", {})
    return type(value), state


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names of variables and attributes that code uses, including inner functions."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


@cache
def _is_from_numba(kind: Any) -> bool:  # a class
    """Return True if a class belongs to Numba or is derived from one of Numba's classes."""
    return any(str(base.__module__).partition(".")[0] == "numba" for base in kind.__mro__)


@cache
def _type_text(kind: Any) -> str:
    """Return a Numba type or signature as text, including the fields of named tuples in it."""
    from numba import types
    from numba.core.typing.templates import Signature

    inner = [getattr(kind, name, None) for name in ("dtype", "signature", "return_type")]
    inner += [*getattr(kind, "args", ()), *getattr(kind, "types", ())]
    fields = repr(kind.fields) if isinstance(kind, types.BaseNamedTuple) else ""
    followed = [part for part in inner if part is not kind and isinstance(part, (types.Type, Signature))]
    return " ".join([_ADDRESS.sub("", repr(kind)), fields, *map(_type_text, followed)])


def _overloads(function: FunctionType) -> list[object]:
    """Return the functions that implement a Python function for kernels (`numba.extending.overload`)."""
    if "numba" not in sys.modules:
        return []
    import numba  # noqa: F401 - waits if another thread is importing it; importing its parts would not
    from numba.core.registry import cpu_target
    from numba.core.types import Function

    context = cpu_target.typing_context
    context.refresh()
    found = context._lookup_global(function)
    templates = found.templates if isinstance(found, Function) else ()
    return [getattr(template, "_overload_func", template) for template in templates]


def _name(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"


def _is_of_a_library(value: Any) -> bool:
    return _is_library(str(value.__module__))


@cache
def _is_library(module: str) -> bool:
    return module.partition(".")[0] in _LIBRARIES
