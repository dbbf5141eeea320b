"""The guardian: a small program that outlives its parent, to kill what the parent has started.

It is run by its path, with the standard library alone, and reads from stdin
`+GROUP` and `-GROUP`, the process groups to watch and to forget. When its
parent is gone, whatever ended it, the groups still watched are killed.
"""

import os
import select
import signal
import sys

LOOK_EVERY_S = 0.5
READ_BYTES = 4096


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


if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    kill(watch(0, int(sys.argv[1])))
