"""The agent `minimax`: it visits every position."""

import boardgames
from boardgames.player import Limit

CONNECT4 = boardgames.load("connect4")


def test_minimax_prunes_nothing_and_alphabeta_does() -> None:
    limit = Limit(depth=3)
    agents = [boardgames.load_player(agent, CONNECT4) for agent in ("minimax", "alphabeta")]
    full, pruned = (agent.choose(CONNECT4.start(), limit) for agent in agents)
    assert full.nodes == sum(sum(7**ply for ply in range(1, depth + 1)) for depth in (1, 2, 3))
    assert pruned.nodes < full.nodes


def test_minimax_finds_the_score_of_alphabeta_without_pruning() -> None:
    position = CONNECT4.parse("4453")
    full, pruned = (
        boardgames.load_player(agent, CONNECT4).analyse(position, Limit(depth=4))
        for agent in ("minimax", "alphabeta:lmr=false,futility=false,null_move=false")
    )
    scores = [{entry.move: entry.score for entry in analysis.moves} for analysis in (full, pruned)]
    assert scores[0] == scores[1]
