"""Commands with a plug-in whose parts fail in different ways: they print one line and are not affected."""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from installed import add_plugin

from boardgames.cli import listing
from boardgames.cli.main import HINT
from boardgames.errors import PluginError
from boardgames.hookspecs import Entry, hookimpl
from boardgames.players.simple import Random

Run = Callable[..., Any]

SOURCE = """
from boardgames.hookspecs import Entry, hookimpl
from boardgames.players.simple import Random
from boardgames_connect4.game import Connect4

print("a greeting")


class Undrawable(Connect4):
    def draw(self, position):
        raise ValueError("no ink")


class Exits(Connect4):
    def draw(self, position):
        raise SystemExit(0)


class Interrupts(Connect4):
    def draw(self, position):
        raise KeyboardInterrupt


class Blank(Connect4):
    def draw(self, position):
        return None


class Mute(Connect4):
    def format_action(self, words, action, notation=None):
        return None


class Wordless(Connect4):
    def format_action(self, words, action, notation=None):
        raise KeyError("no words")


class Valueless(Random):
    name = "valueless"

    def analyse(self, *arguments, **more):
        return None


class Interrupting(Valueless):
    name = "interrupting"

    def analyse(self, *arguments, **more):
        raise KeyboardInterrupt


class Unlabelled(Random):
    name = "unlabelled"

    def label(self):
        raise ValueError("no label")


class Numbered(Random):
    name = "numbered"

    def label(self):
        return 5


no_class = 7


@hookimpl
def bg_games():
    names = ("undrawable", "exits", "interrupts", "wordless", "blank", "mute")
    return [Entry(name, "x", f"broken_parts:{name.title()}") for name in names]


@hookimpl
def bg_agents():
    names = ("unlabelled", "numbered", "valueless", "interrupting")
    agents = [Entry(name, "x", f"broken_parts:{name.title()}") for name in names]
    return [*agents, Entry("no-class", "x", "broken_parts:no_class")]
"""


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Install the broken plug-in."""
    (tmp_path / "broken_parts.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = add_plugin(monkeypatch, importlib.import_module("broken_parts"))
    monkeypatch.setattr(listing, "registry", lambda: registry)
    capsys.readouterr()


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize("command", ["show", "play"])
@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ("undrawable", f"Undrawable.draw raised ValueError: no ink{HINT}"),
        ("exits", f"Exits.draw raised SystemExit: 0{HINT}"),
        ("interrupts", f"Interrupts.draw raised KeyboardInterrupt{HINT}"),
        (
            "wordless",
            f"Wordless.format_action raised KeyError: 'no words'{HINT}",
        ),
        ("blank", "Blank.draw returned None, not a Picture"),
        ("mute", "Mute.format_action returned None, not a str"),
    ],
)
def test_a_game_that_raises_gives_one_line(command: str, game: str, reason: str, bg: Run) -> None:
    ran = bg(command, game)
    assert ran.code == 2
    assert ran.err == f"error: plug-in 'under-test' is broken: {reason}\n"


@pytest.mark.usefixtures("broken")
def test_an_error_of_a_plugin_shows_its_traceback_on_request(
    bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from boardgames.cli.main import main

    monkeypatch.setenv("BOARDGAMES_DEBUG", "1")
    with pytest.raises(PluginError, match="no ink") as caught:
        main(["show", "undrawable"])
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (
            "unlabelled",
            f"agent 'unlabelled' is broken: ValueError: no label{HINT}",
        ),
        ("numbered", "agent 'numbered' describes itself as 5, which is not a string"),
        (
            "no-class",
            "plug-in 'under-test': cannot load 'no-class': agent 'no-class' is not a subclass of Player: 7",
        ),
    ],
)
def test_an_agent_that_cannot_enter_an_arena_gives_one_line(agent: str, reason: str, bg: Run) -> None:
    ran = bg("arena", "connect4", agent, "random", "--matches", "2")
    assert (ran.code, ran.err) == (2, f"error: {reason}\n")


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("valueless", "Valueless.analyse returned None, not an Analysis"),
        (
            "interrupting",
            f"Interrupting.analyse raised KeyboardInterrupt{HINT}",
        ),
    ],
)
def test_an_agent_that_cannot_analyse_gives_one_line(agent: str, reason: str, bg: Run) -> None:
    ran = bg("analyze", "connect4", "--agent", agent)
    assert (ran.code, ran.err) == (2, f"error: plug-in 'under-test' is broken: {reason}\n")


@pytest.mark.usefixtures("broken")
def test_agents_lists_the_others_if_one_is_not_a_class(bg: Run) -> None:
    ran = bg("agents", "connect4")
    assert ran.code == 0
    assert "\n  no-class " in ran.out
    assert "\n  random " in ran.out
    assert "agent 'no-class' is not a subclass of Player: 7" in bg("agents", "connect4", "no-class").err


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(
    ("options", "code", "error"), [((), 0, None), (("--check",), 1, "'no-class' is not a")]
)
def test_only_a_check_of_plugins_imports_what_they_offer(
    options: tuple[str, ...], code: int, error: str | None, bg: Run
) -> None:
    ran = bg("plugins", "--json", *options)
    (row,) = [row for row in json.loads(ran.out)["plugins"] if row["name"] == "under-test"]
    assert (ran.code, ran.err, row["error"] is None) == (code, "", error is None)
    assert error is None or error in row["error"]


@pytest.mark.slow
@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "SystemExit(0)"])
def test_a_plugin_that_ends_the_program_at_its_import_is_named(
    raised: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ends_it.py").write_text(f"raise {raised}")
    metadata = tmp_path / "ends_it-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: ends-it\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[boardgames]\nends-it = ends_it\n")
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", paths)
    program = [sys.executable, "-m", "boardgames"]
    games = subprocess.run([*program, "games"], capture_output=True, text=True, check=False)
    assert (games.returncode, "connect4" in games.stdout) == (0, True)
    unknown = subprocess.run([*program, "show", "nothing"], capture_output=True, text=True, check=False)
    assert unknown.returncode == 2
    assert "broken plug-ins, see `boardgames plugins`: ends-it" in unknown.stderr


CLOSING = """
import sys
from boardgames.cli.main import main
from boardgames.players.simple import Random

class Closing(Random):
    def choose(self, *arguments):
        sys.stdout.close()
        with sys.stderr:
            return super().choose(*arguments)

import boardgames.players.simple
boardgames.players.simple.Random = Closing
main(["play", "connect4", "--first", "random", "--second", "random", "--seed", "1"])
"""


@pytest.mark.slow
def test_a_plugin_cannot_close_the_output_of_the_program(home: Path, bg: Run) -> None:
    done = subprocess.run([sys.executable, "-c", CLOSING], capture_output=True, text=True, check=False)
    ran = bg("play", "connect4", "--first", "random", "--second", "random", "--seed", "1")
    board, _, record = done.stdout.partition("[Game")
    assert (done.returncode, done.stderr, board) == (0, "", ran.out.partition("[Game")[0])
    assert '[Result "1-0"]' in record


EVIL = "good\x1b[2J\x9b\nnim 1.0 forged"


class Evil(Random):
    """An agent whose errors control the terminal."""

    name = "evil"

    def choose(self, *arguments: Any) -> Any:
        raise ValueError(EVIL)


@pytest.mark.parametrize(
    "arguments",
    [
        ("plugins",),
        ("plugins", "--json"),
        ("games",),
        ("agents", "connect4"),
        ("agents", "connect4", "evil"),
        ("play", "connect4", "--first", "evil", "--second", "random"),
        ("arena", "connect4", "evil", "random", "--matches", "2", "--workers", "1"),
    ],
    ids=" ".join,
)
def test_texts_of_a_plugin_cannot_control_the_terminal(
    arguments: tuple[str, ...], bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("evil_offers")
    module.Evil = Evil  # type: ignore[attr-defined]  # as in a plug-in
    module.bg_agents = hookimpl(lambda: [Entry("evil", EVIL, "evil_offers:Evil")])  # type: ignore[attr-defined]
    module.bg_agents.__name__ = "bg_agents"
    loaded = add_plugin(monkeypatch, module)
    monkeypatch.setattr(listing, "registry", lambda: loaded)
    loaded.plugins[:] = [replace(one, version=EVIL, summary=EVIL, error=EVIL) for one in loaded.plugins]
    ran = bg(*arguments)
    output = ran.out + ran.err
    assert "forged" in output
    assert output.replace("\n", "").isprintable()
    assert not any(line.startswith("nim ") for line in output.splitlines())
