"""Evaluation of Abalone positions for search, in hundredths of a marble."""

from pathlib import Path

import numpy as np

from boardgames.declarations import Evaluation
from boardgames.kernels import Evaluate, Reals, Words, kernel
from boardgames_abalone.features import centre_distance, density, marbles_lost
from boardgames_abalone.rules import FACTS, ONE

CLASSIC_WEIGHTS = (-100.0, -50.0, -100.0, 100.0, 50.0, 100.0)
"""Centre distance, density and marbles lost, own and the other side's.

Set by hand: one marble one step nearer to the centre is worth 7, a marble 100.
"""

DATA = Path(__file__).parent / "data"
TD_WEIGHTS = DATA / "td.safetensors"
THREE_TERMS_WEIGHTS = DATA / "three-terms.safetensors"


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


CLASSIC = Evaluation("classic", evaluate, np.array(CLASSIC_WEIGHTS), unit="centimarble", bound=10_000.0)
"""The three terms of the simple Abalone project, for both sides."""
