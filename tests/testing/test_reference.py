"""Loading references by name, and counting leaves with them."""

import sys
from pathlib import Path
from typing import Any

import pytest
from faulty import Noughts, SlowRules

from boardgames.errors import PluginError
from boardgames.testing import count_reference_leaves, load_reference, reference_file


def test_a_reference_is_made_with_the_options_of_the_game() -> None:
    assert isinstance(load_reference("faulty:SlowRules", Noughts()), SlowRules)


@pytest.mark.parametrize("text", ["faulty", "faulty:", ":SlowRules", "no_such_module:Slow", "faulty:Nobody"])
def test_a_reference_that_cannot_be_loaded_is_quoted(text: str) -> None:
    with pytest.raises(PluginError, match=repr(text)):
        load_reference(text, Noughts())


def test_a_reference_without_its_methods_is_rejected() -> None:
    with pytest.raises(PluginError, match="'builtins:dict' has no method start, legal, play, outcome, text"):
        load_reference("builtins:dict", Noughts())


def test_leaves_of_the_empty_board() -> None:
    leaves = [count_reference_leaves(SlowRules(), ".../.../...:x", depth) for depth in range(5)]
    assert leaves == [1, 9, 72, 504, 3024]


@pytest.mark.parametrize("other", ["", "__init__.py"])
def test_a_module_in_the_current_folder_comes_before_an_installed_one(
    other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    source = "from faulty import SlowRules\nclass Rules(SlowRules):\n    place = {!r}\n"
    for folder in (here, elsewhere):
        (folder / "checks").mkdir(parents=True)
        (folder / "checks" / "rules.py").write_text(source.format(folder.name))
    if other:
        (elsewhere / "checks" / other).touch()
    monkeypatch.syspath_prepend(elsewhere)
    monkeypatch.chdir(here)
    before = list(sys.path)
    reference: Any = load_reference("checks.rules:Rules", Noughts())
    assert reference.place == "here"
    assert Path(reference_file(reference)) == here / "checks" / "rules.py"
    assert sys.path == before
    del sys.modules["checks.rules"]
