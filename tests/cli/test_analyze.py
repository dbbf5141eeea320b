import json
from collections.abc import Callable
from typing import Any

import pytest

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


def test_lines_are_the_best_moves_and_no_others(bg: Run) -> None:
    every = json.loads(bg("analyze", "connect4", "4453", "--depth", "4", "--json").out)
    best = json.loads(bg("analyze", "connect4", "4453", "--depth", "4", "--lines", "2", "--json").out)
    assert [entry["move"] for entry in best["moves"]] == [entry["move"] for entry in every["moves"][:2]]
    text = bg("analyze", "connect4", "4453", "--depth", "4", "--lines", "2").out
    assert text.startswith("value of the best moves for red, ")
    assert text.count("\n") == 4


def test_values_stand_below_each_other(bg: Run) -> None:
    lines = bg("analyze", "connect4", "4453", "--depth", "4").out.splitlines()[1:-1]
    assert len({line.index(".") for line in lines}) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["1212121"], "expected a position with moves: ......./......./r...."),
        (["--lines", "0"], "expected a whole number of at least 1 for --lines: '0'"),
        (["--lines", "-1"], "for --lines: '-1'"),
        (["--depth", "-3"], "for --depth: '-3'"),
        (["--time", "-1"], "for --time: '-1'"),
        (["--nodes", "0"], "for --nodes: '0'"),
        (["--nodes", "9" * 400], "nodes"),
        (["--match", "2"], "expected --match with a record only: a position came"),
        (["--mistakes", "2"], "expected --mistakes with a record only"),
        (["--svg", "chart.svg"], "expected --svg with a record only"),
    ],
    ids=str,
)
def test_wrong_input_is_one_line(arguments: list[str], said: str, bg: Run) -> None:
    ran = bg("analyze", "connect4", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert said in ran.err


def test_a_position_that_is_over_tells_who_has_won(bg: Run) -> None:
    assert bg("analyze", "connect4", "1212121").err.endswith("is over, red wins\n")


@pytest.mark.slow
def test_ctrl_c_prints_what_is_known(terminal: Run) -> None:
    user = terminal("analyze", "abalone", "--lines", "1", "--time", "600")
    user.wait_for(" nodes")
    assert user.interrupt() == 130
    assert "value of the best moves for black" in user.seen
    assert "Traceback" not in user.seen
