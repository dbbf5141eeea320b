"""Tables of plain text, as wide as the terminal, whole where they go to a file or a program; times."""

import shutil
import sys
from collections.abc import Sequence

import click

from boardgames.draw.names import fitting
from boardgames.draw.text import printable

NARROWEST = 12
"""No name is shortened to less."""
GAP = 1
"""Signs between two columns."""


def print_table(rows: Sequence[Sequence[str]], *, right: Sequence[int], cut: Sequence[int]) -> None:
    """Print rows as `table_lines` lays them out."""
    for line in table_lines(rows, right=right, cut=cut):
        click.echo(line)


def table_lines(rows: Sequence[Sequence[str]], *, right: Sequence[int], cut: Sequence[int]) -> list[str]:
    """Return rows in columns, one line each, on a terminal within its width.

    Parameters
    ----------
    rows : sequence of sequences of str
        At least one, all of the same length.
    right : sequence of int
        Columns that end at one edge, as numbers do.
    cut : sequence of int
        Columns whose texts are cut where the line is too long.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    texts = [[printable(text) for text in row] for row in rows]
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, GAP, 0, 0))
    for index in range(len(rows[0])):
        table.add_column(justify="right" if index in right else "left", no_wrap=index not in cut)
    for row in texts:
        table.add_row(*(Text(text, no_wrap=True, overflow="ellipsis") for text in row))
    console = Console(width=_terminal_width() or _whole_width(texts), color_system=None)
    with console.capture() as captured:
        console.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]


def fitting_names(names: Sequence[str], *, beside: int) -> list[str]:
    """Return the names of one table, such that a terminal has `beside` signs left for its other columns.

    The middle is left out where a name is too long; different names stay
    different. Where there is no terminal all are whole.

    Examples
    --------
    >>> fitting_names(["alphabeta:depth=4", "random"], beside=40)
    ['alphabeta:depth=4', 'random']
    """
    from rich.cells import cell_len

    width = _terminal_width()
    room = float("inf") if width is None else max(width - beside, NARROWEST)
    return fitting(names, room, measure=cell_len)


def duration(seconds: float) -> str:
    """Return a time in the largest two units.

    Examples
    --------
    >>> duration(7), duration(125), duration(7300)
    ('7 s', '2 min 5 s', '2 h 1 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _terminal_width() -> int | None:
    """Return the signs of a line, None if standard output is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _whole_width(texts: Sequence[Sequence[str]]) -> int:
    """Return the width of a table of which nothing is cut."""
    from rich.cells import cell_len

    return sum(max(map(cell_len, column)) + GAP for column in zip(*texts, strict=True))
