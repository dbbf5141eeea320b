"""The values of all positions of dimension 2, in a table that is built on first use.

The open edges of a cell on the rim of the board are interchangeable. So a state has one bit for each of the
12 edges between two cells, and for each of the six outer cells two bits for the number of its other open
edges, 0 to 3: there are 2^24 states. Drawing an edge subtracts a constant from the index of a state, so one
pass in ascending order computes every value from earlier ones.

The table is kept in the user's cache folder, in a file that begins with a checksum. A damaged or missing
file is built again.
"""

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from boardgames.errors import FileError
from boardgames.kernels import Actions, Words, kernel, popcount, types
from boardgames.paths import cache_folder, read_bytes, write_atomic
from boardgames_hexifence.board import board
from boardgames_hexifence.rules import FIRST

DIMENSION = 2
STATES = 1 << 24
COUNT_BITS = 2
FILE = "hexifence-values-2-v1"
"""Name of the file. Its version must change with the layout of the index."""
CHECKSUM_BYTES = hashlib.sha256().digest_size
SAFE_FIRST_FILE = "hexifence-values-2-safe-first-v1"
VALUES: Any = types.Array(types.int8, 1, "C", readonly=True)
VALUES_OUT: Any = types.Array(types.int8, 1, "C")  # Numba has no type stubs
INNER = np.uint64((1 << 12) - 1)
ONES = np.uint64(0x555555 & ~0xFFF)
TWOS = np.uint64(0xAAAAAA & ~0xFFF)
"""Masks of the index: the edges between two cells, and the low and high bits of the two-bit counts."""
WORST = -100
"""A number less than every value."""

Values = npt.NDArray[np.int8]


@cache
def edge_steps() -> tuple[int, ...]:
    """Return how much each edge adds to the index while it is open.

    Examples
    --------
    >>> sum(edge_steps()) == STATES - 1, edge_steps()[:4]
    (True, (4096, 4096, 16384, 16384))
    """
    lattice = board(DIMENSION)
    inner = [edge for edge, cells in enumerate(lattice.cells_of_edge) if len(cells) == 2]
    rim = sorted({cells[0] for cells in lattice.cells_of_edge if len(cells) == 1})
    return tuple(
        1 << (inner.index(edge) if len(cells) == 2 else len(inner) + COUNT_BITS * rim.index(cells[0]))
        for edge, cells in enumerate(lattice.cells_of_edge)
    )


def _classes() -> tuple[Actions, Actions, Actions]:
    lattice, steps = board(DIMENSION), edge_steps()
    cells = [0] * len(lattice.centres)
    masks: dict[int, tuple[int, int, int]] = {}
    for cell, around in enumerate(lattice.edges_of_cell):
        for edge in around:
            is_inner = len(lattice.cells_of_edge[edge]) == 2
            cells[cell] |= steps[edge] * (1 if is_inner else (1 << COUNT_BITS) - 1)
    for edge, beside in enumerate(lattice.cells_of_edge):
        own = steps[edge] if len(beside) == 2 else steps[edge] * ((1 << COUNT_BITS) - 1)
        masks[steps[edge]] = (own, cells[beside[0]], cells[beside[1]] if len(beside) == 2 else 0)
    arrays = [np.array(numbers, dtype=np.int64) for numbers in (list(masks), list(masks.values()), cells)]
    for array in arrays:
        array.flags.writeable = False
    return arrays[0], arrays[1], arrays[2]


STEPS, MASKS, CELLS = _classes()
"""Tables for kernels.

`STEPS`, `int64[18]`, has for each class of edges the number that drawing an edge subtracts from the index.
`MASKS`, `int64[18, 3]`, has for each class the bits that hold its open edges, those of its first cell, and
those of its second cell (0 at the rim). `CELLS`, `int64[7]`, has the bits of each cell.
"""


@kernel(types.int64(types.int64, types.int64), inline=True)
def open_edges(state: int, cell: int) -> int:
    """Return the number of open edges of a cell, given the mask of its bits."""
    left = np.uint64(state & cell)
    return int(popcount(left & INNER) + popcount(left & ONES) + 2 * popcount(left & TWOS))


@kernel(types.boolean(types.int64), inline=True)
def has_captures(state: int) -> bool:
    """Return True if a cell has a single open edge."""
    for cell in CELLS:  # noqa: SIM110 - compiled
        if open_edges(state, cell) == 1:
            return True
    return False


@kernel(types.boolean(types.int64, types.int64), inline=True)
def is_safe(state: int, edge: int) -> bool:
    """Return True if drawing an open edge of a class leaves no cell with one open edge."""
    return open_edges(state, MASKS[edge, 1]) != 2 and open_edges(state, MASKS[edge, 2]) != 2


@kernel(types.boolean(types.int64), inline=True)
def has_safe_edge(state: int) -> bool:
    """Return True if a class has an open edge that is safe."""
    for edge in range(MASKS.shape[0]):  # noqa: SIM110 - compiled
        if state & MASKS[edge, 0] != 0 and is_safe(state, edge):
            return True
    return False


@kernel(types.int64(types.int64, types.int64), inline=True)
def cells_taken(after: int, edge: int) -> int:
    """Return how many cells were taken by drawing an edge of a class, given the state after it."""
    taken = int(after & MASKS[edge, 1] == 0)
    return taken + 1 if MASKS[edge, 2] != 0 and after & MASKS[edge, 2] == 0 else taken


@kernel(types.void(VALUES_OUT, types.boolean))
def fill(values: Values, safe_first: bool) -> None:
    """Write the value of every state, the best remaining difference of cells for the side to move.

    Parameters
    ----------
    values : int8[2^24]
        The table.
    safe_first : bool
        True if both sides make a sacrifice only if there is no safe edge and no capture.
    """
    values[0] = 0
    for state in range(1, values.size):
        only_safe = safe_first and not has_captures(state) and has_safe_edge(state)
        best = WORST
        for edge in range(STEPS.size):
            if state & MASKS[edge, 0] != 0 and not (only_safe and not is_safe(state, edge)):
                after = state - STEPS[edge]
                taken = cells_taken(after, edge)
                value = int(values[after])
                best = max(best, taken + value if taken > 0 else -value)
        values[state] = best


def index_of(words: Words) -> int:
    """Return the index of a packed position of dimension 2."""
    drawn = int(words[FIRST]) | int(words[FIRST + 1])
    return sum(step for edge, step in enumerate(edge_steps()) if drawn >> edge & 1 == 0)


def build(*, safe_first: bool = False) -> bytearray:
    """Return the content of the file: a checksum and the values of all states. This takes about a second.

    Examples
    --------
    >>> int(values_in(build())[-1])  # the empty board
    -3
    """
    content = bytearray(CHECKSUM_BYTES + STATES)
    values = values_in(content)
    fill(values, safe_first)
    content[:CHECKSUM_BYTES] = hashlib.sha256(values.data).digest()
    return content


def values_in(content: bytes | bytearray) -> Values:
    """Return the values in the content of a file, `int8[2^24]`, without copying them."""
    return np.frombuffer(content, dtype=np.int8, offset=CHECKSUM_BYTES)


@cache
def all_values() -> Values:
    """Return the values of all states, built on first use and then read from the cache folder."""
    return load(cache_folder() / FILE)


@cache
def values_with_safe_edges_first() -> Values:
    """Return the values of all states if sacrifices are made only when there is no other move."""
    return load(cache_folder() / SAFE_FIRST_FILE, safe_first=True)


def load(path: Path, *, safe_first: bool = False) -> Values:
    """Return the values in a file; build and write it first if it is missing or damaged."""
    with suppress(FileError):
        kept = read_bytes(path, limit=2 * STATES)
        if len(kept) == CHECKSUM_BYTES + STATES:
            values = values_in(kept)
            if kept.startswith(hashlib.sha256(values.data).digest()):
                return values
    content = build(safe_first=safe_first)
    with suppress(FileError):  # if the folder is not writable, the table is built again next time
        write_atomic(path, content)
    return values_in(content)
