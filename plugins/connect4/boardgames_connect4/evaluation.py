"""Evaluation of Connect Four positions for search: an estimate of the return."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from boardgames.declarations import Evaluation
from boardgames.kernels import Evaluate, Reals, Words, kernel, popcount, types
from boardgames.kernels.abi import REALS
from boardgames.score import RETURN
from boardgames_connect4.board import Board
from boardgames_connect4.features import open_lines, winning_cells
from boardgames_connect4.rules import ONE, STATUS

BOUND = 0.9
WEIGHTS = (0.02, 0.05, 0.04, 0.25, 0.08)
"""Weights of open twos, open threes, centre stones, threats in own rows and other threats.

Set by hand. If both sides just fill up the columns, red gets the cells in odd rows and blue
those in even rows. These are the side's own rows, and a threat there is worth several open
lines.
"""

TD_WEIGHTS = Path(__file__).parent / "data" / "td.safetensors"


@kernel(
    types.float64(types.uint64, types.uint64, types.uint64, types.uint64, types.int64, types.uint64, REALS),
    inline=True,
)
def _side_value(
    own: np.uint64,
    empty: np.uint64,
    centre: np.uint64,
    own_rows: np.uint64,
    height: int,
    starts: np.uint64,
    weights: Reals,
) -> float:
    """Return the weighted sum of the terms of one side."""
    twos, threes = open_lines(own, empty, height, starts)
    cells = winning_cells(own, empty, height, starts)
    value = weights[0] * twos + weights[1] * threes + weights[2] * popcount(own & centre)
    return value + weights[3] * popcount(cells & own_rows) + weights[4] * popcount(cells & ~own_rows)


@cache
def sized_evaluate(board: Board) -> Callable[[Words, Reals], float]:
    """Return the evaluation kernel for one board size, compiled on first use."""
    height, full, line_starts = board.height, board.full, board.line_starts
    centre, odd_rows = board.centre, board.odd_rows

    @kernel(Evaluate)
    def evaluate(position: Words, weights: Reals) -> float:
        """Return 0.9 x / (1 + |x|) for the side to move, where x is its weighted sum minus the opponent's.

        Parameters
        ----------
        position : uint64[3]
            Packed position.
        weights : float64[5]
            Weights in the order of `WEIGHTS`.
        """
        empty = np.uint64(full) & ~(position[0] | position[1])
        odd, middle, starts = np.uint64(odd_rows), np.uint64(centre), np.uint64(line_starts)
        red = _side_value(position[0], empty, middle, odd, height, starts, weights)
        blue = _side_value(position[1], empty, middle, ~odd, height, starts, weights)
        difference = red - blue if position[STATUS] & ONE == np.uint64(0) else blue - red
        return BOUND * difference / (1.0 + abs(difference))

    return evaluate


def evaluation(board: Board, weights: tuple[float, ...] = WEIGHTS) -> Evaluation:
    """Return the evaluation `lines` for one board size."""
    return Evaluation("lines", sized_evaluate(board), np.array(weights), unit=RETURN, bound=BOUND)
