"""The root of depth-first searches: each move in turn, searched by a kernel for nodes.

`search_root` serves any plain search, `principal_root` principal variation search.
"""

from collections.abc import Callable

from numba import types

from boardgames.kernels import (
    FORCING,
    TACTICAL,
    Actions,
    Control,
    Reals,
    Words,
    is_stopped,
    kernel,
    row,
    row_out,
)
from boardgames.kernels.abi import ACTIONS, ACTIONS_OUT, ACTIONS_STACK, REALS_OUT
from boardgames.search.ordering import extend_line
from boardgames.search.principal import SCOUT, principal, reduction
from boardgames.search.tree import (
    ALL_MOVES,
    EXTENSIONS,
    FINISHED,
    HORIZON,
    INFINITY,
    LINES,
    ROOT,
    SCOUTS,
    START,
)
from boardgames.search.workspace import (
    apply_in,
    control_in,
    key_in,
    keys_in,
    lines_in,
    move_order_in,
    moves_in,
    positions_in,
    settings_in,
    side_to_move_in,
)


@kernel(ROOT)
def search_root(
    node: Callable[..., float],
    legal_moves: Callable[[Words, Actions], int],
    apply: Callable[[Words, int, Words], None],
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    move_order: Callable[[Words, int], int],
    evaluate: Callable[[Words, Reals], float],
    weights: Reals,
    positions: Words,
    moves: Actions,
    lines: Actions,
    root_moves: Actions,
    depth: int,
    values: Reals,
    horizons: Actions,
    root_lines: Actions,
    settings: Actions,
    control: Control,
) -> None:
    """Search each move of `positions[0]` to `depth` plies, in the order given.

    Parameters
    ----------
    node : kernel
        Searches below one position: of the type `tree.NODE`.
    root_moves : int64[n]
        Legal moves, the most promising first.
    values : float64[n]
        Gets the worth of each for the side to move; without the flag
        ALL_MOVES those of moves that are not the best are upper bounds.
    horizons : int64[n]
        Gets the evaluated positions below each: 0 means its value is exact.
    root_lines : int64[n, m + 1]
        Gets the line of each: its length, then its actions.
    settings : int64[SETTINGS]
        Flags.
    control : int64[CONTROL_SIZE]
        `FINISHED` counts the moves searched to the end.

    The other parameters are those of `alphabeta.negamax`.
    """
    side = side_to_move(row(positions, 0))
    best = -INFINITY
    for index in range(root_moves.size):
        horizon = control[HORIZON]
        apply(row(positions, 0), root_moves[index], row_out(positions, 1))
        low = -INFINITY if settings[ALL_MOVES] != 0 else best
        if side_to_move(row(positions, 1)) == side:
            value = node(
                legal_moves, apply, side_to_move, outcome, move_order, evaluate, weights,
                positions, moves, lines, 1, depth - 1, low, INFINITY, settings, control,
            )  # fmt: skip
        else:
            value = -node(
                legal_moves, apply, side_to_move, outcome, move_order, evaluate, weights,
                positions, moves, lines, 1, depth - 1, -INFINITY, -low, settings, control,
            )  # fmt: skip
        if is_stopped(control):
            return
        values[index] = value
        horizons[index] = control[HORIZON] - horizon
        extend_line(lines, 0, root_moves[index])
        for place in range(lines[0, 0] + 1):
            root_lines[index, place] = lines[0, place]
        control[FINISHED] += 1
        best = max(best, value)


@kernel(types.float64(REALS_OUT, types.int64, types.int64))
def _kth_best(values: Reals, count: int, which: int) -> float:
    """Return the `which`-th largest of the first `count` values, minus infinity if there are fewer."""
    if count < which:
        return -INFINITY
    best = INFINITY
    for _ in range(which):
        following = -INFINITY
        higher = 0
        for index in range(count):
            if values[index] < best:
                following = max(following, values[index])
            else:
                higher += 1
        if higher >= which:
            return best
        best = following
    return best


@kernel(
    types.void(
        ACTIONS,
        ACTIONS,
        types.int64,
        types.float64,
        types.float64,
        REALS_OUT,
        ACTIONS_OUT,
        ACTIONS_STACK,
    )
)
def principal_root(
    workspace: Actions,
    root_moves: Actions,
    depth: int,
    alpha: float,
    beta: float,
    values: Reals,
    horizons: Actions,
    root_lines: Actions,
) -> None:
    """Search the moves of `positions[0]` to `depth` plies, in the order given, within a window.

    Parameters
    ----------
    workspace : int64[m]
        As `principal` has it; the finished moves are counted in `control[FINISHED]`.
    root_moves : int64[n]
        Legal moves, the most promising first.
    alpha, beta : float64
        A move worth `beta` or more ends the search.
    values : float64[n]
        Gets the worth of each for the side to move. The best `settings[LINES]`
        are exact, those of the others upper bounds.
    horizons : int64[n]
        Gets the evaluated positions below each: 0 means its value is proven.
    root_lines : int64[n, m + 1]
        Gets the line of each: its length, then its actions.
    """
    apply, side_to_move, move_order = (
        apply_in(workspace),
        side_to_move_in(workspace),
        move_order_in(workspace),
    )
    key_of, keys, positions = key_in(workspace), keys_in(workspace), positions_in(workspace)
    moves, lines = moves_in(workspace), lines_in(workspace)
    settings, control = settings_in(workspace), control_in(workspace)
    side = side_to_move(row(positions, 0))
    keys[settings[START]] = key_of(row(positions, 0))
    for index in range(root_moves.size):
        horizon = control[HORIZON]
        action = root_moves[index]
        order = move_order(row(positions, 0), action)
        apply(row(positions, 0), action, row_out(positions, 1))
        keys[settings[START] + 1] = key_of(row(positions, 1))
        turns = side_to_move(row(positions, 1)) != side
        is_first = index < settings[LINES]
        low = max(alpha, _kth_best(values, index, settings[LINES]))
        high = beta if is_first or settings[SCOUTS] == 0 else min(beta, low + SCOUT)
        ahead = depth if settings[EXTENSIONS] != 0 and order >= FORCING else depth - 1
        plies = ahead
        moves[1, 0] = 0
        if turns and not is_first and order < TACTICAL:
            plies -= reduction(settings, depth, index)
        while True:
            floor, ceiling = (-high, -low) if turns else (low, high)
            value = principal(workspace, 1, plies, floor, ceiling)
            if is_stopped(control):
                return
            if turns:
                value = -value
            if value <= low or (plies == ahead and high >= beta):
                break
            if plies < ahead:
                plies = ahead
            else:
                high = beta
        values[index] = value
        horizons[index] = control[HORIZON] - horizon
        extend_line(lines, 0, action)
        for place in range(lines[0, 0] + 1):
            root_lines[index, place] = lines[0, place]
        control[FINISHED] += 1
        if value >= beta:
            return
