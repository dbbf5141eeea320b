"""`bg experiment`: what learning does, measured, in tables beside those of an original."""

import hashlib
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from boardgames.cli.common import (
    COUNT,
    WHOLE,
    examples,
    game_options,
    json_option,
    load_game,
    print_json,
)
from boardgames.errors import FileError
from boardgames.options import parse_assignments

if TYPE_CHECKING:
    from boardgames.learning.experiments import Experiment, Findings, Listener, Progress

FOLDER = "experiments"


@click.command(
    epilog=examples(
        "bg experiment abalone",
        "bg experiment abalone basic-training --seed 1",
        "bg experiment abalone basic-training --set repetitions=20 --set initial=1",
        "bg experiment connect4 fine-tuning --csv tuning.csv",
    )
)
@click.argument("game_name", metavar="GAME")
@click.argument("name", metavar="[NAME]", required=False)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set an option of the experiment; may be given several times.",
)
@game_options
@click.option("--seed", type=WHOLE, metavar="N", help="Make everything random repeatable; else drawn.")
@click.option("--workers", type=COUNT, metavar="N", help="Processes; by default one a core.")
@click.option("--cluster", metavar="ADDRESS", help="Work on a cluster: local, or a scheduler's address.")
@click.option(
    "--csv", "csv_text", metavar="FILE", help="Write the figures there; by default below your data."
)
@json_option
def experiment(
    game_name: str,
    name: str | None,
    settings: tuple[str, ...],
    layout: str | None,
    options: tuple[str, ...],
    seed: int | None,
    workers: int | None,
    cluster: str | None,
    csv_text: str | None,
    as_json: bool,
) -> None:
    """Try what learning does in GAME, and print tables of wins; without NAME, list what can be tried.

    Figures stand beside those of an earlier, original experiment where there
    was one. Matches begin with a few moves by chance, each such opening being
    played with both colours; the tables say how many matches were distinct.
    All figures are written as CSV too. The number of workers changes nothing.
    """
    if name is None:
        _list(game_name, as_json)
        return
    from boardgames.cli.findings import settings_lines
    from boardgames.cli.saving import leaving_on_signals
    from boardgames.learning.experiments import experiment as experiment_of

    game = load_game(game_name, layout, options)
    found = experiment_of(name, game, **parse_assignments(settings))
    seed = secrets.randbits(32) if seed is None else seed
    path = _csv_path(csv_text, f"{game_name}-{name}-{seed}-{_stamp(found)}.csv")
    with leaving_on_signals():
        if not as_json:
            heading = f"{game.describe()}, {name}, seed {seed}"
            click.echo("\n".join([heading, *settings_lines(found.settings), ""]))
        findings = _run(found, seed, workers, cluster)
    _tell(found, name, seed, findings, path, as_json)


def _run(found: "Experiment", seed: int, workers: int | None, cluster: str | None) -> "Findings":
    from boardgames.executors import open_executor

    with (
        redirect_stdout(sys.stderr),
        open_executor(workers, cluster=cluster) as executor,
        _shown() as listener,
    ):
        return found.run(executor, seed, listener)


def _tell(found: "Experiment", name: str, seed: int, findings: "Findings", path: Path, as_json: bool) -> None:
    """Print what was found, then write the CSV: the disk may be full by now."""
    from boardgames.cli.findings import findings_json, findings_lines
    from boardgames.paths import write_atomic

    game = found.game
    if as_json:
        print_json(
            game=game.facts.name,
            layout=game.layout,
            options=dict(game.options),
            experiment=name,
            seed=seed,
            settings=found.settings,
            **findings_json(findings),
            csv=str(path),
        )
    else:
        click.echo("\n".join(findings_lines(findings)))
    write_atomic(path, findings.csv(game.facts.name, name, seed, found.settings))
    if not as_json:
        click.echo(f"figures are in {path}")


def _stamp(found: "Experiment") -> str:
    """Return a short hash of all settings: findings with others go to another file."""
    from boardgames.learning.experiments.tables import plain

    settings = sorted((name, plain(value)) for name, value in found.settings.items())
    return hashlib.sha256(f"{found.game.describe()} {settings}".encode()).hexdigest()[:8]


def _csv_path(text: str | None, default: str) -> Path:
    """Return where the figures go; what is no place for them is refused before the work, not after."""
    from boardgames.cli.saving import user_path
    from boardgames.paths import data_folder

    path = data_folder() / FOLDER / default if text is None else user_path(text)
    try:
        _try_writing(path.resolve())
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"expected a file that can be written: {path} ({reason.lower()})") from None
    return path


def _try_writing(path: Path) -> None:
    """Raise OSError if a file cannot be put there; folders made for the attempt go again."""
    if path.exists() and not path.is_file():
        raise OSError("is a directory" if path.is_dir() else "no regular file")
    missing = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(prefix=".", dir=path.parent):
            pass
    finally:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()


def _list(game: str, as_json: bool) -> None:
    """Print the experiments of a game, with their options."""
    from boardgames.plugins import registry

    found = registry()
    found.check_name("games", game)
    offers = found.offers("experiments", game)
    if as_json:
        rows = [
            {"name": offer.entry.name, "summary": offer.entry.summary, "plugin": offer.plugin}
            for offer in offers
        ]
        print_json(game=game, experiments=rows)
        return
    for offer in offers:
        click.echo(f"{offer.entry.name:<16} {offer.entry.summary}")
        for option in found.load("experiments", offer.entry.name, game).declared_options:
            default = "not set" if option.default is None else str(option.default).lower()
            click.echo(f"  {option.name}={option.expectation()} ({default}): {option.summary}")


@contextmanager
def _shown() -> "Iterator[Listener | None]":
    """Show on a terminal how far the work has come; yields what hears of it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    with Bars(console=Console(stderr=True), transient=True, redirect_stdout=False) as bars:
        shown: dict[str, TaskID] = {}

        def hear(progress: "Progress") -> None:
            if progress.stage not in shown:
                shown[progress.stage] = bars.add_task(progress.stage, total=progress.planned)
            bars.update(shown[progress.stage], completed=progress.done, total=progress.planned)

        yield hear
