"""`bg runs`: list the training runs, take the weights out of one, or delete one."""

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
    """List the training runs, newest first, export the weights of one, or delete one.

    They are the folders that `bg train` makes. One that is `stopped` goes on
    with `bg train --resume RUN`.
    """
    if context.invoked_subcommand is not None:
        if as_json:
            raise OptionError(f"expected --json for the list only: {context.invoked_subcommand} came")
        return
    from boardgames.learning.runs import list_runs

    found = list_runs()
    if as_json:
        print_json(runs=[_as_json(one) for one in found])
    elif found:
        _print(found)
    else:
        click.echo(f"no run is there yet; make one with `{PROGRAM} train GAME`")


@runs.command(
    short_help="Write a run's best weights to a file.",
    epilog=examples("boardgames runs export slow slow.safetensors"),
)
@click.argument("name", metavar="RUN")
@click.argument("file", metavar="FILE")
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
def export(name: str, file: str, force: bool) -> None:
    """Write the best weights of RUN, and what made them, to FILE, small enough to be passed on.

    Players take the file, `td:weights=FILE`, as they take the run itself.
    """
    from boardgames.learning.runs import find_run
    from boardgames.weights import Weights
    from boardgames.weights.lookup import BEST

    path = user_path(file)
    if os.path.lexists(path) and not force:
        raise FileError(f"expected a new file, or --force to replace it: {path}")
    run = find_run(name)
    if not (run / BEST).is_file():
        raise WeightsError(f"expected a run with weights: {quote(name)} has none yet")
    Weights.read(run / BEST).write(path)
    click.echo(f"weights of {name} are in {path}")


@runs.command(
    short_help="Delete a run with all its files.",
    epilog=examples("boardgames runs delete slow", "boardgames runs delete slow --yes"),
)
@click.argument("name", metavar="RUN")
@click.option("--yes", is_flag=True, help="Do not ask; needed where there is no terminal.")
def delete(name: str, yes: bool) -> None:
    """Delete RUN, one of the list, with all its files; one that is running stays."""
    from boardgames.learning.runs import run_summary
    from boardgames.paths import runs_folder
    from boardgames.weights.lookup import run_names

    if name not in run_names():
        raise UnknownNameError(f"expected a run of the list: {quote(name)}{suggest(name, run_names())}")
    folder = runs_folder() / name
    if run_summary(folder).status == "running":
        raise MatchError(f"expected a run that is not running: {name!r}")
    if not yes and not confirm(f"delete {folder} for good?"):
        click.echo("nothing is deleted")
        return
    try:
        if folder.is_symlink():
            folder.unlink()
        else:
            shutil.rmtree(folder)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f"expected a run that can be deleted: {folder} ({reason})") from None
    click.echo(f"deleted {name}")


def _print(found: "list[RunSummary]") -> None:

    rows = [("run", "game", "learner", "steps", "best", "state"), *(_row(one) for one in found)]
    print_table(rows, right=(3, 4), cut=(0, 5))


def _row(one: "RunSummary") -> tuple[str, ...]:
    if one.config is None:
        return one.name, "?", "?", "", "", f"{one.status}: {one.error}"
    progress = one.progress
    steps = f"{progress.step}" if progress.length is None else f"{progress.step}/{progress.length}"
    best = "" if progress.best is None else f"{progress.best:.4g}"
    return one.name, one.config.game, one.config.learner, steps, best, one.status


def _as_json(one: "RunSummary") -> dict[str, object]:
    progress = one.progress
    return {
        "run": one.name,
        "folder": str(one.folder),
        "game": None if one.config is None else one.config.game,
        "learner": None if one.config is None else one.config.learner,
        "seed": None if one.config is None else one.config.seed,
        "step": progress.step,
        "length": progress.length,
        "best": progress.best,
        "best_step": progress.best_step,
        "state": one.status,
        "error": one.error,
    }
