import json
import shlex
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from installed import add_plugin

from boardgames.hookspecs import Entry, hookimpl
from boardgames.testing import check_game

Run = Callable[..., Any]
QUICK = ("--option", "columns=4", "--option", "rows=4", "--matches", "2", "--positions", "5")


def check_here(game: Any, **settings: Any) -> Any:  # the signature of check_game
    """Check a game without a process of its own."""
    return check_game(game, **{**settings, "isolated": False})


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        "missing flips",
        "forgotten pass",
        "pass keeps side",
        "reversed winner",
        "missing click",
        "reads past weights",
        "crash",
    ],
)
def test_command_of_a_finding_reproduces_it(
    fault: str, bg: Run, othello: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault not in ("reads past weights", "crash"):  # the others do no harm to this process
        monkeypatch.setattr("boardgames.testing.check_game", check_here)
    first = json.loads(bg("check", "othello6", "--option", f"fault={fault}", "--json").out)["findings"][0]
    program, *arguments = shlex.split(first["command"])
    ran = bg(*arguments, "--json")
    assert (program, ran.code) == ("boardgames", 1)
    again = json.loads(ran.out)["findings"]
    keys = ("check", "position", "move")  # with one position, the statistics in a message differ
    assert [first[key] for key in keys] in [[finding[key] for key in keys] for finding in again]


@pytest.mark.slow
def test_the_move_of_a_finding_can_be_checked_alone(bg: Run, othello: None) -> None:
    start = "....../....../..wb../..bw../....../......:b"
    ran = bg("check", "othello6", "--position", start, "--move", "d5", "--only", "apply", "--json")
    report = json.loads(ran.out)
    assert ran.code == 0
    assert [check["name"] for check in report["checks"]] == ["kernels", "apply"]
    assert report["checks"][1]["covered"] == "1 move"


@pytest.mark.slow
def test_move_that_is_not_legal_in_the_position_is_refused(bg: Run, othello: None) -> None:
    start = "....../....../..wb../..bw../....../......:b"
    ran = bg("check", "othello6", "--position", start, "--move", "a1")
    assert (ran.code, ran.out) == (2, "")
    assert "illegal move 'a1'" in ran.err


def test_unknown_check_is_refused_with_a_suggestion(bg: Run) -> None:
    ran = bg("check", "connect4", "--only", "perf")
    assert ran.code == 2
    assert "there is no check 'perf'; did you mean 'perft'?" in ran.err


def test_move_without_a_position_is_refused(bg: Run) -> None:
    ran = bg("check", "connect4", "--move", "4")
    assert ran.code == 2
    assert "--move needs --position" in ran.err


@pytest.fixture
def othello(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install Othello from the tests as a plug-in."""
    module = ModuleType("othello_plugin")

    def bg_games() -> list[Entry]:
        return [Entry("othello6", "made for a test", "othello:Othello")]

    module.bg_games = hookimpl(bg_games)  # type: ignore[attr-defined]  # a module under construction
    add_plugin(monkeypatch, module)


@pytest.fixture
def wrong_perft(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every game declare a wrong perft count, and check it without a process of its own."""
    from dataclasses import replace

    def checked(game: Any, **settings: Any) -> Any:
        game.facts = replace(game.facts, perft=((game.layout, (99,)),))
        return check_here(game, **settings)

    monkeypatch.setattr("boardgames.testing.check_game", checked)
