"""What several commands share: options that name a game and position, JSON, the console."""

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from boardgames.errors import OptionError
from boardgames.options import Option, parse_assignments

if TYPE_CHECKING:
    from rich.console import Console

    from boardgames.arena.pentanomial import Estimate
    from boardgames.game import Game, Outcome, Position
    from boardgames.player import Choice, Player

EXIT_WRONG_INPUT = 2
EXIT_INTERRUPTED = 130
COMPLETION_VARIABLE = "_BOARDGAMES_COMPLETE"
SCHEMA = 1
COMPILE_TIME = "10 to 30 seconds, only this once"
WEEK_S = 604_800
PROGRAM = "boardgames" if Path(sys.argv[0]).stem == "boardgames" else "bg"
"""The name under which the program was called: it has two."""

Command = TypeVar("Command", bound=Callable[..., Any])  # click's callbacks take what is declared


class Number(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions of click only
    """A number that an option of the command line takes, with errors as the package words them.

    Parameters
    ----------
    kind : type
        int or float; nan and infinities are none.
    minimum, maximum : float, optional
        Bounds that are allowed themselves.
    """

    name = "number"

    def __init__(
        self, kind: type[int] | type[float], minimum: float | None = None, maximum: float | None = None
    ) -> None:
        self.kind, self.minimum, self.maximum = kind, minimum, maximum

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number that a text stands for."""
        name = "a number" if param is None else param.opts[0]
        return Option(name, self.kind, 0, "", self.minimum, self.maximum).read(value)


SECONDS = Number(float, 0, WEEK_S)
WHOLE = Number(int, 0)
COUNT = Number(int, 1)
PLIES_AHEAD = Number(int, 1, 100)
NODES = Number(int, 1, 10**12)
"""What agents may be limited to; their own options of these names have the same bounds."""


def examples(*lines: str) -> str:
    """Return the end of a command's help: its examples, each on a line of its own."""
    return "\b\nExamples:\n" + "\n".join(f"  {PROGRAM}{line.removeprefix('bg')}" for line in lines)


def game_options(command: Command) -> Command:
    """Add `--layout NAME` and `--option NAME=VALUE`."""
    for option in (
        click.option(
            "--option",
            "options",
            multiple=True,
            metavar="NAME=VALUE",
            help="Set an option of the game; may be given several times.",
        ),
        click.option("--layout", metavar="NAME", help="Start from this layout."),
    ):
        command = option(command)
    return command


def position_options(command: Command) -> Command:
    """Add the argument POSITION and `--position TEXT` to `game_options`."""
    command = game_options(command)
    command = click.option("--position", "position_text", metavar="TEXT", help="The position.")(command)
    return click.argument("position_argument", metavar="[POSITION]", required=False)(command)


def json_option(command: Command) -> Command:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def load_game(name: str, layout: str | None, options: tuple[str, ...], *, searches: bool = True) -> "Game":
    """Return a game, saying on a terminal if its kernels, or those of search, have to be compiled first."""
    from boardgames.plugins import load

    given = parse_assignments(options)
    if "layout" in given:
        raise OptionError(f"expected a layout as --layout NAME: --option layout={given['layout']}")
    with compiling():
        game = load(name, layout=layout, **given)
        if searches:
            import boardgames.players.search  # noqa: F401  # compiled now, while we say so
    return game


def load_position(
    name: str,
    layout: str | None,
    options: tuple[str, ...],
    argument: str | None,
    text: str | None,
    *,
    searches: bool = True,
) -> "Position":
    """Return the position that a command was given: the layout's start by default."""
    if argument is not None and text is not None:
        raise OptionError("expected the position once: as an argument or as --position")
    game = load_game(name, layout, options, searches=searches)
    chosen = argument if argument is not None else text
    return game.start() if chosen is None else game.parse(chosen)


def load_player(agent: str, game: "Game", *, seed: int | None = None) -> "Player":
    """Return a player, saying on a terminal if kernels of its own have to be compiled first."""
    from boardgames.plugins import load_player

    with compiling():
        return load_player(agent, game, seed=seed)


@contextmanager
def compiling() -> Iterator[None]:
    """Show a spinner on a terminal from when the first kernel has to be compiled within."""
    if not sys.stderr.isatty():
        yield
        return
    from numba.core import event

    with ExitStack() as shown:

        class Notice(event.Listener):  # type: ignore[misc]  # Numba has no type stubs
            is_shown = False

            def on_start(self, event: object) -> None:
                if not self.is_shown:
                    from rich.console import Console

                    what = f"compiling the rules and the search ({COMPILE_TIME})"
                    shown.enter_context(Console(stderr=True).status(what))
                    self.is_shown = True

            def on_end(self, event: object) -> None:
                pass

        with event.install_listener("numba:compile", Notice()):
            yield


@contextmanager
def thinking(what: str) -> "Iterator[Callable[[Choice], None] | None]":
    """Show a spinner on a terminal while an agent thinks; yields what hears of its progress."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status(what) as status:
        yield lambda choice: status.update(f"{what}: depth {choice.depth}, {choice.nodes:,} nodes")


def print_json(**fields: object) -> None:
    """Print one JSON object with the schema's number first."""
    click.echo(json.dumps({"schema": SCHEMA, **fields}, ensure_ascii=False))


def estimate_json(found: "Estimate | None") -> dict[str, float | None]:
    """Return a rating as JSON has it, to hundredths of an Elo."""
    ends = (None, None, None) if found is None else (found.elo, found.low, found.high)
    rounded = [None if end is None else round(end, 2) for end in ends]
    return dict(zip(("elo", "elo_low", "elo_high"), rounded, strict=True))


def outcome_json(outcome: "Outcome | None") -> dict[str, object] | None:
    """Return an outcome as JSON has it."""
    if outcome is None:
        return None
    return {"winner": outcome.winner, "termination": str(outcome.termination)}


def outcome_text(outcome: "Outcome", game: "Game") -> str:
    """Say in words who won and, unless the rules alone say so, why."""
    told = "drawn" if outcome.winner is None else f"{game.facts.sides[outcome.winner]} wins"
    return told if outcome.termination == "rules" else f"{told} ({outcome.termination})"


def listed(texts: Iterable[str]) -> str:
    """Return moves in the order in which people look for them, in lines as wide as the terminal.

    Examples
    --------
    >>> listed(["10", "9", "a1"])
    '9 10 a1'
    """
    ordered = sorted(texts, key=lambda text: [_padded(part) for part in re.split(r"(\d+)", text)])
    width = shutil.get_terminal_size().columns
    return textwrap.fill(" ".join(ordered), width, break_long_words=False, break_on_hyphens=False)


def console() -> "Console":
    """Return rich's console on stdout: plain where there is no terminal or `NO_COLOR` is set."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


def print_picture(picture: Any, *, flipped: bool = False) -> None:  # a Picture; imported late
    """Print a picture, in colour where there is a terminal that has it."""
    from boardgames.draw.text import plain_text, styled_text

    out = console()
    if out.is_terminal and out.color_system is not None and not out.no_color:
        out.print(styled_text(picture, flipped=flipped))
    else:
        click.echo(plain_text(picture, flipped=flipped))


def _padded(part: str) -> str:
    return part.zfill(9) if part.isdigit() else part
