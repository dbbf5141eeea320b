"""Captures: which cells the side to move always takes, and when it has a choice.

A cell of degree 1 can be taken at once. Taking it is right unless it gives up a *hand-out*: the
last two cells of a chain, or the last four of a loop, can be left to the opponent by cutting a
string that takes nothing. The opponent then has to move first in the rest. These are the only
decisions. `take_all` makes all other captures, which are right for these reasons:

- Let the string of a cell of degree 1 lead to the ground, to another cell of degree 1, or to a
  cell of degree 3 or more. If the side to move has a best move elsewhere, it can cut this
  string first and then make the same move. It gains a cell or two and moves again, and no other
  cell becomes capturable. If it left the cell, the opponent could take it in the same way. So it
  never loses by taking.
- Let the cell c1 of degree 1 be tied to c2 of degree 2. If c2 leads on to c3 of degree 2, the chain
  is longer than two. After c1 is taken, at least two cells are left, and the hand-out is as good
  as before, so taking c1 costs nothing. If c2 leads to the ground or to a cell of degree 3 or
  more, c1 and c2 are the last two cells: cutting the second string of c2 hands them out.
- If both ends of a path are cells of degree 1, as in an opened loop, a hand-out cuts the path into
  two pairs. This needs a path of exactly four cells. A longer path is shortened first. A path of two or
  three cells offers no hand-out, since cutting any string takes a cell, and is taken whole.
- A side needs only one hand-out to pass the turn. If there are several, it keeps the cheapest, two
  cells rather than four, and takes the others.

Let V(R) be the value of the rest R after everything is taken, c the number of cells taken and h the
number handed out. The value is the larger of c + V(R) and (c - h) - h - V(R), that is
c - h + |V(R) + h| (`value_of_opened`).
"""

from boardgames.kernels import Words, kernel, types
from boardgames.kernels.abi import WORDS_OUT, WORDS_STACK
from boardgames_hexifence.solver.strings import (
    NOWHERE,
    ZERO,
    Cells,
    cells_by_degree,
    opposite,
    string_of,
    take,
    tied_to,
)

NOTHING, PAIR, PATH_OF_FOUR = 0, 2, 4
"""Number of cells that a hand-out leaves to the opponent."""


@kernel(
    types.int64(WORDS_OUT, WORDS_STACK, types.uint64, types.uint64, types.uint64, types.uint64), inline=True
)
def hand_out_at(
    strings: Words, neighbours: Words, cell: Cells, ends: Cells, middles: Cells, joints: Cells
) -> int:
    """Return the number of cells in the hand-out that taking a cell would give up.

    Parameters
    ----------
    strings : uint64[6]
        The state.
    neighbours : uint64[6, 64]
        The neighbours of the cells of its frame.
    cell : uint64
        A cell of degree 1.
    ends, middles, joints : uint64
        The cells of degree 1, of degree 2, and of higher degrees.
    """
    direction = string_of(strings, cell, NOWHERE)
    second = tied_to(strings, neighbours, cell, direction)
    if second & middles == ZERO:
        return NOTHING
    direction = string_of(strings, second, opposite(direction))
    third = tied_to(strings, neighbours, second, direction)
    if third == ZERO or third & joints != ZERO:
        return PAIR
    if third & ends != ZERO:
        return NOTHING
    direction = string_of(strings, third, opposite(direction))
    fourth = tied_to(strings, neighbours, third, direction)
    return PATH_OF_FOUR if fourth & ends != ZERO else NOTHING


@kernel(types.int64(WORDS_OUT, WORDS_STACK, types.uint64, types.int64), inline=True)
def take_path(strings: Words, neighbours: Words, cell: Cells, count: int) -> int:
    """Take `count` cells in a row, starting with one of degree 1, and return the count."""
    taken = 0
    while taken < count:
        direction = string_of(strings, cell, NOWHERE)
        following = tied_to(strings, neighbours, cell, direction)
        taken += take(strings, neighbours, cell, direction)
        cell = following
    return taken


@kernel(types.UniTuple(types.int64, 2)(WORDS_OUT, WORDS_STACK))
def take_all(strings: Words, neighbours: Words) -> tuple[int, int]:
    """Take every cell that can be taken; the state is changed to what remains.

    Returns
    -------
    taken : int64
        Number of cells taken, including those of the hand-out.
    hand_out : int64
        Number of these cells that could be handed out instead at the end: 0, 2 or 4.
    """
    taken = 0
    while True:
        ends, middles, joints = cells_by_degree(strings)
        if ends == ZERO:
            return taken, NOTHING
        pairs, path_ends = 0, 0
        pair, path_end, free = ZERO, ZERO, ZERO
        left = ends
        while left != ZERO and free == ZERO:
            cell = left & (ZERO - left)
            left ^= cell
            hand_out = hand_out_at(strings, neighbours, cell, ends, middles, joints)
            if hand_out == NOTHING:
                free = cell
            elif hand_out == PAIR:
                pairs += 1
                pair = cell
            else:
                path_ends += 1
                path_end = cell
        if free == ZERO:
            if pairs == 1 and path_ends == 0:
                return taken + take_path(strings, neighbours, pair, PAIR), PAIR
            if pairs == 0 and path_ends == 2:  # the two cells are the ends of one path
                return taken + take_path(strings, neighbours, path_end, PATH_OF_FOUR), PATH_OF_FOUR
            free = path_end if path_ends > 0 else pair
        taken += take(strings, neighbours, free, string_of(strings, free, NOWHERE))
