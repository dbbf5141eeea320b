"""What Hexifence adds to `boardgames`."""

from boardgames.hookspecs import Entry, hookimpl


@hookimpl
def bg_games() -> list[Entry]:
    """Offer the game."""
    return [
        Entry(
            "hexifence",
            "draw the last edge of a hexagon to own it and move again; more cells win",
            "boardgames_hexifence.game:Hexifence",
        )
    ]


@hookimpl
def bg_features() -> list[Entry]:
    """Offer cells and kinds of open edges."""
    return [
        Entry(
            "simple",
            "cells of both sides, open edges by what they do, cells about to close",
            "boardgames_hexifence.features:simple",
            game="hexifence",
        )
    ]
