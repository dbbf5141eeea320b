"""Matches in a browser: by mouse, by keyboard, between two people, and before spectators."""

from collections.abc import Callable
from typing import Any

import pytest
from browsers import Visitor

import boardgames

Visit = Callable[..., Visitor]
MATCHES: dict[str, dict[str, Any]] = {
    "abalone": {"limits": {"Maximum number of moves in the match": 14}},
    "connect4": {},
    "hexifence": {"dimension": 2},
    "tictactoe": {},
}
"""The games, with options that make their matches short; the last one is the example plug-in."""


def check_end(visitor: Visitor) -> None:
    """Check that the page shows every move, and the result that follows from the rules."""
    state = visitor.state
    visitor.wait_for_ply(state["ply"])
    [side], winner = state["yours"], state["outcome"]["winner"]
    assert visitor.status.startswith(
        "Draw" if winner is None else "You won" if winner == side else "You lost"
    )
    position = boardgames.load(state["game"], layout=state["layout"], **state["options"]).start()
    for move in visitor.shown_moves():
        position = position.apply(move)
    assert position.outcome is not None or state["outcome"]["text"] == "draw (ply limit)"


@pytest.mark.parametrize("game", MATCHES)
def test_an_agent_replies_to_a_move_that_the_second_player_makes_with_the_mouse(
    visit: Visit, game: str
) -> None:
    visitor = visit()
    visitor.start_by_form(game, side=1, **MATCHES[game])
    assert visitor.wait_for_turn()
    visitor.check_board(1)
    move = min(visitor.state["picture"]["clicks"])
    visitor.move(move)
    assert visitor.wait_for_turn()
    assert visitor.shown_moves()[1] == move
    assert len(visitor.shown_moves()) == 3
    assert visitor.status == f"Your move, {visitor.state['sides'][1]}"


@pytest.mark.slow
@pytest.mark.parametrize("game", MATCHES)
def test_a_whole_match_is_played_with_the_mouse(visit: Visit, game: str) -> None:
    visitor = visit()
    visitor.start_by_form(game, **MATCHES[game])
    visitor.check_board(0)
    assert visitor.status == f"Your move, {visitor.state['sides'][0]}"
    visitor.play_by_mouse()
    check_end(visitor)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["abalone", "connect4", "hexifence"])
def test_a_whole_match_is_played_with_the_keyboard(visit: Visit, game: str) -> None:
    visitor = visit()
    visitor.open(f"#/new/{game}")
    keyboard = visitor.page.keyboard
    if "dimension" in MATCHES[game]:
        visitor.tab_to("e.textContent === 'Options'")
        keyboard.press("Enter")
        visitor.tab_to("e.labels?.[0]?.textContent.startsWith('Dimension')")
        keyboard.type("2")
    visitor.tab_to("e.labels?.[0]?.textContent === 'Strength'")
    keyboard.press("End")
    visitor.tab_to("e.labels?.[0]?.textContent === 'Agent'")
    keyboard.type("random")
    if "limits" in MATCHES[game]:
        visitor.tab_to("e.textContent === 'Limits and position'")
        keyboard.press("Enter")
        visitor.tab_to("e.labels?.[0]?.textContent === 'Maximum number of moves in the match'")
        keyboard.type("14")
    visitor.tab_to("e.textContent === 'Start match'")
    keyboard.press("Enter")
    visitor.play_by_keyboard()
    assert visitor.state["names"][1] == "random"
    check_end(visitor)
