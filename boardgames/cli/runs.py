"""`boardgames runs`: list training runs, show or measure one, export its weights, or delete it."""

import math
import os
import re
import shlex
import shutil
from functools import partial
from typing import TYPE_CHECKING

import click

from boardgames.cli.completion import complete_run
from boardgames.cli.continuing import add_continue_text, continue_text
from boardgames.cli.curves import curve_lines
from boardgames.cli.interrupts import interrupt_on_termination
from boardgames.cli.measuring import (
    DEFAULT_MEASURING_MATCHES,
    already_measured_text,
    interval_text,
    measure_run,
    measurement_json,
    measurement_lines,
    measuring_text,
)
from boardgames.cli.options import (
    POSITIVE,
    ListingGroup,
    examples,
    json_option,
    output_path,
    worker_options,
)
from boardgames.cli.output import (
    NARROWEST_NAME,
    confirm,
    fields_json,
    print_json,
    print_table,
    say,
    setting_text,
    shorten_names,
    table_width,
    terminal_width,
    wrap,
    wrapped_settings,
)
from boardgames.cli.program import PROGRAM
from boardgames.cli.progress import spinner
from boardgames.compiling import compilation_at_import
from boardgames.draw.text import printable
from boardgames.errors import (
    ClusterError,
    FileError,
    MatchError,
    OptionError,
    UnknownNameError,
    WeightsError,
    WorkerError,
    quote,
    suggest,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from boardgames.learning.comparison import ComparedRun, Group
    from boardgames.learning.metrics import StepRecord
    from boardgames.learning.summaries import RunSummary

RESULT_COLUMNS = ("seed", "steps", "best", "seconds")
MAX_ROWS = 20
"""Maximum number of evenly spaced steps of a run that are shown."""


@click.group(
    cls=ListingGroup,
    epilog=examples(
        "boardgames runs list",
        "boardgames runs show slow",
        "boardgames runs compare slow fast",
        "boardgames runs measure slow",
        "boardgames runs export slow slow.safetensors",
        "boardgames runs delete slow",
    ),
)
def runs() -> None:
    """List, show, compare, measure, export or delete training runs; without a command, list them.

    `boardgames train` creates a run. A run that is `stopped` continues with
    `boardgames train --resume RUN`.
    """


@runs.command(
    "list",
    short_help="List the runs, newest first.",
    epilog=examples("boardgames runs list", "boardgames runs list --json"),
)
@json_option
def list_runs(as_json: bool) -> None:
    """List the training runs, newest first, with their progress and state."""
    from boardgames.learning import summaries

    listed = summaries.list_runs()
    if as_json:
        print_json(runs=[_run_json(run) for run in listed])
    elif listed:
        _print(listed)
    else:
        say(f"no training runs yet; start one with `{PROGRAM} train GAME`")


@runs.command(
    short_help="Show the settings, progress and weights of a run.",
    epilog=examples("boardgames runs show slow", "boardgames runs show slow --json"),
)
@click.argument("name", metavar="RUN", shell_complete=complete_run)
@json_option
def show(name: str, as_json: bool) -> None:
    """Show the settings of RUN, its learning curve, standings and weights.

    Standings are the points of the competitors after each step that compared
    them. The weights are the best ones, for features that are scaled to the
    range -1 to 1.
    """
    from boardgames.learner import Checkpoint
    from boardgames.learning.history import learner_of, weight_names
    from boardgames.learning.measurement import Measurement
    from boardgames.learning.metrics import METRICS, read_metrics
    from boardgames.learning.runs import find_run
    from boardgames.learning.summaries import run_summary
    from boardgames.weights.files import read_arrays
    from boardgames.weights.lookup import BEST
    from boardgames.weights.weights import VALUES

    folder = find_run(name)
    run = run_summary(folder)
    if run.config is None:
        raise OptionError(f"cannot read run {run.name}: {run.error}")
    learner, steps = learner_of(run.config), read_metrics(folder / METRICS)
    measured = Measurement.read(folder)
    arrays, header = read_arrays(folder / BEST) if (folder / BEST).is_file() else ({}, {})
    result = learner.result_in(Checkpoint(folder / BEST, arrays, header)) if learner and arrays else None
    is_listed = result is None and "groups" not in header
    values = arrays[VALUES].ravel().tolist() if arrays and is_listed else []
    weights = list(zip(weight_names(learner, len(values)), values, strict=True))
    if as_json:
        print_json(
            **_run_json(run),
            layout=run.config.layout,
            options=run.config.options,
            settings=run.config.settings,
            steps=[
                {"step": one.step, "seconds": one.seconds, "metrics": one.metrics, "standings": one.standings}
                for one in steps
            ],
            weights=[{"name": feature, "value": value} for feature, value in weights],
            **measurement_json(measured),
        )
        return
    length = "" if run.progress.length is None else f" of {run.progress.length}"
    say(f"{run.name}: {run.status} after step {run.progress.step}{length}\n{run.folder}\n")
    say(wrapped_settings(run.config.as_toml(learner)))
    curve = "score" if learner is None else learner.curve
    scores = [value for one in steps if (value := one.metrics.get(curve)) is not None]
    for line in curve_lines(curve, scores):
        say(line)
    if steps:
        _print_steps(steps, run.progress.best_step)
    for line in measurement_lines(measured):
        say(wrap(line, 2))
    if "groups" in header:
        count = int((arrays[VALUES] != 0).sum())
        say(f"step {run.progress.best_step}: {count:,} weights for {len(header['groups'])} groups of cells")
    if result is not None:
        say(f"step {run.progress.best_step}: {result.describe()}")
    if weights:
        rows = [("weight", f"step {run.progress.best_step}")]
        print_table([*rows, *((feature, f"{value:.4f}") for feature, value in weights)], right=(1,), cut=())


@runs.command(
    short_help="Compare runs: settings that differ, results, and means over seeds.",
    epilog=examples("boardgames runs compare slow fast", "boardgames runs compare slow fast --json"),
)
@click.argument("names", nargs=-1, required=True, metavar="RUN RUN...", shell_complete=complete_run)
@json_option
def compare(names: tuple[str, ...], as_json: bool) -> None:
    """Compare the results of several RUNs of the same game.

    A table shows the settings that differ and the best value of the learning
    curve; `seconds` is the time that training took.
    Below the table are the shares of the points against each opponent in the
    runs' measurements, with 95% intervals, and the means over runs that differ
    only in their seed.
    """
    from boardgames.learning.runs import find_run

    if len(set(names)) < 2:
        raise OptionError("give at least two runs to compare")
    print_comparison([find_run(name) for name in names], as_json=as_json)


@runs.command(
    short_help="Measure the result of a finished run in matches.",
    epilog=examples("boardgames runs measure slow", "boardgames runs measure slow --matches 200"),
)
@click.argument("name", metavar="RUN", shell_complete=complete_run)
@click.option(
    "--matches",
    type=POSITIVE,
    metavar="N",
    help="Matches against each opponent; default: the number planned for the run, otherwise "
    f"{DEFAULT_MEASURING_MATCHES}.",
)
@worker_options
@json_option
@compilation_at_import()
def measure(name: str, matches: int | None, workers: int | None, cluster: str | None, as_json: bool) -> None:
    """Measure how strong the result of RUN is, in matches from random openings.

    The opponents are agents that never change, so results of different
    versions can be compared. The result is kept in the run. If all matches
    have been played already, their result is printed; a larger number for
    --matches measures the run again. An interrupted measurement continues with
    the same command.
    """
    from boardgames.executors import open_executor, worker_progress
    from boardgames.learning.measurement import Measurement, plan_measurement
    from boardgames.learning.runs import Run, find_run
    from boardgames.learning.summaries import run_summary

    folder, same = find_run(name), f"{PROGRAM} runs measure {shlex.quote(name)}"
    if run_summary(folder).status == "stopped":
        command = f"{PROGRAM} train --resume {shlex.quote(name)}"
        raise OptionError(f"run {quote(name)} is not finished; {continue_text(command)}")
    with (
        interrupt_on_termination(),
        open_executor(workers, cluster=cluster, announce=partial(say, err=True)) as executor,
        Run.open(folder) as run,
    ):
        known = Measurement.read(folder)
        had_all = known is not None and known.is_done and matches in (None, known.matches)
        planned = plan_measurement(
            run, matches or (DEFAULT_MEASURING_MATCHES if known is None else known.matches)
        )
        try:
            at_work = partial(worker_progress, executor)
            with spinner(measuring_text(planned.played, planned.planned), at_work) as update:
                measured = measure_run(
                    run, planned, executor, lambda *counts: update(measuring_text(*counts))
                )
        except KeyboardInterrupt:
            known = Measurement.read(folder) or planned
            counts = f"{known.played} of {known.planned}"
            say(f"measured {counts} matches; {continue_text(same)}", err=True)
            raise
        except (ClusterError, WorkerError) as error:
            add_continue_text(error, same)
            raise
    if as_json:
        print_json(run=run.name, **measurement_json(measured))
        return
    for line in measurement_lines(measured):
        say(wrap(line, 2))
    if measured is not None and had_all:
        say(wrap(already_measured_text(measured), 2))


@runs.command(
    short_help="Write the result of a run to a file.",
    epilog=examples("boardgames runs export slow slow.safetensors"),
)
@click.argument("name", metavar="RUN", shell_complete=complete_run)
@click.argument("file", metavar="FILE")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
def export(name: str, file: str, force: bool) -> None:
    """Write the result of RUN, in most cases its best weights, and the settings of the run to FILE.

    Agents use the file as they use the run itself: `td:weights=FILE`.
    """
    from boardgames.learner import Checkpoint
    from boardgames.learning.history import learner_of
    from boardgames.learning.runs import find_run
    from boardgames.learning.summaries import run_summary
    from boardgames.weights import Weights
    from boardgames.weights.files import read_arrays
    from boardgames.weights.lookup import BEST

    path = output_path(file)
    if os.path.lexists(path) and not force:
        raise FileError(f"{path} already exists; --force overwrites it")
    run = find_run(name)
    if not (run / BEST).is_file():
        raise WeightsError(f"run {quote(name)} has no weights yet")
    checkpoint = Checkpoint(run / BEST, *read_arrays(run / BEST))
    config = run_summary(run).config
    learner = learner_of(config)
    result = None if learner is None else learner.result_in(checkpoint)
    if result is None:
        try:
            Weights.from_arrays(checkpoint.arrays, checkpoint.header, checkpoint.path).write(path)
        except WeightsError:
            if learner is None and config is not None:
                config.load()  # raises the reason why only weights can be read
            raise
    else:
        result.write(path)
    say(f"wrote the {'weights' if result is None else result.kind} of {name} to {path}")


@runs.command(
    short_help="Delete a run with all its files.",
    epilog=examples("boardgames runs delete slow", "boardgames runs delete slow --yes"),
)
@click.argument("name", metavar="RUN", shell_complete=complete_run)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation; required without a terminal.")
def delete(name: str, yes: bool) -> None:
    """Delete RUN with all its files; a run in progress cannot be deleted."""
    from boardgames.learning.summaries import run_summary
    from boardgames.paths import runs_folder
    from boardgames.weights.lookup import run_names

    if name not in run_names():
        raise UnknownNameError(f"no such run {quote(name)}{suggest(name, run_names())}")
    folder = runs_folder() / name
    if run_summary(folder).status == "running":
        raise MatchError(f"run {name!r} is in progress; stop it first")
    if not yes and not confirm(f"delete {folder} permanently?"):
        say("nothing deleted")
        return
    try:
        if folder.is_symlink():
            folder.unlink()
        else:
            shutil.rmtree(folder)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f"cannot delete {folder}: {reason}") from None
    say(f"deleted {name}")


def print_comparison(folders: "Sequence[Path]", *, as_json: bool) -> None:
    """Print a table of runs, and the means over runs that differ only in their seeds."""
    from boardgames.learning.comparison import compare_runs, differences, groups

    compared = compare_runs(folders)
    changed = differences(compared)
    means = list(groups(compared))
    if as_json:
        print_json(
            runs=[
                {
                    **_run_json(run.summary),
                    "seconds": round(run.seconds, 3),
                    "differing": dict(zip(changed, run.differing(changed), strict=True)),
                    "strength": run.strength,
                }
                for run in compared
            ],
            means=[
                {
                    "runs": [run.summary.name for run in group.runs],
                    "best": group.best,
                    "strength": group.strength,
                }
                for group in means
            ],
        )
        return
    changed = [name for name in changed if name != "steps"]  # the column `steps` shows them, as in 2/5
    names = _print_compared(compared, changed)
    for opponent in dict.fromkeys(name for run in compared for name in run.strength):
        say(f"\n{wrap(f'share of the points against {opponent}, with 95% intervals:', 2)}")
        shares = [run.strength.get(opponent) for run in compared]
        results = [
            (f"  {name}", interval_text(share))
            for name, share in zip(names, shares, strict=True)
            if share is not None
        ]
        print_table(results, right=(1,), cut=())
    _print_unmeasured(compared)
    for group in means:
        say(f"\n{wrap(f'mean of {_members_text(group, changed)}, with 95% intervals:', 2)}")
        if group.best is not None:
            name, (value, low, high) = "best score" if group.runs[0].follows_score else "best", group.best
            say(f"  {name} {value:.4g} [{low:.4g}, {high:.4g}]")
        for opponent, share in group.strength.items():
            say(wrap(f"  against {opponent} {interval_text(share)}", 4))


def _members_text(group: "Group", changed: "Sequence[str]") -> str:
    """Return the names of runs, followed by those of their settings that differ from other runs."""
    members = ", ".join(run.summary.name for run in group.runs)
    values = zip(changed, group.runs[0].differing(changed), strict=True)
    settings = ", ".join(f"{name} {setting_text(value)}" for name, value in values if value is not None)
    return f"{members} ({settings})" if settings else members


def _print_unmeasured(runs: "Sequence[ComparedRun]") -> None:
    """Say which runs have not been measured, if others have, and how to measure them."""
    if not any(run.strength for run in runs):
        return
    for run in runs:
        if not run.strength:
            name = shlex.quote(run.summary.name)
            is_done = run.summary.progress.is_done
            command = f"runs measure {name}" if is_done else f"train --resume {name}"
            reason = "has not been measured" if is_done else "is measured when it is finished"
            say(wrap(f"\n{run.summary.name} {reason}: `{PROGRAM} {command}`", 2))


def _print_compared(runs: "Sequence[ComparedRun]", changed: "Sequence[str]") -> list[str]:
    """Print the table of a comparison and return the names of the runs in it.

    Settings that differ have columns if there is room for them, and lines below the table otherwise.
    """
    values = [["-" if one is None else setting_text(one) for one in run.differing(changed)] for run in runs]
    columns, rows = [*changed, *RESULT_COLUMNS], []
    for run, settings in zip(runs, values, strict=True):
        _, _, _, steps, best, _ = _row(run.summary)
        rows.append([*settings, str(run.config.seed), steps, best, f"{run.seconds:.0f}"])
    has_room = table_width([columns, *rows]) + NARROWEST_NAME <= (terminal_width() or math.inf)
    if not has_room:
        columns, rows = [*RESULT_COLUMNS], [row[len(changed) :] for row in rows]
    names = shorten_names([run.summary.name for run in runs], other_columns=table_width([columns, *rows]))
    table = [("run", *columns), *((name, *row) for name, row in zip(names, rows, strict=True))]
    print_table(
        table, right=[index for index in range(1, len(columns) + 1) if _is_number(table, index)], cut=()
    )
    if not has_room:
        say("\nsettings that differ:")
        for name, settings in zip(names, values, strict=True):
            listed = ", ".join(f"{key} {value}" for key, value in zip(changed, settings, strict=True))
            say(wrap(f"  {name}: {listed}", 4))
    return names


def _is_number(table: "Sequence[Sequence[str]]", index: int) -> bool:
    """Return True if all values in a column are numbers or missing."""
    return not any(re.search(r"[^\d.,+/e-]", row[index]) for row in table[1:])


def _print_steps(steps: "Sequence[StepRecord]", best_step: int) -> None:
    """Print the metrics of the steps, and all standings.

    Of more than `MAX_ROWS` steps, only the best step and `MAX_ROWS` evenly spaced steps are printed; these
    include the last step.
    """
    from boardgames.learning.history import metric_names, sample

    sampled = {step.step for step in sample(steps, MAX_ROWS)} | {best_step}
    shown = [step for step in steps if step.step in sampled]
    names = metric_names(shown)
    rows = [("step", *names, "seconds")]
    for step in shown:
        values = (step.metrics.get(name) for name in names)
        texts = ("" if value is None else f"{value:.4g}" for value in values)
        rows.append((str(step.step), *texts, f"{step.seconds:.2f}"))
    print_table(rows, right=range(len(rows[0])), cut=())
    if len(shown) < len(steps):
        say(f"{len(shown)} of {len(steps)} steps are shown; --json has all of them")
    if any(one.standings for one in steps):
        say()
    for one in steps:
        if one.standings:
            ranked = ", ".join(f"{competitor} {points:.4g}" for competitor, points in one.standings)
            say(wrap(f"standings after step {one.step}: {printable(ranked)}", 2))
    say()


def _print(runs: "list[RunSummary]") -> None:
    rows = [("run", "game", "learner", "steps", "best", "state"), *(_row(run) for run in runs)]
    print_table(rows, right=(3, 4), cut=(0, 5))


def _row(run: "RunSummary") -> tuple[str, ...]:
    if run.config is None:
        return run.name, "?", "?", "", "", f"{run.status}: {run.error}"
    progress = run.progress
    steps = f"{progress.step}" if progress.length is None else f"{progress.step}/{progress.length}"
    best = "" if progress.best is None else f"{progress.best:.4g}"
    return run.name, run.config.game, run.config.learner, steps, best, run.status


def _run_json(run: "RunSummary") -> dict[str, object]:
    return {"run": run.name, "folder": str(run.folder), **fields_json(run.facts)}
