"""What `bg analyze` shares between positions and records: what was asked for, Ctrl-C, values as text."""

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boardgames.player import Limit, Stop
    from boardgames.position import Move

SHOWN_LINE = 8
"""Moves of a line that are printed."""
DIGITS = {"return": 3, "sum": 3}
OTHER_DIGITS = 1


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for, of positions and of records alike."""

    game: str
    agent: str | None
    seconds: float | None
    depth: int | None
    nodes: int | None
    as_json: bool

    @property
    def limit(self) -> "Limit":
        """Return what the agent may spend on a position."""
        from boardgames.player import Limit

        return Limit(seconds=self.seconds, depth=self.depth, nodes=self.nodes)


@contextmanager
def stopping_on_interrupt() -> "Iterator[Stop]":
    """Let the first Ctrl-C set a stop, so that what is known can be told; the second one interrupts."""
    from boardgames.player import Stop

    stop, asked = Stop(), threading.Event()

    def ask(number: int, frame: object) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        # the thread that is interrupted may hold the stop's lock
        threading.Thread(target=stop.set, name="boardgames-stop", daemon=True).start()

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def number_text(value: float, unit: str, *, sign: bool = False) -> str:
    """Return a number of a unit, with a plus if `sign` is wanted.

    Examples
    --------
    >>> number_text(0.25, "return"), number_text(-0.01, "centimarble"), number_text(12, "cell", sign=True)
    ('0.250', '0.0', '+12.0')
    """
    digits = DIGITS.get(unit, OTHER_DIGITS)
    rounded = round(value, digits) + 0.0  # no negative zero
    return f"{rounded:+.{digits}f}" if sign and rounded else f"{rounded:.{digits}f}"


def value_text(value: float, unit: str, *, sign: bool = False) -> str:
    """Return a value as people read it: a win or loss by its plies, else its number.

    Examples
    --------
    >>> value_text(999_995.0, "centimarble"), value_text(-0.5, "return")
    ('win in 5', '-0.500')
    """
    from boardgames.review import plies_to_end

    plies = plies_to_end(value)
    if plies is None:
        return number_text(value, unit, sign=sign)
    return f"{'win' if value > 0 else 'loss'} in {plies}"


def line_text(line: "Sequence[Move]") -> str:
    """Return the first moves of a line."""
    return " ".join(str(move) for move in line[:SHOWN_LINE])
