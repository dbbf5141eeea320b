"""Tasks for the tests of executors. Workers import this module by name."""

import os
import signal
import sys
import threading
import time
import warnings
from pathlib import Path

from boardgames.errors import WorkerError
from boardgames.executors import ProcessPool, open_executor


def square(number: int) -> int:
    return number**2


def is_loaded(module: str) -> bool:
    return module in sys.modules


def divide(number: int, *, by: int) -> float:
    if by == 0:
        raise ZeroDivisionError(f"of {number}")
    return number / by


def hang_first_time(path: Path) -> str:
    """Write the process ID to `path` and wait to be killed; return at once if the file exists."""
    if path.exists():
        return "second attempt"
    part = path.with_suffix(".part")
    part.write_text(str(os.getpid()))
    part.rename(path)
    time.sleep(600)
    return "not killed"


def append_line(path: Path, number: int) -> None:
    with path.open("a") as file:
        file.write(f"{number}\n")


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def exit_process(code: int) -> None:
    os._exit(code)


def process_id() -> int:
    """Return the process ID after a moment, so that another worker takes the next task."""
    time.sleep(0.05)
    return os.getpid()


def unpicklable_result() -> object:
    return threading.Lock()


class NotUnpicklableError(Exception):
    """An exception that can be pickled but not unpickled, since it takes two arguments and keeps one."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(one + other)


class NotUnpicklable:
    """A value that can be pickled, but raises the given exception when it is unpickled."""

    def __init__(self, error: type[Exception]) -> None:
        self.error = error

    def __reduce__(self) -> tuple[object, ...]:
        return _raise, (self.error,)


def _raise(error: type[Exception]) -> None:
    raise error("cannot be read")


def return_not_unpicklable(error: type[Exception]) -> NotUnpicklable:
    return NotUnpicklable(error)


def raise_not_unpicklable() -> None:
    raise NotUnpicklableError("only in ", "text")


def close_files_and_hang() -> None:
    os.closerange(3, 256)
    time.sleep(600)


def raise_system_exit() -> None:
    raise SystemExit(3)


def raise_worker_error() -> None:
    raise WorkerError("of this task")


def start_nested_workers() -> int:
    with open_executor(2) as executor:
        return executor.submit(square, 3).result(60)


def print_and_square(number: int) -> int:
    print("noise")  # noqa: T201 - the test looks for it
    os.write(1, b"noise from the file descriptor\n")
    warnings.warn("a plug-in\nsays \x1b[2J", stacklevel=1)
    return number**2


# --- programs that tests run in a process of their own ---------------------------------------


def program_with_noisy_workers() -> None:
    with open_executor(2) as executor:
        result = executor.submit(print_and_square, 3).result(60)
    print(f"result: {result}")  # noqa: T201 - the test reads it


def program_with_busy_workers() -> None:
    """Print the process IDs of two workers, then keep them busy."""
    with open_executor(2) as executor:
        futures = [executor.submit(process_id) for _ in range(2)]
        print(*{future.result(60) for future in futures}, flush=True)  # noqa: T201 - the test reads it
        busy = [executor.submit(time.sleep, 600) for _ in range(2)]
        while not busy[0].done():  # polling: a SIGINT just before a blocking wait is noticed only after it
            time.sleep(0.05)


def program_that_leaves_pool_open() -> None:
    """Print the process IDs of two workers, then exit while tasks are running and queued."""
    pool = ProcessPool(2)
    futures = [pool.submit(process_id) for _ in range(2)]
    print(*{future.result(60) for future in futures}, flush=True)  # noqa: T201 - the test reads it
    for _ in range(8):
        pool.submit(time.sleep, 600)
