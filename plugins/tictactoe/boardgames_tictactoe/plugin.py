"""Plug-in hooks of tic-tac-toe."""

from boardgames.hookspecs import Entry, hookimpl


@hookimpl
def bg_games() -> list[Entry]:
    """Return the game."""
    summary = "fill the cells of a 3 x 3 board; three in a line win"
    return [Entry("tictactoe", summary, "boardgames_tictactoe.game:TicTacToe", title="Tic-tac-toe")]


@hookimpl
def bg_features() -> list[Entry]:
    """Return the feature set for learners."""
    summary = "open lines, centre and corners, per side"
    return [Entry("lines", summary, "boardgames_tictactoe.features:lines", game="tictactoe")]


@hookimpl
def bg_patterns() -> list[Entry]:
    """Return the pattern set for the learner `ntuple`."""
    return [
        Entry("cells", "the content of the cells", "boardgames_tictactoe.features:cells", game="tictactoe")
    ]


@hookimpl
def bg_puzzles() -> list[Entry]:
    """Return the puzzles."""
    summary = "threaten to complete two lines at once"
    return [Entry("fork", summary, "boardgames_tictactoe.game:forks", game="tictactoe")]
