"""Matches survive a restart of the server."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from waiting import TIMEOUT_S
from web_pages import Page, Server

from boardgames.store import ServedMatch, Store
from boardgames.web import lobby

MOVES: dict[str, dict[str, object]] = {"running": {"ply": 0, "move": "4"}, "without moves": {}}
UNKNOWN_GAME = {"game": "chess", "seats": [{"kind": "here"}, {"kind": "here"}]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "matches.db"


@pytest.fixture
def start(path: Path) -> Iterator[Callable[[], Server]]:
    """Return a function that starts a server with the store; the earlier one is stopped."""
    servers: list[Server] = []

    def restart() -> Server:
        if servers:
            servers.pop().close()
        servers.append(Server(store=path))
        return servers[-1]

    yield restart
    servers[-1].close()


def test_a_review_is_still_kept_after_a_restart(start: Callable[[], Server]) -> None:
    page = start().page()
    match = page.create("here", "here")["match"]
    page.send("annotate", re=1, key="a", match=match, agent="alphabeta:depth=1")
    end = page.receive("annotation")
    page.close()

    page = start().page()
    page.send("annotate", re=2, key="b", match=match, kept=True)
    assert page.receive("annotation") == {**end, "re": 2, "key": "b"}
    page.close()


def test_names_are_kept_after_a_restart_and_a_saved_match_is_renamed_and_deleted(
    start: Callable[[], Server], path: Path
) -> None:
    page = start().page()
    created = page.create("here", "here")
    key, tokens = created["match"], [created["token"]]
    page.ask("rename", match=key, name="Final", tokens=tokens)
    page.close()
    for name in ("Final", "Replay"):
        page = start().page()
        (listed,) = page.ask("matches")["matches"]
        assert (listed["name"], listed["owned"]) == (name, True)
        assert "only whoever started" in page.ask("rename", match=key, name="Other")["reason"]
        page.ask("rename", match=key, name="Replay", tokens=tokens)
        page.close()
    page = start().page()
    page.ask("delete", matches=[{"match": key, "tokens": tokens}])
    assert page.ask("matches")["matches"] == []
    page.close()
    start()
    with Store(path) as store:
        assert store.served() == []


def test_finished_matches_of_the_page_are_added_once_to_the_users_matches(
    start: Callable[[], Server], path: Path
) -> None:
    page = start().page()
    created = page.create("here", "random")
    key, token = created["match"], created["token"]
    page.send("join", match=key, token=token)
    for kind in ("running", "without moves"):
        other = page.start("here", "here")
        page.send("resign" if kind == "without moves" else "move", match=other, **MOVES[kind])
    page.send("move", match=key, ply=0, move="4")
    page.state(id=key, ply=2)
    page.send("resign", match=key)
    page.state(id=key, to_move=0, ply=2)
    page.ask("rename", match=key, name="Saved again", tokens=[token])
    page.close()
    page = start().page()
    page.ask("rename", match=key, name="And again", tokens=[token])
    page.close()
    page = start().page()
    with Store(path) as store:
        (match,) = store.matches()
    assert (match.game, match.winner, match.termination, match.plies) == ("connect4", 1, "resignation", 2)
    assert match.players[1].agent == "random"
    page.ask("delete", matches=[{"match": key, "tokens": [token]}])
    page.close()
    start()
    with Store(path) as store:
        assert list(store.matches()) == []


def test_a_match_continued_after_its_end_is_stored_with_its_latest_end(
    start: Callable[[], Server], path: Path
) -> None:
    page = start().page()
    key = page.start("here", "random")
    page.send("move", match=key, ply=0, move="4")
    page.state(ply=2)
    page.send("resign", match=key)
    assert page.outcome()
    wait_for_plies(path, [2])
    page.send("undo", match=key)
    page.state(outcome=None)
    page.send("move", match=key, ply=2, move="4")
    page.state(ply=4)
    page.send("resign", match=key)
    assert page.outcome()
    wait_for_plies(path, [4])
    page.close()


def wait_for_plies(path: Path, expected: list[int]) -> None:
    """Wait until the matches of the user have these numbers of plies."""
    deadline = time.monotonic() + TIMEOUT_S
    with Store(path) as store:
        while [match.plies for match in store.matches()] != expected:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_anybody_deletes_a_match_that_nobody_owns(start: Callable[[], Server], path: Path) -> None:
    page = start().page()
    page.create("random", "random")
    page.close()
    start().close()  # `start` stops the first server, which saves the match
    with Store(path) as store:
        (saved,) = store.served()
        store.save_served([ServedMatch(saved.key, {**saved.data, "owner": ""}, saved.record)])
    page = start().page()
    assert page.ask("delete", matches=[{"match": saved.key}])["type"] == "done"
    assert page.ask("matches")["matches"] == []
    page.close()


def test_match_continues_after_a_restart_with_its_seats_and_values(start: Callable[[], Server]) -> None:
    page = start().page()
    created = page.create("here", "alphabeta:depth=2", ply_limit=5)
    page.send("join", match=created["match"], token=created["token"])
    page.send("move", match=created["match"], ply=0, move="4")
    before = page.state(ply=2)
    page.close()

    page = start().page()
    (listed,) = page.ask("matches")["matches"]
    assert (listed["id"], listed["ply"], listed["live"]) == (created["match"], 2, True)
    page.send("join", match=created["match"])
    assert page.state(ply=2)["yours"] == []
    page.send("join", match=created["match"], token=created["token"])
    after = page.state(yours=[0])
    for name in ("names", "moves", "picture", "limit", "to_move"):
        assert after[name] == before[name], name
    assert after["moves"][1]["value"] is not None
    page.send("move", match=created["match"], ply=2, move="1")
    assert page.state(ply=4)["to_move"] == 0
    page.close()


def test_name_given_for_a_free_seat_is_kept_after_a_restart(start: Callable[[], Server]) -> None:
    page = start().page()
    seats = [{"kind": "here", "name": "Ann"}, {"kind": "open", "name": "guest"}]
    key = page.create(seats=seats)["match"]
    assert page.ask("claim", match=key, side=1, name="Bob")["side"] == 1
    page.close()
    page = start().page()
    page.send("join", match=key)
    assert page.state(id=key)["names"] == ["Ann", "Bob"]
    page.close()


def test_paused_match_between_agents_can_be_resumed_after_a_restart(
    start: Callable[[], Server],
) -> None:
    page = start().page()
    created = page.create("alphabeta", "alphabeta", move_time=[0.1, 0.1])
    key = created["match"]
    page.send("join", match=key, token=created["token"])
    page.send("pause", match=key)
    paused = page.state(paused=True, thinking=False)
    page.close()
    page = start().page()
    page.send("join", match=key)
    assert page.state(paused=True, thinking=False, owner=False)["moves"] == paused["moves"]
    assert "only whoever started" in page.ask("resume", match=key)["reason"]
    page.send("join", match=key, token=created["token"])
    assert page.state(owner=True)["yours"] == []
    page.send("resume", match=key)
    while (state := page.receive("match"))["ply"] <= paused["ply"]:
        continue
    assert state["moves"][: paused["ply"]] == paused["moves"]
    page.close()


def test_finished_match_stays_finished_after_a_restart(start: Callable[[], Server]) -> None:
    page = start().page()
    created = page.create("here", "random")
    page.send("join", match=created["match"], token=created["token"])
    page.send("resign", match=created["match"])
    outcome = page.outcome()
    page.close()
    page = start().page()
    page.send("join", match=created["match"], token=created["token"])
    assert page.receive("match")["outcome"] == outcome
    assert "ended before the server" in page.ask("undo", match=created["match"])["reason"]
    page.close()


def test_second_server_on_the_store_neither_lists_nor_saves_its_matches(
    start: Callable[[], Server], path: Path
) -> None:
    page = start().page()
    page.start("here", "open")
    with pytest.warns(RuntimeWarning, match="another server saves its matches"):
        second = Server(store=path)
    other = second.page()
    assert other.ask("matches")["matches"] == []
    key = other.start("here", "open")
    other.close()
    second.close()
    page.close()
    page = start().page()
    assert key not in [match["id"] for match in page.ask("matches")["matches"]]
    page.close()


def test_a_match_saved_with_one_increment_for_both_sides_can_be_loaded(
    start: Callable[[], Server], path: Path
) -> None:
    page = start().page()
    key = page.start("here", "random", clock=[60, 60], increment=[2, 2])
    page.close()
    start().close()
    with Store(path) as store:
        (saved,) = store.served()
        asked = saved.data["request"]
        assert isinstance(asked, dict)
        request = {**asked, "increment": 2.0}
        del request["paused"]
        store.save_served([ServedMatch(key, {**saved.data, "request": request}, saved.record)])
    page = start().page()
    page.send("join", match=key)
    assert page.state(id=key)["increments"] == [2, 2]
    page.close()


@pytest.mark.parametrize(
    "damage", [{"request": 5}, {"seats": 5}, {"values": 5}, {"request": UNKNOWN_GAME}], ids=str
)
def test_match_that_cannot_be_loaded_is_refused_with_the_reason(
    start: Callable[[], Server], path: Path, damage: dict[str, object]
) -> None:
    page = start().page()
    key = page.start("here", "random")
    page.close()
    start().close()
    with Store(path) as store:
        (saved,) = store.served()
        store.save_served([ServedMatch(key, {**saved.data, **damage}, saved.record)])
    page = start().page()
    assert "the match can no longer be loaded" in page.ask("join", match=key)["reason"]
    page.close()


def test_match_whose_entry_is_damaged_does_not_hide_the_others(
    start: Callable[[], Server], path: Path
) -> None:
    page = start().page()
    keys = [page.start("here", "random") for _ in range(2)]
    page.close()
    start().close()
    with Store(path) as store:
        saved = {match.key: match for match in store.served()}
        store.save_served([ServedMatch(keys[0], {"entry": {}}, saved[keys[0]].record)])
    with pytest.warns(RuntimeWarning, match=f"the saved match {keys[0]} is damaged"):
        page = start().page()
    assert [match["id"] for match in page.ask("matches")["matches"]] == [keys[1]]
    page.close()


def test_secrets_of_seats_are_not_stored(start: Callable[[], Server], path: Path) -> None:
    page = start().page()
    token = page.create("here", "random")["token"]
    page.close()
    start()
    with Store(path) as store:
        (saved,) = store.served()
    assert token not in f"{saved.data} {saved.record}"


def test_unwatched_match_is_unloaded_and_continues_later(
    server: Server, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.web.lobby.MAX_LOADED_MATCHES", 1)
    created = page.create("here", "random")
    page.send("join", match=created["match"], token=created["token"])
    page.send("move", match=created["match"], ply=0, move="4")
    before = page.state(ply=2)
    page.send("leave", match=created["match"])
    page.start("here", "random")
    assert server.lobby.get(created["match"]) is None
    assert created["match"] in [match["id"] for match in page.ask("matches")["matches"]]
    page.send("join", match=created["match"], token=created["token"])
    assert page.state(id=created["match"])["moves"] == before["moves"]
    page.send("move", match=created["match"], ply=2, move="1")
    assert page.state(ply=4)["to_move"] == 0


def test_other_requests_are_answered_while_a_saved_match_is_loaded(
    start: Callable[[], Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = start().page()
    created = page.create("here", "open")
    key = created["match"]
    page.close()
    server = start()
    opened, make_manager = threading.Event(), lobby._make_manager

    def wait_and_make(*arguments: Any) -> Any:
        opened.wait(TIMEOUT_S)
        return make_manager(*arguments)

    monkeypatch.setattr(lobby, "_make_manager", wait_and_make)
    page, other, gone = server.page(), server.page(), server.page()
    try:
        page.send("join", match=key, token=created["token"])
        page.send("move", match=key, ply=0, move="4")
        other.send("claim", re=1, match=key, side=1)
        gone.send("join", match=key)
        gone.send("leave", match=key)
        for one in (page, other, gone):
            assert one.ask("matches")["type"] == "matches"
    finally:
        opened.set()
    assert page.state(ply=1)["yours"] == [0]
    assert other.receive("claimed")["side"] == 1
    assert gone.ask("view", match=key, ply=0)["type"] == "view"
    live = server.lobby.get(key)
    assert live is not None
    assert live.pages == 1
    for one in (page, other, gone):
        one.close()
