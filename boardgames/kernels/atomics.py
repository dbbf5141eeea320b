"""Atomic operations on memory that several threads share.

Numba does not provide such operations. These use LLVM's, each of which compiles to
one machine instruction. With the JIT off they are plain Python, correct for one thread.

`atomic_load` is relaxed: it only ensures that memory is read each time, whereas
LLVM would move a plain load out of a loop. `atomic_store` has release ordering and
`load_acquire` has acquire ordering: a thread that reads a value with `load_acquire`
also sees everything that was written before `atomic_store` stored the value.
"""

from typing import Any

import numpy as np

from boardgames.kernels import types
from boardgames.kernels.abi import record_array
from boardgames.kernels.plain import compiled_by


def _element(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the pointer to an element of an `int64` array."""
    from numba.np import arrayobj

    array = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


def _load_code(ordering: str) -> Any:
    def code(typing_context: Any, array: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            from llvmlite import ir

            pointer = _element(context, builder, signature, arguments)
            return builder.load_atomic(pointer, ordering, 8, typ=ir.IntType(64))

        return types.int64(array, types.int64), generate

    return code


@compiled_by(_load_code("monotonic"))
def atomic_load(array: Any, index: Any) -> Any:
    """Return an element of an `int64` array; it is always read from memory, never from a register."""
    return np.int64(array[index])


@compiled_by(_load_code("acquire"))
def load_acquire(array: Any, index: Any) -> Any:
    """Return an element; everything written before `atomic_store` stored it is then visible."""
    return np.int64(array[index])


def _store_code(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _element(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], pointer, "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


@compiled_by(_store_code)
def atomic_store(array: Any, index: Any, value: Any) -> None:
    """Set an element; a thread that reads it with `load_acquire` sees everything written before."""
    array[index] = value


def _add_code(typing_context: Any, array: Any, index: Any, amount: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _element(context, builder, signature, arguments)
        return builder.atomic_rmw("add", pointer, arguments[2], "monotonic")

    return types.int64(array, types.int64, types.int64), generate


@compiled_by(_add_code)
def atomic_add(array: Any, index: Any, amount: Any) -> Any:
    """Add to an element and return its previous value."""
    before = np.int64(array[index])
    array[index] += amount
    return before


def _swap_code(typing_context: Any, array: Any, index: Any, expected: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _element(context, builder, signature, arguments)
        pair = builder.cmpxchg(pointer, arguments[2], arguments[3], "acq_rel", "monotonic")
        return builder.extract_value(pair, 1)

    return types.boolean(array, types.int64, types.int64, types.int64), generate


@compiled_by(_swap_code)
def compare_and_swap(array: Any, index: Any, expected: Any, value: Any) -> Any:
    """Set an element to `value` if it equals `expected`; return True if it was set."""
    if array[index] != expected:
        return False
    array[index] = value
    return True


def field_loader(dtype: np.dtype[Any], field: str) -> Any:
    """Return a function that reads an `int64` field of the first record of an array atomically."""
    kind, offset = record_array(dtype), int(dtype.fields[field][1])  # type: ignore[index]  # it has fields

    def code(typing_context: Any, array: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            from llvmlite import ir
            from numba.core import cgutils
            from numba.np import arrayobj

            records = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
            pointer = cgutils.pointer_add(builder, records.data, offset, ir.IntType(64).as_pointer())
            return builder.load_atomic(pointer, "monotonic", 8, typ=ir.IntType(64))

        return types.int64(kind), generate

    @compiled_by(code)
    def load(array: Any) -> Any:
        return np.int64(array[field][0])

    return load
