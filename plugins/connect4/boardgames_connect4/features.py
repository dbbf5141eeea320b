"""Features of Connect Four positions as kernels: open lines, centre, threats.

An open line is a line of four cells without stones of the opponent. A threat is an empty
cell that would complete four in a line. Rows are counted from 1 at the bottom. If both sides
fill up the columns, red, which moves first, gets the cells in odd rows and blue those in
even rows.

Source: V. Allis, "A Knowledge-Based Approach of Connect-Four", 1988, chapter 3.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from boardgames.declarations import Feature, FeatureSet
from boardgames.game import Game
from boardgames.kernels import Features, Reals, Words, kernel, popcount, types
from boardgames_connect4.board import Board
from boardgames_connect4.rules import ALL_BITS, ONE, STATUS, ZERO

PAIR = types.UniTuple(types.int64, 2)
TERMS = 5


@kernel(types.uint64(types.int64, types.int64))
def step(direction: int, height: int) -> np.uint64:
    """Return the number of bits from a cell to the next: direction 0 is up, 1 right, 2 falling, 3 rising."""
    if direction == 0:
        return ONE
    if direction == 1:
        return np.uint64(height)
    return np.uint64(height - 1) if direction == 2 else np.uint64(height + 1)


@kernel(types.uint64(types.int64, types.int64, types.uint64), inline=True)
def places(direction: int, index: int, starts: np.uint64) -> np.uint64:
    """Return the cells that can be at place `index` of a line, counted from 0 at its lowest bit.

    `starts` is `Board.line_starts`. With guard bits, these are all cells.
    """
    if starts == ALL_BITS or direction == 1:
        return ALL_BITS
    return starts << np.uint64(3 - index if direction == 2 else index)


@kernel(PAIR(types.uint64, types.uint64, types.int64, types.uint64), inline=True)
def open_lines(own: np.uint64, empty: np.uint64, height: int, starts: np.uint64) -> tuple[int, int]:
    """Return the number of open lines with exactly two own stones, and with exactly three.

    The stones of all lines in one direction are added up at once with bitwise adders. A line
    is represented by its lowest bit. `starts` is `Board.line_starts`.
    """
    twos, threes = 0, 0
    usable = own | empty
    for direction in range(4):
        one = step(direction, height)
        two, three = one + one, one + one + one
        lines = usable & (usable >> one) & (usable >> two) & (usable >> three)
        lines &= places(direction, 0, starts)
        first, second = own ^ (own >> one), (own >> two) ^ (own >> three)
        pairs = (own & (own >> one)) ^ ((own >> two) & (own >> three)) ^ (first & second)
        odd = first ^ second
        twos += popcount(lines & pairs & ~odd)
        threes += popcount(lines & pairs & odd)
    return twos, threes


@kernel(types.uint64(types.uint64, types.uint64, types.int64, types.uint64), inline=True)
def winning_cells(own: np.uint64, empty: np.uint64, height: int, starts: np.uint64) -> np.uint64:
    """Return the empty cells that would complete four in a line; `starts` is `Board.line_starts`."""
    cells = ZERO
    for direction in range(4):
        one = step(direction, height)
        two, three = one + one, one + one + one
        cells |= (own >> one) & (own >> two) & (own >> three) & places(direction, 0, starts)
        cells |= (own << one) & (own >> one) & (own >> two) & places(direction, 1, starts)
        cells |= (own << two) & (own << one) & (own >> one) & places(direction, 2, starts)
        cells |= (own << three) & (own << two) & (own << one) & places(direction, 3, starts)
    return cells & empty


@kernel(types.uint64(types.uint64, types.uint64, types.int64), inline=True)
def threats(own: np.uint64, empty: np.uint64, height: int) -> np.uint64:
    """Return the empty cells that would complete four in a line, on a board with guard bits."""
    return winning_cells(own, empty, height, ALL_BITS)


@cache
def sized_features(board: Board) -> Callable[[Words, int, Reals], None]:
    """Return the feature kernel for one board size, compiled on first use."""
    height, full, line_starts = board.height, board.full, board.line_starts
    centre, odd_rows = board.centre, board.odd_rows

    @kernel(Features)
    def features(position: Words, side: int, out: Reals) -> None:
        """Write five terms of `side`, five of the opponent, and whether `side` is to move, `float64[11]`."""
        empty = np.uint64(full) & ~(position[0] | position[1])
        starts = np.uint64(line_starts)
        for index in range(2):
            own = position[side if index == 0 else 1 - side]
            twos, threes = open_lines(own, empty, height, starts)
            cells = winning_cells(own, empty, height, starts)
            out[TERMS * index] = twos
            out[TERMS * index + 1] = threes
            out[TERMS * index + 2] = popcount(own & np.uint64(centre))
            out[TERMS * index + 3] = popcount(cells & np.uint64(odd_rows))
            out[TERMS * index + 4] = popcount(cells & ~np.uint64(odd_rows))
        out[2 * TERMS] = 1.0 if np.int64(position[STATUS] & ONE) == side else 0.0

    return features


def lines(game: Game) -> FeatureSet:
    """Return the feature set `lines`, which has eleven features.

    Examples
    --------
    >>> import boardgames
    >>> [feature.name for feature in lines(boardgames.load("connect4")).features][:3]
    ['own twos', 'own threes', 'own centre']
    """
    board = Board(int(game.options["columns"] or 0), int(game.options["rows"] or 0))
    cells, count = float(board.columns * board.rows), float(board.lines())
    terms = (
        Feature("twos", "lines", 0.0, count, "open lines with two stones"),
        Feature("threes", "lines", 0.0, count, "open lines with three stones"),
        Feature("centre", "stones", 0.0, cells, "stones in the middle column or columns"),
        Feature("odd threats", "cells", 0.0, cells, "threats in rows 1, 3, 5, ..."),
        Feature("even threats", "cells", 0.0, cells, "threats in rows 2, 4, 6, ..."),
    )
    named = tuple(
        Feature(f"{whose} {term.name}", term.unit, term.low, term.high, term.summary)
        for whose in ("own", "opponent's")
        for term in terms
    )
    to_move = Feature("to move", "", 0.0, 1.0, "1 if this side is to move")
    return FeatureSet("lines", sized_features(board), (*named, to_move))
