"""Training runs: one folder each, written by one process at a time.

    config.toml                            complete: what to train, and how
    metrics.jsonl                          one line per step
    measurement.json                       strength of the result, see `measurement`
    checkpoints/step-000012.safetensors    the last three steps
    checkpoints/best.safetensors           the best step

A checkpoint is also a file of weights that players can use: it has the array
`weights`, the arrays of the learner's state as `state.NAME`, and a header with
what `Weights` reads, the state's scalars and the progress of the run. It has no
times and no paths, so equal runs have equal bytes. Files of a run are never
written through links: a folder that contains a link is not resumed.
"""

import json
import math
import os
import re
import stat
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from boardgames.errors import (
    BoardgamesError,
    FileError,
    LearnerStateError,
    OptionError,
    UnknownNameError,
    WeightsError,
    quote,
    suggest,
)
from boardgames.kernels import Reals
from boardgames.learner import Array, Learner, LearnerState
from boardgames.learning.base import START, WeightsLearner
from boardgames.learning.config import Config
from boardgames.options import is_finite
from boardgames.paths import describe_os_error, make_folder, read_bytes, runs_folder, write_atomic
from boardgames.store.lock import RunLock
from boardgames.weights import Weights
from boardgames.weights.files import as_bytes, read_arrays
from boardgames.weights.lookup import BEST, is_plain_name, run_names
from boardgames.weights.weights import SCHEMA as WEIGHTS_SCHEMA
from boardgames.weights.weights import VALUES

CONFIG = "config.toml"
METRICS = "metrics.jsonl"
MEASUREMENT = "measurement.json"
MEASURING = "measurement"
"""Folder with the matches of a measurement that is not complete."""
LOCK = "lock"
KEPT_CHECKPOINTS = 3
LOCK_TIMEOUT_S = 1.0
"""`boardgames runs` holds each lock for a moment to see whether it is free."""

METRICS_SCHEMA = 1
MAX_LOGGED_WEIGHTS = 1000
"""If there are more weights, lines of metrics only have a summary; checkpoints always have them."""
MAX_STEP = 10**12
MAX_STEP_SECONDS = 1e10

_GOLDEN_RATIO = (math.sqrt(5) - 1) / 2
STATE_PREFIX = "state."

_CHECKPOINT_NAME = re.compile(r"step-(\d{6,})\.safetensors")
_TEMPORARY_NAME = re.compile(
    r"\.(config\.toml|metrics\.jsonl|measurement\.json|step-\d+|(best|start)\.safetensors)\b.*"
)
"""Temporary files that a killed process leaves behind."""

# --- steps and progress -----------------------------------------------------


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
        Numbers by name; None for one that was not finite.
    weights : tuple of float
        The best weights after the step; empty if there are too many.
    standings : tuple of (str, float)
        Names and points of the learner's competitors after the step, best first; empty if there are none.
    summary : mapping
        `norm`, `min` and `max` of weights that are too many; otherwise empty.
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
        """Return the record of a line in UTF-8, or None if the line is damaged."""
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
            True if the best step is the one with the best metric, False if it is the
            last one.

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
        Return only about so many steps, spread over the file, and the last one. They stay the same
        while the file grows, until it is twice as long.

    Raises
    ------
    FileError
        If the file exists but cannot be read.
    """
    if not _is_regular_file(path):
        return []
    lines = read_bytes(path).splitlines()
    if most is not None:
        lines = [lines[place] for place in _spread(len(lines), most)]
    return [record for record in map(StepRecord.parse, lines) if record is not None]


def _spread(count: int, most: int) -> list[int]:
    """Return places in a sequence: one in each of at most `most` parts of equal length, and the last two.

    Places in their parts differ, since learners may report some metrics only in every second step.
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
    if not _is_regular_file(path):
        return []
    kept = {record.step: record for record in read_metrics(path) if record.step <= step}
    content = "".join(record.as_line() for record in kept.values()).encode()
    if content != read_bytes(path) or path.stat().st_nlink > 1:
        write_atomic(path, content, follow_links=False)
    return list(kept.values())


# --- the folder -------------------------------------------------------------


class Run:
    """The folder of a run, locked for this process; get one from `create` or `open`.

    Attributes
    ----------
    folder : Path
        Its name is the name of the run.
    config : Config
        The complete config.
    learner : Learner
        The learner of the config.

    Examples
    --------
    >>> import tempfile
    >>> config = Config("connect4", settings={"steps": 1, "matches": 2, "test_matches": 0})
    >>> with tempfile.TemporaryDirectory() as folder, Run.create(Path(folder) / "first", config) as run:
    ...     run.name, run.learner.length, sorted(path.name for path in run.folder.iterdir())
    ('first', 1, ['config.toml', 'lock'])
    """

    def __init__(self, folder: Path, config: Config, learner: Learner, lock: RunLock) -> None:
        self.folder, self.config, self.learner, self._lock = folder, config, learner, lock

    @classmethod
    def create(cls, folder: Path, config: Config, learner: Learner | None = None) -> Self:
        """Return a new run in a folder that is empty or does not exist yet.

        Parameters
        ----------
        folder : Path
            Created with its parents.
        config : Config
            Missing values, including the seed, are filled in.
        learner : Learner, optional
            The learner of the config, if it is loaded already.

        Raises
        ------
        OptionError
            If the config is too long, or the folder's name has unprintable characters.
        FileError
            If the folder is not empty, cannot be written, or is in use by another process.
        BoardgamesError
            If the learner cannot be loaded.
        """
        learner = config.load() if learner is None else learner
        completed = config.completed(learner)
        text = completed.as_toml(learner)
        Config.parse(text, CONFIG)  # fail now instead of creating a run that cannot be resumed
        if not folder.name.isprintable():
            raise OptionError(f"the run's name has unprintable characters: {quote(folder.name)}")
        existed = os.path.lexists(folder)
        _check_empty(make_folder(folder))
        lock = _lock(folder)
        try:
            _check_empty(folder)  # again, now that nobody else writes
            write_atomic(folder / CONFIG, text)
        except BaseException:
            lock.release()
            with suppress(OSError):
                if not existed:
                    folder.rmdir()
            raise
        return cls(folder, completed, learner, lock)

    @classmethod
    def open(
        cls, folder: Path, *, settings: Mapping[str, object] | None = None, target: float | None = None
    ) -> Self:
        """Return an existing run, to resume it.

        Parameters
        ----------
        settings : mapping, optional
            Options of the learner that say how long the run is (`Learner.extensible`), to go on with a run
            that is finished, or to end it earlier.
        target : float, optional
            The value of the learning curve at which training ends.

        Raises
        ------
        UnknownNameError
            If the folder is not a run.
        FileError
            If another process is using it, it cannot be read, or a file in it is a symbolic link.
        BoardgamesError
            If its config is damaged, or its learner cannot be loaded.
        """
        read_config(folder)  # before a lock is created in a folder that is not a run
        _check_links(folder)
        lock = _lock(folder)
        try:
            _check_links(folder)  # again, now that nobody else writes
            known = read_config(folder)
            config = replace(
                known,
                settings={**known.settings, **(settings or {})},
                target=known.target if target is None else target,
            )
            learner = config.load()
            _check_extensible(settings or {}, learner, folder)
            run = cls(folder, config, learner, lock)
            run._remove_temporary_files()
            if config != known:
                run.config = config.completed(learner)
                write_atomic(folder / CONFIG, run.config.as_toml(learner))
        except BaseException:
            lock.release()
            raise
        return run

    def close(self) -> None:
        """Release the lock."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        """Return the name of the run."""
        return self.folder.resolve().name

    @property
    def metrics_path(self) -> Path:
        """Return the file of metrics."""
        return self.folder / METRICS

    @property
    def best_path(self) -> Path:
        """Return the file of the best weights."""
        return self.folder / BEST

    @property
    def start_path(self) -> Path:
        """Return the file of the weights before the first step; runs of early versions have none."""
        return self.folder / BEST.parent / "start.safetensors"

    def restore(self) -> tuple[LearnerState, Progress, list[StepRecord]] | None:
        """Return the state, progress and steps of the newest readable checkpoint; None before the first.

        Warns of checkpoints that cannot be read. Metrics of later steps are removed.

        Raises
        ------
        WeightsError
            If there are checkpoints and none can be read, or metrics and no checkpoints.
        LearnerStateError
            If a checkpoint belongs to another run, or its state does not fit the learner.
        FileError
            If the metrics cannot be read or written.
        """
        paths = [path for path in (*reversed(checkpoint_paths(self.folder)), self.best_path) if path.exists()]
        for path in paths:
            try:
                state, progress = self._read_checkpoint(path)
            except (WeightsError, FileError) as error:
                warnings.warn(f"skipping a damaged checkpoint: {error}", RuntimeWarning, stacklevel=2)
                continue
            steps = self.truncate_metrics(progress.step)
            if len(steps) < progress.step:
                warnings.warn(
                    f"{self.metrics_path} has {len(steps)} of {progress.step} steps: training resumes, but "
                    "curves and tables will lack the others",
                    RuntimeWarning,
                    stacklevel=2,
                )
            self._restore_best(state, progress)
            return state, progress, steps
        if paths:
            raise WeightsError(f"cannot resume {self.folder}: none of its checkpoints can be read")
        if read_metrics(self.metrics_path):
            raise WeightsError(f"cannot resume {self.folder}: its checkpoints are missing")
        self.truncate_metrics(0)
        return None

    def truncate_metrics(self, step: int) -> list[StepRecord]:
        """Remove metrics of steps after `step` and return the others; see `truncate_metrics`."""
        return truncate_metrics(self.metrics_path, step)

    def append_metrics(self, record: StepRecord) -> None:
        """Append a step to the file of metrics.

        Raises
        ------
        FileError
            If the file cannot be written; part of the line may have been
            written.
        """
        _is_regular_file(self.metrics_path)
        try:
            with open(self.metrics_path, "ab", opener=_open_own) as file:
                file.write(record.as_line().encode())
        except OSError as error:
            raise FileError(f"cannot write {self.metrics_path}: {describe_os_error(error)}") from None

    def save_checkpoint(self, state: LearnerState, progress: Progress) -> None:
        """Write the checkpoint of a step, also as the best one if it is, and remove old ones.

        Raises
        ------
        FileError
            If it cannot be written; earlier checkpoints remain.
        WeightsError, LearnerStateError
            If the state cannot be saved.
        """
        content = _checkpoint_bytes(state, progress, self.learner, self.config)
        write_atomic(checkpoint_path(self.folder, progress.step), content, follow_links=False)
        if progress.best_step == progress.step:
            write_atomic(self.best_path, content, follow_links=False)
        if progress.step == 0:
            write_atomic(self.start_path, content, follow_links=False)
        for path in checkpoint_paths(self.folder)[:-KEPT_CHECKPOINTS]:
            with suppress(OSError):  # an old checkpoint that stays does no harm
                path.unlink()

    def _read_checkpoint(self, path: Path) -> tuple[LearnerState, Progress]:
        state, progress = _read_checkpoint(path, self.learner, self.config)
        if path not in (checkpoint_path(self.folder, progress.step), self.best_path):
            raise WeightsError(f"{path} is misnamed: it is the checkpoint of step {progress.step}")
        return state, progress

    def _restore_best(self, state: LearnerState, progress: Progress) -> None:
        """Write the best checkpoint again if it is missing or damaged and that of its step is whole.

        It is missing after a kill between writing its step's checkpoint and this one.
        """
        try:
            best = _read_checkpoint(self.best_path, self.learner, self.config)[1].step
        except (WeightsError, FileError) as error:
            best, problem = None, error
        if progress.best_step == progress.step != best:
            self.save_checkpoint(state, progress)
        elif best is None:
            path = checkpoint_path(self.folder, progress.best_step)
            try:
                self._read_checkpoint(path)
            except (WeightsError, FileError):
                warnings.warn(f"the best weights so far are lost: {problem}", RuntimeWarning, stacklevel=3)
            else:
                write_atomic(self.best_path, read_bytes(path), follow_links=False)

    def _remove_temporary_files(self) -> None:
        for folder in (self.folder, self.folder / BEST.parent):
            for path in folder.iterdir() if folder.is_dir() else ():
                if _TEMPORARY_NAME.fullmatch(path.name):
                    with suppress(OSError):  # for example, a folder of that name
                        path.unlink()


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


def read_config(folder: Path) -> Config:
    """Return the config of a run.

    Raises
    ------
    UnknownNameError
        If the folder is not a run.
    OptionError, FileError
        If the config is damaged or cannot be read.
    """
    path = folder / CONFIG
    try:
        exists = path.is_file()
    except OSError as error:
        raise FileError(f"cannot read {path}: {describe_os_error(error)}") from None
    if not exists:
        raise UnknownNameError(f"{folder} is not a training run: it has no {CONFIG}")
    config = Config.read(path)
    if config.seed is None:
        raise OptionError(f"{path} has no seed")
    return config


def find_run(text: str) -> Path:
    """Return the folder of a run, given its name in the user's folder of runs or its path.

    Raises
    ------
    UnknownNameError
        If there is no such run; the message suggests similar names.
    """
    with suppress(OSError, ValueError, RuntimeError):
        named = runs_folder() / text
        if is_plain_name(text) and named.is_dir():
            return named
        path = Path(text).expanduser()
        if text and path.is_dir():
            return path
    raise UnknownNameError(f"no such run {quote(text)}{suggest(text, run_names())}")


def run_reference(folder: Path) -> str:
    """Return the name of a run in the user's folder, or the path of any other."""
    return folder.name if folder == runs_folder() / folder.name else str(folder)


def is_running(folder: Path) -> bool:
    """Return whether a process is using a run."""
    path = folder / LOCK
    if not path.exists():  # trying the lock would create the file
        return False
    try:
        lock = RunLock.try_acquire(path)
    except OSError:
        return False
    if lock is not None:
        lock.release()
    return lock is None


def _check_extensible(settings: Mapping[str, object], learner: Learner, folder: Path) -> None:
    """Raise OptionError if one of the settings would change what a run has done so far."""
    for name in settings:
        if name not in learner.extensible:
            possible = ", ".join(option for option in learner.extensible if option in learner.options)
            what = f"only {possible}" if possible else "no settings"
            new = f"--from {run_reference(folder)} starts a new run with its weights"
            raise OptionError(f"--resume can change {what}, not {name}; {new}")
    done = max((int(path.stem.removeprefix("step-")) for path in checkpoint_paths(folder)), default=0)
    if settings and learner.length is not None and learner.length < done:
        names = ", ".join(f"{name}={quote(value)}" for name, value in settings.items())
        raise OptionError(f"{names} is too few: the run has already done {done} steps")


def _check_empty(folder: Path) -> None:
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError as error:
        raise FileError(f"cannot read {folder}: {describe_os_error(error)}") from None
    if CONFIG in names:
        raise FileError(f"there is a run in {folder} already; --resume {run_reference(folder)} continues it")
    if any(name != LOCK and not _TEMPORARY_NAME.fullmatch(name) for name in names):
        raise FileError(f"cannot create a run in {folder}: the folder is not empty")


def _lock(folder: Path) -> RunLock:
    deadline = time.monotonic() + LOCK_TIMEOUT_S
    while True:
        try:
            lock = RunLock.try_acquire(folder / LOCK)
        except OSError as error:
            raise FileError(f"cannot write to {folder}: {describe_os_error(error)}") from None
        if lock is not None:
            return lock
        if time.monotonic() > deadline:
            raise FileError(f"another process is using the run {folder}")
        time.sleep(0.05)


def _open_own(path: str, flags: int) -> int:
    """Open a file of a run without following a symbolic link."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _check_links(folder: Path) -> None:
    """Raise FileError if a run holds a symbolic link: training would write to another place."""
    for place in (folder, folder / BEST.parent, folder / MEASURING):
        try:
            linked = [path for path in sorted(place.iterdir()) if path.is_symlink()]
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise FileError(f"cannot read {place}: {describe_os_error(error)}") from None
        if linked:
            raise FileError(
                f"cannot resume {folder}: {linked[0]} is a link; put a copy of the file in its place"
            )


def _is_regular_file(path: Path) -> bool:
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


# --- checkpoints ------------------------------------------------------------


def read_progress(path: Path) -> Progress:
    """Return the progress that a checkpoint of any run records.

    Raises
    ------
    FileError, WeightsError
        If it cannot be read or is damaged.
    """
    return _parse_progress(read_arrays(path)[1], path)


def _checkpoint_bytes(state: LearnerState, progress: Progress, learner: Learner, config: Config) -> bytes:
    provenance: dict[str, object] = {
        **_origin(learner, config),
        "step": progress.step,
        "metrics": dict(progress.metrics),
    }
    if isinstance(learner, WeightsLearner):
        weights = replace(learner.result(state), provenance=provenance)
        arrays, header = weights.arrays(), weights.header()
    else:
        arrays = {VALUES: np.asarray(learner.weights(state), dtype=np.float64)}
        header = {"schema": WEIGHTS_SCHEMA, "game": learner.game.facts.name, "provenance": provenance}
        header |= learner.header(state)
    header |= {
        "state": dict(state.scalars),
        "step": progress.step,
        "best": progress.best,
        "best_step": progress.best_step,
        "length": progress.length,
        "is_done": progress.is_done,
        "code": progress.code,
    }
    arrays |= {f"{STATE_PREFIX}{name}": array for name, array in state.arrays.items()}
    try:
        return as_bytes(arrays, header)
    except (ValueError, TypeError, KeyError) as error:
        raise LearnerStateError(
            f"cannot save the state of learner {config.learner!r}, which must be arrays and finite "
            f"scalars: {quote(str(error))}"
        ) from None


def _read_checkpoint(path: Path, learner: Learner, config: Config) -> tuple[LearnerState, Progress]:
    arrays, header = read_arrays(path)
    _check_origin(header, learner, config, path)
    if isinstance(learner, WeightsLearner):
        Weights.from_arrays(arrays, header, path).check(learner.game, learner.features)
    progress, scalars = _parse_progress(header, path), header.get("state")
    if not isinstance(scalars, dict):
        raise WeightsError(f"{path} is not a checkpoint")
    # copies, so that the arrays are aligned like those of a learner
    state_arrays: dict[str, Array] = {
        name.removeprefix(STATE_PREFIX): np.array(array, order="C")
        for name, array in arrays.items()
        if name.startswith(STATE_PREFIX)
    }
    state = LearnerState(state_arrays, scalars)
    if isinstance(learner, WeightsLearner):
        assert config.seed is not None
        _check_state(state, _first_state(learner, config.seed), path)
    return state, progress


def _first_state(learner: Learner, seed: int) -> LearnerState:
    """Return the first state of a learner; the weights that it started with may be gone."""
    if learner.options.get(START.name) is not None:
        learner = type(learner)(learner.game, **{**learner.options, START.name: None})
    return learner.start(seed)


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
    """Return facts with the game's options and the learner's settings on the same level."""
    flat = {name: value for name, value in facts.items() if not isinstance(value, dict)}
    for prefix in ("option", "setting"):
        table = facts.get(f"{prefix}s")
        if isinstance(table, dict):
            flat |= {f"{prefix} {name}": value for name, value in table.items()}
    return flat


def _check_state(state: LearnerState, first: LearnerState, path: Path) -> None:
    """Raise LearnerStateError unless a state has the structure of the learner's first state.

    Compiled code trusts the shapes. Only arrays that are empty at first may grow; checkpoints of earlier
    versions may lack those.
    """
    scalars = {name: type(value) for name, value in state.scalars.items()}
    if scalars != {name: type(value) for name, value in first.scalars.items()}:
        raise LearnerStateError(f"the state in {path} must have the scalars {', '.join(first.scalars)}")
    if "step" in scalars and not is_step(state.scalars["step"]):
        raise LearnerStateError(f"the state in {path} has a bad step: {quote(state.scalars['step'])}")
    needed = {name for name, array in first.arrays.items() if array.size}
    if not needed <= state.arrays.keys() <= first.arrays.keys():
        raise LearnerStateError(f"the state in {path} must have the arrays {', '.join(first.arrays)}")
    for name, array in state.arrays.items():
        expected = first.arrays[name]
        fixed = 1 if expected.shape[:1] == (0,) else 0
        is_same_kind = array.dtype == expected.dtype and array.ndim == expected.ndim
        if not is_same_kind or array.shape[fixed:] != expected.shape[fixed:]:
            raise LearnerStateError(
                f"the state's array {name!r} in {path} must be {expected.dtype} of shape {expected.shape}, "
                f"not {array.dtype} of shape {array.shape}"
            )


def _parse_progress(header: Mapping[str, Any], path: Path) -> Progress:  # JSON values
    provenance = header.get("provenance")
    metrics = provenance.get("metrics") if isinstance(provenance, dict) else None
    names = ("step", "best", "best_step", "length", "is_done", "code")
    values: dict[str, Any] = {name: header.get(name) for name in names}  # JSON values
    if not (
        header.get("schema") == WEIGHTS_SCHEMA
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


# --- summaries --------------------------------------------------------------

Status = Literal["running", "finished", "stopped", "broken"]


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run as `boardgames runs` lists it.

    Attributes
    ----------
    name : str
        Name of the folder.
    folder : Path
        The folder.
    status : str
        `running` in some process, `finished`, `stopped` (it can be resumed), or `broken`.
    config : Config or None
        None if it cannot be read.
    progress : Progress
        Progress of the run.
    error : str or None
        What is wrong with a broken run.
    created : float
        When the run was created, in seconds since 1970.
    """

    name: str
    folder: Path
    status: Status
    config: Config | None = None
    progress: Progress = field(default_factory=Progress)
    error: str | None = None
    created: float = 0.0


def list_runs() -> list[RunSummary]:
    """Return the runs in the user's folder, newest first; no game is loaded."""
    summaries = [run_summary(runs_folder() / name) for name in run_names()]
    return sorted(summaries, key=lambda summary: summary.created, reverse=True)


def run_summary(folder: Path) -> RunSummary:
    """Return the summary of a run; if the run is broken, `error` explains why."""
    created = _modified(folder / CONFIG) or _modified(folder)
    name = folder.name or folder.resolve().name or str(folder)  # "." and "/" have no name
    try:
        config, progress = read_config(folder), _newest_progress(folder)
    except BoardgamesError as error:
        return RunSummary(name, folder, "broken", error=str(error), created=created)
    status: Status = "running" if is_running(folder) else "finished" if progress.is_done else "stopped"
    return RunSummary(name, folder, status, config, progress, created=created)


def _newest_progress(folder: Path) -> Progress:
    """Return the progress in the newest readable checkpoint, or that of a new run."""
    first_error: BoardgamesError | None = None
    for path in _newest_first(folder):
        try:
            return read_progress(path)
        except (WeightsError, FileError) as error:
            if path.exists():  # a process in training removes old checkpoints
                first_error = first_error or error
    if first_error is not None:
        raise first_error
    return Progress()


def _newest_first(folder: Path) -> Iterator[Path]:
    yield from reversed(checkpoint_paths(folder))
    if (folder / BEST).is_file():
        yield folder / BEST


def _modified(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0
