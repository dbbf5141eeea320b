"""How `alphabeta` breaks up opponents that only wait: it seeks contact.

An opponent that keeps its marbles together and never attacks gives up the centre, but then neither
side makes progress. This evaluation gives one side a bonus for each pair of touching marbles
of different colours. That side surrounds the opposing group, and pushes at its corners come
within reach of the search. Waiting opponents avoid contact, so the bonus is one-sided. The side also
gets a constant bonus, which makes a draw worth less than an even position.

Contacts are pairs of neighbours on lines, so the bonus fits into the tables of `SHAPES` and adds
nothing to the time of an evaluation. It needs twice as many phases: the sign of the
bonus depends on whose move it is.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from boardgames.declarations import Contempt, Evaluation
from boardgames.game import Game
from boardgames.kernels import Phase, Reals, Words, kernel
from boardgames.weights import Weights
from boardgames.weights.tables import interpolated, model_evaluation
from boardgames_abalone.evaluation import SHAPES_WEIGHTS
from boardgames_abalone.patterns import (
    EMPTY,
    GROUPS,
    LINES,
    MATERIAL,
    PHASES,
    SHAPES,
    TEMPO,
    marbles_gone,
    share_of_lookups,
)

CONTACT = 12.0
"""Bonus for each pair of touching marbles of different colours, in centimarbles."""
DRAW = 50.0
"""How much worse a draw is than an even position, in centimarbles."""
TEMPO_COLUMN = len(MATERIAL.features) + TEMPO
"""The place of the term `tempo` among the weights of features."""
PATIENCE = 10
"""Number of plies without a push-off before `alphabeta` seeks contact."""
CONCESSION = 0.2
"""How much worse than the best move a move towards contact may be, in marbles."""


@kernel(Phase, inline=True)
def marbles_gone_by_side(position: Words, side: int) -> int:
    """Return the number of marbles that both sides have lost, at most eight, plus nine for side 1."""
    return marbles_gone(position, side) + PHASES * side


BY_SIDE = replace(SHAPES, name="shapes by side", phases=2 * PHASES, phase=marbles_gone_by_side)


def contempt(game: Game) -> Contempt:
    """Return the contempt of the game: when a match is stuck, seek contact."""
    return Contempt(partial(contact_evaluation, game), PATIENCE, CONCESSION)


def contact_evaluation(game: Game, side: int) -> Evaluation:
    """Return the default evaluation with a bonus for contact for one side."""
    if side not in _evaluations:  # the same for all options of the game
        shipped = Weights.read(SHAPES_WEIGHTS)
        tables, features = (
            interpolated(anchors, PHASES) for anchors in (shipped.tables(SHAPES), shipped.linear)
        )
        contact, bonus = CONTACT * contacts(), np.zeros(features.shape[1])
        bonus[TEMPO_COLUMN] = -DRAW  # tempo is -1 for the side that has just moved, which tables are for
        signs = (1, -1) if side == 0 else (-1, 1)
        _evaluations[side] = model_evaluation(
            game,
            BY_SIDE,
            np.concatenate([tables + sign * contact for sign in signs]),
            np.concatenate([features + sign * bonus for sign in signs]),
        )
    return _evaluations[side]


_evaluations: dict[int, Evaluation] = {}


def contacts() -> Reals:
    """Return tables that add up to the number of touching marbles of different sides, `float64[n]`."""
    parts = []
    for group in GROUPS:
        digits = np.indices((3,) * len(group)).reshape(len(group), -1)
        ahead, behind = digits[1:], digits[:-1]
        pairs = ((ahead != EMPTY) & (behind != EMPTY) & (ahead != behind)).sum(axis=0)
        parts.append(pairs * share_of_lookups(group) if group in LINES else np.zeros(len(pairs)))
    return np.concatenate(parts)
