"""Rules of the repository that no other tool checks: who may do what, and what every file has."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE = ROOT / "boardgames"
GAMES = sorted((ROOT / "plugins").glob("*/boardgames_*"))
EXAMPLES = sorted((ROOT / "examples").glob("*/boardgames_*"))
SOURCES = sorted(path for folder in (CORE, *GAMES, *EXAMPLES) for path in folder.rglob("*.py"))

EXITS = frozenset({"exit", "quit", "sys.exit", "os._exit"})
PROGRAMS = frozenset({"subprocess", "multiprocessing", "pty"})
SOCKETS = frozenset({"socket", "socketserver", "http", "asyncio", "starlette", "uvicorn"})
PICKLING = frozenset({*(CORE / "kernels").glob("*.py"), CORE / "executors" / "pool.py"})
KERNEL_IMPORTS = frozenset(
    {"boardgames.kernels", "collections.abc", "functools", "math", "numba", "numpy", "typing"}
)

# the texts are put together here, so that this file does not hold them
PRIVATE = re.compile(
    "|".join(
        (
            r"/(?:home|Users)" + r"/\w",
            r"/" + r"root/",
            r"/" + r"work/main",
            r"[A-Z]:\\" + r"Users",
            r"files\." + r"pythonhosted",
            r"index" + r"-url",
            r"pypi\.org" + r"/simple",
        )
    )
)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def room_of(path: Path) -> str:
    """Return `cli` for boardgames/cli/play.py and `paths` for boardgames/paths.py."""
    relative = path.relative_to(CORE) if path.is_relative_to(CORE) else path.relative_to(ROOT)
    return relative.parts[0].removesuffix(".py")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), name_of(path))


def dotted(node: ast.expr) -> str:
    """Return `os.environ.get` for the expression, empty if it is not a plain chain of names."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        origin = dotted(node.value)
        return f"{origin}.{node.attr}" if origin else ""
    return ""


def calls(path: Path) -> set[str]:
    return {dotted(node.func) for node in ast.walk(tree(path)) if isinstance(node, ast.Call)}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("expected a git checkout")
    return [path for path in (ROOT / name for name in listed.stdout.splitlines()) if path.is_file()]


def without(*rooms: str) -> list[Path]:
    return [path for path in SOURCES if room_of(path) not in rooms]


def test_there_is_something_to_check() -> None:
    assert len(SOURCES) > 30
    assert len(GAMES) == 3


@pytest.mark.parametrize("path", without("cli"), ids=name_of)
def test_only_cli_prints(path: Path) -> None:
    assert calls(path).isdisjoint({"print", "input", "click.echo", "sys.stdout.write", "sys.stderr.write"})


@pytest.mark.parametrize("path", without("cli", "executors"), ids=name_of)
def test_only_cli_and_worker_processes_exit(path: Path) -> None:
    raised = {
        dotted(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Raise) and node.exc is not None
    }
    assert calls(path).isdisjoint(EXITS)
    assert "SystemExit" not in raised


@pytest.mark.parametrize("path", without("cli", "paths"), ids=name_of)
def test_only_paths_and_cli_read_the_environment(path: Path) -> None:
    used = {dotted(node) for node in ast.walk(tree(path)) if isinstance(node, ast.Attribute)}
    named = {
        alias.name
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.module == "os"
        for alias in node.names
    }
    assert used.isdisjoint({"os.environ", "os.environb", "os.getenv", "os.putenv"})
    assert named.isdisjoint({"environ", "environb", "getenv", "putenv"})


@pytest.mark.parametrize("path", without("web"), ids=name_of)
def test_only_web_opens_sockets(path: Path) -> None:
    assert {name.partition(".")[0] for name in imports(path)}.isdisjoint(SOCKETS)


@pytest.mark.parametrize("path", without("adapters", "executors", "ugi"), ids=name_of)
def test_only_adapters_and_executors_start_processes(path: Path) -> None:
    assert {name.partition(".")[0] for name in imports(path)}.isdisjoint(PROGRAMS)
    assert calls(path).isdisjoint({"os.system", "os.popen", "os.fork", "os.execv"})


@pytest.mark.parametrize("path", [path for path in SOURCES if path not in PICKLING], ids=name_of)
def test_nothing_is_pickled_but_kernels_and_what_goes_to_our_own_workers(path: Path) -> None:
    assert {name.partition(".")[0] for name in imports(path)}.isdisjoint(
        {"pickle", "dill", "shelve", "joblib"}
    )
    assert calls(path).isdisjoint({"np.load", "numpy.load", "np.savez", "np.save"})


@pytest.mark.parametrize("path", [game / "rules.py" for game in GAMES], ids=name_of)
def test_rules_import_kernels_and_their_board_alone(path: Path) -> None:
    allowed = KERNEL_IMPORTS | {f"{path.parent.name}.board"}
    foreign = {
        name for name in imports(path) if name not in allowed and not name.startswith("boardgames.kernels.")
    }
    assert {name for name in foreign if name.partition(".")[0] not in {"numba", "numpy"}} == set()


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(tree(path))


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_imports_are_absolute(path: Path) -> None:
    levels = [node.level for node in ast.walk(tree(path)) if isinstance(node, ast.ImportFrom)]
    assert sum(levels) == 0


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_nothing_is_left_to_do_in_comments(path: Path) -> None:
    assert not re.search(r"\b(?:TODO|FIXME|XXX)\b", path.read_text("utf-8"))


@pytest.mark.parametrize("game", GAMES, ids=name_of)
def test_a_game_is_a_typed_distribution_with_a_readme(game: Path) -> None:
    assert (game / "py.typed").is_file()
    assert (game.parent / "README.md").is_file()
    assert (game.parent / "pyproject.toml").is_file()


def test_no_tracked_file_names_a_machine_or_a_registry() -> None:
    found = [
        f"{name_of(path)}: {match.group()}"
        for path in tracked()
        for match in [PRIVATE.search(path.read_bytes().decode("utf-8", "replace"))]
        if match is not None
    ]
    assert found == []


def test_no_lock_file_is_tracked() -> None:
    assert [path for path in tracked() if path.name in {"uv.lock", "poetry.lock", "Pipfile.lock"}] == []


def test_constraints_pin_versions_and_nothing_else() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*", line) for line in lines)
    assert {"numba", "numpy", "hatchling", "pytest"} <= {line.partition("==")[0] for line in lines}
