"""`boardgames plot`: learning curves of training runs, and the weights of one over time."""

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

DEFAULT_NAME = "plot.svg"
FORMATS: "dict[str, Format]" = {".svg": "svg", ".png": "png"}


@click.command(
    epilog=examples(
        "boardgames plot slow",
        "boardgames plot slow --output slow.png",
        "boardgames plot slow fast --output both.svg",
    )
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=complete_run)
@click.option(
    "--output",
    metavar="FILE",
    help=f"An .svg or .png file; default: {DEFAULT_NAME} in the folder of the first run.",
)
def plot(runs: tuple[str, ...], output: str | None) -> None:
    """Plot the learning curve and the weights of RUN, or compare the curves of several RUNs.

    RUN is a name listed by `boardgames runs`, or a folder. This command needs
    the extra `plot`: pip install 'boardgames-core[plot]'.
    """
    from boardgames.adapters.plots import plot_runs
    from boardgames.learning.runs import find_run
    from boardgames.paths import write_atomic

    folders = [find_run(run) for run in runs]
    path = folders[0] / DEFAULT_NAME if output is None else output_path(output)
    image_format = FORMATS.get(path.suffix.lower())
    if image_format is None:
        raise OptionError(f"--output must end in .svg or .png, not {quote(output)}")
    write_atomic(path, plot_runs([_history(folder) for folder in folders], image_format))
    say(f"wrote {path}")


def _history(folder: Path) -> "RunHistory":
    """Return the curve and weights of a run."""
    import numpy as np

    from boardgames.adapters.plots import RunHistory
    from boardgames.learning.history import learner_of, weight_names, weights_over_time
    from boardgames.learning.runs import METRICS, read_metrics, run_summary

    run = run_summary(folder)
    if run.config is None:
        raise OptionError(f"cannot read run {run.name}: {run.error}")
    learner = learner_of(run.config)
    metric = "score" if learner is None else learner.curve
    steps = read_metrics(folder / METRICS)
    values = {step.step: value for step in steps if (value := step.metrics.get(metric)) is not None}
    weight_steps, rows = weights_over_time(steps)
    name = printable(run.name)
    return RunHistory(
        name=name,
        title=f"{name}: {run.config.learner} on {run.config.game}, seed {run.config.seed}",
        metric=metric,
        steps=list(values),
        values=list(values.values()),
        best_step=run.progress.best_step,
        weights=np.array(rows) if rows else None,
        weight_steps=weight_steps,
        features=weight_names(learner, len(rows[-1]) if rows else 0),
    )
