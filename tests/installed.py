"""The example plug-in as if it were installed, in this process only."""

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
    """Yield the example's game; within the context it can be loaded by its name."""
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
