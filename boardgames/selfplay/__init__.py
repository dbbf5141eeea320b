"""Self-play in compiled code: matches that train weights, and matches that compare weights."""

from boardgames.selfplay.searching import LabelledPositions, LabelSettings
from boardgames.selfplay.tables import TableParameters
from boardgames.selfplay.temporal import TDParameters
from boardgames.selfplay.worker import (
    Contestant,
    MatchResult,
    MatchSetup,
    TrainedTables,
    TrainingResult,
    derive_seed,
    label_positions,
    play_matches,
    train_players,
    train_tables,
)

__all__ = [
    "Contestant",
    "LabelSettings",
    "LabelledPositions",
    "MatchResult",
    "MatchSetup",
    "TDParameters",
    "TableParameters",
    "TrainedTables",
    "TrainingResult",
    "derive_seed",
    "label_positions",
    "play_matches",
    "train_players",
    "train_tables",
]
