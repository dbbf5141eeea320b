"""Programs that the tests start are no modules to look for tests in; processes are looked up anywhere."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

collect_ignore = ["chaos.py", "fakes.py"]
SOON_S = 20.0


def state(pid: int) -> str:
    """Return the state of a process, `Z` for one that has ended and not been waited for; empty if none."""
    status = Path(f"/proc/{pid}/stat")
    if status.parent.parent.joinpath("self").exists():
        try:
            return status.read_text().rpartition(")")[2].split()[0]
        except OSError:
            return ""
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return shown.stdout.strip()


@pytest.fixture
def is_alive() -> Callable[[int], bool]:
    """Return a function that says whether a process runs."""
    return lambda pid: state(pid)[:1] not in ("", "Z")


@pytest.fixture
def wait_until_dead(is_alive: Callable[[int], bool]) -> Callable[..., None]:
    """Return a function that waits for processes to end, and fails if they do not."""

    def wait(*pids: int) -> None:
        deadline = time.monotonic() + SOON_S
        while any(map(is_alive, pids)):
            assert time.monotonic() < deadline, [pid for pid in pids if is_alive(pid)]
            time.sleep(0.01)

    return wait
