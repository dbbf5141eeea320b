"""Runs as `bg matches list --runs` prints them: how far, with what, by whom, how strong."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from boardgames.store import PlayerKey, Rating, Store

Run = Callable[..., Any]
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
DEEP = PlayerKey("alphabeta:depth=4", "9a129038d9a0", "100 nodes")
SETTINGS = {
    "agents": ["alphabeta:depth=4", "random"],
    "planned": 20,
    "openings": "random:4",
    "limit": {"seconds": None, "nodes": 100, "depth": None},
    "time": {"move": None, "match": None, "increment": 0.0, "margin": 0.1},
}
TIMED = {**SETTINGS, "limit": {"nodes": None}, "time": {"move": 0.05 + 0.1, "match": None, "margin": 0.1}}


def begin(settings: dict[str, object], ratings: list[Rating] | None = None) -> None:
    """Keep a run, finished if there are ratings."""
    with Store(now=lambda: NOON) as store:
        run = store.begin_run("arena", "abalone", key="k", settings=settings, seed=7).id
        if ratings is not None:
            store.finish_run(run, ratings)


@pytest.mark.parametrize(
    ("settings", "lines"),
    [
        (
            SETTINGS,
            [
                "1. arena of abalone: 0 of 20 matches, not finished",
                "   seed 7, openings random:4, limit nodes=100",
                "   alphabeta:depth=4",
                "   random",
            ],
        ),
        (
            TIMED,
            [
                "1. arena of abalone: 0 of 20 matches, not finished",
                "   seed 7, openings random:4, time move=0.15 margin=0.1",
                "   alphabeta:depth=4",
                "   random",
            ],
        ),
        ({"pairs": 3, "limit": 4}, ["1. arena of abalone: 0 matches, not finished", "   seed 7"]),
    ],
    ids=["nodes", "time", "another kind of run"],
)
def test_an_unfinished_run_tells_who_plays_what(
    settings: dict[str, object], lines: list[str], home: Path, bg: Run
) -> None:
    begin(settings)
    assert bg("matches", "list", "--runs").out.splitlines() == lines


def test_a_finished_run_has_ratings_as_the_arena_prints_them(home: Path, bg: Run) -> None:
    sure, unknown = Rating(DEEP, 8, 41.4, -20.6, 99.5), Rating(PlayerKey("random"), 0, None, None, None)
    begin(SETTINGS, [sure, Rating(PlayerKey("greedy"), 8, 30.0, 11.7, None), unknown])
    assert bg("matches", "list", "--runs").out.splitlines() == [
        "1. arena of abalone: 0 of 20 matches, finished 2026-01-31 12:00:00 UTC",
        "   seed 7, openings random:4, limit nodes=100",
        "   alphabeta:depth=4 (9a129038d9a0), 100 nodes 8 matches +41 [-21, 100]",
        "   greedy                                      8 matches > +12",
        "   random                                      0 matches ?",
    ]


def test_ratings_come_to_hundredths(home: Path, bg: Run) -> None:
    begin(SETTINGS, [Rating(DEEP, 8, 41.4567, 11.7777, None)])
    (run,) = json.loads(bg("matches", "list", "--runs", "--json").out)["runs"]
    (rating,) = run["ratings"]
    assert (rating["elo"], rating["elo_low"], rating["elo_high"]) == (41.46, 11.78, None)
    assert (rating["agent"], rating["limits"]) == (DEEP.agent, "100 nodes")
    assert run["settings"] == SETTINGS


def test_names_of_a_run_stay_different_on_a_terminal(home: Path, terminal: Run) -> None:
    agents = [f'engine:command="python bot.py {number} {"very " * 20} long"' for number in range(3)]
    begin({"agents": agents})
    screen = terminal("matches", "list", "--runs")
    assert screen.wait() == 0
    lines = screen.seen.splitlines()[2:]
    assert len(set(lines)) == len(agents)
    assert all(len(line) <= 80 for line in lines)


def test_no_setting_moves_the_cursor(home: Path, bg: Run) -> None:
    begin({"agents": ["a\x1b[2J"], "openings": "b\x1b[2J", "planned": "\x1b", "limit": {"x": "\x1b"}})
    assert "\x1b" not in bg("matches", "list", "--runs").out
