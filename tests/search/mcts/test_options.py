"""Options of tree search: the defaults for a game, and what reaches the kernels."""

from dataclasses import replace

import pytest
from nim import Nim

import boardgames
from boardgames.game import Game
from boardgames.score import RETURN, Unit
from boardgames.search.mcts.options import (
    EVALUATION_PRIOR,
    LONG_PLAYOUT,
    MAX_TREE_DEPTH,
    NO_CUTOFF,
    NO_PRIOR,
    ORDER_PRIOR,
    MctsOptions,
    Prior,
)

pytestmark = pytest.mark.plain

ABALONE = boardgames.load("abalone")


@pytest.mark.parametrize(
    ("game", "prior", "cutoff"),
    [
        pytest.param(ABALONE, "evaluation", 0, id="an evaluation, no end by the rules"),
        pytest.param(boardgames.load("connect4"), "evaluation", NO_CUTOFF, id="an evaluation and an end"),
        pytest.param(Nim(passing=True), "none", LONG_PLAYOUT, id="no evaluation, no end"),
        pytest.param(boardgames.load("tictactoe"), "none", NO_CUTOFF, id="no evaluation, but an end"),
    ],
)
def test_defaults_depend_on_the_game(game: Game, prior: str, cutoff: int) -> None:
    resolved = MctsOptions().resolved(game.facts, game.evaluation)
    assert (resolved.prior, resolved.cutoff) == (prior, cutoff)


def test_options_that_are_set_are_kept() -> None:
    options = MctsOptions(prior="order", cutoff=7, exploration=0.5, memory=3, threads=2)
    assert options.resolved(ABALONE.facts, ABALONE.evaluation) == options


@pytest.mark.parametrize(
    ("options", "uses"),
    [
        (MctsOptions(prior="order", cutoff=NO_CUTOFF), False),
        (MctsOptions(prior="none", cutoff=NO_CUTOFF), False),
        (MctsOptions(prior="evaluation", cutoff=NO_CUTOFF), True),
        (MctsOptions(prior="none", cutoff=0), True),
        (MctsOptions(), True),
    ],
)
def test_the_evaluation_is_used_for_priors_and_at_a_cutoff(options: MctsOptions, uses: bool) -> None:
    assert options.uses_evaluation(ABALONE.facts, ABALONE.evaluation) is uses


def test_the_record_says_how_to_search() -> None:
    options = MctsOptions(prior="order", cutoff=7, exploration=0.5, threads=2)
    here = options.record(ABALONE, ABALONE.evaluation)[0]
    assert (here.prior, here.cutoff, here.exploration) == (ORDER_PRIOR, 7, 0.5)
    assert (here.shared, here.all_moves, here.max_depth) == (1, 0, MAX_TREE_DEPTH)
    assert MctsOptions().record(ABALONE, ABALONE.evaluation)[0].shared == 0


@pytest.mark.parametrize(
    ("prior", "kind"), [("none", NO_PRIOR), ("order", ORDER_PRIOR), ("evaluation", EVALUATION_PRIOR)]
)
def test_priors_have_the_numbers_that_kernels_know(prior: Prior, kind: int) -> None:
    assert MctsOptions(prior=prior).record(ABALONE, ABALONE.evaluation)[0].prior == kind


@pytest.mark.parametrize(
    ("unit", "scale", "half_return"),
    [
        pytest.param(RETURN, 1.0, 0.0, id="returns"),
        pytest.param(Unit("pawn", "pawns", half_return=1.5), 1.0, 1.5, id="pawns"),
        pytest.param(Unit("pawn", "pawns", half_return=1.5), 100.0, 150.0, id="hundredths of pawns"),
    ],
)
def test_half_a_return_is_on_the_scale_of_the_kernel(unit: Unit, scale: float, half_return: float) -> None:
    evaluation = replace(ABALONE.evaluation, unit=unit, scale=scale)
    assert MctsOptions().record(ABALONE, evaluation)[0].half_return == half_return
