"""Ratings as an SVG document: a line a row, a dot for the value, a bar for its interval.

Complete in itself, with its own backdrop, readable without colour; where an
end of an interval is not known, the bar ends in an arrow.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from boardgames.draw.svg import BACKDROP, FAINT, FONT, TEXT

WIDTH, ROW, MARGIN = 720, 30, 24
HEAD, FOOT = 48, 34
LABEL_SHARE, GAP = 0.36, 14
SIGN = 6.6
"""Width of an average sign of the labels, rather too wide."""
ACCENT = "#2f6f9f"
STEPS = (1, 2, 5)
MOST_TICKS = 7
ARROW = 7
OPEN_SHARE = 0.06
"""Part of the scale that a bar without an end goes on beyond its value, at least."""


@dataclass(frozen=True, slots=True)
class Row:
    """A value with its interval: `low` or `high` is None where that end is not known.

    `note` stands at the end of the line.
    """

    label: str
    value: float
    low: float | None
    high: float | None
    note: str = ""


def intervals_svg(rows: Sequence[Row], *, title: str, unit: str) -> str:
    """Return the drawing of rows, in their order; equal rows give equal text.

    Examples
    --------
    >>> drawing = intervals_svg([Row("a < b", 12.0, -5.0, 30.0)], title="Ladder", unit="Elo")
    >>> drawing.startswith("<svg ") and "a &lt; b" in drawing
    True
    """
    return "\n".join(_Drawing(rows, title=title, unit=unit).lines()) + "\n"


class _Drawing:
    """One drawing in the making: the scale that all rows share."""

    def __init__(self, rows: Sequence[Row], *, title: str, unit: str) -> None:
        self.rows, self.title, self.unit = rows, title, unit
        known = [0.0, *(end for row in rows for end in (row.value, row.low, row.high) if end is not None)]
        room = OPEN_SHARE * (max(known) - min(known))
        low = min([*known, *(row.value - room for row in rows if row.low is None)])
        high = max([*known, *(row.value + room for row in rows if row.high is None)])
        self.step = _step((high - low) or 1.0)
        self.low = math.floor(low / self.step) * self.step
        self.high = max(math.ceil(high / self.step) * self.step, self.low + self.step)
        self.left = MARGIN + LABEL_SHARE * WIDTH
        notes = max((len(row.note) for row in rows), default=0)
        self.right = WIDTH - MARGIN - max(notes, len(unit)) * SIGN - GAP
        self.height = HEAD + ROW * len(rows) + FOOT

    def lines(self) -> Iterator[str]:
        """Yield the document line by line."""
        label = escape(f"{self.title}: " + "; ".join(_told(row) for row in self.rows))
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" '
            f'width="{WIDTH}" height="{self.height}" viewBox="0 0 {WIDTH} {self.height}" {FONT}>'
        )
        yield f"<title>{escape(self.title)}</title>"
        yield f'<rect width="{WIDTH}" height="{self.height}" rx="8" fill="{BACKDROP}"/>'
        yield (
            f'<text x="{MARGIN}" y="30" font-size="17" font-weight="bold" fill="{TEXT}">'
            f"{escape(self.title)}</text>"
        )
        yield from self._scale()
        for place, row in enumerate(self.rows):
            yield from self._row(row, HEAD + ROW * (place + 0.5))
        yield "</svg>"

    def _scale(self) -> Iterator[str]:
        bottom = self.height - FOOT
        for tick in range(round((self.high - self.low) / self.step) + 1):
            value = self.low + tick * self.step
            x = self._x(value)
            colour = FAINT if value == 0 else "#ddd6c8"
            yield f'<line x1="{x}" y1="{HEAD - 4}" x2="{x}" y2="{bottom}" stroke="{colour}"/>'
            yield (
                f'<text x="{x}" y="{bottom + 16}" font-size="11" text-anchor="middle" fill="{FAINT}">'
                f"{value:+g}</text>".replace("+0<", "0<")
            )
        yield (
            f'<text x="{WIDTH - MARGIN}" y="{bottom + 16}" font-size="11" text-anchor="end" fill="{FAINT}">'
            f"{escape(self.unit)}</text>"
        )

    def _row(self, row: Row, y: float) -> Iterator[str]:
        signs = int((self.left - MARGIN - GAP) / SIGN)
        label = row.label if len(row.label) <= signs else f"{row.label[: signs - 1]}…"
        low = self.low if row.low is None else row.low
        high = self.high if row.high is None else row.high
        yield f'<text x="{MARGIN}" y="{y + 4}" font-size="13" fill="{TEXT}">{escape(label)}</text>'
        yield (
            f'<line x1="{self._x(low)}" y1="{y}" x2="{self._x(high)}" y2="{y}" '
            f'stroke="{ACCENT}" stroke-width="3" stroke-linecap="round" opacity="0.55"/>'
        )
        if row.low is None:
            yield self._arrow(self._x(low), y, -1)
        if row.high is None:
            yield self._arrow(self._x(high), y, 1)
        filling = BACKDROP if row.low is None or row.high is None else ACCENT
        yield (
            f'<circle cx="{self._x(row.value)}" cy="{y}" r="5" fill="{filling}" '
            f'stroke="{ACCENT}" stroke-width="2"/>'
        )
        yield (
            f'<text x="{WIDTH - MARGIN}" y="{y + 4}" font-size="12" text-anchor="end" fill="{FAINT}">'
            f"{escape(row.note)}</text>"
        )

    def _arrow(self, x: float, y: float, towards: int) -> str:
        back = x - towards * ARROW
        return (
            f'<path d="M{back:.1f} {y - 5} L{x} {y} L{back:.1f} {y + 5}" fill="none" '
            f'stroke="{ACCENT}" stroke-width="2"/>'
        )

    def _x(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.left + share * (self.right - self.left), 1)


def _step(span: float) -> float:
    """Return the distance of ticks: 1, 2 or 5 times a power of ten, few enough to be read."""
    power = 10.0 ** math.floor(math.log10(span / MOST_TICKS))
    steps = [power * step for step in (*STEPS, 10, 20, 50)]
    return next(step for step in steps if span / step <= MOST_TICKS)


def _told(row: Row) -> str:
    ends = ["?" if end is None else f"{end:.0f}" for end in (row.low, row.high)]
    return f"{row.label} {row.value:+.0f} ({ends[0]} to {ends[1]})"
