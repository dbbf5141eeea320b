"""Proofs: the results of perfect play that follow from the ends of matches below a node.

A proof is the result of a match, 0 to 2, plus 1, or `NO_PROOF` (M. Winands, Y. Björnsson, J. Saito,
"Monte-Carlo Tree Search Solver", 2008).
"""

from boardgames.kernels import Actions, kernel, types
from boardgames.kernels.bundles import BUNDLE
from boardgames.search.batched.options import unpack
from boardgames.search.rules import DRAWN

NO_PROOF = 0
PROVEN_DRAW = DRAWN + 1


@kernel(types.float64(types.int64))
def proven_value(proof: int) -> float:
    """Return the value of a proof for side 0."""
    return 0.0 if proof == PROVEN_DRAW else 3.0 - 2.0 * proof


@kernel(types.int64(BUNDLE, types.int64, types.int64))
def proof_from_edges(bundle: Actions, tree: int, node: int) -> int:
    """Return the proof of a node that follows from the proofs of its edges.

    One winning edge proves a win for the side to move; a draw or a loss needs proofs of all edges.
    """
    search = unpack(bundle)
    first, count = search.node_first[tree, node], search.node_count[tree, node]
    win = search.node_side[tree, node] + 1
    best, is_open = 3 - win, count == 0
    for edge in range(first, first + count):
        proof = search.edge_proof[tree, edge]
        if proof == win:
            return win
        if proof == NO_PROOF:
            is_open = True
        elif proof == PROVEN_DRAW:
            best = PROVEN_DRAW
    return NO_PROOF if is_open else best


@kernel(types.void(BUNDLE, types.int64, types.int64, types.int64))
def prove_path(bundle: Actions, tree: int, slot: int, length: int) -> None:
    """Update the proofs of the nodes on a path, from its last node with edges up, as far as there are any."""
    search = unpack(bundle)
    for place in range(length - 1, -1, -1):
        node = search.path_nodes[slot, place]
        proof = proof_from_edges(bundle, tree, node)
        if proof == NO_PROOF:
            return
        search.node_proof[tree, node] = proof
        if place > 0:
            search.edge_proof[tree, search.path_edges[slot, place - 1]] = proof
