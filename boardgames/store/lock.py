"""RunLock: ensures that only one process works on a run; it is released even if the process is killed.

filelock takes a lock of the operating system (`flock` on POSIX, `locking` on
Windows), which is released when the process ends. A leftover lock file is harmless.
"""

from contextlib import suppress
from pathlib import Path
from typing import Self

from filelock import FileLock, Timeout


class RunLock:
    """Exclusive lock on a lock file, from `try_acquire` until `release` or the end of the process.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lock = RunLock.try_acquire(Path(folder) / "lock")
    ...     second = RunLock.try_acquire(Path(folder) / "lock")
    ...     lock.release()
    >>> second is None
    True
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # never fall back to a soft lock, which would outlive a killed process
        self._lock = FileLock(path, blocking=False, mode=0o600, thread_local=False, fallback_to_soft=False)

    @classmethod
    def try_acquire(cls, path: Path) -> Self | None:
        """Return the lock, or None if it is held by another process or another `RunLock` of this one.

        Raises
        ------
        OSError
            If the lock file cannot be created or locked.
        """
        lock = cls(path)
        try:
            lock._lock.acquire()
        except Timeout:
            return None
        return lock

    def release(self) -> None:
        """Release the lock and remove its file."""
        # unlink it while it is locked; this needs filelock 4, as older versions may lock a deleted file
        with suppress(OSError):  # Windows cannot delete open files
            self._path.unlink()
        self._lock.release()
