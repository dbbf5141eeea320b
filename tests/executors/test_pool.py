"""ProcessPool: dying workers, a dying parent, interrupts, shutdown.

Most tests share one pool, which has to survive all of them.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, wait
from functools import partial
from pathlib import Path

import executor_tasks as tasks
import pytest
from processes import is_alive, usage, wait_until_dead, wait_until_freed
from waiting import TIMEOUT_S

from boardgames.errors import DeadWorkerError, WorkerError
from boardgames.executors import ProcessPool, open_executor, run_isolated

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(tasks.__file__).parent), *sys.path])}

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPool]:
    """Return a pool of two workers that is shared by the tests of this module."""
    with open_executor(2) as executor:
        assert isinstance(executor, ProcessPool)
        yield executor


def worker_ids(pool: ProcessPool) -> set[int]:
    futures = [pool.submit(tasks.process_id) for _ in range(2)]
    return {future.result(TIMEOUT_S) for future in futures}


def assert_works(pool: ProcessPool) -> None:
    assert pool.submit(tasks.square, 3).result(TIMEOUT_S) == 9


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# --- dying workers ---------------------------------------------------------------------------


def test_only_the_task_of_a_killed_worker_is_retried(pool: ProcessPool, tmp_path: Path) -> None:
    victim = pool.submit(tasks.hang_first_time, tmp_path / "pid")
    others = [pool.submit(tasks.append_line, tmp_path / "log", number) for number in range(20)]
    wait_until((tmp_path / "pid").exists)
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    assert victim.result(TIMEOUT_S) == "second attempt"
    wait(others, TIMEOUT_S)
    lines = (tmp_path / "log").read_text().split()
    assert sorted(map(int, lines)) == list(range(20))


def test_task_that_kills_its_worker_three_times_fails_alone(pool: ProcessPool) -> None:
    bad = pool.submit(tasks.kill_itself)
    good = [pool.submit(tasks.square, number) for number in range(10)]
    with pytest.raises(WorkerError, match=r"3 workers died.*exit code -9"):
        bad.result(TIMEOUT_S)
    assert [future.result(TIMEOUT_S) for future in good] == [number**2 for number in range(10)]


def test_worker_that_exits_with_code_0_has_died_too(pool: ProcessPool) -> None:
    with pytest.raises(WorkerError, match=r"3 workers died.*exit code 0"):
        pool.submit(tasks.exit_process, 0).result(TIMEOUT_S)


def test_idle_worker_that_dies_is_replaced(pool: ProcessPool) -> None:
    for pid in worker_ids(pool):
        os.kill(pid, signal.SIGKILL)
    assert_works(pool)


def test_worker_that_closes_its_pipe_but_does_not_exit_is_killed(
    pool: ProcessPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.executors.pool.EXIT_TIMEOUT_S", 0.1)
    with pytest.raises(WorkerError, match="3 workers died"):
        pool.submit(tasks.close_files_and_hang).result(TIMEOUT_S)
    assert_works(pool)


@pytest.mark.slow
def test_pool_survives_many_killed_workers(pool: ProcessPool) -> None:
    seen: list[int] = []
    while len(seen) < 12:
        pids = worker_ids(pool)
        seen += pids
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
    assert_works(pool)
    assert len(seen) == len(set(seen))


# --- tasks and results that do not pickle ------------------------------------------------------


@pytest.mark.parametrize("error", [ValueError, EOFError, OSError])
def test_result_that_cannot_be_unpickled_fails_alone(pool: ProcessPool, error: type[Exception]) -> None:
    with pytest.raises(error, match="cannot be read"):
        pool.submit(tasks.return_not_unpicklable, error).result(TIMEOUT_S)
    assert_works(pool)


def test_task_that_cannot_be_pickled_fails_alone(pool: ProcessPool) -> None:
    task = pool.submit(lambda: 1)
    result = pool.submit(tasks.unpicklable_result)
    error = pool.submit(tasks.raise_not_unpicklable)
    with pytest.raises(Exception, match=r"(?i)pickle|local object"):
        task.result(TIMEOUT_S)
    with pytest.raises(TypeError, match="pickle"):
        result.result(TIMEOUT_S)
    with pytest.raises(WorkerError, match="only in text"):
        error.result(TIMEOUT_S)
    assert_works(pool)


def test_nested_workers_are_rejected(pool: ProcessPool) -> None:
    with pytest.raises(AssertionError, match="daemonic processes"):
        pool.submit(tasks.start_nested_workers).result(TIMEOUT_S)


def test_workers_load_numba_only_for_tasks_that_need_it(pool: ProcessPool) -> None:
    """Loading it takes longer than everything else that a worker does when it starts."""
    assert not pool.submit(tasks.is_loaded, "numba").result(TIMEOUT_S)


def test_worker_that_cannot_be_started_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class OutOfFiles:
        def Pipe(self) -> object:  # noqa: N802 - the name in multiprocessing
            raise OSError(24, "too many open files")

    monkeypatch.setattr("boardgames.executors.pool._SPAWN", OutOfFiles())
    with open_executor(2) as executor, pytest.raises(WorkerError, match="too many open files"):
        executor.submit(tasks.square, 3).result(TIMEOUT_S)


# --- shutdown --------------------------------------------------------------------------------


def test_leaving_the_block_kills_running_tasks_and_cancels_queued_ones() -> None:
    with open_executor(2) as executor:
        running = [executor.submit(time.sleep, 600) for _ in range(2)]
        queued = executor.submit(time.sleep, 600)
        wait_until(lambda: all(future.running() for future in running))
        started = time.monotonic()
    assert time.monotonic() - started < TIMEOUT_S
    with pytest.raises(CancelledError):
        queued.result(0)
    for future in running:
        with pytest.raises(WorkerError, match="was shut down"):
            future.result(TIMEOUT_S)


def test_shutdown_finishes_every_task_and_takes_no_more() -> None:
    pool = ProcessPool(2)
    futures = [pool.submit(tasks.square, number) for number in range(10)]
    pool.shutdown()
    assert [future.result(0) for future in futures] == [number**2 for number in range(10)]
    with pytest.raises(RuntimeError, match="shut down"):
        pool.submit(tasks.square, 2)


@linux_only
def test_closed_pool_leaves_no_process_thread_or_open_file() -> None:
    with open_executor(2) as executor:  # so that files that Python opens only once are already open
        executor.submit(tasks.square, 1).result(TIMEOUT_S)
    before = usage()
    with open_executor(2) as executor:
        assert isinstance(executor, ProcessPool)
        pids = worker_ids(executor)
    assert not any(is_alive(pid) for pid in pids)
    wait_until_freed(before)


# --- programs --------------------------------------------------------------------------------


def start(program: Callable[[], None], *, start_new_session: bool = False) -> "subprocess.Popen[bytes]":
    code = f"import executor_tasks; executor_tasks.{program.__name__}()"
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=pipe,
        stderr=pipe,
        env=ENVIRONMENT,
        start_new_session=start_new_session,
    )


def test_workers_print_to_stderr() -> None:
    with start(tasks.program_with_noisy_workers) as program:
        out, err = program.communicate(timeout=TIMEOUT_S)
    assert out == b"result: 9\n"
    assert b"noise" in err
    assert b"\nwarning: a plug-in says ?[2J\n" in err


@linux_only
def test_program_that_leaves_a_pool_open_exits_silently() -> None:
    with start(tasks.program_that_leaves_pool_open) as program:
        out, err = program.communicate(timeout=TIMEOUT_S)
    assert (program.returncode, err) == (0, b"")
    wait_until_dead(*map(int, out.split()))


@linux_only
def test_workers_exit_when_their_parent_is_killed() -> None:
    with start(tasks.program_with_busy_workers) as program:
        assert program.stdout is not None
        pids = [int(word) for word in program.stdout.readline().split()]
        assert all(is_alive(pid) for pid in pids)
        program.kill()
    wait_until_dead(*pids)


def test_only_the_parent_reacts_to_ctrl_c() -> None:
    with start(tasks.program_with_busy_workers, start_new_session=True) as program:
        assert program.stdout is not None
        pids = [int(word) for word in program.stdout.readline().split()]
        os.killpg(program.pid, signal.SIGINT)
        _, err = program.communicate(timeout=TIMEOUT_S)
    assert err.decode().count("KeyboardInterrupt") == 1
    wait_until_dead(*pids)


# --- a single call that may crash or hang --------------------------------------------------------


def test_isolated_call_returns_its_result_with_its_own_environment() -> None:
    call = partial(os.getenv, "UNDER_TEST")
    assert run_isolated(call, environment={"UNDER_TEST": "yes"}, progress=int, patience_s=TIMEOUT_S) == "yes"
    assert "UNDER_TEST" not in os.environ


def test_isolated_call_raises_what_it_raises() -> None:
    with pytest.raises(ZeroDivisionError, match="of 7"):
        run_isolated(partial(tasks.divide, 7, by=0), progress=int, patience_s=TIMEOUT_S)


def test_isolated_call_that_dies_is_reported_with_its_signal() -> None:
    with pytest.raises(DeadWorkerError, match="SIGKILL") as caught:
        run_isolated(tasks.kill_itself, progress=int, patience_s=TIMEOUT_S)
    assert caught.value.exit_code == -signal.SIGKILL


def test_isolated_call_without_progress_is_killed() -> None:
    with pytest.raises(DeadWorkerError, match="no progress"):
        run_isolated(partial(time.sleep, 600), progress=int, patience_s=0.1)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="needs signal masks")
def test_a_process_started_with_interrupts_blocked_inherits_that() -> None:
    """Starting the first process starts another one, which used to unblock them."""
    source = (
        "import signal\n"
        "from multiprocessing import resource_tracker\n"
        "from boardgames.executors.pool import sigint_blocked\n"
        "with sigint_blocked():\n"
        "    resource_tracker.ensure_running()\n"
        "    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))\n"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
