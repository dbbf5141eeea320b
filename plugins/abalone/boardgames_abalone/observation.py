"""What a network sees of a position: the marbles on a sheared board, and how many each side has lost."""

import numpy as np

from boardgames.kernels import Bytes, Observe, Words, kernel, lowest_bit
from boardgames.observation import HEXAGONAL, Observation
from boardgames_abalone.board import BIT_OF_CELL, CELLS, DIAGONAL_OF, ROW_OF
from boardgames_abalone.rules import BYTE, LOST_SHIFTS, ONE, STATUS, ZERO

SIZE = 9
PLANE = SIZE * SIZE
PLACES = tuple((row, diagonal - 1) for row, diagonal in zip(ROW_OF, DIAGONAL_OF, strict=True))
PLACE_OF_CELL = np.array([row * SIZE + column for row, column in PLACES])
PLACE_OF_BIT = np.full(128, -1, dtype=np.int64)
PLACE_OF_BIT[BIT_OF_CELL] = PLACE_OF_CELL


@kernel(Observe)
def observe(position: Words, side: int, out: Bytes) -> None:
    """Write the planes of `OBSERVATION`."""
    for place in range(4 * PLANE):
        out[place] = 0
    for plane in range(2):
        owner = side if plane == 0 else 1 - side
        for word in range(2):
            marbles = position[2 * owner + word]
            while marbles != ZERO:
                out[plane * PLANE + PLACE_OF_BIT[64 * word + lowest_bit(marbles)]] = 1
                marbles &= marbles - ONE
        lost = np.int64((position[STATUS] >> np.uint64(LOST_SHIFTS[owner])) & BYTE)
        for cell in range(CELLS):
            out[(2 + plane) * PLANE + PLACE_OF_CELL[cell]] = lost


OBSERVATION = Observation(
    observe,
    ("own marbles", "opponent's marbles", "own marbles lost", "opponent's marbles lost"),
    SIZE,
    SIZE,
    PLACES,
    HEXAGONAL,
    scales=(1.0, 1.0, 0.25, 0.25),
)
"""Rows I (top) to A and diagonals 1 to 9; the number of lost marbles is in every cell of its plane."""
