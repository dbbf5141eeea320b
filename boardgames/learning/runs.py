"""Training runs: one folder each, written by one process at a time.

    config.toml                            the complete config: what to train, and how
    metrics.jsonl                          one line per step
    measurement.json                       strength of the result, see `measurement`
    checkpoints/step-000012.safetensors    the last three steps
    checkpoints/best.safetensors           the best step

Files of a run are never written through links: a folder that contains a link is not resumed.
"""

import os
import re
import time
import warnings
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Self

from boardgames.draw.tables import fact_table, table
from boardgames.errors import FileError, OptionError, UnknownNameError, WeightsError, quote, suggest
from boardgames.learner import Learner, LearnerState
from boardgames.learning.checkpoints import (
    checkpoint_bytes,
    checkpoint_path,
    checkpoint_paths,
    read_checkpoint,
)
from boardgames.learning.config import Config
from boardgames.learning.metrics import (
    METRICS,
    Progress,
    StepRecord,
    is_regular_file,
    read_metrics,
    truncate_metrics,
)
from boardgames.paths import describe_os_error, make_folder, read_bytes, runs_folder, write_atomic
from boardgames.store.lock import RunLock
from boardgames.weights.lookup import BEST, is_plain_name, run_names

CONFIG = "config.toml"
MEASUREMENT = "measurement.json"
MEASURING = "measurement"
"""Folder with the matches of a measurement that is not complete."""
LOCK = "lock"
KEPT_CHECKPOINTS = 3
SHOWN_STEPS = 5
"""Number of the newest steps that a notebook shows of a run."""
LOCK_TIMEOUT_S = 1.0
"""How long to wait for a lock, since `boardgames runs` holds each for a moment to see whether it is free."""

_TEMPORARY_NAME = re.compile(
    r"\.(config\.toml|metrics\.jsonl|measurement\.json|step-\d+|(best|start)\.safetensors)\b.*"
)
"""Names of temporary files that a killed process leaves behind."""


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
            _check_empty(folder)  # checked again under the lock, now that nobody else writes
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
            Options of the learner that set the length of the run (`Learner.extensible`), to continue a
            finished run or to end a run earlier.
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
            _check_links(folder)  # checked again under the lock, now that nobody else writes
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
        """Return the state, progress and steps of the newest readable checkpoint; None if there are none.

        Warns about checkpoints that cannot be read. Metrics of later steps are removed.

        Raises
        ------
        WeightsError
            If none of the checkpoints can be read, or there are metrics but no checkpoints.
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

    def __repr__(self) -> str:
        return f"<Run {self.name}: {self.config.game}, {self.config.learner}>"

    def _repr_html_(self) -> str:
        config = self.config
        facts = [("Game", config.game), ("Learner", config.learner), ("Seed", config.seed)]
        facts += [("Layout", config.layout)] if config.layout else []
        try:
            steps = read_metrics(self.metrics_path)
        except FileError as error:
            return fact_table(f"Run {self.name}", [*facts, ("Steps", error)])
        html = fact_table(f"Run {self.name}", [*facts, ("Steps", f"{len(steps)} of {self.learner.length}")])
        newest = steps[-SHOWN_STEPS:]
        names = list(dict.fromkeys(name for step in newest for name in step.metrics))
        if not newest:
            return html
        rows = [(step.step, *(_metric_text(step.metrics.get(name)) for name in names)) for step in newest]
        return html + table("Newest steps", ["step", *names], rows)

    def truncate_metrics(self, step: int) -> list[StepRecord]:
        """Delete the metrics after a step, and return the ones up to it."""
        return truncate_metrics(self.metrics_path, step)

    def append_metrics(self, record: StepRecord) -> None:
        """Append a step to the file of metrics.

        Raises
        ------
        FileError
            If writing fails; part of the line may have been written.
        """
        is_regular_file(self.metrics_path)
        try:
            with open(self.metrics_path, "ab", opener=_open_own) as file:
                file.write(record.as_line().encode())
        except OSError as error:
            raise FileError(f"cannot write {self.metrics_path}: {describe_os_error(error)}") from None

    def save_checkpoint(self, state: LearnerState, progress: Progress) -> None:
        """Write the checkpoint of a step, keep a copy if it is the best so far, and remove old ones.

        Raises
        ------
        FileError
            If it cannot be written; earlier checkpoints remain.
        WeightsError, LearnerStateError
            If the state cannot be saved.
        """
        content = checkpoint_bytes(state, progress, self.learner, self.config)
        write_atomic(checkpoint_path(self.folder, progress.step), content, follow_links=False)
        if progress.best_step == progress.step:
            write_atomic(self.best_path, content, follow_links=False)
        if progress.step == 0:
            write_atomic(self.start_path, content, follow_links=False)
        for path in checkpoint_paths(self.folder)[:-KEPT_CHECKPOINTS]:
            with suppress(OSError):  # an old checkpoint that stays does no harm
                path.unlink()

    def _read_checkpoint(self, path: Path) -> tuple[LearnerState, Progress]:
        state, progress = read_checkpoint(path, self.learner, self.config)
        if path not in (checkpoint_path(self.folder, progress.step), self.best_path):
            raise WeightsError(f"{path} is misnamed: it is the checkpoint of step {progress.step}")
        return state, progress

    def _restore_best(self, state: LearnerState, progress: Progress) -> None:
        """Rewrite a missing or damaged best checkpoint if the checkpoint of its step is intact.

        It is missing if the process was killed just after it had written the step's own checkpoint.
        """
        try:
            best = read_checkpoint(self.best_path, self.learner, self.config)[1].step
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
                    with suppress(OSError):  # a folder may have that name, for example
                        path.unlink()


def _metric_text(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


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
    """Return the name of a run if it is in the user's folder of runs, else its path."""
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
    """Raise OptionError if a run cannot be resumed with these settings."""
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
        raise FileError(
            f"{folder} already has a run; resume it with --resume {run_reference(folder)} (Run.open in "
            "Python) or choose another folder"
        )
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
    """Raise FileError if a run contains a symbolic link, because training would write through it."""
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
