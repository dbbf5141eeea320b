"""`check_game`: which planted faults its checks find, with and without a reference."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from faulty import FAULTS, KERNEL_FAULTS, Noughts, SlowRules, feature_set
from nim import Nim

import boardgames
from boardgames.declarations import NO_EVALUATION, Exercise, Feature, Kernels
from boardgames.errors import KernelError, PluginError
from boardgames.game import Game, Position
from boardgames.kernels import JIT
from boardgames.kernels.abi import Apply, kernel
from boardgames.patterns import PatternModel, PatternSet
from boardgames.picture import Group, MarkClass, Overlay, Picture
from boardgames.testing import CheckReport, check_game

BOTH = frozenset({"reference", "reference-perft"})
MOVES = frozenset({"reference"})
LEAVES = frozenset({"reference-perft"})
NONE: frozenset[str] = frozenset()

# fault: (checks that find it, checks that find it if there is a reference)
EXPECTED = {
    "move order out of range": ("evaluation", NONE),
    "unsorted tactical moves": ("tactical", NONE),
    "illegal tactical moves": ("tactical", NONE),
    "tactical moves after the end": ("tactical", NONE),
    "same key for different positions": ("keys", NONE),
    "different keys for symmetric positions": ("keys", NONE),
    "missing legal move": ("stuck", BOTH),
    "missing corner move": ("stuck symmetries tactical", BOTH),
    "missed diagonal wins": ("", MOVES),
    "swapped winner": ("results", MOVES),
    "side moves twice": ("sides", MOVES),
    "unsorted actions": ("actions", NONE),
    "repeated action": ("actions move-notation", LEAVES),
    "actions out of range": ("actions outcomes pictures playouts tactical", LEAVES),
    "moves beyond the count": ("actions", NONE),
    "moves depend on the buffer": ("purity", BOTH),
    "apply writes to its input": ("inputs", BOTH),
    "apply leaves words unwritten": ("apply keys position-notation symmetries words", BOTH),
    "moves after the end": ("outcomes", MOVES),
    "invalid outcome code": ("bad-input outcomes", MOVES),
    "invalid side": ("sides", NONE),
    "longest match too short": ("playouts", NONE),
    "wrong perft": ("perft", NONE),
    "no layout": ("facts", NONE),
    "start that is over": ("playouts", NONE),
    "ambiguous notation": ("move-notation", MOVES),
    "notation with spaces": ("move-notation", MOVES),
    "position text without side to move": ("position-notation", BOTH),
    "check_words rejects full boards": ("position-notation symmetries words", NONE),
    "parser raises IndexError": ("bad-input", NONE),
    "picture lacks a move": ("pictures", NONE),
    "clicks are a prefix of others": ("pictures", NONE),
    "clicks on unknown ids": ("pictures", NONE),
    "picture in an unknown frame": ("pictures", NONE),
    "unknown cell has won": ("pictures", NONE),
    "score of floats": ("score", NONE),
    "evaluation out of bounds": ("evaluation", NONE),
    "contempt out of bounds": ("evaluation", NONE),
    "contempt in another unit": ("evaluation", NONE),
    "returns beyond 1": ("unit", NONE),
    "unit that prints as 0": ("unit", NONE),
    "unit with a reserved name": ("unit", NONE),
    "wrong symmetry": ("symmetries", NONE),
}


def check_quickly(game: Noughts, **settings: object) -> CheckReport:
    """Check a game on fewer positions than usual; the board is small."""
    return check_game(game, matches=8, positions=40, **settings)  # type: ignore[arg-type]  # of any kind


def test_every_planted_fault_has_an_expectation() -> None:
    assert set(EXPECTED) == set(FAULTS)


def test_contempt_is_checked_in_games_without_an_evaluation() -> None:
    game = Noughts("contempt out of bounds")
    game.evaluation = NO_EVALUATION
    assert "contempt for side 0 is" in str(check_quickly(game, only=["evaluation"]))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_by_exactly_these_checks(fault: str) -> None:
    failed = check_quickly(Noughts(fault), reference=SlowRules()).failed()
    assert (set(failed - BOTH), failed & BOTH) == (set(EXPECTED[fault][0].split()), EXPECTED[fault][1])


def test_a_game_without_faults_has_no_findings() -> None:
    assert not check_game(Noughts(), reference=SlowRules(), feature_sets=[feature_set(1.0)]).findings


def test_the_report_notes_that_rules_need_a_reference() -> None:
    assert "--reference module:Class" in check_quickly(Noughts()).notes[0]
    assert check_quickly(Noughts(), reference=SlowRules()).notes == ()


def test_the_reference_does_not_change_the_other_checks() -> None:
    alone = check_quickly(Noughts("swapped winner"))
    with_reference = check_quickly(Noughts("swapped winner"), reference=SlowRules())
    assert alone.checks == with_reference.checks[:-2]


def test_equal_seeds_give_equal_reports() -> None:
    game = Noughts("swapped winner")
    reports = [check_quickly(game, seed=3, reference=SlowRules()) for _ in range(2)]
    assert reports[0] == reports[1]


def test_a_check_stops_at_its_third_finding() -> None:
    report = check_quickly(Noughts("picture lacks a move"))
    assert len(report.findings) == 3
    assert {check.name: check.covered for check in report.checks}["pictures"] == "stopped after 3 findings"


@pytest.mark.parametrize(
    ("fault", "check"),
    [("position text without side to move", "position-notation"), ("notation with spaces", "move-notation")],
)
def test_a_fault_in_two_notations_is_one_finding(fault: str, check: str) -> None:
    game = Noughts(fault)
    notations = ("short", "long")
    game.facts = replace(game.facts, move_notations=notations, position_notations=notations)
    findings = check_quickly(game, only=[check]).findings
    assert len({(finding.position, finding.move) for finding in findings}) == len(findings) == 3
    assert any("(canonical, short, long notations)" in finding.message for finding in findings)


def test_a_start_that_is_over_is_named() -> None:
    (finding,) = check_quickly(Noughts("start that is over")).findings
    assert finding.message == "the match is over in the start position of 'over', 'xxx/oo./...:o'"
    assert finding.command.endswith("--only playouts")
    assert not finding.position


def test_raise_if_failed_lists_the_findings() -> None:
    with pytest.raises(
        PluginError, match=r"^noughts empty has faults: pictures: the picture has no clicks.* a1 in '"
    ):
        check_quickly(Noughts("picture lacks a move")).raise_if_failed()


def test_raise_if_failed_accepts_a_game_without_findings() -> None:
    check_quickly(Noughts()).raise_if_failed()


def test_features_out_of_range_are_found() -> None:
    assert check_quickly(Noughts(), feature_sets=[feature_set(0.5)]).failed() == {"features"}


class Undrawable(Noughts):
    """Cannot draw positions without a mark of x."""

    def draw(self, position: Position) -> Picture:
        """Draw, or fail."""
        assert position.words[0]
        return super().draw(position)


def test_an_exception_in_the_game_names_the_line_and_the_position() -> None:
    report = check_quickly(Undrawable())
    (finding,) = report.findings
    assert re.fullmatch(
        r"pictures: AssertionError.*, raised in draw \(test_conformance.py:\d+\), in '\.{3}/\.{3}/\.{3}:x'",
        str(finding),
    )
    assert finding.command.endswith("--position .../.../...:x --only pictures")


def test_an_exception_is_reported_by_the_first_check_that_it_stops() -> None:
    report = check_quickly(Noughts("actions out of range"))
    covered = {check.name: check.covered for check in report.checks}
    assert covered["outcomes"] == "stopped by an exception"
    assert covered["move-notation"] == "stopped by the same exception as outcomes"


def test_words_that_a_move_leads_to_are_named_with_the_move() -> None:
    report = check_quickly(Noughts("check_words rejects full boards"))
    finding = next(finding for finding in report.findings if finding.check == "words")
    assert finding.message.startswith("check_words rejects the successor, words [")
    assert finding.command.endswith(f"--move {finding.move} --only words")


def test_a_kernel_with_a_wrong_signature_is_never_called() -> None:
    game = Noughts()
    object.__setattr__(game.kernels, "outcome", game.kernels.apply)
    report = check_quickly(game)
    assert report.failed() == {"signatures"}
    assert len(report.checks) == 1


def test_kernels_with_a_wrong_signature_cannot_be_declared() -> None:
    rules = Noughts().kernels
    with pytest.raises(KernelError, match="outcome"):
        Kernels(rules.legal_moves, rules.apply, rules.side_to_move, rules.apply)  # type: ignore[arg-type]


def test_a_game_with_more_moves_than_it_declares_is_checked_no_further() -> None:
    game = Noughts()
    game.facts = replace(game.facts, actions=3)
    report = check_quickly(game)
    assert {finding.check for finding in report.findings} == {"actions"}
    assert "the other checks did not run" in report.notes[0]


@pytest.mark.skipif(not JIT, reason="without compilation, the read-only view refuses")
def test_the_compiler_rejects_writing_to_the_input() -> None:
    with pytest.raises(Exception, match="read"):

        @kernel(Apply)
        def apply(position: np.ndarray, action: int, successor: np.ndarray) -> None:
            position[0] = successor[0]


@pytest.mark.slow
def test_faults_of_kernels_are_found_without_compilation_too() -> None:
    program = (
        "import faulty; from boardgames.testing import check_game\n"
        "for fault in faulty.KERNEL_FAULTS:\n"
        "    report = check_game(faulty.Noughts(fault), matches=8, positions=40)\n"
        "    print(fault, *sorted(report.failed()), sep=':')\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    run = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    expected = [":".join([fault, *EXPECTED[fault][0].split()]) for fault in KERNEL_FAULTS]
    assert run.stdout.splitlines() == expected


@pytest.mark.parametrize("option", ["passing", "forced"])
def test_a_button_may_be_clicked_to_pass(option: str) -> None:
    report = check_game(Nim(**cast(Any, {option: True})), positions=20)
    assert "pictures" not in {finding.check for finding in report.findings}


OUT_OF_RANGE = replace(feature_set(1.0), features=(Feature("middle", "marks", 5.0, 6.0, "never 5"),))


def wrong_patterns(**changes: Any) -> Callable[[Game], PatternSet]:
    """Return a function that makes the patterns of a small Connect Four, with changes."""
    return lambda game: replace(boardgames.load_patterns("cells", game), **changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"values": 3}, "cell 0 of patterns 'cells' is 3, not 0 to 2"),
        ({"phases": 1}, "the phase of patterns 'cells' is 1, not 0 to 0"),
        ({"symmetries": ((*range(1, 16), 0),)}, "of patterns 'cells' is not a symmetry of the game, in"),
        (
            {"bitboards": ((0, 1), (1, 0), (0, 0)), "bits": tuple(range(16))},
            "the bitboards of patterns 'cells' differ from its kernel in cell 0,",
        ),
        (
            {"groups": ((0, 1),), "model": PatternModel(start=lambda: (np.zeros((2, 16)), np.zeros((2, 1))))},
            "must return two arrays of finite numbers, float64 of the shapes (2, 16) and (2, 0)",
        ),
        ({"model": PatternModel(terms=OUT_OF_RANGE)}, "middle.middle of side 0 is"),
    ],
    ids=["value", "phase", "symmetry", "bitboards", "start", "terms"],
)
def test_wrong_patterns_are_found(offer: Callable[..., None], changes: dict[str, Any], message: str) -> None:
    game = boardgames.load("connect4", columns=4, rows=4)
    assert check_game(game, matches=2, positions=20, only=["patterns"]).ok
    offer("bg_patterns", wrong=wrong_patterns(**changes))
    report = check_game(game, matches=2, positions=20, only=["patterns"])
    assert report.failed() == {"patterns"}
    assert message in str(report)


@pytest.mark.parametrize(
    ("overlay", "message"),
    [
        (Overlay(marks={"z9": "x"}, classes=(MarkClass("x", "bad"),)), "an unknown line or cell, 'z9'"),
        (Overlay(marks={"a1": "x"}), "the symbol 'x', which no class has"),
        (Overlay(classes=(MarkClass("xy", "bad"),)), "one character that no other class has, not 'xy'"),
        (
            Overlay(groups=(Group("a", "row", ("a1", "z9")),)),
            "group 'a' has no cells or an unknown cell, 'z9'",
        ),
        (Overlay(groups=(Group("a", "row", ("a1",)),) * 2), "cell 'a1' is in 2 groups"),
        (None, "overlay 'wrong' is not an Overlay: None"),
    ],
    ids=["id", "symbol", "class", "cell", "groups", "type"],
)
def test_wrong_overlays_are_found(offer: Callable[..., None], overlay: Overlay | None, message: str) -> None:
    game = boardgames.load("connect4", columns=4, rows=4)
    assert check_game(game, matches=2, positions=20, only=["overlays"]).ok
    offer("bg_overlays", wrong=lambda position: overlay)
    report = check_game(game, matches=2, positions=20, only=["overlays"])
    assert report.failed() == {"overlays"}
    assert message in str(report)


@pytest.mark.parametrize(
    ("position", "line", "overlay", "message"),
    [
        ("nowhere", "4", "", "is not a position"),
        ("44", "9", "", "'9' is not a column"),
        ("44", "1 2", "", "the line '1 2' does not end with a move of red"),
        ("44", "1 2 3|1 3 3", "", "after 1 the reply is both 2 and 3"),
        ("44", "4", "chains", "there is no overlay 'chains'"),
    ],
    ids=["position", "move", "end", "replies", "overlay"],
)
def test_wrong_lessons_and_puzzles_are_found(
    offer: Callable[..., None], position: str, line: str, overlay: str, message: str
) -> None:
    exercise = Exercise("Try", position, "Do it.", tuple(line.split("|")), overlay=overlay)
    game = boardgames.load("connect4")
    assert check_game(game, only=["exercises"]).ok
    offer("bg_puzzles", wrong=lambda game, generator: (exercise,))
    report = check_game(game, only=["exercises"])
    assert report.failed() == {"exercises"}
    assert "invalid exercise 'Try': " in str(report)
    assert message in str(report)
