"""The game, layout and agent of our UGI engine, and the UGI options that show and change them.

The command line imports this module before anything is compiled, so that `ugi`
is answered immediately. It must remain quick to import.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from boardgames import __version__
from boardgames.draw.text import printable
from boardgames.errors import OptionError, UnknownNameError, quote, suggest
from boardgames.options import Option, OptionValue, parse_agent
from boardgames.plugins import SEED, load, load_player, registry, searching_agent

if TYPE_CHECKING:
    from boardgames.game import Game
    from boardgames.player import Player

NOT_SET = "<empty>"
MAX_SPIN = 2**31 - 1


@dataclass(frozen=True, slots=True)
class EngineSetup:
    """Names and settings from which the engine creates its game and its agent.

    Attributes
    ----------
    name : str
        Name of the game.
    layout : str or None
        None for the game's first layout.
    options : mapping of str to str
        Options of the game.
    agent : str or None
        Agent text; None for the game's default agent, or for `alphabeta` if the default agent is a solver.
    settings : mapping of str to str
        Options of the agent, which override those in the agent text.

    Examples
    --------
    >>> setup = EngineSetup("connect4", agent="alphabeta:depth=4")
    >>> agent = setup.make_agent(setup.make_game())
    >>> agent
    <player alphabeta:depth=4>
    >>> engine_options(agent)["depth"].declaration()
    'option name depth type spin default 4 min 0 max 100'
    """

    name: str
    layout: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    agent: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)

    def check_names(self) -> None:
        """Check that the game and the agent exist, without loading them.

        Raises
        ------
        UnknownNameError, OptionError
            If a name is unknown, or the agent text cannot be parsed.
        """
        registry().check_name("games", self.name)
        if self.agent is not None:
            registry().check_name("agents", parse_agent(self.agent)[0], self.name)

    def introduction(self) -> str:
        """Return the `id` lines."""
        name = f"boardgames {__version__} {self.name} {self.agent or ''}".strip()
        return f"id name {printable(name)}\nid author the boardgames project\n"

    def make_game(self) -> "Game":
        """Return the game; raises the errors of `boardgames.load`."""
        return load(self.name, layout=self.layout, **self.options)

    def make_agent(self, game: "Game") -> "Player":
        """Return the agent; raises the errors of `boardgames.load_player`, and OptionError for `human`."""
        name, options = parse_agent(searching_agent(game) if self.agent is None else self.agent)
        texts = [f"{option}={_quoted(value)}" for option, value in {**options, **self.settings}.items()]
        agent = load_player(name + (":" + ",".join(texts) if texts else ""), game)
        if agent.is_human:
            raise OptionError(f"{name!r} cannot run as an engine: it is a person, not a program")
        return agent

    def with_value(self, option: "EngineOption", value: str | None) -> "EngineSetup":
        """Return the setup with one option changed; None restores the default."""
        name = option.declared.name
        if option.scope == "layout":
            return replace(self, layout=value)
        is_game = option.scope == "game"
        values = {**(self.options if is_game else self.settings)}
        values.pop(name, None)
        if value is not None:
            values[name] = value
        return replace(self, options=values) if is_game else replace(self, settings=values)


@dataclass(frozen=True, slots=True)
class EngineOption:
    """A UGI option of our engine: its scope, its name in the protocol, its current value."""

    scope: Literal["agent", "game", "layout"]
    name: str
    declared: Option
    value: OptionValue

    def declaration(self) -> str:
        """Return the `option` line. A value that is not set is `<empty>`, or 0 if the minimum is 1."""
        option, value = self.declared, self.value
        text = (
            str(value).lower() if isinstance(value, bool) else NOT_SET if value in (None, "") else str(value)
        )
        head = f"option name {self.name} type"
        if option.choices:
            return f"{head} combo default {text} " + " ".join(f"var {choice}" for choice in option.choices)
        if option.kind is bool and value is not None:
            return f"{head} check default {text}"
        if option.kind is int and (value is not None or self._zero_is_unset()):
            low = 0 if self._zero_is_unset() else option.minimum
            low, high = (-MAX_SPIN if low is None else low), option.maximum or MAX_SPIN
            return f"{head} spin default {value or 0} min {int(low)} max {int(high)}"
        return f"{head} string default {text}"

    def parse(self, text: str) -> str | None:
        """Return the text of a valid value, or None if it means "not set".

        Raises
        ------
        OptionError
            If the text is not a value of the option.
        """
        if text in ("", NOT_SET) or (text == "0" and self._zero_is_unset()):
            return None
        self.declared.read(text)
        return text

    def _zero_is_unset(self) -> bool:
        """Return True if 0 is not a valid value of the option and can therefore mean "not set"."""
        option = self.declared
        return option.kind is int and option.default is None and (option.minimum or 0) >= 1


def engine_options(agent: "Player") -> dict[str, EngineOption]:
    """Return the options of an agent, its game and the layout by their lower-case names.

    If the agent has an option with the same name, the option of the game is
    called `game-NAME`.
    """
    game = agent.game
    options: dict[str, EngineOption] = {}
    for option in agent.declared_options:
        _add(options, EngineOption("agent", option.name, option, agent.options[option.name]))
    _add(options, EngineOption("agent", SEED.name, SEED, None))
    for option in game.declared_options:
        _add(options, EngineOption("game", option.name, option, game.options[option.name]))
    if game.layout_names:
        layout = Option("layout", str, game.layout, "starting position", choices=game.layout_names)
        _add(options, EngineOption("layout", "layout", layout, game.layout))
    return options


def find_option(name: str, options: Mapping[str, EngineOption]) -> EngineOption:
    """Return the option with that name, ignoring case.

    Raises
    ------
    UnknownNameError
        If there is none; the message suggests similar names.
    """
    if name.lower() not in options:
        raise UnknownNameError(f"the engine has no option {quote(name)}{suggest(name, options)}")
    return options[name.lower()]


def _add(options: dict[str, EngineOption], option: EngineOption) -> None:
    if option.name.lower() in options:
        option = replace(option, name=f"game-{option.name}")
    options.setdefault(option.name.lower(), option)


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
