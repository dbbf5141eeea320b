"""Move ordering: table move, tactical moves, killers, history.

The moves of a ply are in row 2 * ply of `moves`, and their ranks in the next
row. The table's move comes first, then tactical moves in the game's order, then
the killers, which refuted a sibling, and then quiet moves by their history
score (J. Schaeffer, "The history heuristic", 1983). If the game has no tactical
moves or the history heuristic is off, the game's `move_order` ranks quiet
moves too.
"""

from boardgames.kernels import Actions, kernel, row, row_out, types
from boardgames.kernels.abi import ACTIONS_OUT, ACTIONS_STACK
from boardgames.kernels.bundles import BUNDLE
from boardgames.search.alphabeta.table import ACTION_MASK
from boardgames.search.alphabeta.workspace import unpack

TABLE_RANK = 1 << 61
TACTICAL_RANK = 1 << 50
KILLER_RANK = 1 << 49
HISTORY_SHIFT = 8
"""Lowest bit of the history score in a rank; the game's order of quiet moves uses the bits below."""
MAX_HISTORY = 1 << 30
PLACE_SHIFT = 32
"""Lowest bit of the place of a deferred move; the action is in the bits below."""


@kernel(types.void(ACTIONS_STACK, types.int64, types.int64, types.int64))
def swap_moves(moves: Actions, ply: int, first: int, second: int) -> None:
    """Swap two moves of a ply together with their ranks."""
    for line in range(2 * ply, 2 * ply + 2):
        held = moves[line, first]
        moves[line, first] = moves[line, second]
        moves[line, second] = held


@kernel(types.int64(ACTIONS_STACK, types.int64, types.int64, types.int64))
def pick_move(moves: Actions, ply: int, index: int, count: int) -> int:
    """Swap the highest-ranked move among those from `index` on to `index`, and return it."""
    ranks = row(moves, 2 * ply + 1)
    best, highest = index, ranks[index]
    for other in range(index + 1, count):
        if ranks[other] > highest:
            best, highest = other, ranks[other]
    swap_moves(moves, ply, best, index)
    return moves[2 * ply, index]


@kernel(types.void(ACTIONS_OUT, types.int64, types.int64))
def move_to_end(items: Actions, index: int, count: int) -> None:
    """Move the item at `index` to the end of the first `count` items; the others keep their order."""
    moved = items[index]
    for other in range(index, count - 1):
        items[other] = items[other + 1]
    items[count - 1] = moved


@kernel(types.void(ACTIONS_STACK, types.int64, types.int64, types.int64, types.int64))
def defer_move(moves: Actions, ply: int, index: int, count: int, place: int) -> None:
    """Move the move at `index` to the end of its ply, together with its `place` in the original order."""
    move_to_end(row_out(moves, 2 * ply), index, count)
    move_to_end(row_out(moves, 2 * ply + 1), index, count)
    moves[2 * ply, count - 1] |= place << PLACE_SHIFT


@kernel(types.int64(ACTIONS_STACK, types.int64, types.int64))
def restore_move(moves: Actions, ply: int, index: int) -> int:
    """Turn the deferred move at `index` back into a plain action, and return its place."""
    place = moves[2 * ply, index] >> PLACE_SHIFT
    moves[2 * ply, index] &= ACTION_MASK
    return place


@kernel(types.void(BUNDLE, types.int64, types.int64, types.int64, types.int64))
def rank_moves(bundle: Actions, ply: int, count: int, side: int, table_move: int) -> None:
    """Rank the `count` moves of a ply, which are in ascending order.

    With history scores, the game's `move_order` only ranks tactical moves. Ranking all
    moves with it takes ten times as long and does not improve the order.

    Parameters
    ----------
    side : int64
        The side to move.
    table_move : int64
        The best action according to the transposition table, or -1 if there is
        none.
    """
    game = unpack(bundle)
    moves, options = game.moves, game.options[0]
    first, second = game.killers[0, ply], game.killers[1, ply]
    history, actions, ranks = row(game.history, side), row(moves, 2 * ply), row_out(moves, 2 * ply + 1)
    for index in range(count):
        action = actions[index]
        rank = history[action] << HISTORY_SHIFT
        if options.order_quiet_moves != 0:
            rank += game.move_order(row(game.positions, ply), action)
        rank = KILLER_RANK if action == second else rank
        rank = KILLER_RANK + 1 if action == first else rank
        ranks[index] = TABLE_RANK if action == table_move else rank
    place = 0
    for index in range(game.tactical_moves(row(game.positions, ply), row_out(moves, 2 * ply + 2))):
        action = moves[2 * ply + 2, index]
        while place < count and moves[2 * ply, place] != action:
            place += 1
        if place < count and action != table_move:
            rank = TACTICAL_RANK + game.move_order(row(game.positions, ply), action)
            moves[2 * ply + 1, place] = rank


@kernel(types.void(BUNDLE, types.int64, types.int64))
def rank_tactical_moves(bundle: Actions, ply: int, count: int) -> None:
    """Rank the `count` moves of a ply, which must all be tactical."""
    game = unpack(bundle)
    moves = game.moves
    for index in range(count):
        rank = TACTICAL_RANK + game.move_order(row(game.positions, ply), moves[2 * ply, index])
        moves[2 * ply + 1, index] = rank


@kernel(types.void(BUNDLE, types.int64, types.int64, types.int64, types.int64))
def update_killers_and_history(bundle: Actions, ply: int, index: int, depth: int, side: int) -> None:
    """Record that the quiet move at `index` caused a cut-off and the moves before it did not."""
    game = unpack(bundle)
    moves, killers, history = game.moves, game.killers, game.history
    action = moves[2 * ply, index]
    if game.options[0].killers != 0 and killers[0, ply] != action:
        killers[1, ply] = killers[0, ply]
        killers[0, ply] = action
    if game.options[0].history == 0:
        return
    bonus = depth * depth
    history[side, action] += bonus
    for other in range(index):
        if moves[2 * ply + 1, other] < KILLER_RANK:
            failed = moves[2 * ply, other]
            history[side, failed] = max(history[side, failed] - bonus, -MAX_HISTORY)
    if history[side, action] > MAX_HISTORY:
        for other in range(history.shape[1]):
            history[side, other] //= 2
