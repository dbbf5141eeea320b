"""Evaluation of Abalone positions for search, in hundredths of a marble."""

from pathlib import Path

import numpy as np

from boardgames.declarations import Evaluation
from boardgames.errors import WeightsError, shown
from boardgames.kernels import Evaluate, Reals, Words, kernel
from boardgames.weights.weights import Weights, ranges_of
from boardgames_abalone.lanes import add, multiply, quad_at
from boardgames_abalone.measures import centre_distance, density, marbles_lost
from boardgames_abalone.rules import FACTS, ONE
from boardgames_abalone.strategy import (
    ENGINE,
    PRESSURE,
    PUSHED,
    RINGS,
    SHAPE,
    SPREAD,
    TEMPO,
    TERM_COUNT,
    lanes_to_move,
    measure,
    measure_lost,
    phase,
)

CLASSIC_WEIGHTS = (-100.0, -50.0, -100.0, 100.0, 50.0, 100.0)
"""Centre distance, density and marbles lost, own and the other side's.

Set by hand: one marble one step nearer to the centre is worth 7, a marble 100.
"""
HAND_TERMS = (100.0, 0.0, 7, 7, 7, 9, 2, 1, 5, 1, 2, 2, 25, 8, 3, 0.7, 5)
HAND_WEIGHTS = HAND_TERMS + HAND_TERMS
"""Of the terms of `engine`, early and late, set by hand.

The four rings add up: a marble on the border is worth 30 less than one in the middle.
Of 40 matches at depth 3 against `classic` these won 28 and lost 8. With larger weights of
threats (60 for a push-off at hand, 25 for edge danger) it was 2 and 33: a threat
counts once for each move that makes it, and only one can be played.
"""
QUIET_MARGIN = 30.0
"""What search takes for the most that a move without a push changes the evaluation `engine`, centimarbles.

In 80 matches at 4,000 nodes a move it beat 60 by 89 Elo [34, 148]; 120 was no better than 60.
"""
REACH = 1_600.0
"""What the stand of the marbles is worth at most, centimarbles; at that sum half of it counts.

In matches at 4,000 nodes a move this beat the three terms set by hand, at depth
3, by 483 Elo, the plain sum by 120, whose matches were drawn for want of
progress. Against each other the two were level; with 800 it was 83 less, with 400 154.
"""
BOUND = 10_000.0
"""Largest value of an evaluation, centimarbles."""

DATA = Path(__file__).parent / "data"
TD_WEIGHTS = DATA / "td.safetensors"
THREE_TERMS_WEIGHTS = DATA / "three-terms.safetensors"
THREE_TERMS_BY_HAND = DATA / "three-terms-by-hand.safetensors"
ENGINE_WEIGHTS = DATA / "engine.safetensors"
ENGINE_BY_HAND = DATA / "engine-by-hand.safetensors"


@kernel(Evaluate)
def evaluate(position: Words, weights: Reals) -> float:
    """Return the weighted sum of the six simple terms for the side to move.

    Parameters
    ----------
    position : uint64[5]
        Packed position.
    weights : float64[6]
        Of the terms in the order of `features.simple_features`.
    """
    side = np.int64(position[FACTS] & ONE)
    own_low, own_high = position[2 * side], position[2 * side + 1]
    low, high = position[2 - 2 * side], position[3 - 2 * side]
    # term by term, so that equal terms of both sides cancel to exactly 0
    value = weights[0] * centre_distance(own_low, own_high) + weights[3] * centre_distance(low, high)
    value += weights[1] * density(own_low, own_high) + weights[4] * density(low, high)
    facts = position[FACTS]
    value += weights[2] * marbles_lost(facts, side) + weights[5] * marbles_lost(facts, 1 - side)
    return value


@kernel(Evaluate)
def evaluate_engine(position: Words, weights: Reals) -> float:
    """Return the worth of marbles pushed off and of where the others stand, for the side to move.

    Both are weighted sums of the features of `engine`. What the stand of the
    marbles is worth has an end: a sum p counts as p / (1 + |p| / REACH), so
    that a side that stands far better gives some of that for a marble, and does
    not shuffle until the match is drawn.

    Parameters
    ----------
    position : uint64[5]
        Packed position.
    weights : float64[34]
        Of the terms in the order of `strategy.TERMS`, early and then late.
    """
    late, lost = phase(position[FACTS]), measure_lost(position)
    rings, shape, pushes, pressure, spread = measure(lanes_to_move(position))
    early_sums = add(multiply(quad_at(weights, RINGS), rings), multiply(quad_at(weights, SHAPE), shape))
    early_sums = add(early_sums, multiply(quad_at(weights, PUSHED), pushes))
    late_sums = add(
        multiply(quad_at(weights, TERM_COUNT + RINGS), rings),
        multiply(quad_at(weights, TERM_COUNT + SHAPE), shape),
    )
    late_sums = add(late_sums, multiply(quad_at(weights, TERM_COUNT + PUSHED), pushes))
    early_sum = weights[PRESSURE] * pressure + weights[SPREAD] * spread + weights[TEMPO]
    late_sum = weights[TERM_COUNT + PRESSURE] * pressure + weights[TERM_COUNT + SPREAD] * spread
    late_sum += weights[TERM_COUNT + TEMPO]
    early_sum += (early_sums[0] + early_sums[1]) + (early_sums[2] + early_sums[3])
    late_sum += (late_sums[0] + late_sums[1]) + (late_sums[2] + late_sums[3])
    stand = (1.0 - late) * early_sum + late * late_sum
    value = (1.0 - late) * (weights[0] * lost[0] + weights[1] * lost[1])
    value += late * (weights[TERM_COUNT] * lost[0] + weights[TERM_COUNT + 1] * lost[1])
    value += stand * REACH / (REACH + abs(stand))
    return min(max(value, -BOUND), BOUND)


CLASSIC = Evaluation("classic", evaluate, np.array(CLASSIC_WEIGHTS), unit="centimarble", bound=BOUND)
"""The three terms of the simple Abalone project, for both sides."""


def engine_evaluation(path: Path | None = None) -> Evaluation:
    """Return the evaluation `engine` with the weights of a file, so that a marble is worth 100 early.

    Weights that were learned say what a position is worth to the side that has
    just moved. Seen by the side to move every feature has the other sign, and so
    has the value: the weights are the same.

    Parameters
    ----------
    path : Path, optional
        A file of weights of the features `engine`; by default the shipped one,
        or the weights set by hand where none is shipped.

    Raises
    ------
    WeightsError, FileError
        If it cannot be read, is for other features, or values marbles at nothing or less.

    Examples
    --------
    >>> float(engine_evaluation().weights[0])
    100.0
    """
    if path is None and not ENGINE_WEIGHTS.is_file():
        weights = np.array(HAND_WEIGHTS)
    else:
        weights = _in_centimarbles(path or ENGINE_WEIGHTS)
    return Evaluation(
        "engine", evaluate_engine, weights, unit="centimarble", bound=BOUND, margin=QUIET_MARGIN
    )


def _in_centimarbles(path: Path) -> Reals:
    """Return the weights of a file for the features as they are, a marble being worth 100 early."""
    weights = Weights.read(path)
    if (weights.game, weights.features) != ("abalone", ENGINE.name):
        what = f"{weights.features} of {weights.game}"
        raise WeightsError(
            f"expected weights of the features {ENGINE.name} of abalone: {path} has {shown(what)}"
        )
    if weights.ranges != ranges_of(ENGINE) or len(weights.values) != len(ENGINE.features):
        raise WeightsError(f"expected weights of {ENGINE.name} with its ranges as they are: {path}")
    slopes: Reals = weights.values / ENGINE.scale[1]
    if slopes[0] <= 0.0:
        raise WeightsError(f"expected weights that value a marble above 0: {slopes[0]:g} in {path}")
    return slopes * (100.0 / slopes[0])
