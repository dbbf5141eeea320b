"""Perft: count the leaf positions at a depth, for any game."""

from typing import Annotated, NamedTuple

import numpy as np

from boardgames.errors import LimitError, quote
from boardgames.game import Move, Position
from boardgames.kernels import Actions, Control, Words, kernel, load_stop, new_control, row, row_out, types
from boardgames.kernels.abi import (
    ACTIONS_STACK,
    WORDS_STACK,
    ApplyKernel,
    LegalMovesKernel,
    OutcomeKernel,
    SideToMoveKernel,
)
from boardgames.kernels.bundles import BUNDLE, Bundle, unpacker
from boardgames.kernels.control import CONTROL
from boardgames.search.rules import rules_of
from boardgames.search.runner import run

MAX_PERFT_DEPTH = 100


class PerftWorkspace(NamedTuple):
    """The rules, and for each ply its position, `uint64[n, words]`, and its moves, `int64[n, actions]`."""

    legal_moves: LegalMovesKernel
    apply: ApplyKernel
    side_to_move: SideToMoveKernel
    outcome: OutcomeKernel
    outcome_at_limit: OutcomeKernel
    positions: Annotated[Words, WORDS_STACK]
    moves: Annotated[Actions, ACTIONS_STACK]
    control: Annotated[Control, CONTROL]


unpack = unpacker(PerftWorkspace)


def new_workspace(position: Position, depth: int, control: Control) -> PerftWorkspace:
    """Return a workspace for counting to a depth, with the position at ply 0."""
    facts = position.game.facts
    positions = np.zeros((depth + 1, facts.words), dtype=np.uint64)
    positions[0] = position.words
    return PerftWorkspace(
        **rules_of(position.game),
        positions=positions,
        moves=np.zeros((depth + 1, facts.actions), dtype=np.int64),
        control=control,
    )


@kernel(types.int64(BUNDLE, types.int64, types.int64))
def count_leaves(bundle: Actions, ply: int, depth: int) -> int:
    """Count the leaves `depth` plies below the position at `ply`.

    The moves of the last ply are counted without making them. If the count is stopped,
    it is too small.
    """
    if depth == 0:
        return 1
    game = unpack(bundle)
    positions, moves = game.positions, game.moves
    count = game.legal_moves(row(positions, ply), row_out(moves, ply))
    if depth == 1:
        return count
    leaves = 0
    for index in range(count):
        if load_stop(game.control) != 0:
            break
        game.apply(row(positions, ply), moves[ply, index], row_out(positions, ply + 1))
        leaves += count_leaves(bundle, ply + 1, depth - 1)
    return leaves


def perft(position: Position, depth: int) -> int:
    """Count the leaf positions `depth` plies below `position`.

    Matches that end at exactly this depth count, and matches that end earlier do not. Rules about
    repetition are ignored.

    Raises
    ------
    LimitError
        If `depth` is not 0 to 100.

    Examples
    --------
    >>> import boardgames
    >>> perft(boardgames.load("abalone", layout="standard").start(), 2)
    1936
    """
    if not isinstance(depth, int) or not 0 <= depth <= MAX_PERFT_DEPTH:
        raise LimitError(f"depth must be 0 to {MAX_PERFT_DEPTH}, not {quote(depth)}")
    control = new_control()
    bundle = Bundle(new_workspace(position, depth, control))
    return run(lambda: int(count_leaves(bundle.words, 0, depth)), control)


def divide(position: Position, depth: int) -> dict[Move, int]:
    """Count the leaves below each legal move; they add up to `perft` of the position.

    Raises
    ------
    LimitError
        If `depth` is not 1 to 100.

    Examples
    --------
    >>> import boardgames
    >>> counts = divide(boardgames.load("abalone", layout="standard").start(), 2)
    >>> len(counts), sum(counts.values())
    (44, 1936)
    """
    if not isinstance(depth, int) or not 1 <= depth <= MAX_PERFT_DEPTH:
        raise LimitError(f"depth must be 1 to {MAX_PERFT_DEPTH}, not {quote(depth)}")
    return {move: perft(position.apply(move), depth - 1) for move in position.legal_moves}
