"""TimeControl and MatchClock: how much time a match allows, and where it went.

Seconds come from a clock that is passed in. A ply's time may be gathered in
parts, because an agent is only charged for the time in which it is asked.
"""

from collections.abc import Callable
from dataclasses import dataclass

from boardgames.errors import LimitError, shown
from boardgames.options import is_finite


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Time allowed, in seconds: for a move, for a match, and what moves add.

    Attributes
    ----------
    move : float or None
        For every single move; None if only the match counts.
    match : float or None
        For all moves of a side together; None if only each move counts.
    increment : float
        Added to a side's match clock after each of its moves.
    margin : float
        What an agent is asked to leave of `move`, so that it is never late.

    Raises
    ------
    LimitError
        If a number is negative, not finite, zero where time is needed, or an
        increment stands without a match clock.

    Examples
    --------
    >>> TimeControl(move=1.0).asked
    0.95
    >>> str(TimeControl(match=300, increment=2))
    '300+2'
    """

    move: float | None = None
    match: float | None = None
    increment: float = 0.0
    margin: float = 0.05

    def __post_init__(self) -> None:
        for name in ("move", "match"):
            value = getattr(self, name)
            if value is not None and not (is_finite(value) and value > 0):
                raise LimitError(f"expected more than 0 seconds a {name}: {shown(value)}")
        for name in ("increment", "margin"):
            value = getattr(self, name)
            if not (is_finite(value) and value >= 0):
                raise LimitError(f"expected at least 0 seconds of {name}: {shown(value)}")
        if self.increment and self.match is None:
            raise LimitError(f"expected a match clock for an increment: {self.increment!r}")

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Return the control that `str` wrote.

        Raises
        ------
        LimitError
            If the text is not of this form.

        Examples
        --------
        >>> TimeControl.parse("300+2 5/move")
        TimeControl(move=5.0, match=300.0, increment=2.0, margin=0.05)
        """
        move: float | None = None
        match: float | None = None
        increment = 0.0
        try:
            if not text.isascii() or "_" in text:
                raise ValueError
            for part in [] if text == "-" else text.split(" "):
                if part.endswith("/move") and move is None:
                    move = float(part.removesuffix("/move"))
                elif match is None:
                    match, increment = (float(number) for number in part.split("+"))
                else:
                    raise ValueError
        except ValueError:
            raise LimitError(f"expected a time control as '300+2 5/move' or '-': {shown(text)}") from None
        return cls(move=move, match=match, increment=increment)

    @property
    def asked(self) -> float | None:
        """Return the seconds an agent is given for a move: the margin kept, at least half."""
        return None if self.move is None else max(self.move - self.margin, self.move / 2)

    @property
    def is_open(self) -> bool:
        """Say whether no time is limited."""
        return self.move is None and self.match is None

    def __str__(self) -> str:
        parts = []
        if self.match is not None:
            parts.append(f"{_short(self.match)}+{_short(self.increment)}")
        if self.move is not None:
            parts.append(f"{_short(self.move)}/move")
        return " ".join(parts) or "-"


UNTIMED = TimeControl()
"""No time is limited."""


class MatchClock:
    """The clocks of a match, ply by ply, so that a takeback turns them back.

    Parameters
    ----------
    control : TimeControl
        What is allowed.
    now : callable
        Returns seconds; only differences count.

    Examples
    --------
    >>> clock = MatchClock(TimeControl(match=60, increment=1), now=lambda: 0.0)
    >>> clock.book(0, 10.0)
    >>> clock.left(1)
    (51.0, 60.0)
    """

    def __init__(self, control: TimeControl, now: Callable[[], float]) -> None:
        self.control = control
        self._now = now
        start = 0.0 if control.match is None else control.match
        self._left = [(start, start)]  # at the beginning of each ply, the one under way included
        self._gathered = 0.0
        self._since: float | None = None

    @property
    def spent(self) -> float:
        """Return the seconds charged so far for the ply under way."""
        return self._gathered if self._since is None else self._gathered + self._now() - self._since

    def run(self) -> None:
        """Charge from now on; nothing changes if that is so already."""
        if self._since is None:
            self._since = self._now()

    def pause(self) -> None:
        """Charge no more until `run`."""
        self._gathered, self._since = self.spent, None

    def left(self, side_to_move: int) -> tuple[float, float] | None:
        """Return the seconds left to each side, or None if no match clock runs."""
        if self.control.match is None:
            return None
        left = list(self._left[-1])
        left[side_to_move] = max(left[side_to_move] - self.spent, 0.0)
        return left[0], left[1]

    def has_run_out(self, side: int, seconds: float) -> bool:
        """Say whether `seconds` for the ply under way are more than `side` has."""
        if self.control.move is not None and seconds > self.control.move:
            return True
        return self.control.match is not None and seconds > self._left[-1][side]

    def book(self, side: int, seconds: float) -> None:
        """End the ply under way: charge `side`, add the increment, begin the next ply."""
        left = list(self._left[-1])
        left[side] = max(left[side] - seconds, 0.0) + self.control.increment
        self._left.append((left[0], left[1]))
        self._gathered, self._since = 0.0, None

    def go_back(self, ply: int) -> None:
        """Turn the clocks back to what they stood at when ply `ply` (from 0) began."""
        del self._left[ply + 1 :]
        self._gathered, self._since = 0.0, None


def _short(seconds: float) -> str:
    return repr(float(seconds)).removesuffix(".0").replace("e+", "e")
