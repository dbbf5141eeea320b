"""The wheels of all distributions: what they contain, and that they work without the checkout.

They are installed into new environments, which find their dependencies in the environment of the
tests and share its cache of kernels.
"""

import json
import os
import subprocess
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path
from signal import SIGINT
from typing import NamedTuple
from urllib.request import urlopen
from zipfile import ZipFile

import pytest
from building import PIP, build_wheels, link_requirements

from boardgames.paths import cache_folder

ROOT = Path(__file__).parents[1]
GAMES = ("abalone", "connect4", "hexifence")
PACKAGES = {
    "boardgames_core": (ROOT / "boardgames", ROOT / "plugins" / "tictactoe" / "boardgames_tictactoe"),
    **{f"boardgames_{name}": (ROOT / "plugins" / name / f"boardgames_{name}",) for name in GAMES},
}
"""The packages of each distribution."""
CACHE = cache_folder()  # before any test moves the user's folders

pytestmark = pytest.mark.slow

LOAD_ALL = """
import boardgames
from boardgames.compiling import compilation_deferred

with compilation_deferred():
    import boardgames_abalone, boardgames_connect4, boardgames_hexifence
    from boardgames.books import find_books
    from boardgames.plugins import registry
    from boardgames.networks import load_network
    from boardgames.weights.lookup import find_weights, network_names

    for package in (boardgames, boardgames_abalone, boardgames_connect4, boardgames_hexifence):
        print(package.__file__)
    for game in map(boardgames.load, ("abalone", "connect4", "hexifence")):
        for offer in registry().offers("weights", game.facts.name):
            if offer.entry.name in network_names(game.facts.name):
                print(game, load_network(offer.entry.name, game).fingerprint())
            else:
                print(game, find_weights(offer.entry.name, game)[0].fingerprint())
        for offer in registry().offers("books", game.facts.name):
            print(game, len(find_books(offer.entry.name, game)[0].pages))
    for size in ("7x6", "8x7"):
        boardgames.load_player("value-iteration", boardgames.load("connect4", layout=size))
"""
"""Print where the packages are, and load all weights, books and policies that come with the games."""


class Installation(NamedTuple):
    """The environment in which the wheels are installed."""

    folder: Path

    @classmethod
    def create(cls, folder: Path, *wheels: Path) -> "Installation":
        """Install wheels without their dependencies into a new environment."""
        made = cls(folder)
        venv.create(folder, with_pip=False)
        python = str(made.programs / "python")
        install = [*PIP, "--python", python, "install", "--quiet", "--no-deps", "--no-index"]
        subprocess.run([*install, *map(str, wheels)], check=True)
        (folder / "home").mkdir()
        CACHE.mkdir(parents=True, exist_ok=True)
        (folder / "home" / "cache").symlink_to(CACHE, target_is_directory=True)
        return made

    @property
    def programs(self) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    @property
    def packages(self) -> Path:
        """Return the folder into which packages are installed."""
        paths = {"base": str(self.folder), "platbase": str(self.folder)}
        return Path(sysconfig.get_path("purelib", scheme="venv", vars=paths))

    def start(self, *words: str) -> "subprocess.Popen[str]":
        """Start a program of the environment, outside of the checkout and of the user's folders."""
        home = self.folder / "home"
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.Popen(
            [str(self.programs / words[0]), *words[1:]],
            cwd=home,
            env={**variables, "BOARDGAMES_HOME": str(home), "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str) -> str:
        """Return what a program prints; fail if it does not succeed."""
        process = self.start(*words)
        out, err = process.communicate(timeout=600)
        assert process.returncode == 0, f"{' '.join(words)}: {out}{err}"
        return out


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return build_wheels(tmp_path_factory, [packages[0].parent for packages in PACKAGES.values()])


@pytest.fixture(scope="module")
def installation(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Return an environment with the core and the games, and whatever the tests have."""
    folder = tmp_path_factory.mktemp("installation")
    installed = Installation.create(folder, *(wheels[name] for name in PACKAGES))
    dependencies = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (installed.packages / "dependencies.pth").write_text("\n".join(sorted(dependencies)))
    return installed


@pytest.fixture(scope="module")
def small_installation(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Return an environment with only the core and its required dependencies."""
    folder = tmp_path_factory.mktemp("small")
    installed = Installation.create(folder, wheels["boardgames_core"])
    link_requirements("boardgames-core", installed.packages)
    return installed


@pytest.mark.parametrize("name", PACKAGES)
def test_a_wheel_contains_the_licence_and_every_file_of_its_packages(
    name: str, wheels: dict[str, Path]
) -> None:
    with ZipFile(wheels[name]) as wheel:
        names = set(wheel.namelist())
        licence = next(one for one in names if one.endswith(".dist-info/licenses/LICENSE"))
        assert wheel.read(licence).decode() == (ROOT / "LICENSE").read_text("utf-8")
    files = {
        path.relative_to(package.parent).as_posix()
        for package in PACKAGES[name]
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files == {one for one in names if ".dist-info/" not in one}


def test_weights_books_and_policies_of_the_wheels_load(installation: Installation) -> None:
    lines = installation.run("python", "-c", LOAD_ALL).splitlines()
    assert all(Path(line).is_relative_to(installation.folder) for line in lines[:4]), lines[:4]
    loaded = [line.split()[0] for line in lines[4:]]
    assert {game: loaded.count(game) for game in GAMES} == {"abalone": 7, "connect4": 3, "hexifence": 1}


def test_an_installation_has_all_plugins_and_no_faults(installation: Installation) -> None:
    plugins = json.loads(installation.run("boardgames", "plugins", "--json"))["plugins"]
    assert {plugin["name"] for plugin in plugins} >= set(GAMES)
    assert [plugin["error"] for plugin in plugins if plugin["error"]] == []


def abalone(run: Callable[..., str]) -> None:
    players = "--first", "alphabeta", "--second", "random"
    assert " (book) in " in run("boardgames", "play", "abalone", *players, "--plies", "1", "--watch")
    assert "puzzle 1 of 1" in run("boardgames", "puzzles", "abalone")


def connect4(run: Callable[..., str]) -> None:
    assert "4 (book)  win in 21 moves (41 plies)!" in run("boardgames", "analyze", "connect4")
    assert "2        8 win in 2 moves" in run("boardgames", "solve", "connect4", "366241373674445377651127")
    assert "puzzle 1 of 2" in run("boardgames", "puzzles", "connect4")


def hexifence(run: Callable[..., str]) -> None:
    small = "hexifence", "--option", "dimension=2"
    assert "feature" in run("boardgames", "show", *small, "--features")
    assert "puzzle 1 of 1" in run("boardgames", "puzzles", *small, "--kind", "hand-out")
    assert "blue plays" in run(
        "boardgames", "play", *small, "--first", "strong", "--second", "td", "--plies", "2", "--watch"
    )


@pytest.mark.parametrize("check", [abalone, connect4, hexifence])
def test_commands_of_each_game_work_in_an_installation(
    check: Callable[[Callable[..., str]], None], installation: Installation
) -> None:
    check(installation.run)


def test_the_page_is_served_from_an_installation(installation: Installation) -> None:
    static = PACKAGES["boardgames_core"][0] / "web" / "static"
    server = installation.start("boardgames", "serve", "--no-open", "--port", "0")
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]

        def served(name: str) -> bytes:
            with urlopen(address + name) as response:
                return bytes(response.read())

        assert b"<script" in served("")
        for path in static.iterdir():
            assert path.name == "index.html" or served(path.name) == path.read_bytes()
        assert all(game.encode() in served("games.json") for game in GAMES)
    finally:
        server.send_signal(SIGINT)
        server.communicate(timeout=60)


def test_the_example_is_listed_played_analysed_and_checked_without_extras(
    small_installation: Installation,
) -> None:
    run = small_installation.run
    games = json.loads(run("bg", "games", "--json"))["games"]
    assert [game["name"] for game in games] == ["tictactoe"]
    plugins = json.loads(run("bg", "plugins", "--check", "--json"))["plugins"]
    assert {plugin["name"]: plugin["error"] for plugin in plugins}["tictactoe"] is None
    players = ("--first", "random", "--second", "alphabeta:depth=9")
    match = run("bg", "play", "tictactoe", *players, "--seed", "1")
    assert "tictactoe" in match
    assert any(line.endswith(("0-1", "1/2-1/2")) for line in match.splitlines())
    analysis = run("bg", "analyze", "tictactoe", "--position", "xx./oo./...", "--json")
    best = json.loads(analysis)["moves"][0]
    assert (best["move"], best["win_in"], best["proven"]) == ("c3", 1, True)
    run("bg", "check", "tictactoe")
