"""Bundles: all kernels and arrays that a generic kernel uses, passed as one argument.

Whenever Python passes a kernel to compiled code, Numba looks up its address. This
takes 30 to 90 microseconds, longer than a shallow search. In addition, every array
argument takes at least seven words of stack in each call. A bundle looks up the
addresses once and is passed as one array of words. Inside a kernel, `unpack` turns
it back into a named tuple; LLVM removes the loads of fields that are not used, so
unpacking costs nothing.

    class Workspace(NamedTuple):  # field order is the layout of the bundle
        legal_moves: Annotated[Callable[[Words, Actions], int], LegalMoves]
        positions: Annotated[Words, WORDS_STACK]
        control: Annotated[Control, CONTROL]

    unpack = unpacker(Workspace)

    @kernel(types.int64(BUNDLE, types.int64))
    def count(bundle, ply):
        game = unpack(bundle)
        game.control[0].nodes += 1
        return game.legal_moves(row(game.positions, ply), ...)

    bundle = Bundle(Workspace(game.kernels.legal_moves, positions, control))
    count(bundle.words, 0)

The annotation of each field contains its type in Python and its kind: the signature of a kernel, or the
type of an array with one or two axes.
"""

import itertools
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from boardgames.errors import KernelError, quote
from boardgames.kernels import types
from boardgames.kernels.abi import ACTIONS, Actions, Reals, check_kernel, first_class
from boardgames.kernels.plain import JIT, compiled_by

BUNDLE = ACTIONS
"""Type of the words of a bundle as a kernel's argument."""

_WORDS = 3
"""Words per field: a kernel's addresses for C and for compiled code, or an array's address and shape."""

Fields = TypeVar("Fields", bound=NamedTuple)


class Bundle:
    """Kernels and arrays in a fixed order. The object keeps them alive.

    Parameters
    ----------
    items : named tuple
        The kernels and arrays.

    Raises
    ------
    KernelError
        If `items` is not a named tuple, or an item does not match the kind of its field.

    Attributes
    ----------
    words : int64[3 n]
        The argument for kernels.
    """

    def __init__(self, items: NamedTuple) -> None:
        if not (isinstance(items, tuple) and hasattr(items, "_fields")):
            raise KernelError(f"a bundle is made of a named tuple, not of {quote(items)}")
        self.items = items
        words = [
            word
            for (field, kind), item in zip(kinds_of(type(items)).items(), items, strict=True)
            for word in _words_of(field, kind, item)
        ]
        self.words: Actions = np.array(words, dtype=np.int64)
        if not JIT:
            number = next(_numbers)
            self.words[:] = number
            _items[number] = items
            weakref.finalize(self.words, _items.pop, number)


_numbers = itertools.count(1)
_items: dict[int, NamedTuple] = {}
"""With the JIT off, the items of each existing bundle, by the number that its words contain."""


@cache
def kinds_of(fields: type[NamedTuple]) -> Mapping[str, Any]:
    """Return the kind of each field of a bundle.

    Raises
    ------
    KernelError
        If a field has no kind in its annotation.
    """
    kinds = {}
    for name, hint in get_type_hints(fields, include_extras=True).items():
        if get_origin(hint) is not Annotated:
            raise KernelError(
                f"the annotation of the field {name} of {fields.__name__} must state its kind, as in "
                f"{name}: Annotated[Actions, ACTIONS]"
            )
        kinds[name] = get_args(hint)[1]
    return kinds


def _words_of(field: str, kind: Any, item: Any) -> list[Any]:
    if not isinstance(kind, types.Array):
        check_kernel(field, item, kind)
        return [*item.dispatcher.addresses(), 0] if JIT else [0] * _WORDS
    dtype = kind.dtype
    if not isinstance(item, np.ndarray) or (item.dtype, item.ndim) != (dtype, kind.ndim):
        raise KernelError(
            f"{field} must be an array of {_name(dtype)} with {kind.ndim} axes, not {_described(item)}"
        )
    if not item.flags.c_contiguous:
        raise KernelError(f"{field} must be contiguous: {_described(item)} has gaps")
    if kind.mutable and not item.flags.writeable:
        raise KernelError(f"{field} must be writable: {_described(item)} is read-only")
    return [item.ctypes.data, *item.shape, 0][:_WORDS]


def _described(item: Any) -> str:
    return f"{_name(item.dtype)}{list(item.shape)}" if isinstance(item, np.ndarray) else type(item).__name__


def _name(dtype: np.dtype[Any]) -> str:
    return "records of " + ", ".join(dtype.names) if dtype.names else str(dtype)


def unpacker(fields: type[Fields]) -> Callable[[Actions | Reals], Fields]:
    """Return a function for kernels that turns the words of a bundle into a named tuple.

    Parameters
    ----------
    fields : named tuple class
        The class of the bundle's items.

    Raises
    ------
    KernelError
        If the annotation of a field has no kind.
    """
    kinds = tuple(kinds_of(fields).values())
    frozen = [isinstance(kind, types.Array) and not kind.mutable for kind in kinds]

    @compiled_by(_unpack_code(kinds, fields))
    def unpack(bundle: Any) -> Any:
        items = list(_items[int(bundle.view(np.int64)[0])])
        for index, is_frozen in enumerate(frozen):
            if is_frozen:
                items[index] = items[index].view()
                items[index].flags.writeable = False
        return fields(*items)

    return unpack


def _unpack_code(kinds: Sequence[Any], fields: type[NamedTuple]) -> Any:
    """Return the code of `unpack`, an intrinsic."""
    members = [kind if isinstance(kind, types.Array) else first_class(kind) for kind in kinds]
    result = types.NamedTuple(members, fields)

    def code(typing_context: Any, bundle: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            from llvmlite import ir
            from numba.np import arrayobj

            data = arrayobj.make_array(signature.args[0])(context, builder, arguments[0]).data
            words = builder.bitcast(data, ir.IntType(64).as_pointer())
            values = [
                _field(context, builder, words, place, types.numba_type(kind))
                for place, kind in enumerate(members)
            ]
            return context.make_tuple(builder, types.numba_type(result), values)

        return result(bundle), generate

    return code


def _field(context: Any, builder: Any, words: Any, place: int, kind: Any) -> Any:
    """Generate the code that loads a field of a bundle; `kind` is its Numba type."""
    from llvmlite import ir
    from numba.core import cgutils
    from numba.core.types import Array, voidptr

    word = ir.IntType(64)
    loaded = [
        builder.load(builder.gep(words, [word(_WORDS * place + index)], source_etype=word), typ=word)
        for index in range(_WORDS)
    ]
    if isinstance(kind, Array):
        return _array(context, builder, kind, loaded)
    function = cgutils.create_struct_proxy(kind)(context, builder)
    pointer = context.get_value_type(voidptr)
    function.c_addr = builder.inttoptr(loaded[0], pointer)
    function.jit_addr = builder.inttoptr(loaded[1], pointer)
    function.py_addr = cgutils.get_null_value(pointer)
    return function._getvalue()


def _array(context: Any, builder: Any, kind: Any, words: Sequence[Any]) -> Any:
    from numba.core import cgutils
    from numba.core.types import intp
    from numba.np import arrayobj

    view = arrayobj.make_array(kind)(context, builder)
    size = context.get_constant(intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
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
