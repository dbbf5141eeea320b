"""The agents of the original program in whole matches."""

import pytest

import boardgames
from boardgames import Player
from boardgames.errors import OptionError
from boardgames_hexifence.original import Double, Farrugiulian


@pytest.mark.parametrize(
    ("agent", "dimension"),
    [
        ("double", 2),
        ("double:safe=8", 2),
        ("farrugiulian:safe=6", 2),
        ("farrugiulian:safe=6,table=true", 2),
        ("farrugiulian:safe=6,table=true", 6),
    ],
)
def test_an_agent_plays_whole_matches_and_repeats_them_with_the_same_seed(agent: str, dimension: int) -> None:
    game, records = boardgames.load("hexifence", dimension=dimension), []
    for _ in range(2):
        players = [boardgames.load_player(agent, game, seed=seed) for seed in (1, 2)]
        match = boardgames.Manager(game, players)
        match.play()
        assert match.outcome is not None
        records.append(match.record().moves)
    assert records[0] == records[1]


@pytest.mark.parametrize("agent", ["double", "farrugiulian:safe=12"])
def test_an_agent_beats_greedy(agent: str) -> None:
    game, won = boardgames.load("hexifence", dimension=3), 0
    for number in range(10):
        names = [agent, "greedy"] if number % 2 == 0 else ["greedy", agent]
        match = boardgames.Manager(game, [boardgames.load_player(name, game, seed=number) for name in names])
        match.play()
        won += match.outcome is not None and match.outcome.winner == number % 2
    assert won >= 7


def test_searching_the_last_safe_edges_makes_double_stronger() -> None:
    game, won = boardgames.load("hexifence", dimension=2), 0
    for number in range(40):
        names = ["double:safe=17", "double"] if number % 2 == 0 else ["double", "double:safe=17"]
        match = boardgames.Manager(game, [boardgames.load_player(name, game, seed=number) for name in names])
        match.play()
        won += match.outcome is not None and match.outcome.winner == number % 2
    assert won >= 25  # 72 % of 200


@pytest.mark.parametrize("agent", [Double, Farrugiulian])
def test_other_games_are_rejected(agent: type[Player]) -> None:
    with pytest.raises(OptionError, match=f"'{agent.name}' plays Hexifence, not Connect Four"):
        agent(boardgames.load("connect4"))
