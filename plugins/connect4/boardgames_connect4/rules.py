"""Rules of Connect Four as kernels on bitboards.

Sources: V. Allis, "A Knowledge-Based Approach of Connect-Four", 1988 (rules); J. Tromp,
"Fhourstones" (finding four in a line with two shifts per direction); P. Pons, "Solving
Connect 4: how to build a perfect AI", 2015 (finding the first empty cell of a column
by adding its lowest bit).

A position is `uint64[3]`: the bitboards of side 0 (red) and side 1 (blue), and a status
word: bit 0 is the side to move, bits 1 and 2 are the outcome plus one (0 ongoing, 1 red
has won, 2 blue has won, 3 draw). Only `apply` looks for four in a line; all other
kernels read the outcome from the status word.

An action is a column, counted from 0 on the left. The kernels that depend on the size of
the board are compiled for each size, with the size as a constant; see `sized_rules`.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from boardgames.kernels import (
    Actions,
    Apply,
    LegalMoves,
    MoveOrder,
    OutcomeOf,
    PositionKey,
    SideToMove,
    Words,
    kernel,
    mix,
    types,
)
from boardgames.kernels.abi import ACTIONS_OUT, WORDS, WORDS_OUT
from boardgames_connect4.board import Board

POSITION_WORDS = 3
STATUS = 2
OUTCOME_SHIFT = 1
DRAW = 2

ZERO, ONE, TWO, THREE = (np.uint64(number) for number in range(4))
OUTCOME_BITS = np.uint64(6)
ALL_BITS = ~ZERO


class SizedRules(NamedTuple):
    """The kernels compiled for one board size."""

    legal_moves: Callable[[Words, Actions], int]
    apply: Callable[[Words, int, Words], None]
    move_order: Callable[[Words, int], int]
    symmetric_key: Callable[[Words], np.uint64]


@kernel(types.boolean(types.uint64, types.int64, types.uint64))
def has_line(stones: np.uint64, height: int, starts: np.uint64) -> bool:
    """Return True if four of the stones are in a line.

    Parameters
    ----------
    stones : uint64
        Bitboard of one side.
    height : int64
        Bits per column: a step up is a shift by 1, a step to the right one by `height`.
    starts : uint64
        `Board.line_starts`.
    """
    up, right = ONE, np.uint64(height)
    pairs = stones & (stones >> up)
    if pairs & (pairs >> TWO) & starts != ZERO:
        return True
    pairs = stones & (stones >> right)
    if pairs & (pairs >> (right + right)) != ZERO:
        return True
    falling, rising = right - up, right + up
    pairs = stones & (stones >> falling)
    falling_starts = starts if starts == ALL_BITS else starts << THREE
    if pairs & (pairs >> (falling + falling)) & falling_starts != ZERO:
        return True
    pairs = stones & (stones >> rising)
    return pairs & (pairs >> (rising + rising)) & starts != ZERO


@kernel(types.boolean(types.uint64, types.int64))
def has_four(stones: np.uint64, height: int) -> bool:
    """Return True if four of the stones are in a line, on a board with guard bits."""
    return has_line(stones, height, ALL_BITS)


@kernel(SideToMove)
def side_to_move(position: Words) -> int:
    """Return the side to move, 0 red or 1 blue."""
    return np.int64(position[STATUS] & ONE)


@kernel(OutcomeOf)
def outcome(position: Words) -> int:
    """Return the side that has four in a line, 2 if the board is full, or -1 if the match is ongoing."""
    return np.int64((position[STATUS] & OUTCOME_BITS) >> ONE) - 1


@kernel(types.int64(WORDS, ACTIONS_OUT, types.int64, types.int64, types.int64))
def _legal_moves(position: Words, moves: Actions, columns: int, rows: int, height: int) -> int:
    """Write the columns whose top cell is empty, or nothing if the match is over."""
    if position[STATUS] & OUTCOME_BITS != ZERO:
        return 0
    tops = (position[0] | position[1]) >> np.uint64(rows - 1)
    count = 0
    for column in range(columns):
        if tops & ONE == ZERO:
            moves[count] = column
            count += 1
        tops >>= np.uint64(height)
    return count


@kernel(types.void(WORDS, types.int64, WORDS_OUT, types.int64, types.uint64, types.uint64))
def _apply(
    position: Words, action: int, successor: Words, height: int, full: np.uint64, starts: np.uint64
) -> None:
    """Drop a stone for the side to move and update the status word."""
    red, blue, status = position[0], position[1], position[STATUS]
    occupied = red | blue
    lowest = np.uint64(action * height)
    column = ((ONE << np.uint64(height)) - ONE) << lowest
    stone = (occupied + (ONE << lowest)) & ~occupied & column  # the sum carries into the first empty cell
    side = status & ONE
    if side == ZERO:
        red |= stone
        own = red
    else:
        blue |= stone
        own = blue
    status ^= ONE
    if has_line(own, height, starts):
        status |= (side + ONE) << ONE
    elif occupied | stone == full:
        status |= THREE << ONE
    successor[0] = red
    successor[1] = blue
    successor[STATUS] = status


@kernel(types.uint64(types.uint64, types.int64, types.int64))
def _mirror(stones: np.uint64, columns: int, height: int) -> np.uint64:
    """Return a bitboard reflected from left to right."""
    lowest = (ONE << np.uint64(height)) - ONE
    image = ZERO
    for _ in range(columns):
        image = (image << np.uint64(height)) | (stones & lowest)
        stones >>= np.uint64(height)
    return image


@kernel(types.uint64(WORDS, types.int64, types.int64))
def _symmetric_key(position: Words, columns: int, height: int) -> np.uint64:
    """Return the hash of the smaller of a position and its mirror image."""
    red, blue = position[0], position[1]
    red_image, blue_image = _mirror(red, columns, height), _mirror(blue, columns, height)
    if red_image < red or (red_image == red and blue_image < blue):
        red, blue = red_image, blue_image
    return mix(mix(mix(red + ONE) ^ blue) + ONE ^ position[STATUS])


@cache
def sized_rules(board: Board) -> SizedRules:
    """Return the kernels for one board size, compiled on first use.

    Examples
    --------
    >>> position, moves = np.zeros(POSITION_WORDS, dtype=np.uint64), np.zeros(7, dtype=np.int64)
    >>> sized_rules(Board(7, 6)).legal_moves(position, moves), moves.tolist()
    (7, [0, 1, 2, 3, 4, 5, 6])
    """
    columns, rows, height = board.columns, board.rows, board.height
    full, starts = board.full, board.line_starts

    @kernel(LegalMoves)
    def legal_moves(position: Words, moves: Actions) -> int:
        """Write the columns that are not full into `moves`, `int64[columns]`, in ascending order."""
        return _legal_moves(position, moves, columns, rows, height)

    @kernel(Apply)
    def apply(position: Words, action: int, successor: Words) -> None:
        """Write the position after dropping a stone into `successor`, `uint64[3]`."""
        _apply(position, action, successor, height, np.uint64(full), np.uint64(starts))

    @kernel(MoveOrder)
    def move_order(position: Words, action: int) -> int:
        """Rank columns by distance from the centre: 0 in the centre, negative towards the sides."""
        return -abs(2 * action - (columns - 1))

    @kernel(PositionKey)
    def symmetric_key(position: Words) -> np.uint64:
        """Return a hash that a position shares with its mirror image."""
        return _symmetric_key(position, columns, height)

    return SizedRules(legal_moves, apply, move_order, symmetric_key)
