"""Checkpoints: the state of a learner after a step, in a file that is one of weights too.

The file has the array `weights`, the arrays of the state as `state.NAME`, and
in its header what `Weights` reads, the scalars of the state and how far the
run was. It says no time and no place: equal runs have equal bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from boardgames.errors import LearnerStateError, WeightsError, shown
from boardgames.learner import Array, Learner, LearnerState
from boardgames.learning.base import FeatureLearner
from boardgames.learning.config import Config, settings_of
from boardgames.learning.metrics import is_step
from boardgames.options import is_finite
from boardgames.weights import Weights
from boardgames.weights.files import as_bytes, read_arrays
from boardgames.weights.weights import SCHEMA, VALUES

STATE = "state."


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run was.

    Attributes
    ----------
    step : int
        Steps that were done.
    best : float or None
        Largest value of the learner's curve; None if no step had one.
    best_step : int
        The step whose weights are the best.
    length : int or None
        Steps in all, if that is known.
    is_done : bool
        Training is complete.
    code : str
        Stamp of the code that made it.
    metrics : mapping
        Of the last step.
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
        """Return it one step later; `curve` names the metric that shows how good weights are.

        Unless the result follows it, the last step is the best.

        Examples
        --------
        >>> better = Progress().after({"score": 0.5}, "score").after({"score": 0.25}, "score")
        >>> better.step, better.best, better.best_step
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


def checkpoint_bytes(state: LearnerState, progress: Progress, learner: Learner, config: Config) -> bytes:
    """Return the content of a checkpoint.

    Raises
    ------
    WeightsError, LearnerStateError
        If the weights are not finite, or the state cannot be written.
    """
    provenance: dict[str, object] = {
        **_origin(learner, config),
        "step": progress.step,
        "metrics": dict(progress.metrics),
    }
    if isinstance(learner, FeatureLearner):
        weights = replace(learner.result(state), provenance=provenance)
        values, header = weights.values, weights.header()
    else:
        values = np.asarray(learner.weights(state), dtype=np.float64)
        header = {"schema": SCHEMA, "game": learner.game.facts.name, "provenance": provenance}
    header |= {
        "state": dict(state.scalars),
        "step": progress.step,
        "best": progress.best,
        "best_step": progress.best_step,
        "length": progress.length,
        "is_done": progress.is_done,
        "code": progress.code,
    }
    arrays = {VALUES: values, **{f"{STATE}{name}": array for name, array in state.arrays.items()}}
    try:
        return as_bytes(arrays, header)
    except (ValueError, TypeError, KeyError) as error:
        raise LearnerStateError(
            f"expected a state of arrays and finite scalars from {config.learner}: {shown(str(error))}"
        ) from None


def read_checkpoint(path: Path, learner: Learner, config: Config) -> tuple[LearnerState, Progress]:
    """Return the state of a checkpoint, and how far the run was.

    Raises
    ------
    FileError, WeightsError
        If it cannot be read or is damaged.
    LearnerStateError
        If it is of another run, or its state is none of the learner's.
    """
    arrays, header = read_arrays(path)
    _check_origin(header, learner, config, path)
    if isinstance(learner, FeatureLearner):
        Weights.of_file(arrays, header, path).check(learner.game, learner.features)
    progress, scalars = _progress(header, path), header.get("state")
    if not isinstance(scalars, dict):
        raise WeightsError(f"expected a checkpoint: {path}")
    # copies: where the format leaves an array in memory is not where a learner has put it
    state: dict[str, Array] = {
        name.removeprefix(STATE): np.array(array, order="C")
        for name, array in arrays.items()
        if name.startswith(STATE)
    }
    found = LearnerState(state, scalars)
    if isinstance(learner, FeatureLearner):
        assert config.seed is not None
        _check_state(found, learner.start(config.seed), path)
    return found, progress


def read_progress(path: Path) -> Progress:
    """Return how far the run of a checkpoint was, whichever run that is.

    Raises
    ------
    FileError, WeightsError
        If it cannot be read or is damaged.
    """
    return _progress(read_arrays(path)[1], path)


def _origin(learner: Learner, config: Config) -> dict[str, object]:
    """Return what makes a run the one that it is, but for its game."""
    return {
        "learner": config.learner,
        "layout": learner.game.layout,
        "options": dict(learner.game.options),
        "settings": settings_of(learner),
        "seed": config.seed,
    }


def _check_origin(header: Mapping[str, Any], learner: Learner, config: Config, path: Path) -> None:
    """Raise what differs between the run that made a checkpoint and this one."""
    provenance = header.get("provenance")
    if not isinstance(provenance, dict):
        raise WeightsError(f"expected a checkpoint: {path}")
    came = _flat({**provenance, "game": header.get("game")})
    for name, value in _flat({"game": learner.game.facts.name, **_origin(learner, config)}).items():
        other = came.get(name, "nothing")
        if (type(other), other) != (type(value), value):
            raise LearnerStateError(
                f"expected a checkpoint of this run, {name} {shown(value)}: {path} has {shown(other)}"
            )


def _flat(facts: Mapping[str, Any]) -> dict[str, object]:  # JSON values
    """Return facts with those of tables beside the others."""
    tables = [facts[name] if isinstance(facts.get(name), dict) else {} for name in ("options", "settings")]
    flat = {f"{name}": value for name, value in facts.items() if not isinstance(value, dict)}
    return {
        **flat,
        **{f"option {key}": value for key, value in tables[0].items()},
        **{f"setting {key}": value for key, value in tables[1].items()},
    }


def _check_state(state: LearnerState, first: LearnerState, path: Path) -> None:
    """Raise what a state has otherwise than the learner's first; only arrays that begin empty grow.

    Compiled code trusts the shapes.
    """
    scalars = {name: type(value) for name, value in state.scalars.items()}
    if scalars != {name: type(value) for name, value in first.scalars.items()}:
        raise LearnerStateError(f"expected a state with scalars {', '.join(first.scalars)}: {path}")
    if "step" in scalars and not is_step(state.scalars["step"]):
        raise LearnerStateError(f"expected a number of steps: {shown(state.scalars['step'])} in {path}")
    if state.arrays.keys() != first.arrays.keys():
        raise LearnerStateError(f"expected a state with arrays {', '.join(first.arrays)}: {path}")
    for name, array in state.arrays.items():
        begun = first.arrays[name]
        fixed = 1 if begun.shape[:1] == (0,) else 0
        is_alike = array.dtype == begun.dtype and array.ndim == begun.ndim
        if not is_alike or array.shape[fixed:] != begun.shape[fixed:]:
            raise LearnerStateError(
                f"expected an array {name} of shape {begun.shape} and {begun.dtype}: "
                f"{array.shape} and {array.dtype} in {path}"
            )


def _progress(header: Mapping[str, Any], path: Path) -> Progress:  # JSON values
    provenance = header.get("provenance")
    metrics = provenance.get("metrics") if isinstance(provenance, dict) else None
    names = ("step", "best", "best_step", "length", "is_done", "code")
    found: dict[str, Any] = {name: header.get(name) for name in names}  # JSON values
    wholes = [found["step"], found["best_step"], *([] if found["length"] is None else [found["length"]])]
    if not (
        header.get("schema") == SCHEMA
        and all(is_step(whole) for whole in wholes)
        and (found["best"] is None or is_finite(found["best"]))
        and isinstance(found["is_done"], bool)
        and isinstance(found["code"], str)
        and isinstance(metrics, dict)
        and all(value is None or is_finite(value) for value in metrics.values())
    ):
        raise WeightsError(f"expected a checkpoint: {path}")
    return Progress(**found, metrics=metrics)
