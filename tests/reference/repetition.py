"""Minimax to which a position that was there before is a draw: it compares all words, and keeps nothing."""

from collections.abc import Callable, Sequence

import numpy as np
from boardgames.search.tree import INFINITY, ONGOING, RULES, WIN
from numba import types

from boardgames.declarations import Evaluation, position_key
from boardgames.game import Position
from boardgames.kernels import Actions, Evaluate, Reals, Words, kernel, row, row_out
from boardgames.kernels.abi import ACTIONS_STACK, REALS, WORDS_STACK

FORTY = np.uint64(40)
HALF_OF_2_24 = float(1 << 23)


@kernel(types.boolean(WORDS_STACK, types.int64))
def was_there(positions: Words, place: int) -> bool:
    """Say whether the position in a row stands in an earlier one."""
    for earlier in range(place):
        is_same = True
        for index in range(positions.shape[1]):
            if positions[earlier, index] != positions[place, index]:
                is_same = False
        if is_same:
            return True
    return False


@kernel(types.float64(*RULES, REALS, WORDS_STACK, ACTIONS_STACK, types.int64, types.int64, types.int64))
def worth(
    legal_moves: Callable[[Words, Actions], int],
    apply: Callable[[Words, int, Words], None],
    side_to_move: Callable[[Words], int],
    outcome: Callable[[Words], int],
    move_order: Callable[[Words, int], int],
    evaluate: Callable[[Words, Reals], float],
    weights: Reals,
    positions: Words,
    moves: Actions,
    root: int,
    place: int,
    depth: int,
) -> float:
    """Return the worth of row `place` for its side to move; the match stands before row `root`."""
    here = row(positions, place)
    side, result = side_to_move(here), outcome(here)
    if result != ONGOING:
        ply = place - root
        return WIN - ply if result == side else ply - WIN
    if depth == 0:
        return evaluate(here, weights)
    if place > root and was_there(positions, place):
        return 0.0
    best = -INFINITY
    for index in range(legal_moves(row(positions, place), row_out(moves, place))):
        apply(row(positions, place), moves[place, index], row_out(positions, place + 1))
        value = worth(
            legal_moves, apply, side_to_move, outcome, move_order, evaluate, weights,
            positions, moves, root, place + 1, depth - 1,
        )  # fmt: skip
        if side_to_move(row(positions, place + 1)) != side:
            value = -value
        best = max(best, value)
    return best


def value_with_repetition(
    position: Position, evaluation: Evaluation, depth: int, history: Sequence[Position] = ()
) -> float:
    """Return what a position of a match without draws is worth to its side to move, `depth` plies ahead."""
    kernels, facts = position.game.kernels, position.game.facts
    rows = len(history) + depth + 1
    positions = np.zeros((rows, facts.words), dtype=np.uint64)
    for place, earlier in enumerate((*history, position)):
        positions[place] = earlier.words
    return float(
        worth(
            kernels.legal_moves,
            kernels.apply,
            kernels.side_to_move,
            kernels.outcome,
            kernels.move_order,
            evaluation.kernel,
            evaluation.weights,
            positions,
            np.zeros((rows, facts.actions), dtype=np.int64),
            len(history),
            len(history),
            depth,
        )
    )


@kernel(Evaluate)
def noise(position: Words, weights: Reals) -> float:
    """Return a number from -1 to 1 that a position has by chance."""
    return np.float64(position_key(position) >> FORTY) / HALF_OF_2_24 - 1.0


NOISE = Evaluation("noise", noise, np.zeros(0), margin=0.1)
"""Of no use to play by: positions that are alike differ in worth, so that every path counts."""
