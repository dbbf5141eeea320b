"""The built-in players are registered through the same hook as those of plug-ins."""

import importlib

import pytest

import boardgames
from boardgames.player import Player
from boardgames.players.plugin import bg_agents
from boardgames.plugins import Registry, searching_agent

NAMES = [entry.name for entry in bg_agents()]
WITHOUT_WEIGHTS = [entry for entry in bg_agents() if "weights" not in entry.needs]
TEXTS = {"engine": "engine:command=cat", "level": "level:level=5"}
"""Agent texts of players that name an option: `engine` needs one, and `level` always says its level."""


@pytest.mark.parametrize("entry", bg_agents(), ids=NAMES)
def test_every_target_is_a_player_of_that_name(entry: boardgames.Entry) -> None:
    module, _, attribute = entry.target.partition(":")
    player = getattr(importlib.import_module(module), attribute)
    assert issubclass(player, Player)
    assert player.name == entry.name


@pytest.mark.parametrize("entry", WITHOUT_WEIGHTS, ids=[entry.name for entry in WITHOUT_WEIGHTS])
def test_every_player_can_play_every_game(entry: boardgames.Entry) -> None:
    assert entry.game is None
    for game in ("abalone", "connect4", "hexifence"):
        text = TEXTS.get(entry.name, entry.name)
        assert repr(boardgames.load_player(text, boardgames.load(game))) == f"<player {text}>"


def test_built_in_players_need_no_entry_point() -> None:
    registry = Registry(points=[], blocked=frozenset())
    offered = [offer.entry.name for offer in registry.offers("agents") if offer.plugin == "core-players"]
    assert offered == sorted(NAMES)


@pytest.mark.parametrize(
    ("game", "agent"), [("abalone", "alphabeta"), ("connect4", "solver"), ("hexifence", "strong")]
)
def test_the_default_agent_is_the_best_player_of_the_game(game: str, agent: str) -> None:
    loaded = boardgames.load(game)
    assert loaded.facts.default_agent == agent
    assert boardgames.load_player(agent, loaded).name == agent


@pytest.mark.parametrize(
    ("game", "agent"), [("abalone", "alphabeta"), ("connect4", "alphabeta"), ("hexifence", "alphabeta")]
)
def test_a_search_to_a_depth_uses_an_agent_that_can_be_limited_by_depth(game: str, agent: str) -> None:
    assert searching_agent(boardgames.load(game)) == agent
