"""Two people in separate browsers, and spectators."""

from collections.abc import Callable

import pytest
from browsers import Visitor, join, play_until, take_seat
from web_pages import Kept, Server

Visit = Callable[..., Visitor]
ACTIONS = ("Take back", "Offer draw", "Resign", "Hint")


@pytest.fixture
def server(kept: Kept) -> Server:
    """Return a server that can be restarted; the visitors use it."""
    return kept.server


@pytest.mark.slow
def test_match_between_two_browsers_survives_a_reload_and_a_restart(visit: Visit, kept: Kept) -> None:
    red, blue, spectator = visit(), visit(), visit()
    red.start("connect4", "open")
    join(blue, red)
    take_seat(blue, "blue")
    join(spectator, red)
    for visitor in (red, blue):
        visitor.wait(lambda: visitor.state["yours"] and visitor.status != "", "the seats")
    play_until(3, red, blue)

    red.page.reload()
    red.wait_for_ply(3)
    assert red.state["yours"] == [0]
    play_until(5, red, blue)

    for visitor in (red, blue, spectator):
        visitor.state = {}
    kept.restart()
    for visitor, yours in ((red, [0]), (blue, [1]), (spectator, [])):
        visitor.wait(lambda: visitor.state.get("yours") == yours, "the server")
        visitor.wait_for_ply(5)
        visitor.forgive("ERR_CONNECTION_REFUSED")
    play_until(100, red, blue)
    winner = red.state["outcome"]["winner"]
    spectator.wait_for_ply(red.state["ply"])
    words = ["You won", "You lost"] if winner == 0 else ["You lost", "You won"]
    assert [red.status, blue.status] == words
    assert spectator.status == f"{('Red', 'Blue')[winner]} won"


@pytest.mark.slow
def test_no_gap_is_left_where_spectators_are_counted(visit: Visit) -> None:
    visitor = visit(viewport={"width": 390, "height": 844})
    visitor.start("connect4", "here")
    left, right = (
        visitor.page.get_by_role("button", name=name).bounding_box()
        for name in ("Copy link to watch", "How to play")
    )
    assert right["x"] - left["x"] - left["width"] < 20


@pytest.mark.slow
def test_a_spectator_sees_no_controls_of_players(visit: Visit) -> None:
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
