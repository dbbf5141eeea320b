"""The core's players are offered through the same hook as any plug-in's."""

import importlib

import pytest

import boardgames
from boardgames.player import Player
from boardgames.players.plugin import bg_agents
from boardgames.plugins import Registry

NAMES = ["human", "random", "greedy", "minimax", "alphabeta", "mcts", "level", "engine"]
TEXTS = {"engine": "engine:command=cat"}
"""What makes those that need an option."""


def test_all_players_of_the_core_are_offered() -> None:
    assert [entry.name for entry in bg_agents()] == NAMES


@pytest.mark.parametrize("entry", bg_agents(), ids=NAMES)
def test_each_is_where_it_is_said_to_be(entry: boardgames.Entry) -> None:
    module, _, attribute = entry.target.partition(":")
    made = getattr(importlib.import_module(module), attribute)
    assert issubclass(made, Player)
    assert made.name == entry.name


@pytest.mark.parametrize("entry", bg_agents(), ids=NAMES)
def test_each_is_for_every_game(entry: boardgames.Entry) -> None:
    assert entry.game is None
    for game in ("abalone", "connect4", "hexifence"):
        text = TEXTS.get(entry.name, entry.name)
        assert repr(boardgames.load_player(text, boardgames.load(game))) == f"<player {text}>"


def test_they_are_registered_without_any_other_plugin() -> None:
    registry = Registry(found=[], blocked=frozenset())
    offered = [offer.entry.name for offer in registry.offers("agents") if offer.plugin == "core-players"]
    assert offered == sorted(NAMES)


@pytest.mark.parametrize("game", ["abalone", "connect4", "hexifence"])
def test_default_agents_of_the_games_are_offered(game: str) -> None:
    loaded = boardgames.load(game)
    assert boardgames.load_player(loaded.facts.default_agent, loaded)
