"""Games that are not installed, as if they were: the example of a plug-in, in this process alone."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from unittest.mock import patch

import boardgames
from boardgames import plugins
from boardgames.game import Game
from boardgames.plugins import PROJECT

EXAMPLE = Path(__file__).parents[1] / "examples" / "tictactoe"


@contextmanager
def tictactoe_installed() -> Iterator[Game]:
    """Yield the example's game, which has a name to be loaded by as long as the context lasts."""
    example = EntryPoint("tictactoe", "boardgames_tictactoe.plugin", PROJECT)
    points = [*entry_points(group=PROJECT), example]
    with (
        patch.object(sys, "path", [str(EXAMPLE), *sys.path]),
        patch.object(plugins, "entry_points", lambda group: points),
    ):
        plugins.registry.cache_clear()
        try:
            yield boardgames.load("tictactoe")
        finally:
            plugins.registry.cache_clear()
