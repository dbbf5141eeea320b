"""How the program reacts to Ctrl-C, SIGTERM and SIGHUP."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from boardgames.cli.program import EXIT_INTERRUPTED
from boardgames.faults import Interrupted

if TYPE_CHECKING:
    from boardgames.player import Stop

STUCK_SECONDS = 1.0
"""If the main thread has not reacted to Ctrl-C after this time, it is in a kernel that does not return."""
ENDING = {getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)}
"""The signals that end the program."""
SAVE_SECONDS = 0.7
"""How long the program waits for a match to be saved before it ends."""


@contextmanager
def interrupts() -> Iterator[None]:
    """Raise `Interrupted` on Ctrl-C, to distinguish it from a KeyboardInterrupt that a plug-in raises."""
    before = signal.getsignal(signal.SIGINT)
    is_usual = before is signal.default_int_handler and threading.current_thread() is threading.main_thread()
    if not is_usual:  # such as in a background process that ignores Ctrl-C
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def end_if_stuck(
    save: Callable[[], object] | None = None, *, seconds: float = STUCK_SECONDS, always: bool = False
) -> Iterator[None]:
    """End the program if the main thread is in a kernel that never returns and does not react to Ctrl-C.

    Python calls handlers of signals in the main thread, once it is back from compiled code. But a
    byte is written to a pipe at once, and another thread waits for it.

    Parameters
    ----------
    save : callable, optional
        Called before the end, in another thread.
    seconds : float
        How long the main thread has to react.
    always : bool
        End the program even if the main thread has reacted; for programs that must have ended by then.
    """
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        yield
        return
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    before = signal.set_wakeup_fd(writable, warn_on_full_buffer=False)

    def watch() -> None:
        seen = _reactions.count
        while numbers := os.read(readable, 64):
            before_these, seen = seen, _reactions.count
            ending = [number for number in numbers if number in ENDING]
            if not ending or is_over.wait(seconds):
                continue
            is_ours = getattr(signal.getsignal(ending[0]), "__module__", None) == __name__
            if always or (is_ours and _reactions.count == before_these):
                _end_now(save)
        os.close(readable)

    is_over = threading.Event()
    threading.Thread(target=watch, name="boardgames-interrupts", daemon=True).start()
    try:
        yield
    finally:
        is_over.set()
        signal.set_wakeup_fd(before, warn_on_full_buffer=False)
        os.close(writable)


@contextmanager
def keeping_watch() -> Iterator[None]:
    """Restore the watch of `end_if_stuck` after code that handles signals by itself, such as a prompt."""
    is_main = os.name == "posix" and threading.current_thread() is threading.main_thread()
    watched = signal.set_wakeup_fd(-1) if is_main else -1
    try:
        yield
    finally:
        if is_main:
            signal.set_wakeup_fd(watched, warn_on_full_buffer=False)


@contextmanager
def interrupt_on_termination() -> Iterator[None]:
    """Raise `Interrupted`, a KeyboardInterrupt, on SIGTERM and SIGHUP (closed terminal), as Ctrl-C does."""
    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), _interrupt) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C, SIGTERM and SIGHUP for a short time, such as while a match is saved."""
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), _ignore) for name in names}
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
        _reactions.count += 1
        if interrupted.is_set():
            raise Interrupted
        interrupted.set()
        # set by another thread: the interrupted one may hold the stop's lock
        threading.Thread(target=stop.set, name="boardgames-stop", daemon=True).start()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


class _Reactions:
    """How often a handler of a signal has been called."""

    count = 0


_reactions = _Reactions()


def _interrupt(number: int, frame: object) -> None:
    _reactions.count += 1
    raise Interrupted


def _ignore(number: int, frame: object) -> None:
    _reactions.count += 1


def _end_now(save: Callable[[], object] | None) -> None:
    """End the process without waiting for any thread."""

    def finish() -> None:
        if save is not None:
            save()
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()

    last = threading.Thread(target=finish, name="boardgames-end", daemon=True)
    last.start()
    last.join(SAVE_SECONDS)
    os._exit(EXIT_INTERRUPTED)
