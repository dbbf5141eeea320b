"""What the page says about repetition: how it ended a match, and where an analysis ends because of it."""

import pytest
from maze import Maze

from boardgames.game import Outcome, Termination
from boardgames.manager import Manager
from boardgames.match_setup import MatchSetup
from boardgames.match_state import MatchRules
from boardgames.web.match import _outcome_state
from boardgames.web.positions import Line

SHUTTLE = "a:0:b..,a.."


def played(rule: str, moves: str, rooms: str = SHUTTLE) -> Manager:
    """Return a match between people after these moves."""
    match = MatchSetup(Maze(repetition=rule, rooms=rooms), (None, None)).start_match()
    for move in moves:
        match.make_move(match.side_to_move, move)
    return match


@pytest.mark.parametrize(
    ("rule", "moves", "winner", "text", "reason"),
    [
        ("loss", "ba", 0, "ann wins by repetition", ""),
        ("forbidden", "b", 0, "ann wins by repetition", "every move would repeat an earlier position"),
        ("draw", "baba", None, "draw by repetition", ""),
        ("draw:4", "bababa", None, "draw by repetition", "the same position occurred 4 times"),
    ],
)
def test_the_page_is_told_how_repetition_ended_a_match(
    rule: str, moves: str, winner: int | None, text: str, reason: str
) -> None:
    match = played(rule, moves)
    assert match.outcome is not None
    state = _outcome_state(match.outcome, match)
    assert (state.winner, state.text, state.termination, state.reason) == (winner, text, "repetition", reason)


@pytest.mark.parametrize(("rule", "moves"), [("loss", "ba"), ("forbidden", "b"), ("draw", "baba")])
def test_an_analysis_ends_where_the_match_does(rule: str, moves: str) -> None:
    match = played(rule, moves)
    lines = [Line(match.record(), match.positions, ply, match.rules) for ply in range(match.ply + 1)]
    assert [line.is_over for line in lines] == [False] * match.ply + [True]
    assert lines[-1].outcome == match.outcome
    assert lines[-1].context.history == match.positions[:-1]


def test_an_analysis_of_a_game_without_a_rule_has_no_history() -> None:
    match = played("", "baba")
    line = Line(match.record(), match.positions, match.ply, MatchRules(repetition=True))
    assert (line.is_over, line.context.history) == (False, ())
    other = Line(
        match.record(), match.positions, 2, MatchRules.between((None, None), match.game, repetition=False)
    )
    assert other.outcome is None


@pytest.mark.parametrize(
    ("rule", "reason"), [("forbidden", "that would repeat an earlier position"), ("loss", ""), ("", "")]
)
def test_clicks_that_would_repeat_a_position_are_explained_if_that_is_forbidden(
    rule: str, reason: str
) -> None:
    match = played(rule, "b", rooms="a:0:b..,ac.,a..")
    line = Line(match.record(), match.positions, match.ply, match.rules)
    assert line.explain_clicks(["a"]) == reason
    assert line.explain_clicks(["c"]) == ""


def test_a_limit_of_another_kind_is_not_mistaken_for_repetition() -> None:
    match = played("loss", "b")
    assert _outcome_state(Outcome(1, Termination.TIME), match).reason == ""
