"""The order in which moves are tried, and the lines that come of them.

Moves of a ply stand in row 2 ply of a stack, their ranks in the next. A rank
says: first the move that the table knows, then the tactical ones in the game's
order, then those that refuted a sibling (killers), then the others by how
often they refuted anything (history; J. Schaeffer, "The history heuristic",
1983), between equals as the game orders them where it has no tactical moves.
"""

from collections.abc import Callable

from numba import types

from boardgames.kernels import Actions, LegalMoves, MoveOrder, Words, kernel, row, row_out
from boardgames.kernels.abi import ACTIONS, ACTIONS_STACK, WORDS_STACK, first_class
from boardgames.search.tree import HISTORY, KILLERS, RANKS

KNOWN_RANK = 1 << 61
TACTICAL_RANK = 1 << 50
KILLER_RANK = 1 << 49
HISTORY_SHIFT = 8
"""The game's order among quiet moves takes the bits below."""
LARGEST_HISTORY = 1 << 30

MEMORY_ROWS = 4
"""Of a search's memory: rows 0 and 1 hold the killers by ply, 2 and 3 each side's history by action."""


@kernel(types.int64(ACTIONS_STACK, types.int64, types.int64, types.int64))
def bring_best_forward(moves: Actions, ply: int, index: int, count: int) -> int:
    """Swap the best-ranked of the moves from `index` on to `index` and return it."""
    ranks = row(moves, 2 * ply + 1)
    best, highest = index, ranks[index]
    for other in range(index + 1, count):
        if ranks[other] > highest:
            best, highest = other, ranks[other]
    for line in range(2 * ply, 2 * ply + 2):
        held = moves[line, best]
        moves[line, best] = moves[line, index]
        moves[line, index] = held
    return moves[2 * ply, index]


@kernel(types.void(ACTIONS_STACK, types.int64, types.int64))
def extend_line(lines: Actions, ply: int, action: int) -> None:
    """Make the line of `ply` be `action` and then the line of the next ply."""
    length = lines[ply + 1, 0]
    lines[ply, 0] = length + 1
    lines[ply, 1] = action
    for index in range(length):
        lines[ply, 2 + index] = lines[ply + 1, 1 + index]


@kernel(
    types.void(
        first_class(MoveOrder),
        first_class(LegalMoves),
        WORDS_STACK,
        ACTIONS_STACK,
        ACTIONS_STACK,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        ACTIONS,
    )
)
def rank_moves(
    move_order: Callable[[Words, int], int],
    tactical_moves: Callable[[Words, Actions], int],
    positions: Words,
    moves: Actions,
    memory: Actions,
    ply: int,
    count: int,
    side: int,
    known: int,
    settings: Actions,
) -> None:
    """Write the ranks of the `count` moves of a ply, which are in ascending order.

    A game that has tactical moves is asked for its order of these alone: to ask
    for that of all takes ten times as long, and in Abalone finds no better order.

    Parameters
    ----------
    moves : int64[2 m, actions]
        Row 2 ply + 2 is overwritten too.
    memory : int64[4, max(rows, actions)]
        Killers and history.
    side : int64
        To move.
    known : int64
        The table's action, -1 if none.
    """
    first, second = memory[0, ply], memory[1, ply]
    history, actions, ranks = row(memory, 2 + side), row(moves, 2 * ply), row_out(moves, 2 * ply + 1)
    for index in range(count):
        action = actions[index]
        rank = history[action] << HISTORY_SHIFT
        if settings[RANKS] != 0:
            rank += move_order(row(positions, ply), action)
        rank = KILLER_RANK if action == second else rank
        rank = KILLER_RANK + 1 if action == first else rank
        ranks[index] = KNOWN_RANK if action == known else rank
    place = 0
    for index in range(tactical_moves(row(positions, ply), row_out(moves, 2 * ply + 2))):
        action = moves[2 * ply + 2, index]
        while place < count and moves[2 * ply, place] != action:
            place += 1
        if place < count and action != known:
            moves[2 * ply + 1, place] = TACTICAL_RANK + move_order(row(positions, ply), action)


@kernel(
    types.void(
        first_class(MoveOrder),
        WORDS_STACK,
        ACTIONS_STACK,
        types.int64,
        types.int64,
    )
)
def rank_tactical(
    move_order: Callable[[Words, int], int], positions: Words, moves: Actions, ply: int, count: int
) -> None:
    """Write the ranks of the `count` moves of a ply, all of them tactical."""
    for index in range(count):
        rank = TACTICAL_RANK + move_order(row(positions, ply), moves[2 * ply, index])
        moves[2 * ply + 1, index] = rank


@kernel(types.void(ACTIONS_STACK, types.int64, types.int64, types.int64))
def exchange(moves: Actions, ply: int, one: int, other: int) -> None:
    """Let two moves of a ply, and their ranks, change places."""
    for line in (2 * ply, 2 * ply + 1):
        held = moves[line, one]
        moves[line, one] = moves[line, other]
        moves[line, other] = held


@kernel(types.void(ACTIONS_STACK, types.int64, types.int64, types.int64))
def turn_round(moves: Actions, ply: int, first: int, end: int) -> None:
    """Let the moves of a ply from `first` up to `end` stand the other way round."""
    last = end - 1
    while first < last:
        exchange(moves, ply, first, last)
        first, last = first + 1, last - 1


@kernel(
    types.void(
        ACTIONS_STACK,
        ACTIONS_STACK,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
        ACTIONS,
    )
)
def remember(
    moves: Actions,
    memory: Actions,
    ply: int,
    index: int,
    depth: int,
    side: int,
    settings: Actions,
) -> None:
    """Note that the quiet move at `index` refuted the position, and those before it did not."""
    action = moves[2 * ply, index]
    if settings[KILLERS] != 0 and memory[0, ply] != action:
        memory[1, ply] = memory[0, ply]
        memory[0, ply] = action
    if settings[HISTORY] == 0:
        return
    weight = depth * depth
    memory[2 + side, action] += weight
    for other in range(index):
        if moves[2 * ply + 1, other] < KILLER_RANK:
            failed = moves[2 * ply, other]
            memory[2 + side, failed] = max(memory[2 + side, failed] - weight, -LARGEST_HISTORY)
    if memory[2 + side, action] > LARGEST_HISTORY:
        for other in range(memory.shape[1]):
            memory[2 + side, other] //= 2
