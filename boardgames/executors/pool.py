"""ProcessPool: worker processes that are replaced when they die.

The standard library's process pool breaks for good when one worker is killed,
loses the tasks of all, and cannot stop one that is under way; this one does
the task of a dead worker again, and only that.
"""

import atexit
import os
import pickle
import queue
import signal
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import connection, get_context, parent_process
from typing import Any, ParamSpec, TypeVar

from boardgames.errors import WorkerError

ATTEMPTS = 3
"""So many workers may die with a task before the task is given up."""
GRACE_S = 5.0
"""A worker whose pipe is closed may take so long to end by itself."""

_SPAWN = get_context("spawn")  # a forked process would inherit threads of Numba and of ours, half alive

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class ProcessPool(Executor):
    """Worker processes, each replaced when it dies; the task that it had is done again.

    A task that `ATTEMPTS` workers have died with raises WorkerError; the others
    go on. Workers end with this process, however it ends, and what they print
    goes to stderr. Workers have no workers of their own.

    Parameters
    ----------
    workers : int
        Number of processes at most; they are started as tasks come.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._lanes: list[_Lane] = []
        self._is_closed = False
        self._lock = threading.Lock()
        # before multiprocessing ends our processes by itself, and lanes replace them
        self._finalizer = weakref.finalize(self, _kill, self._tasks, self._lanes)
        self._finalizer.atexit = False
        atexit.register(self._finalizer)

    def submit(
        self, fn: Callable[Arguments, Result], /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> "Future[Result]":
        """Queue a task; return its future.

        Raises
        ------
        RuntimeError
            If the pool has been shut down.
        """
        future: Future[Result] = Future()
        with self._lock:
            if self._is_closed:
                raise RuntimeError("expected an open pool: it has been shut down")
            if len(self._lanes) < self.workers:
                self._lanes.append(_Lane(self._tasks))
            self._tasks.put(_Task(future, partial(fn, *args, **kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers when all tasks are done, or with `cancel_futures` those under way."""
        with self._lock:
            self._is_closed = True
            if cancel_futures:
                _cancel_queued(self._tasks)
            for _ in self._lanes:
                self._tasks.put(None)
        if wait:
            for lane in self._lanes:
                lane.join()
            atexit.unregister(self._finalizer)

    def kill(self) -> None:
        """End the workers at once: queued tasks are cancelled, those under way raise WorkerError."""
        with self._lock:
            self._is_closed = True
        self._finalizer()
        atexit.unregister(self._finalizer)


def _kill(tasks: "queue.SimpleQueue[_Task | None]", lanes: "list[_Lane]") -> None:
    _cancel_queued(tasks)
    for _ in lanes:
        tasks.put(None)
    for lane in lanes:
        lane.kill()
    for lane in lanes:
        lane.join()


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
    """A call and the future that waits for its result, of any kind."""

    future: "Future[Any]"
    call: Callable[[], object]


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
            if not task.future.set_running_or_notify_cancel():
                continue
            try:
                answer = self._answer(pickle.dumps(task.call))
                is_done, result = pickle.loads(answer)  # noqa: S301 - from our own process
            except Exception as error:  # noqa: BLE001 - whatever went wrong, somebody waits for this future
                task.future.set_exception(error)
            else:
                (task.future.set_result if is_done else task.future.set_exception)(result)
        if self._worker is not None:
            self._worker.close()

    def _answer(self, message: bytes) -> bytes:
        """Return what a worker answers, asking another one when it dies."""
        for _ in range(ATTEMPTS):
            worker = self._living_worker()
            try:
                return worker.ask(message)
            except (EOFError, OSError):
                worker.close()
        code = None if self._worker is None else self._worker.exit_code
        raise WorkerError(
            f"expected a task that a worker survives: {ATTEMPTS} died with it, the last with exit code "
            f"{code} (a script that uses workers must do its work under `if __name__ == '__main__':`)"
        )

    def _living_worker(self) -> "_Worker":
        with self._lock:
            if self._is_killed:
                raise WorkerError("expected a task that is finished: its worker was told to end")
            if self._worker is None or self._worker.is_closed:
                try:
                    self._worker = _Worker()
                except OSError as error:
                    raise WorkerError(f"expected a worker process that can be started: {error}") from None
            return self._worker


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

    def ask(self, message: bytes) -> bytes:
        """Return whether the call has returned, and what it returned or raised, pickled.

        Raises
        ------
        EOFError, OSError
            If the process has died.
        """
        self._pipe.send_bytes(message)
        return self._pipe.recv_bytes()

    def close(self) -> None:
        """Tell the process to end, and wait for that; nothing if that has been done."""
        if self.is_closed:
            return
        self.is_closed = True
        self._pipe.close()
        deadline = time.monotonic() + GRACE_S  # `join` trusts a pipe of its own, which may be closed too
        while self._process.exitcode is None and time.monotonic() < deadline:
            time.sleep(0.002)
        self._process.kill()  # if it lives on without its end of the pipe
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
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # it was held back until here
    os.dup2(2, 1)  # stdout belongs to the parent
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        while True:
            pipe.send_bytes(_answer(pipe.recv_bytes()))
    except (EOFError, OSError):
        return


def _answer(message: bytes) -> bytes:
    """Return what a call returns or raises, as `_Lane` reads it."""
    try:
        answer: tuple[bool, object] = (True, pickle.loads(message)())  # noqa: S301 - from our own process
        return pickle.dumps(answer)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the caller gets whatever was raised
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
