"""Chains and loops: the moves of a state without captures, and the values of simple endgames.

A *chain* is a row of cells of degree 2, of any length from 1. Each of its two ends leads to the
ground or to a *joint*, a cell of degree 3 or more. A *loop* is a ring of cells of degree 2. Every
loop is isolated, and so is a chain whose ends both lead to the ground. Cutting a string of a
chain or loop opens it: the opponent can take all its cells.

Equivalent moves form a class, and the search tries one move of each:

- Safe moves cut a string whose one or two cells are joints. All strings from a cell to the ground
  are one class.
- All strings of a chain of three or more are one class, since the side that takes the chain has the
  same choice in the end. A chain of two is cut in the middle: this lets the opponent take two cells,
  while a cut at an end would also allow a hand-out. In a chain of one cell, both strings are equivalent.
- All strings of a loop are one class. A loop of three can only be taken whole.

Of the isolated chains and loops only the shortest of each group needs to be opened (handouts.py).
A state is *simple* if nothing else is left. Its value is computed from the lengths by dynamic
programming.
"""

import numpy as np

from boardgames.kernels import Actions, Words, kernel, lowest_bit, mix, popcount, row_out, types
from boardgames.kernels.abi import ACTIONS_OUT, ACTIONS_STACK, WORDS_OUT, WORDS_STACK
from boardgames_hexifence.handouts import CHAIN, GROUPS, LOOP, SHORT, group_of, insert, value_of_isolated
from boardgames_hexifence.solver.strings import (
    DIRECTIONS,
    MAX_CELLS,
    NOWHERE,
    ONE,
    ZERO,
    Cells,
    opposite,
    string_of,
    tied_to,
)

MOST_IN_GROUP = MAX_CELLS + 1
NO_MOVE = 0
LENGTH_SHIFT = 16
MOVE_MASK = (1 << LENGTH_SHIFT) - 1
"""The bits of a move in an entry of the list of moves; higher bits hold the number of cells given away."""


@kernel(types.int64(types.uint64, types.int64), inline=True)
def move_of(cell: Cells, direction: int) -> int:
    """Return the number of the move that cuts a string, at least 1."""
    return DIRECTIONS * int(lowest_bit(cell)) + direction + 1


@kernel(
    types.UniTuple(types.uint64, 2)(WORDS_OUT, WORDS_STACK, types.uint64, types.uint64, types.int64),
    inline=True,
)
def follow(
    strings: Words, neighbours: Words, middles: Cells, start: Cells, direction: int
) -> tuple[Cells, Cells]:
    """Follow a chain from one of its cells in one direction.

    Returns
    -------
    passed : uint64
        The cells after `start`.
    end : uint64
        The joint that was reached, `ZERO` for the ground, or `start` in a loop.
    """
    passed = ZERO
    cell = start
    while True:
        cell = tied_to(strings, neighbours, cell, direction)
        if cell & middles == ZERO or cell == start:
            return passed, cell
        passed |= cell
        direction = string_of(strings, cell, opposite(direction))


@kernel(types.int64(WORDS_OUT, WORDS_STACK, WORDS_OUT, types.uint64, ACTIONS_OUT))
def safe_moves(strings: Words, neighbours: Words, grounded: Words, joints: Cells, moves: Actions) -> int:
    """Write one move of each class of safe moves, and return their number."""
    count = 0
    for direction in range(DIRECTIONS // 2):
        left = strings[direction] & joints & ~grounded[direction]
        while left != ZERO:
            cell = left & (ZERO - left)
            left ^= cell
            if neighbours[direction, lowest_bit(cell)] & joints != ZERO:
                moves[count] = move_of(cell, direction)
                count += 1
    seen = ZERO
    for direction in range(DIRECTIONS):
        left = strings[direction] & grounded[direction] & joints & ~seen
        seen |= left
        while left != ZERO:
            moves[count] = move_of(left, direction)
            count += 1
            left &= left - ONE
    return count


@kernel(
    types.Tuple((types.uint64, types.boolean, types.boolean, types.int64))(
        WORDS_OUT, WORDS_STACK, types.uint64, types.uint64
    )
)
def member_of(
    strings: Words, neighbours: Words, middles: Cells, cell: Cells
) -> tuple[Cells, bool, bool, int]:
    """Return the chain or loop of a cell of degree 2.

    Returns
    -------
    cells : uint64
        Its cells.
    is_isolated : bool
        Whether it touches no joint.
    is_loop : bool
        Whether it is a loop.
    move : int64
        The move that opens it; in a chain of two, the move in the middle.
    """
    first = string_of(strings, cell, NOWHERE)
    second = string_of(strings, cell, first)
    passed, end = follow(strings, neighbours, middles, cell, first)
    if end == cell:
        return passed | cell, True, True, move_of(cell, first)
    passed_back, end_back = follow(strings, neighbours, middles, cell, second)
    move = move_of(cell, first if passed != ZERO else second)
    return passed | passed_back | cell, end == ZERO and end_back == ZERO, False, move


@kernel(
    types.Tuple((types.int64, types.uint64, types.uint64))(
        WORDS_OUT, WORDS_STACK, WORDS_OUT, types.uint64, types.uint64, ACTIONS_OUT, ACTIONS_OUT
    )
)
def find_moves(
    strings: Words,
    neighbours: Words,
    grounded: Words,
    middles: Cells,
    joints: Cells,
    moves: Actions,
    shortest: Actions,
) -> tuple[int, Cells, np.uint64]:
    """Write one move of each class: safe moves first, then the others by the number of cells given away.

    Parameters
    ----------
    strings : uint64[6]
        A state without captures.
    neighbours, grounded : uint64[6, 64], uint64[6]
        Its `Frame`.
    middles, joints : uint64
        The cells of degree 2, and of higher degrees.
    moves : int64[:]
        Entries are written: the number of cells that a move gives away, shifted by `LENGTH_SHIFT`, plus the
        move.
    shortest : int64[3]
        Scratch memory.

    Returns
    -------
    count : int64
        Number of moves.
    isolated : uint64
        The cells of isolated chains and loops.
    lengths : uint64
        A hash of their kinds and lengths.
    """
    count = safe_moves(strings, neighbours, grounded, joints, moves)
    isolated, lengths = ZERO, ZERO
    for group in range(GROUPS):
        shortest[group] = NO_MOVE
    left = middles
    while left != ZERO:
        cells, is_isolated, is_loop, move = member_of(strings, neighbours, middles, left & (ZERO - left))
        left &= ~cells
        length = popcount(cells)
        entry = length << LENGTH_SHIFT | move
        if is_isolated:
            isolated |= cells
            lengths += mix(np.uint64(2 * length + is_loop))
            group = group_of(length, is_loop)
            if shortest[group] == NO_MOVE or entry < shortest[group]:
                shortest[group] = entry
        else:
            count = insert(moves, count, entry)
    for group in range(GROUPS):
        if shortest[group] != NO_MOVE:
            count = insert(moves, count, shortest[group])
    return count, isolated, lengths


@kernel(types.int64(WORDS_OUT, WORDS_STACK, types.uint64, ACTIONS_STACK, ACTIONS_OUT))
def simple_value(strings: Words, neighbours: Words, middles: Cells, lengths: Actions, values: Actions) -> int:
    """Return the value of a state in which only isolated chains and loops are left.

    Parameters
    ----------
    strings : uint64[6]
        The state.
    neighbours : uint64[6, 64]
        The neighbours of the cells of its frame.
    middles : uint64
        The cells of the state, which all have degree 2.
    lengths : int64[3, MOST_IN_GROUP]
        Scratch memory for the lengths in each group.
    values : int64[:]
        Scratch memory for the values of what remains after the shortest members of each group are
        gone.
    """
    shorts, chains, loops = 0, 0, 0
    left = middles
    while left != ZERO:
        cells, _, is_loop, _ = member_of(strings, neighbours, middles, left & (ZERO - left))
        left &= ~cells
        length = popcount(cells)
        group = group_of(length, is_loop)
        if group == SHORT:
            shorts = insert(row_out(lengths, SHORT), shorts, length)
        elif group == CHAIN:
            chains = insert(row_out(lengths, CHAIN), chains, length)
        else:
            loops = insert(row_out(lengths, LOOP), loops, length)
    return value_of_isolated(lengths, shorts, loops, chains, values)
