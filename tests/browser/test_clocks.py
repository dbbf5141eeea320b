"""Clocks on the page: they start when the board is shown to the side to move, and count down visibly."""

from collections.abc import Callable
from typing import Any

import pytest
from browsers import Visitor, take_seat
from web_pages import Server

Visit = Callable[..., Visitor]


def open_match(visitor: Visitor, server: Server, *seats: str, **fields: object) -> None:
    """Create a match, and open it with its link as `play --web` does."""
    page = server.page()
    created = page.create(*seats, **fields)
    page.close()
    visitor.page.goto(f"{visitor.origin}/#/match/{created['match']}/{created['token']}")
    visitor.wait(lambda: visitor.state, "the match")


def clocks(visitor: Visitor, bar: str) -> list[Any]:
    """Return the clocks in a bar that are shown: the time for the move, and that for the match."""
    return [one for one in visitor.page.locator(f".bar.{bar} .clock").all() if one.is_visible()]


def is_running(visitor: Visitor) -> bool:
    return bool(visitor.page.locator(".clock.running").count())


@pytest.mark.slow
@pytest.mark.parametrize("side", [0, 1])
def test_clock_starts_when_both_seats_are_taken(visit: Visit, server: Server, side: int) -> None:
    creator, other = visit(), visit()
    seats = ("here", "open") if side == 0 else ("open", "here")
    open_match(creator, server, *seats, clock=[600, 300])
    creator.page.wait_for_timeout(300)
    assert not is_running(creator)
    assert clocks(creator, "near")[0].inner_text() == ("10:00" if side == 0 else "5:00")
    other.page.goto(creator.page.url)
    take_seat(other, creator.state["sides"][1 - side])
    for visitor in (creator, other):
        visitor.wait(lambda: visitor.state.get("running") == 0, "the clock of side 0")
        visitor.wait(lambda: is_running(visitor), "the clock on the page")


@pytest.mark.slow
def test_time_for_a_move_counts_down_on_a_narrow_page(visit: Visit, server: Server) -> None:
    visitor = visit(viewport={"width": 360, "height": 740})
    open_match(visitor, server, "here", "random", clock=[4000, 4000], move_time=[600, None])
    (ours, _), theirs = clocks(visitor, "near"), clocks(visitor, "far")
    assert len(theirs) == 1
    assert ours.get_attribute("aria-label") == f"Move clock for {visitor.state['sides'][0]}"
    visitor.wait(lambda: "9:00" <= ours.inner_text() <= "9:56", "four seconds")
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visitor.move("4")
    assert visitor.wait_for_turn()
    visitor.wait(lambda: ours.inner_text() > "9:56", "the time for the next move")


@pytest.mark.slow
@pytest.mark.parametrize("is_up", [True, False], ids=["time is up", "resigned"])
def test_after_the_end_only_the_side_that_ran_out_of_time_shows_it(
    visit: Visit, server: Server, is_up: bool
) -> None:
    visitor = visit()
    open_match(visitor, server, "here", "here", move_time=[1, 60] if is_up else [60, 60])
    if not is_up:
        visitor.page.get_by_role("button", name="Resign").click()
        visitor.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    visitor.wait(lambda: visitor.state["outcome"], "the end")
    visitor.wait(lambda: "won" in visitor.status, "the news")
    shown = [one.inner_text() for bar in ("near", "far") for one in clocks(visitor, bar)]
    assert shown == (["0:00.0"] if is_up else [])
