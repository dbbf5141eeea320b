import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import boardgames
from boardgames.cli.analyze import AnalysisRequest, review_limit
from boardgames.errors import quote
from boardgames.record import Record

Run = Callable[..., Any]


def test_the_winning_move_comes_first_and_is_proven(bg: Run) -> None:
    lines = bg("analyze", "connect4", "121212", "--depth", "2").out.splitlines()
    assert lines[0] == "values of all moves for red, as chances of winning, with best play:"
    assert lines[1].split() == ["1", "win", "in", "1", "move", "(1", "ply)!", "1"]


def test_the_last_line_has_depth_nodes_and_time(bg: Run) -> None:
    last = bg("analyze", "connect4", "--depth", "2").out.splitlines()[-1]
    assert last.startswith("depth 2, ")
    assert last.endswith("; ! marks a proven value")


def test_values_are_for_the_side_to_move(bg: Run) -> None:
    lost = json.loads(bg("analyze", "connect4", "33445", "--depth", "3", "--json").out)
    won = json.loads(bg("analyze", "connect4", "121212", "--depth", "2", "--json").out)
    assert (won["value"], won["win_in"], won["unit"], won["proven"]) == (None, 1, "return", True)
    assert (lost["value"], lost["win_in"]) == (None, -2)
    assert won["moves"][0]["win_in"] == 1


def test_every_legal_move_is_valued(bg: Run) -> None:
    report = json.loads(bg("analyze", "abalone", "--agent", "simple:depth=1", "--json").out)
    assert len({entry["move"] for entry in report["moves"]}) == 52


def test_a_win_is_shown_in_moves_and_in_plies(bg: Run) -> None:
    text = "...../....../......./......../....bbbww/......../......./....../.....:b:5:5"
    lines = bg("analyze", "abalone", text, "--depth", "2").out.splitlines()
    assert lines[1].split() == ["e5e6", "win", "in", "1", "move", "(1", "ply)!", "e5e6"]


def test_an_expected_return_is_shown_as_a_chance_of_winning(bg: Run) -> None:
    position = "analyze", "connect4", "4453", "--depth", "2"
    moves = {move["move"]: move["value"] for move in json.loads(bg(*position, "--json").out)["moves"]}
    lines = bg(*position).out.splitlines()[1:-1]
    shown = {line.split()[0]: line.split()[1] for line in lines}
    assert shown == {move: f"{50 + 50 * value:.1f}%" for move, value in moves.items()}


def test_values_from_the_opening_book_are_marked(bg: Run) -> None:
    lines = bg("analyze", "connect4").out.splitlines()
    assert lines[1].startswith("4 (book)  win in 21 moves (41 plies)! 4 4 ")
    assert lines[-1].endswith("; ! marks a proven value, (book) one from the opening book")
    assert "(book)" not in bg("analyze", "connect4", "366241373674445377651127").out


def test_the_lines_option_limits_the_moves_to_the_best(bg: Run) -> None:
    every = json.loads(bg("analyze", "connect4", "4453", "--depth", "4", "--json").out)
    best = json.loads(bg("analyze", "connect4", "4453", "--depth", "4", "--lines", "2", "--json").out)
    assert [entry["move"] for entry in best["moves"]] == [entry["move"] for entry in every["moves"][:2]]
    text = bg("analyze", "connect4", "4453", "--depth", "4", "--lines", "2").out
    assert text.startswith("values of the best moves for red, ")
    assert text.count("\n") == 4


def test_the_solver_of_a_game_is_used_unless_depth_or_nodes_are_limited(bg: Run) -> None:
    late = "366241373674445377651127"
    for arguments, agent in (
        ((), "solver"),
        (("--depth", "2"), "alphabeta"),
        (("--nodes", "9"), "alphabeta"),
    ):
        assert json.loads(bg("analyze", "connect4", late, *arguments, "--json").out)["agent"] == agent
    assert bg("analyze", "connect4", late).out.splitlines()[3].split() == ["5", "draw!", "5"]


@pytest.mark.slow
def test_compiling_takes_no_time_from_an_analysis(program: Run, home: Path) -> None:
    (home / "cache").unlink()  # the cache that all tests share; compiling takes longer than the limit
    agent = ("--agent", "solver:book=false")
    done = json.loads(program("analyze", "connect4", *agent, "--time", "4", "--json").out)
    assert done["nodes"] > 10_000


def test_a_solver_that_only_estimates_says_so(bg: Run) -> None:
    notice = "not every move was solved in time: values without ! are estimates"
    assert notice in bg("analyze", "connect4", "--layout", "8x8", "--time", "0.05").out
    assert notice not in bg("analyze", "connect4", "366241373674445377651127").out
    assert notice not in bg("analyze", "connect4", "445353", "--agent", "alphabeta:depth=2").out


def test_values_are_aligned(bg: Run) -> None:
    lines = bg("analyze", "connect4", "4453", "--depth", "4").out.splitlines()[1:-1]
    assert len({line.index(".") for line in lines}) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["......./......./r....../rb...../rb...../rb....."], "the match is over: red wins; position "),
        (["--lines", "0"], "--lines must be at least 1, not '0'"),
        (["--lines", "-1"], "--lines must be "),
        (["--depth", "-3"], "--depth must be "),
        (["--time", "-1"], "--time must be "),
        (["--nodes", "0"], "--nodes must be "),
        (["--nodes", "9" * 400], "nodes"),
        (["--match", "2"], "--match only works with a recorded match"),
        (["--mistakes", "2"], "--mistakes only works with a recorded match"),
        (["--svg", "chart.svg"], "--svg only works with a recorded match"),
    ],
    ids=str,
)
def test_invalid_input_gives_a_one_line_error(arguments: list[str], said: str, bg: Run) -> None:
    ran = bg("analyze", "connect4", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert said in ran.err


def test_the_moves_of_a_finished_match_are_reviewed(bg: Run) -> None:
    out = bg("analyze", "connect4", "1212121", "--agent", "alphabeta:depth=3").out
    assert out.startswith("the match: ? - ? 1-0, 7 plies\n")
    assert "  7 red  1" in out


def test_a_finished_position_says_who_won(bg: Run) -> None:
    finished = "......./......./r....../rb...../rb...../rb....."
    assert bg("analyze", "connect4", finished).err.startswith(
        "error: nothing to analyze, the match is over: red wins;"
    )


@pytest.mark.slow
def test_ctrl_c_prints_the_results_so_far(terminal: Run) -> None:
    user = terminal("analyze", "abalone", "--lines", "1", "--time", "600")
    user.wait_for(" nodes")
    assert user.interrupt() == 130
    assert "values of the best moves for black" in user.seen
    assert "Traceback" not in user.seen


# --- recorded matches ---

BLUNDER = (
    '[Game "connect4"]\n[Start "-"]\n[First "Ann"]\n[Second "Bob"]\n[Result "1-0"]\n[Termination "rules"]\n\n'
    "1. 1 2 2. 1 2 3. 1 3 4. 1 1-0\n"
)
OPENING = '[Game "connect4"]\n[Start "-"]\n[First "Cleo"]\n[Second "Dan"]\n\n1. 4 4 2. 5 *\n'
EMPTY = '[Game "connect4"]\n[Start "-"]\n\n*\n'
EDGES = "." * 30
HEXIFENCE = f'[Game "hexifence"]\n[Option "dimension=2"]\n[Start "2:{EDGES}:.......:B"]\n\n1. 0 *\n'
QUICK = ("--depth", "3")


@pytest.fixture
def files(home: Path) -> Path:
    """Write files with one match, several, a broken one, and one of another game."""
    here = home.parent
    (here / "match.record").write_text(BLUNDER)
    (here / "two").write_text(f"{OPENING}\n{BLUNDER}")
    wrong = BLUNDER.replace("4. 1", "4. 2")
    (here / "broken").write_text(f"{OPENING.replace('2. 5', '2. 9')}\n{wrong}\n{BLUNDER}")
    torn = [OPENING.replace("2. 5", sign) for sign in ("}", "]")]
    (here / "torn").write_text("\n".join([torn[0], BLUNDER, torn[1]]))
    (here / "other").write_text(HEXIFENCE)
    (here / "without").write_text(EMPTY)
    (here / "none").write_text("")
    (here / "folder").mkdir()
    return here


def rows(out: str) -> list[list[str]]:
    return [line.split() for line in out.splitlines()]


def test_every_ply_has_a_value_and_the_blunder_a_better_move(files: Path, bg: Run) -> None:
    lines = rows(bg("analyze", "connect4", "match.record", *QUICK).out)
    assert " ".join(lines[0]) == "match 1 of 1: Ann - Bob 1-0, 7 plies"
    assert " ".join(lines[1]).startswith("value for red after each move, as chances of winning, by alphabeta")
    assert lines[2] == ["ply", "side", "move", "value", "loss", "best"]
    assert lines[3][0] == "start"
    assert [line[:3] for line in lines[4:7]] == [["1", "red", "1"], ["2", "blue", "2"], ["3", "red", "1"]]
    assert lines[9][:4] == ["6", "blue", "3??", "win"]
    assert lines[9][-1] == "1"
    assert lines[10] == ["7", "red", "1", "won!"]
    worst = next(index for index, line in enumerate(lines) if line[:2] == ["worst", "moves,"])
    assert lines[worst + 2][:3] == ["6", "blue", "3??"]
    assert " ".join(lines[worst + 2]).endswith(" -> loss in 1 move (2 plies)! 1 2 4")
    assert " ".join(lines[-1]).startswith("blue: 0 inaccuracies, 0 mistakes, 1 blunder, mean loss ")
    assert lines[-1][-1].endswith("%")


def test_a_match_without_mistakes_says_so(files: Path, bg: Run) -> None:
    out = bg("analyze", "connect4", "two", *QUICK).out
    assert "no mistakes (?! loses 5% or more, ? 10%, ?? 25%)" in out


def test_the_first_match_is_reviewed_by_default(files: Path, bg: Run) -> None:
    assert bg("analyze", "connect4", "two", *QUICK).out.startswith("match 1 of 2: Cleo - Dan")
    assert bg("analyze", "connect4", "two", "--match", "2", *QUICK).out.startswith("match 2 of 2: Ann - Bob")


@pytest.mark.parametrize(("file", "number"), [("broken", "3"), ("torn", "2")])
def test_unreadable_matches_before_a_match_do_not_change_its_number(
    file: str, number: str, files: Path, bg: Run
) -> None:
    out = bg("analyze", "connect4", file, "--match", number, *QUICK).out
    assert out.startswith(f"match {number} of 3: Ann")


def test_a_record_is_read_from_a_pipe(files: Path, bg: Run) -> None:
    ran = bg("analyze", "connect4", "-", *QUICK, typed=OPENING)
    assert (ran.code, ran.out.splitlines()[0]) == (0, "match 1 of 1: Cleo - Dan *, 3 plies")


def test_a_stored_match_is_named_by_its_number(files: Path, bg: Run) -> None:
    assert bg("matches", "import", "two", "other").out == "added 3 matches\n"
    assert bg("analyze", "hexifence", "3", *QUICK).out.startswith("match 3: ? - ? *, 1 ply")
    assert bg("analyze", "connect4", "match:2", *QUICK).out.startswith("match 2: Ann - Bob 1-0, 7 plies")
    assert json.loads(bg("analyze", "connect4", "match:2", *QUICK, "--json").out)["match"] == 2


def test_a_number_that_is_a_valid_position_is_read_as_one_and_the_stored_match_is_mentioned(
    files: Path, bg: Run
) -> None:
    alone = bg("analyze", "connect4", "1", *QUICK)
    assert (alone.out.startswith("values of all moves"), alone.err) == (True, "")
    bg("matches", "import", "two")
    both = bg("analyze", "connect4", "1", *QUICK)
    assert both.out.splitlines()[:-1] == alone.out.splitlines()[:-1]
    assert both.err == "1 is read as a position; match:1 is the stored match\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["abalone", "1"], "match 1 is a match of connect4: boardgames analyze connect4 match:1"),
        (
            ["connect4", "48"],
            "'8' is not a column; columns are 1 to 7 (ply 2 of '48'), and there is no stored match 48",
        ),
        (["connect4", "match:48"], "there is no stored match 48; boardgames matches lists them"),
        (
            ["connect4", "match:1", "--match", "1"],
            "--match only works with a file of matches, not with a stored match",
        ),
        (["connect4", "match:1", "--moves", "4"], "--moves only works with a position"),
    ],
    ids=" ".join,
)
def test_a_number_without_a_stored_match_gives_a_one_line_error(
    arguments: list[str], said: str, files: Path, bg: Run
) -> None:
    bg("matches", "import", "two")
    done = bg("analyze", *arguments)
    assert (done.code, done.err) == (2, f"error: {said}\n")


def test_the_position_option_never_reads_a_file(files: Path, bg: Run) -> None:
    (files / "4453").write_text(BLUNDER)
    assert bg("analyze", "connect4", "4453", *QUICK).out.startswith("match 1 of 1: Ann")
    assert bg("analyze", "connect4", "--position", "4453", *QUICK).out.startswith("values of all moves")
    assert bg("analyze", "connect4", "--position", "-", *QUICK).out.startswith("values of all moves")


def test_the_game_has_the_options_of_the_record(files: Path, bg: Run) -> None:
    lines = rows(bg("analyze", "hexifence", "other", "--depth", "1").out)
    assert lines[4][:3] == ["1", "blue", "0"]


def test_json_has_the_same_results(files: Path, bg: Run) -> None:
    report = json.loads(bg("analyze", "connect4", "match.record", *QUICK, "--mistakes", "1", "--json").out)
    assert len(report["values_for_side_0"]) == len(report["plies"]) + 1 == 8
    assert report["mistakes"] == [6]
    blunder = report["plies"][5]
    assert (blunder["move"], blunder["best_move"], blunder["mark"]) == ("3", "1", "??")
    assert (blunder["value"], blunder["win_in"], blunder["best_win_in"]) == (None, -2, None)
    assert report["marks"][1]["blunders"] == 1
    assert blunder["loss"] == pytest.approx(blunder["best_value"] + 1.0)
    assert (report["complete"], report["outcome"]["winner"], report["values_for_side_0"][-1]) == (
        True,
        0,
        1.0,
    )


def test_the_chart_is_written_and_its_path_printed(files: Path, bg: Run) -> None:
    ran = bg("analyze", "connect4", "match.record", *QUICK, "--svg", "chart.svg")
    assert ran.out.endswith("wrote chart.svg\n")
    label = ET.fromstring((files / "chart.svg").read_text()).get("aria-label", "")  # our own file
    assert "Ann (red) - Bob (blue) 1-0" in label
    assert "ply 6, blue 3??, better 1" in label


def test_chart_without_matplotlib_fails_before_the_search(
    files: Path, bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = bg("analyze", "connect4", "match.record", *QUICK, "--svg", "chart.svg")
    message = (
        "drawing charts needs the extra 'plot': run pip install 'boardgames-core[plot]', "
        "or in a checkout pip install -e '.[plot]'"
    )
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {message}\n")


CASES = {
    "no such file": (["missing.record"], "cannot read missing.record: no such file"),
    "a folder": (["folder"], ": is a directory"),
    "an empty file": (["none"], "no matches in none"),
    "no such match": (["two", "--match", "3"], "no match 3 in two; the last one is 2"),
    "an illegal move": (["broken", "--match", "1"], "broken: match 1: "),
    "a wrong result": (["broken", "--match", "2"], "broken: match 2: according to the rules, "),
    "a torn match": (["torn", "--match", "1"], "torn: match 1: not a move (ply 3, token '}')"),
    "another torn match": (["torn", "--match", "3"], "torn: match 3: "),
    "another game": (["other"], "other: match 1 is a match of 'hexifence', not connect4"),
    "no moves": (["without"], "without: match 1 has no moves"),
    "prose": (["-"], "standard input: match 1: 'once' is not a column"),
    "lines": (["two", "--lines", "3"], "--lines only works with a position"),
    "an unknown layout": (["two", "--layout", "x"], "connect4 has no layout 'x'"),
    "an unknown notation": (["two", "--notation", "x"], "connect4 has no notation 'x'"),
    "a position too": (["two", "--position", "4"], "--position only works with a position"),
    "an agent without values": (["two", "--agent", "random"], "does not evaluate moves"),
    "no mistakes to tell": (["two", "--mistakes", "0"], "--mistakes must be at least 1"),
    "no time": (["two", "--time", "0"], "--time must be 0.001 to"),
    "a chart in a folder's place": (["two", "--svg", "folder"], "folder: is a directory"),
    "a chart on a device": (["two", "--svg", "/dev/full"], "/dev/full: not a regular file"),
    "a chart in the record's place": (
        ["two", "--svg", "./two"],
        "--svg would overwrite the record two",
    ),
    "a chart below a file": (["two", "--svg", "none/chart.svg"], "none is not a folder"),
}


@pytest.mark.parametrize(("arguments", "said"), CASES.values(), ids=CASES)
def test_invalid_input_is_reported_before_any_search(
    arguments: list[str], said: str, files: Path, bg: Run
) -> None:
    ran = bg("analyze", "connect4", *arguments, typed="once upon a time\n")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert said in ran.err


def test_an_illegal_move_is_reported_with_its_ply(files: Path, bg: Run) -> None:
    assert "(ply 3, token '9')" in bg("analyze", "connect4", "broken", "--match", "1").err


def test_errors_of_other_matches_are_listed_and_the_first_that_can_be_read_is_reviewed(
    files: Path, bg: Run
) -> None:
    ran = bg("analyze", "connect4", "broken", *QUICK)
    assert (ran.code, ran.out.splitlines()[0]) == (2, "match 3 of 3: Ann - Bob 1-0, 7 plies")
    errors = ran.err.splitlines()
    assert [error.partition(": match ")[2][:2] for error in errors] == ["1:", "2:"]
    assert "(ply 3, token '9')" in errors[0]
    (files / "broken").write_text("\n".join([OPENING.replace("2. 5", "2. 9")] * 2))
    ran = bg("analyze", "connect4", "broken", *QUICK)
    assert (ran.code, ran.out, ran.err.count("(ply 3, token '9')")) == (2, "", 2)


def test_a_match_of_another_game_does_not_hide_one_of_this_game(files: Path, bg: Run) -> None:
    (files / "mixed").write_text(f"{HEXIFENCE}\n{BLUNDER}")
    ran = bg("analyze", "connect4", "mixed", *QUICK)
    assert (ran.code, ran.out.splitlines()[0]) == (0, "match 2 of 2: Ann - Bob 1-0, 7 plies")


@pytest.mark.parametrize(
    ("agent", "depth", "seconds"),
    [("alphabeta", None, 0.2), ("alphabeta:depth=2", None, None), ("alphabeta", 2, None), ("td", None, 0.2)],
)
def test_there_is_a_default_time_limit(agent: str, depth: int | None, seconds: float | None) -> None:
    wish = AnalysisRequest("connect4", agent, None, depth, None, as_json=False)
    player = boardgames.load_player(agent, boardgames.load("connect4"))
    assert review_limit(wish, player) == boardgames.Limit(seconds=seconds, depth=depth)


@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, 60])
def test_lines_fit_a_narrow_terminal(columns: int, files: Path, terminal: Run) -> None:
    user = terminal("analyze", "connect4", "match.record", *QUICK, COLUMNS=str(columns))
    assert user.wait() == 0
    table = user.seen[user.seen.index("ply side") :].splitlines()
    assert all(len(line) <= columns for line in table[:9])


@pytest.mark.slow
def test_ctrl_c_prints_the_plies_reviewed_so_far(files: Path, terminal: Run) -> None:
    user = terminal("analyze", "connect4", "match.record", "--time", "0.5", "--svg", "chart.svg")
    user.wait_for("position 3 of 8")
    assert user.interrupt(lambda: user.process.send_signal(signal.SIGINT)) == 130
    assert "Traceback" not in user.seen
    assert "  1 red  1" in user.seen
    assert "of 7 plies" in user.seen.replace("\n", " ")
    assert (files / "chart.svg").is_file()


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("analyze", "boardgames analyze GAME [POSITION|RECORD|ID]"),
        ("show", "boardgames show GAME [POSITION]"),
    ],
)
def test_a_file_given_without_a_game_is_an_error_that_shows_the_order_of_arguments(
    command: str, usage: str, bg: Run, tmp_path: Path
) -> None:
    file = tmp_path / "match.record"
    file.touch()
    ran = bg(command, str(file))
    message = f"error: {quote(str(file))} is a file, but the game comes first: {usage}\n"
    assert (ran.code, ran.err) == (2, message)


ESTIMATES = "values without ! are estimates; --time S allows more time"


def hexifence_record(dimension: int, moves: str) -> str:
    start = str(boardgames.load("hexifence", dimension=dimension).start())
    options = {"dimension": str(dimension)}
    return str(Record("hexifence", layout="empty", options=options, start=start, moves=tuple(moves.split())))


def test_the_loss_of_a_move_is_proven_where_the_search_reaches_the_end(files: Path, bg: Run) -> None:
    moves = "0 5 10 12 21 28 24 3 14 16 26 7 17 18 8"
    (files / "hexifence.record").write_text(hexifence_record(2, moves))
    out = bg("analyze", "hexifence", "hexifence.record").out
    last = next(line for line in rows(out) if line[0] == "15")
    assert last == ["15", "blue", "8??", "-5.0!", "4.0!", "11"]
    assert next(line for line in rows(out) if line[:3] == ["15", "blue", "8??"] and "->" in line)[3:7] == [
        "4.0!",
        "-1.0!",
        "->",
        "-5.0!",
    ]
    assert ESTIMATES not in out
    before = bg(
        "solve", "hexifence", "--option", "dimension=2", "--moves", moves.removesuffix(" 8"), "--json"
    )
    scores = {move["move"]: move["score"] for move in json.loads(before.out)["moves"]}
    assert (scores["8"], scores["11"]) == (-5, -1)


def test_estimates_of_a_solver_do_not_look_proven(files: Path, bg: Run) -> None:
    (files / "hexifence.record").write_text(hexifence_record(3, "0 1 2"))
    out = bg("analyze", "hexifence", "hexifence.record", "--time", "0.05").out
    assert "!" not in "".join(line for line in out.splitlines()[3:] if ESTIMATES not in line).replace(
        "?!", ""
    )
    assert ESTIMATES in out
    shown = json.loads(bg("analyze", "hexifence", "hexifence.record", "--time", "0.05", "--json").out)
    assert {ply["proven"] for ply in shown["plies"]} == {False}


def test_a_file_may_contain_a_position_instead_of_a_match(bg: Run) -> None:
    Path("Test1.input").write_text("b\nA1b,A2b,B2b,I9w\n", encoding="utf-8")
    ran = bg("analyze", "abalone", "Test1.input", "--depth", "1", "--json")
    assert json.loads(ran.out)["position"].startswith("....w/")
    Path("moves").write_text("4453", encoding="utf-8")
    assert "plies" in json.loads(bg("analyze", "connect4", "moves", "--depth", "1", "--json").out)
