"""The program `bg`: its commands, each imported when it is called, and its exit codes.

0 done, 1 a check failed, 2 wrong input, 130 interrupted. Wrong input is one
line on stderr.
"""

import os
import re
import sys
import warnings
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from boardgames import __version__
from boardgames.cli.options import SuggestingGroup, examples
from boardgames.cli.program import (
    COMPLETION_VARIABLE,
    DEBUG_VARIABLE,
    EXIT_INTERRUPTED,
    EXIT_WRONG_INPUT,
    PROGRAM,
)
from boardgames.draw.text import printable
from boardgames.errors import BoardgamesError, suggest

COMMANDS = {
    "agents": ("listing:agents", "List the agents, of one game or of all."),
    "analyze": ("analyze:analyze", "Value the moves of a position or of a recorded match."),
    "arena": ("arena:arena", "Let agents play series of matches and rate them."),
    "book": ("book:book", "Make an opening book by deep searches."),
    "check": ("check:check", "Check that a game's rules, notation and pictures hold together."),
    "engine": ("engine:engine", "Let another program play against an agent, over UGI."),
    "experiment": ("experiment:experiment", "Try what learning does, and print tables of wins."),
    "games": ("listing:games", "List the games."),
    "ladder": ("ladder:ladder", "Rate all agents that have met."),
    "matches": ("matches:matches", "List, show, export, import and delete the matches that are kept."),
    "perft": ("perft:perft", "Count the leaf positions at a depth."),
    "play": ("play:play", "Play a match, or let agents play it."),
    "plot": ("plot:plot", "Draw the learning curves and weights of training runs."),
    "plugins": ("listing:plugins", "List the plug-ins, with what is wrong with any."),
    "replay": ("replay:replay", "Step through recorded matches, or draw them."),
    "runs": ("runs:runs", "List the training runs, export or delete one."),
    "shell-init": ("shell_init:shell_init", "Print a shell function that keeps the builtin bg working."),
    "show": ("show:show", "Show a position, its legal moves and its outcome."),
    "train": ("train:train", "Learn the weights of a game's features from self-play."),
}


class Commands(SuggestingGroup):
    """The group: knows names and first lines, imports a command when it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, the plug-ins' included."""
        self._add_foreign()
        return sorted({*COMMANDS, *self.commands})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, the core's before a plug-in's; complain if there is none."""
        if cmd_name in COMMANDS:
            module, _, attribute = COMMANDS[cmd_name][0].partition(":")
            command = getattr(import_module(f"boardgames.cli.{module}"), attribute)
            assert isinstance(command, click.Command)
            return command
        self._add_foreign()
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table, importing none of the core's."""
        rows = []
        for name in self.list_commands(ctx):
            if name in COMMANDS:
                rows.append((name, COMMANDS[name][1]))
            else:
                rows.append((name, self.commands[name].get_short_help_str()))
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def _add_foreign(self) -> None:
        if getattr(self, "_asked", False):
            return
        self._asked = True
        from boardgames.plugins import notify

        notify("bg_commands", group=self)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
    epilog=examples(
        "boardgames play abalone", "boardgames show abalone --layout standard", "boardgames COMMAND --help"
    ),
)
@click.version_option(__version__, prog_name="boardgames")
@click.pass_context
def bg(context: click.Context) -> None:
    """Play, analyse and check two-player board games.

    In an interactive shell the builtin `bg` hides this program: call it
    `boardgames`, or see `boardgames shell-init --help`.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    warnings.showwarning = _warn
    _prepare_streams()
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        code = 0
        _give_up_stdout()
    except OSError as error:  # a full disk behind stdout, say
        _give_up_stdout()
        code = _fail(f"expected a place to write to: {(error.strerror or str(error)).lower()}")
    sys.exit(code)


def _run(arguments: list[str] | None) -> int:
    """Run a command and return its exit code; `bg.main` takes a reader that has gone for a failure."""
    if COMPLETION_VARIABLE in os.environ:
        bg.main(prog_name=PROGRAM, complete_var=COMPLETION_VARIABLE)
    try:
        with bg.make_context(PROGRAM, list(sys.argv[1:] if arguments is None else arguments)) as context:
            bg.invoke(context)
    except click.exceptions.Exit as error:
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        return _fail(describe_error(error))
    except BoardgamesError as error:
        if os.environ.get(DEBUG_VARIABLE):
            raise
        return _fail(str(error))
    return 0


def _prepare_streams() -> None:
    """Replace streams that are closed, and let no character stop one that is open."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            nothing = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - for the whole run
            setattr(sys, name, nothing)
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _give_up_stdout() -> None:
    """Let nothing be flushed any more to a reader that has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> int:
    print(f"bg: {printable(' '.join(message.split()))}", file=sys.stderr)
    return EXIT_WRONG_INPUT


def _warn(message: Warning | str, *rest: Any, **more: Any) -> None:  # the hook's own signature
    print(f"bg: warning: {' '.join(str(message).split())}", file=sys.stderr)


# --- errors that click raises, in the words of this package ---

_EXTRA = re.compile(r"Got unexpected extra arguments? \((.*)\)", re.DOTALL)


def describe_error(error: click.ClickException) -> str:
    """Return what was expected and what came, in one clause."""
    if isinstance(error, click.MissingParameter) and error.param is not None:
        param = error.param
        name = (
            f"{param.opts[0]} {param.metavar}"
            if isinstance(param, click.Option)
            else param.human_readable_name
        )
        return f"expected {name}: nothing came"
    if isinstance(error, click.NoSuchOption):
        return f"no option {error.option_name!r}{_near_option(error)}"
    if isinstance(error, click.BadOptionUsage):
        if "requires" in error.message:
            return f"expected a value after {error.option_name}: nothing came"
        return f"expected no value for {error.option_name}: one came"
    if isinstance(error, click.BadParameter) and error.param is not None:
        return _describe_bad_value(error.param, error.message.rstrip("."))
    extra = _EXTRA.match(error.message)
    if extra:
        return f"expected no further argument: {extra[1]!r}"
    return error.format_message()


def _near_option(error: click.NoSuchOption) -> str:
    command = None if error.ctx is None else error.ctx.command
    names = [name for parameter in command.params for name in parameter.opts] if command else []
    close = suggest(error.option_name, [name for name in names if name.startswith("-")])
    return close if "mean" in close else "; --help lists the options"


def _describe_bad_value(parameter: click.Parameter, message: str) -> str:
    if isinstance(parameter.type, click.Choice):
        return f"expected one of {', '.join(parameter.type.choices)}: {message.partition(' is not ')[0]}"
    return f"expected another value for {parameter.opts[0]}: {message}"
