import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from waiting import TIMEOUT_S

import boardgames
from boardgames import search
from boardgames.cli.main import COMMANDS, main, usage_message
from boardgames.cli.main import bg as group
from boardgames.errors import UnknownNameError
from boardgames.hookspecs import hookimpl
from boardgames.plugins import Registry

Run = Callable[..., Any]
HEAVY = ("numba", "numpy", "llvmlite", "rich", "prompt_toolkit", "asyncio")


class Working:
    """A plug-in that adds a command."""

    @staticmethod
    @hookimpl
    def bg_commands(group: click.Group) -> None:
        group.add_command(click.Command("greet", callback=lambda: click.echo("hello"), help="Say hello."))


class Broken:
    """A plug-in that raises instead of adding commands."""

    @staticmethod
    @hookimpl
    def bg_commands(group: click.Group) -> None:
        raise SystemExit(7)


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> Registry:
    """Return the registry of a process in which both plug-ins above are installed."""
    registry = Registry(points=[], blocked=frozenset())
    for plugin in (Working, Broken):
        registry._manager.register(plugin, name=plugin.__name__)
    monkeypatch.setattr("boardgames.plugins.registry", lambda: registry)
    monkeypatch.setattr(group, "_has_plugin_commands", False, raising=False)
    monkeypatch.setattr(group, "commands", {})
    return registry


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]], ids=["nothing", "--help", "-h"])
def test_help_lists_every_command_with_its_summary(arguments: list[str], bg: Run) -> None:
    ran = bg(*arguments)
    assert (ran.code, ran.err) == (0, "")
    for name, (_, line) in COMMANDS.items():
        assert f"  {name} " in ran.out
        assert line in ran.out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_ends_with_examples(name: str, bg: Run) -> None:
    ran = bg(name, "--help")
    assert ran.code == 0
    examples = ran.out.partition("  Examples:\n")[2].splitlines()
    assert examples
    assert all(name in line and len(line) <= 80 for line in examples)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from boardgames.cli.main import main\n"
        f"for name in {['', *COMMANDS]!r}:\n"
        "    try:\n        main([*name.split(), '--help'])\n"
        "    except SystemExit:\n        pass\n"
        f"    print(name, [heavy for heavy in {HEAVY!r} if heavy in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=TIMEOUT_S, check=True
    )
    assert done.stderr.splitlines() == [f"{name} []" for name in ["", *COMMANDS]]


def test_boards_are_shown_without_numba() -> None:
    code = (
        "import sys\n"
        "from boardgames.cli.main import main\n"
        "for game in ('abalone', 'connect4', 'hexifence'):\n"
        "    try:\n        main(['show', game])\n"
        "    except SystemExit as end:\n"
        "        print(game, end.code, 'numba' in sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=TIMEOUT_S, check=True
    )
    assert done.stderr.splitlines() == [f"{game} 0 False" for game in ("abalone", "connect4", "hexifence")]


def test_listing_plugins_compiles_nothing() -> None:
    code = (
        "import sys\n"
        "from boardgames.cli.main import main\n"
        "try:\n    main(['plugins'])\n"
        "except SystemExit:\n    pass\n"
        "print('numba' in sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=TIMEOUT_S, check=True
    )
    assert done.stderr == "False\n"
    assert "hexifence" in done.stdout


def test_version_is_that_of_the_package(bg: Run) -> None:
    assert bg("--version").out == f"boardgames, version {boardgames.__version__}\n"


def test_an_interrupt_exits_with_130(monkeypatch: pytest.MonkeyPatch, bg: Run) -> None:
    def interrupted(*arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "perft", interrupted)
    ran = bg("perft", "connect4")
    assert (ran.code, ran.out, ran.err) == (130, "", "")


def test_a_plugin_adds_a_command(plugins: Registry, bg: Run) -> None:
    assert "Say hello." in bg("--help").out
    assert bg("greet").out == "hello\n"


def test_a_plugin_that_fails_to_add_commands_breaks_nothing(plugins: Registry, bg: Run) -> None:
    ran = bg("--help")
    assert ran.code == 0
    assert "plug-in 'Broken', hook bg_commands, raised SystemExit: 7" in ran.err
    assert "  play " in ran.out


class Confused:
    """A plug-in that adds a command, and things that are not commands."""

    @staticmethod
    @hookimpl
    def bg_commands(group: click.Group) -> None:
        group.add_command(click.Command("fine", help="Work."))
        group.commands["number"] = 5  # type: ignore[assignment]  # wrong on purpose
        group.commands["odd-help"] = click.Command("odd-help", help=5)  # type: ignore[arg-type]  # wrong on purpose


def test_a_plugin_that_adds_something_other_than_a_command_breaks_nothing(plugins: Registry, bg: Run) -> None:
    plugins._manager.register(Confused, name="Confused")
    ran = bg("--help")
    assert ran.code == 0
    assert "plug-in 'Confused', hook bg_commands, raised PluginError: this is not a click command" in ran.err
    for line in ("  play ", "Say hello.", "  fine "):
        assert line in ran.out
    assert "number" not in ran.out
    assert bg("number").code == 2


def run_in_bash(command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )


@pytest.mark.skipif(sys.platform == "win32", reason="a shell with pipes")
@pytest.mark.parametrize(
    "arguments", ["games", pytest.param("perft connect4 --divide", marks=pytest.mark.slow)]
)
def test_a_closed_pipe_is_no_error(arguments: str, home: object) -> None:
    command = f"set -o pipefail; {sys.executable} -m boardgames {arguments} | head -c 0"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="a device that is always full")
def test_a_full_disk_gives_one_line_and_code_2(home: object) -> None:
    command = f"{sys.executable} -m boardgames games > /dev/full"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert (done.returncode, done.stderr) == (
        2,
        "error: cannot write the output: no space left on device\n",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="a shell that closes streams")
@pytest.mark.parametrize(
    "arguments", ["games", pytest.param("play connect4 --second human", marks=pytest.mark.slow)]
)
def test_closed_streams_are_not_an_error(arguments: str, home: object) -> None:
    command = f"{sys.executable} -m boardgames {arguments} <&- >&- 2>&-"
    assert run_in_bash(command).returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("out", ["/dev/null", "/dev/full"])
def test_an_error_that_cannot_be_printed_keeps_its_exit_code(out: str, home: object) -> None:
    command = f"{sys.executable} -m boardgames show nosuch > {out} 2> /dev/full"
    assert run_in_bash(command).returncode == 2


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"COMP_WORDS": "boardgames pl"},
        {"COMP_WORDS": "boardgames pl", "COMP_CWORD": "x"},
        {"_BOARDGAMES_COMPLETE": "nonsense"},
    ],
    ids=["none", "no place", "bad place", "unknown"],
)
def test_completion_without_a_shell_gives_one_line(
    variables: dict[str, str], bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"_BOARDGAMES_COMPLETE": "zsh_complete", **variables}.items():
        monkeypatch.setenv(name, value)
    ran = bg()
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: _BOARDGAMES_COMPLETE is for shells")
    assert ran.err.count("\n") == 1


def test_completing_an_invalid_line_prints_nothing(bg: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_BOARDGAMES_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "boardgames nosuch x")
    ran = bg()
    assert (ran.code, ran.out, ran.err) == (0, "", "")


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("~nobody-of-this-name/x", "names the home folder of an unknown user"),
        ("/dev/null", "must be a folder, not '/dev/null'"),
        ("/dev/null/x", "must be a folder, not '/dev/null/x'"),
        ("/" + 5000 * "x", "cannot use BOARDGAMES_HOME"),
    ],
)
@pytest.mark.parametrize("command", ["show connect4", "matches list", "train connect4"])
def test_an_invalid_home_folder_gives_a_one_line_error(
    command: str, place: str, reason: str, bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOARDGAMES_HOME", place)
    ran = bg(*command.split())
    assert (ran.code, ran.out) == (2, "")
    assert reason in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    "command", ["engine connect4", "analyze connect4", "play connect4", "book connect4 --out x"]
)
def test_an_empty_agent_is_not_the_default_agent(command: str, bg: Run) -> None:
    ran = bg(*command.split(), "--agent", "")
    assert (ran.code, ran.err) == (2, "error: an agent is written name or name:option=value,..., not ''\n")


def test_errors_show_their_traceback_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDGAMES_DEBUG", "1")
    with pytest.raises(UnknownNameError):
        main(["show", "abalon"])


# --- errors that click raises ---


@click.command("greet")
@click.argument("name")
@click.option("--count", type=click.IntRange(1), default=1)
@click.option("--mood", type=click.Choice(["calm", "wild"]))
@click.option("--loud", is_flag=True)
def greet(name: str, count: int, mood: str, loud: bool) -> None:
    """Act as a command of a plug-in that uses click's own parameter types."""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "missing argument 'NAME'; see `greet --help`"),
        (["a", "b"], "too many arguments: b; see `greet --help`"),
        (["a", "--cuont", "1"], "no such option '--cuont'; did you mean '--count'?"),
        (["a", "--nme"], "no such option '--nme'; see `greet --help`"),
        (["a", "--zzz"], "no such option '--zzz'; see `greet --help`"),
        (["a", "--count"], "--count needs a value"),
        (["a", "--loud=1"], "option '--loud' does not take a value"),
        (["a", "--mood", "odd"], "invalid value for '--mood': 'odd' is not one of 'calm', 'wild'"),
        (["a", "--count", "x"], "invalid value for '--count': 'x' is not a valid integer range"),
    ],
)
def test_usage_errors_have_the_form_of_other_errors(arguments: list[str], message: str) -> None:
    with pytest.raises(click.ClickException) as caught:
        greet.main(arguments, prog_name="greet", standalone_mode=False)
    assert usage_message(caught.value) == message


def test_a_message_without_a_context_is_kept() -> None:
    assert usage_message(click.UsageError("a message of a plug-in")) == "a message of a plug-in"


def test_the_error_says_that_the_current_folder_was_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bg: Run
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    ran = bg("show", "connect4")
    assert (ran.code, ran.out) == (2, "")
    assert "cannot use the current folder (no such file or directory); change to another one" in ran.err


def test_errors_of_the_operating_system_name_the_file(bg: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path, *_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    Path("a.record").write_text("")
    monkeypatch.setattr("boardgames.cli.loading.read_any_text", fail)
    ran = bg("replay", "a.record")
    assert (ran.code, ran.err) == (2, "error: cannot use 'a.record': permission denied\n")
