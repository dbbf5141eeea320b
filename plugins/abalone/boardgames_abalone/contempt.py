"""How `alphabeta` breaks up the formation of opponents that only wait: it surrounds them.

An opponent that keeps its marbles together and never attacks gives up the centre, but then neither
side makes progress. The evaluation here makes one side surround the other. It rewards pairs of touching
marbles of different colours and a small distance between the centres of mass of both sides, and it
lowers the penalty for spreading that side's marbles. Pushes from several directions then come within
reach of the search. Only one side is rewarded, because an opponent that waits avoids contact.

Contacts are pairs of neighbours on lines, so they fit into the tables of `SHAPES`. The other bonuses
change the weights of terms that its model has anyway. An evaluation therefore takes no longer than usual.
The number of phases is doubled, because the sign of a bonus depends on which side is to move.
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
    DISTANCE,
    EMPTY,
    GROUPS,
    LINES,
    MATERIAL,
    OPPOSING_SPREAD,
    OWN_SPREAD,
    PHASES,
    SHAPES,
    TEMPO,
    marbles_gone,
    share_of_lookups,
)

CONTACT_BONUS = 12.0
"""Bonus for each contact, a pair of touching marbles of different colours, in centimarbles."""
DISTANCE_PENALTY = 15.0
"""Penalty for the squared distance between the centres of mass of both sides, in centimarbles per cell^2."""
SPREAD_BONUS = 0.5
"""How much the usual penalty for the spread of a side's own marbles is lowered, in centimarbles per cell^2;
that penalty is 2.3 in the first phase and 3.1 in the last."""
DRAW_PENALTY = 150.0
"""How much worse a draw is than an even position, in centimarbles."""
PATIENCE = 10
"""Number of plies without a push-off before `alphabeta` uses this evaluation."""
CONCESSION = 0.2
"""How many marbles a move of this evaluation may lose compared with the best move."""


@kernel(Phase, inline=True)
def marbles_gone_by_side(position: Words, side: int) -> int:
    """Return the number of marbles that both sides have lost, at most eight, plus nine for side 1."""
    return marbles_gone(position, side) + PHASES * side


BY_SIDE = replace(SHAPES, name="shapes by side", phases=2 * PHASES, phase=marbles_gone_by_side)


def contempt(game: Game) -> Contempt:
    """Return the contempt that Abalone declares: surround the opponent when nothing is pushed off."""
    return Contempt(partial(surrounding_evaluation, game), PATIENCE, CONCESSION)


def surrounding_evaluation(game: Game, side: int) -> Evaluation:
    """Return the default evaluation with a bonus for `side` if it surrounds the opponent."""
    if side not in _evaluations:  # the options of the game make no difference
        shipped = Weights.read(SHAPES_WEIGHTS)
        tables, features = (
            interpolated(anchors, PHASES) for anchors in (shipped.tables(SHAPES), shipped.linear)
        )
        contact, bonus = CONTACT_BONUS * contacts(), bonuses(features.shape[1])
        # the weights give the value for the side that has just moved: `side` itself, or its opponent
        blocks = [(tables + contact, features + bonus[0]), (tables - contact, features + bonus[1])]
        if side == 1:
            blocks.reverse()
        _evaluations[side] = model_evaluation(
            game, BY_SIDE, np.concatenate([block[0] for block in blocks]),
            np.concatenate([block[1] for block in blocks]),
        )  # fmt: skip
    return _evaluations[side]


_evaluations: dict[int, Evaluation] = {}


def bonuses(count: int) -> Reals:
    """Return the bonuses that are added to the weights of features, `float64[2, count]`.

    The first row is for positions in which the rewarded side has just moved, the second one for
    positions in which its opponent has just moved.
    """
    terms = np.zeros((2, count))
    first = len(MATERIAL.features)
    terms[:, first + DISTANCE] = -DISTANCE_PENALTY, DISTANCE_PENALTY
    terms[0, first + OWN_SPREAD], terms[1, first + OPPOSING_SPREAD] = SPREAD_BONUS, -SPREAD_BONUS
    terms[:, first + TEMPO] = -DRAW_PENALTY, DRAW_PENALTY  # the tempo of a side that has just moved is -1
    return terms


def contacts() -> Reals:
    """Return tables whose entries for a position add up to its number of contacts, `float64[n]`."""
    parts = []
    for group in GROUPS:
        digits = np.indices((3,) * len(group)).reshape(len(group), -1)
        ahead, behind = digits[1:], digits[:-1]
        pairs = ((ahead != EMPTY) & (behind != EMPTY) & (ahead != behind)).sum(axis=0)
        parts.append(pairs * share_of_lookups(group) if group in LINES else np.zeros(len(pairs)))
    return np.concatenate(parts)
