"""An executor that behaves like a cluster whose other workers join after the first task."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

from waiting import TIMEOUT_S


class Joining(Executor):
    """Has one worker at first and eight after the first task; then tasks wait until eight run together."""

    def __init__(self) -> None:
        self.workers = 1
        self._threads = ThreadPoolExecutor(8)
        self._together = threading.Barrier(8)
        self.have_met = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.workers == 1:
            future = self._threads.submit(fn, *args, **kwargs)
            future.add_done_callback(self._join)
            return future
        return self._threads.submit(self._meet, fn, *args, **kwargs)

    def _join(self, future: Future[Any]) -> None:
        self.workers = 8

    def _meet(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        if not self.have_met:
            self._together.wait(TIMEOUT_S)  # fails if they never arrive
            self.have_met = True
        return fn(*args, **kwargs)
