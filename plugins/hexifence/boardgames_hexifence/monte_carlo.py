"""Monte Carlo tree search, which `strong` uses for positions that cannot be solved in time.

The nodes of the tree are positions without captures. A move is followed by all captures that are always
right. If cells can be handed out at the end, the side that captures has a choice, and the move has two
successors that differ in the side to move. The order in which edges were drawn does not matter: a node
is identified by its open edges and the lead of the side to move. A cell's edges on the rim of the board are
interchangeable, and so are the edges of a chain.

Each simulation follows the moves with the highest upper confidence bounds down to a new node, and
plays out its position: both sides draw safe edges at random, and then always make the smallest sacrifice
(`sacrifices.value_of_line`). If a node has no safe edges and few chains, a search over sacrifices finds
out who wins. A simulation counts as won or lost, with a small bonus for the margin. Its result also counts
for the safe edges that were drawn later in the simulation. This second estimate (RAVE) matters as long as a
move has few simulations of its own.

Source: L. Kocsis and C. Szepesvári, "Bandit Based Monte-Carlo Planning", 2006; S. Gelly and D. Silver,
"Monte-Carlo Tree Search and Rapid Action Value Estimation in Computer Go", 2011; B. Childs, J. Brodeur
and L. Kocsis, "Transpositions and Move Groups in Monte Carlo Tree Search", 2008.
"""

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from boardgames.game import Game, Position
from boardgames.kernels import (
    Actions,
    Control,
    Reals,
    Words,
    is_stopped,
    kernel,
    mix,
    new_control,
    random_below,
    types,
)
from boardgames.kernels.abi import ACTIONS_OUT, ACTIONS_STACK, REALS_OUT, WORDS_OUT
from boardgames.kernels.bundles import BUNDLE, Bundle, unpacker
from boardgames.kernels.control import CONTROL
from boardgames.player import Stop
from boardgames.search.runner import run
from boardgames_hexifence import sacrifices
from boardgames_hexifence.board import EDGES, board, edges_of
from boardgames_hexifence.chains import EDGE_LIST, EDGES_FROM, END_AT, LENGTH, LOOP
from boardgames_hexifence.edges import (
    DIMENSION,
    DRAWN,
    kind_of,
    load,
    make,
    member,
    new_edge_set,
    number_of,
    random_member,
)
from boardgames_hexifence.endgame import capture_all, next_capture, take_back
from boardgames_hexifence.features import CAPTURING, FREE, SAFE
from boardgames_hexifence.handouts import CHAIN_HANDOUT, GROUPS, group_of
from boardgames_hexifence.sacrifices import BUDGET, SHORTEST, is_at_least, prepare, value_of_line
from boardgames_hexifence.sacrifices import COUNT as CHAIN_COUNT
from boardgames_hexifence.sacrifices import unpack as unpack_rest

EXPLORATION = 0.6
FIRST_PLAY = 0.05
"""How far below the mean of its parent a sacrifice is rated before its first simulation."""
RAVE_VISITS = 200.0
"""Maximum weight of the second estimate, in simulations."""
MARGIN_SHARE = 0.004
"""Bonus in the result of a simulation for each cell of the final difference."""
MOST_SACRIFICED = 3
"""Maximum length of chains and loops that are opened in the tree while there are safe edges."""
EXPANDED_VISITS = 2
"""Number of simulations of a node before its moves are listed."""
PRIOR_VISITS = 20
"""Number of simulations that the mean of all moves counts for in the estimate of each move."""
ENDGAME_NODES, MOST_SOLVED = 500, 16
"""Node limit of the search that finds out who wins without safe edges, and its maximum number of chains."""
NODES, CHILDREN = 1 << 18, 1 << 20

KEY, LEAD, VISITS, FIRST, COUNT, PROOF, LEAVES_OUT = 0, 1, 2, 3, 4, 5, 6
NODE_FIELDS = 7
EDGE, IS_CAPTURE, ALL_TAKEN, HANDED_OUT, RAVE_COUNT, SETTLED = 0, 1, 2, 3, 4, 5
CHILD_FIELDS = 6
NODE, IS_ROOT_SIDE, DRAWN_BEFORE = 0, 1, 2
STEP_FIELDS = 3
NODE_COUNT, CHILD_COUNT, LISTS_ALL = 0, 1, 2
UNKNOWN, LOST, WON = 0, 1, 2
IS_WON = (None, False, True)
ROOT, NOWHERE = 0, -1
QUIET, SENSIBLE, ALL = 0, 1, 2
"""Kinds of lists: the moves of a position without captures, the sensible moves of any position, all moves."""
LEAD_FACTOR, LEAD_BIAS = np.uint64(0x9E3779B97F4A7C15), 1 << 10


class MonteCarloWorkspace(NamedTuple):
    """The arrays of a search, as a bundle.

    Attributes
    ----------
    rest : int64[:]
        The workspace of the search over sacrifices (sacrifices.py).
    edge_set : int64[:]
        The edge set of the position; the same array as in the workspace `rest`.
    drawn : int64[E]
        The edges that have been drawn; the same array as in the workspace `rest`.
    classes, following : int64[E]
        For each edge, the lowest interchangeable edge, which identifies the class, and the next edge of the
        class; the last is followed by the first.
    nodes : int64[NODES, NODE_FIELDS]
        For each node its key, the lead of the side to move, its simulations, its first child, the number
        of its children (0 before they are listed), whether it is known that the side to move wins, and
        whether long chains or loops were left out of the list.
    results : float64[NODES]
        For each node the sum of the results of its simulations, for the side to move.
    children : int64[CHILDREN, CHILD_FIELDS]
        For each move its edge, whether it captures a cell, the nodes after all captures and after a
        hand-out, the number of simulations in its second estimate, and the result given to `settle`.
    estimates : float64[CHILDREN]
        For each move the sum of the results in its second estimate.
    places : int64[2 NODES]
        Hash table of nodes: each entry is the number of a node plus one, or 0.
    path : int64[E + 2, STEP_FIELDS]
        For each node of a simulation its number, whether its side to move is the same as at the root,
        and how many edges were drawn before it.
    order : int64[E]
        For each class of edges, the number of edges drawn before a safe one of the class was last drawn in
        the simulation, or `NOWHERE`.
    counts, proofs : int64[E]
        For each move of the root its simulations and its proof (`summarize`).
    means : float64[E]
        The mean result of these simulations.
    sizes : int64[3]
        Number of nodes and of children, and whether all moves of the root are estimated.
    random : uint64[1]
        State of the random generator.
    control : CONTROL_DTYPE[1]
        Stop flag, limit of simulations and their number.
    """

    rest: Annotated[Actions, BUNDLE]
    edge_set: Annotated[Actions, ACTIONS_OUT]
    drawn: Annotated[Actions, ACTIONS_OUT]
    classes: Annotated[Actions, ACTIONS_OUT]
    following: Annotated[Actions, ACTIONS_OUT]
    nodes: Annotated[Actions, ACTIONS_STACK]
    results: Annotated[Reals, REALS_OUT]
    children: Annotated[Actions, ACTIONS_STACK]
    estimates: Annotated[Reals, REALS_OUT]
    places: Annotated[Actions, ACTIONS_OUT]
    path: Annotated[Actions, ACTIONS_STACK]
    order: Annotated[Actions, ACTIONS_OUT]
    counts: Annotated[Actions, ACTIONS_OUT]
    proofs: Annotated[Actions, ACTIONS_OUT]
    means: Annotated[Reals, REALS_OUT]
    sizes: Annotated[Actions, ACTIONS_OUT]
    random: Annotated[Words, WORDS_OUT]
    control: Annotated[Control, CONTROL]


unpack = unpacker(MonteCarloWorkspace)


# --- playouts ---


@kernel(types.UniTuple(types.int64, 3)(BUNDLE, types.int64))
def capture(bundle: Actions, start: int) -> tuple[int, int, int]:
    """Capture all cells that can be captured, given that `start` edges have been drawn.

    Returns
    -------
    length : int64
        Number of edges drawn.
    taken : int64
        Number of cells captured.
    hand_out : int64
        How many of these cells can be handed out instead at the end.
    """
    work = unpack(bundle)
    edge_set, length, taken = work.edge_set, start, 0
    while number_of(edge_set, FREE) + number_of(edge_set, CAPTURING) > 0:
        if number_of(edge_set, FREE) > 0:
            edge = member(edge_set, FREE, 0)
        else:
            edge, hand_out, _ = next_capture(edge_set)
            if hand_out > 0:
                return capture_all(work.rest, length), taken + hand_out, hand_out
        taken += make(edge_set, edge)
        work.drawn[length] = edge
        length += 1
    return length, taken, 0


@kernel(types.int64(BUNDLE, types.int64, types.int64))
def play_out(bundle: Actions, start: int, lead: int) -> int:
    """Return the final difference of cells in one playout, for the side to move.

    The position has no captures, and `start` edges were drawn before. The playout writes to `order`.
    """
    work = unpack(bundle)
    length = start
    while number_of(work.edge_set, SAFE) > 0:
        edge = random_member(work.edge_set, SAFE, work.random)
        make(work.edge_set, edge)
        work.order[work.classes[edge]] = length
        work.drawn[length] = edge
        length += 1
    prepare(work.rest, 0)
    rest = value_of_line(work.rest, 0, 0)
    take_back(work.rest, length, start)
    return lead + (rest if (length - start) % 2 == 0 else -rest)


@kernel(types.float64(types.int64), inline=True)
def result_of(difference: int) -> float:
    """Return the result of a simulation, given the final difference of cells."""
    return (1.0 if difference > 0 else 0.0) + MARGIN_SHARE * difference


# --- the tree ---


@kernel(types.uint64(BUNDLE, types.int64, types.int64))
def key_of(bundle: Actions, start: int, length: int) -> np.uint64:
    """Return the sum that the edges drawn from `start` to `length` add to the key of a position."""
    work = unpack(bundle)
    key = np.uint64(0)
    for place in range(start, length):
        key += mix(np.uint64(work.classes[work.drawn[place]] + 1))
    return key


@kernel(types.int64(BUNDLE, types.uint64, types.int64))
def node_of(bundle: Actions, key: np.uint64, lead: int) -> int:
    """Return the node of the current position, a new one if needed, or `NOWHERE` if the tree is full.

    Parameters
    ----------
    bundle : int64[:]
        A `MonteCarloWorkspace` whose edge set has no captures.
    key : uint64
        The key of the edges drawn since the root.
    lead : int64
        The cells of the side to move minus those of its opponent.
    """
    work = unpack(bundle)
    code = np.int64(mix(key + LEAD_FACTOR * np.uint64(lead + LEAD_BIAS)))
    place = code & (work.places.size - 1)
    while work.places[place] != 0:
        node = work.places[place] - 1
        if work.nodes[node, KEY] == code:
            return node
        place = (place + 1) & (work.places.size - 1)
    node = work.sizes[NODE_COUNT]
    if node == work.nodes.shape[0]:
        return NOWHERE
    work.sizes[NODE_COUNT] = work.places[place] = node + 1
    work.nodes[node, KEY], work.nodes[node, LEAD] = code, lead
    work.nodes[node, VISITS] = work.nodes[node, COUNT] = 0
    work.nodes[node, PROOF] = UNKNOWN
    work.results[node] = 0.0
    if number_of(work.edge_set, SAFE) == 0:
        prepare(work.rest, 0)
        rest = unpack_rest(work.rest)
        if rest.state[CHAIN_COUNT] <= MOST_SOLVED:
            is_won = is_at_least(work.rest, 1 - lead, ENDGAME_NODES)
            if rest.state[BUDGET] >= 0:
                work.nodes[node, PROOF] = WON if is_won else LOST
    return node


@kernel(types.void(BUNDLE, types.int64), inline=True)
def add_child(bundle: Actions, edge: int) -> None:
    """Append a move to the list of children."""
    work = unpack(bundle)
    child = work.sizes[CHILD_COUNT]
    kind = kind_of(work.edge_set, edge)
    work.children[child, EDGE] = edge
    work.children[child, IS_CAPTURE] = 1 if kind in (FREE, CAPTURING) else 0
    work.children[child, ALL_TAKEN] = work.children[child, HANDED_OUT] = NOWHERE
    work.children[child, RAVE_COUNT] = 0
    work.children[child, SETTLED] = UNKNOWN
    work.estimates[child] = 0.0
    work.sizes[CHILD_COUNT] = child + 1


@kernel(types.boolean(BUNDLE, types.int64))
def is_first_of_class(bundle: Actions, edge: int) -> bool:
    """Return True if no lower edge of the same class is open."""
    work = unpack(bundle)
    other = work.following[edge]
    while other != edge:
        if other < edge and kind_of(work.edge_set, other) != DRAWN:
            return False
        other = work.following[other]
    return True


@kernel(types.void(BUNDLE, types.int64))
def add_opening(bundle: Actions, number: int) -> None:
    """Append the move that opens a chain or loop; a chain of two is cut in the middle."""
    work = unpack(bundle)
    rest = unpack_rest(work.rest)
    first = rest.chains[EDGES_FROM, number]
    is_pair = rest.chains[LENGTH, number] == CHAIN_HANDOUT and rest.chains[LOOP, number] == 0
    add_child(bundle, rest.chains[EDGE_LIST, first + 1 if is_pair else first])


@kernel(types.int64(BUNDLE))
def add_quiet_moves(bundle: Actions) -> int:
    """Append one move of each class in a position without captures; return 1 if any were left out, else 0.

    While there are safe edges, only short chains and loops are opened. Of the isolated chains and loops,
    only the shortest of each group is opened (handouts.py).
    """
    work = unpack(bundle)
    safe = number_of(work.edge_set, SAFE)
    for place in range(safe):
        edge = member(work.edge_set, SAFE, place)
        if is_first_of_class(bundle, edge):
            add_child(bundle, edge)
    prepare(work.rest, 0)
    rest, left_out = unpack_rest(work.rest), 0
    for group in range(GROUPS):
        rest.state[SHORTEST + group] = NOWHERE
    for number in range(rest.state[CHAIN_COUNT]):
        length, is_loop = rest.chains[LENGTH, number], rest.chains[LOOP, number]
        if length > MOST_SACRIFICED and safe > 0:
            left_out = 1
            continue
        if rest.chains[END_AT, 2 * number] != NOWHERE or rest.chains[END_AT, 2 * number + 1] != NOWHERE:
            add_opening(bundle, number)
        else:
            place = SHORTEST + group_of(length, is_loop)
            shortest = rest.state[place]
            if shortest == NOWHERE or length < rest.chains[LENGTH, shortest]:
                rest.state[place] = number
    for group in range(GROUPS):
        if rest.state[SHORTEST + group] != NOWHERE:
            add_opening(bundle, rest.state[SHORTEST + group])
    return left_out


@kernel(types.void(BUNDLE, types.int64, types.int64))
def expand(bundle: Actions, node: int, kind: int) -> None:
    """List the moves of a node, whose position is the current one, if there is room for them."""
    work = unpack(bundle)
    edge_set, edges = work.edge_set, EDGES[work.edge_set[DIMENSION]]
    first = work.sizes[CHILD_COUNT]
    if first + edges > work.children.shape[0] or work.sizes[NODE_COUNT] == work.nodes.shape[0]:
        return
    work.nodes[node, LEAVES_OUT] = 0
    if kind == ALL:
        for edge in range(edges):
            if kind_of(edge_set, edge) != DRAWN:
                add_child(bundle, edge)
    elif kind == QUIET or number_of(edge_set, FREE) + number_of(edge_set, CAPTURING) == 0:
        work.nodes[node, LEAVES_OUT] = add_quiet_moves(bundle)
    elif number_of(edge_set, FREE) > 0:
        add_child(bundle, member(edge_set, FREE, 0))
    else:
        edge, hand_out, other = next_capture(edge_set)
        add_child(bundle, edge)
        if hand_out > 0:
            add_child(bundle, other)
    count = work.sizes[CHILD_COUNT] - first
    for place in range(count - 1, 0, -1):  # shuffle, since the first of equally good moves is chosen
        one, other = first + place, first + random_below(work.random, place + 1)
        for field in (EDGE, IS_CAPTURE):
            kept = work.children[one, field]
            work.children[one, field] = work.children[other, field]
            work.children[other, field] = kept
    work.nodes[node, FIRST], work.nodes[node, COUNT] = first, count


@kernel(types.Tuple((types.int64, types.float64))(BUNDLE, types.int64))
def visits_and_result(bundle: Actions, child: int) -> tuple[int, float]:
    """Return the number of a move's simulations, and their mean result for the side that makes it."""
    work = unpack(bundle)
    first, second = work.children[child, ALL_TAKEN], work.children[child, HANDED_OUT]
    visits, result = 0, 0.0
    if first != NOWHERE and work.nodes[first, VISITS] > 0:
        visits = work.nodes[first, VISITS]
        result = work.results[first] / visits
    if second != NOWHERE and work.nodes[second, VISITS] > 0:
        other = 1.0 - work.results[second] / work.nodes[second, VISITS]
        result = other if visits == 0 else max(result, other)
        visits += work.nodes[second, VISITS]
    return visits, result if work.children[child, IS_CAPTURE] != 0 else 1.0 - result


@kernel(types.int64(BUNDLE, types.int64))
def proof_of(bundle: Actions, child: int) -> int:
    """Return `WON` or `LOST` for the side that makes a move if that is known, and `UNKNOWN` otherwise."""
    work = unpack(bundle)
    if work.children[child, SETTLED] != UNKNOWN:
        return work.children[child, SETTLED]
    first, second = work.children[child, ALL_TAKEN], work.children[child, HANDED_OUT]
    proof = work.nodes[first, PROOF] if first != NOWHERE else UNKNOWN
    if second != NOWHERE and proof != WON:
        other = work.nodes[second, PROOF]
        if other == LOST:
            proof = WON
        elif other == UNKNOWN:
            proof = UNKNOWN
    if proof == UNKNOWN or work.children[child, IS_CAPTURE] != 0:
        return proof
    return LOST if proof == WON else WON


@kernel(types.int64(BUNDLE, types.int64), inline=True)
def edge_of(bundle: Actions, child: int) -> int:
    """Return an open edge of a move's class; `NOWHERE` if there is none, after a collision of keys."""
    work = unpack(bundle)
    edge = work.children[child, EDGE]
    while kind_of(work.edge_set, edge) == DRAWN:  # the node was created with another edge of the class open
        edge = work.following[edge]
        if edge == work.children[child, EDGE]:
            return NOWHERE
    return edge


@kernel(types.int64(BUNDLE, types.int64))
def select(bundle: Actions, node: int) -> int:
    """Return the child with the highest upper confidence bound, or `NOWHERE` if a proof was found.

    A proof that the node is won or lost is stored in it: one child wins, or all lose. When the tree is full,
    children without simulations are ignored.
    """
    work = unpack(bundle)
    first, total = work.nodes[node, FIRST], work.nodes[node, VISITS]
    mean = work.results[node] / max(total, 1)
    scale = EXPLORATION * math.sqrt(math.log(total + 1.0))
    lists_all = node == ROOT and work.sizes[LISTS_ALL] != 0
    is_full = work.sizes[NODE_COUNT] == work.nodes.shape[0]
    is_complete = work.nodes[node, LEAVES_OUT] == 0
    chosen, highest = NOWHERE, 0.0
    for child in range(first, first + work.nodes[node, COUNT]):
        proof = work.children[child, SETTLED] if lists_all else proof_of(bundle, child)
        if proof == WON and not lists_all:
            work.nodes[node, PROOF] = WON
            return NOWHERE
        if proof != UNKNOWN:
            continue
        visits, result = visits_and_result(bundle, child)
        if visits == 0 and lists_all:
            return child
        edge = edge_of(bundle, child)
        if edge == NOWHERE or (visits == 0 and is_full):
            is_complete = False
            continue
        count = work.children[child, RAVE_COUNT]
        if count > 0:
            weight = min(float(count), RAVE_VISITS)
            result = (visits * result + weight * work.estimates[child] / count) / (visits + weight)
        elif visits == 0:
            is_safe = kind_of(work.edge_set, edge) == SAFE
            result = mean if is_safe else mean - FIRST_PLAY
        bound = result + scale / math.sqrt(visits + 1.0)
        if chosen == NOWHERE or bound > highest:
            chosen, highest = child, bound
    if chosen == NOWHERE and is_complete:
        work.nodes[node, PROOF] = LOST
    return chosen


@kernel(types.boolean(BUNDLE, types.int64, types.int64))
def hands_out(bundle: Actions, first: int, second: int) -> bool:
    """Return whether to hand out cells, by the upper confidence bounds of the nodes of both choices."""
    work = unpack(bundle)
    visits, others = work.nodes[first, VISITS], work.nodes[second, VISITS]
    if visits == 0 or others == 0:
        return visits > 0
    result, other = work.results[first] / visits, 1.0 - work.results[second] / others
    scale = EXPLORATION * math.sqrt(math.log(float(visits + others)))
    return other + scale / math.sqrt(float(others)) > result + scale / math.sqrt(float(visits))


@kernel(types.void(BUNDLE, types.int64, types.float64))
def update(bundle: Actions, depth: int, result: float) -> None:
    """Add the result of a simulation to the `depth` nodes of its path.

    The result is from the point of view of the side to move at the root.
    """
    work = unpack(bundle)
    for step in range(depth):
        node = work.path[step, NODE]
        own = result if work.path[step, IS_ROOT_SIDE] != 0 else 1.0 - result
        work.nodes[node, VISITS] += 1
        work.results[node] += own
        first = work.nodes[node, FIRST]
        for child in range(first, first + work.nodes[node, COUNT]):
            group = work.classes[work.children[child, EDGE]]
            if work.order[group] >= work.path[step, DRAWN_BEFORE]:
                work.children[child, RAVE_COUNT] += 1
                work.estimates[child] += own


@kernel(types.float64(types.int64), inline=True)
def result_of_proof(proof: int) -> float:
    """Return the result of a simulation that ends at a node whose winner is known."""
    return 1.0 if proof == WON else 0.0


@kernel(types.Tuple((types.boolean, types.float64))(BUNDLE, types.int64, types.int64, types.int64))
def end_at(bundle: Actions, node: int, length: int, lead: int) -> tuple[bool, float]:
    """End a simulation at a node that has no children yet, or whose result is known.

    Returns
    -------
    is_over : bool
        False if the simulation continues with a child.
    result : float64
        If it is over, its result for the side to move.
    """
    work = unpack(bundle)
    if node != NOWHERE:
        if work.nodes[node, PROOF] != UNKNOWN:
            return True, result_of_proof(work.nodes[node, PROOF])
        if work.nodes[node, COUNT] == 0 and work.nodes[node, VISITS] >= EXPANDED_VISITS:
            expand(bundle, node, QUIET)
        if work.nodes[node, COUNT] > 0:
            return False, 0.0
    return True, result_of(play_out(bundle, length, lead))


@kernel(types.void(BUNDLE))
def simulate_once(bundle: Actions) -> None:
    """Run one simulation from the root."""
    work = unpack(bundle)
    work.order[:] = NOWHERE
    node, length, depth, own, key = ROOT, 0, 0, 1, np.uint64(0)
    lead = work.nodes[ROOT, LEAD]
    while True:
        if node != NOWHERE:
            work.path[depth, NODE], work.path[depth, IS_ROOT_SIDE] = node, own
            work.path[depth, DRAWN_BEFORE] = length
            depth += 1
        is_over, result = end_at(bundle, node, length, lead)
        if is_over:
            break
        child = select(bundle, node)
        if child == NOWHERE:
            result = result_of_proof(work.nodes[node, PROOF])
            break
        edge, start = edge_of(bundle, child), length
        if kind_of(work.edge_set, edge) == SAFE:
            work.order[work.classes[edge]] = length
        lead += make(work.edge_set, edge)
        work.drawn[length] = edge
        if work.children[child, IS_CAPTURE] == 0:
            lead, own = -lead, 1 - own
        length, taken, hand_out = capture(bundle, length + 1)
        lead += taken
        key += key_of(bundle, start, length)
        node = work.children[child, ALL_TAKEN] = node_of(bundle, key, lead)
        if hand_out > 0 and node != NOWHERE:
            other = work.children[child, HANDED_OUT] = node_of(bundle, key, 2 * hand_out - lead)
            if other == NOWHERE:  # a proof would need both nodes, but the tree is full
                node = work.children[child, ALL_TAKEN] = NOWHERE
            elif hands_out(bundle, node, other):
                node, lead, own = other, 2 * hand_out - lead, 1 - own
    take_back(work.rest, length, 0)
    update(bundle, depth, result if own != 0 else 1.0 - result)


@kernel(types.void(BUNDLE, types.int64, types.boolean))
def plant(bundle: Actions, lead: int, all_moves: bool) -> None:
    """Start a new tree, and list the moves of the edge set at its root.

    Parameters
    ----------
    bundle : int64[:]
        A `MonteCarloWorkspace` whose edge set has at least one open edge.
    lead : int64
        The cells of the side to move minus those of its opponent.
    all_moves : bool
        True to list every move, False to list one of each class of sensible moves. These are a free
        edge if there is one, else a capturing edge and the edge that hands out cells instead, else the
        safe edges and short sacrifices.
    """
    work = unpack(bundle)
    work.places[:] = 0
    work.sizes[NODE_COUNT], work.sizes[CHILD_COUNT] = ROOT + 1, 0
    work.nodes[ROOT, LEAD] = lead
    work.nodes[ROOT, VISITS] = work.nodes[ROOT, COUNT] = 0
    work.nodes[ROOT, PROOF] = UNKNOWN
    work.results[ROOT] = 0.0
    work.sizes[LISTS_ALL] = 1 if all_moves else 0
    expand(bundle, ROOT, ALL if all_moves else SENSIBLE)


@kernel(types.void(BUNDLE))
def simulate(bundle: Actions) -> None:
    """Simulate until the result is known, the stop flag is set, or the limit of simulations is reached.

    At least one simulation is made, or one for every move if all moves are listed.
    """
    work = unpack(bundle)
    least = work.nodes[ROOT, COUNT] if work.sizes[LISTS_ALL] != 0 else 1
    while work.nodes[ROOT, PROOF] == UNKNOWN:
        if is_stopped(work.control) and work.nodes[ROOT, VISITS] >= least:
            return
        simulate_once(bundle)
        work.control[0].nodes += 1


@kernel(types.void(BUNDLE))
def summarize(bundle: Actions) -> None:
    """Write the statistics and proofs of the moves of the root to `counts`, `means` and `proofs`."""
    work = unpack(bundle)
    first = work.nodes[ROOT, FIRST]
    for place in range(work.nodes[ROOT, COUNT]):
        work.counts[place], work.means[place] = visits_and_result(bundle, first + place)
        work.proofs[place] = proof_of(bundle, first + place)


# --- for Python ---


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of a move by simulations, for the side that makes it.

    Attributes
    ----------
    simulations : int
        Number of simulations of the move.
    result : float
        Share of these simulations that were won, with a small bonus for the margin. It is averaged with the
        mean of all moves, which has the weight of a few simulations, so no move looks good by chance.
    is_won : bool or None
        True or False if it is known whether the move wins, otherwise None.
    """

    simulations: int
    result: float
    is_won: bool | None


class MonteCarlo:
    """A search tree for a position of Hexifence.

    Parameters
    ----------
    game : Game
        Hexifence of any dimension.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("hexifence", dimension=2)
    >>> tree = MonteCarlo(game)
    >>> tree.start(game.start().apply_moves("0 1 4 5 8"), 0, seed=1)  # now 9 captures a cell
    >>> tree.simulate(simulations=10)
    >>> list(tree.estimates()), tree.simulations
    ([9], 10)
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._allocate()

    def _allocate(self) -> None:
        dimension = int(self._game.options["dimension"] or 0)
        edges, classes = edges_of(dimension), classes_of(dimension)
        self._control = new_control()
        self._edge_set = new_edge_set(self._game.start().words)
        self._rest = sacrifices.new_workspace(self._edge_set, dimension, self._control)
        self._work = MonteCarloWorkspace(
            rest=self._rest.words,
            edge_set=self._edge_set,
            drawn=sacrifices.SacrificesWorkspace(*self._rest.items).drawn,
            classes=classes,
            following=_following(classes),
            nodes=np.zeros((NODES, NODE_FIELDS), dtype=np.int64),
            results=np.zeros(NODES),
            children=np.zeros((CHILDREN, CHILD_FIELDS), dtype=np.int64),
            estimates=np.zeros(CHILDREN),
            places=np.zeros(2 * NODES, dtype=np.int64),
            path=np.zeros((edges + 2, STEP_FIELDS), dtype=np.int64),
            order=np.zeros(edges, dtype=np.int64),
            counts=np.zeros(edges, dtype=np.int64),
            proofs=np.zeros(edges, dtype=np.int64),
            means=np.zeros(edges),
            sizes=np.zeros(3, dtype=np.int64),
            random=np.zeros(1, dtype=np.uint64),
            control=self._control,
        )
        self._bundle = Bundle(self._work)

    @property
    def simulations(self) -> int:
        """Return the number of simulations since `start` was called."""
        return int(self._control[0].nodes)

    @property
    def is_decided(self) -> bool:
        """Return whether the tree has found out who wins; it does not consider opening long chains."""
        return bool(self._work.nodes[ROOT, PROOF] != UNKNOWN)

    def start(self, position: Position, lead: int, *, seed: int, all_moves: bool = False) -> None:
        """Begin a new tree.

        Parameters
        ----------
        position : Position
            A position in which the match is not over.
        lead : int
            The cells of the side to move minus those of its opponent.
        seed : int
            Seed of the random generator.
        all_moves : bool
            Whether to estimate every move (`plant`).
        """
        load(position.words, self._edge_set)
        self._control[0].nodes = 0
        self._work.random[0] = seed
        plant(self._bundle.words, lead, all_moves)

    def simulate(
        self, *, simulations: int = 0, seconds: float | None = None, stop: Stop | None = None
    ) -> None:
        """Grow the tree until a limit is reached or the tree has found out who wins.

        At least one simulation is made, or one for every move if all moves are estimated.

        Parameters
        ----------
        simulations : int
            Maximum number of simulations in this call; 0 for no limit.
        seconds : float, optional
            Time after which simulations end.
        stop : Stop, optional
            Set by another thread to end the simulations.
        """
        self._control[0].stop = 0
        self._control[0].node_limit = self.simulations + simulations if simulations else 0
        bundles = self._bundle, self._rest
        try:
            run(lambda: simulate(bundles[0].words), self._control, seconds=seconds, stop=stop)
        except BaseException:
            self._allocate()  # a kernel that has not noticed an interrupt may still use the old arrays
            raise

    def settle(self, edge: int, *, is_won: bool) -> None:
        """Tell the tree whether a move wins, so that it spends no simulations on it."""
        for child in self._children():
            if self._work.children[child, EDGE] == edge:
                self._work.children[child, SETTLED] = WON if is_won else LOST

    def estimates(self) -> dict[int, Estimate]:
        """Return the estimate for each edge that the tree considers, the most simulated first."""
        work, children = self._work, self._children()
        summarize(self._bundle.words)
        mean = work.results[ROOT] / max(work.nodes[ROOT, VISITS], 1)
        counts, proofs = work.counts[: len(children)], work.proofs[: len(children)]
        results = (counts * work.means[: len(children)] + PRIOR_VISITS * mean) / (counts + PRIOR_VISITS)
        edges = work.children[children.start : children.stop, EDGE]
        order = np.argsort(-counts, kind="stable")
        return {
            int(edges[place]): Estimate(int(counts[place]), float(results[place]), IS_WON[int(proofs[place])])
            for place in order
        }

    def _children(self) -> range:
        """Return the children of the root."""
        first, count = (int(self._work.nodes[ROOT, field]) for field in (FIRST, COUNT))
        return range(first, first + count)


def classes_of(dimension: int) -> Actions:
    """Return for each edge the lowest edge that is interchangeable with it, `int64[E]`.

    Edges are interchangeable if they are on the rim of the board and belong to the same cell.

    Examples
    --------
    >>> classes_of(2)[:5].tolist()
    [0, 0, 2, 2, 0]
    """
    lowest: dict[int, int] = {}
    classes = [
        edge if len(cells) > 1 else lowest.setdefault(cells[0], edge)
        for edge, cells in enumerate(board(dimension).cells_of_edge)
    ]
    return np.array(classes, dtype=np.int64)


def _following(classes: Actions) -> Actions:
    """Return for each edge the next one of its class; the last is followed by the first."""
    following = np.zeros_like(classes)
    for edge in np.unique(classes):
        members = np.flatnonzero(classes == edge)
        following[members] = np.roll(members, -1)
    return following
