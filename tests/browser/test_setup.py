"""The form for a new match: what it remembers, offers and starts."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from browsers import Visitor

pytestmark = pytest.mark.slow

Visit = Callable[..., Visitor]


def open_form(visitor: Visitor, game: str) -> Any:
    page = visitor.open(f"#/new/{game}")
    page.locator(".seat").first.wait_for()
    return page


def choose(visitor: Visitor, game: str) -> None:
    """Choose another game, and wait for its form."""
    visitor.page.locator(f".games input[value={game}]").check()
    visitor.page.locator(".rest:not([inert])").wait_for()


def start(visitor: Visitor, name: str = "Start match") -> dict[str, Any]:
    """Click a button that starts a match, and return its state."""
    visitor.state = {}
    visitor.page.get_by_role("button", name=name).click()
    visitor.wait(lambda: visitor.state, "the match")
    return visitor.state


def test_the_better_score_may_win_at_the_move_limit(visit: Visit) -> None:
    visitor = visit()
    page = open_form(visitor, "abalone")
    for seat in range(2):
        page.locator(".seat").nth(seat).get_by_label("Me", exact=True).check()
    page.get_by_text("Options", exact=True).first.click()
    page.get_by_label("Who wins when a limit of plies ends the match").select_option("score")
    page.get_by_text("Limits and position").click()
    page.get_by_label("Maximum number of moves in the match").fill("1")
    page.get_by_label("Start from this position").fill(
        "...../....../......./......../wbb....bw/......../......./....w./.....:b:2:3"
    )
    start(visitor)
    visitor.move("e3e2")
    page.get_by_text("Black won 4\u20132 at the move limit").first.wait_for()


@pytest.mark.parametrize("after", ["reload", "another game"])
def test_form_remembers_everything(visit: Visit, after: str) -> None:
    visitor = visit()
    page = open_form(visitor, "abalone")
    page.locator(".layouts summary").click()
    page.locator(".layout input[value=standard]").check()
    page.get_by_label("Clock").select_option("5")
    page.get_by_label("Seconds added per move").fill("3")
    page.locator(".seat").nth(0).get_by_label("Name", exact=True).fill("Ann")
    page.locator(".seat").nth(1).get_by_role("slider", name="Level").fill("7")
    page.get_by_text("Limits and position").click()
    page.get_by_label("Maximum number of moves of white").fill("80")
    assert page.get_by_label("Maximum number of moves of black").get_attribute("placeholder") == "80"
    page.get_by_label("Maximum seconds for a move").fill("30")
    page.get_by_label("Start paused").check()
    if after == "reload":
        page.reload()
        page.locator(".seat").first.wait_for()
    else:
        choose(visitor, "tictactoe")
        assert page.get_by_label("Clock").input_value() == "5"
        assert page.locator(".seat").nth(1).get_by_role("slider", name="Level").input_value() == "7"
        choose(visitor, "abalone")
    assert page.locator(".layout input:checked").get_attribute("value") == "standard"
    assert page.get_by_label("Seconds added per move").input_value() == "3"
    assert page.locator(".seat").nth(0).get_by_label("Name", exact=True).input_value() == "Ann"
    assert page.locator(".seat").nth(1).get_by_role("slider", name="Level").input_value() == "7"
    assert page.get_by_label("Maximum number of moves of white").input_value() == "80"
    assert page.get_by_label("Maximum number of moves of black").get_attribute("placeholder") == "80"
    assert page.get_by_label("Maximum seconds for a move").input_value() == "30"
    assert not page.get_by_label("Start paused").is_checked()


def test_play_now_starts_the_last_match_of_the_chosen_game_again(visit: Visit) -> None:
    visitor = visit()
    open_form(visitor, "abalone")
    visitor.page.locator(".layouts summary").click()
    visitor.page.locator(".layout input[value=standard]").check()
    visitor.page.locator(".seat").nth(1).get_by_role("slider", name="Level").fill("1")
    first = start(visitor, "Play now")  # the first time, this button starts what the form says
    page = open_form(visitor, "tictactoe")
    assert "Tic-tac-toe: you (X) against" in page.locator(".now").inner_text()
    choose(visitor, "abalone")
    assert page.locator(".now").inner_text().endswith("Abalone: you (black) against Level 1 (white)")
    again = start(visitor, "Play now")
    assert again["id"] != first["id"]
    for part in ("title", "names", "yours", "picture"):
        assert again[part] == first[part]


@pytest.mark.parametrize("way", ["swap", "random, first", "random, second"])
def test_either_side_can_be_played(visit: Visit, way: str) -> None:
    visitor = visit()
    page = open_form(visitor, "tictactoe")
    page.get_by_label("Clock").select_option("Different for each side")
    page.get_by_label("Minutes for X").fill("7")
    page.get_by_label("Seconds added for X").fill("3")
    page.get_by_text("Limits and position").click()
    page.get_by_label("Maximum seconds for a move").fill("30")
    if way == "swap":
        page.get_by_role("button", name="Swap sides").click()
    else:
        page.evaluate(f"Math.random = () => {0.9 if way == 'random, first' else 0.1}")
        page.get_by_label("Random sides").check()
    side = 0 if way == "random, first" else 1
    state = start(visitor)
    assert state["yours"] == [side]
    assert min(state["clocks"]) == state["clocks"][side]  # the clock goes with its player
    assert state["increments"] == [3 * (side == 0), 3 * (side == 1)]
    near, far = (page.locator(f".bar.{place} .bar-notes") for place in ("near", "far"))
    assert "+3 s" in near.inner_text()
    assert "+" not in far.inner_text()
    assert state["move_times"] == [30 if side == 0 else None, 30 if side == 1 else None]
    countdown = page.locator(".bar.near .move-clock .clock")
    visitor.wait(lambda: countdown.inner_text() in ("0:29", "0:28"), "the countdown")
    assert not page.locator(".bar.far .move-clock").is_visible()
    assert visitor.state["seats"][1 - side]["kind"] == "agent"


def test_both_sides_have_the_same_clock_unless_each_is_given_its_own(visit: Visit) -> None:
    visitor = visit()
    page = open_form(visitor, "tictactoe")
    labels = (
        "Minutes per side",
        "Seconds added per move",
        "Minutes for X",
        "Seconds added for O",
    )

    def shown() -> list[str]:
        return [label for label in labels if page.get_by_label(label).is_visible()]

    assert shown() == []
    page.get_by_label("Clock").select_option("5 minutes")
    assert shown() == ["Seconds added per move"]
    page.get_by_label("Clock").select_option("Different for each side")
    assert shown() == ["Minutes for X", "Seconds added for O"]
    page.get_by_label("Seconds added for O").fill("9")
    page.get_by_label("Minutes for X").fill("0")  # a hidden field does not keep a match from starting
    page.get_by_label("Clock").select_option("Custom time")
    assert shown() == ["Minutes per side", "Seconds added per move"]
    page.get_by_label("Minutes per side").fill("7")
    page.get_by_label("Seconds added per move").fill("4")
    state = start(visitor)
    assert (state["clocks"][1], state["increments"]) == (420, [4, 4])
    open_form(visitor, "tictactoe")
    page.get_by_label("Clock").select_option("Different for each side")
    assert page.get_by_label("Seconds added for O").input_value() == "9"


def test_settings_saved_by_an_older_page_still_start_a_match(visit: Visit) -> None:
    visitor = visit()
    page = open_form(visitor, "tictactoe")
    page.get_by_label("Clock").select_option("5 minutes")
    start(visitor)
    page.evaluate("""() => {
      const kept = JSON.parse(localStorage.getItem("boardgames.preferences"));
      kept.last = { ...kept.last.tictactoe, message: { ...kept.last.tictactoe.message, increment: 2 } };
      localStorage.setItem("boardgames.preferences", JSON.stringify(kept));
    }""")
    page.reload()
    open_form(visitor, "tictactoe")
    assert start(visitor, "Play now")["increments"] == [2, 2]


def test_time_for_a_move_is_offered_where_it_changes_something(visit: Visit) -> None:
    visitor = visit()
    page = open_form(visitor, "connect4")
    seat, seconds = page.locator(".seat").nth(1), page.get_by_label("Seconds per move").last
    assert not seconds.is_visible()
    seat.get_by_role("slider", name="Level").fill("10")
    assert "as strong as its time allows" in seat.inner_text()
    assert seconds.is_visible()
    seat.get_by_label("Strength", exact=True).select_option(label="Another agent")
    for agent, is_offered in (("random", False), ("alphabeta", True), ("greedy", False)):
        seat.get_by_label("Agent", exact=True).select_option(agent)
        assert seconds.is_visible() == is_offered


def test_layouts_on_one_board_are_shown_as_pictures(visit: Visit) -> None:
    visitor = visit()
    page = open_form(visitor, "abalone")
    page.locator(".layouts summary").click()
    cards = page.locator(".layout")
    visitor.wait(lambda: page.locator(".layout svg").count() == cards.count() == 47, "the pictures")
    for card in cards.all():
        assert card.locator(".thumbnail-cell").count() == 61
        assert card.locator(".thumbnail-piece").count() in (28, 26, 24)


def test_drawing_layouts_compiles_no_rules(visit: Visit) -> None:
    visitor = visit()
    page = open_form(visitor, "connect4")
    page.locator(".layouts summary").click()
    assert page.locator(".layout").count() > 10
    page.locator(".layout").last.click()
    assert page.locator(".layout svg").count() == 0


def test_the_form_cannot_be_sent_while_another_game_is_loading(visit: Visit) -> None:
    visitor = visit()
    page = open_form(visitor, "tictactoe")
    held: list[Any] = []

    def hold(socket: Any) -> None:
        server = socket.connect_to_server()
        socket.on_message(
            lambda text: held.append(text) if '"name":"hexifence"' in text else server.send(text)
        )

    page.route_web_socket("**/ws", hold)
    page.reload()
    page.locator(".seat").first.wait_for()
    page.locator(".games input[value=hexifence]").check()
    visitor.wait(lambda: held, "the request")
    assert page.get_by_role("button", name="Start match").is_disabled()
    assert page.get_by_role("button", name="Play now").is_disabled()
    page.locator(".rest").get_by_text("Preparing Hexifence…").wait_for()
    assert page.locator(".seat").count() == 0
    choose(visitor, "tictactoe")
    assert page.get_by_role("button", name="Start match").is_enabled()


@pytest.mark.parametrize("name", ["Start match", "Play now"])
def test_a_match_that_is_slow_to_start_is_started_only_once(visit: Visit, name: str) -> None:
    visitor = visit()
    held: list[Callable[[], object]] = []

    def connect(socket: Any) -> None:
        server = socket.connect_to_server()

        def forward(message: str) -> None:
            if json.loads(message)["type"] == "create":
                held.append(lambda: server.send(message))
            else:
                server.send(message)

        socket.on_message(forward)

    visitor.page.route_web_socket("**/ws", connect)
    visitor.page.goto(f"{visitor.origin}/#/new/tictactoe")
    visitor.page.get_by_role("button", name=name).click()
    starting = visitor.page.get_by_role("button", name="Starting…")
    starting.first.wait_for()
    assert starting.count() == 2
    assert not any(button.is_enabled() for button in starting.all())
    assert len(held) == 1
    held.pop()()
    visitor.page.locator(".board .target.live").first.wait_for(state="attached")


@pytest.mark.slow
def test_a_page_with_an_unknown_game_in_its_address_says_so(visit: Visit) -> None:
    page = visit().open("#/new/ludo")
    page.get_by_text("There is no game “ludo” here.").wait_for()
    page.get_by_role("button", name="Start match").wait_for()
    page.get_by_role("radio", name="Connect Four").check()
    page = visit().open("#/new/connect4")
    page.get_by_role("button", name="Start match").wait_for()
    assert not page.get_by_text("There is no game").count()


def test_an_unknown_address_says_what_is_wrong_and_leads_back(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open()
    for address, reason in (
        ("#/rubbish", "There is no page “#/rubbish” here."),
        ("#/match/", "There is no page “#/match/” here."),
        ("#/match/nope", "This match is not available."),
        ("#/training/xyz", "No such run 'xyz'"),
        ("#/learn/foo", "No such game 'foo'"),
        ("#/analysis/chess", "No such game 'chess'"),
    ):
        page.goto(f"{visitor.origin}/{address}")
        page.get_by_text(reason).first.wait_for()
        page.locator("main").get_by_role("link", name="All").click()
        page.wait_for_url(re.compile(r"#/(training)?$"))
