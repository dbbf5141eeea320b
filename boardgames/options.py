"""Options of games and agents, declared as data and parsed from text.

An agent is written `name:option=value,option="value with , and ="`; the first
colon ends the name. If an option has the same name as its agent, it may be
abbreviated: `level:3` and `level=3` mean `level:level=3`.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Literal, TypeGuard

from boardgames.errors import OptionError, PluginError, quote, suggest

OptionValue = bool | int | float | str | None
Role = Literal["", "limit", "memory", "network", "run", "strength", "threads", "weights"]
"""What an agent's option means to programs, regardless of its name; see `Option`."""

_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")
_TYPE_NAMES = {bool: "true or false", int: "an integer", float: "a number", str: "text"}
_NAME = re.compile(r"[^\s=,:\"]+")
_SHORT_AGENT = re.compile(r"(?P<name>[a-z][\w-]*) *[:=] *(?P<value>\d+)(?P<rest>(,.*)?)", re.ASCII)
_LONG_AGENT = re.compile(r"(?P<name>[a-z][\w-]*):(?P=name)=(?P<value>\d+)(?P<rest>(,.*)?)", re.ASCII)
_AGENT_FORM = "an agent is written name or name:option=value,..."


@dataclass(frozen=True, slots=True)
class Option:
    """One named setting: type, default, and bounds or choices.

    Text and integers may be restricted to a few choices, such as `choices=(6,
    8)`. A default of None means "not set"; None is then a valid value. If the
    value may be the path of a file, `file` says whether the agent reads or writes
    it, so that pages in the browser cannot name files.

    An agent's option may have a `role`: a `limit` of each search, such as its depth or time; `memory`
    in MB or a number of `threads`, which a server restricts; `strength`, a level from 1 up; `weights`, the
    name of learned weights, a run or a file; `network`, the same for a network; or `run`, a training run.

    Examples
    --------
    >>> depth = Option("depth", int, 3, "plies to look ahead", minimum=1, maximum=60)
    >>> depth.read("4")
    4
    >>> depth.read("0")
    Traceback (most recent call last):
    boardgames.errors.OptionError: depth must be 1 to 60, not '0'
    """

    name: str
    kind: type[bool] | type[int] | type[float] | type[str]
    default: OptionValue
    summary: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] | tuple[int, ...] = ()
    file: Literal["", "read", "write"] = ""
    role: Role = ""

    def read(self, value: object) -> OptionValue:
        """Convert `value`, which may be text, to this option's type and check it.

        Raises
        ------
        OptionError
            If the value has the wrong type, is out of bounds or is not one of the choices.
        """
        if value is None and self.default is None:
            return None
        converted = self._convert(value)
        if self.choices:
            if converted not in self.choices:
                raise OptionError(f"{self.name} must be {_either(self.choices)}, not {quote(value)}")
        elif converted is None:
            raise OptionError(f"{self.name} must be {_TYPE_NAMES[self.kind]}, not {quote(value)}")
        elif not isinstance(converted, str | bool) and not self._is_within_bounds(converted):
            raise OptionError(f"{self.name} must be {self._bounds()}, not {quote(value)}")
        return converted

    def describe_values(self) -> str:
        """Return the type and bounds, or the choices, for listings.

        Examples
        --------
        >>> Option("time", float, None, "seconds", minimum=0).describe_values()
        'float, at least 0'
        """
        if self.choices:
            return _either(self.choices)
        name = _TYPE_NAMES[self.kind] if self.kind in (bool, str) else self.kind.__name__
        return f"{name}, {self._bounds()}" if self._bounds() else name

    @property
    def description(self) -> "OptionDescription":
        """Return what programs that offer this option need to know, as data.

        Examples
        --------
        >>> Option("size", int, 7, "columns", choices=(5, 7)).description.choices
        (5, 7)
        """
        return OptionDescription(
            self.name,
            self.kind.__name__,
            self.minimum,
            self.maximum,
            self.choices,
            self.default,
            self.summary,
        )

    def _bounds(self) -> str:
        if self.minimum is not None and self.maximum is not None:
            return f"{self.minimum:.15g} to {self.maximum:.15g}"
        if self.minimum is not None:
            return f"at least {self.minimum:.15g}"
        return "" if self.maximum is None else f"at most {self.maximum:.15g}"

    def _is_within_bounds(self, number: float) -> bool:
        return (self.minimum is None or number >= self.minimum) and (
            self.maximum is None or number <= self.maximum
        )

    def _convert(self, value: object) -> OptionValue:
        """Convert the value to this option's type; return None if that is not possible."""
        if self.kind is str:
            return value if isinstance(value, str) else None
        if self.kind is bool:
            return value if isinstance(value, bool) else _parse_bool(value)
        if isinstance(value, bool):
            return None
        if self.kind is int and isinstance(value, Integral):
            return int(value)
        if self.kind is float and isinstance(value, int | float):
            return value + 0.0 if is_finite(value) else None
        # int() and float() also accept '1_0' and digits of other scripts, which are probably typing errors
        if not isinstance(value, str) or not value.isascii() or "_" in value:
            return None
        try:
            number = int(value) if self.kind is int else float(value)
        except ValueError:
            return None
        return number if self.kind is int or math.isfinite(number) else None


@dataclass(frozen=True, slots=True)
class OptionDescription:
    """An option of a game, agent or learner, as the command line prints it in JSON and pages get it."""

    name: str
    type: str
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...] | tuple[int, ...]
    default: OptionValue
    summary: str


def check_option_names(cls: type, reserved: Collection[str]) -> None:
    """Check that a class declares no option with a reserved name, or with a name that cannot be written.

    Raises
    ------
    PluginError
        If it declares such an option.
    """
    declared = vars(cls).get("declared_options")
    for option in declared if isinstance(declared, tuple) else ():
        if not isinstance(option, Option):
            continue
        if not (isinstance(option.name, str) and _NAME.fullmatch(option.name)):
            raise PluginError(
                f"{cls.__name__} cannot declare an option {quote(option.name)}: a name is a word without "
                "spaces, commas, colons, quotes and ="
            )
        if option.name in reserved:
            raise PluginError(
                f"{cls.__name__} cannot declare an option {option.name!r}, since that name has another "
                "meaning; choose another name"
            )


def is_finite(value: object) -> TypeGuard[float]:
    """Return True if `value` is a finite int or float (not a bool) that a float can represent.

    Examples
    --------
    >>> is_finite(1), is_finite(True), is_finite(10**400), is_finite("1")
    (True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def read_options(
    declared: Sequence[Option], given: Mapping[str, object], owner: str
) -> dict[str, OptionValue]:
    """Return a value for every declared option: the given value after a check, or the default.

    Parameters
    ----------
    declared : sequence of Option
        The available options.
    given : mapping
        Values, or their texts, by name.
    owner : str
        What the options are for, such as `"agent 'alphabeta'"`, for messages.

    Raises
    ------
    OptionError
        If a name is unknown (the message suggests similar ones) or a value is invalid.

    Examples
    --------
    >>> read_options([Option("depth", int, 3, "plies")], {"depth": "5"}, "agent 'x'")
    {'depth': 5}
    """
    by_name = {option.name: option for option in declared}
    for name in given:
        if name not in by_name:
            raise OptionError(f"{owner} has no option {quote(name)}{suggest(name, by_name)}")
    return {
        name: option.read(given[name]) if name in given else option.default
        for name, option in by_name.items()
    }


def parse_agent(text: str) -> tuple[str, dict[str, str]]:
    """Split `name:option=value,...` into the name and the option texts.

    Raises
    ------
    OptionError
        If the text does not have this form.

    Examples
    --------
    >>> parse_agent('engine:command="python bot.py",time=1')
    ('engine', {'command': 'python bot.py', 'time': '1'})
    >>> parse_agent("level:3")
    ('level', {'level': '3'})
    """
    name, colon, rest = spelled_out(text).partition(":")
    if not name.strip():
        raise OptionError(f"{_AGENT_FORM}, not {quote(text)}")
    if colon and not rest:
        raise OptionError(f"no options after the colon in {quote(text)}")
    return name.strip(), parse_assignments(_split_at_commas(rest)) if colon else {}


def spelled_out(agent: str) -> str:
    """Return the text of an agent with an abbreviated first option spelled out.

    Raises
    ------
    OptionError
        If `agent` is not a string.

    Examples
    --------
    >>> spelled_out("level:3"), spelled_out("level=3"), spelled_out("greedy")
    ('level:level=3', 'level:level=3', 'greedy')
    """
    if not isinstance(agent, str):
        raise OptionError(f"{_AGENT_FORM}, not {quote(agent)}")
    short = _SHORT_AGENT.fullmatch(agent.strip())
    return f"{short['name']}:{short['name']}={short['value']}{short['rest']}" if short else agent


def agent_title(agent: str) -> str:
    """Return the text of an agent for people to read: `level 3` for `level:level=3`.

    Examples
    --------
    >>> agent_title("level:level=3"), agent_title("level:3,table=1"), agent_title("greedy")
    ('level 3', 'level 3, table=1', 'greedy')
    """
    long = _LONG_AGENT.fullmatch(spelled_out(agent))
    return f"{long['name']} {long['value']}{long['rest'].replace(',', ', ')}" if long else agent


def parse_assignments(texts: Iterable[str]) -> dict[str, str]:
    """Parse `name=value` texts; a value in double quotes may contain any character.

    Raises
    ------
    OptionError
        If an item has no `=` or no name, or a name is given twice.

    Examples
    --------
    >>> parse_assignments(["broadside=false"])
    {'broadside': 'false'}
    """
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name:
            raise OptionError(f"an option is written name=value, not {quote(text)}")
        if name in values:
            raise OptionError(f"the option {quote(name)} is given twice")
        if len(value) >= 2 and value[0] == value[-1] == '"':
            value = value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        values[name] = value
    return values


def _parse_bool(value: object) -> bool | None:
    text = value.lower() if isinstance(value, str) else None
    return True if text in _TRUE else False if text in _FALSE else None


def _either(choices: Sequence[str | int]) -> str:
    """Return `a, b or c`."""
    texts = [str(choice) for choice in choices]
    return " or ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def _split_at_commas(text: str) -> list[str]:
    """Split at the commas outside double quotes."""
    parts, start, is_quoted, index = [], 0, False, 0
    while index < len(text):
        if text[index] == "\\" and is_quoted:
            index += 1
        elif text[index] == '"':
            is_quoted = not is_quoted
        elif text[index] == "," and not is_quoted:
            parts.append(text[start:index])
            start = index + 1
        index += 1
    if is_quoted:
        raise OptionError(f"missing closing quote in {quote(text)}")
    return [*parts, text[start:]]
