from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boardgames.cli.options import DEPTH, NODES, POSITIVE, SECONDS
from boardgames.errors import OptionError
from boardgames.players import alphabeta

Run = Callable[..., Any]


@pytest.mark.parametrize("text", ["nan", "inf", "-1", "x", "", "1_0", "1e9", "9" * 5000])
def test_seconds_must_be_finite_and_at_most_a_week(text: str) -> None:
    with pytest.raises(OptionError, match=r"must be (a number|0.001 to 604800), not"):
        SECONDS.convert(text, None, None)


def test_huge_counts_are_accepted() -> None:
    assert POSITIVE.convert("9" * 400, None, None) == int("9" * 400)


def test_limits_have_the_bounds_of_the_agents_own_options() -> None:
    for number, option in ((DEPTH, alphabeta.DEPTH), (NODES, alphabeta.NODES)):
        assert (number.kind, number.minimum, number.maximum) == (option.kind, option.minimum, option.maximum)


@pytest.mark.parametrize(
    "given", [["--moves", "4 4 5 3"], ["44", "--moves", "1. 5 3"]], ids=["start", "position"]
)
def test_moves_are_made_from_the_start_or_from_the_position(given: list[str], bg: Run) -> None:
    assert bg("show", "connect4", *given).out == bg("show", "connect4", "4453").out


@pytest.mark.parametrize(
    "command",
    [
        ["perft", "connect4", "--depth", "1"],
        ["analyze", "connect4", "--depth", "1"],
        ["play", "connect4", "--first", "random", "--second", "random"],
        ["book", "connect4", "--out", "x.book"],
    ],
    ids=lambda words: words[0],
)
def test_commands_that_start_from_a_position_take_moves(command: list[str], bg: Run) -> None:
    ran = bg(*command, "--moves", "4 4 4 4 4 4 4")
    assert (ran.code, ran.out) == (2, "")
    reason = "the column is full; open columns: 1, 2, 3, 5, 6, 7"
    assert ran.err == f"error: --moves, move 7: illegal move '4': {reason}\n"


def test_analysis_and_matches_begin_after_the_moves(bg: Run) -> None:
    moves = "--moves", "1 2 1 2 1"
    assert "\n2 loss in 1 move (2 plies)" in bg("analyze", "connect4", "--depth", "2", *moves).out
    played = bg("play", "connect4", "--first", "random", "--second", "random", *moves).out
    assert '[Start "......./......./......./r....../rb...../rb....."]' in played


@pytest.mark.parametrize(
    "command",
    [
        ["show", "connect4", "--svg"],
        ["analyze", "connect4", "match.record", "--svg"],
        ["ladder", "connect4", "--svg"],
        ["matches", "export"],
        ["book", "connect4", "--out"],
        ["connect4-book", "--out"],
        ["experiment", "connect4", "perfection", "--csv"],
        ["experiment", "connect4", "perfection", "--svg"],
        ["runs", "export", "some-run"],
    ],
    ids=" ".join,
)
def test_files_are_only_written_to_folders_that_exist(command: list[str], bg: Run) -> None:
    ran = bg(*command, "missing/folder/x.svg")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: cannot write missing/folder/x.svg: the folder missing/folder does not exist\n"
    assert not Path("missing").exists()
