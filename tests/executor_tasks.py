"""Tasks for the tests of executors: workers import this module by name."""

import os
import signal
import threading
import time
from pathlib import Path

from boardgames.executors import ProcessPool, open_executor


def square(number: int) -> int:
    return number**2


def divide(number: int, *, by: int) -> float:
    if by == 0:
        raise ZeroDivisionError(f"of {number}")
    return number / by


def wait_once(place: Path) -> str:
    """Write the process's number and wait to be killed, the first time."""
    if place.exists():
        return "done the second time"
    part = place.with_suffix(".part")
    part.write_text(str(os.getpid()))
    part.rename(place)
    time.sleep(600)
    return "not killed"


def note(place: Path, number: int) -> None:
    with place.open("a") as file:
        file.write(f"{number}\n")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def pid_later() -> int:
    """Return the process's number, late enough for another worker to have the next task."""
    time.sleep(0.05)
    return os.getpid()


def give_lock() -> object:
    return threading.Lock()


class UnreadableError(Exception):
    """An error that can be written and not read."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(one + other)


class UnreadableResult:
    """A value that can be written, and whose reading raises what it is given."""

    def __init__(self, error: type[Exception]) -> None:
        self.error = error

    def __reduce__(self) -> tuple[object, ...]:
        return _raise, (self.error,)


def _raise(error: type[Exception]) -> None:
    raise error("cannot be read")


def give_unreadable(error: type[Exception]) -> UnreadableResult:
    return UnreadableResult(error)


def close_all_files_and_stay() -> None:
    os.closerange(3, 256)
    time.sleep(600)


def leave() -> None:
    raise SystemExit(3)


def start_workers_of_its_own() -> int:
    with open_executor(2) as executor:
        return executor.submit(square, 3).result(60)


def raise_unreadable() -> None:
    raise UnreadableError("only ", "in words")


def shout(number: int) -> int:
    print("noise")  # noqa: T201 - that is the point
    os.write(1, b"noise of another kind\n")
    return number**2


def shout_from_workers() -> None:
    with open_executor(2) as executor:
        result = executor.submit(shout, 3).result(60)
    print(f"result: {result}")  # noqa: T201 - the test reads it


def tell_pids_and_work() -> None:
    """Print the numbers of two workers, then keep them busy."""
    with open_executor(2) as executor:
        futures = [executor.submit(pid_later) for _ in range(2)]
        print(*{future.result(60) for future in futures}, flush=True)  # noqa: T201 - the test reads it
        busy = [executor.submit(time.sleep, 600) for _ in range(2)]
        while not busy[0].done():  # Python may see an interrupt only after a wait that it came just before
            time.sleep(0.05)


def leave_a_pool_open() -> None:
    """Leave the program with tasks under way."""
    pool = ProcessPool(2)
    futures = [pool.submit(pid_later) for _ in range(2)]
    print(*{future.result(60) for future in futures}, flush=True)  # noqa: T201 - the test reads it
    for _ in range(8):
        pool.submit(time.sleep, 600)
