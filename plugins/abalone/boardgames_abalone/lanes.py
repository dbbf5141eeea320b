"""Sets of cells of both sides at once: four words, on which one instruction works.

Lanes are the low and high word of one side, then those of the other. Each
operation is an intrinsic on a vector of four words, which every machine has in
some form and newer ones in one instruction; several in a row stay in vector
registers. Beside the same work on single words a whole evaluation took a
quarter of the time.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from boardgames.kernels import JIT, popcount
from boardgames_abalone.board import BIT_OF_CELL

Lanes = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""Low and high word of one side's cells, low and high word of the other's."""
LANES = types.UniTuple(types.uint64, 4)

SHIFTS = (1, 10, 9)
"""Bits from a cell to its neighbour, by axis; directions 0 to 2 shift up, 3 to 5 down."""


def lanes_of(cells: Iterable[int]) -> Lanes:
    """Return a set of cells in both halves, as a mask for both sides.

    Examples
    --------
    >>> lanes_of([0, 60])
    (np.uint64(16384), np.uint64(1073741824), np.uint64(16384), np.uint64(1073741824))
    """
    bits = sum(1 << int(BIT_OF_CELL[cell]) for cell in cells)
    low, high = np.uint64(bits & (1 << 64) - 1), np.uint64(bits >> 64)
    return low, high, low, high


if JIT:
    _WORD, _INDEX = ir.IntType(64), ir.IntType(32)
    _VECTOR = ir.VectorType(_WORD, 4)

    def _vector(builder: Any, lanes: Any) -> Any:  # llvmlite's values have no types
        vector = ir.Constant(_VECTOR, ir.Undefined)
        for lane in range(4):
            word = builder.extract_value(lanes, lane)
            vector = builder.insert_element(vector, word, ir.Constant(_INDEX, lane))
        return vector

    def _tuple(builder: Any, vector: Any) -> Any:
        lanes = ir.Constant(ir.ArrayType(_WORD, 4), ir.Undefined)
        for lane in range(4):
            word = builder.extract_element(vector, ir.Constant(_INDEX, lane))
            lanes = builder.insert_value(lanes, word, lane)
        return lanes

    def _each(word: int) -> Any:
        return ir.Constant(_VECTOR, [word] * 4)

    def _placed(builder: Any, vector: Any, places: list[int]) -> Any:
        """Return the lanes in other places; place 4 is an empty word."""
        mask = ir.Constant(ir.VectorType(_INDEX, 4), places)
        return builder.shuffle_vector(vector, _each(0), mask)

    def _operation(generate: Callable[..., Any]) -> Any:
        """Return the intrinsic on one or two values of lanes that `generate` makes of their vectors."""

        def of_one(typing_context: Any, first: Any) -> Any:
            def body(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                return _tuple(builder, generate(builder, _vector(builder, arguments[0])))

            return LANES(LANES), body

        def of_two(typing_context: Any, first: Any, second: Any) -> Any:
            def body(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                vectors = [_vector(builder, lanes) for lanes in arguments]
                return _tuple(builder, generate(builder, *vectors))

            return LANES(LANES, LANES), body

        return intrinsic(of_one if generate.__code__.co_argcount == 2 else of_two)

    def _generate_counts(builder: Any, vector: Any) -> Any:
        name = "llvm.ctpop.v4i64"
        known = builder.module.globals.get(name)
        count = known or ir.Function(builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), name)
        return builder.call(count, [vector])

    meet = _operation(lambda builder, first, second: builder.and_(first, second))
    join = _operation(lambda builder, first, second: builder.or_(first, second))
    less = _operation(lambda builder, first, second: builder.and_(first, builder.not_(second)))
    plus = _operation(lambda builder, first, second: builder.add(first, second))
    swapped = _operation(lambda builder, vector: _placed(builder, vector, [2, 3, 0, 1]))
    counts = _operation(_generate_counts)

    @intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]  # Numba has no type stubs
    def all_ahead(typing_context: Any, lanes: Any, direction: Any) -> Any:
        """Return the cells whose neighbour in a direction, known when compiled, is in the set."""
        if not isinstance(direction, types.IntegerLiteral):
            return None
        goes_up, step = direction.literal_value < 3, SHIFTS[direction.literal_value % 3]

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            vector = _vector(builder, arguments[0])
            if goes_up:  # what leaves a low word comes into the high one beside it
                carried = _placed(builder, builder.lshr(vector, _each(64 - step)), [4, 0, 4, 2])
                return _tuple(builder, builder.or_(builder.shl(vector, _each(step)), carried))
            carried = _placed(builder, builder.shl(vector, _each(64 - step)), [1, 4, 3, 4])
            return _tuple(builder, builder.or_(builder.lshr(vector, _each(step)), carried))

        return LANES(LANES, direction), generate

else:

    def meet(first: Any, second: Any) -> Any:
        """Return the cells in both sets."""
        return tuple(a & b for a, b in zip(first, second, strict=True))

    def join(first: Any, second: Any) -> Any:
        """Return the cells in one of the sets or both."""
        return tuple(a | b for a, b in zip(first, second, strict=True))

    def less(first: Any, second: Any) -> Any:
        """Return the cells of the first set that are not in the second."""
        return tuple(a & ~b for a, b in zip(first, second, strict=True))

    def plus(first: Any, second: Any) -> Any:
        """Return the sums of numbers, lane by lane."""
        return tuple(a + b for a, b in zip(first, second, strict=True))

    def swapped(lanes: Any) -> Any:
        """Return the sides in each other's place."""
        return (*lanes[2:], *lanes[:2])

    def counts(lanes: Any) -> Any:
        """Return the number of cells in each lane."""
        return tuple(np.uint64(popcount(word)) for word in lanes)

    def all_ahead(lanes: Any, direction: Any) -> Any:
        """Return the cells whose neighbour in a direction is in the set."""
        step, whole = SHIFTS[direction % 3], (1 << 128) - 1
        moved = []
        for low, high in (lanes[:2], lanes[2:]):
            cells = int(low) | int(high) << 64
            cells = (cells << step if direction < 3 else cells >> step) & whole
            moved += [np.uint64(cells & (1 << 64) - 1), np.uint64(cells >> 64)]
        return tuple(moved)
