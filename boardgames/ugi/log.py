"""Log: what an engine and we say to each other, for finding its mistakes."""

import time
from collections.abc import Callable
from pathlib import Path

from boardgames.draw.text import printable
from boardgames.errors import FileError, shown

SENT, HEARD, COMPLAINED, NOTED = "><!*"
"""Marks of lines to the engine, of its stdout and its stderr, and of remarks on it."""


class Log:
    r"""A text file to which lines are appended, each at once and in one piece.

    Any number of processes may write to the same file. A file that can no
    longer be written, on a full disk say, is passed over.

    Parameters
    ----------
    path : str
        The file; made if there is none.
    clock : callable
        Returns seconds since 1970.

    Raises
    ------
    FileError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Log(f"{folder}/engine.log", clock=lambda: 0.25)
    ...     log.note(SENT, "isready", process=4711)
    ...     Path(folder, "engine.log").read_text()
    '1970-01-01 00:00:00.250 4711 > isready\n'
    """

    def __init__(self, path: str, clock: Callable[[], float] = time.time) -> None:
        self._path = Path(path).absolute()
        self._clock = clock
        try:
            self._path.open("ab").close()
        except (OSError, ValueError) as error:
            raise FileError(f"expected a file that can be written: {shown(path)} ({error})") from None

    def note(self, mark: str, line: str, *, process: int) -> None:
        """Append a line with its time (UTC), the engine's process id and a mark."""
        seconds, milliseconds = divmod(int(1000 * self._clock()), 1000)
        date = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds))
        try:
            self._append(f"{date}.{milliseconds:03} {process} {mark} {printable(line)}\n")
        except OSError:
            return

    def _append(self, text: str) -> None:
        with self._path.open("ab", buffering=0) as file:  # one write, at the end of the file as it is then
            file.write(text.encode("utf-8", "replace"))
