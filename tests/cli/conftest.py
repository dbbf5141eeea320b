"""Ways to run the command line: in this process, as a program on pipes, on a terminal of its own."""

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from waiting import TIMEOUT_S

from boardgames.cli.main import main
from boardgames.paths import cache_folder

CACHE = cache_folder()  # before any test moves the user's folders
PROGRAM = (sys.executable, "-m", "boardgames.cli")


@dataclass(frozen=True)
class Ran:
    """What a run of the program left."""

    code: int
    out: str
    err: str


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the user's folders for one test: all empty but for the kernels, which all tests share."""
    folder = tmp_path / "home"
    folder.mkdir()
    CACHE.mkdir(parents=True, exist_ok=True)
    (folder / "cache").symlink_to(CACHE, target_is_directory=True)
    monkeypatch.setenv("BOARDGAMES_HOME", str(folder))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def bg(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Return a function that runs the command line in this process, typing `typed`."""

    def run(*arguments: str, typed: str = "") -> Ran:
        # a file and not StringIO, so that the streams are of the usual class
        source = home.parent / "typed"
        source.write_text(typed)
        with source.open() as stream, monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", stream)
            with pytest.raises(SystemExit) as caught:
                main(list(arguments))
        captured = capsys.readouterr()
        assert isinstance(caught.value.code, int)
        return Ran(caught.value.code, captured.out, captured.err)

    return run


@pytest.fixture
def program(home: Path) -> Callable[..., Ran]:
    """Return a function that runs the command line in a process of its own."""

    def run(*arguments: str, typed: str | bytes = "", **environment: str) -> Ran:
        done = subprocess.run(
            [*PROGRAM, *arguments],
            input=typed.encode() if isinstance(typed, str) else typed,
            capture_output=True,
            env={**os.environ, **environment},
            timeout=120,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def records(home: Path) -> Callable[[], list[Path]]:
    """Return a function that lists the matches that were saved in the user's folder."""
    return lambda: sorted((home / "data" / "records").glob("*.record"))


class Terminal:
    """The program on a pseudo-terminal of 80 by 24 signs: type, wait for words, see how it ends."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self.end, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=other,
            stdout=other,
            stderr=other,
            env={**inherited, "TERM": "xterm-256color", **environment},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - the tests have no threads
        )
        os.close(other)
        self.seen = ""
        self.read_to = 0

    def wait_for(self, words: str, seconds: float = TIMEOUT_S) -> str:
        """Return what came since the last wait, up to and with `words`."""
        deadline = time.monotonic() + seconds
        while (place := self.seen.find(words, self.read_to)) < 0:
            assert time.monotonic() < deadline, f"{words!r} did not come: {self.seen!r}"
            assert self._read(), f"the program ended before {words!r}: {self.seen!r}"
        start, self.read_to = self.read_to, place + len(words)
        return self.seen[start : self.read_to]

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.end, text.encode())

    def interrupt(self, press: Callable[[], object] | None = None) -> int:
        """Press Ctrl-C, or something else, until the program ends; return the exit code.

        A signal between a prompt and the wait for a key is seen at the next key only, in any Python
        program that edits lines.
        """
        for _ in range(10):
            (press or partial(self.type, "\x03"))()
            deadline = time.monotonic() + 15.0  # it is ending, and a second one would cut that short
            while time.monotonic() < deadline:
                if not self._read():
                    return self.process.wait(TIMEOUT_S)
        raise AssertionError(f"the program did not end: {self.seen!r}")

    def wait(self) -> int:
        """Read to the end and return the exit code."""
        deadline = time.monotonic() + TIMEOUT_S
        while self._read():
            assert time.monotonic() < deadline, f"the program did not end: {self.seen!r}"
        return self.process.wait(TIMEOUT_S)

    def close(self) -> None:
        """End the program if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.end)

    def _read(self) -> bool:
        ready, _, _ = select.select([self.end], [], [], 1.0)
        if not ready:
            return self.process.poll() is None
        try:
            data = os.read(self.end, 65536)
        except OSError:  # Linux says so when the other end is closed
            return False
        if b"\x1b[6n" in data:  # the program asks where the cursor is
            os.write(self.end, b"\x1b[1;1R")
        self.seen += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)


@pytest.fixture
def terminal(home: Path) -> Iterator[Callable[..., Terminal]]:
    """Return a function that starts the command line on a terminal of its own."""
    pytest.importorskip("pty", reason="the system has no pseudo-terminals")
    opened: list[Terminal] = []

    def start(*arguments: str, **environment: str) -> Terminal:
        opened.append(Terminal(*arguments, **environment))
        return opened[-1]

    yield start
    for one in opened:
        one.close()
