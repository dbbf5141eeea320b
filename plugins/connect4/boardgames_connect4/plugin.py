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


@hookimpl
def bg_weights() -> list[Entry]:
    """Offer learned weights; data/README.md says what made them and how they fare."""
    return [
        Entry(
            "td",
            "of lines on 7 x 6, learned by TD(lambda) in 9,800 matches of self-play",
            "boardgames_connect4.evaluation:TD_WEIGHTS",
            game="connect4",
        )
    ]
