"""Evaluation terms: the quantities from which Abalone's evaluations and feature sets are made.

`centre_distance`, `density` and `marbles_lost` are the three terms of the agent
`simple`. The rest of the module computes the seventeen terms of `engine` for both
sides together, with the vector operations of `simd`. Each of these terms is a
number of one side minus that of the other, so its values for the two sides differ
only in sign.

Every term of `engine` appears twice, as in a tapered evaluation in chess: multiplied by
1 - t and by t. The game phase t is the number of marbles lost by both sides divided by
eight, but not more than 1.

A *push* (sumito) is an in-line move that moves opposing marbles; each marble that can
be the tail of a push counts as one. A push goes *to the border* if the foremost
marble that it moves leaves the interior for the border. *Threats* are the pushes that
the side not to move could make if it were to move. A marble is *sandwiched* if it lies
between two opposing marbles on any of its three lines. Pairs, flowers and edge danger are
defined in `features`. The *spread* is the sum of the squared distances of the marbles to
their centre of mass, with neighbouring cells one apart: x^2 + x y + y^2 for x and y steps
along two axes at 60 degrees.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from boardgames.declarations import Feature, FeatureSet
from boardgames.game import Game
from boardgames.kernels import Features, Reals, Words, kernel, popcount, types
from boardgames.kernels.abi import WORDS
from boardgames_abalone.board import (
    CELLS,
    CENTRE,
    DIAGONAL_OF,
    DISTANCES,
    HALF_BOARDS,
    NEIGHBOURS,
    OUTER_RINGS,
    ROW_OF,
)
from boardgames_abalone.rules import BYTE, LOST_SHIFTS, ONE, STATUS, ZERO
from boardgames_abalone.simd import (
    FLOAT_VECTOR,
    VECTOR,
    FloatVector,
    Vector,
    add,
    and_,
    and_not,
    behind,
    differences,
    majority,
    mask,
    opponent_totals,
    or_,
    own_totals,
    popcounts,
    subtract,
    swap_sides,
    xor3,
)

ENGINE_TERMS = (
    Feature("material", "marbles", -6.0, 6.0, "marbles lost by the opponent minus own marbles lost"),
    Feature("lead", "marbles^2", -36.0, 36.0, "the same with the squares of the marbles lost"),
    Feature("off centre", "marbles", -8.0, 8.0, "opposing marbles off the centre cell minus own ones"),
    Feature("outside ring 1", "marbles", -14.0, 14.0, "the same, at least two steps from the centre"),
    Feature("outside ring 2", "marbles", -14.0, 14.0, "the same, at least three steps from the centre"),
    Feature("border", "marbles", -14.0, 14.0, "the same, on the border"),
    Feature("pairs", "pairs", -25.0, 25.0, "pairs of neighbouring own marbles minus the opponent's"),
    Feature("flowers", "marbles", -4.0, 4.0, "marbles with six own neighbours, minus the opponent's"),
    Feature("edge danger", "marbles", -12.0, 12.0, "opposing marbles in edge danger minus own ones"),
    Feature("sandwiched", "marbles", -12.0, 12.0, "opposing marbles that are sandwiched minus own ones"),
    Feature("pushes", "moves", -25.0, 25.0, "pushes of the side to move; negative if that is the opponent"),
    Feature("push threats", "moves", -25.0, 25.0, "the same for the side not to move"),
    Feature(
        "push-offs", "moves", -12.0, 12.0, "push-offs of the side to move; negative if that is the opponent"
    ),
    Feature("push-off threats", "moves", -12.0, 12.0, "the same for the side not to move"),
    Feature("edge pressure", "moves", -25.0, 25.0, "pushes to the border minus the opponent's"),
    Feature("spread", "cells^2", -120.0, 120.0, "spread of the opposing marbles minus that of the own ones"),
    Feature("tempo", "moves", -1.0, 1.0, "1 if this side is to move, -1 otherwise"),
)
"""The terms of `engine`, the same in both phases."""
TERM_COUNT = len(ENGINE_TERMS)
RINGS, SHAPE, PUSHES, PRESSURE, SPREAD, TEMPO = 2, 6, 10, 14, 15, 16
"""Indices of the first of the ring, shape and push terms, four of each, and of the last three terms."""
LATE_LOSSES = 8
"""Once both sides together have lost this many marbles, only the late weights count."""


@kernel(types.float64(types.uint64, types.uint64))
def centre_distance(low: np.uint64, high: np.uint64) -> float:
    """Return the average distance of a set of cells to the centre, 0 to 4; 0 if it is empty."""
    marbles = popcount(low) + popcount(high)
    if marbles == 0:
        return 0.0
    total = 0
    for ring in range(4):
        total += popcount(low & OUTER_RINGS[ring, 0]) + popcount(high & OUTER_RINGS[ring, 1])
    return total / marbles


@kernel(types.float64(types.uint64, types.uint64))
def density(low: np.uint64, high: np.uint64) -> float:
    """Return the mean distance, 0 to 8, over all pairs of cells of a set, including each cell with itself.

    Along one axis, count for each gap between neighbouring lines the marbles before it times
    those behind it. These products add up to the distances of all pairs along the axis.
    """
    marbles = popcount(low) + popcount(high)
    if marbles == 0:
        return 0.0
    total = 0
    for axis in range(3):
        for cut in range(8):
            before = popcount(low & HALF_BOARDS[axis, cut, 0])
            before += popcount(high & HALF_BOARDS[axis, cut, 1])
            total += before * (marbles - before)
    # every pair counts twice, and a distance is half the sum of three axes
    return total / (marbles * marbles)


@kernel(types.float64(types.uint64, types.int64))
def marbles_lost(status: np.uint64, side: int) -> float:
    """Return the marbles that a side has lost, from the status word of a position."""
    return float((status >> np.uint64(LOST_SHIFTS[side])) & BYTE)


NO_CELLS: Vector = (ZERO, ZERO, ZERO, ZERO)
FIRST_SIDE: Vector = (~ZERO, ~ZERO, ZERO, ZERO)
"""Mask of the first side's lanes."""

TRIPLE, PUSH_SETS = types.UniTuple(VECTOR, 3), types.UniTuple(VECTOR, 6)


def _ray(cell: int, direction: int) -> Iterator[int]:
    """Yield the cells ahead of a cell one by one, then -1 at the end of the board."""
    while cell >= 0:
        cell = int(NEIGHBOURS[cell, direction])
        yield cell


def _push_fronts(direction: int, pushed: int) -> tuple[Vector, Vector]:
    """Return the cells from which a column's front pushes `pushed` marbles off, and to the border."""
    off, to_border = [], []
    for cell in range(CELLS):
        ray = list(_ray(cell, direction))[: pushed + 1]
        if len(ray) <= pushed:
            continue
        if ray[-1] < 0:
            off.append(cell)
        elif DISTANCES[CENTRE, ray[-1]] == 4 and DISTANCES[CENTRE, ray[-2]] < 4:
            to_border.append(cell)
    return mask(off), mask(to_border)


def _bit_planes(numbers: list[int], count: int) -> tuple[Vector, ...]:
    """For each binary digit from the highest, return the cells whose number has that digit set."""
    return tuple(
        mask(cell for cell in range(CELLS) if numbers[cell] >> digit & 1) for digit in reversed(range(count))
    )


def _ring_excess() -> list[int]:
    """Return the square of each cell's ring minus its squared distance to the centre."""
    steps = [(row - 4, diagonal - 5) for row, diagonal in zip(ROW_OF, DIAGONAL_OF, strict=True)]
    return [int(DISTANCES[CENTRE, cell]) ** 2 - (x * x + x * y + y * y) for cell, (x, y) in enumerate(steps)]


BEYOND_RING = tuple(
    mask(cell for cell in range(CELLS) if DISTANCES[CENTRE, cell] > ring) for ring in range(4)
)
"""Cells more than 0, 1, 2 and 3 steps from the centre."""
ROW_PLANES = _bit_planes(list(ROW_OF), 4)
DIAGONAL_PLANES = _bit_planes([diagonal - 1 for diagonal in DIAGONAL_OF], 4)
EXCESS_PLANES = _bit_planes(_ring_excess(), 3)


@kernel(TRIPLE(VECTOR, VECTOR, VECTOR, VECTOR))
def _add_four(first: Vector, second: Vector, third: Vector, fourth: Vector) -> tuple[Vector, ...]:
    """Reduce four sets to three: their total size is that of the first result plus twice the other two."""
    three = xor3(first, second, third)
    return xor3(three, fourth, NO_CELLS), majority(first, second, third), and_(three, fourth)


@kernel(VECTOR(VECTOR))
def _double(numbers: Vector) -> Vector:
    return add(numbers, numbers)


@kernel(VECTOR(TRIPLE, TRIPLE, TRIPLE))
def _count_twelve(first: tuple[Vector, ...], second: tuple[Vector, ...], third: tuple[Vector, ...]) -> Vector:
    """Return the total size of twelve sets, given as three results of `_add_four`."""
    ones, carried = xor3(first[0], second[0], third[0]), majority(first[0], second[0], third[0])
    left, left_carried = xor3(first[1], second[1], third[1]), majority(first[1], second[1], third[1])
    right, right_carried = xor3(first[2], second[2], third[2]), majority(first[2], second[2], third[2])
    twos, last_carried = xor3(left, right, carried), majority(left, right, carried)
    fours = xor3(left_carried, right_carried, last_carried)
    eights = majority(left_carried, right_carried, last_carried)
    high = add(popcounts(fours), _double(popcounts(eights)))
    return add(popcounts(ones), _double(add(popcounts(twos), _double(high))))


def _push_kernel(direction: int) -> Callable[[Vector, Vector, Vector, Vector], tuple[Vector, ...]]:
    """Return the kernel that finds the pushes in a direction."""
    one_off, one_to_border = _push_fronts(direction, 1)
    two_off, two_to_border = _push_fronts(direction, 2)

    @kernel(PUSH_SETS(VECTOR, VECTOR, VECTOR, VECTOR))
    def find_pushes(others: Vector, pairs: Vector, trios: Vector, last: Vector) -> tuple[Vector, ...]:
        """Return the fronts of pushes, push-offs and pushes to the border, two sets of each.

        The number of pushes is the sum of the sizes of both sets, since a column of three can
        push as three or as two. `pairs` and `trios` are the fronts of columns of at least two
        and three, and `last` the opposing marbles with no marble ahead of them.
        """
        near = behind(last, direction)
        far = behind(and_(others, near), direction)
        two_push_one, three_push_one = and_(pairs, near), and_(trios, near)
        three_push_two = and_(trios, far)
        return (
            two_push_one,
            or_(three_push_one, three_push_two),  # disjoint, since a front pushes one marble or two
            and_(two_push_one, one_off),
            or_(and_(three_push_one, one_off), and_(three_push_two, two_off)),
            and_(two_push_one, one_to_border),
            or_(and_(three_push_one, one_to_border), and_(three_push_two, two_to_border)),
        )

    return find_pushes


def _axis_kernel(axis: int) -> Callable[[Vector], tuple[Any, ...]]:
    """Return the kernel that scans one axis in both directions."""
    back = axis + 3
    edge = mask(cell for cell in range(CELLS) if NEIGHBOURS[cell, axis] < 0)
    back_edge = mask(cell for cell in range(CELLS) if NEIGHBOURS[cell, back] < 0)
    find_pushes, find_pushes_back = _push_kernel(axis), _push_kernel(back)

    @kernel(types.Tuple((VECTOR, TRIPLE, TRIPLE, TRIPLE, VECTOR, VECTOR, VECTOR))(VECTOR))
    def scan_axis(marbles: Vector) -> tuple[Any, ...]:
        """Return the pairs, the three kinds of pushes, and three sets of cells.

        Pushes, push-offs and pushes to the border are results of `_add_four`. The
        sets are the cells between two own marbles, those between two opposing ones,
        and those at an end of the axis with an opposing marble behind them.
        """
        others = swap_sides(marbles)
        own_ahead, own_behind = behind(marbles, axis), behind(marbles, back)
        other_ahead, other_behind = swap_sides(own_ahead), swap_sides(own_behind)
        pairs, back_pairs = and_(marbles, own_behind), and_(marbles, own_ahead)
        trios, back_trios = and_(marbles, behind(pairs, back)), and_(marbles, behind(back_pairs, axis))
        last = and_not(others, or_(own_ahead, other_ahead))
        back_last = and_not(others, or_(own_behind, other_behind))
        forward = find_pushes(others, pairs, trios, last)
        backward = find_pushes_back(others, back_pairs, back_trios, back_last)
        return (
            pairs,
            _add_four(forward[0], forward[1], backward[0], backward[1]),
            _add_four(forward[2], forward[3], backward[2], backward[3]),
            _add_four(forward[4], forward[5], backward[4], backward[5]),
            and_(own_ahead, own_behind),
            and_(other_ahead, other_behind),
            or_(and_(edge, other_behind), and_(back_edge, other_ahead)),
        )

    return scan_axis


_scan_axis_0, _scan_axis_1, _scan_axis_2 = _axis_kernel(0), _axis_kernel(1), _axis_kernel(2)


@kernel(VECTOR(VECTOR, types.UniTuple(VECTOR, 4)))
def _sum_planes(marbles: Vector, planes: tuple[Vector, ...]) -> Vector:
    """Return the sums of the numbers (0 to 15) of cells, which are given as bit planes."""
    total = popcounts(and_(marbles, planes[0]))
    for index in range(1, 4):
        total = add(_double(total), popcounts(and_(marbles, planes[index])))
    return total


@kernel(types.float64(FLOAT_VECTOR))
def _spread_from(sums: FloatVector) -> float:
    """Return the spread of marbles, given their count and sums of rows, diagonals and squared distances."""
    count, rows, diagonals, squares = sums
    if count == 0.0:
        return 0.0
    x, y = rows - 4.0 * count, diagonals - 4.0 * count
    return squares - (x * x + x * y + y * y) / count


@kernel(types.float64(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR))
def _spread(marbles: Vector, ring_1: Vector, ring_2: Vector, ring_3: Vector, ring_4: Vector) -> float:
    """Return the spread of the second side's marbles minus that of the first side's.

    `ring_1` to `ring_4` count the marbles more than 0, 1, 2 and 3 steps from the centre;
    1, 3, 5 and 7 times these counts add up to the squares of the marbles' rings.
    """
    squares = add(add(ring_1, ring_2), add(ring_3, add(_double(ring_2), _double(_double(ring_3)))))
    squares = add(squares, subtract(_double(_double(_double(ring_4))), ring_4))
    excess = popcounts(and_(marbles, EXCESS_PLANES[0]))
    for index in range(1, 3):
        excess = add(_double(excess), popcounts(and_(marbles, EXCESS_PLANES[index])))
    squares = subtract(squares, excess)
    count = popcounts(marbles)
    rows, diagonals = _sum_planes(marbles, ROW_PLANES), _sum_planes(marbles, DIAGONAL_PLANES)
    own = _spread_from(own_totals(count, rows, diagonals, squares))
    return _spread_from(opponent_totals(count, rows, diagonals, squares)) - own


@kernel(
    types.Tuple((FLOAT_VECTOR, FLOAT_VECTOR, FLOAT_VECTOR, types.float64, types.float64))(VECTOR),
    inline=True,
)
def board_terms(marbles: Vector) -> tuple[FloatVector, FloatVector, FloatVector, float, float]:
    """Return the terms `off centre` to `spread`, from the point of view of the vector's first side.

    They are grouped into four ring terms, four shape terms (`pairs` to `sandwiched`), four
    push terms (pushes and push-offs), edge pressure, and spread.
    """
    pairs_0, pushes_0, off_0, border_0, inner_0, held_0, danger_0 = _scan_axis_0(marbles)
    pairs_1, pushes_1, off_1, border_1, inner_1, held_1, danger_1 = _scan_axis_1(marbles)
    pairs_2, pushes_2, off_2, border_2, inner_2, held_2, danger_2 = _scan_axis_2(marbles)
    pushes, push_offs = _count_twelve(pushes_0, pushes_1, pushes_2), _count_twelve(off_0, off_1, off_2)
    ring_1, ring_2 = popcounts(and_(marbles, BEYOND_RING[0])), popcounts(and_(marbles, BEYOND_RING[1]))
    ring_3, ring_4 = popcounts(and_(marbles, BEYOND_RING[2])), popcounts(and_(marbles, BEYOND_RING[3]))
    pair_ones, pair_twos = xor3(pairs_0, pairs_1, pairs_2), majority(pairs_0, pairs_1, pairs_2)
    pairs = add(popcounts(pair_ones), _double(popcounts(pair_twos)))
    flowers = popcounts(and_(marbles, and_(inner_0, and_(inner_1, inner_2))))
    endangered = popcounts(and_(marbles, or_(danger_0, or_(danger_1, danger_2))))
    sandwiched = popcounts(and_(marbles, or_(held_0, or_(held_1, held_2))))
    pressure = _count_twelve(border_0, border_1, border_2)
    return (
        differences(swap_sides(ring_1), swap_sides(ring_2), swap_sides(ring_3), swap_sides(ring_4)),
        differences(pairs, flowers, swap_sides(endangered), swap_sides(sandwiched)),
        differences(
            and_(pushes, FIRST_SIDE),
            and_not(pushes, FIRST_SIDE),
            and_(push_offs, FIRST_SIDE),
            and_not(push_offs, FIRST_SIDE),
        ),
        differences(pressure, NO_CELLS, NO_CELLS, NO_CELLS)[0],
        _spread(marbles, ring_1, ring_2, ring_3, ring_4),
    )


@kernel(types.float64(types.uint64))
def phase(status: np.uint64) -> float:
    """Return the game phase t from a status word: 0 at the start, 1 once eight marbles are lost."""
    lost = (status >> np.uint64(LOST_SHIFTS[0]) & BYTE) + (status >> np.uint64(LOST_SHIFTS[1]) & BYTE)
    return min(float(np.int64(lost)) / LATE_LOSSES, 1.0)


@kernel(VECTOR(WORDS))
def boards_to_move(position: Words) -> Vector:
    """Return the bitboards of a position, those of the side to move first."""
    if position[STATUS] & ONE == ZERO:
        return position[0], position[1], position[2], position[3]
    return position[2], position[3], position[0], position[1]


@kernel(types.UniTuple(types.float64, 2)(WORDS))
def material_terms(position: Words) -> tuple[float, float]:
    """Return the terms material and lead for the side to move."""
    side = np.int64(position[STATUS] & ONE)
    own = float(np.int64(position[STATUS] >> np.uint64(8 + 8 * side) & BYTE))
    other = float(np.int64(position[STATUS] >> np.uint64(16 - 8 * side) & BYTE))
    return other - own, other * other - own * own


@kernel(Features)
def engine_features(position: Words, side: int, out: Reals) -> None:
    """Write the terms for `side`, times 1 - t and then times t, into `out`, `float64[34]`."""
    late, material = phase(position[STATUS]), material_terms(position)
    rings, shape, pushes, pressure, spread = board_terms(boards_to_move(position))
    sign = 1.0 if side == np.int64(position[STATUS] & ONE) else -1.0
    out[0], out[1] = material
    for index in range(4):
        out[RINGS + index] = rings[index]
        out[SHAPE + index] = shape[index]
        out[PUSHES + index] = pushes[index]
    out[PRESSURE], out[SPREAD], out[TEMPO] = pressure, spread, 1.0
    for index in range(TERM_COUNT):
        number = sign * out[index]
        out[TERM_COUNT + index] = late * number
        out[index] = (1.0 - late) * number


ENGINE = FeatureSet(
    "engine",
    engine_features,
    tuple(
        Feature(f"{when} {term.name}", term.unit, term.low, term.high, term.summary)
        for when in ("early", "late")
        for term in ENGINE_TERMS
    ),
)
"""The feature set `engine`: 34 numbers, the terms times 1 - t and then times t."""


def engine(game: Game) -> FeatureSet:
    """Return the feature set `engine`, which is the same with and without broadside moves.

    Examples
    --------
    >>> import boardgames
    >>> [feature.name for feature in engine(boardgames.load("abalone")).features[::17]]
    ['early material', 'late material']
    """
    return ENGINE
