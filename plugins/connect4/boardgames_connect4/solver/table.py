"""Transposition table of the solver: bounds of scores, one 64-bit word per entry.

The key of a position is the sum of the side to move's discs and all discs, which no other
position has, multiplied by an odd number modulo a power of two, which loses nothing. Its
upper bits select a bucket of two entries and its lower bits are the entry's tag, so an entry
never answers for another position. The other bits of an entry hold a lower and an upper bound.

A new entry moves the old first entry of its bucket to the second place. Positions with few
empty cells, which are most of all, have a part of the table to themselves that fits into the
processor's cache.
"""

import numpy as np
from numba import types

from boardgames.kernels import Actions, kernel
from boardgames.kernels.abi import ACTIONS_OUT
from boardgames_connect4.rules import ZERO
from boardgames_connect4.solver.geometry import GEOMETRY, Geometry

NEAR = 20
"""Empty cells up to which a position is stored in the near part."""

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
TAG_SHIFT = np.uint64(14)
BOUNDS = np.uint64((1 << 14) - 1)
BOUND_BITS = 7
BOUND_MASK = (1 << BOUND_BITS) - 1
BIAS = 64
"""Added to the bounds, so that no entry is zero."""


@kernel(types.uint64(types.uint64, types.int64, types.int64), inline=True)
def mirrored(cells: np.uint64, columns: int, height: int) -> np.uint64:
    """Return a sum of bitboards reflected from left to right."""
    bits = np.uint64(height)
    column = (np.uint64(1) << bits) - np.uint64(1)
    image = ZERO
    for _ in range(columns):
        image = (image << bits) | (cells & column)
        cells >>= bits
    return image


@kernel(types.uint64(GEOMETRY, types.uint64, types.uint64, types.int64), inline=True)
def key_of(geometry: Geometry, own: np.uint64, discs: np.uint64, empty_cells: int) -> np.uint64:
    """Return the key of a position: `own` are the discs of the side to move, `discs` all discs."""
    board = geometry[0]
    key = own + discs
    if empty_cells > board.mirrored:
        image = mirrored(key, board.columns, board.height)
        key = min(key, image)
    return np.uint64((key * MULTIPLIER) & board.key_mask)


@kernel(types.int64(GEOMETRY, types.uint64, types.int64), inline=True)
def bucket_of(geometry: Geometry, key: np.uint64, empty_cells: int) -> int:
    """Return the index of the first entry of a key's bucket."""
    board = geometry[0]
    if empty_cells > NEAR:
        return int(key >> board.far_shift) * 2
    return int(key >> board.near_shift) * 2 + int(board.near_start)


@kernel(types.uint64(GEOMETRY, types.uint64, types.int64), inline=True)
def tag_of(geometry: Geometry, key: np.uint64, empty_cells: int) -> np.uint64:
    """Return the tag that tells a key from the others of its bucket."""
    return np.uint64(key & (geometry[0].far_tag if empty_cells > NEAR else geometry[0].near_tag))


@kernel(types.int64(types.int64), inline=True)
def lower_of(bounds: int) -> int:
    """Return the lower bound of a score."""
    return (bounds >> BOUND_BITS) - BIAS


@kernel(types.int64(types.int64), inline=True)
def upper_of(bounds: int) -> int:
    """Return the upper bound of a score."""
    return (bounds & BOUND_MASK) - BIAS


@kernel(types.int64(ACTIONS_OUT, GEOMETRY, types.uint64, types.int64), inline=True)
def look_up(table: Actions, geometry: Geometry, key: np.uint64, empty_cells: int) -> int:
    """Return the bounds of a position, 0 if it is not in the table."""
    index = bucket_of(geometry, key, empty_cells)
    tag = tag_of(geometry, key, empty_cells)
    first, second = np.uint64(table[index]), np.uint64(table[index + 1])
    if first >> TAG_SHIFT == tag and first != ZERO:
        return int(first & BOUNDS)
    if second >> TAG_SHIFT == tag and second != ZERO:
        return int(second & BOUNDS)
    return 0


@kernel(types.void(ACTIONS_OUT, GEOMETRY, types.uint64, types.int64, types.int64, types.int64), inline=True)
def store(
    table: Actions, geometry: Geometry, key: np.uint64, empty_cells: int, lower: int, upper: int
) -> None:
    """Write the bounds of a position to the table."""
    index = bucket_of(geometry, key, empty_cells)
    tag = tag_of(geometry, key, empty_cells)
    old = np.uint64(table[index])
    if old >> TAG_SHIFT != tag or old == ZERO:
        table[index + 1] = table[index]
    bounds = np.uint64((lower + BIAS) << BOUND_BITS | (upper + BIAS))
    table[index] = np.int64(tag << TAG_SHIFT | bounds)
