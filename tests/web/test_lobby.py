"""The lobby: what its requests mean, and which matches make room for new ones."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from waiting import TIMEOUT_S
from web_pages import Page, Server

import boardgames
import boardgames_connect4
from boardgames.clock import TimeControl
from boardgames.errors import LimitError, OptionError
from boardgames.match_setup import MatchSetup
from boardgames.player import Limit
from boardgames.web import lobby as module
from boardgames.web.lobby import Lobby, request_of, setup_of
from boardgames.web.messages import CreateMatch, SeatRequest

ROOM = 3
CONNECT4 = boardgames.load("connect4")
WEIGHTS = Path(boardgames_connect4.__file__).parent / "data" / "td.safetensors"


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Return a server of its own that keeps few matches."""
    monkeypatch.setattr(module, "MAX_MATCHES", ROOM)
    server = Server()
    yield server
    server.close()


@pytest.fixture
def page(full: Server) -> Iterator[Page]:
    page = full.page()
    yield page
    page.close()


def make(page: Page, kind: str) -> str:
    """Return a match that nobody watches: empty, with moves, finished, or finished without moves."""
    key = page.start("here", "here")
    if kind in ("with moves", "finished"):
        page.send("move", match=key, ply=0, move="4")
        page.state(id=key, ply=1)
    if kind in ("finished", "finished without moves"):
        page.send("resign", match=key)
        while page.receive("match")["outcome"] is None:
            continue
    page.send("leave", match=key)
    return key


def listed(page: Page) -> list[str]:
    return [match["id"] for match in page.ask("matches")["matches"]]


@pytest.mark.parametrize(
    ("kinds", "removed"),
    [
        (("empty", "with moves", "finished"), 2),
        (("with moves", "finished", "empty"), 1),
        (("with moves", "empty", "empty"), 1),
        (("with moves", "with moves", "empty"), 2),
        (("finished", "finished", "with moves"), 0),
        (("empty", "finished without moves", "with moves"), 1),
        (("empty", "empty", "empty"), 0),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, tuple) else str(value),
)
def test_finished_matches_are_deleted_before_empty_ones_and_the_oldest_first(
    page: Page, kinds: tuple[str, ...], removed: int
) -> None:
    keys = [make(page, kind) for kind in kinds]
    new = page.create("here", "here")["match"]
    assert set(listed(page)) == {*keys, new} - {keys[removed]}


def test_match_with_moves_is_never_deleted_to_make_room(page: Page) -> None:
    keys = [make(page, "with moves") for _ in range(ROOM)]
    assert page.create("here", "here")["reason"] == (
        "there are 3 matches on this server already, and all of them are in progress or being watched: "
        "finish or resign one, or leave a finished one"
    )
    assert set(listed(page)) == set(keys)


def test_watched_match_is_never_deleted_to_make_room(page: Page) -> None:
    watched = [page.start("here", "here") for _ in range(ROOM)]
    page.send("resign", match=watched[0])
    assert page.outcome()["text"]
    assert "in progress or being watched" in page.create("here", "here")["reason"]
    page.send("leave", match=watched[1])
    assert page.create("here", "here")["type"] == "created"
    assert watched[1] not in listed(page)


# --- renaming and deleting -------------------------------------------------------


def called(page: Page) -> dict[str, str]:
    return {match["id"]: match["name"] for match in page.ask("matches")["matches"]}


def delete(page: Page, *matches: tuple[str, str]) -> Any:
    """Return the answer to a request to delete matches with these tokens."""
    return page.ask("delete", matches=[{"match": key, "tokens": [token]} for key, token in matches])


def test_only_its_owner_and_its_players_rename_and_delete_a_match(page: Page) -> None:
    created = page.create("open", "random")
    key, owner = created["match"], created["token"]
    seat = page.ask("claim", match=key, side=0)["token"]
    stranger = page.create("here", "here")["token"]
    for tokens in ([], [stranger]):
        assert "only whoever started" in page.ask("rename", match=key, name="Mine", tokens=tokens)["reason"]
        refusal = page.ask("delete", matches=[{"match": key, "tokens": tokens}])["reason"]
        assert "only whoever started" in refusal
    for name, token in (("First", owner), ("Second", seat)):
        assert page.ask("rename", match=key, name=f" {name} ", tokens=[token])["type"] == "done"
        assert called(page)[key] == name
    assert delete(page, (key, seat))["type"] == "done"
    assert key not in called(page)
    assert delete(page, (key, seat))["reason"] == "there is no such match on this server"


def test_a_match_in_progress_with_another_person_cannot_be_deleted(page: Page) -> None:
    created = page.create("here", "open")
    key, owner = created["match"], created["token"]
    seat = page.ask("claim", match=key, side=1)["token"]
    for token in (owner, seat):
        assert "another person plays in this match" in delete(page, (key, token))["reason"]
    page.send("join", match=key, token=owner)
    page.send("resign", match=key)
    assert page.outcome()
    assert delete(page, (key, owner))["type"] == "done"


def test_several_matches_are_deleted_together_or_not_at_all(page: Page) -> None:
    first, second = (page.create("here", "here") for _ in range(2))
    assert "reason" in delete(page, (first["match"], first["token"]), (second["match"], first["token"]))
    assert set(called(page)) == {first["match"], second["match"]}
    both = [(created["match"], created["token"]) for created in (first, second)]
    assert delete(page, *both)["type"] == "done"
    assert not called(page)


def test_pages_are_told_that_their_match_has_been_deleted(full: Server, page: Page) -> None:
    created, spectator = page.create("here", "here"), full.page()
    spectator.send("join", match=created["match"])
    assert spectator.state()["id"] == created["match"]
    delete(page, (created["match"], created["token"]))
    assert spectator.receive("match-gone")["match"] == created["match"]
    spectator.close()


def test_a_match_without_moves_is_deleted_some_time_after_its_pages_close(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "SWEEP_SECONDS", 0.01)
    server = Server()
    page = server.page()
    kept, left, watched = make(page, "with moves"), make(page, "empty"), page.start("here", "here")
    assert set(listed(page)) == {kept, left, watched}, "their pages have not been gone for long"
    monkeypatch.setattr(module, "EMPTY_SECONDS", 0.0)
    for remaining in ({kept, watched}, {kept}):
        while {match["id"] for match in page.receive("matches")["matches"]} != remaining:
            continue
        page.send("leave", match=watched)
    page.close()
    server.close()


@pytest.mark.slow
def test_spectators_are_counted_without_players_and_owners(full: Server, page: Page) -> None:
    created = page.create("here", "open")
    key = created["match"]
    seat = page.ask("claim", match=key, side=1)["token"]
    page.send("join", match=key, token=created["token"])
    others = [full.page() for _ in range(3)]
    for other, token in zip(others, (seat, None, None), strict=True):
        other.send("join", match=key, token=token)
    assert page.state(spectators=2)["seats"][1]["connected"]
    assert page.ask("matches")["matches"][0]["spectators"] == 2
    others[2].close()
    page.state(spectators=1)
    others[1].send("leave", match=key)
    page.state(spectators=0)
    for other in others[:2]:
        other.close()


def test_many_spectators_are_announced_together(full: Server, page: Page) -> None:
    key = page.start("here", "here")
    page.state(id=key)
    others = [full.page() for _ in range(10)]
    for other in others:
        other.send("join", match=key)
        other.state(id=key)
    counts = [page.receive("match")["spectators"]]
    while counts[-1] < len(others):
        counts.append(page.receive("match")["spectators"])
    assert len(counts) < len(others) / 2, counts
    for other in others:
        other.close()


@pytest.mark.parametrize("side", [0, 1])
def test_names_and_records_of_agents_do_not_show_paths(side: int) -> None:
    players: list[str | None] = ["human", "human"]
    players[side] = f'greedy:weights="{WEIGHTS}"'
    request = request_of(MatchSetup(CONNECT4, (players[0], players[1])))

    async def created() -> tuple[tuple[str, str], str]:
        lobby = Lobby(1)
        match, _ = await lobby.create(request, trusted=True)
        await lobby.close()
        return match.entry().names, match.record

    names, record = asyncio.run(created())
    assert names[side] == "greedy"
    assert str(WEIGHTS) not in record


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"time": TimeControl(move=3)}, "the time for a move must be set by move_time"),
        ({"limit": Limit(depth=3)}, "the time for a move must be set by move_time"),
        ({"time": TimeControl(match=60, increment=4000)}, "Expected `float` <= 3600"),
        ({"players": ("human", boardgames.load_player("random", CONNECT4))}, "Expected `str`"),
        ({"ply_limit": 1_000_000}, "Expected `int` <= 100000"),
    ],
    ids=str,
)
def test_a_setup_that_a_page_cannot_request_is_refused(more: dict[str, Any], reason: str) -> None:
    with pytest.raises(OptionError, match=f"cannot be played in the browser: {reason}"):
        request_of(MatchSetup(CONNECT4, **{"players": ("human", "random"), **more}))


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"increment": (2, 2)}, "an increment needs a match clock"),
        ({"increment": (0, 2)}, "an increment needs a match clock"),
        (
            {"clock": (60, None), "increment": (2, 2)},
            "either both sides have a match clock or neither has one",
        ),
        ({"clock": (None, 60)}, "either both sides have a match clock or neither has one"),
    ],
    ids=str,
)
def test_times_that_do_not_fit_together_are_refused(asked: dict[str, Any], reason: str) -> None:
    seats = SeatRequest("here"), SeatRequest("agent")
    with pytest.raises(LimitError, match=reason):
        setup_of(CreateMatch(game="connect4", seats=seats, **asked))


def test_clocks_and_increments_of_each_side_survive_the_way_to_the_page_and_back() -> None:
    times = TimeControl(match=300, increment=2), TimeControl(match=60, increment=5)
    setup = MatchSetup(CONNECT4, ("human", "random"), time=times)
    assert setup_of(request_of(setup)).time == times


@pytest.mark.parametrize("paused", [False, True])
def test_agents_that_have_not_been_started_wait_for_a_person(paused: bool) -> None:
    async def waits() -> bool:
        lobby = Lobby(1)
        seats = SeatRequest("agent", "mcts"), SeatRequest("agent", "mcts")
        match, _ = await lobby.create(CreateMatch(game="connect4", seats=seats, paused=paused))
        await lobby.close()
        return match.waits_for_person

    assert asyncio.run(waits()) is paused


def test_a_seat_without_an_agent_gets_the_default_agent_of_the_game() -> None:
    setup = setup_of(CreateMatch(game="connect4", seats=(SeatRequest("open"), SeatRequest("agent"))))
    assert setup.players == (None, CONNECT4.facts.default_agent)


def test_an_unwatched_finished_match_is_unloaded_and_can_be_opened_again(full: Server, page: Page) -> None:
    key = make(page, "finished")
    end = time.monotonic() + TIMEOUT_S
    while full.lobby.get(key) is not None:
        assert time.monotonic() < end
        time.sleep(0.01)
    page.send("join", match=key)
    assert page.state(id=key)["outcome"] is not None
    assert full.lobby.get(key) is not None
