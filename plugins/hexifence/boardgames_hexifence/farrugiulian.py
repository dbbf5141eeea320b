"""The moves of the agent `farrugiulian`: a search over safe edges that only finds out who wins.

If there are more safe edges than a limit, a random one is drawn. Otherwise a win/loss search
draws safe edges until none is left, and then asks whether the side to move wins by its
sacrifices (sacrifices.py). It does not consider sacrifices before that. The first winning move
is played. If there is none, or time runs out, a random safe edge that is not known to lose is drawn.

Two safe edges at the rim of the same cell count as one move. With a table, positions that were searched
are looked up by the set of safe edges that were drawn, in whatever order.

Source: J. Tran and M. Farrugia's Hexifence agent (COMP30024, University of Melbourne, 2016).
"""

from typing import Annotated, NamedTuple

import numpy as np

from boardgames.kernels import Actions, Control, Words, bit, is_stopped, kernel, mix, random_below, types
from boardgames.kernels.abi import ACTIONS, ACTIONS_OUT, ACTIONS_STACK, WORDS_OUT
from boardgames.kernels.bundles import BUNDLE, Bundle, unpacker
from boardgames.kernels.control import CONTROL
from boardgames_hexifence.board import CELLS_OF_EDGE, EDGE_OFFSETS
from boardgames_hexifence.edges import (
    DIMENSION,
    kind_of,
    make,
    member,
    number_of,
    random_member,
    unmake,
)
from boardgames_hexifence.endgame import capture_all, next_capture, take_back, value_of_rest
from boardgames_hexifence.features import CAPTURING, FREE, SAFE
from boardgames_hexifence.sacrifices import best_sacrifice, is_at_least, new_workspace, value_of_sacrifices

MOST_SAFE = 60
"""Maximum number of safe edges that are searched; a set of them must fit into a word."""
MOST_BITS = 22
"""The table has `1 << MOST_BITS` entries; with fewer safe edges, one entry per set of them is used."""
LEAF_NODES = 256
"""Node limit of a search over sacrifices after the last safe edge."""
ROOT_NODES = 100_000
"""Node limit of a search over sacrifices that chooses a move."""
EDGE, EARLIER, FIRST_TRIED = 0, 1, 2
SAFE_ROWS = 3
COUNT, USED, LEAF_LIMIT = 0, 1, 2
NONE = -1
ZERO = np.uint64(0)


class FarrugiulianWorkspace(NamedTuple):
    """The arrays of a search, as a bundle.

    Attributes
    ----------
    edge_set : int64[:]
        The edge set of the position, which both workspaces share.
    safe : int64[3, MOST_SAFE + 1]
        The safe edges at the root; for each of them the place of an earlier one at the rim of the same
        cell, or `NONE`; and for each ply the place of the edge that is tried first.
    table : int64[:]
        Sets of drawn edges and whether the side to move wins; empty if no table is used.
    settings : int64[3]
        Number of safe edges at the root, number of table entries in use, and node limit of a search over
        sacrifices after the last safe edge.
    control : CONTROL_DTYPE[1]
        Stop flag, node limit and number of nodes.
    """

    edge_set: Annotated[Actions, ACTIONS_OUT]
    safe: Annotated[Actions, ACTIONS_STACK]
    table: Annotated[Actions, ACTIONS_OUT]
    settings: Annotated[Actions, ACTIONS_OUT]
    control: Annotated[Control, CONTROL]


unpack = unpacker(FarrugiulianWorkspace)


def new_workspaces(
    edge_set: Actions, dimension: int, control: Control, *, has_table: bool, leaf_nodes: int = LEAF_NODES
) -> tuple[Bundle, Bundle]:
    """Return two workspaces, for the search over safe edges and for the search over sacrifices.

    Parameters
    ----------
    edge_set : int64[:]
        The edge set of the position.
    dimension : int
        Cells per side of the board.
    control : CONTROL_DTYPE[1]
        Stop flag, node limit and number of nodes, which both share.
    has_table : bool
        Whether to keep the results of sets of safe edges in a table.
    leaf_nodes : int
        Node limit of a search over sacrifices after the last safe edge. If it does not suffice, and always
        with 0, the result is estimated by a single line of play.
    """
    workspace = FarrugiulianWorkspace(
        edge_set=edge_set,
        safe=np.zeros((SAFE_ROWS, MOST_SAFE + 1), dtype=np.int64),
        table=np.zeros(1 << MOST_BITS if has_table else 0, dtype=np.int64),
        settings=np.array([0, 0, leaf_nodes], dtype=np.int64),
        control=control,
    )
    return Bundle(workspace), new_workspace(edge_set, dimension, control)


@kernel(types.void(BUNDLE, WORDS_OUT))
def _prepare(bundle: Actions, state: Words) -> None:
    """List the safe edges in random order and clear the table."""
    work = unpack(bundle)
    edge_set, safe = work.edge_set, work.safe
    count = number_of(edge_set, SAFE)
    work.settings[COUNT] = count
    offset = EDGE_OFFSETS[edge_set[DIMENSION]]
    for place in range(count):
        other = random_below(state, place + 1)
        safe[EDGE, place] = safe[EDGE, other]
        safe[EDGE, other] = member(edge_set, SAFE, place)
        safe[FIRST_TRIED, place] = 0
    for place in range(count):
        safe[EARLIER, place] = NONE
        row = offset + safe[EDGE, place]
        if CELLS_OF_EDGE[row, 1] == NONE:
            for other in range(place):
                beside = offset + safe[EDGE, other]
                if CELLS_OF_EDGE[beside, 1] == NONE and CELLS_OF_EDGE[beside, 0] == CELLS_OF_EDGE[row, 0]:
                    safe[EARLIER, place] = other
    work.settings[USED] = min(work.table.size, 1 << min(count, MOST_BITS))
    for slot in range(work.settings[USED]):
        work.table[slot] = 0


@kernel(types.boolean(ACTIONS, ACTIONS_STACK, types.int64), inline=True)
def _is_candidate(edge_set: Actions, safe: Actions, place: int) -> bool:
    """Return True if an edge of the list is still safe, but no equivalent edge before it is."""
    earlier = safe[EARLIER, place]
    return kind_of(edge_set, safe[EDGE, place]) == SAFE and (
        earlier == NONE or kind_of(edge_set, safe[EDGE, earlier]) != SAFE
    )


@kernel(types.boolean(BUNDLE, BUNDLE, types.int64, types.int64, types.uint64))
def _is_won(bundle: Actions, rest: Actions, ply: int, lead: int, drawn: np.uint64) -> bool:
    """Return True if the side to move wins; the result is meaningless if the search was stopped.

    Parameters
    ----------
    bundle, rest : int64[:]
        The workspaces (`new_workspaces`).
    ply : int64
        Number of safe edges drawn in the search.
    lead : int64
        The cells of the side to move minus those of its opponent.
    drawn : uint64
        The safe edges drawn in the search: bit k stands for place k of the list.
    """
    work = unpack(bundle)
    if is_stopped(work.control):
        return False
    work.control[0].nodes += 1
    slot = np.int64(-1)
    if work.table.size > 0:
        slot = np.int64(mix(drawn) & np.uint64(work.settings[USED] - 1))
        if ply > 0 and work.table[slot] >> 1 == np.int64(drawn):
            return work.table[slot] & 1 != 0
    count, first, is_won = work.settings[COUNT], work.safe[FIRST_TRIED, ply], False
    if number_of(work.edge_set, SAFE) == 0:
        count, is_won = 0, is_at_least(rest, 1 - lead, work.settings[LEAF_LIMIT])
    for step in range(count):
        place = first + step if first + step < count else first + step - count
        if not _is_candidate(work.edge_set, work.safe, place):
            continue
        make(work.edge_set, work.safe[EDGE, place])
        is_lost = _is_won(bundle, rest, ply + 1, -lead, drawn | bit(place))
        unmake(work.edge_set, work.safe[EDGE, place])
        if is_stopped(work.control):
            return False
        if not is_lost:
            work.safe[FIRST_TRIED, ply], is_won = place, True
            break
    if slot >= 0:
        work.table[slot] = np.int64(drawn) << 1 | (1 if is_won else 0)
    return is_won


@kernel(types.boolean(BUNDLE, BUNDLE, types.int64, WORDS_OUT))
def _search(bundle: Actions, rest: Actions, lead: int, state: Words) -> bool:
    """Search the edge set from the root, and return whether the side to move wins."""
    _prepare(bundle, state)
    return _is_won(bundle, rest, 0, lead, ZERO)


@kernel(types.int64(BUNDLE, BUNDLE, types.int64, WORDS_OUT))
def best_safe_edge(bundle: Actions, rest: Actions, lead: int, state: Words) -> int:
    """Return a winning safe edge, else a random one that is not known to lose, else a random one.

    Parameters
    ----------
    bundle, rest : int64[:]
        The workspaces (`new_workspaces`), whose edge set has 1 to `MOST_SAFE` safe edges and no captures.
    lead : int64
        The cells of the side to move minus those of its opponent.
    state : uint64[1]
        State of the random generator, which is advanced.
    """
    _prepare(bundle, state)
    work = unpack(bundle)
    left, chosen = 0, NONE
    for place in range(work.settings[COUNT]):
        if not _is_candidate(work.edge_set, work.safe, place):
            continue
        edge = work.safe[EDGE, place]
        is_lost = False
        if not is_stopped(work.control):
            make(work.edge_set, edge)
            is_lost = _is_won(bundle, rest, 1, -lead, bit(place))
            unmake(work.edge_set, edge)
        if is_stopped(work.control):
            left += 1
            if random_below(state, left) == 0:
                chosen = edge
        elif not is_lost:
            return edge
    return chosen if chosen != NONE else random_member(work.edge_set, SAFE, state)


@kernel(types.int64(BUNDLE, BUNDLE, types.int64, types.int64, WORDS_OUT))
def capture_or_hand_out(bundle: Actions, rest: Actions, lead: int, most_safe: int, state: Words) -> int:
    """Return a capturing edge, or one that hands out cells, in a position without free edges.

    Without safe edges, cells are handed out if that gives more cells in the end. With safe edges, they are
    handed out if that wins and capturing them does not.
    """
    work = unpack(bundle)
    edge, cells, hand_out = next_capture(work.edge_set)
    if cells == 0:
        return edge
    length = capture_all(rest, 0)
    count = number_of(work.edge_set, SAFE)
    is_better, is_known = False, False
    if count == 0:
        is_better, is_known = value_of_sacrifices(rest, ROOT_NODES) < -cells, True
    elif count <= most_safe:
        is_better = not _search(bundle, rest, lead + cells, state) and not _search(
            bundle, rest, cells - lead, state
        )
        is_known = not is_stopped(work.control)
    if not is_known:
        is_better = value_of_rest(rest, length, state) < -cells
    take_back(rest, length, 0)
    return hand_out if is_better else edge


@kernel(types.int64(BUNDLE, BUNDLE, types.int64, types.int64, WORDS_OUT))
def best_move(bundle: Actions, rest: Actions, lead: int, most_safe: int, state: Words) -> int:
    """Return the edge that the agent `farrugiulian` draws.

    Parameters
    ----------
    bundle, rest : int64[:]
        The workspaces (`new_workspaces`), whose edge set has at least one open edge.
    lead : int64
        The cells of the side to move minus those of its opponent.
    most_safe : int64
        Maximum number of safe edges that are searched, up to `MOST_SAFE`.
    state : uint64[1]
        State of the random generator, which is advanced.
    """
    work = unpack(bundle)
    if number_of(work.edge_set, FREE) > 0:
        return random_member(work.edge_set, FREE, state)
    if number_of(work.edge_set, CAPTURING) > 0:
        return capture_or_hand_out(bundle, rest, lead, most_safe, state)
    count = number_of(work.edge_set, SAFE)
    if count == 0:
        return best_sacrifice(rest, lead, ROOT_NODES, state)
    if count > most_safe:
        return random_member(work.edge_set, SAFE, state)
    return best_safe_edge(bundle, rest, lead, state)
