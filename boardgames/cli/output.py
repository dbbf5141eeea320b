"""Functions that print and format output: JSON, tables, boards, lists of moves, outcomes.

Text fits the width of a terminal. In a file or pipe nothing is shortened.
"""

import json
import os
import re
import shutil
import sys
import textwrap
import threading
import traceback
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import IO, TYPE_CHECKING, Any, TextIO

import click

from boardgames.cli.program import DEBUG_VARIABLE
from boardgames.draw.names import shorten_uniquely
from boardgames.draw.text import printable
from boardgames.errors import OptionError, shortened
from boardgames.options import agent_title

if TYPE_CHECKING:
    from rich.console import Console

    from boardgames.arena.pentanomial import Estimate
    from boardgames.declarations import Facts
    from boardgames.game import Game, Outcome, PlayedMove
    from boardgames.options import Option
    from boardgames.score import Score, Unit

SCHEMA = 1
NARROWEST_NAME = 12
"""Names are not shortened below this many columns."""
MAX_ERRORS = 20
"""Maximum number of errors that are printed for one file."""
GAP = 1
"""Spaces between two columns."""
LINES_BESIDE_BOARD = 4
"""Lines around the board in a match: the opponent's move and an empty line, the prompt and the clocks."""
_SETTING = re.compile(r'([^="]+ = (?:"(?:[^"\\]|\\.)*"|[^"#]*)) # (.*)')
"""A line of TOML with a comment after the value; a quoted value may contain a `#` itself."""
BOOK = " (book)"
"""Suffix of a move that came from an opening book."""


# --- text ------------------------------------------------------------------


def say(text: str = "", *, err: bool = False, file: IO[str] | None = None, nl: bool = True) -> None:
    """Print lines of text; characters that could control the terminal become question marks.

    All output of commands goes through here, because names, summaries and messages come from
    files, plug-ins and engines. Line feeds remain: use `one_line` for text from outside.
    """
    click.echo("\n".join(map(printable, text.split("\n"))), err=err, file=file, nl=nl)


def install_exception_hooks() -> None:
    """Make Python print the tracebacks of all threads with `say`, which cleans them."""

    def print_traceback(kind: type[BaseException], error: BaseException, trace: Any) -> None:  # a traceback
        import traceback

        with suppress(OSError):
            say("".join(traceback.format_exception(kind, error, trace)).rstrip("\n"), err=True)

    sys.excepthook = print_traceback
    threading.excepthook = lambda failed: (
        None
        if failed.exc_value is None or failed.exc_type is SystemExit
        else print_traceback(failed.exc_type, failed.exc_value, failed.exc_traceback)
    )


def log_to_stderr() -> None:
    """Print logged warnings and errors on stderr with `say`, which cleans text that comes from plug-ins."""
    import logging

    class Printer(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            try:
                say(self.format(record), err=True)
            except Exception:  # noqa: BLE001 - like the handlers of `logging`
                self.handleError(record)

    printer = Printer(logging.WARNING)
    printer.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    logging.getLogger().handlers = [printer]


def print_error(message: object, *, kind: str = "error") -> None:
    """Print an error or a warning on stderr, in one line unless a terminal is too narrow for it."""
    line = f"{kind}: {shortened(one_line(message))}"
    say(wrap(line, 2, sys.stderr), err=True)


def print_errors(errors: Sequence[object]) -> None:
    """Print the first errors and the number of the others."""
    for error in errors[:MAX_ERRORS]:
        print_error(error)
    if len(errors) > MAX_ERRORS:
        print_error(f"{count_text(len(errors) - MAX_ERRORS, 'more error')} like these")


def print_traceback(error: BaseException) -> None:
    """Print the traceback of an error to stderr, if tracebacks are turned on."""
    if os.environ.get(DEBUG_VARIABLE):
        for line in "".join(traceback.format_exception(error)).splitlines():
            say(printable(line), err=True)


def one_line(value: object) -> str:
    r"""Return text from a file or a plug-in as one line that cannot control the terminal.

    Examples
    --------
    >>> one_line("Ann\x1b[2J\n1. Bob")
    'Ann?[2J 1. Bob'
    """
    return printable(" ".join(str(value).split()))


# --- JSON --------------------------------------------------------------------


def print_json(**members: object) -> None:
    """Print one JSON object that begins with the schema number; dataclasses become objects, too."""
    text = json.dumps({"schema": SCHEMA, **members}, ensure_ascii=False, default=_members)
    # also escape characters that may control the terminal; they occur only within strings
    click.echo("".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text))


def _members(value: Any) -> object:  # of a type that `json` does not know
    """Return a dataclass or mapping as a dictionary, and any other collection as a list."""
    if isinstance(value, Iterable) and not isinstance(value, Mapping):
        return list(value)
    return fields_json(value)


def fields_json(value: Any) -> dict[str, Any]:  # a dataclass or mapping of any kind
    """Return the fields of a dataclass, or the items of a mapping, in their order.

    Examples
    --------
    >>> from boardgames.store import PlayerKey
    >>> fields_json(PlayerKey("random"))
    {'agent': 'random', 'fingerprint': '', 'limits': ''}
    """
    if isinstance(value, Mapping):
        return dict(value)
    if not is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"{type(value).__name__} cannot be printed as JSON")
    return {one.name: getattr(value, one.name) for one in fields(value)}


def estimate_json(estimate: "Estimate | None") -> dict[str, float | None]:
    """Return an Elo estimate with its interval as JSON fields, rounded to hundredths."""
    values = (None, None, None) if estimate is None else (estimate.elo, estimate.low, estimate.high)
    rounded = [None if value is None else round(value, 2) for value in values]
    return dict(zip(("elo", "elo_low", "elo_high"), rounded, strict=True))


def score_json(score: "Score", unit: "Unit", *, proven: bool) -> dict[str, object]:
    """Return a score as JSON: a number of `unit`, or signed plies to the end for a win or loss.

    Examples
    --------
    >>> from boardgames.score import RETURN, Score
    >>> score_json(Score.loss(4), RETURN, proven=True)
    {'value': None, 'unit': 'return', 'win_in': -4, 'proven': True}
    """
    return {"value": score.amount, "unit": unit.name, "win_in": score.win_in, "proven": proven}


# --- boards and text ---------------------------------------------------------


def console() -> "Console":
    """Return rich's console on stdout; its output is plain without a terminal or if `NO_COLOR` is set."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


def print_picture(picture: Any, *, flipped: bool = False) -> None:  # a Picture, imported late
    """Print a picture, in colour if the terminal supports it."""
    from boardgames.draw.text import LEGEND_WIDTH, plain_text, styled_text

    out, width = console(), min(LEGEND_WIDTH, terminal_width() or LEGEND_WIDTH)
    height = shutil.get_terminal_size().lines - LINES_BESIDE_BOARD if sys.stdout.isatty() else None
    if out.is_terminal and out.color_system is not None and not out.no_color:
        out.print(styled_text(picture, flipped=flipped, legend_width=width, height=height))
    else:
        say(plain_text(picture, flipped=flipped, legend_width=width, height=height))


def rules_text(facts: "Facts") -> str:
    """Return the title of a game, its rules or else its summary, and how to type its moves."""
    from boardgames.plugins import registry

    entries = [offer.entry for offer in registry().offers("games") if offer.entry.name == facts.name]
    rules = facts.rules or "".join(f"{entry.summary.rstrip('.')}." for entry in entries)
    return printable(" ".join(filter(None, (f"{facts.title}:", rules, facts.move_help))))


def outcome_text(outcome: "Outcome", game: "Game") -> str:
    """Return who won and, unless the rules of the game decided it, how: `red wins on time`."""
    return outcome.describe(game.facts.sides)


def played_text(played: "PlayedMove", facts: "Facts", move: str | None = None) -> str:
    """Return what an agent played, how long it took, and what it expected from its move.

    Parameters
    ----------
    played : PlayedMove
        The move.
    facts : Facts
        The facts of the game.
    move : str, optional
        The move in another notation.

    Examples
    --------
    >>> import boardgames
    >>> from boardgames.game import Move, PlayedMove
    >>> from boardgames.score import Score, Unit
    >>> facts, lead = boardgames.load("abalone").facts, Score.of(0.42, Unit("marble", "marbles"))
    >>> played_text(PlayedMove(1, Move(0, "a1b2"), 0.95, 2, lead), facts)
    'white plays a1b2 in 0.9 s: +0.42 marbles for white'
    >>> played_text(PlayedMove(1, Move(0, "a1b2"), 0.01, 2, lead, from_book=True), facts)
    'white plays a1b2 (book) in 0.0 s: +0.42 marbles for white'
    """
    side, score = facts.sides[played.side], played.score
    what = f"{side} plays {move or played.move}{BOOK * played.from_book} in {played.seconds:.1f} s"
    if score is None:
        return what
    value = facts.score_text(score)
    if score.unit is not None:
        value += " chance of winning" if score.unit.is_return else f" {printable(score.unit.label)}"
    return f"{what}: {value} for {side}"


def wrapped_moves(moves: Iterable[str], heading: str = "") -> str:
    """Return moves in natural order after a heading, wrapped to the width of the terminal.

    Examples
    --------
    >>> wrapped_moves(["10", "9", "a1"], "moves: ")
    'moves: 9 10 a1'
    """
    ordered = sorted(moves, key=lambda move: [_padded(part) for part in re.split(r"(\d+)", move)])
    width = shutil.get_terminal_size().columns
    return textwrap.fill(heading + " ".join(ordered), width, break_long_words=False, break_on_hyphens=False)


def _padded(part: str) -> str:
    return part.zfill(9) if part.isdigit() else part


def option_parts(option: "Option") -> tuple[str, str]:
    """Return the name of an option, and its meaning, accepted values and default."""
    default = "none" if option.default in (None, "") else str(option.default).lower()
    return option.name, f"{option.summary} ({option.describe_values()}; default: {default})"


def wrap(line: str, indent: int, stream: TextIO | None = None) -> str:
    """Wrap a line to the width of the terminal, indenting all lines but the first.

    If `stream`, by default stdout, is not a terminal, the line stays as it is.
    """
    width = terminal_width(stream)
    if width is None:
        return line
    return textwrap.fill(
        line, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )


def wrapped_settings(toml: str) -> str:
    """Return settings as TOML, with the comments wrapped to the width of the terminal."""
    width = terminal_width()
    if width is None:
        return toml
    return "\n".join(_wrapped_setting(line, width) for line in toml.split("\n"))


def _wrapped_setting(line: str, width: int) -> str:
    """Return a setting with its comment on as many lines as it needs.

    Examples
    --------
    >>> print(_wrapped_setting("alpha = 0.05 # learning rate of the first round of training", 40))
    alpha = 0.05 # learning rate of the
                 # first round of training
    """
    if len(line) > width and line.startswith("# "):
        return textwrap.fill(line, width, subsequent_indent="# ", break_on_hyphens=False)
    found = _SETTING.fullmatch(line)
    if found is None or len(line) <= width:
        return line
    setting, comment = found.groups()
    indent = min(len(setting), width // 2)
    return textwrap.fill(
        comment,
        width,
        initial_indent=f"{setting} # ",
        subsequent_indent=f"{' ' * indent} # ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def count_text(count: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> count_text(1, "match", "matches"), count_text(2, "match", "matches"), count_text(0, "page")
    ('1 match', '2 matches', '0 pages')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {plural or noun + 's'}"


def confirm(question: str) -> bool:
    """Ask a yes-or-no question, and return True for yes.

    Raises
    ------
    OptionError
        If stdin or stdout is not a terminal.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise OptionError("--yes is required, since there is no terminal on which to ask for confirmation")
    return click.confirm(one_line(question))


# --- tables ------------------------------------------------------------------


def print_options(options: "Iterable[Option]") -> None:
    """Print a table of options: name, type and range, default, meaning."""
    rows = [("option", "values", "default", "meaning")]
    for option in options:
        default = "-" if option.default in (None, "") else str(option.default)
        default = default.lower() if isinstance(option.default, bool) else default
        rows.append((option.name, option.describe_values(), default, option.summary))
    print_table(rows, right=(), cut=(), wrapped=(1, 3))


def print_table(
    rows: Sequence[Sequence[str]], *, right: Sequence[int], cut: Sequence[int], wrapped: Sequence[int] = ()
) -> None:
    """Print rows as `table_lines` lays them out."""
    for line in table_lines(rows, right=right, cut=cut, wrapped=wrapped):
        say(line)


def table_lines(
    rows: Sequence[Sequence[str]], *, right: Sequence[int], cut: Sequence[int], wrapped: Sequence[int] = ()
) -> list[str]:
    """Lay out rows in columns; on a terminal, the lines are no wider than the terminal.

    Parameters
    ----------
    rows : sequence of sequences of str
        At least one row; all have the same length.
    right : sequence of int
        Indices of right-aligned columns.
    cut : sequence of int
        Indices of columns that may be shortened with an ellipsis.
    wrapped : sequence of int
        Indices of columns that may be wrapped to several lines.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    texts = [[printable(text) for text in row] for row in rows]
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, GAP, 0, 0))
    for index in range(len(rows[0])):
        is_rigid = index not in cut and index not in wrapped
        table.add_column(justify="right" if index in right else "left", no_wrap=is_rigid)
    for row in texts:
        table.add_row(
            *(Text(text, no_wrap=index not in wrapped, overflow="ellipsis") for index, text in enumerate(row))
        )
    console = Console(width=terminal_width() or table_width(texts), color_system=None)
    with console.capture() as captured:
        console.print(table)
    return [line.rstrip() for line in captured.get().splitlines()]


def shorten_names(names: Sequence[str], *, other_columns: int) -> list[str]:
    """Return agents or other names for a table, shortened so that a line fits the terminal.

    The middle of long names is cut out; different names stay different.

    Parameters
    ----------
    names : sequence of str
        All names in the table, or the texts of agents.
    other_columns : int
        Width of the table's other columns.

    Examples
    --------
    >>> shorten_names(["alphabeta:depth=4", "random"], other_columns=40)
    ['alphabeta:depth=4', 'random']
    >>> shorten_names(["level:level=3"], other_columns=40)
    ['level 3']
    """
    from rich.cells import cell_len

    width = terminal_width()
    limit = float("inf") if width is None else max(width - other_columns, NARROWEST_NAME)
    return shorten_uniquely([agent_title(name) for name in names], limit, measure=cell_len)


def setting_text(value: object) -> str:
    """Return the value of a setting as users type it.

    Examples
    --------
    >>> setting_text(True), setting_text(0.5)
    ('true', '0.5')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def terminal_width(stream: TextIO | None = None) -> int | None:
    """Return the width of the terminal, or None if a stream, by default stdout, is not a terminal."""
    stream = stream or sys.stdout
    if not stream.isatty():
        return None
    with suppress(OSError, ValueError):  # shutil only looks at stdout
        return shutil.get_terminal_size(os.get_terminal_size(stream.fileno())).columns
    return shutil.get_terminal_size().columns


def table_width(texts: Sequence[Sequence[str]]) -> int:
    """Return the width of a table in which nothing is shortened."""
    from rich.cells import cell_len

    return sum(max(map(cell_len, column)) + GAP for column in zip(*texts, strict=True))
