"""Kernels for another kernel, all in one array.

Whenever a kernel is handed over from Python, Numba looks for its address anew,
which takes 30 to 90 microseconds, longer than a shallow search does.
`addresses` looks once; compiled code takes a kernel out of the array by what
`function_at` returns.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, typing
from numba.experimental.function_type import _get_jit_address, _get_wrapper_address
from numba.extending import intrinsic
from numba.np import arrayobj

from boardgames.kernels.abi import JIT, Actions, check_kernel, first_class


def addresses(signatures: Sequence[Any], kernels: Sequence[Callable[..., Any]]) -> Actions:
    """Return an array that stands for kernels, as long as they live.

    Returns
    -------
    int64[2 n]
        Of each the address for C and that for compiled code; without
        compilation the kernels themselves, each in two places.

    Raises
    ------
    KernelError
        If one is not compiled for its signature.
    """
    found: list[Any] = []
    for signature, kernel in zip(signatures, kernels, strict=True):
        check_kernel(getattr(kernel, "__name__", "given"), kernel, signature)
        if JIT:
            found += [_get_wrapper_address(kernel, signature), _get_jit_address(kernel, signature)]
        else:
            found += [kernel, kernel]
    return np.array(found, dtype=np.int64 if JIT else object)


if JIT:

    def function_at(signature: Any, place: int) -> Any:
        """Return an intrinsic that takes the kernel of a signature and place out of such an array."""
        kind = first_class(signature)

        @intrinsic  # type: ignore[untyped-decorator]  # Numba has no type stubs
        def taken(typing_context: Any, array: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                whole = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
                function = cgutils.create_struct_proxy(kind)(context, builder)
                pointer = context.get_value_type(types.voidptr)
                for name, index in (("c_addr", 2 * place), ("jit_addr", 2 * place + 1)):
                    word = builder.gep(whole.data, [ir.Constant(ir.IntType(64), index)])
                    setattr(function, name, builder.inttoptr(builder.load(word), pointer))
                function.py_addr = cgutils.get_null_value(pointer)
                return function._getvalue()

            return typing.signature(kind, array), generate

        return taken

else:

    def function_at(signature: Any, place: int) -> Any:
        """Return what takes the kernel of a place out of such an array."""
        return lambda array: array[2 * place]
