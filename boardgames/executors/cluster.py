"""A cluster of `distributed` (extra `cluster`) as an executor: one of this machine, or somebody's."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from boardgames.errors import ClusterError, MissingExtraError, shown

CLUSTER_TIMEOUT_S = 10.0
LOCAL = "local"
"""The cluster that is made on this machine, for as long as it is used."""


@contextmanager
def open_cluster(workers: int, address: str) -> Iterator[Executor]:
    """Yield an executor of `distributed`; a local cluster listens on loopback only.

    Raises
    ------
    MissingExtraError, ClusterError
        If `distributed` is not installed, no scheduler answers, or its workers die.
    """
    try:
        distributed: Any = import_module("distributed")  # its types are partial
    except ImportError:
        raise MissingExtraError("cluster", "a cluster") from None
    if not address.strip():
        raise ClusterError(f"expected {LOCAL!r} or the address of a scheduler: {shown(address)}")
    settings = {
        "threads_per_worker": 1,
        "dashboard_address": None,
        "silence_logs": "ERROR",
        "preload": ["boardgames.executors.deaf"],
    }
    with ExitStack() as stack:
        place = address
        if address == LOCAL:
            place = distributed.LocalCluster(n_workers=workers, host="127.0.0.1", **settings)
            stack.callback(place.close)
        try:
            client = distributed.Client(place, timeout=CLUSTER_TIMEOUT_S)
        except (OSError, ValueError, TypeError) as error:
            raise ClusterError(f"expected a scheduler that answers: {shown(address)} ({error})") from None
        stack.callback(client.close)
        executor = client.get_executor(pure=False)
        executor.workers = max(sum(client.nthreads().values()), 1)
        stack.callback(executor.shutdown, wait=False)
        try:
            yield executor
        except Exception as error:
            if not type(error).__module__.startswith("distributed"):
                raise
            raise ClusterError(f"expected a cluster that does its tasks: {error}") from error
