"""A watchdog process that kills the engines we started when this process ends, however it ends.

This file is imported as a module and run as a program, and a pipe connects the two. The module
has `Watchdog`, which starts the program with the first engine and writes to the pipe. The program
reads `+GROUP` (watch a process group) and `-GROUP` (stop watching it) from the pipe. Once the
pipe is closed or the parent has ended, it kills the remaining groups. The program is run by its
path, so this file imports only the standard library.

On Linux the children that an engine has moved out of its group are killed too. They are found
in /proc as its descendants, or by a variable in their environment, which survives when their parent exits.
Elsewhere only the group is killed.
"""

import atexit
import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

EXIT_TIMEOUT_S = 1.0
POLL_INTERVAL_S = 0.5
READ_BYTES = 4096
MARK = "BOARDGAMES_ENGINE"
"""Environment variable that marks an engine and its children with the number of their group."""
PROCESSES = Path("/proc")
KILL_ROUNDS, KILL_INTERVAL_S = 20, 0.005
"""How often to look for more processes, since they may start others before they are killed."""


class Watchdog:
    """Our end of the pipe to the watchdog process.

    Examples
    --------
    >>> watchdog = Watchdog()
    >>> watchdog.pid is None
    True
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Return the process id of the watchdog, or None if it has not been started."""
        return None if self._process is None else self._process.pid

    def watch(self, group: int) -> None:
        """Make the watchdog kill a process group when this process ends.

        Raises
        ------
        OSError
            If the watchdog is not running and cannot be started.
        """
        with self._lock:
            self._groups.add(group)
            self._send(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Stop watching a process group that has ended."""
        with self._lock, contextlib.suppress(OSError):
            self._groups.discard(group)
            self._send(f"-{group}\n")

    def close(self) -> None:
        """Kill the watched groups and end the watchdog; the next `watch` starts another."""
        with self._lock:
            self._groups.clear()
            self._close_pipe()

    def reset_after_fork(self) -> None:
        """Drop the parent's watchdog in a forked child, which starts its own if it needs one."""
        process = self._process
        self._lock, self._groups, self._process = threading.Lock(), set(), None
        if process is not None and process.stdin is not None:
            process.stdin.close()
            process.returncode = 0  # only the parent can wait for it

    def _send(self, command: str) -> None:
        """Send a command; if the watchdog has died, start another one and send it all groups."""
        if self._process is not None:
            try:
                self._write(command)
            except OSError:
                self._close_pipe()
            else:
                return
        if self._groups:
            self._start()
            self._write("".join(f"+{group}\n" for group in self._groups))

    def _start(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - runs this file
            [sys.executable, "-I", "-S", str(Path(__file__).absolute()), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            bufsize=0,
            start_new_session=True,
        )

    def _write(self, commands: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(commands.encode())

    def _close_pipe(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(EXIT_TIMEOUT_S)


WATCHDOG = Watchdog()
"""The watchdog of this process."""

atexit.register(WATCHDOG.close)
if os.name == "posix":
    os.register_at_fork(after_in_child=WATCHDOG.reset_after_fork)


def wait_for_parent(pipe: int, parent: int) -> set[int]:
    r"""Read commands until the pipe is closed or the parent ends; return the groups that are still watched.

    The parent is also polled, because a child that it forked may hold the pipe
    open after the parent has ended.

    Parameters
    ----------
    pipe : int
        File descriptor to read from.
    parent : int
        Process id of the parent.

    Examples
    --------
    >>> pipe, end = os.pipe()
    >>> _ = os.write(end, b"+71\n+72\n-71\n")
    >>> os.close(end)
    >>> wait_for_parent(pipe, os.getppid())
    {72}
    >>> os.close(pipe)
    """
    groups: set[int] = set()
    rest = b""
    while True:
        ready, _, _ = select.select([pipe], [], [], POLL_INTERVAL_S)
        if not ready and os.getppid() != parent:
            return groups
        if not ready:
            continue
        data = os.read(pipe, READ_BYTES)
        if not data:
            return groups
        *commands, rest = (rest + data).split(b"\n")
        for command in commands:
            (groups.add if command[:1] == b"+" else groups.discard)(int(command[1:]))


def kill_groups(groups: set[int]) -> None:
    """Kill all processes in these groups, and their descendants; groups that have ended are skipped."""
    for group in groups:
        for _ in range(KILL_ROUNDS):
            members = family(group)
            with contextlib.suppress(OSError):
                os.killpg(group, signal.SIGKILL)
            for process in members:
                with contextlib.suppress(OSError):
                    os.kill(process, signal.SIGKILL)
            if not members:
                break
            time.sleep(KILL_INTERVAL_S)


def family(group: int) -> set[int]:
    """Return the running processes of a group and all their descendants; none except on Linux.

    Examples
    --------
    >>> family(2**31)
    set()
    """
    parents: dict[int, int] = {}
    members: set[int] = set()
    mark = f"{MARK}={group}".encode()
    for folder in PROCESSES.glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):  # the process may end meanwhile
            state, parent, leader = (folder / "stat").read_bytes().rpartition(b")")[2].split()[:3]
            if state != b"Z":
                process = int(folder.name)
                parents[process] = int(parent)
                if int(leader) == group or mark in (folder / "environ").read_bytes().split(b"\0"):
                    members.add(process)
    size = -1
    while len(members) > size:
        size = len(members)
        members |= {process for process, parent in parents.items() if parent in members}
    return members - {os.getpid()}


if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    kill_groups(wait_for_parent(0, int(sys.argv[1])))
