"""Minimax that counts repeated positions as draws, compares whole positions and uses no table."""

from collections.abc import Sequence

import numpy as np

from boardgames.declarations import Evaluation, position_key
from boardgames.game import Position
from boardgames.kernels import Actions, Evaluate, Reals, Words, kernel, row, row_out, types
from boardgames.kernels.abi import WORDS_STACK
from boardgames.kernels.bundles import BUNDLE, Bundle
from boardgames.search.alphabeta.workspace import unpack
from boardgames.search.rules import INFINITY, ONGOING, WIN
from boardgames.selfplay.contest import new_workspaces

FORTY = np.uint64(40)
HALF_OF_2_24 = float(1 << 23)


@kernel(types.boolean(WORDS_STACK, types.int64))
def occurred_before(positions: Words, place: int) -> bool:
    """Return True if the position in a row also occurs in an earlier row."""
    for earlier in range(place):
        is_same = True
        for index in range(positions.shape[1]):
            if positions[earlier, index] != positions[place, index]:
                is_same = False
        if is_same:
            return True
    return False


@kernel(types.float64(BUNDLE, types.int64, types.int64, types.int64))
def value_of(bundle: Actions, root: int, place: int, depth: int) -> float:
    """Return the value of row `place` for its side to move; rows before `root` are the match's positions."""
    game = unpack(bundle)
    positions, moves = game.positions, game.moves
    here = row(positions, place)
    side, result = game.side_to_move(here), game.outcome(here)
    if result != ONGOING:
        ply = place - root
        return WIN - ply if result == side else ply - WIN
    if depth == 0:
        return game.evaluate(here, game.weights)
    if place > root and occurred_before(positions, place):
        return 0.0
    best = -INFINITY
    for index in range(game.legal_moves(row(positions, place), row_out(moves, place))):
        game.apply(row(positions, place), moves[place, index], row_out(positions, place + 1))
        value = value_of(bundle, root, place + 1, depth - 1)
        if game.side_to_move(row(positions, place + 1)) != side:
            value = -value
        best = max(best, value)
    return best


def value_with_repetition(
    position: Position, evaluation: Evaluation, depth: int, history: Sequence[Position] = ()
) -> float:
    """Return the value of a position for its side to move, in a game without other draws."""
    work = new_workspaces(position.game, [evaluation], len(history) + depth)[0]
    for place, earlier in enumerate((*history, position)):
        work.positions[place] = earlier.words
    return float(value_of(Bundle(work).words, len(history), len(history), depth))


@kernel(Evaluate)
def noise(position: Words, weights: Reals) -> float:
    """Return a number from -1 to 1 that depends on the position and looks random."""
    return np.float64(position_key(position) >> FORTY) / HALF_OF_2_24 - 1.0


NOISE = Evaluation("noise", noise, np.zeros(0), margin=0.1)
"""An evaluation that is useless for play, but by which similar positions differ, so every path matters."""
