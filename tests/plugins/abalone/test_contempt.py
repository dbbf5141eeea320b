"""Contempt in Abalone: an evaluation that surrounds opponents which only wait."""

from functools import partial

import numpy as np
import pytest
from reference.minimax import reached

import boardgames
from boardgames.declarations import Contempt
from boardgames.player import Limit
from boardgames.score import Score
from boardgames_abalone.board import DIAGONAL_OF, DISTANCES, ROW_OF
from boardgames_abalone.contempt import (
    CONTACT_BONUS,
    DISTANCE_PENALTY,
    DRAW_PENALTY,
    PATIENCE,
    SPREAD_BONUS,
    surrounding_evaluation,
)
from boardgames_abalone.notation import cells_of

GAME = boardgames.load("abalone", layout="standard")
DOWN, RIGHT = np.array(ROW_OF, dtype=float), np.array(DIAGONAL_OF, dtype=float)
PLANE = np.stack([DOWN * np.sqrt(0.75), RIGHT + DOWN / 2], axis=1)
"""`float64[61, 2]`: the cells in a plane, with neighbours one apart."""


@pytest.mark.plain
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("plies", [20, 41, 90])
def test_surrounding_the_opponent_counts_in_favour_of_one_side(side: int, plies: int) -> None:
    position = reached(GAME, plies, 3)
    groups = [list(cells) for cells in cells_of(position.words)]
    contacts = int((DISTANCES[np.ix_(*groups)] == 1).sum())
    assert contacts > 0
    centres = [PLANE[group].mean(axis=0) for group in groups]
    distance = float(((centres[0] - centres[1]) ** 2).sum())
    spread = float(((PLANE[groups[side]] - centres[side]) ** 2).sum())
    usual, other = GAME.evaluation, surrounding_evaluation(GAME, side)
    gain = other.value(position.words)
    gain -= usual.value(position.words)
    expected = CONTACT_BONUS * contacts - DISTANCE_PENALTY * distance + SPREAD_BONUS * spread + DRAW_PENALTY
    # the sum of positional weights is damped a little, and weights are rounded
    assert gain == pytest.approx(expected * (1 if side == position.side_to_move else -1), rel=0.25, abs=6.0)


@pytest.mark.parametrize("opening", GAME.facts.openings["fortress"][:6])
def test_the_opponent_is_surrounded_where_the_usual_search_has_nothing_against_it(opening: str) -> None:
    game = boardgames.load("abalone", layout="standard")
    game.contempt = Contempt(partial(surrounding_evaluation, game), patience=0, concession=0.2)
    position, limit = game.parse(opening), Limit(depth=5)
    choice = boardgames.load_player("alphabeta", game).choose(position, limit)
    usual = boardgames.load_player("alphabeta:contempt=false", game)
    best = usual.choose(position, limit)
    assert choice.move is not None
    reply = usual.choose(position.apply(choice.move), Limit(depth=5))
    assert reply.score is not None
    assert reply.score.unit is not None
    assert choice.move == best.move or -reply.score >= Score.of(-0.1, reply.score.unit)


@pytest.mark.plain
def test_marbles_in_contact_are_preferred_to_those_apart() -> None:
    touching = GAME.parse("...../....../......./...bb.../...ww..../......../......./....../.....:b:0:0")
    apart = GAME.parse("...../..bb../......./......../...ww..../......../......./....../.....:b:0:0")
    values = [
        [evaluation.value(position.words) for position in (touching, apart)]
        for evaluation in (GAME.evaluation, surrounding_evaluation(GAME, 0), surrounding_evaluation(GAME, 1))
    ]
    gains = [near - far for near, far in values]
    assert gains[1] > gains[0] > gains[2]


@pytest.mark.plain
def test_the_patience_is_that_of_the_plug_in() -> None:
    assert GAME.contempt is not None
    assert GAME.contempt.patience == PATIENCE
    assert GAME.contempt.evaluation(1) is surrounding_evaluation(GAME, 1)
