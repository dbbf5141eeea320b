"""Plots of training runs with matplotlib (extra `plot`): curves, tournaments, and weights over time."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from boardgames.arena.intervals import mean_interval
from boardgames.errors import MissingExtraError, OptionError
from boardgames.kernels import Reals
from boardgames.learning.metrics import SCORE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Format = Literal["svg", "png"]

WIDTH_IN, CURVE_HEIGHT_IN, LABEL_HEIGHT_IN = 9.0, 3.2, 0.17
MIN_WEIGHTS_HEIGHT_IN, STANDINGS_HEIGHT_IN = 3.0, 2.2
DOTS_PER_INCH = 150
MAX_LABELS = 24
"""Maximum number of weights with labels and colours: those that are largest at the end."""
WINDOW = 0.1
"""Width of the moving average, as a share of the curve."""
LINE_STYLES = ("-", "--", ":", "-.")
GREY = "0.75"
MAX_DRAWN = 1e30
"""Numbers larger than this are clipped, since matplotlib would square them."""


@dataclass(frozen=True, slots=True, eq=False)
class RunHistory:
    """The data of a run to plot.

    Attributes
    ----------
    name, title : str
        Name of the run, and title of a plot of this run only.
    metric : str
        Name of the metric that the curve shows.
    steps, values : sequences
        The curve: steps, and the value of the metric at each of them.
    best_step : int
        The step to mark.
    is_best : bool
        Whether `best_step` is the best step of the curve; otherwise it is the last one, whose result is kept.
    weights : float64[n, m] or None
        Weights after each of n steps.
    weight_steps : sequence of int
        The n steps of `weights`.
    features : sequence of str
        Names of the m weights.
    group : str
        Runs of the same group differ only in their seeds and share one curve, the mean of their curves.
    standings : sequence of (int, sequence of float)
        The steps with a tournament, and the points of all competitors.
    """

    name: str
    title: str
    metric: str
    steps: Sequence[int]
    values: Sequence[float]
    best_step: int = 0
    is_best: bool = True
    weights: Reals | None = None
    weight_steps: Sequence[int] = ()
    features: Sequence[str] = ()
    group: str = ""
    standings: Sequence[tuple[int, Sequence[float]]] = ()


def plot_runs(histories: Sequence[RunHistory], image_format: Format) -> bytes:
    """Return an image with the learning curves of runs and, for a single run, its tournaments and weights.

    Runs of one group are drawn as the mean of their curves with a band for its 95% interval. Equal
    histories give equal bytes.

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
        raise MissingExtraError("plot", "plotting training runs") from None
    if not any(history.steps or history.weight_steps for history in histories):
        raise OptionError(f"there is nothing to plot: the run {histories[0].name} has no steps yet")
    histories = [_clip(history) for history in histories]
    single = histories[0] if len(histories) == 1 else None
    panels: list[tuple[float, Callable[[Axes, RunHistory], None]]] = []
    if single is not None and single.standings:
        panels.append((STANDINGS_HEIGHT_IN, _plot_standings))
    if single is not None and single.weights is not None:
        panels.append((_weights_height(single), _plot_weights))
    heights = [CURVE_HEIGHT_IN, *(height for height, _ in panels)]
    with mpl.rc_context(
        {"svg.hashsalt": "boardgames", "svg.fonttype": "path", "font.size": 9, "text.parse_math": False}
    ):
        figure = Figure(figsize=(WIDTH_IN, sum(heights) + 0.5), dpi=DOTS_PER_INCH, layout="constrained")
        axes = figure.subplots(len(heights), 1, squeeze=False, sharex=True, height_ratios=heights)[:, 0]
        figure.suptitle("Training runs" if single is None else single.title, fontsize=11)
        _plot_curves(axes[0], histories)
        for below, (_, draw) in zip(axes[1:], panels, strict=True):
            draw(below, histories[0])
        axes[-1].set_xlabel("step")
        file = io.BytesIO()
        metadata = {"Date": None} if image_format == "svg" else {"Software": None}
        figure.savefig(file, format=image_format, metadata=metadata)
    return file.getvalue()


def smooth(values: Sequence[float]) -> Reals:
    """Return the centred moving average of a curve over a tenth of its length, narrower at its ends.

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
    """Return the positions closest to `places` that keep their order and are at least `gap` apart.

    Examples
    --------
    >>> spread([0.0, 0.0, 5.0], 1.0).tolist()
    [-0.5, 0.5, 5.0]
    """
    order = np.argsort(places, kind="stable")
    # isotonic regression by pooling adjacent violators: places must not decrease once the gaps are
    # subtracted
    blocks: list[list[float]] = []
    for rank, index in enumerate(order):
        blocks.append([places[index] - gap * rank])
        while len(blocks) > 1 and np.mean(blocks[-2]) > np.mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    means = [np.mean(block) for block in blocks for _ in block]
    spread_places = np.empty(len(places))
    spread_places[order] = np.array(means) + gap * np.arange(len(places))
    return spread_places


def _clip(history: RunHistory) -> RunHistory:
    """Return a history in which numbers that are too large to draw are clipped."""
    values = np.clip(history.values, -MAX_DRAWN, MAX_DRAWN).tolist()
    standings = [
        (step, np.clip(points, -MAX_DRAWN, MAX_DRAWN).tolist())
        for step, points in history.standings
        if points
    ]
    weights = None if history.weights is None else np.clip(history.weights, -MAX_DRAWN, MAX_DRAWN)
    return replace(history, values=values, weights=weights, standings=standings)


def _weights_height(history: RunHistory) -> float:
    return max(MIN_WEIGHTS_HEIGHT_IN, LABEL_HEIGHT_IN * min(len(history.features), MAX_LABELS) + 0.6)


def _plot_curves(axes: "Axes", histories: Sequence[RunHistory]) -> None:
    plotted = [history for history in histories if history.steps]
    groups: dict[str, list[RunHistory]] = {}
    for history in plotted:
        groups.setdefault(history.group or history.name, []).append(history)
    for index, members in enumerate(groups.values()):
        colour, history = f"C{index % 10}", members[0]
        if len(members) > 1:
            _plot_mean(axes, members, colour)
            continue
        axes.plot(history.steps, history.values, ".", color=colour, alpha=0.35, markersize=4)
        axes.plot(history.steps, smooth(history.values), color=colour, linewidth=1.8, label=history.name)
        if history.best_step in history.steps:
            value = history.values[list(history.steps).index(history.best_step)]
            marker: dict[str, Any] = {"color": colour, "markerfacecolor": "none", "markersize": 8}  # keywords
            axes.plot([history.best_step], [value], "o", clip_on=False, **marker)
            if len(plotted) == 1:
                _label_best(axes, history, value)
    metrics = list(dict.fromkeys(history.metric for history in plotted))
    axes.set_ylabel(" / ".join(metrics) or "nothing measured")
    axes.margins(y=0.15)
    if len(histories) > 1:
        axes.legend(frameon=False, loc="best")
    _tidy(axes)


def _plot_mean(axes: "Axes", histories: Sequence[RunHistory], colour: str) -> None:
    """Draw several curves, and their mean with its 95% interval at the steps that all of them have."""
    curves = [dict(zip(history.steps, smooth(history.values), strict=True)) for history in histories]
    steps = sorted(set(curves[0]).intersection(*curves[1:]))
    for history, curve in zip(histories, curves, strict=True):
        label = None if steps else history.name
        axes.plot(list(curve), list(curve.values()), color=colour, linewidth=0.6, alpha=0.4, label=label)
    if not steps:
        return
    values = [value for curve in curves for value in curve.values()]
    is_score = all(history.metric == SCORE for history in histories)
    are_shares = is_score and all(0 <= value <= 1 for value in values)
    means = [mean_interval([curve[step] for curve in curves], are_shares=are_shares) for step in steps]
    lows, highs = [mean.low for mean in means], [mean.high for mean in means]
    axes.fill_between(steps, lows, highs, color=colour, alpha=0.18, linewidth=0)
    label = f"{_common_name([history.name for history in histories])}, mean of {len(histories)} runs"
    axes.plot(steps, [mean.value for mean in means], color=colour, linewidth=1.8, label=label)


def _common_name(names: Sequence[str]) -> str:
    """Return the common beginning of names without trailing hyphens, or all names if there is none.

    Examples
    --------
    >>> _common_name(["td-1", "td-2"]), _common_name(["slow", "fast"])
    ('td', 'slow, fast')
    """
    same = takewhile(lambda characters: len(set(characters)) == 1, zip(*names, strict=False))
    return "".join(first for first, *_ in same).rstrip("-_ ") or ", ".join(names)


def _plot_standings(axes: "Axes", history: RunHistory) -> None:
    """Draw the points of all competitors in each tournament, and connect the points of the winners."""
    for step, points in history.standings:
        axes.plot([step] * len(points), points, ".", color="C0", alpha=0.45, markersize=5, clip_on=False)
    steps = [step for step, _ in history.standings]
    best = [max(points) for _, points in history.standings]
    axes.plot(steps, best, color="C0", linewidth=1.4)
    axes.set_ylabel("points in tournaments")
    axes.margins(y=0.12)
    _tidy(axes)


def _label_best(axes: "Axes", history: RunHistory, value: float) -> None:
    is_left = history.best_step <= (history.steps[0] + history.steps[-1]) / 2
    axes.annotate(
        f"{'best' if history.is_best else 'last'} {value:.4g} at step {history.best_step}",
        (history.best_step, value),
        xytext=(8 if is_left else -8, 6),
        textcoords="offset points",
        ha="left" if is_left else "right",
        fontsize=8,
    )


def _plot_weights(axes: "Axes", history: RunHistory) -> None:
    assert history.weights is not None
    last = history.weights[-1]
    labelled = sorted(np.argsort(-np.abs(last), kind="stable")[:MAX_LABELS])
    for index in range(len(last)):
        if index not in labelled:
            axes.plot(history.weight_steps, history.weights[:, index], color=GREY, linewidth=0.6)
    for rank, index in enumerate(labelled):
        axes.plot(history.weight_steps, history.weights[:, index], linewidth=1.4, **_style(rank))
    axes.axhline(0, color="0.5", linewidth=0.6, zorder=0)
    axes.set_ylabel("weight")
    axes.margins(y=0.08)
    _tidy(axes)
    _label_weights(axes, history, [int(index) for index in labelled])


def _label_weights(axes: "Axes", history: RunHistory, labelled: list[int]) -> None:
    """Write the name of each weight beside the end of its line, without overlaps."""
    assert history.weights is not None
    low, high = axes.get_ylim()
    ends = [float(history.weights[-1][index]) for index in labelled]
    gap = (high - low) / (_weights_height(history) / LABEL_HEIGHT_IN)
    places = spread(ends, gap)
    # shift all of them into the axes, which have enough room for all gaps
    places -= max(places.max() - high + gap / 2, 0)
    places += max(low + gap / 2 - places.min(), 0)
    across = axes.get_yaxis_transform()
    for rank, (index, place) in enumerate(zip(labelled, places, strict=True)):
        outside: dict[str, Any] = {"transform": across, "clip_on": False}  # keywords of matplotlib
        axes.plot([1.0, 1.025], [ends[rank], place], color=GREY, linewidth=0.6, **outside)
        axes.plot([1.025, 1.06], [place, place], linewidth=1.4, **_style(rank), **outside)
        axes.text(1.068, place, history.features[index], transform=across, va="center", fontsize=8)
    axes.set_xlim(right=history.weight_steps[-1])
    axes.set_ylim(low, high)


def _style(rank: int) -> dict[str, Any]:  # keywords of matplotlib
    return {"color": f"C{rank % 10}", "linestyle": LINE_STYLES[rank // 10 % len(LINE_STYLES)]}


def _tidy(axes: "Axes") -> None:
    from matplotlib.ticker import MaxNLocator

    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25, linewidth=0.6)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(x=0.02)
