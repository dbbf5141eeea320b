"""Claims on a run: whoever plays it holds a lock that ends with the process, however that ends."""

import os
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Claim:
    """A locked file; made by `of`, given back by `release`.

    The system gives the lock back when the process ends, so that a file which
    is left behind keeps nobody out.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mine = Claim.of(Path(folder) / "lock")
    ...     others = Claim.of(Path(folder) / "lock")
    ...     mine.release()
    >>> others is None
    True
    """

    def __init__(self, path: Path, handle: int) -> None:
        self._path, self._handle = path, handle

    @classmethod
    def of(cls, path: Path) -> Self | None:
        """Return the claim on a file that need not exist, or None if somebody else has it.

        Raises
        ------
        OSError
            If the file cannot be made or locked.
        """
        while True:
            with ExitStack() as stack:
                handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
                stack.callback(os.close, handle)
                if not _lock(handle):
                    return None
                if _is_file(handle, path):  # else who had it has removed it meanwhile
                    stack.pop_all()
                    return cls(path, handle)

    def release(self) -> None:
        """Give the claim back, the file removed where the system removes open files."""
        with suppress(OSError):
            self._path.unlink()
        os.close(self._handle)


def _lock(handle: int) -> bool:
    """Say whether the open file could be locked; it is unlocked when it is closed."""
    locking: Any = fcntl  # None where the system has other locks
    if locking is None:
        import msvcrt

        windows: Any = msvcrt  # typed on Windows only
        try:
            windows.locking(handle, windows.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    try:
        locking.flock(handle, locking.LOCK_EX | locking.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
