"""Views of rows and of the first elements of arrays at no cost, small arrays, and prefetching.

In a kernel that creates arrays, `stack[i]` counts references, which takes longer than
most kernels. `row` and `head` create the view without counting. Use them only for arrays
that were passed as arguments, which the caller keeps alive.

`local_reals`, `local_integers` and `local_words` return small arrays on the call stack that exist until the
kernel returns. They cost nothing, whereas `np.empty` takes about as long as a short kernel.
"""

from typing import Any

import numpy as np

from boardgames.kernels.plain import compiled_by
from boardgames.kernels.types import float64, int64, numba_type, uint64, void


def _row_code(writable: bool) -> Any:
    def row_view(typing_context: Any, stack: Any, index: Any) -> Any:
        from numba.core import cgutils, types
        from numba.np import arrayobj

        if not (isinstance(stack, types.Array) and stack.ndim == 2 and stack.layout == "C"):
            return None
        result = types.Array(stack.dtype, 1, "C", readonly=not writable)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
            view = arrayobj.make_array(result)(context, builder)
            stride, step = cgutils.unpack_tuple(builder, whole.strides)
            _, length = cgutils.unpack_tuple(builder, whole.shape)
            offset = builder.mul(arguments[1], stride)
            data = cgutils.pointer_add(builder, whole.data, offset, view.data.type)
            arrayobj.populate_array(
                view,
                data=data,
                shape=cgutils.pack_array(builder, [length]),
                strides=cgutils.pack_array(builder, [step]),
                itemsize=whole.itemsize,
                meminfo=None,
                parent=None,
            )
            return view._getvalue()

        return result(stack, types.int64), generate

    return row_view


@compiled_by(_row_code(writable=False))
def row(stack: Any, index: Any) -> Any:
    """Return a read-only view of one row."""
    view = stack[index]
    view.flags.writeable = False
    return view


@compiled_by(_row_code(writable=True))
def row_out(stack: Any, index: Any) -> Any:
    """Return a writable view of one row."""
    return stack[index]


def _head_code(writable: bool) -> Any:
    def head_view(typing_context: Any, array: Any, length: Any) -> Any:
        from numba.core import cgutils, types
        from numba.np import arrayobj

        if not (isinstance(array, types.Array) and array.ndim == 1 and array.layout == "C"):
            return None
        result = types.Array(array.dtype, 1, "C", readonly=not writable)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
            view = arrayobj.make_array(result)(context, builder)
            arrayobj.populate_array(
                view,
                data=whole.data,
                shape=cgutils.pack_array(builder, [arguments[1]]),
                strides=whole.strides,
                itemsize=whole.itemsize,
                meminfo=None,
                parent=None,
            )
            return view._getvalue()

        return result(array, types.int64), generate

    return head_view


@compiled_by(_head_code(writable=False))
def head(array: Any, length: Any) -> Any:
    """Return a read-only view of the first `length` elements of an array, which must not be shorter."""
    view = array[:length]
    view.flags.writeable = False
    return view


@compiled_by(_head_code(writable=True))
def head_out(array: Any, length: Any) -> Any:
    """Return a writable view of the first `length` elements of an array, which must not be shorter."""
    return array[:length]


def _local_code(kind: Any) -> Any:
    def local(typing_context: Any, count: Any) -> Any:
        from llvmlite import ir
        from numba.core import cgutils, types
        from numba.np import arrayobj

        if not isinstance(count, types.IntegerLiteral):
            return None
        result = types.Array(numba_type(kind), 1, "C")

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            item, length = context.get_value_type(result.dtype), count.literal_value
            data = cgutils.alloca_once(builder, item, size=ir.IntType(64)(max(length, 1)))
            array = arrayobj.make_array(result)(context, builder)
            number, size = ir.IntType(context.address_size), context.get_abi_sizeof(item)
            arrayobj.populate_array(
                array,
                data=data,
                shape=cgutils.pack_array(builder, [number(length)]),
                strides=cgutils.pack_array(builder, [number(size)]),
                itemsize=number(size),
                meminfo=None,
                parent=None,
            )
            return array._getvalue()

        return result(count), generate

    return local


@compiled_by(_local_code(float64), prefer_literal=True)
def local_reals(count: Any) -> Any:
    """Return an uninitialised array of floats; `count` must be a constant."""
    return np.empty(count)


@compiled_by(_local_code(int64), prefer_literal=True)
def local_integers(count: Any) -> Any:
    """Return an uninitialised array of integers; `count` must be a constant."""
    return np.empty(count, dtype=np.int64)


@compiled_by(_local_code(uint64), prefer_literal=True)
def local_words(count: Any) -> Any:
    """Return an uninitialised array of words; `count` must be a constant."""
    return np.empty(count, dtype=np.uint64)


def _prefetch_code(typing_context: Any, array: Any, index: Any) -> Any:
    from llvmlite import ir
    from numba.core import cgutils
    from numba.np import arrayobj

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.gep(whole.data, [arguments[1]])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [pointer, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return void(array, int64), generate


@compiled_by(_prefetch_code)
def prefetch(array: Any, index: Any) -> None:
    """Ask the processor to load the cache line of an element that will be needed soon."""
