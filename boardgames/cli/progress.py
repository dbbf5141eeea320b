"""How training comes along: a live display on a terminal, one line a step elsewhere."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, TextIO

import click

from boardgames.cli.tables import duration
from boardgames.draw.text import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from boardgames.learning.trainer import Trainer

CURVE_ROWS = 5
CURVE_COLUMNS = 60
BAR_COLUMNS = 30
LABEL_COLUMNS = 9
STANDINGS = 8
REFRESHES_A_SECOND = 4
RECENT = 10
"""Steps whose time says how long the others will take."""
BLOCKS = " ▁▂▃▄▅▆▇█"
LARGEST_DRAWN = 1e100
"""Sums of larger numbers are none."""


@contextmanager
def shown_training(trainer: "Trainer", stream: TextIO) -> "Iterator[Callable[[Trainer], None]]":
    """Show on a stream how training comes along; yields what hears of every step."""
    from rich.console import Console

    console = Console(file=stream, highlight=False)
    if not console.is_terminal or console.is_dumb_terminal:
        yield lambda heard: click.echo(step_line(heard), file=stream)
        return
    from rich.live import Live

    screen = _Screen(trainer, is_ascii=console.options.ascii_only)
    with Live(
        console=console,
        get_renderable=screen.drawn,
        refresh_per_second=REFRESHES_A_SECOND,
        transient=True,
        redirect_stdout=False,
    ):
        yield screen.renew


def step_line(trainer: "Trainer") -> str:
    """Return one line about the last step."""
    last, progress = trainer.steps[-1], trainer.progress
    has_best = progress.best is not None and trainer.learner.follows_curve
    best = f", best {progress.best:.4g} at step {progress.best_step}" if has_best else ""
    return f"step {_counted(trainer)}: {_metrics(last.metrics)}{best}, {last.seconds:.2f} s"


def block_curve(values: Sequence[float], *, columns: int, rows: int) -> list[str]:
    """Return values as columns of block characters, the lowest value one eighth of a character high.

    Where there are more values than columns, a column is the mean of several.

    Examples
    --------
    >>> block_curve([0.0, 0.5, 1.0], columns=10, rows=1)
    ['▁▄█']
    """
    count = min(len(values), columns)
    bounds = [index * len(values) // count for index in range(count + 1)] if count else []
    drawn = [min(max(value, -LARGEST_DRAWN), LARGEST_DRAWN) for value in values]
    means = [sum(drawn[a:b]) / (b - a) for a, b in pairwise(bounds)]
    low, high = (min(means), max(means)) if means else (0.0, 0.0)
    most = 8 * rows
    heights = [
        1 + int((most - 1) * (value - low) / (high - low)) if high > low else most // 2 for value in means
    ]
    return [
        "".join(BLOCKS[min(max(height - 8 * (rows - 1 - row), 0), 8)] for height in heights)
        for row in range(rows)
    ]


class _Screen:
    """What a terminal shows; drawn by another thread than the trainer's, from what `renew` has taken over."""

    def __init__(self, trainer: "Trainer", *, is_ascii: bool) -> None:
        self._is_ascii = is_ascii
        self._begun = time.monotonic()
        self.renew(trainer)

    def renew(self, trainer: "Trainer") -> None:
        """Take over what is known after a step."""
        curve = trainer.learner.curve
        values = [step.metrics.get(curve) for step in trainer.steps]
        recent = [step.seconds for step in trainer.steps[-RECENT:]]
        self._pace = sum(recent) / len(recent) if recent else None
        self._step, self._length = trainer.progress.step, trainer.progress.length
        self._renewed = time.monotonic()
        self._lines = _told(trainer)
        self._curve = _curve_lines(curve, [value for value in values if value is not None])

    def drawn(self) -> "RenderableType":
        """Return the display as it is now."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        curve = [] if self._is_ascii else self._curve
        texts = [
            *(Text(line) for line in self._lines),
            *(Text(line, no_wrap=True, overflow="crop") for line in curve),
        ]
        headline = Text(self._headline(time.monotonic()), no_wrap=True, overflow="ellipsis")
        if self._length is None or self._is_ascii:
            return Group(headline, *texts)
        first = Table.grid(padding=(0, 1))
        first.add_row(ProgressBar(self._length, self._step, width=BAR_COLUMNS), headline)
        return Group(first, *texts)

    def _headline(self, now: float) -> str:
        count = str(self._step) if self._length is None else f"{self._step} of {self._length}"
        told = f"{count} steps, {duration(now - self._begun)}"
        if self._length is None or self._pace is None:
            return told
        left = max((self._length - self._step) * self._pace - (now - self._renewed), 0.0)
        return f"{told}, about {duration(left)} left"


def best_of(trainer: "Trainer") -> str:
    """Return what the curve says of the weights that the run will leave, if it says anything."""
    found, learner = trainer.progress.best, trainer.learner
    if found is None:
        return ""
    return f"{'best' if learner.follows_curve else 'last'} {learner.curve} {found:.4g}"


def _told(trainer: "Trainer") -> list[str]:
    """Return what is known after a step, in words."""
    lines = []
    if best_of(trainer):
        lines.append(f"{best_of(trainer)} at step {trainer.progress.best_step}")
    if trainer.steps:
        lines.append(_metrics(trainer.steps[-1].metrics))
    standings = list(trainer.standings())[:STANDINGS]
    if standings:
        ranked = (f"{printable(name)} {points:.4g}" for name, points in standings)
        lines.append("standings: " + ", ".join(ranked))
    return lines


def _curve_lines(name: str, values: list[float]) -> list[str]:
    """Return a small learning curve, its ends labelled."""
    if len(values) < 2:
        return []
    drawn = block_curve(values, columns=CURVE_COLUMNS, rows=CURVE_ROWS)
    labels = [""] * CURVE_ROWS
    labels[0], labels[-1] = f"{max(values):.4g}", f"{min(values):.4g}"
    lines = [f"{label:>{LABEL_COLUMNS}} ┤{row}" for label, row in zip(labels, drawn, strict=True)]
    return [f"{printable(name):>{LABEL_COLUMNS}}", *lines]


def _metrics(metrics: Mapping[str, float | None]) -> str:
    told = ((name, "none" if value is None else f"{value:.4g}") for name, value in metrics.items())
    return ", ".join(f"{printable(name)} {value}" for name, value in told)


def _counted(trainer: "Trainer") -> str:
    length = trainer.progress.length
    return f"{trainer.progress.step}" if length is None else f"{trainer.progress.step} of {length}"
