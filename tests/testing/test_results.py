"""Faults of the rules that are found without a reference, on a small Othello with one fault each."""

import pytest
from othello import Othello

from boardgames.testing import Report, check_game

EXPECTED = {
    "missing flips": "symmetries",
    "wrapped masks": "symmetries",
    "forgotten pass": "stuck",
    "pass keeps side": "sides",
    "reversed winner": "results",
    "negated evaluation": "results",
    "missing click": "pictures",
}


def covered(report: Report, name: str) -> str:
    return next(check.covered for check in report.checks if check.name == name)


@pytest.mark.parametrize("fault", EXPECTED)
def test_planted_fault_is_found_without_a_reference(fault: str) -> None:
    assert EXPECTED[fault] in check_game(Othello(fault=fault)).failed()


def test_correct_game_has_neither_findings_nor_remarks() -> None:
    report = check_game(Othello())
    assert (report.findings, report.remarks) == ((), ())


def test_actions_that_were_never_legal_are_named() -> None:
    assert covered(check_game(Othello()), "coverage").endswith("never: c3, d3, c4, d4")
    assert covered(check_game(Othello(fault="forgotten pass")), "coverage").endswith("d4, pass")


def test_report_counts_matches_with_a_stuck_side() -> None:
    assert covered(check_game(Othello()), "stuck") == "0 sides stuck at the end of 26 matches"


def test_report_counts_winners_who_were_ahead() -> None:
    text = covered(check_game(Othello()), "results")
    assert "the winner led in discs in 23 of 23" in text
    assert "the evaluation favoured the winner in 20 of 23" in text


def test_missing_click_names_move_position_and_command() -> None:
    finding = check_game(Othello(fault="missing click")).findings[0]
    assert finding.move == "pass"
    assert finding.position in finding.message
    assert finding.command.endswith("--move pass --only pictures")


def test_missing_flips_name_both_results() -> None:
    finding = check_game(Othello(fault="missing flips")).findings[0]
    assert "the successor is '" in finding.message
    assert "leads to '" in finding.message
