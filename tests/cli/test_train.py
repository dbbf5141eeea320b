"""`boardgames train`: output, files, errors, interruption and resuming."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from training import content
from training import walker as walker  # noqa: PLC0414 - a fixture
from waiting import TIMEOUT_S

from boardgames.errors import OptionError
from boardgames.learning import measurement
from boardgames.learning.checkpoints import checkpoint_paths
from boardgames.learning.config import Config
from boardgames.learning.metrics import read_metrics
from boardgames.learning.runs import Run as Folder
from boardgames.learning.trainer import Trainer

PROGRAM = (sys.executable, "-m", "boardgames")
QUICK = (
    "--set",
    "steps=3",
    "--set",
    "matches=4",
    "--set",
    "test_matches=4",
    "--workers",
    "1",
    "--measure",
    "0",
)
NAMED = ("train", "connect4", "--seed", "5", "--run", "first", *QUICK)
LONG = ("train", "connect4", "--seed", "5", "--run", "long", "--set", "steps=200", "--set", "matches=400")

Run = Callable[..., Any]


def test_training_prints_settings_steps_and_how_to_play_the_result(bg: Run, home: Path) -> None:
    ran = bg(*NAMED)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == f"run first in {home / 'runs' / 'first'}"
    others = "all other settings have their defaults; `boardgames runs show first` lists them"
    begun = lines[: lines.index(others)]
    settings = [line.partition(" #")[0] for line in begun[begun.index("[settings]") + 1 :] if line]
    assert settings == ['features = "lines"', "steps = 3", "matches = 4", "test_matches = 4"]
    assert "\ngamma = 0.9" in bg("runs", "show", "first").out
    steps = [line for line in lines if line.startswith("step ")]
    assert [line.partition(":")[0] for line in steps] == [f"step {step} of 3" for step in (1, 2, 3)]
    assert all(re.search(r": score \d.*, plies .*, best \d.* at step \d", line) for line in steps)
    assert lines[-1] == "play against them: boardgames play connect4 --agent td:weights=first"
    played = bg("play", "connect4", "--agent", "td:weights=first", "--first", "random", "--seed", "1")
    assert played.code == 0


def test_the_strength_of_the_result_is_measured(bg: Run) -> None:
    out = bg(*NAMED, "--measure", "4").out
    before, after, search = "before training, td", "td:weights=first", "alphabeta:depth=3,weights=first"
    for agent, opponent in ((before, "lines"), (after, "lines"), (search, "lines:depth=3")):
        line = re.search(
            rf"^{agent} against {opponent}: (\d) won, (\d) lost, (\d) drawn; \d+% "
            r"\[\d+%, \d+%\] of the points, Elo ([+-]\d+( \[-?\d+, -?\d+\])?|[<>] [+-]\d+)$",
            out,
            re.MULTILINE,
        )
        assert line is not None
        assert sum(map(int, line.groups()[:3])) == 4
    assert "the number of matches must be even" in bg(*NAMED, "--measure", "3").err


def test_the_strength_is_available_as_json(bg: Run) -> None:
    report = json.loads(bg(*NAMED, "--measure", "2", "--json").out)
    assert [one["opponent"] for one in report["strength"]] == ["lines", "lines", "lines:depth=3"]
    assert [one["before"] for one in report["strength"]] == [True, False, False]
    assert all(one["wins"] + one["losses"] + one["draws"] == 2 for one in report["strength"])
    assert (report["matches_played"], report["matches_planned"]) == (6, 6)


@pytest.fixture
def ctrl_c_while_measuring(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that sets after how many matches Ctrl-C is pressed; 0 means never."""
    measure = measurement.measure

    def press(after: int) -> None:
        def listen(played: int, planned: int) -> None:
            if after and played >= after:
                raise KeyboardInterrupt

        def measured(run: Any, planned: Any, executor: Any, listener: Any) -> Any:
            return measure(run, planned, executor, listen)

        monkeypatch.setattr(measurement, "measure", measured)

    return press


@pytest.mark.parametrize("after", [2, 4, 6], ids=["before training", "between them", "after training"])
def test_an_interrupted_measurement_is_finished_when_the_run_is_resumed(
    after: int, bg: Run, home: Path, ctrl_c_while_measuring: Callable[[int], None]
) -> None:
    ctrl_c_while_measuring(after)
    ran = bg(*NAMED, "--measure", "4")
    assert ran.code == 130
    assert f"measured {after} of 12 matches\n" in ran.out
    assert ran.out.splitlines()[-1] == "to continue, run: boardgames train --resume first"
    ctrl_c_while_measuring(0)
    resumed = bg("train", "--resume", "first", "--workers", "1")
    assert resumed.out.startswith(
        f"all steps of run first are done; the measurement continues after {after} of 12 matches\n"
    )
    strength = [line for line in resumed.out.splitlines() if " against " in line and "won" in line]
    assert (resumed.code, len(strength)) == (0, 3)
    assert "measured " not in resumed.out
    (home / "runs" / "first").rename(home / "runs" / "was-first")
    uninterrupted = bg(*NAMED, "--measure", "4")
    assert [line for line in uninterrupted.out.splitlines() if line in strength] == strength


def test_a_run_whose_measurement_is_damaged_is_measured_again_when_it_is_resumed(
    bg: Run, home: Path, ctrl_c_while_measuring: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.cli.train.DEFAULT_MEASURING_MATCHES", 4)
    ctrl_c_while_measuring(2)
    bg(*NAMED, "--measure", "4")
    (path,) = home.rglob("measurement.json")
    path.write_text("garbage{")
    ctrl_c_while_measuring(0)
    resumed = bg("train", "--resume", "first", "--workers", "1")
    assert resumed.code == 0
    assert "measurement.json is damaged: measure the run again" in resumed.err
    assert re.search(r"^td:weights=first against lines: \d+ won", resumed.out, re.MULTILINE)


def test_measured_results_are_kept_in_the_run(bg: Run) -> None:
    bg(*NAMED, "--measure", "2")
    again, shown = bg("train", "--resume", "first"), bg("runs", "show", "first")
    for ran in (again, shown):
        assert re.search(r"^td:weights=first against lines: \d won", ran.out, re.MULTILINE)


def test_a_resumed_run_keeps_its_number_of_matches(bg: Run, walker: Callable[..., Config]) -> None:
    bg(*NAMED, "--measure", "2")
    assert json.loads(bg("train", "--resume", "first", "--json").out)["matches_planned"] == 6
    assert (
        json.loads(bg("train", "--resume", "first", "--measure", "4", "--json").out)["matches_played"] == 12
    )


def test_a_run_that_cannot_be_measured_is_trained(
    bg: Run, walker: Callable[..., Config], tmp_path: Path
) -> None:
    (tmp_path / "walk.toml").write_text(walker().as_toml())
    ran = bg("train", "--config", "walk.toml", "--run", "walk")
    assert (ran.code, ran.err) == (0, "")
    assert "no agent plays with what learner 'walker' learns" in bg("runs", "measure", "walk").err


TUNE = (
    "train", "connect4", "--learner", "tune", "--set", "agent=mcts:simulations=5", "--set", "steps=3",
    "--set", "pairs=2", "--seed", "1", "--run", "mcts", "--workers", "1",
)  # fmt: skip


def test_a_tuned_agent_is_printed_measured_and_played(bg: Run) -> None:
    ran = bg(*TUNE, "--set", "ranges=exploration=0.5:3", "--measure", "2")
    assert (ran.code, ran.err) == (0, "")
    steps = [line for line in ran.out.splitlines() if line.startswith("step ")]
    matched = [re.match(r"step (\d) of 3: exploration [0-9.]+, gain ", line) for line in steps]
    assert [found and found[1] for found in matched] == [
        "1",
        "2",
        "3",
    ]
    tuned = re.search(r"^tuned: (mcts:simulations=5,exploration=[0-9.]+)$", ran.out, re.MULTILINE)
    assert tuned is not None
    assert f"\n{tuned[1]} against mcts:simulations=5,exploration=1: " in ran.out
    assert "before training" not in ran.out
    assert "weights: " not in ran.out
    assert ran.out.endswith(f"play against it: boardgames play connect4 --agent {tuned[1]}\n")
    assert bg("play", "connect4", "--agent", tuned[1], "--first", "random", "--seed", "1").code == 0
    shown = bg("runs", "show", "mcts").out
    assert re.search(r"^exploration [0-9.]+$", shown, re.MULTILINE)
    reason = "has no weights: it has values for the options of an agent, found by `tune`\n"
    assert bg("play", "connect4", "--agent", "td:weights=mcts").err.endswith(reason)


def test_a_wrong_range_is_an_error_without_a_run(bg: Run, home: Path) -> None:
    ran = bg(*TUNE, "--set", "ranges=exploration=3:0.5")
    message = "the range of exploration must have LOW below HIGH, not '3:0.5'"
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {message}\n")
    assert not (home / "runs" / "mcts").exists()


def test_an_agent_that_cannot_be_loaded_is_an_error_without_a_run(bg: Run, home: Path) -> None:
    ran = bg(*TUNE, "--set", "agent=mcts:weights=none", "--set", "ranges=exploration=0.5:3")
    assert ran.code == 2
    assert not (home / "runs" / "mcts").exists()


def test_value_iteration_says_how_many_states_were_visited_and_how_to_play(bg: Run) -> None:
    settings = ("--set", "steps=2", "--set", "matches=10", "--set", "test_matches=4", "--seed", "1")
    ran = bg(
        "train", "connect4", "--learner", "value-iteration", *settings, "--run", "table", "--measure", "2"
    )
    assert (ran.code, ran.err) == (0, "")
    steps = [line for line in ran.out.splitlines() if line.startswith("step ")]
    assert all(re.search(r": score \d.*, states \d+, moves \d+, transitions \d+, ", line) for line in steps)
    visited = re.search(
        r"^visited (\d+) of 2,187 states, with (\d+) different moves and (\d+) transitions$",
        ran.out,
        re.MULTILINE,
    )
    assert visited is not None
    assert f"states {visited[1]}, moves {visited[2]}, transitions {visited[3]}" in steps[-1]
    for opponent in ("random", "lines"):
        assert f"value-iteration:policy=table against {opponent}: " in ran.out
    agent = "value-iteration:policy=table"
    assert ran.out.splitlines()[-1] == f"play against them: boardgames play connect4 --agent {agent}"
    assert bg("play", "connect4", "--agent", agent, "--first", "random", "--seed", "1").code == 0


def test_after_learning_in_search_the_command_suggests_a_match_against_a_search(bg: Run) -> None:
    small = ("population=2", "parents=1", "steps=1", "pairs=1", "duel_pairs=1", "test_matches=0")
    settings = [part for one in small for part in ("--set", one)]
    out = bg("train", "connect4", "--learner", "genetic", *settings, "--run", "deep", "--measure", "0").out
    assert out.splitlines()[-1].endswith("boardgames play connect4 --agent alphabeta:weights=deep")


def test_other_settings_override_presets(bg: Run, home: Path) -> None:
    arguments = ("train", "abalone", "--set", "ply_limit=10", "--set", "lambda=0.7", *QUICK)
    for name, preset in (("plain", ()), ("first", ("--preset", "original"))):
        assert bg(*arguments, "--run", name, *preset).code == 0
    plain, first = (
        tomllib.loads((home / "runs" / name / "config.toml").read_text())["settings"]
        for name in ("plain", "first")
    )
    assert (plain["features"], plain["gamma"], plain["lambda"]) == ("decisive", 1.0, 0.7)
    assert (first["features"], first["gamma"], first["lambda"]) == ("classic14", 0.9, 0.7)


def test_a_variant_is_played_as_it_was_trained(bg: Run) -> None:
    ran = bg(*NAMED, "--option", "rows=5")
    line = ran.out.splitlines()[-1]
    assert line == "play against them: boardgames play connect4 --option rows=5 --agent td:weights=first"
    ran = bg("train", "abalone", "--layout", "standard", "--run", "ab", "--set", "ply_limit=10", *QUICK)
    assert "boardgames play abalone --layout standard --agent td:weights=ab" in ran.out


def test_the_config_of_a_run_reproduces_it(bg: Run, home: Path) -> None:
    assert bg(*NAMED, "--option", "rows=5", "--set", "alpha=0.01").code == 0
    config = home / "runs" / "first" / "config.toml"
    assert bg("train", "--config", str(config), "--run", "again", "--measure", "0").code == 0
    assert content(home / "runs" / "again") == content(home / "runs" / "first")


def test_the_command_line_overrides_the_config(bg: Run, home: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('game = "abalone"\nseed = 1\n[settings]\nalpha = 0.01\nsteps = 9\ngroups = 1\n')
    assert bg("train", "connect4", "--config", str(path), "--run", "mine", "--seed", "2", *QUICK).code == 0
    config = tomllib.loads((home / "runs" / "mine" / "config.toml").read_text())
    assert (config["game"], config["seed"]) == ("connect4", 2)
    settings = config["settings"]
    assert (settings["alpha"], settings["steps"], settings["groups"], settings["gamma"]) == (0.01, 3, 1, 0.9)


def test_a_name_and_a_seed_are_chosen_by_default(bg: Run, home: Path) -> None:
    for _ in range(2):
        assert bg("train", "connect4", *QUICK).code == 0
    folders = sorted((home / "runs").iterdir())
    assert len(folders) == 2
    assert all(re.fullmatch(r"connect4-td-\d{8}-\d{6}(-\d)?", folder.name) for folder in folders)
    seeds = {tomllib.loads((folder / "config.toml").read_text())["seed"] for folder in folders}
    assert len(seeds) == 2


def test_a_run_can_be_in_any_folder(bg: Run, tmp_path: Path) -> None:
    folder = tmp_path / "a place" / "run,1"
    ran = bg("train", "connect4", "--run", str(folder), *QUICK)
    assert ran.code == 0
    assert len(checkpoint_paths(folder)) == 3
    command = ran.out.splitlines()[-1].partition(": ")[2]
    assert bg(*shlex.split(command)[1:], "--first", "random", "--seed", "1").code == 0


def test_the_report_is_available_as_json(bg: Run, home: Path) -> None:
    ran = bg(*NAMED, "--json")
    report = json.loads(ran.out)
    last = read_metrics(home / "runs" / "first" / "metrics.jsonl")[-1]
    assert (report["step"], report["length"], report["finished"]) == (3, 3, True)
    assert report["metrics"] == last.metrics
    assert report["agent"] == "td:weights=first"
    assert "step 3 of 3: score" in ran.err


def test_the_option_evolve_is_short_for_the_learner_evolve(bg: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text('game = "connect4"\n')
    for given in (["--evolve"], ["--learner", "evolve"], ["--evolve", "--learner", "evolve"]):
        ran = bg("train", "--config", str(path), *given, "--set", "nothing=1")
        assert "learner 'evolve' has no option 'nothing'" in ran.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "missing argument 'GAME'"),
        (["conect4"], "did you mean 'connect4'"),
        (["connect4", "--learner", "tdd"], "'tdd'; did you mean 'td'"),
        (["connect4", "--evolve", "--learner", "td"], "give --evolve or --learner td, not both"),
        (["abalone", "--preset", "orignal"], "no such preset 'orignal' for abalone; did you mean 'original'"),
        (["connect4", "--preset", "original"], "no such preset 'original' for connect4; available: default"),
        (["connect4", "--set", "alfa=1"], "no option 'alfa'; did you mean 'alpha'"),
        (["connect4", "--set", "alpha"], "an option is written name=value, not 'alpha'"),
        (["connect4", "--set", "alpha=many"], "alpha must be "),
        (["connect4", "--option", "row=5"], "no option 'row'; did you mean 'rows'"),
        (["connect4", "--layout", "nowhere"], "no layout 'nowhere'"),
        (["connect4", "--seed", "-1"], "--seed must be at least 0"),
        (["connect4", "--seed", str(2**63)], "seed must be "),
        (["connect4", "--workers", "0"], "--workers must be at least 1"),
        (["connect4", "--workers", "100000"], "workers must be 1 to 1024"),
        (["connect4", "--cluster", " "], "address of a scheduler"),
        (["connect4", "--run", ""], "not a file name: ''"),
        (["connect4", "--run", "td"], "connect4 already has weights named 'td'"),
        (["connect4", "--run", "a\nb"], "the run's name has unprintable characters: 'a\\nb'"),
        (["connect4", "--run", "x" * 300], "cannot create the folder"),
        (["connect4", "--config", "a\0b"], "not a file name"),
        (["connect4", "--config", "nowhere.toml"], "cannot read nowhere.toml"),
        (["--config", "bad.toml"], "bad.toml has an unknown key 'gme'; did you mean 'game'"),
        (["--evolve", "--resume", "x"], "--resume takes its settings from the run; remove --evolve"),
        (["--from", "y", "--resume", "x"], "--resume takes its settings from the run; remove --from"),
        (["connect4", "--from", "nobody"], "no such weights, run or file 'nobody'"),
        (["connect4", "--target", "high"], "--target must be a number"),
        (["--resume", "nobody"], "no such run 'nobody'"),
        (["--resume", "."], "has no config.toml"),
    ],
)
def test_invalid_settings_give_a_one_line_error(
    arguments: list[str], words: str, bg: Run, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "bad.toml").write_text('gme = "connect4"\n')
    ran = bg("train", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err
    assert not (home / "runs").exists() or not any((home / "runs").iterdir())


def test_a_finished_run_can_be_extended_and_is_measured_again(bg: Run, home: Path) -> None:
    arguments = list(NAMED)
    arguments[arguments.index("--measure") + 1] = "2"
    assert bg(*arguments).code == 0
    before = measurement.Measurement.read(home / "runs" / "first")
    ran = bg("train", "connect4", "--resume", "first", "--set", "steps=5", "--workers", "1")
    assert (ran.code, ran.err) == (0, "")
    assert "step 5 of 5: score" in ran.out
    after = measurement.Measurement.read(home / "runs" / "first")
    assert before is not None
    assert after is not None
    assert (after.matches, after.is_done) == (2, True)
    assert "measuring 6 matches" in ran.out, "the weights of the shorter run had been measured"
    assert bg("runs", "list").out.splitlines()[1].split()[3] == "5/5"


def test_a_longer_run_says_if_no_further_step_was_better(bg: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = iter([0.5, 1.0, 0.5, 0.5, 0.5])
    monkeypatch.setattr(
        "boardgames.learning.trainer.finite_metrics", lambda reported: {**reported, "score": next(scores)}
    )
    assert "was better" not in bg(*NAMED).out
    out = bg("train", "--resume", "first", "--set", "steps=5", "--workers", "1", "--measure", "0").out
    assert "no step after 3 was better: the result is still that of step 2\n" in out


def test_a_run_of_another_game_is_not_resumed(bg: Run) -> None:
    assert bg(*NAMED).code == 0
    ran = bg("train", "abalone", "--resume", "first")
    assert (ran.code, ran.err) == (2, "error: the run first is for connect4, not for abalone\n")


def test_a_new_run_starts_with_the_weights_of_another(bg: Run, home: Path) -> None:
    assert bg(*NAMED).code == 0
    second = ["second" if word == "first" else word for word in NAMED]
    assert bg(*second, "--from", "first").code == 0
    assert Config.read(home / "runs" / "second" / "config.toml").settings["start"] == "first"


def test_a_new_run_does_not_start_with_the_weights_of_another_game(
    bg: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Folder.create(home / "runs" / "first", Config("connect4", seed=1)).close()
    monkeypatch.setattr(Config, "load", lambda config: pytest.fail("the learner was loaded"))
    ran = bg("train", "abalone", "--from", "first")
    assert (ran.code, ran.out, ran.err) == (2, "", "error: the run first is for connect4, not for abalone\n")


def test_training_stops_at_the_target_and_continues_to_a_higher_one(bg: Run) -> None:
    ran = bg(*NAMED, "--target", "0")
    assert "trained 1 of 3 steps" in ran.out
    said = "already finished; `boardgames train --resume first --target X` continues it\n"
    assert said in bg("train", "--resume", "first").out
    more = bg("train", "--resume", "first", "--target", "2", "--workers", "1", "--measure", "0")
    assert "trained 3 of 3 steps" in more.out


def test_a_run_is_never_overwritten(bg: Run, home: Path) -> None:
    assert bg(*NAMED).code == 0
    before = content(home / "runs" / "first")
    ran = bg(*NAMED)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert (
        ran.err
        == f"error: {home / 'runs' / 'first'} already has a run; resume it with --resume first (Run.open in "
        "Python) or choose another folder\n"
    )
    assert content(home / "runs" / "first") == before


def test_a_folder_that_cannot_be_created_is_reported(bg: Run, home: Path) -> None:
    (home / "runs").write_text("no folder")
    ran = bg(*NAMED)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "cannot create the folder" in ran.err


def test_resuming_a_finished_run_says_that_it_is_finished(bg: Run, home: Path) -> None:
    bg(*NAMED)
    before = content(home / "runs" / "first")
    ran = bg("train", "--resume", "first")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(
        "run first is already finished; `boardgames train --resume first --set steps=N` continues it\n"
    )
    assert content(home / "runs" / "first") == before


def test_a_run_that_shares_its_name_with_weights_is_played_by_path(bg: Run, home: Path) -> None:
    bg(*NAMED)
    (home / "runs" / "first").rename(home / "runs" / "td")
    ran = bg("train", "--resume", "td", "--measure", "0")
    assert ran.out.splitlines()[-1].endswith(f"td:weights={home / 'runs' / 'td'}")


def test_no_best_step_is_shown_for_a_learner_without_a_score(
    bg: Run, walker: Callable[..., Config], tmp_path: Path
) -> None:
    (tmp_path / "walk.toml").write_text(walker(measured=False).as_toml())
    ran = bg("train", "--config", "walk.toml", "--run", "walk", "--measure", "0")
    assert ran.code == 0
    assert "trained 5 steps\n" in ran.out
    assert "best " not in ran.out


def test_a_checkpoint_of_another_run_gives_a_one_line_error(bg: Run, home: Path) -> None:
    bg(*NAMED)
    bg(*NAMED[:4], "--run", "second", *QUICK, "--set", "alpha=0.01")
    shutil.rmtree(home / "runs" / "first" / "checkpoints")
    (home / "runs" / "second" / "checkpoints").rename(home / "runs" / "first" / "checkpoints")
    ran = bg("train", "--resume", "first")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "belongs to another run: setting alpha is 0.01, not 0.1" in ran.err


def test_a_damaged_checkpoint_is_warned_about_and_replaced(bg: Run, home: Path) -> None:
    bg(*NAMED)
    before = content(home / "runs" / "first")
    checkpoint_paths(home / "runs" / "first")[-1].write_bytes(b"damaged")
    ran = bg("train", "--resume", "first", "--measure", "0")
    assert ran.code == 0
    assert ran.err.startswith("warning: skipping a damaged checkpoint: ")
    assert ran.err.count("\n") == 1
    assert content(home / "runs" / "first") == before


# --- interruptions -------------------------------------------------------------------


def started(*arguments: str, **how: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)


def wait_for_steps(folder: Path, count: int) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while len(read_metrics(folder / "metrics.jsonl")) < count:
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "workers"), [(signal.SIGINT, "2"), (signal.SIGTERM, "1")])
def test_an_interrupted_run_says_how_to_resume_and_can_be_resumed(
    number: int, workers: str, home: Path
) -> None:
    folder = home / "runs" / "long"
    process = started(*LONG, "--workers", workers)
    wait_for_steps(folder, 3)
    process.send_signal(number)
    out, err = process.communicate(timeout=TIMEOUT_S)
    assert (process.returncode, err) == (130, b"")
    assert not (folder / "lock").exists()
    lines = out.decode().splitlines()
    assert lines[-1] == "to continue, run: boardgames train --resume long"
    interrupted = re.match(r"interrupted after (\d+) of 200 steps", lines[-4])
    assert interrupted is not None
    done = int(interrupted[1])
    assert checkpoint_paths(folder)[-1].name == f"step-{done:06d}.safetensors"
    again = started("train", "--resume", "long", "--workers", workers)
    wait_for_steps(folder, done + 2)
    again.send_signal(number)
    out, _ = again.communicate(timeout=TIMEOUT_S)
    assert f"resuming after step {done}" in out.decode()


@pytest.mark.slow
def test_a_second_process_fails_and_the_first_continues(home: Path) -> None:
    process = started(*LONG)
    wait_for_steps(home / "runs" / "long", 2)
    _, err = started("train", "--resume", "long").communicate(timeout=TIMEOUT_S)
    assert err.decode() == f"error: another process is using the run {home / 'runs' / 'long'}\n"
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(TIMEOUT_S) == 130


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX systems")
def test_with_a_closed_output_stderr_says_how_to_resume(home: Path) -> None:
    process = started(*LONG, "--workers", "1")
    assert process.stdout is not None
    while not process.stdout.readline().startswith(b"step "):
        pass
    process.stdout.close()
    assert process.stderr is not None
    lines = process.stderr.read().decode().splitlines()
    assert process.wait(TIMEOUT_S) == 0
    done = int(checkpoint_paths(home / "runs" / "long")[-1].stem[-6:])
    assert lines == [
        f"interrupted after {done} of 200 steps: the output was closed",
        "to continue, run: boardgames train --resume long",
    ]


def limit_files() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX systems")
def test_a_full_disk_gives_a_one_line_error_and_training_can_be_resumed(home: Path) -> None:
    arguments = ("train", "connect4", "--seed", "5", "--run", "full", "--set", "steps=12", *QUICK[2:])
    process = started(
        *arguments, preexec_fn=limit_files, env={**os.environ, "BOARDGAMES_BLOCK": "tensorboard"}
    )
    _, err = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 2
    assert re.fullmatch(r"error: cannot write \S+metrics.jsonl: .*\n", err.decode())
    assert 1 <= int(checkpoint_paths(home / "runs" / "full")[-1].stem[-6:]) < 12
    assert started("train", "--resume", "full", "--workers", "1").wait(TIMEOUT_S) == 0
    whole = ("train", "connect4", "--seed", "5", "--run", "whole", "--set", "steps=12", *QUICK[2:])
    assert started(*whole).wait(TIMEOUT_S) == 0
    assert content(home / "runs" / "full") == content(home / "runs" / "whole")


@pytest.mark.slow
def test_a_terminal_shows_training_progress(terminal: Run, home: Path) -> None:
    run = terminal(*LONG, "--workers", "1")
    run.wait_for("/200")
    run.wait_for("remaining")
    run.wait_for("best score ")
    run.wait_for("plies ")
    run.wait_for("┤")
    assert run.interrupt() == 130
    assert run.seen.endswith("to continue, run: boardgames train --resume long\n")


# --- several seeds ---------------------------------------------------------------


def seeds(*more: str) -> list[str]:
    arguments = [word for word in NAMED if word not in ("--run", "first", "--seed", "5")]
    arguments[arguments.index("--measure") + 1] = "2"
    return [*arguments, "--seeds", "2", "--run", "two", "--seed", "8", *more]


def test_runs_with_several_seeds_are_compared_and_equal_those_trained_one_by_one(bg: Run, home: Path) -> None:
    ran = bg(*seeds())
    assert ran.code == 0
    rows = [line.split() for line in ran.out.splitlines()]
    assert [row[0] for row in rows[:3]] == ["run", "two-8", "two-9"]
    assert "mean of two-8, two-9, with 95% intervals:" in ran.out
    assert bg(*["9" if word == "5" else word for word in NAMED]).code == 0
    alone, together = (home / "runs" / name / "metrics.jsonl" for name in ("first", "two-9"))
    assert [step.metrics for step in read_metrics(alone)] == [step.metrics for step in read_metrics(together)]


def test_several_seeds_continue_where_they_stopped(bg: Run, home: Path) -> None:
    assert bg(*seeds()).code == 0
    before = content(home / "runs" / "two-8")
    shutil.rmtree(home / "runs" / "two-9")
    ran = bg(*seeds())
    assert (ran.code, content(home / "runs" / "two-8")) == (0, before)
    assert "run two-8 is already finished\n" in ran.err
    assert (home / "runs" / "two-9" / "metrics.jsonl").exists()
    other = bg(*seeds("--set", "alpha=0.2"))
    assert other.code == 2
    assert other.err.endswith(
        f"the run in {home / 'runs' / 'two-8'} has other settings; choose another --run\n"
    )


@pytest.mark.slow
def test_a_run_that_is_interrupted_in_its_first_step_has_nothing_to_play_against(
    bg: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: Trainer, executor: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Trainer, "_step", interrupted)
        ran = bg(*NAMED)
    assert ran.code == 130
    assert "interrupted after 0 of " in ran.out + ran.err
    assert "play against" not in ran.out + ran.err
    assert "weights: " not in ran.out + ran.err, "they are untrained"
    assert "play against" in bg("train", "--resume", "first").out


def test_interrupted_seeds_say_once_how_to_continue(bg: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Trainer, executor: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Trainer, "_step", interrupted)
    monkeypatch.setattr(sys, "argv", ["boardgames", *seeds()])
    ran = bg(*seeds())
    assert (ran.code, ran.out) == (130, "")
    assert ran.err.count("to continue, run: ") == 1
    assert "--resume" not in ran.err


def test_several_seeds_can_only_be_given_for_new_runs(bg: Run) -> None:
    ran = bg("train", "--resume", "first", "--seeds", "2")
    assert (ran.code, ran.err) == (2, "error: --seeds starts new runs, so it cannot be used with --resume\n")


# --- sweeps ------------------------------------------------------------------------


@pytest.fixture
def sweep(tmp_path: Path, home: Path) -> Callable[[str], str]:
    """Return a function that writes a file with this sweep of a small training, and returns its name."""

    def write(table: str) -> str:
        settings = "steps = 2\nmatches = 4\ntest_matches = 4\ngroups = 2\n"
        text = f'game = "connect4"\nseed = 3\n[settings]\n{settings}[sweep]\n{table}\n'
        (home.parent / "study.toml").write_text(text)
        return "study.toml"

    return write


SWEPT = ("train", "--workers", "1", "--measure", "2", "--config")


def test_a_sweep_trains_every_combination_and_continues_where_it_stopped(
    bg: Run, home: Path, sweep: Callable[[str], str]
) -> None:
    file = sweep('alpha = [0.1, 0.2]\nlearner = ["td"]\ntanh = [true]')
    ran = bg(*SWEPT, file)
    assert (ran.code, "run 2 of 2" in ran.err) == (0, True)
    header, *rows = [line.split() for line in ran.out.partition("\n\n")[0].splitlines()]
    assert header[:4] == ["run", "alpha", "seed", "steps"]
    assert [row[:4] for row in rows] == [["study-1", "0.1", "3", "2/2"], ["study-2", "0.2", "3", "2/2"]]
    before = content(home / "runs" / "study-1")
    shutil.rmtree(home / "runs" / "study-2")
    again = bg(*SWEPT, file)
    assert (again.out, content(home / "runs" / "study-1")) == (ran.out, before)
    assert "run study-1 is already finished\n" in again.err


@pytest.mark.slow
def test_a_sweep_over_learners_and_seeds_gives_means(bg: Run, sweep: Callable[[str], str]) -> None:
    ran = bg(*SWEPT, sweep("lambda = [0.5, 0.9]"), "--seeds", "2", "--run", "both")
    assert ran.code == 0
    assert re.findall(r"^mean of (.*), with", ran.out, re.MULTILINE) == [
        "both-1-3, both-1-4 (lambda 0.5)",
        "both-2-3, both-2-4 (lambda 0.9)",
    ]


def test_settings_of_several_runs_are_printed_once_and_then_only_what_differs(
    bg: Run, sweep: Callable[[str], str]
) -> None:
    said = bg(*SWEPT, sweep("lambda = [0.5, 0.9]"), "--run", "both").err
    assert said.count("matches = 4") == 2  # test_matches is 4, too
    assert said.split("settings as in run both-1, except:\n")[1].startswith("lambda = 0.9 #")


@pytest.mark.parametrize(
    ("table", "more", "words"),
    [
        ("alpha = 0.1", (), "alpha in the sweep of study.toml must be a list of values, not 0.1"),
        ("alpha = []", (), "alpha in the sweep of study.toml must be a list of values, not []"),
        (
            "alpha = [[1]]",
            (),
            "the values of alpha in the sweep of study.toml must be strings, numbers or booleans, not [1]",
        ),
        ("", (), "sweep in study.toml must be a table with a list of values for each setting"),
        ("alpah = [0.1]", (), "no option 'alpah'; did you mean 'alpha'"),
        ("seed = [1, 2]", (), "cannot vary the seed; --seeds N trains every combination with N seeds"),
        ("alpha = [0.1]", ("--set", "alpha=1"), "the sweep of study.toml varies alpha; remove --set alpha"),
        ("learner = ['td']", ("--learner", "td"), "the sweep of study.toml varies learner; remove --learner"),
        (f"alpha = {[*range(40)]}\nopening = {[*range(40)]}", (), "1,600 combinations; at most 1,000"),
    ],
)
def test_an_invalid_sweep_trains_nothing(
    table: str, more: tuple[str, ...], words: str, bg: Run, home: Path, sweep: Callable[[str], str]
) -> None:
    ran = bg(*SWEPT, sweep(table), *more)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert words in ran.err
    assert not (home / "runs").exists() or not list((home / "runs").iterdir())


def test_a_sweep_cannot_be_given_for_a_resumed_run(bg: Run, home: Path, sweep: Callable[[str], str]) -> None:
    ran = bg(*SWEPT, sweep("alpha = [0.1]"), "--resume", "study-1")
    assert (ran.code, ran.err) == (2, "error: --resume takes its settings from the run; remove --config\n")


def test_a_sweep_is_not_read_as_a_single_config(home: Path, sweep: Callable[[str], str]) -> None:
    with pytest.raises(OptionError, match="describes a sweep, not a single run"):
        Config.read(home.parent / sweep("alpha = [0.1]"))


def test_the_error_names_the_option_if_it_was_given_as_a_setting(bg: Run) -> None:
    ran = bg("train", "connect4", "--evolve", "--set", "seed=1")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: learner 'evolve' has no option 'seed'; write --seed 1\n"


@pytest.mark.slow
def test_a_wrong_setting_is_reported_before_the_kernels_of_search_and_self_play_are_compiled(
    program: Run, home: Path
) -> None:
    (home / "cache").unlink()
    ran = program("train", "connect4", "--evolve", "--set", "generatons=1")
    assert ran.code == 2
    compiled = [path.name for path in (home / "cache").rglob("*.kernel")]
    assert not [name for name in compiled if "selfplay" in name or "search" in name or "rules" in name]
