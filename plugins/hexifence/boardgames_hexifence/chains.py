"""Chains and loops: the board as rows of cells that can be captured one after the other.

A cell with one or two open edges is a link of a *chain*, which continues across its open edges to
other such cells. At each end of a chain is an edge on the rim of the board, or an edge to an
*intersection*, a cell with three or more open edges. If the end has been opened, there is no such edge:
the last cell has one open edge and can be captured. A chain without ends is a *loop*. Once no safe edge
is left, every open edge belongs to one chain or loop.

`chains_of` returns them for any position. Kernels keep them in a *chain set*, `int64[13, 6C]` on a
board with C cells, which `scan` fills in linear time from an edge set. Its rows are:

    CELLS_FROM, LENGTH     first place of each chain in the row `CELL_LIST`, and its number of cells
    EDGES_FROM, EDGE_COUNT first place of its edges in the row `EDGE_LIST`, and their number
    LOOP                   1 for a loop, 0 for a chain
    TAKEN                  1 once the chain has been taken
    CELL_LIST, EDGE_LIST   cells and edges of all chains, in the order in which they follow each other
    END_AT                 intersections beside the ends of chain k in columns 2k and 2k + 1, or `NOWHERE`
    ENDS, END_COUNT        the ends at cell c from column 6c on, and their number
    OPEN_COUNT             number of open edges of each cell
    CHAIN_OF_CELL          chain of each cell, or `NOWHERE`

Once no safe edge is left, `take` and `put_back` keep a chain set up to date without another scan. They
only mark a chain as taken, and no longer count its ends as open edges of their intersections. An
intersection with two open edges left becomes a link that joins two chains or closes a loop. Chains that
are joined in this way form a *row*, which is opened and taken as a whole; `find_row` finds it.

The idea of such a set comes from J. Tran and M. Farrugia's Hexifence agent (COMP30024, University
of Melbourne, 2016).
"""

from dataclasses import dataclass

import numpy as np

from boardgames.kernels import Actions, Words, kernel, lowest_bit, popcount, types
from boardgames.kernels.abi import ACTIONS, ACTIONS_OUT, ACTIONS_STACK
from boardgames_hexifence.board import (
    CELL_OFFSETS,
    CELLS,
    CELLS_OF_EDGE,
    EDGE_OFFSETS,
    EDGES_OF_CELL,
    SIDES_OF_CELL,
    cells_of,
)
from boardgames_hexifence.edges import (
    DIMENSION,
    MANY_OPEN,
    ONE_OPEN,
    STATES,
    new_edge_set,
    open_of,
)
from boardgames_hexifence.rules import ONE, dimension_of

CELLS_FROM, LENGTH, EDGES_FROM, EDGE_COUNT, LOOP, TAKEN = 0, 1, 2, 3, 4, 5
CELL_LIST, EDGE_LIST, END_AT, ENDS, END_COUNT, OPEN_COUNT, CHAIN_OF_CELL = 6, 7, 8, 9, 10, 11, 12
ROWS = 13
NOWHERE, CLOSED = -1, -2


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain or loop of a position.

    Attributes
    ----------
    cells : tuple of int
        Its cells, each beside the next; in a loop the last one is beside the first.
    edges : tuple of int
        Its open edges in the same order. At an end that is not opened, there is an edge before the first
        or after the last cell.
    is_loop : bool
        Whether it is a loop that has not been opened.
    is_opened : bool
        Whether one of its cells can be captured.
    intersections : tuple of int
        The cells with three or more open edges beside its ends; the same cell twice if both
        ends lead there.
    """

    cells: tuple[int, ...]
    edges: tuple[int, ...]
    is_loop: bool
    is_opened: bool
    intersections: tuple[int, ...]

    @property
    def length(self) -> int:
        """Return the number of cells."""
        return len(self.cells)

    @property
    def is_isolated(self) -> bool:
        """Return True if no end leads to an intersection."""
        return not self.intersections


def chains_of(position: Words) -> tuple[Chain, ...]:
    """Return the chains and loops of any packed position, sorted by their lowest cells.

    Examples
    --------
    >>> import boardgames
    >>> position = boardgames.load("hexifence", dimension=2).start().apply_moves("0 1 4 8 2 3 6 10")
    >>> [(chain.cells, chain.edges) for chain in chains_of(position.words)]
    [((1, 0), (11, 5, 9))]
    """
    edge_set, chains = new_edge_set(position), new_chain_set(int(dimension_of(position)))
    return tuple(_chain(chains, number) for number in range(scan(edge_set, chains)))


def new_chain_set(dimension: int) -> Actions:
    """Return an empty chain set for a board, `int64[13, 6 * cells]`."""
    return np.zeros((ROWS, SIDES_OF_CELL * cells_of(dimension)), dtype=np.int64)


def _chain(chains: Actions, number: int) -> Chain:
    start, length, first, count, is_loop = chains[: LOOP + 1, number].tolist()
    cells = chains[CELL_LIST, start : start + length].tolist()
    return Chain(
        tuple(cells),
        tuple(chains[EDGE_LIST, first : first + count].tolist()),
        bool(is_loop),
        any(chains[OPEN_COUNT, cell] == 1 for cell in (cells[0], cells[-1])),
        tuple(end for end in chains[END_AT, 2 * number : 2 * number + 2].tolist() if end != NOWHERE),
    )


@kernel(types.int64(ACTIONS, types.int64, types.int64))
def across(edge_set: Actions, edge: int, cell: int) -> int:
    """Return the cell on the other side of an edge, or -1 if the edge is on the rim of the board."""
    place = EDGE_OFFSETS[edge_set[DIMENSION]] + edge
    return CELLS_OF_EDGE[place, 0] + CELLS_OF_EDGE[place, 1] - cell


@kernel(types.int64(ACTIONS, types.int64, types.int64))
def other_edge(edge_set: Actions, cell: int, edge: int) -> int:
    """Return the other open edge of a cell with one or two open edges, or `NOWHERE` if there is none."""
    place, bits = CELL_OFFSETS[edge_set[DIMENSION]] + cell, np.uint64(open_of(edge_set, cell))
    first = EDGES_OF_CELL[place, lowest_bit(bits)]
    if first != edge:
        return first
    bits &= bits - ONE
    return EDGES_OF_CELL[place, lowest_bit(bits)] if bits != np.uint64(0) else NOWHERE


@kernel(types.int64(ACTIONS, types.int64))
def state_of(edge_set: Actions, cell: int) -> int:
    """Return the state of a cell, or `MANY_OPEN` for -1, which stands for no cell (beyond the rim)."""
    return STATES[open_of(edge_set, cell)] if cell >= 0 else MANY_OPEN


@kernel(types.UniTuple(types.int64, 2)(ACTIONS, types.int64))
def _first_link(edge_set: Actions, start: int) -> tuple[int, int]:
    """Return the first cell of the chain that contains `start`, and the edge before it.

    The edge is `NOWHERE` if the chain has been opened at this end. In a loop, `start` is the first cell.
    """
    if state_of(edge_set, start) == ONE_OPEN:
        return start, NOWHERE
    cell, edge = start, other_edge(edge_set, start, NOWHERE)
    while edge != NOWHERE:
        following = across(edge_set, edge, cell)
        if following == start or state_of(edge_set, following) == MANY_OPEN:
            return (start if following == start else cell), edge
        cell = following
        edge = other_edge(edge_set, cell, edge)
    return cell, NOWHERE


@kernel(types.void(ACTIONS_STACK, types.int64, types.int64), inline=True)
def _set_end(chains: Actions, end: int, cell: int) -> None:
    """Record the intersection beside an end of a chain, or `NOWHERE`."""
    chains[END_AT, end] = cell
    if cell != NOWHERE:
        chains[ENDS, SIDES_OF_CELL * cell + chains[END_COUNT, cell]] = end
        chains[END_COUNT, cell] += 1


@kernel(types.int64(ACTIONS, ACTIONS_STACK))
def scan(edge_set: Actions, chains: Actions) -> int:
    """Fill a chain set from an edge set, and return the number of chains and loops."""
    dimension = edge_set[DIMENSION]
    for cell in range(CELLS[dimension]):
        chains[CHAIN_OF_CELL, cell] = NOWHERE
        chains[END_COUNT, cell] = 0
        chains[OPEN_COUNT, cell] = popcount(np.uint64(open_of(edge_set, cell)))
    number, cells, edges = 0, 0, 0
    for start in range(CELLS[dimension]):
        if state_of(edge_set, start) == MANY_OPEN or chains[CHAIN_OF_CELL, start] != NOWHERE:
            continue
        cell, edge = _first_link(edge_set, start)
        chains[CELLS_FROM, number], chains[EDGES_FROM, number] = cells, edges
        before = across(edge_set, edge, cell) if edge != NOWHERE else NOWHERE
        is_loop = state_of(edge_set, before) != MANY_OPEN
        if edge != NOWHERE and not is_loop:
            chains[EDGE_LIST, edges] = edge
            edges += 1
        while cell != NOWHERE and chains[CHAIN_OF_CELL, cell] == NOWHERE:
            if state_of(edge_set, cell) == MANY_OPEN:
                break
            chains[CHAIN_OF_CELL, cell] = number
            chains[CELL_LIST, cells] = cell
            cells += 1
            edge = other_edge(edge_set, cell, edge)
            if edge == NOWHERE:
                cell = NOWHERE
            else:
                chains[EDGE_LIST, edges] = edge
                edges += 1
                cell = across(edge_set, edge, cell)
        _set_end(chains, 2 * number, NOWHERE if is_loop else before)
        _set_end(chains, 2 * number + 1, NOWHERE if is_loop else cell)
        chains[LOOP, number] = 1 if is_loop else 0
        chains[TAKEN, number] = 0
        chains[LENGTH, number] = cells - chains[CELLS_FROM, number]
        chains[EDGE_COUNT, number] = edges - chains[EDGES_FROM, number]
        number += 1
    return number


# --- opening and taking, once no safe edge is left ---


@kernel(types.int64(ACTIONS_STACK, types.int64, types.int64, types.int64))
def _other_end(chains: Actions, cell: int, end: int, another: int) -> int:
    """Return an end at an intersection that is not one of two given ends and whose chain is not taken.

    Such an end must exist.
    """
    place = SIDES_OF_CELL * cell
    while (
        chains[ENDS, place] == end
        or chains[ENDS, place] == another
        or chains[TAKEN, chains[ENDS, place] >> 1] != 0
    ):
        place += 1
    return chains[ENDS, place]


@kernel(types.int64(ACTIONS_STACK, types.int64))
def _next_end(chains: Actions, end: int) -> int:
    """Return the far end of the next chain of a row beyond an end, or `NOWHERE` if the row ends there."""
    cell = chains[END_AT, end]
    if cell == NOWHERE or chains[OPEN_COUNT, cell] != 2:
        return NOWHERE
    return _other_end(chains, cell, end, NOWHERE) ^ 1


@kernel(types.UniTuple(types.int64, 3)(ACTIONS_STACK, types.int64))
def _follow(chains: Actions, end: int) -> tuple[int, int, int]:
    """Follow a row beyond an end of one of its chains.

    Returns
    -------
    cells : int64
        Number of cells beyond this end, including intersections that have become links.
    last : int64
        The last end of the row in this direction, or `CLOSED` if the row leads back to the chain.
    lowest : int64
        The lowest number among the chain and those that follow.
    """
    number = lowest = end >> 1
    cells, following = 0, _next_end(chains, end)
    while following != NOWHERE:
        cells += 1
        if following >> 1 == number:
            return cells, CLOSED, lowest
        end = following
        cells += chains[LENGTH, end >> 1]
        lowest = min(lowest, end >> 1)
        following = _next_end(chains, end)
    return cells, end, lowest


@kernel(types.UniTuple(types.int64, 4)(ACTIONS_STACK, types.int64))
def find_row(chains: Actions, number: int) -> tuple[int, int, int, int]:
    """Return what the opponent can take once an edge of a chain's row is drawn.

    Parameters
    ----------
    chains : int64[13, 6C]
        A chain set without safe edges.
    number : int64
        A chain that is not taken.

    Returns
    -------
    cells : int64
        Number of cells. If both ends of the row are at the same intersection, and only one other
        row ends there, that row can be taken next and is included.
    is_loop : int64
        1 if the row is a loop.
    is_isolated : int64
        1 if it ends at no intersection.
    lowest : int64
        The lowest number of a chain in the row, not counting that other row.
    """
    length = chains[LENGTH, number]
    if chains[LOOP, number] != 0:
        return length, 1, 1, number
    cells, first, lowest = _follow(chains, 2 * number)
    if first == CLOSED:
        return length + cells, 1, 1, lowest
    more, last, other = _follow(chains, 2 * number + 1)
    cells += length + more
    meeting = chains[END_AT, first]
    if meeting == NOWHERE:
        return cells, 0, 1 if chains[END_AT, last] == NOWHERE else 0, min(lowest, other)
    if meeting == chains[END_AT, last] and chains[OPEN_COUNT, meeting] == 3:
        end = _other_end(chains, meeting, first, last)
        more, _, _ = _follow(chains, end ^ 1)
        cells += 1 + chains[LENGTH, end >> 1] + more
    return cells, 0, 0, min(lowest, other)


@kernel(types.void(ACTIONS_STACK, types.int64, types.int64), inline=True)
def _mark(chains: Actions, number: int, taken: int) -> None:
    """Mark a chain as taken (1) or not (0), and update the open edges of the intersections at its ends."""
    chains[TAKEN, number] = taken
    for end in range(2 * number, 2 * number + 2):
        if chains[END_AT, end] != NOWHERE:
            chains[OPEN_COUNT, chains[END_AT, end]] += 1 - 2 * taken


@kernel(types.int64(ACTIONS_STACK, types.int64, ACTIONS_OUT, types.int64))
def take(chains: Actions, number: int, trail: Actions, length: int) -> int:
    """Take all chains that `find_row` counts, and return the new length of the trail.

    Their numbers are written to the trail from `length` on.
    """
    while True:
        start, last = length, 2 * number
        trail[length] = number
        length += 1
        for end in range(2 * number, 2 * number + 2):
            last, following = end, _next_end(chains, end)
            while following != NOWHERE and following >> 1 != number:
                trail[length] = following >> 1
                length += 1
                last, following = following, _next_end(chains, following)
            if following != NOWHERE:  # a loop
                break
        for index in range(start, length):
            _mark(chains, trail[index], 1)
        meeting = chains[END_AT, last]
        if meeting == NOWHERE or chains[OPEN_COUNT, meeting] != 1:
            return length
        number = _other_end(chains, meeting, NOWHERE, NOWHERE) >> 1


@kernel(types.void(ACTIONS_STACK, ACTIONS_OUT, types.int64, types.int64))
def put_back(chains: Actions, trail: Actions, length: int, start: int) -> None:
    """Put back the chains of the trail from `start` on."""
    for index in range(start, length):
        _mark(chains, trail[index], 0)
