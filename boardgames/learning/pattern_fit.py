"""Fit tables of weights to labelled positions by logistic regression, with kernels.

The value v of a position, in units of the pattern model, predicts the points 1 / (1 +
exp(-slope v)). The weights minimise the logarithmic loss of these predictions, plus the squared
distance to the initial weights. Without this regularisation, the many weights that only a few
positions look up would be fitted to noise.

The minimum is approached by Adam (D. Kingma and J. Ba, "Adam: a method for stochastic
optimization", 2015), with a learning rate that falls almost to 0.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, NamedTuple

import numpy as np

from boardgames.game import Game
from boardgames.kernels import Actions, Cells, Features, Phase, Reals, Words, kernel, row, types
from boardgames.kernels.abi import (
    ACTIONS,
    ACTIONS_OUT,
    FLOATS_OUT,
    REALS,
    REALS_OUT,
    REALS_STACK,
    WORDS_STACK,
    Floats,
    SideToMoveKernel,
)
from boardgames.kernels.bundles import BUNDLE, Bundle, unpacker
from boardgames.patterns import PatternSet, no_features
from boardgames.weights.tables import interpolated

MOMENTUM, SMOOTHING, TINY = 0.9, 0.999, 1e-8
"""Constants of Adam."""
WARM_UP = 100
"""Number of batches during which the learning rate rises to its full value."""
LAST_RATE = 0.02
"""The learning rate of the last batch, as a share of the full one."""


class PatternFitWorkspace(NamedTuple):
    """Kernels and arrays of a fit, for `p` positions, `k` lookups, `a` anchors, `n` entries, `m` features.

    Attributes
    ----------
    side_to_move, cells, phase, material, terms : kernels
        The game, and the parts of its patterns.
    words : uint64[p, words]
        Positions.
    targets : float32[p]
        Expected points of the side that has just moved.
    order : int64[p]
        The positions in the order in which they are visited.
    bounds, members, begins : int64[k + 1], int64[l], int64[k]
        Lookup `i` reads the cells `members[bounds[i]:bounds[i + 1]]`; its table begins at `begins[i]`.
    tables, tables_gradient : float64[a, n]
        Weights in the tables, in units of the model, and their gradient.
    features, features_gradient : float64[a, m]
        Weights of the scaled features, and their gradient.
    scales : float64[m]
        The divisor of each feature.
    values, places, described : int64[cells], int64[k], float64[m + 1]
        Buffers: cells, entries and scaled features of a position.
    found : float64[4]
        Buffer: the sum that the limit damps, the material, the last anchor that is not above the phase,
        and how far the phase is from there to the next anchor, 0 to 1.
    constants : float64[5]
        Slope, limit in units of the model, and the numbers of phases, material features and cell values.
    """

    side_to_move: SideToMoveKernel
    cells: Annotated[Callable[[Words, int, Actions], None], Cells]
    phase: Annotated[Callable[[Words, int], int], Phase]
    material: Annotated[Callable[[Words, int, Reals], None], Features]
    terms: Annotated[Callable[[Words, int, Reals], None], Features]
    words: Annotated[Words, WORDS_STACK]
    targets: Annotated[Floats, FLOATS_OUT]
    order: Annotated[Actions, ACTIONS_OUT]
    bounds: Annotated[Actions, ACTIONS]
    members: Annotated[Actions, ACTIONS]
    begins: Annotated[Actions, ACTIONS]
    tables: Annotated[Reals, REALS_STACK]
    tables_gradient: Annotated[Reals, REALS_STACK]
    features: Annotated[Reals, REALS_STACK]
    features_gradient: Annotated[Reals, REALS_STACK]
    scales: Annotated[Reals, REALS]
    values: Annotated[Actions, ACTIONS_OUT]
    places: Annotated[Actions, ACTIONS_OUT]
    described: Annotated[Reals, REALS_OUT]
    found: Annotated[Reals, REALS_OUT]
    constants: Annotated[Reals, REALS]


unpack = unpacker(PatternFitWorkspace)


@kernel(types.void(BUNDLE, types.int64))
def look_up(bundle: Actions, chosen: int) -> None:
    """Look up a position: write its entries, its features, and `found`."""
    fit = unpack(bundle)
    phases, material, digits = fit.constants[2], np.int64(fit.constants[3]), np.int64(fit.constants[4])
    anchors, position = fit.tables.shape[0], row(fit.words, chosen)
    side = 1 - fit.side_to_move(position)
    place = fit.phase(position, side) * (anchors - 1) / max(phases - 1.0, 1.0)
    low = min(np.int64(place), max(anchors - 2, 0))
    high, part = min(low + 1, anchors - 1), place - low
    inner, outer = 0.0, 0.0
    fit.cells(position, side, fit.values)
    for lookup in range(fit.begins.size):
        index = 0
        for member in range(fit.bounds[lookup], fit.bounds[lookup + 1]):
            index = digits * index + fit.values[fit.members[member]]
        index += fit.begins[lookup]
        fit.places[lookup] = index
        inner += (1.0 - part) * fit.tables[low, index] + part * fit.tables[high, index]
    fit.material(position, side, fit.described[:material])
    fit.terms(position, side, fit.described[material:])
    for index in range(fit.scales.size):
        fit.described[index] /= fit.scales[index]
        weight = (1.0 - part) * fit.features[low, index] + part * fit.features[high, index]
        if index < material:
            outer += weight * fit.described[index]
        else:
            inner += weight * fit.described[index]
    fit.found[0], fit.found[1], fit.found[2], fit.found[3] = inner, outer, np.float64(low), part


@kernel(types.void(BUNDLE, types.float64, types.float64))
def add_gradient(bundle: Actions, error: float, damped: float) -> None:
    """Add the gradient of the position that was looked up last.

    Parameters
    ----------
    bundle : int64[n]
        Words of a `PatternFitWorkspace`.
    error, damped : float64
        Derivative of the loss with respect to the material, and to the sum that the limit damps.
    """
    fit = unpack(bundle)
    material, low, part = np.int64(fit.constants[3]), np.int64(fit.found[2]), fit.found[3]
    high = min(low + 1, fit.tables.shape[0] - 1)
    for lookup in range(fit.begins.size):
        index = fit.places[lookup]
        fit.tables_gradient[low, index] += (1.0 - part) * damped
        fit.tables_gradient[high, index] += part * damped
    for index in range(fit.scales.size):
        change = (error if index < material else damped) * fit.described[index]
        fit.features_gradient[low, index] += (1.0 - part) * change
        fit.features_gradient[high, index] += part * change


@kernel(types.float64(BUNDLE, types.int64, types.int64, types.boolean))
def sum_of_losses(bundle: Actions, first: int, last: int, learns: bool) -> float:
    """Return the sum of the losses of the positions at `order[first:last]`.

    Parameters
    ----------
    bundle : int64[n]
        Words of a `PatternFitWorkspace`.
    learns : bool
        True to add up the gradients too.
    """
    fit = unpack(bundle)
    slope, limit = fit.constants[0], fit.constants[1]
    total = 0.0
    for visit in range(first, last):
        look_up(bundle, fit.order[visit])
        inner, target = fit.found[0], np.float64(fit.targets[fit.order[visit]])
        damping = 1.0 / (1.0 + abs(inner) / limit)
        sums = slope * (fit.found[1] + inner * damping)
        total += max(sums, 0.0) + math.log1p(math.exp(-abs(sums))) - target * sums
        if learns:
            error = slope * (1.0 / (1.0 + math.exp(-sums)) - target)
            add_gradient(bundle, error, error * damping * damping)
    return total


@kernel(types.void(REALS_STACK, REALS_STACK, REALS_STACK, REALS_STACK, REALS_STACK, REALS, types.int64))
def update(
    weights: Reals,
    start: Reals,
    gradient: Reals,
    means: Reals,
    squares: Reals,
    settings: Reals,
    batch: int,
) -> None:
    """Change weights by one step of Adam.

    Parameters
    ----------
    weights, start, gradient : float64[a, n]
        Weights, the weights that they are pulled towards, and the sum of the gradients of a batch.
    means, squares : float64[a, n]
        Moving averages of the gradient and of its square.
    settings : float64[3]
        Learning rate, strength of the pull towards `start`, positions in the batch.
    batch : int64
        Number of the batch, counted from 1.
    """
    rate, pull, count = settings[0], settings[1], settings[2]
    mean_bias, square_bias = 1.0 - MOMENTUM**batch, 1.0 - SMOOTHING**batch
    for anchor in range(weights.shape[0]):
        for index in range(weights.shape[1]):
            slope = gradient[anchor, index] / count
            slope += pull * (weights[anchor, index] - start[anchor, index])
            mean = MOMENTUM * means[anchor, index] + (1.0 - MOMENTUM) * slope
            square = SMOOTHING * squares[anchor, index] + (1.0 - SMOOTHING) * slope * slope
            means[anchor, index], squares[anchor, index] = mean, square
            weights[anchor, index] -= rate * (mean / mean_bias) / (math.sqrt(square / square_bias) + TINY)


@dataclass(frozen=True, slots=True, kw_only=True)
class FitSettings:
    """Hyperparameters of a fit.

    Attributes
    ----------
    anchors : int
        Number of phases with weights of their own; the weights of phases in between are interpolated.
    pull : float
        Strength of the pull towards the initial weights (L2 regularisation), as a number of positions.
    rate : float
        Learning rate, in units of the model.
    epochs, batch : int
        Passes over all positions, and positions per step of Adam.
    """

    anchors: int = 2
    pull: float = 60.0
    rate: float = 0.0015
    epochs: int = 6
    batch: int = 8192


class Fit:
    """Fits the weights of a pattern set to positions.

    Parameters
    ----------
    words : uint64[p, n]
        Positions.
    targets : float32[p]
        Expected points of the side that has just moved.
    settings : FitSettings
        Hyperparameters.
    start : (float64[a, n], float64[a, m]), optional
        Tables and weights of features to start from; by default the initial ones of the model.

    Attributes
    ----------
    tables, features : float64[a, n], float64[a, m]
        The weights for each anchor, on the scale of the model's kernel, and for unscaled features.
    """

    def __init__(
        self,
        game: Game,
        patterns: PatternSet,
        words: Words,
        targets: Floats,
        settings: FitSettings,
        start: tuple[Reals, Reals] | None = None,
    ) -> None:
        assert patterns.model is not None
        self.model, self.settings = patterns.model, settings
        model, lookups = self.model, patterns.lookups
        ranges = [features.scale[1] for features in model.features]
        self._scales = np.concatenate(ranges) if ranges else np.zeros(0)
        tables, features = start_weights(patterns, settings.anchors) if start is None else start
        self._start = tables / model.scale, features * self._scales / model.scale
        counts = [len(cells) for cells, _ in lookups]
        material = len(model.material.features) if model.material else 0
        self._work = PatternFitWorkspace(
            game.kernels.side_to_move,
            patterns.kernel,
            patterns.phase,
            model.material.kernel if model.material else no_features,
            model.terms.kernel if model.terms else no_features,
            np.ascontiguousarray(words),
            np.ascontiguousarray(targets, dtype=np.float32),
            np.arange(len(words)),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            np.array([cell for cells, _ in lookups for cell in cells], dtype=np.int64),
            np.array([begin for _, begin in lookups], dtype=np.int64),
            self._start[0].copy(),
            np.zeros_like(tables),
            self._start[1].copy(),
            np.zeros_like(features),
            self._scales,
            np.zeros(patterns.cells, dtype=np.int64),
            np.zeros(len(lookups), dtype=np.int64),
            np.zeros(model.size + 1),
            np.zeros(4),
            np.array([model.slope, model.limit / model.scale, patterns.phases, material, patterns.values]),
        )
        self._bundle = Bundle(self._work)

    @property
    def tables(self) -> Reals:
        """Return the weights in the tables of each anchor."""
        weights: Reals = self._work.tables * self.model.scale
        return weights

    @property
    def features(self) -> Reals:
        """Return the weights of material and terms for each anchor."""
        weights: Reals = self._work.features * self.model.scale / self._scales
        return weights

    def loss(self, chosen: Actions) -> float:
        """Return the mean loss of some positions; NaN if there are none."""
        if not len(chosen):
            return math.nan
        self._work.order[: len(chosen)] = chosen
        total = sum_of_losses(self._bundle.words, 0, len(chosen), False)
        return float(total) / len(chosen)

    def learn(self, chosen: Actions, seed: int) -> None:
        """Fit the weights to some positions, visited in a random order."""
        if not len(chosen):
            return
        work, settings, random = self._work, self.settings, np.random.default_rng(seed)
        averages = [(np.zeros_like(start), np.zeros_like(start)) for start in self._start]
        pairs = ((work.tables, work.tables_gradient), (work.features, work.features_gradient))
        count = len(chosen)
        batches = max(1, count // settings.batch)
        total, done = settings.epochs * batches, 0
        for _ in range(settings.epochs):
            work.order[:count] = random.permutation(chosen)
            ends = np.linspace(0, count, batches + 1).astype(int).tolist()
            for first, last in pairwise(ends):
                for _, gradient in pairs:
                    gradient.fill(0.0)
                sum_of_losses(self._bundle.words, first, last, True)
                done += 1
                rate = settings.rate * min(1.0, done / WARM_UP) * (1.0 - (1.0 - LAST_RATE) * done / total)
                numbers = np.array([rate, settings.pull / count, last - first])
                for (weights, gradient), start, means in zip(pairs, self._start, averages, strict=True):
                    update(weights, start, gradient, *means, numbers, done)


def start_weights(patterns: PatternSet, anchors: int) -> tuple[Reals, Reals]:
    """Return a model's initial weights for each anchor; a single anchor gets their mean over all phases.

    Returns
    -------
    float64[anchors, n], float64[anchors, m]
        The tables, and the weights of material and then terms, on the scale of the model's kernel.
    """
    tables, features = patterns.initial_weights()
    if anchors == 1:
        return tables.mean(axis=0, keepdims=True), features.mean(axis=0, keepdims=True)
    return interpolated(tables, anchors), interpolated(features, anchors)
