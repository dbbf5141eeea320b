"""The part of a game that every search uses: the kernels of its rules, and the result of a finished match.

In depth-first searches, values are float64 numbers for the side to move. A win `n` plies from
the root is worth `WIN - n` and a loss the opposite, so that quick wins and slow losses
are preferred. Evaluations stay below `EVALUATION_BOUND`. These numbers are internal to
`boardgames.search`; `results.score_of` turns them into scores.
"""

from collections.abc import Callable
from typing import Any

from boardgames.game import Game
from boardgames.kernels import OutcomeOf, SideToMove, Words, kernel, types
from boardgames.kernels.abi import WORDS, first_class
from boardgames.player import Context

RULES = ("legal_moves", "apply", "side_to_move", "outcome", "outcome_at_limit")
"""The rules' kernels: the first fields of every workspace."""

ONGOING = -1
DRAWN = 2
UNFINISHED = 3
"""Results of a match besides the winning side, 0 or 1: not over yet, drawn, stopped at a ply limit."""

MAX_DEPTH = 100
WIN = 1_000_000.0
EVALUATION_BOUND = WIN - 2 * MAX_DEPTH
INFINITY = 2 * WIN
UNLIMITED = 2**62
"""A limit of plies, nodes or simulations that is never reached."""


def rules_of(game: Game) -> dict[str, Any]:
    """Return the kernels of a game's rules by their names in `RULES`."""
    return {name: getattr(game.kernels, name) for name in RULES}


def plies_left_of(game: Game, context: Context, most: int) -> int:
    """Return the plies left until a limit ends the match, or `UNLIMITED` if a search can ignore it.

    A search can ignore a limit that is more than `most` plies away, and any limit if the game has no rule
    that decides the winner there.
    """
    left = context.plies_left
    return UNLIMITED if left is None or left > most or not game.kernels.decides_at_limit else left


@kernel(types.int64(first_class(OutcomeOf), WORDS))
def result_at_limit(outcome_at_limit: Callable[[Words], int], position: Words) -> int:
    """Return the result of a match that ends here at a ply limit; `UNFINISHED` if no rule decides it."""
    result = outcome_at_limit(position)
    return UNFINISHED if result == ONGOING else result


@kernel(types.int64(first_class(SideToMove), first_class(OutcomeOf), WORDS, types.boolean))
def final_result(
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    position: Words,
    no_moves_draws: bool,
) -> int:
    """Return the winner of a position without legal moves, or `DRAWN`."""
    result = outcome(position)
    if result == ONGOING:  # the side to move is stuck
        return DRAWN if no_moves_draws else 1 - side_to_move(position)
    return result
