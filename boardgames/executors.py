"""Who does work that fans out: this process, worker processes that are replaced when they die, a cluster.

All three are executors of `concurrent.futures`, so that arena and learners are
written once. A task is a function of a module and arguments that can be
pickled: names, texts and numbers, never kernels. Its result must depend on
nothing else, since it may be done again, anywhere.

The standard library's process pool breaks for good when one worker is killed,
loses the tasks of all, and cannot stop one that is under way; this one does
the task of a dead worker again, and only that.
"""

import os
import pickle
import queue
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from multiprocessing import connection, get_context, parent_process
from typing import Any, ParamSpec, TypeVar

from boardgames.errors import ClusterError, LimitError, MissingExtraError, WorkerError, shown

ATTEMPTS = 3
"""So many workers may die with a task before the task is given up."""
UNKNOWN_WIDTH = 8
CLUSTER_TIMEOUT_S = 10.0
LOCAL = "local"

_SPAWN = get_context("spawn")  # a forked process would inherit threads of Numba and of ours, half alive

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
        If `workers` is below 1.
    MissingExtraError, ClusterError
        If `distributed` is not installed, or no scheduler answers.

    Examples
    --------
    >>> with open_executor(1) as executor:
    ...     list(executor.map(abs, [-1, 2]))
    [1, 2]
    """
    count = core_count() if workers is None else workers
    if not (type(count) is int and count >= 1):
        raise LimitError(f"expected at least 1 worker: {shown(workers)}")
    if cluster is not None:
        with _cluster(count, cluster) as executor:
            yield executor
        return
    executor = InProcess() if count == 1 else ProcessPool(count)
    try:
        yield executor
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


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
    width = getattr(executor, "workers", UNKNOWN_WIDTH)
    return width if isinstance(width, int) else UNKNOWN_WIDTH


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
        except Exception as error:  # noqa: BLE001 - a future carries whatever was raised
            future.set_exception(error)
        return future


class ProcessPool(Executor):
    """Worker processes, each replaced when it dies; the task that it had is done again.

    A task that `ATTEMPTS` workers have died with raises WorkerError; the others
    go on. Workers end with this process, however it ends, and what they print
    goes to stderr.

    Parameters
    ----------
    workers : int
        Number of processes.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._lanes = [_Lane(self._tasks) for _ in range(workers)]
        self._is_closed = False

    def submit(
        self, fn: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> "Future[Result]":
        """Queue a task; return its future."""
        if self._is_closed:
            raise RuntimeError("expected an open pool: it has been shut down")
        future: Future[Result] = Future()
        self._tasks.put(_Task(future, partial(fn, *args, **kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers: when all tasks are done, or with `wait=False` at once, whatever they do."""
        self._is_closed = True
        if cancel_futures:
            self._cancel_queued()
        for _ in self._lanes:
            self._tasks.put(None)
        for lane in self._lanes:
            if not wait:
                lane.kill()
        for lane in self._lanes:
            lane.join()

    def _cancel_queued(self) -> None:
        while True:
            try:
                task = self._tasks.get_nowait()
            except queue.Empty:
                return
            if task is not None:
                task.future.cancel()


class _Task:
    """A call and the future that waits for its result."""

    def __init__(self, future: "Future[Any]", call: Callable[[], object]) -> None:  # of any result
        self.future, self.call = future, call


class _Lane:
    """A thread that hands tasks to one worker process, and starts another when that one dies."""

    def __init__(self, tasks: "queue.SimpleQueue[_Task | None]") -> None:
        self._tasks = tasks
        self._worker: _Worker | None = None
        self._is_killed = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def kill(self) -> None:
        """End the worker in the middle of its task, which fails."""
        with self._lock:
            self._is_killed = True
            if self._worker is not None:
                self._worker.kill()

    def join(self) -> None:
        """Wait until thread and worker have ended."""
        self._thread.join()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            if task.future.set_running_or_notify_cancel():
                self._do(task)
        if self._worker is not None:
            self._worker.close()

    def _do(self, task: _Task) -> None:
        try:
            message = pickle.dumps(task.call)
        except Exception as error:  # noqa: BLE001 - pickle raises what it likes; the future tells
            task.future.set_exception(error)
            return
        for _ in range(ATTEMPTS):
            worker = self._living_worker()
            if worker is None:
                break
            try:
                is_done, result = worker.ask(message)
            except (EOFError, OSError):
                worker.close()
                continue
            if is_done:
                task.future.set_result(result)
            else:
                task.future.set_exception(result)
            return
        task.future.set_exception(self._reason())

    def _living_worker(self) -> "_Worker | None":
        with self._lock:
            if self._is_killed:
                return None
            if self._worker is None or self._worker.is_closed:
                self._worker = _Worker()
            return self._worker

    def _reason(self) -> WorkerError:
        if self._is_killed:
            return WorkerError("expected a task that is finished: its worker was told to end")
        code = None if self._worker is None else self._worker.exit_code
        return WorkerError(
            f"expected a task that a worker survives: {ATTEMPTS} died with it, the last with exit code "
            f"{code} (a script that uses workers must do its work under `if __name__ == '__main__':`)"
        )


class _Worker:
    """One process that does one task after another."""

    def __init__(self) -> None:
        self.exit_code: int | None = None
        self.is_closed = False
        self._pipe, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_serve, args=(theirs,), daemon=True)
        with _interrupts_held():  # the process inherits that, and none finds it half started
            self._process.start()
        theirs.close()

    def ask(self, message: bytes) -> tuple[bool, Any]:  # a result of any kind, or an exception
        """Return whether the call has returned, and what it returned or raised."""
        self._pipe.send_bytes(message)
        is_done, result = pickle.loads(self._pipe.recv_bytes())  # noqa: S301 - from our own process
        return is_done, result

    def close(self) -> None:
        """Tell the process to end, and wait for that; nothing if that has been done."""
        if self.is_closed:
            return
        self.is_closed = True
        self._pipe.close()
        self._process.join()
        self.exit_code = self._process.exitcode
        self._process.close()

    def kill(self) -> None:
        """End the process now."""
        with suppress(ValueError):  # it has just been closed
            self._process.kill()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back in this thread, where the system can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: "connection.Connection") -> None:
    """Do the calls that come through `pipe`, until it is closed; the main function of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all of a terminal; the parent decides
    os.dup2(2, 1)  # stdout belongs to the parent
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        while True:
            pipe.send_bytes(_answer(pipe.recv_bytes()))
    except (EOFError, OSError):
        return


def _answer(message: bytes) -> bytes:
    """Return what a call returns or raises, as `_Worker.ask` reads it."""
    try:
        answer: tuple[bool, object] = (True, pickle.loads(message)())  # noqa: S301 - from our own process
        return pickle.dumps(answer)
    except Exception as error:  # noqa: BLE001 - the caller gets whatever was raised
        told = traceback.format_exc()
        try:
            error.add_note(f"in a worker:\n{told}")
            answer = (False, error)
            pickle.loads(pickle.dumps(answer))  # noqa: S301 - some errors can be written and not read
            return pickle.dumps(answer)
        except Exception:  # noqa: BLE001 - an error that cannot travel is told in words
            return pickle.dumps((False, WorkerError(f"expected a task that succeeds:\n{told}")))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
    os._exit(1)


@contextmanager
def _cluster(workers: int, address: str) -> Iterator[Executor]:
    """Yield an executor of `distributed`; a local cluster listens on loopback only."""
    try:
        distributed: Any = import_module("distributed")  # its types are partial
    except ImportError:
        raise MissingExtraError("cluster", "a cluster") from None
    if not address.strip():
        raise ClusterError(f"expected {LOCAL!r} or the address of a scheduler: {shown(address)}")
    settings = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": "ERROR"}
    local = None
    if address == LOCAL:
        local = distributed.LocalCluster(n_workers=workers, host="127.0.0.1", **settings)
    try:
        client = distributed.Client(address if local is None else local, timeout=CLUSTER_TIMEOUT_S)
    except (OSError, ValueError, TypeError) as error:
        raise ClusterError(f"expected a scheduler that answers: {shown(address)} ({error})") from None
    try:
        executor = client.get_executor(pure=False)
        yield executor
        executor.shutdown(wait=False)
    finally:
        client.close()
        if local is not None:
            local.close()
