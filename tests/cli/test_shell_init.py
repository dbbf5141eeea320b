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


# --- the start-up file -----------------------------------------------------------


STARTUP = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}
OLD = "# mine\nexport EDITOR=vi"


@pytest.fixture
def startup(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a user, whose name needs quotes."""
    folder = tmp_path / "Ann's home"
    folder.mkdir()
    for name in ("ZDOTDIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("BOARDGAMES_HOME", str(folder / "games"))
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells")
@pytest.mark.parametrize("shell", STARTUP)
def test_an_installed_function_runs_the_program_that_is_not_on_the_path(
    shell: str, startup: Path, bg: Run
) -> None:
    assert bg("shell-init", shell, "--install", "--yes").code == 0
    if (program := shutil.which(shell)) is None:
        pytest.skip(f"{shell} is not installed")
    read = f"{'source' if shell == 'fish' else '.'} {shlex.quote(str(startup / STARTUP[shell]))}"
    done = subprocess.run(
        [program, "-c", f"{read}; bg games --json"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": "/usr/bin:/bin"},
    )
    assert '"abalone"' in done.stdout, done.stderr


@pytest.mark.parametrize("shell", STARTUP)
def test_installing_twice_adds_one_line_and_removing_restores_the_file(
    shell: str, startup: Path, bg: Run
) -> None:
    file = startup / STARTUP[shell]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{OLD}\n")
    first = bg("shell-init", shell, "--install", "--yes")
    added = file.read_text().removeprefix(f"{OLD}\n")
    assert added.strip() in first.out, "the line is shown"
    assert "already" in bg("shell-init", shell, "--install", "--yes").out
    assert file.read_text() == f"{OLD}\n{added}"
    assert added.count("\n") == 1
    assert bg("shell-init", shell, "--remove").out.startswith(f"removed from {file}")
    assert file.read_text() == f"{OLD}\n"
    assert not any((startup / "games" / "data").iterdir())
    assert bg("shell-init", shell, "--remove").out == f"there is nothing to remove in {file}\n"


def test_a_line_with_an_earlier_path_is_replaced(
    startup: Path, bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    bg("shell-init", "bash", "--install", "--yes")
    monkeypatch.setenv("BOARDGAMES_HOME", str(startup / "moved"))
    bg("shell-init", "bash", "--install", "--yes")
    (line,) = (startup / ".bashrc").read_text().splitlines()
    assert "moved" in line


def test_a_file_without_a_last_line_end_keeps_its_last_line(startup: Path, bg: Run) -> None:
    (startup / ".bashrc").write_text(OLD)
    bg("shell-init", "bash", "--install", "--yes")
    assert (startup / ".bashrc").read_text().startswith(f"{OLD}\n[")


def test_the_user_is_asked_on_a_terminal(startup: Path, bg_on_terminal: Run) -> None:
    assert "nothing added" in bg_on_terminal("shell-init", "bash", "--install", typed="n\n").out
    assert not (startup / ".bashrc").exists()
    assert "added to" in bg_on_terminal("shell-init", "bash", "--install", typed="y\n").out


def test_the_login_shell_is_the_default(startup: Path, bg: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/zsh")
    assert str(startup / ".zshrc") in bg("shell-init", "--install", "--yes").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name the shell: bash, zsh, fish; --install sets it up for all new shells"),
        (["--install"], "name the shell: boardgames shell-init --install bash|zsh|fish"),
        (["bash", "--install", "--remove"], "give --install or --remove, not both"),
        (
            ["bash", "--install"],
            "--yes is required, since there is no terminal on which to ask for confirmation",
        ),
    ],
    ids=" ".join,
)
def test_wrong_arguments_give_a_one_line_error(
    arguments: list[str], said: str, startup: Path, bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/bin/sh")
    done = bg("shell-init", *arguments)
    assert (done.code, done.err) == (2, f"error: {said}\n")
    assert list(startup.iterdir()) == []


def test_a_startup_file_that_is_not_text_is_left_alone(startup: Path, bg: Run) -> None:
    (startup / ".bashrc").write_bytes(b"\xff\xfe")
    done = bg("shell-init", "bash", "--install", "--yes")
    assert done.code == 2
    assert done.err.endswith("not UTF-8 text; add the output of boardgames shell-init SHELL by hand\n")
    assert (startup / ".bashrc").read_bytes() == b"\xff\xfe"
