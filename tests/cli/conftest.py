"""Ways to run the command line: in this process, as a program on pipes, on a terminal of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

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
def bg(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
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
