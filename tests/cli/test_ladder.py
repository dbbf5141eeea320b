"""`bg ladder`: everybody who has met, from the matches that are kept."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

AGENTS = ("random", "greedy", "alphabeta:depth=2")


@pytest.fixture
def met(bg: Callable[..., Any]) -> None:
    """Let three agents meet."""
    ran = bg("arena", "connect4", *AGENTS, "--matches", "30", "--seed", "1", "--workers", "1")
    assert ran.code == 0


@pytest.mark.usefixtures("met")
def test_the_ladder_ranks_all_agents_that_have_met(bg: Callable[..., Any]) -> None:
    players = json.loads(bg("ladder", "connect4", "--json").out)["players"]
    assert {player["agent"] for player in players} == set(AGENTS)
    assert players[-1]["agent"] == "random"
    for player in players:
        assert player["matches"] == player["wins"] + player["losses"] + player["draws"]
    lines = bg("ladder", "connect4").out.splitlines()
    assert [line.split()[1] for line in lines[1 : 1 + len(AGENTS)]] == [player["agent"] for player in players]


def test_agents_with_different_limits_are_listed_separately(bg: Callable[..., Any]) -> None:
    for nodes in ("10", "1000"):
        arena = (
            "arena",
            "connect4",
            "alphabeta",
            "random",
            "--nodes",
            nodes,
            "--seed",
            "1",
            "--workers",
            "1",
        )
        assert bg(*arena, "--matches", "10").code == 0
    players = json.loads(bg("ladder", "connect4", "--json").out)["players"]
    assert sorted((player["agent"], player["limits"]) for player in players) == [
        ("alphabeta", "10 nodes"),
        ("alphabeta", "1000 nodes"),
        ("random", ""),
    ]
    assert "alphabeta, 1000 nodes" in bg("ladder", "connect4").out


@pytest.mark.usefixtures("met")
def test_equal_matches_count_once(bg: Callable[..., Any]) -> None:
    before = bg("ladder", "connect4", "--json").out
    bg("arena", "connect4", *AGENTS, "--matches", "30", "--seed", "1", "--workers", "1")
    assert bg("ladder", "connect4", "--json").out == before


@pytest.mark.usefixtures("met")
def test_a_game_with_other_options_has_a_ladder_of_its_own(bg: Callable[..., Any]) -> None:
    narrow = ("connect4", "--option", "columns=5")
    assert "no agents have met yet" in bg("ladder", *narrow).out
    bg("arena", *narrow, "random", "greedy", "--matches", "4", "--workers", "1")
    ladder = json.loads(bg("ladder", *narrow, "--json").out)
    assert (ladder["variant"], len(ladder["players"])) == ("columns=5", 2)
    assert len(json.loads(bg("ladder", "connect4", "--json").out)["players"]) == 3


@pytest.mark.usefixtures("met")
def test_the_chart_has_a_row_for_each_agent(bg: Callable[..., Any], tmp_path: Path) -> None:
    ran = bg("ladder", "connect4", "--svg", "ladder.svg")
    assert "wrote ladder.svg" in ran.out
    text = Path("ladder.svg").read_text()
    ET.fromstring(text)
    assert all(f">{agent}</text>" in text for agent in AGENTS)


@pytest.mark.usefixtures("met")
def test_chart_without_matplotlib_says_what_to_install(
    bg: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = bg("ladder", "connect4", "--svg", "ladder.svg")
    message = "drawing charts needs the extra 'plot': run pip install 'boardgames-core[plot]'"
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {message}\n")


def test_without_matches_no_store_is_created(bg: Callable[..., Any], home: Path) -> None:
    ran = bg("ladder", "connect4")
    assert (ran.code, ran.out) == (0, "no agents have met yet; see `boardgames arena --help`\n")
    assert not (home / "data").exists()
    assert json.loads(bg("ladder", "connect4", "--json").out)["players"] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["connect5"], "did you mean 'connect4'"),
        (["connect4", "--option", "columns=x"], "columns must be an integer"),
        (["connect4", "--svg", "."], "cannot write"),
        ([], "missing argument 'GAME'"),
    ],
)
def test_invalid_input_gives_a_one_line_error(
    arguments: list[str], words: str, bg: Callable[..., Any]
) -> None:
    ran = bg("ladder", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err
