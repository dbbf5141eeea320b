"""Run compiled code so that it can be ended by a deadline, a stop flag or Ctrl-C.

The work runs in another thread. The calling thread waits in short steps, so
that it reacts to an interrupt within 50 ms, and sets the stop flag of the
control record when the time is up.

Threads are kept for later work. On a busy machine, a new thread often waits for several
milliseconds before it runs for the first time, which is long for searches of a few milliseconds.
"""

import contextvars
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from boardgames.kernels import Control
from boardgames.player import Stop

Result = TypeVar("Result")

WAIT_S = 0.05
GIVE_UP_S = 1.0
SEARCHING, IDLE = "boardgames-search", "boardgames-idle"
"""Names of a thread while it works and while it waits for work."""


class _Job(Generic[Result]):
    """Work for another thread, and its result or error; it runs in the context of the waiting thread."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._context = contextvars.copy_context()
        self._claimed = threading.Lock()
        self.done = threading.Event()
        self.results: list[Result] = []
        self.errors: list[BaseException] = []

    def claim(self) -> bool:
        """Return True to the first caller only; a thread must claim a job before it starts the work."""
        return self._claimed.acquire(blocking=False)

    def do(self) -> None:
        """Do the work and keep its result."""
        try:
            self.results.append(self._context.run(self._work))
        except BaseException as error:  # noqa: BLE001 - raised in the waiting thread, whatever it is
            self.errors.append(error)


class _Worker:
    """A thread that does one job after another."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job[Any]] = SimpleQueue()  # results of any type
        self._thread = threading.Thread(target=self._run, name=IDLE, daemon=True)
        self._thread.start()

    def give(self, job: _Job[Any]) -> None:
        """Start the job in the thread, which must be idle."""
        self._jobs.put(job)

    def _run(self) -> None:
        while True:
            job = self._jobs.get()
            if job.claim():
                self._thread.name = SEARCHING
                job.do()
                self._thread.name = IDLE
            _idle.append(self)  # before the caller continues, so that its next job gets this thread again
            job.done.set()
            del job  # the job may hold large tables


_idle: deque[_Worker] = deque()
if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_idle.clear)


def run(
    work: Callable[[], Result],
    control: Control,
    *,
    seconds: float | None = None,
    stop: Stop | None = None,
) -> Result:
    """Return what `work` returns, stopping it at a deadline, by `stop` or on an interrupt.

    Parameters
    ----------
    work : callable
        Calls kernels that check `control`. Its exceptions are raised here.
    control : Control
        Its stop flag is set to end the work.
    seconds : float, optional
        Time until the stop flag is set.
    stop : Stop, optional
        Set by another thread to end the work.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, after the work has ended, or after one second if it does not stop.
    """
    job = _Job(work)
    if stop is not None:
        stop.attach(control)
    deadline = None if seconds is None else time.monotonic() + seconds
    try:
        _idle_worker().give(job)
        _wait(job.done, control, deadline)
    except BaseException:  # a kernel that ignores its stop flag must not keep the program from ending
        control[0].stop = 1
        if not job.claim():
            job.done.wait(GIVE_UP_S)
        raise
    finally:
        control[0].stop = 1
        if stop is not None:
            stop.detach(control)
    if job.errors:
        raise job.errors[0]
    return job.results[0]


def _idle_worker() -> _Worker:
    try:
        return _idle.pop()
    except IndexError:
        return _Worker()


def _wait(done: threading.Event, control: Control, deadline: float | None) -> None:
    while not done.is_set():
        left = WAIT_S if deadline is None else deadline - time.monotonic()
        if left <= 0:
            control[0].stop = 1
            deadline = None
        else:
            done.wait(min(WAIT_S, left))
