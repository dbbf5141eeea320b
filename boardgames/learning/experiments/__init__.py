"""Experiments: what learning does, measured and told in tables; every game with features has them.

from boardgames.executors import open_executor
from boardgames.learning.experiments import experiment

with open_executor() as executor:
    findings = experiment("basic-training", boardgames.load("connect4")).run(executor, seed=1)
"""

from boardgames.learning.experiments.base import Experiment, Listener, Progress, experiment
from boardgames.learning.experiments.shares import Share, Wins, share_of
from boardgames.learning.experiments.tables import CSV_FIELDS, Figure, Findings, Table, merged

__all__ = [
    "CSV_FIELDS",
    "Experiment",
    "Figure",
    "Findings",
    "Listener",
    "Progress",
    "Share",
    "Table",
    "Wins",
    "experiment",
    "merged",
    "share_of",
]
