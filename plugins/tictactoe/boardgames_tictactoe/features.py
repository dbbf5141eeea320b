"""Features and patterns of tic-tac-toe, for learners.

An open line of a side is a line without marks of the other side. The features of the side come first,
then those of the opponent. Learners value positions after their own moves, so an open line of the opponent
with two marks means a loss, and an open line of the side with two marks may mean a win.
"""

import numpy as np

from boardgames.declarations import Feature, FeatureSet
from boardgames.game import Game
from boardgames.kernels import Actions, Cells, Features, Reals, Words, kernel, types
from boardgames.kernels.abi import WORDS
from boardgames.patterns import PatternSet
from boardgames_tictactoe.rules import CELLS, EMPTY, LINES, SYMMETRIES

CENTRE = 4
CORNERS = (0, 2, 6, 8)
TERMS = 4


@kernel(types.int64(WORDS, types.uint64, types.int64))
def open_lines(position: Words, mark: np.uint64, wanted: int) -> int:
    """Return the number of open lines with exactly `wanted` marks of one side."""
    count = 0
    for line in range(len(LINES)):
        own, empty = 0, 0
        for place in range(3):
            content = position[LINES[line, place]]
            own += 1 if content == mark else 0
            empty += 1 if content == EMPTY else 0
        if own == wanted and empty == 3 - wanted:
            count += 1
    return count


@kernel(Features)
def line_features(position: Words, side: int, out: Reals) -> None:
    """Write the four features of `side`, then those of the opponent, into `out`, `float64[8]`."""
    for index in range(2):
        mark = np.uint64(side + 1 if index == 0 else 2 - side)
        corners = 0
        for cell in CORNERS:
            corners += 1 if position[cell] == mark else 0
        out[TERMS * index] = open_lines(position, mark, 2)
        out[TERMS * index + 1] = open_lines(position, mark, 1)
        out[TERMS * index + 2] = 1.0 if position[CENTRE] == mark else 0.0
        out[TERMS * index + 3] = corners


def lines(game: Game) -> FeatureSet:
    """Return the feature set `lines`, which has eight features.

    Examples
    --------
    >>> from boardgames_tictactoe.game import TicTacToe
    >>> [feature.name for feature in lines(TicTacToe()).features][:4]
    ['own twos', 'own ones', 'own centre', 'own corners']
    """
    terms = (
        Feature("twos", "lines", 0.0, 3.0, "open lines with two marks"),
        Feature("ones", "lines", 0.0, 5.0, "open lines with one mark"),
        Feature("centre", "marks", 0.0, 1.0, "1 if the side has the centre"),
        Feature("corners", "marks", 0.0, 4.0, "corners that the side has"),
    )
    named = tuple(
        Feature(f"{whose} {term.name}", term.unit, term.low, term.high, term.summary)
        for whose in ("own", "opponent's")
        for term in terms
    )
    return FeatureSet("lines", line_features, named)


@kernel(Cells)
def cell_values(position: Words, side: int, out: Actions) -> None:
    """Write 0 for each empty cell, 1 for a mark of `side` and 2 for a mark of the opponent, `int64[9]`."""
    own = np.uint64(side + 1)
    for cell in range(CELLS):
        if position[cell] == EMPTY:
            out[cell] = 0
        else:
            out[cell] = 1 if position[cell] == own else 2


def cells(game: Game) -> PatternSet:
    """Return the pattern set `cells`, from which learners draw random groups of cells.

    Examples
    --------
    >>> from boardgames_tictactoe.game import TicTacToe
    >>> patterns = cells(TicTacToe())
    >>> patterns.values, len(patterns.symmetries)
    (3, 7)
    """
    images = [tuple(map(int, image)) for image in SYMMETRIES]
    identity = tuple(range(CELLS))
    return PatternSet(
        "cells", cell_values, CELLS, 3, symmetries=tuple(image for image in images if image != identity)
    )
