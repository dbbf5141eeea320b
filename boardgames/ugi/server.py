"""Server: our end of UGI as an engine; lines in, lines out, an agent in a thread.

It takes any line at any time. What it cannot do it says in an `info string`
and leaves things as they were; nothing but `quit` ends it. The `id` lines are
said by whoever has the streams (`Setup.introduction`), before this module and
all that it needs is loaded.
"""

import threading
import time
from collections.abc import Callable, Sequence

from boardgames.draw.text import printable
from boardgames.errors import BoardgamesError, MatchError, OptionError, near, shown
from boardgames.game import Game
from boardgames.player import Choice, Context, Limit, Player, Stop
from boardgames.plugins import told
from boardgames.ugi.protocol import NO_MOVE, Trail, info_line, parse_go
from boardgames.ugi.setup import Setting, Setup, setting_named, settings_of

END_S = 1.0
"""Seconds that an agent is given to heed a stop before something that needs it is refused."""

LAST_SEARCH_S = 60.0
"""Seconds that a search may go on after the end of the input."""
LOOK_EVERY_S = 0.1

RESULTS = {0: "p1win", 1: "p2win", None: "draw"}


class Server:
    r"""An agent that is driven by lines of UGI.

    Parameters
    ----------
    setup : Setup
        The game and the agent; made when the first message comes.
    write : callable
        Takes one or more whole lines at a time, from any thread.

    Examples
    --------
    >>> said = []
    >>> server = Server(Setup("connect4"), said.append)
    >>> server.receive("position startpos moves 4 4"), server.receive("query p1turn")
    (True, True)
    >>> said, server.receive("quit")
    (['response true\n'], False)
    """

    def __init__(self, setup: Setup, write: Callable[[str], None]) -> None:
        self.setup = setup
        self.is_heard = True
        self._write = write
        self._lock = threading.RLock()
        self._agent: Player | None = None
        self._settings: dict[str, Setting] = {}
        self._trail: Trail
        self._is_new = True
        self._thinking: Thinking | None = None
        self._commands: dict[str, Callable[[Sequence[str]], None]] = {
            "ugi": self._greet,
            "isready": lambda _: self._say("readyok"),
            "setoption": self._set_option,
            "uginewgame": self._begin,
            "position": self._place,
            "go": self._go,
            "stop": self._stop,
            "query": self._query,
        }

    def receive(self, line: str) -> bool:
        """Act on one line; say whether to go on.

        Raises
        ------
        BoardgamesError
            If the game or the agent of the setup cannot be made, at the first line.
        """
        words = line.split()
        if not words:
            return self.is_heard
        if words[0] == "quit":
            return False
        if self._agent is None:
            self._make(self.setup)
        self._obey(words)
        return self.is_heard

    def complain(self, reason: str) -> None:
        """Say what was expected, in an `info string`."""
        self._say(f"info string {reason}")

    def finish(self) -> None:
        """Let a search go on that ends by itself, while somebody listens, and for a minute at most."""
        thinking, until = self._thinking, time.monotonic() + LAST_SEARCH_S
        if thinking is None or thinking.is_infinite or thinking.is_stopped:
            return
        while self.is_heard and time.monotonic() < until and not thinking.wait(LOOK_EVERY_S):
            continue

    def end(self) -> None:
        """Stop thinking, and give back what the agent holds."""
        if self._is_free(stop=True) and self._agent is not None:
            self._agent.close()

    def _obey(self, words: Sequence[str]) -> None:
        command = self._commands.get(words[0])
        try:
            if command is None:
                raise OptionError(
                    f"expected a command of UGI: {shown(words[0])}{near(words[0], self._commands)}"
                )
            command(words[1:])
        except BoardgamesError as error:
            self.complain(str(error))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plug-in may raise anything
            self.complain(told(error))

    # --- the commands ----------------------------------------------------

    def _greet(self, words: Sequence[str]) -> None:
        self._say(*(setting.line() for setting in self._settings.values()), "ugiok")

    def _set_option(self, words: Sequence[str]) -> None:
        self._check_free("setoption")
        if words[:1] != ["name"]:
            raise OptionError(f"expected setoption name NAME value VALUE: {shown(' '.join(words))}")
        place = words.index("value") if "value" in words else len(words)
        setting = setting_named(" ".join(words[1:place]), self._settings)
        value = setting.read(" ".join(words[place + 1 :]))
        self._make(self.setup.with_value(setting, value))

    def _begin(self, words: Sequence[str]) -> None:
        self._check_free("uginewgame")
        self._is_new = True

    def _place(self, words: Sequence[str]) -> None:
        place = words.index("moves") if "moves" in words else len(words)
        kind, text, moves = words[:1], " ".join(words[1:place]), words[place + 1 :]
        if kind == ["startpos"] and not text:
            start = self._game.start()
        elif kind == ["fen"] and text:
            start = self._game.parse(text)
        else:
            raise OptionError(f"expected position startpos or position fen TEXT: {shown(' '.join(words))}")
        known = self._trail if self._trail.positions[0] == start else Trail([start])
        self._trail = known.follow(moves)

    def _go(self, words: Sequence[str]) -> None:
        self._check_free("go")
        asked = parse_go(words)
        for reason in asked.refused:
            self.complain(reason)
        assert self._agent is not None
        self._thinking = Thinking(
            self._agent,
            self._trail,
            limit=asked.limit(self._trail.position.side_to_move),
            is_new=self._is_new,
            is_infinite=asked.is_infinite,
            say=self._say,
            answer=self._answer,
        )
        self._is_new = False
        self._thinking.start()

    def _stop(self, words: Sequence[str]) -> None:
        thinking = self._thinking
        if thinking is not None:
            thinking.stop()

    def _query(self, words: Sequence[str]) -> None:
        position = self._trail.position
        outcome = position.outcome
        answers = {
            "p1turn": str(position.side_to_move == 0).lower(),
            "gameover": str(outcome is not None).lower(),
            "result": "none" if outcome is None else RESULTS[outcome.winner],
        }
        name = " ".join(words)
        if name not in answers:
            raise OptionError(f"expected a query of {', '.join(answers)}: {shown(name)}")
        self._say(f"response {answers[name]}")

    # --- helpers ---------------------------------------------------------

    @property
    def _game(self) -> Game:
        assert self._agent is not None
        return self._agent.game

    def _make(self, setup: Setup) -> None:
        """Make game and agent anew; keep the old ones if that fails, and the position if it fits."""
        game = setup.make_game()
        agent = setup.make_agent(game)
        old, self._agent, self.setup, self._is_new = self._agent, agent, setup, True
        self._settings = settings_of(agent)
        if old is None or (old.game, old.game.layout) != (game, game.layout):
            self._trail = Trail([game.start()])
        if old is not None:
            old.close()

    def _answer(self, lines: list[str]) -> None:
        """Give the answer; from here on another `go` may come."""
        with self._lock:
            self._thinking = None
            self._say(*lines)

    def _is_free(self, *, stop: bool = False) -> bool:
        """Say whether nobody thinks; who has been stopped is waited for."""
        thinking = self._thinking
        if thinking is not None and stop:
            thinking.stop()
        if thinking is not None and thinking.is_stopped:
            thinking.wait(END_S)
        return self._thinking is None

    def _check_free(self, command: str) -> None:
        if not self._is_free():
            raise MatchError(f"expected {command} when no search is under way: stop it first")

    def _say(self, *lines: str) -> None:
        """Write lines, all at once; where nobody listens any more, nothing."""
        text = "".join(f"{printable(line)}\n" for line in lines)
        with self._lock:
            try:
                self._write(text)
            except OSError:
                self.is_heard = False


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
