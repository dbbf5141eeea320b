"""Random playouts: matches of uniformly random moves, for any game."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import index

import numpy as np
from numba import types

from boardgames.errors import LimitError, OptionError, shown
from boardgames.game import Position
from boardgames.kernels import (
    STOP,
    Actions,
    Apply,
    Control,
    LegalMoves,
    OutcomeOf,
    SideToMove,
    Words,
    kernel,
    new_control,
    peek,
    random_below,
    row,
    row_out,
)
from boardgames.kernels.abi import ACTIONS_OUT, ACTIONS_STACK, WORDS_OUT, WORDS_STACK, first_class
from boardgames.search.runner import run

UNLIMITED = 2**62
DRAWN, UNDECIDED, PLIES = 2, 3, 4


@dataclass(frozen=True, slots=True)
class Playouts:
    """How random matches from one position ended, and how many plies they took in all."""

    wins: tuple[int, int]
    draws: int
    undecided: int
    plies: int


@kernel(
    types.void(
        first_class(LegalMoves),
        first_class(Apply),
        first_class(SideToMove),
        first_class(OutcomeOf),
        WORDS_STACK,
        ACTIONS_STACK,
        WORDS_OUT,
        types.int64,
        types.int64,
        types.boolean,
        ACTIONS_OUT,
        ACTIONS_OUT,
    )
)
def play_out(
    legal_moves: Callable[[Words, Actions], int],
    apply: Callable[[Words, int, Words], None],
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    positions: Words,
    moves: Actions,
    state: Words,
    count: int,
    ply_limit: int,
    no_moves_draws: bool,
    totals: Actions,
    control: Control,
) -> None:
    """Play `count` random matches from `positions[0]` and add up how they ended.

    Parameters
    ----------
    legal_moves, apply, side_to_move, outcome : kernels
        The rules.
    positions : uint64[3, words]
        The start, and two rows that are overwritten.
    moves : int64[1, actions]
        Overwritten.
    state : uint64[1]
        Of the random generator; advanced.
    totals : int64[5]
        Wins of side 0, of side 1, draws, undecided at `ply_limit`, plies; added to.
    control : int64[CONTROL_SIZE]
        Only the stop flag is read; the match under way is then not counted.
    """
    buffer = row_out(moves, 0)
    for _ in range(count):
        here = 0
        plies = 0
        result = UNDECIDED
        while plies <= ply_limit:
            if peek(control, STOP) != 0:
                return
            legal = legal_moves(row(positions, here), buffer)
            if legal == 0:
                result = outcome(row(positions, here))
                if result < 0:
                    result = DRAWN if no_moves_draws else 1 - side_to_move(row(positions, here))
                break
            if plies == ply_limit:
                break
            there = 2 if here == 1 else 1
            action = moves[0, random_below(state, legal)]
            apply(row(positions, here), action, row_out(positions, there))
            here = there
            plies += 1
        totals[result] += 1
        totals[PLIES] += plies


def playouts(position: Position, count: int, *, seed: int = 0, ply_limit: int | None = None) -> Playouts:
    """Play `count` random matches from `position`.

    Parameters
    ----------
    count : int
        Number of matches, at least 1.
    seed : int
        Equal seeds give equal playouts.
    ply_limit : int, optional
        Plies after which a match is left undecided; needed for games whose
        rules set no end.

    Raises
    ------
    LimitError
        If the count or the limit is below 1, or a limit is needed.
    OptionError
        If the seed is no whole number.

    Examples
    --------
    >>> import boardgames
    >>> start = boardgames.load("abalone").start()
    >>> playouts(start, 10, seed=1, ply_limit=5)
    Playouts(wins=(0, 0), draws=0, undecided=10, plies=50)
    """
    facts, kernels = position.game.facts, position.game.kernels
    for name, value in (("match", count), ("ply", UNLIMITED if ply_limit is None else ply_limit)):
        if not (type(value) is int and 1 <= value <= UNLIMITED):
            raise LimitError(f"expected at least 1 {name}: {shown(value)}")
    try:
        state = np.array([index(seed) % 2**64], dtype=np.uint64)
    except TypeError:
        raise OptionError(f"expected a whole number for seed: {shown(seed)}") from None
    if ply_limit is None and facts.longest_match is None:
        raise LimitError(f"expected a ply limit for {facts.name}, whose rules set no end")
    positions = np.zeros((3, facts.words), dtype=np.uint64)
    positions[0] = position.words
    moves = np.zeros((1, facts.actions), dtype=np.int64)
    totals = np.zeros(5, dtype=np.int64)
    control = new_control()
    rules = (kernels.legal_moves, kernels.apply, kernels.side_to_move, kernels.outcome)
    limit = UNLIMITED if ply_limit is None else ply_limit
    run(
        lambda: play_out(
            *rules, positions, moves, state, count, limit, facts.no_moves_draws, totals, control
        ),
        control,
    )
    first, second, draws, undecided, plies = (int(total) for total in totals)
    return Playouts((first, second), draws, undecided, plies)
