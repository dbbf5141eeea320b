"""Training runs in a browser, while another process trains."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsers import Visitor
from training import EVOLVE, small, train

from boardgames.learning.config import Config
from boardgames.web import training

Visit = Callable[..., Visitor]
ENVIRONMENT = dict(os.environ)
"""The environment with the usual cache of kernels, so that a process need not compile them."""
SETTINGS = {"matches": 2, "test_matches": 2, "steps": 1_000_000}


@pytest.fixture
def runs(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of runs, at which the server looks often."""
    monkeypatch.setattr(training, "INTERVAL_SECONDS", 0.1)
    return home / "runs"


def curve(page: Any, name: str) -> Any:
    """Return a chart by its title."""
    return page.get_by_role("slider", name=name, exact=True)


def place(slider: Any) -> int:
    """Return the step that a chart shows."""
    return int(slider.get_attribute("aria-valuenow"))


@pytest.mark.slow
def test_curves_grow_while_another_process_trains_and_one_click_starts_a_match_against_the_best(
    visit: Visit, runs: Path
) -> None:
    visitor = visit()
    page = visitor.open("#/training")
    page.get_by_text("There are no training runs yet").wait_for()
    command = [sys.executable, "-m", "boardgames", "train", "connect4", "--run", str(runs / "far")]
    for name, value in SETTINGS.items():
        command += ["--set", f"{name}={value}"]
    process = subprocess.Popen([*command, "--workers", "1"], stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    try:
        page.get_by_role("link", name="far").click()
        page.get_by_text("running").wait_for()
        score = curve(page, "score")
        visitor.wait(lambda: score.get_attribute("aria-valuemax"), "the curve")
        first = place(score)
        visitor.wait(lambda: place(score) > first + 20, "more steps")
    finally:
        process.kill()
        process.wait()
    page.get_by_text("stopped", exact=False).first.wait_for()
    page.get_by_role("button", name="Play the current best").click()
    visitor.wait(lambda: visitor.state, "the match")
    assert visitor.state["names"][1] == "td:weights=far"
    visitor.move("4")
    visitor.wait_for_turn()
    assert len(visitor.shown_moves()) == 2


def test_a_run_can_be_chosen_as_opponent_in_the_form_for_a_new_match(visit: Visit, runs: Path) -> None:
    train(runs / "first", small())
    visitor = visit()
    page = visitor.open("#/new/connect4")
    page.get_by_label("Strength", exact=True).last.select_option(label="Trained: first")
    page.get_by_role("button", name="Start match").click()
    visitor.wait(lambda: visitor.state, "the match")
    assert visitor.state["names"][1] == "td:weights=first"


def test_an_earlier_step_can_be_marked_in_all_curves_with_the_keyboard(visit: Visit, runs: Path) -> None:
    train(runs / "first", Config("connect4", "evolve", seed=1, settings=EVOLVE))
    visitor = visit()
    page = visitor.open("#/training/first")
    score, weights = curve(page, "score"), curve(page, "Weights")
    visitor.wait(lambda: score.get_attribute("aria-valuenow") == "4", "the last step")
    standings = page.get_by_role("region", name="Standings")
    assert "after step 4" in standings.inner_text()
    score.press("ArrowLeft")
    assert (place(score), place(weights)) == (2, 2)
    assert "after step 2" in standings.inner_text()
    assert "own threes" in weights.get_attribute("aria-valuetext")
    score.press("End")
    assert place(weights) == 4


def test_weights_are_drawn_when_they_are_ticked(visit: Visit, runs: Path) -> None:
    train(runs / "first", Config("connect4", "evolve", seed=1, settings=EVOLVE))
    page = visit().open("#/training/first")
    boxes = page.get_by_role("checkbox")
    boxes.first.wait_for()
    drawn = page.locator(".weights .plot .series")
    assert drawn.count() == page.get_by_role("checkbox", checked=True).count() == 6
    boxes.last.press("Space")
    assert drawn.count() == 7
    boxes.first.press("Space")
    assert drawn.count() == 6


def test_a_damaged_run_says_what_is_wrong(visit: Visit, runs: Path) -> None:
    (runs / "broken").mkdir(parents=True)
    (runs / "broken" / "config.toml").write_text("game = [")
    page = visit().open("#/training")
    page.get_by_role("link", name="broken").click()
    alert = page.get_by_role("main").get_by_role("alert")
    alert.get_by_text("config.toml is not valid TOML").wait_for()
    assert page.get_by_role("button", name="Play the current best").is_disabled()
