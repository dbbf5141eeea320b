"""What a run tells of its steps: one JSON object a line, appended as they are done."""

import json
import math
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from boardgames.errors import FileError
from boardgames.options import is_finite
from boardgames.paths import read_text, write_atomic

SCHEMA = 1
MOST_WEIGHTS = 1000
"""Of more than these a line keeps none; checkpoints have them all."""
LARGEST_STEP = 10**12
"""No run comes so far."""
LONGEST_S = 1e10
"""Nor does a step take so long."""


@dataclass(frozen=True, slots=True)
class Stepped:
    """One step of a run.

    Attributes
    ----------
    step : int
        From 1.
    seconds : float
        What it took.
    metrics : mapping
        Names and numbers; None for one that was not finite.
    weights : tuple of float
        The best after it; empty if they are too many.
    """

    step: int
    seconds: float
    metrics: Mapping[str, float | None]
    weights: tuple[float, ...] = field(default=())

    def as_line(self) -> str:
        """Return it as a line of the file.

        Examples
        --------
        >>> print(Stepped(1, 0.25, {"score": 0.5}, (1.0,)).as_line(), end="")
        {"schema": 1, "step": 1, "seconds": 0.25, "metrics": {"score": 0.5}, "weights": [1.0]}
        """
        weights = self.weights if len(self.weights) <= MOST_WEIGHTS else ()
        told = {
            "schema": SCHEMA,
            "step": self.step,
            "seconds": round(self.seconds, 3),
            "metrics": dict(self.metrics),
            "weights": list(weights),
        }
        return json.dumps(told, allow_nan=False) + "\n"


def finite(metrics: Mapping[str, float]) -> dict[str, float | None]:
    """Return metrics as JSON can have them: None for what is no finite number.

    Examples
    --------
    >>> finite({"score": 0.5, "loss": math.inf})
    {'score': 0.5, 'loss': None}
    """
    numbers = {str(name): float(value) for name, value in metrics.items()}
    return {name: value if math.isfinite(value) else None for name, value in numbers.items()}


def append(path: Path, stepped: Stepped) -> None:
    """Add a step to a file.

    Raises
    ------
    FileError
        If it cannot be written; a part of the line may then be there.
    """
    _check_file(path)
    try:
        with path.open("a", encoding="utf-8", newline="") as file:
            file.write(stepped.as_line())
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f"expected a file that can be written: {path} ({reason})") from None


def read_metrics(path: Path) -> list[Stepped]:
    """Return the steps of a file in their order; lines that are none are left out.

    Raises
    ------
    FileError
        If it is there and cannot be read.
    """
    if not _check_file(path):
        return []
    found = (_stepped(line) for line in read_text(path).splitlines())
    return [stepped for stepped in found if stepped is not None]


def cut(path: Path, step: int) -> list[Stepped]:
    """Leave in a file what is of steps up to `step`, each once, and return it.

    Raises
    ------
    FileError
        If it cannot be read or written.
    """
    if not _check_file(path):
        return []
    kept = {stepped.step: stepped for stepped in read_metrics(path) if stepped.step <= step}
    text = "".join(stepped.as_line() for stepped in kept.values())
    if text != read_text(path):
        write_atomic(path, text)
    return list(kept.values())


def _stepped(line: str) -> Stepped | None:
    try:
        told = json.loads(line)
        seconds = _number(told["seconds"])
        if told["schema"] != SCHEMA or not is_step(told["step"]) or not 0 <= seconds <= LONGEST_S:
            return None
        metrics = {name: None if value is None else _number(value) for name, value in told["metrics"].items()}
        weights = tuple(_number(weight) for weight in told["weights"])
        return Stepped(told["step"], seconds, metrics, weights)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def is_step(value: object) -> bool:
    """Say whether a value that was read is a number of steps.

    Examples
    --------
    >>> is_step(3), is_step(-1), is_step(3.0), is_step(10**30)
    (True, False, False, False)
    """
    return type(value) is int and 0 <= value <= LARGEST_STEP


def _number(value: object) -> float:
    if not is_finite(value):
        raise ValueError(value)
    return float(value)


def _check_file(path: Path) -> bool:
    """Say whether a file is there; one that would be waited for is refused."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f"expected a readable file: {path} ({reason})") from None
    if not stat.S_ISREG(mode):
        raise FileError(f"expected a file: {path} is none")
    return True
