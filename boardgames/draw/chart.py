"""The values of a match's positions as an SVG document: a line over the plies, mistakes marked.

Complete in itself, with its own backdrop, readable without colour; above the
middle side 0 is ahead, below it side 1. A decided match runs along the edge.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape

from boardgames.draw.intervals import ACCENT, width_of
from boardgames.draw.names import shorten
from boardgames.draw.svg import BACKDROP, FAINT, FONT, MARK, TEXT
from boardgames.draw.text import printable

WIDTH, HEIGHT, MARGIN = 720, 360, 24
HEAD, FOOT, SIDE_NAMES = 76, 46, 20
TITLE_SIZE, SMALL_SIZE, MARK_SIZE = 17, 11, 13
BOLD = 1.12
GRID = "#ddd6c8"
EDGE = 20
"""Height of the bands at top and bottom, in which decided matches run."""
ENDS = {math.inf: "won", -math.inf: "lost"}
"""What stands beside the edges where something runs there."""
LEGEND = "? mistake, ?? blunder, in the colour of the side that made it"
STEPS = (1, 2, 5)
MOST_TICKS, MOST_PLY_TICKS = 3, 14
"""Of values on either side of the middle, and of plies."""
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Mark:
    """A move that is marked: its ply from 1, who made it, `?` or `??`, and what is to be said of it."""

    ply: int
    side: int
    text: str
    note: str


def values_svg(
    values: Sequence[float],
    *,
    title: str,
    unit: str,
    sides: tuple[str, str],
    bound: float | None = None,
    colours: tuple[str, str] = ("#222222", "#eeeeee"),
    marks: Sequence[Mark] = (),
) -> str:
    """Return the chart of a match; equal matches give equal text.

    Parameters
    ----------
    values : sequence of float
        Of the start and of the position after each ply, at least one, for
        side 0; infinite where the match is decided.
    title, unit : str
        What stands above, and what the values count.
    sides : (str, str)
        Names of the sides.
    bound : float, optional
        Larger values are drawn there.
    colours : (str, str)
        CSS colours of the sides.
    marks : sequence of Mark
        Moves to point out.

    Examples
    --------
    >>> marks = [Mark(2, 1, "??", "ply 2, white b2, better c3")]
    >>> drawing = values_svg([0, 5, 90], title="A & B", unit="cells", sides=("black", "white"), marks=marks)
    >>> drawing.startswith("<svg ") and "A &amp; B" in drawing and "better c3" in drawing
    True
    """
    limit = math.inf if bound is None else bound
    cut = [value if math.isinf(value) else min(max(value, -limit), limit) for value in values]
    return "\n".join(_Chart(cut, title, unit, sides, colours, marks).lines()) + "\n"


class _Chart:
    """One chart in the making: the scales of plies and of values."""

    def __init__(
        self,
        values: Sequence[float],
        title: str,
        unit: str,
        sides: tuple[str, str],
        colours: tuple[str, str],
        marks: Sequence[Mark],
    ) -> None:
        self.values, self.title, self.unit = values, printable(title), printable(unit)
        self.sides, self.colours, self.marks = [printable(side) for side in sides], colours, marks
        largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0) or 1.0
        self.step = _step(largest, MOST_TICKS)
        self.ticks = math.ceil(round(largest / self.step, DIGITS))
        self.limit = self.ticks * self.step
        self.edges = {value: text for value, text in ENDS.items() if value in values}
        labels = [*(_number(tick * self.step) for tick in (-self.ticks, self.ticks)), *self.edges.values()]
        self.left = MARGIN + SIDE_NAMES + max(width_of(label, SMALL_SIZE) for label in labels) + 8
        self.right, self.top, self.bottom = WIDTH - MARGIN, HEAD, HEIGHT - FOOT
        self.middle = (self.top + self.bottom) / 2

    def lines(self) -> Iterator[str]:
        """Yield the document line by line."""
        told = ". ".join([f"{self.title}: values in {self.unit}", *(mark.note for mark in self.marks)])
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(printable(told))}" '
            f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" {FONT}>'
        )
        yield f"<title>{escape(self.title)}</title>"
        yield f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="{BACKDROP}"/>'
        title = shorten(self.title, WIDTH - 2 * MARGIN, measure=partial(width_of, size=BOLD * TITLE_SIZE))
        bold = f'font-size="{TITLE_SIZE}" font-weight="bold" fill="{TEXT}"'
        yield f'<text x="{MARGIN}" y="30" {bold}>{escape(title)}</text>'
        below = f"value for {self.sides[0]}, in {self.unit}"
        below = shorten(below, WIDTH - 2 * MARGIN, measure=partial(width_of, size=SMALL_SIZE))
        yield _text(below, (MARGIN, 50), anchor="start")
        yield from self._areas()
        yield from self._value_scale()
        yield from self._ply_scale()
        points = " ".join(f"{self._x(ply)},{self._y(value)}" for ply, value in enumerate(self.values))
        shape = f'fill="none" stroke="{ACCENT}" stroke-width="2" stroke-linejoin="round"'
        yield f'<polyline points="{points}" {shape}/>'
        yield from self._marks()
        yield "</svg>"

    def _value_scale(self) -> Iterator[str]:
        for tick in range(-self.ticks, self.ticks + 1):
            value = tick * self.step
            y, colour = self._y(value), GRID if tick else FAINT
            yield f'<line x1="{self.left:.1f}" y1="{y}" x2="{self.right}" y2="{y}" stroke="{colour}"/>'
            yield _text(_number(value), (round(self.left - 6, 1), round(y + 4, 1)), anchor="end")
        for value, label in self.edges.items():
            yield _text(label, (round(self.left - 6, 1), round(self._y(value) + 4, 1)), anchor="end")
        half = self.middle - self.top
        for side, y in zip(self.sides, (self.middle - half / 2, self.middle + half / 2), strict=True):
            name = shorten(f"{side} ahead", half, measure=partial(width_of, size=SMALL_SIZE))
            turned = f' transform="rotate(-90 {MARGIN + 6} {y})"'
            yield _text(name, (MARGIN + 6, y), anchor="middle", more=turned)

    def _ply_scale(self) -> Iterator[str]:
        last = max(len(self.values) - 1, 1)
        step = max(round(_step(last, MOST_PLY_TICKS)), 1)
        for ply in range(0, last + 1, step):
            x = self._x(ply)
            yield f'<line x1="{x}" y1="{self.bottom}" x2="{x}" y2="{self.bottom + 4}" stroke="{FAINT}"/>'
            yield _text(str(ply), (x, self.bottom + 17), anchor="middle")
        yield _text("ply", (self.right, self.bottom + 34), anchor="end")
        if self.marks:
            yield _text(LEGEND, (round(self.left, 1), self.bottom + 34), anchor="start")

    def _areas(self) -> Iterator[str]:
        """Yield what lies between the line and the middle, in the colour of the side that is ahead."""
        points = list(self._with_crossings())
        for colour, ahead in zip(self.colours, (min, max), strict=True):
            edge = " ".join(f"{x},{ahead(y, self.middle)}" for x, y in points)
            ends = f"{points[-1][0]},{self.middle} {points[0][0]},{self.middle}"
            yield f'<polygon points="{edge} {ends}" fill="{escape(colour)}" fill-opacity="0.35"/>'

    def _with_crossings(self) -> Iterator[tuple[float, float]]:
        """Yield the points of the line, those where it crosses the middle too."""
        before: tuple[float, float] | None = None
        for ply, value in enumerate(self.values):
            x, y = self._x(ply), self._y(value)
            if before is not None and (before[1] - self.middle) * (y - self.middle) < 0:
                share = (self.middle - before[1]) / (y - before[1])
                yield round(before[0] + share * (x - before[0]), 1), self.middle
            yield x, y
            before = x, y

    def _marks(self) -> Iterator[str]:
        free = 0.0
        for mark in sorted(self.marks, key=lambda mark: mark.ply):
            x, y = self._x(mark.ply), self._y(self.values[mark.ply])
            paint = f'fill="{escape(self.colours[mark.side])}" stroke="{MARK}" stroke-width="2.5"'
            note = f"<title>{escape(printable(mark.note))}</title>"
            yield f'<circle cx="{x}" cy="{y}" r="5" {paint}>{note}</circle>'
            room = width_of(mark.text, MARK_SIZE)
            if x - room / 2 < free:  # the texts would run into each other
                continue
            free = x + room / 2
            # a mistake of side 0 is a way down, so its text stands below where there is room
            is_below = mark.side == 0 and y + MARK_SIZE < self.bottom
            place = x, round(y + 20 if is_below else y - 10, 1)
            halo = f' stroke="{BACKDROP}" stroke-width="3" paint-order="stroke"'
            yield _text(mark.text, place, anchor="middle", size=MARK_SIZE, colour=TEXT, more=halo)

    def _x(self, ply: int) -> float:
        share = ply / max(len(self.values) - 1, 1)
        return round(self.left + share * (self.right - self.left), 1)

    def _y(self, value: float) -> float:
        if math.isinf(value):
            return float(self.top if value > 0 else self.bottom)
        height = self.middle - self.top - EDGE
        return round(self.middle - value / self.limit * height, 1)


def _text(
    text: str,
    place: tuple[float, float],
    *,
    anchor: str,
    size: int = SMALL_SIZE,
    colour: str = FAINT,
    more: str = "",
) -> str:
    style = f'font-size="{size}" text-anchor="{anchor}" fill="{colour}"{more}'
    return f'<text x="{place[0]}" y="{place[1]}" {style}>{escape(text)}</text>'


def _number(value: float) -> str:
    return f"{value:+g}" if value else "0"


def _step(span: float, most: int) -> float:
    """Return the distance of ticks: 1, 2 or 5 times a power of ten, `most` of them at most."""
    power = 10.0 ** math.floor(math.log10(span / most))
    steps = [power * step for step in (*STEPS, 10)]
    return next(step for step in steps if span / step <= most)
