"""Evaluation of Hexifence positions for search, in cells, and move ordering."""

import numpy as np

from boardgames.declarations import Evaluation
from boardgames.kernels import Evaluate, MoveOrder, Reals, Words, kernel
from boardgames.score import Unit
from boardgames_hexifence.board import cells_of
from boardgames_hexifence.features import edge_kind, takeable_cells
from boardgames_hexifence.rules import closed_cells, dimension_of, side_to_move

MARGIN_WEIGHTS = (1.0, 1.0)
"""Weights of the margin in cells and of the cells that can be captured in this turn.

Set by hand; both are 1, since the side to move usually captures all these cells.
"""
BOUND_SLACK = 1.0

MOVE_RANKS = (2, 1, 0, -1)
"""Move ordering score by kind of edge: free, capturing, safe, sacrificing."""


@kernel(Evaluate)
def evaluate(position: Words, weights: Reals) -> float:
    """Return the weighted sum of the margin and the cells that can be captured, for the side to move.

    Parameters
    ----------
    position : uint64[words]
        Packed position.
    weights : float64[2]
        Weights of the margin in cells, and of the cells that the side to move can capture in
        this turn. At the end of the match no cells can be captured, so the value is the margin.
    """
    side = side_to_move(position)
    margin = closed_cells(position, side) - closed_cells(position, 1 - side)
    return weights[0] * margin + weights[1] * takeable_cells(position)


@kernel(MoveOrder)
def move_order(position: Words, action: int) -> int:
    """Return 2 or 1 for a move that closes a cell, -1 for a sacrifice, and 0 for other moves."""
    return MOVE_RANKS[edge_kind(position, dimension_of(position), action)]


def cell_unit(dimension: int) -> Unit:
    """Return the unit of margins on a board with `dimension` cells per side.

    The thresholds are set by hand: a mistake gives one cell to the other side, which changes the margin by
    two, and a blunder gives two.
    """
    return Unit(
        "cell",
        "cells",
        digits=1,
        half_return=3.0,
        inaccuracy=1.0,
        mistake=2.0,
        blunder=4.0,
        bound=float(cells_of(dimension)),
        book_margin=1.0,
    )


def margin_evaluation(dimension: int) -> Evaluation:
    """Return the evaluation `margin` for a board with `dimension` cells per side.

    Examples
    --------
    >>> margin_evaluation(3).unit.name, margin_evaluation(3).bound
    ('cell', 20.0)
    """
    bound = cells_of(dimension) + BOUND_SLACK
    weights = np.array(MARGIN_WEIGHTS)
    return Evaluation("margin", evaluate, weights, unit=cell_unit(dimension), bound=bound, exact_at_end=True)
