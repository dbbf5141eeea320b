"""Tables of weights for patterns as an evaluation for search.

Weights give the value of a position for the side that has just moved, as those of
features do. The evaluation's array begins with a description of what is looked up, so that
one kernel serves all groups of a game; its integers are stored as the bits of floats. The
tables follow, phase by phase. Each weight is a 16-bit integer, a number of steps, so that sums
are exact and much of a table fits into the processor's cache.

If the cells can be read from bitboards, indices are computed by adding rows
(`boardgames.kernels.lanes`). Otherwise a kernel of the game writes the values of all cells.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numba import types

from boardgames.declarations import MAX_VALUE, Evaluation
from boardgames.errors import PluginError
from boardgames.game import Game
from boardgames.kernels import (
    Actions,
    Evaluate,
    Reals,
    Words,
    float_to_bits,
    kernel,
    local_integers,
    local_reals,
)
from boardgames.kernels.abi import REALS, WORDS
from boardgames.kernels.lanes import LANES, ROW_WORDS, Chunk, row_adder, short_at, sum_of_shorts
from boardgames.patterns import PatternModel, PatternSet, no_features
from boardgames.score import RETURN
from boardgames.weights.linear import WEIGHTED_SUM, in_module_of
from boardgames.weights.merging import MergedTable, merged_tables

COUNT, ROWS, TABLES, PHASE_STRIDE, STEP, LINEAR, LIMIT, BOUND = range(8)
"""Indices of the numbers at the beginning of the array.

They are the number of blocks of rows, or of lookups; the indices in the array at which these begin, and at
which the tables begin; the distance from the tables of a phase to those of the next, 0 if all phases share
them; and the size of a step. A model adds the index of its features' weights, the reciprocal of its limit,
and its bound.
"""
HEADER = 8
"""Number of values in the header."""
SHORTS = 4
"""16-bit integers in a word."""
MAX_CHUNK = 6
"""Largest number of bits that select a row together. The rows of all chunks of a board should fit into the
processor's L1 cache: in Abalone they take 22 KB; with 8 bits they would take 50 KB and be no faster."""

STEPS = 1 << 15
"""Weights of patterns are rounded to multiples of a step; all are smaller than this many steps."""
SMALLEST_WEIGHT = 1e-100
"""A step is at least as large as if this were the largest weight, so that it is never 0."""

LookUp = types.int64(WORDS, REALS, types.int64, types.int64)
"""`look_up(position, weights, side, first)`: the sum of what a side looks up, in steps; `first` is the index
of the first 16-bit integer of the tables."""
Finish = types.float64(WORDS, REALS, types.int64, types.int64, types.float64)
"""`finish(position, weights, side, phase, total)`: the value of a position for `side`, given what it looks up
in total."""


def step_of(values: Reals) -> float:
    """Return the step to whose multiples weights of patterns are rounded, a power of two."""
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
        Rows for phases at equal distances, from the first to the last. One row serves all phases.
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
    """Return the evaluation with these weights of patterns.

    Parameters
    ----------
    entries : int64[n]
        Indices in the tables of all phases and groups, in ascending order; other entries are 0.
    values : float64[n]
        The weights at these indices.
    tanh : bool
        True if the value is not the sum, but its hyperbolic tangent, a return in [-1, 1].

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> column = boardgames.load_patterns("cells", game).grouped([(18,)])  # the bottom of the middle column
    >>> evaluation = table_evaluation(game, column, np.array([1, 6]), np.array([0.5, -0.5]), tanh=True)
    >>> evaluation.score(evaluation.kernel(game.parse("4").words, evaluation.weights)).amount < 0
    True
    """
    tables = np.zeros(patterns.size)
    tables[entries] = values
    weights = _packed(game, patterns, tables.reshape(patterns.phases, -1))
    evaluate = _table_kernel(_look_up(patterns), patterns.phase, game.kernels.side_to_move,
                             _squashed if tanh else _clipped)  # fmt: skip
    unit, bound = (RETURN, 1.0) if tanh else (WEIGHTED_SUM, MAX_VALUE)
    return Evaluation(f"weights of {patterns.name}", evaluate, weights, unit=unit, bound=bound)


def model_evaluation(game: Game, patterns: PatternSet, tables: Reals, linear: Reals) -> Evaluation:
    """Return the evaluation of a pattern set with a model.

    Parameters
    ----------
    tables : float64[anchors, n]
        The tables of all groups in phases at equal distances, from the first to the last.
    linear : float64[anchors, m]
        The weights of material and then of terms in these phases, on the scale of the kernel.
    """
    model = patterns.model
    assert model is not None
    is_shared = len(tables) == 1  # all phases look up the same tables
    weights = _packed(game, patterns, tables if is_shared else interpolated(tables, patterns.phases))
    weights[LINEAR : BOUND + 1] = np.int64(len(weights)).view(np.float64), 1.0 / model.limit, model.bound
    weights = np.append(weights, interpolated(linear, patterns.phases))
    evaluate = _table_kernel(
        _look_up(patterns), patterns.phase, game.kernels.side_to_move, _model_kernel(patterns.kernel, model)
    )
    return Evaluation(
        f"weights of {patterns.name}", evaluate, weights, unit=model.unit, bound=model.bound,
        margin=model.margin, scale=model.scale,
    )  # fmt: skip


# --- the array ---


def _packed(game: Game, patterns: PatternSet, tables: Reals) -> Reals:
    """Return the array of an evaluation, given a row of tables for each phase, or one row for all."""
    merged, sums = merged_tables(patterns), merged_sums(patterns, tables)
    step = max(step_of(one) for one in sums)
    firsts, end = [], 1  # a 0 precedes each table
    for one in sums:
        firsts.append(end)
        end += one.shape[1] + 1
    shorts = np.zeros((len(tables), _in_lines(-(-end // SHORTS)) * SHORTS), dtype=np.int16)
    for first, one in zip(firsts, sums, strict=True):
        shorts[:, first : first + one.shape[1]] = np.clip(np.rint(one / step), 1 - STEPS, STEPS - 1)
    described = _blocks if _has_rows(patterns) else _cells_of_lookups
    count, starts, lookups = described(game, patterns, merged, firsts)
    header = np.zeros(HEADER)
    words = shorts.shape[1] // SHORTS
    rows = HEADER + len(starts)
    places = [count, rows, rows + len(lookups), words if len(tables) > 1 else 0]
    header[: len(places)] = np.array(places).view(np.float64)
    header[STEP] = step
    return np.concatenate([header, starts, lookups, shorts.reshape(-1).view(np.float64)])


def _in_lines(words: int) -> int:
    """Return a number of words, rounded up to whole rows so that what follows begins at a cache line."""
    return -(-words // ROW_WORDS) * ROW_WORDS


def _has_rows(patterns: PatternSet) -> bool:
    """Return whether indices can be computed by adding rows: a table and a 0 before it fit 16 bits."""
    return bool(patterns.bitboards) and all(
        patterns.values ** len(group) < 1 << 16 for group in patterns.groups
    )


def _blocks(
    game: Game, patterns: PatternSet, merged: Sequence[MergedTable], firsts: Sequence[int]
) -> tuple[int, Reals, Reals]:
    """Return the number of blocks of rows, where the tables of each begin, and the rows."""
    _check_bitboards(game, patterns)
    blocks: list[tuple[int, list[tuple[int, tuple[int, ...]]]]] = []
    for table, first in zip(merged, firsts, strict=True):
        last = first + int(patterns.values ** len(table.groups[0])) - 1
        for group in table.groups:
            if not blocks or len(blocks[-1][1]) == LANES or last - blocks[-1][0] >= 1 << 16:
                blocks.append((first - 1, []))  # lanes without a group look up the 0 there
            blocks[-1][1].append((first - blocks[-1][0], group))
    rows = [_rows(patterns, lookups) for _, lookups in blocks]
    starts = np.zeros(_in_lines(len(blocks)), dtype=np.int64)
    starts[: len(blocks)] = [start for start, _ in blocks]
    return len(blocks), starts.view(np.float64), np.concatenate(rows)


def _rows(patterns: PatternSet, lookups: Sequence[tuple[int, tuple[int, ...]]]) -> Reals:
    """Return the row of the indices at which tables begin, and the rows of all chunks."""
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
    lanes: Reals = np.concatenate(rows).astype(np.uint16).reshape(-1).view(np.float64)
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
        length = -(-len(run) // -(-len(run) // MAX_CHUNK))  # the parts are about equally long
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
) -> tuple[int, Reals, Reals]:
    """Return the number of lookups, an empty array, and each lookup's table, length and cells.

    The result has the same form as that of `_blocks`.
    """
    numbers = []
    for table, first in zip(merged, firsts, strict=True):
        for group in table.groups:
            numbers += [first, len(group), *group]
    described = np.zeros(_in_lines(len(numbers)), dtype=np.int64)
    described[: len(numbers)] = numbers
    return sum(len(table.groups) for table in merged), np.zeros(0), described.view(np.float64)


# --- kernels ---


def _look_up(patterns: PatternSet) -> Callable[[Words, Reals, int, int], int]:
    """Return the kernel that adds up what is looked up, compiled on first use."""
    if _has_rows(patterns):
        return _row_kernel(patterns.kernel, patterns.bitboards, _chunks(patterns.bits))
    return _cell_kernel(patterns.kernel, patterns.cells, patterns.values)


@cache
def _row_kernel(
    cells: Callable[[Words, int, Actions], None],
    boards: tuple[tuple[int, int], ...],
    chunks: tuple[Chunk, ...],
) -> Callable[[Words, Reals, int, int], int]:
    add_rows = row_adder(boards, chunks)
    words = ROW_WORDS * (1 + sum(1 << chunk.size for chunk in chunks))

    @kernel(LookUp, inline=True)
    @in_module_of(cells)
    def look_up(position: Words, weights: Reals, side: int, first: int) -> int:
        place = float_to_bits(weights[ROWS])
        total = 0
        for block in range(float_to_bits(weights[COUNT])):
            lanes = add_rows(position, side, weights, place)
            total += sum_of_shorts(weights, first + float_to_bits(weights[HEADER + block]), lanes)
            place += words
        return total

    return look_up


@cache
def _cell_kernel(
    cells: Callable[[Words, int, Actions], None], count: int, digits: int
) -> Callable[[Words, Reals, int, int], int]:
    @kernel(LookUp, inline=True)
    @in_module_of(cells)
    def look_up(position: Words, weights: Reals, side: int, first: int) -> int:
        values = local_integers(count)
        cells(position, side, values)
        place = float_to_bits(weights[ROWS])
        total = 0
        for _ in range(float_to_bits(weights[COUNT])):
            start, length = float_to_bits(weights[place]), float_to_bits(weights[place + 1])
            place += 2
            index = 0
            for cell in range(place, place + length):
                index = digits * index + values[float_to_bits(weights[cell])]
            place += length
            total += short_at(weights, first + start + index)
        return total

    return look_up


@cache
def _table_kernel(
    look_up: Callable[[Words, Reals, int, int], int],
    phase: Callable[[Words, int], int],
    side_to_move: Callable[[Words], int],
    finish: Callable[[Words, Reals, int, int, float], float],
) -> Callable[[Words, Reals], float]:
    """Return the kernel of an evaluation, compiled on first use."""

    @kernel(Evaluate)
    @in_module_of(look_up)
    def evaluate(position: Words, weights: Reals) -> float:
        side = 1 - side_to_move(position)
        at = phase(position, side)
        place = float_to_bits(weights[TABLES]) + at * float_to_bits(weights[PHASE_STRIDE])
        total = weights[STEP] * look_up(position, weights, side, SHORTS * place)
        return -finish(position, weights, side, at, total)

    return evaluate


@kernel(Finish, inline=True)
def _squashed(position: Words, weights: Reals, side: int, phase: int, total: float) -> float:
    """Return the hyperbolic tangent of the sum."""
    return math.tanh(total)


@kernel(Finish, inline=True)
def _clipped(position: Words, weights: Reals, side: int, phase: int, total: float) -> float:
    """Return the sum."""
    return min(max(total, -MAX_VALUE), MAX_VALUE)


def _model_kernel(
    cells: Callable[[Words, int, Actions], None], model: PatternModel
) -> Callable[[Words, Reals, int, int, float], float]:
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
) -> Callable[[Words, Reals, int, int, float], float]:
    @kernel(Finish, inline=True)
    @in_module_of(cells)
    def finish(position: Words, weights: Reals, side: int, phase: int, total: float) -> float:
        values = local_reals(terms)
        write_terms(position, side, values)
        place = float_to_bits(weights[LINEAR]) + phase * (materials + terms)
        for index in range(terms):
            total += weights[place + materials + index] * values[index]
        total /= 1.0 + abs(total) * weights[LIMIT]
        counted = local_reals(materials)
        write_material(position, side, counted)
        for index in range(materials):
            total += weights[place + index] * counted[index]
        bound = weights[BOUND]
        return float(min(max(total, -bound), bound))

    return finish
