"""Chains and loops: the board as rows of cells that can be captured one after the other.

A cell with one or two open edges is a link of a *chain*, which continues across its open edges to
other such cells. Each end of a chain is an edge at the rim of the board or beside an
*intersection*, a cell with three or more open edges, or it has been opened: then its last cell has
one open edge and can be captured. A chain without ends is a *loop*. Once no safe edge is left,
every open edge belongs to one chain or loop.

`chains_of` gives them for any position. Kernels have them in a *chain set*, `int64[11, E]` on a
board with E edges, which `scan` fills in linear time from an edge set. In the first seven rows,
column k is about chain k:

    CELLS_FROM, LENGTH     its first place in the row `CELL_LIST`, and its number of cells
    EDGES_FROM, EDGE_COUNT the same in the row `EDGE_LIST`
    LOOP                   1 for a loop, 0 for a chain
    FIRST_END, LAST_END    intersections beside its first and last edge, `NOWHERE` if there is none

The other rows have the cells and edges of all chains in the order in which they follow each
other, and for each cell its chain and its number of open edges.

The idea of such a set is that of J. Tran and M. Farrugia's Hexifence agent (COMP30024, University
of Melbourne, 2016).
"""

from dataclasses import dataclass

import numpy as np
from numba import types

from boardgames.kernels import Actions, Words, kernel, lowest_bit, popcount
from boardgames.kernels.abi import ACTIONS, ACTIONS_STACK
from boardgames_hexifence.board import (
    CELL_OFFSETS,
    CELLS,
    CELLS_OF_EDGE,
    EDGE_OFFSETS,
    EDGES_OF_CELL,
    edges_of,
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

CELLS_FROM, LENGTH, EDGES_FROM, EDGE_COUNT, LOOP, FIRST_END, LAST_END = 0, 1, 2, 3, 4, 5, 6
CELL_LIST, EDGE_LIST, CHAIN_OF_CELL, OPEN_COUNT = 7, 8, 9, 10
ROWS = 11
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain or loop of a position.

    Attributes
    ----------
    cells : tuple of int
        Its cells, each beside the next; in a loop the last one is beside the first.
    edges : tuple of int
        Its open edges in the same order. An end that is not opened has an edge before the first
        or after the last cell.
    is_loop : bool
        Whether it is a loop that has not been opened.
    is_opened : bool
        Whether a cell of it can be captured.
    intersections : tuple of int
        The cells with three or more open edges beside its ends, twice the same one if both
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
    """Return the chains and loops of any packed position, by their lowest cells.

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
    """Return an empty chain set for a board, `int64[11, edges]`."""
    return np.zeros((ROWS, edges_of(dimension)), dtype=np.int64)


def _chain(chains: Actions, number: int) -> Chain:
    start, length, first, count, is_loop, *ends = chains[: LAST_END + 1, number].tolist()
    cells = chains[CELL_LIST, start : start + length].tolist()
    return Chain(
        tuple(cells),
        tuple(chains[EDGE_LIST, first : first + count].tolist()),
        bool(is_loop),
        any(chains[OPEN_COUNT, cell] == 1 for cell in (cells[0], cells[-1])),
        tuple(end for end in ends if end != NOWHERE),
    )


@kernel(types.int64(ACTIONS, types.int64, types.int64))
def across(edge_set: Actions, edge: int, cell: int) -> int:
    """Return the cell on the other side of an edge, -1 if that is outside of the board."""
    place = EDGE_OFFSETS[edge_set[DIMENSION]] + edge
    return CELLS_OF_EDGE[place, 0] + CELLS_OF_EDGE[place, 1] - cell


@kernel(types.int64(ACTIONS, types.int64, types.int64))
def other_edge(edge_set: Actions, cell: int, edge: int) -> int:
    """Return an open edge of a cell other than `edge`, `NOWHERE` if there is none; at most two are open."""
    place, bits = CELL_OFFSETS[edge_set[DIMENSION]] + cell, np.uint64(open_of(edge_set, cell))
    first = EDGES_OF_CELL[place, lowest_bit(bits)]
    if first != edge:
        return first
    bits &= bits - ONE
    return EDGES_OF_CELL[place, lowest_bit(bits)] if bits != np.uint64(0) else NOWHERE


@kernel(types.int64(ACTIONS, types.int64))
def state_of(edge_set: Actions, cell: int) -> int:
    """Return the state of a cell; what is outside of the board has `MANY_OPEN`."""
    return STATES[open_of(edge_set, cell)] if cell >= 0 else MANY_OPEN


@kernel(types.UniTuple(types.int64, 2)(ACTIONS, types.int64))
def _first_link(edge_set: Actions, start: int) -> tuple[int, int]:
    """Return a cell at an end of the chain of a cell, and the edge before it, `NOWHERE` if it is opened.

    In a loop that is the cell itself and one of its edges.
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


@kernel(types.int64(ACTIONS, ACTIONS_STACK))
def scan(edge_set: Actions, chains: Actions) -> int:
    """Fill a chain set from an edge set, and return the number of chains and loops."""
    dimension = edge_set[DIMENSION]
    for cell in range(CELLS[dimension]):
        chains[CHAIN_OF_CELL, cell] = NOWHERE
        chains[OPEN_COUNT, cell] = popcount(np.uint64(open_of(edge_set, cell)))
    number, cells, edges = 0, 0, 0
    for start in range(CELLS[dimension]):
        if state_of(edge_set, start) == MANY_OPEN or chains[CHAIN_OF_CELL, start] != NOWHERE:
            continue
        cell, edge = _first_link(edge_set, start)
        chains[CELLS_FROM, number], chains[EDGES_FROM, number] = cells, edges
        chains[FIRST_END, number] = chains[LAST_END, number] = NOWHERE
        before = across(edge_set, edge, cell) if edge != NOWHERE else NOWHERE
        is_loop = state_of(edge_set, before) != MANY_OPEN
        chains[LOOP, number] = 1 if is_loop else 0
        if edge != NOWHERE and not is_loop:
            chains[FIRST_END, number] = before
            chains[EDGE_LIST, edges] = edge
            edges += 1
        while cell >= 0 and chains[CHAIN_OF_CELL, cell] == NOWHERE and state_of(edge_set, cell) != MANY_OPEN:
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
        if not is_loop:
            chains[LAST_END, number] = cell
        chains[LENGTH, number] = cells - chains[CELLS_FROM, number]
        chains[EDGE_COUNT, number] = edges - chains[EDGES_FROM, number]
        number += 1
    return number
