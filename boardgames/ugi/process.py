"""A program that is spoken to line by line, whatever it does: bounded in time and memory.

Nothing here waits longer than it is told to, and at most `LONGEST_ENGINE_LINE` bytes
of an unfinished line are kept. The program is the leader of a process group
of its own, which is killed as a whole; `guard` sees to that even when this
process is killed. It works where pipes can be polled: on POSIX systems.
"""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from boardgames.draw.text import printable
from boardgames.errors import EngineError, FileError, shown
from boardgames.ugi.watchdog import GUARD

LONGEST_LINE = 1 << 20
"""Bytes of the longest line that is read: a match of a hundred thousand plies."""

LONGEST_ENGINE_LINE = 1 << 16
READ_BYTES = 1 << 16
LAST_WORDS = 200
DRAINED_READS = 16
EXIT_S = 0.5
SEND_S = 5.0

SHIM = ("/bin/sh", "-c", 'read -r _ && exec "$@"', "sh")
"""Becomes the program at the first line: by then the guardian knows its process group."""


class Lines:
    r"""Collects bytes and gives the lines that are complete.

    Bytes that are no UTF-8 become replacement signs. A line of more than
    `longest` bytes is dropped and counted.

    Parameters
    ----------
    longest : int
        Bytes of the longest line that is kept.

    Examples
    --------
    >>> lines = Lines(longest=8)
    >>> lines.feed(b"ugi\r\nisre"), lines.feed(b"ady\n much too long\nquit")
    (['ugi'], ['isready'])
    >>> lines.dropped, lines.feed(b"\n")
    (1, ['quit'])
    """

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self.longest = longest
        self.dropped = 0
        self._rest = b""
        self._is_skipping = False

    def feed(self, data: bytes) -> list[str]:
        """Return the lines that `data` completes, without their ends and outer spaces."""
        *ended, self._rest = (self._rest + data).split(b"\n")
        kept = [line for line in ended if self._is_kept(line)]
        if len(self._rest) > self.longest:
            self._rest, self._is_skipping = b"", True
        return [line.decode("utf-8", "replace").strip() for line in kept]

    def _is_kept(self, line: bytes) -> bool:
        is_kept = not self._is_skipping and len(line) <= self.longest
        self.dropped += not is_kept
        self._is_skipping = False
        return is_kept


SENT, HEARD, COMPLAINED, NOTED = "><!*"
"""Marks of lines to the engine, of its stdout and its stderr, and of remarks on it."""


class Log:
    r"""A text file to which lines are appended, each at once and in one piece.

    Any number of processes may write to the same file. A file that can no
    longer be written, on a full disk say, is passed over.

    Parameters
    ----------
    path : str
        The file; made if there is none.
    clock : callable
        Returns seconds since 1970.

    Raises
    ------
    FileError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Log(f"{folder}/engine.log", clock=lambda: 0.25)
    ...     log.note(SENT, "isready", process=4711)
    ...     Path(folder, "engine.log").read_text()
    '1970-01-01 00:00:00.250 4711 > isready\n'
    """

    def __init__(self, path: str, clock: Callable[[], float] = time.time) -> None:
        self._path = Path(path).absolute()
        self._clock = clock
        try:
            self._path.open("ab").close()
        except (OSError, ValueError) as error:
            raise FileError(f"expected a file that can be written: {shown(path)} ({error})") from None

    def note(self, mark: str, line: str, *, process: int) -> None:
        """Append a line with its time (UTC), the engine's process id and a mark."""
        seconds, milliseconds = divmod(int(1000 * self._clock()), 1000)
        date = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds))
        try:
            self._append(f"{date}.{milliseconds:03} {process} {mark} {printable(line)}\n")
        except OSError:
            return

    def _append(self, text: str) -> None:
        with self._path.open("ab", buffering=0) as file:  # one write, at the end of the file as it is then
            file.write(text.encode("utf-8", "replace"))


class EngineProcess:
    """A running program: lines to its stdin, lines from its stdout, the last one of its stderr.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    label : str
        What messages call it.
    log : Log, optional
        Gets every line to and from it.

    Raises
    ------
    EngineError
        If it cannot be started.

    Examples
    --------
    >>> program = EngineProcess(["cat"], "the engine 'cat'")
    >>> program.send("isready")
    >>> program.read(time.monotonic() + 10)
    'isready'
    >>> program.close()
    """

    def __init__(self, command: Sequence[str], label: str, *, log: Log | None = None) -> None:
        if os.name != "posix":
            raise EngineError(f"expected a POSIX system to run {label}: {os.name!r}")
        self.label = label
        self._log = log
        self._owner = os.getpid()
        self._heard: deque[str] = deque()
        self._lines, self._errors = Lines(LONGEST_ENGINE_LINE), Lines(LONGEST_ENGINE_LINE)
        self._last_words = ""
        self._process = self._start(command)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._pipes: tuple[IO[bytes], ...] = (
            self._process.stdin,
            self._process.stdout,
            self._process.stderr,
        )
        self._input, self._output, self._complaints = (pipe.fileno() for pipe in self._pipes)
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLIN)
        self._poll.register(self._complaints, select.POLLIN)
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)
        try:
            GUARD.watch(self._process.pid)
            self._record(NOTED, ["started: " + " ".join(command)])
            self._write("", time.monotonic() + SEND_S)
        except (OSError, EngineError) as error:
            self.kill()
            raise EngineError(f"expected {label} and its guardian to start: {error}") from error

    def is_own(self) -> bool:
        """Say whether this process has started the program, and not the one it was forked from."""
        return self._owner == os.getpid()

    def send(self, line: str, *, until: float | None = None) -> None:
        """Send a line.

        Parameters
        ----------
        until : float, optional
            A time of `time.monotonic`; by default in five seconds.

        Raises
        ------
        EngineError
            If the program has ended, or has not read the line by then.
        """
        self._record(SENT, [line])
        self._write(line, time.monotonic() + SEND_S if until is None else until)

    def read(self, until: float) -> str | None:
        """Return the next line; None if there is none by `until`, a time of `time.monotonic`.

        Raises
        ------
        EngineError
            If the program has ended or closed its output.
        """
        while not self._heard:
            left = until - time.monotonic()
            if left <= 0:
                return None
            self._check_open()
            self._listen(left)
        return self._heard.popleft()

    def complaint(self, words: str) -> EngineError:
        """Return the error that the program `words`, with the last line of its stderr."""
        last = f": {self._last_words}" if self._last_words else ""
        self._record(NOTED, [words])
        return EngineError(f"{self.label} {words}{last}")

    def last_words(self) -> str:
        """Return the last line of its stderr so far; empty if there is none."""
        for _ in range(DRAINED_READS if self._pipes else 0):
            self._note(_received(self._complaints) or b"")
        return self._last_words

    def close(self) -> None:
        """Say `quit`, give the program half a second to end, and kill what is left of its group."""
        if self._pipes and self.is_own():
            with contextlib.suppress(EngineError):
                until = time.monotonic() + EXIT_S
                self.send("quit", until=until)
                self._pipes[0].close()
                while self.read(until) is not None:
                    pass
        self.kill()

    def kill(self) -> None:
        """Kill the program and its process group now; any number of times."""
        pipes, self._pipes = self._pipes, ()
        if not pipes:
            return
        if self.is_own():
            self._record(NOTED, ["closed"])
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(EXIT_S)
            GUARD.forget(self._process.pid)
        else:
            self._process.returncode = 0  # a parent's child: not ours to wait for
        for pipe in pipes:
            pipe.close()

    def _check_open(self) -> None:
        """Touch no descriptor after the end: it may be another file's by then."""
        if not self._pipes:
            raise self.complaint("has been ended")

    def _start(self, command: Sequence[str]) -> "subprocess.Popen[bytes]":
        try:
            return subprocess.Popen(  # noqa: S603 - what the user asked for
                [*SHIM, *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise EngineError(f"expected a program that can be started: {self.label} ({error})") from error

    def _listen(self, seconds: float) -> None:
        """Take in what comes next on stdout or stderr, if anything does."""
        for descriptor, _ in self._poll.poll(1000 * seconds):
            data = _received(descriptor)
            if data is None:
                continue
            if descriptor == self._complaints:
                self._note(data)
                if not data:
                    self._poll.unregister(descriptor)
            elif data:
                lines = self._lines.feed(data)
                self._record(HEARD, lines)
                self._heard += lines
            else:
                raise self._ended()

    def _note(self, data: bytes) -> None:
        """Keep the last line of stderr."""
        said = [line for line in self._errors.feed(data) if line]
        self._record(COMPLAINED, said)
        if said:
            self._last_words = printable(said[-1])[:LAST_WORDS]

    def _ended(self) -> EngineError:
        """Return the error that says how the program ended, or that it has closed its pipes."""
        until = time.monotonic() + EXIT_S
        while self._process.poll() is None and time.monotonic() < until:
            self._note(_received(self._complaints) or b"")
            time.sleep(0.002)
        for _ in range(DRAINED_READS):
            self._note(_received(self._complaints) or b"\n")
        code = self._process.poll()
        if code is None:
            return self.complaint("has closed its input or output")
        return self.complaint(f"ended (signal {-code})" if code < 0 else f"ended (exit code {code})")

    def _write(self, line: str, until: float) -> None:
        data = line.encode("utf-8", "replace") + b"\n"
        while data:
            self._check_open()
            try:
                data = data[os.write(self._input, data) :]
            except BlockingIOError:
                self._wait_for_room(until)
            except OSError:
                raise self._ended() from None

    def _wait_for_room(self, until: float) -> None:
        poll = select.poll()
        poll.register(self._input, select.POLLOUT)
        if not poll.poll(max(1000 * (until - time.monotonic()), 0)):
            raise self.complaint("has not read in time what it was told")

    def _record(self, mark: str, lines: Sequence[str]) -> None:
        """Put lines into the log, if there is one."""
        if self._log is not None:
            for line in lines:
                self._log.note(mark, line, process=self._process.pid)


def _received(descriptor: int) -> bytes | None:
    """Return what there is to read: nothing at its end, None if nothing has come."""
    try:
        return os.read(descriptor, READ_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""
