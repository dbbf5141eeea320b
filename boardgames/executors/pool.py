"""Executors on this machine: `InProcess`, and `ProcessPool`, which replaces workers that die.

`run_isolated` runs a single call that may crash or hang.

The standard library's process pool breaks for good when one worker is killed:
every pending task fails, and nothing says which of them was to blame. Here each
worker has a supervising thread that knows its task, so only that task is
retried.
"""

import atexit
import os
import pickle
import queue
import signal
import threading
import time
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import connection, get_context, parent_process, resource_tracker
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

from boardgames.draw.text import printable
from boardgames.errors import DeadWorkerError, WorkerError, describe_error, shortened
from boardgames.paths import environment_variables

MAX_WORKERS = 1024
"""Maximum number of workers."""
MAX_ATTEMPTS = 3
"""A task fails once this many workers have died while running it."""
EXIT_TIMEOUT_S = 5.0
"""How long a worker may take to exit after its pipe was closed before it is killed."""
POLL_S = 0.25
"""How often `run_isolated` checks whether its process is making progress."""

_SPAWN = get_context("spawn")  # a fork would inherit Numba's threads and ours in a broken state

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def core_count() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class InProcess(Executor):
    """Runs every task immediately, in the calling thread.

    Examples
    --------
    >>> InProcess().submit(pow, 2, 10).result()
    1024
    """

    workers = 1

    def submit(
        self, fn: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> "Future[Result]":
        """Run the task and return a finished future."""
        future: Future[Result] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the future carries any exception
            future.set_exception(error)
        return future


class ProcessPool(Executor):
    """Pool of spawned worker processes that survives the death of its workers.

    A dead worker is replaced and its task run again; other tasks are not
    affected. After `MAX_ATTEMPTS` deaths the task raises WorkerError. Workers
    ignore Ctrl-C, write to stderr only, and exit when this process does, however
    it ends. They cannot start workers of their own.

    Parameters
    ----------
    workers : int
        Maximum number of processes. They are started as tasks arrive.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._supervisors: list[_Supervisor] = []
        self._is_closed = False
        self._lock = threading.Lock()
        # run this before multiprocessing's exit handler, which would kill workers
        # that the supervisors would then replace
        self._finalizer = weakref.finalize(self, _kill_workers, self._tasks, self._supervisors)
        self._finalizer.atexit = False
        atexit.register(self._finalizer)

    def submit(
        self, fn: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> "Future[Result]":
        """Queue a task and return its future.

        Raises
        ------
        RuntimeError
            If the pool has been shut down.
        """
        future: Future[Result] = Future()
        with self._lock:
            if self._is_closed:
                raise RuntimeError("cannot submit a task: the pool has been shut down")
            if len(self._supervisors) < self.workers:
                self._supervisors.append(_Supervisor(self._tasks))
            self._tasks.put(_Task(future, partial(fn, *args, **kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Stop the workers once all tasks are done, or with `cancel_futures` once the running ones are."""
        with self._lock:
            self._is_closed = True
            if cancel_futures:
                _cancel_queued(self._tasks)
            for _ in self._supervisors:
                self._tasks.put(None)
        if wait:
            for supervisor in self._supervisors:
                supervisor.join()
            atexit.unregister(self._finalizer)

    def kill(self) -> None:
        """Kill the workers. Queued tasks are cancelled; running ones raise WorkerError."""
        with self._lock:
            self._is_closed = True
        self._finalizer()
        atexit.unregister(self._finalizer)


def run_isolated(
    call: Callable[[], Result],
    *,
    environment: Mapping[str, str] = MappingProxyType({}),
    progress: Callable[[], object],
    patience_s: float,
) -> Result:
    """Run a call once, in a new process, and return its result or raise its exception.

    Parameters
    ----------
    call : callable
        The call to run. It is pickled, and so is its result.
    environment : mapping of str to str
        Environment variables of the process in addition to ours.
    progress : callable
        Called several times a second. The process is killed if its value does not change for
        `patience_s`.
    patience_s : float
        Seconds to wait for a change.

    Raises
    ------
    DeadWorkerError
        If the process dies, or is killed because it makes no progress.
    """
    request = pack(call)
    worker = _Worker(environment)
    try:
        reply = worker.call_watched(request, progress, patience_s)
    except (EOFError, OSError):
        worker.close()
        raise DeadWorkerError(_death(worker.exit_code), worker.exit_code) from None
    finally:
        worker.kill()
        worker.close()
    if reply is None:
        raise DeadWorkerError(f"made no progress for {patience_s:g} s", None)
    is_ok, result = unpack(reply)
    if is_ok:
        return result  # type: ignore[no-any-return]  # what `call` returned
    raise result


def pack(call: Callable[[], object]) -> bytes:
    """Return a call in the form that is sent to a worker, for `run_packed`."""
    return pickle.dumps(call)


def run_packed(request: bytes) -> bytes:
    """Run a packed call in a worker, and return the reply for `unpack`."""
    try:
        reply: tuple[bool, object] = (True, pickle.loads(request)())  # noqa: S301 - from our own process
        return pickle.dumps(reply)
    except BaseException as error:  # noqa: BLE001 - the caller gets any exception; Ctrl-C is ignored here
        trace = traceback.format_exc()
        try:
            error.add_note(f"in a worker:\n{trace}")
            reply = (False, error)
            pickle.loads(pickle.dumps(reply))  # noqa: S301 - some exceptions pickle but do not unpickle
            return pickle.dumps(reply)
        except Exception:  # noqa: BLE001 - send its traceback instead
            failure = WorkerError(f"the task raised {describe_error(error)}")
            failure.add_note(f"in a worker:\n{trace}")
            return pickle.dumps((False, failure))


def unpack(reply: bytes) -> tuple[bool, Any]:  # the result may be anything
    """Return `(True, result)` or `(False, exception)` from the reply of a worker."""
    is_ok, result = pickle.loads(reply)  # noqa: S301 - from our own process
    return is_ok, result


def _death(exit_code: int | None) -> str:
    """Describe how a process ended: `died of signal 11 (SIGSEGV)`."""
    if exit_code is None or exit_code >= 0:
        return f"ended the process with exit code {exit_code}"
    try:
        return f"died of signal {-exit_code} ({signal.Signals(-exit_code).name})"
    except ValueError:
        return f"died of signal {-exit_code}"


def _kill_workers(tasks: "queue.SimpleQueue[_Task | None]", supervisors: "list[_Supervisor]") -> None:
    _cancel_queued(tasks)
    for _ in supervisors:
        tasks.put(None)
    for supervisor in supervisors:
        supervisor.kill()
    for supervisor in supervisors:
        supervisor.join()


def _cancel_queued(tasks: "queue.SimpleQueue[_Task | None]") -> None:
    while True:
        try:
            task = tasks.get_nowait()
        except queue.Empty:
            return
        if task is not None:
            task.future.cancel()


@dataclass(frozen=True, slots=True)
class _Task:
    future: "Future[Any]"  # the result may be anything
    call: Callable[[], object]


class _Supervisor:
    """Thread that passes tasks to one worker process and replaces the worker when it dies."""

    def __init__(self, tasks: "queue.SimpleQueue[_Task | None]") -> None:
        self._tasks = tasks
        self._worker: _Worker | None = None
        self._is_killed = False
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def kill(self) -> None:
        """Kill the worker; its task fails."""
        with self._lock:
            self._is_killed = True
            if self._worker is not None:
                self._worker.kill()

    def join(self) -> None:
        """Wait until the thread and its worker have ended."""
        self._thread.join()

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            if not task.future.set_running_or_notify_cancel():
                continue
            try:
                is_ok, result = unpack(self._call_with_retries(pack(task.call)))
            except Exception as error:  # noqa: BLE001 - the caller waits for this future
                task.future.set_exception(error)
            else:
                (task.future.set_result if is_ok else task.future.set_exception)(result)
        if self._worker is not None:
            self._worker.close()

    def _call_with_retries(self, request: bytes) -> bytes:
        for _ in range(MAX_ATTEMPTS):
            worker = self._living_worker()
            try:
                return worker.call(request)
            except (EOFError, OSError):
                worker.close()
        exit_code = None if self._worker is None else self._worker.exit_code
        raise WorkerError(
            f"{MAX_ATTEMPTS} workers died while running this task, the last with exit code {exit_code} "
            "(a script that uses workers must start them under `if __name__ == '__main__':`)"
        )

    def _living_worker(self) -> "_Worker":
        with self._lock:
            if self._is_killed:
                raise WorkerError("the pool was shut down before this task was done")
            if self._worker is None or self._worker.is_closed:
                try:
                    self._worker = _Worker()
                except OSError as error:
                    raise WorkerError(f"cannot start a worker process: {error}") from None
            return self._worker


class _Worker:
    """A worker process that runs one call at a time."""

    def __init__(self, environment: Mapping[str, str] = MappingProxyType({})) -> None:
        self.exit_code: int | None = None
        self.is_closed = False
        self._pipe, worker_end = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_worker_main, args=(worker_end,), daemon=True)
        # the worker inherits this, so Ctrl-C cannot stop it before it ignores SIGINT
        with environment_variables(environment), sigint_blocked():
            self._process.start()
        worker_end.close()

    def call(self, request: bytes) -> bytes:
        """Run a pickled call in the worker and return its reply; see `run_packed`.

        Raises
        ------
        EOFError, OSError
            If the process has died.
        """
        self._pipe.send_bytes(request)
        return self._pipe.recv_bytes()

    def call_watched(self, request: bytes, progress: Callable[[], object], patience_s: float) -> bytes | None:
        """Act like `call`, but return None once `progress()` has not changed for `patience_s` seconds."""
        self._pipe.send_bytes(request)
        last, since = progress(), time.monotonic()
        while not self._pipe.poll(POLL_S):
            now = progress()
            if now != last:
                last, since = now, time.monotonic()
            elif time.monotonic() - since > patience_s:
                return None
        return self._pipe.recv_bytes()

    def close(self) -> None:
        """Close the pipe and wait until the process has exited. Does nothing the second time."""
        if self.is_closed:
            return
        self.is_closed = True
        self._pipe.close()
        # join(timeout) would wait on a file descriptor that the task may have closed
        deadline = time.monotonic() + EXIT_TIMEOUT_S
        while self._process.exitcode is None and time.monotonic() < deadline:
            time.sleep(0.002)
        self._process.kill()
        self._process.join()
        self.exit_code = self._process.exitcode
        self._process.close()

    def kill(self) -> None:
        """Kill the process."""
        with suppress(ValueError):  # the process is already closed
            self._process.kill()


@contextmanager
def sigint_blocked() -> Iterator[None]:
    """Block SIGINT in this thread and in the threads and processes it starts, if the system supports that."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # starting it with the first process would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _worker_main(pipe: "connection.Connection") -> None:
    """Run the calls that arrive on `pipe` until it is closed."""
    # a terminal sends Ctrl-C to every process, but the parent decides what to do
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.dup2(2, 1)  # only the parent writes to stdout
    warnings.formatwarning = _format_warning
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    try:
        while True:
            pipe.send_bytes(run_packed(pipe.recv_bytes()))
    except (EOFError, OSError):
        return


def _format_warning(message: Warning | str, *rest: object, **more: object) -> str:  # called by `warnings`
    """Return a warning as one line that cannot control the terminal; it may quote a plug-in."""
    return f"warning: {printable(shortened(str(message)))}\n"


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
    os._exit(1)
