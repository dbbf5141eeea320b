"""Executors for parallel work: this process, a pool of worker processes, or a cluster.

All are executors in the sense of `concurrent.futures`, so the arena and the
learners work with any of them. A task is a module-level function with arguments
that can be pickled (names, text and numbers, but no kernels). Its result must
depend only on its arguments, because a task whose worker dies is run again,
possibly on another machine.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from boardgames.errors import LimitError, quote
from boardgames.executors.cluster import LOCAL, open_cluster
from boardgames.executors.pool import MAX_WORKERS, InProcess, ProcessPool, core_count, run_isolated

__all__ = [
    "LOCAL",
    "InProcess",
    "ProcessPool",
    "core_count",
    "open_executor",
    "run_isolated",
    "worker_count",
    "worker_progress",
]

DEFAULT_WORKER_COUNT = 8
"""Assumed for executors that do not report their number of workers."""


@contextmanager
def open_executor(
    workers: int | None = None,
    *,
    cluster: str | None = None,
    announce: Callable[[str], object] = lambda text: None,
) -> Iterator[Executor]:
    """Open an executor for a `with` block. Tasks that are still running at the end are killed.

    Parameters
    ----------
    workers : int, optional
        Number of processes, by default one per core. With 1, tasks run in this
        process.
    cluster : str, optional
        `local` for a `distributed` cluster on this machine, the address of a
        scheduler, the path of its scheduler file (`.json`), or `slurm:FILE` for a cluster
        that a TOML file describes; see `boardgames.executors.cluster_file` for the other
        kinds. Each task then has an overhead of a few milliseconds. Workers use the
        packages installed on their own machines, which must be the same as here: the core, all
        plug-ins from which this process has loaded something, and Python, NumPy and Numba.
        A worker that joins later with different code gets no tasks; a warning names it.
    announce : callable, optional
        Called with a line of text such as `compiling kernels on 3 hosts` when the workers of a
        cluster start and finish compiling, and at the end with the rates of the workers, such as
        `2 workers: 12.3 and 11.8 tasks/s`.

    Raises
    ------
    LimitError
        If `workers` is out of range, or given together with the address of a
        scheduler, which has its own workers, or with the file of a cluster.
    FileError, OptionError
        If the file of a cluster cannot be read or has an error.
    MissingExtraError, ClusterError
        If `distributed` is not installed, no scheduler answers, there are no workers, or a worker
        runs other code. Tasks raise ClusterError if the scheduler dies or all workers are gone.

    Examples
    --------
    >>> with open_executor(1) as executor:
    ...     list(executor.map(abs, [-1, 2]))
    [1, 2]
    """
    count = core_count() if workers is None else workers
    if not (type(count) is int and 1 <= count <= MAX_WORKERS):
        raise LimitError(f"the number of workers must be 1 to {MAX_WORKERS}, not {quote(workers)}")
    if cluster is not None:
        if cluster != LOCAL and workers is not None:
            raise LimitError(
                "a cluster has its own workers; leave out either the number of workers or the cluster"
            )
        with open_cluster(count, cluster, announce) as executor:
            yield executor
    elif count == 1:
        yield InProcess()
    else:
        pool = ProcessPool(count)
        try:
            yield pool
        finally:
            pool.kill()


def worker_count(executor: Executor) -> int:
    """Return the number of tasks that an executor runs at a time, or 8 if it is unknown.

    The workers of a cluster may join later, so this can grow.

    Examples
    --------
    >>> worker_count(InProcess())
    1
    """
    return int(getattr(executor, "workers", DEFAULT_WORKER_COUNT))


def worker_progress(executor: Executor) -> str:
    """Return how many workers a cluster has and how fast they are; an empty string for other executors.

    Examples
    --------
    >>> worker_progress(InProcess())
    ''
    """
    progress = getattr(executor, "progress", None)
    return "" if progress is None else str(progress())
