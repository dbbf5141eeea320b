"""See to it that no engine outlives this process, even one that is killed.

One guardian, a program of its own (`guardian`), is started with the first
engine. A pipe leads to it; when this process ends in whatever way, the pipe
ends too, and the guardian kills the process groups that it was told of. A
forked process lets go of its parent's guardian and starts its own.
"""

import atexit
import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path

END_S = 1.0
LOOK_EVERY_S = 0.5
READ_BYTES = 4096


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
            [sys.executable, "-I", "-S", str(Path(__file__).absolute()), str(os.getpid())],
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


def watch(source: int, parent: int) -> set[int]:
    r"""Read orders from descriptor `source` until it ends or `parent` has; return the groups to kill.

    A process that the parent has forked may hold the pipe open after the
    parent's end, so the parent itself is looked at as well.

    Examples
    --------
    >>> orders, end = os.pipe()
    >>> _ = os.write(end, b"+71\n+72\n-71\n")
    >>> os.close(end)
    >>> watch(orders, os.getppid())
    {72}
    >>> os.close(orders)
    """
    groups: set[int] = set()
    rest = b""
    while True:
        ready, _, _ = select.select([source], [], [], LOOK_EVERY_S)
        if not ready and os.getppid() != parent:
            return groups
        if not ready:
            continue
        data = os.read(source, READ_BYTES)
        if not data:
            return groups
        *orders, rest = (rest + data).split(b"\n")
        for order in orders:
            (groups.add if order[:1] == b"+" else groups.discard)(int(order[1:]))


def kill(groups: set[int]) -> None:
    """Kill every process of these groups at once."""
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:  # it has ended by itself
            continue


GUARD = Guard()
"""The guard of this process."""

atexit.register(GUARD.close)
if os.name == "posix":
    os.register_at_fork(after_in_child=GUARD.forsake)

if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    kill(watch(0, int(sys.argv[1])))
