"""Stored matches as arguments of commands: `match:12`, or `12` if no file has that name."""

import re
from typing import TYPE_CHECKING

from boardgames.errors import OptionError, UnknownNameError, quote
from boardgames.paths import find_path

if TYPE_CHECKING:
    from boardgames.store import StoredMatch

PREFIX = "match:"
_NUMBER = re.compile(r"[0-9]{1,15}")


def stored_number(text: str) -> int | None:
    """Return the number of the stored match that an argument names, or None if it names none.

    A file of the same name takes precedence over a bare number.

    Raises
    ------
    OptionError
        If no number follows the prefix.

    Examples
    --------
    >>> stored_number("match:12"), stored_number("12"), stored_number("all.record")
    (12, 12, None)
    """
    number = text.removeprefix(PREFIX)
    if _NUMBER.fullmatch(number) and int(number) > 0:
        return None if number == text and find_path(text) is not None else int(number)
    if number != text and find_path(text) is None:
        raise OptionError(f"{PREFIX} is followed by the number of a stored match, not by {quote(number)}")
    return None


def has_stored_match(number: int) -> bool:
    """Return whether there is a stored match with this number."""
    return _find(number) is not None


def stored_match(number: int) -> "StoredMatch":
    """Return a stored match.

    Raises
    ------
    UnknownNameError
        If there is no match with this number.
    """
    if (match := _find(number)) is None:
        raise UnknownNameError(f"there is no stored match {number}; boardgames matches lists them")
    return match


def _find(number: int) -> "StoredMatch | None":
    from boardgames.store import Store, has_store

    if not has_store():
        return None
    with Store() as store:
        return next(store.matches(ids=[number]), None)
