"""What helps a player: previews, the pad of directions, the evaluation, and seats from an address."""

from collections.abc import Callable

import pytest
from browsers import Visitor

Visit = Callable[..., Visitor]


def test_the_focus_stays_on_the_board_after_a_move(visit: Visit) -> None:
    visitor = visit()
    visitor.start("connect4")
    visitor.target("c2r1").focus()
    visitor.page.keyboard.press("Enter")
    visitor.wait_for_ply(2)
    assert visitor.focused("e.dataset.id") == "c2r1"


def test_the_token_in_an_address_takes_the_seat_and_disappears(visit: Visit) -> None:
    visitor = visit()
    visitor.start("connect4", "open")
    address = visitor.page.url
    stored = visitor.page.evaluate("Object.values(localStorage).map(JSON.parse).find(Array.isArray)")
    other = visit()
    other.open(address.partition("/#")[2].join(("#", f"/{stored[0]}")))
    other.wait(lambda: other.state.get("yours") == [0], "the seat")
    assert other.page.url == address


@pytest.mark.slow
def test_the_pad_and_its_keys_move_a_selection_in_the_legal_directions(visit: Visit) -> None:
    visitor = visit()
    visitor.start("abalone", "here")
    for cell in ("c3", "c2"):
        visitor.target(cell).click()
    pad = visitor.page.get_by_role("group", name="Continue the move")
    pad.get_by_role("button", name="left: c3c2", exact=True).wait_for()
    assert pad.get_by_role("button", name="Lower right: no move").is_disabled()
    visitor.target("c2").focus()
    visitor.page.keyboard.press("c")
    assert visitor.page.locator(".board-notice").inner_text() == "Lower right: no move"
    visitor.page.keyboard.press("e")
    visitor.wait_for_ply(1)
    assert visitor.shown_moves() == ["c2c3d3"]


@pytest.mark.slow
def test_a_row_of_three_is_selected_by_its_ends_and_dragged_by_its_middle(visit: Visit) -> None:
    visitor = visit()
    visitor.start("abalone", "here")
    for cell in ("a1", "c3"):
        visitor.target(cell).click()
    assert visitor.page.locator(".hints .chosen.core").count() == 3
    visitor.target("b2").drag_to(visitor.target("d4"))
    visitor.wait_for_ply(1)
    assert visitor.shown_moves() == ["a1b2"]


@pytest.mark.slow
def test_the_result_of_a_move_is_drawn_before_it_is_made(visit: Visit) -> None:
    visitor = visit()
    visitor.start("abalone", "here")
    for cell in ("c3", "c2"):
        visitor.target(cell).click()
    visitor.target("d2").hover()
    visitor.page.locator(".result .after").first.wait_for()
    visitor.target("i9").hover()
    visitor.page.locator(".result .after").first.wait_for(state="detached")
    assert visitor.state["ply"] == 0


@pytest.mark.slow
def test_the_evaluation_follows_the_position_that_is_shown(visit: Visit) -> None:
    visitor = visit()
    visitor.start("tictactoe", "here")
    page = visitor.page
    page.get_by_role("checkbox", name="Evaluation").check()
    page.locator(".best-line").nth(2).wait_for()
    for move in list(visitor.state["picture"]["clicks"])[:2]:
        visitor.move(move)
    page.get_by_text(f"{visitor.state['sides'][0].capitalize()} to move: ").wait_for()
    page.get_by_label("Agent").fill("random")
    page.keyboard.press("Enter")
    page.get_by_text("does not evaluate moves").wait_for()


def test_values_of_moves_are_listed_while_the_evaluation_is_on(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/new/connect4")
    page.locator(".seat").nth(1).get_by_label("Computer", exact=True).check()
    page.get_by_role("button", name="Start match").click()
    visitor.wait(lambda: visitor.state and page.locator(".status").count(), "the match")
    visitor.move("4")
    visitor.wait(
        lambda: visitor.state["ply"] == 2 and visitor.shown_moves() == visitor.played_moves(), "the reply"
    )
    value = visitor.state["moves"][1]["value"]
    assert value
    shown = page.locator(".moves .extra").nth(1)
    assert value not in shown.inner_text()
    page.get_by_role("checkbox", name="Evaluation").check()
    assert value in shown.inner_text()
