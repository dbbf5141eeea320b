"""Run: the folder of a training run, which one process at a time may write to.

config.toml                     what is trained, complete
metrics.jsonl                   one line a step
checkpoints/step-000012.safetensors, of the last three steps
checkpoints/best.safetensors    the best of all
"""

import os
import re
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from boardgames.errors import FileError, OptionError, UnknownNameError, WeightsError, near, shown
from boardgames.learner import Learner, LearnerState
from boardgames.learning.checkpoint import Progress, checkpoint_bytes, read_checkpoint
from boardgames.learning.config import Config
from boardgames.learning.metrics import Stepped, append, cut, read_metrics
from boardgames.paths import make_folder, runs_folder, write_atomic
from boardgames.store.claim import Claim
from boardgames.weights.finding import BEST, is_plain_name, run_names

CONFIG = "config.toml"
METRICS = "metrics.jsonl"
LOCK = "lock"
KEPT = 3
"""Checkpoints of so many last steps stay."""
PATIENCE_S = 1.0
"""Whoever lists runs may hold a claim for a moment."""

_STEP = re.compile(r"step-(\d{6,})\.safetensors")
_UNFINISHED = re.compile(r"\.(config\.toml|metrics\.jsonl|step-\d+|best\.safetensors)\b.*")
"""Files that a killed process was writing."""


class Run:
    """The folder of a run, claimed; made by `create` or `open`, given back by `close`.

    Attributes
    ----------
    folder : Path
        Its name is the name of the run.
    config : Config
        Complete.
    learner : Learner
        As the config has it.

    Examples
    --------
    >>> import tempfile
    >>> config = Config("connect4", settings={"steps": 1, "matches": 2, "test_matches": 0})
    >>> with tempfile.TemporaryDirectory() as folder, Run.create(Path(folder) / "first", config) as run:
    ...     run.name, run.learner.length, sorted(path.name for path in run.folder.iterdir())
    ('first', 1, ['config.toml', 'lock'])
    """

    def __init__(self, folder: Path, config: Config, learner: Learner, claim: Claim) -> None:
        self.folder, self.config, self.learner, self._claim = folder, config, learner, claim

    @classmethod
    def create(cls, folder: Path, config: Config, learner: Learner | None = None) -> Self:
        """Return a new run in a folder that is not there, or empty.

        Parameters
        ----------
        folder : Path
            Made with its parents.
        config : Config
            Its defaults are filled in, the seed among them.
        learner : Learner, optional
            That of the config, if it is loaded already.

        Raises
        ------
        OptionError
            If the config is too long, or the name has signs that no line can show.
        FileError
            If there is something in the folder, it cannot be written, or another process has it.
        BoardgamesError
            If the learner cannot be loaded.
        """
        learner = config.load() if learner is None else learner
        completed = config.completed(learner)
        text = completed.as_toml(learner)
        Config.parse(text, CONFIG)  # so that it can be gone on with
        if not folder.name.isprintable():
            raise OptionError(f"expected a name of printable signs for a run: {shown(folder.name)}")
        is_there = os.path.lexists(folder)
        _check_empty(make_folder(folder))
        claim = _claimed(folder)
        try:
            _check_empty(folder)  # again, now that nobody else writes
            write_atomic(folder / CONFIG, text)
        except BaseException:
            claim.release()
            with suppress(OSError):
                if not is_there:
                    folder.rmdir()
            raise
        return cls(folder, completed, learner, claim)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Return a run that is there, to go on with it.

        Raises
        ------
        UnknownNameError
            If the folder holds no run.
        FileError
            If another process has it, or it cannot be read.
        BoardgamesError
            If its config is broken, or its learner cannot be loaded.
        """
        read_config(folder)  # before anything is made in a folder that is no run
        claim = _claimed(folder)
        try:
            config = read_config(folder)
            run = cls(folder, config, config.load(), claim)
            run._clean()
        except BaseException:
            claim.release()
            raise
        return run

    def close(self) -> None:
        """Give the folder back."""
        self._claim.release()

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

    def load(self) -> tuple[LearnerState, Progress, list[Stepped]] | None:
        """Return where the run stopped, with its steps so far; None if it has not begun.

        That is the newest checkpoint that can be read, with a warning about
        those that cannot. Metrics of later steps are cut off.

        Raises
        ------
        WeightsError
            If there are checkpoints and none can be read, or steps and no checkpoints.
        LearnerStateError
            If a checkpoint is of another run, or its state is none of the learner's.
        FileError
            If the metrics cannot be read or written.
        """
        paths = [path for path in (*reversed(checkpoints(self.folder)), self.best_path) if path.exists()]
        for path in paths:
            try:
                state, progress = self._read(path)
            except (WeightsError, FileError) as error:
                warnings.warn(f"a checkpoint is left out: {error}", RuntimeWarning, stacklevel=2)
                continue
            steps = cut(self.metrics_path, progress.step)
            self._mend(state, progress)
            return state, progress, steps
        if paths:
            raise WeightsError(f"expected a checkpoint that can be read: none of {self.folder} can be")
        if read_metrics(self.metrics_path):
            raise WeightsError(f"expected the checkpoints of a run that has begun: {self.folder} has none")
        cut(self.metrics_path, 0)
        return None

    def cut(self, step: int) -> list[Stepped]:
        """Leave in the metrics what is of steps up to `step`, each once, and return it.

        Raises
        ------
        FileError
            If they cannot be read or written.
        """
        return cut(self.metrics_path, step)

    def save(self, state: LearnerState, progress: Progress) -> None:
        """Write the checkpoint of a step, again as the best if it is that, and remove old ones.

        Raises
        ------
        FileError
            If it cannot be written; those before are there.
        WeightsError, LearnerStateError
            If the state cannot be saved.
        """
        content = checkpoint_bytes(state, progress, self.learner, self.config)
        write_atomic(checkpoint_path(self.folder, progress.step), content)
        if progress.best_step == progress.step:
            write_atomic(self.best_path, content)
        for path in checkpoints(self.folder)[:-KEPT]:
            with suppress(OSError):  # what cannot be removed is no reason to stop
                path.unlink()

    def append(self, stepped: Stepped) -> None:
        """Add a step to the metrics.

        Raises
        ------
        FileError
            If they cannot be written.
        """
        append(self.metrics_path, stepped)

    def _mend(self, state: LearnerState, progress: Progress) -> None:
        """Write the best checkpoint if a kill came between it and the step's own."""
        try:
            best = read_checkpoint(self.best_path, self.learner, self.config)[1].step
        except (WeightsError, FileError):
            best = None
        if progress.best_step == progress.step != best:
            self.save(state, progress)

    def _read(self, path: Path) -> tuple[LearnerState, Progress]:
        """Return what a checkpoint has; its name says of which step it is."""
        state, progress = read_checkpoint(path, self.learner, self.config)
        if path not in (checkpoint_path(self.folder, progress.step), self.best_path):
            raise WeightsError(f"expected a checkpoint of the step of its name: {path} has {progress.step}")
        return state, progress

    def _clean(self) -> None:
        """Remove what a killed process was writing."""
        for folder in (self.folder, self.folder / BEST.parent):
            for path in folder.iterdir() if folder.is_dir() else ():
                if _UNFINISHED.fullmatch(path.name):
                    with suppress(OSError):  # a folder, say
                        path.unlink()


def checkpoint_path(folder: Path, step: int) -> Path:
    """Return where a run has the checkpoint of a step.

    Examples
    --------
    >>> checkpoint_path(Path("run"), 12).name
    'step-000012.safetensors'
    """
    return folder / BEST.parent / f"step-{step:06d}.safetensors"


def checkpoints(folder: Path) -> list[Path]:
    """Return the checkpoints of a run's last steps, the newest last."""
    found = {int(match[1]): path for path, match in _matched(folder / BEST.parent) if match}
    return [found[step] for step in sorted(found)]


def read_config(folder: Path) -> Config:
    """Return the config of a run.

    Raises
    ------
    UnknownNameError
        If the folder holds no run.
    OptionError, FileError
        If the config is broken, or cannot be read.
    """
    path = folder / CONFIG
    try:
        is_there = path.is_file()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f"expected a readable file: {path} ({reason})") from None
    if not is_there:
        raise UnknownNameError(f"expected the folder of a training run: {folder} has no {CONFIG}")
    config = Config.read(path)
    if config.seed is None:
        raise OptionError(f"expected a seed in {path}: it has none")
    return config


def find_run(text: str) -> Path:
    """Return the folder of a run: by its name in the user's folder of runs, or by its path.

    Raises
    ------
    UnknownNameError
        If there is none; the message names near ones.
    """
    with suppress(OSError, ValueError, RuntimeError):
        named = runs_folder() / text
        if is_plain_name(text) and named.is_dir():
            return named
        path = Path(text).expanduser()
        if text and path.is_dir():
            return path
    raise UnknownNameError(f"expected a training run: {shown(text)}{near(text, run_names())}")


def is_claimed(folder: Path) -> bool:
    """Say whether a process has a run."""
    path = folder / LOCK
    if not path.exists():  # a claim that is tried makes the file
        return False
    try:
        claim = Claim.of(path)
    except OSError:
        return False
    if claim is not None:
        claim.release()
    return claim is None


def _check_empty(folder: Path) -> None:
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f"expected a folder that can be read: {folder} ({reason})") from None
    if any(name != LOCK and not _UNFINISHED.fullmatch(name) for name in names):
        raise FileError(f"expected a new or empty folder for a run: {folder}")


def _claimed(folder: Path) -> Claim:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            claim = Claim.of(folder / LOCK)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise FileError(f"expected a folder that can be written: {folder} ({reason})") from None
        if claim is not None:
            return claim
        if time.monotonic() > deadline:
            raise FileError(f"expected a run that no other process has: {folder}")
        time.sleep(0.05)


def _matched(folder: Path) -> Iterator[tuple[Path, re.Match[str] | None]]:
    with suppress(OSError):
        for path in folder.iterdir():
            yield path, _STEP.fullmatch(path.name)
