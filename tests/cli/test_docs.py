"""The examples of the documentation run, and print what the pages show.

Blocks marked `python` run in the order of the page and share one namespace. In
blocks marked `console` the lines after `$ ` are commands; the lines below a
command, if there are any, are its output, where `...` stands for whatever
differs from run to run. Everything else is output or data, and its mark says
so. A block after the comment `<!-- slow -->` runs only with the slow tests; one
after `<!-- not run: REASON -->` does not run. A block after `<!-- file: PATH -->`
is written to that file, which the commands below it use: `pip install -e FOLDER`
makes a plug-in known to this process, `pytest FOLDER` runs its tests.
"""

import ast
import doctest
import inspect
import json
import linecache
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from markdown_it import MarkdownIt

from boardgames import plugins
from boardgames.hookspecs import PROJECT
from boardgames.plugins import Registry
from boardgames.testing import Reference

ROOT = Path(__file__).parents[2]
PAGES = [
    path.relative_to(ROOT).as_posix()
    for pattern in ("README.md", "docs/**/*.md", "plugins/*/README.md", "examples/*/README.md")
    for path in sorted(ROOT.glob(pattern))
]
NOTEBOOKS = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("docs/notebooks/**/*.ipynb"))]
TESTED_ELSEWHERE = {"docs/json.md"}
"""Pages whose commands another test runs: test_json.py."""
NEEDED = {"docs/bridges.md": "pyspiel"}
"""Pages that need a library which is not available everywhere."""
EXECUTED = ("python", "console")
DATA = {"json": json.loads, "toml": tomllib.loads}
SHOWN = ("text", "diff")
"""Marks of blocks that show output or files."""
DIRECTIVE = "{"
SLOW = "<!-- slow -->"
NOT_RUN = "<!-- not run: "
FILE = "<!-- file: "
ELSEWHERE = ("make", "pip", "uv", "source", "eval", "git", "cd", "python", "pytest")
"""Commands that change the environment; CI runs those that matter."""
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A block of a page: its mark, its text, its line in the page, and the file whose content it is."""

    mark: str
    text: str
    line: int
    slow: bool
    file: str


def blocks_of(page: str) -> Iterator[Block]:
    slow = skipped = False
    file = ""
    for token in MarkdownIt().parse((ROOT / page).read_text("utf-8")):
        if token.type in {"fence", "code_block"} and not skipped:
            assert token.map is not None
            yield Block(token.info.strip(), token.content, token.map[0] + 1, slow or bool(file), file)
        comments = token.content.strip() if token.type == "html_block" else ""
        slow, skipped = SLOW in comments, comments.startswith(NOT_RUN)
        file = comments.removeprefix(FILE).removesuffix("-->").strip() if comments.startswith(FILE) else ""


def examples_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with the output below it, or with [] if none is shown."""
    for part in ("\n" + text).split("\n$ ")[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command = command[:-1] + more
        yield command, output


class Page:
    """Runs the blocks of a page one after the other."""

    def __init__(
        self, name: str, folder: Path, bg: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.name, self.folder, self.bg, self.monkeypatch = name, folder, bg, monkeypatch
        self.namespace: dict[str, Any] = {"__name__": Path(name).stem.replace("-", "_")}

    def run(self, block: Block) -> None:
        if block.file:
            assert Path(block.file).is_file(), f"{self.name}:{block.line}: no file {block.file} to replace"
            Path(block.file).write_text(block.text, "utf-8")
            return
        getattr(self, f"_run_{block.mark}")(block)

    def _run_python(self, block: Block) -> None:
        # a separate file with the block at the same line, because Numba reads the
        # source of kernels
        source = "\n" * block.line + block.text
        path = self.folder / f"{Path(self.name).stem}_{block.line}.py"
        path.write_text(source, "utf-8")
        linecache.checkcache(str(path))
        exec(compile(source, str(path), "exec"), self.namespace)

    def _run_console(self, block: Block) -> None:
        for command, expected in examples_of(block.text):
            words = shlex.split(command, comments=True)
            if words[:3] == ["pip", "install", "-e"]:
                folders = (folder / words[3].partition("[")[0] for folder in (Path(), ROOT))
                if plugin := next((folder for folder in folders if folder.is_dir()), None):
                    self._install(plugin.resolve())
            if words[0] == "pytest":
                done = subprocess.run(
                    [sys.executable, "-m", *words], capture_output=True, text=True, check=False
                )
                assert done.returncode == 0, done.stdout
            if words[0] in ELSEWHERE:
                continue
            assert words[0] == "boardgames", f"{self.name}:{block.line}: not a command of ours: {command}"
            ran = self.bg(*words[1:])
            assert ran.code == 0, f"{self.name}:{block.line}: {command}\n{ran.err}"
            if expected.strip():
                example = doctest.Example(command, expected)
                checker = doctest.OutputChecker()
                difference = checker.output_difference(example, ran.out, FLAGS)
                assert checker.check_output(expected, ran.out, FLAGS), (
                    f"{self.name}:{block.line}: {difference}"
                )

    def _install(self, folder: Path) -> None:
        """Make the plug-in in a folder known to this process until the test ends."""
        project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
        offered = project["entry-points"][PROJECT].items()
        points = [
            *entry_points(group=PROJECT),
            *(EntryPoint(name, target, PROJECT) for name, target in offered),
        ]
        self.monkeypatch.syspath_prepend(str(folder))
        self.monkeypatch.setattr(plugins, "registry", cache(lambda: Registry(points)))


def pages_with(*, slow: bool) -> list[str]:
    """Return the pages that have slow examples, or other ones."""
    return [
        page
        for page in sorted({*PAGES} - TESTED_ELSEWHERE)
        if any(b.mark in EXECUTED and b.slow is slow for b in blocks_of(page))
    ]


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_a_page_is_marked(page: str) -> None:
    for block in blocks_of(page):
        is_known = block.mark in {*EXECUTED, *DATA, *SHOWN} or block.mark.startswith(DIRECTIVE)
        assert is_known, f"{page}:{block.line}: mark the block as python, console, json, toml or text"
        if block.mark in DATA:
            DATA[block.mark](block.text)


def test_the_tables_of_the_api_are_current() -> None:
    tables = runpy.run_path(str(ROOT / "docs" / "api_tables.py"))
    pages = [path.read_text("utf-8") for path in tables["PAGES"]]
    assert [tables["with_tables"](page) for page in pages] == pages, "run python docs/api_tables.py"


@cache
def names_in_reference() -> set[str]:
    tables = runpy.run_path(str(ROOT / "docs" / "api_tables.py"))
    blocks = (
        block for path in tables["PAGES"] for block in tables["BLOCK"].finditer(path.read_text("utf-8"))
    )
    return {name for block in blocks for name, *_ in tables["described"](block["directives"])}


def code_of(page: str) -> Iterator[str]:
    """Yield the blocks of Python on a page, or the cells of a notebook without the commands of Jupyter."""
    if page.endswith(".md"):
        yield from (block.text for block in blocks_of(page) if block.mark == "python")
    else:
        cells = json.loads((ROOT / page).read_text("utf-8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        yield from (re.sub(r"^[%!].*", "", source, flags=re.MULTILINE) for source in sources)


@pytest.mark.parametrize("page", [*PAGES, *NOTEBOOKS])
def test_names_that_a_guide_imports_are_in_the_reference(page: str) -> None:
    public = names_in_reference()
    modules = {name.rpartition(".")[0] for name in public}
    imported = {
        f"{node.module}.{alias.name}"
        for code in code_of(page)
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    ours = {name for name in imported if name.startswith("boardgames.")}
    assert sorted(ours - public - modules) == []


def test_signatures_in_the_reference_have_readable_defaults() -> None:
    shorten = runpy.run_path(str(ROOT / "docs" / "conf.py"))["shorten_signature"]
    values = {name: resolve_name(name) for name in names_in_reference()}
    shown = {
        name: shorten(None, "class", name, value, None, str(inspect.signature(value)), "")[0]
        for name, value in values.items()
        if inspect.isclass(value) and is_dataclass(value)
    }
    for name, signature in shown.items():
        assert "<" not in signature, name
    assert "layouts: collections.abc.Mapping[str, str] = ..., " in shown["boardgames.Facts"]
    assert shown["boardgames.Kernels"].endswith(" = no_outcome_at_limit) -> None")


def test_protocols_in_the_reference_have_no_parameters() -> None:
    shorten = runpy.run_path(str(ROOT / "docs" / "conf.py"))["shorten_signature"]
    signature = str(inspect.signature(Reference))
    assert shorten(None, "class", "Reference", Reference, None, signature, "") == ("", "")


@pytest.fixture(autouse=True)
def registered_for_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what a page has registered in this process."""
    registry = plugins.registry()
    monkeypatch.setattr(
        registry, "_offers", {kind: list(offers) for kind, offers in registry._offers.items()}
    )


@pytest.fixture
def measured_briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure weights with a few matches, since the pages show only the form of the result."""
    monkeypatch.setattr("boardgames.cli.train.DEFAULT_MEASURING_MATCHES", 6)


@pytest.mark.usefixtures("measured_briefly")
@pytest.mark.parametrize("page", pages_with(slow=False))
def test_examples_of_a_page_run(
    page: str, bg: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if page in NEEDED:
        pytest.importorskip(NEEDED[page])
    runner = Page(page, tmp_path, bg, monkeypatch)
    for block in blocks_of(page):
        if block.mark in EXECUTED and not block.slow:
            runner.run(block)


@pytest.mark.slow
@pytest.mark.usefixtures("measured_briefly")
@pytest.mark.parametrize("page", pages_with(slow=True))
def test_all_examples_of_a_page_run(
    page: str, bg: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = Page(page, tmp_path, bg, monkeypatch)
    for block in blocks_of(page):
        if block.mark in EXECUTED or block.file:
            runner.run(block)
