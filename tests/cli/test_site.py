"""The pages of the site agree with the packages: the reference of the API, extras, folders."""

import ast
import html
import importlib
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from markdown_it import MarkdownIt
from platformdirs.macos import MacOS
from platformdirs.unix import Unix

from boardgames.paths import APPLICATION

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*DOCS.glob("**/*.md"), ROOT / "README.md", *ROOT.glob("plugins/*/README.md")]
INSTALLATION = DOCS / "installation.md"
SIGNATURE = """\
# Reference

```{eval-rst}
.. autofunction:: boardgames.load_player

.. autofunction:: boardgames.kernels.next_random
```
"""


@cache
def reference() -> dict[str, Any]:  # whatever the pages describe
    """Return the names on the pages of the API, and what a program gets that imports them as written."""
    tables = runpy.run_path(str(DOCS / "api_tables.py"))
    names = [name for page in tables["PAGES"] for name, _, _ in tables["described"](page.read_text("utf-8"))]
    return {name: imported(*name.rsplit(".", 1)) for name in names}


def imported(module: str, name: str) -> Any:  # as above
    found = importlib.import_module(module)
    return getattr(found, name) if hasattr(found, name) else importlib.import_module(f"{module}.{name}")


def imports_of(page: Path) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each import from the core in the Python code of a page."""
    for token in MarkdownIt().parse(page.read_text("utf-8")):
        if token.type == "fence" and token.info.strip() == "python":
            for node in ast.walk(ast.parse(token.content)):
                if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "boardgames":
                    yield from ((str(node.module), alias.name) for alias in node.names)


def is_in_the_reference(module: str, name: str) -> bool:
    value = imported(module, name)
    if isinstance(value, ModuleType):
        return any(one.startswith(f"{value.__name__}.") for one in reference())
    return any(
        one == f"{module}.{name}" or (one.endswith(f".{name}") and found is value)
        for one, found in reference().items()
    )


def cells_of(page: Path, column: int) -> set[str]:
    """Return what is in backticks in a column of the tables of a page."""
    rows = [line.split("|") for line in page.read_text("utf-8").splitlines() if line.startswith("| ")]
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row[column])}


def test_the_names_of_the_reference_can_be_imported_as_written() -> None:
    assert len(reference()) > 150


def test_the_reference_has_no_name_twice() -> None:
    tables = runpy.run_path(str(DOCS / "api_tables.py"))
    names = [name for page in tables["PAGES"] for name, _, _ in tables["described"](page.read_text("utf-8"))]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_whatever_the_guides_import_is_in_the_reference() -> None:
    used = {one for page in PAGES for one in imports_of(page)}
    assert len(used) > 50
    assert sorted(".".join(one) for one in used if not is_in_the_reference(*one)) == []


def test_whatever_the_page_about_kernels_lists_is_in_the_reference() -> None:
    listed = {name.partition("(")[0] for name in cells_of(DOCS / "kernels.md", 1)}
    modules = [f"boardgames.kernels{part}" for part in ("", ".abi", ".atomics", ".bundles", ".lanes")]
    named = {(one, name) for one in modules for name in listed if hasattr(importlib.import_module(one), name)}
    assert len({name for _, name in named}) > 40
    assert sorted(".".join(one) for one in named if not is_in_the_reference(*one)) == []


def test_whatever_the_package_exports_is_in_the_reference() -> None:
    import boardgames

    exported = set(boardgames.__all__) - {"__version__"}
    assert sorted(name for name in exported if not is_in_the_reference("boardgames", name)) == []


def test_every_extra_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(project["optional-dependencies"]) - cells_of(INSTALLATION, 1) == set()


@pytest.mark.parametrize("system", [Unix, MacOS])
@pytest.mark.skipif(sys.platform == "win32", reason="the paths have the separators of this system")
def test_the_folders_of_a_system_are_those_that_are_used(
    system: type[Unix] | type[MacOS], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    folders = system(APPLICATION, appauthor=False)
    home = str(Path.home())
    assert folders.user_data_dir.replace(home, "~") in cells_of(INSTALLATION, 2)
    assert folders.user_cache_dir.replace(home, "~") in cells_of(INSTALLATION, 3)


@pytest.mark.parametrize("word", ["install", "gymnasium", "exercise"])
def test_a_search_for_what_readers_look_for_finds_a_title_or_a_name(word: str) -> None:
    headings = [
        line
        for page in DOCS.glob("**/*.md")
        for line in page.read_text("utf-8").splitlines()
        if line[:1] == "#"
    ]
    assert any(word in text.lower() for text in [*headings, *reference()])


@pytest.mark.slow
def test_signatures_in_the_reference_show_types_and_defaults(tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text(SIGNATURE, "utf-8")
    build = [sys.executable, "-m", "sphinx", "--quiet", "--conf-dir", str(DOCS), str(tmp_path)]
    subprocess.run([*build, str(tmp_path / "site")], check=True, capture_output=True)
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    text = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", page)))
    assert "game: Game" in text
    assert "seed: int | None = None" in text
    assert "next_random(state: NDArray[uint64])" in text
