"""During a match: pauses and restarts, premoves, numbers and times, keys, sounds and the title of the tab."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from browsers import Visitor, address, join, press, resign, sit_down, take_seat, wait_for, wait_for_next
from web_pages import Kept, Server

Visit = Callable[..., Visitor]
COUNT_TONES = """() => {
  window.tones = [];
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) {
    window.tones.push(this.frequency.value);
    return start.call(this, at);
  };
}"""

SLOW_DOWN = """() => {
  const now = performance.now.bind(performance);
  performance.now = () => now() / 8;
}"""


@pytest.fixture
def server(kept: Kept) -> Server:
    """Return a server that can be restarted; the visitors use it."""
    return kept.server


def tones(visitor: Visitor) -> list[float]:
    """Return the sounds that have been played since the last call."""
    visitor.page.wait_for_timeout(150)
    return list(visitor.page.evaluate("() => window.tones.splice(0)"))


# --- pauses and restarts --------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("side", [0, 1])
def test_a_match_against_an_agent_is_paused_resumed_and_restarted(
    visit: Visit, kept: Kept, side: int
) -> None:
    visitor = visit()
    visitor.start("connect4", side=side)
    assert visitor.wait_for_turn()
    visitor.move("4")
    assert visitor.wait_for_turn()
    ply = visitor.state["ply"]
    press(visitor, "Pause")
    wait_for(visitor, "Paused")
    visitor.check_board(side)
    visitor.target("c4r6").click(force=True)
    assert visitor.state["ply"] == ply
    assert visitor.page.locator(".board-notice").inner_text() == "The match is paused"
    visitor.state = {}
    kept.restart()
    visitor.wait(lambda: visitor.state.get("paused"), "the server")
    visitor.forgive("ERR_CONNECTION_REFUSED")
    wait_for(visitor, "Paused")
    visitor.page.locator(".actions").get_by_role("button", name="Resume").click()
    assert visitor.wait_for_turn()
    visitor.move("5")
    visitor.wait_for_turn()
    old = address(visitor)
    press(visitor, "Restart")
    wait_for_next(visitor, after=old)
    assert visitor.wait_for_turn()
    assert (visitor.state["ply"], visitor.state["yours"]) == (side, [side])
    entries = visitor.open().locator(".matches li")
    entries.nth(1).wait_for()
    assert entries.count() == 2


@pytest.mark.slow
def test_people_pause_only_if_both_agree(visit: Visit) -> None:
    players = (visit(), visit())
    players[0].start("connect4", "open")
    sit_down(*players)
    asker, other = players[1], players[0]
    name = asker.state["sides"][1].capitalize()
    press(asker, "Pause")
    wait_for(other, f"{name} asks to pause")
    wait_for(asker, "Asked to pause")
    other.page.reload()
    wait_for(other, f"{name} asks to pause")
    press(other, "Decline")
    wait_for(asker, f"{asker.state['sides'][0].capitalize()} does not want to pause")
    press(asker, "Pause")
    wait_for(other, f"{name} asks to pause")
    press(other, "Accept")
    for visitor in players:
        wait_for(visitor, "Paused")
    other.page.locator(".actions").get_by_role("button", name="Resume").click()
    wait_for(asker, f"{asker.state['sides'][0].capitalize()} asks to resume")
    press(asker, "Accept")
    wait_for(players[0], "Your move, red")


@pytest.mark.slow
@pytest.mark.parametrize("side", [0, 1])
def test_a_match_against_an_agent_begins_when_it_is_started(visit: Visit, side: int) -> None:
    visitor = visit()
    visitor.start("connect4", side=side, paused=True)
    wait_for(visitor, "Paused")
    visitor.target("c4r6").click(force=True)
    assert visitor.page.locator(".board-notice").inner_text() == "The match is paused"
    visitor.page.wait_for_timeout(700)
    assert visitor.state["ply"] == 0
    assert visitor.page.get_by_role("button", name="Start", exact=True).count() == 1
    visitor.page.locator(".actions").get_by_role("button", name="Start").click()
    assert visitor.wait_for_turn()
    assert visitor.state["ply"] == side
    visitor.move("4")
    press(visitor, "Pause")
    visitor.page.locator(".actions").get_by_role("button", name="Resume").wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("side", [0, 1])
def test_a_match_that_is_paused_before_the_first_move_resumes(visit: Visit, side: int) -> None:
    visitor = visit()
    visitor.start("connect4", "open", side=side)
    other = visit()
    sit_down(visitor, other, visitor.state["sides"][1 - side])
    assert other.status.startswith("Your move" if side else "You play blue. Red to move")
    press(visitor, "Pause")
    press(other, "Accept")
    visitor.page.locator(".actions").get_by_role("button", name="Resume").wait_for()


@pytest.mark.slow
def test_a_move_can_be_taken_back_as_soon_as_the_user_has_made_one(visit: Visit) -> None:
    visitor = visit()
    visitor.start("connect4", side=1)
    assert visitor.wait_for_turn()
    take_back = visitor.page.get_by_role("button", name="Take back")
    assert take_back.is_disabled()
    visitor.move("4")
    assert visitor.wait_for_turn()
    take_back.click()
    visitor.wait_for_ply(1)
    assert take_back.is_disabled()


@pytest.mark.slow
def test_agents_can_be_watched_from_the_first_move(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/new/tictactoe")
    for side in (0, 1):
        page.locator(".seat").nth(side).get_by_label("Computer", exact=True).check()
    page.get_by_text("Limits and position").click()
    page.get_by_label("Start paused").check()
    press(visitor, "Start match")
    wait_for(visitor, "Paused")
    press(visitor, "Step")
    visitor.wait_for_ply(1)
    press(visitor, "Resume")
    visitor.wait(lambda: visitor.state["outcome"], "the end")


@pytest.mark.slow
def test_agents_that_play_each_other_are_slow_enough_to_be_watched(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("#/new/tictactoe")
    for side in (0, 1):
        page.locator(".seat").nth(side).get_by_label("Computer", exact=True).check()
    press(visitor, "Start match")
    visitor.wait(lambda: visitor.state, "the match")
    assert visitor.state["delay"] == 0.5


@pytest.mark.slow
def test_matches_between_people_start_when_both_agree(visit: Visit) -> None:
    players = (visit(), visit())
    players[0].start("connect4", "open", paused=True)
    join(players[1], players[0])
    take_seat(players[1], "blue")
    for visitor in players:
        wait_for(visitor, "Paused")
    asker, other = players[1], players[0]
    sides = [side.capitalize() for side in asker.state["sides"]]
    asker.page.locator(".actions").get_by_role("button", name="Start").click()
    wait_for(asker, "Asked to start")
    wait_for(other, f"{sides[1]} asks to start")
    press(other, "Decline")
    wait_for(asker, f"{sides[0]} does not want to start yet")
    asker.page.locator(".actions").get_by_role("button", name="Start").click()
    wait_for(other, f"{sides[1]} asks to start")
    press(other, "Accept")
    wait_for(players[0], "Your move, red")
    players[0].move("4")
    wait_for(players[1], "Your move, blue")


@pytest.mark.slow
def test_the_next_move_of_agents_is_shown_while_they_are_paused(visit: Visit, kept: Kept) -> None:
    visitor, page = visit(), kept.server.page()
    created = page.create("mcts", "mcts", move_time=[1.0, 1.0])
    page.close()
    visitor.open(f"#/match/{created['match']}/{created['token']}")
    press(visitor, "Pause")
    wait_for(visitor, "Paused")
    press(visitor, "Show next move")
    visitor.wait(lambda: visitor.status.startswith("Hint: "), "the move")
    assert visitor.page.locator(".hints .hint").count()


@pytest.mark.slow
def test_only_the_user_who_started_two_agents_can_pause_them(visit: Visit, kept: Kept) -> None:
    owner, spectator, page = visit(), visit(), kept.server.page()
    created = page.create("mcts", "mcts", move_time=[1.0, 1.0])
    page.close()
    owner.open(f"#/match/{created['match']}/{created['token']}")
    press(owner, "Pause")
    wait_for(owner, "Paused")
    join(spectator, owner)
    wait_for(spectator, "Paused")
    for name in ("Resume", "Step"):
        assert not spectator.page.get_by_role("button", name=name).is_visible(), name
    assert not spectator.page.locator("#delay").is_visible()
    owner.page.reload()
    wait_for(owner, "Paused")
    kept.restart()
    owner.page.reload()
    wait_for(owner, "Paused")
    press(owner, "Resume")
    spectator.wait(lambda: not spectator.state["paused"], "the match to go on")


# --- premoves -------------------------------------------------------------------


@pytest.mark.slow
def test_a_premove_is_played_dropped_or_cancelled(visit: Visit) -> None:
    first, second = visit(), visit()
    first.start("abalone", "open")
    sit_down(first, second, "white")
    assert not second.page.locator(".board .target.live").count()
    second.page.get_by_role("checkbox", name="Premoves").check()
    page = second.page

    def choose(*cells: str) -> None:
        for cell in cells:
            second.target(cell).click(force=True)
        second.wait(lambda: second.status.startswith("Premove"), "the premove")

    page.locator(".board .target.live").first.wait_for(state="attached")
    ways: tuple[Callable[[], object], ...] = (
        lambda: page.keyboard.press("Escape"),
        lambda: page.locator(".board").click(button="right", position={"x": 5, "y": 5}),
        lambda: page.get_by_role("heading", level=1).click(),
    )
    for cancel in ways:
        choose("g5", "f5")
        assert second.status == "Premove g5f5: Escape cancels it"
        assert page.locator(".hints .hint").count()
        cancel()
        wait_for(second, "Premove cancelled")
        assert not page.locator(".hints .hint").count()
    choose("g5", "f5")
    first.move(min(first.state["picture"]["clicks"]))
    for visitor in (first, second):
        visitor.wait_for_ply(2)
    assert first.status == "Your move, black"
    page.reload()
    second.wait_for_ply(2)
    assert page.get_by_role("checkbox", name="Premoves").is_checked()


@pytest.mark.slow
@pytest.mark.parametrize("side", [0, 1])
def test_a_premove_is_played_against_an_agent(visit: Visit, kept: Kept, side: int) -> None:
    visitor, page = visit(), kept.server.page()
    order = slice(None, None, -1 if side else 1)
    created = page.create(
        *("here", "mcts")[order], game="abalone", layout="standard", move_time=(None, 2.0)[order], paused=True
    )
    page.close()
    visitor.open(f"#/match/{created['match']}/{created['token']}")
    visitor.page.get_by_role("checkbox", name="Premoves").check()
    visitor.page.evaluate(SLOW_DOWN)  # so that the reply comes too soon to be shown at once
    visitor.page.locator(".actions").get_by_role("button", name="Start").click()
    if side == 0:
        visitor.move("c5d5")
    visitor.page.locator(".board .target.live").first.wait_for(state="attached")
    for cell in ("g5", "f5") if side else ("c3", "d3"):
        visitor.target(cell).click(force=True)
    visitor.wait(lambda: visitor.status.startswith("Premove"), "the premove")
    visitor.wait(lambda: visitor.state["ply"] > 1 + (side == 0), "the premove to be played")
    move = visitor.state["moves"][2 if side == 0 else 1]
    assert (move["text"], move["side"]) == ("g5f5" if side else "c3d3", side)
    assert visitor.wait_for_turn()


@pytest.mark.slow
def test_a_premove_that_the_reply_has_made_impossible_is_dropped(visit: Visit) -> None:
    first, second = visit(), visit()
    first.start("hexifence", "open", dimension=2)
    sit_down(first, second, "red")
    second.page.get_by_role("checkbox", name="Premoves").check()
    second.page.locator(".board .target.live").first.wait_for(state="attached")
    move = min(first.state["picture"]["clicks"])
    line = first.state["picture"]["clicks"][move][0][0]
    second.target(line).click(force=True)
    second.wait(lambda: second.status.startswith("Premove"), "the premove")
    first.move(move)
    wait_for(second, f"The premove {move} was not possible")
    assert second.state["ply"] == 1
    second.move(min(second.state["picture"]["clicks"]))


@pytest.mark.slow
@pytest.mark.parametrize("game", ["connect4", "tictactoe"])
def test_premoves_are_not_offered_in_games_without_them(visit: Visit, game: str) -> None:
    visitor = visit()
    visitor.start(game, "open")
    visitor.page.get_by_role("checkbox", name="Sound").wait_for()
    visitor.wait(lambda: visitor.page.locator("#evaluators option").count(), "the description")
    assert not visitor.page.get_by_role("checkbox", name="Premoves").is_visible()


# --- what has happened ----------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("game", ["connect4", "hexifence"])
def test_moves_are_numbered_in_pairs_as_in_records(visit: Visit, game: str) -> None:
    visitor = visit()
    options: dict[str, Any] = {"dimension": 2} if game == "hexifence" else {}
    visitor.start(game, "here", **options)
    for _ in range(5):
        visitor.move(min(visitor.state["picture"]["clicks"]))
    visitor.wait_for_ply(5)
    assert visitor.page.locator(".moves .number").all_inner_texts() == ["1", "2", "3"]
    assert visitor.page.locator(".moves li").first.locator(".move").count() == 2


@pytest.mark.slow
def test_arrow_keys_step_through_the_match_wherever_the_focus_is(visit: Visit) -> None:
    visitor = visit()
    visitor.start("connect4", "here")
    page, key = visitor.page, visitor.page.keyboard
    for move in ("4", "4", "5"):
        visitor.move(move)  # the focus is on the board now
    visitor.wait_for_ply(3)
    for focus in (
        lambda: None,
        lambda: page.get_by_role("checkbox", name="Coordinates").focus(),
        lambda: page.get_by_role("button", name="Flip board").focus(),
        page.locator(".moves .move").first.focus,
        lambda: page.evaluate("document.activeElement.blur()"),
    ):
        focus()
        key.press("ArrowLeft")
        wait_for(visitor, "Position after 2 moves")
        key.press("Home")
        wait_for(visitor, "Start of the match")
        key.press("ArrowRight")
        wait_for(visitor, "Position after 1 move")
        key.press("End")
        wait_for(visitor, "Blue to move")
    assert page.locator("#typed-help").inner_text() == "Type the number of the column, such as 4."
    page.locator("#typed").focus()
    key.type("44")
    key.press("ArrowLeft")
    key.type("5")
    assert page.locator("#typed").input_value() == "454"
    assert visitor.status == "Blue to move"
    visitor.tab_to("e.closest('.board') !== null")
    before = visitor.focused("e.dataset.id")
    key.press("ArrowLeft")
    key.press("ArrowRight")
    key.press("ArrowRight")
    assert visitor.focused("e.dataset.id") != before
    assert visitor.status == "Blue to move"


@pytest.mark.slow
def test_time_used_and_moves_left_are_shown_for_both_sides(visit: Visit, kept: Kept) -> None:
    visitor, page = visit(viewport={"width": 390, "height": 900}), kept.server.page()
    created = page.create(
        "here", "random", game="abalone", move_limits=[5, 4], clock=[600, 600], increment=[5, 0]
    )
    page.close()
    visitor.page.goto(f"{visitor.origin}/#/match/{created['match']}/{created['token']}")
    visitor.wait(lambda: visitor.state, "the match")
    near, far = (visitor.page.locator(f".bar.{place} .bar-notes") for place in ("near", "far"))
    visitor.wait(
        lambda: re.search(r"\d used", near.inner_text()) and "0:00 used" not in near.inner_text(),
        "the first seconds",
    )
    assert "0:00 used" in far.inner_text()
    assert "5 moves left" in near.inner_text()
    visitor.move(min(visitor.state["picture"]["clicks"]))
    assert visitor.wait_for_turn()
    assert "4 moves left" in near.inner_text()
    assert "3 moves left" in far.inner_text()
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_the_moves_left_to_each_side_count_down(visit: Visit) -> None:
    visitor = visit()
    visitor.start("connect4", "here", limits={"move_limits": (2, 1)})
    near, far = (visitor.page.locator(f".bar.{place} .bar-notes") for place in ("near", "far"))
    for move, left in (("4", ("1 move", "1 move")), ("4", ("1 move", "0 moves")), ("5", None)):
        visitor.move(move)
        if left:
            for bar, words in zip((near, far), left, strict=True):
                visitor.wait(lambda: f"{words} left" in bar.inner_text(), words)
    wait_for(visitor, "Draw: the move limit was reached")


# --- sounds and the title -------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("side", [0, 1])
def test_a_sound_warns_the_user_when_time_is_low(visit: Visit, kept: Kept, side: int) -> None:
    visitor, page = visit(), kept.server.page()
    order = slice(None, None, -1 if side else 1)
    created = page.create(*("here", "random")[order], clock=(32, 600)[order])
    page.close()
    visitor.page.add_init_script(f"({COUNT_TONES})()")
    visitor.open(f"#/match/{created['match']}/{created['token']}")
    visitor.page.get_by_role("heading", level=1).click()
    heard: list[float] = []

    def is_heard() -> bool:
        heard.extend(tones(visitor))
        return 880 in heard

    visitor.wait(is_heard, "the sound")
    assert [tone for tone in heard if tone == 880] == [880, 880]


@pytest.mark.slow
def test_sounds_of_moves_and_the_end_can_be_switched_off(visit: Visit) -> None:
    visitor = visit()
    visitor.page.add_init_script(f"({COUNT_TONES})()")
    visitor.start("connect4", "here")
    visitor.move("4")
    assert len(tones(visitor)) == 1
    visitor.page.get_by_role("button", name="One move back").click()
    assert tones(visitor) == []
    visitor.page.get_by_role("button", name="Current position").click()
    visitor.page.get_by_role("checkbox", name="Sound").uncheck()
    visitor.move("5")
    assert tones(visitor) == []
    visitor.page.reload()
    visitor.wait_for_ply(2)
    assert not visitor.page.get_by_role("checkbox", name="Sound").is_checked()
    visitor.page.get_by_role("checkbox", name="Sound").check()
    resign(visitor)
    visitor.wait(lambda: visitor.state["outcome"], "the end")
    assert len(tones(visitor)) == 3


@pytest.mark.slow
def test_no_sound_plays_before_the_first_click_or_key(visit: Visit) -> None:
    player, spectator = visit(), visit()
    spectator.page.add_init_script(f"({COUNT_TONES})()")
    player.start("connect4", "here")
    join(spectator, player)
    player.move("4")
    spectator.wait_for_ply(1)
    assert tones(spectator) == []
    spectator.page.keyboard.press("Shift")
    spectator.page.get_by_role("heading", level=1).click()
    player.move("4")
    spectator.wait_for_ply(2)
    assert len(tones(spectator)) == 1


@pytest.mark.slow
def test_the_title_of_the_tab_says_whose_turn_it_is(visit: Visit) -> None:
    red, blue, spectator = visit(), visit(), visit()
    red.start("connect4", "open")
    sit_down(red, blue)
    join(spectator, red)

    def titles() -> list[bool]:
        return [one.page.title().startswith("● Your move") for one in (red, blue, spectator)]

    red.wait(lambda: titles() == [True, False, False], "the turn of red")
    red.move("4")
    red.wait(lambda: titles() == [False, True, False], "the turn of blue")
    resign(blue)
    red.wait(lambda: titles() == [False, False, False], "the end")


def test_a_capture_sounds_different_from_a_move(visit: Visit) -> None:
    cases: list[tuple[Any, Any, str | None]] = [
        (None, (1, 0, 28), None),
        ((1, 0, 28), (2, 0, 28), "move"),
        ((1, 0, 28), (2, 0, 27), "capture"),
        ((1, 0, 28), (2, 1, 29), "capture"),
        ((2, 0, 28), (1, 0, 28), None),
        ((2, 0, 28), (2, 0, 28), None),
    ]
    script = """async (cases) => {
      const { soundOf } = await import("/sound.js");
      const state = ([ply, points, pieces]) =>
        ({ ply, score: [points, 0], outcome: null, picture: { pieces: Array(pieces) } });
      return cases.map(([before, after]) => soundOf(before && state(before), state(after)));
    }"""
    page = visit().open("#/training")
    assert page.evaluate(script, [case[:2] for case in cases]) == [expected for *_, expected in cases]
