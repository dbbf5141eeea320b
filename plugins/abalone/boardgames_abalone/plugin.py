"""What Abalone adds to `boardgames`."""

from boardgames.hookspecs import Entry, hookimpl


@hookimpl
def bg_games() -> list[Entry]:
    """Offer the game."""
    return [
        Entry(
            "abalone",
            "push six of the other side's marbles off a hexagonal board",
            "boardgames_abalone.game:Abalone",
        )
    ]


@hookimpl
def bg_agents() -> list[Entry]:
    """Offer the agent of the simple Abalone project."""
    return [
        Entry(
            "simple",
            "alpha-beta, depth 3, with distance to centre, density and marbles lost",
            "boardgames_abalone.agents:Simple",
            game="abalone",
        )
    ]


@hookimpl
def bg_features() -> list[Entry]:
    """Offer the three terms of the simple Abalone project for each side."""
    return [
        Entry(
            "simple",
            "distance to centre, density and marbles lost of both sides",
            "boardgames_abalone.features:simple",
            game="abalone",
        )
    ]
