"""Symmetries of the picture: rules that break them are remarked on if no symmetries are declared."""

import pytest
from othello import Othello

from boardgames import load
from boardgames.testing import CheckReport, check_game


def mirrors(fault: str = "none", *, symmetric: bool = False) -> CheckReport:
    return check_game(Othello(fault=fault, symmetric=symmetric), only=["mirrors"])


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["missing flips", "wrapped masks"])
def test_rules_that_break_the_symmetry_of_the_board_are_remarked_on(fault: str) -> None:
    report = mirrors(fault)
    assert report.ok
    assert "maps the board onto itself, but not the moves" in report.remarks[0].message


@pytest.mark.slow
def test_symmetric_rules_have_no_remarks() -> None:
    report = mirrors()
    assert (report.remarks, report.checks[0].covered) == ((), "3 symmetries of the picture")


def test_declared_symmetries_are_not_tried_again() -> None:
    report = mirrors("missing flips", symmetric=True)
    assert (report.remarks, report.checks[0].covered) == ((), "the declared symmetries are checked instead")


def test_pieces_that_fall_do_not_count_as_a_broken_symmetry(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("connect4", columns=4, rows=4)
    monkeypatch.setattr(type(game), "symmetries", lambda self: ())
    report = check_game(game, only=["mirrors"], matches=1)
    assert (report.remarks, report.checks[0].covered) == ((), "1 symmetry of the picture")
