"""Shorten names to a width while keeping them distinct.

Names are shortened in the middle, because the names of agents often differ at the end.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence

from boardgames.draw.text import printable

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"

Measure = Callable[[str], float]


def shorten_uniquely(names: Sequence[str], width: float, *, measure: Measure) -> list[str]:
    """Return printable names that are no wider than `width`; different names stay different.

    Parameters
    ----------
    names : sequence of str
        All names that are shown together.
    width : float
        Maximum width, in the unit of `measure`; at least the width of ten characters.
    measure : callable
        Returns the width of a text.

    Examples
    --------
    >>> shorten_uniquely(["short", "a long name 1", "a longer name 1", "b long name 2"], 10, measure=len)
    ['short', 'a lon…me 1', 'a l…e 1 ~2', 'b lon…me 2']
    """
    texts = {name: printable(name) for name in names}
    taken = {name for name, text in texts.items() if name == text and measure(text) <= width}
    short = {name: name for name in taken}
    for name, text in texts.items():
        if name not in short:
            short[name] = _shorten_distinctly(text, width, taken=taken, measure=measure)
            taken.add(short[name])
    return [short[name] for name in names]


def shorten(text: str, width: float, *, measure: Measure) -> str:
    """Return a text no wider than `width`, with an ellipsis in the middle if necessary.

    Examples
    --------
    >>> shorten("alphabeta:depth=4", 9, measure=len)
    'alph…th=4'
    """
    if measure(text) <= width:
        return text
    available = width - measure(ELLIPSIS)
    tail = _fitting_length(text[::-1], available // 2, measure=measure)
    end = text[len(text) - tail :]
    head = _fitting_length(text, available - measure(end), measure=measure)
    return f"{text[:head]}{ELLIPSIS}{end}"


def _shorten_distinctly(text: str, width: float, *, taken: set[str], measure: Measure) -> str:
    """Shorten a text, and append a number if the result is in `taken`."""
    short, number = shorten(text, width, measure=measure), 1
    while short in taken:
        number += 1
        suffix = f" ~{number}"
        short = shorten(text, width - measure(suffix), measure=measure) + suffix
    return short


def _fitting_length(text: str, width: float, *, measure: Measure) -> int:
    """Return the length of the longest prefix that is no wider than `width`."""
    lengths = range(1, len(text) + 1)
    return bisect_right(lengths, width, key=lambda length: measure(text[:length]))
