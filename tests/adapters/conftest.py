"""Games with which bridges to other libraries are tested: the installed ones."""

import pytest

GAMES = {
    "abalone": {},
    "connect4": {},
    "hexifence": {"dimension": 2},
    "tictactoe": {},
}
"""Games and options; Hexifence is small, so that matches are short."""


@pytest.fixture(params=GAMES)
def name(request: pytest.FixtureRequest) -> str:
    """Return the name of each game in turn."""
    return str(request.param)


@pytest.fixture
def options(name: str) -> dict[str, int]:
    """Return the options of the game."""
    return GAMES[name]
