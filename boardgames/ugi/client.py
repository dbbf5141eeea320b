"""Client: speak UGI with an engine that may break the protocol in any way.

Every request has a deadline. Before each position a fence is put up, `isready`
until `readyok`, and whatever the engine said before it, an answer that came
too late say, is dropped.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from boardgames.errors import EngineError, MalformedMoveError, near, shown
from boardgames.playing import Stop
from boardgames.ugi.process import EngineProcess
from boardgames.ugi.text import NO_MOVE, Info

LISTEN_S = 0.02
"""How long a wish to stop may go unseen."""
STOP_GRACE_S = 5.0
REPORT_EVERY_S = 0.05


class Deadline:
    """So many seconds from now on.

    Examples
    --------
    >>> deadline = Deadline(3600)
    >>> deadline.is_over, deadline.tightened(7200) is deadline
    (False, True)
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.at = time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """Say whether they have passed."""
        return time.monotonic() >= self.at

    def tightened(self, seconds: float) -> "Deadline":
        """Return the deadline in so many seconds, or this one if it is sooner."""
        other = Deadline(seconds)
        return other if other.at < self.at else self


@dataclass(frozen=True, slots=True)
class Answer:
    """The move that an engine gives, as its text, and what it said while thinking."""

    move: str
    info: Info


class Client:
    """An engine that is started, has shaken hands and is ready.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    label : str
        What messages call it.
    settings : mapping of str to str
        Options to set, by name.
    seconds : float
        Time for the start, until it is ready.

    Raises
    ------
    EngineError
        If it does not start, does not answer in time, or offers no such option.
    """

    def __init__(
        self, command: Sequence[str], label: str, *, settings: Mapping[str, str], seconds: float
    ) -> None:
        self.label = label
        self.options: dict[str, str] = {}
        deadline = Deadline(seconds)
        self.program = EngineProcess(command, label)
        try:
            self._greet(deadline)
            self._set(settings)
            self._await_ready(deadline)
        except BaseException:
            self.program.kill()
            raise

    def new_match(self, *, seconds: float, settings: Mapping[str, str]) -> None:
        """Tell the engine that a match begins, and wait until it is ready for it.

        Raises
        ------
        EngineError
            If it has ended, or is not ready in time.
        """
        deadline = Deadline(seconds)
        self._await_ready(deadline)
        self._set(settings)
        self.program.send("uginewgame")
        self._await_ready(deadline)

    def go(
        self,
        position: str,
        go: str,
        *,
        deadline: Deadline,
        stop: Stop | None = None,
        heard: Callable[[Info], None] | None = None,
    ) -> Answer:
        """Return the engine's answer to a `position` line and a `go` line.

        Parameters
        ----------
        deadline : Deadline
            For all of it; after a stop five seconds are left at most.
        stop : Stop, optional
            Passed on to the engine as `stop`.
        heard : callable, optional
            Called with what the engine says while it thinks, at most twenty
            times a second.

        Raises
        ------
        EngineError
            If the engine ends, gives no move, or is silent until the deadline.
        MalformedMoveError
            If its `bestmove` does not have one move.
        """
        self._await_ready(deadline)
        self.program.send(position)
        self.program.send(go)
        info, reported, is_stopped = Info(), 0.0, False
        while not deadline.is_over:
            if stop is not None and stop.is_set() and not is_stopped:
                self.program.send("stop")
                deadline, is_stopped = deadline.tightened(STOP_GRACE_S), True
            line = self.program.read(min(deadline.at, time.monotonic() + LISTEN_S))
            words = line.split() if line is not None else [""]
            if words[:1] == ["bestmove"]:
                return Answer(self._move(words, line or "", info), info)
            if words[:1] == ["info"]:
                info.read(words[1:])
                if heard is not None and time.monotonic() - reported >= REPORT_EVERY_S:
                    heard(info)
                    reported = time.monotonic()
        raise self._silent("bestmove", deadline)

    def close(self) -> None:
        """Say `quit` and end the engine; any number of times."""
        self.program.close()

    def _greet(self, deadline: Deadline) -> None:
        self.program.send("ugi")
        while (line := self._next("ugiok", deadline)) != "ugiok":
            if line.startswith("option name "):
                name = line.removeprefix("option name ").partition(" type ")[0].strip()
                self.options[name.lower()] = name

    def _set(self, settings: Mapping[str, str]) -> None:
        for name, value in settings.items():
            if name.lower() not in self.options:
                known = near(name, self.options.values())
                raise EngineError(f"expected an option of {self.label}: {shown(name)}{known}")
            self.program.send(f"setoption name {self.options[name.lower()]} value {value}")

    def _await_ready(self, deadline: Deadline) -> None:
        self.program.send("isready")
        while self._next("readyok", deadline) != "readyok":
            continue

    def _next(self, wanted: str, deadline: Deadline) -> str:
        """Return the next line, whatever it is, before the deadline."""
        line = None if deadline.is_over else self.program.read(deadline.at)
        if line is None:
            raise self._silent(wanted, deadline)
        return line

    def _silent(self, wanted: str, deadline: Deadline) -> EngineError:
        return self.program.complaint(f"gave no {wanted} within {deadline.seconds:.4g} s")

    def _move(self, words: Sequence[str], line: str, info: Info) -> str:
        if len(words) != 2:
            raise MalformedMoveError(f"expected one move after bestmove from {self.label}: {shown(line)}")
        if words[1] == NO_MOVE:
            reason = f": {info.remark}" if info.remark else ""
            raise EngineError(f"{self.label} gave no move{reason}")
        return words[1]
