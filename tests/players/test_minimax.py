"""The player that looks at everything: what it visits, and that its options reach the search."""

import numpy as np
import pytest
from boardgames.search.full import search_fully
from reference.searching import near_pushes

import boardgames
from boardgames.player import NO_CONTEXT, Analysis, Limit
from boardgames.score import Score

ABALONE = boardgames.load("abalone")
CONNECT4 = boardgames.load("connect4")
LIMIT = Limit(depth=2)


def scores(found: Analysis) -> dict[str, Score]:
    """Return the score of every move."""
    return {str(entry.move): entry.score for entry in found.moves}


def test_minimax_prunes_nothing_and_alphabeta_does() -> None:
    limit = Limit(depth=3)
    agents = [boardgames.load_player(agent, CONNECT4) for agent in ("minimax", "alphabeta")]
    full, pruned = (agent.choose(CONNECT4.start(), limit) for agent in agents)
    assert full.nodes == sum(sum(7**ply for ply in range(1, depth + 1)) for depth in (1, 2, 3))
    assert pruned.nodes < full.nodes


@pytest.mark.parametrize(
    ("agent", "quiescence", "extensions"),
    [("minimax:quiescence=2", 2, False), ("minimax:extensions=true", 0, True)],
)
def test_what_it_looks_at_beyond_the_horizon_is_as_its_options_say(
    agent: str, quiescence: int, extensions: bool
) -> None:
    position = near_pushes(ABALONE, 4, np.random.default_rng(7))
    wished = boardgames.load_player(agent, ABALONE).analyse(position, LIMIT)
    plain = boardgames.load_player("minimax", ABALONE).analyse(position, LIMIT)
    full = search_fully(
        position,
        ABALONE.evaluation,
        LIMIT,
        NO_CONTEXT,
        quiescence=quiescence,
        extensions=extensions,
        all_moves=True,
    )
    assert scores(wished) == scores(full)
    assert scores(wished) != scores(plain)
