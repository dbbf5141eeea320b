"""Self-play in compiled code: matches that train weights, and matches that compare weights."""

from boardgames.selfplay.worker import (
    Contestant,
    MatchResult,
    MatchSetup,
    TDParameters,
    TrainingResult,
    derive_seed,
    play_matches,
    train_players,
)

__all__ = [
    "Contestant",
    "MatchResult",
    "MatchSetup",
    "TDParameters",
    "TrainingResult",
    "derive_seed",
    "play_matches",
    "train_players",
]
