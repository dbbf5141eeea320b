"""Rules of Abalone as kernels on bitboards.

Source: the rules leaflet of Abalone (L. Levi and M. Lalet, 1987).

A position is `uint64[5]`: the marbles of side 0 (black) in two words, those of
side 1 (white) in two words, and a word of facts: bit 0 the side to move, bits
8 to 15 the marbles that black has lost, bits 16 to 23 those of white.

An action is 366 (type - 1) + 61 direction + cell, 0 to 1097:

- type 1, in line: `cell` is the tail marble; how many marbles go along, and
  what they push, follows from the position;
- types 2 and 3, broadside, with that many marbles: `cell` is the leftmost
  marble as one faces the direction. The group runs on to the right-forward
  neighbour (direction + 1) if an own marble lies there, else to the
  right-backward one (direction + 2). That is unambiguous: the second group can
  move only if the cell ahead of its second marble, which is the right-forward
  neighbour, is empty.

`ahead(x, d)` below is the set of cells whose neighbour in direction d is in x.
"""

import numpy as np
from numba import types

from boardgames.kernels import (
    FORCING,
    TACTICAL,
    Actions,
    Apply,
    LegalMoves,
    MoveOrder,
    OutcomeOf,
    PassTurn,
    SideToMove,
    Words,
    bit,
    has_bit,
    kernel,
    lowest_bit,
)
from boardgames.kernels.abi import ACTIONS_OUT, WORDS_OUT
from boardgames_abalone.board import (
    BIT_OF_CELL,
    BIT_STEPS,
    BOARD_HIGH,
    BOARD_LOW,
    BORDER_HIGH,
    BORDER_LOW,
    CELL_OF_BIT,
    CELLS,
    MARBLES_TO_WIN,
)

WORDS = 5
FACTS = 4
ACTIONS = 3 * 6 * CELLS
TYPE_STRIDE = 6 * CELLS
LOST_SHIFTS = (8, 16)

PUSH_OFF, PUSH_TO_EDGE, PUSH = 1000, 500, TACTICAL
"""Ranks in the order of moves."""

ONE = np.uint64(1)
ZERO = np.uint64(0)
BYTE = np.uint64(0xFF)
U9, U10, U64 = np.uint64(9), np.uint64(10), np.uint64(64)

PAIR = types.UniTuple(types.uint64, 2)


@kernel(PAIR(types.uint64, types.uint64, types.uint64))
def _down(low: np.uint64, high: np.uint64, shift: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Shift the board, low word first, towards bit 0."""
    return (low >> shift) | (high << (U64 - shift)), high >> shift


@kernel(PAIR(types.uint64, types.uint64, types.uint64))
def _up(low: np.uint64, high: np.uint64, shift: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Shift the board, low word first, away from bit 0."""
    return low << shift, (high << shift) | (low >> (U64 - shift))


@kernel(PAIR(types.uint64, types.uint64, types.int64))
def ahead(low: np.uint64, high: np.uint64, direction: int) -> tuple[np.uint64, np.uint64]:
    """Return the cells, guards included, whose neighbour in `direction` is in the set.

    Constant shifts: a third faster than shifting by a table's entry.
    """
    if direction == 0:
        return _up(low, high, ONE)
    if direction == 1:
        return _up(low, high, U10)
    if direction == 2:
        return _up(low, high, U9)
    if direction == 3:
        return _down(low, high, ONE)
    if direction == 4:
        return _down(low, high, U10)
    return _down(low, high, U9)


@kernel(SideToMove)
def side_to_move(position: Words) -> int:
    """Return the side to move, 0 black or 1 white."""
    return np.int64(position[FACTS] & ONE)


@kernel(OutcomeOf)
def outcome(position: Words) -> int:
    """Return the side that has pushed off six marbles, or -1."""
    facts = position[FACTS]
    if (facts >> np.uint64(LOST_SHIFTS[0])) & BYTE >= np.uint64(MARBLES_TO_WIN):
        return 1
    if (facts >> np.uint64(LOST_SHIFTS[1])) & BYTE >= np.uint64(MARBLES_TO_WIN):
        return 0
    return -1


@kernel(types.int64(types.uint64, types.uint64, types.int64, ACTIONS_OUT, types.int64))
def _write(low: np.uint64, high: np.uint64, base: int, moves: Actions, count: int) -> int:
    """Append the action `base` + cell for each cell of a set; return the new count."""
    while low != ZERO:
        moves[count] = base + CELL_OF_BIT[lowest_bit(low)]
        count += 1
        low &= low - ONE
    while high != ZERO:
        moves[count] = base + CELL_OF_BIT[np.int64(64) + lowest_bit(high)]
        count += 1
        high &= high - ONE
    return count


@kernel(LegalMoves)
def legal_moves_in_line(position: Words, moves: Actions) -> int:
    """Write the in-line moves only: the whole of the simplified game.

    Parameters
    ----------
    position : uint64[5]
        Packed position; `Game` has checked it, this kernel trusts it.
    moves : int64[1098]
        Filled from the left; the tail keeps its old content.

    Returns
    -------
    int64
        Number of actions written, 0 to 366.
    """
    if outcome(position) >= 0:
        return 0
    side = np.int64(position[FACTS] & ONE)
    own_low, own_high = position[2 * side], position[2 * side + 1]
    other_low, other_high = position[2 - 2 * side], position[3 - 2 * side]
    vacant_low, vacant_high = ~(own_low | other_low), ~(own_high | other_high)  # with guards
    empty_low, empty_high = vacant_low & BOARD_LOW, vacant_high & BOARD_HIGH
    count = 0
    for direction in range(6):
        # marbles of the other side that one push moves, alone and with one behind them
        low, high = ahead(vacant_low, vacant_high, direction)
        one_low, one_high = other_low & low, other_high & high
        low, high = ahead(one_low, one_high, direction)
        two_low, two_high = other_low & low, other_high & high
        # fronts of one, two and three own marbles, then from the front back to the tail
        target_low, target_high = empty_low | one_low, empty_high | one_high
        low, high = ahead(target_low | two_low, target_high | two_high, direction)
        three_low, three_high = own_low & low, own_high & high
        low, high = ahead(three_low, three_high, direction)
        three_low, three_high = own_low & low, own_high & high
        low, high = ahead(target_low, target_high, direction)
        three_low, three_high = three_low | (own_low & low), three_high | (own_high & high)
        low, high = ahead(three_low, three_high, direction)
        two_low, two_high = low, high
        low, high = ahead(empty_low, empty_high, direction)
        tail_low, tail_high = own_low & (low | two_low), own_high & (high | two_high)
        count = _write(tail_low, tail_high, direction * CELLS, moves, count)
    return count


@kernel(LegalMoves)
def legal_moves(position: Words, moves: Actions) -> int:
    """Write the legal moves, in-line and broadside.

    Parameters
    ----------
    position : uint64[5]
        Packed position; `Game` has checked it, this kernel trusts it.
    moves : int64[1098]
        Filled from the left; the tail keeps its old content.

    Returns
    -------
    int64
        Number of actions written, 0 to 1098.
    """
    count = legal_moves_in_line(position, moves)
    if count == 0 and outcome(position) >= 0:
        return 0
    side = np.int64(position[FACTS] & ONE)
    own_low, own_high = position[2 * side], position[2 * side + 1]
    empty_low = ~(position[0] | position[2]) & BOARD_LOW
    empty_high = ~(position[1] | position[3]) & BOARD_HIGH
    for direction in range(6):
        low, high = ahead(empty_low, empty_high, direction)
        free_low, free_high = own_low & low, own_high & high
        right_low, right_high = ahead(free_low, free_high, (direction + 1) % 6)
        back_low, back_high = ahead(free_low, free_high, (direction + 2) % 6)
        low, high = free_low & (right_low | back_low), free_high & (right_high | back_high)
        count = _write(low, high, TYPE_STRIDE + direction * CELLS, moves, count)
    for direction in range(6):
        low, high = ahead(empty_low, empty_high, direction)
        free_low, free_high = own_low & low, own_high & high
        low, high = ahead(free_low, free_high, (direction + 1) % 6)
        right_low, right_high = ahead(free_low & low, free_high & high, (direction + 1) % 6)
        low, high = ahead(free_low, free_high, (direction + 2) % 6)
        back_low, back_high = ahead(free_low & low, free_high & high, (direction + 2) % 6)
        low, high = free_low & (right_low | back_low), free_high & (right_high | back_high)
        count = _write(low, high, 2 * TYPE_STRIDE + direction * CELLS, moves, count)
    return count


@kernel(types.void(WORDS_OUT, types.int64, types.int64, types.int64))
def _push(successor: Words, side: int, tail: int, step: int) -> None:
    """Move the column from `tail` on one step: tail to its front, pushed marbles to theirs."""
    own, other = 2 * side, 2 - 2 * side
    successor[own + (tail >> 6)] ^= bit(tail & 63)
    place = tail + step
    while has_bit(successor[own + (place >> 6)], place & 63):
        place += step
    successor[own + (place >> 6)] |= bit(place & 63)
    if not has_bit(successor[other + (place >> 6)], place & 63):
        return
    successor[other + (place >> 6)] ^= bit(place & 63)
    place += step
    while has_bit(successor[other + (place >> 6)], place & 63):
        place += step
    if CELL_OF_BIT[place] < 0:
        successor[FACTS] += ONE << np.uint64(LOST_SHIFTS[1 - side])
    else:
        successor[other + (place >> 6)] |= bit(place & 63)


@kernel(types.void(WORDS_OUT, types.int64, types.int64, types.int64, types.int64))
def _side_step(successor: Words, side: int, place: int, direction: int, length: int) -> None:
    """Move `length` marbles from `place` on, to the right-forward or right-backward."""
    own = 2 * side
    along = BIT_STEPS[(direction + 1) % 6]
    second = place + along
    if not has_bit(successor[own + (second >> 6)], second & 63):
        along = BIT_STEPS[(direction + 2) % 6]
    for _ in range(length):
        target = place + BIT_STEPS[direction]
        successor[own + (place >> 6)] ^= bit(place & 63)
        successor[own + (target >> 6)] |= bit(target & 63)
        place += along


@kernel(Apply)
def apply(position: Words, action: int, successor: Words) -> None:
    """Write the position after a legal action into `successor`, `uint64[5]`."""
    for index in range(WORDS):
        successor[index] = position[index]
    side = np.int64(position[FACTS] & ONE)
    kind = action // TYPE_STRIDE
    direction = (action % TYPE_STRIDE) // CELLS
    place = BIT_OF_CELL[action % CELLS]
    if kind == 0:
        _push(successor, side, place, BIT_STEPS[direction])
    else:
        _side_step(successor, side, place, direction, kind + 1)
    successor[FACTS] ^= ONE


@kernel(LegalMoves)
def tactical_moves(position: Words, moves: Actions) -> int:
    """Write the moves that push a marble off the board, or from within it to the edge.

    Parameters
    ----------
    position : uint64[5]
        Packed position; `Game` has checked it, this kernel trusts it.
    moves : int64[1098]
        Filled from the left, in ascending order; the tail keeps its old content.

    Returns
    -------
    int64
        Number of actions written.
    """
    if outcome(position) >= 0:
        return 0
    side = np.int64(position[FACTS] & ONE)
    own_low, own_high = position[2 * side], position[2 * side + 1]
    other_low, other_high = position[2 - 2 * side], position[3 - 2 * side]
    free_low, free_high = BORDER_LOW & ~(own_low | other_low), BORDER_HIGH & ~(own_high | other_high)
    inner_low, inner_high = other_low & ~BORDER_LOW, other_high & ~BORDER_HIGH
    count = 0
    for direction in range(6):
        on_low, on_high = ahead(BOARD_LOW, BOARD_HIGH, direction)
        low, high = ahead(free_low, free_high, direction)
        # the front marble of those that are pushed, and the one behind it
        last_low = (other_low & ~on_low) | (inner_low & low)
        last_high = (other_high & ~on_high) | (inner_high & high)
        low, high = ahead(last_low, last_high, direction)
        one_low, one_high = own_low & low, own_high & high
        first_low, first_high = other_low & low, other_high & high
        low, high = ahead(one_low, one_high, direction)
        pair_low, pair_high = own_low & low, own_high & high
        low, high = ahead(pair_low, pair_high, direction)
        tail_low, tail_high = pair_low | (own_low & low), pair_high | (own_high & high)
        low, high = ahead(first_low, first_high, direction)
        low, high = ahead(own_low & low, own_high & high, direction)
        low, high = ahead(own_low & low, own_high & high, direction)
        tail_low, tail_high = tail_low | (own_low & low), tail_high | (own_high & high)
        count = _write(tail_low, tail_high, direction * CELLS, moves, count)
    return count


@kernel(PassTurn)
def pass_turn(position: Words, successor: Words) -> None:
    """Write the position with the other side to move into `successor`, `uint64[5]`."""
    for index in range(WORDS):
        successor[index] = position[index]
    successor[FACTS] ^= ONE


@kernel(types.boolean(types.int64))
def _is_on_border(place: int) -> bool:
    """Say whether a bit of the board is one of a border cell."""
    return has_bit(BORDER_LOW, place) if place < 64 else has_bit(BORDER_HIGH, place - 64)


@kernel(MoveOrder)
def move_order(position: Words, action: int) -> int:
    """Rank a move: 1000 if it pushes off the board, 500 to the edge, 100 another push, else marbles moved.

    Where the other side has lost all but one of the marbles that it may lose,
    to push to the edge is forcing, and to push off comes before that: it wins.
    """
    kind = action // TYPE_STRIDE
    if kind > 0:
        return kind + 1
    side = np.int64(position[FACTS] & ONE)
    own, other = 2 * side, 2 - 2 * side
    step = BIT_STEPS[action // CELLS]
    place = BIT_OF_CELL[action % CELLS] + step
    length = 1
    while has_bit(position[own + (place >> 6)], place & 63):
        place += step
        length += 1
    if not has_bit(position[other + (place >> 6)], place & 63):
        return length
    while has_bit(position[other + (place >> 6)], place & 63):
        place += step
    lost = (position[FACTS] >> np.uint64(LOST_SHIFTS[1 - side])) & BYTE
    is_last = lost == np.uint64(MARBLES_TO_WIN - 1)
    if CELL_OF_BIT[place] < 0:
        return FORCING + 1 if is_last else PUSH_OFF
    if not _is_on_border(place) or _is_on_border(place - step):
        return PUSH
    return FORCING if is_last else PUSH_TO_EDGE
