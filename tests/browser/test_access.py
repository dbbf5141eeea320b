"""Accessibility: what axe-core finds, and pages without colours, without motion and in small windows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsers import Visitor
from training import EVOLVE, train

from boardgames.learning.config import Config

Visit = Callable[..., Visitor]
GAMES = ("abalone", "connect4", "hexifence", "tictactoe")
SEVERE = ("serious", "critical")
PLIES = 4
COUNT_ANIMATIONS = """
window.animations = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (...given) {
  window.animations++;
  return animate.apply(this, given);
};
"""


def play(visitor: Visitor, game: str, plies: int = PLIES) -> None:
    """Start a match against oneself and make the first legal moves, so that the board shows much."""
    visitor.start(game, "here")
    for _ in range(plies):
        visitor.move(min(visitor.state["picture"]["clicks"]))


def check_with_axe(page: Any) -> None:
    """Fail if axe-core reports a serious or critical problem in the light or the dark colour scheme."""
    page.emulate_media(color_scheme="light")
    problems = axe_problems(page)
    page.emulate_media(color_scheme="dark")
    problems += axe_problems(page, runOnly=["color-contrast", "link-in-text-block"])
    assert problems == []


def axe_problems(page: Any, **options: object) -> list[str]:
    found = Axe().run(page, options={"resultTypes": ["violations"], **options}).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {[node['target'] for node in one['nodes']][:3]}"
        for one in found
        if one["impact"] in SEVERE
    ]


@pytest.mark.slow
def test_axe_finds_nothing_serious_in_the_lobby_and_the_forms(visit: Visit) -> None:
    visitor = visit(reduced_motion="reduce")
    play(visitor, "connect4", 1)
    visitor.open()
    visitor.page.get_by_role("listitem").first.wait_for()
    check_with_axe(visitor.page)
    for game in GAMES:
        page = visitor.open(f"#/new/{game}")
        page.get_by_role("group", name="Who plays").first.wait_for()
        for summary in page.locator("summary:visible").all():
            summary.click()
        seat = page.locator(".seat").nth(1)
        seat.get_by_label("Computer", exact=True).check()
        seat.get_by_label("Strength", exact=True).select_option(label="Another agent")
        check_with_axe(page)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_axe_finds_nothing_serious_in_a_match(visit: Visit, game: str) -> None:
    visitor = visit(reduced_motion="reduce")
    play(visitor, game)
    visitor.target(next(iter(visitor.state["picture"]["clicks"].values()))[0][0]).first.click(force=True)
    check_with_axe(visitor.page)
    visitor.page.get_by_role("button", name="First position").click()
    check_with_axe(visitor.page)
    visitor.page.get_by_role("button", name="Back to the match").click()
    visitor.page.get_by_role("button", name="Resign").click()
    check_with_axe(visitor.page)
    visitor.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    visitor.wait(lambda: visitor.state["outcome"], "the end")
    check_with_axe(visitor.page)


@pytest.mark.slow
@pytest.mark.parametrize(("theme", "game"), [("Flat", "abalone"), ("High contrast", "hexifence")])
def test_axe_finds_nothing_serious_in_other_themes(visit: Visit, game: str, theme: str) -> None:
    visitor = visit(reduced_motion="reduce")
    play(visitor, game)
    visitor.page.get_by_label("Theme").select_option(label=theme)
    check_with_axe(visitor.page)
    page = visitor.open(f"#/analysis/{game}")
    page.locator(".values *").first.wait_for(state="attached")
    check_with_axe(page)
    page = visitor.open(f"#/learn/{game}/rules")
    page.locator(".small-board").first.wait_for()
    check_with_axe(page)


@pytest.mark.slow
def test_axe_finds_nothing_serious_in_training_runs(visit: Visit, home: Path) -> None:
    train(home / "runs" / "first", Config("connect4", "evolve", seed=1, settings=EVOLVE))
    page = visit(reduced_motion="reduce").open("#/training")
    page.get_by_role("link", name="first").wait_for()
    check_with_axe(page)
    page.get_by_role("link", name="first").click()
    page.get_by_role("slider", name="score").wait_for()
    page.get_by_text("As a table").click()
    check_with_axe(page)


@pytest.mark.slow
def test_axe_finds_nothing_serious_in_an_analysis(visit: Visit) -> None:
    visitor = visit(reduced_motion="reduce")
    page = visitor.open("#/analysis/abalone")
    page.locator(".values *").first.wait_for(state="attached")
    for summary in page.locator("summary:visible").all():
        summary.click()
    check_with_axe(page)
    for tab in ("Set up", "Import and export"):
        page.get_by_role("tab", name=tab).click()
        check_with_axe(page)


@pytest.mark.slow
def test_axe_finds_nothing_serious_in_how_to_play(visit: Visit) -> None:
    visitor = visit(reduced_motion="reduce")
    for part, shown in (("rules", ".thumbnail-piece"), ("3", ".task"), ("puzzles", "text=Puzzle 1")):
        page = visitor.open(f"#/learn/abalone/{part}")
        page.locator(shown).first.wait_for()
        check_with_axe(page)


@pytest.mark.slow
@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_pieces_are_animated_unless_reduced_motion_is_preferred(visit: Visit, motion: str) -> None:
    visitor = visit(reduced_motion=motion)
    visitor.page.add_init_script(COUNT_ANIMATIONS)
    play(visitor, "connect4", 2)
    assert (visitor.page.evaluate("window.animations") > 0) == (motion == "no-preference")
    if motion == "reduce":
        assert visitor.page.evaluate("document.getAnimations().length") == 0


@pytest.mark.slow
@pytest.mark.parametrize("game", ["abalone", "hexifence"])  # with pieces and with lines
def test_sides_can_be_told_apart_in_forced_colours(visit: Visit, game: str) -> None:
    visitor = visit(forced_colors="active")
    play(visitor, game, 2)
    attribute = "stroke" if game == "hexifence" else "fill"
    drawn = visitor.page.evaluate(
        "([attribute, colours]) => colours.map((colour) =>"
        " getComputedStyle(document.querySelector(`.board [${attribute}*='${colour}']`))[attribute])",
        [attribute, visitor.state["picture"]["colours"]],
    )
    assert drawn[0] != drawn[1]
