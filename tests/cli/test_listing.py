import json
from collections.abc import Callable
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from boardgames.plugins import Registry

Run = Callable[..., Any]


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install, beside Connect Four, a plug-in that cannot be imported."""
    points = [
        EntryPoint("connect4", "boardgames_connect4.plugin", "boardgames"),
        EntryPoint("torn", "no_such_module.plugin", "boardgames"),
    ]
    registry = Registry(points, frozenset())
    monkeypatch.setattr("boardgames.cli.listing.registry", lambda: registry)
    monkeypatch.setattr("boardgames.plugins.registry", lambda: registry)


def test_games_lists_names_and_summaries(bg: Run) -> None:
    out = bg("games").out
    for name in ("abalone", "connect4", "hexifence"):
        assert f"\n{name} " in f"\n{out}"


def test_agents_of_other_games_are_not_listed(bg: Run) -> None:
    assert "simple" in bg("agents", "abalone").out
    assert "simple" not in bg("agents", "connect4").out


def test_plugins_lists_a_broken_plugin_with_its_error(broken: None, bg: Run) -> None:
    ran = bg("plugins")
    assert ran.code == 0
    assert "error: ModuleNotFoundError: No module named 'no_such_module'" in ran.out


def test_plugins_gives_the_error_as_json_too(broken: None, bg: Run) -> None:
    rows = {row["name"]: row["error"] for row in json.loads(bg("plugins", "--json").out)["plugins"]}
    assert rows["connect4"] is None
    assert "no_such_module" in rows["torn"]


def test_a_broken_plugin_does_not_affect_other_games(broken: None, bg: Run) -> None:
    ran = bg("games")
    assert ran.code == 0
    assert ran.out.startswith("connect4 ")
    assert ran.err.startswith("warning: plug-in 'torn': ")
    assert bg("show", "connect4").code == 0


def test_a_blocked_plugin_is_not_listed(program: Run) -> None:
    ran = program("games", BOARDGAMES_BLOCK="hexifence")
    assert "abalone" in ran.out
    assert "hexifence" not in ran.out


def test_a_game_is_shown_with_its_options_layouts_and_notations(bg: Run) -> None:
    lines = bg("games", "abalone").out.splitlines()
    assert "  broadside: " in lines[1]
    assert lines[2].startswith("  layouts: belgian-daisy, standard, german-daisy")
    assert lines[3:] == [
        "  move notations: aba-pro, nacre",
        "  position notations: board, fen",
        "  default agent: alphabeta",
    ]


def test_an_unknown_game_is_reported_with_suggestions(bg: Run) -> None:
    done = bg("games", "abalon")
    assert (done.code, done.err) == (
        2,
        "error: no such game 'abalon'; did you mean 'abalone'?\n",
    )


def test_agents_of_a_game_are_shown_with_their_options(bg: Run) -> None:
    out = bg("agents", "abalone").out
    assert "  depth: search depth in plies (int, 1 to 100; default: " in out
    assert "(float, 0.001 to 86400; default: none)" in out
