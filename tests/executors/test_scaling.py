"""How many workers a cluster is asked for, and which are stopped."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import Enum
from typing import Any

import pytest

from boardgames.errors import ClusterError
from boardgames.executors import scaling
from boardgames.executors.scaling import Scaling


class Status(Enum):
    created = 1
    running = 2
    failed = 3


class Job:
    status = Status.created


class Jobs:
    """A cluster whose jobs have two workers each; `refusing` makes submitting one fail."""

    def __init__(self) -> None:
        self.worker_spec: dict[str, dict[str, Any]] = {}
        self.workers: dict[str, Job] = {}
        self.refusing = False
        self._count = 0

    def new_worker_spec(self) -> dict[str, dict[str, Any]]:
        self._count += 1
        return {f"job{self._count}": {"group": ["-0", "-1"]}}

    def sync(self, function: Callable[..., Any], *arguments: Any) -> None:
        with suppress(StopIteration):
            function(*arguments).send(None)

    async def scale_down(self, names: list[str]) -> None:
        for name in names:
            del self.worker_spec[name]
            self.workers.pop(name, None)

    def __await__(self) -> Iterator[None]:
        for name in self.worker_spec:
            job = self.workers.setdefault(name, Job())
            if not self.refusing:
                job.status = Status.running
        if self.refusing:
            raise RuntimeError("sbatch: error: invalid partition")
        return iter(())

    @property
    def names(self) -> list[str]:
        return [f"{job}-{number}" for job in self.worker_spec for number in range(2)]


class Kubernetes:
    """A cluster that only knows how many workers it should have."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def scale(self, count: int) -> None:
        self.asked.append(count)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def jobs() -> Jobs:
    return Jobs()


def poll(one: Scaling, jobs: Jobs, *, wanted: int, idle: int | None = None) -> set[str]:
    """Let the number of workers be decided while all are there; the last `idle` of them have no task."""
    names = jobs.names
    closing = one.choose(wanted, names, names if idle is None else names[len(names) - idle :])
    one.apply()
    return closing


def test_the_smallest_allowed_number_of_workers_is_started_first(jobs: Jobs, clock: Clock) -> None:
    Scaling(jobs, 3, 10, clock=clock).start()
    assert len(jobs.names) == 4  # in two jobs


def test_workers_are_started_for_all_tasks_up_to_the_maximum(jobs: Jobs, clock: Clock) -> None:
    one = Scaling(jobs, 2, 6, clock=clock)
    one.start()
    assert poll(one, jobs, wanted=4) == set()
    assert len(jobs.names) == 4
    poll(one, jobs, wanted=100)
    assert len(jobs.names) == 6


def test_only_workers_that_stay_idle_for_a_while_are_stopped(jobs: Jobs, clock: Clock) -> None:
    one = Scaling(jobs, 2, 6, clock=clock)
    one.start()
    poll(one, jobs, wanted=6)
    assert poll(one, jobs, wanted=1, idle=3) == set()
    clock.now += scaling.SHRINK_AFTER_S + 1
    assert poll(one, jobs, wanted=1, idle=3) == {"job3-0", "job3-1"}  # job2 has a busy worker
    assert list(jobs.worker_spec) == ["job1", "job2"]


def test_a_short_lull_stops_no_workers(jobs: Jobs, clock: Clock) -> None:
    one = Scaling(jobs, 2, 6, clock=clock)
    one.start()
    for wanted in (6, 0, 6, 0):
        assert poll(one, jobs, wanted=wanted) == set()
        clock.now += scaling.SHRINK_AFTER_S - 1


def test_jobs_in_the_queue_are_withdrawn_before_workers_are_stopped(jobs: Jobs, clock: Clock) -> None:
    one = Scaling(jobs, 2, 6, clock=clock)
    one.start()
    poll(one, jobs, wanted=6)
    joined = ["job3-0", "job3-1"]
    one.choose(1, joined, joined)
    clock.now += scaling.SHRINK_AFTER_S + 1
    assert one.choose(1, joined, joined) == set()
    one.apply()
    assert list(jobs.worker_spec) == ["job3"]


def test_a_job_whose_workers_are_gone_is_submitted_again(jobs: Jobs, clock: Clock) -> None:
    one = Scaling(jobs, 4, 4, clock=clock)
    one.start()
    poll(one, jobs, wanted=4)
    left = ["job2-0", "job2-1"]
    for _ in range(2):
        one.choose(4, left, [])
        one.apply()
        clock.now += scaling.LOST_AFTER_S + 1
    assert list(jobs.worker_spec) == ["job2", "job3"]


def test_a_job_that_still_waits_in_the_queue_is_not_submitted_again(jobs: Jobs, clock: Clock) -> None:
    one = Scaling(jobs, 4, 4, clock=clock)
    one.start()
    for _ in range(3):
        one.choose(4, [], [])
        one.apply()
        clock.now += 10 * scaling.LOST_AFTER_S
    assert list(jobs.worker_spec) == ["job1", "job2"]


def test_a_job_that_cannot_be_submitted_ends_the_start(jobs: Jobs, clock: Clock) -> None:
    jobs.refusing = True
    with pytest.raises(ClusterError, match=r"cannot start workers: .*invalid partition"):
        Scaling(jobs, 2, 2, clock=clock).start()


def test_a_job_that_cannot_be_submitted_later_is_tried_again(jobs: Jobs, clock: Clock) -> None:
    one = Scaling(jobs, 2, 4, clock=clock)
    one.start()
    jobs.refusing = True
    poll(one, jobs, wanted=4)
    assert "invalid partition" in one.problem
    assert len(jobs.names) == 2
    jobs.refusing = False
    poll(one, jobs, wanted=4)
    assert (one.problem, len(jobs.names)) == ("", 4)


def test_kubernetes_is_called_only_when_the_number_of_workers_changes(clock: Clock) -> None:
    cluster = Kubernetes()
    one = Scaling(cluster, 2, 8, clock=clock)
    one.start()
    for wanted in (2, 5, 5, 50, 1):
        one.choose(wanted, [], [])
        one.apply()
    assert cluster.asked == [2, 5, 8]
    clock.now += scaling.SHRINK_AFTER_S + 1
    one.choose(1, [], [])
    one.apply()
    assert cluster.asked == [2, 5, 8, 2]
