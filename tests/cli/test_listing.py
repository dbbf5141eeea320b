import json
import re
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from installed import add_plugin

import boardgames
from boardgames.hookspecs import Entry, hookimpl
from boardgames.plugins import Registry, registry

Run = Callable[..., Any]


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a plug-in that cannot be imported, in addition to Connect Four."""
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


def test_plugins_are_wrapped_beside_their_names(bg_on_terminal: Run) -> None:
    lines = bg_on_terminal("plugins", columns=80).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith(" " * 20) for line in lines)


def test_the_error_of_a_plugin_is_in_the_json_too(broken: None, bg: Run) -> None:
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


def test_layouts_of_all_sizes_are_shown(bg: Run) -> None:
    assert "layouts: 7x6, 8x7, 8x8, 4x4, 4x5" in bg("games", "connect4").out


def test_a_game_is_shown_with_its_options_layouts_and_notations(bg: Run) -> None:
    out = bg("games", "abalone").out
    lines, text = out.splitlines(), " ".join(out.split())
    assert lines[1].startswith("  layouts: belgian-daisy, standard, german-daisy")
    assert (
        " move notations: aba-pro, nacre, playstrategy, direction, code, course-moves, before-after " in text
    )
    assert (
        " position notations: board, fen, apgn, course, line, line-from-a default agent: alphabeta " in text
    )
    assert (
        " broadside true or false true allow broadside moves (side-steps) limit draw or score draw " in text
    )


@pytest.mark.parametrize("game", ["abalone", "connect4", "hexifence"])
def test_the_rules_of_a_game_are_one_short_paragraph(game: str, bg_on_terminal: Run) -> None:
    lines = bg_on_terminal("rules", game).out.splitlines()
    assert 3 <= len(lines) <= 8
    assert max(map(len, lines)) <= 80
    assert " win" in " ".join(lines)


@pytest.mark.parametrize("game", ["abalone", "connect4", "hexifence"])
def test_the_rules_end_with_how_a_move_is_typed(game: str, bg: Run) -> None:
    facts = boardgames.load(game).facts
    assert facts.move_help.startswith("Type ")
    assert "Type" not in facts.rules, "the page shows the rules to people who do not type"
    assert " ".join(bg("rules", game).out.split()).endswith(facts.move_help)


def test_a_game_without_rules_in_words_is_described_by_its_summary(
    bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("nim_under_test")

    def bg_games() -> list[Entry]:
        return [Entry("nim", "the last counter wins", "nim:Nim")]

    module.bg_games = hookimpl(bg_games)  # type: ignore[attr-defined]  # a module made here
    add_plugin(monkeypatch, module)
    assert bg("rules", "nim").out == "Nim: the last counter wins.\n"


def test_the_rules_follow_the_options_of_the_game(bg: Run) -> None:
    assert "sideways" in bg("rules", "abalone").out
    assert "sideways" not in bg("rules", "abalone", "--option", "broadside=false").out


def test_an_unknown_game_is_reported_with_suggestions(bg: Run) -> None:
    done = bg("games", "abalon")
    assert (done.code, done.err) == (
        2,
        "error: no such game 'abalon'; did you mean 'abalone'?\n",
    )


@pytest.mark.parametrize("command", [["agents"], ["agents", "connect4"], ["learners"]], ids="-".join)
def test_each_agent_and_learner_has_one_line_that_fits_the_terminal(
    command: list[str], bg_on_terminal: Run
) -> None:
    lines = bg_on_terminal(*command).out.splitlines()
    kind, *games = command
    offers = registry().offers("learners" if kind == "learners" else "agents", *games)
    for offer in offers:
        if games and "network" in offer.entry.needs:  # no network has been trained yet
            continue
        assert any(f"{offer.entry.name} " in line and offer.entry.summary in line for line in lines)
    headings = {offer.entry.game for offer in offers}
    hints = 2 * sum("network" in offer.entry.needs for offer in offers)  # lines that say how to train one
    assert len(lines) <= len(offers) + 2 * len(headings) + 2 + hints


def test_agents_that_lack_only_weights_are_named_with_the_command_to_learn_some(bg: Run, home: Path) -> None:
    lines = bg("agents", "tictactoe").out.splitlines()
    listed = json.loads(bg("agents", "tictactoe", "--json").out)["agents"]
    assert "td can play once weights are learned: `boardgames train tictactoe`" in lines
    command = "`boardgames train tictactoe --learner alphazero`"
    assert f"policy can play once weights are learned: {command}" in lines
    assert "td" not in {row["name"] for row in listed}


def test_learners_that_a_game_cannot_use_are_left_out(bg: Run) -> None:
    assert "\n  ntuple " in bg("learners", "--game", "connect4").out
    assert "ntuple " not in bg("learners", "--game", "hexifence").out
    assert "hexifence has no patterns, which the learner 'ntuple' needs" in (
        bg("learners", "ntuple", "--game", "hexifence").err
    )


def test_an_agent_for_one_game_is_listed_under_that_game(bg: Run) -> None:
    general, _, own = bg("agents").out.partition("for abalone only:")
    assert "  simple " not in general
    assert "  simple " in own


def test_the_options_of_an_agent_are_a_table(bg: Run) -> None:
    lines = bg("agents", "abalone", "alphabeta").out.splitlines()
    rows = [re.split(r"\s{2,}| (?=-|meaning)", line) for line in lines]
    assert lines[0] == "alphabeta: alpha-beta search"
    assert lines[2].split() == ["option", "values", "default", "meaning"]
    assert ["depth", "int, 1 to 100", "-", "search depth in plies"] in rows


def test_the_options_of_an_agent_fit_the_terminal(bg_on_terminal: Run) -> None:
    lines = bg_on_terminal("agents", "abalone", "alphabeta", columns=80).out.splitlines()
    assert max(map(len, lines)) <= 80
    assert not any("…" in line for line in lines)


def test_the_options_of_a_learner_are_listed(bg: Run) -> None:
    assert "\ngenerations " in bg("learners", "evolve").out


def test_an_agent_given_in_place_of_a_game_gives_an_error_that_explains_it(bg: Run) -> None:
    done = bg("agents", "alphabeta")
    assert (done.code, done.err) == (
        2,
        "error: 'alphabeta' is an agent; `boardgames agents GAME alphabeta` shows its options\n",
    )


def test_the_options_of_an_agent_are_complete_in_json(bg: Run) -> None:
    (agent,) = json.loads(bg("agents", "abalone", "simple", "--json").out)["agents"]
    assert agent["options"] == [
        {
            "name": "depth",
            "type": "int",
            "minimum": 1,
            "maximum": 100,
            "choices": [],
            "default": 3,
            "summary": "search depth in plies",
        }
    ]
