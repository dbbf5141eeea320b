"""What both sides must agree to: pauses, rematches and restarts; and what they look like to everybody."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web_pages import Kept, Page, Server

from boardgames.web import match

LONG = 600.0


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    kept = Kept(tmp_path / "matches.db")
    yield kept
    kept.server.close()


@pytest.fixture
def people(page: Page, other: Page) -> dict[str, Any]:
    """Return a match between two pages, and their tokens."""
    return between(page, other)


def between(page: Page, other: Page, **fields: object) -> dict[str, Any]:
    created = page.create("here", "open", **fields)
    key = created["match"]
    page.send("join", match=key, token=created["token"])
    token = other.ask("claim", match=key, side=1, name="Bob")["token"]
    other.send("join", match=key, token=token)
    other.state(id=key, yours=[1])
    return {"match": key, "tokens": [created["token"], token]}


def offer(kind: str, side: int = 0) -> dict[str, Any]:
    return {"kind": kind, "side": side, "reason": ""}


def state_of(page: Page, match: str, token: str | None = None) -> Any:
    """Return the state that a page gets when it joins a match."""
    page.send("join", match=match, token=token)
    return page.state(id=match)


# --- pauses -------------------------------------------------------------------


@pytest.mark.parametrize("side", [0, 1])
def test_clocks_stop_while_a_match_against_an_agent_is_paused(page: Page, side: int) -> None:
    seats = ("here", "random") if side == 0 else ("random", "here")
    key = page.start(*seats, clock=[LONG, LONG])
    if side == 1:
        page.state(ply=1, thinking=False)
    page.send("shown", match=key, ply=side)
    page.state(running=side)
    page.send("pause", match=key)
    paused = page.state(paused=True)
    assert paused["running"] is None
    assert "paused" in page.ask("move", match=key, ply=side, move="4")["reason"]
    assert page.ask("view", match=key, ply=0)["picture"]["cells"]  # nothing is hidden
    page.send("resume", match=key)
    resumed = page.state(paused=False)
    assert resumed["running"] == side
    assert resumed["clocks"] == pytest.approx(paused["clocks"], abs=0.2)


@pytest.mark.slow
def test_an_agent_that_thinks_stops_when_the_match_is_paused(page: Page) -> None:
    key = page.start("mcts", "here", move_time=[2.0, None])
    page.state(thinking=True)
    page.send("pause", match=key)
    state = page.state(paused=True, thinking=False)
    assert (state["ply"], state["running"]) == (0, None)
    page.send("resume", match=key)
    assert page.state(ply=1)["paused"] is False


@pytest.mark.parametrize("side", [0, 1])
def test_a_match_against_an_agent_can_begin_paused(page: Page, side: int) -> None:
    seats = ("here", "random") if side == 0 else ("random", "here")
    key = page.start(*seats, clock=[LONG, LONG], paused=True)
    page.send("shown", match=key, ply=0)
    waiting = page.state(id=key)
    assert (waiting["paused"], waiting["running"], waiting["ply"]) == (True, None, 0)
    reason = page.ask("move", match=key, ply=0, move="4")["reason"]
    assert ("red's turn" if side else "paused") in reason
    assert page.ask("hint", match=key)["ply"] == 0
    page.send("resume", match=key)
    if side == 1:
        page.state(ply=1, paused=False)
    page.send("shown", match=key, ply=side)
    page.state(running=side, paused=False)


def test_a_match_between_agents_can_begin_paused(kept: Kept) -> None:
    page = kept.server.page()
    created = page.create("random", "random", paused=True)
    key, token = created["match"], created["token"]
    assert state_of(page, key, token)["paused"] is True
    page.send("step", match=key)
    assert page.state(ply=1)["paused"] is True
    page.close()
    kept.restart()
    page = kept.server.page()
    state = state_of(page, key, token)
    assert (state["ply"], state["paused"]) == (1, True)
    page.send("resume", match=key)
    page.outcome()
    page.close()


@pytest.mark.parametrize("asks", [0, 1])
def test_people_begin_a_paused_match_by_consent(page: Page, other: Page, asks: int) -> None:
    key = between(page, other, paused=True, clock=[LONG, LONG])["match"]
    asker, answerer = (page, other)[asks], (page, other)[1 - asks]
    asker.send("resume", match=key)
    assert answerer.state(id=key, offer=offer("resume", asks))["paused"] is True
    page.send("shown", match=key, ply=0)
    answerer.send("answer", match=key, accept=True)
    for one in (page, other):
        one.state(id=key, paused=False, offer=None, running=0)


@pytest.mark.parametrize("swap", [False, True])
def test_a_rematch_begins_paused_if_the_match_did(page: Page, swap: bool) -> None:
    created = page.create("here", "random", paused=True)
    key, token = created["match"], created["token"]
    state_of(page, key, token)
    page.send("resume", match=key)
    page.send("rematch", match=key, swap=swap)
    new = page.state(id=key, offer=None)
    while new["next"] is None:
        new = page.state(id=key)
    assert state_of(page, new["next"], token)["paused"] is True


def test_people_pause_and_resume_by_consent(page: Page, other: Page, people: dict[str, Any]) -> None:
    key = people["match"]
    page.send("pause", match=key)
    assert other.state(offer=offer("pause"))["paused"] is False
    assert "nothing to answer" in page.ask("answer", match=key, accept=True)["reason"]
    other.send("answer", match=key, accept=True)
    assert page.state(paused=True)["offer"] is None
    other.send("resume", match=key)
    page.state(offer=offer("resume", 1))
    page.send("answer", match=key, accept=False)
    assert other.state(declined=offer("resume", 1))["paused"] is True
    other.send("resume", match=key)
    page.state(offer=offer("resume", 1))
    page.send("resume", match=key)  # asking for the same means agreeing
    assert page.state(paused=False)["offer"] is None


def test_spectators_can_neither_pause_nor_restart(page: Page, other: Page) -> None:
    key = page.start("here", "random")
    other.send("join", match=key)
    for request in ("pause", "resume", "rematch"):
        assert "only the players" in other.ask(request, match=key)["reason"]


@pytest.mark.parametrize(
    ("request_type", "fields"),
    [("pause", {}), ("resume", {}), ("step", {}), ("rematch", {}), ("delay", {"seconds": 1.0})],
)
def test_only_its_creator_controls_a_match_between_agents(
    page: Page, other: Page, request_type: str, fields: dict[str, float]
) -> None:
    created = page.create("mcts", "mcts", move_time=[0.2, 0.2])
    key = created["match"]
    other.send("join", match=key, token="guessed")
    assert other.state(id=key)["owner"] is False
    assert "only whoever started the match" in other.ask(request_type, match=key, **fields)["reason"]
    page.send("join", match=key, token=created["token"])
    assert page.state(id=key, owner=True)["yours"] == []
    page.send(request_type, match=key, re=1, **fields)
    page.send("matches", re=2)
    assert page.receive("matches", "refused")["type"] == "matches"


@pytest.mark.slow
def test_the_creator_of_a_match_between_agents_controls_its_rematch(page: Page) -> None:
    created = page.create("random", "random", delay=0.01)
    assert state_of(page, created["match"], created["token"])["owner"]
    page.send("delay", match=created["match"], seconds=0.02)
    page.outcome()
    page.send("rematch", match=created["match"])
    while (key := page.state(id=created["match"])["next"]) is None:
        continue
    state = state_of(page, key, created["token"])
    assert state["owner"]
    assert state["names"] == ["random", "random"]
    assert state["delay"] == 0.02


@pytest.mark.parametrize("opponent", ["here", "random"])
def test_only_matches_between_agents_can_be_slowed_down(
    page: Page, opponent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept, sleep = list[float](), asyncio.sleep

    async def recorded(seconds: float) -> None:
        slept.append(seconds)
        await sleep(min(seconds, 0.01))

    monkeypatch.setattr("boardgames.web.match.asyncio.sleep", recorded)
    key = page.start(opponent, "random", delay=LONG / 10)
    if opponent == "here":
        for ply, move in enumerate("456"):
            page.state(id=key, ply=2 * ply)
            page.send("move", match=key, ply=2 * ply, move=move)
        page.state(id=key, ply=6)
    else:
        page.outcome()
    assert (max(slept, default=0.0) > 1.0) == (opponent == "random")


def test_a_paused_match_is_paused_after_a_restart_of_the_server(kept: Kept) -> None:
    page = kept.server.page()
    created = page.create("here", "random", clock=[LONG, LONG])
    key = created["match"]
    state_of(page, key, created["token"])
    page.send("pause", match=key)
    page.state(paused=True)
    page.close()
    kept.restart()
    page = kept.server.page()
    page.send("join", match=key, token=created["token"])
    page.send("shown", match=key, ply=0)
    assert "paused" in page.ask("move", match=key, ply=0, move="4")["reason"]
    page.send("resume", match=key)
    assert page.state(paused=False, running=0)["ply"] == 0
    page.close()


# --- draws --------------------------------------------------------------------


def test_an_agent_that_declines_a_draw_says_so(page: Page) -> None:
    key = page.start("here", "random")
    page.send("offer-draw", match=key)
    declined = page.state(offer=None, ply=0)["declined"] or page.state(offer=None)["declined"]
    assert (declined["kind"], declined["side"]) == ("draw", 0)
    assert "first 10 moves" in declined["reason"]


def test_the_player_who_offered_a_draw_is_told_that_it_was_declined(
    page: Page, other: Page, people: dict[str, Any]
) -> None:
    page.send("offer-draw", match=people["match"])
    other.state(offer=offer("draw"))
    other.send("answer", match=people["match"], accept=False)
    assert page.state(declined=offer("draw"))["outcome"] is None
    page.send("move", match=people["match"], ply=0, move="4")
    assert page.state(ply=1)["declined"] is None


# --- the next move ------------------------------------------------------------


def test_a_hint_for_a_paused_agent_is_its_own_move(page: Page) -> None:
    key = page.start("mcts", "here", move_time=[2.0, None])
    page.state(thinking=True)
    page.send("pause", match=key)
    page.state(paused=True, thinking=False)
    hint = page.ask("hint", match=key)
    assert (hint["ply"], hint["move"] in tuple("1234567")) == (0, True)
    assert "win" not in hint["value"], "the default agent would have solved the position"


@pytest.mark.slow
def test_a_hint_waits_for_the_move_that_an_agent_is_thinking_about(page: Page) -> None:
    key = page.start("mcts", "mcts", move_time=[1.0, 1.0])
    page.state(thinking=True)
    page.send("pause", match=key)
    assert page.ask("hint", match=key)["ply"] == 1


def test_premoves_are_those_of_the_side_that_waits(page: Page, other: Page) -> None:
    people = between(page, other, game="hexifence", options={"dimension": 2})
    key = people["match"]
    asked = other.ask("premoves", match=key, ply=0)
    assert set(asked["picture"]["clicks"]) == set(page.ask("view", match=key, ply=0)["picture"]["clicks"])
    assert "your turn" in page.ask("premoves", match=key, ply=0)["reason"]
    assert "moved on" in other.ask("premoves", match=key, ply=1)["reason"]
    page.send("move", match=key, ply=0, move="0")
    other.state(ply=1)
    assert page.ask("premoves", match=key, ply=1)["type"] == "view"


@pytest.mark.parametrize(("game", "offered"), [("abalone", True), ("hexifence", True), ("connect4", False)])
def test_premoves_are_offered_where_the_side_to_move_can_be_chosen(
    page: Page, other: Page, game: str, offered: bool
) -> None:
    assert page.ask("game", name=game)["premoves"] is offered
    people = between(page, other, game=game)
    reply = other.ask("premoves", match=people["match"], ply=0)
    assert (reply["type"] == "view") is offered
    if offered:
        assert reply["picture"]["clicks"]


# --- rematches ----------------------------------------------------------------


@pytest.mark.parametrize("swap", [False, True])
def test_a_rematch_against_an_agent_starts_at_once_with_the_same_settings(page: Page, swap: bool) -> None:
    created = page.create(
        seats=[{"kind": "here", "name": "Ann"}, {"kind": "agent", "agent": "random"}],
        layout="7x6",
        clock=[LONG, 60],
        increment=[0, 5],
        move_limits=[30, 20],
    )
    key, token = created["match"], created["token"]
    state_of(page, key, token)
    page.send("resign", match=key)
    page.outcome()
    page.send("rematch", match=key, swap=swap)
    new = page.state(id=key, offer=None)
    new = new["next"] or page.state(id=key)["next"]
    page.send("join", match=new, token=token)
    state = page.state(id=new)
    order = slice(None, None, -1 if swap else 1)
    assert state["yours"] == [int(swap)]
    assert state["names"] == ["Ann", "random"][order]
    assert state["move_times"] == [None, None]
    assert state["layout"] == "7x6"
    assert state["increments"] == [0, 5][order]
    if not swap:
        page.send("move", match=new, ply=0, move="4")
    while (state["ply"], state["thinking"]) != (1 if swap else 2, False):  # the agent may have moved already
        state = page.state(id=new)
    assert state["clocks"] == pytest.approx([LONG, 65][order], abs=1)


@pytest.mark.parametrize("swap", [False, True])
def test_a_rematch_between_people_is_offered_and_accepted(
    page: Page, other: Page, people: dict[str, Any], swap: bool
) -> None:
    key, tokens = people["match"], people["tokens"]
    page.send("resign", match=key)
    other.outcome()
    other.send("rematch", match=key, swap=swap)
    page.state(offer=offer("swap" if swap else "rematch", 1))
    page.send("answer", match=key, accept=True)
    new = [one.state(id=key, offer=None)["next"] for one in (page, other)]
    assert new[0] == new[1] is not None
    for side, (one, token) in enumerate(zip((page, other), tokens, strict=True)):
        state = state_of(one, new[0], token)
        assert state["yours"] == [1 - side if swap else side]
        assert state["names"][state["yours"][0]] == ("Bob" if side else state["sides"][int(swap)])


def test_a_declined_offer_is_shown_only_for_a_short_time(
    page: Page, other: Page, people: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match, "DECLINED_SECONDS", 0.1)
    page.send("pause", match=people["match"])
    other.state(offer=offer("pause"))
    other.send("answer", match=people["match"], accept=False)
    page.state(declined=offer("pause"))
    page.state(declined=None, ply=0)


def test_a_declined_rematch_is_shown_as_declined(page: Page, other: Page, people: dict[str, Any]) -> None:
    page.send("resign", match=people["match"])
    other.outcome()
    page.send("rematch", match=people["match"])
    other.state(offer=offer("rematch"))
    other.send("answer", match=people["match"], accept=False)
    assert page.state(declined=offer("rematch"))["next"] is None


def test_the_rematch_is_found_after_a_restart_of_the_server(kept: Kept) -> None:
    page, other = kept.server.page(), kept.server.page()
    people = between(page, other)
    page.send("resign", match=people["match"])
    other.outcome()
    other.close()  # before the rematch begins
    page.send("rematch", match=people["match"])
    page.state(offer=offer("rematch"))
    other = kept.server.page()
    assert state_of(other, people["match"], people["tokens"][1])["offer"] == offer("rematch")
    other.send("answer", match=people["match"], accept=True)
    while (new := page.state(id=people["match"])["next"]) is None:
        continue
    page.close()
    other.close()
    kept.restart()
    other = kept.server.page()
    assert state_of(other, people["match"])["next"] == new
    assert state_of(other, new, people["tokens"][1])["yours"] == [1]
    other.close()


def test_a_restart_keeps_the_unfinished_match(server: Server, page: Page) -> None:
    created = page.create("here", "random", clock=[LONG, LONG])
    key = created["match"]
    state_of(page, key, created["token"])
    page.send("move", match=key, ply=0, move="4")
    page.state(ply=2, thinking=False)
    page.send("rematch", match=key)
    while (old := page.state(id=key))["next"] is None:
        continue
    assert (old["paused"], old["running"], old["outcome"]) == (True, None, None)
    new = state_of(page, old["next"], created["token"])
    assert (new["ply"], new["yours"], new["paused"]) == (0, [0], False)
    assert key in [entry["id"] for entry in page.ask("matches")["matches"]]


def test_people_restart_by_consent(page: Page, other: Page, people: dict[str, Any]) -> None:
    page.send("rematch", match=people["match"])
    assert other.state(offer=offer("rematch"))["next"] is None
    other.send("answer", match=people["match"], accept=True)
    while (state := other.state(id=people["match"]))["next"] is None:
        continue
    assert state["paused"]


# --- time and moves -----------------------------------------------------------


def test_time_used_is_counted_without_clocks_too(page: Page) -> None:
    key = page.start("here", "here")
    page.send("shown", match=key, ply=0)
    state = page.state(running=0)
    assert state["clocks"] is None
    page.send("move", match=key, ply=0, move="4")
    state = page.state(ply=1)
    assert state["used"][0] == pytest.approx(state["moves"][0]["seconds"], abs=0.01)
    assert 0 < state["used"][0] < LONG


def test_moves_left_are_counted_for_each_side(page: Page) -> None:
    key = page.start("here", "here", move_limits=[3, 2])
    assert page.state(ply=0)["moves_left"] == [3, 2]
    page.send("move", match=key, ply=0, move="4")
    assert page.state(ply=1)["moves_left"] == [2, 2]
