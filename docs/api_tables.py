"""Write the tables in docs/api.md that say what each name is for, from the docstrings.

    python docs/api_tables.py

Each block of directives gets a table in front of it, so that the page can be read without building it.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import boardgames

PAGE = Path(__file__).parent / "api.md"
BLOCK = re.compile(
    r"(?:(?:^\|[^\n]*\n)+\n)?^```\{eval-rst\}\n(?P<directives>.*?)^```\n", re.MULTILINE | re.DOTALL
)
DIRECTIVE = re.compile(
    r"^\.\. (?P<kind>currentmodule|autofunction|autoclass|automodule):: (?P<name>\S+)", re.MULTILINE
)
HEADER = "| name | |\n| --- | --- |\n"


def with_tables(page: str) -> str:
    """Return the text of the page with a current table in front of each block."""
    return BLOCK.sub(_with_table, page)


def _with_table(block: re.Match[str]) -> str:
    directives = block["directives"]
    rows = [f"| `{name}` | {summary} |\n" for name, summary in _described(directives)]
    return f"{HEADER}{''.join(rows)}\n```{{eval-rst}}\n{directives}```\n"


def _described(directives: str) -> Iterator[tuple[str, str]]:
    """Yield the name that a program imports and the first line of its docstring, for each directive."""
    module = ""
    for kind, name in DIRECTIVE.findall(directives):
        if kind == "currentmodule":
            module = name
        elif kind == "automodule":
            found = importlib.import_module(name)
            yield from ((one, _summary(getattr(found, one))) for one in _public_names(found))
        else:
            package, _, short = name.rpartition(".")
            one = getattr(importlib.import_module(package or module), short)
            is_top = getattr(boardgames, short, None) is one
            yield _call(short if is_top else f"{one.__module__}.{short}", one), _summary(one)


def _public_names(module: ModuleType) -> list[str]:
    """Return what a module exports, or else the classes and functions that it defines, in their order."""
    exported = getattr(module, "__all__", None)
    if exported is not None:
        return sorted(name for name in exported if callable(getattr(module, name)))
    own = [(name, one) for name, one in vars(module).items() if not name.startswith("_") and callable(one)]
    return [name for name, one in own if getattr(one, "__module__", "") == module.__name__]


def _call(name: str, value: Any) -> str:  # a class or function
    """Return the name; for a function with its parameters, but without their types."""
    if inspect.isclass(value):
        return name
    parameters, is_keyword = [], False
    for one in inspect.signature(value).parameters.values():
        if one.kind is one.KEYWORD_ONLY and not is_keyword:
            parameters.append("*")
        is_keyword = is_keyword or one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        prefix = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        default = "" if one.default is one.empty else "=..."
        parameters.append(f"{prefix}{one.name}{default}")
    return f"{name}({', '.join(parameters)})"


def _summary(value: Any) -> str:  # a class or function
    first = (inspect.getdoc(value) or "").partition("\n\n")[0]
    return " ".join(first.split()).replace("|", r"\|")


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
