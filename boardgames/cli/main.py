"""The program `boardgames` (also installed as `bg`): its commands, error messages and exit codes.

A command's module is imported only when the command runs, so that `--help`
answers at once. Exit codes: 0 success, 1 a check failed, 2 wrong input,
130 interrupted. Wrong input is reported in one line on stderr.
"""

import os
import re
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

import click

from boardgames import __version__
from boardgames.cli.interrupts import end_if_stuck, interrupts
from boardgames.cli.meant import meant_option
from boardgames.cli.options import SuggestingGroup, examples
from boardgames.cli.output import install_exception_hooks, one_line, print_error
from boardgames.cli.program import (
    COMPLETION_VARIABLE,
    DEBUG_VARIABLE,
    EXIT_INTERRUPTED,
    EXIT_WRONG_INPUT,
    PROGRAM,
)
from boardgames.cli.progress import compilation_shown
from boardgames.compiling import compilation_deferred
from boardgames.errors import BoardgamesError, OptionError, PluginError, describe_error, quote
from boardgames.faults import must_propagate, plugin_at_fault

HINT = f"; set {DEBUG_VARIABLE}=1 for the traceback"
COMMANDS = {
    "agents": ("listing:agents", "List the agents, or the options of one."),
    "analyze": ("analyze:analyze", "Evaluate the moves of a position, or review a recorded match."),
    "arena": ("arena:arena", "Play many matches between agents and rate them."),
    "book": ("book:book", "Build an opening book with deep searches."),
    "check": ("check:check", "Test a game's rules, notation and drawing."),
    "engine": ("engine:engine", "Run an agent as a UGI engine for another program."),
    "experiment": ("experiment:experiment", "Run a learning experiment and print its results."),
    "forget": ("forget:forget", "List or delete what agents have learned while playing."),
    "games": ("listing:games", "List the games, or the options of one."),
    "ladder": ("ladder:ladder", "Rank all agents by their stored matches."),
    "learners": ("listing:learners", "List the learning algorithms, or the options of one."),
    "matches": ("matches:matches", "List, show, export, import or delete stored matches."),
    "new": ("new:new", "Create a plug-in with a working game to start from."),
    "perft": ("perft:perft", "Count the leaf positions at a given depth."),
    "play": ("play:play", "Play a match, or watch two agents play."),
    "plot": ("plot:plot", "Plot the learning curves and weights of training runs."),
    "plugins": ("listing:plugins", "List the installed plug-ins."),
    "puzzles": ("puzzles:puzzles", "Make or solve puzzles; most have a single winning move."),
    "replay": ("replay:replay", "Step through recorded matches, or draw them."),
    "rules": ("listing:rules", "Explain the rules of a game."),
    "runs": ("runs:runs", "List, show, compare, measure, export or delete training runs."),
    "serve": ("serve:serve", "Play and watch matches in the browser."),
    "shell-init": ("shell_init:shell_init", "Print shell code that sets up `bg` and completion."),
    "show": ("show:show", "Show a position, its legal moves and its outcome."),
    "solve": ("solve:solve", "Compute exact scores in games that have a solver."),
    "train": ("train:train", "Train the weights of a game's features by self-play."),
}
"""Module, attribute and summary of each command."""


class LazyGroup(SuggestingGroup):
    """A group that imports a command only when it runs, and adds the commands of plug-ins."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted."""
        self._add_plugin_commands()
        return sorted({*COMMANDS, *self.commands})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None; plug-ins cannot replace the commands of the core."""
        if cmd_name in COMMANDS:
            module, _, attribute = COMMANDS[cmd_name][0].partition(":")
            command = getattr(import_module(f"boardgames.cli.{module}"), attribute)
            assert isinstance(command, click.Command)
            command.short_help = COMMANDS[cmd_name][1]  # shown by completion
            return command
        self._add_plugin_commands()
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing the commands of the core."""
        rows = []
        for name in self.list_commands(ctx):
            if name in COMMANDS:
                rows.append((name, COMMANDS[name][1]))
            else:
                rows.append((one_line(name), one_line(self.commands[name].get_short_help_str())))
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def _add_plugin_commands(self) -> None:
        if getattr(self, "_has_plugin_commands", False):
            return
        self._has_plugin_commands = True
        from boardgames.plugins import notify

        notify("bg_commands", check=self._check_commands, group=self)

    def _check_commands(self) -> None:
        """Remove whatever plug-ins added that is not a command; raise PluginError if there was any."""
        added: dict[Any, Any] = self.commands if isinstance(self.commands, dict) else {"": self.commands}
        self.commands = {name: command for name, command in added.items() if _is_command(name, command)}
        rubbish = [added[name] for name in added if name not in self.commands]
        if rubbish:
            raise PluginError(f"this is not a click command: {quote(rubbish[0])}")


def _is_command(name: object, command: object) -> bool:
    """Return True if a command that a plug-in added can be listed."""
    if not (isinstance(name, str) and isinstance(command, click.Command)):
        return False
    try:
        return isinstance(command.get_short_help_str(), str)
    except BaseException as error:  # a plug-in's help may be of any type
        if must_propagate(error):
            raise
        return False


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
    epilog=examples(
        "boardgames play abalone", "boardgames show abalone --layout standard", "boardgames COMMAND --help"
    ),
)
@click.version_option(__version__, prog_name=PROGRAM)
@click.pass_context
def bg(context: click.Context) -> None:
    """Play, analyze and test two-player board games.

    The short name `bg` is a builtin of most shells; `boardgames shell-init
    --help` explains how to use both.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        return
    from boardgames.paths import check_current_folder, check_home

    check_current_folder()
    if os.environ.get("BOARDGAMES_HOME"):
        check_home()


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    warnings.showwarning = _show_warning
    _prepare_streams()
    install_exception_hooks()
    try:
        with interrupts(), end_if_stuck():
            code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe such as `| head` is gone
        code = 0
        _discard(sys.stdout)
    except OSError as error:  # the disk is full, for example
        with suppress(OSError):
            _discard(sys.stdout)
        code = _fail(_os_error_message(error))
    sys.exit(code)


def _os_error_message(error: OSError) -> str:
    """Return a message for an OSError; without a file name, the error comes from stdout or stderr."""
    action = "write the output" if error.filename is None else f"use {quote(str(error.filename))}"
    return f"cannot {action}: {(error.strerror or str(error)).lower()}"


def _run(arguments: list[str] | None) -> int:  # noqa: C901 - one clause for each way to end
    """Run a command and return its exit code; unlike in `bg.main`, a closed pipe is not a failure.

    Most commands compile only the kernels that they call. Commands that look for faults compile all kernels
    that they import. So do commands with worker processes, because otherwise each worker would compile the
    same kernels without showing it.
    """
    words = tuple(sys.argv[1:] if arguments is None else arguments)
    try:
        if COMPLETION_VARIABLE in os.environ:
            _complete()
        with compilation_deferred(), compilation_shown(), bg.make_context(PROGRAM, list(words)) as context:
            bg.invoke(context)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        return _fail(usage_message(error, words))
    except BoardgamesError as error:
        if os.environ.get(DEBUG_VARIABLE):
            raise
        is_traced = isinstance(error, PluginError) and not isinstance(error.__cause__, BoardgamesError | None)
        return _fail(f"{error}{HINT}" if is_traced else str(error))
    except OSError:
        raise
    except BaseException as error:
        plugin = plugin_at_fault(error)
        if isinstance(error, KeyboardInterrupt) and (must_propagate(error) or plugin is None):
            return EXIT_INTERRUPTED
        if plugin is None or os.environ.get(DEBUG_VARIABLE):
            raise
        return _fail(f"plug-in {plugin!r} is broken: {describe_error(error)}{HINT}")
    return 0


def _complete() -> None:
    """Print completions for a shell; raise OptionError if the variables that a shell sets are missing."""
    from boardgames.cli.completion import register_shells

    register_shells()
    try:
        bg.main(prog_name=PROGRAM, complete_var=COMPLETION_VARIABLE, standalone_mode=False)
    except click.ClickException:  # the line so far is wrong; completion shows no errors
        raise click.exceptions.Exit(0) from None
    except (KeyError, ValueError, SystemExit) as error:
        if isinstance(error, SystemExit) and not error.code:
            raise
        raise OptionError(
            f"{COMPLETION_VARIABLE} is for shells, which also set COMP_WORDS and COMP_CWORD; "
            f"see `{PROGRAM} shell-init --help`"
        ) from None


def usage_message(error: click.ClickException, words: Sequence[str] = ()) -> str:
    """Return click's message in the style of this program, followed by a reference to the command's help.

    Parameters
    ----------
    words : sequence of str
        The command line.
    """
    message = error.format_message().rstrip(".").replace(". Did you mean", "; did you mean")
    message = message[:1].lower() + message[1:]
    message = re.sub(r"^got unexpected extra arguments? \((.*)\)$", r"too many arguments: \1", message)
    message = re.sub(r"^option '(.*)' requires an argument$", r"\1 needs a value", message)
    if isinstance(error, click.NoSuchOption):
        message = f"no such option {error.option_name!r}{meant_option(error, words)}"
    is_explained = isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter)
    if is_explained or "did you mean" in message or "--help`" in message:
        return message
    if not isinstance(error, click.UsageError) or error.ctx is None:
        return message
    return f"{message}; see `{error.ctx.command_path} --help`"


def _prepare_streams() -> None:
    """Replace closed streams, escape what cannot be encoded, and keep plug-ins from closing streams."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            null = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - stays open to the end
            setattr(sys, name, null)
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
            if stream is getattr(sys, f"__{name}__"):  # a test may have replaced the stream
                stream.close = stream.flush


def _discard(stream: TextIO) -> None:
    """Send the buffered output of a stream to the null device."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _fail(message: str) -> int:
    try:
        print_error(message)
    except OSError:  # stderr is full or closed; the exit code still reports the failure
        with suppress(OSError):
            _discard(sys.stderr)
    return EXIT_WRONG_INPUT


def _show_warning(message: Warning | str, *rest: Any, **more: Any) -> None:  # signature of the warnings hook
    with suppress(OSError):
        print_error(message, kind="warning")
