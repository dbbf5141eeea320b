"""Fitting tables of weights: against a slow independent loss and gradient, and that fits find the truth."""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

import boardgames
from boardgames.declarations import Feature, FeatureSet
from boardgames.kernels import Actions, Features, Phase, Reals, Words, kernel
from boardgames.learning.pattern_fit import Fit, FitSettings, start_weights
from boardgames.patterns import PatternModel, PatternSet

GAME = boardgames.load("connect4", columns=5, rows=4)
CELLS = boardgames.load_patterns("cells", GAME)


@kernel(Phase)
def stones(position: Words, side: int) -> int:
    """Return the phase, 0 to 4, which grows with the number of stones on the board."""
    count, both = 0, position[0] | position[1]
    for index in range(64):
        stone = np.int64(both >> np.uint64(index) & np.uint64(1))
        count += stone  # type: ignore[assignment]  # Numba's integers
    return min(count // 3, 4)


@kernel(Features)
def side_to_move(position: Words, side: int, out: Reals) -> None:
    """Write 1 for side 0 and -1 for side 1."""
    out[0] = 1.0 - 2.0 * side


@kernel(Features)
def two_numbers(position: Words, side: int, out: Reals) -> None:
    """Write a constant, and a number that depends on the stones."""
    out[0] = 1.0
    out[1] = float(np.int64(position[side] & np.uint64(3)))


MATERIAL = FeatureSet("material", side_to_move, (Feature("side", "", -1, 1, ""),))
TERMS = FeatureSet("terms", two_numbers, (Feature("one", "", -2, 2, ""), Feature("corner", "", 0, 3, "")))
MODEL = PatternModel(bound=10.0, scale=2.0, slope=0.7, limit=3.0, material=MATERIAL, terms=TERMS)
PATTERNS = replace(
    CELLS, groups=((0, 1, 2), (4, 8)), phases=5, phase=stones, model=MODEL, name="cells of the test"
)
RANDOM = np.random.default_rng(3)


def positions(count: int) -> Words:
    """Return positions of random matches."""
    found: list[Words] = []
    while len(found) < count:
        position = GAME.start()
        for _ in range(int(RANDOM.integers(1, 14))):
            if position.actions:
                position = position.apply(position.legal_moves[int(RANDOM.integers(len(position.actions)))])
        found.append(position.words)
    return np.array(found)


def starting_from(tables: Reals, features: Reals) -> PatternSet:
    """Return the patterns with a model that starts from these weights, one row for each phase."""
    return replace(PATTERNS, model=replace(MODEL, start=lambda: (tables, features)))


def random_start() -> tuple[Reals, Reals]:
    size = PATTERNS.size // PATTERNS.phases
    return RANDOM.normal(size=(5, size)), RANDOM.normal(size=(5, MODEL.size))


def expected_value(words: Words, tables: Reals, features: Reals) -> float:
    """Return the value of a position for the side that has just moved, in units, by the definition."""
    side = 1 - int(GAME.kernels.side_to_move(words))
    values: Actions = np.zeros(PATTERNS.cells, dtype=np.int64)
    PATTERNS.kernel(words, side, values)
    phase = int(stones(words, side))
    inner = 0.0
    for cells, begin in PATTERNS.lookups:
        index = int("".join(str(values[cell]) for cell in cells), PATTERNS.values)
        inner += tables[phase, begin + index]
    material, terms = np.zeros(1), np.zeros(2)
    side_to_move(words, side, material)
    two_numbers(words, side, terms)
    inner += float(terms @ features[phase, 1:])
    value = float(material @ features[phase, :1]) + inner / (1 + abs(inner) / MODEL.limit)
    return value / MODEL.scale


def expected_loss(words: Words, targets: npt.NDArray[np.floating], tables: Reals, features: Reals) -> float:
    losses = []
    for position, target in zip(words, targets, strict=True):
        chance = 1 / (1 + math.exp(-MODEL.slope * expected_value(position, tables, features)))
        losses.append(-target * math.log(chance) - (1 - target) * math.log(1 - chance))
    return float(np.mean(losses))


@pytest.mark.plain
def test_the_loss_is_that_of_the_definition() -> None:
    words, (tables, features) = positions(40), random_start()
    targets = RANDOM.random(40).astype(np.float32)
    fit = Fit(GAME, starting_from(tables, features), words, targets, FitSettings(anchors=5))
    assert fit.loss(np.arange(40)) == pytest.approx(expected_loss(words, targets, tables, features), rel=1e-6)


@pytest.mark.plain
def test_a_batch_moves_every_weight_against_its_gradient() -> None:
    words, (tables, features) = positions(30), random_start()
    targets = RANDOM.random(30).astype(np.float32)
    settings = FitSettings(anchors=5, epochs=1, pull=0.0, rate=1e-4)
    fit = Fit(GAME, starting_from(tables, features), words, targets, settings)
    fit.learn(np.arange(30), seed=1)
    start = expected_loss(words, targets, tables, features)

    def check(weights: Reals, fitted: Reals, phase: int, index: int) -> None:
        before = weights[phase, index]
        weights[phase, index] += 1e-4
        slope = expected_loss(words, targets, tables, features) - start
        weights[phase, index] = before
        change = fitted[phase, index] - before
        if abs(slope) > 1e-12:
            assert np.sign(change) == -np.sign(slope)
        else:
            assert change == pytest.approx(0, abs=1e-9)

    for phase, index in [(0, 0), (1, 3), (2, 70), (4, 1), (3, 65)]:
        check(tables, fit.tables, phase, index)
    for phase, index in [(0, 0), (1, 1), (2, 2), (4, 0)]:
        check(features, fit.features, phase, index)


def test_phases_between_anchors_are_interpolated() -> None:
    words, (tables, features) = positions(60), random_start()
    targets = RANDOM.random(60).astype(np.float32)
    share = np.linspace(0, 1, 5)[:, None]
    between = ((1 - share) * tables[0] + share * tables[4], (1 - share) * features[0] + share * features[4])
    fit = Fit(GAME, starting_from(tables, features), words, targets, FitSettings(anchors=2))
    assert fit.loss(np.arange(60)) == pytest.approx(expected_loss(words, targets, *between), rel=1e-6)


@pytest.mark.slow
def test_a_fit_finds_the_weights_that_made_the_targets() -> None:
    words, (tables, features) = positions(6_000), random_start()
    zero = (np.zeros_like(tables), np.zeros_like(features))
    one_phase = (np.tile(tables[0], (5, 1)), np.tile(features[0], (5, 1)))
    values = [expected_value(position, *one_phase) for position in words]
    targets = (1 / (1 + np.exp(-MODEL.slope * np.array(values)))).astype(np.float32)
    settings = FitSettings(anchors=1, pull=0.0, rate=0.03, epochs=60, batch=500)
    fit = Fit(GAME, starting_from(*zero), words, targets, settings)
    before = fit.loss(np.arange(6_000))
    fit.learn(np.arange(5_000), seed=2)
    unseen = np.arange(5_000, 6_000)
    least = float(
        -np.mean(
            targets[unseen] * np.log(targets[unseen]) + (1 - targets[unseen]) * np.log1p(-targets[unseen])
        )
    )
    assert fit.loss(unseen) - least < 0.02 * (before - least)


def test_a_strong_pull_keeps_the_initial_weights() -> None:
    words, (tables, features) = positions(500), random_start()
    targets = RANDOM.random(500).astype(np.float32)
    free, held = (
        Fit(
            GAME, starting_from(tables, features), words, targets, FitSettings(anchors=5, pull=pull, batch=50)
        )
        for pull in (0.0, 1e6)
    )
    for fit in (free, held):
        fit.learn(np.arange(500), seed=1)
    assert np.abs(held.tables - tables).max() < 0.3 * np.abs(free.tables - tables).max()


def test_a_model_without_a_start_begins_with_zeros() -> None:
    tables, features = start_weights(PATTERNS, 2)
    assert not tables.any()
    assert not features.any()
    assert (len(tables), features.shape) == (2, (2, 3))


def test_the_loss_of_no_positions_is_not_a_number() -> None:
    fit = Fit(GAME, PATTERNS, positions(1), np.zeros(1, dtype=np.float32), FitSettings())
    assert math.isnan(fit.loss(np.zeros(0, dtype=np.int64)))
