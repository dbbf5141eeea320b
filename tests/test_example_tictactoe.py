"""The example plug-in installed from a wheel, with the core, into a new environment."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = (ROOT, ROOT / "examples" / "tictactoe")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of programs of an environment with nothing but the core and the example."""
    folder = tmp_path_factory.mktemp("tictactoe")
    wheels = folder / "wheels"
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels)]
    subprocess.run([*build, *map(str, SOURCES)], check=True)
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    install = [str(programs / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, *map(str, wheels.glob("*.whl"))], check=True)
    return programs


def bg(programs: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run `bg` in the environment, outside of the checkout and of the user's folders."""
    home = programs.parent / "home"
    home.mkdir(exist_ok=True)
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(programs / "bg"), *arguments],
        cwd=home,
        env={**variables, "BOARDGAMES_HOME": str(home), "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_the_game_is_listed(environment: Path) -> None:
    ran = bg(environment, "games", "--json")
    assert ran.returncode == 0, ran.stderr
    assert [game["name"] for game in json.loads(ran.stdout)["games"]] == ["tictactoe"]


def test_the_plugin_is_listed_without_an_error(environment: Path) -> None:
    ran = bg(environment, "plugins", "--json")
    assert ran.returncode == 0, ran.stderr
    errors = {plugin["name"]: plugin["error"] for plugin in json.loads(ran.stdout)["plugins"]}
    assert errors["tictactoe"] is None


def test_agents_play_a_match(environment: Path) -> None:
    players = ("--first", "random", "--second", "alphabeta:depth=9")
    ran = bg(environment, "play", "tictactoe", *players, "--seed", "1")
    assert ran.returncode == 0, ran.stderr
    assert "tictactoe" in ran.stdout
    assert any(line.endswith(("0-1", "1/2-1/2")) for line in ran.stdout.splitlines())


def test_alphabeta_finds_the_proven_win(environment: Path) -> None:
    ran = bg(environment, "analyze", "tictactoe", "--position", "xx./oo./...", "--json")
    assert ran.returncode == 0, ran.stderr
    best = json.loads(ran.stdout)["moves"][0]
    assert (best["move"], best["win_in"], best["proven"]) == ("c3", 1, True)


def test_the_game_passes_every_check(environment: Path) -> None:
    ran = bg(environment, "check", "tictactoe")
    assert ran.returncode == 0, ran.stdout + ran.stderr
