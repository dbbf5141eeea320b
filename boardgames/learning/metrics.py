"""The steps of a training run: their metrics, how they are written to a file, and the run's progress."""

import json
import math
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import numpy as np

from boardgames.errors import FileError
from boardgames.kernels import Reals
from boardgames.options import is_finite
from boardgames.paths import describe_os_error, read_bytes, write_atomic

METRICS = "metrics.jsonl"
METRICS_SCHEMA = 1
SCORE = "score"
"""Name of the metric for the share of the points in test matches, 0 to 1."""
MAX_LOGGED_WEIGHTS = 1000
"""Maximum number of weights in a line of metrics; more are summarised there, but all are in checkpoints."""
MAX_STEP = 10**12
MAX_STEP_SECONDS = 1e10

_GOLDEN_RATIO = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step of a run, a line of `metrics.jsonl`.

    Attributes
    ----------
    step : int
        Counted from 1.
    seconds : float
        Duration.
    metrics : mapping
        Numbers by name; None for numbers that were not finite.
    weights : tuple of float
        The best weights after the step; empty if there are too many.
    standings : tuple of (str, float)
        Names and points of the learner's competitors after the step, best first; empty if there are none.
    summary : mapping
        `norm`, `min` and `max` of the weights if there are too many of them; otherwise empty.
    """

    step: int
    seconds: float
    metrics: Mapping[str, float | None]
    weights: tuple[float, ...] = field(default=())
    standings: tuple[tuple[str, float], ...] = field(default=())
    summary: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        step: int,
        seconds: float,
        metrics: Mapping[str, float | None],
        weights: Reals,
        standings: tuple[tuple[str, float], ...] = (),
    ) -> Self:
        """Return the record of a step, with a summary of the weights if there are too many.

        Examples
        --------
        >>> StepRecord.of(1, 0.25, {}, np.full(10_000, 2.0)).summary
        {'norm': 200.0, 'min': 2.0, 'max': 2.0}
        """
        if weights.size <= MAX_LOGGED_WEIGHTS:
            return cls(step, seconds, metrics, tuple(weights.tolist()), standings)
        summary = {
            "norm": float(np.linalg.norm(weights)),
            "min": float(weights.min()),
            "max": float(weights.max()),
        }
        return cls(step, seconds, metrics, (), standings, summary)

    def as_line(self) -> str:
        """Return the record as a line of JSON.

        Examples
        --------
        >>> print(StepRecord(1, 0.25, {"score": 0.5}, (1.0,)).as_line(), end="")
        {"schema": 1, "step": 1, "seconds": 0.25, "metrics": {"score": 0.5}, "weights": [1.0]}
        """
        content: dict[str, object] = {
            "schema": METRICS_SCHEMA,
            "step": self.step,
            "seconds": round(self.seconds, 3),
            "metrics": dict(self.metrics),
            "weights": list(self.weights),
        }
        if self.standings:
            content["standings"] = [list(competitor) for competitor in self.standings]
        if self.summary:
            content["summary"] = dict(self.summary)
        return json.dumps(content, allow_nan=False) + "\n"

    @classmethod
    def parse(cls, line: bytes) -> "StepRecord | None":
        """Return the record in a line of UTF-8 text, or None if the line is damaged."""
        try:
            content = json.loads(line.decode())
            seconds = _finite(content["seconds"])
            is_known = content["schema"] == METRICS_SCHEMA and is_step(content["step"])
            if not (is_known and 0 <= seconds <= MAX_STEP_SECONDS):
                return None
            metrics = {
                name: None if value is None else _finite(value) for name, value in content["metrics"].items()
            }
            weights = tuple(map(_finite, content["weights"]))
            standings = tuple((str(name), _finite(points)) for name, points in content.get("standings", ()))
            summary = {str(name): _finite(value) for name, value in content.get("summary", {}).items()}
            return cls(content["step"], seconds, metrics, weights, standings, summary)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a run, as recorded in its checkpoints.

    Attributes
    ----------
    step : int
        Number of completed steps.
    best : float or None
        Best value of the learner's curve; None if no step had one.
    best_step : int
        The step with the best weights.
    length : int or None
        Number of steps of the complete run, if known.
    is_done : bool
        True if training is complete.
    code : str
        Hash of the code that wrote the checkpoint.
    metrics : mapping
        Metrics of the last step.
    """

    step: int = 0
    best: float | None = None
    best_step: int = 0
    length: int | None = None
    is_done: bool = False
    code: str = ""
    metrics: Mapping[str, float | None] = field(default_factory=dict)

    def after(
        self, metrics: Mapping[str, float | None], curve: str, *, follows_curve: bool = True
    ) -> "Progress":
        """Return the progress after one more step.

        Parameters
        ----------
        metrics : mapping
            Metrics of the step.
        curve : str
            The metric to maximise.
        follows_curve : bool
            True if the step with the best metric counts as the best one, False if the
            last step does.

        Examples
        --------
        >>> later = Progress().after({"score": 0.5}, "score").after({"score": 0.25}, "score")
        >>> later.step, later.best, later.best_step
        (2, 0.5, 1)
        """
        step, value = self.step + 1, metrics.get(curve)
        if follows_curve and self.best is not None:
            is_best = value is not None and value >= self.best
        else:
            is_best = True
        best = value if is_best and value is not None else self.best
        return replace(
            self, step=step, best=best, best_step=step if is_best else self.best_step, metrics=metrics
        )


def finite_metrics(metrics: Mapping[str, float]) -> dict[str, float | None]:
    """Return metrics with None for numbers that JSON cannot represent.

    Examples
    --------
    >>> finite_metrics({"score": 0.5, "loss": math.inf})
    {'score': 0.5, 'loss': None}
    """
    numbers = {str(name): float(value) for name, value in metrics.items()}
    return {name: value if math.isfinite(value) else None for name, value in numbers.items()}


def is_step(value: object) -> bool:
    """Return whether a value from a file is a plausible number of steps.

    Examples
    --------
    >>> is_step(3), is_step(-1), is_step(3.0), is_step(10**30)
    (True, False, False, False)
    """
    return type(value) is int and 0 <= value <= MAX_STEP


def read_metrics(path: Path, *, most: int | None = None) -> list[StepRecord]:
    """Return the steps in a file of metrics; damaged lines are skipped.

    Parameters
    ----------
    path : Path
        The file.
    most : int, optional
        Return only about this many steps, spread over the file and including the last one. The choice
        stays the same while the file grows, until it is twice as long.

    Raises
    ------
    FileError
        If the file exists but cannot be read.
    """
    if not is_regular_file(path):
        return []
    lines = read_bytes(path).splitlines()
    if most is not None:
        lines = [lines[place] for place in _spread(len(lines), most)]
    return [record for record in map(StepRecord.parse, lines) if record is not None]


def _spread(count: int, most: int) -> list[int]:
    """Return places in a sequence: one in each of at most `most` parts of equal length, and the last two.

    The place within a part varies, since learners may report some metrics only in every second step.
    """
    length = 1
    while count > most * length:
        length *= 2
    places = {part * length + int(part * _GOLDEN_RATIO % 1 * length) for part in range(count // length)}
    return sorted(places.union(range(max(0, count - 2), count)))


def truncate_metrics(path: Path, step: int) -> list[StepRecord]:
    """Remove damaged lines, repeated steps and steps after `step`; return what remains.

    A file that has other hard links is replaced, so that these keep their content.

    Raises
    ------
    FileError
        If the file cannot be read or written.
    """
    if not is_regular_file(path):
        return []
    kept = {record.step: record for record in read_metrics(path) if record.step <= step}
    content = "".join(record.as_line() for record in kept.values()).encode()
    if content != read_bytes(path) or path.stat().st_nlink > 1:
        write_atomic(path, content, follow_links=False)
    return list(kept.values())


def is_regular_file(path: Path) -> bool:
    """Return whether a file exists; raise FileError if it is not regular, as reading a pipe would block."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    except OSError as error:
        raise FileError(f"cannot read {path}: {describe_os_error(error)}") from None
    if not stat.S_ISREG(mode):
        raise FileError(f"{path} is not a regular file")
    return True


def _finite(value: object) -> float:
    if not is_finite(value):
        raise ValueError(value)
    return float(value)
