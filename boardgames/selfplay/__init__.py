"""Self-play in compiled code: matches that train weights, and matches that compare weights."""

from boardgames.selfplay.worker import (
    Contestant,
    MatchResult,
    MatchSetup,
    TableParameters,
    TDParameters,
    TrainedTables,
    TrainingResult,
    derive_seed,
    play_matches,
    train_players,
    train_tables,
)

__all__ = [
    "Contestant",
    "MatchResult",
    "MatchSetup",
    "TDParameters",
    "TableParameters",
    "TrainedTables",
    "TrainingResult",
    "derive_seed",
    "play_matches",
    "train_players",
    "train_tables",
]
