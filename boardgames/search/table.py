"""Transposition table: what search found out about positions, by their keys.

A table is `int64[8 n]` for n buckets, a power of two. A bucket is one line of
the processor's cache and has two entries of four words: the key, a value, the
facts and a static evaluation, where the key is combined with the other three
by exclusive or. Threads share a table without locks: what two of them wrote
at once fits no key, and is not found (R. Hyatt and T. Mann, "A lockless
transposition table", 2002). Values and evaluations are the bits of a float64.

The first entry of a bucket keeps the deepest search of this generation, the
second one whatever came last; a position that is there is written anew where
it stands (D. Breuker, J. Uiterwijk, H. van den Herik,
"Replacement schemes for transposition tables", 1994).

Facts: bits 0 to 31 the best action + 1, 32 to 39 the depth, 40 and 41 the
bound, 42 whether the value is proven, 48 to 55 the generation; 0 if nothing.
"""

import mmap
from contextlib import suppress

import numpy as np
from numba import types

from boardgames.errors import OptionError, shown
from boardgames.kernels import Actions, kernel, peek
from boardgames.kernels.abi import ACTIONS_OUT
from boardgames.machine import free_memory

UPPER, LOWER, EXACT = 1, 2, 3
"""What a stored value is: at least the true one, at most, or just that."""

WORDS_PER_ENTRY = 4
WORDS_PER_BUCKET = 8
BYTES_PER_BUCKET = 64
GENERATIONS = 256
LARGEST_MB = 1 << 20

DEPTH_SHIFT, BOUND_SHIFT, PROVEN_SHIFT, GENERATION_SHIFT = 32, 40, 42, 48
ACTION_MASK = (1 << 32) - 1

FOUND = types.UniTuple(types.int64, 3)


@kernel(types.int64(types.int64))
def depth_of(facts: int) -> int:
    """Return the plies that were looked ahead for an entry."""
    return (facts >> DEPTH_SHIFT) & 0xFF


@kernel(types.int64(types.int64))
def bound_of(facts: int) -> int:
    """Return whether an entry's value is an upper or lower bound or exact; 0 if it has none."""
    return (facts >> BOUND_SHIFT) & 3


@kernel(types.int64(types.int64))
def action_of(facts: int) -> int:
    """Return an entry's best action, -1 if there is none."""
    return (facts & ACTION_MASK) - 1


@kernel(types.boolean(types.int64))
def is_proven(facts: int) -> bool:
    """Say whether an entry's value follows from the ends of matches alone."""
    return (facts >> PROVEN_SHIFT) & 1 != 0


@kernel(types.int64(ACTIONS_OUT, types.uint64))
def bucket(table: Actions, key: np.uint64) -> int:
    """Return the place of a key's first entry."""
    return np.int64(key & np.uint64(table.size // WORDS_PER_BUCKET - 1)) * WORDS_PER_BUCKET


@kernel(FOUND(ACTIONS_OUT, types.uint64))
def look_up(table: Actions, key: np.uint64) -> tuple[int, int, int]:
    """Return the bits of the value, the facts and the bits of the evaluation; facts 0 if not found."""
    start = bucket(table, key)
    wanted = np.int64(key)
    for place in range(start, start + WORDS_PER_BUCKET, WORDS_PER_ENTRY):
        value, facts, static = peek(table, place + 1), peek(table, place + 2), peek(table, place + 3)
        if peek(table, place) ^ value ^ facts ^ static == wanted and facts != 0:
            return value, facts, static
    return 0, 0, 0


@kernel(
    types.void(
        ACTIONS_OUT,
        types.uint64,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        types.boolean,
        types.int64,
    )
)
def store(
    table: Actions,
    key: np.uint64,
    value: int,
    static: int,
    action: int,
    depth: int,
    bound: int,
    proven: bool,
    generation: int,
) -> None:
    """Keep what was found, in the second entry if the first has a deeper search of this generation.

    Parameters
    ----------
    table : int64[8 n]
        Changed.
    key : uint64
        Of the position.
    value, static : int64
        Bits of the value, as seen from the position, and of its evaluation.
    action : int64
        The best one, -1 if none is known: one that is there is then kept.
    depth, bound, generation : int64
        Plies looked ahead; UPPER, LOWER or EXACT; of this search.
    proven : bool
        The value follows from ends of matches alone.
    """
    start = bucket(table, key)
    wanted = np.int64(key)
    chosen = start + WORDS_PER_ENTRY
    for place in range(start, start + WORDS_PER_BUCKET, WORDS_PER_ENTRY):
        facts = peek(table, place + 2)
        if peek(table, place) ^ peek(table, place + 1) ^ facts ^ peek(table, place + 3) == wanted:
            chosen = place
            if action < 0:
                action = action_of(facts)
            break
        is_old = facts >> GENERATION_SHIFT != generation
        if place == start and (is_old or depth >= depth_of(facts)):
            chosen = place
    facts = (action + 1) | (depth << DEPTH_SHIFT) | (bound << BOUND_SHIFT) | (generation << GENERATION_SHIFT)
    if proven:
        facts |= 1 << PROVEN_SHIFT
    table[chosen] = wanted ^ value ^ facts ^ static
    table[chosen + 1] = value
    table[chosen + 2] = facts
    table[chosen + 3] = static


def check_table(megabytes: int) -> int:
    """Return the buckets of a table of so many MB, before anything is taken.

    Raises
    ------
    OptionError
        If that is less than one, or more than the machine has free.

    Examples
    --------
    >>> check_table(3)
    32768
    """
    if not (type(megabytes) is int and 1 <= megabytes <= LARGEST_MB):
        raise OptionError(f"expected a table of 1 to {LARGEST_MB} MB: {shown(megabytes)}")
    buckets = 1 << ((megabytes << 20) // BYTES_PER_BUCKET).bit_length() - 1
    free = free_memory()
    if free is not None and buckets * BYTES_PER_BUCKET > free:
        room = f"{free >> 20} MB that are free"
        raise OptionError(f"expected a table that fits into the {room}: {megabytes} MB")
    return buckets


def new_table(megabytes: int) -> Actions:
    """Return an empty table: the largest power of two of buckets that fits into so many MB of 2^20 bytes.

    Raises
    ------
    OptionError
        If that is less than one, more than the machine has free, or refused.

    Examples
    --------
    >>> new_table(1).nbytes
    1048576
    """
    buckets = check_table(megabytes)
    try:
        pages = _pages(buckets * BYTES_PER_BUCKET)
    except (OSError, MemoryError):
        raise OptionError(f"expected a table that the system has memory for: {megabytes} MB") from None
    return np.frombuffer(pages, dtype=np.int64)


def _pages(size: int) -> mmap.mmap:
    """Return empty memory that begins where a cache line does, in few large pages where there are any."""
    if not hasattr(mmap, "MAP_PRIVATE"):
        return mmap.mmap(-1, size)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS  # shared memory is never in large pages
    pages = mmap.mmap(-1, size, flags=flags)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # small ones do, too
            pages.madvise(mmap.MADV_HUGEPAGE)
    return pages
