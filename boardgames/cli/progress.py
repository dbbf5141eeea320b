"""Progress on stderr, shown only if it is a terminal."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from boardgames.cli.output import one_line, say
from boardgames.compiling import compilation_listener, is_in_background

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.progress import Progress
    from rich.text import Text

    from boardgames.player import Choice

SPEED_PERIOD_S = 600
"""The remaining time is estimated from the steps made in this most recent period."""
TICK_S = 1.0
SHOWN_AFTER_S = 2.0
"""A spinner that has run for this long also shows how long it has been running."""
ERASE_LINE = "\r\x1b[K"
DUMB_TERMINALS = ("", "dumb", "unknown")


@contextmanager
def compilation_shown() -> Iterator[None]:
    """Show on a terminal which kernels are being compiled within the block, how many, and for how long.

    Compilation in the background is shown only while a spinner runs.
    """
    if not sys.stderr.isatty():
        yield
        return
    kind = PlainCompilationLog if os.environ.get("TERM", "") in DUMB_TERMINALS else LiveCompilationLine
    with compilation_listener(kind(sys.stderr).update):
        yield


class PlainCompilationLog:
    """Prints a line for each module that is compiled, on terminals that cannot erase lines.

    Parameters
    ----------
    stream : text stream
        The terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._module = stream, ""

    def update(self, module: str, count: int) -> None:
        """Print the module, unless it is the same as the last one."""
        if module and module != self._module and not (is_in_background() and not _spinners):
            self._module = module
            say(f"compiling {one_line(module)}", file=self._stream)


class LiveCompilationLine:
    """A line that is visible only while something is compiled; a visible spinner shows its text instead.

    Parameters
    ----------
    stream : text stream
        The terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._lock = stream, threading.Lock()
        self._compiles = threading.Event()
        self._text, self._started, self._seconds = "", 0.0, 0.0
        self._is_shown = self._is_in_background = False
        self._ticker: threading.Thread | None = None

    def update(self, module: str, count: int) -> None:
        """Show or erase the line."""
        with self._lock:
            self._is_in_background = is_in_background()
            if module:
                self._text = f"compiling {one_line(module)}, kernel {count}"
                self._started = time.monotonic()
                self._compiles.set()
                if self._ticker is None:
                    self._ticker = threading.Thread(
                        target=self._tick, name="boardgames-compiling", daemon=True
                    )
                    self._ticker.start()
            else:
                self._seconds += time.monotonic() - self._started
                self._text = ""
                self._compiles.clear()
            self._draw()

    def _tick(self) -> None:
        while self._compiles.wait():
            time.sleep(TICK_S)
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        text = self._text
        if text:
            text += f", {self._seconds + time.monotonic() - self._started:.0f} s"
        if _spinners:
            _spinners[-1].compiling = text
            return
        if self._is_in_background:
            text = ""
        if text or self._is_shown:
            line = text[: shutil.get_terminal_size().columns - 1]
            with suppress(OSError):  # the terminal is gone
                self._stream.write(f"{ERASE_LINE}{line}")
                self._stream.flush()
            self._is_shown = bool(text)


class Spinner:
    """A spinner with a text, the time it has been running, and what is being compiled.

    Parameters
    ----------
    text : str
        The first text.
    detail : callable, optional
        Returns what has been done so far; called several times a second by another thread.
    """

    def __init__(self, text: str, detail: Callable[[], str] | None = None) -> None:
        self.text, self.compiling = text, ""
        self._detail, self._started = detail, time.monotonic()

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "Iterator[Text]":
        from rich.text import Text

        yield Text(self.line(options.max_width), no_wrap=True, overflow="ellipsis")

    def line(self, width: int) -> str:
        """Return the line to show; if it is too wide, all but what is being compiled may be left out."""
        from rich.cells import cell_len

        detail = ""
        if self._detail is not None:
            with suppress(BaseException):  # a plug-in may raise anything, and the work itself continues
                detail = self._detail()
        seconds = time.monotonic() - self._started
        parts = (self.text, detail, f"{seconds:.0f} s" if seconds >= SHOWN_AFTER_S else "")
        whole = one_line(", ".join(filter(None, parts)))
        if not self.compiling:
            return whole
        lines = (f"{whole}; {self.compiling}", one_line(f"{self.text}; {self.compiling}"), self.compiling)
        return next((line for line in lines if cell_len(line) <= width), self.compiling)


_spinners: list[Spinner] = []
"""The spinners that are shown; only the last one is visible."""


@contextmanager
def spinner_on(
    console: "Console", text: str, detail: Callable[[], str] | None = None, *, spinner: str = "dots"
) -> Iterator[Spinner]:
    """Show a spinner on a terminal; `spinner` is the name of its animation in rich."""
    one = Spinner(text, detail)
    with console.status(one, spinner=spinner):
        _spinners.append(one)
        try:
            yield one
        finally:
            _spinners.remove(one)


@contextmanager
def spinner(text: str, detail: Callable[[], str] | None = None) -> Iterator[Callable[[str], None]]:
    """Show a spinner on stderr if that is a terminal; yields a function that changes its text.

    Parameters
    ----------
    detail : callable, optional
        Returns what has been done so far; it is called several times a second by another thread.
    """
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console

    with spinner_on(Console(stderr=True), text, detail) as one:

        def update(text: str) -> None:
            one.text = text

        yield update


@contextmanager
def search_spinner(text: str) -> "Iterator[Callable[[Choice], None] | None]":
    """Show a spinner with the depth of a search; yields the callback that reports its choices."""
    with spinner(text) as update:
        if not sys.stderr.isatty():
            yield None
        else:
            yield lambda choice: update(f"{text}: depth {choice.depth}, {choice.nodes:,} nodes")


def new_bars(console: "Console", detail: Callable[[], str] | None = None) -> "Progress":
    """Return progress bars with counts, elapsed and remaining time, and what `detail` returns.

    If a task has the field `count`, this text is shown instead of the number of steps.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column
    from rich.text import Text

    class CountColumn(MofNCompleteColumn):
        def render(self, task: Task) -> "Text":
            return Text(task.fields["count"]) if "count" in task.fields else super().render(task)

    class DetailColumn(ProgressColumn):
        def render(self, task: Task) -> "Text":
            return Text("" if detail is None else detail(), no_wrap=True, overflow="ellipsis")

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        CountColumn(),
        TimeElapsedColumn(),
        TextColumn("remaining"),
        TimeRemainingColumn(),
        *([] if detail is None else [DetailColumn(Column(no_wrap=True))]),  # the bar becomes shorter instead
        console=console,
        transient=True,
        redirect_stdout=False,
        speed_estimate_period=SPEED_PERIOD_S,
    )


@contextmanager
def progress_bars(
    detail: Callable[[], str] | None = None,
) -> Iterator[Callable[[str, int, int | None], None]]:
    """Show a bar for each stage of the work, and what `detail` returns.

    Yields a function that takes the stage, the number of steps done, and the total number of steps.
    """
    if not sys.stderr.isatty():
        yield lambda stage, done, total: None
        return
    from rich.console import Console
    from rich.progress import TaskID

    with new_bars(Console(stderr=True), detail) as bars:
        tasks: dict[str, TaskID] = {}

        def update(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(one_line(stage), total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield update
