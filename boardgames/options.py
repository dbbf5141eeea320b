"""Options of games and agents: declared as data, read from text or values.

An agent is written `name:option=value,option="value with , and ="`; the first
colon ends the name.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TypeGuard

from boardgames.errors import OptionError, near, shown

OptionValue = bool | int | float | str | None

_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


@dataclass(frozen=True, slots=True)
class Option:
    """One named setting: its kind, default, bounds or choices.

    A default of None means "not set" and is the only way to that value.

    Examples
    --------
    >>> depth = Option("depth", int, 3, "plies to look ahead", minimum=1, maximum=60)
    >>> depth.read("4")
    4
    >>> depth.read("four")
    Traceback (most recent call last):
    boardgames.errors.OptionError: expected a whole number from 1 to 60 for depth: 'four'
    """

    name: str
    kind: type[bool] | type[int] | type[float] | type[str]
    default: OptionValue
    summary: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()

    def read(self, value: object) -> OptionValue:
        """Return `value`, text or of the right kind, as this option's kind.

        Raises
        ------
        OptionError
            If it is of another kind, out of bounds or not among the choices.
        """
        if value is None and self.default is None:
            return None
        read = self._convert(value)
        if read is None or not self._is_within(read):
            raise OptionError(f"expected {self.expectation()} for {self.name}: {shown(value)}")
        return read

    def expectation(self) -> str:
        """Say in words what values are taken.

        Examples
        --------
        >>> Option("time", float, None, "seconds", minimum=0).expectation()
        'a number of at least 0'
        """
        if self.choices:
            return "one of " + ", ".join(self.choices)
        words = _KINDS[self.kind]
        if self.minimum is not None and self.maximum is not None:
            return f"{words} from {self.minimum:.15g} to {self.maximum:.15g}"
        if self.minimum is not None:
            return f"{words} of at least {self.minimum:g}"
        return words if self.maximum is None else f"{words} of at most {self.maximum:g}"

    def _convert(self, value: object) -> OptionValue:
        if self.kind is str:
            return value if isinstance(value, str) else None
        if self.kind is bool:
            return value if isinstance(value, bool) else _truth(value)
        if isinstance(value, bool):
            return None
        if self.kind is float and isinstance(value, int | float):
            return _finite(value)
        if self.kind is int and isinstance(value, Integral):
            return int(value)
        if not isinstance(value, str):
            return None
        try:
            # int() and float() also read '1_0' and the digits of all scripts, which nobody means
            return self.kind(value) if value.isascii() and "_" not in value else None
        except ValueError:
            return None

    def _is_within(self, value: OptionValue) -> bool:
        if self.choices and value not in self.choices:
            return False
        if isinstance(value, str | bool) or value is None:
            return True
        low = self.minimum is None or value >= self.minimum
        high = self.maximum is None or value <= self.maximum
        return low and high and (isinstance(value, int) or math.isfinite(value))


def is_finite(value: object) -> TypeGuard[float]:
    """Say whether `value` is a number, no truth value, that a float can hold and that is finite.

    Examples
    --------
    >>> is_finite(1), is_finite(True), is_finite(10**400), is_finite("1")
    (True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    number = _finite(value)
    return number is not None and math.isfinite(number)


def _truth(value: object) -> bool | None:
    text = value.lower() if isinstance(value, str) else None
    return True if text in _TRUE else False if text in _FALSE else None


def _finite(value: float) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None


def read_options(declared: Sequence[Option], given: Mapping[str, object], of: str) -> dict[str, OptionValue]:
    """Return a value for every declared option, the given ones checked.

    Parameters
    ----------
    declared : sequence of Option
        What there is to set.
    given : mapping
        Values or texts by name.
    of : str
        Whose options these are, for the message: `"agent 'alphabeta'"`.

    Raises
    ------
    OptionError
        If a name is unknown (the message names near ones) or a value is bad.

    Examples
    --------
    >>> read_options([Option("depth", int, 3, "plies")], {"depth": "5"}, "agent 'x'")
    {'depth': 5}
    """
    by_name = {option.name: option for option in declared}
    for name in given:
        if name not in by_name:
            raise OptionError(f"{of} has no option {shown(name)}{near(name, by_name)}")
    return {
        name: option.read(given[name]) if name in given else option.default
        for name, option in by_name.items()
    }


def parse_agent(text: str) -> tuple[str, dict[str, str]]:
    """Split `name:option=value,...` into the name and the option texts.

    Raises
    ------
    OptionError
        If the text is not of this form.

    Examples
    --------
    >>> parse_agent('engine:command="python bot.py",time=1')
    ('engine', {'command': 'python bot.py', 'time': '1'})
    """
    if not isinstance(text, str):
        raise OptionError(f"expected an agent as name or name:option=value: {shown(text)}")
    name, colon, rest = text.partition(":")
    if not name.strip():
        raise OptionError(f"expected an agent as name or name:option=value: {shown(text)}")
    if colon and not rest:
        raise OptionError(f"expected option=value after the colon: {shown(text)}")
    return name.strip(), parse_assignments(_split(rest, text)) if colon else {}


def parse_assignments(texts: Iterable[str]) -> dict[str, str]:
    """Read `name=value` texts; a value in double quotes may hold anything.

    Raises
    ------
    OptionError
        If a text has no `=` or no name, or a name comes twice.

    Examples
    --------
    >>> parse_assignments(["broadside=false"])
    {'broadside': 'false'}
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name:
            raise OptionError(f"expected option=value: {shown(text)}")
        if name in found:
            raise OptionError(f"expected option {shown(name)} once: {shown(text)}")
        if len(value) >= 2 and value[0] == value[-1] == '"':
            value = value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        found[name] = value
    return found


def _split(rest: str, whole: str) -> list[str]:
    """Cut at commas that stand outside double quotes."""
    parts, start, quoted, index = [], 0, False, 0
    while index < len(rest):
        if rest[index] == "\\" and quoted:
            index += 1
        elif rest[index] == '"':
            quoted = not quoted
        elif rest[index] == "," and not quoted:
            parts.append(rest[start:index])
            start = index + 1
        index += 1
    if quoted:
        raise OptionError(f"expected a closing quote: {shown(whole)}")
    return [*parts, rest[start:]]
