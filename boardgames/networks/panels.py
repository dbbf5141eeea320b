"""The innermost loops of networks: products of a few rows with panels of a matrix, in vector registers.

A row of activations is a run of numbers in memory. A product is the sum of rows times matrices over a list
of *entries*. Each entry says where the matrix of a tap begins and where the rows begin. A panel is 16 columns
of such a matrix. The sums stay in registers until they are complete. Both functions compute a sum by the
same operations in the same order.
"""

from math import inf
from typing import Any

import numpy as np
from llvmlite import ir

from boardgames.kernels import types
from boardgames.kernels.plain import JIT, compiled_by

LANES = 16
"""Number of columns of a panel."""
ROWS = 6
"""Number of rows that `multiply_rows` takes. Their sums, a row of the panel and a number that is multiplied
by it fill the 16 vector registers of AVX2."""
PANELS = 4
"""Number of panels that `multiply_row` takes."""
ENTRY = 1 + ROWS
"""Length of an entry, which says where a matrix begins and where each row begins."""


def _product_code(rows: int, panels: int) -> Any:
    """Return the Numba intrinsic that generates the code of `multiply_rows` or `multiply_row`."""

    def product(typing_context: Any, work: Any, weights: Any, entries: Any, *numbers: Any) -> Any:
        from numba.np import arrayobj

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = [
                arrayobj.make_array(kind)(context, builder, value).data
                for kind, value in zip(signature.args[:3], arguments[:3], strict=True)
            ]
            _Product(builder, data, rows, panels).write(*arguments[3:])
            return context.get_dummy_value()

        return types.void(work, weights, entries, *[types.int64] * len(numbers)), generate

    def of_numbers(
        typing_context: Any, work: Any, weights: Any, entries: Any, first: Any, count: Any, channels: Any,
        start: Any, step: Any, bias: Any, target: Any, stride: Any, is_added: Any, is_rectified: Any,
    ) -> Any:  # fmt: skip
        numbers = (first, count, channels, start, step, bias, target, stride, is_added, is_rectified)
        return product(typing_context, work, weights, entries, *numbers)

    return of_numbers


if JIT:
    _WORD, _INDEX, _FLOAT = ir.IntType(64), ir.IntType(32), ir.FloatType()
    _PANEL = ir.VectorType(_FLOAT, LANES)

    class _Product:
        """Builds the LLVM code of a product; all arguments are LLVM values."""

        def __init__(self, builder: Any, arrays: list[Any], rows: int, panels: int) -> None:
            from numba.core import cgutils

            self._cgutils = cgutils
            self._builder = builder
            self._work, self._weights, self._entries = arrays
            self._rows, self._panels = range(rows), range(panels)
            self._sums = [[cgutils.alloca_once(builder, _PANEL) for _ in self._panels] for _ in self._rows]

        def write(
            self, first: Any, count: Any, channels: Any, start: Any, step: Any, bias: Any, target: Any,
            stride: Any, is_added: Any, is_rectified: Any,
        ) -> None:  # fmt: skip
            builder = self._builder
            for panel in self._panels:
                begin = self._panel_at(self._weights, builder.add(bias, _WORD(LANES * panel)))
                for row in self._rows:
                    builder.store(begin, self._sums[row][panel])
            with self._cgutils.for_range(builder, count) as taps:
                entry = builder.add(first, builder.mul(taps.index, _WORD(ENTRY)))
                self._add_products(entry, channels, start, step)
            zero, lowest = ir.Constant(_FLOAT, 0.0), ir.Constant(_FLOAT, -inf)
            floor = self._splat(builder.select(_is_set(builder, is_rectified), zero, lowest))
            for row in self._rows:
                begin = builder.add(target, builder.mul(stride, _WORD(row)))
                for panel in self._panels:
                    place = builder.add(begin, _WORD(LANES * panel))
                    self._finish(self._sums[row][panel], place, _is_set(builder, is_added), floor)

        def _add_products(self, entry: Any, channels: Any, start: Any, step: Any) -> None:
            builder = self._builder
            matrix = builder.add(start, self._number_at(entry))
            matrices = [
                self._element(self._weights, builder.add(matrix, builder.mul(step, _WORD(panel))))
                for panel in self._panels
            ]
            begins = [
                self._element(self._work, self._number_at(builder.add(entry, _WORD(1 + row))))
                for row in self._rows
            ]
            kind = ir.FunctionType(_PANEL, [_PANEL] * 3)
            name = f"llvm.fmuladd.v{LANES}f32"
            fused = self._cgutils.get_or_insert_function(builder.module, kind, name)
            with self._cgutils.for_range(builder, channels) as inner:
                offset = builder.mul(inner.index, _WORD(LANES))
                panels = [self._panel_at(begin, offset) for begin in matrices]
                for begin, sums in zip(begins, self._sums, strict=True):
                    number = self._splat(builder.load(self._element(begin, inner.index), typ=_FLOAT))
                    for panel, total in zip(panels, sums, strict=True):
                        before = builder.load(total, typ=_PANEL)
                        builder.store(builder.call(fused, [number, panel, before]), total)

        def _finish(self, total: Any, place: Any, is_added: Any, floor: Any) -> None:
            builder = self._builder
            with builder.if_then(is_added):
                both = builder.fadd(builder.load(total, typ=_PANEL), self._panel_at(self._work, place))
                builder.store(both, total)
            value = builder.load(total, typ=_PANEL)
            value = builder.select(builder.fcmp_unordered(">", value, floor), value, floor)  # keeps NaN
            pointer = builder.bitcast(self._element(self._work, place), _PANEL.as_pointer())
            builder.store(value, pointer, align=4)

        def _element(self, array: Any, index: Any, kind: Any = _FLOAT) -> Any:
            return self._builder.gep(array, [index], inbounds=True, source_etype=kind)

        def _number_at(self, index: Any) -> Any:
            return self._builder.load(self._element(self._entries, index, _WORD), typ=_WORD)

        def _panel_at(self, array: Any, index: Any) -> Any:
            pointer = self._builder.bitcast(self._element(array, index), _PANEL.as_pointer())
            return self._builder.load(pointer, align=4, typ=_PANEL)

        def _splat(self, number: Any) -> Any:
            undefined = ir.Constant(_PANEL, ir.Undefined)
            single = self._builder.insert_element(undefined, number, _INDEX(0))
            mask = ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES)
            return self._builder.shuffle_vector(single, undefined, mask)

    def _is_set(builder: Any, number: Any) -> Any:
        return builder.icmp_signed("!=", number, _WORD(0))


@compiled_by(_product_code(ROWS, 1))
def multiply_rows(
    work: Any, weights: Any, entries: Any, first: Any, count: Any, channels: Any, start: Any, step: Any,
    bias: Any, target: Any, stride: Any, is_added: Any, is_rectified: Any,
) -> None:  # fmt: skip
    """Write the products of `ROWS` rows with one panel.

    Parameters
    ----------
    work : float32[n]
        Activations, which are read and written.
    weights : float32[n]
        Matrices and biases.
    entries : int64[n]
        Entries; the matrix of an entry begins at its first number plus `start`.
    first, count : int
        Where the first entry begins, and the number of entries.
    channels : int
        Length of a row, and number of rows of a matrix.
    start, step : int
        Where the matrices of the first panel begin, and the distance to the matrices of the next panel.
    bias : int
        Where the biases begin, which are added to each row.
    target, stride : int
        Where the first row is written, and the distance to the next row.
    is_added, is_rectified : int
        Whether the old content of the target is added, and whether negative sums then become 0.
    """
    for row in range(ROWS):
        _multiply(work, weights, entries, row, first, count, channels, start, bias, target + row * stride,
                  is_added, is_rectified)  # fmt: skip


@compiled_by(_product_code(1, PANELS))
def multiply_row(
    work: Any, weights: Any, entries: Any, first: Any, count: Any, channels: Any, start: Any, step: Any,
    bias: Any, target: Any, stride: Any, is_added: Any, is_rectified: Any,
) -> None:  # fmt: skip
    """Write the products of the first row of the entries with `PANELS` panels; see `multiply_rows`."""
    for panel in range(PANELS):
        _multiply(work, weights, entries, 0, first, count, channels, start + panel * step,
                  bias + LANES * panel, target + LANES * panel, is_added, is_rectified)  # fmt: skip


def _multiply(
    work: Any, weights: Any, entries: Any, row: int, first: int, count: int, channels: int, start: int,
    bias: int, target: int, is_added: int, is_rectified: int,
) -> None:  # fmt: skip
    total = weights[bias : bias + LANES].copy()
    for entry in range(first, first + ENTRY * count, ENTRY):
        matrix, begin = start + entries[entry], entries[entry + 1 + row]
        panel = weights[matrix : matrix + LANES * channels].reshape(channels, LANES)
        total += work[begin : begin + channels] @ panel
    if is_added:
        total += work[target : target + LANES]
    work[target : target + LANES] = np.maximum(total, 0.0) if is_rectified else total
