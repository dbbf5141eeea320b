"""Phones and tablets: matches played by touch, and what is within reach."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from browsers import Visitor, chromium, join, take_seat, wait_for

Visit = Callable[..., Visitor]
GAMES = ("abalone", "connect4", "hexifence", "tictactoe")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
TABLET = {"viewport": {"width": 820, "height": 1180}, "has_touch": True, "is_mobile": True}
TOUCH_ONLY = (
    "--blink-settings=primaryHoverType=1,availableHoverTypes=1,primaryPointerType=2,availablePointerTypes=2"
)
"""An argument that takes the mouse from Chromium: nothing hovers, and the pointer is coarse."""
FINGER = 44
"""Minimum size, in pixels, of anything that is tapped."""
PLACE = """selector => {
  const { top, bottom, left, right } = document.querySelector(selector).getBoundingClientRect();
  return { top, bottom, left, right, width: right - left };
}"""
KEYS_SHOWN = """() => [...document.querySelectorAll("main *")].filter((e) => e.checkVisibility()
  && !e.closest(".hidden") && !e.childElementCount
  && /\\bkeys?\\b|[←→] /i.test(e.textContent)).map((e) => e.textContent)"""


@pytest.fixture(scope="module")
def browser(driver: Any) -> Iterator[Any]:
    with chromium(driver, TOUCH_ONLY) as browser:
        yield browser


def place(visitor: Visitor, selector: str) -> dict[str, float]:
    """Return where something is in the window."""
    return dict(visitor.page.evaluate(PLACE, selector))


def middle(visitor: Visitor, cell: str) -> tuple[float, float]:
    """Return the middle of a cell in the window."""
    box = visitor.target(cell).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(visitor: Visitor, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Move a finger over the screen."""
    session = visitor.context.new_cdp_session(visitor.page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    touch("touchStart", start)
    for step in range(1, 9):
        touch("touchMove", tuple(a + (b - a) * step / 8 for a, b in zip(start, end, strict=True)))  # type: ignore[arg-type]  # two numbers
        visitor.page.wait_for_timeout(20)
    touch("touchEnd")


def tap_move(visitor: Visitor, move: str) -> None:
    """Tap on the board to make a move."""
    ply = visitor.state["ply"]
    for cell in visitor.state["picture"]["clicks"][move][0]:
        visitor.target(cell).tap(force=True)
    visitor.choose(move)
    visitor.wait(lambda: visitor.state["ply"] > ply, f"the move {move}")


@pytest.mark.slow
@pytest.mark.parametrize(("game", "side"), [(game, number % 2) for number, game in enumerate(GAMES)])
def test_a_match_is_played_by_touch_on_a_phone(visit: Visit, game: str, side: int) -> None:
    visitor = visit(**PHONE)
    visitor.start(game, side=side)
    for _ in range(2):
        assert visitor.wait_for_turn()
        tap_move(visitor, min(visitor.state["picture"]["clicks"]))
    visitor.wait_for_turn()  # the match may also be over, since three moves can win
    assert visitor.page.evaluate("document.documentElement.scrollWidth") == 390
    assert visitor.page.evaluate(KEYS_SHOWN) == []


@pytest.mark.slow
def test_the_pad_comes_right_below_the_board_on_a_phone_and_moves_nothing(visit: Visit) -> None:
    visitor = visit(**PHONE)
    visitor.start("abalone", "here")
    board, buttons, moves = (place(visitor, one) for one in (".board", ".controls", ".moves-box"))
    assert board["bottom"] < buttons["top"] < moves["top"] < 844
    move = next(one for one, ids in visitor.state["picture"]["clicks"].items() if len(ids[0]) == 2)
    visitor.target(visitor.state["picture"]["clicks"][move][0][0]).tap(force=True)
    visitor.page.locator(".compass button").first.wait_for()
    assert place(visitor, ".pad-box")["bottom"] < 844, "the pad is not in the window"
    assert place(visitor, ".controls") == buttons
    assert place(visitor, ".moves-box") == moves


@pytest.mark.slow
def test_the_board_is_as_wide_as_a_tablet(visit: Visit) -> None:
    visitor = visit(**TABLET)
    for game in GAMES:
        visitor.start(game, "here")
        board = place(visitor, ".board")
        assert board["width"] > 700
        moves, status = place(visitor, ".moves-box"), place(visitor, ".status-box")
        assert moves["left"] > status["right"], "the moves are not beside the status"


@pytest.mark.slow
@pytest.mark.parametrize("side", [0, 1])
def test_a_marble_is_dragged_while_the_page_stays_where_it_is(visit: Visit, side: int) -> None:
    visitor = visit(**PHONE)
    visitor.start("abalone", side=side)
    assert visitor.wait_for_turn()
    clicks: dict[str, Any] = visitor.state["picture"]["clicks"]
    move, ids = next((one, ids[0]) for one, ids in sorted(clicks.items()) if len(ids[0]) == 2)
    ply = visitor.state["ply"]
    drag(visitor, middle(visitor, ids[0]), middle(visitor, ids[1]))
    visitor.wait(lambda: visitor.state["ply"] > ply, f"the move {move}")
    assert visitor.played_moves()[ply] == move
    assert visitor.page.evaluate("scrollY") == 0
    assert visitor.wait_for_turn()
    drag(visitor, (195, 800), (195, 500))
    visitor.wait(lambda: visitor.page.evaluate("scrollY") > 50, "scrolling")


@pytest.mark.slow
def test_a_tap_beside_an_edge_draws_the_nearest_one(visit: Visit) -> None:
    visitor = visit(**PHONE)
    visitor.start("hexifence", "here")
    picture = visitor.state["picture"]
    [edge] = picture["clicks"]["24"][0]
    line = next(one for one in picture["lines"] if one["id"] == edge)
    x, y = middle(visitor, edge)
    # a finger is broader than the edge
    is_upright = line["x1"] == line["x2"]
    away = 18 if is_upright else 0, 0 if is_upright else 18
    visitor.page.touchscreen.tap(x + away[0], y + away[1])
    visitor.wait(lambda: visitor.state["ply"] == 1, "the edge")
    assert visitor.played_moves() == ["24"]


@pytest.mark.slow
@pytest.mark.parametrize("side", [0, 1])
def test_a_tap_on_an_edge_that_is_already_drawn_draws_no_other_edge(visit: Visit, side: int) -> None:
    visitor = visit(**PHONE)
    visitor.start("hexifence", side=side)
    assert visitor.wait_for_turn()
    visitor.move(min(visitor.state["picture"]["clicks"]))
    assert visitor.wait_for_turn()
    ply, lines = visitor.state["ply"], visitor.state["picture"]["lines"]
    drawn = next(line["id"] for line in lines if line["side"] is not None)
    visitor.page.locator(".board .live").first.wait_for(state="attached")
    visitor.page.touchscreen.tap(*middle(visitor, drawn))
    notice = visitor.page.locator(".board-notice")
    visitor.wait(lambda: notice.inner_text() == "That line is already drawn", "the reason")
    assert visitor.state["ply"] == ply


@pytest.mark.slow
def test_a_premove_says_that_a_tap_cancels_it(visit: Visit) -> None:
    visitor, other = visit(**PHONE), visit()
    visitor.start("hexifence", "open", side=1)
    join(other, visitor)
    take_seat(other, "blue")
    visitor.page.get_by_role("checkbox", name="Premoves").check()
    visitor.page.locator(".board .target.live").first.wait_for(state="attached")
    move, [[edge]] = min(visitor.state["picture"]["clicks"].items())
    visitor.target(edge).click(force=True)
    wait_for(visitor, f"Premove {move}: a tap cancels it")
    visitor.page.locator(".bar.near").tap()
    wait_for(visitor, "Premove cancelled")


@pytest.mark.slow
def test_buttons_are_large_enough_for_a_finger(visit: Visit) -> None:
    visitor = visit(**PHONE)
    visitor.start("connect4", "here")
    for box in visitor.page.locator("main button:visible, main .check:visible").all():
        assert box.bounding_box()["height"] >= FINGER - 0.5, box.inner_text()
