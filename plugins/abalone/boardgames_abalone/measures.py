"""The three numbers of a simple Abalone program, which evaluations and features are made of.

They stand apart from the feature sets, so that to play compiles these alone.
"""

import numpy as np
from numba import types

from boardgames.kernels import kernel, popcount
from boardgames_abalone.board import HALF_BOARDS, OUTER_RINGS
from boardgames_abalone.rules import BYTE, LOST_SHIFTS


@kernel(types.float64(types.uint64, types.uint64))
def centre_distance(low: np.uint64, high: np.uint64) -> float:
    """Return the average distance to the centre of a set of cells, 0 to 4; 0 if empty."""
    marbles = popcount(low) + popcount(high)
    if marbles == 0:
        return 0.0
    total = 0
    for ring in range(4):
        total += popcount(low & OUTER_RINGS[ring, 0]) + popcount(high & OUTER_RINGS[ring, 1])
    return total / marbles


@kernel(types.float64(types.uint64, types.uint64))
def density(low: np.uint64, high: np.uint64) -> float:
    """Return the sum of all distances between cells of a set over its size squared, 0 to 8.

    Along one axis the distances of all pairs add up to the sum, over the cuts
    between lines, of the marbles before the cut times those behind it.
    """
    marbles = popcount(low) + popcount(high)
    if marbles == 0:
        return 0.0
    total = 0
    for axis in range(3):
        for cut in range(8):
            before = popcount(low & HALF_BOARDS[axis, cut, 0])
            before += popcount(high & HALF_BOARDS[axis, cut, 1])
            total += before * (marbles - before)
    return total / (marbles * marbles)  # pairs count twice, distances are half the sum


@kernel(types.float64(types.uint64, types.int64))
def marbles_lost(facts: np.uint64, side: int) -> float:
    """Return the marbles that a side has lost, from a position's word of facts."""
    return float((facts >> np.uint64(LOST_SHIFTS[side])) & BYTE)
