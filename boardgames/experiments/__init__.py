"""Experiments, which `boardgames experiment` runs, and their results: tables with confidence intervals."""

from boardgames.experiments.experiment import (
    Experiment,
    Listener,
    StageProgress,
    load_experiment,
    run_tasks,
)
from boardgames.experiments.results import Figure, Findings, Grid, Measurements, Table, combine, count_wins
from boardgames.experiments.resumable import ResumableExecutor
from boardgames.experiments.shares import MIN_UNITS, Share, Wins, estimate_share

__all__ = [
    "MIN_UNITS",
    "Experiment",
    "Figure",
    "Findings",
    "Grid",
    "Listener",
    "Measurements",
    "ResumableExecutor",
    "Share",
    "StageProgress",
    "Table",
    "Wins",
    "combine",
    "count_wins",
    "estimate_share",
    "load_experiment",
    "run_tasks",
]
