"""Sets of cells of both sides at once: four words, on which one instruction works.

Lanes are the low and high word of one side, then those of the other. Each
operation is an intrinsic on a vector of four words, which every machine has in
some form and newer ones in one instruction; several in a row stay in vector
registers. Beside the same work on single words a whole evaluation took a
quarter of the time.

To count the cells of a set is the dearest of them where the processor counts
single words only. Of many sets whose counts are added, `odd` and `most` make
few, as an adder makes two digits of three (R. Harley's and D. Seal's way to
count bits; H. Warren, "Hacker's Delight", 2nd ed., 5-1). Counts of four sets
become floats together, in a `Quad`.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj

from boardgames.kernels import JIT, popcount
from boardgames_abalone.board import BIT_OF_CELL

Lanes = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""Low and high word of one side's cells, low and high word of the other's."""
LANES = types.UniTuple(types.uint64, 4)

Quad = tuple[float, float, float, float]
"""Four numbers that are reckoned with at once."""
QUAD = types.UniTuple(types.float64, 4)

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
    _WORD, _INDEX, _REAL = ir.IntType(64), ir.IntType(32), ir.DoubleType()
    _VECTOR, _REALS = ir.VectorType(_WORD, 4), ir.VectorType(_REAL, 4)

    def _vector(builder: Any, lanes: Any) -> Any:  # llvmlite's values have no types
        vector = ir.Constant(ir.VectorType(lanes.type.element, 4), ir.Undefined)
        for lane in range(4):
            word = builder.extract_value(lanes, lane)
            vector = builder.insert_element(vector, word, ir.Constant(_INDEX, lane))
        return vector

    def _tuple(builder: Any, vector: Any) -> Any:
        lanes = ir.Constant(ir.ArrayType(vector.type.element, 4), ir.Undefined)
        for lane in range(4):
            word = builder.extract_element(vector, ir.Constant(_INDEX, lane))
            lanes = builder.insert_value(lanes, word, lane)
        return lanes

    def _each(word: int) -> Any:
        return ir.Constant(_VECTOR, [word] * 4)

    def _placed(builder: Any, vector: Any, places: list[int]) -> Any:
        """Return the lanes in other places; place 4 is an empty word."""
        return _chosen(builder, vector, _each(0), places)

    def _chosen(builder: Any, first: Any, second: Any, places: list[int]) -> Any:
        """Return some lanes of two vectors; places from 4 on are the second one's."""
        return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(_INDEX, 4), places))

    def _operation(generate: Callable[..., Any], kind: Any = LANES, result: Any = None) -> Any:
        """Return the intrinsic on one to four values that `generate` makes of their vectors."""

        def body(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return _tuple(builder, generate(builder, *[_vector(builder, value) for value in arguments]))

        def of_one(typing_context: Any, first: Any) -> Any:
            return (result or kind)(kind), body

        def of_two(typing_context: Any, first: Any, second: Any) -> Any:
            return (result or kind)(kind, kind), body

        def of_three(typing_context: Any, first: Any, second: Any, third: Any) -> Any:
            return (result or kind)(kind, kind, kind), body

        def of_four(typing_context: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
            return (result or kind)(kind, kind, kind, kind), body

        return intrinsic((of_one, of_two, of_three, of_four)[generate.__code__.co_argcount - 2])

    def _generate_counts(builder: Any, vector: Any) -> Any:
        name = "llvm.ctpop.v4i64"
        known = builder.module.globals.get(name)
        count = known or ir.Function(builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), name)
        return builder.call(count, [vector])

    def _generate_odd(builder: Any, first: Any, second: Any, third: Any) -> Any:
        return builder.xor(builder.xor(first, second), third)

    def _generate_most(builder: Any, first: Any, second: Any, third: Any) -> Any:
        return builder.or_(builder.and_(first, second), builder.and_(third, builder.or_(first, second)))

    def _gathered(builder: Any, vectors: tuple[Any, Any, Any, Any], lane: int) -> Any:
        """Return the sums of a lane and the next one of four vectors."""
        places = [lane, lane + 4, lane + 1, lane + 5]
        left, right = _chosen(builder, *vectors[:2], places), _chosen(builder, *vectors[2:], places)
        return builder.add(
            _chosen(builder, left, right, [0, 1, 4, 5]), _chosen(builder, left, right, [2, 3, 6, 7])
        )

    def _as_reals(builder: Any, numbers: Any) -> Any:
        short = builder.trunc(numbers, ir.VectorType(ir.IntType(32), 4))  # every machine has a way from these
        return builder.sitofp(short, _REALS)

    def _generate_own(builder: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
        return _as_reals(builder, _gathered(builder, (first, second, third, fourth), 0))

    def _generate_others(builder: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
        return _as_reals(builder, _gathered(builder, (first, second, third, fourth), 2))

    def _generate_leads(builder: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
        vectors = (first, second, third, fourth)
        return _as_reals(builder, builder.sub(_gathered(builder, vectors, 0), _gathered(builder, vectors, 2)))

    meet = _operation(lambda builder, first, second: builder.and_(first, second))
    join = _operation(lambda builder, first, second: builder.or_(first, second))
    less = _operation(lambda builder, first, second: builder.and_(first, builder.not_(second)))
    plus = _operation(lambda builder, first, second: builder.add(first, second))
    less_by = _operation(lambda builder, first, second: builder.sub(first, second))
    swapped = _operation(lambda builder, vector: _placed(builder, vector, [2, 3, 0, 1]))
    counts = _operation(_generate_counts)
    odd = _operation(_generate_odd)
    most = _operation(_generate_most)
    own_of = _operation(_generate_own, LANES, QUAD)
    others_of = _operation(_generate_others, LANES, QUAD)
    leads_of = _operation(_generate_leads, LANES, QUAD)
    add = _operation(lambda builder, first, second: builder.fadd(first, second), QUAD)
    multiply = _operation(lambda builder, first, second: builder.fmul(first, second), QUAD)

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no type stubs
    def quad_at(typing_context: Any, reals: Any, index: Any) -> Any:
        """Return four elements of an array of reals, from an index on."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
            place = builder.gep(whole.data, [arguments[1]])
            vector = builder.load(place, align=8, typ=_REALS)
            return _tuple(builder, vector)

        return QUAD(reals, types.int64), generate

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

    def less_by(first: Any, second: Any) -> Any:
        """Return the differences of numbers, lane by lane."""
        return tuple(a - b for a, b in zip(first, second, strict=True))

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

    def odd(first: Any, second: Any, third: Any) -> Any:
        """Return the cells in one or all of three sets."""
        return tuple(a ^ b ^ c for a, b, c in zip(first, second, third, strict=True))

    def most(first: Any, second: Any, third: Any) -> Any:
        """Return the cells in two or all of three sets."""
        return tuple((a & b) | (c & (a | b)) for a, b, c in zip(first, second, third, strict=True))

    def own_of(*numbers: Any) -> Any:
        """Return the first side's sums of four lanes of numbers, each below 2^31."""
        return tuple(float(lanes[0] + lanes[1]) for lanes in numbers)

    def others_of(*numbers: Any) -> Any:
        """Return the other side's sums of four lanes of numbers."""
        return tuple(float(lanes[2] + lanes[3]) for lanes in numbers)

    def leads_of(*numbers: Any) -> Any:
        """Return the first side's sums of four lanes of numbers less the other's."""
        return tuple(own - others for own, others in zip(own_of(*numbers), others_of(*numbers), strict=True))

    def add(first: Any, second: Any) -> Any:
        """Return the sums of four numbers and four others."""
        return tuple(a + b for a, b in zip(first, second, strict=True))

    def multiply(first: Any, second: Any) -> Any:
        """Return the products of four numbers and four others."""
        return tuple(a * b for a, b in zip(first, second, strict=True))

    def quad_at(reals: Any, index: Any) -> Any:
        """Return four elements of an array of reals, from an index on."""
        return tuple(float(number) for number in reals[index : index + 4])
