"""Makes plug-ins look installed, in this process only."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

from boardgames import plugins
from boardgames.hookspecs import PROJECT, Entry, hookimpl
from boardgames.plugins import Registry

GAMES = ("abalone", "connect4", "hexifence", "tictactoe")


def add_plugin(monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> Registry:
    """Install a module as a plug-in, besides those of the games, until the test ends."""
    monkeypatch.setitem(sys.modules, module.__name__, module)
    points = [EntryPoint(name, f"boardgames_{name}.plugin", PROJECT) for name in GAMES]
    registry = Registry([*points, EntryPoint("under-test", module.__name__, PROJECT)])
    assert all(plugin.error is None for plugin in registry.plugins)
    monkeypatch.setattr(plugins, "_registry", lambda: registry)
    return registry


def add_offers(monkeypatch: pytest.MonkeyPatch, hook: str, **targets: object) -> None:
    """Install a plug-in whose hook offers these objects for Connect Four by their names."""
    module = ModuleType("offers_under_test")
    entries = []
    for number, (name, target) in enumerate(targets.items()):
        setattr(module, f"T{number}", target)
        entries.append(Entry(name, "made for a test", f"{module.__name__}:T{number}", "connect4"))

    def offered() -> list[Entry]:
        return entries

    offered.__name__ = hook
    setattr(module, hook, hookimpl(offered))
    add_plugin(monkeypatch, module)


@contextmanager
def plugins_installed(**folders: Path) -> Iterator[None]:
    """Install the plug-in `boardgames_NAME` of each folder within the context.

    The registry itself is replaced instead of its entry points. Otherwise a thread of an earlier test
    that asks for the registry at this moment could create one without these plug-ins.
    """
    added = [EntryPoint(name, f"boardgames_{name}.plugin", PROJECT) for name in folders]
    with patch.object(sys, "path", [*map(str, folders.values()), *sys.path]):
        registry = Registry([*entry_points(group=PROJECT), *added])
        with patch.object(plugins, "_registry", lambda: registry):
            yield
