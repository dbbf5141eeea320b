"""`bg train`: learn the weights of a game's features, and go on with what was interrupted."""

import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from boardgames.cli.interrupts import interrupt_on_termination
from boardgames.cli.options import NON_NEGATIVE, POSITIVE, examples, game_options, json_option, user_path
from boardgames.cli.output import duration_text, print_json
from boardgames.cli.program import EXIT_INTERRUPTED, PROGRAM
from boardgames.cli.progress import compile_notice
from boardgames.draw.text import printable
from boardgames.errors import OptionError
from boardgames.options import parse_assignments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

    from rich.console import RenderableType

    from boardgames.learner import Learner
    from boardgames.learning.config import Config
    from boardgames.learning.runs import Run
    from boardgames.learning.trainer import Trainer

EVOLVE = "evolve"
CURVE_ROWS = 5
CURVE_COLUMNS = 60
BAR_COLUMNS = 30
LABEL_COLUMNS = 9
STANDINGS = 8
REFRESHES_A_SECOND = 4
RECENT = 10
"""Steps whose time says how long the others will take."""
BLOCKS = " ▁▂▃▄▅▆▇█"
LARGEST_DRAWN = 1e100
"""Sums of larger numbers are none."""
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
        "boardgames train connect4",
        "boardgames train abalone --evolve --seed 1",
        "boardgames train abalone --set alpha=0.05 --set steps=200 --run slow",
        "boardgames train --config slow.toml --workers 2",
        "boardgames train --resume slow",
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
@click.option("--seed", type=NON_NEGATIVE, metavar="N", help="Make chance repeatable; else drawn.")
@click.option("--workers", type=POSITIVE, metavar="N", help="Processes; by default one a core.")
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
    stream = sys.stderr if as_json else sys.stdout
    with interrupt_on_termination():
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
    from boardgames.learning.runs import Run
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
    from boardgames.learning.runs import Run, find_run
    from boardgames.learning.trainer import Trainer

    for name, told in NOT_WITH_RESUME.items():
        if asked[name] not in (None, False, ()):
            raise OptionError(f"expected --resume without what the run has settled: {told} came")
    with compile_notice():
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
    with compile_notice():
        return config.load()


def _new_folder(text: str | None, config: "Config", learner: "Learner") -> Path:
    """Return the folder of a new run: of a name or path that was given, else of what is trained and when.

    Names of weights that plug-ins offer come before those of runs, so no run of theirs is made.
    """
    from boardgames.paths import runs_folder
    from boardgames.weights.lookup import is_plain_name, offered_names

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
    from boardgames.weights.lookup import offered_names

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


# --- progress ---


@contextmanager
def shown_training(trainer: "Trainer", stream: TextIO) -> "Iterator[Callable[[Trainer], None]]":
    """Show on a stream how training comes along; yields what hears of every step."""
    from rich.console import Console

    console = Console(file=stream, highlight=False)
    if not console.is_terminal or console.is_dumb_terminal:
        yield lambda heard: click.echo(step_line(heard), file=stream)
        return
    from rich.live import Live

    screen = _Screen(trainer, is_ascii=console.options.ascii_only)
    with Live(
        console=console,
        get_renderable=screen.drawn,
        refresh_per_second=REFRESHES_A_SECOND,
        transient=True,
        redirect_stdout=False,
    ):
        yield screen.renew


def step_line(trainer: "Trainer") -> str:
    """Return one line about the last step."""
    last, progress = trainer.steps[-1], trainer.progress
    has_best = progress.best is not None and trainer.learner.follows_curve
    best = f", best {progress.best:.4g} at step {progress.best_step}" if has_best else ""
    return f"step {_counted(trainer)}: {_metrics(last.metrics)}{best}, {last.seconds:.2f} s"


def block_curve(values: Sequence[float], *, columns: int, rows: int) -> list[str]:
    """Return values as columns of block characters, the lowest value one eighth of a character high.

    Where there are more values than columns, a column is the mean of several.

    Examples
    --------
    >>> block_curve([0.0, 0.5, 1.0], columns=10, rows=1)
    ['▁▄█']
    """
    count = min(len(values), columns)
    bounds = [index * len(values) // count for index in range(count + 1)] if count else []
    drawn = [min(max(value, -LARGEST_DRAWN), LARGEST_DRAWN) for value in values]
    means = [sum(drawn[a:b]) / (b - a) for a, b in pairwise(bounds)]
    low, high = (min(means), max(means)) if means else (0.0, 0.0)
    most = 8 * rows
    heights = [
        1 + int((most - 1) * (value - low) / (high - low)) if high > low else most // 2 for value in means
    ]
    return [
        "".join(BLOCKS[min(max(height - 8 * (rows - 1 - row), 0), 8)] for height in heights)
        for row in range(rows)
    ]


class _Screen:
    """What a terminal shows; drawn by another thread than the trainer's, from what `renew` has taken over."""

    def __init__(self, trainer: "Trainer", *, is_ascii: bool) -> None:
        self._is_ascii = is_ascii
        self._begun = time.monotonic()
        self.renew(trainer)

    def renew(self, trainer: "Trainer") -> None:
        """Take over what is known after a step."""
        curve = trainer.learner.curve
        values = [step.metrics.get(curve) for step in trainer.steps]
        recent = [step.seconds for step in trainer.steps[-RECENT:]]
        self._pace = sum(recent) / len(recent) if recent else None
        self._step, self._length = trainer.progress.step, trainer.progress.length
        self._renewed = time.monotonic()
        self._lines = _told(trainer)
        self._curve = _curve_lines(curve, [value for value in values if value is not None])

    def drawn(self) -> "RenderableType":
        """Return the display as it is now."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        curve = [] if self._is_ascii else self._curve
        texts = [
            *(Text(line) for line in self._lines),
            *(Text(line, no_wrap=True, overflow="crop") for line in curve),
        ]
        headline = Text(self._headline(time.monotonic()), no_wrap=True, overflow="ellipsis")
        if self._length is None or self._is_ascii:
            return Group(headline, *texts)
        first = Table.grid(padding=(0, 1))
        first.add_row(ProgressBar(self._length, self._step, width=BAR_COLUMNS), headline)
        return Group(first, *texts)

    def _headline(self, now: float) -> str:
        count = str(self._step) if self._length is None else f"{self._step} of {self._length}"
        told = f"{count} steps, {duration_text(now - self._begun)}"
        if self._length is None or self._pace is None:
            return told
        left = max((self._length - self._step) * self._pace - (now - self._renewed), 0.0)
        return f"{told}, about {duration_text(left)} left"


def best_of(trainer: "Trainer") -> str:
    """Return what the curve says of the weights that the run will leave, if it says anything."""
    found, learner = trainer.progress.best, trainer.learner
    if found is None:
        return ""
    return f"{'best' if learner.follows_curve else 'last'} {learner.curve} {found:.4g}"


def _told(trainer: "Trainer") -> list[str]:
    """Return what is known after a step, in words."""
    lines = []
    if best_of(trainer):
        lines.append(f"{best_of(trainer)} at step {trainer.progress.best_step}")
    if trainer.steps:
        lines.append(_metrics(trainer.steps[-1].metrics))
    standings = list(trainer.standings())[:STANDINGS]
    if standings:
        ranked = (f"{printable(name)} {points:.4g}" for name, points in standings)
        lines.append("standings: " + ", ".join(ranked))
    return lines


def _curve_lines(name: str, values: list[float]) -> list[str]:
    """Return a small learning curve, its ends labelled."""
    if len(values) < 2:
        return []
    drawn = block_curve(values, columns=CURVE_COLUMNS, rows=CURVE_ROWS)
    labels = [""] * CURVE_ROWS
    labels[0], labels[-1] = f"{max(values):.4g}", f"{min(values):.4g}"
    lines = [f"{label:>{LABEL_COLUMNS}} ┤{row}" for label, row in zip(labels, drawn, strict=True)]
    return [f"{printable(name):>{LABEL_COLUMNS}}", *lines]


def _metrics(metrics: Mapping[str, float | None]) -> str:
    told = ((name, "none" if value is None else f"{value:.4g}") for name, value in metrics.items())
    return ", ".join(f"{printable(name)} {value}" for name, value in told)


def _counted(trainer: "Trainer") -> str:
    length = trainer.progress.length
    return f"{trainer.progress.step}" if length is None else f"{trainer.progress.step} of {length}"
