"""What the machine has: the memory that is free, as the system tells it."""

from pathlib import Path

MEMINFO = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")
"""Where Linux tells what a container may use (control groups, version 2)."""


def free_memory() -> int | None:
    """Return the bytes that a program may still take, None if the system does not tell.

    Examples
    --------
    >>> free = free_memory()
    >>> free is None or free > 0
    True
    """
    free = [found for found in (_available(), _left_of_group()) if found is not None]
    return min(free) if free else None


def _available() -> int | None:
    """Return what Linux estimates can be taken without swapping."""
    try:
        for line in MEMINFO.read_text(encoding="ascii").splitlines():
            name, _, rest = line.partition(":")
            if name == "MemAvailable":
                return int(rest.split()[0]) << 10
    except (OSError, ValueError, IndexError):
        return None
    return None


def _left_of_group() -> int | None:
    """Return what is left of a container's limit, files that are only held ready not counted."""
    try:
        limit, used, told = (
            (GROUP / name).read_text(encoding="ascii")
            for name in ("memory.max", "memory.current", "memory.stat")
        )
        held = dict(line.split() for line in told.splitlines())["file"]
        return max(0, int(limit) - int(used) + int(held))
    except (OSError, ValueError, KeyError):
        return None
