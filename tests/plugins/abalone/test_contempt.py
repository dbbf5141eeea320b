"""Contempt in Abalone: an evaluation that seeks contact with opponents that only wait."""

from functools import partial

import pytest
from reference.minimax import reached

import boardgames
from boardgames.declarations import Contempt
from boardgames.player import Limit
from boardgames.score import Score
from boardgames_abalone.board import CELLS, DISTANCES
from boardgames_abalone.contempt import CONTACT, DRAW, PATIENCE, contact_evaluation
from boardgames_abalone.notation import cells_of

GAME = boardgames.load("abalone", layout="standard")


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("plies", [20, 41, 90])
def test_contact_counts_in_favour_of_one_side(side: int, plies: int) -> None:
    position = reached(GAME, plies, 3)
    black, white = (set(cells) for cells in cells_of(position.words))
    contacts = sum(
        DISTANCES[one, other] == 1 and one in black and other in white
        for one in range(CELLS)
        for other in range(CELLS)
    )
    assert contacts > 0
    usual, contact = GAME.evaluation, contact_evaluation(GAME, side)
    gain = float(contact.kernel(position.words, contact.weights))
    gain -= float(usual.kernel(position.words, usual.weights))
    # the sum of positional weights is damped a little, and weights are rounded
    expected = (CONTACT * contacts + DRAW) * (1 if side == position.side_to_move else -1)
    assert gain == pytest.approx(expected, rel=0.25)


@pytest.mark.parametrize("opening", GAME.facts.openings["fortress"][:6])
def test_contact_is_sought_where_the_usual_search_has_nothing_against_it(opening: str) -> None:
    game = boardgames.load("abalone", layout="standard")
    game.contempt = Contempt(partial(contact_evaluation, game), patience=0, concession=0.2)
    position, limit = game.parse(opening), Limit(depth=5)
    choice = boardgames.load_player("alphabeta", game).choose(position, limit)
    usual = boardgames.load_player("alphabeta:contempt=false", game)
    best = usual.choose(position, limit)
    reply = usual.choose(position.apply(choice.move), Limit(depth=5))
    assert choice.move == best.move or -reply.score >= Score.of(-0.1, reply.score.unit)


def test_marbles_in_contact_are_preferred_to_those_apart() -> None:
    touching = GAME.parse("...../....../......./...bb.../...ww..../......../......./....../.....:b:0:0")
    apart = GAME.parse("...../..bb../......./......../...ww..../......../......./....../.....:b:0:0")
    values = [
        [float(evaluation.kernel(position.words, evaluation.weights)) for position in (touching, apart)]
        for evaluation in (GAME.evaluation, contact_evaluation(GAME, 0), contact_evaluation(GAME, 1))
    ]
    gains = [near - far for near, far in values]
    assert gains[1] > gains[0] > gains[2]


def test_the_patience_is_that_of_the_plug_in() -> None:
    assert GAME.contempt is not None
    assert GAME.contempt.patience == PATIENCE
    assert GAME.contempt.evaluation(1) is contact_evaluation(GAME, 1)
