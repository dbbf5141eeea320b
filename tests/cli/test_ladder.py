"""`boardgames ladder`: the ranking of agents by their stored matches."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from boardgames.game import Outcome, Termination
from boardgames.record import Record
from boardgames.store import NewMatch, Store

AGENTS = ("random", "greedy", "alphabeta:depth=2")
GAME = ("connect4", "--option", "columns=4", "--option", "rows=5")
ARENA = ("arena", *GAME, *AGENTS, "--matches", "10", "--seed", "1", "--workers", "1")
Run = Callable[..., Any]


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory, run_at: Run) -> Path:
    """Let three agents meet; return the folder with the stored matches."""
    folder = tmp_path_factory.mktemp("arena")
    assert run_at(folder, *ARENA).code == 0
    return folder / "home" / "data"


@pytest.fixture
def matches(arena: Path, home: Path) -> None:
    """Copy the matches of the arena for a test."""
    shutil.copytree(arena, home / "data")


@pytest.mark.usefixtures("matches")
def test_the_ladder_ranks_all_agents_that_have_met(bg: Run) -> None:
    players = json.loads(bg("ladder", *GAME, "--json").out)["players"]
    assert {player["agent"] for player in players} == set(AGENTS)
    assert players[-1]["agent"] == "random"
    for player in players:
        assert player["matches"] == player["wins"] + player["losses"] + player["draws"]
    lines = bg("ladder", *GAME).out.splitlines()
    assert [line.split()[1] for line in lines[1 : 1 + len(AGENTS)]] == [player["agent"] for player in players]


def test_agents_with_different_limits_count_as_different_agents(bg: Run) -> None:
    for nodes in ("10", "1000"):
        arena = ("arena", *GAME, "alphabeta", "random", "--nodes", nodes, "--matches", "4")
        assert bg(*arena, "--seed", "1", "--workers", "1").code == 0
    players = json.loads(bg("ladder", *GAME, "--json").out)["players"]
    assert sorted((player["agent"], player["limits"]) for player in players) == [
        ("alphabeta", "10 nodes"),
        ("alphabeta", "1000 nodes"),
        ("random", ""),
    ]
    assert "alphabeta, 1000 nodes" in bg("ladder", *GAME).out


def test_agents_without_a_rating_have_no_place(home: Path, bg: Run) -> None:
    red_wins, blue_wins = ("1", "2", "1", "2", "1", "2", "1"), ("1", "2", "1", "2", "1", "2", "3", "2")
    played = [("Ann", "Bob", red_wins), ("Bob", "Ann", red_wins), ("Cleo", "Dan", red_wins)]
    with Store() as store:
        for first, second, moves in [*played, ("Ann", "Eve", blue_wins), ("Eve", "Ann", blue_wins)]:
            outcome = Outcome(0 if moves == red_wins else 1, Termination.RULES)
            record = Record("connect4", start="-", names=(first, second), moves=moves, outcome=outcome)
            store.add([NewMatch.from_record(record)])
    lines = [line.split() for line in bg("ladder", "connect4").out.splitlines()[1:6]]
    assert [line[0] for line in lines[:3]] == ["1.", "2.", "3."]
    assert [(line[0], line[-1]) for line in lines[3:]] == [("Cleo", "?"), ("Dan", "?")]


@pytest.mark.usefixtures("matches")
def test_identical_matches_count_once(bg: Run) -> None:
    before = bg("ladder", *GAME, "--json").out
    assert bg(*ARENA, "--fresh").code == 0
    assert bg("ladder", *GAME, "--json").out == before


@pytest.mark.usefixtures("matches")
def test_every_setting_of_the_options_has_its_own_ladder(bg: Run) -> None:
    narrow = ("connect4", "--option", "columns=5", "--option", "rows=5")
    assert "no agents have met yet" in bg("ladder", *narrow).out
    bg("arena", *narrow, "random", "greedy", "--matches", "4", "--workers", "1")
    ladder = json.loads(bg("ladder", *narrow, "--json").out)
    assert (ladder["variant"], len(ladder["players"])) == ("columns=5 rows=5", 2)
    assert len(json.loads(bg("ladder", *GAME, "--json").out)["players"]) == 3


@pytest.mark.usefixtures("matches")
def test_the_chart_names_every_agent(bg: Run, tmp_path: Path) -> None:
    ran = bg("ladder", *GAME, "--svg", "ladder.svg")
    assert "wrote ladder.svg" in ran.out
    text = Path("ladder.svg").read_text()
    ET.fromstring(text)
    assert all(f">{agent}</text>" in text for agent in AGENTS)


@pytest.mark.usefixtures("matches")
def test_a_chart_without_matplotlib_names_the_extra(bg: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = bg("ladder", *GAME, "--svg", "ladder.svg")
    message = (
        "drawing charts needs the extra 'plot': run pip install 'boardgames-core[plot]', "
        "or in a checkout pip install -e '.[plot]'"
    )
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {message}\n")


def test_without_matches_there_is_no_ladder_and_no_database(bg: Run, home: Path) -> None:
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
def test_wrong_input_gives_a_one_line_error(arguments: list[str], words: str, bg: Run) -> None:
    ran = bg("ladder", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err
