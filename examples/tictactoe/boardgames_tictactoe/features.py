"""Features of tic-tac-toe, for learners.

An open line is a line without marks of the opponent. The features of the side come first,
then those of the opponent. Learners value positions after their own moves, so two marks in
an open line of the opponent mean a loss, and two marks in one's own may mean a win.
"""

import numpy as np
from numba import types

from boardgames.declarations import Feature, FeatureSet
from boardgames.game import Game
from boardgames.kernels import Features, Reals, Words, kernel
from boardgames.kernels.abi import WORDS
from boardgames_tictactoe.game import EMPTY, LINES

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
