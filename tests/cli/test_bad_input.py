import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ABALONE = "ww.bb/wwwbbb/.ww.bb./......../........./......../.bb.ww./bbbwww/bb.ww"
HUGE = "9" * 400
LONG = "9" * 5000
PLAY = ("play", "connect4", "--second", "human")
ANALYSIS = ("analyze", "connect4", "--agent")

CASES = {
    "no such command": (["plya"], "did you mean 'play' or 'replay'?"),
    "an empty command": ([""], "no command ''"),
    "no similar option": (["play", "--white"], "no such option '--white'; see `boardgames play --help`"),
    "no such option": (["games", "--jsn"], "did you mean '--json'?"),
    "an option of no command": (["--depth"], "no such option '--depth'; see `boardgames --help`"),
    "no game": (["show"], "missing argument 'GAME'; see `boardgames show --help`"),
    "no value": (["perft", "connect4", "--depth"], "--depth needs a value"),
    "a value where none goes": (["games", "--json=1"], "option '--json' does not take a value"),
    "one argument more": (["plugins", "abalone"], "too many arguments: abalone; see"),
    "unknown game": (["play", "abalon"], "did you mean 'abalone'?"),
    "empty game": (["play", ""], "no such game ''"),
    "control characters as game": (["show", "\x1b[2J"], r"'\x1b[2J'"),
    "unknown layout": (["show", "abalone", "--layout", "standart"], "did you mean 'standard'"),
    "empty layout": (["show", "abalone", "--layout", ""], "abalone has no layout ''"),
    "layout of a game without": (["show", "hexifence", "--layout", "x"], "no layout 'x'"),
    "a layout against an option": (
        ["perft", "connect4", "--layout", "8x7", "--option", "columns=6"],
        "the layout '8x7' sets columns to 8, so columns cannot be 6",
    ),
    "unknown game option": (["show", "abalone", "--option", "broadsde=no"], "did you mean 'broadside'?"),
    "option without value": (["show", "abalone", "--option", "broadside"], "an option is written name=value"),
    "option without name": (
        ["show", "abalone", "--option", "=1"],
        "an option is written name=value, not '=1'",
    ),
    "empty option": (["show", "abalone", "--option", ""], "an option is written name=value, not ''"),
    "option twice": (
        ["show", "connect4", "--option", "rows=5", "--option", "rows=5"],
        "the option 'rows' is given twice",
    ),
    "option of the wrong kind": (
        ["show", "abalone", "--option", "broadside=2"],
        "broadside must be true or false",
    ),
    "option out of bounds": (["show", "hexifence", "--option", "dimension=99"], "2 to 8"),
    "option below zero": (["show", "hexifence", "--option", "dimension=-1"], "2 to 8"),
    "option that is nan": (
        ["show", "hexifence", "--option", "dimension=nan"],
        "dimension must be an integer",
    ),
    "huge option": (["show", "hexifence", "--option", f"dimension={HUGE}"], "2 to 8"),
    "option of 5000 digits": (["show", "hexifence", "--option", f"dimension={LONG}"], "must be an integer"),
    "no position": (["show", "abalone", ""], "a board has 9 rows"),
    "a position of words": (["show", "abalone", "not a position"], "'not a position'"),
    "a short row": (["show", "abalone", ABALONE[1:]], "row I must have 5 cells, not 4"),
    "a position of control characters": (["show", "abalone", "\x1b\n"], "a board has 9 rows"),
    "eight of one column": (["show", "connect4", "11111111"], "the column is full"),
    "a column too far": (["show", "connect4", "9"], "'9'"),
    "a hexifence of another size": (
        ["show", "hexifence", "2:...:...:B", "--option", "dimension=3"],
        "dimension '2', but the game has 3; set the option dimension=2",
    ),
    "a position of 5000 digits": (["show", "connect4", LONG], "'9' is not a column"),
    "position twice": (["show", "connect4", "4", "--position", "4"], "not both"),
    "unknown notation": (["show", "abalone", "--notation", "nacer"], "did you mean 'nacre'?"),
    "a folder in place of a picture": (["show", "connect4", "--svg", "folder"], ": is a directory"),
    "a picture below a file": (["show", "connect4", "--svg", "file/x.svg"], "file is not a folder"),
    "a picture without a name": (["show", "connect4", "--svg", ""], "not a file name: ''"),
    "depth in words": (["perft", "connect4", "--depth", "x"], "--depth must be "),
    "depth below zero": (["perft", "connect4", "--depth", "-1"], "--depth must be 0 to 100, not '-1'"),
    "depth with a fraction": (["perft", "connect4", "--depth", "1.5"], "must be an integer"),
    "huge depth": (["perft", "connect4", "--depth", HUGE], "0 to 100"),
    "empty depth": (["perft", "connect4", "--depth", ""], "--depth must be "),
    "divide at no depth": (
        ["perft", "connect4", "--depth", "0", "--divide"],
        "--divide needs a depth of at least 1, not 0",
    ),
    "analysis of nothing": (["analyze", "connect4", "--depth", "0"], "--depth must be 1 to 100, not '0'"),
    "analysis of too much depth": (["analyze", "connect4", "--depth", "101"], "--depth must be 1 to 100"),
    "analysis below zero": (["analyze", "connect4", "--nodes", "-1"], "--nodes must be "),
    "analysis of nodes in powers": (["analyze", "connect4", "--nodes", "1e99"], "must be an integer"),
    "analysis of too many nodes": (["analyze", "connect4", "--nodes", HUGE], "1 to 1000000000000"),
    "analysis with a huge table": ([*ANALYSIS, "alphabeta:table=99999999"], "table must be "),
    "analysis with less than no table": ([*ANALYSIS, "alphabeta:table=-1"], "table must be "),
    "analysis by no threads": ([*ANALYSIS, "alphabeta:threads=0"], "threads must be 1 to 64, not '0'"),
    "analysis too deep for the agent": (
        [*ANALYSIS, "alphabeta:depth=101"],
        "depth must be 1 to 100, not '101'",
    ),
    "analysis in no time": (["analyze", "connect4", "--time", "0"], "--time must be 0.001 to"),
    "analysis in nan": (["analyze", "connect4", "--time", "nan"], "--time must be "),
    "analysis of huge depth": (["analyze", "connect4", "--depth", HUGE], "depth"),
    "analysis by nobody": (["analyze", "connect4", "--agent", "alfabeta"], "did you mean 'alphabeta'?"),
    "analysis by one without values": (
        ["analyze", "connect4", "--agent", "random"],
        "does not evaluate moves",
    ),
    "analysis after the end": (
        ["analyze", "connect4", "......./......./r....../rb...../rb...../rb....."],
        "is over",
    ),
    "check of nothing": (["check", "connect4", "--matches", "0"], "--matches must be at least 1"),
    "check against no module": (
        ["check", "connect4", "--reference", "nothing"],
        "a reference is written module:Class",
    ),
    "check against a missing module": (["check", "connect4", "--reference", "nothing:Rules"], "nothing"),
    "check against an empty name": (
        ["check", "connect4", "--reference", ""],
        "a reference is written module:Class",
    ),
    "agents of no game": (["agents", "chess"], "no such game 'chess'"),
    "missing record": (["replay", "missing"], ": no such file or directory"),
    "a folder in place of a record": (["replay", "folder"], ": is a directory"),
    "control characters as a record": (["replay", "\x1b[2J\n"], "cannot read ?[2J"),
    "a record without a name": (["replay", ""], "cannot read "),
    "bytes in place of a record": (["replay", "bytes"], "cannot read bytes: not text"),
    "an empty record": (["replay", "empty"], "no matches in empty"),
    "a record of prose": (
        ["replay", "file"],
        "match 1: the tag Game is missing; name the game with --game NAME",
    ),
    "a match that is not there": (["replay", "good", "--match", "7"], "no match 7 in good"),
    "match zero": (["replay", "good", "--match", "0"], "--match must be at least 1"),
    "pictures in a file": (["replay", "good", "--svg", "file"], "cannot create the folder"),
    "an unknown shell": (
        ["shell-init", "tcsh"],
        "invalid value for '[SHELL]': 'tcsh' is not one of 'bash', 'zsh', 'fish'",
    ),
    "unknown agent": (["play", "connect4", "--agent", "alfabeta"], "did you mean 'alphabeta'?"),
    "empty agent": (["play", "connect4", "--agent", ""], "an agent is written name"),
    "empty first agent": (["play", "connect4", "--first", ""], "an agent is written name"),
    "agent with an empty option": (
        ["play", "connect4", "--agent", "alphabeta:"],
        "no options after the colon",
    ),
    "agent with an unknown option": (["play", "connect4", "--agent", "alphabeta:dept=3"], "'depth'?"),
    "agent with a bad option": (["play", "connect4", "--agent", "alphabeta:depth=x"], "depth must be "),
    "agent with a huge option": (
        ["play", "connect4", "--agent", f"alphabeta:nodes={HUGE}"],
        "nodes must be ",
    ),
    "agent with endless time": (["play", "connect4", "--agent", "alphabeta:time=inf"], "time must be "),
    "agent with an open quote": (
        ["play", "connect4", "--agent", 'alphabeta:time="1'],
        "missing closing quote",
    ),
    "level zero": (["play", "connect4", "--level", "0"], "--level must be 1 to 10, not '0'"),
    "level eleven": (["play", "connect4", "--level", "11"], "--level must be 1 to 10, not '11'"),
    "level in words": (["play", "connect4", "--level", "easy"], "--level must be an integer, not 'easy'"),
    "a level that is none": (
        ["play", "connect4", "--agent", "level:level=0"],
        "level must be 1 to 10, not '0'",
    ),
    "level and second agent": ([*PLAY, "--level", "3"], "give only one of --second and --level"),
    "level and agent": (
        ["play", "connect4", "--agent", "greedy", "--level", "3"],
        "give only one of --agent and --level",
    ),
    "both sides at six": (["analyze", "abalone", f"{ABALONE}:b:6:6"], "both sides have lost 6 marbles"),
    "seven marbles lost": (
        ["analyze", "abalone", f"{ABALONE}:b:7:0"],
        "marbles lost must be 0 to 6, not '7'",
    ),
    "six marbles lost": (["analyze", "abalone", f"{ABALONE}:b:6:0"], "the match is over: white wins"),
    "an empty board": (
        ["analyze", "abalone", re.sub("[bw]", ".", ABALONE)],
        "the match is over: white wins (no legal moves)",
    ),
    "an arena of no nodes": (["arena", "connect4", "random", "greedy", "--nodes", "0"], "--nodes must be "),
    "an arena in nan": (["arena", "connect4", "random", "greedy", "--time", "nan"], "--time must be "),
    "two second agents": ([*PLAY, "--agent", "human"], "give only one of --second and --agent"),
    "no time a move": ([*PLAY, "--time", "0"], "--time must be 0.001 to"),
    "endless time a move": ([*PLAY, "--time", "inf"], "--time must be "),
    "time below zero": ([*PLAY, "--clock", "-5"], "--clock must be "),
    "time in nan": ([*PLAY, "--clock", "nan"], "--clock must be "),
    "no time at all": ([*PLAY, "--clock", "0"], "--clock must be 0.001 to"),
    "increment without a clock": ([*PLAY, "--increment", "2"], "an increment needs a match clock"),
    "an increment of each side without a clock": (
        [*PLAY, "--increment", "0,2"],
        "an increment needs a match clock",
    ),
    "three increments": (
        [*PLAY, "--clock", "9", "--increment", "1,2,3"],
        "--increment takes one number, or one for",
    ),
    "an increment below zero": ([*PLAY, "--clock", "9", "--increment", "1,-2"], "--increment must be 0 to"),
    "no plies": ([*PLAY, "--plies", "0"], "--plies must be "),
    "no patience": ([*PLAY, "--no-progress", "0"], "--no-progress must be "),
    "seed below zero": ([*PLAY, "--seed", "-1"], "--seed must be "),
    "seed in words": ([*PLAY, "--seed", "x"], "--seed must be "),
    "delay below zero": ([*PLAY, "--delay", "-1"], "--delay must be "),
    "one name": ([*PLAY, "--names", "Ann"], "--names takes two names separated by a comma, not 'Ann'"),
    "an empty name": ([*PLAY, "--names", "Ann,"], "two names separated by a comma"),
    "control characters as a name": ([*PLAY, "--names", "Ann\x1b[2J,Bob"], "two names"),
    "bad notation": ([*PLAY, "--notation", "x"], "connect4 has no notation 'x'"),
    "bad notation of positions and moves": (
        ["show", "hexifence", "--notation", "x"],
        "hexifence has no notation 'x'; available: board-file, canonical, grid, place",
    ),
    "start from nowhere": ([*PLAY, "--position", "x"], "'x'"),
    "resume nothing": ([*PLAY, "--resume", "missing"], ": no such file or directory"),
    "resume a folder": ([*PLAY, "--resume", "folder"], ": is a directory"),
    "resume prose": ([*PLAY, "--resume", "file"], "file has an error: match 1: "),
    "resume an empty file": ([*PLAY, "--resume", "empty"], "no matches in empty"),
    "resume a finished match": ([*PLAY, "--resume", "good"], "the match in good is finished (1-0)"),
    "resume another game": (
        ["play", "abalone", "--resume", "good"],
        "good contains a match of 'connect4', not abalone",
    ),
    "resume with a layout": (
        [*PLAY, "--resume", "good", "--layout", "standard"],
        "--resume takes the game from the saved match",
    ),
}

FINISHED = (
    '[Game "connect4"]\n[Start "-"]\n[Result "1-0"]\n[Termination "rules"]\n\n1. 1 2 2. 1 2 3. 1 2 4. 1 1-0\n'
)


@pytest.fixture
def files(home: Path) -> Path:
    """Create a folder, a text, a binary file, an empty file and a record."""
    here = home.parent
    (here / "folder").mkdir()
    (here / "file").write_text("It was the best of times.\n")
    (here / "bytes").write_bytes(b"\xff\xfe\x00\x01")
    (here / "empty").write_text("")
    (here / "good").write_text(FINISHED)
    return here


@pytest.mark.parametrize(("arguments", "said"), CASES.values(), ids=CASES)
def test_invalid_input_gives_one_line_on_stderr_and_code_2(
    arguments: list[str], said: str, files: Path, bg: Callable[..., Any]
) -> None:
    before = sorted(path.name for path in files.iterdir())
    ran = bg(*arguments)
    assert ran.code == 2
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1
    assert ran.err.rstrip("\n").isprintable()
    assert said in ran.err
    assert ran.out == ""
    assert sorted({path.name for path in files.iterdir()} - {"typed"}) == before


def test_a_match_with_an_error_does_not_hide_the_others(files: Path, bg: Callable[..., Any]) -> None:
    broken = FINISHED.replace("1-0", "*").replace('[Termination "rules"]\n', "").replace("2. 1 2", "2. 1 9")
    (files / "two").write_text(f"{broken}\n{FINISHED}")
    ran = bg("replay", "two", "--list")
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert "match 1" in ran.err
    assert "(ply 4, token '9')" in ran.err
    assert "1-0, 7 plies" in ran.out


def test_invalid_input_gives_no_traceback(program: Callable[..., Any]) -> None:
    ran = program("perft", "connect4", "--depth", "x")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: --depth must be an integer, not 'x'\n"
