"""The workspace of a depth-first search: the game, one thread's stacks, and the options of the search."""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boardgames.declarations import Evaluation, position_key
from boardgames.game import Game
from boardgames.kernels import (
    Actions,
    Control,
    Evaluate,
    MoveOrder,
    PassTurn,
    PositionKey,
    Reals,
    Words,
    kernel,
    row,
    row_out,
    types,
)
from boardgames.kernels.abi import (
    ACTIONS_OUT,
    ACTIONS_STACK,
    REALS,
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
from boardgames.search.alphabeta.table import WORDS_PER_BUCKET
from boardgames.search.rules import DRAWN, MAX_DEPTH, ONGOING, WIN, rules_of

MAX_QUIESCENCE = 16
SPARE_ROWS = 3
"""Rows of the stacks besides one for each ply: the root, a successor and its line."""
ROWS = MAX_DEPTH + MAX_QUIESCENCE + SPARE_ROWS

REDUCTION_DEPTHS, REDUCTION_PLACES = 32, 64
"""Shape of the table of late-move reductions, by depth and place in the move order."""

OPTIONS_DTYPE = np.dtype(
    [
        ("no_moves_draws", np.int64),
        ("exact_at_end", np.int64),
        ("quiescence", np.int64),
        ("extensions", np.int64),
        ("pvs", np.int64),
        ("table", np.int64),
        ("repetition", np.int64),
        ("killers", np.int64),
        ("history", np.int64),
        ("selective", np.int64),
        ("lmr", np.int64),
        ("null_move", np.int64),
        ("reverse_futility", np.int64),
        ("futility_margin", np.float64),
        ("order_quiet_moves", np.int64),
        ("exact_moves", np.int64),
        ("generation", np.int64),
        ("first_key", np.int64),
        ("root_key", np.int64),
        ("keys_per_thread", np.int64),
        ("plies_left", np.int64),
    ],
    align=True,
)
"""How a thread searches a position. Flags are 0 or 1.

no_moves_draws, exact_at_end : as declared by the game and the evaluation
quiescence : plies for which quiescence search follows tactical moves
extensions, pvs, table, repetition, killers, history, lmr, null_move : see `SearchOptions`
selective : the search prunes or reduces moves that full minimax would search
reverse_futility : positions far above the window near the horizon are not searched
futility_margin : the most that a quiet move can change the evaluation, 0 for no futility pruning
order_quiet_moves : the game's `move_order` ranks quiet moves too
exact_moves : number of root moves that get an exact value
generation : number of this search, by which the table recognises old entries
first_key, root_key : index of the thread's first key, and of the key of the root
keys_per_thread : distance to the keys of the next thread, 0 if there is only one thread
plies_left : plies from the root after which a limit ends the match; `UNLIMITED` if no limit matters
"""

OPTIONS = record_array(OPTIONS_DTYPE, readonly=True)
Options = npt.NDArray[Any]  # one record of OPTIONS_DTYPE: NumPy cannot annotate its fields

NODE = types.float64(BUNDLE, types.int64, types.int64, types.float64, types.float64)
"""Signature of kernels that search one position: `node(bundle, ply, depth, alpha, beta) -> value`."""


def reduction_table() -> Actions:
    """Return the numbers of plies by which late moves are reduced, `int64[depths, places]`.

    Reductions grow with the logarithms of the depth and of the place in the move
    order, and leave at least two plies.
    """
    depth = np.log(np.maximum(np.arange(REDUCTION_DEPTHS), 1))[:, None]
    place = np.log(np.maximum(np.arange(REDUCTION_PLACES), 1))[None, :]
    plies = (0.5 + depth * place / 2.0).astype(np.int64)
    plies[:, :3] = 0
    reductions: Actions = np.minimum(plies, np.maximum(np.arange(REDUCTION_DEPTHS) - 2, 0)[:, None])
    return reductions


REDUCTIONS = reduction_table()


class AlphaBetaWorkspace(NamedTuple):
    """Kernels and arrays of a depth-first search, for one thread.

    `rows` is the height of the stacks, `ROWS` by default.

    Attributes
    ----------
    legal_moves, apply, side_to_move, outcome, outcome_at_limit : kernels
    move_order, tactical_moves, pass_turn : kernels
        The kernels of the game.
    position_key : kernel
        The key that identifies positions in the table and for repetitions.
    node : kernel
        Called for each root move; its signature is `NODE`.
    evaluate, weights : kernel and float64[n]
        The evaluation.
    positions : uint64[rows, words]
        The path from the root.
    moves : int64[2 rows, actions]
        For each ply a row of moves, followed by a row of their ranks.
    lines : int64[rows, rows + 1]
        For each ply the length of its principal variation, followed by its
        actions.
    killers : int64[2, rows]
        Two killer moves for each ply.
    history : int64[2, actions]
        The history score of each action, by side.
    reductions : int64[REDUCTION_DEPTHS, REDUCTION_PLACES]
        Late-move reductions in plies.
    table : int64[8 n]
        The transposition table.
    keys : uint64[threads keys_per_thread]
        For each thread the keys of the match's earlier positions and of its path.
    options, control : one record each
        The search options; the stop flag and the counters.
    """

    legal_moves: LegalMovesKernel
    apply: ApplyKernel
    side_to_move: SideToMoveKernel
    outcome: OutcomeKernel
    outcome_at_limit: OutcomeKernel
    move_order: Annotated[Callable[[Words, int], int], MoveOrder]
    tactical_moves: LegalMovesKernel
    pass_turn: Annotated[Callable[[Words, Words], None], PassTurn]
    position_key: Annotated[Callable[[Words], np.uint64], PositionKey]
    node: Annotated[Callable[[Actions, int, int, float, float], float], NODE]
    evaluate: Annotated[Callable[[Words, Reals], float], Evaluate]
    weights: Annotated[Reals, REALS]
    positions: Annotated[Words, WORDS_STACK]
    moves: Annotated[Actions, ACTIONS_STACK]
    lines: Annotated[Actions, ACTIONS_STACK]
    killers: Annotated[Actions, ACTIONS_STACK]
    history: Annotated[Actions, ACTIONS_STACK]
    reductions: Annotated[Actions, ACTIONS_STACK]
    table: Annotated[Actions, ACTIONS_OUT]
    keys: Annotated[Words, WORDS_OUT]
    options: Annotated[Options, OPTIONS]
    control: Annotated[Control, CONTROL]


unpack = unpacker(AlphaBetaWorkspace)


def new_workspace(
    game: Game,
    evaluation: Evaluation,
    options: Options,
    node: Callable[..., float],
    control: Control,
    *,
    rows: int = ROWS,
    symmetry: bool = False,
) -> AlphaBetaWorkspace:
    """Return a workspace with new arrays, whose table is a single unused bucket.

    Use `_replace` for arrays that are shared with other threads or must be larger.

    Parameters
    ----------
    options : Options
        From `SearchOptions.record`.
    node : kernel
        A kernel with the signature `NODE`.
    rows : int
        Height of the stacks.
    symmetry : bool
        Whether symmetric positions have the same key.
    """
    facts, kernels = game.facts, game.kernels
    return AlphaBetaWorkspace(
        **rules_of(game),
        move_order=kernels.move_order,
        tactical_moves=kernels.tactical_moves,
        pass_turn=kernels.pass_turn,
        position_key=kernels.symmetric_key if symmetry else position_key,
        node=node,
        evaluate=evaluation.kernel,
        weights=evaluation.argument,
        positions=np.zeros((rows, facts.words), dtype=np.uint64),
        moves=np.zeros((2 * rows, facts.actions), dtype=np.int64),
        lines=np.zeros((rows, rows + 1), dtype=np.int64),
        killers=np.zeros((2, rows), dtype=np.int64),
        history=np.zeros((2, facts.actions), dtype=np.int64),
        reductions=REDUCTIONS,
        table=np.zeros(WORDS_PER_BUCKET, dtype=np.int64),
        keys=np.zeros(rows, dtype=np.uint64),
        options=options,
        control=control,
    )


@kernel(types.float64(BUNDLE, types.int64))
def final_value(bundle: Actions, ply: int) -> float:
    """Return the value of the position at `ply`, where the match ends, for its side to move.

    There are no legal moves, or a limit ends the match. If the evaluation is exact when the
    rules end a match, as a margin of points is, it replaces the values of a win and a loss.
    """
    game = unpack(bundle)
    position = row(game.positions, ply)
    options = game.options[0]
    result = game.outcome(position)
    if result != ONGOING and options.exact_at_end != 0:
        return game.evaluate(position, game.weights)
    is_at_limit = result == ONGOING and ply >= options.plies_left
    if is_at_limit and game.legal_moves(position, row_out(game.moves, 2 * ply)) > 0:  # else a side is stuck
        result = game.outcome_at_limit(position)
    if result == ONGOING:
        return 0.0 if options.no_moves_draws != 0 else -(WIN - ply)
    if result == DRAWN:
        return 0.0
    return WIN - ply if result == game.side_to_move(position) else -(WIN - ply)


@kernel(types.void(ACTIONS_STACK, types.int64, types.int64))
def update_line(lines: Actions, ply: int, action: int) -> None:
    """Set the principal variation of `ply` to `action`, followed by that of the next ply."""
    length = lines[ply + 1, 0]
    lines[ply, 0] = length + 1
    lines[ply, 1] = action
    for index in range(length):
        lines[ply, 2 + index] = lines[ply + 1, 1 + index]
