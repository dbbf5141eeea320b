import inspect
import json
import os
import re
import shlex
import signal
import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import maze
import nim
import pytest
from installed import add_plugin
from waiting import TIMEOUT_S

from boardgames import match_setup
from boardgames.cli import session
from boardgames.cli.output import print_picture
from boardgames.cli.prompt import PlainPrompt, open_prompt
from boardgames.cli.saving import UnfinishedMatch
from boardgames.cli.session import Session, clock_text
from boardgames.clock import MatchClock
from boardgames.game import Outcome, Termination
from boardgames.manager import Manager
from boardgames.players.simple import Random
from boardgames.plugins import load_game_of
from boardgames.record import Record, parse_records, read_records, write_records

Run = Callable[..., Any]
PEOPLE = ("play", "connect4", "--second", "human")
AGENT = ("play", "connect4", "--agent", "alphabeta:depth=2", "--time", "10")


def saved(records: Callable[[], list[Path]]) -> Record:
    """Return the only match that was saved."""
    (path,) = records()
    (record,) = read_records(path, load_game_of).records
    return record


class ClosedByError(Random):
    """An agent that cannot be closed."""

    name = "broken-close"

    def close(self) -> None:
        """Raise."""
        raise ValueError("stuck")


class ClosedBySignal(Random):
    """An agent that takes so long to close that the terminal is closed meanwhile."""

    name = "slow-close"

    def close(self) -> None:
        """Receive SIGHUP."""
        signal.raise_signal(signal.SIGHUP)


@pytest.fixture
def unwritable(home: Path) -> None:
    """Create a file in place of the folder of matches; permissions would not stop root."""
    (home / "data").write_text("")


# --- beginning and end -----------------------------------------------------


def test_the_introduction_names_both_players_and_an_example_move(bg: Run) -> None:
    assert bg(*AGENT).out.startswith(
        "red is human, blue is alphabeta:depth=2; type a move such as 1, or help\n"
    )


def test_the_prompt_names_side_and_person(bg: Run) -> None:
    assert "red (Ann) to move: " in bg(*PEOPLE, "--names", "Ann,Bob").out


def test_the_prompt_omits_default_names(bg: Run) -> None:
    assert "\nred to move: " in bg(*PEOPLE).out


def test_the_end_of_the_input_saves_the_match_and_is_not_an_error(bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, typed="4\n4\n")
    assert (ran.code, ran.err) == (0, "")
    assert saved(records).moves == ("4", "4")
    path = records()[0]
    assert ran.out.endswith(f"match saved to {path}\nto continue, run: boardgames play --resume\n")


def test_a_last_line_without_a_line_end_is_read(bg: Run, records: Run) -> None:
    bg(*PEOPLE, typed="4\n5")
    assert saved(records).moves == ("4", "5")


@pytest.mark.parametrize("word", ["quit", "QUIT", "  quit  "])
def test_quit_saves_the_match_and_exits(word: str, bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, typed=f"4\n{word}\n5\n")
    assert ran.code == 0
    assert saved(records).moves == ("4",)


def test_a_finished_match_is_listed_by_matches_once(bg: Run, records: Callable[[], list[Path]]) -> None:
    bg(*PEOPLE, "--names", "Ann,Bob", typed="4\nnew\n4\n5\nresign\nnew\nquit\n")
    (listed,) = json.loads(bg("matches", "list", "--json").out)["matches"]
    assert ([player["agent"] for player in listed["players"]], listed["plies"]) == (["Ann", "Bob"], 2)
    assert listed["outcome"] == {"winner": 1, "termination": "resignation"}
    assert "added 1 match, 1 match already stored" in bg("matches", "import", *map(str, records())).out


def test_a_finished_match_that_cannot_be_listed_is_still_saved(
    bg: Run, home: Path, records: Callable[[], list[Path]]
) -> None:
    (home / "data" / "matches.db").mkdir(parents=True)
    ran = bg(*PEOPLE, typed="4\nresign\nquit\n")
    assert ran.code == 2
    assert saved(records).moves == ("4",)
    assert ran.err.startswith("error: cannot add the match to the database of `boardgames matches`: ")
    assert ran.err.count("\n") == 1


def test_a_match_that_cannot_be_saved_is_printed(bg: Run, unwritable: None) -> None:
    ran = bg(*PEOPLE, typed="4\n5\n")
    assert ran.code == 2
    assert '[Game "connect4"]' in ran.out
    assert re.search(r"1\. 4 \{[\d.]+\} 5 \{[\d.]+\} \*", ran.out)
    assert re.fullmatch(r"error: cannot create the folder .*\n", ran.err)


def test_an_agent_that_cannot_be_closed_does_not_prevent_saving(
    offer: Run, bg: Run, records: Callable[[], list[Path]]
) -> None:
    offer("bg_agents", **{"broken-close": ClosedByError})
    ran = bg("play", "connect4", "--agent", "broken-close", typed="4\nnew\n5\nquit\n")
    assert ran.code == 0
    assert len(records()) == 2
    assert "could not be closed: ValueError: stuck" in ran.err


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="the system has no SIGHUP")
@pytest.mark.parametrize("last", ["quit", "new"])
def test_an_interrupt_while_players_close_comes_after_the_match_is_saved(
    last: str, offer: Run, bg: Run, records: Callable[[], list[Path]]
) -> None:
    offer("bg_agents", **{"slow-close": ClosedBySignal})
    ran = bg("play", "connect4", "--agent", "slow-close", typed=f"4\n{last}\n5\n")
    assert (ran.code, ran.err) == (130, "")
    assert len(saved(records).moves) == 2


def test_an_interrupt_during_saving_is_ignored(
    monkeypatch: pytest.MonkeyPatch, bg: Run, records: Callable[[], list[Path]]
) -> None:
    def interrupted(*arguments: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        write_records(*arguments)

    monkeypatch.setattr("boardgames.record.write_records", interrupted)
    assert bg(*PEOPLE, typed="4\nquit\n").code == 0
    assert saved(records).moves == ("4",)


def test_a_finished_match_says_who_has_won_and_is_saved(bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, typed="1\n2\n1\n2\n1\n2\n1\n")
    assert "\nred wins\nmatch over (new, undo, save FILE, quit): " in ran.out
    assert saved(records).result == "1-0"


def test_the_final_position_can_be_viewed(bg: Run) -> None:
    assert "red wins" in bg(*PEOPLE, "--position", "1212121").out


# --- moves -------------------------------------------------------------------


def test_two_people_move_in_turn(bg: Run) -> None:
    ran = bg(*PEOPLE, typed="4\n5\n")
    assert re.findall(r"(\w+) to move", ran.out) == ["red", "blue", "red"]


def test_the_agent_replies_and_announces_its_move(bg: Run, records: Run) -> None:
    ran = bg(*AGENT, typed="4\n")
    record = saved(records)
    assert len(record.moves) == 2
    assert f"blue plays {record.moves[1]} in " in ran.out


def test_the_agent_says_what_it_expects_and_how_long_it_has_thought(bg: Run) -> None:
    ran = bg(*AGENT, typed="1\n")
    assert re.search(
        r"^blue plays \d in \d+\.\d s: \d+\.\d% chance of winning for blue$", ran.out, re.MULTILINE
    )


def test_a_win_is_given_in_moves_and_in_plies(bg: Run) -> None:
    ran = bg(*AGENT, "--position", "121212", typed="7\n")
    assert re.search(r"^blue plays 2 in \d+\.\d s: win in 1 move \(1 ply\) for blue$", ran.out, re.MULTILINE)


def test_a_move_from_the_opening_book_is_marked(bg: Run) -> None:
    out = bg("play", "connect4", "--time", "30", typed="4\nhistory\nhint\n").out
    assert re.search(r"^blue plays 4 \(book\) in \d+\.\d s: loss in 20 moves", out, re.MULTILINE)
    assert re.search(r"^  1 red  4 +\d", out, re.MULTILINE)
    assert re.search(r"^  2 blue 4 \(book\) +\d", out, re.MULTILINE)
    assert "hint: 4 (book)\n" in out


def test_a_move_found_by_search_is_not_marked_as_a_book_move(bg: Run) -> None:
    assert "(book)" not in bg("play", "abalone", "--agent", "alphabeta:depth=1", typed="a1b2\n").out
    assert " (book) in " in bg("play", "abalone", "--agent", "alphabeta:time=9", typed="a1b2\n").out


def test_an_agent_without_an_evaluation_only_says_how_long_it_took(bg: Run) -> None:
    ran = bg("play", "connect4", "--agent", "random", typed="1\n")
    assert re.search(r"^blue plays \d in \d+\.\d s$", ran.out, re.MULTILINE)


def test_the_agent_can_make_the_first_move(bg: Run, records: Run) -> None:
    bg("play", "connect4", "--first", "random", "--second", "human", "--seed", "1", typed="4\n")
    assert len(saved(records).moves) == 3


def test_the_board_marks_the_agents_move(bg: Run, records: Run) -> None:
    board = bg(*AGENT, typed="4\n").out.rpartition("blue plays")[2]
    assert board.count("B") == 1
    assert board.count("r") > board.count("R") == 0


@pytest.mark.parametrize("clicks", ["c3 c5 d4", "C3 C5 D4", "  c3   c5 d4 ", "c3c5d4", "c5 c3 d6"])
def test_a_move_is_typed_as_text_or_clicks(clicks: str, bg: Run, records: Run) -> None:
    start = "wwwww/wwwwww/..www../......../........./......../..bbb../bbbbbb/bbbbb"
    ran = bg("play", "abalone", "--second", "human", "--position", start, typed=f"{clicks}\n")
    assert "expected" not in ran.out
    assert saved(records).moves[0][:4] == "c3c5"


def test_moves_are_read_in_the_chosen_notation(bg: Run, records: Run) -> None:
    layout = ("--layout", "standard", "--notation", "nacre", "--second", "human")
    ran = bg("play", "abalone", *layout, typed="a1d4\n")
    assert "expected" not in ran.out
    assert saved(records).moves == ("a1b2",)


def test_an_illegal_move_is_rejected_and_the_match_continues(bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, typed="1\n1\n1\n1\n1\n1\n1\n2\n")
    assert ran.code == 0
    assert "'1'" in ran.out
    assert "; type moves for a list\n" in ran.out
    assert saved(records).moves[-1] == "2"


def test_the_error_of_an_illegal_move_does_not_list_all_moves(bg: Run) -> None:
    ran = bg("play", "abalone", "--second", "human", typed="i5i6\n")
    said = next(line for line in ran.out.splitlines() if "i5i6" in line)
    assert len(said) < 120


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("xyzzy", "'xyzzy' is not a column; columns are 1 to 7; type help for a list of commands"),
        ("quti", "'quti' is not a column; columns are 1 to 7; did you mean 'quit'?"),
        ("\x1b[A", r"'\x1b[a' is not a column"),
        ("9" * 5000, "... (5000 characters)"),
        ("4 4 4", "'4 4 4' is not a column"),
    ],
    ids=["another word", "a misspelt command", "an arrow key", "very long", "clicks of no move"],
)
def test_a_malformed_move_is_quoted_and_the_match_continues(line: str, said: str, bg: Run) -> None:
    ran = bg(*PEOPLE, typed=f"{line}\n4\n")
    assert (ran.code, ran.err) == (0, "")
    assert said in ran.out
    assert "blue to move" in ran.out
    assert "\x1b" not in ran.out


def test_an_empty_line_repeats_the_prompt(bg: Run) -> None:
    assert bg(*PEOPLE, typed="\n   \n").out.count("red to move: ") == 3


def test_invalid_utf8_is_treated_like_any_malformed_move(bg: Run) -> None:
    ran = bg(*PEOPLE, typed=b"\xff\xfe\x00\n4\n")
    assert ran.code == 0
    assert "is not a column" in ran.out
    assert "blue to move" in ran.out


# --- commands ----------------------------------------------------------------


def test_help_explains_every_command(bg: Run) -> None:
    out = bg("play", "abalone", "--second", "human", "--clock", "60", typed="help\n").out
    assert "\ntype a move such as i8i7, the cells of a move separated by spaces, or a command:\n" in out
    for word in (
        "undo",
        "hint",
        r"moves \[CELL\]",
        "history",
        "flip",
        "pause",
        "save FILE",
        "load FILE",
        "new",
        "draw",
        "resign",
        "quit",
    ):
        assert re.search(rf"^  {word} +\w", out, re.MULTILINE)


def test_help_leaves_out_commands_that_the_match_does_not_have(bg: Run) -> None:
    out = bg(*PEOPLE, typed="help\n").out
    assert "\ntype a move such as 1 or a command:\n  moves        list the legal moves\n" in out
    assert "cell" not in out.partition("or a command:")[2].partition("red to move")[0]
    assert "\n  pause" not in out
    assert "\n  pause        stop the clock" in bg(*PEOPLE, "--time", "60", typed="help\n").out


@pytest.mark.parametrize("word", ["?", "HELP"])
def test_a_question_mark_prints_the_help(word: str, bg: Run) -> None:
    assert "\n  undo  " in bg(*PEOPLE, typed=f"{word}\n").out


def test_help_begins_with_the_rules(bg: Run) -> None:
    rules = bg("rules", "connect4").out
    assert rules.startswith("Connect Four: The sides take turns to drop a stone")
    assert f"\n{rules}\ntype a move" in bg(*PEOPLE, typed="help\n").out


def test_a_player_that_learns_says_so_and_where_it_has_saved(home: Path, bg: Run) -> None:
    out = bg("play", "connect4", "--agent", "td:learn=true,save=mine.safetensors", typed="4\nresign\n").out
    assert "(saves to mine.safetensors) learns from this match and may try random moves\n" in out
    assert "has learned from this match: weights saved to mine.safetensors\n" in out
    assert (home.parent / "mine.safetensors").is_file()


def test_a_player_that_learns_says_that_an_unfinished_match_saved_nothing(bg: Run) -> None:
    out = bg("play", "connect4", "--agent", "td:learn=true,save=mine.safetensors", typed="4\nquit\n").out
    assert "has not saved its weights, since the match is not finished\n" in out


TWO_MARBLES = "....w/....../......./......../........./......../......./....../bb..."


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("moves a1", "5 legal moves with a1:\na1a2 a1a2b1 a1a2b2 a1b1 a1b2\n"),
        ("moves A2", "6 legal moves with a2:\n"),
        ("moves a3", "no legal move with a3\n"),
        ("moves i9", "no legal move with i9\n"),
        ("moves z1", "there is no cell 'z1' on this board\n"),
        ("a1", "moves with a1: a1a2 a1a2b1 a1a2b2 a1b1 a1b2\nblack to move: "),
        ("A3", "to move: \nmoves to a3: a1a2 a2a3\n"),
        ("i9", "no legal move with i9\n"),
    ],
)
def test_moves_followed_by_a_cell_lists_the_moves_of_that_cell(line: str, said: str, bg: Run) -> None:
    out = bg("play", "abalone", "--second", "human", "--position", TWO_MARBLES, typed=f"{line}\n").out
    assert said in out


def test_history_lists_moves_with_times_and_values(bg: Run) -> None:
    out = bg(*AGENT, typed="4\nhistory\n").out
    listed = out.partition("ply side move  time value\n")[2].splitlines()
    assert re.fullmatch(r"  1 red  4 +\d+\.\d s", listed[0])
    assert re.fullmatch(r"  2 blue \d +\d+\.\d s \d+\.\d%", listed[1])
    assert listed[2] == "a value is what the agent expected for itself, as chances of winning"


def test_history_between_people_has_no_values(bg: Run) -> None:
    out = bg(*PEOPLE, typed="4\nhistory\n").out
    assert "a value is" not in out
    assert "no moves have been made" in bg(*PEOPLE, typed="history\n").out


def test_moves_lists_every_legal_move_in_lines_of_80(bg: Run) -> None:
    out = bg("play", "abalone", "--second", "human", typed="moves\n").out
    listed = re.search(r"52 legal moves:\n((?:[a-i1-9 ]+\n)+)", out)
    assert listed is not None
    assert len(listed[1].split()) == 52
    assert max(map(len, listed[1].splitlines())) <= 80


def test_moves_says_that_one_move_is_legal(bg: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    add_plugin(monkeypatch, maze.as_plugin())
    typed = "moves\nquit\n"
    ran = bg("play", "maze", "--second", "human", "--option", "rooms=a:0:..b,..a", typed=typed)
    assert "1 legal move:\nb\n" in ran.out


def test_hint_names_a_move_that_wins(bg: Run) -> None:
    ran = bg(*PEOPLE, "--position", "121212", "--time", "5", typed="hint\n")
    assert "hint: 1\n" in ran.out


def test_hint_does_not_change_the_match(bg: Run, records: Run) -> None:
    bg(*PEOPLE, "--time", "0.2", typed="4\nhint\n")
    assert saved(records).moves == ("4",)


def test_pause_stops_the_clock_until_enter_is_pressed(
    bg: Run, records: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    managers: list[Manager] = []
    seen: list[tuple[str, bool, bool]] = []

    def make(*given: Any, **more: Any) -> Manager:
        managers.append(Manager(*given, **more))
        return managers[-1]

    def question(self: PlainPrompt, text: str) -> str:
        seen.append((text, managers[-1].is_paused, managers[-1].is_clock_running))
        return ""

    monkeypatch.setattr(match_setup, "Manager", make)
    monkeypatch.setattr(PlainPrompt, "question", question)
    out = bg(*PEOPLE, "--clock", "300", typed="4\npause\n5\nresign\npause\n").out
    assert seen == [("paused; press Enter to continue: ", True, False)]
    assert saved(records).moves == ("4", "5")
    assert "the match is over" in out


def test_undo_between_people_takes_back_one_ply(bg: Run, records: Run) -> None:
    bg(*PEOPLE, typed="4\n5\nundo\n6\n")
    assert saved(records).moves == ("4", "6")


def test_undo_against_an_agent_goes_back_to_the_persons_last_move(bg: Run, records: Run) -> None:
    bg(*AGENT, typed="4\n5\nundo\n")
    assert saved(records).moves[::2] == ("4",)
    assert len(saved(records).moves) == 2


def test_undo_after_the_end_continues_the_match(bg: Run, records: Run) -> None:
    bg(*PEOPLE, typed="1\n2\n1\n2\n1\n2\n1\nundo\n3\n")
    assert saved(records).result == "*"
    assert saved(records).moves[-1] == "3"


def test_undo_without_a_move_is_rejected(bg: Run) -> None:
    assert "there is no move to take back" in bg(*PEOPLE, typed="undo\n").out


def test_flip_shows_the_board_from_the_other_side(bg: Run) -> None:
    flipped = [line.strip() for line in bg("show", "abalone", "--flip").out.splitlines()[2:13]]
    lines = bg("play", "abalone", "--second", "human", typed="flip\n").out.splitlines()
    board = [line.strip() for line in lines[len(lines) // 2 :]]
    assert flipped[0] == "5 4 3 2 1"
    assert all(line in board for line in flipped)


def test_draw_is_agreed_between_people(bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, "--names", "Ann,Bob", typed="4\n4\ndraw\ny\n")
    assert "Bob, do you accept the draw? [y/N] " in ran.out
    assert "Bob accepts the draw\n" in ran.out
    assert "draw by agreement" in ran.out
    assert saved(records).result == "1/2-1/2"


def test_either_person_can_offer_a_draw(bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, "--names", "Ann,Bob", typed="4\ndraw\nyes\n")
    assert "Ann, do you accept the draw? [y/N] " in ran.out
    assert saved(records).result == "1/2-1/2"


@pytest.mark.parametrize("answer", ["n", "no", ""])
def test_the_match_continues_after_a_declined_draw(answer: str, bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, typed=f"draw\n{answer}\n4\n")
    assert "blue declines the draw" in ran.out
    assert saved(records).moves == ("4",)


def test_an_invalid_answer_repeats_the_question(bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, typed="4\ndraw\n4\ny\n")
    assert "please answer y or n" in ran.out
    assert saved(records).result == "1/2-1/2"


def test_an_agent_that_accepts_no_draws_declines(bg: Run) -> None:
    ran = bg("play", "connect4", "--agent", "random", typed="draw\n")
    assert "random declines the draw" in ran.out


def test_an_agent_that_is_losing_accepts_a_draw(bg: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardgames.manager.MIN_DRAW_PLIES", 0)
    ran = bg(*AGENT, "--position", "112233", typed="draw\n")
    assert "alphabeta:depth=2 accepts the draw\ndraw by agreement" in ran.out


def test_no_agent_accepts_a_draw_at_the_first_move(bg: Run) -> None:
    ran = bg(*AGENT, "--position", "112233", typed="draw\n4\n")
    assert "alphabeta:depth=2 declines the draw; agents accept none in the first 10 moves\n" in ran.out


@pytest.mark.parametrize(
    ("lines", "said"),
    [("resign", "the resignation is taken back\n"), ("draw\ny", "the draw is taken back\n")],
    ids=["resignation", "draw"],
)
def test_undo_reopens_a_match_after_a_resignation_or_a_draw(
    lines: str, said: str, bg: Run, records: Run
) -> None:
    ran = bg(*PEOPLE, typed=f"4\n{lines}\nundo\n5\n")
    assert said in ran.out
    assert (saved(records).moves, saved(records).result) == (("4", "5"), "*")


def test_resign_gives_the_match_to_the_other_side(bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, typed="4\nresign\n")
    assert "red wins by resignation" in ran.out
    assert saved(records).result == "1-0"


def test_new_starts_another_match_and_saves_both(bg: Run, records: Run) -> None:
    bg(*PEOPLE, typed="4\nnew\n5\n")
    matches = [read_records(path, load_game_of).records[0].moves for path in records()]
    assert matches == [("4",), ("5",)]


def test_the_command_new_starts_another_match_after_the_end(bg: Run) -> None:
    assert bg(*PEOPLE, typed="resign\nnew\n").out.rstrip().count("type a move such as 1") == 2


@pytest.mark.parametrize("lines", ["", "quit\n", "new\nnew\n", "resign\n"])
def test_a_match_without_moves_is_not_saved(lines: str, bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, typed=lines)
    assert (ran.code, records()) == (0, [])
    assert "saved" not in ran.out


def test_new_prints_a_match_that_cannot_be_saved_and_starts_another(bg: Run, unwritable: None) -> None:
    out = bg(*PEOPLE, typed="4\nnew\n5\n").out
    assert "cannot create the folder" in out
    assert "blue to move" in out.rpartition("type a move such as")[2]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("resign", "the match is over (blue wins by resignation)"),
        ("draw", "the match is over (blue wins by resignation)"),
        ("hint", "the match is over (blue wins by resignation)"),
        ("moves", "the match is over (blue wins by resignation)"),
        ("4", "the match is over; type new, undo, save FILE or quit"),
    ],
)
def test_commands_that_need_a_match_are_rejected_after_its_end(line: str, said: str, bg: Run) -> None:
    ran = bg(*PEOPLE, typed=f"resign\n{line}\n")
    assert ran.code == 0
    assert said in ran.out


# --- files -------------------------------------------------------------------


def test_a_saved_match_continues_after_load(home: Path, bg: Run) -> None:
    bg(*PEOPLE, "--names", "Ann,Bob", typed="4\n5\nsave mine\nquit\n")
    ran = bg(*PEOPLE, typed="1\nload mine\n6\nsave mine\n")
    first, second = read_records(home.parent / "mine", load_game_of).records
    assert first.moves == ("4", "5")
    assert second.moves == ("4", "5", "6")
    assert second.names == ("Ann", "Bob")
    assert "saved to mine" in ran.out


def test_load_saves_the_match_that_it_replaces(bg: Run, records: Run) -> None:
    bg(*PEOPLE, typed="4\nsave mine\nnew\n1\nload mine\n")
    assert ("1",) in [read_records(path, load_game_of).records[0].moves for path in records()]


def test_load_takes_options_from_the_record(bg: Run) -> None:
    bg(*PEOPLE, "--option", "columns=5", typed="4\nsave small\n")
    assert "7 legal moves" not in bg(*PEOPLE, typed="load small\nmoves\n").out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("load", "load needs the name of a file: load FILE"),
        ("save", "save needs the name of a file: save FILE"),
        ("load missing", "cannot read missing: no such file or directory"),
        ("load .", "cannot read .: is a directory"),
        ("save .", ": is a directory"),
        ("save prose/x", "cannot write prose/x: prose is not a folder"),
        ("load prose", "prose has an error"),
        ("load over", "the match in over is finished (1-0)"),
        ("load other", "other contains a match of 'hexifence', not connect4"),
        ("load broken", "broken has an error: match 1: "),
        ("load a\0b", r"not a file name: 'a\x00b'"),
        ("load ~nobody-of-this-name/x", "no such home folder"),
    ],
)
def test_an_unusable_file_is_reported_and_the_match_continues(
    line: str, said: str, home: Path, bg: Run, records: Run
) -> None:
    here = home.parent
    (here / "prose").write_text("It was the best of times.\n")
    (here / "broken").write_text('[Game "connect4"]\n[Start "-"]\n\n1. 4 9 *\n')
    (here / "over").write_text('[Game "connect4"]\n[Start "1212121"]\n[Termination "rules"]\n\n1-0\n')
    write_records(
        here / "other", [Record("hexifence", start=f"2:{'.' * 30}:{'.' * 7}:B", options={"dimension": "2"})]
    )
    ran = bg(*PEOPLE, typed=f"4\n{line}\n5\n")
    assert (ran.code, ran.err) == (0, "")
    assert said in ran.out
    assert saved(records).moves == ("4", "5")


# --- asking, time and limits --------------------------------------------------


def test_confirm_accepts_a_move_on_enter(bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, "--confirm", typed="4\n\n")
    assert "keep 4? [Enter: keep, u: undo] " in ran.out
    assert saved(records).moves == ("4",)


def test_confirm_takes_a_move_back_before_the_turn_passes(bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, "--confirm", typed="4\nu\n5\n\n")
    assert "taken back" in ran.out
    assert saved(records).moves == ("5",)


def test_confirm_repeats_the_question_after_any_other_answer(bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, "--confirm", typed="4\nmaybe\n\n")
    assert "press Enter to keep the move, or type u to take it back" in ran.out
    assert ran.out.count("keep 4?") == 2
    assert saved(records).moves == ("4",)


@pytest.fixture
def ten_seconds_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charge ten seconds for every move."""
    monkeypatch.setattr("boardgames.clock.MatchClock.elapsed", 10.0)


def test_a_side_whose_clock_runs_out_loses(ten_seconds_a_move: None, bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, "--clock", "60,5", typed="4\n5\n")
    assert "red wins on time" in ran.out
    assert saved(records).moves == ("4",)
    assert saved(records).result == "1-0"


@pytest.mark.parametrize("line", ["", "quit\n", "resign\n", "new\n"])
def test_nothing_typed_after_the_time_has_run_out_counts(
    line: str, ten_seconds_a_move: None, bg: Run, records: Run
) -> None:
    ran = bg(*PEOPLE, "--clock", "60,5", typed=f"4\n{line}")
    assert "red wins on time" in ran.out
    assert saved(records).outcome == Outcome(0, Termination.TIME)


def test_a_move_that_takes_too_long_loses(ten_seconds_a_move: None, bg: Run) -> None:
    assert "blue wins on time" in bg(*PEOPLE, "--time", "5", typed="4\n").out


def test_each_person_has_a_limit_per_move(ten_seconds_a_move: None, bg: Run) -> None:
    assert "red wins on time" in bg(*PEOPLE, "--time", "60,5", typed="4\n5\n").out


def test_a_single_limit_per_move_does_not_apply_to_a_person_who_plays_an_agent(
    ten_seconds_a_move: None, bg: Run
) -> None:
    out = bg("play", "connect4", "--agent", "random", "--time", "5", typed="4\n").out
    assert "on time" not in out
    assert "blue plays" in out


def test_two_limits_per_move_apply_to_a_person_who_plays_an_agent(ten_seconds_a_move: None, bg: Run) -> None:
    ran = bg("play", "connect4", "--agent", "random", "--time", "5,5", typed="4\n")
    assert "blue wins on time" in ran.out


def test_each_side_has_its_own_clock(bg: Run) -> None:
    out = bg(*PEOPLE, "--clock", "300,60").out
    assert re.search(r"^ +blue 1:00$", out, re.MULTILINE)
    assert re.search(r"^ +red [45]:\d\d$", out, re.MULTILINE)


def test_corners_show_the_time_that_each_side_has_for_a_move(bg: Run) -> None:
    out = bg(*PEOPLE, "--clock", "300", "--time", "5,2.5").out
    assert re.search(r"^ +blue 5:00, 2.5 s a move$", out, re.MULTILINE)
    assert re.search(r"^ +red 5:00, 5 s a move$", out, re.MULTILINE)


def test_clock_of_a_person_starts_after_the_board_has_been_printed(
    bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = []

    def noting(event: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            events.append(event)
            return function(*given, **named)

        return call

    monkeypatch.setattr(session, "print_picture", noting("board", print_picture))
    monkeypatch.setattr(session, "open_prompt", noting("prompt", open_prompt))
    monkeypatch.setattr(MatchClock, "start", noting("clock", MatchClock.start))
    bg(*PEOPLE, "--clock", "60", typed="4\n5\n")
    assert events == ["board", "prompt", "clock", "board", "clock", "board", "clock"]


@pytest.mark.parametrize(
    ("limits", "numbers"),
    [("80", ["1 of 80", "2 of 80", "3 of 80"]), ("80,60", ["1 of 80", "1 of 60", "2 of 80"])],
)
def test_the_corner_shows_how_many_moves_are_left(limits: str, numbers: list[str], bg: Run) -> None:
    out = bg(*PEOPLE, "--plies", limits, typed="4\n5\n").out
    assert re.findall(r"^ +move (.*)$", out, re.MULTILINE) == numbers


def test_each_side_has_its_own_number_of_moves(bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, "--plies", "2,1", typed="4\n4\n4\n")
    assert "draw (ply limit)" in ran.out
    assert saved(records).moves == ("4", "4", "4")


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--time", "0", "--time must be 0.001 to 604800, not '0'"),
        ("--time", "-1", "--time must be 0.001 to 604800, not '-1'"),
        ("--clock", "5,x", "--clock must be a number, not 'x'"),
        ("--plies", "80,0", "--plies must be at least 1, not '0'"),
        ("--plies", "1,2,3", "--plies takes one number, or one for each side as in 10,3, not '1,2,3'"),
    ],
)
def test_an_invalid_limit_is_rejected(option: str, value: str, said: str, bg: Run) -> None:
    ran = bg(*PEOPLE, option, value)
    assert (ran.code, ran.err) == (2, f"error: {said}\n")


def test_the_corners_show_time_and_move_number(bg: Run) -> None:
    out = bg(*PEOPLE, "--clock", "300", "--increment", "2", typed="4\n5\n").out
    assert re.search(r"^ +move 2$", out, re.MULTILINE)
    assert re.search(r"^ +blue 5:0\d$", out, re.MULTILINE)
    assert re.search(r"^ +red 5:0\d$", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0:00.0"),
        (9.99, "0:09.9"),
        (10.0, "0:10"),
        (9.999, "0:09.9"),
        (59.97, "0:59"),
        (60.0, "1:00"),
        (3600.0, "1:00:00"),
    ],
)
def test_a_clock_never_shows_more_than_is_left(seconds: float, text: str) -> None:
    assert clock_text(seconds) == text


def test_the_ply_limit_ends_the_match_in_a_draw(bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, "--plies", "2", typed="4\n4\n")
    assert "draw (ply limit)" in ran.out
    assert saved(records).result == "1/2-1/2"


def test_a_match_without_progress_ends_in_a_draw(bg: Run) -> None:
    ran = bg("play", "abalone", "--second", "human", "--no-progress", "1", typed="i8h7\n")
    assert "draw (no progress)" in ran.out


CORNERS = "....w/....../......./......../........./......../......./....../b...."


def test_repetition_ends_the_match_if_enabled(bg: Run) -> None:
    table = ("play", "abalone", "--second", "human", "--position", CORNERS)
    moves = "a1a2\ni9i8\na2a1\ni8i9\n" * 2
    assert "draw by repetition" in bg(*table, "--repetition", typed=moves).out
    assert "draw" not in bg(*table, typed=moves).out


def test_a_forbidden_repetition_is_not_among_the_moves(bg: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    add_plugin(monkeypatch, maze.as_plugin())
    table = ("play", "maze", "--second", "human", "--option", "repetition=forbidden")
    ran = bg(*table, typed="b\nmoves\na\nd\nquit\n")
    assert "2 legal moves:\nX d\n" in ran.out
    assert "[a]" not in ran.out
    assert "illegal move 'a': it repeats an earlier position; type moves for a list" in ran.out + ran.err
    rooms = ("--option", "rooms=a:0:b..,a..")
    assert "ann wins by repetition" in bg(*table, *rooms, typed="b\n").out
    assert "by repetition" not in bg(*table, *rooms, "--no-repetition", typed="b\na\nb\nquit\n").out


class StuckMaze(maze.PlainMaze):
    def apply(self, state: Any, move: Any) -> Any:
        return {}[move]


@pytest.mark.parametrize("debug", ["", "1"])
def test_an_exception_of_plain_rules_names_line_and_move_and_shows_its_traceback_on_request(
    debug: str, bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOARDGAMES_DEBUG", debug)
    monkeypatch.setattr(maze, "PlainMaze", StuckMaze)
    add_plugin(monkeypatch, maze.as_plugin())
    ran = bg("play", "plain-maze", "--second", "human", typed="b\nquit\n")
    line = inspect.unwrap(StuckMaze.apply).__code__.co_firstlineno + 1
    reason = f"StuckMaze.apply raised KeyError: 'b' (test_session.py:{line}, for the move 'b')"
    assert reason in " ".join(ran.out.split())
    assert ("Traceback" in ran.err) == ("return {}[move]" in ran.err) == bool(debug)


def test_resume_keeps_the_clock_of_each_side(bg: Run, records: Run) -> None:
    bg(*PEOPLE, "--clock", "300,60", typed="4\n5\nsave mine\n")
    out = bg(*PEOPLE, "--resume", "mine").out
    assert re.search(r"^ +blue (1:00|0:5\d)$", out, re.MULTILINE)
    assert re.search(r"^ +red [45]:\d\d$", out, re.MULTILINE)


def test_resume_keeps_names_and_clock_of_the_record(home: Path, bg: Run, records: Run) -> None:
    tags = {"TimeControl": "300+0"}
    settings: dict[str, Any] = {
        "names": ("Ann", "Bob"),
        "moves": ("4", "5"),
        "seconds": (2.0, 5.0),
        "tags": tags,
    }
    played = Record("connect4", start="-", **settings)
    write_records(home.parent / "mine", [played])
    ran = bg(*PEOPLE, "--resume", "mine", typed="6\n")
    last = read_records(records()[-1], load_game_of).records[0]
    assert last.moves == ("4", "5", "6")
    assert last.names == ("Ann", "Bob")
    assert last.tags["TimeControl"] == "300+0"
    assert "blue 4:55" in ran.out


def test_the_match_that_was_saved_last_is_resumed_without_naming_its_file(bg: Run, records: Run) -> None:
    bg("play", "abalone", "--second", "human", typed="a1b2\n")
    bg(*PEOPLE, "--first", "random", "--second", "human", "--names", "Robot,Ann", "--seed", "1", typed="4\n")
    newest = records()[-1]
    before = read_records(newest, load_game_of).records[0].moves
    ran = bg("play", "--resume", typed="5\n")
    assert ran.out.startswith("red is Robot, blue is Ann; ")
    assert records()[-1] == newest, "the file of the match is replaced"
    after = read_records(newest, load_game_of).records[0].moves
    assert (after[:4], len(after)) == ((*before, "5"), 5), "the agent moves by itself again"
    assert bg("play", "abalone", "--resume").out.startswith("black is human, white is human; ")
    assert bg("play", "--resume", "abalone").out == bg("play", "abalone", "--resume").out


def test_a_match_keeps_the_day_on_which_it_began(
    bg: Run, records: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.cli.play.today", lambda: date(2026, 11, 27))
    bg(*PEOPLE, typed="4\n")
    assert saved(records).tags["Date"] == "2026.11.27"
    monkeypatch.setattr("boardgames.cli.play.today", lambda: date(2026, 11, 28))
    monkeypatch.setattr("boardgames.cli.session.today", lambda: date(2026, 11, 29))
    bg("play", "--resume", typed="resign\nnew\n1\n")
    first, second = (read_records(path, load_game_of).records[0] for path in records())
    assert (first.outcome is not None, first.tags["Date"]) == (True, "2026.11.27")
    assert (second.moves, second.tags["Date"]) == (("1",), "2026.11.29")
    (stored,) = parse_records(bg("matches", "export", "-").out, load_game_of).records
    assert stored == first


@pytest.mark.parametrize("words", [("--resume",), ("connect4", "--resume", "mine")], ids=["newest", "file"])
def test_resuming_and_leaving_without_a_move_saves_nothing(
    words: tuple[str, ...], bg: Run, records: Run
) -> None:
    bg(*PEOPLE, "--clock", "300", "--names", "Ann,Bob", typed="4\nsave mine\n")
    (path,) = records()
    before = path.stat().st_mtime_ns, path.read_bytes()
    ran = bg("play", *words, typed="moves\nquit\n")
    assert (ran.code, ran.err) == (0, "")
    assert "saved" not in ran.out
    assert records() == [path]
    assert (path.stat().st_mtime_ns, path.read_bytes()) == before


def test_a_match_resumed_from_another_file_leaves_that_file_alone(home: Path, bg: Run, records: Run) -> None:
    mine = home.parent / "mine"
    mine.write_text('[Game "connect4"]\n[Start "-"]\n\n1. 4 *\n')
    before = mine.read_bytes()
    bg("play", "--resume", "mine", "--second", "human", typed="5\n")
    assert mine.read_bytes() == before
    assert saved(records).moves == ("4", "5")


def test_a_match_that_was_finished_after_resuming_is_not_resumed_again(bg: Run, records: Run) -> None:
    bg(*PEOPLE, typed="4\n")
    bg("play", "--resume", typed="resign\n")
    assert saved(records).result == "1-0"
    ran = bg("play", "--resume")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: there is no unfinished match; start one with `boardgames play GAME`\n"


def test_resuming_a_game_that_does_not_exist_names_similar_games(bg: Run) -> None:
    assert (
        bg("play", "conect4", "--resume").err == "error: no such game 'conect4'; did you mean 'connect4'?\n"
    )


def test_a_damaged_match_is_reported_and_an_older_one_is_resumed(bg: Run, records: Run) -> None:
    bg(*PEOPLE, typed="4\n")
    (path,) = records()
    damaged = path.with_name("connect4-damaged.record")
    damaged.write_text(path.read_text().replace(" 4 ", " 9 "))
    ran = bg("play", "--resume", typed="5\n")
    assert ran.code == 0
    assert ran.err.startswith(f"warning: a match cannot be resumed: {damaged} has an error: ")
    assert read_records(path, load_game_of).records[0].moves == ("4", "5")


def test_the_command_that_continues_works_where_the_environment_is_not_active(
    bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.defpath)
    command = bg(*PEOPLE, typed="4\n").out.splitlines()[-1].removeprefix("to continue, run: ")
    words = shlex.split(command)
    ran = subprocess.run(words, input=b"quit\n", capture_output=True, check=False, timeout=TIMEOUT_S)
    assert ran.returncode == 0, ran.stderr
    assert b"red is human, blue is human" in ran.stdout


def test_unreadable_files_among_the_saved_matches_are_skipped(bg: Run, records: Run) -> None:
    bg(*PEOPLE, typed="4\n")
    (path,) = records()
    path.with_name("connect4-9.record").mkdir()
    path.with_name("connect4-8.record").symlink_to("missing")
    path.with_name("connect4-7.record").write_bytes(b"\xff *")
    if hasattr(os, "mkfifo"):
        os.mkfifo(path.with_name("connect4-6.record"))
    ran = bg("play", "--resume", typed="5\n")
    assert ran.code == 0
    (line,) = ran.err.splitlines()
    assert line.startswith("warning: a match cannot be resumed: ")
    assert "connect4-7.record" in line
    assert read_records(path, load_game_of).records[0].moves == ("4", "5")


def test_two_programs_that_resume_the_same_match_both_save_it(
    bg: Run, records: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    bg(*PEOPLE, typed="4\n")
    (path,) = records()
    run = Session.run

    def run_late(session: Session, manager: Manager, resumed: UnfinishedMatch) -> int:
        monkeypatch.setattr(Session, "run", run)
        write_records(path, [replace(resumed.record, moves=("4", "6", "6"), seconds=(None,) * 3)])
        return run(session, manager, resumed)

    monkeypatch.setattr(Session, "run", run_late)
    bg("play", "--resume", typed="5\n")
    found = {read_records(one, load_game_of).records[0].moves for one in records()}
    assert found == {("4", "6", "6"), ("4", "5")}


def test_a_resumed_match_of_two_agents_is_not_resumed_again_once_it_is_over(
    home: Path, bg: Run, records: Run
) -> None:
    (home / "data" / "records").mkdir(parents=True)
    path = home / "data" / "records" / "connect4-1.record"
    write_records(path, [Record("connect4", start="-", names=("random", "greedy"), moves=("4", "5"))])
    ran = bg("play", "--resume")
    assert ran.code == 0
    assert f"match saved to {path}" in ran.out
    assert records() == [path]
    assert saved(records).outcome is not None
    assert bg("play", "--resume").code == 2


def test_a_new_agent_in_a_resumed_match_plays_under_its_own_name(bg: Run, records: Run) -> None:
    bg("play", "connect4", "--agent", "greedy", typed="4\n")
    ran = bg("play", "--resume", "--agent", "random", typed="4\n")
    assert ran.out.startswith("red is human, blue is random; ")
    assert saved(records).names == ("human", "random")
    assert bg("play", "--resume").out.startswith("red is human, blue is random; ")


def test_a_match_whose_agent_is_missing_is_not_resumed_with_another_player(bg: Run, records: Run) -> None:
    bg("play", "connect4", "--agent", "greedy", "--names", "Ann,Rob", typed="4\n")
    (path,) = records()
    path.write_text(path.read_text().replace('"greedy"', '"missing"'))
    ran = bg("play", "--resume", typed="4\n")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: connect4 has no agent 'missing'")
    assert bg("play", "--resume", "--agent", "greedy").out.startswith("red is Ann, blue is Rob; ")


def test_names_given_when_a_match_is_resumed_are_kept(bg: Run, records: Run) -> None:
    bg(*PEOPLE, typed="4\n")
    bg("play", "--resume", "--names", "Ann,Bob", typed="5\n")
    bg("play", "--resume", typed="6\n7\n")
    assert saved(records).names == ("Ann", "Bob")
    assert saved(records).moves == ("4", "5", "6", "7")


@pytest.mark.parametrize("words", [("--agent", "random"), ("--level", "1")], ids=["agent", "level"])
def test_a_new_opponent_of_the_second_player_becomes_the_first_player(
    words: tuple[str, str], bg: Run, records: Run
) -> None:
    bg("play", "connect4", "--first", "greedy", "--second", "human", typed="4\n")
    name = words[1] if words[0] == "--agent" else "level 1"
    assert bg("play", "--resume", *words).out.startswith(f"red is {name}, blue is human; ")


@pytest.mark.parametrize("word", ["quit", "q", "exit"])
def test_common_words_for_quit_end_the_session(word: str, bg: Run, records: Run) -> None:
    ran = bg(*PEOPLE, typed=f"4\n{word}\n5\n")
    assert (ran.code, saved(records).moves) == (0, ("4",))


def test_enter_passes_if_passing_is_all_that_is_legal(bg: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    add_plugin(monkeypatch, nim.as_plugin())
    words = ("play", "nim", "--second", "human", "--option", "forced=true", "--moves", "take3")
    out = bg(*words, typed="\ntake1\n\nquit\n").out
    assert "[pass]" in out
    assert "second to move, pass (Enter): \n" in out
    assert out.count("first to move: \n") == 1
    assert out.count("second to move: \n") == 2  # here Enter does nothing


def test_a_button_is_not_pressed_by_enter_if_there_are_other_moves(
    bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_plugin(monkeypatch, nim.as_plugin())
    out = bg("play", "nim", "--second", "human", "--option", "passing=true", typed="\npass\nquit\n").out
    assert "(Enter)" not in out
    assert out.count("first to move: \n") == 2
    assert "second to move: \n" in out
