"""Curves as text, drawn with block characters."""

from collections.abc import Sequence
from itertools import pairwise

from boardgames.draw.text import printable

CURVE_ROWS = 5
CURVE_COLUMNS = 60
LABEL_COLUMNS = 9
BLOCKS = " ▁▂▃▄▅▆▇█"
LARGEST_PLOTTED = 1e100
"""Values larger than this are clipped, since their sums would overflow."""


def curve_lines(name: str, values: list[float]) -> list[str]:
    """Return a small learning curve with its maximum and minimum."""
    if len(values) < 2:
        return []
    rows = block_curve(values, columns=CURVE_COLUMNS, rows=CURVE_ROWS)
    labels = [""] * CURVE_ROWS
    labels[0], labels[-1] = f"{max(values):.4g}", f"{min(values):.4g}"
    lines = [f"{label:>{LABEL_COLUMNS}} ┤{row}" for label, row in zip(labels, rows, strict=True)]
    return [f"{printable(name):>{LABEL_COLUMNS}}", *lines]


def block_curve(values: Sequence[float], *, columns: int, rows: int) -> list[str]:
    """Plot values with block characters; the lowest value is one eighth of a row high.

    If there are more values than columns, each column shows the mean of several.

    Examples
    --------
    >>> block_curve([0.0, 0.5, 1.0], columns=10, rows=1)
    ['▁▄█']
    """
    count = min(len(values), columns)
    bounds = [index * len(values) // count for index in range(count + 1)] if count else []
    clipped = [min(max(value, -LARGEST_PLOTTED), LARGEST_PLOTTED) for value in values]
    means = [sum(clipped[a:b]) / (b - a) for a, b in pairwise(bounds)]
    low, high = (min(means), max(means)) if means else (0.0, 0.0)
    top = 8 * rows
    heights = [
        1 + int((top - 1) * (value - low) / (high - low)) if high > low else top // 2 for value in means
    ]
    return [
        "".join(BLOCKS[min(max(height - 8 * (rows - 1 - row), 0), 8)] for height in heights)
        for row in range(rows)
    ]
