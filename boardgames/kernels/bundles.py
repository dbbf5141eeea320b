"""Kernels and arrays for another kernel, all in one array.

Whenever a kernel is handed over from Python, Numba looks for its address anew,
which takes 30 to 90 microseconds, longer than a shallow search does. And each
array that a compiled function is given is seven words or more on the stack, at
every call: a function that calls itself with a dozen of them does little else.
A `Bundle` looks for addresses once and is handed on as one array; compiled code
takes things out of it by what `item_at` returns.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, typing
from numba.experimental.function_type import _get_jit_address, _get_wrapper_address
from numba.extending import intrinsic
from numba.np import arrayobj

from boardgames.errors import KernelError
from boardgames.kernels.abi import JIT, Actions, check_kernel, first_class

_WORDS = 3
"""Of each thing: addresses of a kernel for C and for compiled code, or that of an array and its shape."""


class Bundle:
    """Kernels and arrays in an order, kept alive as long as this.

    Parameters
    ----------
    kinds : sequence
        Of each the signature, if it is a kernel, or the type of the array, of one axis or two.
    items : sequence
        The kernels and arrays.

    Raises
    ------
    KernelError
        If one is not of its kind.

    Attributes
    ----------
    words : int64[3 n]
        What a kernel takes; without compilation the things themselves.
    """

    def __init__(self, kinds: Sequence[Any], items: Sequence[Any]) -> None:
        self.items = tuple(items)
        found = [word for kind, item in zip(kinds, items, strict=True) for word in _words_of(kind, item)]
        self.words: Actions = np.array(found, dtype=np.int64 if JIT else object)

    def followed_by(self, kinds: Sequence[Any], items: Sequence[Any]) -> "Bundle":
        """Return a bundle of the same things and some more."""
        following = Bundle(kinds, items)
        following.items = (*self.items, *following.items)
        following.words = np.concatenate((self.words, following.words))
        return following


def _words_of(kind: Any, item: Any) -> list[Any]:
    if not isinstance(kind, types.Array):
        check_kernel(getattr(item, "__name__", "given"), item, kind)
        return [_get_wrapper_address(item, kind), _get_jit_address(item, kind), 0] if JIT else [item, 0, 0]
    dtype = np.dtype(str(kind.dtype))
    if not isinstance(item, np.ndarray) or (item.dtype, item.ndim) != (dtype, kind.ndim):
        raise KernelError(f"expected an array of {dtype} with {kind.ndim} axes: {_described(item)}")
    if not item.flags.c_contiguous:
        raise KernelError(f"expected an array in one piece: {_described(item)} with gaps")
    if kind.mutable and not item.flags.writeable:
        raise KernelError(f"expected an array that may be written: {_described(item)} may not")
    return [item.ctypes.data, *item.shape, 0][:_WORDS] if JIT else [item, 0, 0]


def _described(item: Any) -> str:
    return f"{item.dtype}{list(item.shape)}" if isinstance(item, np.ndarray) else type(item).__name__


if JIT:

    def item_at(kind: Any, place: int) -> Any:
        """Return an intrinsic that takes the thing of a kind and place out of a bundle's words."""
        is_array = isinstance(kind, types.Array)
        result = kind if is_array else first_class(kind)

        @intrinsic  # type: ignore[untyped-decorator]  # Numba has no type stubs
        def taken(typing_context: Any, bundle: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                whole = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
                words = [
                    builder.load(
                        builder.gep(whole.data, [ir.Constant(ir.IntType(64), _WORDS * place + index)])
                    )
                    for index in range(_WORDS)
                ]
                if is_array:
                    return _array_of(context, builder, kind, words)
                function = cgutils.create_struct_proxy(result)(context, builder)
                pointer = context.get_value_type(types.voidptr)
                function.c_addr = builder.inttoptr(words[0], pointer)
                function.jit_addr = builder.inttoptr(words[1], pointer)
                function.py_addr = cgutils.get_null_value(pointer)
                return function._getvalue()

            return typing.signature(result, bundle), generate

        return taken

    def _array_of(context: Any, builder: Any, kind: Any, words: Sequence[Any]) -> Any:
        view = arrayobj.make_array(kind)(context, builder)
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        shape, strides = words[1 : 1 + kind.ndim], [size]
        if kind.ndim > 1:
            strides.insert(0, builder.mul(shape[1], size))
        arrayobj.populate_array(
            view,
            data=builder.inttoptr(words[0], view.data.type),
            shape=cgutils.pack_array(builder, shape),
            strides=cgutils.pack_array(builder, strides),
            itemsize=size,
            meminfo=None,
            parent=None,
        )
        return view._getvalue()

else:

    def item_at(kind: Any, place: int) -> Any:
        """Return what takes the thing of a place out of a bundle's words."""
        is_frozen = isinstance(kind, types.Array) and not kind.mutable

        def taken(bundle: Any) -> Any:
            item = bundle[_WORDS * place]
            if is_frozen:
                item = item.view()
                item.flags.writeable = False
            return item

        return taken
