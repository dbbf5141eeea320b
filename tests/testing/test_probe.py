"""Kernels in a separate process: memory errors, crashes and endless loops are found and named."""

import os
import random
from pathlib import Path
from typing import Any

import pytest
from maze import PlainMaze
from othello import (
    CELLS,
    START,
    Othello,
    cells_left_out,
    cells_out_of_place,
    feature_set,
    features_left_out,
    features_out_of_place,
)

from boardgames.declarations import FeatureSet
from boardgames.game import Game
from boardgames.kernels import Bytes, Observe, Words, kernel
from boardgames.observation import Observation
from boardgames.patterns import PatternSet
from boardgames.testing import check_game
from boardgames.testing.probe import SamplePlan, probe_kernels, run_kernels

PLAN = SamplePlan(matches=8, positions=20, seed=0)

pytestmark = pytest.mark.slow

EXPECTED = {
    "unwritten word": "apply leaves word",
    "reads past weights": "evaluate reads or writes beyond its 2 weights",
    "writes past moves": "legal_moves reads or writes beyond the end of an array (its buffer of",
    "writes past successor": "apply reads or writes beyond the end of an array",
    "crash": "legal_moves died of signal 6 (SIGABRT)",
}


@pytest.mark.parametrize("fault", EXPECTED)
def test_fault_of_memory_names_the_kernel_and_stops_the_checks(fault: str) -> None:
    report = check_game(Othello(fault=fault), isolated=True)
    assert [finding.check for finding in report.findings] == ["kernels"]
    assert report.findings[0].message.startswith(EXPECTED[fault])
    assert [check.name for check in report.checks] == ["signatures", "kernels"]


def test_kernel_that_never_returns_is_killed() -> None:
    (fault,) = probe_kernels(Othello(fault="endless loop"), PLAN, patience_s=1).faults
    assert fault.message == "legal_moves does not return within 1 s"


def test_outcome_is_named_if_legal_moves_hangs_because_it_calls_it() -> None:
    (fault,) = probe_kernels(Othello(fault="endless outcome"), PLAN, patience_s=1).faults
    assert fault.message == "outcome does not return within 1 s"


def test_correct_kernels_have_no_faults() -> None:
    probed = probe_kernels(Othello(), PLAN)
    assert (probed.faults, probed.problem) == ((), "")


def test_game_that_cannot_be_created_elsewhere_is_checked_without_isolation() -> None:
    class Local(Othello):
        pass

    report = check_game(Local(), matches=2, positions=5, isolated=True)
    assert report.ok
    assert "not run in a separate process" in report.notes[0]


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (features_out_of_place, "features 'discs' writes beyond its buffer of 1 numbers"),
        (features_left_out, "features 'discs' leaves numbers unwritten (discs)"),
    ],
)
def test_features_stay_inside_their_buffer_and_fill_it(kernel: Any, message: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()
    sets: list[FeatureSet] = [feature_set(kernel)]
    (fault,) = run_kernels(Othello(), PLAN, str(log), sets).faults
    assert fault.message == message


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (cells_out_of_place, "patterns 'discs' writes beyond its buffer of 36 numbers"),
        (cells_left_out, "patterns 'discs' leaves numbers unwritten (cell 35)"),
    ],
)
def test_cells_stay_inside_their_buffer_and_fill_it(kernel: Any, message: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()
    sets = [PatternSet("discs", kernel, CELLS, 2)]
    (fault,) = run_kernels(Othello(), PLAN, str(log), [], sets).faults
    assert fault.message == message


LEFT_OUT = [f"row 5, column {column} of 'b'" for column in (1, 2, 3)]


@kernel(Observe)
def planes_out_of_place(position: Words, side: int, out: Bytes) -> None:
    """Write beyond the end of the planes."""
    for place in range(out.shape[0] + 1):
        out[place] = 0


@kernel(Observe)
def planes_left_out(position: Words, side: int, out: Bytes) -> None:
    """Write the first planes only."""
    for place in range(out.shape[0] - 5):
        out[place] = 0


@pytest.mark.parametrize(
    ("observe", "message"),
    [
        (planes_out_of_place, "writes beyond its buffer of 72 numbers"),
        (planes_left_out, f"leaves numbers unwritten ({', '.join(LEFT_OUT)} and 2 more)"),
    ],
)
def test_planes_stay_inside_their_buffer_and_fill_it(observe: Any, message: str, tmp_path: Path) -> None:
    class Seen(Othello):
        def observation(self) -> Observation:
            return Observation(observe, ("a", "b"), 6, 6)

    log = tmp_path / "log"
    log.touch()
    (fault,) = run_kernels(Seen(), PLAN, str(log), [], []).faults
    assert fault.message == f"the observation {message}"


class StuckMaze(PlainMaze):
    def apply(self, state: Any, move: Any) -> Any:
        raise KeyError(move)


class ChancyMaze(PlainMaze):
    def apply(self, state: Any, move: Any) -> Any:
        return super().apply(state, random.choice(list(self.legal_moves(state))))


@pytest.mark.parametrize("game", [StuckMaze, ChancyMaze])
def test_what_methods_in_python_do_wrong_is_left_to_other_checks(game: type[Game], tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.touch()
    assert run_kernels(game(), PLAN, str(log), [], []).faults == ()


def test_bounds_checks_do_not_leak_into_this_process() -> None:
    probe_kernels(Othello(), SamplePlan(1, 1, 0, (tuple(Othello().parse(START).words.tolist()),)))
    assert "NUMBA_BOUNDSCHECK" not in os.environ
