"""Principal variation search as a kernel, and the search of the root.

The first move of a position is searched with the full window. The others are
searched with a null window, and again with the full window only if they turn out
to be better (T. Marsland and M. Campbell, "Parallel search of strongly ordered
game trees", 1982). If the same side moves again, value and window keep their
sign.

The techniques, in the order in which `pvs` applies them:

- repetition: a position that occurred before, on the path or in the match, counts as
  a draw;
- reverse futility pruning (static null move): near the horizon, a side far above
  the window is assumed to stay there (E. Heinz, "Extended futility pruning", 1998);
- the transposition table (`table`);
- futility pruning: near the horizon, only tactical moves are searched for a
  side far below the window, since no quiet move changes the evaluation enough;
- null-move pruning: a position that is good enough even after a pass is cut off
  (C. Donninger, "Null move and deep search", 1993);
- move ordering (`ordering`);
- ABDADA: a move that another thread is searching is deferred (J.-C. Weill, "The
  ABDADA distributed minimax search algorithm", 1996, in T. Kerrigan's simplified form);
- extensions: forcing moves are searched one ply deeper;
- late-move reductions: quiet moves that come late in the order are searched to a reduced
  depth first;
- quiescence search at the horizon (`quiescence`).
"""

import numpy as np

from boardgames.kernels import (
    FORCING,
    TACTICAL,
    Actions,
    Reals,
    Words,
    is_stopped,
    kernel,
    mix,
    prefetch,
    row,
    row_out,
    types,
)
from boardgames.kernels.abi import ACTIONS_OUT, ACTIONS_STACK, REALS_OUT, WORDS_OUT
from boardgames.kernels.bundles import BUNDLE
from boardgames.search.alphabeta.ordering import (
    KILLER_RANK,
    TACTICAL_RANK,
    defer_move,
    move_to_end,
    pick_move,
    rank_moves,
    rank_tactical_moves,
    restore_move,
    update_killers_and_history,
)
from boardgames.search.alphabeta.quiescence import AT_LIMIT, quiescence
from boardgames.search.alphabeta.table import (
    EXACT,
    LOWER,
    UPPER,
    action_of,
    bound_of,
    bucket_of,
    depth_of,
    is_proven,
    look_up,
    pack_facts,
    store,
    value_from_table,
    value_to_table,
)
from boardgames.search.alphabeta.workspace import (
    NODE,
    OPTIONS,
    REDUCTION_DEPTHS,
    REDUCTION_PLACES,
    ROWS,
    Options,
    final_value,
    unpack,
    update_line,
)
from boardgames.search.rules import EVALUATION_BOUND, INFINITY, MAX_DEPTH, ONGOING

NULL_WINDOW = 1e-6
"""Width of a null window: no two values are closer than this."""

FUTILITY_DEPTH = 2
"""Maximum depth of futility and reverse futility pruning."""
NULL_MOVE_DEPTH = 3
"""Minimum depth of null-move pruning."""
NULL_MOVE_REDUCTION = 2
"""Plies by which the search after a null move is reduced, in addition to a quarter of the depth."""
NULL_MOVE = -(1 << 62)
"""Rank that marks the ply after a null move, since two null moves in a row are not allowed."""
LMR_DEPTH = 3
"""Minimum depth at which late moves are reduced."""
ABDADA_DEPTH = 3
"""Minimum depth at which moves that another thread is searching are deferred."""
SORTED_MOVES = 8
"""Number of moves that are sorted for each ply of depth; the order of the rest matters little."""


@kernel(types.boolean(WORDS_OUT, types.int64, types.int64))
def is_repetition(keys: Words, first: int, place: int) -> bool:
    """Return True if the key at `place` also occurs between `first` and `place`."""
    key = keys[place]
    for other in range(place - 2, first - 1, -1):  # noqa: SIM110 - compiled
        if keys[other] == key:
            return True
    return False


@kernel(types.boolean(BUNDLE, types.int64))
def is_threatened(bundle: Actions, ply: int) -> bool:
    """Return True if the opponent could play a forcing move if it were to move.

    The rows of `ply` + 1 are overwritten.
    """
    game = unpack(bundle)
    positions, moves = game.positions, game.moves
    game.pass_turn(row(positions, ply), row_out(positions, ply + 1))
    for index in range(game.tactical_moves(row(positions, ply + 1), row_out(moves, 2 * ply + 2))):
        if game.move_order(row(positions, ply + 1), moves[2 * ply + 2, index]) >= FORCING:
            return True
    return False


@kernel(types.boolean(OPTIONS, types.int64))
def uses_table(options: Options, depth: int) -> bool:
    """Return True if positions at a depth are looked up and stored in the table.

    All of them are, except at depth 1 with futility pruning, which decides most of these positions faster.
    """
    here = options[0]
    return here.table != 0 and (depth > 1 or here.selective == 0 or here.futility_margin == 0.0)


@kernel(types.uint64(types.uint64, types.int64))
def table_key(key: np.uint64, plies_left: int) -> np.uint64:
    """Return the key of a position in the table; near a limit it includes the plies left."""
    return key if plies_left > ROWS else key ^ mix(np.uint64(plies_left))


@kernel(types.boolean(types.int64, types.int64, types.float64, types.float64, types.float64, types.boolean))
def is_cutoff(facts: int, depth: int, value: float, alpha: float, beta: float, selective: bool) -> bool:
    """Return True if a table entry decides a null-window search.

    Parameters
    ----------
    facts, value : int64, float64
        The facts and the value of the entry. The distance of a win is counted from
        the root.
    selective : bool
        If False, only a proven entry or an entry of exactly `depth` plies counts.
    """
    if depth_of(facts) < depth and not is_proven(facts):
        return False
    if not selective and depth_of(facts) > depth:
        return False
    bound = bound_of(facts)
    if bound == EXACT:
        return True
    return value >= beta if bound == LOWER else value <= alpha


@kernel(types.boolean(WORDS_OUT, types.int64, types.uint64, types.int64))
def is_searched_elsewhere(keys: Words, place: int, key: np.uint64, keys_per_thread: int) -> bool:
    """Return True if another thread's last position at the same ply has this key."""
    if keys_per_thread == 0:
        return False
    for other in range(place % keys_per_thread, keys.size, keys_per_thread):
        if other != place and keys[other] == key:
            return True
    return False


@kernel(types.int64(ACTIONS_STACK, types.int64, types.int64))
def reduction(reductions: Actions, depth: int, place: int) -> int:
    """Return the number of plies by which the move at `place` in the order is reduced."""
    return reductions[min(depth, REDUCTION_DEPTHS - 1), min(place, REDUCTION_PLACES - 1)]


@kernel(NODE)
def pvs(  # noqa: C901, PLR0912, PLR0915 - a kernel that calls itself cannot be split further
    bundle: Actions, ply: int, depth: int, alpha: float, beta: float
) -> float:
    """Return the value of the position at `ply` for its side to move.

    Parameters
    ----------
    bundle : int64[n]
        Words of an `AlphaBetaWorkspace`; its stacks, table and counters are changed.
    ply : int64
        Plies from the root.
    depth : int64
        Plies to search; at 0 and below, quiescence search takes over.
    alpha, beta : float64
        The window. A value at or outside its edges is only a bound (fail-soft).
    """
    game = unpack(bundle)
    options, control = game.options[0], game.control
    control[0].nodes += 1
    plies_left = options.plies_left - ply
    if depth <= 0 or ply >= MAX_DEPTH or plies_left <= 0:
        return quiescence(bundle, ply, options.quiescence if plies_left > 0 else AT_LIMIT, alpha, beta)
    positions, moves, lines, keys, table = game.positions, game.moves, game.lines, game.keys, game.table
    lines[ply, 0] = 0
    if is_stopped(control):
        return 0.0
    is_null_window = beta - alpha < 2 * NULL_WINDOW
    # the evaluation says little if a ply limit ends the match within the depth
    may_prune = is_null_window and options.selective != 0 and depth < plies_left
    here = options.root_key + ply
    if options.repetition != 0 and is_repetition(keys, options.first_key, here):
        control[0].evaluated += 1
        control[0].path_dependent += 1
        return 0.0

    futility_value = INFINITY
    is_frontier = may_prune and options.futility_margin > 0.0 and depth <= FUTILITY_DEPTH
    if is_frontier and game.outcome(row(positions, ply)) == ONGOING:
        static, margin = game.evaluate(row(positions, ply), game.weights), options.futility_margin
        futility_value = static + depth * margin
        floor = static - (depth - 1) * margin
        is_far_above = options.reverse_futility != 0 and floor >= beta > -EVALUATION_BOUND
        if is_far_above and not is_threatened(bundle, ply):
            control[0].evaluated += 1
            return floor

    table_move = -1
    if uses_table(game.options, depth):
        stored, facts = look_up(table, table_key(keys[here], plies_left))
        if facts != 0:
            table_move = action_of(facts)
            value = value_from_table(stored, ply)
            if is_null_window and is_cutoff(facts, depth, value, alpha, beta, options.selective != 0):
                control[0].evaluated += 0 if is_proven(facts) else 1
                return value

    is_futile = futility_value <= alpha
    if is_futile:
        count = game.tactical_moves(row(positions, ply), row_out(moves, 2 * ply))
    else:
        count = game.legal_moves(row(positions, ply), row_out(moves, 2 * ply))
        if count == 0:
            return final_value(bundle, ply)

    may_pass = may_prune and options.null_move != 0 and depth >= NULL_MOVE_DEPTH
    may_pass = may_pass and moves[2 * ply - 1, 0] != NULL_MOVE and abs(beta) < EVALUATION_BOUND
    if may_pass and game.evaluate(row(positions, ply), game.weights) >= beta:
        game.pass_turn(row(positions, ply), row_out(positions, ply + 1))
        keys[here + 1] = game.position_key(row(positions, ply + 1))
        moves[2 * ply + 1, 0] = NULL_MOVE
        value = -pvs(bundle, ply + 1, depth - 1 - NULL_MOVE_REDUCTION - depth // 4, -beta, -alpha)
        if is_stopped(control):
            return 0.0
        if value >= beta:
            control[0].evaluated += 1
            return min(value, EVALUATION_BOUND)  # a win found after a null move is not proven

    evaluated, path_dependent = control[0].evaluated, control[0].path_dependent
    side = game.side_to_move(row(positions, ply))
    best = -INFINITY
    if is_futile:
        best = futility_value
        rank_tactical_moves(bundle, ply, count)
    else:
        rank_moves(bundle, ply, count, side, table_move)
    best_action = -1
    horizon = options.quiescence if plies_left > 1 else AT_LIMIT
    index, deferred = 0, count  # the moves from `deferred` on were deferred
    while index < count:
        # reductions depend on the place in the order, which must be the same in all threads
        place = index + count - deferred if index < deferred else restore_move(moves, ply, index)
        action = moves[2 * ply, index]
        if index < SORTED_MOVES * depth and index < deferred:
            action = pick_move(moves, ply, index, deferred)
        rank = moves[2 * ply + 1, index]
        low = max(alpha, best)
        game.apply(row(positions, ply), action, row_out(positions, ply + 1))
        full_depth = depth - 1
        if options.extensions != 0 and rank >= TACTICAL_RANK:
            full_depth += game.move_order(row(positions, ply), action) >= FORCING
        if full_depth > 0:
            key = game.position_key(row(positions, ply + 1))
            may_defer = 0 < index < deferred - 1 and full_depth >= ABDADA_DEPTH
            if may_defer and is_searched_elsewhere(keys, here + 1, key, options.keys_per_thread):
                defer_move(moves, ply, index, count, place)
                deferred -= 1
                continue
            keys[here + 1] = key
            if uses_table(game.options, full_depth):
                prefetch(table, bucket_of(table, table_key(key, plies_left - 1)))
        changes_side = game.side_to_move(row(positions, ply + 1)) != side
        plies = full_depth
        if options.lmr != 0 and depth >= LMR_DEPTH and changes_side and place > 0 and rank < KILLER_RANK:
            plies -= reduction(game.reductions, depth, place)
        high = beta if index == 0 or options.pvs == 0 else min(beta, low + NULL_WINDOW)
        while True:
            lower, upper = (-high, -low) if changes_side else (low, high)
            if plies <= 0:  # the same as in `pvs`, without the cost of a call
                control[0].nodes += 1
                value = quiescence(bundle, ply + 1, horizon, lower, upper)
            else:
                value = pvs(bundle, ply + 1, plies, lower, upper)
            if is_stopped(control):
                return best
            if changes_side:
                value = -value
            if value <= low or (plies == full_depth and high >= beta):
                break
            if plies < full_depth:
                plies = full_depth
            else:
                high = beta
        if value > best:
            best = value
            if value > alpha:
                best_action = action
                update_line(lines, ply, action)
        if best >= beta:
            if rank < TACTICAL_RANK:
                update_killers_and_history(bundle, ply, index, depth, side)
            break
        index += 1

    if is_futile and best < beta:
        control[0].evaluated += 1  # the pruned quiet moves might be worth as much
    is_valid_anywhere = options.selective != 0 or control[0].path_dependent == path_dependent
    if uses_table(game.options, depth) and is_valid_anywhere:
        bound = EXACT
        if best >= beta:
            bound = LOWER
        elif best <= alpha:
            bound = UPPER
        proven = control[0].evaluated == evaluated
        facts = pack_facts(best_action, depth, bound, proven, options.generation)
        store(table, table_key(keys[here], plies_left), value_to_table(best, ply), facts)
    return best


@kernel(types.float64(REALS_OUT, types.int64, types.int64))
def nth_best(values: Reals, count: int, n: int) -> float:
    """Return the `n`-th largest of the first `count` values, or minus infinity if there are fewer."""
    if count < n:
        return -INFINITY
    best = INFINITY
    for _ in range(n):
        following = -INFINITY
        higher = 0
        for index in range(count):
            if values[index] < best:
                following = max(following, values[index])
            else:
                higher += 1
        if higher >= n:
            return best
        best = following
    return best


@kernel(types.void(ACTIONS_STACK, ACTIONS_STACK, types.int64))
def copy_line(lines: Actions, root_lines: Actions, index: int) -> None:
    """Copy the principal variation of the root into a row of `root_lines`."""
    for place in range(lines[0, 0] + 1):
        root_lines[index, place] = lines[0, place]


@kernel(
    types.void(
        BUNDLE, ACTIONS_OUT, types.int64, types.float64, types.float64, REALS_OUT, ACTIONS_OUT, ACTIONS_STACK
    )
)
def search_root(
    bundle: Actions,
    order: Actions,
    depth: int,
    alpha: float,
    beta: float,
    values: Reals,
    evaluated: Actions,
    root_lines: Actions,
) -> None:
    """Search the moves of the root position, `positions[0]`.

    Moves that another thread is searching are deferred, except the first ones, which get
    exact values.

    Parameters
    ----------
    bundle : int64[m]
        Words of an `AlphaBetaWorkspace`. `moves[0]` has the legal moves, most promising first;
        `control.finished_moves` counts the moves searched completely.
    order : int64[n]
        Must be 0 to n - 1. Receives the places of the moves in `moves[0]`, in the order in which
        the moves are searched. The other results are in that order too.
    depth : int64
        Plies to search.
    alpha, beta : float64
        The window; a move worth `beta` or more ends the search.
    values : float64[n]
        Receives the value of each move for the side to move. The best
        `options.exact_moves` values are exact; the others are upper
        bounds.
    evaluated : int64[n]
        Receives the number of evaluations below each move; if it is 0, the value is
        proven.
    root_lines : int64[n, m + 1]
        Receives the line of each move: its length, followed by its actions.
    """
    game = unpack(bundle)
    options, control, keys = game.options[0], game.control, game.keys
    positions, moves, lines = game.positions, game.moves, game.lines
    side = game.side_to_move(row(positions, 0))
    keys[options.root_key] = game.position_key(row(positions, 0))
    index, count = 0, order.size
    deferred = count  # the moves from here on were deferred
    while index < count:
        evaluated_before = control[0].evaluated
        place = order[index]
        action = moves[0, place]
        rank = game.move_order(row(positions, 0), action)
        game.apply(row(positions, 0), action, row_out(positions, 1))
        key = game.position_key(row(positions, 1))
        is_first = index < options.exact_moves
        may_defer = not is_first and index < deferred - 1 and depth > ABDADA_DEPTH
        if may_defer and is_searched_elsewhere(keys, options.root_key + 1, key, options.keys_per_thread):
            move_to_end(order, index, count)
            deferred -= 1
            continue
        keys[options.root_key + 1] = key
        changes_side = game.side_to_move(row(positions, 1)) != side
        low = max(alpha, nth_best(values, index, options.exact_moves))
        high = beta if is_first or options.pvs == 0 else min(beta, low + NULL_WINDOW)
        full_depth = depth if options.extensions != 0 and rank >= FORCING else depth - 1
        plies = full_depth
        moves[1, 0] = 0
        if options.lmr != 0 and depth >= LMR_DEPTH and changes_side and not is_first and rank < TACTICAL:
            plies -= reduction(game.reductions, depth, place)
        while True:
            lower, upper = (-high, -low) if changes_side else (low, high)
            value = game.node(bundle, 1, plies, lower, upper)
            if is_stopped(control):
                return
            if changes_side:
                value = -value
            if value <= low or (plies == full_depth and high >= beta):
                break
            if plies < full_depth:
                plies = full_depth
            else:
                high = beta
        values[index] = value
        evaluated[index] = control[0].evaluated - evaluated_before
        update_line(lines, 0, action)
        copy_line(lines, root_lines, index)
        control[0].finished_moves += 1
        if value >= beta:
            return
        index += 1
