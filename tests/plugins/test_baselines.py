"""The baselines of the games: agents that never change, so that results of different versions compare."""

import hashlib

import pytest

import boardgames
from boardgames.declarations import NO_EVALUATION
from boardgames.game import Game
from boardgames.match_state import MatchRules

PLIES = 40
SEEDS = range(4)
MOVES = {
    ("abalone", "greedy:weights=three-terms-by-hand"): "05bb6f3c96ee",
    ("abalone", "simple:depth=3"): "28f7642e6e77",
    ("connect4", "lines"): "c9e77ffac7ca",
    ("connect4", "lines:depth=3"): "1acb994dcbe1",
    ("hexifence", "double"): "124645a1c696",
}
"""A hash of the moves in some matches against `random`, by game and agent.

Never change one. If an agent has to change, name another baseline and measure everything again.
"""


def moves_against_random(game: Game, agent: str) -> str:
    """Return a hash of the moves of the first plies of some matches."""
    moves = []
    for seed in SEEDS:
        players = [boardgames.load_player(text, game, seed=seed) for text in (agent, "random")]
        if seed % 2:
            players.reverse()
        match = boardgames.Manager(game, players, rules=MatchRules(ply_limit=PLIES))
        match.play()
        moves.append(" ".join(played.move.text for played in match.moves))
    return hashlib.sha256("\n".join(moves).encode()).hexdigest()[:12]


def baselines(name: str) -> set[str]:
    """Return the agents against which a game measures results."""
    facts = boardgames.load(name).facts
    return {facts.baseline, facts.search_baseline or facts.baseline}


@pytest.mark.parametrize("name", ["abalone", "connect4", "hexifence"])
def test_every_baseline_is_pinned(name: str) -> None:
    assert baselines(name) == {agent for game, agent in MOVES if game == name}


@pytest.mark.parametrize(("name", "agent"), MOVES)
def test_a_baseline_makes_the_same_moves_as_ever(name: str, agent: str) -> None:
    assert moves_against_random(boardgames.load(name), agent) == MOVES[name, agent]


@pytest.mark.parametrize(("name", "agent"), MOVES)
def test_a_baseline_does_not_follow_the_evaluation_of_the_game(name: str, agent: str) -> None:
    game = boardgames.load(name)
    game.evaluation = NO_EVALUATION
    assert moves_against_random(game, agent) == MOVES[name, agent]
