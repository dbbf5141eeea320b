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

import numpy as np
from numba import types

from boardgames.declarations import Feature, FeatureSet
from boardgames.game import Game
from boardgames.kernels import Features, Reals, Words, kernel
from boardgames.kernels.abi import WORDS
from boardgames_abalone.board import CELLS, CENTRE, DIAGONAL_OF, DISTANCES, NEIGHBOURS, ROW_OF
from boardgames_abalone.lanes import (
    LANES,
    Lanes,
    all_ahead,
    counts,
    join,
    lanes_of,
    less,
    meet,
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
MATERIAL, SIMPLE, CONTACT = 2, 6, 10
"""Terms of marbles pushed off, first; those and the rings; the others that are measured."""
MEASURED = SIMPLE + CONTACT
"""Terms that are measured; the last one, tempo, is known."""
LATE = 8
"""Marbles lost by both sides from which on the late weights alone count."""
NO_CELLS: Lanes = (ZERO, ZERO, ZERO, ZERO)


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


def _squares() -> list[int]:
    steps = [(row - 4, diagonal - 5) for row, diagonal in zip(ROW_OF, DIAGONAL_OF, strict=True)]
    return [x * x + x * y + y * y for x, y in steps]


OUTSIDE = tuple(
    lanes_of(cell for cell in range(CELLS) if DISTANCES[CENTRE, cell] > ring) for ring in range(4)
)
"""Cells more than 0, 1, 2 and 3 steps from the middle one."""
ROW_DIGITS = _digits(list(ROW_OF), 4)
DIAGONAL_DIGITS = _digits([diagonal - 1 for diagonal in DIAGONAL_OF], 4)
SQUARE_DIGITS = _digits(_squares(), 5)


def _push_kernel(direction: int) -> Callable[[Lanes, Lanes, Lanes, Lanes], tuple[Lanes, Lanes, Lanes]]:
    """Return the kernel that counts pushes in a direction."""
    one_off, one_to_edge = _fronts(direction, 1)
    two_off, two_to_edge = _fronts(direction, 2)

    @kernel(types.UniTuple(LANES, 3)(LANES, LANES, LANES, LANES))
    def count_pushes(others: Lanes, pairs: Lanes, trios: Lanes, last: Lanes) -> tuple[Lanes, Lanes, Lanes]:
        """Return the pushes, those of them off, and those to the edge.

        `pairs` and `trios` are the foremost marbles of at least two and three
        in line, `last` the other side's marbles with nothing before them.
        """
        near = all_ahead(last, direction)
        far = all_ahead(meet(others, near), direction)
        by_two, by_three, of_two = meet(pairs, near), meet(trios, near), meet(trios, far)
        made = plus(counts(by_two), counts(join(by_three, of_two)))  # these two are never one cell
        off = join(meet(by_three, one_off), meet(of_two, two_off))
        to_edge = join(meet(by_three, one_to_edge), meet(of_two, two_to_edge))
        return (
            made,
            plus(counts(meet(by_two, one_off)), counts(off)),
            plus(counts(meet(by_two, one_to_edge)), counts(to_edge)),
        )

    return count_pushes


def _axis_kernel(axis: int) -> Callable[[Lanes], tuple[Lanes, ...]]:
    """Return the kernel that reads all there is to see along one axis."""
    back = axis + 3
    ends = lanes_of(cell for cell in range(CELLS) if NEIGHBOURS[cell, axis] < 0)
    back_ends = lanes_of(cell for cell in range(CELLS) if NEIGHBOURS[cell, back] < 0)
    count_pushes, count_pushes_back = _push_kernel(axis), _push_kernel(back)

    @kernel(types.UniTuple(LANES, 7)(LANES))
    def read_axis(marbles: Lanes) -> tuple[Lanes, ...]:
        """Return four counts and three sets of cells.

        Counted are pairs, pushes, those of them off and those to the edge. The
        cells are those between two marbles of their side, between two of the
        other's, and at an edge with one of the other's behind them.
        """
        others = swapped(marbles)
        before, behind = all_ahead(marbles, axis), all_ahead(marbles, back)  # has a marble there
        others_before, others_behind = swapped(before), swapped(behind)
        pairs, back_pairs = meet(marbles, behind), meet(marbles, before)
        trios, back_trios = meet(marbles, all_ahead(pairs, back)), meet(marbles, all_ahead(back_pairs, axis))
        last = less(others, join(before, others_before))
        back_last = less(others, join(behind, others_behind))
        made, off, to_edge = count_pushes(others, pairs, trios, last)
        made_back, off_back, to_edge_back = count_pushes_back(others, back_pairs, back_trios, back_last)
        return (
            counts(pairs),
            plus(made, made_back),
            plus(off, off_back),
            plus(to_edge, to_edge_back),
            meet(before, behind),
            meet(others_before, others_behind),
            join(meet(ends, others_behind), meet(back_ends, others_before)),
        )

    return read_axis


_read_axis_0, _read_axis_1, _read_axis_2 = _axis_kernel(0), _axis_kernel(1), _axis_kernel(2)


@kernel(types.float64(LANES))
def _own(lanes: Lanes) -> float:
    return float(np.int64(lanes[0] + lanes[1]))


@kernel(types.float64(LANES))
def _others(lanes: Lanes) -> float:
    return float(np.int64(lanes[2] + lanes[3]))


@kernel(types.float64(LANES))
def _difference(lanes: Lanes) -> float:
    """Return the number of the first side less that of the other."""
    return float(np.int64(lanes[0] + lanes[1]) - np.int64(lanes[2] + lanes[3]))


@kernel(LANES(LANES, types.UniTuple(LANES, 4)))
def _sum_4(marbles: Lanes, digits: tuple[Lanes, ...]) -> Lanes:
    """Return the sums of a number of each cell, 0 to 15, by the cells with its digits."""
    total = NO_CELLS
    for index in range(4):
        total = plus(plus(total, total), counts(meet(marbles, digits[index])))
    return total


@kernel(types.float64(types.float64, types.float64, types.float64, types.float64))
def _spread_of(count: float, rows: float, diagonals: float, squares: float) -> float:
    """Return the spread of so many marbles with these sums of rows, diagonals and squares."""
    if count == 0.0:
        return 0.0
    x, y = rows - 4.0 * count, diagonals - 4.0 * count
    return squares - (x * x + x * y + y * y) / count


@kernel(types.float64(LANES))
def spread(marbles: Lanes) -> float:
    """Return the spread of the other side's marbles less that of the first side's."""
    count, rows, diagonals = counts(marbles), _sum_4(marbles, ROW_DIGITS), _sum_4(marbles, DIAGONAL_DIGITS)
    squares = NO_CELLS
    for index in range(5):
        squares = plus(plus(squares, squares), counts(meet(marbles, SQUARE_DIGITS[index])))
    others = _spread_of(_others(count), _others(rows), _others(diagonals), _others(squares))
    return others - _spread_of(_own(count), _own(rows), _own(diagonals), _own(squares))


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


@kernel(types.UniTuple(types.float64, 6)(WORDS, LANES))
def measure_simple(position: Words, marbles: Lanes) -> tuple[float, ...]:
    """Return the first six terms, material, lead and four rings, for the side to move."""
    side = np.int64(position[FACTS] & ONE)
    own = float(np.int64(position[FACTS] >> np.uint64(8 + 8 * side) & BYTE))
    other = float(np.int64(position[FACTS] >> np.uint64(16 - 8 * side) & BYTE))
    return (
        other - own,
        other * other - own * own,
        -_difference(counts(meet(marbles, OUTSIDE[0]))),
        -_difference(counts(meet(marbles, OUTSIDE[1]))),
        -_difference(counts(meet(marbles, OUTSIDE[2]))),
        -_difference(counts(meet(marbles, OUTSIDE[3]))),
    )


@kernel(types.UniTuple(types.float64, 10)(LANES))
def measure_contact(marbles: Lanes) -> tuple[float, ...]:
    """Return the ten terms from pairs to spread, for the side to move."""
    pairs_0, made_0, off_0, edge_0, inner_0, held_0, end_0 = _read_axis_0(marbles)
    pairs_1, made_1, off_1, edge_1, inner_1, held_1, end_1 = _read_axis_1(marbles)
    pairs_2, made_2, off_2, edge_2, inner_2, held_2, end_2 = _read_axis_2(marbles)
    made, off = plus(made_0, plus(made_1, made_2)), plus(off_0, plus(off_1, off_2))
    return (
        _difference(plus(pairs_0, plus(pairs_1, pairs_2))),
        _difference(counts(meet(marbles, meet(inner_0, meet(inner_1, inner_2))))),
        -_difference(counts(meet(marbles, join(end_0, join(end_1, end_2))))),
        -_difference(counts(meet(marbles, join(held_0, join(held_1, held_2))))),
        _own(made),
        -_others(made),
        _own(off),
        -_others(off),
        _difference(plus(edge_0, plus(edge_1, edge_2))),
        spread(marbles),
    )


@kernel(Features)
def engine_features(position: Words, side: int, out: Reals) -> None:
    """Write the terms as `side` sees them, times 1 - t and then times t, into `out`, `float64[34]`."""
    marbles, late = lanes_to_move(position), phase(position[FACTS])
    sign = 1.0 if side == np.int64(position[FACTS] & ONE) else -1.0
    simple, contact = measure_simple(position, marbles), measure_contact(marbles)
    for index in range(SIMPLE):
        out[index] = sign * simple[index]
    for index in range(CONTACT):
        out[SIMPLE + index] = sign * contact[index]
    out[MEASURED] = sign
    for index in range(MEASURED + 1):
        out[MEASURED + 1 + index] = late * out[index]
        out[index] *= 1.0 - late


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
