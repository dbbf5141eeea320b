"""`bg train`: learn the weights of a game's features, and go on with what was interrupted."""

import shlex
import sys
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from boardgames.cli.common import (
    COUNT,
    EXIT_INTERRUPTED,
    PROGRAM,
    WHOLE,
    compiling,
    examples,
    game_options,
    json_option,
    print_json,
)
from boardgames.errors import OptionError
from boardgames.options import parse_assignments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

    from boardgames.learner import Learner
    from boardgames.learning.config import Config
    from boardgames.learning.run import Run
    from boardgames.learning.trainer import Trainer

EVOLVE = "evolve"
NOT_WITH_RESUME = {
    "game_name": "GAME",
    "learner_name": "--learner",
    "evolves": "--evolve",
    "config_path": "--config",
    "settings": "--set",
    "layout": "--layout",
    "options": "--option",
    "seed": "--seed",
    "run_text": "--run",
}


@click.command(
    epilog=examples(
        "bg train connect4",
        "bg train abalone --evolve --seed 1",
        "bg train abalone --set alpha=0.05 --set steps=200 --run slow",
        "bg train --config slow.toml --workers 2",
        "bg train --resume slow",
    )
)
@click.argument("game_name", metavar="GAME", required=False)
@click.option("--learner", "learner_name", metavar="NAME", help="How it is learned; td by default.")
@click.option("--evolve", "evolves", is_flag=True, help="Short for --learner evolve.")
@click.option(
    "--config",
    "config_path",
    metavar="FILE",
    help="Read all of this from a TOML file, the config.toml of a run say.",
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set an option of the learner.")
@game_options
@click.option("--seed", type=WHOLE, metavar="N", help="Make chance repeatable; else drawn.")
@click.option("--workers", type=COUNT, metavar="N", help="Processes; by default one a core.")
@click.option("--cluster", metavar="ADDRESS", help="Work on a cluster: local, or a scheduler's address.")
@click.option("--run", "run_text", metavar="NAME|FOLDER", help="Name of the run, or its folder.")
@click.option("--resume", "resumed", metavar="RUN", help="Go on with a run: its name or folder.")
@json_option
def train(
    workers: int | None, cluster: str | None, resumed: str | None, as_json: bool, **asked: Any
) -> None:  # of the options above
    """Learn weights for GAME and keep them in the folder of a run.

    Settings come from --config and then from --set; all of them are printed
    and kept. Every step is saved: what was interrupted or killed goes on with
    --resume and ends as if nothing had happened. The number of workers does
    not change what is learned.
    """
    from boardgames.cli.saving import leaving_on_signals

    stream = sys.stderr if as_json else sys.stdout
    with leaving_on_signals():
        if resumed is None:
            code = _begin(asked, workers, cluster, stream, as_json)
        else:
            code = _resume(resumed, asked, workers, cluster, stream, as_json)
    click.get_current_context().exit(code)


def _begin(
    asked: dict[str, Any], workers: int | None, cluster: str | None, stream: TextIO, as_json: bool
) -> int:
    """Train a new run; return the exit code."""
    from boardgames.executors import open_executor
    from boardgames.learning.run import Run
    from boardgames.learning.trainer import Trainer

    config = _config(**asked)
    learner = _loaded(config)
    with (
        open_executor(workers, cluster=cluster) as executor,
        Run.create(_new_folder(asked["run_text"], config, learner), config, learner) as run,
    ):
        trainer = Trainer(run)
        with _hinting(trainer):
            click.echo(f"run {run.name} in {run.folder}", file=stream)
            return _train(trainer, executor, stream, as_json)


def _resume(
    text: str,
    asked: dict[str, Any],
    workers: int | None,
    cluster: str | None,
    stream: TextIO,
    as_json: bool,
) -> int:
    """Go on with a run; return the exit code."""
    from boardgames.executors import open_executor
    from boardgames.learning.run import Run, find_run
    from boardgames.learning.trainer import Trainer

    for name, told in NOT_WITH_RESUME.items():
        if asked[name] not in (None, False, ()):
            raise OptionError(f"expected --resume without what the run has settled: {told} came")
    with compiling():
        run = Run.open(find_run(text))
    with run:
        trainer = Trainer(run)
        if trainer.is_done:
            click.echo(f"{run.name} is finished, nothing is left to do", file=stream)
            _conclude(trainer, stream, as_json)
            return 0
        with open_executor(workers, cluster=cluster) as executor, _hinting(trainer):
            click.echo(f"run {run.name} in {run.folder}", file=stream)
            click.echo(f"going on after step {trainer.progress.step}", file=stream)
            return _train(trainer, executor, stream, as_json)


@contextmanager
def _hinting(trainer: "Trainer") -> "Iterator[None]":
    """Say on stderr how to go on if nobody reads any more what training prints."""
    try:
        yield
    except BrokenPipeError:
        if not trainer.is_done:
            with suppress(OSError):
                click.echo(f"{_how_far(trainer)}: nobody reads on", err=True)
                click.echo(_way_on(trainer.run), err=True)
        raise


def _train(trainer: "Trainer", executor: "Executor", stream: TextIO, as_json: bool) -> int:
    """Do the steps that are left before the user's eyes; return the exit code."""
    from boardgames.cli.progress import shown_training

    click.echo(f"\n{trainer.run.config.as_toml(trainer.learner)}", file=stream)
    code = 0
    try:
        with shown_training(trainer, stream) as listener:
            trainer.train(executor, listener)
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    _conclude(trainer, stream, as_json)
    return code


def _conclude(trainer: "Trainer", stream: TextIO, as_json: bool) -> None:
    """Say how far a run is, where it is, and what can be done with it."""
    from boardgames.cli.progress import best_of

    run, progress = trainer.run, trainer.progress
    best = f", {best_of(trainer)} at step {progress.best_step}" if best_of(trainer) else ""
    click.echo(f"{_how_far(trainer)}{best}", file=stream)
    if run.best_path.exists():
        click.echo(f"weights are in {run.best_path}", file=stream)
    agent = _agent(run)
    if agent is not None:
        click.echo(f"play against them: {_play_command(run, agent)}", file=stream)
    if not progress.is_done:
        click.echo(_way_on(run), file=stream)
    if as_json:
        print_json(
            run=run.name,
            folder=str(run.folder),
            game=run.config.game,
            learner=run.config.learner,
            seed=run.config.seed,
            step=progress.step,
            length=progress.length,
            finished=progress.is_done,
            best=progress.best,
            best_step=progress.best_step,
            metrics=dict(progress.metrics),
            agent=agent,
        )


def _how_far(trainer: "Trainer") -> str:
    progress = trainer.progress
    length = "" if progress.length is None else f" of {progress.length}"
    return f"{'trained' if progress.is_done else 'interrupted after'} {progress.step}{length} steps"


def _way_on(run: "Run") -> str:
    return f"go on with: {PROGRAM} train --resume {shlex.quote(_called(run))}"


def _config(
    *,
    game_name: str | None,
    learner_name: str | None,
    evolves: bool,
    config_path: str | None,
    settings: tuple[str, ...],
    layout: str | None,
    options: tuple[str, ...],
    seed: int | None,
    run_text: str | None,
) -> "Config":
    """Return the config of a file, if there is one, with what the command line says instead."""
    from boardgames.cli.saving import user_path
    from boardgames.learning.config import Config

    if evolves and learner_name not in (None, EVOLVE):
        raise OptionError(f"expected --evolve or --learner {learner_name}, not both")
    instead = {
        "game": game_name,
        "learner": EVOLVE if evolves else learner_name,
        "seed": seed,
        "layout": layout,
        "options": parse_assignments(options),
        "settings": parse_assignments(settings),
    }
    if config_path is not None:
        return Config.read(user_path(config_path), **instead)
    return Config.parse("", "the command", **instead)


def _loaded(config: "Config") -> "Learner":
    """Return the learner, saying on a terminal if kernels have to be compiled first."""
    with compiling():
        return config.load()


def _new_folder(text: str | None, config: "Config", learner: "Learner") -> Path:
    """Return the folder of a new run: of a name or path that was given, else of what is trained and when.

    Names of weights that plug-ins offer come before those of runs, so no run of theirs is made.
    """
    from boardgames.cli.saving import user_path
    from boardgames.paths import runs_folder
    from boardgames.weights.finding import is_plain_name, offered_names

    if text is not None:
        folder = runs_folder() / text if is_plain_name(text) else user_path(text)
        if folder == runs_folder() / folder.name and folder.name in offered_names(learner.game):
            raise OptionError(f"expected a name that no weights of {config.game} have: {folder.name!r}")
        return folder
    now = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    first = folder = runs_folder() / f"{config.game}-{config.learner}-{now}"
    number = 1
    while folder.exists():
        number += 1
        folder = first.with_name(f"{first.name}-{number}")
    return folder


def _called(run: "Run") -> str:
    """Return what a user calls a run: its name if it is in the user's folder, else its path."""
    from boardgames.paths import runs_folder

    return run.name if run.folder == runs_folder() / run.name else str(run.folder)


def _agent(run: "Run") -> str | None:
    """Return the agent that plays with the weights of a run; None if they are not of features."""
    from boardgames.learning.base import FeatureLearner
    from boardgames.weights.finding import offered_names

    if not isinstance(run.learner, FeatureLearner):
        return None
    called = str(run.folder) if run.name in offered_names(run.learner.game) else _called(run)
    if any(sign in called for sign in ',"\\'):
        escaped = called.replace("\\", "\\\\").replace('"', '\\"')
        called = f'"{escaped}"'
    return f"td:weights={called}"


def _play_command(run: "Run", agent: str) -> str:
    """Return the command that plays against an agent in the variant that it was trained for."""
    game = run.learner.game
    words = [PROGRAM, "play", run.config.game]
    if game.layout != next(iter(game.facts.layouts), ""):
        words += ["--layout", game.layout]
    for option in game.declared_options:
        value = game.options[option.name]
        if value != option.default:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            words += ["--option", f"{option.name}={text}"]
    return shlex.join([*words, "--agent", agent])
