"""Principal variation search as kernels: alpha-beta that trusts its order of moves.

The first move of a position is searched with the whole window, the others with
an empty one, and again only if they turn out better (T. Marsland and
M. Campbell, "Parallel search of strongly ordered game trees", 1982). What is
found stands in a transposition table. Late quiet moves are looked at less
deep first, and near the horizon not at all where no quiet move can mend the
evaluation (`futility`). A side that is well off even without a move is taken to
be so with one (C. Donninger, "Null move and deep search", 1993). A position
that occurred before on the path or in the match counts as a draw. What another
thread is looking at comes later (`paths`).
"""

import numpy as np
from numba import types

from boardgames.kernels import (
    FORCING,
    NODES,
    Actions,
    bits_of,
    is_stopped,
    kernel,
    prefetch,
    real_of,
    row,
    row_out,
)
from boardgames.kernels.abi import (
    ACTIONS,
    ACTIONS_OUT,
)
from boardgames.search.futility import FUTILE_DEPTH, has_entry, is_threatened
from boardgames.search.ordering import (
    KILLER_RANK,
    TACTICAL_RANK,
    bring_best_forward,
    exchange,
    extend_line,
    rank_moves,
    rank_tactical,
    remember,
    turn_round,
)
from boardgames.search.paths import is_repeated, is_taken
from boardgames.search.quiescence import quiesce
from boardgames.search.table import (
    EXACT,
    LOWER,
    UPPER,
    action_of,
    bound_of,
    bucket,
    depth_of,
    is_proven,
    look_up,
    store,
)
from boardgames.search.tree import (
    EVALUATION_BOUND,
    EXTENSIONS,
    GENERATION,
    HORIZON,
    INFINITY,
    MARGIN,
    MAX_DEPTH,
    MILLION,
    ONGOING,
    PASSES,
    QUIESCENCE,
    REDUCED_DEPTHS,
    REDUCED_PLACES,
    REDUCES,
    REDUCTIONS,
    REPETITION,
    SCOUTS,
    START,
    TAINTS,
    end_value,
)
from boardgames.search.workspace import (
    apply_in,
    control_in,
    evaluate_in,
    key_in,
    keys_in,
    legal_moves_in,
    lines_in,
    memory_in,
    move_order_in,
    moves_in,
    outcome_in,
    pass_turn_in,
    positions_in,
    settings_in,
    side_to_move_in,
    table_in,
    tactical_moves_in,
    weights_in,
)

SCOUT = 1e-6
"""Width of an empty window."""

PASSED = -(1 << 62)
"""Stands for the first rank of a ply at which no move was made: nobody passes twice in a row."""
PASSED_FROM = 3
"""Depth from which on a position is tried without a move: if that refutes it, some move will, too."""
PASSED_LESS = 2
"""Plies by which that is looked at less deep, besides a quarter of the depth."""
REDUCED_FROM = 3
"""Depth from which on late moves are reduced."""
SHARED_FROM = 3
"""Depth from which on a move that another thread is looking at is put off, until that one knows more."""
SORTED = 8
"""Moves that are put in order for each ply of depth: those behind are as good as each other."""


@kernel(types.float64(types.float64, types.int64))
def from_here(value: float, ply: int) -> float:
    """Return a value as seen from a position `ply` plies below the root: distances count from there."""
    if value > EVALUATION_BOUND:
        return value + ply
    if value < -EVALUATION_BOUND:
        return value - ply
    return value


@kernel(types.float64(types.float64, types.int64))
def from_root(value: float, ply: int) -> float:
    """Return the opposite of `from_here`."""
    if value > EVALUATION_BOUND:
        return value - ply
    if value < -EVALUATION_BOUND:
        return value + ply
    return value


@kernel(types.boolean(types.int64, types.int64, types.float64, types.float64, types.float64, types.boolean))
def settles(facts: int, depth: int, value: float, alpha: float, beta: float, exactly: bool) -> bool:
    """Say whether what the table knows answers a search of a window.

    Parameters
    ----------
    facts : int64
        Of the entry.
    value : float64
        Its value, distances counted from the root.
    exactly : bool
        Only what `depth` plies show counts, no more.
    """
    if depth_of(facts) < depth and not is_proven(facts):
        return False
    if exactly and depth_of(facts) > depth:
        return False
    bound = bound_of(facts)
    if bound == EXACT:
        return True
    return value >= beta if bound == LOWER else value <= alpha


@kernel(types.int64(ACTIONS, types.int64, types.int64))
def reduction(settings: Actions, depth: int, index: int) -> int:
    """Return the plies by which a late move is looked at less deep; 0 if reductions are off."""
    if settings[REDUCES] == 0 or depth < REDUCED_FROM:
        return 0
    row_start = min(depth, REDUCED_DEPTHS - 1) * REDUCED_PLACES
    return settings[REDUCTIONS + row_start + min(index, REDUCED_PLACES - 1)]


@kernel(
    types.void(
        ACTIONS_OUT,
        types.uint64,
        types.int64,
        types.float64,
        types.float64,
        types.float64,
        types.int64,
        types.int64,
        types.boolean,
        ACTIONS,
    )
)
def keep(
    table: Actions,
    key: np.uint64,
    ply: int,
    value: float,
    alpha: float,
    beta: float,
    action: int,
    depth: int,
    proven: bool,
    settings: Actions,
) -> None:
    """Store what a search of a window found in the position at `ply`."""
    bound = EXACT
    if value >= beta:
        bound = LOWER
    elif value <= alpha:
        bound = UPPER
    bits = bits_of(from_here(value, ply))
    store(table, key, bits, 0, action, depth, bound, proven, settings[GENERATION])


@kernel(types.float64(ACTIONS, types.int64, types.int64, types.float64, types.float64))
def principal(  # noqa: C901, PLR0912, PLR0915 - a kernel that calls itself cannot be taken apart further
    workspace: Actions, ply: int, depth: int, alpha: float, beta: float
) -> float:
    """Return the worth of the position at `ply` for its side to move, within a window.

    Parameters
    ----------
    workspace : int64[m]
        Words of a bundle of kernels and arrays, as `workspace` has them; the
        table, keys, positions, moves, lines and memory are changed.
    ply : int64
        Plies from the root.
    depth : int64
        Plies to search; from 0 on only tactical moves are followed.
    alpha, beta : float64
        The window: outside of it the value is a bound.
    """
    settings, control = settings_in(workspace), control_in(workspace)
    control[NODES] += 1
    if depth <= 0 or ply >= MAX_DEPTH:
        return quiesce(workspace, ply, settings[QUIESCENCE], alpha, beta)
    legal_moves, apply, side_to_move = (
        legal_moves_in(workspace),
        apply_in(workspace),
        side_to_move_in(workspace),
    )
    outcome, move_order, evaluate = outcome_in(workspace), move_order_in(workspace), evaluate_in(workspace)
    tactical_moves, key_of = tactical_moves_in(workspace), key_in(workspace)
    pass_turn, weights, table = pass_turn_in(workspace), weights_in(workspace), table_in(workspace)
    keys, positions, moves = keys_in(workspace), positions_in(workspace), moves_in(workspace)
    lines, memory = lines_in(workspace), memory_in(workspace)
    lines[ply, 0] = 0
    if is_stopped(control):
        return 0.0
    is_scout = beta - alpha < 2 * SCOUT
    exactly = settings[REDUCES] == 0
    start = settings[START]
    key = keys[start + ply]
    if settings[REPETITION] != 0 and is_repeated(keys, start + ply, settings):
        control[HORIZON] += 1
        control[TAINTS] += 1
        return 0.0
    hope = INFINITY
    may_look = is_scout and not exactly and settings[MARGIN] > 0 and depth <= FUTILE_DEPTH
    if may_look and outcome(row(positions, ply)) == ONGOING:
        static, margin = evaluate(row(positions, ply), weights), settings[MARGIN] / MILLION
        hope, ample = static + depth * margin, static - (depth - 1) * margin
        is_ample = settings[PASSES] != 0 and ample >= beta > -EVALUATION_BOUND
        if is_ample and not is_threatened(move_order, tactical_moves, pass_turn, positions, moves, ply):
            control[HORIZON] += 1
            return ample
    known = -1
    if has_entry(settings, exactly, depth):
        bits, facts, _ = look_up(table, key)
        if facts != 0:
            known = action_of(facts)
            value = from_root(real_of(bits), ply)
            if is_scout and settles(facts, depth, value, alpha, beta, exactly):
                control[HORIZON] += 0 if is_proven(facts) else 1
                return value
    is_futile = hope <= alpha
    if is_futile:
        count = tactical_moves(row(positions, ply), row_out(moves, 2 * ply))
    else:
        count = legal_moves(row(positions, ply), row_out(moves, 2 * ply))
        if count == 0:
            here = row(positions, ply)
            return end_value(side_to_move, outcome, evaluate, weights, here, ply, settings)
    may_pass = settings[PASSES] != 0 and is_scout and not exactly and depth >= PASSED_FROM
    may_pass = may_pass and moves[2 * ply - 1, 0] != PASSED and abs(beta) < EVALUATION_BOUND
    if may_pass and evaluate(row(positions, ply), weights) >= beta:
        pass_turn(row(positions, ply), row_out(positions, ply + 1))
        keys[start + ply + 1] = key_of(row(positions, ply + 1))
        moves[2 * ply + 1, 0] = PASSED
        value = -principal(workspace, ply + 1, depth - 1 - PASSED_LESS - depth // 4, -beta, -alpha)
        if is_stopped(control):
            return 0.0
        if value >= beta:
            control[HORIZON] += 1
            return min(value, EVALUATION_BOUND)  # nobody has won by a move that there is not
    horizon, taints = control[HORIZON], control[TAINTS]
    side = side_to_move(row(positions, ply))
    best = -INFINITY
    if is_futile:
        best = hope
        rank_tactical(move_order, positions, moves, ply, count)
    else:
        rank_moves(move_order, tactical_moves, positions, moves, memory, ply, count, side, known, settings)
    best_action = -1
    index, fresh, later = 0, count, count  # moves from `fresh` on were put off, the first at place `later`
    while index < count:
        place = index
        if index >= fresh:
            if index == fresh:
                turn_round(moves, ply, fresh, count)
            place = min(index, later + index - fresh)
        action = moves[2 * ply, index]
        if index < SORTED * depth and index < fresh:
            action = bring_best_forward(moves, ply, index, fresh)
        rank = moves[2 * ply + 1, index]
        low = max(alpha, best)
        apply(row(positions, ply), action, row_out(positions, ply + 1))
        ahead = depth - 1
        if settings[EXTENSIONS] != 0 and rank >= TACTICAL_RANK:
            ahead += move_order(row(positions, ply), action) >= FORCING
        if ahead > 0:
            key = key_of(row(positions, ply + 1))
            is_later = 0 < index < fresh - 1 and ahead >= SHARED_FROM
            if is_later and is_taken(keys, start + ply + 1, key, settings):
                fresh, later = fresh - 1, min(later, index)
                exchange(moves, ply, index, fresh)
                continue
            keys[start + ply + 1] = key
            if has_entry(settings, exactly, ahead):
                prefetch(table, bucket(table, key))
        turns = side_to_move(row(positions, ply + 1)) != side
        plies = ahead
        if turns and place > 0 and rank < KILLER_RANK:
            plies -= reduction(settings, depth, place)
        high = beta if index == 0 or settings[SCOUTS] == 0 else min(beta, low + SCOUT)
        while True:
            floor, ceiling = (-high, -low) if turns else (low, high)
            if plies <= 0:  # at once, which saves a call
                control[NODES] += 1
                value = quiesce(workspace, ply + 1, settings[QUIESCENCE], floor, ceiling)
            else:
                value = principal(workspace, ply + 1, plies, floor, ceiling)
            if is_stopped(control):
                return best
            if turns:
                value = -value
            if value <= low or (plies == ahead and high >= beta):
                break
            if plies < ahead:
                plies = ahead
            else:
                high = beta
        if value > best:
            best = value
            if value > alpha:
                best_action = action
                extend_line(lines, ply, action)
        if best >= beta:
            if rank < TACTICAL_RANK:
                remember(moves, memory, ply, index, depth, side, settings)
            break
        index += 1
    if is_futile and best < beta:
        control[HORIZON] += 1  # what was left out might be worth as much
    if has_entry(settings, exactly, depth) and not (exactly and control[TAINTS] != taints):
        proven = control[HORIZON] == horizon
        keep(table, keys[start + ply], ply, best, alpha, beta, best_action, depth, proven, settings)
    return best
