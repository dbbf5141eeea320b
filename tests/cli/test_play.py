import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boardgames.cli.play import HIGHEST_LEVEL
from boardgames.game import Termination
from boardgames.players.levels import STRENGTHS
from boardgames.plugins import load_game_of
from boardgames.record import parse_records

Run = Callable[..., Any]
AGENTS = ("play", "connect4", "--first", "random", "--second", "random")


def without_times(text: str) -> tuple[str, list[str]]:
    """Return the tags of a record, and its moves without times and line breaks."""
    before, _, moves = text.rpartition("]\n\n")
    return before, re.sub(r"\{[^}]*\}", "", moves).split()


def test_two_agents_print_the_end_and_a_record_that_can_be_read_back(home: Path, bg: Run) -> None:
    ran = bg(*AGENTS, "--seed", "1")
    assert (ran.code, ran.err) == (0, "")
    assert re.search(r"^(red wins|blue wins|draw) after \d+ plies$", ran.out, re.MULTILINE)
    (home.parent / "match").write_text(ran.out[ran.out.index("[Game") :])
    replayed = bg("replay", "match", "--list")
    assert (replayed.code, replayed.err) == (0, "")
    assert replayed.out.startswith("1. connect4: random - random ")


def test_two_agents_play_without_showing_every_board(bg: Run) -> None:
    shown = re.findall(r"^ +1 +2 +3 +4 +5 +6 +7$", bg(*AGENTS, "--seed", "1").out, re.MULTILINE)
    assert len(shown) == 1


def test_equal_seeds_repeat_the_match(bg: Run) -> None:
    first, second, other = (without_times(bg(*AGENTS, "--seed", seed).out) for seed in ("1", "1", "2"))
    assert first == second
    assert first != other


def test_watch_shows_every_move(bg: Run) -> None:
    ran = bg(*AGENTS, "--seed", "1", "--watch", "--delay", "0", "--plies", "3")
    assert re.findall(r"^(\d+)\. (\w+) plays \d in \d+\.\d s$", ran.out, re.MULTILINE) == [
        ("1", "red"),
        ("2", "blue"),
        ("3", "red"),
    ]
    assert ran.out.count("1 2 3 4 5 6 7") == 4


def test_the_ply_limit_ends_a_match_of_agents(bg: Run) -> None:
    assert "draw (ply limit) after 3 plies" in bg(*AGENTS, "--plies", "3").out


def test_the_better_score_wins_at_the_ply_limit_if_that_is_the_rule(home: Path, bg: Run) -> None:
    board = "...../....../......./......../wbb....bw/......../......./....w./....."
    players = ("--first", "alphabeta:depth=2", "--second", "random", "--position", f"{board}:b:0:0")
    by_score = bg("play", "abalone", "--option", "limit=score", *players, "--plies", "3", "--seed", "1")
    assert (by_score.code, by_score.err) == (0, "")
    assert "black wins (ply limit) after 3 plies" in by_score.out
    (home.parent / "match").write_text(by_score.out[by_score.out.index("[Game") :])
    replayed = bg("replay", "match", "--list")
    assert (replayed.code, replayed.err) == (0, "")
    assert " 1-0, 3 plies" in replayed.out
    assert "draw (ply limit)" in bg("play", "abalone", *players, "--plies", "3", "--seed", "1").out


def test_matches_of_agents_end_at_the_third_repetition_by_default(bg: Run) -> None:
    corners = "....w/....../......./......../........./......../......./....../b...."
    table = (
        "play",
        "abalone",
        "--first",
        "random",
        "--second",
        "random",
        "--position",
        corners,
        "--plies",
        "300",
    )
    ends = {bg(*table, "--seed", seed).out.partition(" after ")[0].rpartition("\n")[2] for seed in "1234"}
    assert ends <= {"draw by repetition", "draw (no progress)"}
    free = bg(*table, "--no-repetition", "--no-progress", "1000", "--seed", "1").out
    assert "(ply limit) after 300 plies" in free


def test_names_layout_and_options_are_in_the_record(bg: Run) -> None:
    arguments = ("--layout", "standard", "--option", "broadside=false", "--names", "Ann,Bob", "--plies", "1")
    out = bg("play", "abalone", "--first", "random", "--second", "random", *arguments).out
    (record,) = parse_records(out[out.index("[Game") :], load_game_of).records
    assert (record.names, record.layout) == (("Ann", "Bob"), "standard")
    assert record.options["broadside"] == "false"
    assert record.outcome is not None
    assert record.outcome.termination is Termination.PLY_LIMIT


def test_the_position_option_sets_the_start(bg: Run) -> None:
    out = bg(*AGENTS, "--position", "4453", "--plies", "1").out
    (record,) = parse_records(out[out.index("[Game") :], load_game_of).records
    assert record.start.endswith("..brr..")


@pytest.mark.parametrize("option", ["--agent", "--second"])
def test_the_option_agent_is_short_for_second(option: str, bg: Run) -> None:
    assert "blue is random" in bg("play", "connect4", option, "random").out


def test_by_default_a_person_plays_the_default_agent(bg: Run) -> None:
    assert bg("play", "abalone").out.startswith("black is human, white is alphabeta")


def test_a_level_is_the_second_player(bg: Run, records: Callable[[], list[Path]]) -> None:
    ran = bg("play", "connect4", "--level", "2", "--seed", "1", typed="4\n4\nquit\n")
    assert (ran.code, ran.err) == (0, "")
    assert "red is human, blue is level 2;" in ran.out
    assert len(re.findall(r"^blue plays \d in ", ran.out, re.MULTILINE)) == 2
    (record,) = parse_records(records()[0].read_text(), load_game_of).records
    assert record.names == ("human", "level:level=2")


@pytest.mark.parametrize("text", ["level:2", "level=2"])
def test_a_level_can_be_abbreviated(text: str, bg: Run, records: Callable[[], list[Path]]) -> None:
    ran = bg("play", "connect4", "--agent", text, "--seed", "1", typed="4\n")
    assert "red is human, blue is level 2;" in ran.out
    (record,) = parse_records(records()[0].read_text(), load_game_of).records
    assert record.names == ("human", "level:level=2")


def test_a_short_option_needs_an_option_of_that_name(bg: Run) -> None:
    done = bg("play", "connect4", "--agent", "alphabeta:3")
    said = "the agent 'alphabeta' has no option that can be written alphabeta:3"
    assert (done.code, done.err) == (2, f"error: {said}\n")


def test_a_level_can_play_either_side(bg: Run) -> None:
    ran = bg("play", "connect4", "--first", "level:level=1", "--level", "6", "--seed", "1")
    (record,) = parse_records(ran.out[ran.out.index("[Game") :], load_game_of).records
    assert record.names == ("level:level=1", "level:level=6")


def test_the_level_option_accepts_exactly_the_existing_levels() -> None:
    assert len(STRENGTHS) == HIGHEST_LEVEL


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--second", "human", "--watch"),
            "--watch only works with two agents; a person sees every move anyway",
        ),
        (("--second", "random", "--delay", "3"), "--delay only works with --watch"),
    ],
    ids=["watch", "delay"],
)
def test_an_option_without_effect_is_rejected(options: tuple[str, ...], said: str, bg: Run) -> None:
    ran = bg("play", "connect4", "--first", "random", *options)
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {said}\n")


def test_each_agent_has_its_own_time(bg: Run) -> None:
    ran = bg("play", "connect4", "--first", "mcts", "--second", "mcts", "--time", "0.3,0.01", "--plies", "2")
    (record,) = parse_records(ran.out[ran.out.index("[Game") :], load_game_of).records
    first, second = record.seconds
    assert first is not None
    assert second is not None
    assert first > second


def test_names_that_the_locale_cannot_decode_are_utf_8(bg: Run) -> None:
    given = "Zoë,黒".encode().decode("ascii", "surrogateescape")  # as under LC_ALL=C
    ran = bg("play", "connect4", "--first", "random", "--second", "random", "--names", given)
    assert '[First "Zoë"]\n[Second "黒"]' in ran.out


def test_weights_that_cannot_be_saved_are_reported_before_the_match(home: Path, bg: Run) -> None:
    (home.parent / "file").touch()
    ran = bg("play", "connect4", "--first", "td:learn=true,save=file/x.safetensors", "--second", "random")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: cannot ")


def test_matches_lists_a_match_between_agents(bg: Run, records: Callable[[], list[Path]]) -> None:
    ran = bg("play", "connect4", "--first", "random", "--second", "greedy", "--seed", "1")
    listed = bg("matches", "list").out.splitlines()
    assert (ran.code, len(listed), listed[1].split()[2:5]) == (0, 2, ["connect4", "random", "greedy"])
    assert bg("matches", "export", "-").out in ran.out + "\n\n"
    assert records() == []


def test_a_match_between_agents_that_cannot_be_stored_is_printed_with_a_warning(bg: Run, home: Path) -> None:
    (home / "data").write_text("not a folder")
    ran = bg(*AGENTS, "--seed", "1")
    assert ran.code == 0
    assert '[Game "connect4"]' in ran.out
    assert ran.err.startswith("warning: cannot add the match to the database of `boardgames matches`: ")
