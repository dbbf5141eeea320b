"""All tables of agents on the server together have a limit."""

import gc
import threading
from collections.abc import Iterator

import pytest
from installed import add_offers
from web_pages import Page, Server

import boardgames
from boardgames import Option
from boardgames.manager import Manager
from boardgames.players.simple import Random
from boardgames.web.tables import Tables, TablesError, size_of

AGENT = "alphabeta:table=10"


@pytest.fixture
def small() -> Iterator[Server]:
    """Return a server with room for two small tables."""
    server = Server()
    server.lobby.tables = Tables(20)
    yield server
    server.close()


def test_tables_are_counted_as_long_as_their_agents_exist() -> None:
    game, tables = boardgames.load("connect4"), Tables(20)
    first, second, third, simple = (
        boardgames.load_player(text, game) for text in (AGENT, AGENT, AGENT, "random")
    )
    for player in (first, second, simple):
        tables.reserve(player)
    with pytest.raises(TablesError, match=r"needs 10 MB for its tables; .* 20 MB, and 20 MB are in use"):
        tables.reserve(third)
    del first, player
    gc.collect()
    tables.reserve(third)


class Hashed(Random):
    """An agent of a plug-in, with names of its own."""

    declared_options = (
        Option("hash", int, 30, "size of the table in MB", role="memory"),
        Option("table", bool, True, "use it"),
        Option("cores", int, 1, "threads", role="threads"),
    )


def test_memory_is_counted_by_role_not_by_option_name() -> None:
    game = boardgames.load("connect4")
    assert size_of(Hashed(game)) == 30
    assert size_of(Hashed(game, hash=7)) == 7


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("hashed:hash=1025", "hash can be at most 1024 in the browser"),
        ("hashed:cores=4000", "cores can be at most"),
    ],
)
def test_limits_of_memory_and_threads_do_not_depend_on_option_names(
    agent: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_offers(monkeypatch, "bg_agents", hashed=Hashed)
    server = Server()
    page = server.page()
    assert reason in page.create("here", agent)["reason"]
    page.close()
    server.close()


def test_default_limit_is_a_share_of_the_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardgames.web.tables.free_memory", lambda: 30 << 20)
    player = boardgames.load_player("alphabeta:table=16", boardgames.load("connect4"))
    with pytest.raises(TablesError, match="may use 15 MB, and 0 MB are in use"):
        Tables().reserve(player)


def test_tables_of_a_closed_agent_are_released_even_if_it_is_still_referenced() -> None:
    tables, game = Tables(20), boardgames.load("connect4")
    players = [boardgames.load_player("alphabeta:table=16", game) for _ in range(2)]
    tables.reserve(players[0])
    with pytest.raises(TablesError):
        tables.reserve(players[1])
    tables.release(players[0])
    tables.reserve(players[1])


def test_match_and_analysis_without_room_for_their_tables_are_refused(small: Server) -> None:
    pages: list[Page] = [small.page() for _ in range(3)]
    pages[0].start("here", AGENT)
    pages[1].start("here", AGENT)
    reason = pages[2].create("here", AGENT)["reason"]
    assert reason.startswith("the agent needs 10 MB for its tables; all agents on this server may use 20 MB")
    assert pages[2].ask("analyse", game="connect4", agent=AGENT, seconds=0.05)["reason"] == reason
    pages[0].close()
    while small.connections > 2:
        continue
    assert pages[2].create("here", AGENT)["type"] == "created"  # the match that nobody watches is unloaded
    for page in pages[1:]:
        page.close()


def test_only_as_many_matches_are_unloaded_as_needed_finished_ones_first(small: Server) -> None:
    page, lobby = small.page(), small.lobby
    without, waiting, finished = (page.start("here", agent) for agent in ("random", AGENT, AGENT))
    page.send("resign", match=finished)
    assert page.outcome()["text"]
    for key in (without, waiting, finished):
        page.send("leave", match=key)
    new = page.start("here", AGENT)
    assert [lobby.get(key) is not None for key in (without, waiting, finished, new)] == [
        True,
        True,
        False,
        True,
    ]
    page.start("here", AGENT)
    assert [lobby.get(key) is not None for key in (without, waiting, new)] == [True, False, True]
    assert page.create("here", AGENT)["type"] == "refused"  # both are watched
    page.close()


def test_new_match_waits_for_the_tables_of_an_agent_that_takes_long_to_close(
    small: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, lobby = small.page(), small.lobby
    waiting, finished = (page.start("here", AGENT) for _ in range(2))
    page.send("resign", match=finished)
    assert page.outcome()["text"]
    released, is_ready = threading.Event(), Manager.is_ready
    monkeypatch.setattr("boardgames.web.lobby.GRACE_SECONDS", 0.05)
    monkeypatch.setattr(Manager, "is_ready", lambda *args: released.is_set() and is_ready(*args))
    for key in (waiting, finished):
        page.send("leave", match=key)
    threading.Timer(0.5, released.set).start()
    new = page.start("here", AGENT)
    assert [lobby.get(key) is not None for key in (waiting, finished, new)] == [True, False, True]
    page.close()


def test_match_between_agents_is_not_unloaded_to_free_tables(small: Server) -> None:
    page = small.page()
    key = page.start(AGENT, AGENT, move_time=[30, 30])  # longer than the rest takes
    page.state(thinking=True)
    page.send("pause", match=key)
    page.send("leave", match=key)
    assert page.create("here", AGENT)["reason"].startswith("the agent needs 10 MB for its tables")
    assert small.lobby.get(key) is not None
    page.close()


def test_hint_without_room_for_its_tables_is_refused(small: Server) -> None:
    page = small.page()
    key = page.start("here", AGENT)
    assert page.ask("hint", match=key)["reason"].startswith("the agent needs 128 MB for its tables")
    page.close()
