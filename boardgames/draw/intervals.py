"""Ratings as an SVG document: a line a row, a dot for the value, a bar for its interval.

Complete in itself, with its own backdrop, readable without colour; where an
end of an interval is not known, the bar ends in an arrow.
"""

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

from boardgames.draw.names import shorten, shorten_uniquely
from boardgames.draw.svg import BACKDROP, FAINT, FONT, TEXT
from boardgames.draw.text import printable

WIDTH, ROW, MARGIN = 720, 30, 24
HEAD, FOOT, REMARK = 48, 34, 16
LABEL_SHARE, NOTE_SHARE, GAP = 0.4, 0.2, 20
TITLE_SIZE, LABEL_SIZE, NOTE_SIZE, SMALL_SIZE = 17, 13, 12, 11
BOLD = 1.12
WIDTHS = {0.34: " ',./:;IJ\\ijl|", 0.42: "!()-[]frt", 0.8: "&ABCDGHNOQRUVXZ", 1.0: "#%+<=>@MW^mw~"}
"""Widths of signs in DejaVu Sans, the widest font that may come, in sizes of the font, rounded up."""
USUAL_WIDTH, FOREIGN_WIDTH = 0.66, 1.1
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


def intervals_svg(rows: Sequence[Row], *, title: str, unit: str, remarks: Sequence[str] = ()) -> str:
    """Return the drawing of rows, in their order; equal rows give equal text.

    Parameters
    ----------
    rows : sequence of Row
        Labels that are too long are cut in the middle; different ones stay different.
    title, unit : str
        What stands above the rows, and beside the scale.
    remarks : sequence of str
        Small text below the scale, each beginning a line.

    Examples
    --------
    >>> drawing = intervals_svg([Row("a < b", 12.0, -5.0, 30.0)], title="Ladder", unit="Elo")
    >>> drawing.startswith("<svg ") and "a &lt; b" in drawing
    True
    """
    return "\n".join(_Drawing(rows, title=title, unit=unit, remarks=remarks).lines()) + "\n"


def width_of(text: str, size: float) -> float:
    """Return how wide a text may become in a font of `size`, rather too much.

    Examples
    --------
    >>> width_of("ill", 10) < width_of("www", 10)
    True
    """
    return size * sum(map(_sign_width, text))


def _sign_width(sign: str) -> float:
    if not sign.isascii():
        return 0.0 if unicodedata.category(sign) in ("Mn", "Me") else FOREIGN_WIDTH
    return next((width for width, signs in WIDTHS.items() if sign in signs), USUAL_WIDTH)


class _Drawing:
    """One drawing in the making: the scale that all rows share."""

    def __init__(self, rows: Sequence[Row], *, title: str, unit: str, remarks: Sequence[str]) -> None:
        self.rows, self.title, self.unit = rows, printable(title), printable(unit)
        self.remarks = [printable(remark) for remark in remarks]
        room, measure = LABEL_SHARE * WIDTH, partial(width_of, size=LABEL_SIZE)
        self.labels = shorten_uniquely([row.label for row in rows], room, measure=measure)
        self.left = MARGIN + max(map(measure, self.labels), default=0.0) + GAP
        room, measure = NOTE_SHARE * WIDTH, partial(width_of, size=NOTE_SIZE)
        self.notes = [shorten(printable(row.note), room, measure=measure) for row in rows]
        self.right = WIDTH - MARGIN - max(map(measure, [*self.notes, self.unit])) - GAP
        self._set_scale()
        self.bottom = HEAD + ROW * len(rows)
        self.small = [line for remark in self.remarks for line in _wrapped(remark, WIDTH - 2 * MARGIN)]
        self.height = self.bottom + FOOT + REMARK * len(self.small)

    def _set_scale(self) -> None:
        """Choose ends and ticks such that everything has its place, zero too."""
        rows = self.rows
        known = [0.0, *(end for row in rows for end in (row.value, row.low, row.high) if end is not None)]
        room = OPEN_SHARE * (max(known) - min(known))
        low = min([*known, *(row.value - room for row in rows if row.low is None)])
        high = max([*known, *(row.value + room for row in rows if row.high is None)])
        self.step = _step((high - low) or 1.0)
        self.low = math.floor(low / self.step) * self.step
        self.high = max(math.ceil(high / self.step) * self.step, self.low + self.step)

    def lines(self) -> Iterator[str]:
        """Yield the document line by line."""
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(self._told())}" '
            f'width="{WIDTH}" height="{self.height}" viewBox="0 0 {WIDTH} {self.height}" {FONT}>'
        )
        yield f"<title>{escape(self.title)}</title>"
        yield f'<rect width="{WIDTH}" height="{self.height}" rx="8" fill="{BACKDROP}"/>'
        title = shorten(self.title, WIDTH - 2 * MARGIN, measure=partial(width_of, size=BOLD * TITLE_SIZE))
        yield (
            f'<text x="{MARGIN}" y="30" font-size="{TITLE_SIZE}" font-weight="bold" fill="{TEXT}">'
            f"{escape(title)}</text>"
        )
        yield from self._scale()
        for place in range(len(self.rows)):
            yield from self._row(place)
        for place, line in enumerate(self.small):
            y = self.bottom + FOOT + REMARK * place + 6
            yield _text(line, (MARGIN, y), size=SMALL_SIZE, anchor="start")
        yield "</svg>"

    def _told(self) -> str:
        """Return the drawing in words, for those who cannot see it."""
        rows = "; ".join(printable(_told(row)) for row in self.rows)
        return ". ".join([f"{self.title}: {rows}", *self.remarks])

    def _scale(self) -> Iterator[str]:
        y = self.bottom + 16
        for tick in range(round((self.high - self.low) / self.step) + 1):
            value = self.low + tick * self.step
            x = self._x(value)
            colour = FAINT if value == 0 else "#ddd6c8"
            yield f'<line x1="{x}" y1="{HEAD - 4}" x2="{x}" y2="{self.bottom}" stroke="{colour}"/>'
            yield _text(f"{value:+g}" if value else "0", (x, y), size=SMALL_SIZE, anchor="middle")
        yield _text(self.unit, (WIDTH - MARGIN, y), size=SMALL_SIZE, anchor="end")

    def _row(self, place: int) -> Iterator[str]:
        row, y = self.rows[place], HEAD + ROW * (place + 0.5)
        low = self.low if row.low is None else row.low
        high = self.high if row.high is None else row.high
        yield _text(self.labels[place], (MARGIN, y + 4), size=LABEL_SIZE, anchor="start", colour=TEXT)
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
        yield _text(self.notes[place], (WIDTH - MARGIN, y + 4), size=NOTE_SIZE, anchor="end")

    def _arrow(self, x: float, y: float, towards: int) -> str:
        back = x - towards * ARROW
        return (
            f'<path d="M{back:.1f} {y - 5} L{x} {y} L{back:.1f} {y + 5}" fill="none" '
            f'stroke="{ACCENT}" stroke-width="2"/>'
        )

    def _x(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.left + share * (self.right - self.left), 1)


def _text(text: str, place: tuple[float, float], *, size: int, anchor: str, colour: str = FAINT) -> str:
    x, y = place
    style = f'font-size="{size}" text-anchor="{anchor}" fill="{colour}"'
    return f'<text x="{x}" y="{y}" {style}>{escape(text)}</text>'


def _wrapped(text: str, room: float) -> list[str]:
    """Return a remark as lines of small text that have room; a word that has none is cut."""
    measure = partial(width_of, size=SMALL_SIZE)
    lines: list[str] = []
    for word in shorten_uniquely(text.split(), room, measure=measure):
        if lines and measure(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _step(span: float) -> float:
    """Return the distance of ticks: 1, 2 or 5 times a power of ten, few enough to be read."""
    power = 10.0 ** math.floor(math.log10(span / MOST_TICKS))
    steps = [power * step for step in (*STEPS, 10, 20, 50)]
    return next(step for step in steps if span / step <= MOST_TICKS)


def _told(row: Row) -> str:
    ends = ["?" if end is None else f"{end:.0f}" for end in (row.low, row.high)]
    return f"{row.label} {row.value:+.0f} ({ends[0]} to {ends[1]})"
