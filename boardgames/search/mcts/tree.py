"""The search tree: one flat array of nodes, kept from move to move.

A tree is `int64[4 n]`: n nodes of four words, half a cache line each. A node is
identified by the index of its first word. The first node is unused except for
its first word, which counts the words in use; the second one is the root. The
children of a node are stored side by side, somewhere after it: first the
`SORTED_CHILDREN` with the highest priors, highest first, then the others in
roughly ascending order of their actions.

    visits    simulations that went through the node
    total     sum of their returns for side 0, in units of 2^-24
    children  0 not expanded, -1 being expanded by a thread, else the index of
              the first child + 2^40 times the number of children
    facts     bits 0 and 1 the proof: 0 none, 1 side 0 wins, 2 side 1 wins, 3 a draw;
              bit 2 the side to move; bit 3 the mark of compaction;
              bits 8 to 31 the prior in units of 2^-24; from 32 on the action
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from boardgames.errors import OptionError, quote
from boardgames.game import Position
from boardgames.kernels import Actions, Apply, Words, kernel, row, row_out, types
from boardgames.kernels.abi import ACTIONS_OUT, WORDS_STACK, first_class
from boardgames.kernels.atomics import atomic_add, load_acquire
from boardgames.machine import free_memory
from boardgames.search.rules import DRAWN

WORDS_PER_NODE = 4
VISITS, TOTAL, CHILDREN, FACTS = 0, 1, 2, 3
WORDS_USED = 0
ROOT = WORDS_PER_NODE
NO_NODE = 0

NOT_EXPANDED, EXPANDING = 0, -1
COUNT_SHIFT = 40
INDEX_MASK = (1 << COUNT_SHIFT) - 1

NO_PROOF = 0
PROVEN_DRAW = DRAWN + 1
"""A proof is the result of a match, 0 to 2, plus 1."""
PROOF_MASK = 3
SIDE_SHIFT = 2
MARK = 1 << 3
PRIOR_SHIFT, PRIOR_MASK = 8, (1 << 24) - 1
ACTION_SHIFT = 32

SORTED_CHILDREN = 8
"""Number of children of a node that are sorted by their priors, if there are priors."""

ONE = 1 << 24
"""The amount that a return of 1 adds to a total."""

BYTES_PER_WORD = 8
BYTES_PER_CACHE_LINE = 64
MAX_MB = 1 << 20


@kernel(types.int64(ACTIONS_OUT, types.int64))
def first_child(tree: Actions, node: int) -> int:
    """Return a node's first child, or `NO_NODE` if it is not expanded."""
    children = load_acquire(tree, node + CHILDREN)
    return children & INDEX_MASK if children > 0 else NO_NODE


@kernel(types.int64(ACTIONS_OUT, types.int64))
def child_count(tree: Actions, node: int) -> int:
    """Return the number of a node's children."""
    children = load_acquire(tree, node + CHILDREN)
    return children >> COUNT_SHIFT if children > 0 else 0


@kernel(types.int64(ACTIONS_OUT, types.int64))
def proof_of(tree: Actions, node: int) -> int:
    """Return the proof of a node: `NO_PROOF` or its result + 1."""
    return load_acquire(tree, node + FACTS) & PROOF_MASK


@kernel(types.int64(ACTIONS_OUT, types.int64))
def side_of(tree: Actions, node: int) -> int:
    """Return the side to move."""
    return (load_acquire(tree, node + FACTS) >> SIDE_SHIFT) & 1


@kernel(types.int64(ACTIONS_OUT, types.int64))
def action_of(tree: Actions, node: int) -> int:
    """Return the action that leads to a node."""
    return load_acquire(tree, node + FACTS) >> ACTION_SHIFT


@kernel(types.int64(ACTIONS_OUT, types.int64))
def prior_of(tree: Actions, node: int) -> int:
    """Return the prior of a node, 0 to `PRIOR_MASK`."""
    return (load_acquire(tree, node + FACTS) >> PRIOR_SHIFT) & PRIOR_MASK


@kernel(types.int64(types.int64))
def proven_total(proof: int) -> int:
    """Return the total that corresponds to a proof: the return for side 0."""
    if proof == PROVEN_DRAW:
        return 0
    return ONE if proof == 1 else -ONE


@kernel(types.int64(ACTIONS_OUT, types.int64))
def proof_from_children(tree: Actions, node: int) -> int:
    """Return the proof of a node that follows from the proofs of its children.

    One winning child proves a win for the side to move; a draw or a loss needs
    proofs of all children (M. Winands, Y. Björnsson, J. Saito, "Monte-Carlo
    Tree Search Solver", 2008).
    """
    children = load_acquire(tree, node + CHILDREN)
    if children <= 0:
        return NO_PROOF
    win = side_of(tree, node) + 1
    best = 3 - win
    is_open = False
    first = children & INDEX_MASK
    for child in range(first, first + (children >> COUNT_SHIFT) * WORDS_PER_NODE, WORDS_PER_NODE):
        proof = proof_of(tree, child)
        if proof == win:
            return win
        if proof == NO_PROOF:
            is_open = True
        elif proof == PROVEN_DRAW:
            best = PROVEN_DRAW
    return NO_PROOF if is_open else best


@kernel(types.int64(ACTIONS_OUT, types.int64, types.boolean))
def allocate(tree: Actions, words: int, is_shared: bool) -> int:
    """Allocate `words` words and return the index of the first, or `NO_NODE` if the tree is full."""
    if load_acquire(tree, WORDS_USED) + words > tree.size:
        return NO_NODE
    if not is_shared:
        tree[WORDS_USED] += words
        return tree[WORDS_USED] - words
    index = atomic_add(tree, WORDS_USED, words)
    if index + words <= tree.size:
        return index
    atomic_add(tree, WORDS_USED, -words)
    return NO_NODE


@kernel(types.void(ACTIONS_OUT, types.int64))
def clear(tree: Actions, side: int) -> None:
    """Remove all nodes, and begin with a new root at which `side` is to move."""
    for word in range(ROOT, ROOT + WORDS_PER_NODE):
        tree[word] = 0
    tree[ROOT + FACTS] = side << SIDE_SHIFT
    tree[WORDS_USED] = ROOT + WORDS_PER_NODE


@kernel(types.int64(first_class(Apply), ACTIONS_OUT, types.int64, WORDS_STACK))
def find_child(apply: Callable[[Words, int, Words], None], tree: Actions, node: int, positions: Words) -> int:
    """Return the child of `node` whose position is `positions[1]`, or `NO_NODE` if there is none.

    `positions` is `uint64[3, words]`: row 0 is the position of `node`, row 2 is overwritten.
    """
    first = first_child(tree, node)
    for index in range(child_count(tree, node)):
        child = first + index * WORDS_PER_NODE
        apply(row(positions, 0), action_of(tree, child), row_out(positions, 2))
        is_same = True
        for word in range(positions.shape[1]):
            is_same = is_same and positions[1, word] == positions[2, word]
        if is_same:
            return child
    return NO_NODE


@kernel(types.void(ACTIONS_OUT, types.int64, types.int64))
def _move_node(tree: Actions, node: int, free: int) -> None:
    """Move a marked node to `free`, which is not after it, and update the links to and from it."""
    children = tree[node + CHILDREN]
    if children < 0:
        parent = -children & INDEX_MASK
        count = -children >> COUNT_SHIFT
        children = tree[parent + CHILDREN]
        tree[parent + CHILDREN] = free | (count << COUNT_SHIFT)
    visits, total, facts = tree[node + VISITS], tree[node + TOTAL], tree[node + FACTS]
    tree[free + VISITS] = visits
    tree[free + TOTAL] = total
    tree[free + FACTS] = facts & ~MARK
    if children > 0:
        first = children & INDEX_MASK
        grandchildren = tree[first + CHILDREN]
        tree[first + CHILDREN] = -(free | ((children >> COUNT_SHIFT) << COUNT_SHIFT))
        children = grandchildren
    tree[free + CHILDREN] = children


@kernel(types.void(ACTIONS_OUT, types.int64))
def keep_subtree(tree: Actions, node: int) -> None:
    """Make `node` the root: move its subtree to the front of the array and drop all other nodes.

    Children are stored after their parent, so one pass over the array marks the
    subtree and a second one moves it to the front. After a node has moved and
    before its first child does, their `CHILDREN` words are exchanged: the
    child's word refers to the node, negated, and the node's word holds the
    child's own (H. Morris, "A time- and space-efficient garbage compaction
    algorithm", 1978).
    """
    end = tree[WORDS_USED]
    tree[node + FACTS] |= MARK
    for other in range(node, end, WORDS_PER_NODE):
        if tree[other + FACTS] & MARK != 0:
            first = first_child(tree, other)
            for index in range(child_count(tree, other)):
                tree[first + index * WORDS_PER_NODE + FACTS] |= MARK
    free = ROOT
    for other in range(node, end, WORDS_PER_NODE):
        if tree[other + FACTS] & MARK != 0:
            _move_node(tree, other, free)
            free += WORDS_PER_NODE
    tree[WORDS_USED] = free


class Tree:
    """A search tree that is kept from move to move, with its memory.

    Parameters
    ----------
    megabytes : int
        Size in units of 2^20 bytes, allocated by the first `set_root`.

    Attributes
    ----------
    words : int64[4 n]
        The nodes; empty until memory is allocated.

    Raises
    ------
    OptionError
        If the size is less than 1 MB or more than the free memory.

    Examples
    --------
    >>> import boardgames
    >>> start = boardgames.load("connect4").start()
    >>> tree = Tree(1)
    >>> tree.set_root(start, ()).nbytes
    1048576
    >>> tree.contains(start, ()), tree.contains(start.apply("4"), (start,))
    (True, False)
    """

    def __init__(self, megabytes: int) -> None:
        if not (type(megabytes) is int and 1 <= megabytes <= MAX_MB):
            raise OptionError(f"the tree must have 1 to {MAX_MB} MB, not {quote(megabytes)}")
        self.megabytes = megabytes
        self.words: Actions = np.zeros(0, dtype=np.int64)
        self._root: Position | None = None
        self._check_free_memory()

    def forget(self) -> None:
        """Forget all nodes, so that the next root has no children."""
        self._root = None

    def release(self) -> None:
        """Free the memory; the next root allocates it again."""
        self.words, self._root = np.zeros(0, dtype=np.int64), None

    def contains(self, position: Position, history: Sequence[Position]) -> bool:
        """Return True if `set_root` would find a node for the position."""
        return self._find((*history, position)) != NO_NODE

    def set_root(self, position: Position, history: Sequence[Position]) -> Actions:
        """Make `position` the root, keep the subtree below it, and return `words`.

        Parameters
        ----------
        position : Position
            The new root.
        history : sequence of Position
            The earlier positions of the match, oldest first. The subtree is
            found by following them from the old root.
        """
        if self.words.size == 0:
            self.words = self._allocate(position.game.facts.actions)
        node = self._find((*history, position))
        if node == NO_NODE:
            clear(self.words, position.side_to_move)
        elif node != ROOT:
            keep_subtree(self.words, node)
        self._root = position
        return self.words

    def _find(self, path: Sequence[Position]) -> int:
        """Return the node of the last position of a path that passes through the old root."""
        starts = [index for index, position in enumerate(path) if position == self._root]
        if not starts:
            return NO_NODE
        node, rows = ROOT, np.zeros((3, path[-1].words.size), dtype=np.uint64)
        apply = path[-1].game.kernels.apply
        for before, after in pairwise(path[starts[-1] :]):
            rows[0], rows[1] = before.words, after.words
            node = find_child(apply, self.words, node, rows)
            if node == NO_NODE:
                break
        return node

    def _allocate(self, actions: int) -> Actions:
        """Return memory that is aligned to a cache line and has room for the root and all its children."""
        self._check_free_memory()
        size = max(self.megabytes << 20, (actions + 2) * WORDS_PER_NODE * BYTES_PER_WORD)
        try:
            whole = np.zeros((size + BYTES_PER_CACHE_LINE) // BYTES_PER_WORD, dtype=np.int64)
        except MemoryError:
            raise OptionError(f"the system has no memory for a tree of {self.megabytes} MB") from None
        first = (-whole.ctypes.data % BYTES_PER_CACHE_LINE) // BYTES_PER_WORD
        return whole[first : first + size // BYTES_PER_WORD]

    def _check_free_memory(self) -> None:
        free = free_memory()
        if free is not None and self.megabytes << 20 > free:
            raise OptionError(
                f"a tree of {self.megabytes} MB does not fit into the {free >> 20} MB of free memory"
            )


@dataclass(frozen=True, slots=True)
class MoveStatistics:
    """Statistics of the simulations that played a move.

    Attributes
    ----------
    node : int
        The node that the move leads to.
    visits : int
        Number of these simulations.
    value : float
        Mean return for the side that plays the move, or the proven return; 0 if
        there are no visits.
    proven : bool
        True if the value is that of perfect play.
    prior : float
        Prior probability of the move; 0 if the search has no priors.
    """

    node: int
    action: int
    visits: int
    value: float
    proven: bool
    prior: float = 0.0

    @property
    def has_value(self) -> bool:
        """Return True if the value is proven or based on visits."""
        return self.proven or self.visits > 0

    @property
    def popularity(self) -> tuple[int, float, int]:
        """Return the sort key of moves without proofs: visits, then value, then the smaller action."""
        return self.visits, self.value, -self.action


def ranked_moves(tree: Actions, node: int) -> list[MoveStatistics]:
    """Return the moves of a node, best first, or an empty list if the node is not expanded.

    Proven wins come first and proven losses last; the other moves are ordered
    by visits. Proven draws come before them if the most visited move has a
    negative value. Other threads may be changing the tree meanwhile.
    """
    moves = _moves(tree, node)
    unproven = [move for move in moves if not move.proven]
    most_visited = max(unproven, key=lambda move: move.popularity, default=None)
    prefers_draw = most_visited is not None and most_visited.value < 0

    def rank(move: MoveStatistics) -> tuple[float, int, float, int]:
        standing = move.value if move.proven else 0.0
        if prefers_draw and move.proven and move.value == 0:
            standing = 0.5
        return standing, *move.popularity

    return sorted(moves, key=rank, reverse=True)


def principal_variation(tree: Actions, move: MoveStatistics, *, longest: int) -> tuple[int, ...]:
    """Return the action of a move and of the best moves after it, as long as they have values."""
    line = [move.action]
    while len(line) < longest:
        replies = ranked_moves(tree, move.node)
        if not replies or not replies[0].has_value:
            break
        move = replies[0]
        line.append(move.action)
    return tuple(line)


def _moves(tree: Actions, node: int) -> list[MoveStatistics]:
    children = int(tree[node + CHILDREN])
    if children <= 0:
        return []
    first, count = children & INDEX_MASK, children >> COUNT_SHIFT
    sign = -1 if tree[node + FACTS] >> SIDE_SHIFT & 1 else 1
    rows = tree[first : first + count * WORDS_PER_NODE].reshape(count, WORDS_PER_NODE).tolist()
    moves = []
    for index, (visits, total, _, facts) in enumerate(rows):
        proof = facts & PROOF_MASK
        if proof:
            value = 0.0 if proof == PROVEN_DRAW else float(sign * (3 - 2 * proof))
        else:
            value = max(-1.0, min(1.0, sign * total / (visits * ONE))) if visits > 0 else 0.0
        child = first + index * WORDS_PER_NODE
        prior = (facts >> PRIOR_SHIFT & PRIOR_MASK) / PRIOR_MASK
        action, is_proven = facts >> ACTION_SHIFT, proof != NO_PROOF
        # adding 0.0 turns negative zero into 0.0
        moves.append(MoveStatistics(child, action, visits, value + 0.0, is_proven, prior))
    return moves
