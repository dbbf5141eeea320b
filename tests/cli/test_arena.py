"""`boardgames arena`: reports, interruption and resuming, errors."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from processes import wait_until_dead
from waiting import TIMEOUT_S

from boardgames.arena.pentanomial import Estimate
from boardgames.arena.report import Report, Standing
from boardgames.cli.arena import report_lines
from boardgames.store import Store

PROGRAM = (sys.executable, "-m", "boardgames")
ALONE = ("--workers", "1")
ARENA = ("arena", "connect4", "--option", "columns=5", "--option", "rows=4")
RANDOM = (*ARENA, "random", "greedy", "--seed", "1")


def test_a_report_says_which_agent_is_stronger_and_how_certain_that_is(bg: Callable[..., Any]) -> None:
    deep, flat = "alphabeta:depth=3", "alphabeta:depth=1"
    ran = bg(*ARENA, flat, deep, "--matches", "12", "--seed", "1", *ALONE)
    assert (ran.code, ran.err) == (0, "")
    assert re.search(r"^connect4: 12 matches, \d+ distinct, the first side scores \d+\.\d%", ran.out)
    row = re.compile(r"^(alphabeta:\S+) +(\d+) +(\d+) +(\d+) +[\d.]+% +(\S.*)$", re.MULTILINE)
    rows = row.findall(ran.out)
    assert [row[0] for row in rows] == [deep, flat]
    assert int(rows[0][1]) + int(rows[0][2]) + int(rows[0][3]) == 12
    assert re.fullmatch(r"\+\d+ \[-?\d+, \d+\]", rows[0][4])
    assert re.search(rf"likelihood that {deep} is stronger: (over )?\d+\.\d%", ran.out)


def test_the_footer_describes_the_leader_whichever_agent_is_named_first(bg: Callable[..., Any]) -> None:
    agents = ("alphabeta:depth=3", "random")
    footers = []
    for order in (agents, agents[::-1]):
        out = bg(*ARENA, *order, "--matches", "8", "--seed", "1", *ALONE).out
        counts = re.search(
            rf"^pairs in which {agents[0]} scored 0, 0.5, 1, 1.5 and 2: (.+)$", out, re.MULTILINE
        )
        share = re.search(rf"^likelihood that {agents[0]} is stronger: (?:over )?(.+)%$", out, re.MULTILINE)
        assert counts is not None
        assert share is not None
        footers.append(counts[1].split())
        assert float(share[1]) > 50
    for numbers in footers:
        assert int(numbers[3]) + int(numbers[4]) > int(numbers[0]) + int(numbers[1])


@pytest.mark.parametrize(
    ("matches", "said"),
    [
        (2, "alphabeta:depth=3 has won every match, but too few were played to say by how much it leads"),
        (12, "alphabeta:depth=3 has won every match and leads by more than [0-9]+ Elo"),
    ],
)
def test_a_clean_sweep_counts_as_a_lead_only_after_enough_matches(
    matches: int, said: str, bg: Callable[..., Any]
) -> None:
    agents = ("random", "alphabeta:depth=3")
    out = bg("arena", "connect4", *agents, "--matches", str(matches), "--seed", "1", *ALONE).out
    assert re.search(f"^{said}$", out, re.MULTILINE), out


@pytest.mark.parametrize(
    ("elo", "said"),
    [
        ((12.3, 11.8, -24.1), "a and b lead, 12 Elo above the average"),
        ((24.0, -11.6, -12.4), "a leads, 24 Elo above the average"),
        ((0.1, 0.0, -0.1), "no agent leads"),
    ],
)
def test_agents_that_are_equally_strong_lead_together(elo: tuple[float, ...], said: str) -> None:
    standings = tuple(
        Standing(name, 4, 4, 2, Estimate(value, -100.0, 100.0), {})
        for name, value in zip("abc", elo, strict=True)
    )
    report = Report("connect4", 30, 30, 30, 0, 0, 0.5, standings, (), None, None, None)
    assert said in report_lines(report, ["a", "b", "c"])


def test_the_meaning_of_a_repeated_position_can_be_set(bg: Callable[..., Any]) -> None:
    table = ("arena", "abalone", "random", "random", "--matches", "2", "--plies", "6", "--no-store", *ALONE)
    assert bg(*table, "--seed", "1", "--repetition", "loss").code == 0
    wrong = bg(*table, "--repetition", "lose")
    message = "a repeated position must mean none, draw, loss or forbidden, not 'lose'; did you mean 'loss'?"
    assert (wrong.code, wrong.err.strip()) == (2, f"error: {message}")


def test_a_clean_sweep_gives_a_finite_lower_bound(bg: Callable[..., Any]) -> None:
    sweep = ("arena", "connect4", "alphabeta:depth=4", "random", "--matches", "20", "--seed", "1", *ALONE)
    assert re.search(r" +100\.0% +> \+\d+$", bg(*sweep).out, re.MULTILINE)
    first, second = json.loads(bg(*sweep, "--fresh", "--json").out)["players"]
    assert (first["wins"], first["elo_high"], second["elo_low"]) == (20, None, None)
    assert first["elo"] == -second["elo"] > first["elo_low"] == -second["elo_high"] > 0


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_equal_commands_print_equal_reports(workers: str, bg: Callable[..., Any]) -> None:
    first, second = (bg(*RANDOM, "--matches", "8", "--json", "--workers", count) for count in ("1", workers))
    assert json.loads(first.out)["matches"] == 8
    assert first.out == second.out


def test_four_agents_share_one_table(bg: Callable[..., Any]) -> None:
    agents = ("random", "greedy", "alphabeta:depth=1", "alphabeta:depth=2")
    ran = bg(*ARENA, *agents, "--matches", "4", "--seed", "1", "--json", *ALONE)
    report = json.loads(ran.out)
    assert report["matches"] == 24
    assert [player["agent"] for player in report["players"]] == list(agents)
    assert sum(player["elo"] for player in report["players"]) == pytest.approx(0, abs=0.1)
    assert (report["pairs"], report["superiority"], report["sprt"]) == (None, None, None)


@pytest.mark.parametrize(
    ("schedule", "matches"),
    [(["--gauntlet", "greedy"], 12), (["--swiss"], 16), (["--swiss", "--rounds", "3"], 24)],
)
def test_gauntlet_and_swiss_play_fewer_pairings(
    schedule: list[str], matches: int, bg: Callable[..., Any]
) -> None:
    agents = ("random", "greedy", "alphabeta:depth=1", "alphabeta:depth=2")
    ran = bg(*ARENA, *agents, "--matches", "4", *schedule, "--json", "--seed", "1", *ALONE)
    assert json.loads(ran.out)["matches"] == json.loads(ran.out)["planned"] == matches


def test_the_gauntlet_agent_is_added_to_the_field(bg: Callable[..., Any]) -> None:
    ran = bg(*ARENA, "random", "--gauntlet", "greedy", "--matches", "2", "--json", *ALONE)
    assert [player["agent"] for player in json.loads(ran.out)["players"]] == ["greedy", "random"]


def test_a_sequential_test_stops_early(bg: Callable[..., Any]) -> None:
    limits = ("--matches", "1000", "--sprt", "0,200", "--seed", "1")
    series = (*ARENA, "greedy", "random", *limits, *ALONE)
    report = json.loads(bg(*series, "--json").out)
    assert report["sprt"]["decision"] == "H1"
    assert report["sprt"]["llr"] >= report["sprt"]["upper"]
    assert report["matches"] < 200
    assert "H1 accepted: the difference is nearer to +200 Elo" in bg(*series, "--fresh").out


def test_agents_get_the_given_time_limit(bg: Callable[..., Any]) -> None:
    series = (*ARENA, "alphabeta", "random", "--time", "0.02", "--matches", "2", *ALONE)
    assert bg(*series).code == 0
    match = json.loads(bg("matches", "list", "--limit", "1", "--json").out)["matches"][0]
    limits = {player["agent"]: player["limits"] for player in match["players"]}
    assert limits == {"alphabeta": "0.02 s a move", "random": ""}


def test_repeated_pairs_are_reported(bg: Callable[..., Any]) -> None:
    agents = ("alphabeta:depth=2", "minimax:depth=1")
    ran = bg(*ARENA, *agents, "--openings", "every:0", "--matches", "8", *ALONE)
    assert "3 of 4 pairs repeat an earlier one" in ran.out
    same = ("alphabeta:depth=2", "alphabeta:depth=2,table=1")
    ran = bg(*ARENA, *same, "--matches", "8", "--seed", "1", *ALONE)
    assert "8 matches, 4 distinct" in ran.out
    assert "repeat" not in ran.out


def test_results_of_more_than_two_agents_are_listed_by_pairing(bg: Callable[..., Any]) -> None:
    ran = bg(*ARENA, "random", "greedy", "alphabeta:depth=2", "--matches", "4", "--seed", "1", *ALONE)
    assert re.search(r"^random - greedy +\d-\d-\d$", ran.out, re.MULTILINE)
    assert "Elo is relative to the average of all agents" in ran.out


def test_faults_are_reported_with_a_reason(bg: Callable[..., Any], tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("import sys\nsys.exit('out of order')\n")
    engine = f'engine:command="{sys.executable} {bot}"'
    ran = bg(*ARENA, "random", engine, "--matches", "2", *ALONE)
    assert ran.code == 0
    assert re.search(r"lost 2 matches \(crash\); first reason: .*out of order", ran.out)
    faults = json.loads(bg("matches", "list", "--faults", "--json").out)["matches"]
    assert len(faults) == 2


def test_the_seed_is_printed_so_that_results_can_be_reproduced(bg: Callable[..., Any]) -> None:
    ran = bg(*ARENA, "random", "greedy", "--matches", "10", *ALONE)
    seed = ran.out.splitlines()[-1].removeprefix("seed ")
    again = bg(*ARENA, "random", "greedy", "--matches", "10", "--seed", seed, *ALONE)
    assert again.out == ran.out


def test_limits_reach_agents_and_matches(bg: Callable[..., Any]) -> None:
    limits = ("--nodes", "50", "--plies", "9", "--matches", "2")
    ran = bg(*ARENA, "alphabeta", "random", *limits, "--json", *ALONE)
    assert ran.code == 0
    listed = json.loads(bg("matches", "list", "--json").out)["matches"]
    assert all(match["plies"] <= 9 for match in listed)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["connect4"], "at least two agents, not 0"),
        (["connect4", "random"], "at least two agents, not 1"),
        (["connect5", "random", "greedy"], "did you mean 'connect4'"),
        (["connect4", "random", "gredy"], "did you mean 'greedy'"),
        (["connect4", "random", "human"], "'human' is a person"),
        (["connect4", "random", "greedy", "--matches", "7"], "must be even"),
        (["connect4", "random", "greedy", "--matches", "0"], "--matches must be 1 to 1000000"),
        (["connect4", "random", "greedy", "--openings", "nowhere"], "no openings 'nowhere' for connect4"),
        (["connect4", "random", "greedy", "--sprt", "5,0"], "ELO0 must be below ELO1"),
        (["connect4", "random", "greedy", "--sprt", "five"], "written ELO0,ELO1, such as 0,10; not 'five'"),
        (
            ["connect4", "random", "greedy", "random", "--sprt", "0,5"],
            "a sequential test compares two agents",
        ),
        (["connect4", "random", "greedy", "--swiss", "--gauntlet", "random"], "not both"),
        (["connect4", "random", "greedy", "--rounds", "1"], "only be set for a Swiss"),
        (["connect4", "random", "greedy", "--swiss", "--rounds", "2"], "must be 1 to 1"),
        (["connect4", "random", "greedy", "--workers", "0"], "--workers must be at least 1"),
        (["connect4", "random", "greedy", "--workers", "100000"], "workers must be 1 to 1024"),
        (
            ["connect4", "random", "greedy", "--workers", "2", "--cluster", "127.0.0.1:1"],
            "a cluster has its own workers",
        ),
        (["connect4", "random", "greedy", "--increment", "1"], "an increment needs a match clock"),
        (["connect4", "random", "greedy", "--clock", "9", "--increment", "1,-2"], "--increment must be 0 to"),
        (
            ["connect4", "random", "greedy", "--clock", "9,8,7"],
            "--clock takes one number, or one for each side",
        ),
        (["connect4", "random", "greedy", "--cluster", " "], "address of a scheduler"),
        (["connect4", "random", "alphabeta:depth=0"], "must be 1 to"),
    ],
)
def test_invalid_settings_give_a_one_line_error(
    arguments: list[str], words: str, bg: Callable[..., Any]
) -> None:
    ran = bg("arena", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err


def test_an_arena_without_a_store_stores_nothing(bg: Callable[..., Any], home: Path) -> None:
    (home / "data").write_text("no folder")
    ran = bg(*RANDOM, "--matches", "2", *ALONE)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "BOARDGAMES_HOME" in ran.err
    assert "--no-store" in ran.err
    ran = bg(*RANDOM, "--matches", "2", *ALONE, "--no-store")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("connect4: 2 matches")
    assert (home / "data").read_text() == "no folder"


# --- interruptions -------------------------------------------------------------------


LONG = ("arena", "connect4", "alphabeta:depth=4", "alphabeta:depth=3", "--matches", "40", "--seed", "2")

LONGER = [word.replace("40", "6000") for word in LONG]
"""A longer arena, which is not over before a test looks at it."""


def started(*arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def stored_numbers(home: Path) -> list[int]:
    """Return the numbers of the stored matches of the last run."""
    if not (home / "data" / "matches.db").exists():
        return []
    with Store() as store:
        runs = store.runs()
        stored = store.run_matches(max(run.id for run in runs)) if runs else []
        return [match.number for match in stored if match.number is not None]


def wait_for_matches(home: Path, count: int) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while len(stored_numbers(home)) < count:
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_arena_prints_results_and_can_be_resumed(number: int, home: Path) -> None:
    process = started(*LONG)
    wait_for_matches(home, 4)
    process.send_signal(number)
    out, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130
    done = len(stored_numbers(home))
    assert f"connect4: {done} matches" in out.decode()
    assert f"interrupted after {done} of 40 matches" in err.decode()
    again = started(*LONG)
    out, err = again.communicate(timeout=TIMEOUT_S)
    assert f"resuming: {done} of 40 matches are already played" in err.decode()
    assert "connect4: 40 matches" in out.decode()


@pytest.mark.slow
def test_an_arena_that_is_killed_repeatedly_ends_with_the_same_matches(home: Path) -> None:
    kills, before = 0, 0
    while not is_finished(home):
        process = started(*LONG, "--json")
        while process.poll() is None and len(stored_numbers(home)) < before + 1 + 10 * kills:
            time.sleep(0.02)
        if process.poll() is None:
            process.kill()
            kills += 1
        process.communicate()
        now = stored_numbers(home)
        assert now == sorted(set(now))
        assert len(now) > before or is_finished(home)
        before = len(now)
    assert kills >= 2
    assert started(*LONG, "--fresh").wait(TIMEOUT_S) == 0
    with Store() as store:
        killed, whole = ([match.moves_hash for match in store.run_matches(run)] for run in (1, 2))
    assert len(whole) == 40
    assert killed == whole


def is_finished(home: Path) -> bool:
    if not (home / "data" / "matches.db").exists():
        return False
    with Store() as store:
        return any(run.finished for run in store.runs())


@pytest.mark.slow
def test_a_second_process_with_the_same_command_fails_and_the_first_continues(home: Path) -> None:
    process = started(*LONGER)
    wait_for_matches(home, 2)
    _, err = started(*LONGER).communicate(timeout=TIMEOUT_S)
    assert b"another process is playing this arena (run 1)" in err
    before = len(stored_numbers(home))
    wait_for_matches(home, before + 2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 130
    assert f"interrupted after {len(stored_numbers(home))} of 6000 matches" in err.decode()


@pytest.mark.slow
def test_a_terminal_shows_the_table_while_it_runs(terminal: Callable[..., Any]) -> None:
    run = terminal(*LONG)
    run.wait_for("/40")
    run.wait_for("remaining")
    assert run.wait() == 0
    assert "connect4: 40 matches" in run.seen


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks at processes as Linux shows them")  # noqa: PTH112
def test_no_worker_outlives_an_arena_that_is_killed(home: Path) -> None:
    process = started(*LONGER)
    wait_for_matches(home, 2)
    threads = Path(f"/proc/{process.pid}/task").glob("*/children")
    workers = [int(pid) for thread in threads for pid in thread.read_text().split()]
    assert workers
    process.kill()
    process.communicate()
    wait_until_dead(*workers)


# --- adjudication ----------------------------------------------------------------


def terminations() -> dict[str, int]:
    """Return how often each reason ended the stored matches."""
    with Store() as store:
        return dict(Counter(match.termination or "" for match in store.matches()))


def test_resigning_lost_positions_changes_no_result(bg: Callable[..., Any]) -> None:
    agents = (*ARENA, "alphabeta:depth=5", "alphabeta:depth=3", "--matches", "20", "--seed", "1", *ALONE)
    to_the_end = json.loads(bg(*agents, "--json").out)
    assert (to_the_end["adjudicated"], terminations()) == (0, {"rules": 20})
    resigned = json.loads(bg(*agents, "--resign", "score=1000,moves=1", "--json").out)
    assert resigned["adjudicated"] == terminations()["adjudication"] > 0
    assert resigned["pairs"] == to_the_end["pairs"]


def test_adjudicated_matches_are_recorded_and_reported_as_such(bg: Callable[..., Any]) -> None:
    agents = (*ARENA, "alphabeta:depth=2", "alphabeta:depth=3", "--matches", "4", "--seed", "1", *ALONE)
    out = bg(*agents, "--draw", "score=100,moves=1,after=6").out
    assert re.match(r"connect4: 4 matches, \d distinct, 4 adjudicated, ", out)
    assert terminations() == {"adjudication": 4}
    with Store() as store:
        assert all('[Termination "adjudication"]' in match.record for match in store.matches())
    assert "draw by adjudication" in bg("replay", "1").out


def test_points_decide_at_the_limit_of_plies(bg: Callable[..., Any]) -> None:
    agents = (
        "arena",
        "hexifence",
        "--option",
        "dimension=2",
        "greedy",
        "random",
        "--matches",
        "6",
        "--seed",
        "1",
    )
    bg(*agents, "--plies", "24", *ALONE)
    assert terminations() == {"ply-limit": 6}
    report = json.loads(bg(*agents, "--plies", "24", "--points-at-limit", "--json", *ALONE).out)
    assert report["adjudicated"] > 0
    assert report["players"][0]["wins"] > 0


def test_the_rule_of_the_game_decides_at_the_limit_of_plies(bg: Callable[..., Any], tmp_path: Path) -> None:
    openings = tmp_path / "ahead.txt"
    openings.write_text("ww.bb/wwwbbb/.ww.bb./......../........./......../.bb.ww./bbbwww/bb.ww:b:3:1\n")
    arena = ("arena", "abalone", "random", "greedy", "--openings", str(openings), "--matches", "2")
    for limit, result in (("score", "0-1"), ("draw", "1/2-1/2")):
        rules = ("--option", f"limit={limit}", "--plies", "4", "--seed", "1")
        ran = bg(*arena, *rules, *ALONE)
        assert (ran.code, ran.err) == (0, "")
        with Store() as store:
            records = [match.record for match in store.matches() if f"limit={limit}" in match.record]
        assert len(records) == 2
        assert all(f'[Result "{result}"]\n[Termination "ply-limit"]' in record for record in records)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--resign", "moves=3"], "--resign needs a score: --resign score=3,moves=3"),
        (["--draw", "after=40"], "--draw needs a score: --draw score=0.1,moves=8,after=40"),
        (["--draw", "score=x"], "score must be a number, not 'x'"),
        (["--points-at-limit"], "connect4 counts no points, so points cannot decide matches at a ply limit"),
        (
            ["--clock", "9", "--margin", "1"],
            "--margin is added to --time: give --time too, or leave out --margin",
        ),
    ],
    ids=" ".join,
)
def test_an_invalid_rule_gives_a_one_line_error(
    options: list[str], said: str, bg: Callable[..., Any]
) -> None:
    done = bg(*RANDOM, *options)
    assert (done.code, done.err) == (2, f"error: {said}\n")
