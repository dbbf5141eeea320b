"""Nothing is cut off, overlaps or moves, on phones as on wide screens."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsers import Visitor, resign, sit_down
from training import EVOLVE, train

from boardgames import compiling
from boardgames.learning.config import Config

Visit = Callable[..., Visitor]
GAMES = ("abalone", "connect4", "hexifence", "tictactoe")
WIDTHS = (360, 800, 1300)
MAX_SHIFT = 0.01
TOLERANCE = 2
"""Pixels by which the boxes of two texts may overlap: a box is larger than the letters in it."""

OVERLAPS = """tolerance => {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    const isVisible = element.checkVisibility({ visibilityProperty: true });
    if (!text || element.closest(".hidden, .skip, option, noscript") || !isVisible) continue;
    const news = element.closest(".connection"); // lies over the page on phones while games are compiled
    if (news && getComputedStyle(news).position === "fixed") continue;
    if (document.querySelector("dialog[open]") && !element.closest("dialog")) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    for (const { left, top, right, bottom } of range.getClientRects()) {
      const box = { text, left, top, right, bottom, element, hides: element.closest(".values") };
      for (let e = element; e; e = e.parentElement) {
        if (getComputedStyle(e).overflow === "visible" || e instanceof SVGElement) continue;
        const clip = e.getBoundingClientRect();
        box.left = Math.max(box.left, clip.left);
        box.top = Math.max(box.top, clip.top);
        box.right = Math.min(box.right, clip.right);
        box.bottom = Math.min(box.bottom, clip.bottom);
      }
      if (box.right > box.left && box.bottom > box.top) texts.push(box);
    }
  }
  const found = [];
  for (const [i, a] of texts.entries()) for (const b of texts.slice(i + 1)) {
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (a.element === b.element || Boolean(a.hides) !== Boolean(b.hides)) continue;
    if (across > tolerance && down > tolerance) found.push(`${a.text} / ${b.text}`);
  }
  return found;
}"""
TOO_WIDE = """() => {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page");
  for (const e of document.querySelectorAll("main *")) {
    if (e.closest(".hidden, .skip, .lines") || !e.checkVisibility()) continue;
    const { left, right, width } = e.getBoundingClientRect();
    if (width && (left < -1 || right > innerWidth + 1)) found.push(`${e.tagName}.${e.getAttribute("class")}`);
  }
  return found;
}"""
WATCH_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const parts = entry.sources.map(({ node }) => node?.outerHTML?.slice(0, 60) ?? node?.textContent);
    window.shifts.push({ value: entry.value, parts });
  }
}).observe({ type: "layout-shift", buffered: true });
"""


def check(page: Any) -> None:
    """Fail if something is wider than the page or texts overlap, in windows of any width."""
    for width in WIDTHS:
        resize(page, width)
        assert page.evaluate(TOO_WIDE) == [], width
        assert page.evaluate(OVERLAPS, TOLERANCE) == [], width


def resize(page: Any, width: int) -> None:
    """Change the width of the window, and wait until the page has been laid out and drawn again."""
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.fixture
def visitor(visit: Visit) -> Visitor:
    return visit(reduced_motion="reduce")


@pytest.mark.slow
def test_lobby_and_forms_fit_their_window(visitor: Visitor) -> None:
    visitor.start("connect4", "here")
    page = visitor.open()
    page.get_by_role("listitem").first.wait_for()
    check(page)
    for game in GAMES:
        visitor.open(f"#/new/{game}")
        page.get_by_role("group", name="Who plays").first.wait_for()
        check(page)
        for summary in page.locator("summary:visible").all():
            summary.click()
        seat = page.locator(".seat").nth(1)
        seat.get_by_label("Computer", exact=True).check()
        seat.get_by_label("Strength", exact=True).select_option(label="Another agent")
        page.get_by_label("Clock").select_option(label="Different for each side")
        check(page)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_match_fits_its_window(visitor: Visitor, game: str) -> None:
    visitor.start(game, "here")
    page = visitor.page
    check(page)
    for _ in range(3):
        visitor.move(min(visitor.state["picture"]["clicks"]))
    check(page)
    page.get_by_role("button", name="One move back").click()
    check(page)
    page.get_by_role("button", name="Resign").click()
    check(page)
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    visitor.wait(lambda: visitor.state["outcome"], "the end")
    check(page)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["abalone", "connect4"])
def test_analysis_fits_its_window(visitor: Visitor, game: str) -> None:
    page = visitor.open(f"#/analysis/{game}")
    page.locator(".values *").first.wait_for(state="attached")
    check(page)
    for summary in page.locator("summary:visible").all():
        summary.click()
    check(page)
    for tab in ("Set up", "Import and export"):
        page.get_by_role("tab", name=tab).click()
        check(page)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["abalone", "hexifence"])
def test_nothing_shifts_on_the_page_during_a_match(visitor: Visitor, game: str) -> None:
    page = visitor.page
    page.add_init_script(WATCH_SHIFTS)
    for width in WIDTHS:
        visitor.start(game)  # a new match, since some are over after three moves
        resize(page, width)
        page.wait_for_timeout(100)
        page.evaluate("window.shifts = []")
        for _ in range(2):
            visitor.move(min(visitor.state["picture"]["clicks"]))
            assert visitor.wait_for_turn()
        page.get_by_role("button", name="First position").click()
        page.get_by_role("button", name="Back to the match").click()
        page.wait_for_timeout(100)
        shifts = page.evaluate("window.shifts")
        assert sum(shift["value"] for shift in shifts) < MAX_SHIFT, (width, shifts)


@pytest.mark.slow
def test_the_status_takes_at_most_two_lines_on_a_phone(visit: Visit) -> None:
    visitor = visit(viewport={"width": 390, "height": 844})
    visitor.start("connect4", "here")
    box, hint = visitor.page.locator(".status-box"), visitor.page.get_by_role("button", name="Hint")
    before = box.bounding_box()
    assert before["height"] < 70
    visitor.move("4")
    visitor.page.get_by_role("button", name="First position").click()
    visitor.page.get_by_role("button", name="Back to the match").wait_for()
    assert box.bounding_box() == before
    assert hint.bounding_box()["y"] < before["y"] + before["height"] + 20


@pytest.mark.slow
def test_links_at_the_top_stay_where_they_are_on_a_phone_while_the_connection_is_lost(visit: Visit) -> None:
    page = visit(viewport={"width": 390, "height": 844}).open()
    link = page.get_by_role("link", name="Training")
    before = link.bounding_box()
    page.evaluate("() => document.querySelector('#connection').append('Connection lost.')")
    assert link.bounding_box() == before


@pytest.mark.slow
def test_the_board_stays_where_it_is_while_the_server_compiles(visit: Visit) -> None:
    visitor = visit(viewport={"width": 390, "height": 844})
    visitor.start("connect4", "here")
    board = visitor.page.locator(".board")
    before = board.bounding_box()
    compiling.report("boardgames_connect4.rules", 3)
    visitor.page.get_by_text("Preparing Connect Four").wait_for()
    assert board.bounding_box() == before
    compiling.report("", 3)


@pytest.mark.slow
@pytest.mark.parametrize("width", [WIDTHS[0], WIDTHS[-1]])
def test_the_second_player_has_the_same_page_before_and_after_the_first_move(
    visit: Visit, width: int
) -> None:
    first, second = visit(), visit(viewport={"width": width, "height": 900})
    first.start("abalone", "open")
    sit_down(first, second, "white")

    def places() -> list[Any]:
        return [
            second.page.locator(one).first.bounding_box() for one in (".controls", ".moves-box", ".typed")
        ]

    before = places()
    first.move("a1b2")
    assert second.wait_for_turn()
    assert places() == before


@pytest.mark.slow
def test_the_pad_is_never_empty(visit: Visit) -> None:
    first, second = visit(), visit()
    first.start("abalone", "open")
    sit_down(first, second, "white")
    for visitor in (first, second):
        visitor.page.get_by_text("Select pieces on the board").wait_for()


@pytest.mark.slow
def test_controls_that_have_become_useless_disappear_at_the_end(visitor: Visitor) -> None:
    visitor.start("abalone", "here")
    unused = [visitor.page.locator(one) for one in (".pad-box", ".typed")]
    assert all(one.is_visible() for one in unused)
    resign(visitor)
    visitor.wait(lambda: not any(one.is_visible() for one in unused), "the page after the end")


@pytest.mark.slow
def test_a_phone_in_landscape_shows_both_players_and_the_pad(visit: Visit) -> None:
    visitor = visit(viewport={"width": 844, "height": 390})
    visitor.start("abalone", "here")
    for one in (".bar.far", ".bar.near", ".board", ".pad-box"):
        box = visitor.page.locator(one).bounding_box()
        assert 0 <= box["y"] <= box["y"] + box["height"] <= 390, one


@pytest.mark.slow
def test_a_page_says_that_the_server_is_compiling_until_it_has_finished(visitor: Visitor) -> None:
    visitor.open()
    page = visitor.open("#/training")
    for count in range(1, 91):  # several games may be compiled at the same time
        compiling.report(f"boardgames_{('hexifence', 'abalone')[count % 2]}.rules", count)
        page.wait_for_timeout(10)
    assert "first time only: 90 steps done" in page.get_by_role("status").first.inner_text()
    compiling.report("boardgames_abalone.rules", 91)
    page.get_by_text("Preparing Abalone, first time only: 91 steps done").wait_for()
    check(page)
    compiling.report("", 91)
    page.get_by_text("Preparing").wait_for(state="detached")


@pytest.mark.slow
def test_training_runs_fit_their_window(visitor: Visitor, home: Path) -> None:
    train(home / "runs" / "first", Config("connect4", "evolve", seed=1, settings=EVOLVE))
    page = visitor.open("#/training")
    page.get_by_role("link", name="first").wait_for()
    check(page)
    page.get_by_role("link", name="first").click()
    page.get_by_role("slider", name="score").wait_for()
    check(page)
