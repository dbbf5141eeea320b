"""The board by itself: arrows for moves, and marks that people draw."""

from collections.abc import Callable
from typing import Any

import pytest
from browsers import Visitor

Visit = Callable[..., Visitor]
GAMES = ("abalone", "connect4", "hexifence", "tictactoe")
BOARD = """async ([picture, flipped]) => {
  const { Board } = await import("./board.js");
  window.noted = [];
  const note = (shapes) => window.noted.push(JSON.parse(JSON.stringify(shapes)));
  window.board = new Board({ onMove: () => {}, onShapes: note });
  document.querySelector("main").replaceChildren(board.element);
  board.setFlipped(flipped);
  board.show(picture, { interactive: true });
}"""
"""Shows a picture on a board of its own, on which shapes can be drawn."""
MIDDLE = """(selector) => {
  const { left, top, width, height } = document.querySelector(selector).getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}"""


def board(visitor: Visitor, game: str, *, flipped: bool = False) -> Any:
    """Show the start position of a game on a board of its own; return the page."""
    visitor.start(game, "here")
    visitor.page.evaluate(BOARD, [visitor.state["picture"], flipped])
    return visitor.page


def middle(page: Any, cell: str) -> tuple[float, float]:
    x, y = page.evaluate(MIDDLE, f'.board [data-id="{cell}"]')
    return x, y


def right_drag(page: Any, start: str, end: str) -> None:
    page.mouse.move(*middle(page, start))
    page.mouse.down(button="right")
    page.mouse.move(*middle(page, end), steps=3)
    page.mouse.up(button="right")


@pytest.mark.slow
@pytest.mark.parametrize(("game", "flipped"), [(game, number % 2 == 0) for number, game in enumerate(GAMES)])
def test_every_move_of_a_game_can_be_shown_as_an_arrow_or_outline(
    visit: Visit, game: str, flipped: bool
) -> None:
    page = board(visitor := visit(), game, flipped=flipped)
    for move, sequences in visitor.state["picture"]["clicks"].items():
        page.evaluate("(move) => board.setArrows([{ move }, { move, kind: 'other', width: 0 }])", move)
        heads, outlines = (
            page.locator(f".arrows .{kind}.core").count() for kind in ("arrow-head", "circled")
        )
        assert (heads, outlines) == ((2, 0) if len(sequences[0]) > 1 else (0, 2))
    page.evaluate("board.setArrows([])")
    assert not page.locator(".arrows > *").count()


@pytest.mark.slow
def test_the_best_move_is_thicker_and_above_the_others(visit: Visit) -> None:
    page = board(visit(), "connect4")
    page.evaluate("board.setArrows([{ move: '4' }, { move: '3', kind: 'other', width: 0.2 }])")
    cores = page.locator(".arrows .circled.core").all()
    assert ["best" in one.get_attribute("class") for one in cores] == [False, True]
    thin, thick = (float(one.get_attribute("stroke-width")) for one in cores)
    assert thin < thick


@pytest.mark.slow
@pytest.mark.parametrize("flipped", [False, True], ids=["", "flipped"])
def test_the_right_button_draws_circles_and_arrows_and_removes_them(visit: Visit, flipped: bool) -> None:
    page = board(visit(), "abalone", flipped=flipped)
    page.mouse.click(*middle(page, "c3"), button="right")
    right_drag(page, "c3", "e5")
    circle, arrow = (
        {"from": "c3", "to": None, "colour": "green"},
        {"from": "c3", "to": "e5", "colour": "green"},
    )
    assert page.evaluate("noted") == [[circle], [circle, arrow]]
    assert (
        page.locator(".shapes .circled.core").count() == page.locator(".shapes .arrow-head.core").count() == 1
    )
    page.keyboard.down("Shift")
    page.mouse.click(*middle(page, "c3"), button="right")
    page.keyboard.up("Shift")
    assert page.evaluate("board.shapes") == [arrow, {**circle, "colour": "red"}]
    right_drag(page, "c3", "e5")
    assert page.locator(".shapes .arrow-head").count() == 0
    assert page.evaluate("board.clicks.path") == []


@pytest.mark.slow
def test_a_cell_is_marked_by_keyboard_and_marks_can_be_set(visit: Visit) -> None:
    page = board(visit(), "tictactoe")
    help_text = "document.querySelector('.board-box > p').textContent"
    assert "M marks a cell" in page.evaluate(help_text)
    page.locator('.board [data-id="b2"]').focus()
    page.keyboard.press("m")
    assert page.evaluate("noted.at(-1)") == [{"from": "b2", "to": None, "colour": "green"}]
    page.evaluate("board.setShapes([{ from: 'a1', to: 'c3', colour: 'blue' }])")
    assert page.locator(".shapes .arrow-head.kind-blue.core").count() == 1
    assert len(page.evaluate("noted")) == 1
    page.evaluate("board.onShapes = undefined; board.show({ ...board.source })")
    assert "M marks a cell" not in page.evaluate(help_text), "nothing can be marked on a board without shapes"


@pytest.mark.slow
def test_the_right_button_opens_the_browsers_menu_where_nothing_can_be_marked(visit: Visit) -> None:
    visitor = visit()
    visitor.start("tictactoe", "here")
    opened = visitor.page.evaluate(
        "() => document.querySelector('.board [data-id=\"b2\"]').dispatchEvent("
        "new MouseEvent('contextmenu', { bubbles: true, cancelable: true }))"
    )
    assert opened


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "moves", "count"), [("connect4", "1 2 1 2 1 2 1", 4), ("tictactoe", "a1 b1 a2 b2 a3", 3)]
)
def test_the_winning_line_is_marked_at_the_end_of_the_match(
    visit: Visit, game: str, moves: str, count: int
) -> None:
    visitor = visit()
    visitor.start(game, "here")
    for move in moves.split():
        assert visitor.page.locator(".board .winning").count() == 0
        visitor.move(move)
    visitor.wait(lambda: visitor.page.locator(".board .winning.core").count() == count, "the winning line")
    names = [visitor.page.locator(f'.board [data-id="{one}"]') for one in visitor.state["picture"]["winning"]]
    assert all("won the match" in name.get_attribute("aria-label") for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["tictactoe", "connect4", "abalone"])
def test_coordinates_are_small_beside_the_board(visit: Visit, game: str) -> None:
    visitor = visit()
    visitor.start(game, "here")
    share = visitor.page.wait_for_function(  # at once, since the board may be drawn again in between
        """() => {
            const parts = [".board .label", "svg.board"].map((one) => document.querySelector(one));
            const [label, board] = parts.map((part) => part?.getBoundingClientRect());
            return label && board && label.height / board.width;
        }"""
    )
    assert 0 < share.json_value() < 0.075


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1400])
def test_lost_marbles_lie_in_the_tray_of_their_side_beside_the_board(visit: Visit, width: int) -> None:
    visitor = visit(viewport={"width": width, "height": 844})
    visitor.start("abalone", "here")
    trays = visitor.page.locator(".bar .tray")
    assert [tray.get_attribute("aria-label") for tray in trays.all()] == ["lost: 0 of 6", "lost: 0 of 6"]
    assert trays.first.locator(".tray-place").count() == 6
    box, bar = trays.first.bounding_box(), visitor.page.locator(".bar").first.bounding_box()
    assert bar["x"] <= box["x"] <= bar["x"] + bar["width"] - box["width"]
