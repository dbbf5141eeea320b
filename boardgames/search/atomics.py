"""Words that several threads change at once: add, swap and publish without a lock.

Numba has no such operations of its own; these are LLVM's, one machine
instruction each. Their plain twins are right for one thread alone.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj

from boardgames.kernels.abi import JIT

if JIT:

    def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """Return the pointer to an element of an `int64` array."""
        whole = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.gep(whole.data, [arguments[1]])

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no type stubs
    def add_shared(typing_context: Any, array: Any, index: Any, amount: Any) -> Any:
        """Add to an element and return what it was before."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _place(context, builder, signature, arguments)
            return builder.atomic_rmw("add", place, arguments[2], "monotonic")

        return types.int64(array, types.int64, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no type stubs
    def swap_if(typing_context: Any, array: Any, index: Any, expected: Any, wanted: Any) -> Any:
        """Put `wanted` in the place of `expected`; say whether that was there."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _place(context, builder, signature, arguments)
            pair = builder.cmpxchg(place, arguments[2], arguments[3], "acq_rel", "monotonic")
            return builder.extract_value(pair, 1)

        return types.boolean(array, types.int64, types.int64, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no type stubs
    def publish(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
        """Set an element after everything that was written before it."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _place(context, builder, signature, arguments)
            builder.store_atomic(arguments[2], place, "release", 8)
            return context.get_dummy_value()

        return types.void(array, types.int64, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no type stubs
    def look(typing_context: Any, array: Any, index: Any) -> Any:
        """Read an element; what was written before it was published is read after it."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _place(context, builder, signature, arguments)
            return builder.load_atomic(place, "acquire", 8, typ=ir.IntType(64))

        return types.int64(array, types.int64), generate

else:

    def add_shared(array: Any, index: Any, amount: Any) -> Any:
        """Add to an element and return what it was before."""
        before = np.int64(array[index])
        array[index] += amount
        return before

    def swap_if(array: Any, index: Any, expected: Any, wanted: Any) -> Any:
        """Put `wanted` in the place of `expected`; say whether that was there."""
        if array[index] != expected:
            return False
        array[index] = wanted
        return True

    def publish(array: Any, index: Any, value: Any) -> None:
        """Set an element."""
        array[index] = value

    def look(array: Any, index: Any) -> Any:
        """Return an element."""
        return np.int64(array[index])
