"""The example bot: an engine in plain Python that plays Connect Four in our arena."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import boardgames
from boardgames.manager import Manager
from boardgames.player import Limit
from boardgames.players.engine import Engine

pytestmark = pytest.mark.skipif(os.name != "posix", reason="engines need POSIX pipes")

BOT = Path(__file__).parents[2] / "examples" / "ugi_bot" / "bot.py"
CONNECT4 = boardgames.load("connect4")


@pytest.fixture
def bot() -> Iterator[Engine]:
    made = Engine(CONNECT4, command=f"{sys.executable} {BOT}")
    yield made
    made.close()


def told(*lines: str) -> list[str]:
    """Return what the bot says to these lines; the end of its input ends it."""
    done = subprocess.run(
        [sys.executable, str(BOT)],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_it_is_short_and_needs_the_standard_library_alone() -> None:
    text = BOT.read_text("utf-8")
    assert len(text.splitlines()) <= 60
    assert "boardgames" not in text


def test_it_beats_random_clearly(bot: Engine) -> None:
    wins = 0
    for number in range(20):
        other = boardgames.load_player("random", CONNECT4, seed=number)
        seats = [bot, other] if number % 2 == 0 else [other, bot]
        match = Manager(CONNECT4, seats)
        outcome = match.play().outcome
        assert match.fault is None
        assert outcome is not None
        wins += outcome.winner == number % 2
    assert wins >= 17


@pytest.mark.parametrize(
    ("position", "moves"),
    [
        pytest.param("startpos moves 4 1 4 1 4 1", {"4"}, id="wins"),
        pytest.param("startpos moves 4 1 4 1 4", {"4"}, id="blocks"),
        pytest.param("startpos moves 1 4 1 4 1 4", {"1"}, id="wins rather than blocks"),
        pytest.param("fen r....../b....../r....../b....../r....../b......", {"4"}, id="from a text"),
        pytest.param("startpos", {"4"}, id="middle"),
    ],
)
def test_it_wins_blocks_or_plays_near_the_middle(position: str, moves: set[str]) -> None:
    (answer,) = told(f"position {position}", "go movetime 100", "quit")
    assert answer.removeprefix("bestmove ") in moves


@pytest.mark.slow
def test_its_answers_to_queries_are_those_of_the_rules(bot: Engine) -> None:
    answers = {None: "none", 0: "p1win", 1: "p2win"}
    match = Manager(
        CONNECT4, [bot, boardgames.load_player("random", CONNECT4, seed=3)], limit=Limit(seconds=1)
    )
    match.play()
    lines = []
    for ply in range(match.ply + 1):
        moves = " ".join(made.move.text for made in match.moves[:ply])
        lines += [f"position startpos moves {moves}", "query p1turn", "query gameover", "query result"]
    said = iter(told(*lines))
    for position in match.positions:
        is_over = position.outcome is not None
        turn = next(said)
        assert is_over or turn == f"response {str(position.side_to_move == 0).lower()}"
        assert next(said) == f"response {str(is_over).lower()}"
        assert next(said) == f"response {answers[position.outcome.winner if position.outcome else None]}"
