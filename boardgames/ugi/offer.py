"""Offer: an option as an engine offers it, `option name N type T default D min A max B`."""

from collections.abc import Sequence
from dataclasses import dataclass

from boardgames.ugi.text import whole_number

PREFIX = "option name "
FACTS = ("type", "default", "min", "max", "var")


@dataclass(frozen=True, slots=True)
class Offer:
    """What can be set in an engine: its name, its default as text, its range.

    Examples
    --------
    >>> offer = parse_offer("option name Seed type spin default 1 min 0 max 99")
    >>> offer.name, offer.default, offer.within(250)
    ('Seed', '1', 50)
    """

    name: str
    default: str | None = None
    minimum: int | None = None
    maximum: int | None = None

    def within(self, number: int) -> int:
        """Return a number of the range: `number` if it is one, else its remainder by the range's size."""
        low = min(number, 0) if self.minimum is None else self.minimum
        if self.maximum is None:
            return max(number, low)
        return low + (number - low) % max(self.maximum - low + 1, 1)


def parse_offer(line: str) -> Offer | None:
    """Return what a line offers, None if it is another message; what cannot be read is left out."""
    if not line.startswith(PREFIX):
        return None
    name, _, rest = line.removeprefix(PREFIX).partition(" type ")
    words = rest.split()
    default = _after("default", words)
    least, most = (whole_number(_after(fact, words) or "") for fact in ("min", "max"))
    return Offer(name.strip(), default, least, most)


def _after(fact: str, words: Sequence[str]) -> str | None:
    """Return the words after `fact` up to the next fact; None if it is not there."""
    if fact not in words:
        return None
    found: list[str] = []
    for word in words[words.index(fact) + 1 :]:
        if word in FACTS:
            break
        found.append(word)
    return " ".join(found)
