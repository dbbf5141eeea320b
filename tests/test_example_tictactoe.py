"""The example plug-in as a stranger meets it: wheels of it and of the core in a fresh environment."""

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
    """Return the folder of programs of an environment with the core and the example alone."""
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
    """Run `bg` of the environment, away from the checkout and from the user's folders."""
    home = programs.parent / "home"
    home.mkdir(exist_ok=True)
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(programs / "bg"), *arguments],
        cwd=home,
        env={**surroundings, "BOARDGAMES_HOME": str(home), "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_game_is_listed(environment: Path) -> None:
    found = bg(environment, "games", "--json")
    assert found.returncode == 0, found.stderr
    assert [game["name"] for game in json.loads(found.stdout)["games"]] == ["tictactoe"]


def test_plugin_is_listed_without_an_error(environment: Path) -> None:
    found = bg(environment, "plugins", "--json")
    assert found.returncode == 0, found.stderr
    errors = {plugin["name"]: plugin["error"] for plugin in json.loads(found.stdout)["plugins"]}
    assert errors["tictactoe"] is None


def test_match_of_agents_is_played_to_its_end(environment: Path) -> None:
    players = ("--first", "random", "--second", "alphabeta:depth=9")
    found = bg(environment, "play", "tictactoe", *players, "--seed", "1")
    assert found.returncode == 0, found.stderr
    assert "tictactoe" in found.stdout
    assert any(line.endswith(("0-1", "1/2-1/2")) for line in found.stdout.splitlines())


def test_alphabeta_sees_to_the_end_of_the_match(environment: Path) -> None:
    found = bg(environment, "analyze", "tictactoe", "--position", "xx./oo./...", "--json")
    assert found.returncode == 0, found.stderr
    best = json.loads(found.stdout)["moves"][0]
    assert (best["move"], best["value"], best["proven"]) == ("c3", 1, True)


def test_game_passes_the_check(environment: Path) -> None:
    found = bg(environment, "check", "tictactoe")
    assert found.returncode == 0, found.stdout + found.stderr
