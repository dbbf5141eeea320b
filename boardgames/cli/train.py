"""`boardgames train`: training runs, new or resumed."""

import secrets
import shlex
import sys
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from boardgames.cli.completion import complete_game, complete_learner, complete_run
from boardgames.cli.continuing import add_continue_text, continue_text, same_command
from boardgames.cli.curves import curve_lines
from boardgames.cli.interrupts import interrupt_on_termination
from boardgames.cli.measuring import (
    DEFAULT_MEASURING_MATCHES,
    measure_run,
    measurement_json,
    measurement_lines,
)
from boardgames.cli.options import (
    NON_NEGATIVE,
    NUMBER,
    Number,
    examples,
    game_options,
    json_option,
    settings_option,
    user_path,
    worker_options,
)
from boardgames.cli.output import print_json, say, wrap, wrapped_settings
from boardgames.cli.program import EXIT_INTERRUPTED, PROGRAM
from boardgames.cli.progress import new_bars
from boardgames.cli.runs import print_comparison
from boardgames.cli.settings import CommandWithSettings
from boardgames.compiling import compilation_at_import
from boardgames.draw.text import printable
from boardgames.errors import ClusterError, OptionError, WorkerError
from boardgames.options import parse_assignments

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

    from rich.text import Text

    from boardgames.learner import Learner
    from boardgames.learning.config import Config
    from boardgames.learning.measurement import Measurement
    from boardgames.learning.runs import Run
    from boardgames.learning.trainer import Trainer

EVOLVE = "evolve"
MAX_STANDINGS = 8
MAX_SEEDS = 1000
REFRESHES_PER_SECOND = 4
SWEPT_OPTIONS = {"learner": "learner_name", "preset": "preset", "layout": "layout"}
"""Options of this command that a sweep can vary besides settings, with the names of their parameters."""
LIKE_OPTIONS = {
    name: f"--{name}" for name in ("seed", "seeds", "layout", "preset", "workers", "learner", "run")
}
"""Options of this command that users may take for settings of a learner."""
FIXED_BY_RUN = {
    "learner_name": "--learner",
    "evolves": "--evolve",
    "start": "--from",
    "config_path": "--config",
    "preset": "--preset",
    "layout": "--layout",
    "options": "--option",
    "seed": "--seed",
    "run_text": "--run",
}


@click.command(
    cls=CommandWithSettings,
    epilog=examples(
        "boardgames train connect4",
        "boardgames train abalone --evolve --seed 1",
        "boardgames train abalone --evolve --preset original",
        "boardgames train abalone --set alpha=0.05 --set steps=200 --run slow",
        "boardgames train --config slow.toml --workers 2",
        "boardgames train --config sweep.toml --seeds 3",
        "boardgames train connect4 --seeds 5 --seed 1 --run td",
        "boardgames train --learner tune --help",
        "boardgames train --resume slow",
        "boardgames train --resume slow --set steps=400",
        "boardgames train abalone --from slow --set alpha=0.01",
    ),
)
@click.argument("game_name", metavar="[GAME]", required=False, shell_complete=complete_game)
@click.option(
    "--learner",
    "learner_name",
    metavar="NAME",
    shell_complete=complete_learner,
    help="Learning algorithm; default: td.",
)
@click.option("--evolve", "evolves", is_flag=True, help="Short for --learner evolve.")
@click.option(
    "--config",
    "config_path",
    metavar="FILE",
    help="Read settings from a TOML file, such as the config.toml of a run. A table [sweep] in the file "
    "lists values to try.",
)
@click.option(
    "--preset", metavar="NAME", help="Use settings that the game offers under this name, such as `original`."
)
@settings_option("learner")
@click.option(
    "--from",
    "start",
    metavar="RUN|NAME",
    shell_complete=complete_run,
    help="Start with the weights of this run, name or file.",
)
@click.option(
    "--target",
    type=NUMBER,
    metavar="X",
    help="Stop when the learning curve reaches this value, such as a score of 0.9.",
)
@game_options
@click.option("--seed", type=NON_NEGATIVE, metavar="N", help="Seed of the run; default: random.")
@click.option(
    "--seeds",
    type=Number(int, 2, MAX_SEEDS),
    metavar="N",
    help="Train N runs with different seeds, one after the other, and compare them.",
)
@worker_options
@click.option(
    "--measure",
    "matches",
    type=NON_NEGATIVE,
    metavar="N",
    help="Matches against each reference opponent after training; 0 for none; default: "
    f"{DEFAULT_MEASURING_MATCHES}.",
)
@click.option("--run", "run_text", metavar="NAME|FOLDER", help="Name or folder of the new run.")
@click.option(
    "--resume",
    "resumed",
    metavar="RUN",
    shell_complete=complete_run,
    help="Resume this run, given by name or folder; --set may change its number of steps.",
)
@json_option
@compilation_at_import()
def train(
    workers: int | None,
    cluster: str | None,
    matches: int | None,
    seeds: int | None,
    resumed: str | None,
    as_json: bool,
    **given: Any,  # the other options above
) -> None:
    """Train the weights of the features of GAME by self-play.

    A run has a folder with its settings, metrics and weights. --set overrides
    the settings of --config, and these override the preset. Every step is
    saved: an interrupted run continues with --resume and ends with the same
    weights as an uninterrupted one, whatever the number of workers. After
    training, the strength of the weights is measured in matches from random
    openings against opponents that never change. --resume continues these
    matches, too.

    td, the default, is the fastest learner. For Abalone, td-leaf takes half a
    minute and --evolve two minutes, and both are stronger in search. The learner
    tune finds values for options of an agent. The page on training in the
    documentation compares the learners.
    """
    from boardgames.executors import open_executor
    from boardgames.learning.measurement import check_matches

    if matches:
        check_matches(matches)
    if seeds is not None and resumed is not None:
        raise OptionError("--seeds starts new runs, so it cannot be used with --resume")
    with interrupt_on_termination():
        sweep = [] if resumed is not None else _sweep(given)
        has_several = seeds is not None or bool(sweep)
        if has_several:
            first = _config(**given)
            given["seed"] = secrets.randbits(32) if first.seed is None else first.seed
            given["run_text"] = given["run_text"] or _name_of_several(given, first, is_sweep=bool(sweep))
            openings = _several_runs(given, seeds, sweep)
        else:
            openings = [_new_run(given) if resumed is None else _old_run(resumed, given)]
        announce = partial(say, err=True)
        opened: list[Run] = []
        shown: dict[str, Run] = {}  # the first run of each learner whose settings are shown
        code = 0
        with open_executor(workers, cluster=cluster, announce=announce) as executor:
            for number, opening in enumerate(openings, start=1):
                stream = sys.stderr if as_json or has_several else sys.stdout
                if has_several:
                    say(f"{'' if number == 1 else chr(10)}run {number} of {len(openings)}", file=stream)
                with opening() as run:
                    opened.append(run)
                    code = _train_run(run, shown, executor, matches, stream, as_json, is_only=not has_several)
                if code:
                    break
    if has_several and not code:
        print_comparison([run.folder for run in opened], as_json=as_json)
    elif has_several:
        command = same_command(run=given["run_text"], seed=given["seed"])
        say(continue_text(command), err=True)
    click.get_current_context().exit(code)


def _train_run(
    run: "Run",
    shown: dict[str, "Run"],
    executor: "Executor",
    matches: int | None,
    stream: TextIO,
    as_json: bool,
    *,
    is_only: bool,
) -> int:
    """Train a run that has just been opened, and measure its result; return the exit code.

    `shown` has the first run of each learner, whose settings have been printed. If the run is one
    of several, `train` prints the results as JSON and how to continue.
    """
    from boardgames.learning.trainer import Trainer

    trainer = Trainer(run)
    planned = _plan_measurement(trainer, matches, is_new=trainer.is_new)
    with _explain_closed_output(trainer):
        if trainer.is_done and planned is not None and 0 < planned.played < planned.planned:
            done = f"{planned.played} of {planned.planned} matches"
            said = f"all steps of run {run.name} are done; the measurement continues after {done}"
            say(wrap(said, 2), file=stream)
        elif trainer.is_done:
            said = f"run {run.name} is already finished{_how_to_continue(trainer) * is_only}"
            say(wrap(said, 2), file=stream)
        else:
            say(f"run {run.name} in {run.folder}", file=stream)
            if not trainer.is_new:
                say(f"resuming after step {trainer.progress.step}", file=stream)
            say(_settings_text(run, shown.setdefault(run.config.learner, run)), file=stream)
        return _train(trainer, executor, planned, stream, as_json, is_only=is_only)


def _settings_text(run: "Run", first: "Run") -> str:
    """Return the settings that differ from the defaults or, in a later run, from those of the first one."""
    from boardgames.learning.runs import run_reference

    if run is first:
        defaults = {option.name: option.default for option in run.learner.declared_options}
        changed = replace(
            run.config,
            options=dict(run.learner.game.changed_options()),
            settings={
                name: value for name, value in run.config.settings.items() if value != defaults.get(name)
            },
        )
        reference = shlex.quote(run_reference(run.folder))
        others = f"all other settings have their defaults; `{PROGRAM} runs show {reference}` lists them"
        return f"\n{wrapped_settings(changed.as_toml(run.learner))}\n{wrap(others, 2)}\n"
    settings = run.config.as_toml(run.learner)
    known = first.config.as_toml(first.learner).splitlines()
    differing = "\n".join(line for line in settings.splitlines() if line not in known)
    return f"\nsettings as in run {first.name}, except:\n{wrapped_settings(differing)}\n"


def _how_to_continue(trainer: "Trainer") -> str:
    """Return the end of a message that says how to continue a finished run, or an empty string."""
    from boardgames.learning.runs import run_reference

    target, best, learner = trainer.run.config.target, trainer.progress.best, trainer.learner
    if target is not None and best is not None and best >= target:
        names = ["--target X"]
    else:
        names = [f"--set {name}=N" for name in learner.extensible if name in learner.options]
    if not names:
        return ""
    run = shlex.quote(run_reference(trainer.run.folder))
    return f"; `{PROGRAM} train --resume {run} {names[0]}` continues it"


def _plan_measurement(trainer: "Trainer", matches: int | None, *, is_new: bool) -> "Measurement | None":
    """Return the measurement that follows training, or None if nothing is to be measured.

    A resumed run keeps its plan unless the user asks for another number of matches, or the file
    of the plan is damaged.
    """
    from boardgames.learning.measurement import Measurement, plan_measurement
    from boardgames.learning.runs import MEASUREMENT

    folder = trainer.run.folder
    known = None if is_new else Measurement.read(folder)
    is_planned = known is not None or (folder / MEASUREMENT).exists()
    if matches is None and (known is not None or (trainer.is_done and not is_planned)):
        return known
    matches = DEFAULT_MEASURING_MATCHES if matches is None else matches
    is_wanted = matches > 0 and bool(trainer.learner.matchups(""))
    return plan_measurement(trainer.run, matches) if is_wanted else None


def _new_run(given: dict[str, Any]) -> "Callable[[], Run]":
    """Check the settings of a new run and return a function that creates it."""
    from boardgames.learning.runs import Run
    from boardgames.plugins import attributing_errors

    config = _config(**given)
    learner = config.load()
    with attributing_errors("learner", config.learner):
        learner.start(0)  # fail before there is a folder
    return lambda: Run.create(_new_folder(given["run_text"], config, learner), config, learner)


def _sweep(given: dict[str, Any]) -> list[dict[str, str]]:
    """Return the combinations of settings in the sweep of a config file, or [] if it has no sweep."""
    from boardgames.learning.config import read_sweep

    if given["config_path"] is None:
        return []
    sweep = read_sweep(user_path(given["config_path"]))
    if sweep and "seed" in sweep[0]:
        raise OptionError(
            f"the sweep of {given['config_path']} cannot vary the seed; "
            "--seeds N trains every combination with N seeds"
        )
    fixed = {name for name in SWEPT_OPTIONS if given[SWEPT_OPTIONS[name]] is not None}
    fixed |= parse_assignments(given["settings"]).keys()
    if sweep and (varied := fixed & sweep[0].keys()):
        name = min(varied)
        option = f"--{name}" if name in SWEPT_OPTIONS else f"--set {name}"
        raise OptionError(f"the sweep of {given['config_path']} varies {name}; remove {option}")
    return sweep


def _name_of_several(given: dict[str, Any], first: "Config", *, is_sweep: bool) -> str:
    """Return a common name for several runs: for a sweep the name of its file, so that it can be resumed."""
    return Path(given["config_path"]).stem if is_sweep else _new_folder(None, first, first.load()).name


def _several_runs(
    given: dict[str, Any], seeds: int | None, sweep: list[dict[str, str]]
) -> "list[Callable[[], Run]]":
    """Return, for each combination and seed, a function that creates the run or opens an existing one."""
    openings = []
    for number, combination in enumerate(sweep or [{}], start=1):
        fields = {SWEPT_OPTIONS[name]: text for name, text in combination.items() if name in SWEPT_OPTIONS}
        settings = [f"{name}={text}" for name, text in combination.items() if name not in SWEPT_OPTIONS]
        for seed in range(given["seed"], given["seed"] + (seeds or 1)):
            numbers = [str(number)] if sweep else []
            numbers += [str(seed)] if seeds is not None else []
            openings.append(
                _new_or_existing_run(
                    {
                        **given,
                        **fields,
                        "settings": (*given["settings"], *settings),
                        "seed": seed,
                        "run_text": "-".join([given["run_text"], *numbers]),
                    }
                )
            )
    return openings


def _new_or_existing_run(given: dict[str, Any]) -> "Callable[[], Run]":
    """Return a function that creates a run, or opens it if it exists with the same settings."""
    from boardgames.learning.runs import Run, read_config

    config = _config(**given)
    learner = config.load()
    folder = _new_folder(given["run_text"], config, learner)
    if not (folder / "config.toml").exists():
        return _new_run(given)
    if (known := read_config(folder)).completed(known.load()) == config.completed(learner):
        return partial(Run.open, folder)
    raise OptionError(f"the run in {folder} has other settings; choose another --run")


def _old_run(text: str, given: dict[str, Any]) -> "Callable[[], Run]":
    """Find a run and return a function that opens it."""
    from boardgames.learning.measurement import forget_results
    from boardgames.learning.runs import Run, find_run, read_config

    for name, option in FIXED_BY_RUN.items():
        if given[name] not in (None, False, ()):
            raise OptionError(f"--resume takes its settings from the run; remove {option}")
    folder, settings = find_run(text), parse_assignments(given["settings"])
    if given["game_name"] not in (None, game := read_config(folder).game):
        raise OptionError(f"the run {text} is for {game}, not for {given['game_name']}")

    def opening() -> "Run":
        run = Run.open(folder, settings=settings, target=given["target"])
        if settings or given["target"] is not None:
            forget_results(run.folder)
        return run

    return opening


@contextmanager
def _explain_closed_output(trainer: "Trainer") -> "Iterator[None]":
    """Explain on stderr how to continue if the reader of stdout is gone."""
    from boardgames.learning.measurement import Measurement

    try:
        yield
    except BrokenPipeError:
        measured = Measurement.read(trainer.run.folder)
        if not trainer.is_done or (measured is not None and not measured.is_done):
            with suppress(OSError):
                say(f"{_steps_text(trainer)}: the output was closed", err=True)
                say(continue_text(_resume_command(trainer.run)), err=True)
        raise


def _train(
    trainer: "Trainer",
    executor: "Executor",
    planned: "Measurement | None",
    stream: TextIO,
    as_json: bool,
    *,
    is_only: bool,
) -> int:
    """Train to the end and measure the result, showing the progress; return the exit code."""
    from boardgames.learning.measurement import Measurement

    code, first_step = 0, trainer.progress.step
    try:
        with _show_progress(trainer, executor, stream) as display:
            if not trainer.is_done:
                trainer.train(executor, display.show_step)
            planned = measure_run(trainer.run, planned, executor, display.show_matches)
    except KeyboardInterrupt:
        code, planned = EXIT_INTERRUPTED, planned and Measurement.read(trainer.run.folder)
    except (ClusterError, WorkerError) as error:
        add_continue_text(error, _resume_command(trainer.run))
        raise
    _print_summary(trainer, planned, stream, first_step=first_step)
    is_done = trainer.progress.is_done and (planned is None or planned.is_done)
    if is_only and not is_done:
        say(continue_text(_resume_command(trainer.run)), file=stream)
    if is_only and as_json:
        _print_json(trainer, planned)
    return code


def _print_summary(
    trainer: "Trainer", measured: "Measurement | None", stream: TextIO, *, first_step: int
) -> None:
    """Print the state of a run, its measured strength, and the command to play against it.

    Training began after step `first_step`. If no later step was better, this is printed, too.
    """
    from boardgames.learning.history import result_of

    run, progress = trainer.run, trainer.progress
    best = f", {best_text(trainer)} at step {progress.best_step}" if best_text(trainer) else ""
    say(f"{_steps_text(trainer)}{best}", file=stream)
    if trainer.learner.follows_curve and 0 < progress.best_step <= first_step < progress.step:
        said = f"no step after {first_step} was better: the result is still that of step {progress.best_step}"
        say(wrap(said, 2), file=stream)
    if trainer.summary():
        say(trainer.summary(), file=stream)
    result = result_of(run.folder, run.learner.game)
    agent = run.learner.agent_with(result)
    has_weights = not agent or f"={result}," in f"{agent},"  # the text of a tuned agent has the values
    if has_weights and progress.step and run.best_path.exists():
        say(f"weights: {run.best_path}", file=stream)
    for line in measurement_lines(measured):
        say(wrap(line, 2), file=stream)
    if agent and progress.step:
        whom = "them" if has_weights else "it"
        say(f"play against {whom}: {_play_command(run, agent)}", file=stream)


def _print_json(trainer: "Trainer", measured: "Measurement | None") -> None:
    """Print a run, its progress and its measured strength as JSON."""
    from boardgames.learning.history import result_of

    run, progress = trainer.run, trainer.progress
    agent = run.learner.agent_with(result_of(run.folder, run.learner.game))
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
        metrics=progress.metrics,
        **measurement_json(measured),
        agent=agent or None,
    )


def _steps_text(trainer: "Trainer") -> str:
    progress = trainer.progress
    length = "" if progress.length is None else f" of {progress.length}"
    return f"{'trained' if progress.is_done else 'interrupted after'} {progress.step}{length} steps"


def _resume_command(run: "Run") -> str:
    from boardgames.learning.runs import run_reference

    return f"{PROGRAM} train --resume {shlex.quote(run_reference(run.folder))}"


def _config(
    *,
    game_name: str | None,
    learner_name: str | None,
    evolves: bool,
    config_path: str | None,
    preset: str | None,
    settings: tuple[str, ...],
    layout: str | None,
    options: tuple[str, ...],
    seed: int | None,
    run_text: str | None,
    start: str | None,
    target: float | None,
) -> "Config":
    """Return the settings of a config file, if given, overridden by the settings of the command line."""
    from boardgames.learning.config import MAX_BYTES, Config
    from boardgames.paths import read_text

    if evolves and learner_name not in (None, EVOLVE):
        raise OptionError(f"give --evolve or --learner {learner_name}, not both")
    overrides = {
        "game": game_name,
        "learner": EVOLVE if evolves else learner_name,
        "preset": preset,
        "seed": seed,
        "layout": layout,
        "options": parse_assignments(options),
        "settings": parse_assignments(settings) | ({} if start is None else {"start": start}),
        "target": target,
    }
    if config_path is None and game_name is None:
        raise click.MissingParameter(param_hint="'GAME'", param_type="argument")
    text, source = "", "the command"
    if config_path is not None:
        text, source = read_text(user_path(config_path), limit=MAX_BYTES), config_path
    config = Config.parse(text, source, **overrides)
    if start is not None:
        _check_game_of(start, config.game)
    if config.settings:
        _check_names(config)
    return config


def _check_game_of(start: str, game: str) -> None:
    """Raise OptionError if a run to start with is of another game, before any kernels are compiled."""
    from boardgames.learning.summaries import run_summary
    from boardgames.paths import runs_folder
    from boardgames.plugins import registry
    from boardgames.weights.lookup import run_names

    if start in run_names() and start not in {one.entry.name for one in registry().offers("weights", game)}:
        config = run_summary(runs_folder() / start).config
        if config is not None and config.game != game:
            raise OptionError(f"the run {start} is for {config.game}, not for {game}")


def _check_names(config: "Config") -> None:
    """Raise OptionError if the learner has no such settings, before its kernels are compiled.

    Kernels may take minutes to compile, but a wrong name is found in seconds.
    """
    from boardgames.compiling import compilation_deferred
    from boardgames.kernels.lazy import compile_deferred
    from boardgames.options import read_options
    from boardgames.plugins import registry

    registry().check_name("games", config.game)
    with compilation_deferred():
        declared = registry().load("learners", config.learner, config.game).declared_options
    known = {option.name for option in declared}
    for name, value in config.settings.items():
        if name not in known and name in LIKE_OPTIONS:
            option = f"{LIKE_OPTIONS[name]} {shlex.quote(str(value))}"
            raise OptionError(f"learner {config.learner!r} has no option {name!r}; write {option}")
    read_options(declared, config.settings, f"learner {config.learner!r}")
    compile_deferred()


def _new_folder(text: str | None, config: "Config", learner: "Learner") -> Path:
    """Return the folder of a new run; by default its name has the game, the learner and the time.

    Weights that plug-ins offer take precedence over runs, so a run must not have the name of such weights.
    """
    from boardgames.paths import runs_folder
    from boardgames.weights.lookup import is_plain_name, offered_names

    if text is not None:
        folder = runs_folder() / text if is_plain_name(text) else user_path(text)
        if folder == runs_folder() / folder.name and folder.name in offered_names(learner.game):
            raise OptionError(
                f"{config.game} already has weights named {folder.name!r}; choose another --run"
            )
        return folder
    now = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    first = folder = runs_folder() / f"{config.game}-{config.learner}-{now}"
    number = 1
    while folder.exists():
        number += 1
        folder = first.with_name(f"{first.name}-{number}")
    return folder


def _play_command(run: "Run", agent: str) -> str:
    """Return the command that plays against an agent in the variant it was trained for."""
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


# --- progress ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Display:
    """Shows the progress of training: functions to call after a step and after some matches."""

    show_step: "Callable[[Trainer], None]"
    show_matches: Callable[[int, int], None]


@contextmanager
def _show_progress(trainer: "Trainer", executor: "Executor", stream: TextIO) -> "Iterator[Display]":
    """Show a live display on a terminal, otherwise a line per step."""
    from rich.console import Console, Group

    console = Console(file=stream, highlight=False)
    if not console.is_terminal or console.is_dumb_terminal:
        is_measuring = False

        def show_beginning(played: int, planned: int) -> None:
            nonlocal is_measuring
            if not is_measuring:
                say(f"measuring {planned - played} matches", file=stream)
                is_measuring = True

        yield Display(lambda trainer: say(step_line(trainer), file=stream), show_beginning)
        return
    from rich.live import Live

    from boardgames.executors import worker_progress

    bars = new_bars(console, partial(worker_progress, executor))
    task = bars.add_task("steps", total=None, count="")
    matches = bars.add_task("", total=None, visible=False)
    details: list[Text] = []

    def show_share() -> None:
        progress, share = trainer.progress, trainer.time_share()
        bars.update(
            task,
            completed=progress.step if share is None else share,
            total=None if share is None else 1.0,
            count=f"{progress.step}/{'?' if progress.length is None else progress.length}",
        )

    def draw() -> Group:
        if not bars.tasks[matches].visible:
            show_share()
        return Group(bars, *details)

    def show_step(trainer: "Trainer") -> None:
        nonlocal details
        details = _details(trainer, has_curve=not console.options.ascii_only)
        show_share()

    def show_matches(played: int, planned: int) -> None:
        if not bars.tasks[matches].visible:
            bars.reset(matches, completed=played, total=planned, visible=True)
        bars.update(matches, completed=played, total=planned, description="measuring")

    show_step(trainer)
    with Live(
        console=console,
        get_renderable=draw,
        refresh_per_second=REFRESHES_PER_SECOND,
        transient=True,
        redirect_stdout=False,
    ):
        yield Display(show_step, show_matches)


def step_line(trainer: "Trainer") -> str:
    """Return one line about the last step."""
    last, progress = trainer.steps[-1], trainer.progress
    step = f"{progress.step}" if progress.length is None else f"{progress.step} of {progress.length}"
    has_best = progress.best is not None and trainer.learner.follows_curve
    best = f", best {progress.best:.4g} at step {progress.best_step}" if has_best else ""
    return f"step {step}: {_metrics_text(trainer)}{best}, {last.seconds:.2f} s"


def _details(trainer: "Trainer", *, has_curve: bool) -> "list[Text]":
    """Return the best result, the last metrics, the standings and the learning curve."""
    from rich.text import Text

    lines = []
    if best_text(trainer):
        lines.append(f"{best_text(trainer)} at step {trainer.progress.best_step}")
    if trainer.steps:
        lines.append(_metrics_text(trainer))
    else:
        lines.append("the first step takes longer, since code may have to be compiled")
    standings = list(trainer.standings())[:MAX_STANDINGS]
    if standings:
        ranked = (f"{printable(name)} {points:.4g}" for name, points in standings)
        lines.append("standings: " + ", ".join(ranked))
    texts = [Text(line) for line in lines]
    if has_curve:
        name = trainer.learner.curve
        values = [step.metrics.get(name) for step in trainer.steps]
        curve = curve_lines(name, [value for value in values if value is not None])
        texts += [Text(line, no_wrap=True, overflow="crop") for line in curve]
    return texts


def best_text(trainer: "Trainer") -> str:
    """Return the score of the weights that the run keeps, or an empty string if there is no score."""
    best, learner = trainer.progress.best, trainer.learner
    if best is None:
        return ""
    which = "best" if learner.follows_curve else "last"
    return f"{which} {learner.curve} {best:.4g}{_noise(learner, learner.curve, best)}"


def _metrics_text(trainer: "Trainer") -> str:
    """Return the metrics of the last step, and how noisy the score is."""
    texts = []
    for name, value in trainer.steps[-1].metrics.items():
        number = "none" if value is None else f"{value:.4g}{_noise(trainer.learner, name, value)}"
        texts.append(f"{printable(name)} {number}")
    return ", ".join(texts)


def _noise(learner: "Learner", metric: str, value: float) -> str:
    """Return the margin of error of a score (95%), or an empty string for other metrics.

    Examples
    --------
    >>> import boardgames
    >>> learner = boardgames.load_learner("td", boardgames.load("connect4"), test_matches=40)
    >>> _noise(learner, "score", 0.5), _noise(learner, "plies", 20.5)
    ('±0.15', '')
    """
    from boardgames.arena.intervals import wilson

    matches = learner.options.get("test_matches")
    if metric != "score" or not isinstance(matches, int) or not matches or not 0 <= value <= 1:
        return ""
    low, high = wilson(value, matches)
    return f"±{(high - low) / 2:.2f}"
