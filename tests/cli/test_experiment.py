"""`boardgames experiment`: lists, tables, CSV files, interruption, errors."""

import csv
import io
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boardgames.errors import FileError

PROGRAM = (sys.executable, "-m", "boardgames")
SMALL = ("--option", "columns=5", "--option", "rows=4", "--workers", "1")
TRAINING = ("experiment", "connect4", "basic-training", "--set", "repetitions=2", *SMALL)
ABALONE = (
    "experiment", "abalone", "basic-training", "--set", "repetitions=1", "--set", "ply_limit=20",
    "--workers", "1",
)  # fmt: skip
TUNING = (
    "experiment", "abalone", "fine-tuning", "--set", "candidates=3", "--set", "matches=2",
    "--set", "ply_limit=20", "--workers", "1", "--seed", "1",
)  # fmt: skip


def written(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(), newline="")))


def test_experiments_of_a_game_are_listed(bg: Callable[..., Any]) -> None:
    ran = bg("experiment", "abalone")
    assert (ran.code, ran.err) == (0, "")
    listed, hint = ran.out.split("\n\n")
    names = re.findall(r"^(\S+)", listed, re.MULTILINE)
    assert names == ["ancestors", "basic-training", "fine-tuning", "lookahead"]
    assert hint == "`boardgames experiment abalone NAME --help` lists the options of an experiment\n"


def test_help_has_the_options_of_the_experiment(bg: Callable[..., Any]) -> None:
    words = bg("experiment", "abalone", "basic-training", "--help").out.split()
    assert " ".join(words[words.index("repetitions") :]).startswith(
        "repetitions trainings, each of two new players (int, 1 to 100000; default: 5)"
    )
    assert "repetitions" not in bg("experiment", "abalone", "--help").out.split()


def test_a_table_has_wins_shares_and_totals(bg: Callable[..., Any]) -> None:
    ran = bg(*TRAINING, "--seed", "1")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "connect4 5x4, basic-training, seed 1"
    assert lines[1].startswith("features=lines repetitions=2 matches=100 test_matches=10 alpha=0.1")
    share = r"(?:-|\d+% \[\d+, \d+\])"
    assert len(re.findall(rf"^training \d +\d+:\d+ +{share} +\d+:\d+ +{share}$", ran.out, re.MULTILINE)) == 2
    assert re.search(rf"^total both +\d+:\d+ +\d+ +\d+ +{share}$", ran.out, re.MULTILINE)
    assert re.search(r"^40 matches, \d+ distinct$", ran.out, re.MULTILINE)
    assert re.search(r"^the trained selves won \d+ of \d+ decided matches", ran.out, re.MULTILINE)
    assert max(map(len, lines[:-1])) <= 85


PERFECTION = (
    "experiment", "connect4", "perfection", "--layout", "5x4", "--set", "agents=random solver",
    "--set", "positions=3", "--set", "first=10", "--set", "last=14", "--seed", "1", "--workers", "1",
)  # fmt: skip


def test_measurements_are_printed_drawn_and_written(bg: Callable[..., Any], tmp_path: Path) -> None:
    ran = bg(*PERFECTION, "--svg", "chart.svg", "--csv", "numbers.csv")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert "share of best moves, by ply:" in lines
    assert lines[-2:] == ["wrote numbers.csv", "wrote chart.svg"]
    assert [line.split() for line in lines if line.startswith("solver")] == [
        ["solver", "1.00", "1.00", "1.00"],
        ["solver", "0.00", "0.00", "0.00"],
    ]
    assert len(written(tmp_path / "numbers.csv")) == 2 * 2 * 3
    assert ">random</text>" in (tmp_path / "chart.svg").read_text()


def test_measurements_are_printed_as_json(bg: Callable[..., Any]) -> None:
    shares, losses = json.loads(bg(*PERFECTION, "--json").out)["grids"]
    assert shares["columns"] == ["10", "14", "all"]
    assert [row["row"] for row in losses["rows"]] == ["random", "solver"]
    assert losses["rows"][1]["values"] == [0.0] * 3


@pytest.mark.slow
def test_figures_of_the_original_program_are_shown_alongside(bg: Callable[..., Any]) -> None:
    assert re.search(r"^training 1 +\d+:\d+ +2:6 .* 1:3 ", bg(*ABALONE).out, re.MULTILINE)
    out = bg(*TUNING).out
    row = next(line for line in out.splitlines() if line.startswith("lambda 0.9"))
    assert [cell.partition("|")[2] for cell in row.split()[2:]] == ["0:2", "8:2", "7:0", "3:4", "7:1", "5:2"]
    assert re.search(r"^lambda 0.9 +total +\d+:\d+ +30:11 ", out, re.MULTILINE)


def test_the_experiment_ancestors_lists_its_results_in_order(bg: Callable[..., Any]) -> None:
    sizes = ("evolutions=1", "population=2", "survivors=1", "generations=2", "matches=8")
    settings = [
        part for size in (*sizes, "training_matches=2", "tournament_matches=2") for part in ("--set", size)
    ]
    out = bg("experiment", "connect4", "ancestors", *settings, *SMALL, "--seed", "1").out
    row = re.search(r"^ancestor 1\.1 +([-+.]{8}) +([-+.]{8})$", out, re.MULTILINE)
    assert row is not None
    totals = re.findall(r"^evolution 1 (?:not )?learning +(\d+):(\d+)", out, re.MULTILINE)
    assert [(order.count("+"), order.count("-")) for order in row.groups()] == [
        (int(first), int(second)) for first, second in totals
    ]
    assert re.search(r"^first quarter +\d:\d +\d:\d$", out, re.MULTILINE)


def test_repeated_matches_are_reported(bg: Callable[..., Any]) -> None:
    ran = bg(*TRAINING, "--set", "opening=0")
    assert re.search(
        r"^40 matches, \d distinct: the intervals are too narrow; use a longer opening$",
        ran.out,
        re.MULTILINE,
    )


def test_a_table_too_wide_for_the_terminal_is_split(
    bg: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "45")
    out = bg(*TUNING).out
    headings = [line.split() for line in out.splitlines() if line.startswith(" ") and "player" in line]
    numbers = [[word for word in line if word != "player"] for line in headings]
    assert [number for line in numbers[: len(numbers) // 2] for number in line] == list("135648")
    assert len(numbers) > 2


def test_figures_are_written_to_the_data_folder_by_default(bg: Callable[..., Any], home: Path) -> None:
    ran = bg(*TRAINING, "--seed", "5")
    (path,) = (home / "data" / "experiments").iterdir()
    assert re.fullmatch(r"connect4-basic-training-5-[0-9a-f]{8}\.csv", path.name)
    assert ran.out.splitlines()[-1] == f"wrote {path}"
    rows = written(path)
    assert len(rows) == 2 * 2 + 3
    wins = [f"{row['first_wins']}:{row['second_wins']}" for row in rows]
    printed = re.search(r"^total winner +(\S+)", ran.out, re.MULTILINE)
    assert printed is not None
    assert printed[1] == wins[4]


def test_figures_are_written_to_the_given_file(bg: Callable[..., Any], home: Path, tmp_path: Path) -> None:
    assert bg(*TRAINING, "--csv", str(tmp_path / "mine.csv")).code == 0
    assert len(written(tmp_path / "mine.csv")) == 7
    assert not list(home.rglob("*.csv"))


def test_the_seed_is_printed_so_that_results_can_be_reproduced(bg: Callable[..., Any]) -> None:
    ran = bg(*TRAINING)
    seed = ran.out.splitlines()[0].rpartition(" ")[2]
    assert bg(*TRAINING, "--seed", seed).out == ran.out
    assert bg(*TRAINING).out != ran.out


def test_the_file_name_depends_on_settings_and_board(bg: Callable[..., Any], home: Path) -> None:
    quick = (
        "experiment",
        "connect4",
        "basic-training",
        *("--set", "matches=2", "--set", "test_matches=2", "--set", "repetitions=1"),
        *("--workers", "1", "--seed", "5"),
    )
    for more in ((), ("--set", "alpha=0.2"), ("--option", "rows=5"), (), ("--set", "alpha=0.10")):
        assert bg(*quick, *more).code == 0
    assert len(list((home / "data" / "experiments").iterdir())) == 3


@pytest.mark.parametrize(
    "place", ["file/mine.csv", "file/deep/mine.csv", "link", "folder", "x" * 300, "loop"]
)
def test_an_unwritable_output_is_reported_before_the_work(
    place: str, bg: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "loop").symlink_to("loop")
    before = sorted(tmp_path.rglob("*"))
    ran = bg(*TRAINING, "--csv", str(tmp_path / place))
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "cannot write" in ran.err
    assert {path for path in tmp_path.rglob("*") if path.name != "typed"} == set(before)


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
def test_results_are_printed_even_if_they_cannot_be_written(
    form: tuple[str, ...], bg: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: str) -> None:
        raise FileError(f"cannot write {path}: no space left on device")

    monkeypatch.setattr("boardgames.paths.write_atomic", full)
    ran = bg(*TRAINING, *form)
    assert "the trained selves won" in ran.out
    assert "wrote" not in ran.out
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "no space left on device" in ran.err


def test_too_few_trainings_for_an_interval_are_reported(bg: Callable[..., Any]) -> None:
    remark = "[0, 100]: an interval needs at least 3 independent units"
    assert remark in bg(*TRAINING, "--seed", "1").out.splitlines()
    assert remark not in bg(*TRAINING, "--set", "repetitions=3", "--seed", "1").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["connect5"], "did you mean 'connect4'"),
        (["connect5", "ancestors"], "did you mean 'connect4'"),
        (["connect4", "ancestor"], "did you mean 'ancestors'"),
        (["connect4", "ancestors", "--set", "evolution=1"], "did you mean 'evolutions'"),
        (["connect4", "ancestors", "--set", "evolutions=0"], "evolutions must be 1 to 1000, not '0'"),
        (["connect4", "ancestors", "--set", "evolutions"], "an option is written name=value"),
        (["connect4", "ancestors", "--set", "features=line"], "did you mean 'lines'"),
        (["connect4", "fine-tuning", "--set", "couples=9"], "at least couples (9), not 8"),
        (["connect4", "ancestors", "--csv", "."], "is a directory"),
        (["connect4", "ancestors", "--csv", ""], "not a file name"),
        (
            ["connect4", "ancestors", "--svg", "x.svg"],
            "--svg does not work with ancestors, which counts wins",
        ),
        (["connect4", "perfection", "--set", "agents=random rndom"], "did you mean 'random'"),
        (["connect4", "perfection", "--set", "agents= "], "agents must name at least one agent"),
        (["connect4", "perfection", "--set", "last=41"], "first and last must be plies from 0 to 40"),
        (["connect4", "perfection", "--set", "first=37"], "first and last must be plies from 0 to 40"),
        (["connect4", "ancestors", "--workers", "0"], "--workers must be at least 1"),
        (["connect4", "ancestors", "--layout", "x"], "no layout 'x'"),
    ],
)
def test_invalid_settings_give_a_one_line_error_before_any_work(
    arguments: list[str], words: str, bg: Callable[..., Any]
) -> None:
    ran = bg("experiment", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err


@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_workers(bg: Callable[..., Any]) -> None:
    ran = [bg(*TRAINING[:-1], workers, "--seed", "3", "--json") for workers in ("1", "2")]
    assert json.loads(ran[0].out)["matches"] == 40
    assert ran[0].out == ran[1].out


UNBOUNDED = (*TRAINING[:3], "--set", "repetitions=1000", "--set", "matches=1000", "--seed", "7", *SMALL[:4])
FEW = (*TRAINING[:3], "--set", "repetitions=8", "--set", "matches=1000", "--seed", "7", *SMALL, "--json")


def stopped(number: signal.Signals, arguments: tuple[str, ...], home: Path) -> tuple[int, bytes, bytes]:
    """Start an experiment, send it a signal once two of its tasks have finished; return code and output."""
    process = subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while len(list(home.glob("data/experiments/*/*.json"))) < 2:
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.slow
@pytest.mark.parametrize(("number", "workers"), [(signal.SIGINT, "2"), (signal.SIGTERM, "1")])
def test_an_interrupted_experiment_exits_130_and_says_how_to_resume(
    number: signal.Signals, workers: str, home: Path
) -> None:
    code, out, err = stopped(number, (*UNBOUNDED, "--workers", workers), home)
    assert re.fullmatch(
        rb"interrupted after \d+ tasks; to continue, run: boardgames experiment .* --seed 7 .*\n", err
    )
    assert code == 130
    assert b"wins of" not in out
    assert not list(home.glob("data/experiments/*.csv"))


@pytest.mark.slow
def test_a_killed_experiment_is_resumed(bg: Callable[..., Any], home: Path) -> None:
    stopped(signal.SIGKILL, FEW, home)
    resumed = bg(*FEW)
    assert re.fullmatch(r"resuming: [2-8] tasks are finished\n", resumed.err)
    assert [path.suffix for path in (home / "data" / "experiments").iterdir()] == [".csv"]
    fresh = bg(*FEW)
    assert (fresh.out, fresh.err) == (resumed.out, "")


@pytest.mark.slow
def test_a_terminal_shows_progress(terminal: Callable[..., Any]) -> None:
    run = terminal(*TRAINING[:3], "--set", "repetitions=20", "--seed", "1")
    run.wait_for("training ")
    run.wait_for("%")
    assert run.wait() == 0
    assert "400 matches" in run.seen


# --- presets -----------------------------------------------------------------


def test_a_preset_has_settings_and_a_layout_that_the_command_line_overrides(bg: Callable[..., Any]) -> None:
    preset = (*ABALONE, "--preset", "original", "--set", "matches=2", "--seed", "1")
    report = json.loads(bg(*preset, "--json").out)
    settings = report["settings"]
    assert (report["layout"], settings["tanh"], settings["test_epsilon"]) == ("standard", False, 0.1)
    assert (settings["ply_limit"], settings["alpha"]) == (20, 0.9)
    report = json.loads(bg(*preset, "--layout", "snakes", "--json").out)
    assert report["layout"] == "snakes"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("connect4", "basic-training"), "no such preset 'original' for connect4; available: default"),
        (
            ("abalone", "lookahead"),
            "the preset 'original' of abalone has no settings for 'lookahead'",
        ),
    ],
)
def test_a_preset_that_does_not_fit_gives_a_one_line_error(
    arguments: tuple[str, ...], words: str, bg: Callable[..., Any]
) -> None:
    ran = bg("experiment", *arguments, "--preset", "original")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err


def test_weights_that_diverge_give_a_one_line_error(bg: Callable[..., Any]) -> None:
    ran = bg(*TRAINING, "--set", "alpha=100", "--set", "tanh=false", "--seed", "1")
    assert (ran.code, ran.err) == (2, "error: the weights diverged with alpha=100; choose a smaller alpha\n")
