import json
from collections.abc import Callable
from typing import Any

import pytest

from boardgames.testing import check_game

Run = Callable[..., Any]
QUICK = ("--option", "columns=4", "--option", "rows=4", "--matches", "2", "--positions", "5")


def test_a_correct_game_exits_with_0(bg: Run) -> None:
    ran = bg("check", "connect4", *QUICK)
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize("more", [(), ("--json",)], ids=["text", "JSON"])
def test_a_finding_is_printed_and_exits_with_1(more: tuple[str, ...], bg: Run, wrong_perft: None) -> None:
    ran = bg("check", "connect4", *QUICK, "--perft-depth", "1", *more)
    assert ran.code == 1
    assert "perft" in ran.out


def test_a_finding_names_check_and_message(bg: Run, wrong_perft: None) -> None:
    report = json.loads(bg("check", "connect4", *QUICK, "--json").out)
    assert report["ok"] is False
    for finding in report["findings"]:
        assert set(finding) == {"check", "message", "position", "move", "command"}


@pytest.fixture
def wrong_perft(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every game declare a wrong perft count."""
    from dataclasses import replace

    def checked(game: Any, **settings: Any) -> Any:
        game.facts = replace(game.facts, perft=((game.layout, (99,)),))
        return check_game(game, **settings)

    monkeypatch.setattr("boardgames.testing.check_game", checked)
