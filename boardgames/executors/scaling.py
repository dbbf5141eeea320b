"""How many workers a cluster gets: as many as there are tasks, within the bounds of its file.

Dask's own adaptive clusters look at the tasks that the scheduler holds. It never holds many, because
`ClusterExecutor` sends a task only to a worker that is free; so the number of workers is decided here.
Workers are started at once, but stopped only after a while without enough tasks, and never while they
run a task. Jobs that have ended, for example because their time was up, are submitted again, as are
jobs whose submission failed.
"""

import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from boardgames.errors import ClusterError
from boardgames.executors.cluster_file import cause_of

SHRINK_AFTER_S = 60.0
"""How long there must be too few tasks before workers are stopped."""
LOST_AFTER_S = 30.0
"""A job without workers for this long is assumed to have ended; a crashed worker is restarted sooner."""


class Scaling:
    """Starts and stops the workers of a cluster.

    Parameters
    ----------
    cluster : distributed.deploy.Cluster
        A cluster without workers.
    minimum, maximum : int
        Smallest and largest number of workers.
    clock : callable
        Returns the time in seconds.

    Attributes
    ----------
    problem : str
        Why starting or stopping workers failed the last time, or an empty string.
    """

    def __init__(
        self, cluster: Any, minimum: int, maximum: int, *, clock: Callable[[], float] = time.monotonic
    ) -> None:  # the classes of clusters are only partially typed
        self.minimum, self.maximum = minimum, maximum
        self.problem = ""
        self._cluster, self._clock = cluster, clock
        self._target, self._needed = minimum, clock()
        self._scaled = 0
        self._seen: dict[object, float] = {}  # when jobs last had workers
        self._closing: list[object] = []

    def start(self) -> None:
        """Start the first workers.

        Raises
        ------
        ClusterError
            If they cannot be started, for example because a job cannot be submitted.
        """
        self.apply()
        if self.problem:
            raise ClusterError(f"cannot start workers: {self.problem}")

    def choose(self, wanted: int, joined: Collection[str], idle: Collection[str]) -> set[str]:
        """Decide how many workers there should be, and return the names of those to stop.

        Parameters
        ----------
        wanted : int
            How many workers would have something to do.
        joined : collection of str
            The names of the workers that have joined.
        idle : collection of str
            The names of the workers that run no task.
        """
        now, wanted = self._clock(), min(max(wanted, self.minimum), self.maximum)
        if wanted >= self._target or now - self._needed > SHRINK_AFTER_S:
            self._target, self._needed = wanted, now
        jobs = self._jobs()
        present = {job: members.intersection(joined) for job, members in jobs.items()}
        seen = {job: now if present[job] else self._seen.get(job) for job in jobs}
        self._seen = {job: last for job, last in seen.items() if last is not None}
        ended = [job for job, last in self._seen.items() if now - last > LOST_AFTER_S]
        surplus = sum(len(members) for job, members in jobs.items() if job not in ended) - self._target
        self._closing = ended
        for job in sorted(jobs, key=lambda job: len(present[job])):  # jobs in the queue come first
            if job not in ended and len(jobs[job]) <= surplus and present[job].issubset(idle):
                self._closing.append(job)
                surplus -= len(jobs[job])
        return {name for job in self._closing for name in present[job]}

    def apply(self) -> None:
        """Start and stop workers as decided by `choose`; this waits for the batch system."""
        self.problem = ""
        try:
            if self._has_jobs():
                self._apply_to_jobs()
            elif self._scaled != self._target:
                self._cluster.scale(self._target)
                self._scaled = self._target
        except Exception as error:  # noqa: BLE001 - whatever goes wrong outside, work continues
            self.problem = cause_of(error)

    def _apply_to_jobs(self) -> None:
        if self._closing:
            self._cluster.sync(self._cluster.scale_down, self._closing)
            self._closing = []
        if self._planned() < self._target:
            try:
                self._cluster.sync(self._submit)
            finally:
                failed = [name for name, job in self._cluster.workers.items() if job.status.name == "failed"]
                if failed:  # jobs left in the list would never be submitted again
                    self._cluster.sync(self._cluster.scale_down, failed)

    async def _submit(self) -> None:
        """Submit the jobs that are missing; raise an exception if this fails.

        The cluster's own `scale` only logs failures.
        """
        while self._planned() < self._target:
            self._cluster.worker_spec.update(self._cluster.new_worker_spec())
        try:
            await self._cluster
        finally:
            for job in self._cluster.workers.values():
                if job.status.name == "created":
                    job.status = type(job.status).failed

    def _planned(self) -> int:
        return sum(map(len, self._jobs().values()))

    def _has_jobs(self) -> bool:
        return hasattr(self._cluster, "worker_spec")

    def _jobs(self) -> Mapping[object, frozenset[str]]:
        """Return the names of each job's workers; Kubernetes has no jobs, and stops idle workers itself."""
        if not self._has_jobs():
            return {}
        return {
            name: frozenset(f"{name}{suffix}" for suffix in spec.get("group", [""]))
            for name, spec in self._cluster.worker_spec.items()
        }
