"""Self-play in compiled code: matches that train weights, and matches that compare weights."""

from boardgames.selfplay.searching import LabelledPositions, LabelSettings
from boardgames.selfplay.tables import TableParameters
from boardgames.selfplay.temporal import TDParameters
from boardgames.selfplay.worker import (
    Contestant,
    SelfPlayMatch,
    SelfPlaySetup,
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
    "SelfPlayMatch",
    "SelfPlaySetup",
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
