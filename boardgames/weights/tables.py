"""Tables of weights for patterns as an evaluation for search.

Weights give the value of a position for the side that has just moved, like weights of
features. An array of the evaluation (`Tables`) describes the lookups, so that one kernel
serves all groups of a game. Each weight in a table is a 16-bit integer, a number of steps,
so that sums are exact and much of a table fits into the processor's cache.

If the cells can be read from bitboards, indices are computed by adding rows
(`boardgames.kernels.lanes`). Otherwise a kernel of the game writes the values of all cells.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, NamedTuple

import numpy as np

from boardgames.declarations import MAX_VALUE, Evaluation
from boardgames.errors import PluginError
from boardgames.game import Game
from boardgames.kernels import (
    Actions,
    Evaluate,
    Reals,
    Words,
    kernel,
    local_integers,
    local_reals,
    row,
    types,
)
from boardgames.kernels.abi import ACTIONS, REALS, REALS_TABLE, SHORTS, SHORTS_TABLE, WORDS, Shorts
from boardgames.kernels.bundles import unpacker
from boardgames.kernels.lanes import LANES, ROW_WORDS, Chunk, row_adder, sum_of_shorts
from boardgames.patterns import PatternModel, PatternSet, no_features
from boardgames.score import RETURN
from boardgames.weights.linear import WEIGHTED_SUM, in_module_of
from boardgames.weights.merging import MergedTable, merged_tables

STEP, LIMIT, BOUND = range(3)
"""Indices of `Tables.numbers`: the size of a step and, for a model, its bound and its limit's reciprocal."""
LINE = 32
"""Number of 16-bit integers in a cache line."""


class Tables(NamedTuple):
    """The weights of an evaluation with tables.

    Attributes
    ----------
    layout : int64[n]
        If indices are computed by adding rows: for each block, the index where its tables begin.
        Otherwise, for each lookup: the index where its table begins, the number of its cells, and its
        cells.
    rows : uint64[m]
        The rows of all blocks.
    tables : int16[phases, k]
        The tables of each phase, or a single row for all phases.
    linear : float64[phases, materials + terms]
        The weights of a model's features in each phase.
    numbers : float64[3]
        The numbers with the indices `STEP`, `LIMIT` and `BOUND`.
    """

    layout: Annotated[Actions, ACTIONS]
    rows: Annotated[Words, WORDS]
    tables: Annotated[Shorts, SHORTS_TABLE]
    linear: Annotated[Reals, REALS_TABLE]
    numbers: Annotated[Reals, REALS]


unpack = unpacker(Tables)

MAX_CHUNK = 6
"""Maximum number of bits that select a row together. The rows of all chunks of a board should fit into the
processor's L1 cache: in Abalone they take 22 KB. With 8 bits they would take 50 KB and not be faster."""

STEPS = 1 << 15
"""Weights of patterns are rounded to multiples of a step, and are smaller than this many steps."""
SMALLEST_WEIGHT = 1e-100
"""If all weights are smaller than this, the step is chosen as if this were the largest, so it is never 0."""

LookUp = types.int64(WORDS, ACTIONS, WORDS, SHORTS, types.int64)
"""`look_up(position, layout, rows, tables, side)`: the sum of the weights looked up for a side, in steps."""
Finish = types.float64(WORDS, REALS, REALS, types.int64, types.float64)
"""`finish(position, linear, numbers, side, total)`: the value of a position for `side`, given the sum
of the weights looked up for it."""
LookUpFunction = Callable[[Words, Actions, Words, Shorts, int], int]
FinishFunction = Callable[[Words, Reals, Reals, int, float], float]


def step_of(values: Reals) -> float:
    """Return the step for rounding weights of patterns to its multiples; it is a power of two."""
    largest = max(float(np.abs(values).max(initial=0.0)), SMALLEST_WEIGHT)
    return math.ldexp(1.0, math.frexp(largest)[1]) / STEPS


def merged_sums(patterns: PatternSet, tables: Reals) -> list[Reals]:
    """Return the contents of the merged tables of a pattern set, given its tables, `float64[k, n]`."""
    return [tables[:, table.sources(patterns.values)].sum(axis=1) for table in merged_tables(patterns)]


def interpolated(anchors: Reals, phases: int) -> Reals:
    """Return a row of numbers for each phase, interpolated linearly between the rows of the anchors.

    Parameters
    ----------
    anchors : float64[k, n]
        Rows for phases at equal distances, from the first to the last; a single row is for all phases.
    phases : int
        Number of phases.

    Examples
    --------
    >>> interpolated(np.array([[0.0, 8.0], [2.0, 4.0]]), 5).tolist()
    [[0.0, 8.0], [0.5, 7.0], [1.0, 6.0], [1.5, 5.0], [2.0, 4.0]]
    """
    places = np.linspace(0, len(anchors) - 1, phases)
    before = np.minimum(places.astype(np.int64), max(len(anchors) - 2, 0))
    after = np.minimum(before + 1, len(anchors) - 1)
    share = (places - before)[:, None]
    between: Reals = (1.0 - share) * anchors[before] + share * anchors[after]
    return between


def table_evaluation(
    game: Game, patterns: PatternSet, entries: Actions, values: Reals, *, tanh: bool
) -> Evaluation:
    """Return an evaluation with weights of patterns.

    Parameters
    ----------
    entries : int64[n]
        Indices in the tables of all phases and groups, in ascending order; all other entries are 0.
    values : float64[n]
        The weights at these indices.
    tanh : bool
        If True, the value is the hyperbolic tangent of the sum, a return in [-1, 1].

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> column = boardgames.load_patterns("cells", game).grouped([(18,)])  # the bottom of the middle column
    >>> evaluation = table_evaluation(game, column, np.array([1, 6]), np.array([0.5, -0.5]), tanh=True)
    >>> evaluation.score(evaluation.value(game.parse("4").words)).amount < 0
    True
    """
    tables = np.zeros(patterns.size)
    tables[entries] = values
    weights = _packed(game, patterns, tables.reshape(patterns.phases, -1), np.zeros((patterns.phases, 0)))
    evaluate = _table_kernel(_look_up(patterns), patterns.phase, game.kernels.side_to_move,
                             _squashed if tanh else _clipped)  # fmt: skip
    unit, bound = (RETURN, 1.0) if tanh else (WEIGHTED_SUM, MAX_VALUE)
    return Evaluation(f"weights of {patterns.name}", evaluate, weights, unit=unit, bound=bound)


def model_evaluation(game: Game, patterns: PatternSet, tables: Reals, linear: Reals) -> Evaluation:
    """Return the evaluation of a pattern set with a model.

    Parameters
    ----------
    tables : float64[anchors, n]
        The tables of all groups in the anchors: phases at equal distances, from the first to the last.
    linear : float64[anchors, m]
        The weights of material, then of terms, in the anchors, on the scale of the kernel.
    """
    model = patterns.model
    assert model is not None
    is_shared = len(tables) == 1  # all phases look up the same tables
    weights = _packed(
        game, patterns, tables if is_shared else interpolated(tables, patterns.phases),
        interpolated(linear, patterns.phases), 1.0 / model.limit, model.bound,
    )  # fmt: skip
    evaluate = _table_kernel(
        _look_up(patterns), patterns.phase, game.kernels.side_to_move, _model_kernel(patterns.kernel, model)
    )
    return Evaluation(
        f"weights of {patterns.name}", evaluate, weights, unit=model.unit, bound=model.bound,
        margin=model.margin, scale=model.scale,
    )  # fmt: skip


# --- the arrays ---


def _packed(
    game: Game, patterns: PatternSet, tables: Reals, linear: Reals, limit: float = 0.0, bound: float = 0.0
) -> Tables:
    """Return the weights of an evaluation, given a row of tables for each phase or a single row."""
    merged, sums = merged_tables(patterns), merged_sums(patterns, tables)
    step = max(step_of(one) for one in sums)
    firsts, end = [], 1  # a 0 precedes each table
    for one in sums:
        firsts.append(end)
        end += one.shape[1] + 1
    shorts = np.zeros((len(tables), -(-end // LINE) * LINE), dtype=np.int16)
    for first, one in zip(firsts, sums, strict=True):
        shorts[:, first : first + one.shape[1]] = np.clip(np.rint(one / step), 1 - STEPS, STEPS - 1)
    described = _blocks if _has_rows(patterns) else _cells_of_lookups
    layout, rows = described(game, patterns, merged, firsts)
    return Tables(layout, rows, shorts, linear, np.array([step, limit, bound]))


def _has_rows(patterns: PatternSet) -> bool:
    """Return True if indices can be computed by adding rows, so a table and the 0 before it fit 16 bits."""
    return bool(patterns.bitboards) and all(
        patterns.values ** len(group) < 1 << 16 for group in patterns.groups
    )


def _blocks(
    game: Game, patterns: PatternSet, merged: Sequence[MergedTable], firsts: Sequence[int]
) -> tuple[Actions, Words]:
    """Return the indices where the tables of each block of rows begin, and the rows."""
    _check_bitboards(game, patterns)
    blocks: list[tuple[int, list[tuple[int, tuple[int, ...]]]]] = []
    for table, first in zip(merged, firsts, strict=True):
        last = first + int(patterns.values ** len(table.groups[0])) - 1
        for group in table.groups:
            if not blocks or len(blocks[-1][1]) == LANES or last - blocks[-1][0] >= 1 << 16:
                blocks.append((first - 1, []))  # at this index is a 0 for lanes without a group
            blocks[-1][1].append((first - blocks[-1][0], group))
    rows = [_rows(patterns, lookups) for _, lookups in blocks]
    return np.array([start for start, _ in blocks], dtype=np.int64), np.concatenate(rows)


def _rows(patterns: PatternSet, lookups: Sequence[tuple[int, tuple[int, ...]]]) -> Words:
    """Return a row with the indices at which tables begin, followed by the rows of all chunks."""
    amounts = np.zeros((patterns.cells, LANES), dtype=np.int64)
    begin = np.zeros((1, LANES), dtype=np.int64)
    for lane, (first, group) in enumerate(lookups):
        begin[0, lane] = first
        for place, cell in enumerate(reversed(group)):
            amounts[cell, lane] = patterns.values**place
    rows, cell_of = [begin], {bit: cell for cell, bit in enumerate(patterns.bits)}
    for word, first, size in _chunks(patterns.bits):
        cells = [cell_of[64 * word + first + bit] for bit in range(size)]
        combinations = np.arange(1 << size)[:, None] >> np.arange(size) & 1
        rows.append(combinations @ amounts[cells])
    lanes: Words = np.concatenate(rows).astype(np.uint16).reshape(-1).view(np.uint64)
    return lanes


def _chunks(bits: Sequence[int]) -> tuple[Chunk, ...]:
    """Divide bits into chunks of consecutive bits of one word."""
    runs: list[list[int]] = []
    for bit in sorted(bits):
        if runs and bit == runs[-1][-1] + 1 and bit % 64:
            runs[-1].append(bit)
        else:
            runs.append([bit])
    chunks = []
    for run in runs:
        length = -(-len(run) // -(-len(run) // MAX_CHUNK))  # divide runs into about equal parts
        for first in range(0, len(run), length):
            word, bit = divmod(run[first], 64)
            chunks.append(Chunk(word, bit, min(length, len(run) - first)))
    return tuple(chunks)


def _check_bitboards(game: Game, patterns: PatternSet) -> None:
    words = game.facts.words
    last = max(patterns.bits) // 64
    for starts in patterns.bitboards:
        if not all(0 <= start < words - last for start in starts):
            raise PluginError(
                f"the bitboards of patterns {patterns.name!r} must lie within the {words} words of a position"
            )


def _cells_of_lookups(
    game: Game, patterns: PatternSet, merged: Sequence[MergedTable], firsts: Sequence[int]
) -> tuple[Actions, Words]:
    """Return the start of each lookup's table, its number of cells and its cells; and no rows."""
    numbers = []
    for table, first in zip(merged, firsts, strict=True):
        for group in table.groups:
            numbers += [first, len(group), *group]
    return np.array(numbers, dtype=np.int64), np.zeros(0, dtype=np.uint64)


# --- kernels ---


def _look_up(patterns: PatternSet) -> LookUpFunction:
    """Return the kernel that adds up the weights that are looked up; the first call compiles it."""
    if _has_rows(patterns):
        return _row_kernel(patterns.kernel, patterns.bitboards, _chunks(patterns.bits))
    return _cell_kernel(patterns.kernel, patterns.cells, patterns.values)


@cache
def _row_kernel(
    cells: Callable[[Words, int, Actions], None],
    boards: tuple[tuple[int, int], ...],
    chunks: tuple[Chunk, ...],
) -> LookUpFunction:
    add_rows = row_adder(boards, chunks)
    words = ROW_WORDS * (1 + sum(1 << chunk.size for chunk in chunks))

    @kernel(LookUp, inline=True)
    @in_module_of(cells)
    def look_up(position: Words, layout: Actions, rows: Words, tables: Shorts, side: int) -> int:
        total = 0
        for block in range(layout.size):
            lanes = add_rows(position, side, rows, block * words)
            total += sum_of_shorts(tables, layout[block], lanes)
        return total

    return look_up


@cache
def _cell_kernel(cells: Callable[[Words, int, Actions], None], count: int, digits: int) -> LookUpFunction:
    @kernel(LookUp, inline=True)
    @in_module_of(cells)
    def look_up(position: Words, layout: Actions, rows: Words, tables: Shorts, side: int) -> int:
        values = local_integers(count)
        cells(position, side, values)
        place, total = 0, 0
        while place < layout.size:
            start, end = layout[place], place + 2 + layout[place + 1]
            index = 0
            for cell in range(place + 2, end):
                index = digits * index + values[layout[cell]]
            total += int(tables[start + index])  # plain Python would add int16
            place = end
        return total

    return look_up


@cache
def _table_kernel(
    look_up: LookUpFunction,
    phase: Callable[[Words, int], int],
    side_to_move: Callable[[Words], int],
    finish: FinishFunction,
) -> Callable[[Words, Reals], float]:
    """Return the kernel of an evaluation; the first call compiles it."""

    @kernel(Evaluate)
    @in_module_of(look_up)
    def evaluate(position: Words, weights: Reals) -> float:
        own = unpack(weights)
        side = 1 - side_to_move(position)
        at = phase(position, side)
        tables = row(own.tables, at if own.tables.shape[0] > 1 else 0)
        total = own.numbers[STEP] * look_up(position, own.layout, own.rows, tables, side)
        return -finish(position, row(own.linear, at), own.numbers, side, total)

    return evaluate


@kernel(Finish, inline=True)
def _squashed(position: Words, linear: Reals, numbers: Reals, side: int, total: float) -> float:
    """Return the hyperbolic tangent of the sum."""
    return math.tanh(total)


@kernel(Finish, inline=True)
def _clipped(position: Words, linear: Reals, numbers: Reals, side: int, total: float) -> float:
    """Return the sum, clipped to `MAX_VALUE`."""
    return min(max(total, -MAX_VALUE), MAX_VALUE)


def _model_kernel(cells: Callable[[Words, int, Actions], None], model: PatternModel) -> FinishFunction:
    """Return the kernel that adds material and terms to the sum."""
    material, terms = (
        (no_features, 0) if features is None else (features.kernel, len(features.features))
        for features in (model.material, model.terms)
    )
    return _finish_kernel(cells, *material, *terms)


@cache
def _finish_kernel(
    cells: Callable[[Words, int, Actions], None],
    write_material: Callable[[Words, int, Reals], None],
    materials: int,
    write_terms: Callable[[Words, int, Reals], None],
    terms: int,
) -> FinishFunction:
    @kernel(Finish, inline=True)
    @in_module_of(cells)
    def finish(position: Words, linear: Reals, numbers: Reals, side: int, total: float) -> float:
        values = local_reals(terms)
        write_terms(position, side, values)
        for index in range(terms):
            total += linear[materials + index] * values[index]
        total /= 1.0 + abs(total) * numbers[LIMIT]
        counted = local_reals(materials)
        write_material(position, side, counted)
        for index in range(materials):
            total += linear[index] * counted[index]
        bound = numbers[BOUND]
        return float(min(max(total, -bound), bound))

    return finish
