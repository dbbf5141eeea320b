"""Matches that compiled code plays against itself: to learn from, and to see which weights are better."""

from boardgames.selfplay.room import (
    GAME_PLAYS,
    RANDOM_PLAYS,
    Contestant,
    Ended,
    Rates,
    Setting,
    Taught,
    play,
    seed_of,
    teach,
)

__all__ = [
    "GAME_PLAYS",
    "RANDOM_PLAYS",
    "Contestant",
    "Ended",
    "Rates",
    "Setting",
    "Taught",
    "play",
    "seed_of",
    "teach",
]
