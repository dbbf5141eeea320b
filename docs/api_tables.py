"""Write the tables in docs/api that say what each name is for, from the docstrings.

    python docs/api_tables.py

Each block of directives gets a table in front of it, so that a page can be read without building it. The
names are written as a program imports them.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

PAGES = sorted((Path(__file__).parent / "api").glob("*.md"))
BLOCK = re.compile(
    r"(?:(?:^\|[^\n]*\n)+\n)?^```\{eval-rst\}\n(?P<directives>.*?)^```\n", re.MULTILINE | re.DOTALL
)
DIRECTIVE = re.compile(
    r"^\.\. (?P<kind>autofunction|autoclass|automodule|py:data):: (?P<name>\S+)(?:\n\n   (?P<text>[^\n]+))?",
    re.MULTILINE,
)
HEADER = "| name | |\n| --- | --- |\n"


def with_tables(page: str) -> str:
    """Return the text of the page with a current table in front of each block."""
    return BLOCK.sub(_with_table, page)


def _with_table(block: re.Match[str]) -> str:
    directives = block["directives"]
    rows = [f"| `{call}` | {summary} |\n" for _, call, summary in described(directives)]
    return f"{HEADER}{''.join(rows)}\n```{{eval-rst}}\n{directives}```\n"


def described(directives: str) -> Iterator[tuple[str, str, str]]:
    """Yield for each directive the name to import, the name with its parameters, and a summary of it."""
    for kind, name, text in DIRECTIVE.findall(directives):
        if kind == "py:data":
            yield name, name, text
        elif kind == "automodule":
            module = importlib.import_module(name)
            for one in _public_names(module):
                yield f"{name}.{one}", *_call_and_summary(f"{name}.{one}", getattr(module, one))
        else:
            package, _, short = name.rpartition(".")
            yield name, *_call_and_summary(name, getattr(importlib.import_module(package), short))


def _call_and_summary(name: str, value: Any) -> tuple[str, str]:  # a class or function
    return _call(name, value), _summary(value)


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
    for path in PAGES:
        path.write_text(with_tables(path.read_text("utf-8")), "utf-8")
