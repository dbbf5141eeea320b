"""Positions near the horizon that need not be searched as they stand.

Where a game bounds what a quiet move changes (`Evaluation.margin`), a side that
is further below the window looks at tactical moves alone, and one that is far
enough above it is taken to stay there (E. Heinz, "Extended futility pruning",
1998; also called static null move pruning), but not under a threat to decide
the match at once, which an evaluation does not see.
"""

from collections.abc import Callable

from numba import types

from boardgames.kernels import FORCING, Actions, LegalMoves, MoveOrder, PassTurn, Words, kernel, row, row_out
from boardgames.kernels.abi import ACTIONS, ACTIONS_STACK, WORDS_STACK, first_class
from boardgames.search.tree import MARGIN, TABLE

FUTILE_DEPTH = 2
"""Depth up to which a position may be settled as it stands."""
FEW_MOVES = 12
"""With fewer at the root a side may soon have none, which is seen by a list of its moves alone."""


@kernel(types.boolean(ACTIONS, types.boolean, types.int64))
def has_entry(settings: Actions, exactly: bool, depth: int) -> bool:
    """Say whether positions of a depth are in the table, if there is one.

    To ask it takes longer than most of depth 1 are searched where margins settle them.
    """
    return settings[TABLE] != 0 and (depth > 1 or exactly or settings[MARGIN] == 0)


@kernel(
    types.boolean(
        first_class(MoveOrder),
        first_class(LegalMoves),
        first_class(PassTurn),
        WORDS_STACK,
        ACTIONS_STACK,
        types.int64,
    )
)
def is_threatened(
    move_order: Callable[[Words, int], int],
    tactical_moves: Callable[[Words, Actions], int],
    pass_turn: Callable[[Words, Words], None],
    positions: Words,
    moves: Actions,
    ply: int,
) -> bool:
    """Say whether the other side, were it to move, would have a forcing move; rows of `ply` + 1 are lost."""
    pass_turn(row(positions, ply), row_out(positions, ply + 1))
    for index in range(tactical_moves(row(positions, ply + 1), row_out(moves, 2 * ply + 2))):
        if move_order(row(positions, ply + 1), moves[2 * ply + 2, index]) >= FORCING:
            return True
    return False
