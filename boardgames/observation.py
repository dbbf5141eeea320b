"""Observations: what a network sees of a position, as planes of small numbers.

A game can declare an observation. Otherwise, networks see the board as its picture shows it or, if that is
not possible, the bits of the packed position, from which it is harder to learn. The planes of the two sides
are swapped if side 1 observes, but the board is not turned, because actions are the same for both sides.

An observation depends only on the position. How many plies are left until a limit ends the match, and
whether a position has occurred before, are facts about the match: search takes them into account exactly,
and networks learn what to expect without them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from boardgames.errors import PluginError, quote
from boardgames.kernels import Bytes, Observe, Words, kernel, local_integers
from boardgames.kernels.abi import check_kernel
from boardgames.patterns import PatternSet

if TYPE_CHECKING:
    from boardgames.declarations import Kernels, Symmetry

WORD_BITS = 64
MAX_STEP = 4
"""Largest number of rows or columns between a place and a neighbour."""
SAMPLED_PLIES = 8000
"""`random_positions` stops after the match in which it reaches this many positions."""
LONGEST_MATCH = 400
"""`random_positions` ends a match after this many plies."""

Places = tuple[tuple[int, int], ...]

SQUARE: Places = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1))
"""A place of a square board and its eight neighbours, as steps down and to the right."""
HEXAGONAL: Places = ((-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0))
"""A place and its six neighbours on a sheared hexagonal board, with a line from lower left to upper right."""
HEXAGONAL_MIRRORED: Places = ((-1, -1), (-1, 0), (0, -1), (0, 0), (0, 1), (1, 0), (1, 1))
"""A place and its six neighbours on a board that is sheared the other way, with a line from upper left."""


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """Planes of numbers, one number for each place of a board.

    Attributes
    ----------
    kernel : callable
        `observe(position, side, out)` writes all planes one after the other, each row by row, from the
        point of view of a side, into `int8[planes * rows * columns]`. Numbers must be -128 to 127: others
        wrap around, which `boardgames check` reports.
    planes : tuple of str
        What each plane shows.
    rows, columns : int
        Size of a plane. A hexagonal board is sheared: each row begins further to the right or left than
        the row above.
    places : tuple of (int, int)
        The row and column of each place that belongs to the board, in any order; by default all places.
        Planes are 0 elsewhere.
    taps : tuple of (int, int)
        The neighbourhood of a convolution, as steps down and to the right from its centre: `SQUARE`,
        `HEXAGONAL`, `HEXAGONAL_MIRRORED` or another one.
    scales : tuple of float
        A factor for each plane, which scales its numbers to about -1 to 1 for a network; by default 1.

    Raises
    ------
    KernelError
        If the kernel has another signature.
    PluginError
        If there are no planes, their names are empty or repeated, a plane is empty, a place is outside, or
        taps or scales are invalid.
    """

    kernel: Callable[[Words, int, Bytes], None]
    planes: tuple[str, ...]
    rows: int
    columns: int
    places: Places = ()
    taps: Places = SQUARE
    scales: tuple[float, ...] = ()

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
        steps = [step for tap in self.taps for step in tap]
        if (0, 0) not in self.taps or any(abs(step) > MAX_STEP for step in steps):
            raise PluginError(
                "the taps of an observation must be steps to nearby places and (0, 0), not "
                f"{quote(self.taps)}"
            )
        if self.scales and not (
            len(self.scales) == len(self.planes) and all(0 < scale < np.inf for scale in self.scales)
        ):
            raise PluginError(
                f"the scales of an observation must be a positive number for each plane, not "
                f"{quote(self.scales)}"
            )

    @property
    def shape(self) -> tuple[int, int, int]:
        """The numbers of planes, rows and columns."""
        return len(self.planes), self.rows, self.columns

    @property
    def size(self) -> int:
        """The number of values of all planes together."""
        return len(self.planes) * self.rows * self.columns

    @property
    def mask(self) -> npt.NDArray[np.bool_]:
        """Whether each place belongs to the board, `bool[rows, columns]`."""
        mask = np.full((self.rows, self.columns), not self.places)
        for place in self.places:
            mask[place] = True
        return mask

    def array(self, words: Words, side: int) -> npt.NDArray[np.int8]:
        """Return what `side` observes in a packed position, `int8[planes, rows, columns]`."""
        out = np.zeros(self.size, dtype=np.int8)
        self.kernel(words, side, out)
        return out.reshape(self.shape)


def place_images(
    observation: Observation,
    symmetry: "Symmetry",
    positions: Sequence[Words],
    side_to_move: Callable[[Words], int],
) -> npt.NDArray[np.int64] | None:
    """Return the place to which a symmetry moves each place, or None if it does not permute places.

    Places that look the same in all of the positions cannot be distinguished. Places off the board are
    mapped to themselves.

    Parameters
    ----------
    positions : sequence of uint64[n]
        Positions to compare with their images under the symmetry.
    side_to_move : kernel
        The kernel `side_to_move` of the game.

    Examples
    --------
    >>> from boardgames import load
    >>> from boardgames.game import observation_of
    >>> game = load("connect4", columns=4, rows=4)
    >>> positions = [game.start().apply_moves(text).words for text in ("1", "12", "1233", "11112222")]
    >>> side_to_move = game.kernels.side_to_move
    >>> images = place_images(observation_of(game), game.symmetries()[0], positions, side_to_move)
    >>> images[12:].tolist()  # the lowest row
    [15, 14, 13, 12]
    """
    size = observation.rows * observation.columns
    given, mapped = list[npt.NDArray[np.int8]](), list[npt.NDArray[np.int8]]()
    for words in positions:
        image = symmetry.words(words.copy())
        for packed, planes in ((words, given), (image, mapped)):
            seen = observation.array(packed.copy(), int(side_to_move(packed)))
            planes.append(seen.reshape(len(observation.planes), size))
    before, after = (np.concatenate(planes).T.copy() for planes in (given, mapped))
    moved: dict[bytes, list[int]] = {}
    images, off_board = np.arange(size), ~observation.mask.ravel()
    for place in np.flatnonzero(~off_board).tolist():
        moved.setdefault(after[place].tobytes(), []).append(place)
    for place in np.flatnonzero(~off_board).tolist():
        matching = moved.get(before[place].tobytes())
        if not matching:
            return None
        images[place] = matching.pop(0)
    return images


def random_positions(kernels: "Kernels", actions: int, starts: Sequence[Words]) -> list[Words]:
    """Return positions from random matches, in random order; every call returns the same ones.

    The positions at the end of the matches are included.

    Parameters
    ----------
    actions : int
        The number of actions of the game.
    starts : sequence of uint64[n]
        Start positions; the matches take them in turn.
    """
    generator, found = np.random.default_rng(0), list[Words]()
    buffer = np.zeros(actions, dtype=np.int64)
    match = 0
    while starts and len(found) < SAMPLED_PLIES:
        words = starts[match % len(starts)].copy()
        match += 1
        found.append(words)
        for _ in range(LONGEST_MATCH):
            count = kernels.legal_moves(words, buffer)
            if count == 0:
                break
            successor = np.zeros_like(words)
            kernels.apply(words, int(buffer[generator.integers(count)]), successor)
            words = successor
            found.append(words)
    generator.shuffle(found)  # successive positions of a match are similar
    return found


def of_patterns(patterns: PatternSet) -> Observation:
    """Return an observation with one plane for each value of a cell; a plane is a row of all cells.

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
    """Return an observation of two planes: the bits of a packed position, one word per row, and the side."""
    bits = words * WORD_BITS

    @kernel(Observe)
    def observe(position: Words, side: int, out: Bytes) -> None:
        for place in range(bits):
            out[place] = np.int64((position[place >> 6] >> np.uint64(place & 63)) & np.uint64(1))
            out[bits + place] = side

    return Observation(observe, ("bits of the packed position", "seen by side 1"), words, WORD_BITS)
