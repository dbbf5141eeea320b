"""Contests: matches between two evaluations, searched to a fixed depth, in compiled code.

Learners use them to compare weights, with thousands of matches a second at depth 1.
Among equally good moves, the first in the game's order is played. Matches
therefore differ only in their random openings, in exploratory moves, and in the
moves of a side with depth 0, which plays at random.
"""

from collections.abc import Sequence

from boardgames.declarations import Evaluation
from boardgames.game import Game
from boardgames.kernels import (
    Actions,
    Control,
    Words,
    is_stopped,
    kernel,
    load_stop,
    new_control,
    random_below,
    row,
    row_out,
    types,
)
from boardgames.kernels.abi import ACTIONS, WORDS_OUT
from boardgames.kernels.bundles import BUNDLE
from boardgames.search.alphabeta.options import SearchOptions
from boardgames.search.alphabeta.ordering import pick_move
from boardgames.search.alphabeta.search import pvs
from boardgames.search.alphabeta.workspace import SPARE_ROWS, AlphaBetaWorkspace, new_workspace, unpack
from boardgames.search.rules import INFINITY, UNFINISHED, final_result, result_at_limit
from boardgames.selfplay.temporal import RESULTS, hash_move, uniform


def new_workspaces(
    game: Game, evaluations: Sequence[Evaluation], depth: int, control: Control | None = None
) -> list[AlphaBetaWorkspace]:
    """Return the workspaces of a contest, one for each evaluation, which share their buffers.

    Parameters
    ----------
    depth : int
        Maximum depth of a search, in plies.
    """
    plain = SearchOptions.plain()
    shared = new_workspace(
        game,
        evaluations[0],
        plain.record(game, evaluations[0]),
        pvs,
        new_control() if control is None else control,
        rows=depth + SPARE_ROWS,
    )
    return [
        shared._replace(
            evaluate=evaluation.kernel,
            weights=evaluation.argument,
            options=plain.record(game, evaluation),
        )
        for evaluation in evaluations
    ]


@kernel(types.int64(BUNDLE, types.int64, types.int64))
def best_action(bundle: Actions, count: int, depth: int) -> int:
    """Return the best of the `count` actions in `moves[0]`, searched to `depth` plies (at least 1).

    Parameters
    ----------
    bundle : int64[n]
        Words of a `search.alphabeta.workspace.AlphaBetaWorkspace`; `node` searches below each move.
    """
    game = unpack(bundle)
    positions, moves = game.positions, game.moves
    for index in range(count):
        moves[1, index] = game.move_order(row(positions, 0), moves[0, index])
    side = game.side_to_move(row(positions, 0))
    best, chosen = -INFINITY, moves[0, 0]
    for index in range(count):
        action = pick_move(moves, 0, index, count)
        game.apply(row(positions, 0), action, row_out(positions, 1))
        if game.side_to_move(row(positions, 1)) == side:
            value = game.node(bundle, 1, depth - 1, best, INFINITY)
        else:
            value = -game.node(bundle, 1, depth - 1, -INFINITY, -best)
        if value > best:
            best, chosen = value, action
        if is_stopped(game.control):
            break
    return chosen


@kernel(types.int64(BUNDLE, BUNDLE, ACTIONS, WORDS_OUT, WORDS_OUT, types.int64, types.int64, types.float64))
def contest(
    first: Actions,
    second: Actions,
    depths: Actions,
    random_state: Words,
    moves_hash: Words,
    opening: int,
    ply_limit: int,
    epsilon: float,
) -> int:
    """Play one match between two evaluations.

    Parameters
    ----------
    first, second : int64[n]
        Words of the workspaces of side 0 and side 1, which differ only in `evaluate`
        and `weights`. `positions[0]` is the start, and afterwards the final position.
    depths : int64[2]
        Search depth of each side; 0 plays random moves.
    random_state : uint64[1]
        State of the random generator, which is advanced.
    moves_hash : uint64[1]
        0, and afterwards the hash of the moves; see `temporal.hash_move`.
    opening : int64
        Number of random opening plies.
    ply_limit : int64
        Maximum length. A match that reaches it or is stopped is unfinished, unless the game says who wins
        at the limit.
    epsilon : float64
        Probability of a random move after the opening, for both sides.

    Returns
    -------
    int64
        Plies times `RESULTS` plus the result: the winner, `DRAWN` or `UNFINISHED`.
    """
    game = unpack(first)
    positions, moves = game.positions, game.moves
    result, plies = UNFINISHED, 0
    while load_stop(game.control) == 0:
        count = game.legal_moves(row(positions, 0), row_out(moves, 0))
        if count == 0:
            no_moves_draws = game.options[0].no_moves_draws != 0
            result = final_result(game.side_to_move, game.outcome, row(positions, 0), no_moves_draws)
            break
        if plies == ply_limit:
            result = result_at_limit(game.outcome_at_limit, row(positions, 0))
            break
        side = game.side_to_move(row(positions, 0))
        is_random = plies < opening or depths[side] == 0
        if not is_random and epsilon > 0.0:  # without epsilon, no random numbers are drawn here
            is_random = uniform(random_state) < epsilon
        if is_random:
            action = moves[0, random_below(random_state, count)]
        else:
            action = best_action(first if side == 0 else second, count, depths[side])
        game.apply(row(positions, 0), action, row_out(positions, 1))
        positions[0, :] = positions[1, :]
        hash_move(moves_hash, action)
        plies += 1
    return plies * RESULTS + result
