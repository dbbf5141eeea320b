"""Pictures of training runs, drawn by matplotlib (extra `plot`): learning curves, and how weights move."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from boardgames.errors import MissingExtraError, OptionError
from boardgames.kernels import Reals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Format = Literal["svg", "png"]

WIDTH_IN, CURVE_HEIGHT_IN, LINE_HEIGHT_IN = 9.0, 3.2, 0.17
LEAST_WEIGHTS_HEIGHT_IN = 3.0
DOTS_PER_INCH = 150
MOST_NAMED = 24
"""Of more weights, those that are largest at the end have names and colours."""
WINDOW = 0.1
"""Part of a curve that its smooth line is the mean of."""
LINE_STYLES = ("-", "--", ":", "-.")
GREY = "0.75"
LARGEST_DRAWN = 1e30
"""What is beyond is drawn there: squares of larger numbers are none."""


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """What is drawn of a run.

    Attributes
    ----------
    name, title : str
        Of the run, and what was trained.
    metric : str
        What the curve shows.
    steps, values : sequences
        The curve: steps, and the metric at each.
    best_step : int
        Which has a mark.
    weights : float64[n, m] or None
        After each of n steps.
    weight_steps : sequence of int
        Which those are.
    features : sequence of str
        Names of the m weights.
    """

    name: str
    title: str
    metric: str
    steps: Sequence[int]
    values: Sequence[float]
    best_step: int = 0
    weights: Reals | None = None
    weight_steps: Sequence[int] = ()
    features: Sequence[str] = ()


def picture(courses: Sequence[Course], form: Format) -> bytes:
    """Return a picture of runs: the curves of all, and of a single one its weights too.

    Equal courses give equal bytes.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    OptionError
        If there is nothing to draw.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("plot", "pictures of training") from None
    if not any(course.steps or course.weight_steps for course in courses):
        raise OptionError(f"expected a run with steps to draw: {courses[0].name} has none")
    courses = [_clipped(course) for course in courses]
    shown = _weights_of(courses)
    heights = [CURVE_HEIGHT_IN] if shown is None else [CURVE_HEIGHT_IN, _height(shown)]
    with mpl.rc_context(
        {"svg.hashsalt": "boardgames", "svg.fonttype": "path", "font.size": 9, "text.parse_math": False}
    ):
        figure = Figure(figsize=(WIDTH_IN, sum(heights) + 0.5), dpi=DOTS_PER_INCH, layout="constrained")
        axes = figure.subplots(len(heights), 1, squeeze=False, sharex=True, height_ratios=heights)[:, 0]
        figure.suptitle(courses[0].title if len(courses) == 1 else "Training runs", fontsize=11)
        _draw_curves(axes[0], courses)
        if shown is not None:
            _draw_weights(axes[1], shown)
        axes[-1].set_xlabel("step")
        file = io.BytesIO()
        figure.savefig(file, format=form, metadata={"Date": None} if form == "svg" else {"Software": None})
    return file.getvalue()


def smooth(values: Sequence[float]) -> Reals:
    """Return the mean around each value, over a tenth of all, and over less at the ends.

    Examples
    --------
    >>> smooth([0.0, 3.0, 0.0]).tolist()
    [0.0, 3.0, 0.0]
    """
    half = int(len(values) * WINDOW / 2)
    means = [
        np.mean(values[index - reach : index + reach + 1])
        for index in range(len(values))
        for reach in [min(half, index, len(values) - 1 - index)]
    ]
    return np.array(means)


def spread(places: Sequence[float], gap: float) -> Reals:
    """Return places moved apart to `gap` at least, in their order, and no farther than needed.

    Examples
    --------
    >>> spread([0.0, 0.0, 5.0], 1.0).tolist()
    [-0.5, 0.5, 5.0]
    """
    order = np.argsort(places, kind="stable")
    # places less the gaps below must not fall: the nearest such sequence is that of means of blocks
    blocks: list[list[float]] = []
    for rank, index in enumerate(order):
        blocks.append([places[index] - gap * rank])
        while len(blocks) > 1 and np.mean(blocks[-2]) > np.mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    means = [np.mean(block) for block in blocks for _ in block]
    found = np.empty(len(places))
    found[order] = np.array(means) + gap * np.arange(len(places))
    return found


def _clipped(course: Course) -> Course:
    """Return a course without numbers that are too large to draw."""
    values = np.clip(course.values, -LARGEST_DRAWN, LARGEST_DRAWN).tolist()
    weights = None if course.weights is None else np.clip(course.weights, -LARGEST_DRAWN, LARGEST_DRAWN)
    return replace(course, values=values, weights=weights)


def _weights_of(courses: Sequence[Course]) -> Course | None:
    """Return the course whose weights are drawn, if it is the only one and has any."""
    return courses[0] if len(courses) == 1 and courses[0].weights is not None else None


def _height(course: Course) -> float:
    return max(LEAST_WEIGHTS_HEIGHT_IN, LINE_HEIGHT_IN * min(len(course.features), MOST_NAMED) + 0.6)


def _draw_curves(axes: "Axes", courses: Sequence[Course]) -> None:
    drawn = [course for course in courses if course.steps]
    for index, course in enumerate(drawn):
        colour = f"C{index % 10}"
        axes.plot(course.steps, course.values, ".", color=colour, alpha=0.35, markersize=4)
        axes.plot(course.steps, smooth(course.values), color=colour, linewidth=1.8, label=course.name)
        if course.best_step in course.steps:
            value = course.values[list(course.steps).index(course.best_step)]
            axes.plot(
                [course.best_step],
                [value],
                "o",
                color=colour,
                markerfacecolor="none",
                markersize=8,
                clip_on=False,
            )
            if len(drawn) == 1:
                _name_best(axes, course, value)
    metrics = list(dict.fromkeys(course.metric for course in drawn))
    axes.set_ylabel(" / ".join(metrics) or "nothing measured")
    axes.margins(y=0.15)
    if len(courses) > 1:
        axes.legend(frameon=False, loc="best")
    _tidy(axes)


def _name_best(axes: "Axes", course: Course, value: float) -> None:
    is_left = course.best_step <= (course.steps[0] + course.steps[-1]) / 2
    axes.annotate(
        f"best {value:.4g} at step {course.best_step}",
        (course.best_step, value),
        xytext=(8 if is_left else -8, 6),
        textcoords="offset points",
        ha="left" if is_left else "right",
        fontsize=8,
    )


def _draw_weights(axes: "Axes", course: Course) -> None:
    assert course.weights is not None
    last = course.weights[-1]
    named = sorted(np.argsort(-np.abs(last), kind="stable")[:MOST_NAMED])
    for index in range(len(last)):
        if index not in named:
            axes.plot(course.weight_steps, course.weights[:, index], color=GREY, linewidth=0.6)
    for rank, index in enumerate(named):
        axes.plot(course.weight_steps, course.weights[:, index], linewidth=1.4, **_style(rank))
    axes.axhline(0, color="0.5", linewidth=0.6, zorder=0)
    axes.set_ylabel("weight")
    axes.margins(y=0.08)
    _tidy(axes)
    _name_weights(axes, course, [int(index) for index in named])


def _name_weights(axes: "Axes", course: Course, named: list[int]) -> None:
    """Write the name of every weight beside where its line ends, none over another."""
    assert course.weights is not None
    low, high = axes.get_ylim()
    ends = [float(course.weights[-1][index]) for index in named]
    gap = (high - low) / (_height(course) / LINE_HEIGHT_IN)
    places = spread(ends, gap)
    # all within the picture: the gaps leave room for that
    places -= max(places.max() - high + gap / 2, 0)
    places += max(low + gap / 2 - places.min(), 0)
    across = axes.get_yaxis_transform()
    for rank, (index, place) in enumerate(zip(named, places, strict=True)):
        outside: dict[str, Any] = {"transform": across, "clip_on": False}  # keywords of matplotlib
        axes.plot([1.0, 1.025], [ends[rank], place], color=GREY, linewidth=0.6, **outside)
        axes.plot([1.025, 1.06], [place, place], linewidth=1.4, **_style(rank), **outside)
        axes.text(1.068, place, course.features[index], transform=across, va="center", fontsize=8)
    axes.set_xlim(right=course.weight_steps[-1])
    axes.set_ylim(low, high)


def _style(rank: int) -> dict[str, Any]:  # keywords of matplotlib
    return {"color": f"C{rank % 10}", "linestyle": LINE_STYLES[rank // 10 % len(LINE_STYLES)]}


def _tidy(axes: "Axes") -> None:
    from matplotlib.ticker import MaxNLocator

    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25, linewidth=0.6)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(x=0.02)
