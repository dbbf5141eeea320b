"""A linear value of features as an evaluation for search.

Weights say what a position is worth to the side that has just moved there, as
a learner sees it after its own move; search asks for the side to move, and
gets the opposite.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import TypeVar

import numpy as np

from boardgames.declarations import LARGEST_VALUE, Evaluation, FeatureSet
from boardgames.game import Game
from boardgames.kernels import Evaluate, Reals, Words, kernel
from boardgames.score import RETURN, Unit

Function = TypeVar("Function", bound=Callable[..., object])

WEIGHTED_SUM = Unit("sum", "weighted sums of features", digits=3)
"""What linear values count that are not squashed. They are learned from returns: 1 is about a win."""


def linear_evaluation(game: Game, features: FeatureSet, weights: Reals, *, squashes: bool) -> Evaluation:
    """Return the evaluation of weights, `float64[n]`, of features on the scale where ranges are -1 to 1.

    Parameters
    ----------
    squashes : bool
        The value is the hyperbolic tangent of the sum, a return in [-1, 1];
        else the sum itself.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> lines = boardgames.load_features("lines", game)
    >>> linear_evaluation(game, lines, np.ones(11), squashes=True).unit.name
    'return'
    """
    middle, half = features.scale
    slopes = weights / half
    folded = np.append(slopes, -(slopes * middle).sum())  # of the numbers as they are, and a constant
    evaluate = _linear_kernel(features.kernel, game.kernels.side_to_move, squashes)
    name = f"weights of {features.name}"
    if squashes:
        return Evaluation(name, evaluate, folded, unit=RETURN, bound=1.0)
    return Evaluation(name, evaluate, folded, unit=WEIGHTED_SUM, bound=LARGEST_VALUE)


@cache
def _linear_kernel(
    features: Callable[[Words, int, Reals], None], side_to_move: Callable[[Words], int], squashes: bool
) -> Callable[[Words, Reals], float]:
    """Return the kernel for a game's features, compiled at its first use."""

    @kernel(Evaluate)
    @_in_module_of(features)
    def evaluate(position: Words, weights: Reals) -> float:
        count = weights.size - 1
        numbers = np.empty(count)
        features(position, 1 - side_to_move(position), numbers)
        total = weights[count]
        for index in range(count):
            total += weights[index] * numbers[index]
        if squashes:
            return -math.tanh(total)
        return -min(max(total, -LARGEST_VALUE), LARGEST_VALUE)

    return evaluate


def _in_module_of(other: Callable[..., object]) -> Callable[[Function], Function]:
    """Have a function stand in another's module, since its code is in its own: kept and renewed with that."""

    def place(function: Function) -> Function:
        function.__module__ = other.__module__
        return function

    return place
