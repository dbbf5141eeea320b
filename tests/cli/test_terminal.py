"""Behaviour that needs a terminal: colours, keys, Ctrl-C, signals."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from boardgames.record import read_records

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals and their signals")

Run = Callable[..., Any]
TWO_PEOPLE = ("play", "connect4", "--second", "human")
SLOW_AGENT = ("play", "connect4", "--agent", "alphabeta", "--time", "60")
COLOUR = "\x1b[38;"
RECORD = '[Game "connect4"]\n[Start "-"]\n\n1. 4 5 2. 6 *\n'


def last_record(records: Callable[[], list[Path]]) -> Any:
    return read_records(records()[-1], None).records[0]


# --- what is printed ---------------------------------------------------------


def test_boards_are_coloured(bg_on_terminal: Run) -> None:
    ran = bg_on_terminal("show", "connect4", "4")
    assert ran.code == 0
    assert COLOUR in ran.out


@pytest.mark.parametrize(
    "environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb terminal"]
)
def test_boards_can_be_printed_without_colour(environment: dict[str, str], bg_on_terminal: Run) -> None:
    ran = bg_on_terminal("show", "connect4", "4", COLORTERM="truecolor", **environment)
    assert ran.code == 0
    assert "\x1b[" not in ran.out


def test_facts_are_wrapped_to_the_width_of_the_terminal(bg: Run, bg_on_terminal: Run) -> None:
    wrapped = bg_on_terminal("games", "abalone").out.splitlines()
    unwrapped = bg("games", "abalone").out.splitlines()
    assert max(map(len, wrapped)) <= 80 < max(map(len, unwrapped))
    assert " ".join(" ".join(wrapped).split()) == " ".join(" ".join(unwrapped).split())


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}], ids=["in colour", "NO_COLOR"])
def test_the_legend_of_overlays_is_wrapped_to_the_width(
    environment: dict[str, str], bg_on_terminal: Run
) -> None:
    ran = bg_on_terminal("show", "hexifence", "--features", COLUMNS="50", **environment)
    legend = re.sub(r"\x1b\[[0-9;]*m", "", ran.out).partition("chains:")[2].partition("edges:")[0]
    assert "if an even number" in " ".join(legend.split()).lower()
    assert max(map(len, legend.splitlines())) <= 50


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}], ids=["in colour", "NO_COLOR"])
@pytest.mark.parametrize(("dimension", "rows"), [(3, 24), (4, 24), (4, 40), (5, 40)])
def test_boards_of_hexagons_fit_the_terminal_and_leave_room_for_the_prompt(
    dimension: int, rows: int, environment: dict[str, str], bg_on_terminal: Run
) -> None:
    size = f"dimension={dimension}"
    shown = bg_on_terminal("show", "hexifence", "--option", size, LINES=str(rows), **environment).out
    board = re.sub(r"\x1b\[[0-9;]*m", "", shown).partition(f"\n{dimension}:")[0]
    lines = board.rstrip("\n").splitlines()
    assert lines[-1] == "blue cells 0"
    assert len(lines) <= rows - 4
    assert max(map(len, lines)) <= 80
    assert (".'.'." in board) == (dimension == 3 or rows == 40)


def test_replay_steps_through_a_match(home: Path, bg_on_terminal: Run) -> None:
    (home.parent / "match").write_text(RECORD)
    ran = bg_on_terminal("replay", "match", typed="\n3\nb\n99\nwhat\nq\n", TERM="dumb")
    assert ran.code == 0
    steps = ran.out.split("[")
    assert [step.partition("]")[0] for step in steps[1:]] == ["0/3", "1/3", "3/3", "2/3", "3/3", "3/3"]
    assert "ply 1, red: 4" in steps[1]
    assert "ply 3, red: 6" in steps[2]
    assert "ply 2, blue: 5" in steps[3]
    assert "Enter: next ply, b: back" in steps[5]


def test_replay_goes_to_the_next_match(home: Path, bg_on_terminal: Run) -> None:
    (home.parent / "two").write_text(f"{RECORD}\n{RECORD}")
    ran = bg_on_terminal("replay", "two", typed="n\n\x04", TERM="dumb")
    assert ran.code == 0
    assert ran.out.count("[0/3] ") == 2
    assert "2. connect4" in ran.out


# --- a match -----------------------------------------------------------------


@pytest.mark.slow
def test_a_match_is_typed_edited_and_saved_at_ctrl_d(terminal: Run, records: Run) -> None:
    user = terminal(*TWO_PEOPLE, "--names", "Ann,Bob", NO_COLOR="1", COLORTERM="truecolor")
    assert "red is Ann, blue is Bob; type a move such as 1, or help" in user.wait_for("red (Ann) to move:")
    user.type("x4\x1b[D\x1b[D\x1b[3~\n")  # left, left, delete
    user.wait_for("blue (Bob) to move:")
    user.type("\x1b[A\n")  # up: the same move again
    user.wait_for("red (Ann) to move:")
    user.type("fl\t")
    user.wait_for("flip")
    user.type("\n")
    user.wait_for("7 6 5 4 3 2 1")  # the line with the prompt is also drawn again while it is edited
    user.wait_for("red (Ann) to move:")
    user.type("\x04")
    assert user.wait() == 0
    assert last_record(records).moves == ("4", "4")
    assert f"match saved to {records()[0]}" in user.seen
    assert COLOUR not in user.seen
    assert "\x1b[1m" not in user.seen


@pytest.mark.slow
def test_a_match_ends_at_the_prompt_when_time_runs_out(terminal: Run, records: Run) -> None:
    user = terminal(*TWO_PEOPLE, "--clock", "60,1", NO_COLOR="1")
    user.wait_for("red to move:")
    user.type("4\n")
    user.wait_for("[blue 0:0")
    user.wait_for("red wins on time")
    user.type("quit\n")
    assert user.wait() == 0
    assert last_record(records).result == "1-0"


@pytest.mark.slow
def test_time_for_a_move_counts_down_below_the_prompt(terminal: Run) -> None:
    user = terminal(*TWO_PEOPLE, "--time", "100", NO_COLOR="1")
    user.wait_for("1:3")  # a second may be left out while the machine is busy
    user.wait_for(" for this move")
    user.wait_for("8")  # only what changes is drawn again
    user.type("4\n")
    user.wait_for("1:3")
    user.wait_for(" for this move")
    user.type("quit\n")
    assert user.wait() == 0


# --- interrupts --------------------------------------------------------------


@pytest.mark.slow
def test_ctrl_c_at_the_prompt_saves_the_match(terminal: Run, records: Run) -> None:
    user = terminal(*TWO_PEOPLE)
    user.wait_for("red to move:")
    user.type("4\n")
    user.wait_for("blue to move:")
    assert user.interrupt() == 130
    assert "match saved to " in user.seen
    assert "Traceback" not in user.seen
    assert last_record(records).moves == ("4",)


@pytest.mark.slow
def test_ctrl_c_while_an_agent_thinks_saves_the_match(terminal: Run, records: Run) -> None:
    user = terminal(*SLOW_AGENT)
    user.wait_for("red to move:")
    user.type("4\n")
    user.wait_for("blue is thinking")
    assert user.interrupt() == 130
    assert "Traceback" not in user.seen
    assert last_record(records).moves == ("4",)


@pytest.mark.slow
def test_an_interrupt_without_a_terminal_saves_the_match(home: Path, records: Run) -> None:
    command = [sys.executable, "-u", "-m", "boardgames", *SLOW_AGENT]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        seen = ""
        while not seen.endswith("red to move: "):
            seen += running.stdout.read(1)
            assert running.poll() is None, seen
        running.stdin.write("4\n")
        running.stdin.flush()
        running.stdout.readline()
        time.sleep(1)  # nothing is printed on a pipe when the move is made and the agent begins
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert err == ""
    assert "match saved to " in out
    assert len(records()) == 1


@pytest.mark.parametrize(
    ("number", "match", "prompt"),
    [
        pytest.param(
            signal.SIGHUP, TWO_PEOPLE, "blue to move:", id="SIGHUP at the prompt", marks=pytest.mark.slow
        ),
        pytest.param(signal.SIGTERM, SLOW_AGENT, "blue is thinking", id="SIGTERM while an agent thinks"),
    ],
)
def test_signals_that_end_a_program_save_the_match(
    number: int, match: tuple[str, ...], prompt: str, terminal: Run, records: Run
) -> None:
    user = terminal(*match)
    user.wait_for("red to move:")
    user.type("4\n")
    user.wait_for(prompt)
    assert user.interrupt(partial(user.process.send_signal, number)) == 130
    assert last_record(records).moves == ("4",)


@pytest.mark.slow
def test_ctrl_c_saves_a_match_between_agents(terminal: Run, records: Run) -> None:
    user = terminal(
        "play", "connect4", "--first", "random", "--second", "alphabeta", "--time", "60", "--watch"
    )
    user.wait_for("red plays")
    assert user.interrupt() == 130
    assert len(last_record(records).moves) == 1


@pytest.mark.slow
def test_ctrl_c_leaves_replay(home: Path, terminal: Run) -> None:
    (home.parent / "match").write_text(RECORD)
    user = terminal("replay", "match")
    user.wait_for("[0/3]")
    assert user.interrupt() == 130
    assert "Traceback" not in user.seen


# --- compilation -------------------------------------------------------------


@pytest.mark.slow
def test_every_command_says_what_it_compiles_and_counts_the_kernels(terminal: Run, tmp_path: Path) -> None:
    cold = str(tmp_path / "cold")
    user = terminal("perft", "connect4", "--depth", "2", BOARDGAMES_HOME=cold)
    user.wait_for("compiling boardgames_connect4.rules, kernel ")
    user.wait_for("compiling boardgames.search.perft, kernel ")
    assert user.wait() == 0
    assert "once" not in user.seen  # the next command compiles more
    kernels = {path.name.rpartition("-")[0] for path in (tmp_path / "cold").rglob("*.kernel")}
    assert {"boardgames_connect4_rules_apply", "boardgames_connect4_rules_legal_moves"} < kernels
    assert "boardgames_connect4_rules_symmetric_key" not in kernels, "only what is used"


@pytest.mark.parametrize("game", ["abalone", "connect4", "hexifence"])
def test_boards_are_shown_and_two_people_play_without_compiled_rules(
    game: str, bg: Run, program: Run, home: Path
) -> None:
    first, second, *_ = json.loads(bg("show", game, "--json").out)["legal_moves"]
    (home / "cache").unlink()  # the cache that all tests share
    played = program("play", game, "--second", "human", typed=f"{first}\nundo\n{second}\nhistory\n")
    assert (played.code, played.err) == (0, "")
    assert f" {second} " in played.out.rpartition("ply ")[2]
    assert not list((home / "cache").rglob("*.kernel"))


@pytest.mark.slow
def test_the_opponent_is_compiled_while_a_person_thinks(terminal: Run, tmp_path: Path) -> None:
    user = terminal("play", "connect4", "--agent", "minimax", BOARDGAMES_HOME=str(tmp_path / "cold"))
    before = user.wait_for("red to move:")
    assert 0 < before.find("or help") < before.find("[2m7")
    assert "compiling boardgames.search" not in before
    user.type("4\r")
    shown = user.wait_for("blue plays ")
    assert re.search(r"blue is getting ready[^\r]*; compiling boardgames\.search", shown)
    user.wait_for("red to move:")
    user.type("quit\r")
    assert user.wait() == 0


NEVER_READY = """
import time

from boardgames.hookspecs import Entry, hookimpl
from boardgames.players.alphabeta import AlphaBeta


class NeverReady(AlphaBeta):
    name = "never-ready"

    def match_started(self, side):
        time.sleep(3600)


@hookimpl
def bg_agents():
    return [Entry("never-ready", "gets ready in an hour", "never_ready:NeverReady")]
"""


@pytest.fixture
def against_never_ready(terminal: Run, tmp_path: Path) -> Run:
    """Return a function that starts a match against an agent that is never ready to play."""
    (tmp_path / "never_ready.py").write_text(NEVER_READY)
    metadata = tmp_path / "never_ready-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: never-ready\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[boardgames]\nnever-ready = never_ready\n")
    paths = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH", "")]))

    def start(seat: str) -> Any:
        other = {"--first": "--second", "--second": "--first"}[seat]
        return terminal("play", "connect4", seat, "never-ready", other, "human", PYTHONPATH=paths)

    return start


@pytest.mark.slow
def test_leaving_does_not_wait_for_an_opponent_that_is_getting_ready(
    against_never_ready: Run, records: Run
) -> None:
    user = against_never_ready("--second")
    user.wait_for("red to move:")
    user.type("quit\r")
    assert user.wait() == 0
    assert not records()


@pytest.mark.slow
@pytest.mark.parametrize(("seat", "moves"), [("--first", ()), ("--second", ("4",))])
def test_ctrl_c_ends_the_wait_for_an_opponent_that_is_getting_ready(
    seat: str, moves: tuple[str, ...], against_never_ready: Run, records: Run
) -> None:
    user = against_never_ready(seat)
    for move in moves:
        user.wait_for("red to move:")
        user.type(f"{move}\r")
    user.wait_for("is getting ready")
    assert user.interrupt() == 130
    assert [last_record(records).moves] == [moves] if moves else not records()


@pytest.mark.slow
def test_nothing_about_compiling_is_printed_if_all_kernels_are_cached(bg: Run, terminal: Run) -> None:
    bg("show", "connect4")  # compiles what is not in the cache
    user = terminal("show", "connect4")
    assert user.wait() == 0
    assert "compiling" not in user.seen


@pytest.mark.slow
def test_an_agent_with_a_search_of_its_own_says_that_it_compiles(home: Path, bg: Run, terminal: Run) -> None:
    words = ("analyze", "connect4", "--agent", "minimax", "--depth", "2")
    assert bg(*words).code == 0
    warm, cold = (home / "cache").resolve(), home.parent / "cold"
    # other tests may be writing there
    without = shutil.ignore_patterns("*search_minimax*", "*.tmp", "*.removed")
    shutil.copytree(warm, cold / "cache", copy_function=os.link, ignore=without)
    user = terminal(*words, BOARDGAMES_HOME=str(cold))
    user.wait_for("compiling")
    assert user.wait() == 0
    again = terminal(*words, BOARDGAMES_HOME=str(cold))
    assert again.wait() == 0
    assert "compiling" not in again.seen


# --- progress ----------------------------------------------------------------


@pytest.mark.slow
def test_solve_counts_positions_and_nodes_while_it_works(home: Path, terminal: Run) -> None:
    # without the book, the last position takes long
    (home.parent / "positions").write_text("445353\n4455\n4\n")
    user = terminal("solve", "connect4", "--agent", "solver:book=false", "--file", "positions")
    user.wait_for("solving, 2 of 3 positions, ")
    while len(set(re.findall(r"2 of 3 positions, ([\d,]+) nodes", user.seen))) < 2:
        user.wait_for(" nodes, ")
    assert user.interrupt() == 130


@pytest.mark.slow
def test_the_number_of_positions_tried_is_shown_while_puzzles_are_made(terminal: Run) -> None:
    user = terminal("puzzles", "hexifence", "--kind", "sacrifice", "--number", "1000")
    user.wait_for("looking for puzzles, sacrifice, ")  # of several kinds, each begins with 0 found
    user.wait_for(" of 1000 found, ")
    user.wait_for(" positions tried, ")
    assert user.interrupt() == 130


def test_the_progress_of_solve_leaves_stdout_to_the_json(home: Path, bg: Run) -> None:
    (home.parent / "positions").write_text("445353\n4455\n")
    ran = bg("solve", "connect4", "--file", "positions", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert len(json.loads(ran.out)["positions"]) == 2
