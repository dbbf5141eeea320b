"""Matches of players that value moves by tables of abstract states, in compiled code.

By default, if a move wins at once, the player makes it. Otherwise it makes the move that the guards of the
state abstraction demand, if there is one. Otherwise it computes the worth of each move, the weighted sum of
two numbers: the value, which is the move's reward plus the discounted value of the states that have
followed it so far, and the success of the state to which it leads. The reward is that on the real board,
or the mean reward observed in the same state. With probability epsilon the player draws a random move,
and makes it instead of the best one if it is worth nearly as much. Moves of equal worth are equally likely.

Matches are recorded for learning: for each move the state, the action, the state at the same side's
next turn, and the state to which the move led, all from the point of view of the side that made it.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boardgames.game import Game
from boardgames.kernels import (
    Actions,
    Control,
    Reals,
    Words,
    kernel,
    load_stop,
    random_below,
    row,
    row_out,
    types,
)
from boardgames.kernels.abi import (
    ACTIONS,
    ACTIONS_STACK,
    REALS_OUT,
    REALS_STACK,
    WORDS_OUT,
    WORDS_STACK,
    ApplyKernel,
    LegalMovesKernel,
    OutcomeKernel,
    SideToMoveKernel,
    record_array,
)
from boardgames.kernels.bundles import BUNDLE, unpacker
from boardgames.kernels.control import CONTROL
from boardgames.search.alphabeta.workspace import unpack as unpack_search
from boardgames.search.rules import UNFINISHED, final_result, result_at_limit, rules_of
from boardgames.selfplay.contest import best_action
from boardgames.selfplay.temporal import RESULTS, hash_move, uniform
from boardgames_connect4.value_iteration.abstraction import GuardAction, RewardOf, StateAbstraction, StateOf

SIDE, STATE, ACTION, NEXT, REACHED = range(5)
"""Columns of the record of a match: the side that moved, its state and action, its state at its next turn,
and the state to which the move led."""
NO_STATE = -1
"""The value in the column `NEXT` for a side's last move."""
BY_TABLE = -1
"""Used as the search depth of a side that plays by its table. Depth 0 stands for random moves."""

PARAMETERS_DTYPE = np.dtype(
    [
        ("value_weight", np.float64),
        ("success_weight", np.float64),
        ("board_reward", np.int64),
        ("epsilon", np.float64),
        ("bound", np.float64),
        ("guards", np.int64),
        ("wins_first", np.int64),
    ],
    align=True,
)
"""Weights of value and success; whether the table is added to the reward on the board; probability of a
random move, and how far its worth may be below the best one's; enabled guards as bits; whether winning at
once takes precedence over the guards."""
PARAMETERS = record_array(PARAMETERS_DTYPE, readonly=True)


class TablePlayWorkspace(NamedTuple):
    """Kernels and arrays of a player that uses a table of `n` states.

    Attributes
    ----------
    legal_moves, apply, side_to_move, outcome, outcome_at_limit : kernels
        The rules.
    state, reward, guard_action : kernels
        The state abstraction.
    positions : uint64[2, words]
        The position, and a row for its successors.
    moves : int64[1, actions]
        Legal moves of the position.
    values : float64[actions]
        Values of the legal moves, in the order of `moves`.
    table : float64[n, actions]
        Discounted value of the states that follow an action, plus its mean reward unless the reward
        on the board is used.
    success : float64[2, n]
        Success of the states to which the moves of side 0 and side 1 lead.
    parameters : one record
        See `PARAMETERS_DTYPE`.
    record : int64[plies, 5]
        The moves of a match; `SIDE` to `REACHED` are the columns.
    rewards : float64[plies]
        Their rewards.
    control : one record
        The stop flag.
    """

    legal_moves: LegalMovesKernel
    apply: ApplyKernel
    side_to_move: SideToMoveKernel
    outcome: OutcomeKernel
    outcome_at_limit: OutcomeKernel
    state: Annotated[Callable[[Words, int], int], StateOf]
    reward: Annotated[Callable[[Words, int], float], RewardOf]
    guard_action: Annotated[Callable[[Words, int], int], GuardAction]
    positions: Annotated[Words, WORDS_STACK]
    moves: Annotated[Actions, ACTIONS_STACK]
    values: Annotated[Reals, REALS_OUT]
    table: Annotated[Reals, REALS_STACK]
    success: Annotated[Reals, REALS_STACK]
    parameters: Annotated[
        npt.NDArray[Any], PARAMETERS
    ]  # one record of PARAMETERS_DTYPE: NumPy cannot annotate its fields
    record: Annotated[Actions, ACTIONS_STACK]
    rewards: Annotated[Reals, REALS_OUT]
    control: Annotated[Control, CONTROL]


unpack = unpacker(TablePlayWorkspace)


def new_workspace(
    game: Game,
    abstraction: StateAbstraction,
    table: Reals,
    success: Reals,
    parameters: npt.NDArray[Any],  # one record of PARAMETERS_DTYPE: NumPy cannot annotate its fields
    *,
    control: Control,
    plies: int = 0,
) -> TablePlayWorkspace:
    """Return a workspace with new buffers, for matches of at most `plies` plies."""
    facts = game.facts
    return TablePlayWorkspace(
        **rules_of(game),
        state=abstraction.state,
        reward=abstraction.reward,
        guard_action=abstraction.guard_action,
        positions=np.zeros((2, facts.words), dtype=np.uint64),
        moves=np.zeros((1, facts.actions), dtype=np.int64),
        values=np.zeros(facts.actions),
        table=table,
        success=success,
        parameters=parameters,
        record=np.zeros((plies, REACHED + 1), dtype=np.int64),
        rewards=np.zeros(plies),
        control=control,
    )


@kernel(types.int64(BUNDLE, types.int64))
def win_at_once(bundle: Actions, count: int) -> int:
    """Return the index of the first of the `count` actions in `moves[0]` that wins at once, or -1."""
    work = unpack(bundle)
    positions = work.positions
    side = work.side_to_move(row(positions, 0))
    for index in range(count):
        work.apply(row(positions, 0), work.moves[0, index], row_out(positions, 1))
        if work.outcome(row(positions, 1)) == side:
            return index
    return -1


@kernel(types.int64(BUNDLE, types.int64, WORDS_OUT))
def best_move(bundle: Actions, count: int, random_state: Words) -> int:
    """Write the values of the `count` actions in `moves[0]`, and return the index of a best one."""
    work = unpack(bundle)
    positions, moves, values, parameters = work.positions, work.moves, work.values, work.parameters[0]
    side = work.side_to_move(row(positions, 0))
    state = work.state(row(positions, 0), side)
    best, equal = 0, 0
    for index in range(count):
        action = moves[0, index]
        work.apply(row(positions, 0), action, row_out(positions, 1))
        value = work.table[state, action]
        if parameters.board_reward != 0:
            value += work.reward(row(positions, 1), side)
        success = work.success[side, work.state(row(positions, 1), side)]
        values[index] = parameters.value_weight * value + parameters.success_weight * success
        if values[index] > values[best] or index == 0:
            best, equal = index, 1
        elif values[index] == values[best]:
            equal += 1
            if random_below(random_state, equal) == 0:
                best = index
    return best


@kernel(types.int64(BUNDLE, types.int64, WORDS_OUT))
def choose(bundle: Actions, count: int, random_state: Words) -> int:
    """Return the action that the player chooses among the `count` actions in `moves[0]`.

    Parameters
    ----------
    bundle : int64[m]
        Words of a `TablePlayWorkspace`. Unless a win or a guard decides, `values` is written.
    random_state : uint64[1]
        State of the random generator, which is advanced.
    """
    work = unpack(bundle)
    moves, values, parameters = work.moves, work.values, work.parameters[0]
    if parameters.wins_first != 0:
        winning = win_at_once(bundle, count)
        if winning >= 0:
            return moves[0, winning]
    if parameters.guards != 0:
        action = work.guard_action(row(work.positions, 0), parameters.guards)
        if action >= 0:
            return action
    best = best_move(bundle, count, random_state)
    if parameters.epsilon > 0.0 and uniform(random_state) < parameters.epsilon:
        drawn = random_below(random_state, count)
        if values[best] - values[drawn] < parameters.bound:
            return moves[0, drawn]
    return moves[0, best]


@kernel(types.int64(BUNDLE, BUNDLE, BUNDLE, ACTIONS, WORDS_OUT, WORDS_OUT, types.int64, types.int64))
def play_match(
    first: Actions,
    second: Actions,
    search: Actions,
    depths: Actions,
    random_state: Words,
    moves_hash: Words,
    opening: int,
    ply_limit: int,
) -> int:
    """Play and record one match.

    Parameters
    ----------
    first, second : int64[n]
        Words of the workspaces of side 0 and side 1, which differ only in `table`, `success` and
        `parameters`. `positions[0]` is the start position, and is replaced by the final one.
    search : int64[m]
        Words of the workspace of a search, for sides that play by searching.
    depths : int64[2]
        For each side `BY_TABLE`, 0 for random moves, or the depth to which it searches.
    random_state : uint64[1]
        State of the random generator, which is advanced.
    moves_hash : uint64[1]
        0, and afterwards the hash of the moves; see `temporal.hash_move`.
    opening : int64
        Number of random opening plies.
    ply_limit : int64
        A match that reaches this length is unfinished, unless the game says who wins then. A match that
        is stopped is unfinished, too. The record has one row for each ply.

    Returns
    -------
    int64
        Plies times `RESULTS` plus the result: the winner, `DRAWN` or `UNFINISHED`.
    """
    game, searcher = unpack(first), unpack_search(search)
    positions, moves, record = game.positions, game.moves, game.record
    result, plies = UNFINISHED, 0
    latest_0, latest_1 = -1, -1  # rows of the latest move of each side
    while load_stop(game.control) == 0:
        count = game.legal_moves(row(positions, 0), row_out(moves, 0))
        if count == 0:
            no_moves_draws = searcher.options[0].no_moves_draws != 0
            result = final_result(game.side_to_move, game.outcome, row(positions, 0), no_moves_draws)
            break
        if plies == ply_limit:
            result = result_at_limit(game.outcome_at_limit, row(positions, 0))
            break
        side = game.side_to_move(row(positions, 0))
        state = game.state(row(positions, 0), side)
        latest = latest_0 if side == 0 else latest_1
        if latest >= 0:
            record[latest, NEXT] = state
        if plies < opening or depths[side] == 0:
            action = moves[0, random_below(random_state, count)]
        elif depths[side] == BY_TABLE:
            action = choose(first if side == 0 else second, count, random_state)
        else:
            searcher.positions[0, :] = positions[0, :]
            searcher.moves[0, :count] = moves[0, :count]
            action = best_action(search, count, depths[side])
        game.apply(row(positions, 0), action, row_out(positions, 1))
        positions[0, :] = positions[1, :]
        hash_move(moves_hash, action)
        record[plies, SIDE] = side
        record[plies, STATE] = state
        record[plies, ACTION] = action
        record[plies, NEXT] = NO_STATE
        record[plies, REACHED] = game.state(row(positions, 0), side)
        game.rewards[plies] = game.reward(row(positions, 0), side)
        if side == 0:
            latest_0 = plies
        else:
            latest_1 = plies
        plies += 1
    return plies * RESULTS + result
