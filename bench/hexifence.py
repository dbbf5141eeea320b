"""Measure the data structures of Hexifence."""

import time
from collections.abc import Iterator

import numpy as np
from engine import Row, summary
from numba import types

import boardgames
from boardgames.kernels import Actions, kernel
from boardgames.kernels.abi import ACTIONS, ACTIONS_OUT
from boardgames_hexifence.edges import make, new_edge_set, unmake

PAIRS = 10_000_000
ORDERS = 100
TARGET_DIMENSION = 3


def edge_sets(runs: int) -> Iterator[Row]:
    """Measure drawing all edges in random orders and taking them back."""

    @kernel(types.int64(ACTIONS_OUT, ACTIONS))
    def draw_and_take_back(edge_set: Actions, order: Actions) -> int:
        captured = 0
        for edge in order:
            captured += make(edge_set, edge)
        for edge in order[::-1]:
            captured -= unmake(edge_set, edge)
        return captured

    for dimension in (2, TARGET_DIMENSION, 6):
        start, generator = boardgames.load("hexifence", dimension=dimension).start(), np.random.default_rng(1)
        edges = len(start.legal_moves)
        edge_set, rates = new_edge_set(start.words), []
        orders = [generator.permutation(edges) for _ in range(ORDERS)]
        for _ in range(runs + 1):
            started = time.perf_counter()
            for turn in range(PAIRS // edges):
                draw_and_take_back(edge_set, orders[turn % ORDERS])
            rates.append(PAIRS // edges * edges / (time.perf_counter() - started) / 1e6)
        target = "10" if dimension == TARGET_DIMENSION else ""
        yield f"edge set, dimension {dimension}", summary(rates[1:], "million makes and unmakes/s"), target
