"""Suggestions for options and commands that do not exist.

Users may know a name from another program, or take an option of a learner or an agent for an option of
the command: `--steps 10` is written `--set steps=10`.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches

import click

from boardgames.cli.program import PROGRAM
from boardgames.cli.settings import named_game, named_settings, value_after
from boardgames.compiling import compilation_deferred
from boardgames.errors import BoardgamesError, suggest

OTHER_COMMANDS = {
    "board": "show",
    "create": "new",
    "elo": "ladder",
    "evaluate": "analyze",
    "gui": "serve",
    "init": "new",
    "learn": "train",
    "list": "games",
    "match": "play",
    "rate": "ladder",
    "ratings": "ladder",
    "review": "analyze",
    "server": "serve",
    "test": "check",
    "tournament": "arena",
    "tune": "train",
    "view": "show",
    "watch": "replay",
    "web": "serve",
}
"""Names that people may try, and the commands of this program that they mean."""
OTHER_OPTIONS = {
    "board": "layout",
    "colour": "second",
    "color": "second",
    "cores": "workers",
    "difficulty": "level",
    "engine": "agent",
    "games": "matches",
    "jobs": "workers",
    "movetime": "time",
    "name": "run",
    "opponent": "agent",
    "out": "run",
    "output": "run",
    "processes": "workers",
    "rounds": "matches",
    "seconds": "time",
    "skill": "level",
    "start": "layout",
    "strength": "level",
    "threads": "workers",
    "variant": "layout",
}
"""Names that people may try, and the options of commands that they mean."""
MANY_MATCHES = ("games", "matches", "rounds")
"""Names that people may try for an option that sets the number of matches."""
SETTINGS = (
    ("steps", "generations", "epochs", "iterations"),
    ("matches", "training_matches", "games", "episodes"),
    ("alpha", "lr", "learning_rate"),
)
"""Groups of names that mean the same option of a learner."""


def meant_command(name: str, names: Iterable[str], *, program: str) -> str:
    """Return the end of a message about a command that does not exist."""
    known = list(names)
    if name.isdecimal() and "show" in known:
        return f"; did you mean `{program} show {name}`?"
    other = OTHER_COMMANDS.get(name) if program == PROGRAM else None
    close = f"; did you mean {other!r}?" if other in known else suggest(name, known)
    listed = f"`{program} --help` lists all commands"
    return f"{close} {listed}" if close.endswith("?") else f"; {listed}"


@compilation_deferred()
def meant_option(error: click.NoSuchOption, words: Sequence[str]) -> str:
    """Return the end of a message about an option that does not exist, or an empty string.

    This imports learners and agents for the names of their options, but compiles none of their kernels.

    Parameters
    ----------
    words : sequence of str
        The command line. Its game and its learner determine which settings exist.
    """
    if error.ctx is None:
        return ""
    parameters = error.ctx.command.get_params(error.ctx)
    options = [one for one in parameters if isinstance(one, click.Option)]
    names = {name.lstrip("-"): name for one in options for name in (*one.opts, *one.secondary_opts)}
    wanted = error.option_name.lstrip("-")
    other = OTHER_OPTIONS.get(wanted)
    if other in names:
        return _did_you_mean(names[other])
    if error.ctx.info_name == "play" and wanted in MANY_MATCHES:
        return f"; this command plays one match; for many between agents, see `{PROGRAM} arena --help`"
    value, meant = value_after(error.option_name, words) or "VALUE", ""
    with suppress(BoardgamesError):  # a broken plug-in, or no such learner
        if "set" in names and (setting := _setting(wanted, words)):
            meant = f"--set {setting}={value}"
        elif ("agent" in names or "agents" in {one.name for one in parameters}) and (
            agent := _agent_with(wanted, value, words)
        ):
            meant = f"--agent {agent}" if "agent" in names else agent
    if meant:
        return _did_you_mean(meant)
    close = get_close_matches(wanted, names, n=1)  # click also compares the dashes, so any short option fits
    return _did_you_mean(names[close[0]]) if close else ""


def _did_you_mean(text: str) -> str:
    return f"; did you mean {text!r}?"


def _setting(wanted: str, words: Sequence[str]) -> str:
    """Return the option of the learner or the experiment that has this name, or an empty string."""
    settings = named_settings(words[0], words[1:])
    names = {option.name for option in settings.options} if settings is not None else set()
    wanted = wanted.replace("-", "_")
    same = next((group for group in SETTINGS if wanted in group), ())
    return next((name for name in (wanted, *same) if name in names), "")


def _agent_with(wanted: str, value: str, words: Sequence[str]) -> str:
    """Return an agent that has this option, preferably the default agent, with the option set, or ''."""
    from boardgames.plugins import load, registry
    from boardgames.weights.lookup import usable_agents

    if (game := named_game(words)) is None:
        return ""
    known = registry()
    names = [offer.entry.name for offer in usable_agents(game)]
    best = load(game).facts.default_agent
    for name in sorted(names, key=lambda name: (name != best, name)):
        declared = known.load("agents", name, game).declared_options
        if any(option.name == wanted for option in declared):
            return f"{name}:{wanted}={value}"
    return ""
