"""The notebooks of docs/notebooks: they run, and what is stored in them can be shown anywhere."""

import re
import runpy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest

ROOT = Path(__file__).parents[1]
RUNNER = runpy.run_path(str(ROOT / "docs" / "run_notebooks.py"))
PATHS: list[Path] = RUNNER["paths"]()
NAMES = [path.relative_to(RUNNER["FOLDER"]).as_posix() for path in PATHS]
LESSONS = [name for name in NAMES if "/" not in name]
MOST_BYTES = 200_000
MACHINE = re.compile(r"/(?:tmp|home|Users|root|work|var)/|[A-Z]:\\\\|ipykernel_\d|site-packages")

any_notebook = pytest.mark.parametrize("name", NAMES)


@cache
def read(name: str) -> nbformat.NotebookNode:
    path = RUNNER["FOLDER"] / name
    return nbformat.read(path, as_version=4)  # type: ignore[no-any-return, no-untyped-call]  # without types


def code_cells(name: str) -> list[nbformat.NotebookNode]:
    return [cell for cell in read(name).cells if cell.cell_type == "code"]


def shown(name: str) -> Iterator[tuple[str, str]]:
    """Yield the type and the text of each output."""
    for output in (output for cell in code_cells(name) for output in cell.outputs):
        if output.output_type == "stream":
            yield output.name, output.text
        else:
            yield from output.get("data", {"error": output.get("evalue", "")}).items()


@any_notebook
def test_a_notebook_is_valid_and_names_no_version_of_python(name: str) -> None:
    notebook: Any = read(name)  # a dictionary with attributes
    nbformat.validate(notebook)
    assert notebook.metadata.language_info == {"name": "python"}


@any_notebook
def test_a_notebook_was_run_from_the_top_without_errors(name: str) -> None:
    cells = code_cells(name)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert {"stderr", "error"}.isdisjoint(kind for kind, _ in shown(name))
    assert any(shown(name))


@any_notebook
def test_a_notebook_is_small_and_shows_nothing_of_the_machine(name: str) -> None:
    assert (RUNNER["FOLDER"] / name).stat().st_size <= MOST_BYTES
    assert [text for _, text in shown(name) if MACHINE.search(text)] == []


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_has_exercises_and_solutions_to_all_of_them(name: str) -> None:
    text = "\n".join(cell.source for cell in read(name).cells if cell.cell_type == "markdown")
    numbers = re.findall(r"^(\d+)\. ", text.partition("## Exercises")[2], re.MULTILINE)
    assert numbers
    assert f"`solutions/{name}`" in text
    solved = "\n".join(cell.source for cell in read(f"solutions/{name}").cells)
    headings = " ".join(re.findall(r"^## (.*)", solved, re.MULTILINE))
    assert [number for number in numbers if f"{number}. " not in headings] == []


def test_the_page_about_notebooks_links_all_of_them() -> None:
    page = (ROOT / "docs" / "notebooks.md").read_text("utf-8")
    assert [name for name in NAMES if f"(notebooks/{name})" not in page] == []


@pytest.mark.slow
@any_notebook
def test_a_notebook_runs(name: str) -> None:
    notebook = RUNNER["executed"](RUNNER["FOLDER"] / name)
    errors = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if output.output_type == "error"
    ]
    assert errors == []
