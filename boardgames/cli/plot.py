"""`boardgames plot`: the learning curves, tournaments and weights of runs as a plot or as CSV."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.completion import complete_run
from boardgames.cli.options import examples, output_path
from boardgames.cli.output import say
from boardgames.draw.text import printable
from boardgames.errors import OptionError, quote

if TYPE_CHECKING:
    from boardgames.adapters.plots import Format, RunHistory
    from boardgames.learning.config import Config
    from boardgames.learning.summaries import RunSummary

DEFAULT_NAME = "plot.svg"
COMPARED_NAME = "comparison.svg"
FORMATS: "dict[str, Format]" = {".svg": "svg", ".png": "png"}


@click.command(
    epilog=examples(
        "boardgames plot slow",
        "boardgames plot slow --output slow.png",
        "boardgames plot slow fast --output both.svg",
        "boardgames plot td-1 td-2 td-3 --output td.csv",
    )
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=complete_run)
@click.option(
    "--output",
    metavar="FILE",
    help=f"File to write: .svg, .png or .csv; default: {DEFAULT_NAME} in the folder of the run, or "
    f"{COMPARED_NAME} in the folder of the first if there are several.",
)
def plot(runs: tuple[str, ...], output: str | None) -> None:
    """Plot the learning curve, tournaments and weights of RUN, or compare the curves of several RUNs.

    RUN is a name listed by `boardgames runs`, or a folder. Runs that differ only
    in their seed are drawn as the mean of their curves, with a band for its 95%
    interval. A .csv file gets all metrics, points and weights of every step.
    Pictures need the extra `plot`.
    """
    from boardgames.adapters.plots import plot_runs
    from boardgames.learning.runs import find_run
    from boardgames.paths import write_atomic

    folders = [find_run(run) for run in runs]
    games = {_summary(folder)[1].game for folder in folders}
    if len(games) > 1:
        raise OptionError(f"runs of different games cannot be compared: {', '.join(sorted(games))}")
    path = (
        folders[0] / (DEFAULT_NAME if len(folders) == 1 else COMPARED_NAME)
        if output is None
        else output_path(output)
    )
    if path.suffix.lower() == ".csv":
        write_atomic(path, _csv(folders))
        say(f"wrote {path}")
        return
    image_format = FORMATS.get(path.suffix.lower())
    if image_format is None:
        raise OptionError(f"--output must end in .svg, .png or .csv, not {quote(output)}")
    write_atomic(path, plot_runs([_history(folder) for folder in folders], image_format))
    say(f"wrote {path}")


def _history(folder: Path) -> "RunHistory":
    """Return the curve and weights of a run."""
    import numpy as np

    from boardgames.adapters.plots import RunHistory
    from boardgames.learning.comparison import without_seed
    from boardgames.learning.history import learner_of, weight_names, weights_over_time
    from boardgames.learning.metrics import METRICS, read_metrics

    run, config = _summary(folder)
    learner = learner_of(config)
    metric = "score" if learner is None else learner.curve
    steps = read_metrics(folder / METRICS)
    values = {step.step: value for step in steps if (value := step.metrics.get(metric)) is not None}
    weight_steps, rows = weights_over_time(steps)
    name = printable(run.name)
    return RunHistory(
        name=name,
        title=f"{name}: {config.learner} on {config.game}, seed {config.seed}",
        metric=metric,
        steps=list(values),
        values=list(values.values()),
        best_step=run.progress.best_step,
        is_best=learner is None or learner.follows_curve,
        weights=np.array(rows) if rows else None,
        weight_steps=weight_steps,
        features=weight_names(learner, len(rows[-1]) if rows else 0),
        group=without_seed(config),
        standings=[(step.step, [points for _, points in step.standings]) for step in steps],
    )


def _summary(folder: Path) -> "tuple[RunSummary, Config]":
    """Return the summary and the config of a run."""
    from boardgames.learning.summaries import run_summary

    run = run_summary(folder)
    if run.config is None:
        raise OptionError(f"cannot read run {run.name}: {run.error}")
    return run, run.config


def _csv(folders: Sequence[Path]) -> str:
    """Return the metrics, standings and weights of runs as CSV, one row for each step."""
    from boardgames.learning.history import learner_of, weight_names
    from boardgames.learning.metrics import METRICS, read_metrics

    rows = []
    groups: tuple[dict[str, None], ...] = ({}, {}, {})  # columns of metrics, standings and weights
    for folder in folders:
        run, config = _summary(folder)
        learner = learner_of(config)
        for step in read_metrics(folder / METRICS):
            names = weight_names(learner, len(step.weights))
            about = {"run": run.name, "seed": config.seed, "step": step.step, "seconds": step.seconds}
            standings = {f"points: {name}": points for name, points in sorted(step.standings)}
            weights = {f"weight: {name}": one for name, one in zip(names, step.weights, strict=True)}
            parts: tuple[Mapping[str, object], ...] = ({**about, **step.metrics}, standings, weights)
            for known, values in zip(groups, parts, strict=True):
                known.update(dict.fromkeys(values))
            rows.append({name: value for values in parts for name, value in values.items()})
    if not rows:
        raise OptionError(f"there is nothing to write: the run {folders[0].name} has no steps yet")
    text = io.StringIO()
    writer = csv.DictWriter(text, [name for group in groups for name in group], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
