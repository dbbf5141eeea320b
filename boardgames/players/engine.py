"""Player `engine`: an external program that speaks UGI, in a seat like any other player."""

import os
import shlex
import shutil
import time
import weakref
from pathlib import Path
from typing import ClassVar

from boardgames.errors import EngineError, FileError, MoveError, OptionError, shown
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
from boardgames.ugi.process import Log
from boardgames.ugi.protocol import Info, Trail, go_line

DEFAULT_SECONDS = 1.0
ANSWER_MARGIN_S = 1.0
"""Seconds that an engine is waited for when its time is over, before it is killed."""


class Engine(Player):
    """An external program that speaks UGI.

    It is started by the first match or request and again when it has ended
    between matches; `close` ends it. What it does wrong is an error of
    `choose`, or of `match_started`, with the reason, and never a hang.

    Raises
    ------
    OptionError
        If there is no such program, or an option cannot be read.
    FileError
        If the log cannot be written.

    Examples
    --------
    >>> import boardgames
    >>> boardgames.load_player('engine:command="no-such-program"', boardgames.load("connect4"))
    Traceback (most recent call last):
    boardgames.errors.OptionError: expected a program that can be run: 'no-such-program'
    """

    name: ClassVar[str] = "engine"
    declared_options: ClassVar[tuple[Option, ...]] = (
        Option("command", str, None, "the program and its arguments, as in a shell"),
        Option("options", str, "", "what to set in the engine: Name=Value;Name=Value"),
        Option("start", float, 10.0, "seconds to start in", minimum=0.01, maximum=3600),
        Option(
            "patience", float, 60.0, "seconds for a move if no time is limited", minimum=0.01, maximum=86_400
        ),
        Option("name", str, "", "what tables call it; by default the name of its file"),
        Option("log", str, "", "a file to which all that is said between us is appended"),
    )

    def __init__(self, game: Game, *, seed: int | None = None, **options: object) -> None:
        super().__init__(game, seed=seed, **options)
        self._seed = seed
        self._command = _command(self.options["command"])
        settings = [text for text in str(self.options["options"]).split(";") if text.strip()]
        self._settings = parse_assignments(settings)
        self._log = Log(str(self.options["log"])) if self.options["log"] else None
        self.options["log"] = ""  # watched or not, it is the same player in ratings
        self._client: Client | None = None
        self._trail: Trail | None = None
        self._finalizer: weakref.finalize[[], Engine] | None = None

    def choose(self, position: Position, limit: Limit = NO_LIMIT, context: Context = NO_CONTEXT) -> Choice:
        """Return the engine's move.

        Without a limit that UGI knows, the engine is given a second.

        Raises
        ------
        EngineError
            If it ends, or gives no answer a second after its time is over;
            it is killed then, and started again by the next request.
        MalformedMoveError, IllegalMoveError, AmbiguousMoveError
            If its answer is no legal move; the message ends with the engine's
            last words.
        """
        self._check_open(position)
        started = time.monotonic()
        client = self._started()
        try:
            answer = client.go(
                self._position_line(position, context),
                go_line(limit, position.side_to_move, default_seconds=DEFAULT_SECONDS),
                deadline=Deadline(self._patience(limit, position.side_to_move)),
                stop=context.stop,
                heard=lambda info: _report(context, position, info, time.monotonic() - started),
            )
        except BaseException:
            self._kill()
            raise
        try:
            move = position.game.parse_move(position, answer.move)
        except MoveError as error:
            raise type(error)(f"{error}{client.last_words()}") from None
        return _choice(position, move, answer.info, time.monotonic() - started)

    def match_started(self, side: int) -> None:
        """Tell the engine that a match begins; start it if it does not run.

        Raises
        ------
        EngineError
            If it cannot be started, or is not ready in time.
        """
        self._trail = None
        is_first = self._client is None
        try:
            self._begin(self._started())
        except EngineError:
            if is_first:
                raise
            self._begin(self._started())  # it had ended, or would not answer: a new one

    def reseed(self, seed: int) -> None:
        """Begin the player's chance anew; an engine with an option `seed` is told at the next match."""
        super().reseed(seed)
        self._seed = seed

    def fingerprint(self) -> str:
        """Return the hash of the program and of the files among its arguments."""
        try:
            return fingerprint_of(*(Path(word).read_bytes() for word in self._command if _is_file(word)))
        except OSError as error:
            raise FileError(f"expected readable files in {self.describe()}: {error}") from None

    def label(self) -> str:
        """Return its `name`, else that of the last file in its command, else program and arguments."""
        files = [word for word in self._command[1:] if _is_file(word)]
        program = " ".join([Path(self._command[0]).name, *self._command[1:]])
        return str(self.options["name"]) or (Path(files[-1]).name if files else program)

    def close(self) -> None:
        """Say `quit` to the engine and end it."""
        client, self._client = self._client, None
        if client is not None:
            client.close()
        self._kill()

    @property
    def _in_messages(self) -> str:
        return f"the engine {shown(self.options['command'])}"

    @property
    def _start_seconds(self) -> float:
        return float(self.options["start"] or 0)

    def _started(self) -> Client:
        """Return the client of the running engine, started now if there is none."""
        if self._client is not None and not self._client.program.is_own():
            self._kill()
        if self._client is None:
            self._client = Client(
                self._command,
                self._in_messages,
                settings=self._settings,
                seconds=self._start_seconds,
                game_options=options_as_texts(self.game.options),
                log=self._log,
            )
            self._finalizer = weakref.finalize(self, self._client.program.kill)
        return self._client

    def _begin(self, client: Client) -> None:
        """Tell an engine of a new match, and of the seed if it has an option for that."""
        offer = client.offers.get("seed")
        seeds = {} if self._seed is None or offer is None else {"seed": str(offer.within(self._seed))}
        try:
            client.new_match(seconds=self._start_seconds, settings=seeds)
        except BaseException:
            self._kill()
            raise

    def _kill(self) -> None:
        self._client = None
        if self._finalizer is not None:
            self._finalizer()

    def _patience(self, limit: Limit, side: int) -> float:
        """Return the seconds to wait for an answer: all that the limit allows and a margin."""
        left = None if limit.clock is None else limit.clock.remaining[side]
        allowed = [limit.seconds, left]
        seconds = [value for value in allowed if value is not None]
        return min(seconds) + ANSWER_MARGIN_S if seconds else float(self.options["patience"] or 0)

    def _position_line(self, position: Position, context: Context) -> str:
        """Return the `position` line: the start and all moves, so that the engine knows of repetitions."""
        positions = (*context.history, position)
        self._trail = (self._trail or Trail(positions[:1])).reach(positions)
        moves = " ".join(self._trail.moves)
        return f"position fen {self._trail.start}" + (f" moves {moves}" if moves else "")


def _command(text: object) -> list[str]:
    """Return program and arguments of a command line, the program as the path that is run."""
    if not isinstance(text, str):
        raise OptionError('expected a program to run, engine:command="PROGRAM ARGUMENTS": none was given')
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise OptionError(f"expected a command line as in a shell: {shown(text)} ({error})".lower()) from None
    found = shutil.which(words[0]) if words else None
    if found is None:
        program = words[0] if words else text
        raise OptionError(f"expected a program that can be run: {shown(program)}{_why_not(program)}")
    return [found, *words[1:]]


def _why_not(program: str) -> str:
    """Return why a file cannot be run as it is written; nothing for what is no file."""
    if not _is_file(program):
        return ""
    return f" is not on PATH, write './{program}'" if os.access(program, os.X_OK) else " is not executable"


def _is_file(word: str) -> bool:
    """Say whether a word of a command is a file; one that is too long for a path is none."""
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False


def _report(context: Context, position: Position, info: Info, seconds: float) -> None:
    """Pass on what the engine thinks best so far, if it is a legal move."""
    if context.report is None:
        return
    line = _legal_line(position, info.line[:1])
    if line:
        context.report(_choice(position, line[0], info, seconds))


def _choice(position: Position, move: Move, info: Info, seconds: float) -> Choice:
    """Return a move together with what the engine said of it."""
    line = _legal_line(position, info.line)
    unit = position.game.evaluation.unit
    return Choice(
        move,
        info.value(unit),
        unit,
        line if line[:1] == (move,) else (move,),
        info.depth,
        info.nodes,
        seconds,
    )


def _legal_line(position: Position, texts: tuple[str, ...]) -> tuple[Move, ...]:
    """Return the moves of a line as far as they are legal."""
    moves: list[Move] = []
    for text in texts:
        if position.outcome is not None or not position.is_legal(text):
            break
        moves.append(position.game.parse_move(position, text))
        position = position.apply(moves[-1])
    return tuple(moves)
