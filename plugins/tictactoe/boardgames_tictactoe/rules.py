"""Kernels of the rules of tic-tac-toe, and what networks see.

A position has nine words, one for each cell in reading order: 0 is empty, 1 a cross, 2 a nought. Crosses
are side 0 and move first. An action is the cell to fill:

    3   0 1 2
    2   3 4 5
    1   6 7 8
        a b c
"""

import numpy as np
import numpy.typing as npt

from boardgames.kernels import (
    Actions,
    Apply,
    Bytes,
    LegalMoves,
    Observe,
    OutcomeOf,
    PositionKey,
    SideToMove,
    Words,
    kernel,
    mix,
)

CELLS = 9
EMPTY = np.uint64(0)
LINES = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]])
THREE = np.uint64(3)
ROTATED, REFLECTED = (6, 3, 0, 7, 4, 1, 8, 5, 2), (2, 1, 0, 5, 4, 3, 8, 7, 6)
"""The cell that moves to each place when the board is rotated clockwise, or reflected."""


def _symmetries() -> npt.NDArray[np.int64]:
    """For each of the eight symmetries, return the cell that moves to each place."""
    maps = [np.arange(CELLS)]
    for _ in range(3):
        maps.append(maps[-1][list(ROTATED)])
    return np.array([cells[list(order)] for cells in maps for order in (range(CELLS), REFLECTED)])


SYMMETRIES = _symmetries()


@kernel(SideToMove)
def side_to_move(position: Words) -> int:
    """Return 0 if there are as many crosses as noughts, otherwise 1."""
    filled = 0
    for cell in range(CELLS):
        if position[cell] != EMPTY:
            filled += 1
    return filled % 2


@kernel(OutcomeOf)
def outcome(position: Words) -> int:
    """Return the side that has three in a line, 2 if the board is full, or -1 if the match is ongoing."""
    for line in range(len(LINES)):
        first = position[LINES[line, 0]]
        if first != EMPTY and first == position[LINES[line, 1]] == position[LINES[line, 2]]:
            return int(first) - 1
    for cell in range(CELLS):
        if position[cell] == EMPTY:
            return -1
    return 2


@kernel(LegalMoves)
def legal_moves(position: Words, moves: Actions) -> int:
    """Write the empty cells to `moves` in ascending order and return their number, 0 after the end."""
    count = 0
    if outcome(position) < 0:
        for cell in range(CELLS):
            if position[cell] == EMPTY:
                moves[count] = cell
                count += 1
    return count


@kernel(Apply)
def apply(position: Words, action: int, successor: Words) -> None:
    """Write the position after filling a cell into `successor`, `uint64[9]`."""
    for cell in range(CELLS):
        successor[cell] = position[cell]
    successor[action] = np.uint64(side_to_move(position) + 1)


@kernel(Observe)
def observe(position: Words, side: int, out: Bytes) -> None:
    """Mark the cells of `side` in the first plane, and those of the opponent in the second."""
    for cell in range(CELLS):
        out[cell] = position[cell] == np.uint64(side + 1)
        out[CELLS + cell] = position[cell] == np.uint64(2 - side)


@kernel(PositionKey)
def symmetric_key(position: Words) -> np.uint64:
    """Return a hash of the smallest of the symmetric images, each read as a number in base 3."""
    smallest = ~EMPTY
    for symmetry in range(len(SYMMETRIES)):
        number = EMPTY
        for cell in range(CELLS):
            number = number * THREE + position[SYMMETRIES[symmetry, cell]]
        smallest = min(smallest, number)
    return mix(smallest)
