"""The feature set `engine`: what one side has minus what the other has, early and late.

Each number is that of `side` less that of the other, so that the features of
the two sides are each other's negatives. There are seventeen terms, and each
comes twice: times 1 - t and times t, where the phase t is the marbles lost by
both over eight, at most 1.

A *push* is an in-line move that moves marbles of the other side, one action for
each marble at the tail of two or three. It goes *to the edge* if the foremost
marble that it moves comes from an inner cell onto the border. What the side to
move can push is *at hand*, what the other one could, were it to move, is
*waiting*. A marble is *sandwiched* if it has marbles of the other side on both
sides, on any of the three lines through it; *pair*, *flower* and *edge danger*
are as in `features`. The *spread* of marbles is the sum of their squared
distances to their centre of mass, neighbouring cells being one apart: with x
and y steps along two axes at 60 degrees, x^2 + x y + y^2.

Kernels work on `lanes`: the side to move first, then the other.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numba import types

from boardgames.declarations import Feature, FeatureSet
from boardgames.game import Game
from boardgames.kernels import Features, Reals, Words, kernel
from boardgames.kernels.abi import WORDS
from boardgames_abalone.board import CELLS, CENTRE, DIAGONAL_OF, DISTANCES, NEIGHBOURS, ROW_OF
from boardgames_abalone.lanes import (
    LANES,
    QUAD,
    Lanes,
    Quad,
    all_ahead,
    counts,
    join,
    lanes_of,
    leads_of,
    less,
    less_by,
    meet,
    most,
    odd,
    others_of,
    own_of,
    plus,
    swapped,
)
from boardgames_abalone.rules import BYTE, FACTS, LOST_SHIFTS, ONE, ZERO

TERMS = (
    Feature("material", "marbles", -6.0, 6.0, "marbles that the other side has lost, less own ones"),
    Feature("lead", "marbles^2", -36.0, 36.0, "the same of the squares of what each has lost"),
    Feature("off centre", "marbles", -8.0, 8.0, "the other's marbles off the middle cell, less own ones"),
    Feature("outside 1", "marbles", -14.0, 14.0, "the same of marbles two steps or more from it"),
    Feature("outside 2", "marbles", -14.0, 14.0, "of marbles three steps or more from it"),
    Feature("border", "marbles", -14.0, 14.0, "of marbles on the border"),
    Feature("pairs", "pairs", -25.0, 25.0, "pairs of neighbouring marbles"),
    Feature("flowers", "marbles", -4.0, 4.0, "marbles with six neighbours of their side"),
    Feature("edge danger", "marbles", -12.0, 12.0, "the other's marbles in danger, less own ones"),
    Feature("sandwiched", "marbles", -12.0, 12.0, "the other's marbles between two own ones, less own ones"),
    Feature("pushes at hand", "moves", -25.0, 25.0, "pushes of the side to move: less than 0 if the other's"),
    Feature("pushes waiting", "moves", -25.0, 25.0, "pushes of the side not to move, likewise"),
    Feature("push-offs at hand", "moves", -12.0, 12.0, "pushes off by the side to move, likewise"),
    Feature("push-offs waiting", "moves", -12.0, 12.0, "pushes off by the side not to move, likewise"),
    Feature("edge pressure", "moves", -25.0, 25.0, "pushes to the edge, at hand or waiting"),
    Feature("spread", "cells^2", -120.0, 120.0, "spread of the other's marbles, less that of the own ones"),
    Feature("tempo", "moves", -1.0, 1.0, "1 if it is this side's move, else -1"),
)
"""Seventeen numbers, the same in both phases."""
RINGS, SHAPE, PUSHED, PRESSURE, SPREAD, TEMPO = 2, 6, 10, 14, 15, 16
"""Places of terms: four rings, pairs to sandwiched, pushes and push-offs; edge pressure, spread, tempo."""
TERM_COUNT = len(TERMS)
LATE = 8
"""Marbles lost by both sides from which on the late weights alone count."""
NO_CELLS: Lanes = (ZERO, ZERO, ZERO, ZERO)
FIRST: Lanes = (~ZERO, ~ZERO, ZERO, ZERO)
"""The whole of the first side's lanes."""


def _path(cell: int, direction: int) -> Iterator[int]:
    """Give the cells before a cell, one after the other, then -1 where the board ends."""
    while cell >= 0:
        cell = int(NEIGHBOURS[cell, direction])
        yield cell


def _fronts(direction: int, marbles: int) -> tuple[Lanes, Lanes]:
    """Mark the foremost pushing marble of pushes off and to the edge that move so many marbles."""
    off, to_edge = [], []
    for cell in range(CELLS):
        path = list(_path(cell, direction))[: marbles + 1]
        if len(path) <= marbles:
            continue
        if path[-1] < 0:
            off.append(cell)
        elif DISTANCES[CENTRE, path[-1]] == 4 and DISTANCES[CENTRE, path[-2]] < 4:
            to_edge.append(cell)
    return lanes_of(off), lanes_of(to_edge)


def _digits(numbers: list[int], count: int) -> tuple[Lanes, ...]:
    """Mark the cells whose number has a binary digit, the highest first."""
    return tuple(
        lanes_of(cell for cell in range(CELLS) if numbers[cell] >> digit & 1)
        for digit in reversed(range(count))
    )


def _dents() -> list[int]:
    """Return by how much the squared distance to the middle is less than that of the ring's corners."""
    steps = [(row - 4, diagonal - 5) for row, diagonal in zip(ROW_OF, DIAGONAL_OF, strict=True)]
    return [int(DISTANCES[CENTRE, cell]) ** 2 - (x * x + x * y + y * y) for cell, (x, y) in enumerate(steps)]


OUTSIDE = tuple(
    lanes_of(cell for cell in range(CELLS) if DISTANCES[CENTRE, cell] > ring) for ring in range(4)
)
"""Cells more than 0, 1, 2 and 3 steps from the middle one."""
ROW_DIGITS = _digits(list(ROW_OF), 4)
DIAGONAL_DIGITS = _digits([diagonal - 1 for diagonal in DIAGONAL_OF], 4)
DENT_DIGITS = _digits(_dents(), 3)


TRIPLE, PUSHES = types.UniTuple(LANES, 3), types.UniTuple(LANES, 6)


@kernel(TRIPLE(LANES, LANES, LANES, LANES))
def _add_four(first: Lanes, second: Lanes, third: Lanes, fourth: Lanes) -> tuple[Lanes, ...]:
    """Return three sets: the count of the first and twice those of the others are those of the four."""
    three = odd(first, second, third)
    return odd(three, fourth, NO_CELLS), most(first, second, third), meet(three, fourth)


@kernel(LANES(LANES))
def _twice(numbers: Lanes) -> Lanes:
    return plus(numbers, numbers)


@kernel(LANES(TRIPLE, TRIPLE, TRIPLE))
def _count_twelve(first: tuple[Lanes, ...], second: tuple[Lanes, ...], third: tuple[Lanes, ...]) -> Lanes:
    """Return the counts of three times four sets, of which `_add_four` has made three each."""
    ones, carried = odd(first[0], second[0], third[0]), most(first[0], second[0], third[0])
    left, left_carried = odd(first[1], second[1], third[1]), most(first[1], second[1], third[1])
    right, right_carried = odd(first[2], second[2], third[2]), most(first[2], second[2], third[2])
    twos, last_carried = odd(left, right, carried), most(left, right, carried)
    fours = odd(left_carried, right_carried, last_carried)
    eights = most(left_carried, right_carried, last_carried)
    high = plus(counts(fours), _twice(counts(eights)))
    return plus(counts(ones), _twice(plus(counts(twos), _twice(high))))


def _push_kernel(direction: int) -> Callable[[Lanes, Lanes, Lanes, Lanes], tuple[Lanes, ...]]:
    """Return the kernel that finds pushes in a direction."""
    one_off, one_to_edge = _fronts(direction, 1)
    two_off, two_to_edge = _fronts(direction, 2)

    @kernel(PUSHES(LANES, LANES, LANES, LANES))
    def find_pushes(others: Lanes, pairs: Lanes, trios: Lanes, last: Lanes) -> tuple[Lanes, ...]:
        """Return two sets each of pushes, those of them off, and those to the edge: both count.

        `pairs` and `trios` are the foremost marbles of at least two and three
        in line, `last` the other side's marbles with nothing before them.
        """
        near = all_ahead(last, direction)
        far = all_ahead(meet(others, near), direction)
        by_two, by_three, of_two = meet(pairs, near), meet(trios, near), meet(trios, far)
        return (
            by_two,
            join(by_three, of_two),  # these two are never one cell
            meet(by_two, one_off),
            join(meet(by_three, one_off), meet(of_two, two_off)),
            meet(by_two, one_to_edge),
            join(meet(by_three, one_to_edge), meet(of_two, two_to_edge)),
        )

    return find_pushes


def _axis_kernel(axis: int) -> Callable[[Lanes], tuple[Any, ...]]:
    """Return the kernel that reads all there is to see along one axis."""
    back = axis + 3
    ends = lanes_of(cell for cell in range(CELLS) if NEIGHBOURS[cell, axis] < 0)
    back_ends = lanes_of(cell for cell in range(CELLS) if NEIGHBOURS[cell, back] < 0)
    find_pushes, find_pushes_back = _push_kernel(axis), _push_kernel(back)

    @kernel(types.Tuple((LANES, TRIPLE, TRIPLE, TRIPLE, LANES, LANES, LANES))(LANES))
    def read_axis(marbles: Lanes) -> tuple[Any, ...]:
        """Return the pairs; pushes, those of them off and those to the edge; three sets of cells.

        Pushes are three sets each, as `_count_twelve` takes them. The cells are
        those between two marbles of their side, between two of the other's,
        and at an edge with one of the other's behind them.
        """
        others = swapped(marbles)
        before, behind = all_ahead(marbles, axis), all_ahead(marbles, back)  # has a marble there
        others_before, others_behind = swapped(before), swapped(behind)
        pairs, back_pairs = meet(marbles, behind), meet(marbles, before)
        trios, back_trios = meet(marbles, all_ahead(pairs, back)), meet(marbles, all_ahead(back_pairs, axis))
        last = less(others, join(before, others_before))
        back_last = less(others, join(behind, others_behind))
        ahead = find_pushes(others, pairs, trios, last)
        backwards = find_pushes_back(others, back_pairs, back_trios, back_last)
        return (
            pairs,
            _add_four(ahead[0], ahead[1], backwards[0], backwards[1]),
            _add_four(ahead[2], ahead[3], backwards[2], backwards[3]),
            _add_four(ahead[4], ahead[5], backwards[4], backwards[5]),
            meet(before, behind),
            meet(others_before, others_behind),
            join(meet(ends, others_behind), meet(back_ends, others_before)),
        )

    return read_axis


_read_axis_0, _read_axis_1, _read_axis_2 = _axis_kernel(0), _axis_kernel(1), _axis_kernel(2)


@kernel(LANES(LANES, types.UniTuple(LANES, 4)))
def _sum_4(marbles: Lanes, digits: tuple[Lanes, ...]) -> Lanes:
    """Return the sums of a number of each cell, 0 to 15, by the cells with its digits."""
    total = counts(meet(marbles, digits[0]))
    for index in range(1, 4):
        total = plus(_twice(total), counts(meet(marbles, digits[index])))
    return total


@kernel(types.float64(QUAD))
def _spread_of(sums: Quad) -> float:
    """Return the spread of marbles from how many they are and their sums of rows, diagonals and squares."""
    count, rows, diagonals, squares = sums
    if count == 0.0:
        return 0.0
    x, y = rows - 4.0 * count, diagonals - 4.0 * count
    return squares - (x * x + x * y + y * y) / count


@kernel(types.float64(LANES, LANES, LANES, LANES, LANES))
def _spread(marbles: Lanes, ring_1: Lanes, ring_2: Lanes, ring_3: Lanes, ring_4: Lanes) -> float:
    """Return the spread of the other side's marbles less that of the first side's.

    The rings are the counts of marbles more than 0, 1, 2 and 3 steps from the
    middle; 1, 3, 5 and 7 times these add up to the squares of the rings.
    """
    squares = plus(plus(ring_1, ring_2), plus(ring_3, plus(_twice(ring_2), _twice(_twice(ring_3)))))
    squares = plus(squares, less_by(_twice(_twice(_twice(ring_4))), ring_4))
    dents = counts(meet(marbles, DENT_DIGITS[0]))
    for index in range(1, 3):
        dents = plus(_twice(dents), counts(meet(marbles, DENT_DIGITS[index])))
    count, rows, diagonals = counts(marbles), _sum_4(marbles, ROW_DIGITS), _sum_4(marbles, DIAGONAL_DIGITS)
    squares = less_by(squares, dents)
    own = _spread_of(own_of(count, rows, diagonals, squares))
    return _spread_of(others_of(count, rows, diagonals, squares)) - own


@kernel(types.Tuple((QUAD, QUAD, QUAD, types.float64, types.float64))(LANES), inline=True)
def measure(marbles: Lanes) -> tuple[Quad, Quad, Quad, float, float]:
    """Return the terms from off centre to spread, for the side whose lanes are the first.

    Four each are of the rings, from pairs to sandwiched, and of pushes and push-offs.
    """
    pairs_0, made_0, off_0, edge_0, inner_0, held_0, end_0 = _read_axis_0(marbles)
    pairs_1, made_1, off_1, edge_1, inner_1, held_1, end_1 = _read_axis_1(marbles)
    pairs_2, made_2, off_2, edge_2, inner_2, held_2, end_2 = _read_axis_2(marbles)
    made, off = _count_twelve(made_0, made_1, made_2), _count_twelve(off_0, off_1, off_2)
    ring_1, ring_2 = counts(meet(marbles, OUTSIDE[0])), counts(meet(marbles, OUTSIDE[1]))
    ring_3, ring_4 = counts(meet(marbles, OUTSIDE[2])), counts(meet(marbles, OUTSIDE[3]))
    pairs = plus(counts(odd(pairs_0, pairs_1, pairs_2)), _twice(counts(most(pairs_0, pairs_1, pairs_2))))
    flowers = counts(meet(marbles, meet(inner_0, meet(inner_1, inner_2))))
    endangered = counts(meet(marbles, join(end_0, join(end_1, end_2))))
    sandwiched = counts(meet(marbles, join(held_0, join(held_1, held_2))))
    pressure = _count_twelve(edge_0, edge_1, edge_2)
    return (
        leads_of(swapped(ring_1), swapped(ring_2), swapped(ring_3), swapped(ring_4)),
        leads_of(pairs, flowers, swapped(endangered), swapped(sandwiched)),
        leads_of(meet(made, FIRST), less(made, FIRST), meet(off, FIRST), less(off, FIRST)),
        leads_of(pressure, NO_CELLS, NO_CELLS, NO_CELLS)[0],
        _spread(marbles, ring_1, ring_2, ring_3, ring_4),
    )


@kernel(types.float64(types.uint64))
def phase(facts: np.uint64) -> float:
    """Return t of a position's word of facts: 0 at the start, 1 when eight marbles are lost."""
    lost = (facts >> np.uint64(LOST_SHIFTS[0]) & BYTE) + (facts >> np.uint64(LOST_SHIFTS[1]) & BYTE)
    return min(float(np.int64(lost)) / LATE, 1.0)


@kernel(LANES(WORDS))
def lanes_to_move(position: Words) -> Lanes:
    """Return the marbles of the side to move, then the other's."""
    if position[FACTS] & ONE == ZERO:
        return position[0], position[1], position[2], position[3]
    return position[2], position[3], position[0], position[1]


@kernel(types.UniTuple(types.float64, 2)(WORDS))
def measure_lost(position: Words) -> tuple[float, float]:
    """Return the first two terms, material and lead, for the side to move."""
    side = np.int64(position[FACTS] & ONE)
    own = float(np.int64(position[FACTS] >> np.uint64(8 + 8 * side) & BYTE))
    other = float(np.int64(position[FACTS] >> np.uint64(16 - 8 * side) & BYTE))
    return other - own, other * other - own * own


@kernel(Features)
def engine_features(position: Words, side: int, out: Reals) -> None:
    """Write the terms as `side` sees them, times 1 - t and then times t, into `out`, `float64[34]`."""
    late, lost = phase(position[FACTS]), measure_lost(position)
    rings, shape, pushes, pressure, spread = measure(lanes_to_move(position))
    sign = 1.0 if side == np.int64(position[FACTS] & ONE) else -1.0
    out[0], out[1] = lost
    for index in range(4):
        out[RINGS + index] = rings[index]
        out[SHAPE + index] = shape[index]
        out[PUSHED + index] = pushes[index]
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
        for term in TERMS
    ),
)
"""Thirty-four numbers: the terms times 1 - t, and then times t."""


def engine(game: Game) -> FeatureSet:
    """Return the feature set `engine`, the same with and without broadside moves.

    Examples
    --------
    >>> import boardgames
    >>> [feature.name for feature in engine(boardgames.load("abalone")).features[::17]]
    ['early material', 'late material']
    """
    return ENGINE
