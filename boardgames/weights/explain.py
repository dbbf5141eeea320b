"""What each feature, or each group of cells, contributes to the value of a position."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boardgames.declarations import FeatureSet
from boardgames.game import Position
from boardgames.patterns import PatternSet
from boardgames.weights.weights import Weights


@dataclass(frozen=True, slots=True)
class Term:
    """A feature of a position.

    Attributes
    ----------
    name : str
        Name of the feature.
    value : float
        Its value, not scaled.
    weight, contribution : float or None
        Its weight, and the weight times the value scaled to -1 to 1; None without weights.
    """

    name: str
    value: float
    weight: float | None = None
    contribution: float | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The features of a position, and the value that weights give it.

    Attributes
    ----------
    features : str
        Name of the feature set.
    weights : str or None
        Name of the weights; None without weights.
    side : int
        The side from whose point of view everything is: the one that has just moved.
    terms : tuple of Term
        The features in order.
    total, value : float or None
        Sum of the contributions, and the value, its hyperbolic tangent if `is_squashed`.
    is_squashed : bool
        Whether the weights squash sums.
    """

    features: str
    weights: str | None
    side: int
    terms: tuple[Term, ...]
    total: float | None = None
    value: float | None = None
    is_squashed: bool = False


def explain(
    position: Position,
    features: FeatureSet | PatternSet,
    weights: Weights | None = None,
    name: str | None = None,
) -> Explanation:
    """Return the features of a position with their contributions to its value.

    For patterns there is a term for each group of cells that is looked up; its value is the index of the
    weight in the group's table.

    Parameters
    ----------
    weights : Weights, optional
        Weights of these features. Required for patterns, because only the weights know the groups.
    name : str, optional
        What to call the weights.

    Examples
    --------
    >>> import boardgames
    >>> game = boardgames.load("connect4")
    >>> lines = boardgames.load_features("lines", game)
    >>> explained = explain(game.parse("4453"), lines, Weights.of(game, lines, np.ones(11)), "ones")
    >>> explained.side, explained.terms[2].name, explained.terms[2].value
    (1, 'own centre', 1.0)
    >>> explained.value == sum(term.contribution for term in explained.terms)
    True
    """
    side = 1 - position.side_to_move
    if isinstance(features, PatternSet):
        assert weights is not None
        return _explain_patterns(position, features.grouped(weights.groups), weights, name)
    values = np.zeros(len(features.features))
    features.kernel(position.words, side, values)
    names = [feature.name for feature in features.features]
    if weights is None:
        terms = tuple(Term(one, float(value)) for one, value in zip(names, values, strict=True))
        return Explanation(features.name, None, side, terms)
    parts = weights.values * features.normalised(values)
    columns = zip(names, values.tolist(), weights.values.tolist(), parts.tolist(), strict=True)
    return _summed(features.name, name, side, [Term(*column) for column in columns], weights)


def _explain_patterns(
    position: Position, patterns: PatternSet, weights: Weights, name: str | None
) -> Explanation:
    """Return what is looked up in the tables: each combination of values, and its weight."""
    side, cells = 1 - position.side_to_move, np.zeros(patterns.cells, dtype=np.int64)
    patterns.kernel(position.words, side, cells)
    first = patterns.size // patterns.phases * patterns.phase(position.words, side)
    known = dict(zip(weights.entries.tolist(), weights.values.tolist(), strict=True))
    terms = []
    for group, start in patterns.lookups:
        index = 0
        for cell in group:
            index = patterns.values * index + int(cells[cell])
        weight = known.get(first + start + index, 0.0)
        terms.append(Term(f"cells {' '.join(map(str, group))}", float(index), weight, weight))
    return _summed(patterns.name, name, side, terms, weights)


def _summed(
    features: str, name: str | None, side: int, terms: Sequence[Term], weights: Weights
) -> Explanation:
    total = sum(term.contribution or 0.0 for term in terms)
    value = math.tanh(total) if weights.tanh else total
    return Explanation(features, name, side, tuple(terms), total, value, weights.tanh)
