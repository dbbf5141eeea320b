"""Analysing positions and records in a browser."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsers import Visitor

pytestmark = pytest.mark.slow

Visit = Callable[..., Visitor]


def play(visitor: Visitor, *cells: str) -> None:
    for cell in cells:
        shown = len(visitor.shown_moves())
        visitor.target(cell).click()
        visitor.wait(lambda shown=shown: len(visitor.shown_moves()) > shown, f"the move to {cell}")


def address(page: Any) -> str:
    return str(page.url).partition("#")[2]


def wait_for(visitor: Visitor, part: str) -> None:
    visitor.wait(lambda: part in address(visitor.page), f"the address to have {part}")


def test_moves_branch_off_and_the_address_shows_the_same_position_again(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/connect4")
    play(visitor, "c4r1", "c4r2", "c3r1")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="One move back").click()
    wait_for(visitor, "ply=2")
    visitor.target("c7r1").click()
    wait_for(visitor, "moves=4+4+7")
    other = visit()
    other.open(f"#{address(page)}")
    assert other.shown_moves() == ["4", "4", "7"]
    page.get_by_role("button", name="Back to the main line").click()
    wait_for(visitor, "moves=4+4+3")


def test_every_move_has_its_value_on_the_board_and_in_the_list(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/connect4?moves=1+1+2+2+3+3")
    visitor.wait(lambda: page.locator(".values .top-value").count(), "values")
    assert page.locator(".values g").count() == 7
    assert page.locator(".values .top-value").text_content() == "W1"
    page.get_by_text("Values of all moves").click()
    page.get_by_role("button", name="win in 1 4 ★").click()
    wait_for(visitor, "moves=1+1+2+2+3+3+4")
    visitor.wait(lambda: visitor.status.startswith("red wins"), "the end")


def test_a_review_finds_the_blunder_and_leads_to_the_position_before_it(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/connect4?moves=1+2+1+2+1+3")
    page.get_by_label("Agent", exact=True).fill("alphabeta:depth=3")
    page.get_by_role("button", name="Review the moves").click()
    visitor.wait(lambda: page.get_by_text("6. 3??").count(), "the blunder")
    assert page.get_by_role("slider").is_visible()
    page.get_by_text("6. 3??").click()
    wait_for(visitor, "ply=5")


def test_positions_are_set_up_by_clicks_and_as_text(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/connect4?moves=4+4")
    page.get_by_text("Set up a position").click()
    page.get_by_role("button", name="Clear board").click()
    visitor.wait(lambda: visitor.shown_moves() == [], "an empty board")
    visitor.target("c2r1").click()
    wait_for(visitor, ".r.....")
    visitor.target("c2r2").click()
    visitor.wait(lambda: "the stones alternate" in page.locator(".board-notice").inner_text(), "the reason")
    page.get_by_label("Position", exact=True).fill("4453")
    page.get_by_role("button", name="Use this position").click()
    wait_for(visitor, "..brr..")


def test_a_record_is_downloaded_and_read_again_from_a_file_or_as_text(visit: Visit, tmp_path: Path) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/connect4?moves=4+4+3")
    page.get_by_text("Read or write a record").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Download").click()
    file = tmp_path / "match.record"
    started.value.save_as(file)
    assert "4 4" in file.read_text()

    page = visitor.open("#/analysis/hexifence")
    page.get_by_text("Read or write a record").click()
    page.get_by_label("File with records").set_input_files(file)
    wait_for(visitor, "/analysis/connect4?")
    wait_for(visitor, "moves=4+4+3")

    page = visitor.open("#/analysis/abalone")
    page.get_by_text("Read or write a record").click()
    page.get_by_label("Record", exact=True).fill(file.read_text())
    page.get_by_role("button", name="Read", exact=True).click()
    wait_for(visitor, "/analysis/connect4?")
    wait_for(visitor, "moves=4+4+3")
    assert visitor.shown_moves() == ["4", "4", "3"]
