"""The root of every depth-first search: each move in turn, searched by a kernel for nodes."""

from collections.abc import Callable

from boardgames.kernels import Actions, Control, Reals, Words, is_stopped, kernel, row, row_out
from boardgames.search.ordering import extend_line
from boardgames.search.tree import ALL_MOVES, FINISHED, HORIZON, INFINITY, ROOT


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
