"""The same match, set up in Python, on the terminal, on the page and in an arena, is the same match."""

import asyncio
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import boardgames
from boardgames import match_setup
from boardgames.arena.plan import MatchSettings
from boardgames.arena.play import OpeningPair, PairBatch, play_batch, player_seed
from boardgames.cli.saving import today
from boardgames.clock import TimeControl
from boardgames.manager import Manager
from boardgames.match_setup import SEAT_TAGS, MatchSetup
from boardgames.player import Limit
from boardgames.record import Record, write_records
from boardgames.web import server
from boardgames.web.lobby import Lobby
from boardgames.web.messages import CreateMatch, decode

PLIES, SEED, PEOPLES_MOVE = 6, 5, "4"
PERSON = {"kind": "here"}
CONNECT4 = boardgames.load("connect4")
SEATS = tuple(itertools.product(("human", "random"), repeat=2))
PLAYED = Record(
    "connect4",
    "7x6",
    start=str(CONNECT4.parse("7")),
    names=("Ann", "Bob"),
    moves=("1", "7"),
    seconds=(2.0, 5.0),
    options={"columns": "7", "rows": "6"},
    tags={"Date": "2020.01.31", "TimeControl": "200+3 20/move, 100+3 10/move"},
)
Capture = Callable[[], Manager]


@dataclass(frozen=True)
class Times:
    """Times as the command line takes them."""

    move: str = ""
    clock: str = ""
    increment: str = ""

    @property
    def arguments(self) -> list[str]:
        given = {"--time": self.move, "--clock": self.clock, "--increment": self.increment}
        return [word for name, value in given.items() if value for word in (name, value)]

    def move_times(self, seats: tuple[str, str]) -> list[float | None]:
        """Return the seconds of each side as the page sends them."""
        if "," in self.move:
            return [float(number) for number in self.move.split(",")]
        are_alike = seats[0] == seats[1]
        return [float(self.move) if self.move and (are_alike or seat == "random") else None for seat in seats]

    @property
    def clocks(self) -> list[float | None]:
        numbers = self.clock.split(",") if self.clock else [None]
        return [None if number is None else float(number) for number in (numbers * 2)[:2]]

    @property
    def increments(self) -> list[float]:
        return [float(number) for number in ((self.increment or "0").split(",") * 2)[:2]]

    @property
    def control(self) -> tuple[TimeControl, TimeControl]:
        first, second = (
            TimeControl(match=clock, increment=increment)
            for clock, increment in zip(self.clocks, self.increments, strict=True)
        )
        return first, second

    @property
    def move_time(self) -> float | tuple[float, float] | None:
        if "," in self.move:
            first, second = (float(number) for number in self.move.split(","))
            return first, second
        return float(self.move) if self.move else None


TIMES = {
    "untimed": Times(),
    "a time for each move": Times(move="7"),
    "a time for each move of each side": Times(move="7,3"),
    "a clock": Times(clock="300"),
    "a clock of each side and an increment": Times(clock="300,60", increment="2"),
    "clock, increment and a time for each move": Times(move="7", clock="300,60", increment="2"),
    "a clock and an increment of each side": Times(clock="300,60", increment="2,5"),
}

SETUPS = {
    f"{'-'.join(seats)}, {name}": (seats, times)
    for number, (name, times) in enumerate(TIMES.items())
    for seats in (SEATS[number % 4], SEATS[3 - number % 4])
}
"""Each time control, with a person against an agent on either side, two people, or two agents."""


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Capture:
    """Return a function that returns the manager that was made last."""
    managers: list[Manager] = []

    def make(*given: Any, **more: Any) -> Manager:
        managers.append(Manager(*given, **more))
        return managers[-1]

    monkeypatch.setattr(match_setup, "Manager", make)
    return managers.pop


def facts_of(manager: Manager) -> dict[str, Any]:
    """Return what must be the same wherever a match is played, without the tags that the page drops."""
    tags = {name: value for name, value in manager.record().tags.items() if name not in SEAT_TAGS}
    return {
        "game": manager.game,
        "names": manager.names,
        "rules": manager.rules,
        "limits": manager._limits,
        "start": str(manager.start),
        "tags": tags,
        "moves": manager.record().moves,
        "outcome": manager.outcome,
    }


def play_in_python(setup: MatchSetup, record: Record | None, day: date | None = None) -> Manager:
    manager = setup.start_match(record, today=day)
    while manager.outcome is None:
        player = manager.players[manager.side_to_move]
        if player is None or player.is_human:
            manager.make_move(manager.side_to_move, PEOPLES_MOVE)
        else:
            manager.step()
    return manager


async def play_on_the_page(request: CreateMatch, record: Record | None, *, trusted: bool) -> None:
    lobby = Lobby(1)
    match, _ = await lobby.create(request, record, trusted=trusted)
    while not match.is_over:
        if match.waits_for_person:
            await match.move([0, 1], match.entry().ply, PEOPLES_MOVE)
        await asyncio.sleep(0.001)
    await lobby.close()


def arguments_of(seats: tuple[str, str], times: Times, saved: Path | None) -> list[str]:
    arguments = ["play", "connect4", "--first", seats[0], "--second", seats[1], *times.arguments]
    resume = [] if saved is None else ["--resume", str(saved)]
    return [*arguments, "--seed", str(SEED), "--plies", str(PLIES), *resume]


def play_on_the_terminal(seats: tuple[str, str], times: Times, saved: Path | None, bg: Any) -> None:
    assert bg(*arguments_of(seats, times, saved), typed=f"{PEOPLES_MOVE}\n" * PLIES).code == 0


def play_in_the_browser(
    seats: tuple[str, str], times: Times, saved: Path | None, bg: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Play a match as `play --web` does, without a server."""

    def serve(*_: object, match: CreateMatch, record: Record | None) -> None:
        asyncio.run(play_on_the_page(match, record, trusted=True))

    monkeypatch.setattr(server, "serve", serve)
    ran = bg(*arguments_of(seats, times, saved), "--web", "--no-open")
    assert ran.code == 0, ran.err


def request_of_a_page(seats: tuple[str, str], times: Times) -> CreateMatch:
    """Return what a page sends."""
    asked = {
        "type": "create",
        "game": "connect4",
        "seats": [
            {"kind": "here"} if seat == "human" else {"kind": "agent", "agent": seat} for seat in seats
        ],
        "clock": times.clocks,
        "increment": times.increments,
        "move_time": times.move_times(seats),
        "ply_limit": PLIES,
        "seed": SEED,
    }
    request = decode(json.dumps(asked))
    assert isinstance(request, CreateMatch)
    return request


def save(record: Record | None, folder: Path) -> Path | None:
    """Write a record to a file, if there is one, and return its path."""
    if record is None:
        return None
    write_records(folder / "played.record", [record])
    return folder / "played.record"


@pytest.mark.parametrize("record", [None, PLAYED], ids=["new", "resumed"])
@pytest.mark.parametrize(("seats", "times"), SETUPS.values(), ids=SETUPS)
def test_a_setup_gives_the_same_match_everywhere(
    seats: tuple[str, str],
    times: Times,
    record: Record | None,
    made: Capture,
    bg: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    saved = save(record, tmp_path)
    setup = MatchSetup(
        CONNECT4, seats, seed=SEED, time=times.control, move_time=times.move_time, ply_limit=PLIES
    )
    expected = facts_of(play_in_python(setup, record, today()))
    made()
    play_on_the_terminal(seats, times, saved, bg)
    assert facts_of(made()) == expected
    play_in_the_browser(seats, times, saved, bg, monkeypatch)
    assert facts_of(made()) == expected
    if record is None:
        asyncio.run(play_on_the_page(request_of_a_page(seats, times), None, trusted=False))
        assert facts_of(made()) == expected


@pytest.mark.parametrize("times", TIMES.values(), ids=TIMES)
def test_an_arena_plays_matches_by_the_same_rules(times: Times, made: Capture) -> None:
    limit = Limit(seconds=2.0, depth=3)
    settings = MatchSettings(
        game="connect4", layout="", options=(), agents=("random", "random"), seed=SEED,
        time=times.control, limit=limit, ply_limit=PLIES,
    )  # fmt: skip
    play_batch(PairBatch(settings, (OpeningPair(0, 0, 1, PLAYED.start),), keep_players=False))
    second_match, first_match = facts_of(made()), facts_of(made())
    for number, match in enumerate((first_match, second_match)):
        agents = (number, 1 - number)
        seeds = [player_seed(settings, number, side=side, agent=agents[side]) for side in (0, 1)]
        players = [boardgames.load_player("random", CONNECT4, seed=seed) for seed in seeds]
        setup = MatchSetup(
            CONNECT4,
            (players[0], players[1]),
            start=CONNECT4.parse(PLAYED.start),
            time=times.control,
            limit=limit,
            ply_limit=PLIES,
        )
        expected = facts_of(play_in_python(setup, None))
        assert match.pop("tags") == {"Event": "arena", "Round": str(number + 1)} | expected.pop("tags")
        assert match == expected
    assert first_match["moves"] != second_match["moves"]


@pytest.mark.parametrize("record", [None, PLAYED], ids=["new", "resumed"])
@pytest.mark.parametrize("names", [(None, None), ("Eve", "Sam")], ids=str)
@pytest.mark.parametrize("agent", ["greedy:weights=td", "level:level=5"])
def test_names_are_the_same_everywhere(
    agent: str,
    names: tuple[str | None, str | None],
    record: Record | None,
    made: Capture,
    bg: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    saved = save(record, tmp_path)
    named = [] if names[0] is None else ["--names", ",".join(name or "" for name in names)]
    arguments = ["play", "connect4", "--agent", agent, *named]
    arguments += [] if saved is None else ["--resume", str(saved)]
    MatchSetup(CONNECT4, ("human", agent), names=names).start_match(record)
    expected = made().names
    assert bg(*arguments).code == 0
    assert made().names == expected
    shown: list[tuple[str, str]] = []

    async def show(request: CreateMatch) -> None:
        lobby = Lobby(1)
        match, _ = await lobby.create(request, record, trusted=True)
        shown.append(match.entry().names)
        await lobby.close()

    monkeypatch.setattr(server, "serve", lambda *_, match, record: asyncio.run(show(match)))
    assert bg(*arguments, "--web", "--no-open").code == 0
    assert made().names == expected
    assert shown == [tuple("red" if name == "human" else name for name in expected)]
