"""What each feature, or each group of cells, contributes to the value of a position."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boardgames.declarations import FeatureSet
from boardgames.game import Position
from boardgames.patterns import PatternSet
from boardgames.weights.tables import interpolated
from boardgames.weights.weights import Weights


@dataclass(frozen=True, slots=True)
class Term:
    """A feature of a position.

    Attributes
    ----------
    name : str
        Name of the feature.
    value : float
        The unscaled value of the feature.
    weight, contribution : float or None
        The weight of the feature, and its contribution: the weight times the value, which is scaled to
        -1 to 1 except in a model. None without weights. For a group of cells, the contribution is the
        weight that is looked up.
    """

    name: str
    value: float
    weight: float | None = None
    contribution: float | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The features of a position, and the value of the position with given weights.

    Attributes
    ----------
    features : str
        Name of the feature set or pattern set.
    weights : str or None
        Name of the weights; None without weights.
    side : int
        The side from whose point of view the features are computed.
    terms : tuple of Term
        The features in order.
    total, value : float or None
        Sum of the contributions, and the value of the position. The value is the sum, or its hyperbolic
        tangent if `is_squashed`; with a model, it is the model's value in `unit`.
    is_squashed : bool
        True if the value is the hyperbolic tangent of the sum.
    unit : str
        With a model, the unit of the value; otherwise empty.
    """

    features: str
    weights: str | None
    side: int
    terms: tuple[Term, ...]
    total: float | None = None
    value: float | None = None
    is_squashed: bool = False
    unit: str = ""


def explain(
    position: Position,
    features: FeatureSet | PatternSet,
    weights: Weights | None = None,
    name: str | None = None,
    *,
    side: int | None = None,
) -> Explanation:
    """Return the features of a position with their contributions to its value.

    For patterns, there is a term for each group of cells that is looked up; its value is the index of the
    weight in the group's table. The terms of a model follow, then its material.

    Parameters
    ----------
    weights : Weights, optional
        Weights of these features. Required for patterns, because only the weights know the groups.
    name : str, optional
        Name of the weights.
    side : int, optional
        The side from whose point of view features are computed; by default the side that is not to move,
        which usually has just moved.

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
    side = 1 - position.side_to_move if side is None else side
    if isinstance(features, PatternSet):
        assert weights is not None
        return _explain_patterns(position, side, features.grouped(weights.groups), weights, name)
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
    position: Position, side: int, patterns: PatternSet, weights: Weights, name: str | None
) -> Explanation:
    """Explain a position by the weights that are looked up for it and the features of the model."""
    cells = np.zeros(patterns.cells, dtype=np.int64)
    patterns.kernel(position.words, side, cells)
    phase = patterns.phase(position.words, side)
    tables = weights.tables(patterns)
    table = interpolated(tables, patterns.phases)[phase] if weights.anchors else tables[phase]
    terms = []
    for group, start in patterns.lookups:
        index = 0
        for cell in group:
            index = patterns.values * index + int(cells[cell])
        weight = float(table[start + index])
        terms.append(Term(f"cells {' '.join(map(str, group))}", float(index), weight, weight))
    model = patterns.model
    if not weights.anchors or model is None:
        return _summed(patterns.name, name, side, terms, weights)
    linear = interpolated(weights.linear, patterns.phases)[phase].tolist()
    count = model.size - (len(model.terms.features) if model.terms else 0)
    added = _terms_of(position, side, model.terms, linear[count:])
    material = _terms_of(position, side, model.material, linear[:count])
    positional = sum(term.contribution or 0.0 for term in (*terms, *added))
    total = sum(term.contribution or 0.0 for term in material)
    value = total + positional / (1.0 + abs(positional) / model.limit)
    value = min(max(value, -model.bound), model.bound) / model.scale
    all_terms = (*terms, *added, *material)
    return Explanation(patterns.name, name, side, all_terms, total + positional, value, unit=model.unit.label)


def _terms_of(
    position: Position, side: int, features: FeatureSet | None, weights: Sequence[float]
) -> list[Term]:
    """Return features that are not scaled, with their weights and contributions."""
    if features is None:
        return []
    values = np.zeros(len(features.features))
    features.kernel(position.words, side, values)
    return [
        Term(feature.name, value, weight, weight * value)
        for feature, value, weight in zip(features.features, values.tolist(), weights, strict=True)
    ]


def _summed(
    features: str, name: str | None, side: int, terms: Sequence[Term], weights: Weights
) -> Explanation:
    total = sum(term.contribution or 0.0 for term in terms)
    value = math.tanh(total) if weights.tanh else total
    return Explanation(features, name, side, tuple(terms), total, value, weights.tanh)
