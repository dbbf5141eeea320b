"""The kernels of a simulation, in the order in which they run, followed by `gather` and `receive`.

- selection: from the root down, the move with the highest bound by PUCT with first-play urgency (D. Silver
  et al., 2018; D. Wu, "Accelerating self-play learning in Go", 2019), except at a Gumbel root
  (`boardgames.search.batched.roots`);
- expansion: a leaf gets edges for its legal moves. A leaf in which the match is over or a move wins at once
  is proven and needs no evaluation; any other leaf waits for one;
- virtual loss: while a leaf waits, its simulation counts as a loss for the side that chose each edge, so that
  the next simulation of the tree reaches another leaf;
- backpropagation of the value, and of proofs (`boardgames.search.batched.proofs`).

`gather` collects leaves from all trees, and `receive` takes their evaluations. In between, a network values
the leaves of all trees in one batch.
"""

import math

import numpy as np

from boardgames.kernels import Actions, Bytes, kernel, row, row_out, types
from boardgames.kernels.abi import BYTES_STACK, FLOATS_STACK, Floats
from boardgames.kernels.bundles import BUNDLE
from boardgames.search.batched.options import GUMBEL_ROOT, MAX_DEPTH, NOISE_ROOT, unpack
from boardgames.search.batched.proofs import NO_PROOF, proof_from_edges, prove_path, proven_value
from boardgames.search.batched.roots import (
    NO_EDGE,
    ROOT,
    add_noise,
    exploration_term,
    forced_visits,
    gumbel_edge,
)
from boardgames.search.rules import DRAWN, ONGOING, UNFINISHED, final_result, result_at_limit

NO_NODE = 0
NO_ROW = -1
WAITS, DONE, COLLIDED = range(3)
"""How a descent ends: at a leaf that needs an evaluation, with a value, or at a leaf that already waits."""
GATHERED, UNFINISHED_TREES, SHORT = range(3)
"""Values that `gather` returns."""
MOST_DESCENTS = 1000
"""Maximum number of simulations of a tree in a call of `gather`, so that time limits can be checked."""


@kernel(types.int64(BUNDLE, types.int64, types.int64))
def puct_edge(bundle: Actions, tree: int, node: int) -> int:
    """Return the edge of a node with the highest bound; edges that are proven to lose are skipped."""
    search = unpack(bundle)
    options = search.options[0]
    first, side = int(search.node_first[tree, node]), int(search.node_side[tree, node])
    last, loss, sign = first + int(search.node_count[tree, node]), 2 - side, 1.0 - 2.0 * side
    visits, waiting, total, seen = 0, 0, float(search.node_value[tree, node]), 0.0
    for edge in range(first, last):
        own = search.edge_visits[tree, edge] + search.edge_waiting[tree, edge]
        if own > 0:
            visits += search.edge_visits[tree, edge]
            waiting += search.edge_waiting[tree, edge]
            total += search.edge_total[tree, edge]
            seen += search.edge_prior[tree, edge]
    all_visits = float(visits + waiting)
    unseen = sign * total / (1.0 + visits) - options.first_play_reduction * math.sqrt(seen)
    exploration = exploration_term(options.exploration, all_visits)
    is_noisy = options.root == NOISE_ROOT and search.noisy[tree] != 0
    is_forced = node == ROOT and is_noisy and options.forced > 0.0
    best, highest = NO_EDGE, -math.inf
    for edge in range(first, last):
        proof = search.edge_proof[tree, edge]
        if proof == loss:
            continue
        own = float(search.edge_visits[tree, edge] + search.edge_waiting[tree, edge])
        value = unseen
        if proof != NO_PROOF:
            value = sign * proven_value(proof)
        elif own > 0.0:
            value = (sign * search.edge_total[tree, edge] - search.edge_waiting[tree, edge]) / own
        bound = value + exploration * search.edge_prior[tree, edge] / (1.0 + own)
        if is_forced and 0.0 < own < forced_visits(bundle, tree, edge, all_visits):
            bound = math.inf
        if bound > highest:
            best, highest = edge, bound
    return best


@kernel(types.int64(BUNDLE, types.int64, types.int64, types.int64))
def add_node(bundle: Actions, tree: int, here: int, depth: int) -> int:
    """Add a node for the position in row `here`, with its edges, and return it. There must be room for it.

    The node needs an evaluation unless it is proven.
    """
    search = unpack(bundle)
    no_moves_draws = search.options[0].no_moves_draws != 0
    position, moves = row(search.positions, here), row_out(search.moves, tree)
    node = int(search.nodes_used[tree])
    search.nodes_used[tree] = node + 1
    first = int(search.edges_used[tree])
    count = search.legal_moves(position, moves)
    search.node_first[tree, node] = first
    search.node_value[tree, node] = np.nan
    search.node_side[tree, node] = 1 if search.side_to_move(position) == 1 else 0
    result = ONGOING
    if count == 0:
        result = final_result(search.side_to_move, search.outcome, position, no_moves_draws)
    elif depth >= search.plies_left[tree]:
        result = result_at_limit(search.outcome_at_limit, position)
        result = DRAWN if result == UNFINISHED else result
        count = 0
    search.node_count[tree, node] = count
    search.node_proof[tree, node] = result + 1
    search.edges_used[tree] = first + count
    ahead = row_out(search.positions, 3 * tree + 2)
    for index in range(count):
        edge = first + index
        search.apply(position, moves[index], ahead)
        search.edge_action[tree, edge] = moves[index]
        search.edge_child[tree, edge] = NO_NODE
        search.edge_visits[tree, edge] = 0
        search.edge_waiting[tree, edge] = 0
        search.edge_total[tree, edge] = 0.0
        search.edge_prior[tree, edge] = np.nan
        search.edge_proof[tree, edge] = search.outcome(row(search.positions, 3 * tree + 2)) + 1
    if count > 0:
        search.node_proof[tree, node] = proof_from_edges(bundle, tree, node)
    return node


@kernel(types.void(BUNDLE, types.int64, types.int64, types.int64, types.float64))
def backpropagate(bundle: Actions, tree: int, slot: int, length: int, value: float) -> None:
    """Add a value for side 0 to all edges of a path."""
    search = unpack(bundle)
    for place in range(length):
        edge = search.path_edges[slot, place]
        search.edge_visits[tree, edge] += 1
        search.edge_total[tree, edge] += value


@kernel(types.void(BUNDLE, types.int64, types.int64, types.int64, types.int64))
def wait(bundle: Actions, tree: int, here: int, length: int, node: int) -> None:
    """Queue a node for evaluation; its position is in row `here`."""
    search = unpack(bundle)
    slot = tree * search.options[0].leaves + search.waiting[tree]
    for word in range(search.positions.shape[1]):
        search.leaves[slot, word] = search.positions[here, word]
    for place in range(length):
        search.edge_waiting[tree, search.path_edges[slot, place]] += 1
    search.path_length[slot] = length
    search.path_end[slot] = node
    search.waiting[tree] += 1


@kernel(types.int64(BUNDLE, types.int64))
def descend(bundle: Actions, tree: int) -> int:
    """Descend from the root, which has been evaluated, and return how the descent ended."""
    search = unpack(bundle)
    slot = tree * search.options[0].leaves + search.waiting[tree]
    here, node, length = 3 * tree, ROOT, 0
    for word in range(search.positions.shape[1]):
        search.positions[here, word] = search.roots[tree, word]
    while True:
        is_gumbel = node == ROOT and search.options[0].root == GUMBEL_ROOT
        edge = gumbel_edge(bundle, tree) if is_gumbel else puct_edge(bundle, tree, node)
        search.path_nodes[slot, length] = node
        search.path_edges[slot, length] = edge
        length += 1
        proof = search.edge_proof[tree, edge]
        if proof != NO_PROOF:
            backpropagate(bundle, tree, slot, length, proven_value(proof))
            return DONE
        there = 3 * tree if here != 3 * tree else here + 1
        search.apply(
            row(search.positions, here), search.edge_action[tree, edge], row_out(search.positions, there)
        )
        here = there
        node = int(search.edge_child[tree, edge])
        if node == NO_NODE:
            node = add_node(bundle, tree, here, length)
            search.edge_child[tree, edge] = node
            proof = search.node_proof[tree, node]
            if proof == NO_PROOF:
                wait(bundle, tree, here, length, node)
                return WAITS
            search.edge_proof[tree, edge] = proof
            backpropagate(bundle, tree, slot, length, proven_value(proof))
            prove_path(bundle, tree, slot, length)
            return DONE
        value = float(search.node_value[tree, node])
        if math.isnan(value):
            return COLLIDED
        if length == MAX_DEPTH:
            backpropagate(bundle, tree, slot, length, value)
            return DONE


@kernel(types.int64(BUNDLE, types.int64))
def gather_tree(bundle: Actions, tree: int) -> int:
    """Run simulations in a tree until it has enough leaves or is done; return values are as in `gather`."""
    search = unpack(bundle)
    leaves, actions = search.options[0].leaves, search.moves.shape[1]
    for _ in range(MOST_DESCENTS):
        is_due = search.done[tree] + search.waiting[tree] < search.budgets[tree]
        if search.waiting[tree] == leaves or not (is_due or search.nodes_used[tree] == 0):
            return GATHERED
        has_nodes = search.nodes_used[tree] < search.node_first.shape[1]
        if not has_nodes or search.edges_used[tree] + actions > search.edge_action.shape[1]:
            return SHORT
        if search.nodes_used[tree] == 0:
            for word in range(search.positions.shape[1]):
                search.positions[3 * tree, word] = search.roots[tree, word]
            if search.node_proof[tree, add_node(bundle, tree, 3 * tree, 0)] == NO_PROOF:
                wait(bundle, tree, 3 * tree, 0, ROOT)
        if search.node_proof[tree, ROOT] != NO_PROOF or math.isnan(search.node_value[tree, ROOT]):
            return GATHERED
        ended = descend(bundle, tree)
        if ended == COLLIDED:
            return GATHERED
        if ended == DONE:
            search.done[tree] += 1
    return UNFINISHED_TREES


@kernel(types.int64(BUNDLE, types.int64, types.int64))
def gather(bundle: Actions, first: int, last: int) -> int:
    """Run simulations in the trees `first` to `last` - 1, except for those that have not been started.

    Returns
    -------
    int64
        `SHORT` if a tree needs room for another node before it can continue. Otherwise
        `UNFINISHED_TREES` if a tree has made `MOST_DESCENTS` simulations without getting enough leaves.
        Otherwise `GATHERED`, since all trees have enough leaves or are done.
    """
    search = unpack(bundle)
    state = GATHERED
    for tree in range(first, last):
        if search.nodes_used[tree] >= 0:
            state = max(state, gather_tree(bundle, tree))
    return state


@kernel(types.void(BUNDLE, BYTES_STACK, BYTES_STACK, types.int64, types.int64))
def write_leaves(bundle: Actions, observations: Bytes, masks: Bytes, first: int, last: int) -> None:
    """Write the observations of leaves, from the point of view of the side to move, and their legal actions.

    The masks must be 0 before the call and get 1 for each legal action.
    """
    search = unpack(bundle)
    leaves = search.options[0].leaves
    for tree in range(first, last):
        for slot in range(tree * leaves, tree * leaves + search.waiting[tree]):
            node, place = search.path_end[slot], search.path_row[slot]
            side = int(search.node_side[tree, node])
            search.observe(row(search.leaves, slot), side, row_out(observations, place))
            start = search.node_first[tree, node]
            for edge in range(start, start + search.node_count[tree, node]):
                masks[place, search.edge_action[tree, edge]] = 1


@kernel(types.void(BUNDLE, types.int64, types.int64, types.int64, FLOATS_STACK))
def set_priors(bundle: Actions, tree: int, node: int, place: int, policies: Floats) -> None:
    """Set the priors of a node to a row of policies, divided by the sum over its legal moves."""
    search = unpack(bundle)
    first = search.node_first[tree, node]
    last = first + search.node_count[tree, node]
    total = 0.0
    for edge in range(first, last):
        total += max(float(policies[place, search.edge_action[tree, edge]]), 0.0)
    for edge in range(first, last):
        share = 1.0 / (last - first)
        if total > 0.0:
            share = max(float(policies[place, search.edge_action[tree, edge]]), 0.0) / total
        search.edge_prior[tree, edge] = share


@kernel(types.void(BUNDLE, FLOATS_STACK, FLOATS_STACK, types.int64, types.int64))
def receive(bundle: Actions, policies: Floats, values: Floats, first: int, last: int) -> None:
    """Continue the simulations of the leaves that wait, with their evaluations for the side to move."""
    search = unpack(bundle)
    leaves = search.options[0].leaves
    for tree in range(first, last):
        for slot in range(tree * leaves, tree * leaves + search.waiting[tree]):
            node, place, length = search.path_end[slot], search.path_row[slot], search.path_length[slot]
            sign = 1.0 - 2.0 * search.node_side[tree, node]
            value = sign * min(max(float(values[place, 0]), -1.0), 1.0)
            set_priors(bundle, tree, node, place, policies)
            search.node_value[tree, node] = value
            for index in range(length):
                search.edge_waiting[tree, search.path_edges[slot, index]] -= 1
            if length == 0:
                add_noise(bundle, tree)
            else:
                backpropagate(bundle, tree, slot, length, value)
                search.done[tree] += 1
        search.waiting[tree] = 0
