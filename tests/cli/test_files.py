"""Files that people have: what the commands that read them say about each form."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

TEST_SET = "2252576253462244111563365343671351441 -1\n7422341735647741166133573473242566 1\n"


# --- test sets for solvers ---------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        ("replay", "set.txt", "--game", "connect4"),
        ("show", "connect4", "set.txt"),
        ("analyze", "connect4", "set.txt"),
        ("solve", "connect4", "set.txt"),
        ("matches", "import", "set.txt", "--game", "connect4"),
    ],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize("text", [TEST_SET, "# easy\n44455 2\n"], ids=["two", "one"])
def test_a_test_set_is_not_taken_for_moves_but_sent_to_the_solver(
    text: str, command: tuple[str, ...], bg: Run
) -> None:
    Path("set.txt").write_text(text)
    ran = bg(*command)
    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1
    assert "a test set for solvers" in ran.err
    assert "`boardgames solve connect4 --file FILE`" in ran.err


def test_short_moves_in_two_words_are_not_a_test_set(bg: Run) -> None:
    Path("moves.txt").write_text("44 5\n33 2\n")
    ran = bg("replay", "moves.txt", "--game", "connect4", "--list")
    assert (ran.code, [line[-7:] for line in ran.out.splitlines()]) == (0, ["3 plies", "3 plies"])


# --- files without a position ------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[Game "connect4"]\n[Start "-"]\n\n1. 4 *\n',
            "file.txt has matches and not a position; `boardgames replay",
        ),
        (" \n", "file.txt is empty"),
        ("4" * 10_001, "file.txt is too long for a position: more than 10,000 characters"),
    ],
    ids=["record", "empty", "long"],
)
def test_a_file_without_a_position_says_what_it_has(text: str, said: str, bg: Run) -> None:
    Path("file.txt").write_text(text)
    ran = bg("show", "connect4", "file.txt")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert said in ran.err


def test_a_position_in_latin_1_is_read_with_a_warning(bg: Run) -> None:
    Path("board.txt").write_bytes(b"4453\xa0")
    ran = bg("show", "connect4", "board.txt")
    assert (ran.code, ran.err) == (0, "board.txt: not UTF-8, read as Latin-1\n")
