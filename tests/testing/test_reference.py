"""Loading references by name, and counting leaves with them."""

import sys
from pathlib import Path
from typing import Any

import faulty
import pytest
from faulty import Noughts, SlowRules

from boardgames.errors import PluginError
from boardgames.testing import check_game, count_reference_leaves, load_reference, reference_file


def test_a_reference_is_made_with_the_options_of_the_game() -> None:
    assert isinstance(load_reference("faulty:SlowRules", Noughts()), SlowRules)


@pytest.mark.parametrize("text", ["faulty", "faulty:", ":SlowRules", "no_such_module:Slow", "faulty:Nobody"])
def test_a_reference_that_cannot_be_loaded_is_quoted(text: str) -> None:
    with pytest.raises(PluginError, match=repr(text)):
        load_reference(text, Noughts())


def test_a_reference_without_its_methods_is_rejected() -> None:
    with pytest.raises(PluginError, match="has no method start, legal, play, outcome, text") as caught:
        load_reference("builtins:dict", Noughts())
    assert str(caught.value).startswith("the reference 'builtins:dict' (built into Python)")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("faulty", "a reference is written module:Class, not 'faulty'"),
        ("no_such_module.slow:Rules", "there is no module 'no_such_module', neither in the current folder"),
        (
            "faulty.slow:Rules",
            "there is no module 'faulty.slow', neither in the current folder nor",
        ),
        ("faulty:SlowRule", f"there is no class 'SlowRule' in the module 'faulty' ({faulty.__file__}), so"),
        ("incomplete:Rules", "ModuleNotFoundError: No module named 'no_such_thing' (incomplete.py:1): the"),
        ("sized:Rules", "TypeError: Rules.__init__() missing 1 required positional argument: 'size': the"),
    ],
    ids=["colon", "module", "part of a package", "class", "import", "options"],
)
def test_the_reason_why_a_reference_cannot_be_loaded_comes_first(
    text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "incomplete.py").write_text("import no_such_thing\n")
    (tmp_path / "sized.py").write_text("class Rules:\n    def __init__(self, size): pass\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "sized", raising=False)
    with pytest.raises(PluginError) as caught:
        load_reference(text, Noughts())
    assert str(caught.value).startswith(reason)


def test_an_exception_in_a_reference_names_its_file() -> None:
    class Halves(SlowRules):
        def start(self, text: str) -> Any:
            board, side, clock = text.split(":")
            return board, side, clock

    report = check_game(Noughts(), matches=2, positions=5, reference=Halves(), only=["reference"])
    line = Halves.start.__code__.co_firstlineno + 1
    assert f"raised in start of the reference ({__file__}:{line}), in '" in report.findings[0].message


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
