"""`boardgames runs`: listing, exporting and deleting training runs."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from training import small

from boardgames.executors import InProcess
from boardgames.learning.config import Config
from boardgames.learning.measurement import Measurement, Series
from boardgames.learning.runs import Run as Folder
from boardgames.learning.trainer import Trainer
from boardgames.weights import Weights
from boardgames_connect4.value_iteration.policy import Policy

Run = Callable[..., Any]


@pytest.fixture
def runs(home: Path) -> Path:
    """Create four runs, oldest first: finished, stopped, not started, broken."""
    folder = home / "runs"
    with Folder.create(folder / "done", small()) as run:
        Trainer(run).train(InProcess())
    with Folder.create(folder / "halted", small()) as run, pytest.raises(KeyboardInterrupt):
        Trainer(run).train(InProcess(), interrupt_after_2)
    Folder.create(folder / "early", small()).close()
    (folder / "torn").mkdir()
    (folder / "torn" / "config.toml").write_text("gme = 3\n")
    for age, name in enumerate(("done", "halted", "early", "torn")):
        os.utime(folder / name / "config.toml", (10**9 + age, 10**9 + age))
    (folder / "empty").mkdir()
    return folder


def interrupt_after_2(trainer: Trainer) -> None:
    if trainer.progress.step == 2:
        raise KeyboardInterrupt


def test_runs_are_listed_newest_first_with_their_progress(bg: Run, runs: Path) -> None:
    rows = [line.split(maxsplit=5) for line in bg("runs", "list").out.splitlines()]
    assert rows[0] == ["run", "game", "learner", "steps", "best", "state"]
    assert [row[0] for row in rows[1:]] == ["empty", "torn", "early", "halted", "done"]
    last = json.loads((runs / "done" / "metrics.jsonl").read_text().splitlines()[-1])
    assert rows[4][:4] == ["halted", "connect4", "td", "2/6"]
    assert rows[5] == ["done", "connect4", "td", "6/6", rows[5][4], "finished"]
    assert float(rows[5][4]) >= last["metrics"]["score"]


def test_each_run_is_listed_with_its_state(bg: Run, runs: Path) -> None:
    with Folder.open(runs / "early"):
        listed = json.loads(bg("runs", "list", "--json").out)["runs"]
    assert {one["run"]: one["state"] for one in listed} == {
        "empty": "broken",
        "torn": "broken",
        "early": "running",
        "halted": "stopped",
        "done": "finished",
    }
    errors = {one["run"]: one["error"] for one in listed}
    assert "unknown key 'gme'" in errors["torn"]
    assert "no config.toml" in errors["empty"]


def test_listing_runs_changes_nothing(bg: Run, runs: Path) -> None:
    before = sorted(runs.rglob("*"))
    assert bg("runs").code == 0
    assert sorted(runs.rglob("*")) == before


def test_a_run_is_shown_with_settings_metrics_and_named_weights(bg: Run, runs: Path) -> None:
    out = bg("runs", "show", "done").out
    assert out.startswith(f"done: finished after step 6 of 6\n{runs / 'done'}\n")
    assert "matches = 4 # matches per step" in out
    line = next(line.split() for line in out.splitlines() if line.lstrip().startswith("step "))
    assert line[:3] == ["step", "score", "decided"]
    weights = Weights.read(runs / "done" / "checkpoints" / "best.safetensors")
    assert ["own", "twos", f"{weights.values[0]:.4f}"] in [one.split() for one in out.splitlines()]


def test_the_best_step_is_shown_even_if_others_are_left_out(
    bg: Run, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boardgames.cli.runs.MAX_ROWS", 1)
    best = json.loads(bg("runs", "show", "done", "--json").out)["best_step"]
    lines = bg("runs", "show", "done").out.splitlines()
    (count,) = (line for line in lines if line.endswith(" of 6 steps are shown; --json has all of them"))
    start = next(index for index, line in enumerate(lines) if line.startswith("step "))
    shown = {int(line.split()[0]) for line in lines[start + 1 : lines.index(count)]}
    assert shown == {best, 6}
    assert count.startswith(f"{len(shown)} ")


def test_standings_of_every_generation_are_shown(bg: Run, home: Path) -> None:
    sizes = {"population": 3, "survivors": 2, "generations": 3}
    few = {"training_matches": 2, "tournament_matches": 2, "test_matches": 0}
    config = Config("connect4", "evolve", seed=1, settings={**sizes, **few})
    with Folder.create(home / "runs" / "evolution", config) as run:
        Trainer(run).train(InProcess())
    lines = bg("runs", "show", "evolution").out.splitlines()
    shown = [line for line in lines if line.startswith("standings")]
    assert [line.partition(":")[0] for line in shown] == [
        f"standings after step {step}" for step in (2, 4, 6)
    ]
    assert all(line.count("player") == 3 for line in shown)


def test_a_new_run_is_shown_without_steps_and_weights(bg: Run, runs: Path) -> None:
    out = bg("runs", "show", "early").out
    assert out.startswith("early: stopped after step 0\n")
    assert "own twos" not in out


def test_a_broken_run_is_not_shown(bg: Run, runs: Path) -> None:
    ran = bg("runs", "show", "torn")
    assert (ran.code, ran.out) == (2, "")
    assert "unknown key 'gme'" in ran.err


def test_without_runs_the_list_says_how_to_start_one(bg: Run) -> None:
    assert bg("runs").out == "no training runs yet; start one with `boardgames train GAME`\n"
    assert json.loads(bg("runs", "list", "--json").out)["runs"] == []


@pytest.mark.parametrize("name", ["done", "torn", "empty"])
def test_a_run_is_deleted_with_all_its_files(name: str, bg: Run, runs: Path) -> None:
    assert bg("runs", "delete", name, "--yes").out == f"deleted {name}\n"
    assert not (runs / name).exists()
    assert (runs / "halted" / "config.toml").exists()


def test_delete_asks_for_confirmation(bg: Run, runs: Path) -> None:
    ran = bg("runs", "delete", "done", typed="y\n")
    assert (ran.code, ran.out) == (2, "")
    assert "--yes is required" in ran.err
    assert (runs / "done").exists()


def test_a_running_run_is_not_deleted(bg: Run, runs: Path) -> None:
    with Folder.open(runs / "early"):
        ran = bg("runs", "delete", "early", "--yes")
    assert (ran.code, ran.err) == (2, "error: run 'early' is in progress; stop it first\n")
    assert (runs / "early").exists()


@pytest.mark.parametrize("name", ["don", "..", ".", "", "done/checkpoints", "../data"])
def test_only_listed_runs_can_be_deleted(name: str, bg: Run, runs: Path, home: Path) -> None:
    (home / "data").mkdir()
    ran = bg("runs", "delete", name, "--yes")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "no such run " in ran.err
    assert (home / "data").exists()
    assert (runs / "done" / "checkpoints" / "best.safetensors").exists()


def test_deleting_a_link_keeps_its_target(bg: Run, runs: Path, tmp_path: Path) -> None:
    (runs / "done").rename(tmp_path / "elsewhere")
    (runs / "linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert bg("runs", "delete", "linked", "--yes").code == 0
    assert (tmp_path / "elsewhere" / "config.toml").exists()
    assert not (runs / "linked").is_symlink()


def test_exported_weights_are_those_of_the_best_step_and_can_play(
    bg: Run, runs: Path, tmp_path: Path
) -> None:
    target = tmp_path / "mine.safetensors"
    assert bg("runs", "export", "done", str(target)).code == 0
    exported, kept = Weights.read(target), Weights.read(runs / "done" / "checkpoints" / "best.safetensors")
    assert exported.fingerprint() == kept.fingerprint()
    assert exported.provenance == kept.provenance
    refused = bg("runs", "export", "done", str(target))
    assert (refused.code, "already exists; --force overwrites it" in refused.err) == (2, True)
    assert bg("runs", "export", "done", str(target), "--force").code == 0
    assert target.stat().st_size < (runs / "done" / "checkpoints" / "best.safetensors").stat().st_size
    played = bg("arena", "connect4", f"td:weights={target}", "random", "--matches", "2", "--workers", "1")
    assert played.code == 0, played.err


def test_exported_policy_is_that_of_the_last_step_and_can_play(home: Path, tmp_path: Path, bg: Run) -> None:
    settings = {"steps": 2, "matches": 4, "test_matches": 0}
    with Folder.create(
        home / "runs" / "table", Config("connect4", "value-iteration", seed=1, settings=settings)
    ) as run:
        Trainer(run).train(InProcess())
    target = tmp_path / "table.safetensors"
    assert bg("runs", "export", "table", str(target)).code == 0
    assert Policy.read(target).fingerprint() == Policy.read(run.best_path).fingerprint()
    shown = bg("runs", "show", "table")
    assert "step 2: visited " in shown.out
    assert "weight 1" not in shown.out
    agent = f"value-iteration:policy={target}"
    assert bg("play", "connect4", "--agent", agent, "--first", "random", "--seed", "1").code == 0


def test_a_policy_of_a_learner_with_unknown_settings_is_not_exported(
    bg: Run, home: Path, tmp_path: Path
) -> None:
    config = Config("connect4", "value-iteration", seed=1, settings={"steps": 1, "matches": 4})
    with Folder.create(home / "runs" / "table", config) as run:
        Trainer(run).train(InProcess())
    path = home / "runs" / "table" / "config.toml"
    path.write_text(path.read_text().replace("matches = ", "machtes = "))
    failed = bg("runs", "export", "table", str(tmp_path / "file"))
    assert failed.code == 2
    assert "has no option 'machtes'; did you mean 'matches'?" in failed.err
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [("early", "run 'early' has no weights yet"), ("nobody", "no such run")],
)
def test_exporting_a_run_without_weights_fails(
    name: str, message: str, bg: Run, runs: Path, tmp_path: Path
) -> None:
    failed = bg("runs", "export", name, str(tmp_path / "file"))
    assert (failed.code, message in failed.err) == (2, True)
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize(
    "content",
    [
        "seed = " + "1" * 5000,
        'game = "connect4"\n',
        'game = "connect4"\nseed = "1"\n',
        "a." * 30_000 + "a = 1",
    ],
    ids=["long number", "no seed", "seed of text", "deep"],
)
def test_a_broken_config_is_reported_beside_the_other_runs(content: str, bg: Run, runs: Path) -> None:
    (runs / "early" / "config.toml").write_text(content)
    ran = bg("runs", "list", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert {one["run"]: one["state"] for one in json.loads(ran.out)["runs"]} == {
        "empty": "broken", "torn": "broken", "early": "broken", "halted": "stopped", "done": "finished"
    }  # fmt: skip


# --- measuring ---------------------------------------------------------------


def test_a_finished_run_can_be_measured(bg: Run, runs: Path) -> None:
    ran = bg("runs", "measure", "done", "--matches", "2", "--workers", "1")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert [line.partition(": ")[0] for line in lines] == [
        "before training, td against lines",
        "td:weights=done against lines",
        "alphabeta:depth=3,weights=done against lines:depth=3",
    ]
    assert "--matches" not in ran.out
    again = bg("runs", "measure", "done").out
    assert again == (
        f"{ran.out}all 2 matches against each opponent had already been played; --matches 6 plays more\n"
    )
    report = json.loads(bg("runs", "measure", "done", "--json").out)
    assert (report["run"], report["matches_played"], report["matches_planned"]) == ("done", 6, 6)
    assert bg("runs", "show", "done", "--json").out.count('"opponent"') == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["halted"], "run 'halted' is not finished; to continue, run: boardgames train --resume halted"),
        (["torn"], "torn"),
        (["nobody"], "no such run 'nobody'"),
        (["done", "--matches", "3"], "must be even, because every opening is played twice"),
        (["done", "--matches", "0"], "--matches must be at least 1"),
    ],
)
def test_a_run_that_cannot_be_measured_gives_a_one_line_error(
    arguments: list[str], words: str, bg: Run, runs: Path
) -> None:
    ran = bg("runs", "measure", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err


def test_measuring_again_after_ctrl_c_continues(bg: Run, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Measurement.write

    def interrupted(measured: Measurement, folder: Path) -> None:
        write(measured, folder)
        if measured.played == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Measurement, "write", interrupted)
        ran = bg("runs", "measure", "done", "--matches", "4", "--workers", "1")
    assert ran.code == 130
    assert "measured 2 of 12 matches; to continue, run: boardgames runs measure done\n" in ran.err
    played: list[int] = []

    def noted(measured: Measurement, folder: Path) -> None:
        played.append(measured.played)
        write(measured, folder)

    monkeypatch.setattr(Measurement, "write", noted)
    assert bg("runs", "measure", "done", "--workers", "1").code == 0
    assert played[0] == 2


# --- comparing -------------------------------------------------------------------


def test_a_comparison_shows_only_the_settings_that_differ(home: Path, bg: Run) -> None:
    for name, seed, alpha in (("a", 1, 0.1), ("b", 2, 0.1), ("c", 1, 0.2)):
        with Folder.create(home / "runs" / name, replace(small(steps=2, alpha=alpha), seed=seed)) as run:
            Trainer(run).train(InProcess())
    out = bg("runs", "compare", "a", "b", "c").out.splitlines()
    assert [line.split()[:4] for line in out[:4]] == [
        ["run", "alpha", "seed", "steps"],
        ["a", "0.1", "1", "2/2"],
        ["b", "0.1", "2", "2/2"],
        ["c", "0.2", "1", "2/2"],
    ]
    assert out[5] == "mean of a, b (alpha 0.1), with 95% intervals:"
    assert len(out) == 7


def test_a_comparison_of_runs_of_different_length_has_one_column_of_steps(home: Path, bg: Run) -> None:
    for steps in (2, 3):
        with Folder.create(home / "runs" / f"of-{steps}", small(steps=steps)) as run:
            Trainer(run).train(InProcess())
    out = bg("runs", "compare", "of-2", "of-3").out.splitlines()
    assert [line.split()[:3] for line in out] == [
        ["run", "seed", "steps"],
        ["of-2", "7", "2/2"],
        ["of-3", "7", "3/3"],
    ]


def test_a_comparison_fits_the_terminal_and_never_cuts_off_the_names_of_runs(
    home: Path, bg_on_terminal: Run
) -> None:
    opponent = "greedy:weights=three-terms-by-hand"
    for name, wins in (("first", 6), ("second", 4)):
        with Folder.create(home / "runs" / name, small(steps=1, alpha=wins / 10, start="lines")) as run:
            series = Series("td", opponent, wins=wins, losses=10 - wins, draws=0)
            Measurement(10, 1, (series,), 10).write(run.folder)
    lines = bg_on_terminal("runs", "compare", "first", "second").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines[:3]] == ["run", "first", "second"]
    assert lines[4:] == [
        f"share of the points against {opponent}, with 95%",
        "  intervals:",
        "  first  60% [31%, 83%]",
        "  second 40% [17%, 69%]",
    ]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("done", "second has not been measured: `boardgames runs measure second`"),
        ("stopped", "second is measured when it is finished: `boardgames train --resume second`"),
    ],
)
def test_a_comparison_names_the_runs_that_have_not_been_measured(
    status: str, said: str, home: Path, bg: Run
) -> None:
    with Folder.create(home / "runs" / "first", small(steps=1)) as run:
        Measurement(10, 1, (Series("td", "greedy", wins=6, losses=4, draws=0),), 10).write(run.folder)
    with Folder.create(home / "runs" / "second", small(steps=1)) as run:
        if status == "done":
            Trainer(run).train(InProcess())
    assert said in bg("runs", "compare", "first", "second").out.splitlines()


def test_settings_are_below_a_comparison_if_there_is_no_room_for_columns(
    home: Path, bg: Run, bg_on_terminal: Run
) -> None:
    many = {"alpha_decay": (1.0, 0.9), "epsilon_decay": (1.0, 0.9), "epsilon_floor": (0.0, 0.1)}
    others = {"shared": (True, False), "test_matches": (2, 4), "initial": (0.1, 0.2)}
    for index, name in enumerate(("first", "second")):
        settings = {key: values[index] for key, values in (many | others).items()}
        Folder.create(home / "runs" / name, small(steps=1, **settings)).close()
    lines = bg_on_terminal("runs", "compare", "first", "second").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split() for line in lines[:3]] == [
        ["run", "seed", "steps", "best", "seconds"],
        ["first", "7", "0", "0"],
        ["second", "7", "0", "0"],
    ]
    assert lines[4:6] == [
        "settings that differ:",
        "  first: alpha_decay 1.0, epsilon_decay 1.0, epsilon_floor 0.0, shared true,",
    ]
    assert "epsilon_floor" in bg("runs", "compare", "first", "second").out.splitlines()[0]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["done"], "give at least two runs to compare"),
        (["done", "done"], "give at least two runs to compare"),
        (["done", "nosuch"], "no such run 'nosuch'"),
        (["done", "torn"], "cannot read run torn: "),
    ],
    ids=" ".join,
)
def test_runs_that_cannot_be_compared_give_a_one_line_error(
    names: list[str], said: str, runs: Path, bg: Run
) -> None:
    done = bg("runs", "compare", *names)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert said in done.err
