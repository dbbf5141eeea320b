"""Tables of weights for patterns as an evaluation for search.

Weights give the value of a position for the side that has just moved, as those of
features do. The evaluation's array of weights begins with a description of the groups, so
that one kernel serves all groups of a game: integers, whose bits are stored in the floats.
"""

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from boardgames.declarations import MAX_VALUE, Evaluation
from boardgames.game import Game
from boardgames.kernels import Actions, Evaluate, Reals, Words, float_to_bits, kernel
from boardgames.patterns import PatternSet
from boardgames.score import RETURN
from boardgames.weights.linear import WEIGHTED_SUM, in_module_of

HEADER = 3
"""Numbers before the groups: of lookups, of weights in a phase, and the index of the first weight."""


def table_evaluation(
    game: Game, patterns: PatternSet, entries: Actions, values: Reals, *, tanh: bool
) -> Evaluation:
    """Return the evaluation with these weights of patterns.

    Parameters
    ----------
    entries : int64[n]
        Places in the tables of all phases and groups, in ascending order; other places have weight 0.
    values : float64[n]
        The weights at these places.
    tanh : bool
        True if the value is not the sum, but its hyperbolic tangent, a return in [-1, 1].

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> column = boardgames.load_patterns("cells", game).grouped([(18,)])  # the bottom of the middle column
    >>> evaluation = table_evaluation(game, column, np.array([1, 6]), np.array([0.5, -0.5]), tanh=True)
    >>> evaluation.score(evaluation.kernel(game.parse("4").words, evaluation.weights)).amount < 0
    True
    """
    described = [len(patterns.lookups), patterns.size // patterns.phases, 0]
    for group, start in patterns.lookups:
        described += [start, len(group), *group]
    described[2] = len(described)
    weights = np.zeros(len(described) + patterns.size)
    weights[: len(described)] = np.array(described, dtype=np.int64).view(np.float64)
    weights[len(described) + entries] = values
    evaluate = _table_kernel(patterns.kernel, patterns.phase, game.kernels.side_to_move,
                             patterns.cells, patterns.values, tanh)  # fmt: skip
    unit, bound = (RETURN, 1.0) if tanh else (WEIGHTED_SUM, MAX_VALUE)
    return Evaluation(f"weights of {patterns.name}", evaluate, weights, unit=unit, bound=bound)


@cache
def _table_kernel(
    cells: Callable[[Words, int, Actions], None],
    phase: Callable[[Words, int], int],
    side_to_move: Callable[[Words], int],
    count: int,
    digits: int,
    tanh: bool,
) -> Callable[[Words, Reals], float]:
    """Return the kernel for a game's patterns, which is compiled on first use."""

    @kernel(Evaluate)
    @in_module_of(cells)
    def evaluate(position: Words, weights: Reals) -> float:
        side = 1 - side_to_move(position)
        values = np.empty(count, dtype=np.int64)
        cells(position, side, values)
        first = float_to_bits(weights[2]) + phase(position, side) * float_to_bits(weights[1])
        total = 0.0
        place = HEADER
        for _ in range(float_to_bits(weights[0])):
            start, length = float_to_bits(weights[place]), float_to_bits(weights[place + 1])
            place += 2
            index = 0
            for cell in range(place, place + length):
                index = digits * index + values[float_to_bits(weights[cell])]
            place += length
            total += weights[first + start + index]
        if tanh:
            return -math.tanh(total)
        return -min(max(total, -MAX_VALUE), MAX_VALUE)

    return evaluate
