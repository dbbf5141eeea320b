"""The checks of a game's facts."""

from types import ModuleType

import pytest
from installed import add_plugin
from nim import Nim

from boardgames.hookspecs import Entry, hookimpl
from boardgames.testing import check_game


@pytest.mark.parametrize(("title", "faults"), [("", 0), ("Nim", 0), ("The Game of Nim", 1)])
def test_a_title_must_be_that_of_the_entry(monkeypatch: pytest.MonkeyPatch, title: str, faults: int) -> None:
    module = ModuleType("nim_under_test")

    def bg_games() -> list[Entry]:
        return [Entry("nim", "take stones", "nim:Nim", title=title)]

    module.bg_games = hookimpl(bg_games)  # type: ignore[attr-defined]  # a module made here
    add_plugin(monkeypatch, module)
    report = check_game(Nim(), only=("facts",))
    assert [finding.message for finding in report.findings] == faults * [
        "facts.title is 'Nim', but the entry of the plug-in says 'The Game of Nim'"
    ]
