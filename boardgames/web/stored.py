"""The user's stored matches, as the page lists and opens them.

These are the matches that `boardgames matches` lists: played in the terminal, in arenas or on another server,
or imported. Every row of the store is listed, even a damaged one; only opening a match needs its game and a
valid record.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from boardgames.errors import RecordError
from boardgames.game import Outcome, Termination
from boardgames.record import Record, parse_records
from boardgames.store import MatchSummary, StoredMatch
from boardgames.web.games import public_name
from boardgames.web.match import shown_names
from boardgames.web.messages import CreateMatch, MatchEntry, SeatRequest

MAX_LISTED = 2000
"""Maximum number of listed matches, the newest ones; the page shows how many are left out."""
UNNAMED_SIDES = ("first", "second")
"""Names of the sides in the list if the game is not installed."""

Titles = Mapping[str, tuple[str, tuple[str, str]]]
"""The title of each game and the names of its sides."""

_PREFIX = "stored."
"""Prefix of the keys of stored matches; keys of the server's own matches have no dot."""


def key_of(number: int) -> str:
    """Return the key of the match with this ID.

    Examples
    --------
    >>> key_of(12)
    'stored.12'
    """
    return f"{_PREFIX}{number}"


def number_of(key: str) -> int | None:
    """Return the ID that a key stands for, or None if it is the key of one of the server's own matches.

    Examples
    --------
    >>> number_of("stored.12"), number_of("h3Ju_a-1")
    (12, None)
    """
    digits = key.removeprefix(_PREFIX)
    is_stored = digits != key and digits.isascii() and digits.isdigit() and len(digits) < 19
    return int(digits) if is_stored else None


def entries_of(matches: Sequence[MatchSummary], titles: Titles, *, may_delete: bool) -> list[MatchEntry]:
    """Return matches as the page lists them.

    Parameters
    ----------
    matches : sequence of MatchSummary
        Rows of the store, whose values may be damaged.
    titles : mapping of str to (str, (str, str))
        The titles of the installed games and the names of their sides.
    may_delete : bool
        Whether pages may delete the matches.
    """
    return [_entry_of(match, titles, may_delete) for match in matches]


def record_of(match: StoredMatch) -> Record:
    """Return the record of a match, with names that pages may see.

    Raises
    ------
    RecordError
        If the record cannot be read.
    """
    parsed = parse_records(match.dated_record, None)
    for error in parsed.errors:
        raise RecordError(str(error).removeprefix("match 1: "))
    if len(parsed.records) != 1:
        raise RecordError(f"it has {len(parsed.records)} records instead of one")
    first, second = (public_name(name) for name in parsed.records[0].names)
    return replace(parsed.records[0], names=(first, second))


def request_of(record: Record) -> CreateMatch:
    """Return a request for a match that shows a record, and in which nobody can play."""
    nobody = SeatRequest("here")
    return CreateMatch(
        game=record.game,
        seats=(nobody, nobody),
        layout=record.layout or None,
        options=dict(record.options),
    )


def _entry_of(match: MatchSummary, titles: Titles, may_delete: bool) -> MatchEntry:
    title, sides = titles.get(match.game, (str(match.game), UNNAMED_SIDES))
    first, second = (public_name(str(agent)) for agent in match.agents)
    result = "" if match.termination is None else str(match.termination)
    with suppress(ValueError):  # an unknown termination
        if match.termination is not None:
            result = Outcome(match.winner, Termination(match.termination)).describe(sides)
    return MatchEntry(
        key_of(match.id),
        str(match.game),
        title,
        shown_names((first, second), sides),
        match.plies if isinstance(match.plies, int) else 0,
        result,
        [],
        live=False,
        owned=not may_delete,
        time=_seconds(match.played),
        stored=match.id,
    )


def _seconds(timestamp: str) -> float:
    """Return when a match was stored, in seconds since 1970, or 0 if the timestamp is invalid."""
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except (TypeError, ValueError, OverflowError):
        return 0.0
