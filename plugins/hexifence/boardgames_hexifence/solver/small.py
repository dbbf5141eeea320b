"""The values of all positions of dimension 2, in a table that is built on first use.

The open edges of a cell at the rim that lead to the ground are interchangeable, so a state is
a set of the 12 edges between two cells, one bit each, and for each of the six cells at the rim the
number of its other open edges, 0 to 3 in two bits: 2^24 states. Drawing an edge subtracts a
constant from this index. So one pass in ascending order finds every value from those before.

The table is kept in the user's cache folder, after a checksum. A file that is damaged or
missing is built again.
"""

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from boardgames.errors import FileError
from boardgames.kernels import Actions, Words, kernel
from boardgames.kernels.abi import ACTIONS, ACTIONS_STACK
from boardgames.paths import cache_folder, read_bytes, write_atomic
from boardgames_hexifence.board import board
from boardgames_hexifence.rules import FIRST

DIMENSION = 2
STATES = 1 << 24
COUNT_BITS = 2
FILE = "hexifence-values-2-v1"
"""The number changes with the layout of the index."""
CHECKSUM_BYTES = hashlib.sha256().digest_size
VALUES_OUT: Any = types.Array(types.int8, 1, "C")  # Numba has no type stubs
WORST = -100
"""Less than every value."""

Values = npt.NDArray[np.int8]


@kernel(types.void(VALUES_OUT, ACTIONS, ACTIONS_STACK))
def fill(values: Values, steps: Actions, masks: Actions) -> None:
    """Write the value of every state, the best remaining difference of cells for the side to move.

    Parameters
    ----------
    values : int8[2^24]
        The table.
    steps : int64[18]
        What drawing an edge of each class subtracts from the index: one bit of a mask of 1 or 3.
    masks : int64[18, 3]
        For each class the bits that hold its open edges, and the bits of its first and its second
        cell, the latter 0 at the rim.
    """
    values[0] = 0
    for state in range(1, values.size):
        best = WORST
        for edge in range(steps.size):
            if state & masks[edge, 0] != 0:
                after = state - steps[edge]
                taken = int(after & masks[edge, 1] == 0)
                if masks[edge, 2] != 0 and after & masks[edge, 2] == 0:
                    taken += 1
                value = int(values[after])
                best = max(best, taken + value if taken > 0 else -value)
        values[state] = best


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


def index_of(words: Words) -> int:
    """Return the index of a packed position of dimension 2."""
    drawn = int(words[FIRST]) | int(words[FIRST + 1])
    return sum(step for edge, step in enumerate(edge_steps()) if drawn >> edge & 1 == 0)


def build() -> bytearray:
    """Return the content of the file, a checksum and the values of all states, which takes about a second.

    Examples
    --------
    >>> int(values_in(build())[-1])  # the empty board
    -3
    """
    lattice, steps = board(DIMENSION), edge_steps()
    cell_masks = [0] * len(lattice.centres)
    masks: dict[int, tuple[int, int, int]] = {}
    for cell, around in enumerate(lattice.edges_of_cell):
        for edge in around:
            is_inner = len(lattice.cells_of_edge[edge]) == 2
            cell_masks[cell] |= steps[edge] * (1 if is_inner else (1 << COUNT_BITS) - 1)
    for edge, cells in enumerate(lattice.cells_of_edge):
        own = steps[edge] if len(cells) == 2 else steps[edge] * ((1 << COUNT_BITS) - 1)
        masks[steps[edge]] = (own, cell_masks[cells[0]], cell_masks[cells[1]] if len(cells) == 2 else 0)
    content = bytearray(CHECKSUM_BYTES + STATES)
    values = values_in(content)
    fill(values, np.array(list(masks), dtype=np.int64), np.array(list(masks.values()), dtype=np.int64))
    content[:CHECKSUM_BYTES] = hashlib.sha256(values.data).digest()
    return content


def values_in(content: bytes | bytearray) -> Values:
    """Return the values in the content of a file, `int8[2^24]`, without copying them."""
    return np.frombuffer(content, dtype=np.int8, offset=CHECKSUM_BYTES)


@cache
def all_values() -> Values:
    """Return the values of all states, from the cache folder or built, and then kept there."""
    return load(cache_folder() / FILE)


def load(path: Path) -> Values:
    """Return the values in a file; build and write it first if it is missing or damaged."""
    with suppress(FileError):
        kept = read_bytes(path, limit=2 * STATES)
        if len(kept) == CHECKSUM_BYTES + STATES:
            values = values_in(kept)
            if kept.startswith(hashlib.sha256(values.data).digest()):
                return values
    content = build()
    with suppress(FileError):  # without a writable folder it is built again next time
        write_atomic(path, content)
    return values_in(content)
