"""The example bot: an engine in plain Python that plays Connect Four like any other player."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import boardgames
from boardgames.manager import Manager
from boardgames.players.engine import Engine

pytestmark = pytest.mark.skipif(os.name != "posix", reason="engines need POSIX pipes")

BOT = Path(__file__).parents[2] / "examples" / "ugi_bot" / "bot.py"
CONNECT4 = boardgames.load("connect4")
POSITIONS = {
    "wins": ("startpos moves 4 1 4 1 4 1", "4"),
    "blocks": ("startpos moves 4 1 4 1 4", "4"),
    "wins rather than blocks": ("startpos moves 1 4 1 4 1 4", "1"),
    "from a position text": ("fen r....../b....../r....../b....../r....../b......", "4"),
    "near the middle": ("startpos", "4"),
}


@pytest.fixture(scope="module")
def bot() -> Iterator[Engine]:
    engine = Engine(CONNECT4, command=f"{sys.executable} {BOT}")
    yield engine
    engine.close()


def talk(*lines: str) -> list[str]:
    """Return the bot's answers to these lines; it ends with its input."""
    done = subprocess.run(
        [sys.executable, str(BOT)], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def answers() -> dict[str, str]:
    """Return the bot's answer in each position, all from one process."""
    lines = [
        line for position, _ in POSITIONS.values() for line in (f"position {position}", "go movetime 100")
    ]
    return dict(zip(POSITIONS, talk(*lines, "quit"), strict=True))


def test_the_bot_is_short_and_needs_only_the_standard_library() -> None:
    text = BOT.read_text("utf-8")
    assert len(text.splitlines()) <= 60
    assert "boardgames" not in text


@pytest.mark.parametrize("case", POSITIONS)
def test_the_bot_wins_blocks_or_plays_near_the_middle(case: str, answers: dict[str, str]) -> None:
    assert answers[case] == f"bestmove {POSITIONS[case][1]}"


def test_the_bot_beats_random_clearly(bot: Engine) -> None:
    wins = 0
    for number in range(10):
        other = boardgames.load_player("random", CONNECT4, seed=number)
        seats = [bot, other] if number % 2 == 0 else [other, bot]
        match = Manager(CONNECT4, seats)
        outcome = match.play().outcome
        assert match.fault is None
        assert outcome is not None
        wins += outcome.winner == number % 2
    assert wins >= 9


def test_the_bot_answers_queries_according_to_the_rules(bot: Engine) -> None:
    results = {None: "none", 0: "p1win", 1: "p2win"}
    match = Manager(CONNECT4, [bot, boardgames.load_player("random", CONNECT4, seed=3)])
    match.play()
    lines = []
    for ply in range(match.ply + 1):
        moves = " ".join(made.move.text for made in match.moves[:ply])
        lines += [f"position startpos moves {moves}", "query p1turn", "query gameover", "query result"]
    answer = iter(talk(*lines))
    for position in match.positions:
        is_over = position.outcome is not None
        p1turn = next(answer)
        assert is_over or p1turn == f"response {str(position.side_to_move == 0).lower()}"
        assert next(answer) == f"response {str(is_over).lower()}"
        assert next(answer) == f"response {results[position.outcome.winner if position.outcome else None]}"
