"""Evaluations of Abalone positions for search, in hundredths of a marble.

`classic` has the three terms of the agent `simple`. `engine` is a tapered evaluation
with seventeen terms (see `terms`) and learned weights. The default evaluation consists of
tables of patterns (see `patterns`), whose learning started from `engine`.
"""

from pathlib import Path

import numpy as np

from boardgames.declarations import Evaluation
from boardgames.errors import WeightsError, quote
from boardgames.kernels import Evaluate, Reals, Words, kernel
from boardgames.score import Unit
from boardgames.weights.weights import Weights, hash_ranges
from boardgames_abalone.rules import ONE, STATUS
from boardgames_abalone.simd import add_floats, load_floats, multiply_floats
from boardgames_abalone.terms import (
    ENGINE,
    PRESSURE,
    PUSHES,
    RINGS,
    SHAPE,
    SPREAD,
    TEMPO,
    TERM_COUNT,
    board_terms,
    boards_to_move,
    centre_distance,
    density,
    marbles_lost,
    material_terms,
    phase,
)

CLASSIC_WEIGHTS = (-100.0, -50.0, -100.0, 100.0, 50.0, 100.0)
"""Weights of centre distance, density and marbles lost, first the own ones, then the opponent's.

Set by hand: moving one marble one step nearer to the centre is worth 7, and a marble is worth 100.
"""
HAND_TERMS = (100.0, 0.0, 7, 7, 7, 9, 2, 1, 5, 1, 2, 2, 25, 8, 3, 0.7, 5)
HAND_WEIGHTS = HAND_TERMS + HAND_TERMS
"""Weights of the terms of `engine`, early and late, set by hand.

The ring terms add up: a marble on the border is worth 30 less than one in the centre. In
40 matches at depth 3 against `classic` these weights won 28 and lost 8. With larger weights
for threats (60 for a push-off, 25 for edge danger) they won 2 and lost 33: a threat
counts once for each move that carries it out, but only one move can be played.
"""
QUIET_MARGIN = 30.0
"""Futility margin: the largest change of the evaluation by a move without a push, in centimarbles.

In 80 matches at 4,000 nodes a move this value beat 60 by 89 Elo [34, 148]; 120 was no better than 60.
"""
POSITIONAL_LIMIT = 1_600.0
"""Limit of the positional score in centimarbles; a weighted sum of this size counts half.

In matches with 4,000 nodes per move against `simple:depth=3`, this limit scored +483 Elo. The plain
sum scored +120, since many of its matches were drawn for lack of progress. The two drew level against
each other; against the plain sum, a limit of 800 scored -83 and one of 400 scored -154.
"""
BOUND = 10_000.0
"""Largest absolute value of an evaluation, in centimarbles."""
MARBLE = Unit("marble", "marbles", half_return=2.0)
SCALE = 100.0
"""Value of a marble in kernels, which calculate in centimarbles."""

DATA = Path(__file__).parent / "data"
TD_WEIGHTS = DATA / "td.safetensors"
THREE_TERMS_WEIGHTS = DATA / "three-terms.safetensors"
THREE_TERMS_BY_HAND = DATA / "three-terms-by-hand.safetensors"
ENGINE_WEIGHTS = DATA / "engine.safetensors"
SHAPES_WEIGHTS = DATA / "shapes.safetensors"
ENGINE_BY_HAND = DATA / "engine-by-hand.safetensors"


@kernel(Evaluate)
def evaluate(position: Words, weights: Reals) -> float:
    """Return the weighted sum of the six simple terms for the side to move.

    Parameters
    ----------
    position : uint64[5]
        Packed position.
    weights : float64[6]
        Weights in the order of `features.simple_features`.
    """
    side = np.int64(position[STATUS] & ONE)
    own_low, own_high = position[2 * side], position[2 * side + 1]
    low, high = position[2 - 2 * side], position[3 - 2 * side]
    # term by term, so that equal terms of both sides cancel out exactly
    value = weights[0] * centre_distance(own_low, own_high) + weights[3] * centre_distance(low, high)
    value += weights[1] * density(own_low, own_high) + weights[4] * density(low, high)
    status = position[STATUS]
    value += weights[2] * marbles_lost(status, side) + weights[5] * marbles_lost(status, 1 - side)
    return value


@kernel(Evaluate)
def evaluate_engine(position: Words, weights: Reals) -> float:
    """Return the tapered evaluation of material and position for the side to move.

    Material and the positional score are weighted sums of the terms of `engine`. The
    positional sum p counts as p / (1 + |p| / POSITIONAL_LIMIT). So a side with a far better
    position gives up some of its advantage to win a marble, instead of keeping it until the
    match is drawn.

    Parameters
    ----------
    position : uint64[5]
        Packed position.
    weights : float64[34]
        Weights of `terms.ENGINE_TERMS`, early and then late.
    """
    t, material = phase(position[STATUS]), material_terms(position)
    rings, shape, pushes, pressure, spread = board_terms(boards_to_move(position))
    early_sums = add_floats(
        multiply_floats(load_floats(weights, RINGS), rings),
        multiply_floats(load_floats(weights, SHAPE), shape),
    )
    early_sums = add_floats(early_sums, multiply_floats(load_floats(weights, PUSHES), pushes))
    late_sums = add_floats(
        multiply_floats(load_floats(weights, TERM_COUNT + RINGS), rings),
        multiply_floats(load_floats(weights, TERM_COUNT + SHAPE), shape),
    )
    late_sums = add_floats(late_sums, multiply_floats(load_floats(weights, TERM_COUNT + PUSHES), pushes))
    early = weights[PRESSURE] * pressure + weights[SPREAD] * spread + weights[TEMPO]
    early += (early_sums[0] + early_sums[1]) + (early_sums[2] + early_sums[3])
    late = weights[TERM_COUNT + PRESSURE] * pressure + weights[TERM_COUNT + SPREAD] * spread
    late += weights[TERM_COUNT + TEMPO]
    late += (late_sums[0] + late_sums[1]) + (late_sums[2] + late_sums[3])
    positional = (1.0 - t) * early + t * late
    value = (1.0 - t) * (weights[0] * material[0] + weights[1] * material[1])
    value += t * (weights[TERM_COUNT] * material[0] + weights[TERM_COUNT + 1] * material[1])
    value += positional * POSITIONAL_LIMIT / (POSITIONAL_LIMIT + abs(positional))
    return min(max(value, -BOUND), BOUND)


CLASSIC = Evaluation("classic", evaluate, np.array(CLASSIC_WEIGHTS), unit=MARBLE, bound=BOUND, scale=SCALE)
"""The evaluation `classic`: the three terms of the agent `simple`, for both sides."""


def engine_evaluation(path: Path | None = None) -> Evaluation:
    """Return the evaluation `engine`, with weights scaled so that a marble is worth 100 early in a match.

    Learned weights value a position for the side that has just moved. For the side to
    move, all features and the value have the opposite sign, so the same weights apply.

    Parameters
    ----------
    path : Path, optional
        A file of weights for the features `engine`. By default the shipped weights,
        or those set by hand if there are none.

    Raises
    ------
    WeightsError, FileError
        If the file cannot be read, is for other features, or does not value marbles above 0.

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
        "engine", evaluate_engine, weights, unit=MARBLE, bound=BOUND, margin=QUIET_MARGIN, scale=SCALE
    )


def _in_centimarbles(path: Path) -> Reals:
    """Read weights from a file and convert them to unscaled features, with a marble worth 100 early on."""
    weights = Weights.read(path)
    if (weights.game, weights.features) != ("abalone", ENGINE.name):
        raise WeightsError(
            f"{path} has weights for the features {quote(weights.features)} of {quote(weights.game)}, "
            f"not for {ENGINE.name!r} of 'abalone'"
        )
    if weights.ranges != hash_ranges(ENGINE) or len(weights.values) != len(ENGINE.features):
        raise WeightsError(f"{path} has weights for an earlier version of the features {ENGINE.name!r}")
    slopes: Reals = weights.values / ENGINE.scale[1]
    if slopes[0] <= 0.0:
        raise WeightsError(f"the weight of a marble in {path} is {slopes[0]:g}; it must be above 0")
    return slopes * (100.0 / slopes[0])
