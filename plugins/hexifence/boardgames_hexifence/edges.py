"""Edge sets: the open edges of a position by kind, kept up to date as edges are drawn and taken back.

An edge set is one `int64` array with a member list for each kind of edge (see `features`) and the
place of each edge in its list. `make` and `unmake` remove and insert edges by swapping with the last
member of a list, so they take constant time. Choosing a random member takes constant time too. After an
`unmake` the lists have the same members as before, possibly in a different order.

The idea of such a set comes from J. Tran and M. Farrugia's Hexifence agent (COMP30024,
University of Melbourne, 2016).

An edge set of a board with E edges and C cells contains, in this order:

    0                       the dimension
    1        to 4           number of open edges of each kind
    5        to 4 + E       place of each edge in its list
    5 + E    to 4 + 2E      kind of each edge, `DRAWN` if it is not open
    5 + 2E   to 4 + 6E      lists of the four kinds, E numbers each
    5 + 6E   to 4 + 6E + C  open edges of each cell, as six bits in the order of `EDGES_OF_CELL`
"""

import numpy as np

from boardgames.kernels import Actions, Words, kernel, lowest_bit, random_below, types
from boardgames.kernels.abi import ACTIONS, ACTIONS_OUT, WORDS, WORDS_OUT
from boardgames_hexifence.board import (
    CELL_OFFSETS,
    CELLS,
    CELLS_OF_EDGE,
    EDGE_OFFSETS,
    EDGES,
    EDGES_OF_CELL,
    MAX_DIMENSION,
    MIN_DIMENSION,
    board,
    cells_of,
    edges_of,
)
from boardgames_hexifence.features import CAPTURING, FREE, SACRIFICING, SAFE, edge_kind
from boardgames_hexifence.rules import ONE, ZERO, dimension_of, is_drawn

KINDS = 4
DRAWN = -1
DIMENSION, SIZES, PLACES = 0, 1, 5

MANY_OPEN, TWO_OPEN, ONE_OPEN = 0, 1, 2


def _frozen(numbers: list[int] | list[list[int]]) -> Actions:
    array = np.array(numbers, dtype=np.int64)
    array.flags.writeable = False
    return array


def _sides_of_edges() -> Actions:
    """Return the index of each edge among the edges of its first and second cell, -1 for no second cell."""
    rows = []
    for dimension in range(MIN_DIMENSION, MAX_DIMENSION + 1):
        places = board(dimension)
        for edge, cells in enumerate(places.cells_of_edge):
            sides = [places.edges_of_cell[cell].index(edge) for cell in cells]
            rows.append([*sides, -1][:2])
    return _frozen(rows)


SIDES_OF_EDGE = _sides_of_edges()
"""`int64[1722, 2]`: index of an edge in `EDGES_OF_CELL` of its first and second cell."""
STATES = _frozen([{2: TWO_OPEN, 1: ONE_OPEN}.get(bits.bit_count(), MANY_OPEN) for bits in range(64)])
"""`int64[64]`: state of a cell by its open edges; the state of a captured cell does not matter."""
KIND_OF_STATES = _frozen(
    [
        [SAFE, SACRIFICING, FREE],
        [SACRIFICING, SACRIFICING, CAPTURING],
        [FREE, CAPTURING, FREE],
    ]
)
"""`int64[3, 3]`: kind of an open edge by the states of its two cells."""


def new_edge_set(position: Words) -> Actions:
    """Return the edge set of a packed position.

    Examples
    --------
    >>> from boardgames_hexifence.notation import parse_words, start_text
    >>> edge_set = new_edge_set(parse_words(start_text(2), 2))
    >>> int(number_of(edge_set, SAFE)), int(make(edge_set, 7)), int(number_of(edge_set, SAFE))
    (30, 0, 29)
    """
    dimension = int(dimension_of(position))
    edge_set = np.zeros(PLACES + 6 * edges_of(dimension) + cells_of(dimension), dtype=np.int64)
    load(position, edge_set)
    return edge_set


def kinds_of(edge_set: Actions) -> list[int]:
    """Return the kind of every edge, `DRAWN` for edges that are not open.

    Examples
    --------
    >>> from boardgames_hexifence.notation import parse_words, start_text
    >>> set(kinds_of(new_edge_set(parse_words(start_text(2), 2)))) == {SAFE}
    True
    """
    count = int(EDGES[edge_set[DIMENSION]])
    kinds: list[int] = edge_set[PLACES + count : PLACES + 2 * count].tolist()
    return kinds


@kernel(types.int64(ACTIONS, types.int64))
def number_of(edge_set: Actions, kind: int) -> int:
    """Return the number of open edges of a kind."""
    return edge_set[SIZES + kind]


@kernel(types.int64(ACTIONS, types.int64))
def kind_of(edge_set: Actions, edge: int) -> int:
    """Return the kind of an edge, `DRAWN` if it is not open."""
    return edge_set[PLACES + EDGES[edge_set[DIMENSION]] + edge]


@kernel(types.int64(ACTIONS, types.int64, types.int64))
def member(edge_set: Actions, kind: int, place: int) -> int:
    """Return the edge of a kind at a place in its list, 0 to `number_of` - 1."""
    return edge_set[PLACES + (2 + kind) * EDGES[edge_set[DIMENSION]] + place]


@kernel(types.int64(ACTIONS, types.int64, WORDS_OUT))
def random_member(edge_set: Actions, kind: int, state: Words) -> int:
    """Return a random edge of a kind, of which there must be at least one; all are equally likely.

    Parameters
    ----------
    state : uint64[1]
        State of the random generator, which is advanced.
    """
    return member(edge_set, kind, random_below(state, number_of(edge_set, kind)))


@kernel(types.int64(ACTIONS, types.int64))
def open_of(edge_set: Actions, cell: int) -> int:
    """Return the open edges of a cell: bit k stands for `EDGES_OF_CELL[..., k]`."""
    return edge_set[PLACES + 6 * EDGES[edge_set[DIMENSION]] + cell]


@kernel(types.void(ACTIONS_OUT, types.int64, types.int64, types.int64), inline=True)
def _insert(edge_set: Actions, count: int, edge: int, kind: int) -> None:
    """Append an edge to the list of its kind; `count` is the number of edges of the board."""
    size = edge_set[SIZES + kind]
    edge_set[PLACES + (2 + kind) * count + size] = edge
    edge_set[PLACES + edge] = size
    edge_set[PLACES + count + edge] = kind
    edge_set[SIZES + kind] = size + 1


@kernel(types.void(ACTIONS_OUT, types.int64, types.int64), inline=True)
def _remove(edge_set: Actions, count: int, edge: int) -> None:
    """Remove an edge from its list, whose last member takes its place."""
    kind, place = edge_set[PLACES + count + edge], edge_set[PLACES + edge]
    size = edge_set[SIZES + kind] - 1
    members = PLACES + (2 + kind) * count
    last = edge_set[members + size]
    edge_set[members + place] = last
    edge_set[PLACES + last] = place
    edge_set[SIZES + kind] = size


@kernel(types.int64(ACTIONS, types.int64, types.int64), inline=True)
def _current_kind(edge_set: Actions, cells: int, place: int) -> int:
    """Return the kind of the open edge in row `place` of the tables, given the states of its cells."""
    second = CELLS_OF_EDGE[place, 1]
    other = STATES[edge_set[cells + second]] if second >= 0 else MANY_OPEN
    return KIND_OF_STATES[STATES[edge_set[cells + CELLS_OF_EDGE[place, 0]]], other]


@kernel(types.void(ACTIONS_OUT, types.int64, types.int64), inline=True)
def _update_around(edge_set: Actions, cell: int, bits: int) -> None:
    """Move the open edges of a cell, given as `bits`, to the lists of their new kinds."""
    dimension = edge_set[DIMENSION]
    count = EDGES[dimension]
    left = np.uint64(bits)
    while left != ZERO:
        edge = EDGES_OF_CELL[CELL_OFFSETS[dimension] + cell, lowest_bit(left)]
        present = _current_kind(edge_set, PLACES + 6 * count, EDGE_OFFSETS[dimension] + edge)
        if present != edge_set[PLACES + count + edge]:
            _remove(edge_set, count, edge)
            _insert(edge_set, count, edge, present)
        left &= left - ONE


@kernel(types.void(WORDS, ACTIONS_OUT))
def load(position: Words, edge_set: Actions) -> None:
    """Fill an edge set of the right size, `int64[5 + 6E + C]`, from a packed position."""
    dimension = dimension_of(position)
    count = EDGES[dimension]
    edge_set[DIMENSION] = dimension
    for kind in range(KINDS):
        edge_set[SIZES + kind] = 0
    for cell in range(CELLS[dimension]):
        edge_set[PLACES + 6 * count + cell] = 0
    for edge in range(count):
        if is_drawn(position, dimension, edge):
            edge_set[PLACES + count + edge] = DRAWN
        else:
            _insert(edge_set, count, edge, edge_kind(position, dimension, edge))
            for index in range(2):
                cell = CELLS_OF_EDGE[EDGE_OFFSETS[dimension] + edge, index]
                if cell >= 0:
                    edge_set[PLACES + 6 * count + cell] |= (
                        1 << SIDES_OF_EDGE[EDGE_OFFSETS[dimension] + edge, index]
                    )


@kernel(types.int64(ACTIONS_OUT, types.int64))
def make(edge_set: Actions, edge: int) -> int:
    """Draw an open edge and return the number of cells that this captures, 0 to 2."""
    dimension = edge_set[DIMENSION]
    count, place = EDGES[dimension], EDGE_OFFSETS[dimension] + edge
    cells = PLACES + 6 * count
    _remove(edge_set, count, edge)
    edge_set[PLACES + count + edge] = DRAWN
    first, second = CELLS_OF_EDGE[place, 0], CELLS_OF_EDGE[place, 1]
    bits = edge_set[cells + first] ^ (1 << SIDES_OF_EDGE[place, 0])
    edge_set[cells + first] = bits
    captured = 1 if bits == 0 else 0
    if second >= 0:
        other = edge_set[cells + second] ^ (1 << SIDES_OF_EDGE[place, 1])
        edge_set[cells + second] = other
        captured += 1 if other == 0 else 0
        if STATES[other] != MANY_OPEN:
            _update_around(edge_set, second, other)
    if STATES[bits] != MANY_OPEN:
        _update_around(edge_set, first, bits)
    return captured


@kernel(types.int64(ACTIONS_OUT, types.int64))
def unmake(edge_set: Actions, edge: int) -> int:
    """Take back a drawn edge and return the number of cells that this opens again.

    Edges may be taken back in any order.
    """
    dimension = edge_set[DIMENSION]
    count, place = EDGES[dimension], EDGE_OFFSETS[dimension] + edge
    cells = PLACES + 6 * count
    first, second = CELLS_OF_EDGE[place, 0], CELLS_OF_EDGE[place, 1]
    bits = edge_set[cells + first]
    edge_set[cells + first] = bits | 1 << SIDES_OF_EDGE[place, 0]
    captured = 1 if bits == 0 else 0
    if second >= 0:
        other = edge_set[cells + second]
        edge_set[cells + second] = other | 1 << SIDES_OF_EDGE[place, 1]
        captured += 1 if other == 0 else 0
        if STATES[other] != MANY_OPEN:
            _update_around(edge_set, second, other)
    if STATES[bits] != MANY_OPEN:
        _update_around(edge_set, first, bits)
    _insert(edge_set, count, edge, _current_kind(edge_set, cells, place))
    return captured
