"""The games with which the bridges to other libraries are tested."""

from collections.abc import Iterator

import pytest
from installed import plugins_installed

GAMES = {
    "abalone": {},
    "connect4": {},
    "hexifence": {"dimension": 2},
    "tictactoe": {},
}
"""Games and options; Hexifence is small, so that matches are short."""


@pytest.fixture(autouse=True)
def own_registry() -> Iterator[None]:
    """Give each test a registry of its own, since games of OpenSpiel are added to it when they are loaded."""
    with plugins_installed():
        yield


@pytest.fixture(params=GAMES)
def name(request: pytest.FixtureRequest) -> str:
    """Return the name of each game in turn."""
    return str(request.param)


@pytest.fixture
def options(name: str) -> dict[str, int]:
    """Return the options of the game."""
    return GAMES[name]
