"""What clicks on a board mean: groups in any order, paths in sequence, and every move can be reached."""

import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from browsers import Visitor
from nim import Nim
from othello import Othello

import boardgames
from boardgames.game import Game
from boardgames.picture import Cell, Picture, Piece
from boardgames.web.messages import picture_json

Visit = Callable[..., Visitor]
GAMES: dict[str, Callable[[], Game]] = {
    "abalone": lambda: boardgames.load("abalone", layout="standard"),
    "belgian daisy": lambda: boardgames.load("abalone", layout="belgian-daisy"),
    "connect4": lambda: boardgames.load("connect4"),
    "hexifence": lambda: boardgames.load("hexifence", dimension=2),
    "tictactoe": lambda: boardgames.load("tictactoe"),
    "othello, with a pass": Othello,
    "nim, with a pass": lambda: Nim(passing=True),
}
POSITIONS = 6
UNREACHABLE = """async (pictures) => {
  const { Clicks } = await import("/clicks.js");
  const { Board } = await import("/board.js");
  const board = new Board({ onMove() {} });
  const orders = (ids) => ids.length < 2 ? [ids]
    : ids.flatMap((id, i) => orders(ids.toSpliced(i, 1)).map((rest) => [id, ...rest]));
  const failed = [];
  for (const picture of pictures) {
    board.show(picture, { interactive: true });
    const sides = new Map(picture.pieces.map(({ cell, side }) => [cell, side]));
    const place = new Map(picture.cells.map((cell) => [cell.id, cell]));
    const angle = (from, to) => board.angle(from, to);
    const moveAfter = (ids) => {
      const clicks = new Clicks(picture);
      const made = ids.map((id) => clicks.click(id));
      if (!made.slice(0, -1).every(({ move, choices }) => move === null && !choices)) return ["early"];
      return made.at(-1).choices ?? [made.at(-1).move];
    };
    for (const [move, sequences] of Object.entries(picture.clicks)) {
      const made = new Map();
      for (const ids of sequences) {
        if (!moveAfter(ids).includes(move)) failed.push(`${move}: ${ids} makes ${moveAfter(ids)}`);
        const [group, target] = [ids.slice(0, -1), ids.at(-1)];
        // a group: pieces of one side, and a target after them
        const isOwn = (id) => sides.has(id) && sides.get(id) === sides.get(group[0]);
        if (group.length < 2 || !group.every(isOwn)) continue;
        for (const order of orders(group)) {
          const found = moveAfter([...order, target]);
          const fits = found.every((one) => picture.clicks[one]?.some((other) => other.at(-1) === target
            && group.every((id) => picture.clicks[one][0].slice(0, -1).includes(id))));
          if (!fits) failed.push(`${move}: ${order} ${target} makes ${found}`);
          made.set(`${order}`, made.get(`${order}`) || found.includes(move));
          // drag each of the marbles to where the move takes it
          const [a, b] = [place.get(group.at(-1)), place.get(target)];
          for (const from of picture.clicks[move][0].slice(0, -1)) {
            const clicks = new Clicks(picture);
            for (const id of order) clicks.click(id);
            const { x, y } = place.get(from);
            const [toX, toY] = [x + b.x - a.x, y + b.y - a.y];
            const { id: to } = picture.cells.find((one) => Math.hypot(one.x - toX, one.y - toY) < 0.1);
            const dragged = clicks.dragged(from, to, angle).move;
            if (dragged !== move) failed.push(`${move}: ${order}, ${from} to ${to} drags ${dragged}`);
          }
        }
      }
      for (const [order, isMade] of made) if (!isMade) failed.push(`${move} cannot be made after ${order}`);
    }
  }
  board.close();
  return failed;
}"""
AFTER = """async ([picture, ids]) => {
  const { Clicks } = await import("/clicks.js");
  const clicks = new Clicks(picture);
  const moves = ids.map((id) => clicks.click(id));
  const options = [...clicks.next().keys()].sort();
  return { ...moves.at(-1), path: clicks.path, selected: clicks.selected, options };
}"""


def as_data(picture: Picture) -> Any:
    return msgspec.json.decode(picture_json(picture))


def pictures(game: Game, count: int, seed: int = 1) -> list[Any]:
    """Return the pictures of positions from random matches."""
    chance, position = random.Random(seed), game.start()
    found: list[Any] = []
    while len(found) < count:
        if position.outcome is not None:
            position = game.start()
        for _ in range(chance.randrange(1, 8)):
            if position.outcome is None:
                position = position.apply(chance.choice(position.legal_moves))
        if position.outcome is None:
            found.append(as_data(position.picture()))
    return found


def board_of(rows: str, clicks: dict[str, tuple[tuple[str, ...], ...]]) -> Any:
    """Return a picture of rows of cells a1, b1, ... with the pieces `x` and `o` on them."""
    lines = [(y, line) for y, line in enumerate(rows.split("/"))]
    names = {(x, y): f"{'abcdefgh'[x]}{y + 1}" for y, line in lines for x in range(len(line))}
    cells = tuple(Cell(name, x, y) for (x, y), name in names.items())
    pieces = [
        Piece(names[x, y], "xo".index(c), c) for y, line in lines for x, c in enumerate(line) if c != "."
    ]
    return as_data(Picture(cells=cells, pieces=tuple(pieces), clicks=clicks))


JUMPS = board_of(
    "x...../.o.o../....../.o.o..",
    {"left": (("a1", "c1", "e3", "c3"),), "right": (("a1", "e3", "c1", "c3"),)},
)
CIRCLE = board_of("x..../.o.o./.....", {"round": (("a1", "c1", "c3", "a1"),), "half": (("a1", "c1", "e1"),)})
RELAY = board_of("xx..", {"first": (("a1", "b1", "c1"),), "second": (("b1", "a1", "c1"),)})
ARROW = board_of("x...", {"near": (("a1", "b1", "c1"),), "far": (("a1", "c1", "b1"),)})


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_every_move_is_made_by_selecting_its_group_in_any_order_or_dragging_it(
    scripts: Any, game: str
) -> None:
    found = pictures(GAMES[game](), POSITIONS)
    assert any(picture["clicks"] for picture in found)
    assert scripts.evaluate(UNREACHABLE, found) == []


def test_moves_that_differ_only_in_the_order_of_clicks_can_all_be_made(scripts: Any) -> None:
    assert scripts.evaluate(UNREACHABLE, [JUMPS, CIRCLE, ARROW]) == []
    for move, sequences in RELAY["clicks"].items():
        after = scripts.evaluate(AFTER, [RELAY, sequences[0]])
        assert after["choices"][0] == move
        assert sorted(after["choices"]) == ["first", "second"]


def test_cells_on_the_path_of_a_piece_are_not_selected_before_it(scripts: Any) -> None:
    for picture in (JUMPS, CIRCLE, ARROW):
        assert scripts.evaluate(AFTER, [picture, ["c1"]])["event"] == "refused"
    assert scripts.evaluate(AFTER, [JUMPS, ["a1", "c1", "a1"]])["path"] == []


@pytest.mark.parametrize(
    ("ids", "event", "path", "selected"),
    [
        pytest.param(["c3", "b2"], "selected", ["c3", "b2"], ["c3", "b2"], id="front first"),
        pytest.param(["c3", "a1"], "selected", ["c3", "a1"], ["c3", "a1", "b2"], id="ends imply the middle"),
        pytest.param(["a1", "b2", "c3", "b2"], "deselected", ["a1", "c3"], ["a1", "c3", "b2"], id="one less"),
        pytest.param(["a1", "c3", "i5"], "refused", ["a1", "c3"], ["a1", "c3", "b2"], id="enemy far away"),
        pytest.param(["c3", "a4"], "selected", ["a4"], ["a4"], id="another group"),
        pytest.param(["c3", "c3"], "deselected", [], [], id="nothing left"),
    ],
)
def test_clicks_select_marbles_one_by_one(
    scripts: Any, ids: list[str], event: str, path: list[str], selected: list[str]
) -> None:
    picture = as_data(boardgames.load("abalone", layout="standard").start().picture())
    after = scripts.evaluate(AFTER, [picture, ids])
    assert (after["event"], after["path"], after["selected"]) == (event, path, selected)


def test_every_cell_that_a_group_can_move_to_is_a_target(scripts: Any) -> None:
    row = "...../....../......./......../..bbb..../......../......./....../....."
    picture = as_data(boardgames.load("abalone").parse(row).picture())
    for ids in (["e4", "e5", "e3"], ["e5", "e3"]):
        options = scripts.evaluate(AFTER, [picture, ids])["options"]
        assert set(options) - set(ids) - {"e4"} == {
            "e2",
            "e6",
            "f3",
            "f4",
            "f5",
            "f6",
            "d2",
            "d3",
            "d4",
            "d5",
        }


def test_a_refusal_keeps_the_selection_and_says_why_beside_the_cell(visit: Visit) -> None:
    visitor = visit()
    visitor.start("abalone", "here")
    page = visitor.page
    for cell in ("c3", "b2"):
        visitor.target(cell).click(force=True)
    visitor.target("i5").click(force=True)
    notice = page.locator(".board-notice")
    visitor.wait(notice.is_visible, "the reason")
    assert notice.inner_text() == "Marbles move to the next cell"
    assert page.locator(".hints .chosen.core").count() == 2
    assert page.locator(".hints .refused.core").count() == 1
    box, bars = notice.bounding_box(), [bar.bounding_box() for bar in page.locator(".bar").all()]
    assert all(box["y"] + box["height"] <= bar["y"] or bar["y"] + bar["height"] <= box["y"] for bar in bars)
    visitor.target("b2").drag_to(visitor.target("b1"), force=True)
    visitor.wait(lambda: notice.inner_text() == "b1 is your own marble", "another reason")
    page.keyboard.press("Escape")
    assert not notice.is_visible()
    assert page.locator(".hints .chosen").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize("cell", ["c1r1", "c1r6"])
def test_clicking_a_full_column_anywhere_says_that_it_is_full(visit: Visit, cell: str) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/connect4?moves=1+1+1+1+1+1")
    visitor.target(cell).click(force=True)
    notice = page.locator(".board-notice")
    visitor.wait(lambda: "The column is full" in notice.inner_text(), "the reason")


@pytest.mark.parametrize("by_keyboard", [False, True], ids=["pointer", "keyboard"])
def test_a_click_with_two_meanings_asks_which_move_is_meant(visit: Visit, by_keyboard: bool) -> None:
    visitor = visit()
    visitor.start("abalone", "here")
    page, choice = visitor.page, visitor.page.get_by_role("group", name="Which move?")
    for cell in ("c2", "c3"):
        visitor.target(cell).click(force=True)
    if by_keyboard:
        page.keyboard.press("Tab")
        visitor.tab_to("e.closest('.board') !== null")
        page.keyboard.press("ArrowUp")
        while visitor.focused("e.dataset.id") != "d3":
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        visitor.wait(
            lambda: visitor.focused("e.closest('.board-choice') !== null"), "the focus on the choice"
        )
    else:
        visitor.target("d3").click(force=True)
    assert choice.get_by_role("button").all_inner_texts() == ["↖ c2c3d2", "↗ c2c3d3"]
    assert page.locator(".hints .arrow-head.core").count() == 2
    page.keyboard.press("Escape")
    assert not choice.is_visible()
    assert visitor.state["ply"] == 0
    for cell in ("c2", "c3", "d3"):
        visitor.target(cell).click(force=True)
    choice.get_by_role("button", name="c2c3d3").click()
    visitor.wait_for_ply(1)
    assert visitor.played_moves() == ["c2c3d3"]
