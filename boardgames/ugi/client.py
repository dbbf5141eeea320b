"""The client side of UGI, which copes with engines that violate the protocol in any way.

Every request has a deadline. Before each position the client sends `isready`
and skips everything up to `readyok`, so that a late answer to an earlier
request is never mistaken for the answer to the current one.
"""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from boardgames.draw.text import printable
from boardgames.errors import EngineError, MalformedMoveError, quote, suggest
from boardgames.player import Stop
from boardgames.ugi.process import TAIL_LENGTH, EngineProcess
from boardgames.ugi.protocol import NO_MOVE, Info, OfferedOption, parse_option

STOP_POLL_S = 0.02
STOP_TIMEOUT_S = 5.0
"""How many seconds an engine has to answer after `stop`."""
INFO_INTERVAL_S = 0.05
MAX_OPTIONS = 1000
INFO_STRING = "info string "


class Deadline:
    """A point in time, given in seconds from now.

    Examples
    --------
    >>> deadline = Deadline(3600)
    >>> deadline.has_passed, deadline.tightened(7200) is deadline
    (False, True)
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.at = time.monotonic() + seconds

    @property
    def has_passed(self) -> bool:
        """Return True if the deadline has passed."""
        return time.monotonic() >= self.at

    def tightened(self, seconds: float) -> "Deadline":
        """Return the deadline `seconds` from now, or this one if it is earlier."""
        other = Deadline(seconds)
        return other if other.at < self.at else self


@dataclass(frozen=True, slots=True)
class Answer:
    """The move of a `bestmove`, as text, and what the engine reported while searching."""

    move: str
    info: Info


class Client:
    """A connection to an engine that has been started and is ready.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    label : str
        Name of the engine in error messages.
    settings : mapping of str to str
        Options to set, by name.
    seconds : float
        Time until the engine must be ready.
    game_options : mapping of str to str
        Options of the game. If the engine has an option `game-NAME` or `NAME`
        with a different default, it is also set.
    log : Logger, optional
        From `open_log`; gets every line to and from the engine.

    Raises
    ------
    EngineError
        If the engine does not start, is not ready in time or does not have an
        option.
    """

    def __init__(
        self,
        command: Sequence[str],
        label: str,
        *,
        settings: Mapping[str, str],
        seconds: float,
        game_options: Mapping[str, str] = MappingProxyType({}),
        log: logging.Logger | None = None,
    ) -> None:
        self.label = label
        self.options: dict[str, OfferedOption] = {}
        self._info_string = ""
        deadline = Deadline(seconds)
        self.program = EngineProcess(command, label, log=log)
        try:
            self._handshake(deadline)
            self._set_options({**self._game_settings(game_options, settings), **settings}, deadline)
            self._wait_ready(deadline)
        except BaseException:
            self.program.kill()
            raise

    def new_match(self, *, seconds: float, settings: Mapping[str, str]) -> None:
        """Set the options, announce a new match and wait until the engine is ready for it.

        Raises
        ------
        EngineError
            If the engine has ended, or is not ready in time.
        """
        deadline = Deadline(seconds)
        self._wait_ready(deadline)
        self._set_options(settings, deadline)
        self._send("uginewgame", deadline)
        self._wait_ready(deadline)

    def go(
        self,
        position: str,
        go: str,
        *,
        deadline: Deadline,
        stop: Stop | None = None,
        on_info: Callable[[Info], None] | None = None,
    ) -> Answer:
        """Send a `position` and a `go` line and return the engine's answer.

        Parameters
        ----------
        deadline : Deadline
            Deadline for the whole exchange; after `stop`, the engine has at most five
            seconds to answer.
        stop : Stop, optional
            When it is set, `stop` is sent.
        on_info : callable, optional
            Called at most twenty times a second with what the engine has reported so far.

        Raises
        ------
        EngineError
            If the engine ends, has no move, or does not answer before the deadline.
        MalformedMoveError
            If `bestmove` is not followed by a move, optionally with `ponder` and another move.
        """
        self._wait_ready(deadline)
        self._send(position, deadline)
        self._send(go, deadline)
        info, reported, is_stopped = Info(), 0.0, False
        while not deadline.has_passed:
            if stop is not None and stop.is_set() and not is_stopped:
                deadline, is_stopped = deadline.tightened(STOP_TIMEOUT_S), True
                self._send("stop", deadline)
            line = self._read(min(deadline.at, time.monotonic() + STOP_POLL_S)) or ""
            words = line.split()
            if words[:1] == ["bestmove"]:
                return Answer(self._parse_move(words, line, info), info)
            if words[:1] == ["info"]:
                info.read(words[1:])
                if on_info is not None and time.monotonic() - reported >= INFO_INTERVAL_S:
                    on_info(info)
                    reported = time.monotonic()
        raise self._timeout("bestmove", deadline)

    def close(self) -> None:
        """Send `quit` and end the engine. May be called more than once."""
        self.program.close()

    def diagnostics(self) -> str:
        """Return the last `info string` and the last line of stderr, to be appended to an error message."""
        sources = {"last info string": self._info_string, "last line on stderr": self.program.stderr_tail()}
        return "".join(f"; {name}: {text}" for name, text in sources.items() if text)

    def _handshake(self, deadline: Deadline) -> None:
        """Send `ugi` and collect the options that the engine offers, up to `ugiok`."""
        self._send("ugi", deadline)
        first = ""
        while (line := self._next(deadline)) != "ugiok":
            if line is None:
                received = f"its first line was {quote(first)}" if first else "it sent nothing"
                raise self._timeout("ugiok", deadline, f" ({received}; does it flush its output?)")
            first = first or line
            option = parse_option(line)
            if option is not None and len(self.options) < MAX_OPTIONS:
                self.options[option.name.lower()] = option

    def _game_settings(self, options: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
        """Return the settings that make the engine play the same game, in addition to `settings`."""
        needed: dict[str, str] = {}
        given = {name.lower() for name in settings}
        for name, value in options.items():
            offered = self.options.get(f"game-{name}".lower()) or self.options.get(name.lower())
            if offered is not None and offered.default != value and offered.name.lower() not in given:
                needed[offered.name] = value
        return needed

    def _set_options(self, settings: Mapping[str, str], deadline: Deadline) -> None:
        for name, value in settings.items():
            option = self.options.get(name.lower())
            if option is None:
                hint = suggest(name, (offered.name for offered in self.options.values()))
                raise EngineError(f"{self.label} has no option {quote(name)}{hint}")
            self._send(f"setoption name {option.name} value {value}", deadline)

    def _wait_ready(self, deadline: Deadline) -> None:
        self._send("isready", deadline)
        while (line := self._next(deadline)) != "readyok":
            if line is None:
                raise self._timeout("readyok", deadline)

    def _send(self, line: str, deadline: Deadline) -> None:
        self.program.send(line, deadline=deadline.at)

    def _next(self, deadline: Deadline) -> str | None:
        """Return the next line, or None if the deadline has passed, even if there are more lines."""
        return None if deadline.has_passed else self._read(deadline.at)

    def _read(self, until: float) -> str | None:
        line = self.program.read(until)
        if line is not None and line.startswith(INFO_STRING):
            self._info_string = printable(line.removeprefix(INFO_STRING))[:TAIL_LENGTH]
        return line

    def _timeout(self, missing: str, deadline: Deadline, hint: str = "") -> EngineError:
        return self.program.error(f"sent no {missing} within {deadline.seconds:.4g} s{hint}")

    def _parse_move(self, words: Sequence[str], line: str, info: Info) -> str:
        if len(words) not in (2, 4) or words[2:3] not in ([], ["ponder"]):  # we never ask it to ponder
            problem = f"must answer `bestmove MOVE`, perhaps with `ponder MOVE` after it, not {quote(line)}"
            raise MalformedMoveError(f"{self.label} {problem}{self.diagnostics()}")
        if words[1] == NO_MOVE:
            reason = f": {info.message}" if info.message else ""
            raise EngineError(f"{self.label} has no move{reason}")
        return words[1]
