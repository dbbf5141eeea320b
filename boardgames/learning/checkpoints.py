"""Checkpoints of a training run: the state of the learner, what players need from it, and the progress.

A checkpoint is also a file that players can use: it has the arrays and the header that
`Learner.saved` returns, the arrays of the learner's state as `state.NAME`, and in the header the
state's scalars and the progress of the run. It has no times and no paths, so equal runs have equal
bytes.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from boardgames.errors import LearnerStateError, WeightsError, quote
from boardgames.learner import STATE_PREFIX, Checkpoint, Learner, LearnerState
from boardgames.learning.config import Config
from boardgames.learning.metrics import Progress, is_step
from boardgames.options import is_finite
from boardgames.weights.files import as_bytes, read_arrays
from boardgames.weights.lookup import BEST
from boardgames.weights.weights import SCHEMA

_CHECKPOINT_NAME = re.compile(r"step-(\d{6,})\.safetensors")


def checkpoint_path(folder: Path, step: int) -> Path:
    """Return the file of a step's checkpoint.

    Examples
    --------
    >>> checkpoint_path(Path("run"), 12).name
    'step-000012.safetensors'
    """
    return folder / BEST.parent / f"step-{step:06d}.safetensors"


def checkpoint_paths(folder: Path) -> list[Path]:
    """Return the checkpoints of a run's last steps, oldest first."""
    paths = {}
    with suppress(OSError):
        for path in (folder / BEST.parent).iterdir():
            match = _CHECKPOINT_NAME.fullmatch(path.name)
            if match is not None:
                paths[int(match[1])] = path
    return [paths[step] for step in sorted(paths)]


def read_progress(path: Path) -> Progress:
    """Return the progress that a checkpoint of any run records.

    Raises
    ------
    FileError, WeightsError
        If it cannot be read or is damaged.
    """
    return _parse_progress(read_arrays(path)[1], path)


def checkpoint_bytes(state: LearnerState, progress: Progress, learner: Learner, config: Config) -> bytes:
    """Return the content of a checkpoint.

    Raises
    ------
    WeightsError, LearnerStateError
        If the state cannot be saved.
    """
    arrays, header = learner.saved(state)
    header = {
        "schema": SCHEMA,
        "game": learner.game.facts.name,
        **header,
        "provenance": {
            **_origin(learner, config),
            "step": progress.step,
            "metrics": dict(progress.metrics),
        },
        "state": dict(state.scalars),
        "step": progress.step,
        "best": progress.best,
        "best_step": progress.best_step,
        "length": progress.length,
        "is_done": progress.is_done,
        "code": progress.code,
    }
    states = {f"{STATE_PREFIX}{name}": array for name, array in state.arrays.items()}
    try:
        return as_bytes({**arrays, **states}, header)
    except (ValueError, TypeError, KeyError) as error:
        raise LearnerStateError(
            f"cannot save the state of learner {config.learner!r}, which must consist of arrays and finite "
            f"scalars: {quote(str(error))}"
        ) from None


def read_checkpoint(path: Path, learner: Learner, config: Config) -> tuple[LearnerState, Progress]:
    """Return the state and progress in a checkpoint of a run.

    Raises
    ------
    FileError, WeightsError
        If it cannot be read or is damaged.
    LearnerStateError
        If it belongs to another run, or its state does not fit the learner.
    """
    checkpoint = Checkpoint(path, *read_arrays(path))
    _check_origin(checkpoint.header, learner, config, path)
    progress = _parse_progress(checkpoint.header, path)
    assert config.seed is not None
    learner.check(checkpoint, config.seed)
    return checkpoint.state, progress


def _origin(learner: Learner, config: Config) -> dict[str, object]:
    """Return what identifies a run, except its game."""
    return {
        "learner": config.learner,
        "layout": learner.game.layout,
        "options": dict(learner.game.options),
        "settings": learner.settings,
        "seed": config.seed,
    }


def _check_origin(header: Mapping[str, Any], learner: Learner, config: Config, path: Path) -> None:
    """Raise LearnerStateError if a checkpoint belongs to another run."""
    provenance = header.get("provenance")
    if not isinstance(provenance, dict):
        raise WeightsError(f"{path} is not a checkpoint")
    recorded = _flat({**provenance, "game": header.get("game")})
    defaults = {f"option {option.name}": option.default for option in learner.game.declared_options}
    for name, value in _flat({"game": learner.game.facts.name, **_origin(learner, config)}).items():
        other = recorded.get(name, "nothing")
        if name.removeprefix("setting ") in learner.extensible:
            continue
        if name not in recorded and value == defaults.get(name):  # an option newer than the checkpoint
            continue
        if (type(other), other) != (type(value), value):
            raise LearnerStateError(
                f"{path} belongs to another run: {name} is {quote(other)}, not {quote(value)}"
            )


def _flat(facts: Mapping[str, Any]) -> dict[str, object]:  # JSON values
    """Return facts in a flat dictionary, together with the game's options and the learner's settings."""
    flat = {name: value for name, value in facts.items() if not isinstance(value, dict)}
    for prefix in ("option", "setting"):
        table = facts.get(f"{prefix}s")
        if isinstance(table, dict):
            flat |= {f"{prefix} {name}": value for name, value in table.items()}
    return flat


def _parse_progress(header: Mapping[str, Any], path: Path) -> Progress:  # JSON values
    provenance = header.get("provenance")
    metrics = provenance.get("metrics") if isinstance(provenance, dict) else None
    names = ("step", "best", "best_step", "length", "is_done", "code")
    values: dict[str, Any] = {name: header.get(name) for name in names}  # JSON values
    if not (
        header.get("schema") == SCHEMA
        and is_step(values["step"])
        and is_step(values["best_step"])
        and (values["length"] is None or is_step(values["length"]))
        and (values["best"] is None or is_finite(values["best"]))
        and isinstance(values["is_done"], bool)
        and isinstance(values["code"], str)
        and isinstance(metrics, dict)
        and all(value is None or is_finite(value) for value in metrics.values())
    ):
        raise WeightsError(f"{path} is not a checkpoint")
    return Progress(**values, metrics=metrics)
