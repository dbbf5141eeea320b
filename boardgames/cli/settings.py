"""Options of learners and experiments, which commands take as `--set NAME=VALUE`."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import click

from boardgames.cli.continuing import Repeatable, given_words
from boardgames.cli.output import option_parts

if TYPE_CHECKING:
    from boardgames.options import Option


class Settings(NamedTuple):
    """The options of a learner or an experiment.

    Attributes
    ----------
    owner : str
        Name of the learner or the experiment.
    options : sequence of Option
        The declared options.
    """

    owner: str
    options: "Sequence[Option]"


class CommandWithSettings(Repeatable):
    """A command whose help also lists the options of the learner or the experiment on the command line."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the command, then those of the learner or the experiment."""
        super().format_options(ctx, formatter)
        words = given_words(ctx)
        is_chosen: object = (
            ctx.info_name == "experiment" or "--evolve" in words or value_after("--learner", words)
        )
        settings = named_settings(ctx.info_name or "", words) if is_chosen else None
        if settings is not None:
            with formatter.section(f"Options of {settings.owner}, for --set"):
                formatter.write_dl([option_parts(option) for option in settings.options])


def named_settings(command: str, words: Sequence[str]) -> Settings | None:
    """Return the options of the learner or the experiment that a command line names, or None.

    Parameters
    ----------
    command : str
        `experiment`, or a command that takes a learner; the default learner is used if the line names none.
    words : sequence of str
        The rest of the command line.

    Raises
    ------
    PluginError
        If the learner or the experiment cannot be loaded.
    """
    from boardgames.plugins import registry

    known, game = registry(), named_game(words)
    if command == "experiment":
        names = {offer.entry.name for offer in known.offers("experiments", game)}
        name = next((word for word in words if word in names), None)
        if game is None or name is None:
            return None
        return Settings(name, known.load("experiments", name, game).declared_options)
    from boardgames.learning.config import DEFAULT_LEARNER

    learner = "evolve" if "--evolve" in words else value_after("--learner", words) or DEFAULT_LEARNER
    if learner not in {offer.entry.name for offer in known.offers("learners", game)}:
        return None
    return Settings(learner, known.load("learners", learner, game).declared_options)


def named_game(words: Sequence[str]) -> str | None:
    """Return the game that a command line names, or None."""
    from boardgames.plugins import registry

    games = {offer.entry.name for offer in registry().offers("games")}
    return next((word for word in words if word in games), None)


def value_after(option: str, words: Sequence[str]) -> str:
    """Return the value of an option on a command line, or an empty string.

    Examples
    --------
    >>> value_after("--steps", ["--steps=10"]), value_after("--steps", ["--steps", "--json"])
    ('10', '')
    """
    for word, following in pairwise([*words, "-"]):
        name, equals, value = word.partition("=")
        if name == option:
            return value if equals else "" if following.startswith("-") else following
    return ""
