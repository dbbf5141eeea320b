"""The UGI engine: lets other programs use our agents over UGI.

`Server` handles one line at a time and writes its answers through a callable;
the agent searches in a thread, so that `stop`, `isready` and queries are
answered meanwhile. A command that cannot be carried out has no effect and is
reported in an `info string`; only `quit` ends the server. The `id` lines are
written by the owner of the streams (`EngineSetup.introduction`), before this
module and its dependencies are imported.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from boardgames.declarations import NO_REPETITION
from boardgames.draw.text import printable
from boardgames.errors import BoardgamesError, MatchError, OptionError, describe_error, quote, suggest
from boardgames.game import Game
from boardgames.player import Choice, Context, Limit, Player, Stop
from boardgames.repetition import outcome_after
from boardgames.ugi.protocol import NO_MOVE, MoveHistory, info_line, parse_go
from boardgames.ugi.setup import EngineOption, EngineSetup, engine_options, find_option

STOP_TIMEOUT_S = 1.0
"""How many seconds to wait for a stopped agent before rejecting a command that needs it."""
DRAIN_TIMEOUT_S = 60.0
"""How many seconds a search may continue after the end of the input."""
POLL_INTERVAL_S = 0.1

RESULTS = {0: "p1win", 1: "p2win", None: "draw"}


class Server:
    r"""A UGI engine without its streams: takes commands as text, and writes answers through a callable.

    Parameters
    ----------
    setup : EngineSetup
        The game and the agent, which are created by the first command.
    write : callable
        Writes one or more complete lines; called from any thread.

    Examples
    --------
    >>> answers = []
    >>> server = Server(EngineSetup("connect4"), answers.append)
    >>> server.handle("position startpos moves 4 4"), server.handle("query p1turn")
    (True, True)
    >>> answers, server.handle("quit")
    (['response true\n'], False)
    """

    def __init__(self, setup: EngineSetup, write: Callable[[str], None]) -> None:
        self.setup = setup
        self.is_connected = True
        self._write = write
        self._lock = threading.RLock()
        self._agent: Player | None = None
        self._options: dict[str, EngineOption] = {}
        self._history: MoveHistory
        self._side: int | None = None  # the side of which the agent was notified, or None in a new match
        self._has_searched = False
        self._search: Search | None = None
        self._commands: dict[str, Callable[[Sequence[str]], None]] = {
            "ugi": self._ugi,
            "isready": self._isready,
            "setoption": self._setoption,
            "uginewgame": self._uginewgame,
            "position": self._position,
            "go": self._go,
            "stop": self._stop,
            "query": self._query,
        }

    def handle(self, line: str) -> bool:
        """Carry out one command. Return False if the server should shut down.

        Raises
        ------
        BoardgamesError
            If the first command cannot create the game or the agent of the
            setup.
        """
        words = line.split()
        if not words:
            return self.is_connected
        if words[0] == "quit":
            return False
        if self._agent is None:
            self._apply(self.setup)
        self._run(words)
        return self.is_connected

    def drain(self) -> None:
        """Wait up to a minute for a search that will end by itself, as long as the output is open."""
        search, deadline = self._search, time.monotonic() + DRAIN_TIMEOUT_S
        if search is None or search.is_infinite or search.is_stopped:
            return
        while self.is_connected and time.monotonic() < deadline and not search.wait(POLL_INTERVAL_S):
            continue

    def close(self) -> None:
        """Stop the search and close the agent."""
        if self._is_idle(stop=True) and self._agent is not None:
            self._agent.close()

    def _run(self, words: Sequence[str]) -> None:
        command = self._commands.get(words[0])
        with self._reporting_errors():
            if command is None:
                raise OptionError(f"unknown command {quote(words[0])}{suggest(words[0], self._commands)}")
            command(words[1:])

    @contextmanager
    def _reporting_errors(self) -> Iterator[None]:
        try:
            yield
        except BoardgamesError as error:
            self._send(f"info string {error}")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plug-in may raise anything
            self._send(f"info string {describe_error(error)}")

    # --- the commands ----------------------------------------------------

    def _ugi(self, words: Sequence[str]) -> None:
        self._send(*(option.declaration() for option in self._options.values()), "ugiok")

    def _isready(self, words: Sequence[str]) -> None:
        """Answer after the agent has prepared for a new match, so that its first move gets its full time."""
        if self._search is None and self._side is None:
            with self._reporting_errors():
                self._prepare()
        self._send("readyok")

    def _setoption(self, words: Sequence[str]) -> None:
        self._check_idle("setoption")
        if words[:1] != ["name"]:
            raise OptionError(f"setoption takes 'name NAME value VALUE', not {quote(' '.join(words))}")
        place = words.index("value") if "value" in words else len(words)
        option = find_option(" ".join(words[1:place]), self._options)
        self._apply(self.setup.with_value(option, option.parse(" ".join(words[place + 1 :]))))

    def _uginewgame(self, words: Sequence[str]) -> None:
        self._check_idle("uginewgame")
        self._side = None
        self._prepare()

    def _position(self, words: Sequence[str]) -> None:
        place = words.index("moves") if "moves" in words else len(words)
        kind, text, moves = words[:1], " ".join(words[1:place]), words[place + 1 :]
        if kind == ["startpos"] and not text:
            start = self._game.start()
        elif kind == ["fen"] and text:
            start = self._game.parse(text)
        else:
            raise OptionError(f"position takes 'startpos' or 'fen TEXT', not {quote(' '.join(words))}")
        known = self._history if self._history.positions[0] == start else MoveHistory([start])
        self._history = known.with_moves(moves)

    def _go(self, words: Sequence[str]) -> None:
        self._check_idle("go")
        request = parse_go(words)
        for problem in request.problems:
            self._send(f"info string {problem}")
        assert self._agent is not None
        side = self._history.position.side_to_move
        self._search = Search(
            self._agent,
            self._history,
            limit=request.limit(side),
            is_new_match=self._side is None or not (self._has_searched or self._side == side),
            is_infinite=request.is_infinite,
            on_info=self._send,
            on_answer=self._answer,
        )
        self._side, self._has_searched = side, True
        self._search.start()

    def _stop(self, words: Sequence[str]) -> None:
        search = self._search
        if search is not None:
            search.stop()

    def _query(self, words: Sequence[str]) -> None:
        game, positions = self._game, self._history.positions
        outcome = outcome_after(positions, game.facts.repetition or NO_REPETITION)
        position = positions[-1]
        answers = {
            "p1turn": str(position.side_to_move == 0).lower(),
            "gameover": str(outcome is not None).lower(),
            "result": "none" if outcome is None else RESULTS[outcome.winner],
        }
        name = " ".join(words)
        if name not in answers:
            raise OptionError(f"unknown query {quote(name)}{suggest(name, answers)}")
        self._send(f"response {answers[name]}")

    # --- helpers ---------------------------------------------------------

    @property
    def _game(self) -> Game:
        assert self._agent is not None
        return self._agent.game

    def _prepare(self) -> None:
        """Notify the agent of a match in which it plays the side to move; `go` corrects a wrong side."""
        assert self._agent is not None
        side = self._history.position.side_to_move
        self._agent.match_started(side)
        self._side, self._has_searched = side, False

    def _apply(self, setup: EngineSetup) -> None:
        """Create the game and the agent of a setup; keep the position if the game stays the same.

        If that fails, nothing changes.
        """
        game = setup.make_game()
        agent = setup.make_agent(game)
        old, self._agent, self.setup, self._side = self._agent, agent, setup, None
        self._options = engine_options(agent)
        if old is None or (old.game, old.game.layout) != (game, game.layout):
            self._history = MoveHistory([game.start()])
        if old is not None:
            old.close()

    def _answer(self, lines: list[str]) -> None:
        """Send the answer of the search that has ended; from now on the next `go` is accepted."""
        with self._lock:
            self._search = None
            self._send(*lines)

    def _is_idle(self, *, stop: bool = False) -> bool:
        """Return True if no search is running, after waiting up to a second for one that has been stopped."""
        search = self._search
        if search is not None and stop:
            search.stop()
        if search is not None and search.is_stopped:
            search.wait(STOP_TIMEOUT_S)
        return self._search is None

    def _check_idle(self, command: str) -> None:
        if not self._is_idle():
            raise MatchError(f"{command} is not possible during a search; send stop first")

    def _send(self, *lines: str) -> None:
        """Write the lines immediately; clear `is_connected` if the output has been closed."""
        text = "".join(f"{printable(line)}\n" for line in lines)
        with self._lock:
            try:
                self._write(text)
            except OSError:
                self.is_connected = False


class Search:
    """One search of the agent in a thread, from `go` to `bestmove`.

    Whatever the agent does, there is exactly one answer: its move, or `bestmove
    0000` after an `info string` that says why it has none.

    Parameters
    ----------
    agent : Player
        The agent, which must not be used elsewhere during the search.
    history : MoveHistory
        The match so far.
    is_new_match : bool
        True to notify the agent that a match has started before it searches.
    is_infinite : bool
        True to withhold the answer until `stop`, even if the search ends
        earlier.
    on_info : callable
        Called with each `info` line during the search.
    on_answer : callable
        Called in the search thread with the last lines.
    """

    def __init__(
        self,
        agent: Player,
        history: MoveHistory,
        *,
        limit: Limit,
        is_new_match: bool,
        is_infinite: bool,
        on_info: Callable[[str], None],
        on_answer: Callable[[list[str]], None],
    ) -> None:
        self.agent, self.history, self.limit = agent, history, limit
        self.is_infinite = is_infinite
        self._is_new_match = is_new_match
        self._on_info, self._on_answer = on_info, on_answer
        self._stop, self._may_answer = Stop(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="boardgames-engine", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the search, so that it answers now."""
        self._stop.set()
        self._may_answer.set()

    @property
    def is_stopped(self) -> bool:
        """Return True if `stop` has been called."""
        return self._stop.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for the search to end; return True if it has."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            lines = self._choose()
        except BoardgamesError as error:
            lines = _no_move(str(error))
        except BaseException as error:  # noqa: BLE001 - an agent may raise anything; Ctrl-C does not come here
            lines = _no_move(f"the agent {self.agent.name!r} raised {describe_error(error)}")
        if self.is_infinite:
            self._may_answer.wait()
        self._on_answer(lines)

    def _choose(self) -> list[str]:
        """Let the agent choose a move and return the lines of the answer."""
        position = self.history.position
        if self._is_new_match:
            self.agent.match_started(position.side_to_move)
        context = Context(
            self._stop, self.history.positions[:-1], lambda choice: self._on_info(info_line(choice))
        )
        choice: object = self.agent.choose(position, self.limit, context)
        if not isinstance(choice, Choice):
            return _no_move(f"the agent {self.agent.name!r} returned {quote(choice)} instead of a Choice")
        if choice.move is None:
            return _no_move("the agent resigns")
        return [info_line(choice), f"bestmove {position.game.format_move(position, choice.move)}"]


def _no_move(reason: str) -> list[str]:
    return [f"info string {reason}", f"bestmove {NO_MOVE}"]
