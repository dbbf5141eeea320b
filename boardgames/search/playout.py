"""Random playouts: matches with uniformly random moves, for any game."""

from dataclasses import dataclass
from operator import index
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boardgames.errors import LimitError, OptionError, quote
from boardgames.game import Position
from boardgames.kernels import (
    Actions,
    Control,
    Words,
    kernel,
    load_stop,
    new_control,
    random_below,
    row,
    row_out,
    types,
)
from boardgames.kernels.abi import (
    ACTIONS_STACK,
    WORDS_OUT,
    WORDS_STACK,
    ApplyKernel,
    LegalMovesKernel,
    OutcomeKernel,
    SideToMoveKernel,
    record_array,
)
from boardgames.kernels.bundles import BUNDLE, Bundle, unpacker
from boardgames.kernels.control import CONTROL
from boardgames.search.remembering import declared_remembering
from boardgames.search.rules import UNFINISHED, UNLIMITED, final_result, result_at_limit, rules_of
from boardgames.search.runner import run

TOTALS_DTYPE = np.dtype([("results", np.int64, 4), ("plies", np.int64)], align=True)
"""Results of playouts (wins of side 0 and side 1, draws, unfinished matches), and their total plies."""
TOTALS = record_array(TOTALS_DTYPE)


@dataclass(frozen=True, slots=True)
class Playouts:
    """The results of random matches from one position, and their total number of plies."""

    wins: tuple[int, int]
    draws: int
    unfinished: int
    plies: int


class PlayoutWorkspace(NamedTuple):
    """Kernels and arrays of random playouts.

    Attributes
    ----------
    legal_moves, apply, side_to_move, outcome, outcome_at_limit : kernels
        The rules.
    positions : uint64[3, words]
        The start, and two rows of scratch space.
    moves : int64[1, actions]
        Buffer for legal moves.
    random_state : uint64[1]
        State of the random generator; advanced.
    totals, control : one record each
        The totals, to which results are added; the stop flag.
    """

    legal_moves: LegalMovesKernel
    apply: ApplyKernel
    side_to_move: SideToMoveKernel
    outcome: OutcomeKernel
    outcome_at_limit: OutcomeKernel
    positions: Annotated[Words, WORDS_STACK]
    moves: Annotated[Actions, ACTIONS_STACK]
    random_state: Annotated[Words, WORDS_OUT]
    totals: Annotated[npt.NDArray[Any], TOTALS]  # one record: NumPy cannot annotate its fields
    control: Annotated[Control, CONTROL]


unpack = unpacker(PlayoutWorkspace)


@kernel(types.void(BUNDLE, types.int64, types.int64, types.boolean))
def play_out(bundle: Actions, count: int, ply_limit: int, no_moves_draws: bool) -> None:
    """Play `count` random matches and add up their results; a match that is stopped does not count."""
    game = unpack(bundle)
    positions, totals = game.positions, game.totals
    buffer = row_out(game.moves, 0)
    for _ in range(count):
        here = 0
        plies = 0
        result = UNFINISHED
        while plies <= ply_limit:
            if load_stop(game.control) != 0:
                return
            legal = game.legal_moves(row(positions, here), buffer)
            if legal == 0:
                result = final_result(game.side_to_move, game.outcome, row(positions, here), no_moves_draws)
                break
            if plies == ply_limit:
                result = result_at_limit(game.outcome_at_limit, row(positions, here))
                break
            there = 2 if here == 1 else 1
            action = buffer[random_below(game.random_state, legal)]
            game.apply(row(positions, here), action, row_out(positions, there))
            here = there
            plies += 1
        totals[0].results[result] += 1
        totals[0].plies += plies


def playouts(position: Position, count: int, *, seed: int = 0, ply_limit: int | None = None) -> Playouts:
    """Play `count` random matches from `position`.

    Parameters
    ----------
    count : int
        Number of matches, at least 1.
    seed : int
        Equal seeds give equal playouts.
    ply_limit : int, optional
        Maximum number of plies in a match, by default the limit of the game. A match that reaches it is
        unfinished, unless the game says who wins. Required if neither the game nor its rules limit a
        match.

    Raises
    ------
    LimitError
        If the count or the limit is below 1, or a required limit is missing.
    OptionError
        If the seed is not an integer.

    Examples
    --------
    >>> import boardgames
    >>> start = boardgames.load("abalone").start()
    >>> playouts(start, 10, seed=1, ply_limit=5)
    Playouts(wins=(0, 0), draws=0, unfinished=10, plies=50)
    """
    game, facts = position.game, position.game.facts
    ply_limit = facts.ply_limit if ply_limit is None else ply_limit
    for name, value in (("count", count), ("ply_limit", UNLIMITED if ply_limit is None else ply_limit)):
        if not (type(value) is int and 1 <= value <= UNLIMITED):
            raise LimitError(f"{name} must be at least 1, not {quote(value)}")
    try:
        random_state = np.array([index(seed) % 2**64], dtype=np.uint64)
    except TypeError:
        raise OptionError(f"seed must be an integer, not {quote(seed)}") from None
    if ply_limit is None and facts.longest_match is None:
        raise LimitError(f"playouts of {facts.name} need a ply_limit, because its rules do not limit a match")
    words = position.words
    rules = declared_remembering(game, UNLIMITED if ply_limit is None else ply_limit)
    if rules is not None:
        game, words = rules.game, rules.pack(position)
    positions = np.zeros((3, words.size), dtype=np.uint64)
    positions[0] = words
    totals = np.zeros(1, dtype=TOTALS_DTYPE).view(np.recarray)
    control = new_control()
    workspace = PlayoutWorkspace(
        **rules_of(game),
        positions=positions,
        moves=np.zeros((1, facts.actions), dtype=np.int64),
        random_state=random_state,
        totals=totals,
        control=control,
    )
    bundle = Bundle(workspace)
    limit = UNLIMITED if ply_limit is None else ply_limit
    run(lambda: play_out(bundle.words, count, limit, facts.no_moves_draws), control)
    first, second, draws, unfinished = totals[0].results.tolist()
    return Playouts((first, second), draws, unfinished, int(totals[0].plies))
