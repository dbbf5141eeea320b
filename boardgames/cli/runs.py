"""`boardgames runs`: list training runs, export the weights of a run, or delete one."""

import os
import shutil
from typing import TYPE_CHECKING

import click

from boardgames.cli.options import SuggestingGroup, examples, json_option, user_path
from boardgames.cli.output import confirm, print_json, print_table
from boardgames.cli.program import PROGRAM
from boardgames.errors import (
    FileError,
    MatchError,
    OptionError,
    UnknownNameError,
    WeightsError,
    quote,
    suggest,
)

if TYPE_CHECKING:
    from boardgames.learning.runs import RunSummary


@click.group(
    cls=SuggestingGroup,
    invoke_without_command=True,
    epilog=examples(
        "boardgames runs",
        "boardgames runs --json",
        "boardgames runs export slow slow.safetensors",
        "boardgames runs delete slow",
    ),
)
@json_option
@click.pass_context
def runs(context: click.Context, as_json: bool) -> None:
    """List the training runs, newest first; export the weights of a run, or delete one.

    `boardgames train` creates a run. A run that is `stopped` continues with
    `boardgames train --resume RUN`.
    """
    if context.invoked_subcommand is not None:
        if as_json:
            raise OptionError(f"--json only works with the list, not with {context.invoked_subcommand!r}")
        return
    from boardgames.learning.runs import list_runs

    listed = list_runs()
    if as_json:
        print_json(runs=[_run_json(run) for run in listed])
    elif listed:
        _print(listed)
    else:
        click.echo(f"no training runs yet; start one with `{PROGRAM} train GAME`")


@runs.command(
    short_help="Write a run's best weights to a file.",
    epilog=examples("boardgames runs export slow slow.safetensors"),
)
@click.argument("name", metavar="RUN")
@click.argument("file", metavar="FILE")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
def export(name: str, file: str, force: bool) -> None:
    """Write the best weights of RUN to FILE, with the settings that produced them.

    Agents use the file as they use the run itself: `td:weights=FILE`.
    """
    from boardgames.learning.runs import find_run
    from boardgames.weights import Weights
    from boardgames.weights.lookup import BEST

    path = user_path(file)
    if os.path.lexists(path) and not force:
        raise FileError(f"{path} already exists; --force overwrites it")
    run = find_run(name)
    if not (run / BEST).is_file():
        raise WeightsError(f"run {quote(name)} has no weights yet")
    Weights.read(run / BEST).write(path)
    click.echo(f"wrote the weights of {name} to {path}")


@runs.command(
    short_help="Delete a run with all its files.",
    epilog=examples("boardgames runs delete slow", "boardgames runs delete slow --yes"),
)
@click.argument("name", metavar="RUN")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation; required without a terminal.")
def delete(name: str, yes: bool) -> None:
    """Delete RUN with all its files; a run in progress cannot be deleted."""
    from boardgames.learning.runs import run_summary
    from boardgames.paths import runs_folder
    from boardgames.weights.lookup import run_names

    if name not in run_names():
        raise UnknownNameError(f"no such run {quote(name)}{suggest(name, run_names())}")
    folder = runs_folder() / name
    if run_summary(folder).status == "running":
        raise MatchError(f"run {name!r} is in progress; stop it first")
    if not yes and not confirm(f"delete {folder} permanently?"):
        click.echo("nothing deleted")
        return
    try:
        if folder.is_symlink():
            folder.unlink()
        else:
            shutil.rmtree(folder)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f"cannot delete {folder}: {reason}") from None
    click.echo(f"deleted {name}")


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
    progress = run.progress
    return {
        "run": run.name,
        "folder": str(run.folder),
        "game": None if run.config is None else run.config.game,
        "learner": None if run.config is None else run.config.learner,
        "seed": None if run.config is None else run.config.seed,
        "step": progress.step,
        "length": progress.length,
        "best": progress.best,
        "best_step": progress.best_step,
        "state": run.status,
        "error": run.error,
    }
