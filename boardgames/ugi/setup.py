"""Setup: which game, layout and agent an engine plays with, as UGI's options show and set them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from boardgames import __version__
from boardgames.draw.text import printable
from boardgames.errors import OptionError, UnknownNameError, near, shown
from boardgames.options import Option, OptionValue, parse_agent
from boardgames.plugins import SEED, load, load_player, registry

if TYPE_CHECKING:
    from boardgames.game import Game
    from boardgames.player import Player

NOT_SET = "<empty>"
LARGEST_SPIN = 2**31 - 1
NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Setup:
    """What an engine is made of; `game` and `agent` make it.

    Attributes
    ----------
    name : str
        The game's name.
    layout : str or None
        None is the game's first.
    options : mapping of str to str
        The game's.
    agent : str
        Agent text; empty for the game's default agent.
    settings : mapping of str to str
        Options of the agent that come before those in the text.

    Examples
    --------
    >>> setup = Setup("connect4", agent="alphabeta:depth=4")
    >>> agent = setup.make_agent(setup.make_game())
    >>> agent
    <player alphabeta:depth=4>
    >>> settings_of(agent)["depth"].line()
    'option name depth type spin default 4 min 0 max 100'
    """

    name: str
    layout: str | None = None
    options: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    agent: str = ""
    settings: Mapping[str, str] = field(default_factory=lambda: NOTHING)

    def check_names(self) -> None:
        """Look for the game and the agent, without loading either.

        Raises
        ------
        UnknownNameError, OptionError
            If there is none of that name, or the agent text cannot be read.
        """
        registry().check_name("games", self.name)
        if self.agent:
            registry().check_name("agents", parse_agent(self.agent)[0], self.name)

    def introduction(self) -> str:
        """Return the `id` lines."""
        name = f"boardgames {__version__} {self.name} {self.agent}".strip()
        return f"id name {printable(name)}\nid author the boardgames project\n"

    def make_game(self) -> "Game":
        """Return the game; raises as `boardgames.load`."""
        return load(self.name, layout=self.layout, **self.options)

    def make_agent(self, game: "Game") -> "Player":
        """Return the agent; raises as `boardgames.load_player`, and OptionError for a person."""
        name, options = parse_agent(self.agent or game.facts.default_agent)
        texts = [f"{option}={_quoted(value)}" for option, value in {**options, **self.settings}.items()]
        made = load_player(name + (":" + ",".join(texts) if texts else ""), game)
        if made.is_human:
            raise OptionError(f"expected an agent that is a program: {name!r}")
        return made

    def with_value(self, setting: "Setting", value: str | None) -> "Setup":
        """Return the setup with one option set, or back at its default for None."""
        name = setting.option.name
        if setting.of == "layout":
            return replace(self, layout=value)
        of_game = setting.of == "game"
        values = {**(self.options if of_game else self.settings)}
        values.pop(name, None)
        if value is not None:
            values[name] = value
        return replace(self, options=values) if of_game else replace(self, settings=values)


@dataclass(frozen=True, slots=True)
class Setting:
    """An option as UGI offers it: whose it is, what it is called, what it is set to."""

    of: Literal["agent", "game", "layout"]
    name: str
    option: Option
    value: OptionValue

    def line(self) -> str:
        """Return the line that offers it; `<empty>`, or 0 below a least value of 1, is "not set"."""
        option, value = self.option, self.value
        text = (
            str(value).lower() if isinstance(value, bool) else NOT_SET if value in (None, "") else str(value)
        )
        head = f"option name {self.name} type"
        if option.choices:
            return f"{head} combo default {text} " + " ".join(f"var {choice}" for choice in option.choices)
        if option.kind is bool and value is not None:
            return f"{head} check default {text}"
        if option.kind is int and (value is not None or self._has_zero_free()):
            low = 0 if self._has_zero_free() else option.minimum
            low, high = (-LARGEST_SPIN if low is None else low), option.maximum or LARGEST_SPIN
            return f"{head} spin default {value or 0} min {int(low)} max {int(high)}"
        return f"{head} string default {text}"

    def read(self, text: str) -> str | None:
        """Return a text that has been checked, or None where it says "not set".

        Raises
        ------
        OptionError
            If the text is no value of the option.
        """
        if text in ("", NOT_SET) or (text == "0" and self._has_zero_free()):
            return None
        self.option.read(text)
        return text

    def _has_zero_free(self) -> bool:
        """Say whether 0 can stand for "not set"."""
        option = self.option
        return option.kind is int and option.default is None and (option.minimum or 0) >= 1


def settings_of(agent: "Player") -> dict[str, Setting]:
    """Return what can be set of an agent and its game, by lower-case name.

    An option of the game that is called like one of the agent is offered as
    `game-NAME`.
    """
    game = agent.game
    found: dict[str, Setting] = {}
    for option in agent.declared_options:
        _add(found, Setting("agent", option.name, option, agent.options[option.name]))
    _add(found, Setting("agent", SEED.name, SEED, None))
    for option in game.declared_options:
        _add(found, Setting("game", option.name, option, game.options[option.name]))
    if game.facts.layouts:
        layout = Option("layout", str, game.layout, "where matches start", choices=tuple(game.facts.layouts))
        _add(found, Setting("layout", "layout", layout, game.layout))
    return found


def setting_named(name: str, settings: Mapping[str, Setting]) -> Setting:
    """Return the setting of that name, however its letters are written.

    Raises
    ------
    UnknownNameError
        If there is none; the message names near ones.
    """
    if name.lower() not in settings:
        raise UnknownNameError(f"expected an option of the engine: {shown(name)}{near(name, settings)}")
    return settings[name.lower()]


def _add(found: dict[str, Setting], setting: Setting) -> None:
    if setting.name.lower() in found:
        setting = replace(setting, name=f"game-{setting.name}")
    found.setdefault(setting.name.lower(), setting)


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
