"""Searches agree with matches on what a limit of plies means."""

from dataclasses import replace

import nim
import pytest

import boardgames
from boardgames.kernels import OutcomeOf, Words, kernel
from boardgames.match_setup import MatchSetup
from boardgames.player import Context, Limit

AGENTS = ("alphabeta", "minimax", "mcts")


@kernel(OutcomeOf)
def mover_wins(position: Words) -> int:
    return nim.side_to_move(position)


@pytest.fixture
def game() -> nim.Nim:
    """Return Nim in which a side without stones to take loses, but wins if a limit ends the match before."""
    game = nim.Nim(stuck=True)
    game.kernels = replace(game.kernels, outcome_at_limit=mover_wins)
    return game


@pytest.mark.parametrize("agent", AGENTS)
def test_a_side_that_is_stuck_when_the_limit_comes_has_lost(agent: str, game: nim.Nim) -> None:
    choice = boardgames.load_player(agent, game, seed=1).choose(
        game.parse("2:0:0:0"), Limit(depth=4, seconds=60), Context(plies_left=1)
    )
    assert choice.score is not None
    assert (choice.move and choice.move.text, choice.score.to_return()) == ("take2", 1.0)
    match = MatchSetup(game, (None, None), start=game.parse("2:0:0:0"), ply_limit=1).start_match()
    match.make_move(0, "take2")
    assert match.outcome is not None
    assert match.outcome.winner == 0
