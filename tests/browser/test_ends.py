"""The end of a match: what each page says about it, and what can be done next."""

from collections.abc import Callable
from typing import Any

import pytest
from browsers import Visitor, address, join, press, resign, sit_down, wait_for, wait_for_next
from web_pages import Kept, Server

Visit = Callable[..., Visitor]
WORDS = """async (cases) => {
  const { endingText } = await import("/ending.js");
  const name = (side) => ["Ann", "Bob"][side];
  return cases.map(([outcome, yours, score]) =>
    endingText({ outcome: { reason: "", ...outcome }, yours, score, fault: null }, name));
}"""
BUTTONS = """async (outcome) => {
  const { Status } = await import("/status.js");
  const status = new Status({});
  const seats = [{ kind: "here", taken: true }, { kind: "here", taken: true }];
  const picture = { buttons: [{ id: "pass", label: "" }] };
  const state = {
    picture, seats, outcome, score: [0, 0], yours: [0], sides: ["Ann", "Bob"], to_move: 0, ply: 1,
    used: [1, 1], offer: null, declined: null, fault: null, next: null, paused: false, limit: "",
  };
  const view = { shown: null, notice: "", name: () => "", canClick: () => !outcome, onlyWatches: false };
  status.draw(state, view);
  return [...status.element.querySelectorAll("button")].map((one) => one.textContent);
}"""


@pytest.fixture
def server(kept: Kept) -> Server:
    """Return a server that can be restarted; the visitors use it."""
    return kept.server


def test_the_result_is_told_from_the_point_of_view_of_the_user(visit: Visit) -> None:
    cases: list[tuple[Any, list[int], list[int], str]] = [
        ({"winner": 0, "termination": "rules"}, [0], [6, 2], "You won 6\u20132"),
        ({"winner": 0, "termination": "rules"}, [1], [6, 2], "You lost 2\u20136"),
        ({"winner": 1, "termination": "rules"}, [], [2, 6], "Bob won 6\u20132"),
        ({"winner": 1, "termination": "rules"}, [0, 1], [0, 0], "Bob won"),
        ({"winner": 1, "termination": "time"}, [0], [1, 0], "You lost on time"),
        ({"winner": 0, "termination": "time"}, [], [1, 0], "Ann won on time"),
        ({"winner": 0, "termination": "resignation"}, [0], [0, 0], "You won: Bob resigned"),
        ({"winner": 0, "termination": "resignation"}, [1], [0, 0], "You resigned"),
        ({"winner": 0, "termination": "no-moves"}, [1], [0, 0], "You lost: there was no legal move left"),
        ({"winner": 1, "termination": "illegal-move"}, [1], [0, 0], "You won: Ann made an illegal move"),
        ({"winner": 1, "termination": "crash"}, [0], [0, 0], "You lost: you failed"),
        ({"winner": 0, "termination": "ply-limit"}, [0], [4, 2], "You won 4\u20132 at the move limit"),
        ({"winner": 0, "termination": "ply-limit"}, [1], [4, 2], "You lost 2\u20134 at the move limit"),
        ({"winner": 1, "termination": "ply-limit"}, [], [1, 3], "Bob won 3\u20131 at the move limit"),
        ({"winner": None, "termination": "rules"}, [1], [5, 5], "Draw 5\u20135"),
        ({"winner": None, "termination": "agreement"}, [1], [1, 2], "Draw agreed"),
        ({"winner": None, "termination": "ply-limit"}, [], [1, 2], "Draw: the move limit was reached"),
        (
            {"winner": None, "termination": "no-progress", "reason": "nothing was pushed off for 100 plies"},
            [0],
            [0, 0],
            "Draw: nothing was pushed off for 100 plies",
        ),
        (
            {"winner": None, "termination": "repetition"},
            [0],
            [0, 0],
            "Draw: the same position occurred three times",
        ),
        (
            {"winner": None, "termination": "repetition", "reason": "the same position occurred 4 times"},
            [0],
            [0, 0],
            "Draw: the same position occurred 4 times",
        ),
        ({"winner": 1, "termination": "repetition"}, [0], [0, 0], "You lost by repetition"),
        ({"winner": 1, "termination": "repetition"}, [0, 1], [0, 0], "Bob won by repetition"),
        (
            {
                "winner": 0,
                "termination": "repetition",
                "reason": "every move would repeat an earlier position",
            },
            [1],
            [0, 0],
            "You lost: every move would repeat an earlier position",
        ),
    ]
    page = visit().open("#/training")
    assert page.evaluate(WORDS, [case[:3] for case in cases]) == [expected for *_, expected in cases]


@pytest.mark.parametrize(
    ("outcome", "buttons"), [(None, ["pass"]), ({"winner": 1, "termination": "resignation"}, [])]
)
def test_the_buttons_of_a_match_disappear_when_it_is_over(
    visit: Visit, outcome: Any, buttons: list[str]
) -> None:
    assert visit().open("#/training").evaluate(BUTTONS, outcome) == buttons


@pytest.mark.slow
@pytest.mark.parametrize(("game", "side"), [("abalone", 1), ("tictactoe", 0)])
def test_a_rematch_against_an_agent_starts_at_once(visit: Visit, game: str, side: int) -> None:
    visitor = visit()
    visitor.start(game, side=side)
    assert visitor.wait_for_turn()
    resign(visitor)
    wait_for(visitor, "You resigned")
    for name, yours in (("Rematch", side), ("Swap sides", 1 - side)):
        before = address(visitor)
        press(visitor, name)
        wait_for_next(visitor, after=before)
        assert visitor.wait_for_turn()
        assert visitor.state["yours"] == [yours]
        assert visitor.state["names"][1 - yours] == "random"
        visitor.move(min(visitor.state["picture"]["clicks"]))
        resign(visitor)
        wait_for(visitor, "You resigned")
    press(visitor, "Review")  # the review starts without another click
    visitor.page.get_by_text("% accuracy").first.wait_for()
    visitor.page.go_back()
    wait_for(visitor, "You resigned")
    press(visitor, "New match")
    visitor.wait(lambda: visitor.page.url.endswith("#/"), "the form")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Rematch", "Swap sides"])
def test_an_accepted_rematch_takes_players_and_spectators_along(visit: Visit, name: str) -> None:
    red, blue, spectator = visit(), visit(), visit()
    red.start("connect4", "open")
    sit_down(red, blue)
    join(spectator, red)
    resign(blue)
    wait_for(red, "You won: blue resigned")
    wait_for(spectator, "Red won: blue resigned")
    before = address(red)
    press(blue, name)
    offered = "offers a rematch" + (" with swapped sides" if name == "Swap sides" else "")
    wait_for(red, f"Blue {offered}")
    red.page.reload()  # the offer is still there
    wait_for(red, f"Blue {offered}")
    press(red, "Accept")
    wait_for_next(red, blue, spectator, after=before)
    mover, other = (red, blue) if name == "Rematch" else (blue, red)
    for visitor, yours in ((mover, [0]), (other, [1]), (spectator, [])):
        visitor.wait(lambda: visitor.state["yours"] == yours, "the seats")
    mover.move("4")
    for visitor in (other, spectator):
        visitor.wait_for_ply(1)


@pytest.mark.slow
def test_a_declined_rematch_is_reported(visit: Visit) -> None:
    red, blue = visit(), visit()
    red.start("connect4", "open")
    sit_down(red, blue)
    resign(red)
    wait_for(blue, "You won: red resigned")
    press(blue, "Rematch")
    wait_for(red, "Blue offers a rematch")
    press(red, "Decline")
    wait_for(blue, "Red declines the rematch")


@pytest.mark.slow
def test_an_absent_player_is_led_to_the_rematch_later_but_only_once(visit: Visit, kept: Kept) -> None:
    red, blue = visit(), visit()
    red.start("connect4", "open")
    sit_down(red, blue)
    old = address(red)
    resign(red)
    wait_for(blue, "You won: red resigned")
    press(blue, "Rematch")
    wait_for(red, "Blue offers a rematch")
    blue.page.goto("about:blank")
    press(red, "Accept")
    wait_for_next(red, after=old)
    for visitor in (red, blue):
        visitor.state = {}
    kept.restart()
    red.wait(lambda: red.state.get("yours") == [0], "the server")
    red.forgive("ERR_CONNECTION_REFUSED")
    blue.page.goto(f"{blue.origin}/#{old}")
    wait_for_next(blue, after=old)
    blue.wait(lambda: blue.state["yours"] == [1], "the seat")
    red.move("4")
    blue.wait_for_ply(1)
    blue.page.go_back()
    blue.wait(lambda: address(blue) == old, "the match that is over")
    press(blue, "Go to the rematch")
    wait_for_next(blue, after=old)


@pytest.mark.slow
def test_an_agent_answers_a_draw_offer(visit: Visit) -> None:
    visitor = visit()
    visitor.start("connect4")
    press(visitor, "Offer draw")
    wait_for(visitor, "Random declines the draw: not in the first 10 moves")


def test_players_of_the_same_name_are_told_apart_by_their_sides(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/new/connect4")
    for side in (0, 1):
        seat = page.locator(".seat").nth(side)
        seat.get_by_label("Computer", exact=True).check()
        seat.get_by_label("Strength", exact=True).select_option(label="Another agent")
        seat.get_by_label("Agent", exact=True).select_option("random")
    page.get_by_role("button", name="Start match").click()
    visitor.wait(lambda: visitor.state and visitor.state["outcome"], "the end")
    assert visitor.state["names"] == ["random", "random"]
    winner = visitor.state["outcome"]["winner"]
    wait_for(visitor, "Draw" if winner is None else ("Red won", "Blue won")[winner])
