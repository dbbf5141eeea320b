"""The cells of Connect Four as patterns: in n-tuples drawn at random, or in pairs of adjacent lines of four.

A cell has a stone of the side or of its opponent, is empty and playable at once, or is empty
and buried, that is, the cell below it is empty, too. Each side has its own tables, because the
first and the second player get different cells when columns fill up.

Source: M. Thill, P. Koch and W. Konen, "Reinforcement learning with n-tuples on the game
Connect-4", 2012.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from boardgames.game import Game
from boardgames.kernels import Actions, Cells, Phase, Words, kernel
from boardgames.patterns import PatternModel, PatternSet
from boardgames_connect4.board import CONNECT, Board
from boardgames_connect4.rules import ONE, ZERO

TRAINING = {
    "patterns": "lines",
    "tuples": 40,
    "alpha": 4.0,
    "alpha_decay": 0.893,
    "steps": 32,
    "matches": 40_000,
    "parts": 1,
}
"""Settings of the learner `ntuple` that suit the game."""

WEIGHTS = Path(__file__).parent / "data" / "ntuple.safetensors"

MODEL = PatternModel(slope=4.0, limit=1.0)
"""Sums of weights are returns between -1 and 1; a position worth 0.5 is expected to score 0.88 points."""

BURIED, OWN, OPPONENT, PLAYABLE = range(4)
"""Values of a cell; a buried cell is empty, and so is the cell below it."""


@kernel(Phase)
def by_side(position: Words, side: int) -> int:
    """Return the side that has just moved."""
    return side


@cache
def sized_cells(board: Board) -> Callable[[Words, int, Actions], None]:
    """Return the kernel for one board size, compiled on first use."""
    columns, rows = board.columns, board.rows
    bits = np.array([[board.bit(column, row) for row in range(rows)] for column in range(columns)])

    @kernel(Cells)
    def cells(position: Words, side: int, out: Actions) -> None:
        """Write the value of each cell, column by column from the left, from the bottom up."""
        own, opponent = position[side], position[1 - side]
        index = 0
        for column in range(columns):
            empty = PLAYABLE  # the lowest empty cell
            for row in range(rows):
                stone = ONE << np.uint64(bits[column, row])
                if own & stone != ZERO:
                    out[index] = OWN
                elif opponent & stone != ZERO:
                    out[index] = OPPONENT
                else:
                    out[index] = empty
                    empty = BURIED
                index += 1

    return cells


def cells(game: Game) -> PatternSet:
    """Return the pattern set `cells`, whose groups are random walks along neighbouring cells.

    Examples
    --------
    >>> import boardgames
    >>> patterns = cells(boardgames.load("connect4"))
    >>> values = np.zeros(patterns.cells, dtype=np.int64)
    >>> patterns.kernel(boardgames.load("connect4").parse("4453").words, 0, values)
    >>> values.reshape(7, 6)[3].tolist()  # the middle column: own stone, opponent's, playable, buried
    [1, 2, 3, 0, 0, 0]
    """
    board = _board_of(game)
    places = _places(board)
    index = {place: number for number, place in enumerate(places)}
    neighbours = tuple(
        tuple(
            index[column + right, row + up]
            for right in (-1, 0, 1)
            for up in (-1, 0, 1)
            if (right or up) and (column + right, row + up) in index
        )
        for column, row in places
    )
    reflection = tuple(index[board.columns - 1 - column, row] for column, row in places)
    return PatternSet(
        "cells",
        sized_cells(board),
        len(places),
        4,
        neighbours=neighbours,
        symmetries=(reflection,),
        phases=2,
        phase=by_side,
    )


def lines(game: Game) -> PatternSet:
    """Return the pattern set `lines`: `cells` with a group for every two adjacent lines of four.

    A line is paired with the one above or below it, or on its left or right if it is vertical. If the other
    line is partly off the board, the group has only its cells on the board.

    Examples
    --------
    >>> import boardgames
    >>> groups = lines(boardgames.load("connect4")).groups
    >>> len(groups), groups[0], max(map(len, groups))
    (35, (0, 1, 6, 7, 12, 13, 18, 19), 8)
    """
    board, known = _board_of(game), cells(game)
    (reflection,) = known.symmetries
    index = {place: number for number, place in enumerate(_places(board))}
    groups: dict[tuple[int, ...], None] = {}  # a dict, to keep the order; has one of two mirror images
    for line, is_vertical in _lines(board):
        for step in (-1, 1):
            right, up = (step, 0) if is_vertical else (0, step)
            beside = [(column + right, row + up) for column, row in line]
            group = sorted(index[place] for place in {*line, *beside} if place in index)
            mirrored = sorted(reflection[cell] for cell in group)
            if len(group) > CONNECT:
                groups[tuple(min(group, mirrored))] = None
    return replace(known, name="lines", groups=tuple(groups), model=MODEL)


def _board_of(game: Game) -> Board:
    return Board(int(game.options["columns"] or 0), int(game.options["rows"] or 0))


def _places(board: Board) -> list[tuple[int, int]]:
    """Return column and row of each cell, in the order of the kernel."""
    return [(column, row) for column in range(board.columns) for row in range(board.rows)]


def _lines(board: Board) -> Iterator[tuple[list[tuple[int, int]], bool]]:
    """Yield the lines of four on the board, and whether they are vertical."""
    on_board = set(_places(board))
    for column, row in _places(board):
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
            line = [(column + right * step, row + up * step) for step in range(CONNECT)]
            if on_board.issuperset(line):
                yield line, right == 0
