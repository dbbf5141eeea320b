"""Executors: what becomes of tasks when workers die, when the parent dies, when it is told to stop."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError, Executor, wait
from pathlib import Path

import executor_tasks as tasks
import pytest
from processes import is_alive, wait_until_dead
from waiting import PATIENCE_S

from boardgames.errors import ClusterError, LimitError, WorkerError
from boardgames.executors import InProcess, ProcessPool, core_count, open_executor

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(tasks.__file__).parent)}


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers find the tasks."""
    monkeypatch.syspath_prepend(str(Path(tasks.__file__).parent))


@pytest.fixture(params=[1, 2], ids=["in process", "two workers"])
def executor(request: pytest.FixtureRequest) -> Executor:
    with open_executor(request.param) as opened:
        yield opened


def becomes_true(claim: object, seconds: float = PATIENCE_S) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if claim():
            return True
        time.sleep(0.01)
    return False


def test_results_come_in_the_order_of_the_tasks(executor: Executor) -> None:
    assert list(executor.map(tasks.square, range(20))) == [number**2 for number in range(20)]


def test_what_a_task_raises_is_raised_where_its_result_is_asked_for(executor: Executor) -> None:
    with pytest.raises(ZeroDivisionError, match="of 7"):
        executor.submit(tasks.divide, 7, by=0).result(PATIENCE_S)


def test_one_worker_is_this_process() -> None:
    with open_executor(1) as executor:
        assert isinstance(executor, InProcess)
        assert executor.submit(os.getpid).result() == os.getpid()


def test_there_is_a_worker_for_every_core_unless_another_number_is_given() -> None:
    with open_executor() as executor:
        assert isinstance(executor, ProcessPool | InProcess)
        assert getattr(executor, "workers", 1) == core_count()


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, 100_000])
def test_other_numbers_of_workers_are_refused(workers: object) -> None:
    with pytest.raises(LimitError, match="from 1 to 1024 workers"), open_executor(workers):
        pass


def test_a_scheduler_has_workers_of_its_own() -> None:
    with pytest.raises(LimitError, match="beside a scheduler"), open_executor(2, cluster="127.0.0.1:1"):
        pass


def test_workers_are_started_as_tasks_come() -> None:
    with open_executor(1000) as executor:
        assert executor.submit(tasks.square, 3).result(PATIENCE_S) == 9


def test_a_task_that_leaves_is_an_error_of_the_task(executor: Executor) -> None:
    with pytest.raises(SystemExit, match="3"):
        executor.submit(tasks.leave).result(PATIENCE_S)
    assert executor.submit(tasks.square, 3).result(PATIENCE_S) == 9


@pytest.mark.parametrize("error", [ValueError, EOFError, OSError])
def test_a_result_that_cannot_be_read_fails_once_and_alone(error: type[Exception]) -> None:
    with open_executor(2) as executor:
        for _ in range(3):
            with pytest.raises(error, match="cannot be read"):
                executor.submit(tasks.give_unreadable, error).result(PATIENCE_S)
        assert executor.submit(tasks.square, 3).result(PATIENCE_S) == 9


def test_a_worker_that_closes_its_pipe_and_lives_on_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardgames.executors.pool.GRACE_S", 0.1)
    with open_executor(2) as executor:
        with pytest.raises(WorkerError, match="3 died with it"):
            executor.submit(tasks.close_all_files_and_stay).result(PATIENCE_S)
        assert executor.submit(tasks.square, 3).result(PATIENCE_S) == 9


def test_workers_have_no_workers_and_say_so() -> None:
    with open_executor(2) as executor, pytest.raises(AssertionError, match="daemonic processes"):
        executor.submit(tasks.start_workers_of_its_own).result(PATIENCE_S)


def test_a_worker_that_cannot_be_started_is_an_error_of_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def Pipe(self) -> object:  # noqa: N802 - as multiprocessing has it
            raise OSError(24, "too many open files")

    monkeypatch.setattr("boardgames.executors.pool._SPAWN", Full())
    with open_executor(2) as executor, pytest.raises(WorkerError, match="too many open files"):
        executor.submit(tasks.square, 3).result(PATIENCE_S)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_a_program_that_leaves_its_pool_open_ends_in_silence() -> None:
    script = "import executor_tasks; executor_tasks.leave_a_pool_open()"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, env=ENVIRONMENT, timeout=PATIENCE_S, check=True
    )
    assert done.stderr == b""
    pids = [int(word) for word in done.stdout.split()]
    wait_until_dead(*pids)


def test_a_task_whose_worker_is_killed_is_done_again_and_no_other_is(tmp_path: Path) -> None:
    with open_executor(2) as executor:
        victims = [executor.submit(tasks.wait_once, tmp_path / "first")]
        others = [executor.submit(tasks.note, tmp_path / "log", number) for number in range(20)]
        assert becomes_true((tmp_path / "first").exists)
        os.kill(int((tmp_path / "first").read_text()), signal.SIGKILL)
        assert victims[0].result(PATIENCE_S) == "done the second time"
        wait(others, PATIENCE_S)
    noted = (tmp_path / "log").read_text().split()
    assert sorted(map(int, noted)) == list(range(20))


def test_a_task_that_kills_every_worker_is_given_up_and_the_others_are_done() -> None:
    with open_executor(2) as executor:
        bad = executor.submit(tasks.die)
        good = [executor.submit(tasks.square, number) for number in range(10)]
        with pytest.raises(WorkerError, match="3 died with it, the last with exit code -9"):
            bad.result(PATIENCE_S)
        assert [future.result(PATIENCE_S) for future in good] == [number**2 for number in range(10)]


def test_an_idle_worker_that_dies_is_replaced() -> None:
    with open_executor(2) as executor:
        pids = {future.result(PATIENCE_S) for future in [executor.submit(tasks.pid_later) for _ in range(4)]}
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        assert executor.submit(tasks.square, 3).result(PATIENCE_S) == 9


def test_a_task_that_cannot_travel_fails_alone() -> None:
    with open_executor(2) as executor:
        unpicklable = executor.submit(lambda: 1)
        locked = executor.submit(tasks.give_lock)
        unreadable = executor.submit(tasks.raise_unreadable)
        with pytest.raises(Exception, match=r"(?i)pickle|local object"):
            unpicklable.result(PATIENCE_S)
        with pytest.raises(TypeError, match="pickle"):
            locked.result(PATIENCE_S)
        with pytest.raises(WorkerError, match="only in words"):
            unreadable.result(PATIENCE_S)
        assert executor.submit(tasks.square, 3).result(PATIENCE_S) == 9


def test_leaving_ends_tasks_under_way_and_drops_those_that_wait() -> None:
    with open_executor(2) as executor:
        running = [executor.submit(time.sleep, 600) for _ in range(2)]
        waiting = executor.submit(time.sleep, 600)
        assert becomes_true(lambda: all(future.running() for future in running))
        started = time.monotonic()
    assert time.monotonic() - started < PATIENCE_S
    with pytest.raises(CancelledError):
        waiting.result(0)
    for future in running:
        with pytest.raises(WorkerError, match="was told to end"):
            future.result(PATIENCE_S)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_leaving_leaves_no_process_no_thread_and_no_file_open() -> None:
    with open_executor(2) as executor:  # what Python itself opens once is open now
        executor.submit(tasks.square, 1).result(PATIENCE_S)
    before = (threading.active_count(), len(os.listdir("/proc/self/fd")))  # noqa: PTH208 - no path is needed
    with open_executor(2) as executor:
        pids = {future.result(PATIENCE_S) for future in [executor.submit(tasks.pid_later) for _ in range(4)]}
    assert not any(is_alive(pid) for pid in pids)
    assert (threading.active_count(), len(os.listdir("/proc/self/fd"))) == before  # noqa: PTH208


def test_a_pool_that_is_shut_down_takes_no_task() -> None:
    pool = ProcessPool(1)
    pool.submit(tasks.square, 2)
    pool.shutdown()
    with pytest.raises(RuntimeError, match="shut down"):
        pool.submit(tasks.square, 2)


def test_shutting_down_patiently_does_every_task() -> None:
    pool = ProcessPool(2)
    futures = [pool.submit(tasks.square, number) for number in range(10)]
    pool.shutdown()
    assert [future.result(0) for future in futures] == [number**2 for number in range(10)]


def test_what_workers_print_does_not_come_out_on_stdout() -> None:
    script = "import executor_tasks; executor_tasks.shout_from_workers()"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, env=ENVIRONMENT, timeout=PATIENCE_S, check=True
    )
    assert done.stdout == b"result: 9\n"
    assert b"noise" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
def test_workers_end_when_their_parent_is_killed() -> None:
    script = "import executor_tasks; executor_tasks.tell_pids_and_work()"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=ENVIRONMENT) as parent:
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert all(is_alive(pid) for pid in pids)
        parent.kill()
    wait_until_dead(*pids)


def test_ctrl_c_is_for_the_parent_alone() -> None:
    script = "import executor_tasks; executor_tasks.tell_pids_and_work()"
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        start_new_session=True,
    ) as parent:
        pids = [int(word) for word in parent.stdout.readline().split()]
        os.killpg(parent.pid, signal.SIGINT)
        _, err = parent.communicate(timeout=PATIENCE_S)
    assert err.decode().count("KeyboardInterrupt") == 1
    wait_until_dead(*pids)


@pytest.mark.parametrize("address", ["", " ", "127.0.0.1:1", "nonsense", "tcp://"])
def test_a_cluster_that_does_not_answer_is_reported(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("boardgames.executors.cluster.CLUSTER_TIMEOUT_S", 1.0)
    with pytest.raises(ClusterError, match="expected"), open_executor(cluster=address):
        pass


@pytest.mark.slow
def test_a_local_cluster_does_what_a_pool_does() -> None:
    pytest.importorskip("distributed")
    with open_executor(2, cluster="local") as executor:
        assert list(executor.map(tasks.square, range(10))) == [number**2 for number in range(10)]
        with pytest.raises(ZeroDivisionError):
            executor.submit(tasks.divide, 7, by=0).result(PATIENCE_S)


@pytest.mark.slow
def test_a_pool_outlives_a_hundred_killed_workers() -> None:
    with open_executor(2) as executor:
        seen: list[int] = []
        for _ in range(50):
            pids = {future.result(PATIENCE_S) for future in [executor.submit(tasks.pid_later) for _ in "12"]}
            seen += pids
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
        assert executor.submit(tasks.square, 3).result(PATIENCE_S) == 9
    assert len(seen) == len(set(seen)) == 100
