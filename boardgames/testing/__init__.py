"""Tools for testing a game: conformance checks, comparison with a reference, Hypothesis strategies.

    from boardgames.testing import check_game

    check_game(boardgames.load("mygame")).raise_if_failed()

`oracle` searches without pruning, to test searches. Nothing here is needed to play.
"""

from boardgames.testing.conformance import CHECKS, Check, CheckReport, Finding, check_game
from boardgames.testing.reference import Reference, count_reference_leaves, load_reference, reference_file
from boardgames.testing.sampling import PlayedMatch, matches, positions

__all__ = [
    "CHECKS",
    "Check",
    "CheckReport",
    "Finding",
    "PlayedMatch",
    "Reference",
    "check_game",
    "count_reference_leaves",
    "load_reference",
    "matches",
    "positions",
    "reference_file",
]
