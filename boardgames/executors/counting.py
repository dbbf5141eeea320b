"""An executor that passes tasks on to another one and counts them, to show progress."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class CountingExecutor(Executor):
    """Passes tasks on to another executor and counts finished tasks.

    Parameters
    ----------
    executor : Executor
        The executor that runs the tasks; its attributes are also available on this object.

    Attributes
    ----------
    done : int
        Number of tasks that are done, including cancelled and failed ones.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor, self._lock = executor, threading.Lock()
        self.done = 0

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
        """Submit a task; see `concurrent.futures.Executor.submit`."""
        future = self._executor.submit(function, *arguments, **more)
        future.add_done_callback(self._count)
        return future

    def _count(self, future: Future[Any]) -> None:
        with self._lock:
            self.done += 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._executor, name)
