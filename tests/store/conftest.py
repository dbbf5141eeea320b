"""Matches to keep, and programs that keep some at the same time."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from boardgames.game import Outcome, Termination
from boardgames.record import Record
from boardgames.store import NewMatch, PlayerKey, Store

WRITER = Path(__file__).with_name("writer.py")
ANN, BOB, CID = PlayerKey("Ann"), PlayerKey("Bob"), PlayerKey("alphabeta:depth=4", "9a129038d9a0")


def match_of(
    *moves: str,
    players: tuple[PlayerKey, PlayerKey] = (ANN, BOB),
    winner: int | None = 0,
    finished: bool = True,
    **more: object,
) -> NewMatch:
    outcome = Outcome(winner, Termination.RESIGNATION) if finished else None
    names = (players[0].agent, players[1].agent)
    record = Record("connect4", start="-", names=names, moves=moves, outcome=outcome)
    return NewMatch.of(record, players=players, **{"variant": "", **more})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a store may be; nothing is there yet."""
    return tmp_path / "data" / "matches.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """Return an empty store."""
    with Store(path) as opened:
        yield opened


@pytest.fixture
def match() -> Callable[..., NewMatch]:
    """Return a function that makes a match of Connect Four."""
    return match_of


@pytest.fixture
def writer(path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Return a function that starts a program which adds matches; those that are left are ended."""
    started: list[subprocess.Popen[str]] = []

    def start(count: int, name: str = "Ann") -> subprocess.Popen[str]:
        command = [sys.executable, str(WRITER), str(path), str(count), name]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=60)
