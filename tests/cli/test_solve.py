"""`boardgames solve`: scores of every move, many positions at once, and wrong input."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boardgames.game import Move, Position
from boardgames_hexifence.agents import Strong

Run = Callable[..., Any]

UNEQUAL = "366241373674445377651127"
"""A position with 18 empty cells in which a move wins soon, others win late, draw or lose."""


def test_every_move_has_its_score_and_its_distance_to_the_end(bg: Run) -> None:
    lines = bg("solve", "connect4", UNEQUAL).out.splitlines()
    assert lines[0] == "red to move: win in 2 moves (3 plies)"
    assert [line.split(maxsplit=2) for line in lines[1:9]] == [
        ["move", "score", "result"],
        ["2", "8", "win in 2 moves (3 plies)"],
        ["4", "1", "win in 9 moves (17 plies)"],
        ["5", "0", "draw"],
        ["6", "0", "draw"],
        ["3", "-1", "loss in 9 moves (18 plies)"],
        ["1", "-1", "loss in 9 moves (18 plies)"],
        ["7", "-1", "loss in 9 moves (18 plies)"],
    ]
    assert lines[9] == "best moves: 2"
    assert lines[10].startswith("best play: 2 ")


def test_layout_and_moves_set_the_position(bg: Run) -> None:
    out = bg("solve", "connect4", "--layout", "5x4", "--moves", "4 3 2 1", "--json").out
    assert json.loads(out)["position"] == "...../...../...../brbr."


def test_json_has_scores_results_and_best_play(bg: Run) -> None:
    solution = json.loads(bg("solve", "connect4", UNEQUAL, "--json").out)
    assert (solution["score"], solution["win_in"], solution["proven"]) == (8, 3, True)
    assert [move["score"] for move in solution["moves"]] == [8, 1, 0, 0, -1, -1, -1]
    assert len(solution["line"]) == 3


def test_the_scores_of_positions_in_a_file_are_printed_one_per_line(bg: Run) -> None:
    Path("positions").write_text(f"112233  # red wins at once\n\n{UNEQUAL}\n# a board\n{UNEQUAL}5\n")
    assert bg("solve", "connect4", "--file", "positions").out == "18\n8\n0\n"
    solved = json.loads(bg("solve", "connect4", "--file", "positions", "--json").out)["positions"]
    assert [(entry["score"], entry["win_in"]) for entry in solved] == [(18, 1), (8, 3), (0, None)]


def test_positions_are_read_from_standard_input(bg: Run) -> None:
    assert bg("solve", "connect4", "--file", "-", typed=f"{UNEQUAL}\n").out == "8\n"


def test_a_position_that_is_not_solved_in_time_is_a_failure(bg: Run) -> None:
    ran = bg("solve", "connect4", "--layout", "8x8", "--time", "0.1")
    assert ran.code == 1
    assert ran.out.startswith("red to move: not solved\n")
    Path("empty").write_text("-\n")
    ran = bg("solve", "connect4", "--layout", "8x8", "--time", "0.1", "--file", "empty")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "error: not all positions were solved in time\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["abalone"], "there is no solver for abalone; `boardgames agents abalone` lists its agents"),
        (["connect4", "--agent", ""], "an agent is written name or name:option=value"),
        (["connect4", "--agent", "random"], "the agent 'random' does not solve positions"),
        (["connect4", "1212121"], "nothing to solve, the match is over: red wins"),
        (["connect4", "44", "--file", "positions"], "give either a position or --file, not both"),
        (["connect4", "--file", "missing"], "cannot read missing"),
        (["connect4", "--file", "-"], "there are no positions in standard input"),
        (["connect4", "--file", "positions"], "columns are 1 to 7 (ply 2 of '49') (positions, line 2)"),
        (["connect4", "--file", "over"], "the match is over in 1212121 (over, line 1)"),
    ],
)
def test_wrong_input_is_reported_in_one_line(arguments: list[str], said: str, bg: Run) -> None:
    Path("positions").write_text("44\n49\n")
    Path("over").write_text("1212121\n")
    ran = bg("solve", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_solver_may_have_another_name(bg: Run) -> None:
    moves = "0 5 10 12 21 28 24 3 14 16 26 7 17 18"
    solution = json.loads(bg("solve", "hexifence", "--option", "dimension=2", "--moves", moves, "--json").out)
    assert (solution["agent"].split(":")[0], solution["score"], solution["proven"]) == ("strong", -1, True)
    assert solution["moves"][0]["move"] == "11"


def test_a_position_that_is_too_large_for_the_solver_is_not_solved(bg: Run) -> None:
    ran = bg("solve", "hexifence", "--option", "dimension=6", "--time", "0.1")
    assert ran.code == 1
    assert ran.out.startswith(
        "blue to move: not solved\n"
        "no move is solved: the solver takes positions with at most 64 open cells, not 91\n"
    )
    ran = bg("solve", "hexifence", "--option", "dimension=6", "--time", "0.1", "--json")
    solution = json.loads(ran.out)
    assert solution["reason"] == "the solver takes positions with at most 64 open cells, not 91"
    assert len(solution["moves"]) == 306


def test_the_error_says_what_helps_if_the_time_is_up(bg: Run) -> None:
    ran = bg("solve", "hexifence", "--time", "0.1")
    assert "no move is solved: out of time after 0." in ran.out
    assert "allow more time, or solve a position nearer to the end" in " ".join(ran.out.split())
    assert json.loads(bg("solve", "connect4", UNEQUAL, "--json").out)["reason"] is None


def test_bounds_are_printed_if_not_everything_is_solved(bg: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter([(-5, -5), (-7, -7)])

    def bounds_of(player: Strong, position: Position, move: Move, *, stop: Any = None, **limits: Any) -> Any:
        if stop is None:  # while the code is loaded
            return 0, 0
        if (bounds := next(found, None)) is None:
            stop.set()
        return bounds or (-17, 5)

    monkeypatch.setattr(Strong, "_bounds_of", bounds_of)
    out = bg("solve", "hexifence", "--time", "1").out
    assert "not all moves are solved" in out
    assert "the score is between -5.0 and +5.0\n" in out


def test_all_best_moves_are_listed(bg: Run) -> None:
    moves = "0 5 10 12 21 28 24 3 14 16 26 7 17 18 11"
    solution = json.loads(bg("solve", "hexifence", "--option", "dimension=2", "--moves", moves, "--json").out)
    assert solution["best"] == [m["move"] for m in solution["moves"] if m["score"] == solution["score"]]
    lines = bg("solve", "hexifence", "--option", "dimension=2", "--moves", moves).out.splitlines()
    assert "best moves: " + " ".join(solution["best"]) in lines


def test_the_size_of_a_table_of_exact_values_is_printed(bg: Run) -> None:
    hexifence = ("solve", "hexifence", "--option", "dimension=2", "--moves", "0 1 4 5 8 9")
    assert "looked up in a table of 16,777,216 states, " in bg(*hexifence).out.splitlines()[-1]
    assert json.loads(bg(*hexifence, "--json").out)["tabulated_states"] == 1 << 24
    assert "table" not in bg("solve", "connect4", UNEQUAL).out


def test_the_printed_memory_is_that_of_the_process(bg: Run) -> None:
    solution = json.loads(bg("solve", "connect4", UNEQUAL, "--json").out)
    assert solution["peak_memory"] > 20 << 20
    assert re.search(r" s, \d+ MB of memory$", bg("solve", "connect4", UNEQUAL).out)


def test_no_move_is_called_best_before_the_position_is_solved(bg: Run) -> None:
    ran = bg("solve", "connect4", "--layout", "8x8", "--time", "0.1", "--json")
    assert json.loads(ran.out)["best"] == []


# --- test sets ---------------------------------------------------------------

TEST_SET = "44455554221 -15\n4455\t18\n- 1\n\n# near the end\n2252576253462244111563365343671351441 -1\n"


def test_the_scores_of_a_test_set_are_compared_and_summed_up(bg: Run) -> None:
    Path("set").write_text(TEST_SET)
    ran = bg("solve", "connect4", "--file", "set")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("4 scores agree, 0 differ\n4 positions in ")
    nodes = re.search(r" s: mean [0-9.]+ ms, ([0-9,]+) nodes$", ran.out)
    assert nodes is not None
    assert int(nodes[1].replace(",", "")) > 0
    assert json.loads(bg("solve", "connect4", "--file", "set", "--json").out)["nodes"] > 0


@pytest.mark.slow
def test_scores_compared_so_far_are_summed_up_when_the_time_is_over(bg: Run) -> None:
    Path("set").write_text("4455 18\n4455 17\n- 1\n", encoding="utf-8")
    ran = bg("solve", "connect4", "--file", "set", "--agent", "solver:book=false", "--time", "3")
    assert ran.code == 1
    assert "1 score agrees, 1 differs\n2 positions in " in ran.out
    assert ran.err == "error: not all positions were solved in time; 1 is left\n"


def test_a_score_that_differs_is_named_and_is_a_failure(bg: Run) -> None:
    Path("set").write_text("4455 18\n4455 -18\n44\n")
    ran = bg("solve", "connect4", "--file", "set")
    assert ran.code == 1
    assert ran.out.splitlines()[:2] == [
        "line 2: the score of 4455 is 18, not -18",
        "1 score agrees, 1 differs, 1 position has none",
    ]


def test_invalid_lines_are_named_and_the_others_solved(bg: Run) -> None:
    Path("set").write_text("4455 18\n49 1\n4455 17\n1212121 3\n4455 18 extra\n")
    ran = bg("solve", "connect4", "--file", "set")
    assert ran.code == 2
    assert [line.rpartition("(set, ")[2] for line in ran.err.splitlines()] == [
        "line 2)",
        "line 4)",
        "line 5)",
    ]
    assert (
        "line 3: the score of 4455 is 18, not 17\n1 score agrees, 1 differs, 3 lines cannot be read\n"
        in ran.out
    )
    solved = json.loads(bg("solve", "connect4", "--file", "set", "--json").out)
    assert [(one["line"], one["score"], one["expected"]) for one in solved["positions"]] == [
        (1, 18, 18),
        (3, 18, 17),
    ]
    assert (solved["different"], [one["line"] for one in solved["bad_lines"]]) == (1, [2, 4, 5])


def test_many_invalid_lines_are_only_counted(bg: Run) -> None:
    Path("set").write_text("9\n" * 25 + "4455 18\n")
    ran = bg("solve", "connect4", "--file", "set")
    assert ran.err.count("\n") == 21
    assert ran.err.endswith("error: 5 more lines of set cannot be read\n")


def test_test_sets_of_every_game_with_a_solver_are_read(bg: Run) -> None:
    moves = "0 5 10 12 21 28 24 3 14 16 26 7 17 18"
    text = bg("show", "hexifence", "--option", "dimension=2", "--moves", moves, "--json").out
    Path("set").write_text(f"{json.loads(text)['position']} -1\n")
    assert bg("solve", "hexifence", "--file", "set").out.startswith("1 score agrees, 0 differ\n")


def test_several_files_are_solved_together_and_summed_up(bg: Run) -> None:
    Path("easy").write_text("4455 18\n4455 17\n")
    Path("hard").write_bytes(b"# M\xfcller\r\n44455554221 -15\r\n49 1\r\n")
    ran = bg("solve", "connect4", "--file", "easy", "--file", "hard", "--file", "missing")
    assert ran.code == 2
    assert ran.out.splitlines()[:2] == [
        "easy, line 2: the score of 4455 is 18, not 17",
        "2 scores agree, 1 differs, 1 line cannot be read",
    ]
    assert [line[:40] for line in ran.err.splitlines()] == [
        "hard: not UTF-8, read as Latin-1",
        "error: cannot read missing: no such file",
        "error: '9' is not a column; columns are 1"[:40],
    ]
    solved = json.loads(bg("solve", "connect4", "--file", "easy", "--file", "hard", "--json").out)
    assert [(one["file"], one["line"]) for one in solved["positions"]] == [
        ("easy", 1),
        ("easy", 2),
        ("hard", 2),
    ]
    assert [(one["file"], one["line"]) for one in solved["bad_lines"]] == [("hard", 3)]


def test_the_error_of_a_second_file_names_the_option_that_it_needs(bg: Run) -> None:
    Path("easy").write_text("4455 18\n")
    ran = bg("solve", "connect4", "--file", "easy", "easy")
    assert (
        ran.err == "error: give either a position or --file, not both; for another file, write --file easy\n"
    )


def test_the_notation_of_a_test_set_is_reported_if_it_is_foreign(bg: Run) -> None:
    Path("set").write_text("dd 1\nddee\n")
    said = "set: positions read in the notation 'moves'; --notation sets another one\n"
    assert bg("solve", "connect4", "--file", "set").err == said
