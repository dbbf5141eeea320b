"""`boardgames puzzles`: text, drawings, solving in the terminal, and wrong input."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
SMALL = ("puzzles", "hexifence", "--option", "dimension=2", "--kind", "hand-out")
FIRST = ("puzzles", "abalone")
"""The first puzzle of seed 0 is solved by g6g5 and g5g4."""


def test_without_a_game_the_games_with_puzzles_are_listed(bg: Run) -> None:
    ran = bg("puzzles")
    rows = [line.split(maxsplit=2)[:2] for line in ran.out.splitlines()]
    assert ran.code == 0
    assert {"abalone", "connect4", "hexifence"} <= {row[0] for row in rows if row}
    assert ["abalone", "tactics"] in rows
    assert ["hexifence", "safe-edge"] in rows


def test_the_list_of_games_with_puzzles_fits_the_terminal(bg_on_terminal: Run) -> None:
    assert max(map(len, bg_on_terminal("puzzles").out.splitlines())) <= 80


def test_options_need_a_game(bg: Run) -> None:
    ran = bg("puzzles", "--solve")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == ("error: the options need a game; `boardgames puzzles` lists the games with puzzles\n")


def test_solutions_are_hidden_until_they_are_asked_for(bg: Run) -> None:
    out = bg(*SMALL).out
    assert "solutions," not in out
    assert out.endswith("\n--solve lets you solve them here, and --solutions shows the solutions\n")


def test_puzzles_come_before_their_solutions(bg: Run) -> None:
    out = bg(*SMALL, "--number", "2", "--solutions").out
    assert out.index("puzzle 2 of 2: ") < out.index("solutions, ")
    assert out.count("to move and win") == 2
    assert "--solve" not in out


def test_solutions_of_a_fixed_set_are_all_lines(bg: Run) -> None:
    out = bg("puzzles", "abalone", "--number", "2", "--solutions").out
    assert "\nsolutions:\npuzzle kind    moves\n" in out
    assert "\n2      tactics a3a2 or a3a4\n" in out


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
    assert "wrote drawn/2-hand-out.svg" in out
    assert "solutions, " not in out


def test_puzzles_of_a_fixed_set_come_with_the_lines_that_solve_them(bg: Run) -> None:
    found = json.loads(bg("puzzles", "abalone", "--number", "2", "--json").out)["puzzles"]
    assert len(found) == 2
    for puzzle in found:
        assert puzzle["lines"]
        assert (puzzle["solution"], puzzle["proven"]) == (None, False)
        assert puzzle["task"] in bg("puzzles", "abalone", "--number", "2").out


def test_a_puzzle_is_solved_move_by_move(bg: Run) -> None:
    ran = bg(*FIRST, "--solve", typed="g6g5\n g5 g4 \n")
    assert (ran.code, ran.err) == (0, "")
    assert "\ng6g5 is right; black plays e6e5\n" in ran.out
    assert "\ng5g4 is right\n" in ran.out
    assert ran.out.endswith("\nsolved\n\n1 of 1 puzzle solved\n")
    assert "black lost 6 of 6" in ran.out  # the board after the last move


def test_a_wrong_move_is_refused_and_the_right_one_still_solves_the_puzzle(bg: Run) -> None:
    out = bg(*FIRST, "--solve", typed="a1a2\nb2b3\nsomething\nhelp\n\ng6g5\ng5g4\n").out
    assert "illegal move 'a1a2': a1 is empty; type a move, or solution, skip or quit" in out
    assert "\nb2b3 does not solve it; try another move\n" in out
    assert "'something' is not a move; " in out
    assert out.endswith("1 of 1 puzzle solved\n")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("solution\nskip\n", "\nthe solution is g6g5 e6e5 g5g4\n"),
        ("skip\nsolution\n", "\nthe solution is a3a2 or a3a4\n"),
        ("g6g5\n", ""),
        ("quit\n", ""),
    ],
    ids=["solution", "skip", "end of the input", "quit"],
)
def test_a_puzzle_that_is_not_solved_does_not_count(typed: str, said: str, bg: Run) -> None:
    ran = bg(*FIRST, "--number", "2", "--solve", typed=typed)
    assert (ran.code, ran.err) == (0, "")
    assert said in ran.out
    assert ran.out.endswith("\n0 of 2 puzzles solved\n")


def test_a_puzzle_with_a_proof_is_solved_by_its_only_winning_move(bg: Run) -> None:
    [puzzle] = json.loads(bg(*SMALL, "--json").out)["puzzles"]
    ran = bg(*SMALL, "--solve", typed=f"{puzzle['mistake']['move']}\n{puzzle['solution']}\n")
    assert f"\n{puzzle['mistake']['move']} does not solve it" in ran.out
    assert ran.out.endswith("\n1 of 1 puzzle solved\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["abalone", "--option", "broadside=false"], "the puzzles of Abalone need side-steps"),
        (["hexifence", "--kind", "handout"], "hexifence has no puzzle 'handout'; did you mean 'hand-out'?"),
        (["hexifence", "--option", "dimension=6"], "puzzles have dimension 2 to 5, not 6"),
        (["hexifence", "--number", "0"], "--number must be"),
        (["abalone", "--solve", "--json"], "--solve cannot be combined with --json"),
        (["abalone", "--solve", "--svg", "x"], "--solve cannot be combined with --svg"),
        (["abalone", "--solve", "--solutions"], "--solve cannot be combined with --solutions"),
        (["hexifence", "--number", "9" * 20], "--number must be 1 to 1000000, not"),
    ],
)
def test_wrong_input_is_reported_in_one_line(arguments: list[str], said: str, bg: Run) -> None:
    ran = bg("puzzles", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert said in ran.err
