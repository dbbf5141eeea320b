"""How the program reacts to Ctrl-C, SIGTERM and SIGHUP."""

import math
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from boardgames.cli.program import EXIT_INTERRUPTED
from boardgames.faults import Interrupted

if TYPE_CHECKING:
    from boardgames.player import Stop

STUCK_SECONDS = 1.0
"""If the main thread has not reacted to Ctrl-C after this time, it is assumed to be stuck in a kernel."""
SAVE_SECONDS = 0.7
"""How long the program waits for a match to be saved before it ends."""
MOST_INTERRUPTS = 3
"""How many times Ctrl-C must be pressed to end the program even if a plug-in catches the interrupts."""
LAG_SECONDS = 0.25
"""How long after the main thread the watching thread may notice the same signal."""
TERMINATION_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
ENDING_SIGNALS = (signal.SIGINT, *TERMINATION_SIGNALS)


@contextmanager
def interrupts() -> Iterator[None]:
    """Raise `Interrupted` on Ctrl-C, to distinguish it from a KeyboardInterrupt that a plug-in raises."""
    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler and _is_main_thread()
    if not is_usual:  # a background process may ignore Ctrl-C, for example
        yield
        return
    with _handling((signal.SIGINT,), _interrupt):
        yield


@contextmanager
def end_if_stuck(
    save: Callable[[], object] | None = None, *, seconds: float = STUCK_SECONDS, always: bool = False
) -> Iterator[None]:
    """End the program if the main thread is in a kernel that never returns and does not react to Ctrl-C.

    The program also ends if it continues after Ctrl-C has been pressed three times.

    Python runs signal handlers in the main thread, and only after compiled code has returned. But it
    writes a byte to a pipe as soon as the signal arrives, and another thread waits for that byte.

    Parameters
    ----------
    save : callable, optional
        Called in another thread before the program ends.
    seconds : float
        How long the main thread has to react.
    always : bool
        End the program after this time even if the main thread has reacted, unless the block has ended.
    """
    if os.name != "posix" or not _is_main_thread():
        yield
        return
    readable, writable = os.pipe()
    os.set_blocking(writable, False)
    before = signal.set_wakeup_fd(writable, warn_on_full_buffer=False)

    def watch() -> None:
        number = 0  # the signal that may not have been handled yet
        since: float | None = None  # when it arrived
        count = 0
        while True:
            wait = None if since is None else max(since + seconds - time.monotonic(), 0.0)
            if select.select([readable], [], [], wait)[0]:
                numbers = os.read(readable, 64)
                if not numbers:  # the block has ended
                    break
                ending = [one for one in numbers if one in ENDING_SIGNALS]
                count += len(ending)
                if ending and (since is None or (_reactions.is_after(since) and not always)):
                    since, number = time.monotonic(), ending[0]
            else:
                assert since is not None
                is_ours = getattr(signal.getsignal(number), "__module__", None) == __name__
                is_ignored = count >= MOST_INTERRUPTS or not _reactions.is_after(since)
                if always or (is_ours and is_ignored):
                    end_now(save)
                since = None
        os.close(readable)

    threading.Thread(target=watch, name="boardgames-interrupts", daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before, warn_on_full_buffer=False)
        os.close(writable)


def end_now(save: Callable[[], object] | None = None, code: int = EXIT_INTERRUPTED) -> NoReturn:
    """End the process without waiting for any thread, after calling `save` in another thread.

    The default exit code says that the program was interrupted.
    """

    def finish() -> None:
        if save is not None:
            save()
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()

    last = threading.Thread(target=finish, name="boardgames-end", daemon=True)
    last.start()
    last.join(SAVE_SECONDS)
    os._exit(code)


@contextmanager
def wakeup_fd_preserved() -> Iterator[None]:
    """Suspend the watch of `end_if_stuck` during code that handles signals itself, such as a prompt."""
    is_watched = os.name == "posix" and _is_main_thread()
    watched = signal.set_wakeup_fd(-1) if is_watched else -1
    try:
        yield
    finally:
        if is_watched:
            signal.set_wakeup_fd(watched, warn_on_full_buffer=False)


def interrupt_on_termination() -> AbstractContextManager[None]:
    """Raise `Interrupted`, a KeyboardInterrupt, on SIGTERM and SIGHUP (closed terminal), as Ctrl-C does."""
    return _handling(TERMINATION_SIGNALS, _interrupt)


def without_interrupts() -> AbstractContextManager[None]:
    """Ignore Ctrl-C, SIGTERM and SIGHUP for a short time, such as while a match is saved."""
    return _handling(ENDING_SIGNALS, _ignore)


@contextmanager
def stop_on_interrupt() -> "Iterator[Stop]":
    """Yield a `Stop` that the first Ctrl-C sets; a second Ctrl-C raises KeyboardInterrupt.

    The program counts as stuck (`end_if_stuck`) unless the block ends soon after the first Ctrl-C.
    """
    from boardgames.player import Stop

    stop, interrupted = Stop(), threading.Event()

    def handle(number: int, frame: object) -> None:
        if interrupted.is_set():
            _reactions.note()
            raise Interrupted
        interrupted.set()
        # another thread must set it, because the interrupted thread may hold the stop's lock
        threading.Thread(target=stop.set, name="boardgames-stop", daemon=True).start()

    try:
        with _handling((signal.SIGINT,), handle):
            yield stop
    finally:
        _reactions.note()


class _Reactions:
    """The time at which the main thread last handled a signal."""

    def __init__(self) -> None:
        self._last = -math.inf

    def note(self) -> None:
        self._last = time.monotonic()

    def is_after(self, moment: float) -> bool:
        """Return True if the signal that was seen at this moment, or a later one, has been handled."""
        return self._last > moment - LAG_SECONDS


_reactions = _Reactions()


@contextmanager
def _handling(signals: Iterable[int], handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def _interrupt(number: int, frame: object) -> None:
    _reactions.note()
    raise Interrupted


def _ignore(number: int, frame: object) -> None:
    _reactions.note()


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
