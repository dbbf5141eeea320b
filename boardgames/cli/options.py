"""Options, arguments and command groups that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from boardgames.cli.completion import (
    complete_agent,
    complete_game,
    complete_game_option,
    complete_layout,
    complete_notation,
    complete_setting,
)
from boardgames.cli.meant import meant_command
from boardgames.errors import FileError, MoveError, OptionError, quote
from boardgames.options import Option
from boardgames.paths import check_folder

if TYPE_CHECKING:
    from boardgames.game import Position

WEEK_S = 604_800

Command = TypeVar("Command", bound=Callable[..., Any])  # click decorates functions of any signature


class Number(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions of click only
    """A number on the command line, checked and reported like the options of games and agents.

    Parameters
    ----------
    kind : type
        int or float; nan and infinity are rejected.
    minimum, maximum : float, optional
        Inclusive bounds.
    """

    name = "number"

    def __init__(
        self, kind: type[int] | type[float], minimum: float | None = None, maximum: float | None = None
    ) -> None:
        self.kind, self.minimum, self.maximum = kind, minimum, maximum

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        name = "the number"
        if param is not None:
            is_option = isinstance(param, click.Option)
            name = param.opts[0] if is_option else param.human_readable_name.strip("[].")
        return Option(name, self.kind, 0, "", self.minimum, self.maximum).read(value)


class ForEachSide(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions of click only
    """A number for both sides, or two numbers separated by a comma: `10` or `10,3`.

    Parameters
    ----------
    number : Number
        Checks each number.
    """

    name = "number for each side"

    def __init__(self, number: Number) -> None:
        self.number = number

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return one number, or a pair."""
        if not isinstance(value, str) or "," not in value:
            return self.number.convert(value, param, ctx)
        parts = value.split(",")
        if len(parts) != 2:
            name = "the option" if param is None else param.opts[0]
            raise OptionError(f"{name} takes one number, or one for each side as in 10,3, not {quote(value)}")
        return tuple(self.number.convert(part.strip(), param, ctx) for part in parts)


NUMBER = Number(float, -1e12, 1e12)
SECONDS = Number(float, 0.001, WEEK_S)
NON_NEGATIVE_SECONDS = Number(float, 0, WEEK_S)
NON_NEGATIVE = Number(int, 0)
POSITIVE = Number(int, 1)
DEPTH = Number(int, 1, 100)
NODES = Number(int, 1, 10**12)
"""`DEPTH` and `NODES` have the same bounds as the agents' options `depth` and `nodes`."""


def examples(*lines: str) -> str:
    """Return the examples at the end of a command's help, one line each."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


game_option = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=complete_game_option,
    help="Set an option of the game; repeatable.",
)


increment_option = click.option(
    "--increment",
    type=ForEachSide(NON_NEGATIVE_SECONDS),
    metavar="S[,S]",
    help="Seconds added after each move; two numbers set the sides separately.",
)


def game_options(command: Command) -> Command:
    """Add `--layout NAME` and `--option NAME=VALUE`."""
    for option in (
        game_option,
        click.option(
            "--layout", metavar="NAME", shell_complete=complete_layout, help="Start from this layout."
        ),
    ):
        command = option(command)
    return command


def agent_option(meaning: str) -> Callable[[Command], Command]:
    """Return the option `--agent AGENT`, described by what the agent does and which one is the default."""
    return click.option("--agent", metavar="AGENT", shell_complete=complete_agent, help=meaning)


def notation_option(meaning: str) -> Callable[[Command], Command]:
    """Return the option `--notation NAME`, described by whose notation it is."""
    return click.option("--notation", metavar="NAME", shell_complete=complete_notation, help=meaning)


def settings_option(owner: str) -> Callable[[Command], Command]:
    """Return the option `--set NAME=VALUE` for the options of a learner or an experiment."""
    return click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        shell_complete=complete_setting,
        help=f"Set an option of the {owner}; repeatable.",
    )


def moves_option(command: Command) -> Command:
    """Add `--moves MOVES`, which `apply_moves` applies."""
    return click.option(
        "--moves", metavar="MOVES", help="Moves to make first, separated by spaces: --moves 'f5 d6 c3'."
    )(command)


def apply_moves(position: "Position", moves: str | None, notation: str | None = None) -> "Position":
    """Return the position after the moves given to `--moves`, if any.

    Raises
    ------
    OptionError
        If a move cannot be made; the message has its number and the reason.
    """
    if moves is None:
        return position
    try:
        return position.apply_moves(moves, notation=notation)
    except MoveError as error:
        raise OptionError(f"--moves, {error}") from None


def record_options(command: Command) -> Command:
    """Add `--game`, `--layout`, `--option` and `--notation`, which `loading.record_defaults` takes."""
    command = notation_option("Notation of the moves; by default it is inferred.")(command)
    command = game_options(command)
    return click.option(
        "--game",
        metavar="NAME",
        shell_complete=complete_game,
        help="Game of the matches that do not name it themselves, such as moves without tags.",
    )(command)


def position_text_options(command: Command) -> Command:
    """Add `--position`, `--moves` and `--notation`."""
    command = notation_option("Notation of the position or of the moves; by default it is inferred.")(command)
    command = moves_option(command)
    return click.option(
        "--position",
        "position_text",
        metavar="TEXT",
        help="The position, even if it looks like a file name.",
    )(command)


def position_options(command: Command) -> Command:
    """Add the argument POSITION and `position_text_options` to `game_options`."""
    command = position_text_options(game_options(command))
    return click.argument("position_argument", metavar="[POSITION]", required=False)(command)


def json_option(command: Command) -> Command:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def worker_options(command: Command) -> Command:
    """Add `--workers N` and `--cluster ADDRESS`."""
    for option in (
        click.option(
            "--cluster",
            metavar="ADDRESS|FILE",
            help="Run on a Dask cluster: `local`; a scheduler, by its address or .json file; or KIND:FILE, "
            "where FILE is a TOML file that describes the cluster, and KIND is ssh, kubernetes or a batch "
            "system (htcondor, lsf, moab, oar, pbs, sge or slurm).",
        ),
        click.option(
            "--workers", type=POSITIVE, metavar="N", help="Number of worker processes; default: one per core."
        ),
    ):
        command = option(command)
    return command


def user_path(text: str) -> Path:
    """Return the path a user typed, with `~` expanded.

    Raises
    ------
    FileError
        If the text cannot be a path.
    """
    if not text or "\0" in text:
        raise FileError(f"not a file name: {text!r}")
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise FileError(f"no such home folder: {text!r}") from None


def output_path(text: str) -> Path:
    """Return the path of a file to write; its folder is not created.

    Raises
    ------
    FileError
        If the text cannot be a path, or the folder does not exist.
    """
    path = user_path(text)
    check_folder(path)
    return path


class OutputFile(click.Path):
    """An option that names a file to write in an existing folder; its value is a `Path`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        return output_path(str(value))


class SuggestingGroup(click.Group):
    """A group that suggests similar names when a command is mistyped."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names; if there is none, suggest similar names."""
        if args and self.get_command(ctx, args[0]) is None:
            hint = meant_command(args[0], self.list_commands(ctx), program=ctx.command_path)
            raise click.UsageError(f"no command {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)


class ListingGroup(SuggestingGroup):
    """A group of commands that runs `list`, with the given options, if no command is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `list` before options other than `--help`, unless a shell asks for completions."""
        is_listing = not args or (args[0].startswith("-") and args[0] not in self.get_help_option_names(ctx))
        if is_listing and not ctx.resilient_parsing:
            args = ["list", *args]
        return super().parse_args(ctx, args)
