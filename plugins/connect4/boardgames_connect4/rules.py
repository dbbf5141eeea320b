"""Rules of Connect Four as kernels on bitboards.

Sources: V. Allis, "A Knowledge-Based Approach of Connect-Four", 1988, for the
rules; J. Tromp, "Fhourstones", for four in a line by two shifts a direction;
P. Pons, "Solving Connect 4: how to build a perfect AI", 2015, for adding the
lowest bit of a column to find its first empty cell.

A position is `uint64[3]`: the stones of side 0 (red), those of side 1 (blue),
and a word of facts: bit 0 the side to move, bits 1 and 2 the outcome plus one
(0 going on, 1 red has won, 2 blue has won, 3 drawn). `apply` tests for four in
a line once, so that every other kernel reads the end off the facts.

An action is the column, 0 from the left. The kernels that need the size are
made for each size, with the size as a constant: `sized_rules`.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import types

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
)
from boardgames.kernels.abi import ACTIONS_OUT, WORDS, WORDS_OUT
from boardgames_connect4.board import Board

POSITION_WORDS = 3
FACTS = 2
OUTCOME_SHIFT = 1
DRAW = 2

ZERO, ONE, TWO, THREE = (np.uint64(number) for number in range(4))
OUTCOME_BITS = np.uint64(6)


class SizedRules(NamedTuple):
    """The kernels that are made for one size of board."""

    legal_moves: Callable[[Words, Actions], int]
    apply: Callable[[Words, int, Words], None]
    move_order: Callable[[Words, int], int]
    symmetric_key: Callable[[Words], np.uint64]


@kernel(types.boolean(types.uint64, types.int64))
def has_four(stones: np.uint64, height: int) -> bool:
    """Say whether four of the stones stand in a line.

    Parameters
    ----------
    stones : uint64
        Stones of one side.
    height : int64
        Bits a column takes: one row up is 1, one column right `height`.
    """
    up, right = ONE, np.uint64(height)
    pairs = stones & (stones >> up)
    if pairs & (pairs >> TWO) != ZERO:
        return True
    pairs = stones & (stones >> right)
    if pairs & (pairs >> (right + right)) != ZERO:
        return True
    falling, rising = right - up, right + up
    pairs = stones & (stones >> falling)
    if pairs & (pairs >> (falling + falling)) != ZERO:
        return True
    pairs = stones & (stones >> rising)
    return pairs & (pairs >> (rising + rising)) != ZERO


@kernel(SideToMove)
def side_to_move(position: Words) -> int:
    """Return the side to move, 0 red or 1 blue."""
    return np.int64(position[FACTS] & ONE)


@kernel(OutcomeOf)
def outcome(position: Words) -> int:
    """Return the side that has four in a line, 2 on a full board, or -1."""
    return np.int64((position[FACTS] & OUTCOME_BITS) >> ONE) - 1


@kernel(types.int64(WORDS, ACTIONS_OUT, types.int64, types.int64))
def _legal_moves(position: Words, moves: Actions, columns: int, height: int) -> int:
    """Write the columns whose top cell is empty; none after the end."""
    if position[FACTS] & OUTCOME_BITS != ZERO:
        return 0
    tops = (position[0] | position[1]) >> np.uint64(height - 2)
    count = 0
    for column in range(columns):
        if tops & ONE == ZERO:
            moves[count] = column
            count += 1
        tops >>= np.uint64(height)
    return count


@kernel(types.void(WORDS, types.int64, WORDS_OUT, types.int64, types.uint64))
def _apply(position: Words, action: int, successor: Words, height: int, full: np.uint64) -> None:
    """Drop a stone of the side to move and note the end of the match."""
    red, blue, facts = position[0], position[1], position[FACTS]
    taken = red | blue
    lowest = np.uint64(action * height)
    column = ((ONE << np.uint64(height)) - ONE) << lowest
    stone = (taken + (ONE << lowest)) & ~taken & column  # the sum carries to the first empty cell
    side = facts & ONE
    if side == ZERO:
        red |= stone
        own = red
    else:
        blue |= stone
        own = blue
    facts ^= ONE
    if has_four(own, height):
        facts |= (side + ONE) << ONE
    elif taken | stone == full:
        facts |= THREE << ONE
    successor[0] = red
    successor[1] = blue
    successor[FACTS] = facts


@kernel(types.uint64(types.uint64, types.int64, types.int64))
def _mirrored(stones: np.uint64, columns: int, height: int) -> np.uint64:
    """Return the stones with the first column last."""
    lowest = (ONE << np.uint64(height)) - ONE
    image = ZERO
    for _ in range(columns):
        image = (image << np.uint64(height)) | (stones & lowest)
        stones >>= np.uint64(height)
    return image


@kernel(types.uint64(WORDS, types.int64, types.int64))
def _symmetric_key(position: Words, columns: int, height: int) -> np.uint64:
    """Return the key of whichever of a position and its mirror image is the smaller."""
    red, blue = position[0], position[1]
    red_image, blue_image = _mirrored(red, columns, height), _mirrored(blue, columns, height)
    if red_image < red or (red_image == red and blue_image < blue):
        red, blue = red_image, blue_image
    return mix(mix(mix(red + ONE) ^ blue) + ONE ^ position[FACTS])


@cache
def sized_rules(board: Board) -> SizedRules:
    """Return the kernels of one size, compiled at its first use.

    Examples
    --------
    >>> position, moves = np.zeros(POSITION_WORDS, dtype=np.uint64), np.zeros(7, dtype=np.int64)
    >>> sized_rules(Board(7, 6)).legal_moves(position, moves), moves.tolist()
    (7, [0, 1, 2, 3, 4, 5, 6])
    """
    columns, height, full = board.columns, board.height, board.full

    @kernel(LegalMoves)
    def legal_moves(position: Words, moves: Actions) -> int:
        """Write the columns that have room into `moves`, `int64[columns]`, ascending."""
        return _legal_moves(position, moves, columns, height)

    @kernel(Apply)
    def apply(position: Words, action: int, successor: Words) -> None:
        """Write the position after a stone in a column into `successor`, `uint64[3]`."""
        _apply(position, action, successor, height, np.uint64(full))

    @kernel(MoveOrder)
    def move_order(position: Words, action: int) -> int:
        """Prefer columns near the centre: 0 there, negative further out."""
        return -abs(2 * action - (columns - 1))

    @kernel(PositionKey)
    def symmetric_key(position: Words) -> np.uint64:
        """Return the key of a position and of its mirror image."""
        return _symmetric_key(position, columns, height)

    return SizedRules(legal_moves, apply, move_order, symmetric_key)
