"""Every seat sees the board from its own side, whichever way its player came to the match."""

from collections.abc import Callable
from typing import Any

import pytest
from browsers import Visitor, join, play_until, take_seat
from web_pages import Kept, Server

Visit = Callable[..., Visitor]
GAMES: dict[str, dict[str, Any]] = {
    "abalone": {},
    "connect4": {},
    "hexifence": {"dimension": 2},
    "tictactoe": {},
}
WIDE, NARROW = {"width": 1300, "height": 900}, {"width": 360, "height": 740}


@pytest.fixture
def server(kept: Kept) -> Server:
    """Return a server that can be restarted; the visitors use it."""
    return kept.server


def check_boards(ply: int, seats: dict[Visitor, int]) -> None:
    """Check the boards of visitors who play these sides, and let them move until this many moves are made."""
    for visitor, side in seats.items():
        visitor.wait(lambda: visitor.state.get("yours") == [side], "the seat")
        visitor.check_board(side)
    play_until(ply, *seats)
    for visitor, side in seats.items():
        visitor.check_board(side)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "side"), [("abalone", 1), ("connect4", 0), ("hexifence", 1), ("tictactoe", 0)]
)
def test_board_is_oriented_for_each_seat(visit: Visit, kept: Kept, game: str, side: int) -> None:
    creator, other, spectator = visit(viewport=WIDE), visit(viewport=NARROW), visit(viewport=NARROW)
    creator.start(game, "open", side=side, **GAMES[game])
    creator.check_board(side)

    for visitor in (other, spectator):
        join(visitor, creator)
        visitor.check_board(0)  # spectators see the board from this side
    take_seat(other, creator.state["sides"][1 - side])
    check_boards(2, {creator: side, other: 1 - side})
    spectator.wait_for_ply(2)
    spectator.check_board(0)
    assert spectator.page.locator(".board .target.live").count() == 0

    for visitor in (creator, other):
        visitor.state = {}
        visitor.page.reload()
    check_boards(4, {creator: side, other: 1 - side})

    for visitor in (creator, other, spectator):
        visitor.state = {}
    kept.restart()
    for visitor in (creator, other, spectator):
        visitor.wait(lambda: visitor.state, "the server")
        assert "move" in visitor.status, visitor.status
    spectator.check_board(0)
    check_boards(5, {creator: side, other: 1 - side})

    link = visit(viewport=NARROW)
    token = creator.page.evaluate("Object.values(localStorage).map(JSON.parse).find(Array.isArray)")[0]
    link.open(f"#{creator.page.url.partition('#')[2]}/{token}")
    check_boards(6, {link: side, other: 1 - side})
    for visitor in (creator, other, spectator):
        visitor.forgive("ERR_CONNECTION_REFUSED")
