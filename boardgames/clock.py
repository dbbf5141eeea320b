"""Time controls, and the clocks of a match.

The current time comes from a function that the caller passes in. The time for a
ply may consist of several intervals, because an agent is only charged while it
is being asked for a move.
"""

from collections.abc import Callable
from dataclasses import dataclass

from boardgames.errors import LimitError, quote
from boardgames.options import is_finite


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Time limits of a match, in seconds.

    Attributes
    ----------
    move : float or None
        Seconds for each move; None for no limit.
    match : float or None
        Seconds for all moves of a side together; None if there is no match clock.
    increment : float
        Seconds added to a side's match clock after each of its moves.
    margin : float
        Seconds subtracted from `move` for agents, so that their moves arrive in time.

    Raises
    ------
    LimitError
        If a number is negative or not finite, `move` or `match` is 0, or there
        is an increment without a match clock.

    Examples
    --------
    >>> TimeControl(move=1.0).agent_seconds
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
                raise LimitError(f"the seconds per {name} must be more than 0, not {quote(value)}")
        for name in ("increment", "margin"):
            value = getattr(self, name)
            if not (is_finite(value) and value >= 0):
                raise LimitError(f"{name} must be at least 0 seconds, not {quote(value)}")
        if self.increment and self.match is None:
            raise LimitError("an increment needs a match clock")

    @classmethod
    def parse(cls, text: str) -> "TimeControl":
        """Parse a time control as written by `str`.

        Raises
        ------
        LimitError
            If the text does not have this form.

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
            raise LimitError(
                f"a time control is written like '300+2', '5/move' or '-', not {quote(text)}"
            ) from None
        return cls(move=move, match=match, increment=increment)

    @property
    def agent_seconds(self) -> float | None:
        """Return the seconds that an agent gets for a move: `move - margin`, but at least half of `move`."""
        return None if self.move is None else max(self.move - self.margin, self.move / 2)

    @property
    def is_unlimited(self) -> bool:
        """Return True if there is no time limit."""
        return self.move is None and self.match is None

    def __str__(self) -> str:
        parts = []
        if self.match is not None:
            parts.append(f"{_format_seconds(self.match)}+{_format_seconds(self.increment)}")
        if self.move is not None:
            parts.append(f"{_format_seconds(self.move)}/move")
        return " ".join(parts) or "-"


UNTIMED = TimeControl()
"""No time limit."""

TimeControls = tuple[TimeControl, TimeControl]
"""The time controls of side 0 and side 1."""


def of_both_sides(control: TimeControl | TimeControls) -> TimeControls:
    """Return a pair of time controls, given a pair or a single one for both sides.

    Raises
    ------
    LimitError
        If only one side has a match clock.
    """
    first, second = (control, control) if isinstance(control, TimeControl) else control
    if (first.match is None) != (second.match is None):
        raise LimitError("either both sides have a match clock or neither has one")
    return first, second


def parse_time_controls(text: str) -> TimeControls:
    """Parse the time controls of both sides as written by `format_time_controls`.

    Raises
    ------
    LimitError
        If the text does not have this form.

    Examples
    --------
    >>> first, second = parse_time_controls("300+2, 60+2")
    >>> first.match, second.match
    (300.0, 60.0)
    """
    first, comma, second = text.partition(", ")
    return of_both_sides((TimeControl.parse(first), TimeControl.parse(second if comma else first)))


def format_time_controls(controls: TimeControls) -> str:
    """Return the time controls of both sides as text; equal ones are written once.

    Examples
    --------
    >>> format_time_controls((TimeControl(move=10), TimeControl(move=3)))
    '10/move, 3/move'
    >>> format_time_controls((UNTIMED, UNTIMED))
    '-'
    """
    return ", ".join(dict.fromkeys(str(control) for control in controls))


class MatchClock:
    """The clocks of both sides, with their state at every ply, so that moves can be taken back.

    Parameters
    ----------
    control : TimeControl or pair of TimeControl
        One time control for both sides, or one for each.
    now : callable
        Returns the current time in seconds; only differences matter.

    Examples
    --------
    >>> clock = MatchClock(TimeControl(match=60, increment=1), now=lambda: 0.0)
    >>> clock.end_ply(0, 10.0)
    >>> clock.remaining(1)
    (51.0, 60.0)
    """

    def __init__(self, control: TimeControl | TimeControls, now: Callable[[], float]) -> None:
        self.controls = of_both_sides(control)
        self._now = now
        first, second = (each.match or 0.0 for each in self.controls)
        self._remaining = [(first, second)]  # seconds left to both sides at the start of each ply so far
        self._earlier = 0.0  # seconds of the current ply before the clock was last started
        self._started_at: float | None = None

    @property
    def elapsed(self) -> float:
        """Return the seconds charged so far for the current ply."""
        return self._earlier if self._started_at is None else self._earlier + self._now() - self._started_at

    @property
    def is_running(self) -> bool:
        """Return True while the clock of the current ply runs."""
        return self._started_at is not None

    def start(self) -> None:
        """Start the clock of the current ply, unless it is already running."""
        if self._started_at is None:
            self._started_at = self._now()

    def pause(self) -> None:
        """Pause the clock until `start` is called."""
        self._earlier, self._started_at = self.elapsed, None

    def remaining(self, side_to_move: int) -> tuple[float, float] | None:
        """Return the seconds left to each side, or None if there is no match clock."""
        if self.controls[0].match is None:
            return None
        seconds = list(self._remaining[-1])
        seconds[side_to_move] = max(seconds[side_to_move] - self.elapsed, 0.0)
        return seconds[0], seconds[1]

    def remaining_for_move(self, side: int) -> float | None:
        """Return the seconds left for the current move of `side`, or None if its moves have no limit."""
        limit = self.controls[side].move
        return None if limit is None else max(limit - self.elapsed, 0.0)

    def is_exceeded(self, side: int, seconds: float) -> bool:
        """Return True if `seconds` on the current ply are more than `side` has."""
        control = self.controls[side]
        if control.move is not None and seconds > control.move:
            return True
        return control.match is not None and seconds > self._remaining[-1][side]

    def expire(self, side: int) -> None:
        """Charge the current ply with all the time that `side` has left, since it has lost on time."""
        control = self.controls[side]
        left = [] if control.move is None else [control.move]
        left += [] if control.match is None else [self._remaining[-1][side]]
        self._earlier, self._started_at = min(left, default=0.0), None

    def end_ply(self, side: int, seconds: float) -> None:
        """Charge `side` for the current ply, add the increment, and begin the next ply."""
        remaining = list(self._remaining[-1])
        remaining[side] = max(remaining[side] - seconds, 0.0) + self.controls[side].increment
        self._remaining.append((remaining[0], remaining[1]))
        self._earlier, self._started_at = 0.0, None

    def rewind(self, ply: int) -> None:
        """Return to the start of ply `ply`, counted from 0."""
        del self._remaining[ply + 1 :]
        self._earlier, self._started_at = 0.0, None


def _format_seconds(seconds: float) -> str:
    return repr(float(seconds)).removesuffix(".0").replace("e+", "e")
