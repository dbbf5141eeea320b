"""The stamp of code: one line changed anywhere gives another."""

import sys
from pathlib import Path

import pytest

from boardgames.arena.identity import code_stamp, key_of


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a package that can be imported."""
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
def test_every_file_of_an_agents_package_counts(file: str, package: Path) -> None:
    from stamped_package import Agent

    before = code_stamp([Agent])
    assert code_stamp([Agent]) == before != code_stamp([])
    with (package / file).open("ab") as changed:
        changed.write(b"\n# changed\n")
    assert code_stamp([Agent]) != before


def test_compiled_files_do_not_count(package: Path) -> None:
    from stamped_package import Agent

    before = code_stamp([Agent])
    (package / "left.pyc").write_bytes(b"anything")
    assert code_stamp([Agent]) == before


def test_a_module_without_a_package_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lone_module.py").write_text("class Agent:\n    pass\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    from lone_module import Agent

    before = code_stamp([Agent])
    (tmp_path / "lone_module.py").write_text("class Agent:\n    depth = 4\n")
    assert code_stamp([Agent]) != before


def test_settings_that_differ_have_other_keys() -> None:
    assert key_of({"seed": 1}) != key_of({"seed": 2}) != key_of({})
