"""What Connect Four adds to `boardgames`."""

from boardgames.hookspecs import Entry, hookimpl


@hookimpl
def bg_games() -> list[Entry]:
    """Offer the game."""
    return [
        Entry(
            "connect4",
            "drop stones into columns; four in a line win",
            "boardgames_connect4.game:Connect4",
        )
    ]


@hookimpl
def bg_features() -> list[Entry]:
    """Offer open lines, centre stones and threats of both sides."""
    return [
        Entry(
            "lines",
            "open twos and threes, centre stones, odd and even threats of both sides",
            "boardgames_connect4.features:lines",
            game="connect4",
        )
    ]
