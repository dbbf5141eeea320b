"""What the distributions say about themselves, and the workflow that publishes them."""

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

import boardgames

ROOT = Path(__file__).parents[1]
PROJECTS = [ROOT, *sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))]
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"

each = pytest.mark.parametrize("project", PROJECTS, ids=lambda path: "core" if path == ROOT else path.name)


def metadata(project: Path) -> dict[str, Any]:  # as tomllib returns it
    table = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
    assert isinstance(table, dict)
    return table


@each
def test_links_in_the_text_for_an_index_lead_somewhere(project: Path) -> None:
    text = metadata(project)["readme"]["text"]
    assert "pip install" in text
    inline = [child for token in MarkdownIt().parse(text) for child in token.children or ()]
    addresses = [str(one.attrGet("href") or one.attrGet("src") or "") for one in inline]
    assert [one for one in addresses if one and not one.startswith("https://")] == []


@each
def test_python_code_in_the_text_for_an_index_is_valid(project: Path) -> None:
    for token in MarkdownIt().parse(metadata(project)["readme"]["text"]):
        if token.info == "python":
            ast.parse(token.content)


@each
def test_all_distributions_have_the_version_of_the_package(project: Path) -> None:
    assert metadata(project)["version"] == boardgames.__version__


def test_the_extra_games_has_all_games() -> None:
    games = {str(metadata(project)["name"]) for project in PROJECTS[1:]}
    extra = metadata(ROOT)["optional-dependencies"]["games"]
    assert {requirement.partition(">=")[0] for requirement in extra} == games


def test_the_workflow_of_a_release_builds_every_distribution() -> None:
    line = next(line for line in WORKFLOW.read_text("utf-8").splitlines() if line.startswith("  PROJECTS: "))
    built = line.partition(": ")[2].split()
    assert {ROOT / name for name in built} == set(PROJECTS)
