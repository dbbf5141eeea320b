"""How the program reacts to Ctrl-C, SIGTERM and SIGHUP."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boardgames.player import Stop


@contextmanager
def interrupt_on_termination() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGTERM and SIGHUP (closed terminal), as Ctrl-C does."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), interrupt) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C, SIGTERM and SIGHUP for a short time, such as while a match is saved."""
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), lambda number, frame: None) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


@contextmanager
def stop_on_interrupt() -> "Iterator[Stop]":
    """Yield a `Stop` that the first Ctrl-C sets; a second Ctrl-C raises KeyboardInterrupt."""
    from boardgames.player import Stop

    stop, interrupted = Stop(), threading.Event()

    def handle(number: int, frame: object) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()
        # set by another thread: the interrupted one may hold the stop's lock
        threading.Thread(target=stop.set, name="boardgames-stop", daemon=True).start()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
