"""Open an executor: the one that a number of workers or an address asks for."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from boardgames.errors import LimitError, shown
from boardgames.executors.cluster import LOCAL, open_cluster
from boardgames.executors.pool import ProcessPool

MOST_WORKERS = 1024
UNKNOWN_WIDTH = 8

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


@contextmanager
def open_executor(workers: int | None = None, *, cluster: str | None = None) -> Iterator[Executor]:
    """Yield an executor and close it, whatever is under way then.

    Parameters
    ----------
    workers : int, optional
        Processes; by default one a core. One is this process itself.
    cluster : str, optional
        `local`, for a cluster of `distributed` on this machine, or the address
        of a scheduler. A task there costs some milliseconds, and modules are
        taken from the workers' own installation.

    Raises
    ------
    LimitError
        If `workers` is no sensible number, or stands beside the address of a
        scheduler, who has workers of its own.
    MissingExtraError, ClusterError
        If `distributed` is not installed, or no scheduler answers.

    Examples
    --------
    >>> with open_executor(1) as executor:
    ...     list(executor.map(abs, [-1, 2]))
    [1, 2]
    """
    count = core_count() if workers is None else workers
    if not (type(count) is int and 1 <= count <= MOST_WORKERS):
        raise LimitError(f"expected from 1 to {MOST_WORKERS} workers: {shown(workers)}")
    if cluster is not None:
        if cluster != LOCAL and workers is not None:
            raise LimitError(f"expected no number of workers beside a scheduler's address: {workers}")
        with open_cluster(count, cluster) as executor:
            yield executor
    elif count == 1:
        yield InProcess()
    else:
        pool = ProcessPool(count)
        try:
            yield pool
        finally:
            pool.kill()


def core_count() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def width_of(executor: Executor) -> int:
    """Return how many tasks an executor does at a time; a guess of eight for a stranger's.

    Examples
    --------
    >>> width_of(InProcess())
    1
    """
    return int(getattr(executor, "workers", UNKNOWN_WIDTH))


class InProcess(Executor):
    """Does every task at once, in the caller's thread."""

    workers = 1

    def submit(
        self, fn: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> "Future[Result]":
        """Return a future that is done."""
        future: Future[Result] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a future carries whatever was raised
            future.set_exception(error)
        return future
