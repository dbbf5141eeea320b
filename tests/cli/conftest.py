"""Ways to run the command line: in this process, as a program on pipes or on a terminal."""

import os
import select
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
from waiting import TIMEOUT_S

from boardgames import executors
from boardgames.cli.main import main
from boardgames.paths import cache_folder

CACHE = cache_folder()  # before any test moves the user's folders
PROGRAM = (sys.executable, "-m", "boardgames")


@dataclass(frozen=True)
class Ran:
    """Exit code and output of a finished run."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def active_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Find the program on the PATH, so that messages call it by its name."""
    monkeypatch.setenv("PATH", os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]]))


def prepare_home(folder: Path) -> Path:
    """Create the user's folders: all empty except the cache of kernels, which all tests share."""
    folder.mkdir()
    CACHE.mkdir(parents=True, exist_ok=True)
    (folder / "cache").symlink_to(CACHE, target_is_directory=True)
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that contains the user's folders; the test runs in its parent.

    Commands that run in this process start no workers unless they are told to, because results
    do not depend on their number and each takes seconds to start.
    """
    monkeypatch.setattr(executors, "core_count", lambda: 1)
    folder = prepare_home(tmp_path / "home")
    monkeypatch.setenv("BOARDGAMES_HOME", str(folder))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def bg(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Return a function that runs the command line in this process, with `typed` as its input."""

    def run(*arguments: str, typed: str | bytes = "") -> Ran:
        # a file and not StringIO, so that the streams have the usual class
        source = home.parent / "typed"
        source.write_bytes(typed.encode() if isinstance(typed, str) else typed)
        with source.open(encoding="utf-8") as stream, monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", stream)
            code = exit_code(*arguments)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def bg_on_terminal(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """Return a function that runs the command line in this process; stdin and stdout are a terminal.

    It is the fast way to test what is printed on a terminal. Keys that control processes, such as
    Ctrl-C, and the prompt of a match need the fixture `terminal`.
    """
    pty = pytest.importorskip("pty", reason="the system has no pseudo-terminals")
    termios = pytest.importorskip("termios")

    def run(*arguments: str, typed: str = "", columns: int = 80, **environment: str) -> Ran:
        outer, inner = pty.openpty()
        settings = termios.tcgetattr(inner)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(inner, termios.TCSANOW, settings)
        os.write(outer, typed.encode())
        shown: list[bytes] = []
        reader = threading.Thread(target=lambda: shown.extend(iter(partial(read, outer), b"")))
        reader.start()
        with ExitStack() as stack:
            patched = stack.enter_context(monkeypatch.context())
            patched.delenv("NO_COLOR", raising=False)
            defaults = {"TERM": "xterm-256color", "COLUMNS": str(columns)}
            for name, value in {**defaults, **environment}.items():
                patched.setenv(name, value)
            patched.setattr(sys, "stdin", stack.enter_context(os.fdopen(os.dup(inner))))
            patched.setattr(sys, "stdout", stack.enter_context(os.fdopen(inner, "w")))
            code = exit_code(*arguments)
        reader.join()
        os.close(outer)
        out = b"".join(shown).decode(errors="replace").replace("\r\n", "\n")
        return Ran(code, out, capsys.readouterr().err)

    return run


@pytest.fixture
def bg_on_descriptors(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Return a function that runs the command line in this process; its stdin and stdout are files.

    For `boardgames engine`, which reads and writes the descriptors themselves.
    """

    def run(*arguments: str, typed: str) -> Ran:
        source, target = home.parent / "typed", home.parent / "written"
        source.write_text(typed)
        saved = os.dup(0), os.dup(1)
        try:
            with source.open() as stdin, target.open("w") as stdout:
                os.dup2(stdin.fileno(), 0)
                os.dup2(stdout.fileno(), 1)
            code = exit_code(*arguments)
        finally:
            for number, descriptor in enumerate(saved):
                os.dup2(descriptor, number)
                os.close(descriptor)
        return Ran(code, target.read_text(), capsys.readouterr().err)

    return run


@pytest.fixture(scope="session")
def run_at() -> Callable[..., Ran]:
    """Return a function that runs the command line in a folder, with the user's folders in its `home`.

    For fixtures that are created once for several tests; these cannot use `bg`.
    """

    def run(folder: Path, *arguments: str) -> Ran:
        home, out, err = folder / "home", StringIO(), StringIO()
        if not home.exists():
            prepare_home(home)
        with pytest.MonkeyPatch.context() as patched, redirect_stdout(out), redirect_stderr(err):
            patched.setenv("BOARDGAMES_HOME", str(home))
            patched.setenv("COLUMNS", "80")
            patched.chdir(folder)
            code = exit_code(*arguments)
        return Ran(code, out.getvalue(), err.getvalue())

    return run


def exit_code(*arguments: str) -> int:
    """Run the command line and return its exit code."""
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    assert isinstance(caught.value.code, int)
    return caught.value.code


def read(descriptor: int) -> bytes:
    """Read from a terminal; return nothing once its other end is closed."""
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux reports this as an error
        return b""


@pytest.fixture
def program(home: Path) -> Callable[..., Ran]:
    """Return a function that runs the command line in a separate process."""

    def run(*arguments: str, typed: str | bytes = "", **environment: str) -> Ran:
        done = subprocess.run(
            [*PROGRAM, *arguments],
            input=typed.encode() if isinstance(typed, str) else typed,
            capture_output=True,
            env={**os.environ, **environment},
            timeout=TIMEOUT_S,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def records(home: Path) -> Callable[[], list[Path]]:
    """Return a function that lists the matches saved in the user's folder."""
    return lambda: sorted((home / "data" / "records").glob("*.record"))


class Terminal:
    """The program on a pseudo-terminal of 80 columns and 24 rows."""

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
        """Return the output since the last wait, up to and including `words`."""
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
        """Press Ctrl-C, or call `press`, until the program ends; return the exit code.

        If a signal arrives before a Python program waits for input, it may only be handled at the
        next key, hence more than one attempt.
        """
        for _ in range(10):
            (press or partial(self.type, "\x03"))()
            deadline = time.monotonic() + 15.0  # let it end: a second signal would interrupt that
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
        """End the program if it is still running."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.end)

    def _read(self) -> bool:
        ready, _, _ = select.select([self.end], [], [], 1.0)
        if not ready:
            return self.process.poll() is None
        data = read(self.end)
        if b"\x1b[6n" in data:  # the program asks where the cursor is
            os.write(self.end, b"\x1b[1;1R")
        self.seen += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)


@pytest.fixture
def terminal(home: Path) -> Iterator[Callable[..., Terminal]]:
    """Return a function that starts the command line on a new terminal."""
    pytest.importorskip("pty", reason="the system has no pseudo-terminals")
    opened: list[Terminal] = []

    def start(*arguments: str, **environment: str) -> Terminal:
        opened.append(Terminal(*arguments, **environment))
        return opened[-1]

    yield start
    for one in opened:
        one.close()
