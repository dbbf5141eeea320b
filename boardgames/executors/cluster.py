"""A Dask cluster as an executor (extra `cluster`): a local one, or a scheduler given by its address.

The local cluster's workers preload this module, which makes them ignore Ctrl-C.
"""

import gc
import signal
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from boardgames.errors import ClusterError, MissingExtraError, quote
from boardgames.executors.pool import sigint_blocked

CLUSTER_TIMEOUT_S = 10.0
LOCAL = "local"
"""Address that starts a cluster on this machine, for the duration of the `with` block."""


@contextmanager
def open_cluster(workers: int, address: str) -> Iterator[Executor]:
    """Connect to a cluster for a `with` block. A local cluster listens on loopback only.

    Raises
    ------
    MissingExtraError, ClusterError
        If `distributed` is not installed, no scheduler answers, or its workers die.
    """
    try:
        distributed: Any = import_module("distributed")  # it is only partially typed
    except ImportError:
        raise MissingExtraError("cluster", "a cluster") from None
    if not address.strip():
        raise ClusterError(
            f"the cluster must be {LOCAL!r} or the address of a scheduler, not {quote(address)}"
        )
    settings = {
        "threads_per_worker": 1,
        "dashboard_address": None,
        "silence_logs": "CRITICAL",
        "preload": [__name__],
    }
    with ExitStack() as stack:
        scheduler = address
        if address == LOCAL:
            with sigint_blocked():  # its threads and processes inherit this
                scheduler = distributed.LocalCluster(n_workers=workers, host="127.0.0.1", **settings)
                stack.callback(_close, scheduler)
        client, reason = _connect(distributed, scheduler)
        if client is None:
            gc.collect()  # distributed deadlocks if the failed client is collected while another one starts
            raise ClusterError(f"no scheduler answers at {quote(address)}: {reason}")
        stack.callback(_close, client)
        executor = client.get_executor(pure=False)
        executor.workers = max(sum(client.nthreads().values()), 1)
        stack.callback(executor.shutdown, wait=False)
        try:
            yield executor
        except Exception as error:
            if not type(error).__module__.startswith("distributed"):
                raise
            raise ClusterError(f"the cluster failed: {error}") from error


def _connect(distributed: Any, scheduler: Any) -> tuple[Any, str]:  # it is only partially typed
    """Return a client, or None and the reason; the error itself would keep the failed client alive."""
    try:
        return distributed.Client(scheduler, timeout=CLUSTER_TIMEOUT_S), ""
    except (OSError, ValueError, TypeError) as error:
        return None, str(error)


def _close(ending: Any) -> None:  # a cluster or a client, without types
    """Close a part of the cluster; Ctrl-C takes effect afterwards."""
    with sigint_blocked():
        ending.close()


def dask_setup(worker: object) -> None:
    """Ignore Ctrl-C in a worker, so that only the main process handles it. Dask calls this by name."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
