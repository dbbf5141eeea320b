"""What a worker of a cluster on this machine runs first: it leaves Ctrl-C to the process that began all."""

import signal


def dask_setup(worker: object) -> None:
    """Ignore what a terminal sends to all of its processes; called by `distributed` under this name."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
