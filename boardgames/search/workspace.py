"""What principal variation search works with, in one bundle: a game's kernels and a thread's arrays.

`legal_moves_in(workspace)` and its likes take one thing out. The search calls
itself with the bundle alone, so that a call pushes a dozen words instead of a
hundred.
"""

from boardgames.kernels.abi import ACTIONS, ACTIONS_OUT, ACTIONS_STACK, REALS, WORDS_OUT, WORDS_STACK
from boardgames.kernels.bundles import item_at
from boardgames.search.tree import FUNCTIONS

ARRAYS = (REALS, ACTIONS_OUT, WORDS_OUT, WORDS_STACK, ACTIONS_STACK, ACTIONS_STACK, ACTIONS_STACK, ACTIONS,
          ACTIONS_OUT)  # fmt: skip
"""Kinds of the arrays, which follow the kernels of `FUNCTIONS`. With n kernels, they are in the order

- weights, float64[m], of the evaluation;
- table, int64[8 m], the transposition table;
- keys, uint64[m]: of each thread, positions of the match and, from `settings[START]` on, of the path;
- positions, uint64[rows, words], the path from the root on;
- moves, int64[2 rows, actions]: of each ply its moves and their ranks;
- lines, int64[rows, rows + 1]: of each ply the length of the line found below it, then its actions;
- memory, int64[4, max(rows, actions)]: killers and history;
- settings, int64[PRINCIPAL_SETTINGS], as the constants of `tree` have them;
- control, int64[CONTROL_SIZE], what the search and its caller tell each other.
"""

(
    legal_moves_in, apply_in, side_to_move_in, outcome_in, move_order_in, evaluate_in, tactical_moves_in,
    key_in, pass_turn_in, weights_in, table_in, keys_in, positions_in, moves_in, lines_in, memory_in,
    settings_in, control_in,
) = (item_at(kind, place) for place, kind in enumerate((*FUNCTIONS, *ARRAYS)))  # fmt: skip
