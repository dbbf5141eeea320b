import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
PROBE = """
boardgames() { echo "boardgames $*"; }
command() { "$@"; }
builtin() { echo "builtin $*"; }
"""


def ran(shell: str, script: str) -> subprocess.CompletedProcess[str]:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    return subprocess.run([shell, "-c", script], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells")
@pytest.mark.parametrize("shell", ["bash", "zsh"])
@pytest.mark.parametrize(
    ("typed", "runs"),
    [
        ("bg play abalone", "boardgames play abalone"),
        ("bg games --json", "boardgames games --json"),
        ("bg shell-init bash", "boardgames shell-init bash"),
        ("bg --help", "boardgames --help"),
        ("bg --version", "boardgames --version"),
        ("bg", "builtin bg"),
        ("bg %1", "builtin bg %1"),
        ("bg 12345", "builtin bg 12345"),
    ],
)
def test_the_function_distinguishes_our_commands_from_jobs(
    shell: str, typed: str, runs: str, bg: Run
) -> None:
    done = ran(shell, f"{bg('shell-init', shell).out}\n{PROBE}\n{typed}")
    assert done.stdout == f"{runs}\n"
    assert done.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="job control of a POSIX shell")
def test_a_stopped_job_continues_in_the_background(bg: Run) -> None:
    stop = "set -m; sleep 600 & kill -STOP $!; until jobs | grep -q Stopped; do sleep 0.01; done"
    script = f"{stop}; bg %1 >/dev/null; jobs | grep -q Running && echo done; kill $!"
    assert ran("bash", f"{bg('shell-init', 'bash').out}\n{script}").stdout == "done\n"


@pytest.mark.skipif(sys.platform == "win32", reason="completion of a POSIX shell")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("boardgames pl", ["play", "plot", "plugins"]),
        ("boardgames agents con", ["connect4"]),
        pytest.param(
            "boardgames play connect4 --agent alphabeta:null", ["null_move="], marks=pytest.mark.slow
        ),
        ("boardgames play connect4 --agent alphabeta:lmr=false,null_move=f", ["false"]),
    ],
)
def test_bash_completes_the_part_of_a_word_after_colon_and_equals_sign(
    line: str, words: list[str], bg: Run
) -> None:
    folder = Path(sys.executable).parent
    if not (folder / "boardgames").exists():
        pytest.skip("the program is not installed")
    ask = 'COMP_POINT=${#COMP_LINE}; _boardgames_completion boardgames 2>/dev/null; echo "${COMPREPLY[*]}"'
    begin = f"PATH={folder}{os.pathsep}$PATH\n{bg('shell-init', 'bash').out}"
    assert ran("bash", f"{begin}\nCOMP_LINE={shlex.quote(line)}; {ask}").stdout.split() == words


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells")
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_without_completion_still_starts(shell: str, bg: Run) -> None:
    done = ran(shell, f"{bg('shell-init', shell).out}\necho started")
    assert (done.stdout, done.stderr) == ("started\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_function_names_every_command(shell: str, bg: Run) -> None:
    first = bg("shell-init", shell).out.partition("omplet")[0]
    for name in ("agents", "analyze", "check", "games", "perft", "play", "plugins", "replay", "show"):
        assert name in first


@pytest.mark.parametrize(
    ("typed", "runs"), [("bg play abalone", "play abalone\n"), ("bg --help", "--help\n")]
)
def test_fish_runs_our_commands(typed: str, runs: str, tmp_path: Path, bg: Run) -> None:
    program = tmp_path / "boardgames"
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    done = ran("fish", f"set -x PATH {tmp_path} $PATH\n{bg('shell-init', 'fish').out}\n{typed}")
    assert (done.stdout, done.stderr) == (runs, "")


def test_fish_leaves_jobs_to_the_shell(bg: Run) -> None:
    done = ran("fish", f"{bg('shell-init', 'fish').out}\nbg %1")
    assert "bg:" in done.stderr
