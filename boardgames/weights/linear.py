"""A weighted sum of features as an evaluation for search.

Weights give the value of a position for the side that has just moved, because
learners evaluate positions after their own moves. Search needs the value for the
side to move, which is the negative of this value.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import TypeVar

import numpy as np

from boardgames.declarations import MAX_VALUE, Evaluation, FeatureSet
from boardgames.game import Game
from boardgames.kernels import Evaluate, Reals, Words, kernel, local_reals
from boardgames.score import RETURN, Unit

Function = TypeVar("Function", bound=Callable[..., object])

WEIGHTED_SUM = Unit("sum", "weighted sums of features", digits=3)
"""Unit of values without `tanh`. They are learned from returns, so 1 roughly means a win."""


def linear_evaluation(game: Game, features: FeatureSet, weights: Reals, *, tanh: bool) -> Evaluation:
    """Return an evaluation that is the weighted sum of features.

    Parameters
    ----------
    weights : float64[n]
        Weights of the features, which are scaled to -1 to 1 by their ranges.
    tanh : bool
        If True, the value is the hyperbolic tangent of the sum, a return in [-1, 1].

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> lines = boardgames.load_features("lines", game)
    >>> linear_evaluation(game, lines, np.ones(11), tanh=True).unit.name
    'return'
    """
    middle, half = features.scale
    slopes = weights / half
    unscaled = np.append(slopes, -(slopes * middle).sum())  # weights of unscaled features, and a constant
    evaluate = _linear_kernel(features.kernel, len(weights), game.kernels.side_to_move, tanh)
    name = f"weights of {features.name}"
    if tanh:
        return Evaluation(name, evaluate, unscaled, unit=RETURN, bound=1.0)
    return Evaluation(name, evaluate, unscaled, unit=WEIGHTED_SUM, bound=MAX_VALUE)


@cache
def _linear_kernel(
    features: Callable[[Words, int, Reals], None],
    count: int,
    side_to_move: Callable[[Words], int],
    tanh: bool,
) -> Callable[[Words, Reals], float]:
    """Return the kernel for a game's features; the first call compiles it."""

    @kernel(Evaluate)
    @in_module_of(features)
    def evaluate(position: Words, weights: Reals) -> float:
        values = local_reals(count)
        features(position, 1 - side_to_move(position), values)
        total = weights[count]
        for index in range(count):
            total += weights[index] * values[index]
        if tanh:
            return -math.tanh(total)
        return -min(max(total, -MAX_VALUE), MAX_VALUE)

    return evaluate


def in_module_of(other: Callable[..., object]) -> Callable[[Function], Function]:
    """Return a decorator that assigns a function to the module of `other`, so that it is cached there."""

    def move(function: Function) -> Function:
        function.__module__ = other.__module__
        return function

    return move
