"""Bundles: all kernels and arrays that a generic kernel works with, passed as one argument.

Whenever Python passes a kernel to compiled code, Numba looks up its address,
which takes 30 to 90 microseconds, longer than a shallow search. Besides, every
array argument takes seven words or more of stack at each call. A bundle looks
up the addresses once and is passed as one array of words. Inside a kernel,
`unpack` turns it back into a named tuple; LLVM drops the loads of fields that
are not used, so unpacking costs nothing.

    class Workspace(NamedTuple):          # field order is the layout of the bundle
        legal_moves: Callable[[Words, Actions], int]
        positions: Words
        control: Control

    KINDS = {"legal_moves": LegalMoves, "positions": WORDS_STACK, "control": CONTROL}
    unpack = unpacker(Workspace, KINDS)

    @kernel(types.int64(BUNDLE, types.int64))
    def count(bundle, ply):
        game = unpack(bundle)
        game.control[0].nodes += 1
        return game.legal_moves(row(game.positions, ply), ...)

    bundle = Bundle(KINDS, Workspace(game.kernels.legal_moves, positions, control))
    count(bundle.words, 0)
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, typing
from numba.experimental.function_type import _get_jit_address, _get_wrapper_address
from numba.extending import intrinsic
from numba.np import arrayobj
from numba.np.numpy_support import as_dtype

from boardgames.errors import KernelError
from boardgames.kernels.abi import ACTIONS, Actions, check_kernel, first_class
from boardgames.kernels.plain import JIT

BUNDLE = ACTIONS
"""Type of the words of a bundle as a kernel's argument."""

_WORDS = 3
"""Words per field: addresses of a kernel for C and for compiled code, or address and shape of an array."""

Fields = TypeVar("Fields", bound=NamedTuple)


class Bundle:
    """Kernels and arrays in a fixed order, kept alive by this object.

    Parameters
    ----------
    kinds : mapping of str to numba type
        For each field, the signature of the kernel or the type of the array (one or two axes).
    items : named tuple
        The kernels and arrays.

    Raises
    ------
    KernelError
        If an item does not match its kind.

    Attributes
    ----------
    words : int64[3 n]
        The argument for kernels. With the JIT off it holds the items
        themselves.
    """

    def __init__(self, kinds: Mapping[str, Any], items: Sequence[Any]) -> None:
        self.items = tuple(items)
        words = [
            word
            for (field, kind), item in zip(kinds.items(), items, strict=True)
            for word in _words_of(field, kind, item)
        ]
        self.words: Actions = np.array(words, dtype=np.int64 if JIT else object)


def _words_of(field: str, kind: Any, item: Any) -> list[Any]:
    if not isinstance(kind, types.Array):
        check_kernel(field, item, kind)
        return [_get_wrapper_address(item, kind), _get_jit_address(item, kind), 0] if JIT else [item, 0, 0]
    dtype = as_dtype(kind.dtype)
    if not isinstance(item, np.ndarray) or (item.dtype, item.ndim) != (dtype, kind.ndim):
        raise KernelError(
            f"{field} must be an array of {_name(dtype)} with {kind.ndim} axes, not {_described(item)}"
        )
    if not item.flags.c_contiguous:
        raise KernelError(f"{field} must be contiguous: {_described(item)} has gaps")
    if kind.mutable and not item.flags.writeable:
        raise KernelError(f"{field} must be writable: {_described(item)} is read-only")
    return [item.ctypes.data, *item.shape, 0][:_WORDS] if JIT else [item, 0, 0]


def _described(item: Any) -> str:
    return f"{_name(item.dtype)}{list(item.shape)}" if isinstance(item, np.ndarray) else type(item).__name__


def _name(dtype: np.dtype[Any]) -> str:
    return "records of " + ", ".join(dtype.names) if dtype.names else str(dtype)


if JIT:

    def unpacker(fields: type[Fields], kinds: Mapping[str, Any]) -> Callable[[Actions], Fields]:
        """Return an intrinsic that turns the words of a bundle into a named tuple.

        Parameters
        ----------
        fields : named tuple class
            Its fields are named and ordered as in the bundle.
        kinds : mapping
            The kind of each field, as `Bundle` takes them.

        Raises
        ------
        KernelError
            If the names or their order differ.
        """
        _check_fields(fields, kinds)
        members = [kind if isinstance(kind, types.Array) else first_class(kind) for kind in kinds.values()]
        result = types.NamedTuple(members, fields)

        @intrinsic  # type: ignore[untyped-decorator]  # Numba has no type stubs
        def unpack(typing_context: Any, bundle: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                words = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
                values = [_field(context, builder, words, place, kind) for place, kind in enumerate(members)]
                return context.make_tuple(builder, result, values)

            return typing.signature(result, bundle), generate

        return unpack  # type: ignore[no-any-return]  # Numba has no type stubs

    def _field(context: Any, builder: Any, words: Any, place: int, kind: Any) -> Any:
        """Return one field of a bundle as a value of compiled code."""
        loaded = [
            builder.load(builder.gep(words.data, [ir.Constant(ir.IntType(64), _WORDS * place + index)]))
            for index in range(_WORDS)
        ]
        if isinstance(kind, types.Array):
            return _array(context, builder, kind, loaded)
        function = cgutils.create_struct_proxy(kind)(context, builder)
        pointer = context.get_value_type(types.voidptr)
        function.c_addr = builder.inttoptr(loaded[0], pointer)
        function.jit_addr = builder.inttoptr(loaded[1], pointer)
        function.py_addr = cgutils.get_null_value(pointer)
        return function._getvalue()

    def _array(context: Any, builder: Any, kind: Any, words: Sequence[Any]) -> Any:
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

    def unpacker(fields: type[Fields], kinds: Mapping[str, Any]) -> Callable[[Actions], Fields]:
        """Return a function that turns the words of a bundle into a named tuple."""
        _check_fields(fields, kinds)
        frozen = [isinstance(kind, types.Array) and not kind.mutable for kind in kinds.values()]

        def unpack(bundle: Any) -> Any:
            items = list(bundle[::_WORDS])
            for index, is_frozen in enumerate(frozen):
                if is_frozen:
                    items[index] = items[index].view()
                    items[index].flags.writeable = False
            return fields(*items)

        return unpack


def _check_fields(fields: type[NamedTuple], kinds: Mapping[str, Any]) -> None:
    if fields._fields != tuple(kinds):
        raise KernelError(
            f"{fields.__name__} has the fields {list(fields._fields)}, but its kinds are {list(kinds)}"
        )
