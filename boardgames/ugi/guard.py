"""See to it that no engine outlives this process, even one that is killed.

One guardian, a program of its own (`guardian`), is started with the first
engine. A pipe leads to it; when this process ends in whatever way, the pipe
ends too, and the guardian kills the process groups that it was told of. A
forked process lets go of its parent's guardian and starts its own.
"""

import atexit
import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

PROGRAM = Path(__file__).with_name("guardian.py")
END_S = 1.0


class Guard:
    """Our end of the pipe to the guardian.

    Examples
    --------
    >>> guard = Guard()
    >>> guard.pid is None
    True
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Return the guardian's process id, or None if there is none yet."""
        return None if self._process is None else self._process.pid

    def watch(self, group: int) -> None:
        """Have a process group killed when this process ends.

        Raises
        ------
        OSError
            If there is no guardian and none can be started.
        """
        with self._lock:
            self._groups.add(group)
            self._tell(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Leave a process group alone from now on: it has ended."""
        with self._lock, contextlib.suppress(OSError):
            self._groups.discard(group)
            self._tell(f"-{group}\n")

    def close(self) -> None:
        """Let the guardian do its work and end; the next `watch` starts another."""
        with self._lock:
            self._groups.clear()
            self._let_go()

    def forsake(self) -> None:
        """Forget, in a forked process, the guardian and the groups of the parent."""
        process = self._process
        self._lock, self._groups, self._process = threading.Lock(), set(), None
        if process is not None and process.stdin is not None:
            process.stdin.close()
            process.returncode = 0  # a parent's child: not ours to wait for

    def _tell(self, order: str) -> None:
        """Send an order; a guardian that is gone is replaced and told of every group."""
        if self._process is not None:
            try:
                self._write(order)
            except OSError:
                self._let_go()
            else:
                return
        if self._groups:
            self._start()
            self._write("".join(f"+{group}\n" for group in self._groups))

    def _start(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-I", "-S", str(PROGRAM), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            bufsize=0,
            start_new_session=True,
        )

    def _write(self, orders: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(orders.encode())

    def _let_go(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END_S)


GUARD = Guard()
"""The guard of this process."""

atexit.register(GUARD.close)
if os.name == "posix":
    os.register_at_fork(after_in_child=GUARD.forsake)
