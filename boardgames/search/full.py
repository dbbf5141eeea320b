"""Full minimax: looks at everything that a search with quiescence and extensions may look at.

`minimax` is the search to read first. This one follows tactical moves beyond
the horizon and forcing moves a ply deeper, and prunes nothing either, so it
says what principal variation search must say when it reduces nothing. It
shares no code with that but the worth of an end.
"""

from collections.abc import Callable

from numba import types

from boardgames.declarations import Evaluation
from boardgames.game import Position
from boardgames.kernels import (
    FORCING,
    NODES,
    Actions,
    Control,
    LegalMoves,
    Reals,
    Words,
    is_stopped,
    kernel,
    row,
    row_out,
)
from boardgames.kernels.abi import (
    ACTIONS,
    ACTIONS_OUT,
    ACTIONS_STACK,
    REALS,
    REALS_OUT,
    WORDS_STACK,
    first_class,
)
from boardgames.player import Analysis, Context, Limit
from boardgames.search.deepening import Buffers, Plain, searched
from boardgames.search.ordering import extend_line
from boardgames.search.thinking import ROWS
from boardgames.search.tree import (
    EXTENSIONS,
    FINISHED,
    HORIZON,
    INFINITY,
    MAX_DEPTH,
    ONGOING,
    QUIESCENCE,
    RULES,
    end_value,
)

FULL = (*RULES, first_class(LegalMoves), REALS, WORDS_STACK, ACTIONS_STACK, ACTIONS_STACK)


@kernel(types.float64(*FULL, types.int64, types.int64, ACTIONS, ACTIONS_OUT))
def full_quiescence(
    legal_moves: Callable[[Words, Actions], int],
    apply: Callable[[Words, int, Words], None],
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    move_order: Callable[[Words, int], int],
    evaluate: Callable[[Words, Reals], float],
    tactical_moves: Callable[[Words, Actions], int],
    weights: Reals,
    positions: Words,
    moves: Actions,
    lines: Actions,
    ply: int,
    plies: int,
    settings: Actions,
    control: Control,
) -> float:
    """Return the best of the evaluation and what each tactical move leads to, `plies` plies ahead.

    The other parameters are those of `full_minimax`.
    """
    control[NODES] += 1
    lines[ply, 0] = 0
    here = row(positions, ply)
    if outcome(here) != ONGOING:
        return end_value(side_to_move, outcome, evaluate, weights, here, ply, settings)
    control[HORIZON] += 1
    best = evaluate(here, weights)
    count = 0
    if plies > 0:
        count = tactical_moves(row(positions, ply), row_out(moves, 2 * ply))
    side = side_to_move(row(positions, ply))
    for index in range(count):
        if is_stopped(control):
            break
        action = moves[2 * ply, index]
        apply(row(positions, ply), action, row_out(positions, ply + 1))
        value = full_quiescence(
            legal_moves, apply, side_to_move, outcome, move_order, evaluate, tactical_moves, weights,
            positions, moves, lines, ply + 1, plies - 1, settings, control,
        )  # fmt: skip
        if side_to_move(row(positions, ply + 1)) != side:
            value = -value
        if value > best:
            best = value
            extend_line(lines, ply, action)
    return best


@kernel(types.float64(*FULL, types.int64, types.int64, ACTIONS, ACTIONS_OUT))
def full_minimax(
    legal_moves: Callable[[Words, Actions], int],
    apply: Callable[[Words, int, Words], None],
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    move_order: Callable[[Words, int], int],
    evaluate: Callable[[Words, Reals], float],
    tactical_moves: Callable[[Words, Actions], int],
    weights: Reals,
    positions: Words,
    moves: Actions,
    lines: Actions,
    ply: int,
    depth: int,
    settings: Actions,
    control: Control,
) -> float:
    """Return the worth of `positions[ply]` for its side to move.

    Parameters
    ----------
    tactical_moves : kernel
        The moves that are followed `settings[QUIESCENCE]` plies beyond the horizon.
    settings : int64[SETTINGS]
        With `EXTENSIONS`, moves of rank `FORCING` or more take none of the depth.

    The other parameters are those of `alphabeta.negamax`.
    """
    if depth <= 0 or ply >= MAX_DEPTH:
        return full_quiescence(
            legal_moves, apply, side_to_move, outcome, move_order, evaluate, tactical_moves, weights,
            positions, moves, lines, ply, settings[QUIESCENCE], settings, control,
        )  # fmt: skip
    control[NODES] += 1
    lines[ply, 0] = 0
    count = legal_moves(row(positions, ply), row_out(moves, 2 * ply))
    if count == 0:
        here = row(positions, ply)
        return end_value(side_to_move, outcome, evaluate, weights, here, ply, settings)
    side = side_to_move(row(positions, ply))
    best = -INFINITY
    for index in range(count):
        if is_stopped(control):
            break
        action = moves[2 * ply, index]
        ahead = depth - 1
        if settings[EXTENSIONS] != 0 and move_order(row(positions, ply), action) >= FORCING:
            ahead = depth
        apply(row(positions, ply), action, row_out(positions, ply + 1))
        value = full_minimax(
            legal_moves, apply, side_to_move, outcome, move_order, evaluate, tactical_moves, weights,
            positions, moves, lines, ply + 1, ahead, settings, control,
        )  # fmt: skip
        if side_to_move(row(positions, ply + 1)) != side:
            value = -value
        if value > best:
            best = value
            extend_line(lines, ply, action)
    return best


@kernel(types.void(*FULL, ACTIONS, types.int64, REALS_OUT, ACTIONS_OUT, ACTIONS_STACK, ACTIONS, ACTIONS_OUT))
def full_root(
    legal_moves: Callable[[Words, Actions], int],
    apply: Callable[[Words, int, Words], None],
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    move_order: Callable[[Words, int], int],
    evaluate: Callable[[Words, Reals], float],
    tactical_moves: Callable[[Words, Actions], int],
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
    """Value each move of `positions[0]`, `depth` plies ahead.

    The parameters are those of `root.search_root`, but for the kernels.
    """
    side = side_to_move(row(positions, 0))
    for index in range(root_moves.size):
        horizon = control[HORIZON]
        action = root_moves[index]
        ahead = depth - 1
        if settings[EXTENSIONS] != 0 and move_order(row(positions, 0), action) >= FORCING:
            ahead = depth
        apply(row(positions, 0), action, row_out(positions, 1))
        value = full_minimax(
            legal_moves, apply, side_to_move, outcome, move_order, evaluate, tactical_moves, weights,
            positions, moves, lines, 1, ahead, settings, control,
        )  # fmt: skip
        if is_stopped(control):
            return
        values[index] = value if side_to_move(row(positions, 1)) == side else -value
        horizons[index] = control[HORIZON] - horizon
        extend_line(lines, 0, action)
        for place in range(lines[0, 0] + 1):
            root_lines[index, place] = lines[0, place]
        control[FINISHED] += 1


def search_fully(
    position: Position,
    evaluation: Evaluation,
    limit: Limit,
    context: Context,
    *,
    quiescence: int = 0,
    extensions: bool = False,
    all_moves: bool = False,
) -> Analysis:
    """Return what minimax with quiescence and extensions knows when the limit is reached.

    Parameters
    ----------
    quiescence : int
        Plies that tactical moves are followed beyond the horizon.
    extensions : bool
        Look at the answers to forcing moves a ply deeper.

    The other parameters are those of `deepening.search`.

    Examples
    --------
    >>> import boardgames
    >>> from boardgames.player import NO_CONTEXT
    >>> game = boardgames.load("connect4")
    >>> found = search_fully(game.parse("112233"), game.evaluation, Limit(depth=4), NO_CONTEXT)
    >>> str(found.moves[0].move), found.value
    ('4', 1.0)
    """
    full = _Full(position, evaluation, ROWS, all_moves)
    full.settings[QUIESCENCE], full.settings[EXTENSIONS] = quiescence, extensions
    return searched(full, position, limit, context)


class _Full(Plain):
    """Minimax with quiescence and extensions, as settings say."""

    def fill(self, actions: Actions, depth: int, buffers: Buffers, control: Control) -> None:
        kernels, evaluation = self.kernels, self.evaluation
        full_root(
            kernels.legal_moves,
            kernels.apply,
            kernels.side_to_move,
            kernels.outcome,
            kernels.move_order,
            evaluation.kernel,
            kernels.tactical_moves,
            evaluation.weights,
            self.positions,
            self.moves,
            self.lines,
            actions,
            depth,
            buffers.values,
            buffers.horizons,
            buffers.lines,
            self.settings,
            control,
        )
