"""Every command with a game whose evaluation has its own unit."""

import json
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import coins
import pytest

import boardgames
from boardgames.books import Book
from boardgames.plugins import Registry, registry
from boardgames.score import Score
from boardgames.testing import check_game
from boardgames.ugi.protocol import Info
from boardgames.ugi.server import Server
from boardgames.ugi.setup import EngineSetup

Run = Callable[..., Any]
RECORD = '[Game "coins"]\n[Start "7:0:0:0"]\n\n1. take3 take1 2. take1 *\n'


@pytest.fixture(autouse=True)
def _coins_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    coins.as_plugin()
    installed = Registry(points=[EntryPoint("coins", "coins_plugin", "boardgames")])
    for name, value in vars(installed).items():  # the registry itself is imported everywhere
        monkeypatch.setattr(registry(), name, value)


def analysis(bg: Run, *arguments: str) -> dict[str, Any]:
    ran = bg("analyze", "coins", *arguments, "--json")
    assert (ran.code, ran.err) == (0, "")
    return dict(json.loads(ran.out))


def test_check_prints_the_unit(bg: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def checked(game: Any, **settings: Any) -> Any:
        return check_game(game, **{**settings, "isolated": False})

    monkeypatch.setattr("boardgames.testing.check_game", checked)
    out = bg("check", "coins", "--matches", "2", "--positions", "5").out
    assert "unit: evaluation 'cents', in pence; an advantage of 4 is a chance of winning of 75%" in out


@pytest.mark.parametrize("agent", ["alphabeta:depth=2", "minimax:depth=2", "greedy", "level:level=6,table=1"])
def test_analyze_shows_amounts_in_the_unit(bg: Run, agent: str) -> None:
    result = analysis(bg, "30:0:0:0", "--agent", agent)
    assert (result["value"], result["unit"], result["win_in"], result["proven"]) == (
        3.0,
        "penny",
        None,
        False,
    )
    assert {move["value"] for move in result["moves"]} <= {3.0, -3.0}
    text = bg("analyze", "coins", "30:0:0:0", "--agent", agent).out
    assert text.startswith("values of all moves for first, in pence, with best play:\n")
    assert " +3.0 " in text


def test_analyze_shows_wins_and_losses_by_their_plies(bg: Run) -> None:
    result = analysis(bg, "3:0:0:0", "--agent", "alphabeta", "--depth", "4")
    assert (result["value"], result["unit"], result["win_in"], result["proven"]) == (None, "penny", 1, True)
    assert [move["win_in"] for move in result["moves"]] == [1, -2, -2]
    assert "take3    win in 1 move (1 ply)! take3\n" in bg("analyze", "coins", "3:0:0:0", "--depth", "4").out


def test_tree_search_converts_amounts_into_returns(bg: Run) -> None:
    agent = "mcts:simulations=1,cutoff=0,prior=none"
    result = analysis(bg, "30:0:0:0", "--agent", agent)
    assert result["unit"] == "return"
    assert abs(result["value"]) == pytest.approx(coins.PENNY.to_return(3.0), abs=1e-6)
    proven = analysis(bg, "3:0:0:0", "--agent", "mcts:simulations=500")
    assert (proven["value"], proven["win_in"], proven["proven"]) == (1.0, None, True)


def test_a_review_marks_moves_by_the_thresholds_of_the_unit(bg: Run, home: Path) -> None:
    Path("match.record").write_text(RECORD)
    result = analysis(bg, "match.record", "--agent", "alphabeta:depth=1")
    assert (result["unit"], result["bound"]) == ("penny", 25.0)
    assert [ply["loss"] for ply in result["plies"]] == [0.0, 0.0, 50.0]
    out = bg("analyze", "coins", "match.record", "--agent", "alphabeta:depth=1", "--svg", "chart.svg").out
    assert "in pence, by alphabeta" in out
    assert "?! loses 0.5 or more, ? 1.0, ?? 3.0" in out
    assert "in pence" in Path("chart.svg").read_text()


def test_a_book_keeps_the_unit_and_agents_play_by_it(bg: Run, home: Path) -> None:
    options = ("--agent", "alphabeta:table=1", "--depth", "1", "--positions", "4", "--workers", "1")
    ran = bg("book", "coins", "--layout", "hundred", *options, "--out", "a.book", "--json")
    assert (ran.code, ran.err) == (0, "")
    made = json.loads(ran.out)
    assert (made["unit"], made["margin"]) == ("penny", coins.PENNY.book_margin)
    assert Book.read(Path("a.book")).unit == coins.PENNY
    game = boardgames.load("coins", layout="hundred")
    choice = boardgames.load_player("alphabeta:book=a.book", game).choose(game.start())
    assert (choice.nodes, choice.score) == (0, Score.of(-3.0, coins.PENNY))


def test_play_and_arena_finish(bg: Run) -> None:
    played = bg("play", "coins", "--first", "alphabeta:depth=2", "--second", "mcts:simulations=20")
    assert played.code == 0
    agents = ("alphabeta:depth=2", "mcts:simulations=20", "level:level=2")
    ran = bg("arena", "coins", *agents, "--matches", "2", "--workers", "1", "--json")
    assert (ran.code, json.loads(ran.out)["matches"]) == (0, 6)


def test_ugi_scores_are_hundredths_of_the_unit() -> None:
    lines: list[str] = []
    server = Server(EngineSetup("coins", "hundred", {}, "alphabeta", {}), lines.append)
    try:
        for line in ("position fen 30:0:0:0", "go depth 2"):
            assert server.handle(line)
        server.drain()
    finally:
        server.close()
    infos = [line for text in lines for line in text.splitlines() if line.startswith("info depth 1")]
    assert "score cp 300" in infos[0]
    info = Info()
    info.read(infos[0].split()[1:])
    assert info.score_in(coins.PENNY) == Score.of(3.0, coins.PENNY)
