"""Compute 32 table indices at once by adding rows of vectors, and sum the table entries at these indices.

The index of a group of cells is a number whose digits are the values of the cells. Each value of a cell
therefore adds a fixed amount to the index, and so does each combination of bits in a chunk of a bitboard.
The amounts for 32 groups are the *lanes*, 16 bits each, of a row of eight words. Vector instructions add a
whole row at once; the sum in a lane must stay below 2^16.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from boardgames.kernels import types
from boardgames.kernels.abi import Words
from boardgames.kernels.plain import compiled_by

LANES, ROW_WORDS = 32, 8
"""Number of lanes in a row, and number of words into which they are packed."""

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

    From index `place` on, `rows`, `uint64[n]`, contains a row that is always added, and then for each
    chunk one row for each combination of its bits. Rows that the first bitboard selects are added
    once, rows that the second bitboard selects are added twice, and so on.

    Parameters
    ----------
    boards : sequence of (int, int)
        The words of a position at which each bitboard begins, from the point of view of side 0 and
        of side 1.
    chunks : sequence of Chunk
        The parts into which each bitboard is divided.
    """
    boards, chunks = tuple(boards), tuple(chunks)

    @compiled_by(_adder_code(boards, chunks))
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


_ROW_BYTES, _ROW_SHIFT = 8 * ROW_WORDS, 6


def _adder_code(boards: tuple[tuple[int, int], ...], chunks: tuple[Chunk, ...]) -> Any:
    """Return the code of `add_rows`. It has no loops, so that all lanes stay in vector registers."""

    def code(typing_context: Any, position: Any, side: Any, rows: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            from llvmlite import ir
            from numba.np import arrayobj

            word_type, byte = ir.IntType(64), ir.IntType(8)
            vector = ir.VectorType(word_type, ROW_WORDS)
            words = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
            whole = arrayobj.make_array(signature.args[2])(context, builder, arguments[2])
            start = builder.bitcast(builder.gep(whole.data, [arguments[3]]), byte.as_pointer())
            is_first = builder.icmp_signed("==", arguments[1], word_type(0))

            def row_at(offset: Any) -> Any:
                pointer = builder.gep(start, [offset], inbounds=True, source_etype=byte)
                return builder.load(builder.bitcast(pointer, vector.as_pointer()), align=8, typ=vector)

            total, several = row_at(word_type(0)), None
            for of_first, of_second in reversed(boards):
                begin, offset = (
                    builder.select(is_first, word_type(of_first), word_type(of_second)),
                    _ROW_BYTES,
                )
                for word, first, size in chunks:
                    pointer = builder.gep(words.data, [builder.add(begin, word_type(word))])
                    bits = builder.load(pointer, typ=word_type)
                    shift = first - _ROW_SHIFT  # turns the bits into an offset in bytes
                    bits = (
                        builder.lshr(bits, word_type(shift))
                        if shift >= 0
                        else builder.shl(bits, word_type(-shift))
                    )
                    bits = builder.and_(bits, word_type(((1 << size) - 1) << _ROW_SHIFT))
                    row = row_at(builder.add(bits, word_type(offset)))
                    several = row if several is None else builder.add(several, row)
                    offset += _ROW_BYTES << size
                total = builder.add(total, several)
            return _to_tuple(builder, total)

        return LANES_TYPE(position, types.int64, rows, types.int64), generate

    return code


def _to_vector(builder: Any, lanes: Any) -> Any:  # llvmlite's values have no types
    from llvmlite import ir

    vector = ir.Constant(ir.VectorType(ir.IntType(64), ROW_WORDS), ir.Undefined)
    for place in range(ROW_WORDS):
        word = builder.extract_value(lanes, place)
        vector = builder.insert_element(vector, word, ir.IntType(32)(place))
    return vector


def _to_tuple(builder: Any, vector: Any) -> Any:
    from llvmlite import ir

    lanes = ir.Constant(ir.ArrayType(ir.IntType(64), ROW_WORDS), ir.Undefined)
    for place in range(ROW_WORDS):
        word = builder.extract_element(vector, ir.IntType(32)(place))
        lanes = builder.insert_value(lanes, word, place)
    return lanes


def _sum_code(typing_context: Any, shorts: Any, first: Any, lanes: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from llvmlite import ir
        from numba.core import cgutils
        from numba.np import arrayobj

        word, index_type, short_type = ir.IntType(64), ir.IntType(32), ir.IntType(16)
        whole = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
        start = builder.gep(whole.data, [arguments[1]], source_etype=short_type)
        # loading single lanes from memory is faster than extracting them from a vector, so
        # an empty assembler statement keeps LLVM from removing the store
        stored = cgutils.alloca_once(builder, ir.VectorType(word, ROW_WORDS))
        builder.store(_to_vector(builder, arguments[2]), stored, align=8)
        builder.asm(ir.FunctionType(ir.VoidType(), [stored.type]), "", "r,~{memory}", [stored], True)
        lanes = builder.bitcast(stored, short_type.as_pointer())
        sums: list[Any] = [index_type(0)] * 4  # four sums, because an addition waits for the last one
        for lane in range(LANES):
            place = builder.gep(lanes, [index_type(lane)], source_etype=short_type)
            index = builder.zext(builder.load(place, typ=short_type), word)
            pointer = builder.gep(start, [index], source_etype=short_type)
            short = builder.sext(builder.load(pointer, typ=short_type), index_type)
            sums[lane % 4] = builder.add(sums[lane % 4], short)
        total = builder.add(builder.add(sums[0], sums[1]), builder.add(sums[2], sums[3]))
        return builder.sext(total, word)

    return types.int64(shorts, types.int64, LANES_TYPE), generate


@compiled_by(_sum_code)
def sum_of_shorts(shorts: Any, first: Any, lanes: Any) -> Any:
    """Return the sum of 32 elements of `shorts`: those at the indices `first` + lane."""
    places = first + np.array(lanes, dtype=np.uint64).view(np.uint16).astype(np.int64)
    return shorts[places].sum(dtype=np.int64)
