"""`boardgames puzzles`: text, drawings, and wrong input."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
SMALL = ("puzzles", "hexifence", "--option", "dimension=2", "--kind", "hand-out")


def test_puzzles_come_before_their_solutions(bg: Run) -> None:
    out = bg(*SMALL, "--number", "2").out
    assert out.index("puzzle 2 of 2: ") < out.index("solutions, ")
    assert out.count("to move and win") == 2


def test_a_puzzle_can_be_played_by_its_command(bg: Run) -> None:
    [puzzle] = json.loads(bg(*SMALL, "--json").out)["puzzles"]
    played = bg(*puzzle["play"].split()[1:], typed=f"{puzzle['solution']}\nquit\n")
    assert (played.code, played.err) == (0, "")
    sides = ("--first", "--second")
    assert f"{sides[puzzle['side_to_move']]} human" in puzzle["play"]


def test_equal_seeds_give_equal_puzzles(bg: Run) -> None:
    first, again, other = (bg(*SMALL, "--seed", seed).out for seed in ("1", "1", "2"))
    assert first == again != other


def test_puzzles_are_drawn_in_a_folder(bg: Run) -> None:
    out = bg(*SMALL, "--number", "2", "--svg", "drawn").out
    files = sorted(Path("drawn").iterdir())
    assert [file.name for file in files] == ["1-hand-out.svg", "2-hand-out.svg"]
    assert "to move and win" in files[0].read_text()
    assert "solutions, " in out


def test_puzzles_of_a_fixed_set_come_with_the_lines_that_solve_them(bg: Run) -> None:
    found = json.loads(bg("puzzles", "abalone", "--number", "2", "--json").out)["puzzles"]
    assert len(found) == 2
    for puzzle in found:
        assert puzzle["lines"]
        assert (puzzle["solution"], puzzle["proven"]) == (None, False)
        assert puzzle["task"] in bg("puzzles", "abalone", "--number", "2").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["abalone", "--option", "broadside=false"], "the puzzles of Abalone need side-steps"),
        (["hexifence", "--kind", "handout"], "hexifence has no puzzle 'handout'; did you mean 'hand-out'?"),
        (["hexifence", "--option", "dimension=4"], "puzzles have dimension 2 or 3, not 4"),
        (["hexifence", "--number", "0"], "--number must be"),
        (["hexifence", "--number", "9" * 20], "--number must be 1 to 1000000, not"),
    ],
)
def test_wrong_input_is_reported_in_one_line(arguments: list[str], said: str, bg: Run) -> None:
    ran = bg("puzzles", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert said in ran.err
