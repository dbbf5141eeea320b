"""Compute 32 table indices at once by adding rows of vectors, and sum what they look up.

The index of a group of cells is a number whose digits are the values of the cells, so each
cell adds a fixed amount for each of its values, and each combination of bits in a chunk of a
bitboard does too. The amounts for 32 groups are the *lanes*, 16 bits each, of a row of eight
words. Vector instructions add a whole row at once; no sum of a lane may reach 2^16.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from boardgames.kernels.abi import Words
from boardgames.kernels.plain import JIT

LANES, ROW_WORDS = 32, 8
"""Number of lanes in a row, and of the words in which they are packed."""

Lanes = tuple[np.uint64, ...]
"""The words of a row of lanes."""
LANES_TYPE = types.UniTuple(types.uint64, ROW_WORDS)

Adder = Callable[[Words, int, Words, int], Lanes]
"""Type of the functions that `row_adder` makes."""


class Chunk(NamedTuple):
    """Consecutive bits of a bitboard: the index of their word, the first bit, and the number of bits."""

    word: int
    first: int
    size: int


def row_adder(boards: Sequence[tuple[int, int]], chunks: Sequence[Chunk]) -> Adder:
    """Return a function for kernels, `add_rows(position, side, rows, place)`, that returns lanes.

    From index `place` on, `rows`, `uint64[n]`, holds a row that is always added, and then for each
    chunk a row for each combination of its bits. Rows selected by the first bitboard are added
    once, those selected by the second one twice, and so on.

    Parameters
    ----------
    boards : sequence of (int, int)
        The words of a position at which each bitboard begins, from the point of view of side 0 and
        of side 1.
    chunks : sequence of Chunk
        The parts into which each bitboard is divided.
    """
    make = _compiled_adder if JIT else _plain_adder
    return make(tuple(boards), tuple(chunks))


def _plain_adder(boards: tuple[tuple[int, int], ...], chunks: tuple[Chunk, ...]) -> Adder:
    def add_rows(position: Words, side: int, rows: Words, place: int) -> Lanes:
        total, several = rows[place : place + ROW_WORDS].copy(), np.zeros(ROW_WORDS, dtype=np.uint64)
        for starts in reversed(boards):
            row = place + ROW_WORDS
            for word, first, size in chunks:
                bits = int(position[starts[side] + word]) >> first & (1 << size) - 1
                several += rows[row + ROW_WORDS * bits : row + ROW_WORDS * (bits + 1)]
                row += ROW_WORDS << size
            total += several
        return tuple(total)

    return add_rows


def _compiled_adder(boards: tuple[tuple[int, int], ...], chunks: tuple[Chunk, ...]) -> Adder:
    """Return an intrinsic without loops, in which all lanes stay in vector registers."""

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no type stubs
    def add_rows(typing_context: Any, position: Any, side: Any, rows: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            words = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
            whole = arrayobj.make_array(signature.args[2])(context, builder, arguments[2])
            start = builder.bitcast(builder.gep(whole.data, [arguments[3]]), _BYTE.as_pointer())
            is_first = builder.icmp_signed("==", arguments[1], _WORD(0))

            def row_at(offset: Any) -> Any:
                pointer = builder.gep(start, [offset], inbounds=True, source_etype=_BYTE)
                return builder.load(builder.bitcast(pointer, _VECTOR.as_pointer()), align=8, typ=_VECTOR)

            total, several = row_at(_WORD(0)), None
            for of_first, of_second in reversed(boards):
                begin, offset = builder.select(is_first, _WORD(of_first), _WORD(of_second)), _ROW_BYTES
                for word, first, size in chunks:
                    bits = builder.load(builder.gep(words.data, [builder.add(begin, _WORD(word))]), typ=_WORD)
                    shift = first - _ROW_SHIFT  # so that the bits become an offset in bytes at once
                    bits = (
                        builder.lshr(bits, _WORD(shift)) if shift >= 0 else builder.shl(bits, _WORD(-shift))
                    )
                    bits = builder.and_(bits, _WORD(((1 << size) - 1) << _ROW_SHIFT))
                    row = row_at(builder.add(bits, _WORD(offset)))
                    several = row if several is None else builder.add(several, row)
                    offset += _ROW_BYTES << size
                total = builder.add(total, several)
            return _to_tuple(builder, total)

        return LANES_TYPE(position, types.int64, rows, types.int64), generate

    added: Adder = add_rows
    return added


if JIT:
    _WORD, _INDEX, _SHORT, _BYTE = ir.IntType(64), ir.IntType(32), ir.IntType(16), ir.IntType(8)
    _VECTOR = ir.VectorType(_WORD, ROW_WORDS)
    _ROW_BYTES, _ROW_SHIFT = 8 * ROW_WORDS, 6

    def _to_vector(builder: Any, lanes: Any) -> Any:  # llvmlite's values have no types
        vector = ir.Constant(_VECTOR, ir.Undefined)
        for place in range(ROW_WORDS):
            word = builder.extract_value(lanes, place)
            vector = builder.insert_element(vector, word, _INDEX(place))
        return vector

    def _to_tuple(builder: Any, vector: Any) -> Any:
        lanes = ir.Constant(ir.ArrayType(_WORD, ROW_WORDS), ir.Undefined)
        for place in range(ROW_WORDS):
            word = builder.extract_element(vector, _INDEX(place))
            lanes = builder.insert_value(lanes, word, place)
        return lanes

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no type stubs
    def sum_of_shorts(typing_context: Any, shorts: Any, first: Any, lanes: Any) -> Any:
        """Return the sum of the 16-bit integers at `first` plus each of the lanes."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
            start = builder.gep(whole.data, [arguments[1]], source_etype=_SHORT)
            # loading single lanes from memory is faster than extracting them from a vector, so
            # an empty assembler statement keeps LLVM from removing the store
            stored = cgutils.alloca_once(builder, _VECTOR)
            builder.store(_to_vector(builder, arguments[2]), stored, align=8)
            builder.asm(ir.FunctionType(ir.VoidType(), [stored.type]), "", "r,~{memory}", [stored], True)
            lanes = builder.bitcast(stored, _SHORT.as_pointer())
            sums: list[Any] = [_INDEX(0)] * 4  # several sums, because each addition waits for the last one
            for lane in range(LANES):
                index = builder.load(builder.gep(lanes, [_INDEX(lane)], source_etype=_SHORT), typ=_SHORT)
                pointer = builder.gep(start, [builder.zext(index, _WORD)], source_etype=_SHORT)
                short = builder.sext(builder.load(pointer, typ=_SHORT), _INDEX)
                sums[lane % 4] = builder.add(sums[lane % 4], short)
            total = builder.add(builder.add(sums[0], sums[1]), builder.add(sums[2], sums[3]))
            return builder.sext(total, _WORD)

        return types.int64(shorts, types.int64, LANES_TYPE), generate

else:

    def sum_of_shorts(shorts: Any, first: Any, lanes: Any) -> Any:
        """Return the sum of the 16-bit integers at `first` plus each of the lanes."""
        places = first + np.array(lanes, dtype=np.uint64).view(np.uint16).astype(np.int64)
        return shorts[places].sum(dtype=np.int64)
