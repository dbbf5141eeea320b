"""What every depth-first search shares: the worth of an end, the root's signature.

Values are float64, for the side to move. A win `n` plies from the root is
worth `WIN` - n, a loss the opposite, so that quick wins and slow losses are
preferred; evaluations stay below `EVALUATION_BOUND`. Where an evaluation is
exact at the end (a margin), it takes the place of win and loss.
"""

from collections.abc import Callable

from numba import types

from boardgames.kernels import (
    Actions,
    Apply,
    Evaluate,
    LegalMoves,
    MoveOrder,
    OutcomeOf,
    PassTurn,
    PositionKey,
    Reals,
    SideToMove,
    Words,
    kernel,
)
from boardgames.kernels.abi import (
    ACTIONS,
    ACTIONS_OUT,
    ACTIONS_STACK,
    REALS,
    REALS_OUT,
    WORDS,
    WORDS_STACK,
    first_class,
)

WIN = 1_000_000.0
MAX_DEPTH = 100
EVALUATION_BOUND = WIN - 2 * MAX_DEPTH
INFINITY = 2 * WIN

ONGOING = -1
DRAWN = 2

HORIZON = 3
"""Where a control array counts the positions that were evaluated for want of depth."""
FINISHED = 4
"""Where a control array counts the root moves whose search is complete."""

NO_MOVES_DRAWS, EXACT_AT_END, ALL_MOVES, QUIESCENCE, EXTENSIONS = 0, 1, 2, 3, 4
SETTINGS = 5
"""Length of the settings array, `int64[5]`, with at the places named above: three flags, the plies that
tactical moves are followed beyond the horizon, and whether forcing moves are looked at a ply deeper."""

(
    LINES, GENERATION, FIRST, START, STRIDE,
    SCOUTS, REPETITION, TABLE, KILLERS, HISTORY, REDUCES, MARGIN, PASSES, RANKS,
) = range(SETTINGS, SETTINGS + 14)  # fmt: skip
"""Places in the settings of principal variation search: moves of the root to value exactly; number of the
search; where the thread's keys and among them its path begin, and how many each thread has, 0 if there is one
thread; then what is switched on; the most that a quiet move changes an
evaluation, in millionths, 0 if unknown; and whether the game ranks quiet moves too."""
MILLION = 1e6
"""What settings divide margins by."""
REDUCTIONS = SETTINGS + 14
"""Where the plies begin by which late moves are reduced, by depth and place in the order."""
REDUCED_DEPTHS, REDUCED_PLACES = 32, 64
PRINCIPAL_SETTINGS = REDUCTIONS + REDUCED_DEPTHS * REDUCED_PLACES

SPARE_ROWS = 3
"""Rows of the stacks beyond the deepest ply: the root, a successor, and that one's line."""

TAINTS = 5
"""Where a control array counts the values that held on one path only."""

RULES = tuple(map(first_class, (LegalMoves, Apply, SideToMove, OutcomeOf, MoveOrder, Evaluate)))
"""Of the kernels that every search takes: the game's, and last the evaluation."""
FUNCTIONS = (LegalMoves, Apply, SideToMove, OutcomeOf, MoveOrder, Evaluate, LegalMoves, PositionKey, PassTurn)
"""Signatures of those that principal variation search takes: the second `LegalMoves` finds tactical moves."""

NODE = types.float64(
    *RULES,
    REALS,
    WORDS_STACK,
    ACTIONS_STACK,
    ACTIONS_STACK,
    types.int64,
    types.int64,
    types.float64,
    types.float64,
    ACTIONS,
    ACTIONS_OUT,
)
"""Search below one position; see `alphabeta.negamax`."""

ROOT = types.void(
    first_class(NODE),
    *RULES,
    REALS,
    WORDS_STACK,
    ACTIONS_STACK,
    ACTIONS_STACK,
    ACTIONS,
    types.int64,
    REALS_OUT,
    ACTIONS_OUT,
    ACTIONS_STACK,
    ACTIONS,
    ACTIONS_OUT,
)
"""Search each root move; see `root.search_root`."""


@kernel(
    types.float64(
        first_class(SideToMove),
        first_class(OutcomeOf),
        first_class(Evaluate),
        REALS,
        WORDS,
        types.int64,
        ACTIONS,
    )
)
def end_value(
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    evaluate: Callable[[Words, Reals], float],
    weights: Reals,
    position: Words,
    ply: int,
    settings: Actions,
) -> float:
    """Return the worth, for its side to move, of a position without legal moves."""
    result = outcome(position)
    if result != ONGOING and settings[EXACT_AT_END] != 0:
        return evaluate(position, weights)
    if result == ONGOING:
        return 0.0 if settings[NO_MOVES_DRAWS] != 0 else -(WIN - ply)
    if result == DRAWN:
        return 0.0
    return WIN - ply if result == side_to_move(position) else -(WIN - ply)
