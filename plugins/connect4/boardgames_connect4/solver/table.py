"""Transposition table of the solver: bounds of scores, one 64-bit word per entry.

The key of a position is the sum of two bitboards, the discs of the side to move and all discs,
which is different for every position. It is then multiplied by an odd number modulo a power of
two, which is reversible. The upper bits of the key select a bucket of two entries and the lower
bits are the entry's tag, so positions are never confused. The other bits of an entry hold a lower
and an upper bound.

A new entry moves the old first entry of its bucket to the second place. The first half of the
table is for positions with many empty cells. The others, which are by far the most frequent,
use a small part of the second half that fits into the processor's cache.

On 8 x 8 there are no guard bits to mark the height of a full column. The key is made from the
discs of the side to move and the lowest empty cells, and the tag has eight more bits that say
which columns are full. Tags are then too long for small parts, so all positions share the table.
"""

import numpy as np

from boardgames.kernels import Actions, kernel, lowest_bit, types
from boardgames.kernels.abi import ACTIONS_OUT
from boardgames.kernels.atomics import atomic_load, atomic_store
from boardgames_connect4.rules import ONE, ZERO
from boardgames_connect4.solver.geometry import GEOMETRY, Geometry

NEAR = 20
"""Positions with at most this many empty cells are stored in the near part, which fits into the cache."""
NEAR_BITS = 17
"""Binary logarithm of the number of buckets in the near part, which takes 2 MB."""

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
TAG_SHIFT = np.uint64(14)
BOUNDS = np.uint64((1 << 14) - 1)
BOUND_BITS = 7
BOUND_MASK = (1 << BOUND_BITS) - 1
BIAS = 64
"""Added to the bounds, so that no entry is zero."""
GATHER, GATHERED = np.uint64(0x0102040810204080), np.uint64(56)
"""A factor that collects the lowest bits of eight bytes in the highest byte, and the shift to that byte."""


@kernel(types.uint64(types.uint64, types.int64, types.int64), inline=True)
def mirrored(cells: np.uint64, columns: int, height: int) -> np.uint64:
    """Return a sum of bitboards reflected from left to right."""
    bits = np.uint64(height)
    column = (ONE << bits) - ONE
    image = ZERO
    for _ in range(columns):
        image = (image << bits) | (cells & column)
        cells >>= bits
    return image


@kernel(types.uint64(GEOMETRY, types.uint64), inline=True)
def full_columns(geometry: Geometry, discs: np.uint64) -> np.uint64:
    """Return the top cells of full columns if the board has no guard bits; otherwise an empty set."""
    return ZERO if geometry.has_guards else discs & (geometry.bottom << np.uint64(geometry.height - 1))


@kernel(types.uint64(GEOMETRY, types.uint64, types.uint64, types.int64), inline=True)
def key_of(geometry: Geometry, own: np.uint64, discs: np.uint64, empty_cells: int) -> np.uint64:
    """Return the key of a position: `own` are the discs of the side to move, `discs` all discs."""
    lowest_empty = ((discs << ONE) | geometry.bottom) & ~discs
    key = own + discs if geometry.has_guards else own | lowest_empty
    if empty_cells >= geometry.mirrored and full_columns(geometry, discs) == ZERO:
        key = min(key, mirrored(key, geometry.columns, geometry.height))
    return (key * MULTIPLIER) & (~ZERO >> np.uint64(64 - geometry.key_bits))


@kernel(types.boolean(GEOMETRY, types.int64), inline=True)
def is_near(geometry: Geometry, empty_cells: int) -> bool:
    """Return True if a position belongs to the near part of the table."""
    return geometry.has_guards and empty_cells <= NEAR


@kernel(types.int64(ACTIONS_OUT, GEOMETRY, types.int64), inline=True)
def tag_bits(table: Actions, geometry: Geometry, empty_cells: int) -> int:
    """Return how many bits of a key do not select the bucket."""
    table_bits: int = lowest_bit(np.uint64(table.size))
    if not geometry.has_guards:
        return geometry.key_bits - table_bits + 1
    buckets: int = min(table_bits - 2, NEAR_BITS if empty_cells <= NEAR else geometry.key_bits)
    return geometry.key_bits - buckets


@kernel(types.int64(ACTIONS_OUT, GEOMETRY, types.uint64, types.int64), inline=True)
def bucket_of(table: Actions, geometry: Geometry, key: np.uint64, empty_cells: int) -> int:
    """Return the index of the first entry of a key's bucket."""
    start = table.size // 2 if is_near(geometry, empty_cells) else 0
    return start + 2 * int(key >> np.uint64(tag_bits(table, geometry, empty_cells)))


@kernel(types.uint64(ACTIONS_OUT, GEOMETRY, types.uint64, types.uint64, types.int64), inline=True)
def tag_of(
    table: Actions, geometry: Geometry, key: np.uint64, discs: np.uint64, empty_cells: int
) -> np.uint64:
    """Return the tag that distinguishes a position from others with the same bucket."""
    bits = np.uint64(tag_bits(table, geometry, empty_cells))
    tag = key & ((ONE << bits) - ONE)
    if not geometry.has_guards:
        full_bits = full_columns(geometry, discs) >> np.uint64(geometry.height - 1)
        tag |= ((full_bits * GATHER) >> GATHERED) << bits
    return tag


@kernel(types.int64(types.int64), inline=True)
def lower_of(bounds: int) -> int:
    """Return the lower bound of a score."""
    return (bounds >> BOUND_BITS) - BIAS


@kernel(types.int64(types.int64), inline=True)
def upper_of(bounds: int) -> int:
    """Return the upper bound of a score."""
    return (bounds & BOUND_MASK) - BIAS


@kernel(types.int64(ACTIONS_OUT, GEOMETRY, types.uint64, types.uint64, types.int64), inline=True)
def look_up(table: Actions, geometry: Geometry, key: np.uint64, discs: np.uint64, empty_cells: int) -> int:
    """Return the bounds of a position, or 0 if it is not in the table."""
    index = bucket_of(table, geometry, key, empty_cells)
    tag = tag_of(table, geometry, key, discs, empty_cells)
    first = np.uint64(atomic_load(table, index))
    if first >> TAG_SHIFT == tag and first != ZERO:
        return int(first & BOUNDS)
    second = np.uint64(atomic_load(table, index + 1))
    if second >> TAG_SHIFT == tag and second != ZERO:
        return int(second & BOUNDS)
    return 0


@kernel(
    types.void(ACTIONS_OUT, GEOMETRY, types.uint64, types.uint64, types.int64, types.int64, types.int64),
    inline=True,
)
def store(
    table: Actions,
    geometry: Geometry,
    key: np.uint64,
    discs: np.uint64,
    empty_cells: int,
    lower: int,
    upper: int,
) -> None:
    """Write the bounds of a position to the table."""
    index = bucket_of(table, geometry, key, empty_cells)
    tag = tag_of(table, geometry, key, discs, empty_cells)
    old = atomic_load(table, index)
    if np.uint64(old) >> TAG_SHIFT != tag or old == 0:
        atomic_store(table, index + 1, old)
    bounds = np.uint64((lower + BIAS) << BOUND_BITS | (upper + BIAS))
    atomic_store(table, index, np.int64(tag << TAG_SHIFT | bounds))
