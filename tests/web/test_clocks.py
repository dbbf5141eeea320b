"""Clocks: they run when both seats are taken and the side to move has been shown the board."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from waiting import TIMEOUT_S
from web_pages import Kept, Page, Server

from boardgames.web import preparation
from boardgames.web.calls import MAX_CALLS_PER_PAGE

LONG, SHORT = 60.0, 0.1
LATER_S = 0.3
"""Long enough that `SHORT` would be over."""


def join(page: Page, match: str, token: str | None, ply: int = 0) -> Any:
    """Join a match, say that the board is shown, and return the state that the page has been sent."""
    page.send("join", match=match, token=token)
    state = page.state(id=match)
    show(page, match, ply)
    return state


def show(page: Page, match: str, ply: int) -> None:
    """Say that the page shows the board, and wait until the server has read that."""
    page.send("shown", match=match, ply=ply)
    page.ask("view", match=match, ply=0)


def state_of(server: Server, match: str) -> Any:
    """Return the state of a match as a spectator sees it."""
    watching = server.page()
    watching.send("join", match=match)
    state = watching.state(id=match)
    watching.close()
    return state


def test_clock_waits_while_the_other_seat_is_free(server: Server, page: Page, other: Page) -> None:
    created = page.create("here", "open", clock=[SHORT, LONG])
    key = created["match"]
    join(page, key, created["token"])
    time.sleep(LATER_S)
    assert (state_of(server, key)["running"], state_of(server, key)["outcome"]) == (None, None)
    assert state_of(server, key)["clocks"] == [SHORT, LONG]
    other.ask("claim", match=key, side=1)
    time.sleep(LATER_S)
    assert state_of(server, key)["outcome"] is None  # the creator has not been shown the board again
    page.send("shown", match=key, ply=0)
    assert page.outcome()["text"] == "blue wins on time"


def test_all_time_is_shown_as_used_after_a_loss_on_time(server: Server, page: Page) -> None:
    created = page.create("here", "random", clock=[SHORT, LONG])
    join(page, created["match"], created["token"])
    page.outcome()
    state = state_of(server, created["match"])
    assert state["clocks"] == [0.0, LONG]
    assert state["used"][0] >= SHORT


@pytest.mark.parametrize("limit", [{"clock": [SHORT, SHORT]}, {"move_time": [SHORT, SHORT]}], ids=str)
def test_clock_waits_until_the_page_shows_the_board(
    server: Server, page: Page, other: Page, limit: dict[str, Any]
) -> None:
    created = page.create("here", "random", **limit)
    key = created["match"]
    join(other, key, None)  # a spectator starts no clock
    page.send("join", match=key, token=created["token"])
    time.sleep(LATER_S)
    assert state_of(server, key)["running"] is None
    page.send("shown", match=key, ply=3)  # another position
    time.sleep(LATER_S)
    assert state_of(server, key)["outcome"] is None
    page.send("shown", match=key, ply=0)
    assert page.outcome()["text"] == "blue wins on time"


def test_clock_of_a_creator_who_has_left_waits_for_their_return(
    server: Server, page: Page, other: Page
) -> None:
    created = page.create("here", "open", clock=[SHORT, LONG])
    key = created["match"]
    join(page, key, created["token"])
    page.send("leave", match=key)
    token = other.ask("claim", match=key, side=1)["token"]
    join(other, key, token)
    time.sleep(LATER_S)
    assert state_of(server, key)["clocks"] == [SHORT, LONG]
    join(page, key, created["token"])
    assert page.outcome()["text"] == "blue wins on time"


def test_clock_of_a_player_who_left_before_their_first_turn_waits(
    server: Server, page: Page, other: Page
) -> None:
    created = page.create("here", "open", clock=[LONG, SHORT])
    key = created["match"]
    join(page, key, created["token"])
    token = other.ask("claim", match=key, side=1)["token"]
    join(other, key, token)
    other.send("leave", match=key)
    page.send("move", match=key, ply=0, move="4")
    page.state(ply=1)
    time.sleep(LATER_S)
    assert state_of(server, key)["running"] is None
    join(other, key, token, 1)
    assert other.outcome()["text"] == "red wins on time"


def test_clock_of_a_creator_who_has_moved_and_left_waits_for_their_return(
    server: Server, page: Page, other: Page
) -> None:
    created = page.create("here", "open", clock=[SHORT, LONG])
    key = created["match"]
    join(page, key, created["token"])
    page.send("move", match=key, ply=0, move="4")
    page.state(ply=1)
    page.send("leave", match=key)
    join(other, key, other.ask("claim", match=key, side=1)["token"], 1)
    other.send("move", match=key, ply=1, move="4")
    other.state(ply=2)
    time.sleep(LATER_S)
    assert state_of(server, key)["outcome"] is None
    join(page, key, created["token"], 2)
    assert page.outcome()["text"] == "blue wins on time"


def test_clock_that_has_started_runs_on_without_the_page(page: Page, other: Page) -> None:
    created = page.create("here", "random", clock=[SHORT, LONG])
    key = created["match"]
    other.send("join", match=key)
    join(page, key, created["token"])
    page.send("leave", match=key)
    assert other.outcome()["text"] == "blue wins on time"


def test_closing_the_page_gains_no_time_at_later_turns(page: Page, other: Page) -> None:
    created = page.create("here", "random", move_time=[LATER_S, None])
    key = created["match"]
    other.send("join", match=key)
    page.send("join", match=key, token=created["token"])
    page.send("move", match=key, ply=0, move="4")  # although the page has not said that it shows the board
    page.send("leave", match=key)
    assert other.outcome()["text"] == "blue wins on time"


def test_one_page_with_both_seats_runs_both_clocks(page: Page) -> None:
    created = page.create("here", "here", clock=[LONG, SHORT])
    key = created["match"]
    join(page, key, created["token"])
    page.send("move", match=key, ply=0, move="4")
    page.state(ply=1)
    page.send("shown", match=key, ply=1)
    assert page.outcome()["text"] == "red wins on time"


def test_clock_runs_out_while_the_page_that_made_the_match_waits_for_answers(
    page: Page, other: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, asked = threading.Event(), threading.Semaphore(0)

    def wait(name: str) -> None:
        asked.release()
        opened.wait(TIMEOUT_S)

    monkeypatch.setattr(preparation, "description", wait)
    created = page.create("here", "here", clock=[SHORT, LONG])
    try:
        for _ in range(MAX_CALLS_PER_PAGE):
            page.send("game", name="connect4")
            assert asked.acquire(timeout=TIMEOUT_S)
        join(other, created["match"], created["token"])
        assert other.outcome()["text"] == "blue wins on time"
    finally:
        opened.set()


def test_clocks_of_agents_need_no_page(server: Server, page: Page) -> None:
    key = page.create("random", "random", clock=[LONG, LONG])["match"]
    page.send("join", match=key)
    assert page.outcome()["text"]


def test_agent_with_a_clock_waits_for_its_opponent(server: Server, page: Page, other: Page) -> None:
    key = page.create("random", "open", clock=[LONG, LONG])["match"]
    page.send("join", match=key)
    time.sleep(LATER_S)
    assert state_of(server, key)["ply"] == 0
    other.ask("claim", match=key, side=1)
    assert page.state(ply=1)["running"] is None


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    kept = Kept(tmp_path / "matches.db")
    yield kept
    kept.server.close()


def test_clock_waits_after_a_restart_until_the_page_is_back(kept: Kept) -> None:
    page = kept.server.page()
    created = page.create("here", "random", clock=[LONG, LONG])
    key = created["match"]
    join(page, key, created["token"])
    page.send("move", match=key, ply=0, move="4")
    before = page.state(ply=2, thinking=False)
    page.close()
    kept.restart()
    state = state_of(kept.server, key)
    time.sleep(LATER_S)
    assert state["running"] is None
    assert state_of(kept.server, key)["clocks"] == state["clocks"]
    assert state["clocks"][0] == pytest.approx(LONG - before["moves"][0]["seconds"], abs=0.01)
    page = kept.server.page()
    join(page, key, created["token"], 2)
    assert state_of(kept.server, key)["running"] == 0
    page.close()


def test_state_has_the_time_left_for_the_move(server: Server, page: Page) -> None:
    created = page.create("here", "here", clock=[LONG, LONG], move_time=[20, 10])
    key = created["match"]
    page.send("join", match=key, token=created["token"])
    state = page.state(running=None)
    assert (state["move_times"], state["move_left"]) == ([20, 10], 20)
    page.send("shown", match=key, ply=0)
    page.state(running=0)
    time.sleep(0.01)
    state = state_of(server, key)
    assert LONG - 20 < state["clocks"][0] < LONG
    assert 0 < state["move_left"] < 20
    assert state["clocks"][0] - state["move_left"] == pytest.approx(LONG - 20, abs=0.1)
    page.send("move", match=key, ply=0, move="4")
    assert page.state(ply=1)["move_left"] == 10


def test_match_with_a_running_clock_is_not_unloaded(
    server: Server, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.web.lobby.MAX_LOADED_MATCHES", 1)
    created = page.create("here", "random", clock=[LONG, LONG])
    key = created["match"]
    join(page, key, created["token"])
    page.send("leave", match=key)
    page.start("here", "random")
    assert server.lobby.get(key) is not None
