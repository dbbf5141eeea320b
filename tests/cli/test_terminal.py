"""What only a terminal shows: colours, spinners, keys, Ctrl-C; each test is a user at the keyboard."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from boardgames.plugins import load_game_of
from boardgames.record import read_records

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals and their signals")

Start = Callable[..., Any]
PEOPLE = ("play", "connect4", "--second", "human")
SLOW_AGENT = ("play", "connect4", "--agent", "alphabeta", "--time", "60")
COLOUR = "\x1b[38;2"
RECORD = '[Game "connect4"]\n[Start "-"]\n\n1. 4 5 2. 6 *\n'


def last_record(records: Callable[[], list[Path]]) -> Any:
    return read_records(records()[-1], load_game_of).records[0]


def test_boards_are_coloured_on_a_terminal(terminal: Start) -> None:
    user = terminal("show", "connect4", "4", COLORTERM="truecolor")
    assert user.wait() == 0
    assert COLOUR in user.seen


@pytest.mark.parametrize(
    "environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "a dumb terminal"]
)
def test_boards_are_plain_if_colours_are_disabled(environment: dict[str, str], terminal: Start) -> None:
    user = terminal("show", "connect4", "4", COLORTERM="truecolor", **environment)
    assert user.wait() == 0
    assert "\x1b[" not in user.seen


def test_no_color_disables_all_colours_of_a_match(terminal: Start) -> None:
    user = terminal(*PEOPLE, NO_COLOR="1")
    user.wait_for("red to move:")
    user.type("4\n")
    user.wait_for("blue to move:")
    user.type("\x04")
    assert user.wait() == 0
    assert COLOUR not in user.seen
    assert "\x1b[1m" not in user.seen


def test_keys_edit_the_line(terminal: Start, records: Start) -> None:
    user = terminal(*PEOPLE)
    user.wait_for("red to move:")
    user.type("x4\x1b[D\x1b[D\x1b[3~\n")  # left, left, delete
    user.wait_for("blue to move:")
    user.type("\x1b[A\n")  # up: the same move again
    user.wait_for("red to move:")
    user.type("\x04")
    assert user.wait() == 0
    assert last_record(records).moves == ("4", "4")


def test_ctrl_d_saves_the_match_and_exits_with_0(terminal: Start, records: Start) -> None:
    user = terminal(*PEOPLE)
    user.wait_for("red to move:")
    user.type("4\n")
    user.wait_for("blue to move:")
    user.type("\x04")
    assert user.wait() == 0
    assert f"match saved to {records()[0]}" in user.seen.replace("\n", "").replace("the match", " the match")


def test_ctrl_c_at_the_prompt_saves_the_match_and_exits_with_130(terminal: Start, records: Start) -> None:
    user = terminal(*PEOPLE)
    user.wait_for("red to move:")
    user.type("4\n")
    user.wait_for("blue to move:")
    assert user.interrupt() == 130
    assert "match saved to " in user.seen
    assert "Traceback" not in user.seen
    assert last_record(records).moves == ("4",)


def test_ctrl_c_while_the_agent_thinks_saves_the_match_and_exits_with_130(
    terminal: Start, records: Start
) -> None:
    user = terminal(*SLOW_AGENT)
    user.wait_for("red to move:")
    user.type("4\n")
    user.wait_for("blue is thinking")
    assert user.interrupt() == 130
    assert "Traceback" not in user.seen
    assert last_record(records).moves == ("4",)


def test_an_interrupt_at_a_pipe_saves_the_match_and_exits_with_130(home: Path, records: Start) -> None:
    command = [sys.executable, "-u", "-m", "boardgames.cli", *SLOW_AGENT]
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
        assert running.stdout.read(1) == "\n"  # the move is read, the agent's turn begins
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert err == ""
    assert "match saved to " in out
    assert len(records()) == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("match", [PEOPLE, SLOW_AGENT], ids=["at the prompt", "while the agent thinks"])
def test_a_closed_terminal_saves_the_match(
    number: int, match: tuple[str, ...], terminal: Start, records: Start
) -> None:
    user = terminal(*match)
    user.wait_for("red to move:")
    user.type("4\n")
    user.wait_for("blue to move:" if match is PEOPLE else "blue is thinking")
    assert user.interrupt(partial(user.process.send_signal, number)) == 130
    assert last_record(records).moves == ("4",)


def test_an_interrupt_saves_a_match_of_agents(terminal: Start, records: Start) -> None:
    user = terminal(
        "play", "connect4", "--first", "random", "--second", "alphabeta", "--time", "60", "--watch"
    )
    user.wait_for("red plays")
    assert user.interrupt() == 130
    assert len(last_record(records).moves) == 1


def test_the_first_board_names_players_before_anything_is_typed(terminal: Start) -> None:
    user = terminal(*PEOPLE, "--names", "Ann,Bob", NO_COLOR="1")
    assert "red is Ann, blue is Bob; type a move such as 1, or help" in user.wait_for("red (Ann) to move:")
    user.type("quit\n")
    assert user.wait() == 0


@pytest.mark.slow
def test_a_cold_start_says_that_it_compiles_and_how_long(terminal: Start, tmp_path: Path) -> None:
    user = terminal("show", "connect4", BOARDGAMES_HOME=str(tmp_path / "cold"))
    user.wait_for("compiling the rules and the search (10 to 30 seconds, only this once)")
    assert user.wait() == 0
    assert "......./......." in user.seen


def test_a_warm_start_does_not_mention_compiling(terminal: Start) -> None:
    warm = terminal("show", "connect4")
    assert warm.wait() == 0
    again = terminal("show", "connect4")
    assert again.wait() == 0
    assert "compiling" not in again.seen


def test_an_agent_whose_search_was_never_compiled_says_that_it_compiles(home: Path, terminal: Start) -> None:
    words = ("analyze", "connect4", "--agent", "minimax", "--depth", "2")
    assert terminal(*words).wait() == 0  # now it was
    warm, cold = (home / "cache").resolve(), home.parent / "cold"
    without = shutil.ignore_patterns("*search_minimax_*", "*.tmp", "*.removed")  # others may be at work there
    shutil.copytree(warm, cold / "cache", copy_function=os.link, ignore=without)
    user = terminal(*words, BOARDGAMES_HOME=str(cold))
    user.wait_for("compiling")
    assert user.wait() == 0
    again = terminal(*words, BOARDGAMES_HOME=str(cold))
    assert again.wait() == 0
    assert "compiling" not in again.seen


def test_options_of_agents_fit_the_terminal(bg: Start, terminal: Start) -> None:
    user = terminal("agents", "connect4")
    assert user.wait() == 0
    lines, in_pipe = user.seen.splitlines(), bg("agents", "connect4").out
    assert max(map(len, lines)) <= 80 < max(map(len, in_pipe.splitlines()))
    assert " ".join(" ".join(lines).split()) == " ".join(in_pipe.split())


def test_replay_steps_by_keys(home: Path, terminal: Start) -> None:
    (home.parent / "match").write_text(RECORD)
    user = terminal("replay", "match", NO_COLOR="1")
    user.wait_for("[0/3] ")
    user.type("\n")
    assert "ply 1: 1. 4" in user.wait_for("[1/3] ")
    user.type("3\n")
    assert "ply 3: 2. 6" in user.wait_for("[3/3] ")
    user.type("b\n")
    assert "ply 2: 1... 5" in user.wait_for("[2/3] ")
    user.type("99\n")
    user.wait_for("[3/3] ")
    user.type("what\n")
    user.wait_for("Enter: next ply, b: back")
    user.type("q\n")
    assert user.wait() == 0


def test_replay_goes_to_the_next_match(home: Path, terminal: Start) -> None:
    (home.parent / "two").write_text(f"{RECORD}\n{RECORD}")
    user = terminal("replay", "two")
    user.wait_for("[0/3] ")
    user.type("n\n")
    user.wait_for("2. connect4")
    user.wait_for("[0/3] ")
    user.type("\x04")
    assert user.wait() == 0


def test_ctrl_c_exits_replay_with_130(home: Path, terminal: Start) -> None:
    (home.parent / "match").write_text(RECORD)
    user = terminal("replay", "match")
    user.wait_for("[0/3] ")
    assert user.interrupt() == 130
    assert "Traceback" not in user.seen


def test_tab_completes_a_command(terminal: Start) -> None:
    user = terminal(*PEOPLE)
    user.wait_for("red to move:")
    user.type("qu\t")
    user.wait_for("quit")
    user.type("\n")
    assert user.wait() == 0


def test_a_clock_that_runs_out_ends_the_match_at_the_prompt(terminal: Start, records: Start) -> None:
    user = terminal(*PEOPLE, "--clock", "1", NO_COLOR="1")
    user.wait_for("[red 0:0")
    user.wait_for("blue wins on time")
    user.type("quit\n")
    assert user.wait() == 0
    assert last_record(records).result == "0-1"
