"""The lobby: which matches make room for new ones."""

from collections.abc import Iterator

import pytest
from web_pages import Page, Server

from boardgames.web import lobby as module

ROOM = 3


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
def test_finished_matches_make_room_before_empty_ones_and_the_oldest_first(
    page: Page, kinds: tuple[str, ...], removed: int
) -> None:
    keys = [make(page, kind) for kind in kinds]
    new = page.create("here", "here")["match"]
    assert set(listed(page)) == {*keys, new} - {keys[removed]}


def test_match_with_moves_never_makes_room(page: Page) -> None:
    keys = [make(page, "with moves") for _ in range(ROOM)]
    assert page.create("here", "here")["reason"] == (
        "there are 3 matches on this server already, and all of them are in progress or being watched: "
        "finish or resign one, or leave a finished one"
    )
    assert set(listed(page)) == set(keys)


def test_match_that_somebody_watches_never_makes_room(page: Page) -> None:
    watched = [page.start("here", "here") for _ in range(ROOM)]
    page.send("resign", match=watched[0])
    assert page.outcome()["text"]
    assert "in progress or being watched" in page.create("here", "here")["reason"]
    page.send("leave", match=watched[1])
    assert page.create("here", "here")["type"] == "created"
    assert watched[1] not in listed(page)
