"""Self-play in compiled code: matches to train weights in, and matches to compare them by."""

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
