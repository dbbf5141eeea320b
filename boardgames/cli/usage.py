"""What click found wrong in a command line, said as the package says it."""

import re

import click

from boardgames.errors import near

_EXTRA = re.compile(r"Got unexpected extra arguments? \((.*)\)", re.DOTALL)


def told(error: click.ClickException) -> str:
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
        return _told_of_value(error.param, error.message.rstrip("."))
    extra = _EXTRA.match(error.message)
    if extra:
        return f"expected no further argument: {extra[1]!r}"
    return error.format_message()


def _near_option(error: click.NoSuchOption) -> str:
    command = None if error.ctx is None else error.ctx.command
    names = [name for parameter in command.params for name in parameter.opts] if command else []
    close = near(error.option_name, [name for name in names if name.startswith("-")])
    return close if "mean" in close else "; --help lists the options"


def _told_of_value(parameter: click.Parameter, message: str) -> str:
    if isinstance(parameter.type, click.Choice):
        return f"expected one of {', '.join(parameter.type.choices)}: {message.partition(' is not ')[0]}"
    return f"expected another value for {parameter.opts[0]}: {message}"
