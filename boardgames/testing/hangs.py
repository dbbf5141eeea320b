"""Find calls of a game's Python methods that do not return.

A timer interrupts the checks every few seconds. If the same call of the game's code is still
running at the next interrupt, `HangError` ends it and names the method and the line. Compiled
kernels cannot be interrupted, so `boardgames.testing.probe` first runs them in a separate process.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from boardgames.faults import HangError
from boardgames.game import Game

PATIENCE_S = 10.0
"""Time allowed for a call; a call that does not return is interrupted within twice this time."""
COMPILERS = frozenset({"numba", "llvmlite"})


@contextmanager
def interrupt_hangs(game: Game) -> Iterator[None]:
    """Raise HangError in calls of the game's code within the block that do not return.

    This works only in the main thread and not on Windows; otherwise it does nothing.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    packages = {kind.__module__.partition(".")[0] for kind in type(game).__mro__} - {"boardgames", "builtins"}
    last: FrameType | None = None

    def tick(number: int, frame: FrameType | None) -> None:
        nonlocal last
        call = _call_of_game(frame, packages)
        if call is not None and call is last:
            raise HangError(_describe(call))
        last = call

    handler = signal.signal(signal.SIGALRM, tick)
    timer = signal.setitimer(signal.ITIMER_REAL, PATIENCE_S, PATIENCE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)


def _call_of_game(frame: FrameType | None, packages: set[str]) -> FrameType | None:
    """Return the frame of the outermost call of the game's code, or None while kernels are compiled."""
    call = None
    while frame is not None:
        module = str(frame.f_globals.get("__name__"))
        package = module.partition(".")[0]
        if package in COMPILERS:  # compilation has no time limit
            return None
        if module.startswith("boardgames.testing."):
            return call
        if package in packages:
            call = frame
        frame = frame.f_back
    return None


def _describe(call: FrameType) -> str:
    """Return a message with the method, its string arguments, and the line that it has reached."""
    code = call.f_code
    given = [call.f_locals.get(name) for name in code.co_varnames[: code.co_argcount]]
    texts = ", ".join(repr(value) for value in given if isinstance(value, str))
    place = f"{Path(code.co_filename).name}:{call.f_lineno}"
    return f"{code.co_name}({texts}) does not return within {PATIENCE_S:g} s ({place})"
