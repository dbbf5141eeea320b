"""The kernels of a simulation, in the order in which `run_simulation` runs them.

- selection: from the root down, the child with the highest upper bound: by UCB1
  (L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning", 2006), or by
  PUCT where moves have priors (D. Silver et al., "A general reinforcement
  learning algorithm that masters chess, shogi, and Go through self-play", 2018);
- virtual loss: with several threads, a simulation counts as a loss until its
  return is known, so that other threads choose other moves (G. Chaslot, M.
  Winands, J. van den Herik, "Parallel Monte-Carlo tree search", 2008);
- expansion: a leaf that is visited again gets children, with their priors;
- the value of the leaf, from a playout or the evaluation (`boardgames.search.mcts.evaluator`);
- backpropagation of the return to all nodes of the path;
- the MCTS solver: proven wins, losses and draws are backpropagated as proofs, and
  proven losses are never selected (M. Winands, Y. Björnsson, J. Saito,
  "Monte-Carlo Tree Search Solver", 2008).

Totals are sums of returns for side 0, whichever side moves, because a side may
move twice in a row.
"""

import math

from boardgames.kernels import Actions, Words, kernel, load_stop, random_below, row, row_out, types
from boardgames.kernels.abi import ACTIONS_OUT, WORDS_OUT
from boardgames.kernels.atomics import atomic_add, atomic_load, atomic_store, compare_and_swap, load_acquire
from boardgames.kernels.bundles import BUNDLE
from boardgames.search.mcts.evaluator import (
    CANCELLED,
    LOOKAHEAD,
    final_proof,
    play_out,
    result_at,
    row_at,
    set_priors,
    value_of_move,
)
from boardgames.search.mcts.options import NO_PRIOR, unpack
from boardgames.search.mcts.tree import (
    ACTION_SHIFT,
    CHILDREN,
    COUNT_SHIFT,
    EXPANDING,
    FACTS,
    INDEX_MASK,
    NO_NODE,
    NO_PROOF,
    NOT_EXPANDED,
    ONE,
    PRIOR_MASK,
    PRIOR_SHIFT,
    PROOF_MASK,
    ROOT,
    SIDE_SHIFT,
    SORTED_CHILDREN,
    TOTAL,
    VISITS,
    WORDS_PER_NODE,
    action_of,
    allocate,
    proof_from_children,
    proof_of,
    proven_total,
    side_of,
)

EXPANSION_VISITS = 2
"""Number of visits, including the current one, at which a leaf is expanded."""
EXPLORATION_GROWTH = 1.0 / 5000.0
"""With PUCT, exploration grows by the logarithm of 1 + visits * `EXPLORATION_GROWTH`."""
PRIOR_UNIT = 1.0 / PRIOR_MASK
"""The unit in which nodes store priors."""
VIRTUAL_LOSS = ONE


@kernel(types.int64(ACTIONS_OUT, types.int64, types.int64, types.int64, WORDS_OUT))
def random_unvisited(tree: Actions, first: int, count: int, index: int, random_state: Words) -> int:
    """Return a random child without visits or proof, given the `index` of the first such child."""
    for place in range(index + random_below(random_state, count - index), count):
        child = first + place * WORDS_PER_NODE
        if tree[child + VISITS] == 0 and proof_of(tree, child) == NO_PROOF:
            return child
    return first + index * WORDS_PER_NODE


@kernel(
    types.int64(ACTIONS_OUT, types.int64, types.int64, types.float64, types.boolean, WORDS_OUT), inline=True
)
def ucb1(
    tree: Actions, node: int, loss: int, exploration: float, skips_proven: bool, random_state: Words
) -> int:
    """Return the child with the highest UCB1 bound; children without visits come first.

    Parameters
    ----------
    tree, node : int64[4 n], int64
        A node that is expanded.
    loss : int64
        The value that proves a loss for the side to move; children with this
        proof are skipped.
    exploration : float64
        The exploration term of a child with one visit.
    skips_proven : boolean
        Whether to skip every child that has a proof.
    random_state : uint64[1]
        State of the random generator; advanced.
    """
    children = load_acquire(tree, node + CHILDREN)
    first, count = children & INDEX_MASK, children >> COUNT_SHIFT
    unit = (2.0 * loss - 3.0) / ONE  # positive for side 0, negative for side 1
    best, highest = NO_NODE, -math.inf
    for index in range(count):
        child = first + index * WORDS_PER_NODE
        proof = proof_of(tree, child)
        if proof != NO_PROOF and (skips_proven or proof == loss):
            continue
        visits = atomic_load(tree, child + VISITS)
        if visits <= 0:
            return random_unvisited(tree, first, count, index, random_state)
        inverse = 1.0 / visits
        bound = atomic_load(tree, child + TOTAL) * unit * inverse + exploration * math.sqrt(inverse)
        if bound > highest:
            best, highest = child, bound
    return best


@kernel(
    types.int64(ACTIONS_OUT, types.int64, types.int64, types.float64, types.boolean, types.boolean),
    inline=True,
)
def puct(tree: Actions, node: int, loss: int, exploration: float, skips_proven: bool, is_shared: bool) -> int:
    """Return the child with the highest PUCT bound; a child without visits has the value of the node.

    The parameters are those of `ucb1`; `exploration` is the exploration term of a
    child without visits that has the lowest prior above 0. If the first child
    without visits is among the sorted children, no child after it has a higher bound,
    and unless several threads share the tree, no child after it has visits either.
    """
    children = load_acquire(tree, node + CHILDREN)
    first, count = children & INDEX_MASK, children >> COUNT_SHIFT
    unit = (2.0 * loss - 3.0) / ONE  # positive for side 0, negative for side 1
    mean = atomic_load(tree, node + TOTAL) * unit / max(atomic_load(tree, node + VISITS), 1)
    last_sorted = NO_NODE if is_shared else first + (SORTED_CHILDREN - 1) * WORDS_PER_NODE
    best, highest = NO_NODE, -math.inf
    for child in range(first, first + count * WORDS_PER_NODE, WORDS_PER_NODE):
        facts = load_acquire(tree, child + FACTS)
        proof = facts & PROOF_MASK
        if proof != NO_PROOF and (skips_proven or proof == loss):
            continue
        visits = float(atomic_load(tree, child + VISITS))
        bonus = exploration * ((facts >> PRIOR_SHIFT) & PRIOR_MASK)
        if visits <= 0.0:
            if mean + bonus > highest:
                best, highest = child, mean + bonus
            if child <= last_sorted:
                break
            continue
        # total / visits + bonus / (visits + 1), with one division
        numerator = atomic_load(tree, child + TOTAL) * unit * (visits + 1.0) + bonus * visits
        bound = numerator / (visits * (visits + 1.0))
        best = child if bound > highest else best
        highest = max(highest, bound)
    return best


@kernel(types.int64(BUNDLE, types.int64), inline=True)
def select(bundle: Actions, node: int) -> int:
    """Return the child with the highest upper bound, or `NO_NODE` if every child must be skipped."""
    game = unpack(bundle)
    tree, options = game.tree, game.options[0]
    loss = 2 - side_of(tree, node)
    skips_proven = node == ROOT and options.all_moves != 0
    visits = float(max(atomic_load(tree, node + VISITS), 1))
    exploration = options.exploration
    if options.prior == NO_PRIOR:
        exploration *= math.sqrt(math.log(visits))
        return ucb1(tree, node, loss, exploration, skips_proven, game.random_state)
    exploration *= PRIOR_UNIT * (1.0 + math.log(1.0 + visits * EXPLORATION_GROWTH)) * math.sqrt(visits)
    return puct(tree, node, loss, exploration, skips_proven, options.shared != 0)


@kernel(types.void(ACTIONS_OUT, types.int64, types.int64, types.int64, types.boolean))
def add_visits(tree: Actions, node: int, count: int, side: int, is_shared: bool) -> None:
    """Add a visit to a node that `side` has selected, and a virtual loss if the tree is shared.

    With a `count` of -1 instead of 1, remove both.
    """
    if not is_shared:
        tree[node + VISITS] += count
        return
    loss = VIRTUAL_LOSS if side == 0 else -VIRTUAL_LOSS
    atomic_add(tree, node + VISITS, count)
    atomic_add(tree, node + TOTAL, -count * loss)


@kernel(types.int64(BUNDLE, types.int64))
def descend(bundle: Actions, depth: int) -> int:
    """Select children from `path[depth]` down to a leaf or a proven node, and return its depth."""
    game = unpack(bundle)
    tree, positions, path = game.tree, game.positions, game.path
    while True:
        node = path[depth]
        if depth > 0 and proof_of(tree, node) != NO_PROOF:
            return depth
        child = select(bundle, node) if load_acquire(tree, node + CHILDREN) > 0 else NO_NODE
        if child == NO_NODE:
            return depth
        add_visits(tree, child, 1, side_of(tree, node), game.options[0].shared != 0)
        game.apply(
            row(positions, row_at(depth)), action_of(tree, child), row_out(positions, row_at(depth + 1))
        )
        game.counters[0].nodes += 1
        depth += 1
        path[depth] = child


@kernel(types.void(ACTIONS_OUT, types.int64, types.int64))
def set_proof(tree: Actions, node: int, proof: int) -> None:
    """Store a proof unless it is `NO_PROOF`. The other facts of a node never change once it is linked."""
    if proof != NO_PROOF:
        atomic_store(tree, node + FACTS, tree[node + FACTS] | proof)


@kernel(types.boolean(BUNDLE, types.int64, types.int64, types.int64))
def expand(bundle: Actions, node: int, depth: int, count: int) -> bool:
    """Add the children of a leaf at `depth`. Its `count` moves are in `moves`.

    Moves that end the match are proven immediately.

    Returns
    -------
    boolean
        False if the tree is full or another thread is expanding the leaf.
    """
    game = unpack(bundle)
    tree, positions, priors, options = game.tree, game.positions, game.priors, game.options[0]
    here, is_shared = row_at(depth), options.shared != 0
    if is_shared and not compare_and_swap(tree, node + CHILDREN, NOT_EXPANDED, EXPANDING):
        return False
    first = allocate(tree, count * WORDS_PER_NODE, is_shared)
    if first == NO_NODE:
        atomic_store(tree, node + CHILDREN, NOT_EXPANDED)
        return False
    mover = side_of(tree, node)
    for index in range(count):
        action = game.moves[0, index]
        game.apply(row(positions, here), action, row_out(positions, LOOKAHEAD))
        result = result_at(bundle, LOOKAHEAD, depth + 1)
        side = game.side_to_move(row(positions, LOOKAHEAD))
        child = first + index * WORDS_PER_NODE
        tree[child + VISITS] = 0
        tree[child + TOTAL] = 0
        tree[child + CHILDREN] = NOT_EXPANDED
        tree[child + FACTS] = (action << ACTION_SHIFT) | (side << SIDE_SHIFT) | (result + 1)
        if options.prior != NO_PRIOR:
            priors[index] = value_of_move(bundle, here, action, mover, side, result)
    game.counters[0].nodes += count
    if options.prior != NO_PRIOR:
        set_priors(bundle, first, count)
    atomic_store(tree, node + CHILDREN, first | (count << COUNT_SHIFT))
    set_proof(tree, node, proof_from_children(tree, node))
    return True


@kernel(types.void(BUNDLE, types.int64, types.int64, types.int64))
def backpropagate(bundle: Actions, depth: int, total: int, proof: int) -> None:
    """Add the return of a simulation to every node of its path, and backpropagate its proof.

    A node that is proven this way, and the nodes above it, get the proven
    return instead.
    """
    game = unpack(bundle)
    tree, path, is_shared = game.tree, game.path, game.options[0].shared != 0
    for ply in range(depth, -1, -1):
        node = path[ply]
        if ply < depth and proof != NO_PROOF:
            proof = proof_from_children(tree, node)
            set_proof(tree, node, proof)
            if proof != NO_PROOF:
                total = proven_total(proof)
        if not is_shared:
            tree[node + TOTAL] += total
        else:  # also remove the virtual loss
            side = side_of(tree, path[ply - 1]) if ply > 0 else 0
            atomic_add(tree, node + TOTAL, total + (VIRTUAL_LOSS if side == 0 else -VIRTUAL_LOSS))


@kernel(types.void(BUNDLE, types.int64))
def cancel(bundle: Actions, depth: int) -> None:
    """Undo the visits of a simulation that was stopped."""
    game = unpack(bundle)
    tree, path = game.tree, game.path
    for ply in range(depth, -1, -1):
        side = side_of(tree, path[ply - 1]) if ply > 0 else 0
        add_visits(tree, path[ply], -1, side, game.options[0].shared != 0)


@kernel(types.void(BUNDLE))
def run_simulation(bundle: Actions) -> None:
    """Descend to a leaf, expand it or play a playout from there, and backpropagate the return."""
    game = unpack(bundle)
    tree, positions, path, options = game.tree, game.positions, game.path, game.options[0]
    depth, total, proof = 0, CANCELLED, NO_PROOF
    add_visits(tree, ROOT, 1, 0, options.shared != 0)
    path[0] = ROOT
    while True:
        depth = descend(bundle, depth)
        node, here = path[depth], row_at(depth)
        proof = proof_of(tree, node) if depth > 0 else NO_PROOF
        if proof == NO_PROOF and load_acquire(tree, node + CHILDREN) > 0:
            proof = proof_from_children(tree, node)
        if proof != NO_PROOF:
            break
        count = game.legal_moves(row(positions, here), row_out(game.moves, 0))
        if count == 0:
            proof = final_proof(bundle, here)
            set_proof(tree, node, proof)
            break
        is_due = tree[node + VISITS] >= EXPANSION_VISITS and depth < options.max_depth
        if (depth == 0 or is_due) and expand(bundle, node, depth, count):
            continue
        total = play_out(bundle, depth, count)
        break
    if proof != NO_PROOF:
        total = proven_total(proof)
    if total == CANCELLED:
        cancel(bundle, depth)
    else:
        backpropagate(bundle, depth, total, proof)
        game.counters[0].simulations += 1


@kernel(types.boolean(BUNDLE))
def is_solved(bundle: Actions) -> bool:
    """Return True if the root is proven or, with `all_moves`, every root move is."""
    game = unpack(bundle)
    tree = game.tree
    if game.options[0].all_moves == 0:
        return proof_of(tree, ROOT) != NO_PROOF
    children = load_acquire(tree, ROOT + CHILDREN)
    first = children & INDEX_MASK
    for child in range(first, first + (children >> COUNT_SHIFT) * WORDS_PER_NODE, WORDS_PER_NODE):
        if proof_of(tree, child) == NO_PROOF:
            return False
    return children > 0


@kernel(types.void(BUNDLE))
def simulate(bundle: Actions) -> None:
    """Run simulations until this thread reaches a limit, the stop flag is set or the root is solved.

    A simulation that reaches the node limit is finished. A simulation that is
    stopped during its playout leaves no visits behind.
    """
    game = unpack(bundle)
    counters = game.counters
    while (
        counters[0].simulations < counters[0].simulation_limit and counters[0].nodes < counters[0].node_limit
    ):
        run_simulation(bundle)
        if load_stop(game.control) != 0 or is_solved(bundle):
            return
