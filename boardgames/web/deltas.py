"""States of matches as deltas: after a whole state, a page is sent only what has changed.

A change is a JSON object with one member: `value` replaces the old value, `members` has a change for each
member of an object that differs, or null if it is gone, and `splices` has `[start, removed, added]` for each
part of a list that differs, with positions in the old list. Nearly all legal moves of a picture, and so
their clicks, change with every turn, but most of them were also legal two moves ago. A change of `clicks`
therefore lists all legal moves, but has clicks only for moves that were in none of the last pictures.
deltas.js is the counterpart on the page.
"""

import itertools
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import msgspec

from boardgames.web.messages import MatchChange, MatchState, encode

REMEMBERED = 8
"""How many of the latest `clicks` of a match a page remembers."""

Json = Any  # whatever JSON can express
Clicks = Mapping[str, Json]

_serials = itertools.count()


class WholeState:
    """A state of a match as JSON values, and the messages that turn earlier states into it.

    Pages that have been sent the same earlier states share these messages.

    Parameters
    ----------
    state : MatchState
        The state.
    """

    def __init__(self, state: MatchState) -> None:
        self.text = encode(state)
        self.value: dict[str, Json] = msgspec.json.decode(self.text)
        self.serial = next(_serials)
        self.clicks: Clicks = self.value["picture"]["clicks"]
        self._messages: dict[tuple[int, ...], bytes | None] = {}

    def since(self, earlier: "WholeState", remembered: Sequence[tuple[int, Clicks]]) -> bytes | None:
        """Return the message for pages that have an earlier state, or None if nothing has changed.

        Parameters
        ----------
        earlier : WholeState
            The last state that was sent to these pages.
        remembered : sequence of (int, Clicks)
            The clicks that the pages remember, each with the serial number of its state.
        """
        key = earlier.serial, *(serial for serial, _ in remembered)
        if key not in self._messages:
            change = state_difference(earlier.value, self.value, [clicks for _, clicks in remembered])
            message = None if change is None else encode(MatchChange(id=self.value["id"], change=change))
            self._messages[key] = message
        return self._messages[key]


class StateStream:
    """The states of one match that have been sent to one page."""

    def __init__(self) -> None:
        self._latest: WholeState | None = None
        self._remembered: deque[tuple[int, Clicks]] = deque(maxlen=REMEMBERED)

    def restart(self) -> None:
        """Send the next state as a whole."""
        self._latest = None
        self._remembered.clear()

    def message(self, state: WholeState) -> bytes | None:
        """Return the message that gives the page this state, or None if the page already has it."""
        latest, self._latest = self._latest, state
        message = state.text if latest is None else state.since(latest, tuple(self._remembered))
        if not self._remembered or self._remembered[-1][1] != state.clicks:
            self._remembered.append((state.serial, state.clicks))
        return message


class StateReader:
    """Reconstructs the states of a match from messages, as a page does."""

    def __init__(self) -> None:
        self.state: dict[str, Json] = {}
        self._remembered: deque[Clicks] = deque(maxlen=REMEMBERED)

    def read(self, message: Mapping[str, Json]) -> dict[str, Json]:
        """Return the state after a message, which is a whole state or a change."""
        if message["type"] == "match":
            self.state = dict(message)
            self._remembered.clear()
        else:
            self.state = _after(self.state, message["change"], self._remembered)
        clicks = self.state["picture"]["clicks"]
        if not self._remembered or self._remembered[-1] != clicks:
            self._remembered.append(clicks)
        return self.state


def state_difference(old: Json, new: Json, remembered: Iterable[Clicks]) -> Json:
    """Return the change between two states, or None if they are equal.

    Parameters
    ----------
    old, new : JSON value
        The states.
    remembered : iterable of mapping
        Clicks that the page knows, the latest last.
    """
    known = {move: clicks for one in remembered for move, clicks in one.items()}
    return _difference(old, new, known)


def _difference(old: Json, new: Json, known: Clicks, name: str = "") -> Json:
    if old == new and type(old) is type(new):
        return None
    if name == "clicks" and isinstance(new, dict):
        added = {move: clicks for move, clicks in new.items() if known.get(move) != clicks}
        return {"clicks": {"legal": list(new), "added": added}}
    if isinstance(old, dict) and isinstance(new, dict):
        members: dict[str, Json] = dict.fromkeys(old.keys() - new.keys())
        for key, value in new.items():
            change = _difference(old[key], value, known, key) if key in old else {"value": value}
            if change is not None:
                members[key] = change
        return {"members": members}
    if isinstance(old, list) and isinstance(new, list) and _has_objects(old) and _has_objects(new):
        return {"splices": _splices(old, new)}
    return {"value": new}


def _has_objects(items: list[Json]) -> bool:
    return all(isinstance(item, dict) for item in items)


def _splices(old: list[Json], new: list[Json]) -> list[tuple[int, int, list[Json]]]:
    """Return the parts of a list of objects that differ."""
    same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    before, after = ([msgspec.json.encode(item) for item in items[same:]] for items in (old, new))
    parts = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [
        (same + start, end - start, new[same + first : same + last])
        for kind, start, end, first, last in parts
        if kind != "equal"
    ]


def _after(old: Json, change: Mapping[str, Json], remembered: Iterable[Clicks]) -> Json:
    """Return a value after a change."""
    ((kind, content),) = change.items()
    if kind == "value":
        return content
    if kind == "clicks":
        known = {move: clicks for one in remembered for move, clicks in one.items()} | content["added"]
        return {move: known[move] for move in content["legal"]}
    if kind == "splices":
        items = list(old)
        for start, removed, added in reversed(content):
            items[start : start + removed] = added
        return items
    members = dict(old)
    for key, one in content.items():
        if one is None:
            del members[key]
        else:
            members[key] = _after(old.get(key), one, remembered)
    return members
