"""Lines and hexagons of the Abalone board as patterns for an evaluation.

The board has nine lines in each of three directions. Everything that happens on a line, such as
pairs, pushes and marbles between two others, depends only on its cells. So a table for each length
of a line can express all of it, and much more than a few terms can. A hexagon consists of an interior
cell and its six neighbours; it shows flowers and the corners of a group. Terms for spread and centres of
mass describe the marbles of a side as a whole.

`start` expresses the evaluation `engine` by such tables, with one difference: a marble that is
sandwiched or in edge danger on several lines counts on each of them.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from boardgames.declarations import Feature, FeatureSet
from boardgames.game import Game
from boardgames.kernels import Actions, Cells, Features, Phase, Reals, Words, kernel, types
from boardgames.kernels.abi import WORDS
from boardgames.patterns import PatternModel, PatternSet
from boardgames_abalone.board import (
    BIT_OF_CELL,
    CELLS,
    CENTRE,
    DIAGONAL_OF,
    DISTANCES,
    NEIGHBOURS,
    ROW_LENGTHS,
    ROW_OF,
    SYMMETRIES,
)
from boardgames_abalone.evaluation import (
    BOUND,
    MARBLE,
    POSITIONAL_LIMIT,
    QUIET_MARGIN,
    SCALE,
    engine_evaluation,
)
from boardgames_abalone.rules import BYTE, LOST_SHIFTS, ONE, STATUS, U64, ZERO
from boardgames_abalone.terms import ENGINE_TERMS, LATE_LOSSES, TERM_COUNT

EMPTY, OWN, OPPOSING = range(3)
"""What is on a cell, from the point of view of a side."""
SLOPE = 1.1
"""In matches of `alphabeta`, positions worth v marbles led to about 1 / (1 + exp(-1.1 v)) points."""


@kernel(types.int64(WORDS, types.int64), inline=True)
def lost(position: Words, side: int) -> int:
    """Return the number of marbles that a side has lost."""
    return np.int64(position[STATUS] >> np.uint64(LOST_SHIFTS[side]) & BYTE)


@kernel(Cells)
def cell_values(position: Words, side: int, out: Actions) -> None:
    """Write what is on each cell, from the point of view of `side`: `EMPTY`, `OWN` or `OPPOSING`."""
    for cell in range(CELLS):
        word, bit = BIT_OF_CELL[cell] >> 6, ONE << np.uint64(BIT_OF_CELL[cell] & 63)
        out[cell] = EMPTY
        if position[2 * side + word] & bit != ZERO:
            out[cell] = OWN
        elif position[2 - 2 * side + word] & bit != ZERO:
            out[cell] = OPPOSING


@kernel(Phase, inline=True)
def marbles_gone(position: Words, side: int) -> int:
    """Return the number of marbles that both sides have lost, at most eight."""
    return min(lost(position, 0) + lost(position, 1), LATE_LOSSES)


@kernel(Features, inline=True)
def write_material(position: Words, side: int, out: Reals) -> None:
    """Write the terms `material` and `lead` of `engine` from the point of view of `side`."""
    own, other = float(lost(position, side)), float(lost(position, 1 - side))
    out[0], out[1] = other - own, other * other - own * own


FIELD = 16
"""Number of bits of each of the four sums in a word."""
FIELD_MASK = np.uint64((1 << FIELD) - 1)


def _sums_by_row() -> tuple[Words, Words]:
    """Return a table of sums over the marbles in a row of the board, and where each row begins in it.

    The entries of a row are indexed by the bits of its marbles. Each entry is a word with four sums: the
    number of marbles, the sums of their row and diagonal numbers (0 to 8), and the sum of their squared
    distances to the centre.
    """
    table: list[int] = []
    starts: list[int] = []
    for row, length in enumerate(ROW_LENGTHS):
        starts.append(len(table))
        diagonals = [DIAGONAL_OF[cell] - 1 for cell in range(CELLS) if ROW_OF[cell] == row]
        words = []
        for diagonal in diagonals:
            down, right = row - 4, diagonal - 4
            numbers = (1, row, diagonal, down * down + down * right + right * right)
            words.append(sum(number << FIELD * place for place, number in enumerate(numbers)))
        table += [
            sum(word for bit, word in enumerate(words) if bits >> bit & 1) for bits in range(1 << length)
        ]
    return np.array(table, dtype=np.uint64), np.array(starts, dtype=np.uint64)


SUMS, SUM_STARTS = _sums_by_row()
ROW_BITS = np.array([BIT_OF_CELL[ROW_OF.index(row)] for row in range(9)], dtype=np.uint64)
"""`uint64[9]`: the bit of the first cell of each row."""
ROW_MASKS = np.array([(1 << length) - 1 for length in ROW_LENGTHS], dtype=np.uint64)
RECIPROCALS: Reals = 1.0 / np.maximum(np.arange(CELLS + 1), 1)
"""`float64[62]`: 1 divided by the number of marbles, and 1 for no marbles; faster than a division."""
SPLIT_ROW = 5
"""The row whose bits are in both words of a bitboard."""


@kernel(types.float64(types.float64, types.float64))
def _square(down: float, right: float) -> float:
    """Return the squared length of a vector given in rows and diagonals; neighbouring cells are 1 apart."""
    return down * down + down * right + right * right


@kernel(types.UniTuple(types.float64, 3)(types.uint64, types.uint64), inline=True)
def _shape(low: np.uint64, high: np.uint64) -> tuple[float, float, float]:
    """Return the spread of marbles, and their centre of mass as row and diagonal from the board's centre."""
    total = ZERO
    for row in range(SPLIT_ROW):
        bits = low >> ROW_BITS[row] & ROW_MASKS[row]
        total += SUMS[SUM_STARTS[row] + bits]
    shift = ROW_BITS[SPLIT_ROW]
    bits = (low >> shift | high << (U64 - shift)) & ROW_MASKS[SPLIT_ROW]
    total += SUMS[SUM_STARTS[SPLIT_ROW] + bits]
    for row in range(SPLIT_ROW + 1, 9):
        bits = high >> (ROW_BITS[row] - U64) & ROW_MASKS[row]
        total += SUMS[SUM_STARTS[row] + bits]
    count = np.int64(total & FIELD_MASK)
    down = float(np.int64(total >> np.uint64(FIELD) & FIELD_MASK) - 4 * count)
    right = float(np.int64(total >> np.uint64(2 * FIELD) & FIELD_MASK) - 4 * count)
    share = RECIPROCALS[count]
    squares = float(np.int64(total >> np.uint64(3 * FIELD)))
    return squares - share * _square(down, right), share * down, share * right


@kernel(Features, inline=True)
def write_terms(position: Words, side: int, out: Reals) -> None:
    """Write the terms of the model, see `TERMS`, from the point of view of `side`."""
    out[0], down, right = _shape(position[2 * side], position[2 * side + 1])
    out[1], other_down, other_right = _shape(position[2 - 2 * side], position[3 - 2 * side])
    out[2] = _square(down - other_down, right - other_right)
    out[3], out[4] = _square(down, right), _square(other_down, other_right)
    out[5] = 1.0 if np.uint64(side) == position[STATUS] & ONE else -1.0


MATERIAL = FeatureSet("material", write_material, ENGINE_TERMS[:2])
TERMS = FeatureSet(
    "shape",
    write_terms,
    (
        Feature(
            "own spread", "cells^2", 0.0, 200.0, "squared distances of own marbles to their centre of mass"
        ),
        Feature("opposing spread", "cells^2", 0.0, 200.0, "the same for the opponent"),
        Feature("distance", "cells^2", 0.0, 64.0, "squared distance between the sides' centres of mass"),
        Feature(
            "own distance", "cells^2", 0.0, 16.0, "squared distance of own centre of mass to the board's"
        ),
        Feature("opposing distance", "cells^2", 0.0, 16.0, "the same for the opponent"),
        ENGINE_TERMS[-1],
    ),
)
OWN_SPREAD, OPPOSING_SPREAD, DISTANCE, TEMPO = 0, 1, 2, 5
"""Indices of the terms that contempt changes."""


def start() -> tuple[Reals, Reals]:
    """Return the evaluation `engine` as weights of patterns and features (`as_patterns`)."""
    return as_patterns(engine_evaluation().weights)


def as_patterns(weights: Reals) -> tuple[Reals, Reals]:
    """Return an evaluation with the terms of `engine` as weights of patterns and features.

    Parameters
    ----------
    weights : float64[34]
        Weights of `terms.ENGINE_TERMS`, early and late, for the side to move.

    Returns
    -------
    float64[9, n], float64[9, 8]
        Tables, and weights of material and terms, for each phase.
    """
    late = np.arange(PHASES)[:, None] / LATE_LOSSES
    by_phase = (1.0 - late) * weights[:TERM_COUNT] + late * weights[TERM_COUNT:]
    of = dict(zip((term.name for term in ENGINE_TERMS), by_phase.T, strict=True))
    parts = []
    for group in GROUPS:
        counts = _line_terms(group) if group in LINES else _hexagon_terms(len(group))
        table = sum(np.outer(of[name], count) for name, count in counts.items())
        parts.append(table * share_of_lookups(group))
    features = np.zeros((PHASES, len(MATERIAL.features) + len(TERMS.features)))
    features[:, 0], features[:, 1] = of["material"], of["lead"]
    terms = features[:, len(MATERIAL.features) :]
    terms[:, OWN_SPREAD], terms[:, OPPOSING_SPREAD] = -of["spread"], of["spread"]
    terms[:, TEMPO] = of["tempo"]
    return np.concatenate(parts, axis=1), features


def share_of_lookups(group: tuple[int, ...]) -> float:
    """Return 1 divided by the number of times that a group and each of its images are looked up.

    Several symmetries map a group onto the same cells, so its table gets only this share of a term.
    """
    images = {frozenset(cells[cell] for cell in group) for cells in SYMMETRIES.values()}
    return len(images) / len(SYMMETRIES)


def _line_terms(line: tuple[int, ...]) -> dict[str, Reals]:
    """Return the terms of `engine` on a line for each combination of values, `float64[3 ** cells]` each.

    The point of view is that of the side that has just moved. A term that depends on single cells is
    divided among the three lines through each cell.
    """
    length = len(line)
    digits = np.indices((3,) * length).reshape(length, -1)
    own, other = digits == OWN, digits == OPPOSING
    rings = DISTANCES[CENTRE, list(line)]
    signs = other.astype(float) - own
    names = ("off centre", "outside ring 1", "outside ring 2", "border")
    terms: dict[str, Reals] = {name: signs[rings > ring].sum(axis=0) / 3 for ring, name in enumerate(names)}
    terms["pairs"] = (own[1:] & own[:-1]).sum(axis=0) - (other[1:] & other[:-1]).sum(axis=0).astype(float)
    held, held_own = other[1:-1] & own[:-2] & own[2:], own[1:-1] & other[:-2] & other[2:]
    terms["sandwiched"] = held.sum(axis=0) - held_own.sum(axis=0).astype(float)
    ends = ((0, 1), (-1, -2))
    terms["edge danger"] = sum(
        (other[end] & own[behind]).astype(float) - (own[end] & other[behind]) for end, behind in ends
    )
    # the side that has just moved is not to move, so its pushes are threats
    threats, pushes = _pushes(own, other, rings), _pushes(other, own, rings)
    terms["push threats"], terms["pushes"] = threats[0], -pushes[0]
    terms["push-off threats"], terms["push-offs"] = threats[1], -pushes[1]
    terms["edge pressure"] = threats[2] - pushes[2]
    return terms


def _hexagon_terms(cells: int) -> dict[str, Reals]:
    """Return the term `flowers` on a hexagon for each combination of values, `float64[3 ** cells]`."""
    digits = np.indices((3,) * cells).reshape(cells, -1)
    flowers: Reals = (digits == OWN).all(axis=0) - (digits == OPPOSING).all(axis=0).astype(float)
    return {"flowers": flowers}


Marbles = npt.NDArray[np.bool_]
"""Whether a side has a marble on each cell of a line, in each combination of values."""


def _pushes(movers: Marbles, others: Marbles, rings: Actions) -> tuple[Reals, Reals, Reals]:
    """Return the pushes of a side along a line in both directions, push-offs, and pushes to the border."""
    length = len(movers)
    pushes = np.zeros((3, movers.shape[1]))
    for step in (1, -1):
        own, other, ring = _ahead(movers[::step]), _ahead(others[::step]), rings[::step]
        for front in range(length - 1):
            as_two = own(front) & own(front - 1)
            as_three = as_two & own(front - 2)
            first, second = other(front + 1), other(front + 2)
            is_free, is_next_free = (~own(front + ahead) & ~other(front + ahead) for ahead in (2, 3))
            one, two = first & is_free, first & second & is_next_free & ~is_free
            for count, target in (
                (one * (as_two.astype(float) + as_three), front + 2),
                (two * as_three.astype(float), front + 3),
            ):
                pushes[0] += count
                if target >= length:
                    pushes[1] += count
                elif ring[target] == 4 and ring[target - 1] < 4:
                    pushes[2] += count
    return pushes[0], pushes[1], pushes[2]


def _ahead(marbles: Marbles) -> Callable[[int], Marbles]:
    """Return a function that looks up the marbles on a cell of a line; beyond its ends there are none."""
    return lambda place: marbles[place] if 0 <= place < len(marbles) else np.zeros_like(marbles[0])


PHASES = LATE_LOSSES + 1
LINES = tuple(tuple(cell for cell in range(CELLS) if ROW_OF[cell] == row) for row in range(5))
"""A line of each length, 5 to 9."""


def _hexagons() -> tuple[tuple[int, ...], ...]:
    """Return hexagons, each a cell and its neighbours, one of each kind; symmetries give the others."""
    found: dict[frozenset[int], tuple[int, ...]] = {}
    for cell in range(CELLS):
        near = NEIGHBOURS[cell].tolist()
        if min(near) >= 0:
            images = frozenset(cells[cell] for cells in SYMMETRIES.values())
            found.setdefault(images, (cell, *near))
    return tuple(found.values())


GROUPS = LINES + _hexagons()
SHAPES = PatternSet(
    "shapes",
    cell_values,
    CELLS,
    3,
    groups=GROUPS,
    neighbours=tuple(tuple(int(near) for near in NEIGHBOURS[cell] if near >= 0) for cell in range(CELLS)),
    symmetries=tuple(cells for name, cells in SYMMETRIES.items() if name),
    phases=PHASES,
    phase=marbles_gone,
    bitboards=((0, 2), (2, 0)),
    bits=tuple(BIT_OF_CELL.tolist()),
    model=PatternModel(
        unit=MARBLE,
        scale=SCALE,
        bound=BOUND,
        margin=QUIET_MARGIN,
        slope=SLOPE,
        limit=POSITIONAL_LIMIT,
        material=MATERIAL,
        terms=TERMS,
        start=start,
    ),
)
"""The pattern set `shapes`."""


def shapes(game: Game) -> PatternSet:
    """Return the pattern set `shapes`, which is the same with and without broadside moves.

    Examples
    --------
    >>> import boardgames
    >>> patterns = shapes(boardgames.load("abalone"))
    >>> [len(group) for group in patterns.groups], len(patterns.lookups)
    ([5, 6, 7, 8, 9, 7, 7, 7, 7, 7, 7], 132)
    """
    return SHAPES
