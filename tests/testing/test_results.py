"""Faults of the rules that are found without a reference, on a small Othello with one fault each."""

import math
import re

import numpy as np
import pytest
from othello import Othello

from boardgames import Evaluation
from boardgames.kernels import Evaluate, Reals, Words, kernel
from boardgames.testing import CheckReport, check_game

EXPECTED = {
    "missing flips": "symmetries",
    "wrapped masks": "symmetries",
    "forgotten pass": "stuck",
    "pass keeps side": "sides",
    "reversed winner": "results",
    "negated evaluation": "results",
    "missing click": "pictures",
}


def covered(report: CheckReport, name: str) -> str:
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


@pytest.mark.parametrize(("fault", "matches"), [("reversed winner", 2), ("negated evaluation", 6)])
def test_more_matches_are_played_while_a_fault_is_in_doubt(fault: str, matches: int) -> None:
    report = check_game(Othello(fault=fault), matches=matches, only=["results"])
    assert report.failed() == {"results"}
    assert f" of {matches + 2} matches won" not in covered(report, "results")


def test_no_more_matches_are_played_if_nothing_is_in_doubt() -> None:
    assert " of 10 matches won" in covered(check_game(Othello(), matches=8, only=["results"]), "results")


@kernel(Evaluate)
def almost_certain(position: Words, weights: Reals) -> float:
    return 0.995 if position[0] % np.uint64(2) == 0 else -1.0


@kernel(Evaluate)
def undecided(position: Words, weights: Reals) -> float:
    return 0.25


def test_an_evaluation_that_is_almost_always_at_its_bounds_is_found() -> None:
    game = Othello()
    game.evaluation = Evaluation("almost certain", almost_certain, np.zeros(0))
    report = check_game(game, only=["evaluation"])
    assert report.failed() == {"evaluation"}
    assert "the evaluation is within 1% of ±1 in " in str(report)


@kernel(Evaluate)
def certain_or_level(position: Words, weights: Reals) -> float:
    return math.tanh(200.0 * float(position[0] % np.uint64(3)) - 200.0)


def test_zeros_do_not_hide_that_an_evaluation_is_at_its_bounds() -> None:
    game = Othello()
    game.evaluation = Evaluation("certain or level", certain_or_level, np.zeros(0))
    (remark,) = check_game(game, only=["evaluation"]).remarks
    assert re.search(r"within 1% of ±1 in \d+, and 0 in [1-9]\d*, of \d+ positions", remark.message)


@kernel(Evaluate)
def not_a_number(position: Words, weights: Reals) -> float:
    return float(weights[0])


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_values_that_are_not_finite_are_not_called_negated(value: float) -> None:
    game = Othello()
    game.evaluation = Evaluation("not a number", not_a_number, np.array([value]))
    report = check_game(game, only=["evaluation", "results"])
    assert report.failed() == {"evaluation"}
    assert f"the evaluation is {value!r}, not within ±1" in str(report)


def test_an_evaluation_that_is_always_the_same_is_remarked_on() -> None:
    game = Othello()
    game.evaluation = Evaluation("undecided", undecided, np.zeros(0))
    report = check_game(game, only=["evaluation"])
    assert report.ok
    assert "the evaluation is 0.25 in all of" in report.remarks[0].message


def test_a_broken_symmetry_says_what_should_be_in_the_other_position() -> None:
    found = [str(one) for one in check_game(Othello(fault="reversed winner"), only=["symmetries"]).findings]
    assert all("should be" in text for text in found)
