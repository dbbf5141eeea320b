"""What a network sees of a position: the stones of both sides."""

from functools import cache
from pathlib import Path

import numpy as np

from boardgames.kernels import Bytes, Observe, Words, kernel
from boardgames.observation import Observation
from boardgames_connect4.board import Board

NETWORK = Path(__file__).parent / "data" / "alphazero.safetensors"


@cache
def observation(board: Board) -> Observation:
    """Return the observation for boards of this size; the first row of a plane is the top row."""
    columns, rows, height = board.columns, board.rows, board.height
    cells = columns * rows

    @kernel(Observe)
    def observe(position: Words, side: int, out: Bytes) -> None:
        for plane in range(2):
            stones = position[side if plane == 0 else 1 - side]
            for column in range(columns):
                for row in range(rows):
                    place = plane * cells + (rows - 1 - row) * columns + column
                    out[place] = np.int64((stones >> np.uint64(column * height + row)) & np.uint64(1))

    return Observation(observe, ("own stones", "opponent's stones"), rows, columns)
