"""Free memory of this machine or of the program's container, and the memory that this process uses."""

import ctypes
import gc
import sys
from contextlib import suppress
from pathlib import Path

MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")
"""Limits of a container on Linux (control groups, version 2)."""


def free_memory() -> int | None:
    """Return the number of bytes that can still be allocated, or None if it is unknown.

    Examples
    --------
    >>> free = free_memory()
    >>> free is None or free > 0
    True
    """
    known = [free for free in (_free_memory_of_machine(), _free_memory_of_container()) if free is not None]
    return min(known) if known else None


def peak_memory() -> int | None:
    """Return the largest number of bytes of memory that this process has used, or None if it is unknown.

    Examples
    --------
    >>> used = peak_memory()
    >>> used is None or used > 0
    True
    """
    try:
        import resource
    except ImportError:  # Windows
        return None
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest << 10  # bytes on macOS, otherwise kilobytes


def release_memory() -> None:
    """Give memory that is no longer used back to the operating system, if the C library can do that.

    Examples
    --------
    >>> release_memory()
    """
    gc.collect()
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _free_memory_of_machine() -> int | None:
    """Return the memory that Linux estimates to be available without swapping."""
    try:
        for line in MEMINFO.read_text(encoding="ascii").splitlines():
            name, _, rest = line.partition(":")
            if name == "MemAvailable":
                return int(rest.split()[0]) << 10
    except (OSError, ValueError, IndexError):
        return None
    return None


def _free_memory_of_container() -> int | None:
    """Return the memory left below the container's limit; cached files do not count as used."""
    try:
        limit, used, statistics = (
            (CGROUP / name).read_text(encoding="ascii")
            for name in ("memory.max", "memory.current", "memory.stat")
        )
        cached = dict(line.split() for line in statistics.splitlines())["file"]
        return max(0, int(limit) - int(used) + int(cached))
    except (OSError, ValueError, KeyError):
        return None
