"""What lists of training runs show. This module is quick to import, for the page's server."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["running", "finished", "stopped", "broken"]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run as the command line prints it in JSON and pages get it; see `RunSummary`."""

    game: str | None
    learner: str | None
    seed: int | None
    step: int
    length: int | None
    best: float | None
    best_step: int
    state: Status
    error: str | None
