"""Hints on how to continue interrupted work, and the commands that they show."""

import shlex
from collections.abc import Collection
from typing import Any

import click

from boardgames.cli.program import command_here
from boardgames.errors import BoardgamesError, shortened

_WORDS = f"{__name__}.words"


class Repeatable(click.Command):
    """A command that remembers its arguments, so that `same_command` can write its command line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments and parse them."""
        ctx.meta[_WORDS] = tuple(args)
        return super().parse_args(ctx, args)


def given_words(context: click.Context) -> tuple[str, ...]:
    """Return the arguments of a `Repeatable`, even if it is about to print its help."""
    words: tuple[str, ...] = context.meta[_WORDS]
    return words


def same_command(*, without: Collection[str] = (), **options: Any) -> str:  # named as in click
    """Return the command line of the `Repeatable` that is running.

    Parameters
    ----------
    without : collection of str
        Flags to leave out.
    **options
        Options to add, such as the seed that was drawn, unless the command line already has one of them.
    """
    context = click.get_current_context()
    words = [word for word in given_words(context) if word not in without]
    given = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    is_given = {word.partition("=")[0] for word in words}
    more = [] if is_given.intersection(given) else given
    return shlex.join([*context.command_path.split(), *more, *words])


def continue_text(command: str) -> str:
    """Return the hint that shows how to continue, with a command that works in the current folder.

    Examples
    --------
    >>> continue_text("boardgames train --resume first").endswith("boardgames train --resume first")
    True
    """
    return f"to continue, run: {command_here(command)}"


def add_continue_text(error: BoardgamesError, command: str) -> None:
    """Append the hint to an error's message, and keep its cause, notes and attributes.

    Examples
    --------
    >>> error = BoardgamesError("the scheduler has died")
    >>> add_continue_text(error, "boardgames train --resume first")
    >>> str(error).partition("run: ")[0]
    'the scheduler has died; to continue, '
    """
    error.args = (shortened(f"{error}; {continue_text(command)}"), *error.args[1:])
