"""Conformance checks: which planted faults they find, alone and with a slow reference."""

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from faulty import FAULTS, KERNEL_FAULTS, Noughts, Slow, feature_set
from hypothesis import given, settings

from boardgames.declarations import Kernels
from boardgames.errors import KernelError, PluginError
from boardgames.game import Position
from boardgames.kernels import JIT
from boardgames.kernels.abi import Apply, kernel
from boardgames.testing import (
    PlayedMatch,
    check_game,
    count_reference_leaves,
    load_reference,
    matches,
    positions,
)

BOTH = frozenset({"reference", "reference-perft"})
MOVES = frozenset({"reference"})
LEAVES = frozenset({"reference-perft"})
NOTHING: frozenset[str] = frozenset()

# fault: (checks that find it alone, checks that find it once there is a reference)
FOUND = {
    "ranks beyond bounds": ("evaluation", NOTHING),
    "tactical moves unsorted": ("tactical", NOTHING),
    "tactical moves not legal": ("tactical", NOTHING),
    "tactical moves after the end": ("tactical", NOTHING),
    "one key for different positions": ("keys", NOTHING),
    "two keys for symmetric positions": ("keys", NOTHING),
    "a legal move never offered": ("", BOTH),
    "a corner never offered": ("symmetries tactical", BOTH),
    "diagonal wins missed": ("", MOVES),
    "winner flipped": ("", MOVES),
    "a side moving twice": ("sides", MOVES),
    "unsorted actions": ("actions", NOTHING),
    "an action written twice": ("actions move-notation symmetries", LEAVES),
    "actions out of range": ("actions bad-input move-notation pictures playouts tactical", BOTH),
    "moves written beyond the count": ("actions", NOTHING),
    "moves that depend on the buffer": ("purity", BOTH),
    "apply writing into its input": ("inputs", BOTH),
    "apply leaving words unwritten": ("apply keys position-notation symmetries words", BOTH),
    "outcome not final": ("outcomes", MOVES),
    "outcome of another code": ("outcomes", NOTHING),
    "side of another number": ("sides", NOTHING),
    "longest match too short": ("playouts", NOTHING),
    "perft declared wrong": ("perft", NOTHING),
    "no layout": ("facts", NOTHING),
    "notation ambiguous": ("move-notation", MOVES),
    "notation with spaces": ("move-notation", MOVES),
    "position text without the side to move": ("position-notation", BOTH),
    "check_words refuses full boards": ("position-notation symmetries words", NOTHING),
    "parser raises IndexError": ("bad-input", NOTHING),
    "picture misses a move": ("pictures", NOTHING),
    "clicks begin others": ("pictures", NOTHING),
    "clicks not drawn": ("pictures", NOTHING),
    "score of floats": ("score", NOTHING),
    "evaluation out of bounds": ("evaluation", NOTHING),
    "symmetry false": ("symmetries", NOTHING),
}


def test_the_table_has_every_planted_fault() -> None:
    assert set(FOUND) == set(FAULTS)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_by_just_these_checks(fault: str) -> None:
    game = Noughts(fault)
    alone = check_game(game).failed()
    with_reference = check_game(game, reference=Slow()).failed()
    assert (set(alone), with_reference - alone) == (set(FOUND[fault][0].split()), FOUND[fault][1])


def test_no_fault_is_found_where_none_is() -> None:
    assert not check_game(Noughts(), reference=Slow(), feature_sets=[feature_set(1.0)]).findings


def test_a_report_says_that_rules_need_a_reference() -> None:
    assert "--reference module:Class" in check_game(Noughts()).notes[0]
    assert check_game(Noughts(), reference=Slow()).notes == ()


def test_equal_seeds_give_equal_reports() -> None:
    game = Noughts("winner flipped")
    assert check_game(game, seed=3, reference=Slow()) == check_game(game, seed=3, reference=Slow())


def test_a_check_stops_at_its_third_finding() -> None:
    report = check_game(Noughts("picture misses a move"))
    assert len(report.findings) == 3
    assert {check.name: check.covered for check in report.checks}["pictures"] == "stopped after 3 findings"


def test_raise_if_failed_tells_the_findings() -> None:
    with pytest.raises(PluginError, match=r"^expected noughts empty .* no clicks make 'a1' in"):
        check_game(Noughts("picture misses a move")).raise_if_failed()


def test_raise_if_failed_lets_a_sound_game_pass() -> None:
    check_game(Noughts()).raise_if_failed()


def test_features_out_of_range_are_found() -> None:
    assert check_game(Noughts(), feature_sets=[feature_set(0.5)]).failed() == {"features"}


def test_a_crash_of_the_game_is_a_finding() -> None:
    game = Noughts()
    game.draw = lambda words: 1 / 0  # type: ignore[method-assign,assignment]
    report = check_game(game)
    assert [str(finding) for finding in report.findings] == ["pictures: ZeroDivisionError: division by zero"]


def test_a_kernel_of_another_signature_is_never_called() -> None:
    game = Noughts()
    object.__setattr__(game.kernels, "outcome", game.kernels.apply)
    report = check_game(game)
    assert report.failed() == {"signatures"}
    assert len(report.checks) == 1


def test_kernels_of_another_signature_make_no_game() -> None:
    rules = Noughts().kernels
    with pytest.raises(KernelError, match="expected the kernel outcome"):
        Kernels(rules.legal_moves, rules.apply, rules.side_to_move, rules.apply)  # type: ignore[arg-type]


@pytest.mark.skipif(not JIT, reason="the compiler refuses, and so does the read-only view without it")
def test_the_compiler_refuses_a_plain_write_to_the_input() -> None:
    with pytest.raises(Exception, match="read"):

        @kernel(Apply)
        def apply(position: np.ndarray, action: int, successor: np.ndarray) -> None:
            position[0] = successor[0]


@pytest.mark.slow
def test_the_faults_of_kernels_are_found_without_compilation_too() -> None:
    program = (
        "import faulty; from boardgames.testing import check_game\n"
        "for fault in faulty.KERNEL_FAULTS:\n"
        "    print(fault, *sorted(check_game(faulty.Noughts(fault)).failed()), sep=':')\n"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(Path(__file__).parent)}
    run = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    told = [":".join([fault, *FOUND[fault][0].split()]) for fault in KERNEL_FAULTS]
    assert run.stdout.splitlines() == told


def test_a_reference_is_made_with_the_options_of_the_game() -> None:
    assert isinstance(load_reference("faulty:Slow", Noughts()), Slow)


@pytest.mark.parametrize("text", ["faulty", "faulty:", ":Slow", "no_such_module:Slow", "faulty:Nobody"])
def test_a_reference_that_cannot_be_had_is_an_error_that_quotes_it(text: str) -> None:
    with pytest.raises(PluginError, match=repr(text)):
        load_reference(text, Noughts())


def test_a_reference_without_its_methods_is_refused() -> None:
    with pytest.raises(PluginError, match="with start, legal, play, outcome, text"):
        load_reference("builtins:dict", Noughts())


def test_leaves_of_the_empty_board_by_the_reference() -> None:
    assert [count_reference_leaves(Slow(), ".../.../...:x", depth) for depth in range(5)] == [
        1,
        9,
        72,
        504,
        3024,
    ]


@given(positions(Noughts()))
@settings(max_examples=50)
def test_positions_are_reached_and_readable(position: Position) -> None:
    assert position.game.parse(str(position)) == position


@given(matches(Noughts()))
@settings(max_examples=50)
def test_matches_are_played_by_their_moves(match: PlayedMatch) -> None:
    assert len(match.positions) == len(match.moves) + 1
    for (before, after), move in zip(pairwise(match.positions), match.moves, strict=True):
        assert before.apply(str(move)) == after


def test_a_game_with_more_moves_than_it_declares_is_checked_no_further() -> None:
    game = Noughts()
    game.facts = replace(game.facts, actions=3)
    report = check_game(game)
    assert {finding.check for finding in report.findings} == {"actions"}
    assert "the other checks did not run" in report.notes[0]
