"""Training runs as `boardgames runs` lists them: their config, progress and status."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from boardgames.errors import BoardgamesError, FileError, WeightsError
from boardgames.learning.checkpoints import checkpoint_paths, read_progress
from boardgames.learning.config import Config
from boardgames.learning.metrics import Progress
from boardgames.learning.runs import CONFIG, is_running, read_config
from boardgames.learning.status import RunFacts, Status
from boardgames.paths import runs_folder
from boardgames.weights.lookup import BEST, run_names


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

    @property
    def facts(self) -> RunFacts:
        """Return what lists of runs show, as data."""
        config, progress = self.config, self.progress
        return RunFacts(
            game=None if config is None else config.game,
            learner=None if config is None else config.learner,
            seed=None if config is None else config.seed,
            step=progress.step,
            length=progress.length,
            best=progress.best,
            best_step=progress.best_step,
            state=self.status,
            error=self.error,
        )


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
            if path.exists():  # the process that trains may just have removed an old checkpoint
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
