"""Thinking: one search of an agent, in a thread, from `go` to `bestmove`."""

import threading
from collections.abc import Callable

from boardgames.errors import BoardgamesError, shown
from boardgames.player import Choice, Context, Limit, Player, Stop
from boardgames.plugins import told
from boardgames.ugi.text import NO_MOVE, info_line
from boardgames.ugi.trail import Trail


class Thinking:
    """An agent at work on the last position of a trail.

    Whatever the agent does, there is one answer: its move, or `bestmove 0000`
    after an `info string` that says why there is none.

    Parameters
    ----------
    agent : Player
        Who thinks; nobody else uses it meanwhile.
    trail : Trail
        The match so far.
    limit : Limit
        What it may spend.
    is_new : bool
        The agent is told first that a match begins.
    is_infinite : bool
        The answer waits for `stop`, even if it is known before.
    say : callable
        Takes lines while the agent thinks.
    answer : callable
        Takes the last lines, in the thread.
    """

    def __init__(
        self,
        agent: Player,
        trail: Trail,
        *,
        limit: Limit,
        is_new: bool,
        is_infinite: bool,
        say: Callable[[str], None],
        answer: Callable[[list[str]], None],
    ) -> None:
        self.agent, self.trail, self.limit = agent, trail, limit
        self.is_infinite = is_infinite
        self._is_new = is_new
        self._say, self._answer = say, answer
        self._stop, self._released = Stop(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="boardgames-engine", daemon=True)

    def start(self) -> None:
        """Begin to think."""
        self._thread.start()

    def stop(self) -> None:
        """Ask for the answer now."""
        self._stop.set()
        self._released.set()

    @property
    def is_stopped(self) -> bool:
        """Say whether the answer has been asked for."""
        return self._stop.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end at most so long; say whether it has come."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            lines = self._lines()
        except BoardgamesError as error:
            lines = _without_move(str(error))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - an agent may raise anything
            lines = _without_move(f"the agent {self.agent.name!r} raised {told(error)}")
        if self.is_infinite:
            self._released.wait()
        self._answer(lines)

    def _lines(self) -> list[str]:
        """Let the agent choose; return the lines of its answer."""
        position = self.trail.position
        if self._is_new:
            self.agent.match_started(position.side_to_move)
        context = Context(self._stop, self.trail.positions[:-1], lambda choice: self._say(info_line(choice)))
        choice: object = self.agent.choose(position, self.limit, context)
        if not isinstance(choice, Choice):
            return _without_move(f"expected a Choice from the agent {self.agent.name!r}: {shown(choice)}")
        if choice.move is None:
            return _without_move("the agent resigns")
        return [info_line(choice), f"bestmove {position.game.format_move(position, choice.move)}"]


def _without_move(reason: str) -> list[str]:
    return [f"info string {reason}", f"bestmove {NO_MOVE}"]
