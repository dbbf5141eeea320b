"""A plug-in with misbehaving agents, beside the games."""

from importlib.metadata import EntryPoint

import pytest

from boardgames import plugins
from boardgames.hookspecs import PROJECT
from boardgames.plugins import Registry


@pytest.fixture
def odd_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the agents of `arena_agents`."""
    games = [EntryPoint(name, f"boardgames_{name}.plugin", PROJECT) for name in ("connect4", "abalone")]
    registry = Registry([*games, EntryPoint("odd", "arena_agents", PROJECT)])
    assert all(plugin.error is None for plugin in registry.plugins)
    monkeypatch.setattr(plugins, "registry", lambda: registry)
