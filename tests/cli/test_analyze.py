import json
from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]


def test_the_winning_move_comes_first_and_is_proven(bg: Run) -> None:
    lines = bg("analyze", "connect4", "121212", "--depth", "2").out.splitlines()
    assert lines[0] == "value of each move for red, in returns from -1 to 1, and the line it begins:"
    assert lines[1].split() == ["1", "1.000!", "1"]


def test_the_last_line_says_what_it_took(bg: Run) -> None:
    last = bg("analyze", "connect4", "--depth", "2").out.splitlines()[-1]
    assert last.startswith("depth 2, ")
    assert last.endswith("; ! is proven")


def test_values_are_for_the_side_to_move(bg: Run) -> None:
    lost = json.loads(bg("analyze", "connect4", "33445", "--depth", "3", "--json").out)
    won = json.loads(bg("analyze", "connect4", "121212", "--depth", "2", "--json").out)
    assert won["value"] == 1.0
    assert lost["value"] == -1.0
    assert won["value"] == max(move["value"] for move in won["moves"])


def test_every_legal_move_is_valued(bg: Run) -> None:
    found = json.loads(bg("analyze", "abalone", "--agent", "simple:depth=1", "--json").out)
    assert len({entry["move"] for entry in found["moves"]}) == 52


def test_a_win_is_told_by_its_plies(bg: Run) -> None:
    text = "...../....../......./......../....bbbww/......../......./....../.....:b:5:5"
    lines = bg("analyze", "abalone", text, "--depth", "2").out.splitlines()
    assert lines[1].split() == ["e5e6", "win", "in", "1!", "e5e6"]
