"""`boardgames new`: what it writes works, and nothing is ever overwritten."""

import ast
import importlib
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from building import build_variables

from boardgames.cli import new
from boardgames.cli.new import BOARD_FILES, COMMON_FILES, KINDS, PLAIN_FILES, plugin_files
from boardgames.declarations import FeatureSet
from boardgames.game import Game
from boardgames.search.perft import perft
from boardgames.testing import Reference, check_game
from boardgames.testing.reference import count_reference_leaves

BOARDS = ("square:8x8", "hex:5", "edges:5x5")
EXTREMES = ("square:4x2", "square:26x26", "hex:3", "hex:13", "edges:1x1", "edges:12x12")
MAX_LINE_LENGTH = 110
PERFT = (
    ("square:8x8", None, (22, 484)),
    (
        "square:8x8",
        "w......./...w..../.b....w./......../......../.w...b../....b.../......b.:w",
        (9, 48, 257, 956),
    ),
    (
        "square:8x8",
        "......../.w.w..../b......./......../......../......../..b.b.../.....w..:b",
        (8, 69, 376, 1589),
    ),
    (
        "hex:5",
        "wwb.b/wb.bww/bwbwwbw/w.wwbbwb/bwbbwwbww/wbwbb.b./wbbwbw./bwbwwb/bwbb.:w",
        (7, 30, 70, 208, 264, 432, 144),
    ),
    (
        "edges:5x5",
        "rrbrbr.rbbrbbrbbbrrbrrrrbbrbrb.bbb.rbrbbrrbrbb..r.rrrbrrbrrb:..b..r.brrrbb....rrrrrrrb:b",
        (6, 30, 120, 360, 720, 720),
    ),
)
"""Leaf counts from the slow references; in most of these positions the match can end before the last ply."""

Run = Callable[..., Any]


def written(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def generate(bg: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Return a function that creates a plug-in for a board, and returns its game, features and reference."""

    def create(board: str) -> tuple[Game, FeatureSet, Reference[Any]]:
        name = f"generated-{board.partition(':')[0]}"
        assert bg("new", name, "--board", board).code == 0
        folder, package = home.parent / f"boardgames-{name}", f"boardgames_{name.replace('-', '_')}"
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.syspath_prepend(str(folder / "tests"))
        hooks = importlib.import_module(f"{package}.plugin")
        targets = [hooks.bg_games()[0].target, hooks.bg_features()[0].target]
        make_game, make_features = (
            getattr(importlib.import_module(module), attribute)
            for module, _, attribute in (target.partition(":") for target in targets)
        )
        game = make_game()
        assert game.facts.name == name
        module = f"{name.replace('-', '_')}_reference"
        reference = importlib.import_module(module).Reference()
        monkeypatch.delitem(sys.modules, module)
        return game, make_features(game), reference

    return create


@pytest.mark.parametrize("board", BOARDS)
def test_the_game_passes_every_check(board: str, generate: Callable[[str], Any]) -> None:
    game, features, reference = generate(board)
    report = check_game(game, matches=4, positions=20, feature_sets=[features], reference=reference)
    assert report.ok, str(report)
    assert "reference-perft" in {check.name for check in report.checks}


@pytest.mark.parametrize(
    ("board", "text", "counts"), PERFT, ids=["start", "square", "square-2", "hex", "edges"]
)
def test_kernels_and_reference_have_the_leaf_counts(
    board: str, text: str | None, counts: tuple[int, ...], generate: Callable[[str], Any]
) -> None:
    game, _, reference = generate(board)
    position = game.start() if text is None else game.parse(text)
    depths = range(1, len(counts) + 1)
    assert tuple(perft(position, depth) for depth in depths) == counts
    assert tuple(count_reference_leaves(reference, str(position), depth) for depth in depths) == counts


@pytest.mark.parametrize(
    ("board", "count"), [("square:4x3", 4), ("square:5x3", 7), ("hex:3", 19), ("edges:2x3", 17)]
)
def test_the_docstring_of_the_game_counts_its_first_moves(board: str, count: int) -> None:
    assert f"\n    ({count}, 0)\n" in plugin_files("go", board)["boardgames_go/game.py"]


@pytest.mark.parametrize("options", [*(("--board", board) for board in BOARDS), ("--plain",)])
def test_the_folder_has_a_distribution_with_tests(options: tuple[str, ...], bg: Run, home: Path) -> None:
    own_files = PLAIN_FILES if "--plain" in options else BOARD_FILES
    ran = bg("new", "three-in-line", *options)
    assert (ran.code, ran.err) == (0, "")
    folder = home.parent / "boardgames-three-in-line"
    names = {"package": "boardgames_three_in_line", "module": "three_in_line"}
    paths = {path.format(**names) for path in (COMMON_FILES | own_files).values()}
    assert written(folder) == paths
    assert all(f"  {path}\n" in ran.out for path in paths)
    install = 'pip install -e ".[test]"\n'
    assert f"next:\n  cd boardgames-three-in-line\n  {install}" in ran.out
    assert f"    {install}" in (folder / "README.md").read_text("utf-8")
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["name"] == "boardgames-three-in-line"
    points = project["project"]["entry-points"]["boardgames"]
    assert points == {"three-in-line": "boardgames_three_in_line.plugin"}


@pytest.mark.parametrize("board", [*BOARDS, *EXTREMES, None])
def test_all_sources_are_valid(board: str | None) -> None:
    for name in ("g", "three_in_line", "none", "picture", "x" * 40):
        for path, text in plugin_files(name, board).items():
            assert "${" not in text.replace("${{ matrix.python-version }}", "")
            if path.endswith(".py"):
                ast.parse(text, path)


@pytest.mark.parametrize("board", [*BOARDS, None])
def test_no_line_is_too_long(board: str | None) -> None:
    for path, text in plugin_files("othello", board).items():
        assert not [line for line in text.splitlines() if len(line) > MAX_LINE_LENGTH], path


@pytest.mark.parametrize(("name", "expected"), [("none", "NoneGame"), ("piece", "PieceGame"), ("go", "Go")])
def test_class_names_shadow_nothing(name: str, expected: str) -> None:
    assert f"class {expected}(Game):" in plugin_files(name, "hex:5")[f"boardgames_{name}/game.py"]


def test_every_template_is_used() -> None:
    folder = Path(new.__file__).parent / "templates"
    used = {f"common/{name}.template" for name in COMMON_FILES}
    used |= {f"{kind}/{name}.template" for kind in KINDS for name in BOARD_FILES}
    used |= {f"plain/{name}.template" for name in PLAIN_FILES}
    assert written(folder) == used


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([""], "'' cannot be the name of a game"),
        (["Othello"], "'Othello' cannot be the name of a game; write at most 40 lower-case letters"),
        (["4inline"], "'4inline' cannot be the name of a game"),
        (["a--b"], "'a--b' cannot be the name of a game"),
        (["../up"], "'../up' cannot be the name of a game"),
        (["ohé"], "cannot be the name of a game"),
        (["x" * 41], "cannot be the name of a game"),
        (["core"], "the name 'core' is reserved"),
        (["abalone"], "a game called 'abalone' is installed already"),
        (["othello", "--board", "square"], "a board is written square:8x8, hex:5 or edges:5x5, not 'square'"),
        (["othello", "--board", "cube:3"], "a board is written square:8x8"),
        (["othello", "--board", "square:8"], "a board of this kind is written square:ROWSxCOLUMNS"),
        (["othello", "--board", "square:8x"], "a board is written square:8x8"),
        (["othello", "--board", "hex:5x5"], "a board of this kind is written hex:SIZE"),
        (["othello", "--board", "hex:99"], "the size of a board hex:SIZE must be 3 to 13, not 99"),
        (["othello", "--board", "square:3x8"], "the rows of a board square:ROWSxCOLUMNS must be 4 to 26"),
        (["othello", "--board", "edges:5x0"], "the columns of a board edges:ROWSxCOLUMNS must be 1 to 12"),
        (["othello", "--plain", "--board", "hex:5"], "--plain writes a game on 7x7 cells"),
        (["othello", "--folder", "no/such/folder"], "no such folder: 'no/such'"),
        (["othello", "--folder", ""], "not a file name: ''"),
    ],
)
def test_wrong_input_gives_a_one_line_error_and_writes_nothing(
    arguments: list[str], message: str, bg: Run, home: Path
) -> None:
    before = written(home.parent)
    ran = bg("new", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert written(home.parent) - before <= {"typed"}


def test_an_existing_folder_is_never_overwritten(bg: Run, home: Path) -> None:
    folder = home.parent / "boardgames-othello"
    folder.mkdir()
    (folder / "mine.py").write_text("mine")
    ran = bg("new", "othello")
    assert ran.code == 2
    assert "'boardgames-othello' exists already; choose another folder with --folder" in ran.err
    assert written(folder) == {"mine.py"}


def test_a_link_in_place_of_the_folder_is_not_followed(bg: Run, home: Path) -> None:
    (home.parent / "elsewhere").mkdir()
    (home.parent / "boardgames-othello").symlink_to(home.parent / "elsewhere")
    assert bg("new", "othello").code == 2
    assert written(home.parent / "elsewhere") == set()


def test_a_failure_leaves_nothing_behind(bg: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_text

    def fail(path: Path, text: str, **options: str) -> int:
        if path.name == "test_rules.py":
            raise OSError(28, "No space left on device")
        return write(path, text, **options)

    before = set(home.parent.iterdir())
    monkeypatch.setattr(Path, "write_text", fail)
    ran = bg("new", "othello")
    assert ran.code == 2
    assert "cannot write boardgames-othello: no space left on device" in ran.err
    assert set(home.parent.iterdir()) - before <= {home.parent / "typed"}


class Installed:
    """A new game whose distribution is built and installed into a folder of its own."""

    def __init__(self, folder: Path, variables: dict[str, str], options: tuple[str, ...]) -> None:
        self.folder, site = folder, folder / "site"
        path = os.pathsep.join((str(site), variables["PYTHONPATH"]))
        self.variables = {**variables, "PYTHONPATH": path, "NO_COLOR": "1"}
        # make sets these to a file that is named relative to this repository
        for name in ("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT"):
            self.variables.pop(name, None)
        self.sources = folder / "boardgames-othello"
        self.run("boardgames", "new", "othello", *options)
        install = ("pip", "install", "--quiet", "--no-deps", "--no-build-isolation")
        self.run(*install, "--target", str(site), str(self.sources))

    def run(self, *arguments: str, folder: Path | None = None) -> str:
        """Return what a module of Python prints when it is run; fail if it does not succeed."""
        done = subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=folder or self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run_tests(self) -> None:
        """Run the tests of the distribution."""
        self.run("pytest", "-q", "-p", "no:cacheprovider", folder=self.sources)


@pytest.mark.slow
@pytest.mark.parametrize("board", ["square:8x8", "edges:5x5"])
def test_the_tests_of_the_new_game_pass(
    board: str, home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    Installed(home.parent, build_variables(tmp_path_factory), ("--board", board)).run_tests()


@pytest.mark.slow
@pytest.mark.parametrize("options", [("--board", "hex:5"), ("--plain",)])
def test_the_new_game_is_installed_tested_checked_and_played(
    options: tuple[str, ...], home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    game = Installed(home.parent, build_variables(tmp_path_factory), options)
    listed = json.loads(game.run("boardgames", "plugins", "--json"))["plugins"]
    assert {plugin["name"]: plugin["error"] for plugin in listed}["othello"] is None
    reference = () if "--plain" in options else ("--reference", "tests.othello_reference:Reference")
    assert "no findings" in game.run("boardgames", "check", "othello", *reference, folder=game.sources)
    game.run_tests()
    players = ("--first", "random", "--second", "greedy", "--seed", "1")
    assert "othello" in game.run("boardgames", "play", "othello", *players)
