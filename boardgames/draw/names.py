"""Names in little room: cut in the middle, since those of agents differ at their ends, never alike."""

from bisect import bisect_right
from collections.abc import Callable, Sequence

from boardgames.draw.text import printable

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"

Measure = Callable[[str], float]


def fitting(names: Sequence[str], room: float, *, measure: Measure) -> list[str]:
    """Return names that can be printed, none wider than `room`; different ones stay different.

    Parameters
    ----------
    names : sequence of str
        All that stand together.
    room : float
        In the unit of `measure`, ten signs or more.
    measure : callable
        Returns the width of a text.

    Examples
    --------
    >>> fitting(["short", "a long name 1", "a longer name 1", "b long name 2"], 10, measure=len)
    ['short', 'a lon…me 1', 'a l…e 1 ~2', 'b lon…me 2']
    """
    texts = {name: printable(name) for name in names}
    kept = {name for name, text in texts.items() if name == text and measure(text) <= room}
    found = {name: name for name in kept}
    for name, text in texts.items():
        if name not in found:
            found[name] = _apart(text, room, taken=kept, measure=measure)
            kept.add(found[name])
    return [found[name] for name in names]


def shortened(text: str, room: float, *, measure: Measure) -> str:
    """Return a text no wider than `room`, its middle left out if need be.

    Examples
    --------
    >>> shortened("alphabeta:depth=4", 9, measure=len)
    'alph…th=4'
    """
    if measure(text) <= room:
        return text
    left = room - measure(ELLIPSIS)
    tail = _count(text[::-1], left // 2, measure=measure)
    end = text[len(text) - tail :]
    head = _count(text, left - measure(end), measure=measure)
    return f"{text[:head]}{ELLIPSIS}{end}"


def _apart(text: str, room: float, *, taken: set[str], measure: Measure) -> str:
    """Return a text that fits, with a number at its end if another one is taken already."""
    found, number = shortened(text, room, measure=measure), 1
    while found in taken:
        number += 1
        mark = f" ~{number}"
        found = shortened(text, room - measure(mark), measure=measure) + mark
    return found


def _count(text: str, room: float, *, measure: Measure) -> int:
    """Return how many of the first signs fit."""
    lengths = range(1, len(text) + 1)
    return bisect_right(lengths, room, key=lambda length: measure(text[:length]))
