"""Exact scores of Connect Four by plain alpha-beta on arrays of cells: no table, no bounds, no bitboards."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

Cells = npt.NDArray[np.int8]
"""Stones by column and row from the bottom: 0 for an empty cell, 1 for the first player, 2 for the second."""
Function = TypeVar("Function", bound=Callable[..., Any])  # any signature


def plain(function: Function) -> Function:
    """Compile a function without a cache, because Numba's cache crashes with recursive functions."""
    return cast(Function, njit(function))


def cached(function: Function) -> Function:
    """Compile a function and cache it."""
    return cast(Function, njit(cache=True)(function))


@cached
def completes_four(cells: Cells, column: int, row: int, stone: int) -> bool:
    """Return True if a stone on an empty cell would complete four in a line."""
    columns, rows = cells.shape
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        count = 1
        for sign in (1, -1):
            x, y = column + sign * right, row + sign * up
            while 0 <= x < columns and 0 <= y < rows and cells[x, y] == stone:
                count += 1
                x, y = x + sign * right, y + sign * up
        if count >= 4:
            return True
    return False


@cached
def random_positions(columns: int, rows: int, count: int, fewest: int, most: int, seed: int) -> Cells:
    """Return positions of unfinished matches after random moves, with `fewest` to `most` empty cells."""
    np.random.seed(seed)  # noqa: NPY002 - compiled code has only this generator
    found = np.zeros((count, columns, rows), dtype=np.int8)
    heights = np.zeros(columns, dtype=np.int64)
    for number in range(count):
        plies = columns * rows - np.random.randint(fewest, most + 1)  # noqa: NPY002
        cells = found[number]
        ply = 0
        while ply < plies:
            if ply == 0:
                cells[:], heights[:] = 0, 0
            stone, choices = 1 + ply % 2, 0
            chosen = -1
            for column in range(columns):
                row = heights[column]
                if row < rows and not completes_four(cells, column, row, stone):
                    choices += 1
                    if np.random.randint(choices) == 0:  # noqa: NPY002
                        chosen = column
            if chosen < 0:
                ply = 0  # every move wins: begin again
                continue
            cells[chosen, heights[chosen]] = stone
            heights[chosen] += 1
            ply += 1
    return found


@plain
def negamax(cells: Cells, heights: npt.NDArray[np.int64], left: int, alpha: int, beta: int) -> int:
    """Return the score of the side to move if it is inside the window, else a bound of the score.

    The score is (cells + 1 - stones before the winning stone) // 2, negative for a loss.
    """
    columns, rows = cells.shape
    stone = 1 + (cells.size - left) % 2
    if left == 0:
        return 0
    for column in range(columns):
        if heights[column] < rows and completes_four(cells, column, heights[column], stone):
            return (left + 1) // 2
    best = -left
    for step in range(columns):  # from the centre outwards
        column = (columns - 1) // 2 + (step + 1) // 2 * (1 if step % 2 == 1 else -1)
        if heights[column] == rows:
            continue
        cells[column, heights[column]] = stone
        heights[column] += 1
        value = -negamax(cells, heights, left - 1, -beta, -max(alpha, best))
        heights[column] -= 1
        cells[column, heights[column]] = 0
        best = max(best, value)
        if best >= beta:
            break
    return best


@plain
def plain_scores(positions: Cells) -> npt.NDArray[np.int64]:
    """Return the scores of positions, `int8[n, columns, rows]`, in which nobody has won."""
    scores = np.zeros(len(positions), dtype=np.int64)
    heights = np.zeros(positions.shape[1], dtype=np.int64)
    for number in range(len(positions)):
        cells = positions[number]
        for column in range(len(heights)):
            heights[column] = np.count_nonzero(cells[column])
        left = cells.size - heights.sum()
        scores[number] = negamax(cells, heights, left, -64, 64)
    return scores


def descendants(cells: Cells, plies: int) -> Cells:
    """Return a position and all positions up to `plies` plies below it in which nobody has won."""
    found, latest = {cells.tobytes(): cells}, [cells]
    for _ in range(plies):
        successors = {}
        for before in latest:
            stone = 1 + int(np.count_nonzero(before)) % 2
            heights = np.count_nonzero(before, axis=1)
            for column, row in enumerate(heights):
                if row < before.shape[1] and not completes_four(before, column, row, stone):
                    after = before.copy()
                    after[column, row] = stone
                    successors[after.tobytes()] = after
        found |= successors
        latest = list(successors.values())
    return np.array(list(found.values()))


def scores_of_moves(cells: Cells) -> dict[int, int]:
    """Return the score of each column that is not full, for the side to move."""
    stones = int(np.count_nonzero(cells))
    stone, left = 1 + stones % 2, cells.size - stones
    scores = {}
    for column, row in enumerate(np.count_nonzero(cells, axis=1)):
        if row < cells.shape[1]:
            after = cells.copy()
            after[column, row] = stone
            wins = completes_four(cells, column, row, stone)
            scores[column] = (left + 1) // 2 if wins else -int(plain_scores(after[None])[0])
    return scores


def text_of(cells: Cells) -> str:
    """Return the text of one position: its rows from the top."""
    return "/".join("".join(".rb"[stone] for stone in row) for row in cells.T[::-1])
