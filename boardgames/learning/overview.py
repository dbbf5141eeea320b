"""What there is of training runs, read from their folders without loading a game."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from boardgames.errors import BoardgamesError, FileError, WeightsError
from boardgames.learning.checkpoint import Progress, read_progress
from boardgames.learning.config import Config
from boardgames.learning.run import CONFIG, checkpoints, is_claimed, read_config
from boardgames.paths import runs_folder
from boardgames.weights.finding import BEST, run_names

Status = Literal["running", "finished", "stopped", "broken"]


@dataclass(frozen=True, slots=True)
class Overview:
    """One run as a list shows it.

    Attributes
    ----------
    name : str
        Of its folder.
    folder : Path
        Where it is.
    status : str
        `running`, by some process now; `finished`; `stopped`, to be gone on
        with; or `broken`.
    config : Config or None
        None if it cannot be read.
    progress : Progress
        How far it is.
    error : str or None
        What is wrong with a broken one.
    begun : float
        Seconds since 1970.
    """

    name: str
    folder: Path
    status: Status
    config: Config | None = None
    progress: Progress = field(default_factory=Progress)
    error: str | None = None
    begun: float = 0.0


def overviews() -> list[Overview]:
    """Return all that is in the user's folder of runs, the newest first."""
    found = [overview(runs_folder() / name) for name in run_names()]
    return sorted(found, key=lambda one: one.begun, reverse=True)


def overview(folder: Path) -> Overview:
    """Return how a run stands; one that is broken says why."""
    begun = _changed(folder / CONFIG) or _changed(folder)
    name = folder.name or folder.resolve().name or str(folder)  # of "." and of "/"
    try:
        config, progress = read_config(folder), _progress(folder)
    except BoardgamesError as error:
        return Overview(name, folder, "broken", error=str(error), begun=begun)
    status: Status = "running" if is_claimed(folder) else "finished" if progress.is_done else "stopped"
    return Overview(name, folder, status, config, progress, begun=begun)


def _progress(folder: Path) -> Progress:
    """Return how far a run is by its newest checkpoint that can be read; not begun if it has none."""
    errors: list[BoardgamesError] = []
    for path in _candidates(folder):
        try:
            return read_progress(path)
        except (WeightsError, FileError) as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return Progress()


def _candidates(folder: Path) -> Iterator[Path]:
    yield from reversed(checkpoints(folder))
    if (folder / BEST).is_file():
        yield folder / BEST


def _changed(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0
