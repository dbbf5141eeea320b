"""open_executor: which executor a number of workers or a cluster address gives."""

import os
from concurrent.futures import Executor
from typing import Any

import executor_tasks as tasks
import pytest
from waiting import TIMEOUT_S

from boardgames.errors import LimitError
from boardgames.executors import InProcess, ProcessPool, core_count, open_executor, worker_count


def test_one_worker_is_this_process() -> None:
    with open_executor(1) as executor:
        assert isinstance(executor, InProcess)
        assert executor.submit(os.getpid).result() == os.getpid()


def test_default_is_one_worker_per_core() -> None:
    with open_executor() as executor:
        assert isinstance(executor, ProcessPool | InProcess)
        assert worker_count(executor) == core_count()


def test_executors_of_unknown_size_count_as_eight_workers() -> None:
    assert worker_count(Executor()) == 8


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, 100_000])
def test_invalid_number_of_workers_is_rejected(workers: Any) -> None:  # not only whole numbers
    with pytest.raises(LimitError, match="must be 1 to 1024"), open_executor(workers):
        pass


def test_workers_cannot_be_combined_with_a_scheduler_address() -> None:
    with pytest.raises(LimitError, match="own workers"), open_executor(2, cluster="127.0.0.1:1"):
        pass


def test_workers_are_started_on_demand() -> None:
    with open_executor(1000) as executor:
        assert executor.submit(tasks.square, 3).result(TIMEOUT_S) == 9


@pytest.mark.parametrize("workers", [1, 2], ids=["in process", "two workers"])
def test_executors_return_results_in_order_and_raise_what_a_task_raises(workers: int) -> None:
    with open_executor(workers) as executor:
        assert list(executor.map(tasks.square, range(20))) == [number**2 for number in range(20)]
        with pytest.raises(ZeroDivisionError, match="of 7"):
            executor.submit(tasks.divide, 7, by=0).result(TIMEOUT_S)
        with pytest.raises(SystemExit, match="3"):
            executor.submit(tasks.raise_system_exit).result(TIMEOUT_S)
        assert executor.submit(tasks.square, 3).result(TIMEOUT_S) == 9
