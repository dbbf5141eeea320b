"""Features of Abalone positions as kernels.

The three terms of a simple Abalone program with tuned weights: average
distance to the centre; density, which is for each marble the sum of its
distances to the others divided by the number of marbles, summed and divided
by that number again; marbles lost.
"""

import numpy as np
from numba import types

from boardgames.declarations import Feature, FeatureSet
from boardgames.game import Game
from boardgames.kernels import Features, Reals, Words, kernel, popcount
from boardgames_abalone.board import HALF_BOARDS, OUTER_RINGS
from boardgames_abalone.rules import BYTE, FACTS, LOST_SHIFTS

TERMS = (
    Feature("centre distance", "cells", 0.0, 4.0, "average distance of the marbles to the centre"),
    Feature("density", "cells", 0.0, 8.0, "mean distance between marbles; small is dense"),
    Feature("lost", "marbles", 0.0, 6.0, "marbles lost"),
)


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


@kernel(Features)
def simple_features(position: Words, side: int, out: Reals) -> None:
    """Write the three terms of `side`, then those of the other, into `out`, `float64[6]`."""
    for index in range(2):
        seat = side if index == 0 else 1 - side
        low, high = position[2 * seat], position[2 * seat + 1]
        out[3 * index] = centre_distance(low, high)
        out[3 * index + 1] = density(low, high)
        out[3 * index + 2] = marbles_lost(position[FACTS], seat)


def simple(game: Game) -> FeatureSet:
    """Return the feature set `simple`: six numbers."""
    features = tuple(
        Feature(f"{whose} {term.name}", term.unit, term.low, term.high, term.summary)
        for whose in ("own", "other's")
        for term in TERMS
    )
    return FeatureSet("simple", simple_features, features)
