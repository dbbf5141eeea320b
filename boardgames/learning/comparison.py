"""Comparing training runs: what differs in their settings, their results, and means over seeds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from boardgames.arena.intervals import Interval, mean_interval, wilson
from boardgames.arena.pentanomial import Estimate, Pairs, estimate
from boardgames.errors import OptionError
from boardgames.learning.config import Config
from boardgames.learning.history import learner_of
from boardgames.learning.measurement import Measurement, Series
from boardgames.learning.metrics import METRICS, SCORE, read_metrics
from boardgames.learning.summaries import RunSummary, run_summary


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run with its config, training time and measured strength.

    Attributes
    ----------
    summary : RunSummary
        The summary of the run; its config is never None.
    config : Config
        The config.
    seconds : float
        Time that its steps took.
    strength : mapping of str to Interval
        For each opponent, the share of the points in the matches that measured the run.
    follows_score : bool
        Whether the learning curve shows the `score`, which is a share of the points.
    """

    summary: RunSummary
    config: Config
    seconds: float
    strength: Mapping[str, Interval]
    follows_score: bool

    def differing(self, names: Sequence[str]) -> list[object]:
        """Return the values of the settings with these names, which `differences` returns."""
        values = _settings(self.config)
        return [values.get(name) for name in names]


class Group(NamedTuple):
    """Runs that differ only in their seed, and the means of their results.

    Attributes
    ----------
    runs : list of ComparedRun
        At least two.
    best : Interval or None
        Mean of the best values of the learning curves, if every run has one.
    strength : mapping of str to Interval
        Mean for each opponent against which every run has been measured.
    """

    runs: list[ComparedRun]
    best: Interval | None
    strength: Mapping[str, Interval]


def compare_runs(folders: Sequence[Path]) -> list[ComparedRun]:
    """Return runs with their results, in the given order.

    Raises
    ------
    OptionError
        If a run cannot be read, or the runs are of different games.
    """
    runs = []
    for folder in folders:
        summary = run_summary(folder)
        if summary.config is None:
            raise OptionError(f"cannot read run {summary.name}: {summary.error}")
        measured = Measurement.read(folder)
        series = () if measured is None else measured.own_series
        steps = read_metrics(folder / METRICS)
        seconds = sum(step.seconds for step in steps)
        strength = {one.opponent: points_interval(one) for one in series if not one.before}
        progress = summary.progress
        learner = learner_of(summary.config)
        follows_score = progress.best is not None and (learner is None or learner.curve == SCORE)
        runs.append(ComparedRun(summary, summary.config, seconds, strength, follows_score))
    games = {run.config.game for run in runs}
    if len(games) > 1:
        raise OptionError(f"runs of different games cannot be compared: {', '.join(sorted(games))}")
    return runs


def differences(runs: Sequence[ComparedRun]) -> list[str]:
    """Return the names of the settings, apart from the seed, in which the runs differ.

    Learners have different settings, and different defaults for the same ones. A setting that is the
    same in all runs of each learner is left out, since it follows from the learner.
    """
    settings = [_settings(run.config) for run in runs]
    learners: dict[str, list[dict[str, object]]] = {}
    for run, one in zip(runs, settings, strict=True):
        learners.setdefault(run.config.learner, []).append(one)
    names = dict.fromkeys(name for one in settings for name in one)
    fields = {"learner", "layout", *(name for run in runs for name in run.config.options)}
    return [
        name
        for name in names
        if any(_differs(group, name) for group in ([settings] if name in fields else learners.values()))
    ]


def _differs(settings: Sequence[Mapping[str, object]], name: str) -> bool:
    return len({repr(one.get(name)) for one in settings}) > 1


def groups(runs: Sequence[ComparedRun]) -> Iterator[Group]:
    """Yield the groups of runs that differ only in their seed."""
    found: dict[str, list[ComparedRun]] = {}
    for run in runs:
        found.setdefault(without_seed(run.config), []).append(run)
    for members in found.values():
        if len(members) > 1:
            opponents = [name for name in members[0].strength if all(name in run.strength for run in members)]
            shares = {name: [run.strength[name].value for run in members] for name in opponents}
            curve = [run.summary.progress.best for run in members]
            best = [value for value in curve if value is not None]
            are_shares = all(run.follows_score for run in members) and all(0 <= value <= 1 for value in best)
            yield Group(
                members,
                mean_interval(best, are_shares=are_shares) if len(best) == len(members) else None,
                {name: mean_interval(values, are_shares=True) for name, values in shares.items()},
            )


def without_seed(config: Config) -> str:
    """Return a config as text without its seed; it is equal for runs that differ only in the seed."""
    return replace(config, seed=0).as_toml()


def points_interval(series: Series) -> Interval:
    """Return the share of the points that an agent scored, with Wilson's 95% interval.

    Examples
    --------
    >>> [round(number, 2) for number in points_interval(Series("a", "b", wins=24, losses=10, draws=6))]
    [0.68, 0.52, 0.8]
    """
    share = (series.wins + series.draws / 2) / series.matches
    return Interval(share, *wilson(share, series.matches))


def elo_of(series: Series) -> Estimate | None:
    """Return the Elo difference between agent and opponent with its 95% interval, or None if it is unknown.

    Examples
    --------
    >>> print(elo_of(Series("a", "b", wins=24, losses=10, draws=6, pairs=(0, 3, 6, 5, 6))))
    +127 [35, 234]
    """
    if not series.pairs:
        return None
    a, b, c, d, e = series.pairs
    return estimate(Pairs((a, b, c, d, e)))


def _settings(config: Config) -> dict[str, object]:
    """Return all settings of a config, except the game and the seed."""
    return {"learner": config.learner, "layout": config.layout, **config.options, **config.settings}
