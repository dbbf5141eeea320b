"""Contempt: an evaluation that seeks contact with an opponent that only waits.

An opponent that keeps its marbles together and never attacks leaves the centre to the search, which
then sees no way to improve its position. Here each pair of touching marbles of different sides
counts in favour of one side. Its marbles surround the other group, so that pushes at its
corners come within the horizon. The term has a point of view of its own, because an opponent
that waits avoids contact. All positions are worth a little more as well, so that a draw is worth less.

Contacts are pairs of neighbours on lines, so they are part of the tables of `SHAPES` and cost
nothing. There are twice as many phases, one half for positions in which the side that seeks
contact is to move.
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
"""What a pair of touching marbles of different sides is worth, in centimarbles."""
DRAW = 50.0
"""What a draw is worth less than an even position, in centimarbles."""
TEMPO_COLUMN = len(MATERIAL.features) + TEMPO
"""The place of the term `tempo` among the weights of features."""
PATIENCE = 10
"""Plies without a push-off after which contact is sought."""
CONCESSION = 0.2
"""What a move towards contact may cost, in marbles."""


@kernel(Phase, inline=True)
def marbles_gone_by_side(position: Words, side: int) -> int:
    """Return the number of marbles that both sides have lost, at most eight, plus nine for side 1."""
    return marbles_gone(position, side) + PHASES * side


BY_SIDE = replace(SHAPES, name="shapes by side", phases=2 * PHASES, phase=marbles_gone_by_side)


def contempt(game: Game) -> Contempt:
    """Return the evaluations that seek contact, and when they are used."""
    return Contempt(partial(contact_evaluation, game), PATIENCE, CONCESSION)


def contact_evaluation(game: Game, side: int) -> Evaluation:
    """Return the default evaluation, in which contact counts in favour of a side."""
    if side not in _evaluations:  # the same for all options of the game
        shipped = Weights.read(SHAPES_WEIGHTS)
        tables, features = (
            interpolated(anchors, PHASES) for anchors in (shipped.tables(SHAPES), shipped.linear)
        )
        bonus = np.zeros(features.shape[1])
        bonus[TEMPO_COLUMN] = -DRAW  # tempo is -1 for the side that has just moved, which tables are for
        signs = (1, -1) if side == 0 else (-1, 1)
        _evaluations[side] = model_evaluation(
            game,
            BY_SIDE,
            np.concatenate([tables + sign * CONTACT * contacts() for sign in signs]),
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
