"""Progress on stderr, shown only if it is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from boardgames.cli.output import one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from boardgames.player import Choice

COMPILE_NOTICE = "compiling the rules and the search (10 to 30 seconds, only this once)"
SPEED_PERIOD_S = 600
"""The remaining time is estimated from the steps of this period."""


@contextmanager
def compile_notice() -> Iterator[None]:
    """Show a spinner from the moment the first kernel has to be compiled inside the block."""
    if not sys.stderr.isatty():
        yield
        return
    from numba.core import event

    with ExitStack() as stack:

        class Notice(event.Listener):  # type: ignore[misc]  # Numba has no type stubs
            is_shown = False

            def on_start(self, event: object) -> None:
                if not self.is_shown:
                    from rich.console import Console

                    stack.enter_context(Console(stderr=True).status(COMPILE_NOTICE))
                    self.is_shown = True

            def on_end(self, event: object) -> None:
                pass

        with event.install_listener("numba:compile", Notice()):
            yield


@contextmanager
def spinner(text: str) -> Iterator[Callable[[str], None]]:
    """Show a spinner with a text; yields a function that changes the text."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(one_line(text))) as status:
        yield lambda text: status.update(Text(one_line(text)))


@contextmanager
def search_spinner(text: str) -> "Iterator[Callable[[Choice], None] | None]":
    """Show a spinner with the depth of a search; yields the callback that reports its choices."""
    with spinner(text) as update:
        if not sys.stderr.isatty():
            yield None
        else:
            yield lambda choice: update(f"{text}: depth {choice.depth}, {choice.nodes:,} nodes")


def new_bars(console: "Console") -> "Progress":
    """Return progress bars with counts, elapsed and remaining time."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("remaining"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        speed_estimate_period=SPEED_PERIOD_S,
    )


@contextmanager
def progress_bars() -> Iterator[Callable[[str, int, int | None], None]]:
    """Show a bar for each stage of the work; yields a function of stage, steps done and total steps."""
    if not sys.stderr.isatty():
        yield lambda stage, done, total: None
        return
    from rich.console import Console
    from rich.progress import TaskID

    with new_bars(Console(stderr=True)) as bars:
        tasks: dict[str, TaskID] = {}

        def update(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(one_line(stage), total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield update
