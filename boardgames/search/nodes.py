"""The tree of simulations as one flat array: nodes, links, proofs, compaction.

A tree is `int64[4 n]`: n nodes of four words, half a line of the processor's
cache. A node is known by the place of its first word. The first node is none:
its first word counts the words in use; the second one is the root. The
successors of a node stand together and after it: those with the highest priors
first, in their order, the others by ascending action or near to it.

    visits   simulations that came through
    total    sum of their returns for side 0, in units of 2^-24
    link     0 no successors yet, -1 somebody is adding them, else the place
             of the first one + 2^40 times their number
    facts    bits 0 and 1 what is proven: 0 nothing, 1 side 0 wins, 2 side 1
             wins, 3 drawn; bit 2 the side to move; bit 3 marked as kept;
             bits 8 to 31 the prior in units of 2^-24; from 32 on the action
"""

from collections.abc import Callable

from numba import types

from boardgames.kernels import Actions, Apply, Words, kernel, row, row_out
from boardgames.kernels.abi import ACTIONS_OUT, WORDS_STACK, first_class
from boardgames.kernels.atomics import atomic_add, load_acquire

NODE_WORDS = 4
VISITS, TOTAL, LINK, FACTS = 0, 1, 2, 3
USED = 0
ROOT = NODE_WORDS
NOBODY = 0
"""The place that is no node's."""

PENDING = -1
COUNT_SHIFT = 40
PLACE_MASK = (1 << COUNT_SHIFT) - 1

PROOF_MASK = 3
DRAWN = 3
SIDE_SHIFT = 2
KEPT = 1 << 3
PRIOR_SHIFT, PRIOR_MASK = 8, (1 << 24) - 1
ACTION_SHIFT = 32

ORDERED = 8
"""Of the successors of a node, so many stand in the order of their priors, if there are priors."""

UNIT = 1 << 24
"""A return of 1 in a total; a prior of 1."""


@kernel(types.int64(ACTIONS_OUT, types.int64))
def first_successor(tree: Actions, node: int) -> int:
    """Return the place of a node's first successor, at or below 0 if it has none yet."""
    link = load_acquire(tree, node + LINK)
    return link & PLACE_MASK if link > 0 else 0


@kernel(types.int64(ACTIONS_OUT, types.int64))
def successor_count(tree: Actions, node: int) -> int:
    """Return how many successors a node has."""
    link = load_acquire(tree, node + LINK)
    return link >> COUNT_SHIFT if link > 0 else 0


@kernel(types.int64(ACTIONS_OUT, types.int64))
def proof_of(tree: Actions, node: int) -> int:
    """Return what is proven of a node: 0 nothing, else its outcome + 1."""
    return load_acquire(tree, node + FACTS) & PROOF_MASK


@kernel(types.int64(ACTIONS_OUT, types.int64))
def side_of(tree: Actions, node: int) -> int:
    """Return the side to move."""
    return (load_acquire(tree, node + FACTS) >> SIDE_SHIFT) & 1


@kernel(types.int64(ACTIONS_OUT, types.int64))
def action_of(tree: Actions, node: int) -> int:
    """Return the action that led to a node."""
    return load_acquire(tree, node + FACTS) >> ACTION_SHIFT


@kernel(types.int64(ACTIONS_OUT, types.int64))
def prior_of(tree: Actions, node: int) -> int:
    """Return the prior of a node, from 0 to `PRIOR_MASK`."""
    return (load_acquire(tree, node + FACTS) >> PRIOR_SHIFT) & PRIOR_MASK


@kernel(types.int64(types.int64))
def proven_total(proof: int) -> int:
    """Return the return for side 0 of what is proven, as totals count it."""
    if proof == DRAWN:
        return 0
    return UNIT if proof == 1 else -UNIT


@kernel(types.int64(ACTIONS_OUT, types.int64))
def proof_from_successors(tree: Actions, node: int) -> int:
    """Return what the proofs of a node's successors prove of it, 0 if nothing.

    A win for the side to move needs one of them, anything else all (M.
    Winands, Y. Björnsson, J. Saito, "Monte-Carlo Tree Search Solver", 2008).
    """
    link = load_acquire(tree, node + LINK)
    if link <= 0:
        return 0
    win = side_of(tree, node) + 1
    best = 3 - win
    is_open = False
    first = link & PLACE_MASK
    for successor in range(first, first + (link >> COUNT_SHIFT) * NODE_WORDS, NODE_WORDS):
        proof = proof_of(tree, successor)
        if proof == win:
            return win
        if proof == 0:
            is_open = True
        elif proof == DRAWN:
            best = DRAWN
    return 0 if is_open else best


@kernel(types.int64(ACTIONS_OUT, types.int64, types.boolean))
def reserve(tree: Actions, words: int, is_shared: bool) -> int:
    """Return the place of so many new words, 0 if there is no room."""
    if load_acquire(tree, USED) + words > tree.size:
        return 0
    if not is_shared:
        tree[USED] += words
        return tree[USED] - words
    place = atomic_add(tree, USED, words)
    if place + words <= tree.size:
        return place
    atomic_add(tree, USED, -words)
    return 0


@kernel(types.void(ACTIONS_OUT, types.int64))
def plant(tree: Actions, side: int) -> None:
    """Leave nothing in the tree but a root where `side` is to move."""
    for word in range(NODE_WORDS, 2 * NODE_WORDS):
        tree[word] = 0
    tree[ROOT + FACTS] = side << SIDE_SHIFT
    tree[USED] = 2 * NODE_WORDS


@kernel(types.int64(first_class(Apply), ACTIONS_OUT, types.int64, WORDS_STACK))
def successor_to(
    apply: Callable[[Words, int, Words], None], tree: Actions, node: int, positions: Words
) -> int:
    """Return the successor of `node`, which is `positions[0]`, that is `positions[1]`; 0 if none is.

    Row 2 of `positions`, `uint64[3, words]`, is overwritten.
    """
    first = first_successor(tree, node)
    for index in range(successor_count(tree, node)):
        successor = first + index * NODE_WORDS
        apply(row(positions, 0), action_of(tree, successor), row_out(positions, 2))
        is_same = True
        for word in range(positions.shape[1]):
            is_same = is_same and positions[1, word] == positions[2, word]
        if is_same:
            return successor
    return NOBODY


@kernel(types.void(ACTIONS_OUT, types.int64, types.int64))
def _move(tree: Actions, place: int, free: int) -> None:
    """Move a node that is kept to `free`, at or before it, and keep all links right."""
    link = tree[place + LINK]
    if link < 0:
        origin = -link & PLACE_MASK
        count = -link >> COUNT_SHIFT
        link = tree[origin + LINK]
        tree[origin + LINK] = free | (count << COUNT_SHIFT)
    visits, total, facts = tree[place + VISITS], tree[place + TOTAL], tree[place + FACTS]
    tree[free + VISITS] = visits
    tree[free + TOTAL] = total
    tree[free + FACTS] = facts & ~KEPT
    if link > 0:
        first = link & PLACE_MASK
        waiting = tree[first + LINK]
        tree[first + LINK] = -(free | ((link >> COUNT_SHIFT) << COUNT_SHIFT))
        link = waiting
    tree[free + LINK] = link


@kernel(types.void(ACTIONS_OUT, types.int64))
def keep_only(tree: Actions, node: int) -> None:
    """Make `node` the root, move what is below it to the front and forget the rest.

    Successors stand after their node, so that one pass upwards marks all that
    is kept, and another moves it down. Until the first of some successors is
    moved, its link holds minus where they are linked from, and its own link
    waits there (H. Morris, "A time- and space-efficient garbage compaction
    algorithm", 1978).
    """
    end = tree[USED]
    tree[node + FACTS] |= KEPT
    for place in range(node, end, NODE_WORDS):
        if tree[place + FACTS] & KEPT != 0:
            first = first_successor(tree, place)
            for index in range(successor_count(tree, place)):
                tree[first + index * NODE_WORDS + FACTS] |= KEPT
    free = ROOT
    for place in range(node, end, NODE_WORDS):
        if tree[place + FACTS] & KEPT != 0:
            _move(tree, place, free)
            free += NODE_WORDS
    tree[USED] = free
