"""A plug-in with misbehaving agents, installed in addition to the games."""

import arena_agents
import pytest
from installed import add_plugin


@pytest.fixture
def odd_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the agents of `arena_agents`."""
    add_plugin(monkeypatch, arena_agents)
