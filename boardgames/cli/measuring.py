"""Measuring the result of a training run, for `boardgames train` and `boardgames runs`."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from boardgames.arena.intervals import Interval
    from boardgames.learning.measurement import Measurement, Series
    from boardgames.learning.runs import Run

DEFAULT_MEASURING_MATCHES = 100
"""Default number of matches against each opponent when a run is measured."""


def measure_run(
    run: "Run", planned: "Measurement | None", executor: "Executor", listener: Callable[[int, int], object]
) -> "Measurement | None":
    """Play the remaining matches of a measurement, if one is planned."""
    from boardgames.learning.measurement import measure

    return planned if planned is None or planned.is_done else measure(run, planned, executor, listener)


def measurement_lines(measured: "Measurement | None") -> list[str]:
    """Return lines with the results of a measurement and, if it is not finished, its progress."""
    if measured is None:
        return []
    lines = [f"{one}; {share_text(one)} of the points{_elo_text(one)}" for one in measured.series]
    if measured.played and not measured.is_done:
        lines.append(f"measured {measured.played} of {measured.planned} matches")
    return lines


def already_measured_text(measured: "Measurement") -> str:
    """Say that all matches had been played before, and how to play more.

    Examples
    --------
    >>> from boardgames.learning.measurement import Measurement
    >>> already_measured_text(Measurement(matches=100, opponents=2))
    'all 100 matches against each opponent had already been played; --matches 300 plays more'
    """
    return (
        f"all {measured.matches} matches against each opponent had already been played; "
        f"--matches {3 * measured.matches} plays more"
    )


def share_text(series: "Series") -> str:
    """Return the share of the points with its 95% interval.

    Examples
    --------
    >>> from boardgames.learning.measurement import Series
    >>> share_text(Series("a", "b", wins=24, losses=10, draws=6))
    '68% [52%, 80%]'
    """
    from boardgames.learning.comparison import points_interval

    return interval_text(points_interval(series))


def _elo_text(series: "Series") -> str:
    """Return the Elo difference after a comma, or an empty string if it is unknown."""
    from boardgames.learning.comparison import elo_of

    elo = elo_of(series)
    return "" if elo is None else f", Elo {elo}"


def interval_text(share: "Interval") -> str:
    """Return a share as a percentage with its interval, cut off at 0% and 100%."""
    return f"{share.value:.0%} [{max(share.low, 0):.0%}, {min(share.high, 1):.0%}]"


def measurement_json(measured: "Measurement | None") -> dict[str, object]:
    """Return the results of a measurement as JSON fields."""
    if measured is None:
        return {"strength": [], "matches_played": 0, "matches_planned": 0}
    return {
        "strength": measured.series,
        "matches_played": measured.played,
        "matches_planned": measured.planned,
    }


def measuring_text(played: int, planned: int) -> str:
    """Return the progress of a measurement.

    Examples
    --------
    >>> measuring_text(12, 80)
    'measuring 12 of 80 matches'
    """
    return f"measuring {played} of {planned} matches"
