"""Observations: what a network sees of a position, as planes of small numbers.

A game declares its observation; of other games, networks see the bits of the packed position, which are
harder to learn from. Planes are swapped between the sides, but the board is not turned, since actions are
the same for both sides.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from boardgames.errors import PluginError, quote
from boardgames.kernels import Bytes, Observe, Words, kernel, local_integers
from boardgames.kernels.abi import check_kernel
from boardgames.patterns import PatternSet

WORD_BITS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """Planes of numbers, one number for each place of a board.

    Attributes
    ----------
    kernel : callable
        `observe(position, side, out)` writes all planes one after the other, each row by row, from the
        point of view of a side, into `int8[planes * rows * columns]`.
    planes : tuple of str
        What each plane shows.
    rows, columns : int
        Size of a plane. A hexagonal board is sheared: each of its rows begins further to the right or left
        than the one above.
    places : tuple of (int, int)
        The row and column of each place that belongs to the board, in any order; by default all. Planes
        are 0 elsewhere.

    Raises
    ------
    KernelError
        If the kernel has another signature.
    PluginError
        If there are no planes, their names are empty or repeated, a plane is empty, or a place is outside.
    """

    kernel: Callable[[Words, int, Bytes], None]
    planes: tuple[str, ...]
    rows: int
    columns: int
    places: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        check_kernel("observe", self.kernel, Observe)
        if not self.planes or not all(isinstance(name, str) and name for name in self.planes):
            raise PluginError(f"the planes of an observation need names, not {quote(self.planes)}")
        if len(set(self.planes)) < len(self.planes):
            raise PluginError(f"two planes of an observation have the same name: {quote(self.planes)}")
        if not (self.rows >= 1 and self.columns >= 1):
            raise PluginError(f"the planes of an observation cannot be {self.rows} x {self.columns}")
        for row, column in self.places:
            if not (0 <= row < self.rows and 0 <= column < self.columns):
                raise PluginError(
                    f"the place {row}, {column} is not on a plane of {self.rows} rows and "
                    f"{self.columns} columns"
                )

    @property
    def shape(self) -> tuple[int, int, int]:
        """The numbers of planes, rows and columns."""
        return len(self.planes), self.rows, self.columns

    @property
    def size(self) -> int:
        """The number of values."""
        return len(self.planes) * self.rows * self.columns

    @property
    def mask(self) -> npt.NDArray[np.bool_]:
        """Which places belong to the board, `bool[rows, columns]`."""
        mask = np.full((self.rows, self.columns), not self.places)
        for place in self.places:
            mask[place] = True
        return mask

    def array(self, words: Words, side: int) -> npt.NDArray[np.int8]:
        """Return the observation of a packed position by a side, `int8[planes, rows, columns]`."""
        out = np.zeros(self.size, dtype=np.int8)
        self.kernel(words, side, out)
        return out.reshape(self.shape)


def of_patterns(patterns: PatternSet) -> Observation:
    """Return an observation with a plane of one row for each value that a cell can have.

    Examples
    --------
    >>> from boardgames import load, load_patterns
    >>> of_patterns(load_patterns("lines", load("connect4"))).shape
    (4, 1, 42)
    """
    cells_kernel, cells, values = patterns.kernel, patterns.cells, patterns.values

    @kernel(Observe)
    def observe(position: Words, side: int, out: Bytes) -> None:
        written = local_integers(cells)
        cells_kernel(position, side, written)
        for place in range(cells * values):
            out[place] = 0
        for cell in range(cells):
            out[written[cell] * cells + cell] = 1

    return Observation(observe, tuple(f"value {value}" for value in range(values)), 1, cells)


@cache
def of_words(words: int) -> Observation:
    """Return an observation with a row for each word of a packed position, and a plane for its side."""
    bits = words * WORD_BITS

    @kernel(Observe)
    def observe(position: Words, side: int, out: Bytes) -> None:
        for place in range(bits):
            out[place] = np.int64((position[place >> 6] >> np.uint64(place & 63)) & np.uint64(1))
            out[bits + place] = side

    return Observation(observe, ("bits of the packed position", "seen by side 1"), words, WORD_BITS)
