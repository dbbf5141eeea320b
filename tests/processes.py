"""The state of processes, including those that are not children of this one."""

import os
import subprocess
import threading
import time
from pathlib import Path

DEATH_TIMEOUT_S = 60.0
"""How long to wait; programs of the tests sleep longer, so they do not end on their own before that."""


def is_alive(pid: int) -> bool:
    """Return True if a process is running; a zombie is not."""
    return _state(pid)[:1] not in ("", "Z")


def wait_until_dead(*pids: int) -> None:
    """Wait until processes have ended; fail if they do not."""
    deadline = time.monotonic() + DEATH_TIMEOUT_S
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline, [pid for pid in pids if is_alive(pid)]
        time.sleep(0.01)


def usage() -> tuple[int, int]:
    """Return the numbers of threads and open files of this process; only on Linux."""
    return threading.active_count(), len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - no paths are needed


def wait_until_freed(before: tuple[int, int]) -> None:
    """Wait until this process has no more threads and open files than before, and fail if that takes long."""
    deadline = time.monotonic() + DEATH_TIMEOUT_S
    while any(now > then for now, then in zip(usage(), before, strict=True)):
        assert time.monotonic() < deadline, (before, usage())
        time.sleep(0.01)


def _state(pid: int) -> str:
    """Return the state letter of a process, `Z` for a zombie, empty if there is no such process."""
    status = Path(f"/proc/{pid}/stat")
    if status.parent.parent.joinpath("self").exists():
        try:
            return status.read_text().rpartition(")")[2].split()[0]
        except OSError:
            return ""
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return shown.stdout.strip()
