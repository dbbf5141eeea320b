"""Logs the metrics of training runs for TensorBoard if tensorboardX (extra `tensorboard`) is installed.

Each run has its log in its own folder: `tensorboard --logdir FOLDER`.
`BOARDGAMES_BLOCK=tensorboard` disables the plug-in.
"""

import atexit
import os
import time
from pathlib import Path
from typing import Any

from boardgames.hookspecs import hookimpl

FOLDER = "tensorboard"


@hookimpl
def bg_training_stepped(step: int, metrics: dict[str, float], folder: Path) -> None:
    """Write the metrics of a step to the run's log."""
    log = _log_of(folder / FOLDER, step)
    if log is not None:
        log.write(step, metrics)


class _Log:
    """An open log. The calling thread writes to it, so that the caller sees every error."""

    def __init__(self, folder: Path, step: int) -> None:
        from tensorboardX.event_file_writer import EventsWriter
        from tensorboardX.proto import event_pb2

        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._event: Any = event_pb2.Event  # generated at run time
        self._file = EventsWriter(str(folder / "events"), f".{os.getpid()}")
        # makes TensorBoard discard what an earlier process has logged from this step on
        session_log = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
        self._file.write_event(event_pb2.Event(step=step, session_log=session_log))

    def write(self, step: int, metrics: dict[str, float]) -> None:
        """Write the metrics of a step."""
        from tensorboardX.summary import scalar

        for name, value in metrics.items():
            summary = scalar(name, value)
            self._file.write_event(self._event(step=step, wall_time=time.time(), summary=summary))
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


_open: list[_Log] = []  # at most one: a process trains one run after another


def _log_of(folder: Path, step: int) -> _Log | None:
    """Return the log of a run, closing another run's log, or None if tensorboardX is not installed."""
    if _open and _open[0].folder == folder:
        return _open[0]
    close()
    try:
        _open.append(_Log(folder, step))
    except ImportError:
        return None
    return _open[0]


def close() -> None:
    """Close the log that is open, if any."""
    while _open:
        _open.pop().close()


atexit.register(close)
