"""Rules of the repository that no other tool checks: which module may do what, and how files must look."""

import ast
import json
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE = ROOT / "boardgames"
GAMES = sorted((ROOT / "plugins").glob("*/boardgames_*"))
IN_THE_CORE = "tictactoe"
"""The game that comes with the core's distribution."""
EXAMPLES = sorted((ROOT / "examples").glob("*/boardgames_*"))
SOURCES = sorted(path for folder in (CORE, *GAMES, *EXAMPLES) for path in folder.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

EXITS = frozenset({"exit", "quit", "sys.exit", "os._exit"})
PROGRAMS = frozenset({"subprocess", "multiprocessing", "pty"})
SOCKETS = frozenset({"socket", "socketserver", "http", "asyncio", "starlette", "uvicorn"})
TERMINAL = CORE / "cli" / "prompt.py"
"""prompt_toolkit runs the terminal on asyncio, without sockets."""
ENVIRONMENTS = CORE / "adapters" / "environments.py"
"""Environments write the board to the terminal if their render mode asks for it."""
PICKLING = frozenset({*(CORE / "kernels").glob("*.py"), CORE / "executors" / "pool.py"})
NOT_MEASURED = frozenset(
    {
        CORE / "declarations.py",
        CORE / "plain_game.py",
        ROOT / "plugins/abalone/boardgames_abalone/passive.py",
        ROOT / "plugins/connect4/boardgames_connect4/solver/followup.py",
        ROOT / "plugins/connect4/boardgames_connect4/solver/search.py",
        ROOT / "plugins/connect4/boardgames_connect4/solver/table.py",
        ROOT / "plugins/hexifence/boardgames_hexifence/solver/small.py",
        ROOT / "plugins/hexifence/boardgames_hexifence/solver/traps.py",
    }
)
"""Left out: kernels that stand in for what a game lacks or call Python, or that have few plain tests."""
KERNEL_IMPORTS = frozenset({"boardgames.kernels", "collections.abc", "functools", "math", "numpy", "typing"})

# the patterns are split, so that this file does not match them
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
            r"registry\." + r"npmjs",
        )
    )
)


def relative_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def top_level_name(path: Path) -> str:
    """Return `cli` for boardgames/cli/play.py and `paths` for boardgames/paths.py."""
    relative = path.relative_to(CORE) if path.is_relative_to(CORE) else path.relative_to(ROOT)
    return relative.parts[0].removesuffix(".py")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), relative_name(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


def dotted(node: ast.expr) -> str:
    """Return the dotted name of an expression such as `os.environ.get`, or an empty string for others."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        origin = dotted(node.value)
        return f"{origin}.{node.attr}" if origin else ""
    return ""


@cache
def calls(path: Path) -> set[str]:
    return {dotted(node.func) for node in nodes(path) if isinstance(node, ast.Call)}


def imports(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module


def packages(path: Path) -> set[str]:
    """Return the top-level packages that a module imports from."""
    return {name.partition(".")[0] for name in imports(path)}


@cache
def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    return [path for path in (ROOT / name for name in listed.stdout.splitlines()) if path.is_file()]


def sources_outside(*names: str) -> list[Path]:
    return [path for path in SOURCES if top_level_name(path) not in names]


UNLISTED = frozenset({"__init__.py", "__main__.py", "README.md"})
"""Files that every folder of their kind has."""


def listed_paths() -> list[str]:
    """Return the paths in the tree under the heading `## Folders` of DESIGN.md; folders end with a slash.

    A line has one or more names, then two spaces or more and a description.
    """
    section = (ROOT / "DESIGN.md").read_text("utf-8").partition("\n## Folders\n")[2]
    paths: list[str] = []
    parents: list[str] = []
    for line in section.split("```")[1].splitlines():
        if not line.strip():
            continue
        depth = (len(line) - len(line.lstrip())) // 2
        names = line.strip().partition("  ")[0].split()
        paths += ["".join([*parents[:depth], name]) for name in names]
        parents[depth:] = names[-1:]
    return paths


def test_listed_folders_and_modules_exist() -> None:
    existing = {relative_name(path) for path in tracked()}
    folders = {f"{parent.as_posix()}/" for path in existing for parent in Path(path).parents}
    assert [path for path in listed_paths() if path not in existing | folders] == []


def test_folders_and_files_are_listed() -> None:
    existing: set[str] = set()
    for path in tracked():
        name = relative_name(path)
        top = name.partition("/")[0]
        existing.add(f"{top}/" if "/" in name else name)
        if top in {"boardgames", "plugins", "bench", "docs", "examples"} and "/data/" not in name:
            existing |= {f"{parent.as_posix()}/" for parent in Path(name).parents} - {"./"}
            existing |= {name} if path.suffix in {".py", ".md"} and path.name not in UNLISTED else set()
    assert sorted(existing - set(listed_paths())) == []


def test_sources_are_found() -> None:
    assert len(SOURCES) > 30
    assert len(GAMES) == 4


def failing(paths: Iterable[Path], is_allowed: Callable[[Path], bool]) -> list[str]:
    return [relative_name(path) for path in paths if not is_allowed(path)]


def test_only_cli_prints() -> None:
    printing = {"print", "input", "click.echo", "sys.stdout.write", "sys.stderr.write"}
    modules = [path for path in sources_outside("cli") if path != ENVIRONMENTS]
    assert failing(modules, lambda path: calls(path).isdisjoint(printing)) == []


def test_only_cli_and_executors_exit() -> None:
    def is_allowed(path: Path) -> bool:
        raised = {
            dotted(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)
            for node in nodes(path)
            if isinstance(node, ast.Raise) and node.exc is not None
        }
        return calls(path).isdisjoint(EXITS) and "SystemExit" not in raised

    assert failing(sources_outside("cli", "executors"), is_allowed) == []


def test_only_paths_and_cli_read_the_environment() -> None:
    def is_allowed(path: Path) -> bool:
        used = {dotted(node) for node in nodes(path) if isinstance(node, ast.Attribute)}
        imported = {
            alias.name
            for node in nodes(path)
            if isinstance(node, ast.ImportFrom) and node.module == "os"
            for alias in node.names
        }
        functions = {"environ", "environb", "getenv", "putenv"}
        return used.isdisjoint({f"os.{name}" for name in functions}) and imported.isdisjoint(functions)

    outside = [path for path in sources_outside("cli", "paths") if path != CORE / "kernels" / "plain.py"]
    assert failing(outside, is_allowed) == []


def test_only_web_opens_sockets() -> None:
    def is_allowed(path: Path) -> bool:
        return packages(path).isdisjoint(SOCKETS - {"asyncio"} if path == TERMINAL else SOCKETS)

    assert failing(sources_outside("web"), is_allowed) == []


def test_only_adapters_executors_and_ugi_start_processes() -> None:
    def is_allowed(path: Path) -> bool:
        starting = {"os.system", "os.popen", "os.fork", "os.execv"}
        return packages(path).isdisjoint(PROGRAMS) and calls(path).isdisjoint(starting)

    assert failing(sources_outside("adapters", "executors", "ugi"), is_allowed) == []


def test_only_kernels_and_tasks_of_workers_are_pickled() -> None:
    def is_allowed(path: Path) -> bool:
        return packages(path).isdisjoint({"pickle", "dill", "shelve", "joblib"}) and calls(path).isdisjoint(
            {"np.load", "numpy.load", "np.savez", "np.save"}
        )

    assert failing((path for path in SOURCES if path not in PICKLING), is_allowed) == []


def test_rules_import_only_kernels_and_their_board() -> None:
    def is_allowed(path: Path) -> bool:
        allowed = KERNEL_IMPORTS | {f"{path.parent.name}.board"}
        return all(
            name in allowed or name.startswith(("boardgames.kernels.", "numpy.")) for name in imports(path)
        )

    assert failing((game / "rules.py" for game in GAMES), is_allowed) == []


def defines_kernels(path: Path) -> bool:
    """Return True if a module has a function with the decorator `kernel`."""
    return re.search(r"^ *@kernel\b", path.read_text("utf-8"), re.MULTILINE) is not None


def test_coverage_is_measured_for_every_module_with_kernels() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["coverage"]["run"]
    modules = {path for path in sources_outside("examples") if defines_kernels(path)}
    patterns = list(measured(settings["include"]))
    assert failing(sorted(modules - NOT_MEASURED), lambda path: any(map(path.match, patterns))) == []
    assert failing(sorted(NOT_MEASURED), lambda path: path in modules) == []


def test_mypy_excuses_only_modules_with_kernels() -> None:
    overrides = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]["overrides"]
    names = [name for one in overrides if "disable_error_code" in one for name in one["module"]]
    with_kernels = {
        ".".join(path.with_suffix("").parts)
        for path in [*sources_outside("examples"), *TESTS]
        if defines_kernels(path)
    }
    unneeded = [name for name in names if not any(fnmatch(f".{one}", f"*.{name}") for one in with_kernels)]
    assert unneeded == []


def measured(patterns: list[str]) -> Iterator[str]:
    """Return the patterns of files for coverage as `Path.match` takes them, where a star is one name."""
    for pattern in patterns:
        yield pattern
        if pattern.endswith("/*"):
            yield f"{pattern}/*"


def test_modules_in_the_settings_of_mypy_exist() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]["overrides"]
    named = [name for one in settings if "disable_error_code" in one for name in one["module"]]
    places = [name.removesuffix(".*").replace(".", "/") for name in named]
    existing = {
        relative_name(path).removesuffix(".py").removesuffix("/__init__") for path in [*SOURCES, *TESTS]
    }
    assert [one for one in places if not any(f"/{name}".endswith(f"/{one}") for name in existing)] == []


def test_modules_import_numba_before_its_parts() -> None:
    """A thread that imports a part while another one imports Numba gets a module that is not complete."""

    def is_allowed(path: Path) -> bool:
        imported = [
            name
            for node in tree(path).body
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in (
                [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
            )
            if name.partition(".")[0] == "numba"
        ]
        return imported[:1] in ([], ["numba"])

    assert failing(SOURCES, is_allowed) == []


def test_modules_have_docstrings() -> None:
    assert failing(SOURCES, lambda path: bool(ast.get_docstring(tree(path)))) == []


def test_imports_are_absolute() -> None:
    def is_allowed(path: Path) -> bool:
        return not any(node.level for node in nodes(path) if isinstance(node, ast.ImportFrom))

    assert failing(SOURCES, is_allowed) == []


def test_no_todo_comments() -> None:
    pattern = re.compile(r"\b(?:TODO|FIXME|XXX)\b")
    assert failing(SOURCES, lambda path: not pattern.search(path.read_text("utf-8"))) == []


def test_games_are_typed_distributions_with_a_readme() -> None:
    for game in GAMES:
        assert (game / "py.typed").is_file()
        assert (game.parent / "README.md").is_file()
        assert (game.parent / "pyproject.toml").is_file() or game.parent.name == IN_THE_CORE


def test_no_tracked_file_mentions_a_machine_or_a_registry() -> None:
    mentions = [
        f"{relative_name(path)}: {match.group()}"
        for path in tracked()
        for match in [PRIVATE.search(path.read_bytes().decode("utf-8", "replace"))]
        if match is not None
    ]
    assert mentions == []


def test_no_lock_file_is_tracked() -> None:
    assert [path for path in tracked() if path.name in {"uv.lock", "poetry.lock", "Pipfile.lock"}] == []


def test_lock_file_of_npm_pins_versions_and_names_no_registry() -> None:
    packages = json.loads((ROOT / "package-lock.json").read_text("utf-8"))["packages"]
    wanted = json.loads((ROOT / "package.json").read_text("utf-8"))["devDependencies"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert [name for name, package in packages.items() if "resolved" in package] == []


def test_constraints_only_pin_versions() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*", line) for line in lines)
    assert {"numba", "numpy", "hatchling", "pytest"} <= {line.partition("==")[0] for line in lines}
