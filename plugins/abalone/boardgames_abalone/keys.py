"""A key of positions that is equal for the twelve that rotations and reflections make of one.

Each cell has a random number for each side and symmetry; the numbers of all
marbles add up to twelve sums, one for each symmetry (A. Zobrist, "A new
hashing method with application for game playing", 1970). A symmetric position
has the same sums in another order, and so the same least one.
"""

import numpy as np
import numpy.typing as npt
from numba import types

from boardgames.kernels import PositionKey, Words, kernel, lowest_bit, mixed
from boardgames_abalone.board import BIT_OF_CELL, CELLS, SYMMETRIES
from boardgames_abalone.rules import FACTS, ONE, ZERO

Sums = tuple[np.uint64, ...]
"""Twelve sums, one for each symmetry."""
SUMS = types.UniTuple(types.uint64, 12)
NO_SUMS = (ZERO,) * 12
SIXTY_FOUR = np.uint64(64)


def _numbers() -> npt.NDArray[np.uint64]:
    """Return the numbers by side, bit of the board and symmetry."""
    drawn = np.random.default_rng(61).integers(0, 1 << 64, (2, CELLS), dtype=np.uint64)
    table = np.zeros((2, 128, len(SYMMETRIES)), dtype=np.uint64)
    for symmetry, cells in enumerate(SYMMETRIES.values()):
        table[:, BIT_OF_CELL, symmetry] = drawn[:, cells]
    table.flags.writeable = False
    return table.reshape(256, -1)


NUMBERS: npt.NDArray[np.uint64] = _numbers()
"""`uint64[256, 12]`: the numbers of a marble by side and bit of the board, of each symmetry."""


@kernel(SUMS(SUMS, types.uint64))
def _with_marble(sums: Sums, place: np.uint64) -> Sums:
    """Return the sums with the numbers of a marble, written out so that they stay in registers."""
    return (
        sums[0] + NUMBERS[place, 0],
        sums[1] + NUMBERS[place, 1],
        sums[2] + NUMBERS[place, 2],
        sums[3] + NUMBERS[place, 3],
        sums[4] + NUMBERS[place, 4],
        sums[5] + NUMBERS[place, 5],
        sums[6] + NUMBERS[place, 6],
        sums[7] + NUMBERS[place, 7],
        sums[8] + NUMBERS[place, 8],
        sums[9] + NUMBERS[place, 9],
        sums[10] + NUMBERS[place, 10],
        sums[11] + NUMBERS[place, 11],
    )


@kernel(PositionKey)
def symmetric_key(position: Words) -> np.uint64:
    """Return the key of a position, `uint64[5]`, and of all that symmetries map onto it."""
    sums: Sums = NO_SUMS
    for index in range(FACTS):
        word = position[index]
        while word != ZERO:
            sums = _with_marble(sums, SIXTY_FOUR * np.uint64(index) + np.uint64(lowest_bit(word)))
            word &= word - ONE
    least = ~ZERO
    for total in sums:
        least = min(least, total)
    return mixed(least ^ mixed(position[FACTS] + ONE))
