"""Transposition table: results of searches by the key of the position.

A table is `int64[8 n]` for n buckets, a power of two. A bucket is one cache
line with two entries of three words each: the key combined with the other two
by exclusive or, the value, and the facts. Threads share a table without locks:
an entry that two of them wrote at the same time matches no key and is ignored
(R. Hyatt and T. Mann, "A lockless transposition table", 2002).

The first entry of a bucket keeps the deepest search of the current generation,
the second one is always replaced; a position that is already in the table is
overwritten in place (D. Breuker, J. Uiterwijk, H. van den Herik, "Replacement
schemes for transposition tables", 1994).

The seventh word of a bucket is the epoch in which it was last written, and the
eighth word of the first bucket is the epoch of the table. A bucket of another
epoch counts as empty. So a new epoch clears a table of any size at once,
and each bucket is emptied when it is next used.

Facts: bits 0 to 31 the best action + 1, 32 to 39 the depth, 40 and 41 the
bound, 42 whether the value is proven, 48 to 55 the generation. Facts of 0 mean
that there is no entry.
"""

import mmap
from contextlib import suppress

import numpy as np

from boardgames.errors import OptionError, quote
from boardgames.kernels import Actions, bits_to_float, float_to_bits, kernel, types
from boardgames.kernels.abi import ACTIONS_OUT
from boardgames.kernels.atomics import atomic_load
from boardgames.machine import free_memory
from boardgames.search.rules import EVALUATION_BOUND

UPPER, LOWER, EXACT = 1, 2, 3
"""Bounds: the true value is at most, at least, or exactly the stored one."""

WORDS_PER_ENTRY = 3
WORDS_PER_BUCKET = 8
BYTES_PER_BUCKET = 64
BUCKET_EPOCH, TABLE_EPOCH = 6, 7
"""Places of the epochs in a bucket and in the table."""
HUGE_PAGE_WORDS = 1 << 18
"""Words in a huge page of 2 MB, on systems that have huge pages."""
GENERATIONS = 256
MAX_MB = 1 << 20

DEPTH_SHIFT, BOUND_SHIFT, PROVEN_SHIFT, GENERATION_SHIFT = 32, 40, 42, 48
ACTION_MASK = (1 << 32) - 1

ENTRY = types.Tuple((types.float64, types.int64))


@kernel(types.int64(types.int64))
def depth_of(facts: int) -> int:
    """Return the depth of an entry in plies."""
    return (facts >> DEPTH_SHIFT) & 0xFF


@kernel(types.int64(types.int64))
def bound_of(facts: int) -> int:
    """Return `UPPER`, `LOWER` or `EXACT`, or 0 if there is no entry."""
    return (facts >> BOUND_SHIFT) & 3


@kernel(types.int64(types.int64))
def action_of(facts: int) -> int:
    """Return the best action of an entry, or -1 if it has none."""
    return (facts & ACTION_MASK) - 1


@kernel(types.boolean(types.int64))
def is_proven(facts: int) -> bool:
    """Return True if the value follows from the rules alone, without any evaluation."""
    return (facts >> PROVEN_SHIFT) & 1 != 0


@kernel(types.int64(types.int64, types.int64, types.int64, types.boolean, types.int64))
def pack_facts(action: int, depth: int, bound: int, proven: bool, generation: int) -> int:
    """Return the facts of an entry, packed into one word; `action` is -1 if no best action is known."""
    facts = (action + 1) | (depth << DEPTH_SHIFT) | (bound << BOUND_SHIFT) | (generation << GENERATION_SHIFT)
    return facts | (1 << PROVEN_SHIFT) if proven else facts


@kernel(types.float64(types.float64, types.int64))
def value_to_table(value: float, ply: int) -> float:
    """Return a value with the distance to a win counted from `ply` instead of from the root."""
    if value > EVALUATION_BOUND:
        return value + ply
    if value < -EVALUATION_BOUND:
        return value - ply
    return value


@kernel(types.float64(types.float64, types.int64))
def value_from_table(value: float, ply: int) -> float:
    """Return a stored value with the distance to a win counted from the root."""
    if value > EVALUATION_BOUND:
        return value - ply
    if value < -EVALUATION_BOUND:
        return value + ply
    return value


@kernel(types.int64(ACTIONS_OUT, types.uint64))
def bucket_of(table: Actions, key: np.uint64) -> int:
    """Return the index of the first word of a key's bucket."""
    return np.int64(key & np.uint64(table.size // WORDS_PER_BUCKET - 1)) * WORDS_PER_BUCKET


@kernel(ENTRY(ACTIONS_OUT, types.uint64))
def look_up(table: Actions, key: np.uint64) -> tuple[float, int]:
    """Return the stored value and the facts of a key; the facts are 0 if there is no entry."""
    start = bucket_of(table, key)
    if atomic_load(table, start + BUCKET_EPOCH) != table[TABLE_EPOCH]:
        return 0.0, 0
    wanted = np.int64(key)
    for place in range(start, start + 2 * WORDS_PER_ENTRY, WORDS_PER_ENTRY):
        value, facts = atomic_load(table, place + 1), atomic_load(table, place + 2)
        if atomic_load(table, place) ^ value ^ facts == wanted and facts != 0:
            return bits_to_float(value), facts
    return 0.0, 0


@kernel(types.void(ACTIONS_OUT, types.uint64, types.float64, types.int64))
def store(table: Actions, key: np.uint64, value: float, facts: int) -> None:
    """Store an entry.

    It replaces an entry for the same position if there is one. Otherwise it replaces the first
    entry of the bucket if that is from an earlier generation or not deeper, and else the
    second.

    Parameters
    ----------
    table : int64[8 n]
        The table, which is changed.
    key : uint64
        Key of the position.
    value : float64
        Value from `value_to_table`.
    facts : int64
        Facts from `pack_facts`. If they have no best action, the action of the old
        entry is kept.
    """
    start = bucket_of(table, key)
    if atomic_load(table, start + BUCKET_EPOCH) != table[TABLE_EPOCH]:
        for place in range(start, start + 2 * WORDS_PER_ENTRY):
            table[place] = 0
        table[start + BUCKET_EPOCH] = table[TABLE_EPOCH]
    wanted = np.int64(key)
    chosen = start + WORDS_PER_ENTRY
    for place in range(start, start + 2 * WORDS_PER_ENTRY, WORDS_PER_ENTRY):
        old = atomic_load(table, place + 2)
        if atomic_load(table, place) ^ atomic_load(table, place + 1) ^ old == wanted:
            chosen = place
            if action_of(facts) < 0:
                facts |= old & ACTION_MASK
            break
        is_old = old >> GENERATION_SHIFT != facts >> GENERATION_SHIFT
        if place == start and (is_old or depth_of(facts) >= depth_of(old)):
            chosen = place
    bits = float_to_bits(value)
    table[chosen] = wanted ^ bits ^ facts
    table[chosen + 1] = bits
    table[chosen + 2] = facts


def clear(table: Actions) -> None:
    """Remove all entries at once; no search may be running.

    Examples
    --------
    >>> table = new_table(1)
    >>> store(table, np.uint64(5), 0.5, pack_facts(7, 3, EXACT, False, 1))
    >>> clear(table)
    >>> look_up(table, np.uint64(5))
    (0.0, 0)
    """
    table[TABLE_EPOCH] += 1


def check_table(megabytes: int) -> int:
    """Return the number of buckets that a table of `megabytes` (units of 2^20 bytes) will have.

    Raises
    ------
    OptionError
        If the size is less than 1 MB or more than the free memory.

    Examples
    --------
    >>> check_table(3)
    32768
    """
    if not (type(megabytes) is int and 1 <= megabytes <= MAX_MB):
        raise OptionError(f"the table must have 1 to {MAX_MB} MB, not {quote(megabytes)}")
    buckets = 1 << ((megabytes << 20) // BYTES_PER_BUCKET).bit_length() - 1
    free = free_memory()
    if free is not None and buckets * BYTES_PER_BUCKET > free:
        raise OptionError(f"a table of {megabytes} MB does not fit into the {free >> 20} MB of free memory")
    return buckets


def new_table(megabytes: int) -> Actions:
    """Return an empty table whose number of buckets is the largest power of two that fits into `megabytes`.

    Raises
    ------
    OptionError
        If the size is less than 1 MB or more than the free memory, or if the system
        refuses it.

    Examples
    --------
    >>> new_table(1).nbytes
    1048576
    """
    buckets = check_table(megabytes)
    try:
        pages = _allocate(buckets * BYTES_PER_BUCKET)
    except (OSError, MemoryError):
        raise OptionError(f"the system has no memory for a table of {megabytes} MB") from None
    return np.frombuffer(pages, dtype=np.int64)


def _allocate(size: int) -> mmap.mmap:
    """Return zeroed memory aligned to a cache line, in huge pages if the system has them."""
    if not hasattr(mmap, "MAP_PRIVATE"):
        return mmap.mmap(-1, size)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS  # shared memory never gets huge pages
    pages = mmap.mmap(-1, size, flags=flags)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # small pages work too
            pages.madvise(mmap.MADV_HUGEPAGE)
    return pages
