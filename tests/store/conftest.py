"""Matches to store, and processes that use a store at the same time."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from store_processes import StoreProcess

from boardgames.game import Outcome, Termination
from boardgames.record import Record
from boardgames.store import NewMatch, PlayerKey, Store

ANN, BOB, CID = PlayerKey("Ann"), PlayerKey("Bob"), PlayerKey("alphabeta:depth=4", "9a129038d9a0")
Start = Callable[..., StoreProcess]


def make_match(
    *moves: str,
    players: tuple[PlayerKey, PlayerKey] = (ANN, BOB),
    winner: int | None = 0,
    finished: bool = True,
    **more: Any,  # those of from_record
) -> NewMatch:
    outcome = Outcome(winner, Termination.RESIGNATION) if finished else None
    names = (players[0].agent, players[1].agent)
    record = Record("connect4", start="-", names=names, moves=moves, outcome=outcome)
    return NewMatch.from_record(record, players=players, **{"variant": ""} | more)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a path for a store that does not exist yet."""
    return tmp_path / "data" / "matches.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """Return an open, empty store."""
    with Store(path) as opened:
        yield opened


@pytest.fixture
def match() -> Callable[..., NewMatch]:
    """Return a function that makes a match of Connect Four."""
    return make_match


@pytest.fixture
def start(path: Path) -> Iterator[Start]:
    """Return a function that starts a process on the store; leftover processes are killed."""
    started: list[StoreProcess] = []

    def start(target: Callable[..., None], *arguments: object) -> StoreProcess:
        started.append(StoreProcess(target, path, *arguments))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.process.join(60)
