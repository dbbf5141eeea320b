"""The player `engine`: an external program that speaks UGI."""

import os
import shlex
import shutil
import time
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from boardgames.errors import EngineError, FileError, MoveError, OptionError, quote
from boardgames.game import Game, Move, Position
from boardgames.options import Option, parse_assignments
from boardgames.player import (
    NO_CONTEXT,
    NO_LIMIT,
    Choice,
    Context,
    Limit,
    Player,
    fingerprint_of,
)
from boardgames.record import options_as_texts
from boardgames.ugi.client import Client, Deadline
from boardgames.ugi.process import open_log
from boardgames.ugi.protocol import Info, MoveHistory, go_line

DEFAULT_SECONDS = 1.0
ANSWER_MARGIN_S = 1.0
"""Seconds to wait for the answer after the engine's time is up, before it is killed."""


class Engine(Player):
    """An external program that speaks UGI.

    The program is started for the first match or request, and again if it has
    ended between matches; `close` ends it. If it misbehaves, `choose` and
    `match_started` raise an error with the reason; they never hang.

    Raises
    ------
    OptionError
        If the program does not exist, or an option is invalid.
    FileError
        If the log cannot be written.

    Examples
    --------
    >>> import boardgames
    >>> boardgames.load_player('engine:command="no-such-program"', boardgames.load("connect4"))
    Traceback (most recent call last):
    boardgames.errors.OptionError: cannot run 'no-such-program': no such program
    """

    name: ClassVar[str] = "engine"
    declared_options: ClassVar[tuple[Option, ...]] = (
        Option("command", str, None, "program and arguments, as in a shell"),
        Option("options", str, "", "options to set in the engine: Name=Value;Name=Value"),
        Option("start", float, 10.0, "seconds until the engine must be ready", minimum=0.01, maximum=3600),
        Option(
            "patience", float, 60.0, "seconds for a move without a time limit", minimum=0.01, maximum=86_400
        ),
        Option("name", str, "", "name in tables; default: the file name of the program"),
        Option("log", str, "", "file to which the conversation with the engine is appended"),
    )

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        self._seed = seed
        self._command = _command(self.options["command"])
        settings = [text for text in str(self.options["options"]).split(";") if text.strip()]
        self._settings = parse_assignments(settings)
        self._log = open_log(str(self.options["log"])) if self.options["log"] else None
        self.options["log"] = ""  # ratings treat it as the same player with or without a log
        self._client: Client | None = None
        self._history: MoveHistory | None = None
        self._finalizer: weakref.finalize[[], Engine] | None = None

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the engine's move.

        If there is no limit that UGI can express, the engine gets one second.

        Raises
        ------
        EngineError
            If the engine exits, or has not answered a second after its time was
            up. It is then killed, and started again by the next request.
        MalformedMoveError, IllegalMoveError, AmbiguousMoveError
            If the answer is not a legal move; the message ends with the last
            `info string` and the last line of stderr.
        """
        self._check_position(position)
        started = time.monotonic()
        client = self._running_client()
        try:
            answer = client.go(
                self._position_line(position, context),
                go_line(limit, position.side_to_move, default_seconds=DEFAULT_SECONDS),
                deadline=Deadline(self._timeout(limit, position.side_to_move)),
                stop=context.stop,
                on_info=lambda info: _report(context, position, info, time.monotonic() - started),
            )
        except BaseException:
            self._kill()
            raise
        try:
            move = position.game.parse_move(position, answer.move)
        except MoveError as error:
            raise type(error)(f"{error}{client.diagnostics()}") from None
        return _choice(position, move, answer.info, time.monotonic() - started)

    def match_started(self, side: int) -> None:
        """Announce a new match to the engine, starting it if necessary.

        Raises
        ------
        EngineError
            If the engine cannot be started or is not ready in time.
        """
        self._history = None
        is_first = self._client is None
        try:
            self._new_match(self._running_client())
        except EngineError:
            if is_first:
                raise
            self._new_match(self._running_client())  # the engine had exited or hung: try again with a new one

    def reseed(self, seed: int) -> None:
        """Reseed the player. An engine with an option `seed` gets it at the start of the next match."""
        super().reseed(seed)
        self._seed = seed

    def fingerprint(self) -> str:
        """Return a hash of the program and the files among its arguments, except for log files."""
        try:
            return fingerprint_of(*(file.read_bytes() for file in _files_of(self._command)))
        except OSError as error:
            raise FileError(f"cannot read the files of {self.describe()}: {error}") from None

    def label(self) -> str:
        """Return the option `name`, or the last file name in the command, or the command itself."""
        files = _files_of(self._command[1:])
        program = " ".join([Path(self._command[0]).name, *self._command[1:]])
        return str(self.options["name"]) or (files[-1].name if files else program)

    def close(self) -> None:
        """Send `quit` to the engine and end it."""
        client, self._client = self._client, None
        try:
            if client is not None:
                client.close()
        finally:
            self._kill()

    @property
    def _engine_name(self) -> str:
        return f"the engine {quote(self.options['command'])}"

    @property
    def _start_seconds(self) -> float:
        return float(self.options["start"] or 0)

    def _running_client(self) -> Client:
        """Return the client of the running engine; start the engine if necessary."""
        if self._client is not None and not self._client.program.is_ours:
            self._kill()
        if self._client is None:
            self._client = Client(
                self._command,
                self._engine_name,
                settings=self._settings,
                seconds=self._start_seconds,
                game_options=options_as_texts(self.game.options),
                log=self._log,
            )
            self._finalizer = weakref.finalize(self, self._client.program.kill)
        return self._client

    def _new_match(self, client: Client) -> None:
        """Announce a new match, and set the seed if the engine has an option for it."""
        option = client.options.get("seed")
        seeds = {} if self._seed is None or option is None else {"seed": str(option.wrapped(self._seed))}
        try:
            client.new_match(seconds=self._start_seconds, settings=seeds)
        except BaseException:
            self._kill()
            raise

    def _kill(self) -> None:
        self._client = None
        if self._finalizer is not None:
            self._finalizer()

    def _timeout(self, limit: Limit, side: int) -> float:
        """Return the seconds to wait for an answer: what the limit allows, plus a margin."""
        left = None if limit.clock is None else limit.clock.remaining[side]
        allowed = [limit.seconds, left]
        seconds = [value for value in allowed if value is not None]
        return min(seconds) + ANSWER_MARGIN_S if seconds else float(self.options["patience"] or 0)

    def _position_line(self, position: Position, context: Context) -> str:
        """Return the `position` line with all moves of the match, so that the engine sees repetitions."""
        positions = (*context.history, position)
        self._history = (self._history or MoveHistory(positions[:1])).with_positions(positions)
        return self._history.command()


def _command(text: object) -> list[str]:
    """Split a command line into words, with the program replaced by its path."""
    if not isinstance(text, str):
        raise OptionError('no program to run; use engine:command="PROGRAM ARGUMENTS"')
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise OptionError(f"cannot parse the command {quote(text)}: {str(error).lower()}") from None
    program = words[0] if words else text
    path = shutil.which(program)
    if path is None:
        raise OptionError(f"cannot run {quote(program)}: {_reason_not_runnable(program)}")
    return [path, *words[1:]]


def _reason_not_runnable(program: str) -> str:
    """Return why a program cannot be run."""
    if not _is_file(program):
        return "no such program"
    if os.access(program, os.X_OK):
        return f"it is not on PATH; write './{program}'"
    return "the file is not executable"


def _files_of(words: Iterable[str]) -> list[Path]:
    """Return the files among the words of a command; logs do not count, since engines write them."""
    return [Path(word) for word in words if _is_file(word) and Path(word).suffix != ".log"]


def _is_file(word: str) -> bool:
    """Return True if a word of a command is a file; a word that is too long for a path is not."""
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False


def _report(context: Context, position: Position, info: Info, seconds: float) -> None:
    """Report the engine's best move so far, if it is legal."""
    if context.report is None:
        return
    line = _legal_line(position, info.line[:1])
    if line:
        context.report(_choice(position, line[0], info, seconds))


def _choice(position: Position, move: Move, info: Info, seconds: float) -> Choice:
    """Return a move together with what the engine reported."""
    line = _legal_line(position, info.line)
    return Choice(
        move,
        info.score_in(position.game.evaluation.unit),
        line if line[:1] == (move,) else (move,),
        info.depth,
        info.nodes,
        seconds,
    )


def _legal_line(position: Position, texts: tuple[str, ...]) -> tuple[Move, ...]:
    """Return the moves of a line up to the first illegal one."""
    moves: list[Move] = []
    for text in texts:
        if position.outcome is not None or not position.is_legal(text):
            break
        moves.append(position.game.parse_move(position, text))
        position = position.apply(moves[-1])
    return tuple(moves)
