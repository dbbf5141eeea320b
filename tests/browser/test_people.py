"""Two people at browsers of their own, and those who watch them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browsers import Visitor
from web_pages import Server

Visit = Callable[..., Visitor]
ACTIONS = ("Take back", "Offer draw", "Resign", "Hint")


class Kept:
    """A server that can be started again on its port and its store."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.server = Server(store=store)

    def restart(self) -> None:
        port = self.server.port
        self.server.close()
        self.server = Server(store=self.store, port=port)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    kept = Kept(tmp_path / "matches.db")
    yield kept
    kept.server.close()


@pytest.fixture
def visit(browser: Any, kept: Kept) -> Iterator[Visit]:
    """Return a function that makes visitors of the server that can be restarted."""
    visitors: list[Visitor] = []

    def make() -> Visitor:
        visitors.append(Visitor(browser, kept.server))
        return visitors[-1]

    yield make
    for visitor in visitors:
        visitor.close()


def join(visitor: Visitor, other: Visitor) -> None:
    """Open the match of another visitor."""
    visitor.open(f"#{urlsplit(other.page.url).fragment}")
    visitor.wait(lambda: visitor.state, "the match")


def play_until(ply: int, *players: Visitor) -> None:
    """Let people make the first legal move in turn until so many moves are made, or the match is over."""
    while all(visitor.state["outcome"] is None for visitor in players) and players[0].state["ply"] < ply:
        before = players[0].state["ply"]
        mover = next(visitor for visitor in players if visitor.state["to_move"] in visitor.state["yours"])
        mover.move(min(mover.state["picture"]["clicks"]))
        for visitor in players:
            visitor.wait_for_ply(before + 1)


@pytest.mark.slow
def test_match_between_two_browsers_survives_a_reload_and_a_restart(visit: Visit, kept: Kept) -> None:
    red, blue, spectator = visit(), visit(), visit()
    red.start("connect4", "open")
    join(blue, red)
    blue.page.get_by_role("button", name="Play blue").click()
    join(spectator, red)
    for visitor in (red, blue):
        visitor.wait(lambda visitor=visitor: visitor.state["yours"] and visitor.status != "", "the seats")
    play_until(3, red, blue)

    red.page.reload()
    red.wait_for_ply(3)
    assert red.state["yours"] == [0]
    play_until(5, red, blue)

    for visitor in (red, blue, spectator):
        visitor.state = {}
    kept.restart()
    for visitor, yours in ((red, [0]), (blue, [1]), (spectator, [])):
        visitor.wait(lambda visitor=visitor, yours=yours: visitor.state.get("yours") == yours, "the server")
        visitor.wait_for_ply(5)
        visitor.forgive("ERR_CONNECTION_REFUSED")
    play_until(100, red, blue)
    assert red.state["outcome"]["winner"] is not None
    assert red.status == blue.status == red.state["outcome"]["text"]
    spectator.wait_for_ply(red.state["ply"])
    assert spectator.status == red.status


@pytest.mark.slow
def test_spectator_is_offered_nothing_that_players_can_do(visit: Visit) -> None:
    player, spectator = visit(), visit()
    player.start("connect4", "here")
    player.move("4")
    join(spectator, player)
    spectator.wait_for_ply(1)
    for name in ACTIONS:
        assert not spectator.page.get_by_role("button", name=name).is_visible(), name
    assert not spectator.page.get_by_label("Type a move").is_visible()
    assert spectator.page.locator(".board .target.live").count() == 0
    player.move("5")
    spectator.wait_for_ply(2)
