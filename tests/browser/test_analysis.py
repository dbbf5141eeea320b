"""Analysing positions and records in a browser."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsers import Visitor, press, resign

from boardgames.networks import Network, NetworkShape
from boardgames.players.alphazero import NetworkPlayer

pytestmark = pytest.mark.slow

Visit = Callable[..., Visitor]

CREATE = """async () => {
  const { Net } = await import("/net.js");
  const net = new Net(`ws://${location.host}/ws`);
  await new Promise((resolve) => net.addEventListener("status", resolve));
  const seats = [{ kind: "here" }, { kind: "here" }];
  return (await net.request({ type: "create", game: "connect4", seats })).match;
}"""


def random_network(player: NetworkPlayer) -> Network:
    return Network.random(player.game, NetworkShape.of(player.game, channels=4, blocks=1), seed=1)


def play(visitor: Visitor, *cells: str) -> None:
    for cell in cells:
        shown = len(visitor.shown_moves())
        visitor.target(cell).click()
        visitor.wait(lambda: len(visitor.shown_moves()) > shown, f"the move to {cell}")


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
    assert other.shown_moves() == ["4", "4", "3", "7"]  # the variation last
    page.get_by_role("button", name="Back to the main line").click()
    wait_for(visitor, "moves=4+4+3")


def test_every_move_has_its_value_on_the_board_and_in_the_list(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/connect4?moves=1+1+2+2+3+3")
    visitor.wait(lambda: page.locator(".values .top-value").count(), "values")
    assert page.locator(".values g").count() == 7
    assert page.locator(".values .top-value").text_content() == "W1"
    page.get_by_text("Values of all moves").click()
    page.get_by_role("button", name="win in 1 move (1 ply) 4 ★").click()
    wait_for(visitor, "moves=1+1+2+2+3+3+4")
    visitor.wait(lambda: visitor.status.startswith("Red wins"), "the end")


@pytest.mark.parametrize("moves", ["4", "4+4"])
def test_a_network_shows_its_policy_on_the_board(
    visit: Visit, moves: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NetworkPlayer, "network", property(random_network))  # none is installed
    visitor = visit()
    page = visitor.open(f"#/analysis/connect4?moves={moves}")
    quantity, values = page.get_by_label("On the board"), page.locator(".values text")
    visitor.wait(values.count, "the values of the default agent")
    assert not quantity.is_visible()  # the solver has no network
    page.get_by_label("Agent").fill("alphazero:simulations=50")
    page.get_by_label("Agent").press("Enter")
    visitor.wait(quantity.is_visible, "the choice")
    assert "the network without a search:" in page.locator(".evaluation .value").inner_text()
    for name in ("policy of the network", "simulations of the search"):
        quantity.select_option(name)
        shown = [int(text.rstrip("%")) for text in values.all_text_contents()]
        assert len(shown) == 7
        assert sum(shown) == pytest.approx(100, abs=4)  # they are rounded
    page.get_by_text("Values of all moves").click()
    assert re.search(r" · policy \d+% · simulations \d+%$", page.locator(".lines.all li").first.inner_text())


def test_values_can_be_read_on_the_board_of_a_phone(visit: Visit) -> None:
    page = (visitor := visit(viewport={"width": 390, "height": 844})).open("#/analysis/abalone")
    texts = page.locator(".values text")
    visitor.wait(lambda: texts.count() > 5, "values")
    pixels = texts.evaluate_all(
        "(all) => all.map((e) => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a)"
    )
    assert min(pixels) > 8.5


def test_another_move_at_an_earlier_ply_makes_a_variation_and_nothing_is_lost(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/connect4?moves=4+4+3+3&ply=1")
    visitor.wait(lambda: visitor.status.startswith("Blue"), "the position")
    visitor.target("c7r1").click()
    variation = page.locator(".tree .aside li")
    visitor.wait(lambda: variation.count() == 1, "the variation")
    visitor.target("c7r2").click()
    visitor.wait(lambda: variation.inner_text().split() == ["(1…", "7", "7", ")"], "its second move")
    assert visitor.shown_moves() == ["4", "4", "7", "7", "3", "3"]  # in the order of the list
    labels = [one.get_attribute("aria-label") or "" for one in page.locator(".tree .move").all()]
    assert [label.split(",")[0] for label in labels] == ["1", "1", "1", "2", "2", "2"], labels

    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    wait_for(visitor, "moves=4+4+3+3&ply=2")
    page.keyboard.press("ArrowDown")
    wait_for(visitor, "moves=4+7+7&ply=2")
    page.reload()
    visitor.wait(lambda: variation.count() == 1, "the variation after a reload")

    page.get_by_role("button", name="Make main line").click()
    visitor.wait(lambda: visitor.shown_moves() == ["4", "7", "4", "3", "3", "7"], "the promotion")
    assert page.get_by_role("button", name="Make main line").is_disabled()
    page.locator(".tree .inline-move").first.click()
    wait_for(visitor, "moves=4+4+3+3&ply=2")
    page.get_by_role("button", name="Delete from here").click()
    visitor.wait(lambda: visitor.shown_moves() == ["4", "7", "7"], "the deletion")


def test_comments_and_marks_are_in_the_list_and_the_link_and_survive_a_reload(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/hexifence?moves=3+7")
    page.get_by_role("button", name="good move !").click()
    page.get_by_label("Comment", exact=True).fill("the {only} move")
    page.keyboard.press("Enter")
    shown = page.locator(".tree")
    visitor.wait(lambda: "7!" in shown.inner_text() and "the only move" in shown.inner_text(), "the note")
    other = visit()
    text = other.open(f"#{address(page)}").locator(".tree")
    other.wait(
        lambda: "7!" in text.inner_text() and "the only move" in text.inner_text(), "the note in a link"
    )
    page.get_by_role("button", name="good move !").click()
    visitor.wait(lambda: "7!" not in shown.inner_text(), "the mark to go")


def test_arrows_show_the_best_moves_and_arrows_drawn_by_the_user_stay(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/abalone")
    arrows = page.locator(".arrows .arrow.core")
    visitor.wait(lambda: arrows.count() == 3, "an arrow for each of the best moves")

    def has_line() -> int:
        page.mouse.move(0, 0)
        page.locator(".lines .best-line").first.hover()
        return int(page.locator(".arrows .kind-line").count())

    visitor.wait(has_line, "arrows for the line")
    box = visitor.target("c3").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, button="right")
    wait_for(visitor, "draw+g%3Ac3")
    page.reload()
    visitor.wait(lambda: page.locator(".shapes .kind-green").count(), "the circle after a reload")


def test_variations_of_a_match_are_there_when_it_is_analysed_again(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/new/connect4")
    match = page.evaluate(CREATE)
    page = visitor.open(f"#/analysis/match/{match}")
    play(visitor, "c4r1", "c4r2")
    page.keyboard.press("Home")
    visitor.wait(lambda: visitor.status.startswith("Red"), "the start")
    visitor.target("c1r1").click()
    visitor.wait(lambda: page.locator(".tree .aside").count() == 1, "a variation")
    page.goto("about:blank")
    page = visitor.open(f"#/analysis/match/{match}")
    visitor.wait(lambda: page.locator(".tree .aside").count() == 1, "the variation again")


def test_players_without_a_name_are_called_by_their_side(visit: Visit) -> None:
    visitor = visit()
    visitor.start("connect4", "agent")
    resign(visitor)
    press(visitor, "Review")
    visitor.page.get_by_text("red \N{EN DASH} random", exact=True).wait_for()


def test_a_variation_can_be_played_on_against_an_agent(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/connect4?moves=4+4+3&ply=1&tree=4+(5)+4+3")
    visitor.wait(lambda: page.locator(".practice").is_visible(), "what can be chosen")
    page.get_by_label("Play", exact=True).select_option("red")
    page.get_by_label("against").select_option("level:level=2")
    page.get_by_role("button", name="Play on from here").click()
    visitor.wait_for_ply(1)  # blue is to move
    assert visitor.state["names"][1] == "level:level=2"
    assert visitor.state["yours"] == [0]


def test_a_review_appears_ply_by_ply_and_links_to_the_position_before_a_blunder(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/connect4?moves=1+2+1+2+1+3")
    page.get_by_label("Agent", exact=True).fill("alphabeta:depth=3")
    page.get_by_role("button", name="Review the moves").click()
    visitor.wait(lambda: page.get_by_text("3… 3??").count(), "the blunder")
    visitor.wait(lambda: page.get_by_text("Reviewed by alphabeta").count(), "the end")
    values = page.get_by_role("slider")
    assert values.get_attribute("aria-valuetext").startswith("3\u2026 3: ")
    values.press("Home")
    visitor.wait(lambda: values.get_attribute("aria-valuetext").startswith("Start: "), "the start")
    values.press("ArrowRight")
    visitor.wait(lambda: page.locator(".readout").inner_text().startswith("1. 1: "), "the name of a move")
    assert page.locator(".chart text").last.text_content() == "3"  # moves, as in the list
    assert len(page.locator(".accuracy").get_by_text("% accuracy").all()) == 2
    # for the side that made the move, like the text about the blunder
    assert page.locator(".tree .move", has_text="3??").locator(".extra").inner_text().startswith("loss in")
    page.get_by_text("What is accuracy?").click()
    assert page.get_by_text("every 0.15 expected points").is_visible()
    page.get_by_text("3… 3??").click()
    wait_for(visitor, "ply=5")


def test_a_review_shows_its_progress_and_is_cancelled(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/abalone?moves=a1b2+i5h5")
    page.get_by_label("Seconds per position").fill("20")
    page.get_by_role("button", name="Review the moves").click()
    visitor.wait(lambda: page.locator(".review progress").is_visible(), "the progress")
    page.get_by_role("button", name="Stop").click()
    visitor.wait(lambda: page.get_by_text("The review was stopped").count(), "the end")


def test_the_review_of_a_match_is_shown_at_once_when_it_is_analysed_again(visit: Visit) -> None:
    visitor = visit()
    watcher = visitor.server.page()
    created = watcher.create("random", "random", ply_limit=4)
    watcher.send("join", match=created["match"], token=created["token"])
    watcher.outcome()
    watcher.close()
    match = created["match"]
    page = visitor.open(f"#/analysis/match/{match}")
    visitor.wait(lambda: len(visitor.shown_moves()) == 4, "the moves")
    page.get_by_role("button", name="Review the moves").click()
    visitor.wait(lambda: page.get_by_text("% accuracy").count() == 2, "the review")
    other = visit()
    page = other.open(f"#/analysis/match/{match}")
    other.wait(lambda: page.get_by_text("% accuracy").count() == 2, "the review for another visitor")


def test_values_in_the_list_of_moves_stay_in_their_column_on_a_phone(visit: Visit) -> None:
    visitor = visit(viewport={"width": 390, "height": 844})
    page = visitor.open("#/analysis/connect4?moves=1+2+1+2+1+3")
    page.get_by_role("button", name="Review the moves").click()
    visitor.wait(lambda: page.get_by_text("% accuracy").count() == 2, "the review")
    widths = page.locator(".tree .move").evaluate_all(
        "(all) => all.map((e) => e.scrollWidth - e.clientWidth)"
    )
    assert max(widths) == 0


def test_the_user_can_look_for_the_better_move_at_each_mistake(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/connect4?moves=1+2+1+2+1+3")
    page.get_by_label("Agent", exact=True).fill("alphabeta:depth=3")
    page.get_by_role("button", name="Review the moves").click()
    page.get_by_role("button", name="Find the better move").click()
    exercise = page.get_by_role("region", name="Find the better move")
    visitor.wait(lambda: "blue played 3??" in exercise.inner_text(), "the task")
    wait_for(visitor, "ply=5")
    assert not page.locator(".evaluation").is_visible()
    assert page.locator(".values g").count() == 0
    stones = page.locator(".board .under > g")
    tries = (
        ("c3r1", "was played in the match", "bad"),
        ("c7r1", "Not 7", "bad"),
        ("c1r4", "Right: 1", "best"),
    )
    for cell, verdict, kind in tries:
        page.locator(f'.board .live[data-id="{cell}"]').wait_for(state="attached")
        assert stones.count() == 5
        visitor.target(cell).click()
        visitor.wait(lambda: verdict in exercise.inner_text(), verdict)
        visitor.wait(lambda: stones.count() == 6, "the move on the board")
        page.locator(f".arrows .kind-{kind}.core").wait_for(state="attached")
    assert page.get_by_role("button", name="Show the solution").is_disabled()
    page.wait_for_timeout(2000)
    assert stones.count() == 6  # the right move stays
    page.get_by_role("button", name="Done").click()
    visitor.wait(lambda: page.locator(".evaluation").is_visible(), "the analysis")
    visitor.wait(lambda: stones.count() == 5, "the position")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (820, 1180), (1400, 900)])
def test_the_task_and_the_whole_board_fit_into_the_window(visit: Visit, width: int, height: int) -> None:
    visitor = visit(viewport={"width": width, "height": height})
    page = visitor.open("#/analysis/connect4?moves=1+2+1+2+1+3")
    page.get_by_label("Agent", exact=True).fill("alphabeta:depth=3")
    page.get_by_role("button", name="Review the moves").click()
    page.get_by_role("button", name="3… 3??").click()
    for place in (".board", ".trainer"):
        if place == ".trainer":
            page.get_by_role("button", name="Find the better move").click()
            page.locator(".trainer").wait_for()
        for one in {".board", place}:
            box = page.locator(one).bounding_box()
            assert -1 < box["y"] < box["y"] + box["height"] < height + 1, one


def test_a_move_after_a_variation_is_listed_in_the_column_of_its_side(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/connect4?moves=4+4+5+3&ply=2&tree=4+4+5+(2+2)+3")
    visitor.wait(lambda: len(visitor.shown_moves()) == 6, "the moves")
    rows = page.locator(".tree .turn")
    assert [row.inner_text().split() for row in rows.all()] == [["1.", "4", "4"], ["2.", "5"], ["2…", "3"]]
    left = [rows.nth(i).locator(".move").last.bounding_box()["x"] for i in (0, 2)]
    assert left[0] == left[1]


def test_numbers_of_moves_take_one_line_on_a_phone(visit: Visit) -> None:
    visitor = visit(viewport={"width": 390, "height": 844})
    moves = "1+1+1+1+1+1+2+2+2+2+2+2+3+3+3+3+3+3+5"
    page = visitor.open(f"#/analysis/connect4?moves={moves}+4&ply=19&tree={moves}+(6)+4")
    visitor.wait(lambda: len(visitor.shown_moves()) == 21, "the moves")
    rows = page.locator(".tree .turn")
    assert rows.last.inner_text().split() == ["10\u2026", "4"]
    assert len({row.bounding_box()["height"] for row in rows.all()}) == 1


@pytest.mark.parametrize(
    ("game", "start", "is_turned"), [("abalone", "a1", True), ("connect4", "c1r1", False)]
)
def test_analysis_shows_the_board_from_the_side_that_the_user_played(
    visit: Visit, game: str, start: str, is_turned: bool
) -> None:
    visitor = visit()
    visitor.start(game, side=1)
    assert visitor.wait_for_turn()
    visitor.page.get_by_role("button", name="Analyse").click()
    visitor.page.locator(".analysis .board").wait_for()
    for _ in range(2):
        box, board = visitor.target(start).bounding_box(), visitor.page.locator(".board").bounding_box()
        assert (box["y"] < board["y"] + board["height"] / 2) == is_turned
        visitor.page.reload()
        visitor.page.locator(".analysis .board").wait_for()
    visitor.page.get_by_role("button", name="Review the moves").click()
    side = visitor.state["sides"][1]
    visitor.page.get_by_role("slider", name=f"{side.capitalize()}\u2019s chance of winning").wait_for()


def test_positions_are_set_up_by_clicks_beside_the_board(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/connect4?moves=4+4")
    page.get_by_role("tab", name="Set up").click()
    page.get_by_role("button", name="Clear board").click()
    wait_for(visitor, "moves=4+4&ply=0")  # the start is still that of these moves
    visitor.target("c2r1").click()
    wait_for(visitor, ".r.....")
    visitor.target("c2r2").click()
    visitor.wait(lambda: "stones alternate" in page.locator(".board-notice").inner_text(), "the reason")
    page.go_back()
    wait_for(visitor, "moves=4+4")


def test_no_click_is_lost_when_positions_are_set_up_quickly(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/abalone")
    page.get_by_role("tab", name="Set up").click()
    page.get_by_role("button", name="Clear board").click()
    pieces = page.locator(".board .pieces > g")
    visitor.wait(lambda: pieces.count() == 0, "an empty board")
    page.evaluate("""() => {
      for (const id of ["a1", "e5", "i9"]) {
        const click = new MouseEvent("click", { bubbles: true, cancelable: true, view: window });
        document.querySelector(`.board .target[data-id="${id}"]`).dispatchEvent(click);
      }
    }""")
    visitor.wait(lambda: pieces.count() == 3, "three marbles")


@pytest.mark.parametrize(
    ("game", "text", "shown", "said"),
    [
        ("connect4", "4 4 5 3", "moves=4+4+5+3", "4 moves imported (notation: column)"),
        ("connect4", "6 6 0", "moves=7+7+1", "3 moves imported (notation: zero-based)"),
        ("connect4", "7/7/7/7/3b3/2brr2", "..brr..", "Position imported (notation: fen)"),
        ("abalone", "1. a1b2 i5h5", "moves=a1b2+i5h5", "2 moves imported (notation: aba-pro)"),
        ("tictactoe", "1. b2 a1", "moves=b2+a1", "2 moves imported"),
    ],
)
def test_moves_and_positions_are_pasted_in_any_notation(
    visit: Visit, game: str, text: str, shown: str, said: str
) -> None:
    visitor = visit()
    page = visitor.open(f"#/analysis/{game}")
    page.get_by_role("tab", name="Import and export").click()
    page.get_by_label("Moves, a position or a record").fill("nonsense here")
    page.get_by_role("button", name="Import", exact=True).click()
    found = page.locator(".read-result")
    visitor.wait(lambda: "cannot be read as a record" in found.inner_text(), "the reason")
    page.get_by_label("Moves, a position or a record").fill(text)
    page.get_by_role("button", name="Import", exact=True).click()
    wait_for(visitor, shown)
    visitor.wait(lambda: found.text_content() == said, said)
    visitor.wait(lambda: page.locator(".status").inner_text().startswith(f"{said} \N{MIDDLE DOT} "), said)
    assert page.get_by_role("tab", name="Analyse").get_attribute("aria-selected") == "true"


def test_variations_and_comments_are_imported_from_a_record_and_exported_again(visit: Visit) -> None:
    page = (visitor := visit()).open("#/analysis/connect4")
    page.get_by_role("tab", name="Import and export").click()
    text = page.get_by_label("Moves, a position or a record")
    text.fill('[White "Ann"]\n[Black "Bob"]\n\n1. 4! {a fine start} (1. 3 $6 3) 4 2. 5 *')
    page.get_by_role("button", name="Import", exact=True).click()
    variation = page.locator(".tree .aside li")
    visitor.wait(lambda: variation.count() == 1 and "3" in variation.inner_text(), "the variation")
    assert "a fine start" in page.locator(".tree").inner_text()
    page.get_by_role("tab", name="Import and export").click()
    page.get_by_role("button", name="Copy as a record").click()
    visitor.wait(
        lambda: "1. 4 $1 {a fine start} (1. 3 $6 3) 1... 4 2. 5 *" in text.input_value(), "the record"
    )


def test_a_record_is_downloaded_and_imported_from_a_file_or_as_text(visit: Visit, tmp_path: Path) -> None:
    visitor = visit()
    page = visitor.open("#/analysis/connect4?moves=4+4+3")
    page.get_by_role("tab", name="Import and export").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Download").click()
    file = tmp_path / "match.record"
    started.value.save_as(file)
    assert "4 4" in file.read_text()

    page = visitor.open("#/analysis/hexifence")
    page.get_by_role("tab", name="Import and export").click()
    page.get_by_label("or choose a file of records").set_input_files(file)
    wait_for(visitor, "/analysis/connect4?")
    wait_for(visitor, "moves=4+4+3")

    page = visitor.open("#/analysis/abalone")
    page.get_by_role("tab", name="Import and export").click()
    page.get_by_label("Moves, a position or a record").fill(file.read_text())
    page.get_by_role("button", name="Import", exact=True).click()
    wait_for(visitor, "/analysis/connect4?")
    wait_for(visitor, "moves=4+4+3")
    assert visitor.shown_moves() == ["4", "4", "3"]
