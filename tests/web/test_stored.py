"""Matches of `boardgames matches` are in the list of the page, and can be opened and deleted there."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from waiting import TIMEOUT_S
from web_pages import Page, Server

from boardgames.game import Outcome, Termination
from boardgames.record import Record
from boardgames.store import NewMatch, Store
from boardgames.web import stored
from boardgames.web.app import COOKIE

WON = Outcome(1, Termination.RESIGNATION)


def record(*moves: str, outcome: Outcome | None = WON, **more: Any) -> Record:
    return Record(**{"game": "connect4", "start": "-", "moves": moves, "outcome": outcome, **more})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "matches.db"


@pytest.fixture
def add(path: Path) -> Callable[..., list[int]]:
    """Return a function that stores matches, as other programs do, and returns their IDs."""

    def add(*records: Record) -> list[int]:
        with Store(path) as store:
            return store.add([NewMatch.from_record(one) for one in records])

    return add


@pytest.fixture
def start(path: Path) -> Iterator[Callable[..., Server]]:
    """Return a function that starts a server with the store; the earlier one is stopped."""
    servers: list[Server] = []

    def restart(**options: Any) -> Server:
        if servers:
            servers.pop().close()
        servers.append(Server(store=path, **options))
        return servers[-1]

    yield restart
    servers[-1].close()


@pytest.fixture
def page(start: Callable[..., Server]) -> Iterator[Page]:
    page = start().page()
    yield page
    page.close()


def listed(page: Page, count: int) -> list[Any]:
    """Open the list and return the stored matches in it, as soon as there are `count` of them."""
    page.send("matches")
    while len(matches := page.receive("stored")["matches"]) != count:
        continue
    return list(matches)


def stored_plies(path: Path) -> list[int]:
    with Store(path) as store:
        return [match.plies for match in store.matches()]


def test_stored_matches_are_listed_with_result_and_names_of_sides(
    page: Page, add: Callable[..., list[int]]
) -> None:
    add(record("4", "4"), record("1", names=("Ann", "human"), outcome=None))
    open_, won = listed(page, 2)
    assert (won["id"], won["stored"], won["title"], won["ply"]) == ("stored.1", 1, "Connect Four", 2)
    assert (won["names"], won["result"]) == (["red", "blue"], "blue wins by resignation")
    assert (open_["names"], open_["result"], open_["live"]) == (["Ann", "blue"], "", False)
    assert not open_["owned"]
    assert abs(won["time"] - time.time()) < 86400
    assert page.ask("matches")["matches"] == []


def test_a_match_that_ends_in_the_terminal_is_listed_when_the_list_is_opened_again(
    page: Page, add: Callable[..., list[int]]
) -> None:
    assert listed(page, 0) == []
    add(record("4"))
    assert [match["ply"] for match in listed(page, 1)] == [1]


def test_a_match_of_the_page_is_not_listed_twice(
    start: Callable[..., Server], add: Callable[..., list[int]], path: Path
) -> None:
    page = start().page()
    key = page.start("here", "here")
    page.send("move", match=key, ply=0, move="4")
    page.send("resign", match=key)
    page.outcome()
    add(record("1", "2"))
    for _ in ("in memory", "after a restart"):
        assert [match["ply"] for match in listed(page, 1)] == [2]
        assert sorted(stored_plies(path)) == [1, 2]
        assert [match["id"] for match in page.ask("matches")["matches"]] == [key]
        page.close()
        page = start().page()
    page.close()


def test_a_match_of_the_page_that_is_deleted_to_make_room_stays_listed(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.web.lobby.MAX_MATCHES", 1)
    key = page.start("here", "here")
    page.send("move", match=key, ply=0, move="4")
    page.send("resign", match=key)
    page.outcome()
    page.send("leave", match=key)
    assert listed(page, 0) == []
    other = page.start("here", "here")
    assert [match["ply"] for match in listed(page, 1)] == [1]
    assert [match["id"] for match in page.ask("matches")["matches"]] == [other]


@pytest.mark.parametrize("outcome", [WON, None], ids=["finished", "unfinished"])
def test_a_stored_match_is_opened_with_its_moves_and_nobody_can_play_in_it(
    outcome: Outcome | None, page: Page, add: Callable[..., list[int]]
) -> None:
    (number,) = add(record("4", "4", "5", outcome=outcome, options={"columns": "5"}, seconds=(1.0, 2.0, 3.0)))
    key = f"stored.{number}"
    page.send("join", match=key)
    state = page.receive("match")
    assert [move["text"] for move in state["moves"]] == ["4", "4", "5"]
    assert (state["names"], state["options"]["columns"]) == (["red", "blue"], 5)
    assert (state["used"], state["yours"], state["owner"]) == ([4.0, 2.0], [], False)
    assert (state["outcome"] or {}).get("text") == (None if outcome is None else "blue wins by resignation")
    assert state["fault"] == (None if outcome is not None else "it was stored unfinished")
    assert page.ask("view", match=key, ply=1)["ply"] == 1
    assert page.ask("board", match=key)["moves"] == ["4", "4", "5"]
    assert page.ask("matches")["matches"] == []
    for request in ("resign", "resume", "rematch", "undo"):
        assert page.ask(request, match=key)["type"] == "refused"


def test_a_stored_match_that_is_reviewed_and_left_is_not_saved_again(
    start: Callable[..., Server], add: Callable[..., list[int]], path: Path
) -> None:
    add(record("4", "4"))
    server = start()
    page = server.page()
    page.send("join", match="stored.1")
    page.send("annotate", re=1, key="a", match="stored.1", agent="alphabeta:depth=1", seconds=0.05)
    page.receive("annotation")
    page.send("leave", match="stored.1")
    deadline = time.monotonic() + TIMEOUT_S
    while server.lobby.get("stored.1") is not None:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert page.ask("matches")["matches"] == []
    assert [match["id"] for match in listed(page, 1)] == ["stored.1"]
    page.close()
    assert stored_plies(path) == [2]
    with Store(path) as store:
        assert store.served() == []


def test_deleting_a_stored_match_deletes_it_for_the_user(
    page: Page, add: Callable[..., list[int]], path: Path
) -> None:
    add(record("4"), record("1", "2"))
    assert len(listed(page, 2)) == 2
    page.send("join", match="stored.1")
    page.state(id="stored.1")
    page.send("delete", re=1, matches=[{"match": "stored.1"}])
    assert page.receive("match-gone")["match"] == "stored.1"
    assert page.receive("done", "refused")["type"] == "done"
    assert stored_plies(path) == [2]
    assert [match["id"] for match in page.receive("stored")["matches"]] == ["stored.2"]
    assert "no such match" in page.ask("join", match="stored.1")["reason"]


def test_pages_of_a_shared_server_see_stored_matches_but_cannot_delete_them(
    start: Callable[..., Server], add: Callable[..., list[int]], path: Path
) -> None:
    add(record("4"))
    page = start(token="secret").page(Cookie=f"{COOKIE}=secret")
    (match,) = listed(page, 1)
    assert match["owned"]
    own = page.create("here", "here")
    tokens = [own["token"]]
    refused = page.ask(
        "delete", matches=[{"match": own["match"], "tokens": tokens}, {"match": "stored.1", "tokens": tokens}]
    )
    assert refused["reason"].endswith("boardgames matches delete 1")
    assert stored_plies(path) == [1]
    assert [one["id"] for one in page.ask("matches")["matches"]] == [own["match"]]
    page.close()


@pytest.mark.parametrize(
    ("shared", "deleter", "left"),
    [
        (False, "owner", []),
        (False, "guest", []),
        (True, "owner", []),
        (True, "guest", [1]),
    ],
)
def test_a_guest_of_a_shared_server_cannot_delete_a_match_for_the_user(
    shared: bool, deleter: str, left: list[int], start: Callable[..., Server], path: Path
) -> None:
    server = start(token="secret" if shared else None)
    page = server.page(Cookie=f"{COOKIE}=secret")
    created = page.create("here", "open")
    key = created["match"]
    tokens = {"owner": created["token"], "guest": page.ask("claim", match=key, side=1)["token"]}
    page.send("join", match=key, token=created["token"])
    page.send("move", match=key, ply=0, move="4")
    page.send("resign", match=key)
    page.outcome()
    assert listed(page, 0) == []
    assert page.ask("delete", matches=[{"match": key, "tokens": [tokens[deleter]]}])["type"] == "done"
    assert page.ask("matches")["matches"] == []
    assert stored_plies(path) == left
    assert [match["ply"] for match in listed(page, len(left))] == left
    page.close()


def test_a_match_of_a_run_is_exported_with_the_day_on_which_it_was_played(page: Page, path: Path) -> None:
    with Store(path, now=lambda: datetime(2026, 1, 31, 12, tzinfo=UTC)) as store:
        run = store.begin_run("arena", "connect4", key="k", settings={}, seed=7).id
        store.add([NewMatch.from_record(record("4"), run=run, number=0)])
    page.send("join", match="stored.1")
    page.receive("match")
    assert '[Date "2026.01.31"]' in page.ask("export", match="stored.1")["text"]


def test_paths_in_names_of_agents_are_not_shown(page: Page, add: Callable[..., list[int]]) -> None:
    add(record("4", names=("alphabeta:weights=/opt/ann/best.safetensors", "Bob")))
    assert listed(page, 1)[0]["names"] == ["alphabeta", "Bob"]
    page.send("join", match="stored.1")
    assert page.receive("match")["names"] == ["alphabeta", "Bob"]
    assert "/opt" not in page.ask("export", match="stored.1")["text"]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("record", "nonsense"),
        ("record", ""),
        ("game", "chess"),
        ("game", 5),
        ("termination", "boredom"),
        ("plies", "many"),
        ("played", "yesterday"),
        ("played", 5),
    ],
)
def test_a_damaged_or_foreign_match_does_not_hide_the_others(
    column: str, value: object, page: Page, add: Callable[..., list[int]], path: Path
) -> None:
    add(record("4"), record("1", "2"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE matches SET {column} = ? WHERE id = 1", [value])
    whole, damaged = listed(page, 2)
    assert (whole["ply"], whole["title"], damaged["id"]) == (2, "Connect Four", "stored.1")
    if column == "game":
        assert (damaged["title"], damaged["names"]) == (str(value), ["first", "second"])
    if column == "record":
        reason = page.ask("join", match="stored.1")["reason"]
        assert reason.startswith("the record of the match cannot be replayed: ")
    page.send("join", match="stored.2")
    assert page.state(id="stored.2")["ply"] == 2


@pytest.mark.parametrize("key", ["stored.9", "stored.", "stored.x", "stored.²", "stored." + "9" * 40])
def test_a_stored_match_that_does_not_exist_is_refused(key: str, page: Page) -> None:
    assert page.ask("join", match=key)["reason"] == "there is no such match on this server"


def test_a_match_of_a_game_that_is_not_installed_says_so(page: Page, add: Callable[..., list[int]]) -> None:
    add(record("e4", game="chess", start="initial"))
    assert "no such game 'chess'" in page.ask("join", match="stored.1")["reason"]


def test_only_the_newest_matches_are_listed_and_the_others_are_counted(
    page: Page, add: Callable[..., list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.web.lobby.MAX_LISTED", 2)
    add(*(record(*["4"] * count) for count in range(1, 6)))
    page.send("matches")
    while not (reply := page.receive("stored"))["matches"]:
        continue
    assert ([match["ply"] for match in reply["matches"]], reply["left_out"]) == ([5, 4], 3)


def test_stored_matches_are_not_sent_again_after_every_move(
    page: Page, add: Callable[..., list[int]]
) -> None:
    add(record("4", "4"))
    assert listed(page, 1)
    key = page.start("here", "here")
    page.send("move", match=key, ply=0, move="4")
    while page.receive("matches", "stored")["matches"][0]["ply"] != 1:
        continue
    page.send("matches")  # answered before the stored matches are sent
    assert page.receive("matches", "stored")["type"] == "matches"


def test_a_second_server_on_the_store_lists_its_matches(
    start: Callable[..., Server], add: Callable[..., list[int]], path: Path
) -> None:
    add(record("4"))
    start()
    with pytest.warns(RuntimeWarning, match="another server saves its matches"):
        second = Server(store=path)
    page = second.page()
    assert [match["ply"] for match in listed(page, 1)] == [1]
    page.close()
    second.close()


def test_keys_of_stored_matches_are_read_back() -> None:
    assert stored.number_of(stored.key_of(12)) == 12
