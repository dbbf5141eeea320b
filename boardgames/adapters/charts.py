"""Charts as SVG documents, drawn by matplotlib (extra `plot`): the scores of a match, intervals, curves.

Equal input gives equal text. The documents have descriptions for screen readers
and are readable without colour.
"""

import io
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from html import escape
from importlib.util import find_spec
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np
from rich.cells import cell_len

from boardgames.draw.names import shorten, shorten_uniquely
from boardgames.draw.text import printable
from boardgames.errors import MissingExtraError
from boardgames.kernels import Reals

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# inches
WIDTH, SCORES_HEIGHT, ROW_HEIGHT, REMARK_HEIGHT = 8.0, 4.0, 0.27, 0.17
TITLE_HEIGHT, TOP, BOTTOM, MARGIN, GAP = 0.3, 0.42, 0.52, 0.12, 0.1
MAX_LABEL_WIDTH, MAX_NOTE_WIDTH = 3.2, 1.4

PANEL_HEIGHT = 2.6

# points, 1/72 inch
FONT_SIZE, TITLE_SIZE, REMARK_SIZE = 9, 12, 8

REMARK_COLUMNS = 100
TICK_STEPS = (1, 2, 5, 10)
LINE_COLOUR, MARK_COLOUR, PLOT_COLOUR, GRID_COLOUR = "#2f6f9f", "#f59f00", "#e4ddcf", "#c4bba8"
DECIDED_AT = 1.2
"""Height at which decided positions are drawn, as a multiple of the largest score."""
DECIDED_LABELS = {math.inf: "won", -math.inf: "lost"}
LABEL_SPACE = 0.22
"""Space for labels of marks above and below, as a multiple of the largest score."""
MARK_LABEL_GAP = 0.025
"""Minimum distance between the labels of two marks, as a share of the width."""
MARKS_LEGEND = "? mistake, ?? blunder, in the colour of the side that made it"
CURVE_STYLES, CURVE_MARKERS = ("-", "--", "-.", ":"), ("o", "s", "^")
"""Line styles and markers of curves, whose combinations differ even without colour."""
OPEN_END = 0.06
"""Minimum length of an open end of an interval, as a share of the scale."""

_STYLE = {
    "svg.hashsalt": "boardgames",
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.size": FONT_SIZE,
    "axes.edgecolor": GRID_COLOUR,
    "axes.facecolor": PLOT_COLOUR,
    "axes.axisbelow": True,
    "grid.color": GRID_COLOUR,
    "grid.linewidth": 0.6,
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked move: its ply from 1, the side that made it, `?` or `??`, and a description."""

    ply: int
    side: int
    text: str
    description: str


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its interval; an end that is None is open. The note is shown beside it."""

    label: str
    value: float
    low: float | None
    high: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel of a chart: its title, and the points of each curve by label."""

    title: str
    curves: Mapping[str, Sequence[tuple[float, float]]]


def check_installed() -> None:
    """Raise MissingExtraError unless matplotlib is installed."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError("plot", "drawing charts")


def score_chart(
    scores: Sequence[float],
    *,
    title: str,
    unit: str,
    sides: tuple[str, str],
    bound: float = math.inf,
    colours: tuple[str, str] = ("#222222", "#eeeeee"),
    marks: Sequence[Mark] = (),
    tick_label: Callable[[float], str] | None = None,
) -> str:
    """Return a chart of the scores of a match.

    Parameters
    ----------
    scores : sequence of float
        Scores of the start and of the position after every ply, for side 0;
        infinite where the match is decided.
    title, unit : str
        Title of the chart, and the unit of the scores, such as `in cells`.
    sides : (str, str)
        Names of the sides.
    bound : float
        Scores beyond this bound are clipped to it.
    colours : (str, str)
        Colours of the sides, `#rrggbb`.
    marks : sequence of Mark
        Moves to mark.
    tick_label : callable, optional
        Returns the label of a score on the scale; by default the number with its sign.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> marks = [Mark(2, 1, "??", "ply 2, white b2??, better c3")]
    >>> chart = score_chart([0, 5, 90], title="A & B", unit="in cells", sides=("black", "white"), marks=marks)
    >>> "A &amp; B: scores in cells. ply 2, white b2??, better c3" in chart
    True
    """
    description = ". ".join([f"{title}: scores {unit}", *(mark.description for mark in marks)])
    with _style():
        figure = _score_figure(scores, title, unit, sides, bound, colours, marks, tick_label or _tick_label)
        svg = _svg(figure, description)
    for mark in marks:  # tooltips
        group = f'<g id="{_mark_id(mark)}">'
        svg = svg.replace(group, f"{group}\n<title>{escape(printable(mark.description))}</title>", 1)
    return svg


def interval_chart(
    intervals: Sequence[Interval], *, title: str, unit: str, remarks: Sequence[str] = ()
) -> str:
    """Return a chart of values with their intervals, one per row from top to bottom.

    Parameters
    ----------
    intervals : sequence of Interval
        Long labels are shortened in the middle, but different labels stay different.
    title, unit : str
        Title of the chart, and unit of the values.
    remarks : sequence of str
        Paragraphs below the chart.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> chart = interval_chart([Interval("a < b", 12.0, -5.0, 30.0)], title="Ladder", unit="Elo")
    >>> "Ladder: a &lt; b +12 (-5 to 30)" in chart
    True
    """
    rows = "; ".join(_describe(interval) for interval in intervals)
    with _style():
        return _svg(
            _interval_figure(intervals, title, unit, remarks), ". ".join([f"{title}: {rows}", *remarks])
        )


def curve_chart(panels: Sequence[Panel], *, title: str, axis: str) -> str:
    """Return a chart of curves in panels, one below another; equal labels have equal colours.

    Parameters
    ----------
    panels : sequence of Panel
        The curves.
    title, axis : str
        Title of the chart, and name of the horizontal axis.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.

    Examples
    --------
    >>> chart = curve_chart([Panel("mean loss", {"greedy": [(8, 1.5), (12, 2)]})], title="A", axis="ply")
    >>> "A by ply. mean loss: greedy 1.5 at 8, 2 at 12" in chart
    True
    """
    described = [
        f"{panel.title}: " + "; ".join(_describe_curve(label, panel.curves[label]) for label in panel.curves)
        for panel in panels
    ]
    with _style():
        return _svg(_curve_figure(panels, title, axis), ". ".join([f"{title} by {axis}", *described]))


# --- scores of a match ------------------------------------------------------


def _score_figure(
    scores: Sequence[float],
    title: str,
    unit: str,
    sides: tuple[str, str],
    bound: float,
    colours: tuple[str, str],
    marks: Sequence[Mark],
    tick_label: Callable[[float], str],
) -> "Figure":
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.ticker import MaxNLocator

    layout = ConstrainedLayoutEngine(w_pad=MARGIN, rect=(0, 0, 1, 1 - TITLE_HEIGHT / SCORES_HEIGHT))
    figure = Figure(figsize=(WIDTH, SCORES_HEIGHT), layout=layout)
    _draw_title(figure, title)
    axes = figure.subplots()
    subtitle = _shorten(f"score for {sides[0]} {unit}", WIDTH - 1)
    axes.set_title(subtitle, fontsize=FONT_SIZE, loc="left")

    given = np.asarray(scores, dtype=np.float64)
    clipped = given.clip(-bound, bound)
    limit = float(np.abs(clipped[np.isfinite(given)]).max(initial=0.0)) or 1.0
    drawn = np.where(np.isinf(given), np.sign(given) * DECIDED_AT * limit, clipped)
    plies = np.arange(len(drawn))
    for colour, is_ahead in zip(colours, (drawn >= 0, drawn <= 0), strict=True):
        axes.fill_between(plies, drawn, 0, where=is_ahead, interpolate=True, color=colour, alpha=0.7, lw=0)
    axes.plot(plies, drawn, color=LINE_COLOUR, linewidth=1.6, gid="scores")
    axes.axhline(0, color="0.4", linewidth=0.8)
    _draw_marks(axes, drawn, colours, marks)

    _scale_scores(axes, given, limit, tick_label)
    axes.grid(axis="y")
    axes.set_xlim(0, max(len(drawn) - 1, 1))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=TICK_STEPS))
    axes.set_xlabel(f"ply ({MARKS_LEGEND})" if marks else "ply")
    for side, height in zip(sides, (0.75, 0.25), strict=True):
        name = _shorten(f"{side} ahead", MAX_NOTE_WIDTH)
        axes.text(1.015, height, name, transform=axes.transAxes, rotation=270, va="center", color="0.3")
    return figure


def _scale_scores(axes: "Axes", scores: Reals, limit: float, tick_label: Callable[[float], str]) -> None:
    """Label the scale, including the level of any decided positions."""
    from matplotlib.ticker import MaxNLocator

    decided = [end for end in DECIDED_LABELS if end in scores]
    ticks = [
        tick
        for tick in MaxNLocator(8, steps=TICK_STEPS).tick_values(-limit, limit)
        if abs(tick) <= 1.001 * limit
    ]
    places = [*ticks, *(math.copysign(DECIDED_AT * limit, end) for end in decided)]
    axes.set_yticks(places, [*map(tick_label, ticks), *(DECIDED_LABELS[end] for end in decided)])
    reach = ((DECIDED_AT if decided else 1.0) + LABEL_SPACE) * limit
    axes.set_ylim(-reach, reach)


def _draw_marks(axes: "Axes", drawn: Reals, colours: tuple[str, str], marks: Sequence[Mark]) -> None:
    gap, free_from = MARK_LABEL_GAP * len(drawn), -math.inf
    for mark in sorted(marks, key=lambda mark: mark.ply):
        place = mark.ply, float(drawn[mark.ply])
        dot = axes.plot(*place, "o", color=colours[mark.side], markersize=7, zorder=3, gid=_mark_id(mark))[0]
        dot.set_markeredgecolor(MARK_COLOUR)
        dot.set_markeredgewidth(1.8)
        if mark.ply < free_from:  # its label would overlap the previous one
            continue
        free_from = mark.ply + gap
        is_below = mark.side == 0  # a mistake by side 0 is a drop, with free space below
        axes.annotate(
            mark.text,
            place,
            xytext=(0, -7 if is_below else 7),
            textcoords="offset points",
            ha="center",
            va="top" if is_below else "bottom",
            weight="bold",
            zorder=4,
        )


def _mark_id(mark: Mark) -> str:
    return f"mark-{mark.ply}"


# --- intervals ---------------------------------------------------------------


def _interval_figure(
    intervals: Sequence[Interval], title: str, unit: str, remarks: Sequence[str]
) -> "Figure":
    from matplotlib.figure import Figure

    labels = shorten_uniquely([row.label for row in intervals], MAX_LABEL_WIDTH, measure=_width)
    notes = [_shorten(row.note, MAX_NOTE_WIDTH) for row in intervals]
    lines = [line for remark in remarks for line in wrap(printable(remark), REMARK_COLUMNS)]
    left = MARGIN + max(map(_width, labels), default=0.0) + GAP
    right = WIDTH - MARGIN - max(map(_width, notes), default=0.0) - GAP
    rows = max(len(intervals), 2)
    bottom = BOTTOM + REMARK_HEIGHT * len(lines)
    height = TOP + ROW_HEIGHT * rows + bottom

    figure = Figure(figsize=(WIDTH, height))
    _draw_title(figure, title)
    axes = figure.add_axes(
        (left / WIDTH, bottom / height, (right - left) / WIDTH, ROW_HEIGHT * rows / height)
    )
    axes.set_xlim(*_scale(intervals))
    axes.set_ylim(rows - 0.5, -0.5)
    for place, row in enumerate(intervals):
        _draw_interval(axes, place, row)
        y = 1 - (TOP + ROW_HEIGHT * (place + 0.5)) / height
        figure.text(MARGIN / WIDTH, y, labels[place], va="center")
        figure.text((right + GAP) / WIDTH, y, notes[place], va="center")
    axes.axvline(0, color="0.4", linewidth=0.8)
    axes.grid(axis="x")
    axes.set_yticks([])
    axes.xaxis.set_major_formatter(lambda value, _: _tick_label(value))
    axes.set_xlabel(_shorten(unit, MAX_LABEL_WIDTH))
    for place, line in enumerate(lines, start=1):
        y = (MARGIN / 2 + REMARK_HEIGHT * (len(lines) - place)) / height
        figure.text(MARGIN / WIDTH, y, line, fontsize=REMARK_SIZE, color="0.3")
    return figure


def _scale(intervals: Sequence[Interval]) -> tuple[float, float]:
    """Return the ends of a scale that covers all intervals, their open ends, and zero."""
    ends = [0.0, *(end for row in intervals for end in (row.value, row.low, row.high) if end is not None)]
    open_end = OPEN_END * ((max(ends) - min(ends)) or 100.0)
    low = min([*ends, *(row.value - open_end for row in intervals if row.low is None)])
    high = max([*ends, *(row.value + open_end for row in intervals if row.high is None)])
    margin = OPEN_END / 3 * ((high - low) or 100.0)
    return low - margin, high + margin


def _draw_interval(axes: "Axes", place: int, row: Interval) -> None:
    """Draw a bar with a dot. An open end is an arrow at the edge, and the dot is hollow."""
    edges = axes.get_xlim()
    ends = [edge if end is None else end for end, edge in zip((row.low, row.high), edges, strict=True)]
    axes.plot(ends, [place, place], color=LINE_COLOUR, linewidth=2.5, alpha=0.6)
    for end, edge, arrow in zip((row.low, row.high), edges, "<>", strict=True):
        if end is None:
            axes.plot(edge, place, arrow, color=LINE_COLOUR, markersize=7, clip_on=False)
    is_open = row.low is None or row.high is None
    filling = "white" if is_open else LINE_COLOUR
    axes.plot(row.value, place, "o", color=LINE_COLOUR, markerfacecolor=filling, gid=f"value-{place}")


def _describe(row: Interval) -> str:
    ends = ["?" if end is None else f"{end:.0f}" for end in (row.low, row.high)]
    return f"{row.label} {row.value:+.0f} ({ends[0]} to {ends[1]})"


# --- curves -------------------------------------------------------------------


def _curve_figure(panels: Sequence[Panel], title: str, axis: str) -> "Figure":
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.ticker import MaxNLocator

    labels = list(dict.fromkeys(label for panel in panels for label in panel.curves))
    short = dict(zip(labels, shorten_uniquely(labels, MAX_LABEL_WIDTH, measure=_width), strict=True))
    height = TITLE_HEIGHT + PANEL_HEIGHT * max(len(panels), 1)
    layout = ConstrainedLayoutEngine(w_pad=MARGIN, rect=(0, 0, 1, 1 - TITLE_HEIGHT / height))
    figure = Figure(figsize=(WIDTH, height), layout=layout)
    _draw_title(figure, title)
    all_axes = figure.subplots(max(len(panels), 1), 1, sharex=True, squeeze=False)[:, 0]
    lines = {}
    for axes, panel in zip(all_axes, panels, strict=False):
        axes.set_title(_shorten(panel.title, WIDTH - 1), fontsize=FONT_SIZE, loc="left")
        for label, points in panel.curves.items():
            place = labels.index(label)
            lines[label] = axes.plot(
                [x for x, _ in points],
                [y for _, y in points],
                color=f"C{place % 10}",
                linestyle=CURVE_STYLES[place % len(CURVE_STYLES)],
                marker=CURVE_MARKERS[place % len(CURVE_MARKERS)],
                markersize=4,
                linewidth=1.4,
            )[0]
        axes.grid()
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    all_axes[-1].set_xlabel(axis)
    figure.legend(
        list(lines.values()), [short[label] for label in lines], loc="outside right upper", frameon=False
    )
    return figure


def _describe_curve(label: str, points: Sequence[tuple[float, float]]) -> str:
    return f"{label} " + ", ".join(f"{y:.4g} at {x:g}" for x, y in points)


# --- shared -------------------------------------------------------------------


@contextmanager
def _style() -> Iterator[None]:
    """Use our style, regardless of the user's matplotlib configuration."""
    check_installed()
    from matplotlib import style

    with warnings.catch_warnings(), style.context(["default", _STYLE]):
        # the viewer draws the text, so glyphs that matplotlib's own font lacks do not matter
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def _draw_title(figure: "Figure", title: str) -> None:
    text = _shorten(title, (WIDTH - 2 * MARGIN) / 1.15, size=TITLE_SIZE)  # bold is wider
    x, y = MARGIN / WIDTH, 1 - MARGIN / figure.get_figheight()
    figure.text(x, y, text, va="top", fontsize=TITLE_SIZE, weight="bold", in_layout=False)


def _svg(figure: "Figure", description: str) -> str:
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    label = escape(printable(description))
    _, svg, document = file.getvalue().partition("<svg ")  # without the XML header it can be embedded in HTML
    return f'{svg}role="img" aria-label="{label}" {document}'


def _tick_label(value: float) -> str:
    return f"{value:+g}" if abs(value) > 1e-9 else "0"


def _shorten(text: str, width: float, *, size: float = FONT_SIZE) -> str:
    return shorten(printable(text), width, measure=partial(_width, size=size))


def _width(text: str, size: float = FONT_SIZE) -> float:
    """Return the width of a text in inches; wide characters, which DejaVu Sans lacks, count as one em."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    narrow = "".join(char for char in text if cell_len(char) < 2)
    width, _, _ = text_to_path.get_text_width_height_descent(narrow, FontProperties(size=size), ismath=False)
    return float(width + size * (len(text) - len(narrow))) / 72
