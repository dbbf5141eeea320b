"""Which code a process runs: what is compared, and how differences are described."""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest
from installed import add_plugin

import boardgames
from boardgames import installation, plugins
from boardgames.hookspecs import PROJECT, Entry, hookimpl
from boardgames.installation import (
    Code,
    Needs,
    changed_since_start,
    code_stamp,
    describe,
    differences,
    needs_of,
)
from boardgames.plugins import Registry


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder of an importable package."""
    folder = tmp_path / "stamped_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("from stamped_package.inner import Agent\n")
    (folder / "inner.py").write_text("class Agent:\n    depth = 3\n")
    (folder / "weights.bin").write_bytes(b"123")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for name in [name for name in sys.modules if name.startswith("stamped_package")]:
        del sys.modules[name]


@pytest.mark.parametrize("file", ["__init__.py", "inner.py", "weights.bin", "new.txt"])
def test_code_stamp_covers_every_file_of_a_package(file: str, package: Path) -> None:
    from stamped_package import Agent  # type: ignore[import-not-found]  # from the fixture

    before = code_stamp([Agent])
    assert code_stamp([Agent]) == before != code_stamp([])
    with (package / file).open("ab") as changed:
        changed.write(b"\n# changed\n")
    assert code_stamp([Agent]) != before


def test_code_stamp_ignores_compiled_files(package: Path) -> None:
    from stamped_package import Agent

    before = code_stamp([Agent])
    (package / "left.pyc").write_bytes(b"anything")
    assert code_stamp([Agent]) == before


def test_code_stamp_covers_single_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lone_module.py").write_text("class Agent:\n    pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    from lone_module import Agent  # type: ignore[import-not-found]  # just written

    before = code_stamp([Agent])
    (tmp_path / "lone_module.py").write_text("class Agent:\n    depth = 4\n")
    assert code_stamp([Agent]) != before


# --- what is needed --------------------------------------------------------------


def test_work_needs_the_plugins_that_were_used_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    add_plugin(monkeypatch, ModuleType("unused_under_test"))
    boardgames.load("connect4")
    needs = needs_of()
    assert needs.packages == (
        ("boardgames", "boardgames-core"),
        ("boardgames_connect4", "boardgames-connect4"),
    )
    assert ("games", "connect4", None) in needs.entries


def test_work_needs_the_package_of_its_function_and_what_that_imports(package: Path) -> None:
    (package.parent / "helpers_of_stamped.py").write_text("")
    with (package / "inner.py").open("a") as file:
        file.write("\ndef task() -> None:\n    import helpers_of_stamped, os, numpy, absent_one\n")
    from stamped_package.inner import task  # type: ignore[import-not-found]  # from the fixture

    names = dict(needs_of([task]).packages)
    assert names.keys() >= {"stamped_package", "helpers_of_stamped"}
    assert names.keys().isdisjoint({"os", "numpy", "absent_one"})


def test_the_extra_with_games_does_not_hide_what_work_needs(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extra = ["boardgames-connect4>=0.1; extra == 'games'", "numpy>=1.26"]
    monkeypatch.setattr(installation, "requires", lambda name: extra)
    for name in ("_required_by_core", "_closure"):
        monkeypatch.setattr(installation, name, cache(getattr(installation, name).__wrapped__))
    with (package / "inner.py").open("a") as file:
        file.write("\ndef task() -> None:\n    import boardgames_connect4, numpy\n")
    from stamped_package.inner import task  # as above

    assert dict(needs_of([task]).packages).keys() >= {"stamped_package", "boardgames_connect4"}


def test_a_package_whose_name_has_a_quote_is_no_entry() -> None:
    ours, theirs = (Code({"o'game": f"0.1.0 {digest}"}, {}) for digest in ("a5", "7c"))
    assert differences(ours, theirs) == ["o'game 0.1.0 with other code"]


# --- what differs ----------------------------------------------------------------

PACKAGE = Needs((("stamped_package", "stamped-package"),), ())


@pytest.fixture
def described(package: Path, monkeypatch: pytest.MonkeyPatch) -> Code:
    """Return the description of the package when this process first looked at it."""
    monkeypatch.setattr(installation, "_snapshots", {})
    return describe(PACKAGE)


@pytest.mark.parametrize("file", ["inner.py", "weights.bin", "new.txt"])
def test_a_process_that_starts_after_a_change_has_other_code(
    file: str, described: Code, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (package / file).open("ab") as changed:
        changed.write(b"\n# changed\n")
    monkeypatch.setattr(installation, "_snapshots", {})
    assert differences(described, describe(PACKAGE)) == ["stamped-package with other code"]


def test_a_process_that_started_before_a_change_says_so(described: Code, package: Path) -> None:
    content = (package / "inner.py").read_text()
    (package / "inner.py").write_text(content.replace("3", "4"))
    changed = describe(PACKAGE)
    assert changed_since_start(changed) == ["stamped-package"]
    assert differences(described, changed) == [
        "stamped-package, whose files have changed since it was started"
    ]
    (package / "inner.py").write_text(content)
    assert describe(PACKAGE) == described


def test_the_times_of_files_do_not_matter(
    described: Code, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.utime(package / "inner.py", (1, 1))
    assert describe(PACKAGE) == described
    monkeypatch.setattr(installation, "_snapshots", {})
    assert describe(PACKAGE) == described


def test_a_package_that_is_missing_is_named(described: Code) -> None:
    theirs = replace(described, versions={**described.versions, "stamped-package": ""})
    assert differences(described, theirs) == ["no stamped-package"]


@pytest.mark.parametrize("name", ["Python", "NumPy", "Numba", "llvmlite", "boardgames-core"])
def test_another_version_is_named_with_ours(name: str) -> None:
    ours = describe(needs_of())
    theirs = replace(ours, versions={**ours.versions, name: "0.0.7 1234"})
    assert differences(ours, theirs) == [f"{name} 0.0.7 instead of {ours.versions[name].partition(' ')[0]}"]


@pytest.mark.parametrize(
    ("plugin", "phrase"),
    [
        (None, "no game 'connect4'"),
        ("usurper_under_test", "another game 'connect4', from plug-in 'usurper'"),
    ],
)
def test_a_name_that_this_plugin_does_not_offer_is_a_difference(
    plugin: str | None, phrase: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    boardgames.load("connect4")
    needs = Needs((), (("games", "connect4", None),))
    ours = describe(needs)

    @hookimpl
    def bg_games() -> list[Entry]:
        return [Entry("connect4", "not the real one", "usurper_under_test:Game")]

    module = ModuleType("usurper_under_test")
    vars(module)["bg_games"] = bg_games
    monkeypatch.setitem(sys.modules, module.__name__, module)
    registry = Registry([] if plugin is None else [EntryPoint("usurper", plugin, PROJECT)])
    monkeypatch.setattr(plugins, "registry", lambda: registry)
    assert differences(ours, describe(needs)) == [phrase]
