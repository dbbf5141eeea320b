"""Features of tic-tac-toe: what learners put weights on.

An open line holds no stone of the other side. All numbers are read for one
side and then for the other; a learner looks at positions after its own move,
so the other side's two in an open line is a loss and its own may be a win.
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
def open_lines(position: Words, stone: np.uint64, wanted: int) -> int:
    """Return how many open lines hold exactly so many stones, `wanted`, of a kind."""
    count = 0
    for line in range(len(LINES)):
        own, free = 0, 0
        for place in range(3):
            found = position[LINES[line, place]]
            own += 1 if found == stone else 0
            free += 1 if found == EMPTY else 0
        if own == wanted and free == 3 - wanted:
            count += 1
    return count


@kernel(Features)
def line_features(position: Words, side: int, out: Reals) -> None:
    """Write four numbers of `side` into `out`, `float64[8]`, then four of the other side."""
    for index in range(2):
        stone = np.uint64(side + 1 if index == 0 else 2 - side)
        corners = 0
        for cell in CORNERS:
            corners += 1 if position[cell] == stone else 0
        out[TERMS * index] = open_lines(position, stone, 2)
        out[TERMS * index + 1] = open_lines(position, stone, 1)
        out[TERMS * index + 2] = 1.0 if position[CENTRE] == stone else 0.0
        out[TERMS * index + 3] = corners


def lines(game: Game) -> FeatureSet:
    """Return the feature set `lines`: eight numbers.

    Examples
    --------
    >>> from boardgames_tictactoe.game import TicTacToe
    >>> [feature.name for feature in lines(TicTacToe()).features][:4]
    ['own twos', 'own ones', 'own centre', 'own corners']
    """
    terms = (
        Feature("twos", "lines", 0.0, 3.0, "open lines with two stones"),
        Feature("ones", "lines", 0.0, 5.0, "open lines with one stone"),
        Feature("centre", "stones", 0.0, 1.0, "1 if the side has the middle cell"),
        Feature("corners", "stones", 0.0, 4.0, "corners that the side has"),
    )
    named = tuple(
        Feature(f"{whose} {term.name}", term.unit, term.low, term.high, term.summary)
        for whose in ("own", "other's")
        for term in terms
    )
    return FeatureSet("lines", line_features, named)
