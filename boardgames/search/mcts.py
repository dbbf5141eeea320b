"""Monte Carlo tree search as kernels: one simulation after another from the root of a shared tree.

Sources: L. Kocsis and C. Szepesvári, "Bandit Based Monte-Carlo Planning",
2006 (UCT); D. Silver et al., "A general reinforcement learning algorithm that
masters chess, shogi, and Go through self-play", 2018 (the term of a prior);
M. Winands, Y. Björnsson, J. Saito, "Monte-Carlo Tree Search Solver", 2008
(proofs); G. Chaslot, M. Winands, J. van den Herik, "Parallel Monte-Carlo Tree
Search", 2008 (virtual loss).

Totals are returns for side 0 whoever moves, so that nothing changes where a
side moves twice. Of `positions` row 0 is the root, rows 1 and 2 take turns in
going down, row 3 is for looking one ply ahead.
"""

import math
from collections.abc import Callable

from numba import types

from boardgames.kernels import (
    Actions,
    Apply,
    Control,
    Evaluate,
    LegalMoves,
    MoveOrder,
    OutcomeOf,
    Reals,
    SideToMove,
    Words,
    kernel,
    load_stop,
    random_below,
    row,
    row_out,
)
from boardgames.kernels.abi import (
    ACTIONS,
    ACTIONS_OUT,
    ACTIONS_STACK,
    REALS,
    REALS_OUT,
    WORDS_OUT,
    WORDS_STACK,
    first_class,
)
from boardgames.kernels.atomics import atomic_add, atomic_load, load_acquire
from boardgames.kernels.control import CONTROL
from boardgames.search.leaves import (
    ALL_MOVES,
    CANCELLED,
    DEEPEST,
    EXPLORATION,
    NO_MOVES_DRAWS,
    NO_PRIOR,
    NODE_LIMIT,
    NODES,
    PRIOR,
    SHARED,
    SIMULATION_LIMIT,
    SIMULATIONS,
    end_proof,
    expand,
    play_on,
    prove,
)
from boardgames.search.nodes import (
    COUNT_SHIFT,
    FACTS,
    LINK,
    NOBODY,
    NODE_WORDS,
    ORDERED,
    PLACE_MASK,
    PRIOR_MASK,
    PRIOR_SHIFT,
    PROOF_MASK,
    ROOT,
    TOTAL,
    UNIT,
    VISITS,
    action_of,
    proof_from_successors,
    proof_of,
    proven_total,
    side_of,
)

LEAF_VISITS = 2
"""Visits, the present one among them, at which the moves of a leaf are added."""
GROWTH = 1.0 / 5000.0
"""Exploration grows by the logarithm of 1 + this times the visits where there is a prior, which matters less
and less."""
PRIOR_STEP = 1.0 / PRIOR_MASK
"""What a prior counts in."""
VIRTUAL_LOSS = UNIT


@kernel(types.int64(ACTIONS_OUT, types.int64, types.int64, types.int64, WORDS_OUT))
def _unvisited(tree: Actions, first: int, count: int, index: int, state: Words) -> int:
    """Return one of the successors without visits or proof, by chance; `index` is the first."""
    for place in range(index + random_below(state, count - index), count):
        successor = first + place * NODE_WORDS
        if tree[successor + VISITS] == 0 and proof_of(tree, successor) == 0:
            return successor
    return first + index * NODE_WORDS


@kernel(
    types.int64(ACTIONS_OUT, types.int64, types.int64, types.float64, types.boolean, WORDS_OUT), inline=True
)
def _by_visits(tree: Actions, node: int, losing: int, width: float, is_settling: bool, state: Words) -> int:
    """Return the successor with the highest UCB1; those without visits come first."""
    link = load_acquire(tree, node + LINK)
    first, count = link & PLACE_MASK, link >> COUNT_SHIFT
    unit = (2.0 * losing - 3.0) / UNIT  # 1 for side 0, -1 for side 1, by the proof that it loses
    best, highest = NOBODY, -math.inf
    for index in range(count):
        successor = first + index * NODE_WORDS
        proof = proof_of(tree, successor)
        if proof != 0 and (is_settling or proof == losing):
            continue
        times = atomic_load(tree, successor + VISITS)
        if times <= 0:
            return _unvisited(tree, first, count, index, state)
        inverse = 1.0 / times
        bound = atomic_load(tree, successor + TOTAL) * unit * inverse + width * math.sqrt(inverse)
        if bound > highest:
            best, highest = successor, bound
    return best


@kernel(
    types.int64(ACTIONS_OUT, types.int64, types.int64, types.float64, types.boolean, types.boolean),
    inline=True,
)
def _by_prior(tree: Actions, node: int, losing: int, width: float, is_settling: bool, is_shared: bool) -> int:
    """Return the successor with the highest bound of Silver et al., 2018.

    Those without visits are taken to be worth what the node is: if the first
    of them is among those that stand in the order of their priors, none after
    it has a higher bound, and if one thread is at work, none has visits.
    """
    link = load_acquire(tree, node + LINK)
    first, count = link & PLACE_MASK, link >> COUNT_SHIFT
    unit = (2.0 * losing - 3.0) / UNIT  # 1 for side 0, -1 for side 1, by the proof that it loses
    mean = atomic_load(tree, node + TOTAL) * unit / max(atomic_load(tree, node + VISITS), 1)
    last = NOBODY if is_shared else first + (ORDERED - 1) * NODE_WORDS
    best, highest = NOBODY, -math.inf
    for successor in range(first, first + count * NODE_WORDS, NODE_WORDS):
        facts = load_acquire(tree, successor + FACTS)
        proof = facts & PROOF_MASK
        if proof != 0 and (is_settling or proof == losing):
            continue
        times = float(atomic_load(tree, successor + VISITS))
        hope = width * ((facts >> PRIOR_SHIFT) & PRIOR_MASK)
        if times <= 0.0:
            if mean + hope > highest:
                best, highest = successor, mean + hope
            if successor <= last:
                break
            continue
        # total / times + hope / (times + 1), by one division
        over = atomic_load(tree, successor + TOTAL) * unit * (times + 1.0) + hope * times
        bound = over / (times * (times + 1.0))
        best = successor if bound > highest else best
        highest = max(highest, bound)
    return best


@kernel(types.int64(ACTIONS_OUT, types.int64, ACTIONS, REALS, WORDS_OUT), inline=True)
def select(tree: Actions, node: int, settings: Actions, scales: Reals, state: Words) -> int:
    """Return the successor with the highest upper bound; NOBODY if all are lost or settled."""
    losing = 2 - side_of(tree, node)
    is_settling = node == ROOT and settings[ALL_MOVES] != 0
    visits = float(max(atomic_load(tree, node + VISITS), 1))
    width = scales[EXPLORATION]
    if settings[PRIOR] == NO_PRIOR:
        width *= math.sqrt(math.log(visits))
        return _by_visits(tree, node, losing, width, is_settling, state)
    width *= PRIOR_STEP * (1.0 + math.log(1.0 + visits * GROWTH)) * math.sqrt(visits)
    return _by_prior(tree, node, losing, width, is_settling, settings[SHARED] != 0)


@kernel(types.void(ACTIONS_OUT, types.int64, types.int64, types.int64, types.boolean))
def _enter(tree: Actions, node: int, side: int, sign: int, is_shared: bool) -> None:
    """Count a visit that `side` chose, or with `sign` -1 take it back.

    Until a simulation has its return it counts as lost, so that other threads go elsewhere.
    """
    if not is_shared:
        tree[node + VISITS] += sign
        return
    loss = VIRTUAL_LOSS if side == 0 else -VIRTUAL_LOSS
    atomic_add(tree, node + VISITS, sign)
    atomic_add(tree, node + TOTAL, -sign * loss)


@kernel(types.void(ACTIONS_OUT, ACTIONS, types.int64, types.int64, types.int64, types.boolean))
def back_up(tree: Actions, path: Actions, depth: int, total: int, proof: int, is_shared: bool) -> None:
    """Add the return of a simulation to every node of its path, and go on proving.

    From a node that is proven by it upwards, the proven return counts.
    """
    for ply in range(depth, -1, -1):
        node = path[ply]
        if ply < depth and proof != 0:
            proof = proof_from_successors(tree, node)
            prove(tree, node, proof)
            if proof != 0:
                total = proven_total(proof)
        if not is_shared:
            tree[node + TOTAL] += total
        else:
            side = side_of(tree, path[ply - 1]) if ply > 0 else 0
            atomic_add(tree, node + TOTAL, total + (VIRTUAL_LOSS if side == 0 else -VIRTUAL_LOSS))


@kernel(
    types.int64(
        first_class(Apply),
        ACTIONS_OUT,
        WORDS_STACK,
        ACTIONS_OUT,
        types.int64,
        WORDS_OUT,
        ACTIONS,
        REALS,
        ACTIONS_OUT,
    )
)
def descend(
    apply: Callable[[Words, int, Words], None],
    tree: Actions,
    positions: Words,
    path: Actions,
    depth: int,
    state: Words,
    settings: Actions,
    scales: Reals,
    tally: Actions,
) -> int:
    """Go on from `path[depth]` to a node that is a leaf or proven, and return its depth.

    The position of the root is row 0, that of every other node row 1 at odd
    depths and row 2 at even ones.
    """
    while True:
        node = path[depth]
        if depth > 0 and proof_of(tree, node) != 0:
            return depth
        successor = (
            select(tree, node, settings, scales, state) if load_acquire(tree, node + LINK) > 0 else NOBODY
        )
        if successor == NOBODY:
            return depth
        _enter(tree, successor, side_of(tree, node), 1, settings[SHARED] != 0)
        here = 2 - depth % 2 if depth > 0 else 0
        apply(row(positions, here), action_of(tree, successor), row_out(positions, 1 + depth % 2))
        tally[NODES] += 1
        depth += 1
        path[depth] = successor


@kernel(types.void(ACTIONS_OUT, ACTIONS, types.int64, types.boolean))
def take_back(tree: Actions, path: Actions, depth: int, is_shared: bool) -> None:
    """Leave a tree as if the simulation of a path had not begun."""
    for ply in range(depth, -1, -1):
        side = side_of(tree, path[ply - 1]) if ply > 0 else 0
        _enter(tree, path[ply], side, -1, is_shared)


@kernel(types.boolean(ACTIONS_OUT, ACTIONS))
def is_settled(tree: Actions, settings: Actions) -> bool:
    """Say whether more simulations can add nothing: the root, or where it matters every move, is proven."""
    if settings[ALL_MOVES] == 0:
        return proof_of(tree, ROOT) != 0
    link = load_acquire(tree, ROOT + LINK)
    first = link & PLACE_MASK
    for successor in range(first, first + (link >> COUNT_SHIFT) * NODE_WORDS, NODE_WORDS):
        if proof_of(tree, successor) == 0:
            return False
    return link > 0


@kernel(
    types.void(
        first_class(LegalMoves),
        first_class(Apply),
        first_class(SideToMove),
        first_class(OutcomeOf),
        first_class(MoveOrder),
        first_class(Evaluate),
        REALS,
        ACTIONS_OUT,
        WORDS_STACK,
        ACTIONS_STACK,
        REALS_OUT,
        ACTIONS_OUT,
        WORDS_OUT,
        ACTIONS,
        REALS,
        ACTIONS_OUT,
        CONTROL,
    )
)
def simulate(
    legal_moves: Callable[[Words, Actions], int],
    apply: Callable[[Words, int, Words], None],
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    move_order: Callable[[Words, int], int],
    evaluate: Callable[[Words, Reals], float],
    weights: Reals,
    tree: Actions,
    positions: Words,
    moves: Actions,
    worths: Reals,
    path: Actions,
    state: Words,
    settings: Actions,
    scales: Reals,
    tally: Actions,
    control: Control,
) -> None:
    """Descend the tree again and again until a limit is reached or all is proven.

    Parameters
    ----------
    legal_moves, apply, side_to_move, outcome, move_order, evaluate : kernels
        The game.
    weights : float64[n]
        Of the evaluation.
    tree : int64[4 n]
        Shared by all threads; the other arrays, but settings, scales and
        control, are this thread's own.
    positions : uint64[4, words]
        The root, and three rows that are overwritten.
    moves, worths : int64[1, actions], float64[2 actions]
        Overwritten.
    path : int64[deepest + 2]
        Gets the nodes of a simulation.
    state : uint64[1]
        Of the random generator; advanced.
    settings, scales : int64[SETTINGS], float64[SCALES]
        How to search.
    tally : int64[TALLY]
        Counts simulations and positions up to the limits in it; the
        simulation that reaches the limit of positions is finished.
    control : int64[CONTROL_SIZE]
        Only the stop flag is read; the simulation under way is taken back.
    """
    while tally[SIMULATIONS] < tally[SIMULATION_LIMIT] and tally[NODES] < tally[NODE_LIMIT]:
        depth, total, proof = 0, CANCELLED, 0
        _enter(tree, ROOT, 0, 1, settings[SHARED] != 0)
        path[0] = ROOT
        while True:
            depth = descend(apply, tree, positions, path, depth, state, settings, scales, tally)
            node, here = path[depth], 2 - depth % 2 if depth > 0 else 0
            proof = proof_of(tree, node) if depth > 0 else 0
            if proof == 0 and load_acquire(tree, node + LINK) > 0:
                proof = proof_from_successors(tree, node)
            if proof != 0:
                break
            count = legal_moves(row(positions, here), row_out(moves, 0))
            if count == 0:
                proof = end_proof(side_to_move, outcome, positions, here, settings[NO_MOVES_DRAWS] != 0)
                prove(tree, node, proof)
                break
            is_due = depth == 0 or (tree[node + VISITS] >= LEAF_VISITS and depth < settings[DEEPEST])
            if is_due and expand(
                apply, side_to_move, outcome, move_order, evaluate, weights,
                tree, node, positions, here, moves, count, worths, settings, scales, tally,
            ):  # fmt: skip
                continue
            total = play_on(
                legal_moves, apply, side_to_move, outcome, evaluate, weights,
                positions, here, moves, count, state, settings, scales, tally, control,
            )  # fmt: skip
            break
        if proof != 0:
            total = proven_total(proof)
        if total == CANCELLED:
            take_back(tree, path, depth, settings[SHARED] != 0)
        else:
            back_up(tree, path, depth, total, proof, settings[SHARED] != 0)
            tally[SIMULATIONS] += 1
        if load_stop(control) != 0 or is_settled(tree, settings):
            return
