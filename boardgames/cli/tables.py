"""Tables of plain text, as wide as the terminal."""

import shutil
from collections.abc import Sequence

import click

from boardgames.draw.text import printable

NARROWEST = 12
"""No text is shortened to less."""


def print_table(rows: Sequence[Sequence[str]], *, right: Sequence[int], cut: Sequence[int]) -> None:
    """Print rows as `table_lines` lays them out."""
    for line in table_lines(rows, right=right, cut=cut):
        click.echo(line)


def table_lines(rows: Sequence[Sequence[str]], *, right: Sequence[int], cut: Sequence[int]) -> list[str]:
    """Return rows in columns, one line each, within the width of the terminal (80 in a pipe).

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

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 0))
    for index in range(len(rows[0])):
        table.add_column(justify="right" if index in right else "left", no_wrap=index not in cut)
    for row in rows:
        table.add_row(*(Text(printable(text), no_wrap=True, overflow="ellipsis") for text in row))
    console = Console(width=shutil.get_terminal_size().columns, color_system=None)
    with console.capture() as captured:
        console.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]


def fitting(text: str, *, beside: int) -> str:
    """Return a text that leaves `beside` signs of the terminal's width; its middle is left out if need be.

    Names of agents differ at their end, where a table would cut them.

    Examples
    --------
    >>> len(fitting("engine:command=" + 100 * "x", beside=10**6))
    12
    """
    width = max(shutil.get_terminal_size().columns - beside, NARROWEST)
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}\N{HORIZONTAL ELLIPSIS}{text[len(text) - tail :]}"
