"""Chains and loops of an edge set: what a sacrifice costs, and when it pays to hand out cells.

Neighbouring cells with two open edges each form a chain or, if they close a circle, a loop.
Drawing any of its edges offers all of its cells to the opponent. An opponent that takes all of them must
move again elsewhere. Instead it can hand out the last two cells of a chain, or the last four of a loop,
by drawing an edge that captures nothing (*double-boxing*).

Nothing here searches: the value of a position is estimated by a single line of play.

Source: J. Tran and M. Farrugia's Hexifence agent (COMP30024, University of Melbourne, 2016), and
E. Berlekamp, "The Dots and Boxes Game", 2000.
"""

from boardgames.kernels import Actions, Words, kernel, random_below, types
from boardgames.kernels.abi import ACTIONS, WORDS_OUT
from boardgames.kernels.bundles import BUNDLE
from boardgames_hexifence.board import CELLS_OF_EDGE, EDGE_OFFSETS, EDGES
from boardgames_hexifence.chains import across, other_edge, state_of
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
from boardgames_hexifence.features import CAPTURING, FREE, SAFE
from boardgames_hexifence.handouts import CHAIN_HANDOUT, LOOP_HANDOUT
from boardgames_hexifence.sacrifices import prepare, smallest_sacrifice, unpack, value_of_line

JUDGED_SAFE_EDGES = 16
"""Maximum number of safe edges at which `double` chooses by estimates; with more, it chooses at random."""

_NONE = -1


@kernel(types.int64(BUNDLE, types.int64))
def capture_all(bundle: Actions, length: int) -> int:
    """Capture cells until no capture is left.

    Parameters
    ----------
    bundle : int64[:]
        A workspace (sacrifices.py).
    length : int64
        Number of edges that have been drawn.

    Returns
    -------
    int64
        The new number of edges drawn.
    """
    work = unpack(bundle)
    edge_set = work.edge_set
    while number_of(edge_set, FREE) + number_of(edge_set, CAPTURING) > 0:
        edge = member(edge_set, FREE if number_of(edge_set, FREE) > 0 else CAPTURING, 0)
        make(edge_set, edge)
        work.drawn[length] = edge
        length += 1
    return length


@kernel(types.int64(BUNDLE, types.int64, types.int64))
def take_back(bundle: Actions, length: int, start: int) -> int:
    """Take back the drawn edges from `start` on, and return the number of cells that this opens again."""
    work = unpack(bundle)
    cells = 0
    for index in range(length - 1, start - 1, -1):
        cells += unmake(work.edge_set, work.drawn[index])
    return cells


@kernel(types.int64(BUNDLE, types.int64, WORDS_OUT))
def value_of_rest(bundle: Actions, length: int, state: Words) -> int:
    """Estimate the value of a position without captures, for the side to move.

    The value is the number of cells that this side takes from now on minus those that its opponent takes,
    if both draw random safe edges as long as there are any, and then always open the smallest chain or
    loop (`value_of_line`). The first `length` drawn edges stay drawn.
    """
    work = unpack(bundle)
    start = length
    while number_of(work.edge_set, SAFE) > 0:
        edge = random_member(work.edge_set, SAFE, state)
        make(work.edge_set, edge)
        work.drawn[length] = edge
        length += 1
    prepare(bundle, 0)
    value = value_of_line(bundle, 0, 0)
    take_back(bundle, length, start)
    return value if (length - start) & 1 == 0 else -value


@kernel(types.int64(BUNDLE, WORDS_OUT))
def best_safe_edge(bundle: Actions, state: Words) -> int:
    """Return the safe edge after which the position is worth least to the opponent.

    The value after each safe edge is estimated once (`value_of_rest`). If there are more than
    `JUDGED_SAFE_EDGES` safe edges, return a random one.
    """
    edge_set = unpack(bundle).edge_set
    if number_of(edge_set, SAFE) > JUDGED_SAFE_EDGES:
        return random_member(edge_set, SAFE, state)
    best, least, ties = _NONE, 0, 0
    for edge in range(EDGES[edge_set[DIMENSION]]):
        if kind_of(edge_set, edge) == SAFE:
            make(edge_set, edge)
            value = value_of_rest(bundle, 0, state)
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

    Captures that are always right come first. What remains is one chain or loop whose last
    cells can be handed out.

    Returns
    -------
    edge : int64
        A capturing edge.
    cells : int64
        Number of cells that can be handed out instead of drawing this edge, 0 if there is no choice.
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


@kernel(types.int64(BUNDLE, WORDS_OUT))
def capture_or_hand_out(bundle: Actions, state: Words) -> int:
    """Return a capturing edge, or one that hands out cells, in a position without free edges.

    Cells are handed out if moving first in the rest of the position would cost more than they are worth.
    """
    edge, cells, hand_out = next_capture(unpack(bundle).edge_set)
    if cells == 0:
        return edge
    length = capture_all(bundle, 0)
    value = value_of_rest(bundle, length, state)
    take_back(bundle, length, 0)
    return hand_out if value < -cells else edge


@kernel(types.int64(BUNDLE, WORDS_OUT))
def best_visible_move(bundle: Actions, state: Words) -> int:
    """Return the edge that the agent `double` draws.

    Parameters
    ----------
    bundle : int64[:]
        A workspace (sacrifices.py) whose edge set has at least one open edge. The order of its
        members changes.
    state : uint64[1]
        State of the random generator, which is advanced.
    """
    edge_set = unpack(bundle).edge_set
    if number_of(edge_set, FREE) > 0:
        return random_member(edge_set, FREE, state)
    if number_of(edge_set, CAPTURING) > 0:
        return capture_or_hand_out(bundle, state)
    if number_of(edge_set, SAFE) > 0:
        return best_safe_edge(bundle, state)
    return smallest_sacrifice(bundle, state)
