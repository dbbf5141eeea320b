"""Run compiled code so that it can be ended by a deadline, a stop flag or Ctrl-C.

The work runs in its own thread. The calling thread waits in short steps, so
that it reacts to an interrupt within 50 ms, and sets the stop flag of the
control record when the time is up.
"""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from boardgames.kernels import Control
from boardgames.player import Stop

Result = TypeVar("Result")

WAIT_S = 0.05


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
        After the work has ended.
    """
    results: list[Result] = []
    errors: list[BaseException] = []
    done = threading.Event()

    def target() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - raised in the waiting thread, whatever it is
            errors.append(error)
        finally:
            done.set()

    if stop is not None:
        stop.attach(control)
    worker = threading.Thread(target=target, name="boardgames-search", daemon=True)
    deadline = None if seconds is None else time.monotonic() + seconds
    try:
        worker.start()
        _wait(done, control, deadline)
    finally:
        control[0].stop = 1
        if worker in threading.enumerate():  # join would raise if an interrupt prevented its start
            done.wait()
            worker.join()
        if stop is not None:
            stop.detach(control)
    if errors:
        raise errors[0]
    return results[0]


def _wait(done: threading.Event, control: Control, deadline: float | None) -> None:
    while not done.is_set():
        left = WAIT_S if deadline is None else deadline - time.monotonic()
        if left <= 0:
            control[0].stop = 1
            deadline = None
        else:
            done.wait(min(WAIT_S, left))
