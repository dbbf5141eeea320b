"""Client: speak UGI with an engine that may break the protocol in any way.

Every request has a deadline. Before each position a fence is put up, `isready`
until `readyok`, and whatever the engine said before it, an answer that came
too late say, is dropped.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from boardgames.draw.text import printable
from boardgames.errors import EngineError, MalformedMoveError, near, shown
from boardgames.player import Stop
from boardgames.ugi.process import LAST_WORDS, EngineProcess, Log
from boardgames.ugi.protocol import NO_MOVE, Info, Offer, parse_offer

LISTEN_S = 0.02
"""How long a wish to stop may go unseen."""
STOP_GRACE_S = 5.0
REPORT_EVERY_S = 0.05
MOST_OFFERS = 1000
REMARK = "info string "
NOTHING: Mapping[str, str] = MappingProxyType({})


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
    game_options : mapping of str to str
        Set too if the engine offers options of these names, or of these with
        `game-` before them, with other defaults.
    log : Log, optional
        Gets every line to and from the engine.

    Raises
    ------
    EngineError
        If it does not start, does not answer in time, or offers no such option.
    """

    def __init__(
        self,
        command: Sequence[str],
        label: str,
        *,
        settings: Mapping[str, str],
        seconds: float,
        game_options: Mapping[str, str] = NOTHING,
        log: Log | None = None,
    ) -> None:
        self.label = label
        self.offers: dict[str, Offer] = {}
        self._remark = ""
        deadline = Deadline(seconds)
        self.program = EngineProcess(command, label, log=log)
        try:
            self._greet(deadline)
            self._set({**self._asked_of_game(game_options, settings), **settings}, deadline)
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
        self._set(settings, deadline)
        self._send("uginewgame", deadline)
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
        self._send(position, deadline)
        self._send(go, deadline)
        info, reported, is_stopped = Info(), 0.0, False
        while not deadline.is_over:
            if stop is not None and stop.is_set() and not is_stopped:
                deadline, is_stopped = deadline.tightened(STOP_GRACE_S), True
                self._send("stop", deadline)
            line = self._read(min(deadline.at, time.monotonic() + LISTEN_S)) or ""
            words = line.split()
            if words[:1] == ["bestmove"]:
                return Answer(self._move(words, line, info), info)
            if words[:1] == ["info"]:
                info.read(words[1:])
                if heard is not None and time.monotonic() - reported >= REPORT_EVERY_S:
                    heard(info)
                    reported = time.monotonic()
        raise self._silent("bestmove", deadline)

    def close(self) -> None:
        """Say `quit` and end the engine; any number of times."""
        self.program.close()

    def last_words(self) -> str:
        """Return the last `info string` and the last line of stderr, for the end of a message."""
        remarks = {"its last info string": self._remark, "its last line on stderr": self.program.last_words()}
        return "".join(f"; {what}: {text}" for what, text in remarks.items() if text)

    def _greet(self, deadline: Deadline) -> None:
        self._send("ugi", deadline)
        first = ""
        while (line := self._next(deadline)) != "ugiok":
            if line is None:
                heard = f"its first line was {shown(first)}" if first else "it said nothing"
                raise self._silent("ugiok", deadline, f" ({heard}; does it flush its output?)")
            first = first or line
            offer = parse_offer(line)
            if offer is not None and len(self.offers) < MOST_OFFERS:
                self.offers[offer.name.lower()] = offer

    def _asked_of_game(self, options: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
        """Return what the engine has to set besides `settings` to play the same game."""
        found: dict[str, str] = {}
        given = {name.lower() for name in settings}
        for name, value in options.items():
            offer = self.offers.get(f"game-{name}".lower()) or self.offers.get(name.lower())
            if offer is not None and offer.default != value and offer.name.lower() not in given:
                found[offer.name] = value
        return found

    def _set(self, settings: Mapping[str, str], deadline: Deadline) -> None:
        for name, value in settings.items():
            offer = self.offers.get(name.lower())
            if offer is None:
                known = near(name, (known.name for known in self.offers.values()))
                raise EngineError(f"expected an option of {self.label}: {shown(name)}{known}")
            self._send(f"setoption name {offer.name} value {value}", deadline)

    def _await_ready(self, deadline: Deadline) -> None:
        self._send("isready", deadline)
        while (line := self._next(deadline)) != "readyok":
            if line is None:
                raise self._silent("readyok", deadline)

    def _send(self, line: str, deadline: Deadline) -> None:
        self.program.send(line, until=deadline.at)

    def _next(self, deadline: Deadline) -> str | None:
        """Return the next line, whatever it is; None at the deadline."""
        return None if deadline.is_over else self._read(deadline.at)

    def _read(self, until: float) -> str | None:
        line = self.program.read(until)
        if line is not None and line.startswith(REMARK):
            self._remark = printable(line.removeprefix(REMARK))[:LAST_WORDS]
        return line

    def _silent(self, wanted: str, deadline: Deadline, hint: str = "") -> EngineError:
        return self.program.complaint(f"gave no {wanted} within {deadline.seconds:.4g} s{hint}")

    def _move(self, words: Sequence[str], line: str, info: Info) -> str:
        if len(words) != 2:
            said = f"{shown(line)}{self.last_words()}"
            raise MalformedMoveError(f"expected one move after bestmove from {self.label}: {said}")
        if words[1] == NO_MOVE:
            reason = f": {info.remark}" if info.remark else ""
            raise EngineError(f"{self.label} gave no move{reason}")
        return words[1]
