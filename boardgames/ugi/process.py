"""External programs as subprocesses, exchanging lines in bounded time and memory.

No call blocks longer than its deadline, and at most `MAX_ENGINE_LINE` bytes of
an unfinished line are buffered. The program leads its own process group, which
is killed as a whole, on Linux with all its descendants. If this process is
killed, the watchdog process kills the group. Pipes must support polling, which
requires a POSIX system.
"""

import contextlib
import io
import itertools
import logging
import os
import select
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from typing import IO

from boardgames.draw.text import printable
from boardgames.errors import EngineError, FileError, quote
from boardgames.ugi.watchdog import MARK, WATCHDOG, kill_groups

MAX_LINE = 1 << 20
"""Longest line in bytes that our own engine reads: enough for a match of a hundred thousand plies."""
MAX_ENGINE_LINE = 1 << 16
READ_BYTES = 1 << 16
TAIL_LENGTH = 200
MAX_DRAIN_READS = 16
EXIT_TIMEOUT_S = 0.5
SEND_TIMEOUT_S = 5.0

LAUNCHER = ("/bin/sh", "-c", f'read -r _ && export {MARK}=$$ && exec "$@"', "sh")
"""Waits for a line before it executes the program, so that the watchdog knows the process group first."""

SENT, RECEIVED, STDERR, EVENT = "><!*"
"""Marks in the log: lines to the engine, from its stdout, from its stderr, and events such as its start."""

_log_numbers = itertools.count(1)


class LineBuffer:
    r"""Splits incoming bytes into complete lines, using bounded memory.

    Invalid UTF-8 is replaced. Lines longer than `max_line` bytes are dropped
    and counted in `dropped`.

    Examples
    --------
    >>> lines = LineBuffer(max_line=8)
    >>> lines.feed(b"ugi\r\nisre"), lines.feed(b"ady\n much too long\nquit")
    (['ugi'], ['isready'])
    >>> lines.dropped, lines.feed(b"\n")
    (1, ['quit'])
    """

    def __init__(self, max_line: int = MAX_LINE) -> None:
        self.max_line = max_line
        self.dropped = 0
        self._rest = b""
        self._is_skipping = False

    def feed(self, data: bytes) -> list[str]:
        """Return the lines that are complete with `data`, without surrounding white space."""
        *ended, self._rest = (self._rest + data).split(b"\n")
        kept = [line for line in ended if self._accept(line)]
        if len(self._rest) > self.max_line:
            self._rest, self._is_skipping = b"", True
        return [line.decode("utf-8", "replace").strip() for line in kept]

    def _accept(self, line: bytes) -> bool:
        is_accepted = not self._is_skipping and len(line) <= self.max_line
        self.dropped += not is_accepted
        self._is_skipping = False
        return is_accepted


class _LogFile(logging.FileHandler):
    """Appends each record with a single write, so that processes can share the file; failures are ignored.

    A problem with the log, such as a full disk, must not end a match.
    """

    def _open(self) -> io.TextIOWrapper:
        raw = io.FileIO(self.baseFilename, "a")
        return io.TextIOWrapper(raw, encoding="utf-8", errors="replace", write_through=True)

    def emit(self, record: logging.LogRecord) -> None:
        with contextlib.suppress(OSError):  # opens the file again if it was closed, which may fail
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - named by logging
        return


def open_log(path: str) -> logging.Logger:
    r"""Return a logger that appends the conversation with an engine to a file.

    The file is opened for the first record, and opened again for the first one
    after `close_log`. Records need the extra attributes `engine` (a process id)
    and `mark`.

    Raises
    ------
    FileError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = open_log(f"{folder}/engine.log")
    ...     log.debug("isready", extra={"engine": 4711, "mark": SENT})
    ...     close_log(log)
    ...     Path(folder, "engine.log").read_text()[23:]
    ' 4711 > isready\n'
    """
    try:
        handler = _LogFile(path, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise FileError(f"cannot write the log {quote(path)}: {error}") from None
    handler.close()  # the file was only opened to check that it can be written
    formatter = logging.Formatter(
        "%(asctime)s.%(msecs)03d %(engine)d %(mark)s %(message)s", "%Y-%m-%d %H:%M:%S"
    )
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    log = logging.getLogger(f"{__name__}.{next(_log_numbers)}")
    log.setLevel(logging.DEBUG)
    log.propagate = False
    log.addHandler(handler)
    return log


def close_log(log: logging.Logger) -> None:
    """Close the file of a log; the next record opens it again."""
    for handler in log.handlers:
        handler.close()


class EngineProcess:
    """A running program: lines are sent to its stdin and read from its stdout.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    label : str
        Name of the program in error messages.
    log : Logger, optional
        A logger from `open_log`, which gets every line to and from the program.

    Raises
    ------
    EngineError
        If the program cannot be started.

    Examples
    --------
    >>> program = EngineProcess(["cat"], "the engine 'cat'")
    >>> program.send("isready")
    >>> program.read(time.monotonic() + 10)
    'isready'
    >>> program.close()
    """

    def __init__(self, command: Sequence[str], label: str, *, log: logging.Logger | None = None) -> None:
        if os.name != "posix":
            raise EngineError(f"{label} cannot be started: engines need a POSIX system, not {os.name!r}")
        self.label = label
        self._log = log
        self._owner = os.getpid()
        self._received: deque[str] = deque()
        self._stdout_lines, self._stderr_lines = LineBuffer(MAX_ENGINE_LINE), LineBuffer(MAX_ENGINE_LINE)
        self._stderr_tail = ""
        self._process = self._start(command)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._pipes: tuple[IO[bytes], ...] = (
            self._process.stdin,
            self._process.stdout,
            self._process.stderr,
        )
        self._stdin, self._stdout, self._stderr = (pipe.fileno() for pipe in self._pipes)
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)
        try:
            WATCHDOG.watch(self._process.pid)
            self._record(EVENT, ["started: " + " ".join(command)])
            self._write("", time.monotonic() + SEND_TIMEOUT_S)
        except (OSError, EngineError) as error:
            self.kill()
            raise EngineError(f"{label} and its watchdog cannot be started: {error}") from error

    @property
    def is_ours(self) -> bool:
        """Return True if this process started the program, or False if it was forked since then."""
        return self._owner == os.getpid()

    def send(self, line: str, *, deadline: float | None = None) -> None:
        """Send a line.

        Parameters
        ----------
        deadline : float, optional
            A time of `time.monotonic`; by default five seconds from now.

        Raises
        ------
        EngineError
            If the program has ended or does not read the line before the deadline.
        """
        self._record(SENT, [line])
        self._write(line, time.monotonic() + SEND_TIMEOUT_S if deadline is None else deadline)

    def read(self, deadline: float) -> str | None:
        """Return the next line, or None if there is none before `deadline` (a time of `time.monotonic`).

        Raises
        ------
        EngineError
            If the program has ended or closed its stdout.
        """
        while not self._received:
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            self._check_open()
            self._receive(left)
        return self._received.popleft()

    def error(self, reason: str) -> EngineError:
        """Return an error whose message is the label, `reason` and the last line of stderr."""
        tail = f": {self._stderr_tail}" if self._stderr_tail else ""
        self._record(EVENT, [reason])
        return EngineError(f"{self.label} {reason}{tail}")

    def stderr_tail(self) -> str:
        """Return the last line of the program's stderr so far, or an empty string if there is none."""
        for _ in range(MAX_DRAIN_READS if self._pipes else 0):
            self._keep_tail(_read_available(self._stderr) or b"")
        return self._stderr_tail

    def close(self) -> None:
        """Send `quit`, wait up to half a second for the program to end, and kill its process group."""
        if self._pipes and self.is_ours:
            with contextlib.suppress(EngineError):
                deadline = time.monotonic() + EXIT_TIMEOUT_S
                self.send("quit", deadline=deadline)
                self._pipes[0].close()
                while self.read(deadline) is not None:
                    pass
        self.kill()

    def kill(self) -> None:
        """Kill the program and its process group at once. Does nothing the second time."""
        if not self._pipes:
            return
        if self.is_ours:
            self._record(EVENT, ["closed"])
            kill_groups({self._process.pid})
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(EXIT_TIMEOUT_S)
            WATCHDOG.forget(self._process.pid)
        else:
            self._process.returncode = 0  # only the parent can wait for it
        pipes, self._pipes = self._pipes, ()
        for pipe in pipes:
            pipe.close()
        if self._log is not None:
            close_log(self._log)

    def _check_open(self) -> None:
        """Raise EngineError if the pipes are closed: their descriptors may belong to other files now."""
        if not self._pipes:
            raise self.error("has been closed")

    def _start(self, command: Sequence[str]) -> "subprocess.Popen[bytes]":
        try:
            return subprocess.Popen(  # noqa: S603 - the command is the user's
                [*LAUNCHER, *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise EngineError(f"{self.label} cannot be started: {error}") from error

    def _receive(self, seconds: float) -> None:
        """Wait for output on stdout or stderr and process it."""
        for descriptor, _ in self._poll.poll(1000 * seconds):
            data = _read_available(descriptor)
            if data is None:
                continue
            if descriptor == self._stderr:
                self._keep_tail(data)
                if not data:
                    self._poll.unregister(descriptor)
            elif data:
                lines = self._stdout_lines.feed(data)
                self._record(RECEIVED, lines)
                self._received += lines
            else:
                raise self._exit_error()

    def _keep_tail(self, data: bytes) -> None:
        """Remember the last line received on stderr."""
        lines = [line for line in self._stderr_lines.feed(data) if line]
        self._record(STDERR, lines)
        if lines:
            self._stderr_tail = printable(lines[-1])[:TAIL_LENGTH]

    def _exit_error(self) -> EngineError:
        """Return an error that says how the program ended, or that it has closed its pipes."""
        deadline = time.monotonic() + EXIT_TIMEOUT_S
        while self._process.poll() is None and time.monotonic() < deadline:
            self._keep_tail(_read_available(self._stderr) or b"")
            time.sleep(0.002)
        for _ in range(MAX_DRAIN_READS):
            self._keep_tail(_read_available(self._stderr) or b"\n")
        code = self._process.poll()
        if code is None:
            return self.error("closed its stdin or stdout")
        return self.error(f"was killed by signal {-code}" if code < 0 else f"exited with code {code}")

    def _write(self, line: str, deadline: float) -> None:
        data = line.encode("utf-8", "replace") + b"\n"
        while data:
            self._check_open()
            try:
                data = data[os.write(self._stdin, data) :]
            except BlockingIOError:
                self._wait_writable(deadline)
            except OSError:
                raise self._exit_error() from None

    def _wait_writable(self, deadline: float) -> None:
        poll = select.poll()
        poll.register(self._stdin, select.POLLOUT)
        if not poll.poll(max(1000 * (deadline - time.monotonic()), 0)):
            raise self.error("did not read its input in time")

    def _record(self, mark: str, lines: Sequence[str]) -> None:
        if self._log is not None and self._pipes:
            for line in lines:
                self._log.debug("%s", printable(line), extra={"engine": self._process.pid, "mark": mark})


def _read_available(descriptor: int) -> bytes | None:
    """Return the bytes that can be read now: empty at the end of the stream, or None if there are none."""
    try:
        return os.read(descriptor, READ_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""
