"""What tic-tac-toe adds to `boardgames`."""

from boardgames.hookspecs import Entry, hookimpl


@hookimpl
def bg_games() -> list[Entry]:
    """Offer the game."""
    return [Entry("tictactoe", "three in a line win on 3 x 3", "boardgames_tictactoe.game:TicTacToe")]


@hookimpl
def bg_features() -> list[Entry]:
    """Offer what learners put weights on."""
    summary = "open lines, centre and corners of both sides"
    return [Entry("lines", summary, "boardgames_tictactoe.features:lines", game="tictactoe")]
