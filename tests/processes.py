"""Look up processes, of whatever parent."""

import subprocess
import time
from pathlib import Path

SOON_S = 60.0
"""What a test starts sleeps for longer, so that it did not end by itself."""


def is_alive(pid: int) -> bool:
    """Say whether a process runs; one that nobody has waited for does not."""
    return _state(pid)[:1] not in ("", "Z")


def wait_until_dead(*pids: int) -> None:
    """Wait for processes to end, and fail if they do not."""
    deadline = time.monotonic() + SOON_S
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline, [pid for pid in pids if is_alive(pid)]
        time.sleep(0.01)


def _state(pid: int) -> str:
    """Return the state of a process, `Z` for one that has ended and not been waited for; empty if none."""
    status = Path(f"/proc/{pid}/stat")
    if status.parent.parent.joinpath("self").exists():
        try:
            return status.read_text().rpartition(")")[2].split()[0]
        except OSError:
            return ""
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return shown.stdout.strip()
