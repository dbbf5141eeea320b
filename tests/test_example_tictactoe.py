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


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """Return the folder of programs of an environment with nothing but the core and the example."""
    wheels = tmp_path / "wheels"
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels)]
    subprocess.run([*build, *map(str, SOURCES)], check=True)
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
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


def test_an_installed_wheel_of_the_example_can_be_listed_played_analysed_and_checked(
    environment: Path,
) -> None:
    games = bg(environment, "games", "--json")
    assert games.returncode == 0, games.stderr
    assert [game["name"] for game in json.loads(games.stdout)["games"]] == ["tictactoe"]
    plugins = bg(environment, "plugins", "--check", "--json")
    assert plugins.returncode == 0, plugins.stderr
    errors = {plugin["name"]: plugin["error"] for plugin in json.loads(plugins.stdout)["plugins"]}
    assert errors["tictactoe"] is None
    players = ("--first", "random", "--second", "alphabeta:depth=9")
    match = bg(environment, "play", "tictactoe", *players, "--seed", "1")
    assert match.returncode == 0, match.stderr
    assert "tictactoe" in match.stdout
    assert any(line.endswith(("0-1", "1/2-1/2")) for line in match.stdout.splitlines())
    analysis = bg(environment, "analyze", "tictactoe", "--position", "xx./oo./...", "--json")
    assert analysis.returncode == 0, analysis.stderr
    best = json.loads(analysis.stdout)["moves"][0]
    assert (best["move"], best["win_in"], best["proven"]) == ("c3", 1, True)
    check = bg(environment, "check", "tictactoe")
    assert check.returncode == 0, check.stdout + check.stderr
