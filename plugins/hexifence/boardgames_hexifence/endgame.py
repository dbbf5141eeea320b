"""Chains and loops of an edge set: what a sacrifice costs, and when it pays to hand out cells.

A cell with two open edges is a link of a chain or, if the links close a circle, of a loop.
Drawing any of its edges offers all of its cells. The opponent who takes them must move again
elsewhere, unless it hands out the last two cells of a chain, or four of a loop, by drawing an
edge that captures nothing (*double-boxing*).

Everything here is linear in the size of the board for each sacrifice, without search.

Source: J. Tran and M. Farrugia's Hexifence agent (COMP30024, University of Melbourne, 2016), and
E. Berlekamp, "The Dots and Boxes Game", 2000.
"""

import numpy as np
from numba import types

from boardgames.kernels import Actions, Words, kernel, random_below
from boardgames.kernels.abi import ACTIONS, ACTIONS_OUT, ACTIONS_STACK, WORDS_OUT
from boardgames_hexifence.board import (
    CELLS_OF_EDGE,
    EDGE_OFFSETS,
    EDGES,
    edges_of,
)
from boardgames_hexifence.chains import (
    CHAIN_HANDOUT,
    LOOP_HANDOUT,
    SHORTEST_LONG_CHAIN,
    across,
    other_edge,
    state_of,
)
from boardgames_hexifence.edges import (
    DIMENSION,
    ONE_OPEN,
    TWO_OPEN,
    kind_of,
    make,
    member,
    number_of,
    random_member,
    unmake,
)
from boardgames_hexifence.features import CAPTURING, FREE, SACRIFICING, SAFE

JUDGED_SAFE_EDGES = 16
"""The largest number of safe edges among which `double` chooses by an estimate of the rest."""

MARKS, TRAIL, COSTS, HANDOUTS = 0, 1, 2, 3
_NONE = -1


def new_scratch(dimension: int) -> Actions:
    """Return the working memory of the kernels of this module, `int64[4, edges]`."""
    return np.zeros((4, edges_of(dimension)), dtype=np.int64)


@kernel(types.int64(ACTIONS_OUT, ACTIONS_STACK, types.int64))
def capture_all(edge_set: Actions, scratch: Actions, length: int) -> int:
    """Capture as many cells in a row as possible.

    The edges are appended to the trail, whose new length is returned.
    """
    while number_of(edge_set, FREE) + number_of(edge_set, CAPTURING) > 0:
        edge = member(edge_set, FREE if number_of(edge_set, FREE) > 0 else CAPTURING, 0)
        make(edge_set, edge)
        scratch[TRAIL, length] = edge
        length += 1
    return length


@kernel(types.int64(ACTIONS_OUT, ACTIONS_STACK, types.int64, types.int64))
def take_back(edge_set: Actions, scratch: Actions, length: int, start: int) -> int:
    """Take back the edges of the trail from `start` on, and return the number of cells that they captured."""
    cells = 0
    for index in range(length - 1, start - 1, -1):
        cells += unmake(edge_set, scratch[TRAIL, index])
    return cells


@kernel(types.int64(ACTIONS_OUT, ACTIONS_STACK, types.int64, types.int64))
def cost_of(edge_set: Actions, scratch: Actions, edge: int, length: int) -> int:
    """Return the number of cells that the opponent can capture in a row after an edge is drawn.

    The trail is used from `length` on.
    """
    make(edge_set, edge)
    scratch[TRAIL, length] = edge
    end = capture_all(edge_set, scratch, length + 1)
    return take_back(edge_set, scratch, end, length)


@kernel(types.boolean(ACTIONS, ACTIONS_STACK, types.int64))
def _mark_chain(edge_set: Actions, scratch: Actions, edge: int) -> bool:
    """Mark all edges of the chain or loop that a sacrificing edge belongs to; return True for a loop."""
    scratch[MARKS, edge] = 1
    for index in range(2):
        place = EDGE_OFFSETS[edge_set[DIMENSION]] + edge
        cell, last = CELLS_OF_EDGE[place, index], edge
        while state_of(edge_set, cell) == TWO_OPEN:
            last = other_edge(edge_set, cell, last)
            if last == edge:
                return True
            scratch[MARKS, last] = 1
            cell = across(edge_set, last, cell)
    return False


@kernel(types.int64(ACTIONS, types.int64))
def _middle_of(edge_set: Actions, edge: int) -> int:
    """Return the edge between the two cells of a chain of two, given any of its edges; otherwise the edge."""
    place = EDGE_OFFSETS[edge_set[DIMENSION]] + edge
    first, second = CELLS_OF_EDGE[place, 0], CELLS_OF_EDGE[place, 1]
    if state_of(edge_set, first) == TWO_OPEN and state_of(edge_set, second) == TWO_OPEN:
        return edge
    return other_edge(edge_set, first if state_of(edge_set, first) == TWO_OPEN else second, edge)


@kernel(types.int64(ACTIONS_OUT, ACTIONS_STACK, types.int64, WORDS_OUT))
def smallest_sacrifice(edge_set: Actions, scratch: Actions, length: int, state: Words) -> int:
    """Return a sacrificing edge after which the opponent can capture the fewest cells.

    One edge of every chain and loop is tried; equally small ones are drawn at random. A chain of
    two is cut in the middle, so that it cannot be handed back. The cost is written to row `COSTS`
    of the scratch memory at `length`, and what the opponent would hand out to keep control to
    row `HANDOUTS`, 0 if it cannot. The trail is used from `length` on.
    """
    dimension = edge_set[DIMENSION]
    best, fewest, handout, ties = _NONE, 0, 0, 0
    for edge in range(EDGES[dimension]):
        scratch[MARKS, edge] = 0
    for edge in range(EDGES[dimension]):
        if scratch[MARKS, edge] == 0 and kind_of(edge_set, edge) == SACRIFICING:
            is_loop = _mark_chain(edge_set, scratch, edge)
            cost = cost_of(edge_set, scratch, edge, length)
            if best < 0 or cost < fewest:
                ties = 0
            elif cost > fewest:
                continue
            ties += 1
            if ties == 1 or random_below(state, ties) == 0:
                best, fewest = edge, cost
                if is_loop:
                    handout = LOOP_HANDOUT if cost >= LOOP_HANDOUT else 0
                else:
                    handout = CHAIN_HANDOUT if cost >= SHORTEST_LONG_CHAIN else 0
    scratch[COSTS, length] = fewest
    scratch[HANDOUTS, length] = handout
    return _middle_of(edge_set, best) if fewest == CHAIN_HANDOUT else best


@kernel(types.int64(ACTIONS_OUT, ACTIONS_STACK, types.int64, WORDS_OUT))
def value_of_rest(edge_set: Actions, scratch: Actions, length: int, state: Words) -> int:
    """Estimate how many cells more than the opponent the side to move gets in a position without captures.

    Both sides play safe edges as long as there are any, at random, then sacrifice the smallest
    chain or loop each time. The side that captures takes everything or keeps control, whichever
    is worth more by the same estimate of what then remains. The estimate is exact for separate
    chains if sacrificing them in this order is best. The trail is used from `length` on.
    """
    start = length
    while number_of(edge_set, SAFE) + number_of(edge_set, SACRIFICING) > 0:
        if number_of(edge_set, SAFE) > 0:
            edge = random_member(edge_set, SAFE, state)
            scratch[COSTS, length] = scratch[HANDOUTS, length] = 0
        else:
            edge = smallest_sacrifice(edge_set, scratch, length, state)
        make(edge_set, edge)
        scratch[TRAIL, length] = edge
        end = capture_all(edge_set, scratch, length + 1)
        for index in range(length + 1, end):
            scratch[COSTS, index] = _NONE  # a capture
        length = end
    value = 0
    for index in range(length - 1, start - 1, -1):
        cost = scratch[COSTS, index]
        if cost >= 0:
            taken = cost + value
            if scratch[HANDOUTS, index] > 0:
                taken = max(taken, cost - 2 * scratch[HANDOUTS, index] - value)
            value = -taken
    take_back(edge_set, scratch, length, start)
    return value


@kernel(types.int64(ACTIONS_OUT, ACTIONS_STACK, WORDS_OUT))
def best_safe_edge(edge_set: Actions, scratch: Actions, state: Words) -> int:
    """Return the safe edge after which the rest is worth least to the opponent, or a random one early on.

    Each safe edge is judged by a single estimate (`value_of_rest`).
    """
    count = number_of(edge_set, SAFE)
    if count > JUDGED_SAFE_EDGES:
        return random_member(edge_set, SAFE, state)
    best, least, ties = _NONE, 0, 0
    for edge in range(EDGES[edge_set[DIMENSION]]):
        if kind_of(edge_set, edge) == SAFE:
            make(edge_set, edge)
            value = value_of_rest(edge_set, scratch, 0, state)
            unmake(edge_set, edge)
            if best < 0 or value < least:
                ties = 0
            elif value > least:
                continue
            ties += 1
            if ties == 1 or random_below(state, ties) == 0:
                best, least = edge, value
    return best


@kernel(types.UniTuple(types.int64, 3)(ACTIONS))
def next_capture(edge_set: Actions) -> tuple[int, int, int]:
    """Return what to capture next in a position with capturing edges but no free ones.

    Captures that are always right come first. What remains is one chain of which cells can be
    handed out, or else one loop.

    Returns
    -------
    edge : int64
        A capturing edge.
    cells : int64
        Number of cells that can be handed out instead of drawing this edge, 0 if it is to be drawn
        in any case.
    hand_out : int64
        The edge that hands them out.
    """
    reserved, cells, handout, far_end = _NONE, 0, _NONE, _NONE
    is_chain = False
    for place in range(number_of(edge_set, CAPTURING)):
        edge = member(edge_set, CAPTURING, place)
        row = EDGE_OFFSETS[edge_set[DIMENSION]] + edge
        first, second = CELLS_OF_EDGE[row, 0], CELLS_OF_EDGE[row, 1]
        cell, last, length, middle = (
            second if state_of(edge_set, first) == ONE_OPEN else first,
            edge,
            1,
            _NONE,
        )
        while state_of(edge_set, cell) == TWO_OPEN:
            last = other_edge(edge_set, cell, last)
            cell = across(edge_set, last, cell)
            length += 1
            if length == 2:
                middle = last
        if state_of(edge_set, cell) != ONE_OPEN:
            if not is_chain:
                reserved, cells, handout, far_end, is_chain = edge, length, last, edge, True
        elif length + 1 >= LOOP_HANDOUT and reserved < 0:
            reserved, cells, handout, far_end = edge, length + 1, middle, last
    for place in range(number_of(edge_set, CAPTURING)):
        edge = member(edge_set, CAPTURING, place)
        if edge not in (reserved, far_end):
            return edge, 0, _NONE
    needed = CHAIN_HANDOUT if is_chain else LOOP_HANDOUT
    return reserved, needed if cells == needed else 0, handout


@kernel(types.int64(ACTIONS_OUT, ACTIONS_STACK, WORDS_OUT))
def capture_or_hand_out(edge_set: Actions, scratch: Actions, state: Words) -> int:
    """Return a capturing edge, or one that hands out cells, in a position without free edges.

    Cells are handed out if moving first in the rest costs more.
    """
    edge, cells, hand_out = next_capture(edge_set)
    if cells == 0:
        return edge
    length = capture_all(edge_set, scratch, 0)
    value = value_of_rest(edge_set, scratch, length, state)
    take_back(edge_set, scratch, length, 0)
    return hand_out if value < -cells else edge


@kernel(types.int64(ACTIONS_OUT, ACTIONS_STACK, WORDS_OUT))
def best_visible_move(edge_set: Actions, scratch: Actions, state: Words) -> int:
    """Return the edge that the agent `double` draws.

    Parameters
    ----------
    edge_set : int64[...]
        Edge set with at least one open edge; unchanged but for the order of its members.
    scratch : int64[4, edges]
        Working memory.
    state : uint64[1]
        State of the random generator, which is advanced.
    """
    if number_of(edge_set, FREE) > 0:
        return random_member(edge_set, FREE, state)
    if number_of(edge_set, CAPTURING) > 0:
        return capture_or_hand_out(edge_set, scratch, state)
    if number_of(edge_set, SAFE) > 0:
        return best_safe_edge(edge_set, scratch, state)
    return smallest_sacrifice(edge_set, scratch, 0, state)
