"""The folder of a run: its files, its lock, damaged checkpoints, and recovery after a kill."""

import json
import os
import shutil
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training import SMALL, Walker, content, resume, small, train
from training import finished as finished  # noqa: PLC0414 - a fixture
from training import walker as walker  # noqa: PLC0414 - a fixture

import boardgames
from boardgames.errors import FileError, LearnerStateError, OptionError, UnknownNameError, WeightsError
from boardgames.executors import InProcess
from boardgames.learning.config import Config
from boardgames.learning.runs import (
    Progress,
    Run,
    StepRecord,
    checkpoint_paths,
    find_run,
    is_running,
    read_metrics,
    read_progress,
    truncate_metrics,
)
from boardgames.learning.trainer import Trainer
from boardgames.weights import find_weights
from boardgames.weights.files import read_arrays, write_arrays

Walk = Callable[..., Config]
Copy = Callable[[Path], Path]
EVOLVE = {"population": 2, "survivors": 1, "training_matches": 1, "tournament_matches": 2, "test_matches": 2}

# --- files of a run ---------------------------------------------------------


def test_run_has_config_metrics_and_last_and_best_checkpoints(walker: Walk, tmp_path: Path) -> None:
    trainer = train(tmp_path / "run", walker(steps=12))
    assert sorted(path.name for path in (tmp_path / "run").iterdir() if path.is_file()) == [
        "config.toml",
        "metrics.jsonl",
    ]
    names = [path.name for path in checkpoint_paths(tmp_path / "run")]
    assert names == [f"step-0000{step}.safetensors" for step in (10, 11, 12)]
    text = (tmp_path / "run" / "metrics.jsonl").read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["step"] for line in lines] == list(range(1, 13))
    assert all(set(line) == {"schema", "step", "seconds", "metrics", "weights"} for line in lines)
    assert lines[-1]["metrics"] == {"score": trainer.steps[-1].weights[0], "odd": None}
    assert lines[-1]["weights"] == list(trainer.steps[-1].weights)


def test_best_checkpoint_has_the_highest_score(walker: Walk, tmp_path: Path) -> None:
    trainer = train(tmp_path / "run", walker(steps=40))
    scores = {step.step: step.metrics["score"] for step in trainer.steps}
    best = max(scores, key=lambda step: (scores[step], step))
    assert 1 < best < 38  # not one of the last, which are kept in any case
    assert (trainer.progress.best_step, trainer.progress.best) == (best, scores[best])
    with Run.open(tmp_path / "run") as run:
        for path in checkpoint_paths(run.folder):
            path.unlink()
        assert Trainer(run).progress.step == best


def test_later_of_equal_scores_is_best() -> None:
    progress = Progress().after({"score": 0.5}, "score").after({"score": 0.5}, "score")
    assert progress.best_step == 2


def test_last_step_is_best_without_scores(walker: Walk, tmp_path: Path) -> None:
    trainer = train(tmp_path / "run", walker(measured=False))
    assert (trainer.progress.best, trainer.progress.best_step) == (None, 5)
    files = content(tmp_path / "run")
    assert files["best.safetensors"] == files["step-000005.safetensors"]


def test_checkpoints_are_weights_with_provenance(home: Path) -> None:
    trainer = train(home / "runs" / "first", small())
    weights, features = find_weights("first", boardgames.load("connect4"))
    assert features.name == "lines"
    assert tuple(weights.values) == trainer.steps[trainer.progress.best_step - 1].weights
    made_by = weights.provenance
    assert (made_by["learner"], made_by["seed"], made_by["step"]) == ("td", 7, trainer.progress.best_step)
    assert made_by["settings"]["alpha"] == 0.1
    assert made_by["metrics"]["score"] == trainer.progress.best


def test_equal_runs_have_equal_bytes(finished: Copy, tmp_path: Path) -> None:
    train(tmp_path / "again", small())
    assert content(tmp_path / "again") == content(finished(tmp_path / "run"))


@pytest.mark.parametrize(
    "damage",
    ['"score": NaN', '"score": Infinity', '"score": 1e999', '"score": ' + "1" * 400, '"score": "1"',
     '"score": true'],
)  # fmt: skip
def test_metrics_with_impossible_numbers_are_removed(damage: str, tmp_path: Path) -> None:
    line = StepRecord(1, 0.5, {"score": 0.5}, (1.0,), (("player 2", 3.5),)).as_line()
    others = [
        line.replace('"step": 1', f'"step": {step}') for step in ("1e999", "-1", "1.0", "true", "1" * 40)
    ]
    path = tmp_path / "metrics.jsonl"
    path.write_text("".join([line, line.replace('"score": 0.5', damage), *others]))
    assert truncate_metrics(path, 10**9) == [StepRecord(1, 0.5, {"score": 0.5}, (1.0,), (("player 2", 3.5),))]
    assert path.read_text() == line


def test_a_choice_of_steps_has_the_metrics_of_every_second_step_and_the_last(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    records = [StepRecord(step, 0.5, {"even" if step % 2 == 0 else "odd": 1.0}) for step in range(1, 1001)]
    path.write_text("".join(record.as_line() for record in records))
    chosen = read_metrics(path, most=100)
    assert chosen[-1] == records[-1]
    assert 50 <= len(chosen) <= 102
    for name in ("even", "odd"):
        assert sum(name in one.metrics for one in chosen) > len(chosen) / 4
    with path.open("a") as file:
        file.write(StepRecord(1001, 0.5, {}).as_line())
    later = {one.step for one in read_metrics(path, most=100)}
    assert later.issuperset(one.step for one in chosen[:-2])
    assert read_metrics(path, most=2000)[:-1] == records


def test_weights_that_are_too_many_are_logged_as_a_summary(tmp_path: Path) -> None:
    weights = np.linspace(-3.0, 4.0, 2000)
    (tmp_path / "metrics.jsonl").write_text(StepRecord.of(1, 0.5, {}, weights).as_line())
    (logged,) = read_metrics(tmp_path / "metrics.jsonl")
    assert logged.weights == ()
    assert logged.summary == {"norm": pytest.approx((weights**2).sum() ** 0.5), "min": -3.0, "max": 4.0}


# --- creating and finding runs ----------------------------------------------


def test_folder_with_other_files_is_rejected_and_unchanged(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(FileError, match=r"cannot create a run in .*: the folder is not empty"):
        Run.create(tmp_path, small())
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_failed_creation_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: object) -> None:
        raise FileError("no space left on device")

    monkeypatch.setattr("boardgames.learning.runs.write_atomic", full)
    with pytest.raises(FileError, match="no space"):
        Run.create(tmp_path / "run", small())
    assert not (tmp_path / "run").exists()


def test_run_is_locked_while_it_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardgames.learning.runs.LOCK_TIMEOUT_S", 0.0)
    folder = tmp_path / "run"
    with Run.create(folder, small()):
        assert is_running(folder)
        with pytest.raises(FileError, match="another process is using the run"):
            Run.open(folder)
    assert not is_running(folder)
    Run.open(folder).close()


def test_unprintable_and_too_long_names_are_rejected(walker: Walk, tmp_path: Path) -> None:
    for name in ("a\nb", "a\x1b[2J", "a\x7f"):
        with pytest.raises(OptionError, match="the run's name has unprintable characters"):
            Run.create(tmp_path / name, walker())
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileError, match="name too long"):
        Run.create(tmp_path / ("x" * 300), walker())


def test_config_too_long_to_be_read_again_is_rejected(walker: Walk, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="at most 65,536 bytes"):
        Run.create(tmp_path / "run", walker(note="x" * 70_000))
    assert not (tmp_path / "run").exists()


def test_runs_are_found_by_name_and_path(home: Path, walker: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = home / "runs" / "slow"
    Run.create(folder, walker()).close()
    monkeypatch.chdir(home)
    for text in ("slow", "runs/slow", str(folder)):
        assert find_run(text).resolve() == folder.resolve()
    for text in ("slo", "", "no/such", "\0", "x" * 10_000, "~nobody/x"):
        with pytest.raises(UnknownNameError, match="no such run "):
            find_run(text)
    with pytest.raises(UnknownNameError, match="did you mean 'slow'"):
        find_run("slo")


def test_folder_without_config_is_not_a_run(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"is not a training run: it has no config\.toml"):
        Run.open(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_config_without_a_seed_is_rejected(walker: Walk, tmp_path: Path) -> None:
    Run.create(tmp_path / "run", walker()).close()
    path = tmp_path / "run" / "config.toml"
    path.write_text(path.read_text().replace("seed = 3\n", ""))
    with pytest.raises(OptionError, match=r"config\.toml has no seed"):
        Run.open(tmp_path / "run")
    assert not (tmp_path / "run" / "lock").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("config.toml", UnknownNameError, "has no config.toml"),
        ("metrics.jsonl", FileError, "is not a regular file"),
    ],
)
def test_pipes_in_a_run_do_not_block(
    name: str, error: type[Exception], words: str, walker: Walk, tmp_path: Path
) -> None:
    train(tmp_path / "run", walker())
    (tmp_path / "run" / name).unlink()
    os.mkfifo(tmp_path / "run" / name)
    with pytest.raises(error, match=words):
        resume(tmp_path / "run")


@pytest.mark.parametrize(
    "name", ["metrics.jsonl", "config.toml", "checkpoints/best.safetensors", "checkpoints"]
)
def test_run_that_holds_a_link_is_refused(name: str, walker: Walk, tmp_path: Path) -> None:
    train(tmp_path / "run", walker())
    elsewhere = (tmp_path / "run" / name).rename(tmp_path / "elsewhere")
    (tmp_path / "run" / name).symlink_to(elsewhere)
    before = content(tmp_path / "run")
    with pytest.raises(FileError, match=f"cannot resume .*{name} is a link"):
        resume(tmp_path / "run")
    assert content(tmp_path / "run") == before
    assert not (tmp_path / "run" / "lock").exists()


def test_links_planted_during_training_are_not_followed(walker: Walk, tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("dear")

    def plant(trainer: Trainer) -> None:
        for path in (trainer.run.best_path, trainer.run.metrics_path):
            path.unlink()
            path.symlink_to(tmp_path / "letter")

    with (
        Run.create(tmp_path / "run", walker()) as run,
        pytest.raises(FileError, match=r"cannot write .*metrics\.jsonl"),
    ):
        Trainer(run).train(InProcess(), plant)
    assert (tmp_path / "letter").read_text() == "dear"


def test_other_names_of_the_metrics_keep_their_content(walker: Walk, tmp_path: Path) -> None:
    train(tmp_path / "whole", walker())
    Walker.interrupt = 3
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", walker())
    Walker.interrupt = None
    (tmp_path / "copy").hardlink_to(tmp_path / "run" / "metrics.jsonl")
    before = (tmp_path / "copy").read_bytes()
    resume(tmp_path / "run")
    assert (tmp_path / "copy").read_bytes() == before
    assert content(tmp_path / "run") == content(tmp_path / "whole")


# --- recovery after a kill --------------------------------------------------


def test_lock_and_temporary_files_of_a_killed_process_are_cleaned_up(walker: Walk, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "lock").touch()
    (folder / ".config.toml.abc").touch()
    train(folder, walker())
    left = [".metrics.jsonl.x1", "checkpoints/.step-000003.safetens.x2", "checkpoints/.best.safetensors.x3"]
    for name in left:
        (folder / name).touch()
    (folder / ".config.toml.def").mkdir()  # cannot be removed, which is harmless
    assert resume(folder).is_done
    assert not any((folder / name).exists() for name in left)


def test_run_killed_before_its_first_checkpoint_starts_again(walker: Walk, tmp_path: Path) -> None:
    Run.create(tmp_path / "run", walker()).close()
    resume(tmp_path / "run")
    train(tmp_path / "whole", walker())
    assert content(tmp_path / "run") == content(tmp_path / "whole")


def test_metrics_after_the_last_checkpoint_are_removed(walker: Walk, tmp_path: Path) -> None:
    for name in ("run", "whole"):
        train(tmp_path / name, walker())
    for path in checkpoint_paths(tmp_path / "run")[1:]:
        path.unlink()
    with (tmp_path / "run" / "metrics.jsonl").open("a") as file:
        file.write('{"schema": 1, "step": 6, "sec')  # a line cut off by a kill
    with Run.open(tmp_path / "run") as run:
        assert [step.step for step in Trainer(run).steps] == [1, 2, 3]
        assert [step.step for step in read_metrics(run.metrics_path)] == [1, 2, 3]
    resume(tmp_path / "run")
    assert content(tmp_path / "run") == content(tmp_path / "whole")


def test_kill_between_a_checkpoint_and_the_best_is_repaired(walker: Walk, tmp_path: Path) -> None:
    for name in ("run", "whole"):
        train(tmp_path / name, walker(measured=False))
    (tmp_path / "run" / "checkpoints" / "best.safetensors").unlink()
    resume(tmp_path / "run")
    assert content(tmp_path / "run") == content(tmp_path / "whole")


@pytest.mark.parametrize("damage", ["bytes", "missing"])
def test_run_resumes_with_a_warning_of_lost_metrics(damage: str, walker: Walk, tmp_path: Path) -> None:
    train(tmp_path / "whole", walker())
    train(tmp_path / "run", walker())
    checkpoint_paths(tmp_path / "run")[-1].unlink()
    path = tmp_path / "run" / "metrics.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.unlink()
    if damage == "bytes":
        path.write_bytes(b"".join([lines[0], lines[1].replace(b"score", b"sc\xffre"), *lines[2:]]))
        assert [step.step for step in read_metrics(path)] == [1, 3, 4, 5]
    left = 3 if damage == "bytes" else 0
    with pytest.warns(RuntimeWarning, match=rf"metrics\.jsonl has {left} of 4 steps"):
        trainer = resume(tmp_path / "run")
    assert trainer.is_done
    assert all(
        content(tmp_path / "run")[name] == content(tmp_path / "whole")[name]
        for name in ("best.safetensors", "step-000004.safetensors", "step-000005.safetensors")
    )


# --- damaged and foreign checkpoints ----------------------------------------


@pytest.mark.parametrize("damage", [b"", b"no weights at all", None], ids=["empty", "rubbish", "half"])
def test_damaged_checkpoint_falls_back_to_the_one_before(
    damage: bytes | None, walker: Walk, tmp_path: Path
) -> None:
    for name in ("run", "whole"):
        train(tmp_path / name, walker())
    newest = checkpoint_paths(tmp_path / "run")[-1]
    newest.write_bytes(newest.read_bytes()[:-8] if damage is None else damage)
    with pytest.warns(RuntimeWarning, match="skipping a damaged checkpoint: .*step-000005"):
        trainer = resume(tmp_path / "run")
    assert trainer.progress.step == 5
    assert content(tmp_path / "run") == content(tmp_path / "whole")


@pytest.mark.parametrize("name", ["step-000005.safetensors", "best.safetensors"])
def test_flipped_bit_in_a_checkpoint_does_not_change_the_result(
    name: str, walker: Walk, tmp_path: Path
) -> None:
    for folder in ("run", "whole"):
        train(tmp_path / folder, walker(measured=False))
    damaged = tmp_path / "run" / "checkpoints" / name
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    with warnings.catch_warnings(record=True):
        resume(tmp_path / "run")
    assert content(tmp_path / "run") == content(tmp_path / "whole")


def test_lost_best_weights_are_reported(walker: Walk, tmp_path: Path) -> None:
    train(tmp_path / "run", walker(steps=40))
    (tmp_path / "run" / "checkpoints" / "best.safetensors").write_bytes(b"")
    with pytest.warns(RuntimeWarning, match=r"the best weights so far are lost: .*best\.safetensors"):
        resume(tmp_path / "run")


def test_best_checkpoint_is_the_last_resort(walker: Walk, tmp_path: Path) -> None:
    trainer = train(tmp_path / "whole", walker(steps=40))
    shutil.copytree(tmp_path / "whole", tmp_path / "run")
    for path in checkpoint_paths(tmp_path / "run"):
        path.write_bytes(b"")
    with warnings.catch_warnings(record=True), Run.open(tmp_path / "run") as run:
        again = Trainer(run)
        assert again.progress.step == len(again.steps) == trainer.progress.best_step < 38
        again.train(InProcess())
    assert content(tmp_path / "run") == content(tmp_path / "whole")


def test_run_with_only_damaged_checkpoints_is_an_error(walker: Walk, tmp_path: Path) -> None:
    train(tmp_path / "run", walker())
    for path in (tmp_path / "run" / "checkpoints").iterdir():
        path.write_bytes(b"")
    with pytest.warns(RuntimeWarning), pytest.raises(WeightsError, match="none of its checkpoints can be"):
        resume(tmp_path / "run")


def test_run_that_lost_its_checkpoints_does_not_start_again(walker: Walk, tmp_path: Path) -> None:
    train(tmp_path / "run", walker())
    before = (tmp_path / "run" / "metrics.jsonl").read_bytes()
    for path in (tmp_path / "run" / "checkpoints").iterdir():
        path.unlink()
    with pytest.raises(WeightsError, match="its checkpoints are missing"):
        resume(tmp_path / "run")
    assert (tmp_path / "run" / "metrics.jsonl").read_bytes() == before


def test_misnamed_checkpoint_is_skipped(walker: Walk, tmp_path: Path) -> None:
    train(tmp_path / "run", walker())
    newest = checkpoint_paths(tmp_path / "run")[-1]
    newest.with_name("step-000099.safetensors").write_bytes(newest.read_bytes())
    with pytest.warns(RuntimeWarning, match="is misnamed: it is the checkpoint of step 5"):
        assert resume(tmp_path / "run").progress.step == 5


def interrupt(trainer: Trainer) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (Config("hexifence", seed=7, settings=SMALL), "game is 'hexifence', not 'connect4'"),
        (Config("connect4", "evolve", seed=7, settings=EVOLVE), "learner is 'evolve', not 'td'"),
        (small(alpha=0.01), r"setting alpha is 0\.01, not 0\.1"),
        (Config("connect4", seed=8, settings=SMALL), "seed is 8, not 7"),
        (Config("connect4", seed=7, options={"rows": 5}, settings=SMALL), "layout is '7x5', not '7x6'"),
    ],
    ids=["game", "learner", "setting", "seed", "layout"],
)
def test_checkpoints_of_another_run_are_rejected(
    other: Config, words: str, finished: Copy, tmp_path: Path
) -> None:
    folder = finished(tmp_path / "run")
    with Run.create(tmp_path / "other", other) as run, pytest.raises(KeyboardInterrupt):
        Trainer(run).train(InProcess(), interrupt)
    for path in (tmp_path / "other" / "checkpoints").iterdir():
        path.replace(folder / "checkpoints" / path.name.replace("000001", "000006"))
    with pytest.raises(LearnerStateError, match=f"belongs to another run: {words}") as caught:
        resume(folder)
    assert "\n" not in str(caught.value)


def test_best_checkpoint_of_another_run_is_rejected(finished: Copy, tmp_path: Path) -> None:
    folder = finished(tmp_path / "run")
    with Run.create(tmp_path / "other", small(alpha=0.01)) as run, pytest.raises(KeyboardInterrupt):
        Trainer(run).train(InProcess(), interrupt)
    best = Path("checkpoints") / "best.safetensors"
    (tmp_path / "other" / best).replace(folder / best)
    with pytest.raises(LearnerStateError, match="setting alpha"):
        resume(folder)


def rewrite(path: Path, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    """Write a checkpoint again with its arrays and header changed."""
    arrays, header = read_arrays(path)
    change(arrays, header)
    write_arrays(path, arrays, header)


def test_an_option_that_is_newer_than_the_checkpoints_has_its_default(finished: Copy, tmp_path: Path) -> None:
    folder = finished(tmp_path / "run")
    for path in (folder / "checkpoints").iterdir():
        rewrite(path, lambda arrays, header: header["provenance"]["options"].pop("rows"))
    assert resume(folder).progress.step == 6


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda arrays, header: header["state"].pop("leader"), "scalars step, seed, leader"),
        (lambda arrays, header: header["state"].update(step="6"), "scalars step, seed, leader"),
        (lambda arrays, header: header["state"].update(step=-6), "a bad step: -6"),
        (lambda arrays, header: header["state"].update(leader=7), "cannot resume from .*IndexError"),
        (lambda arrays, header: arrays.pop("state.players"), "must have the arrays players"),
        (lambda arrays, header: arrays.update({"state.players": np.zeros((2, 3))}), r"not .* \(2, 3\)"),
        (
            lambda arrays, header: arrays.update({"state.players": np.zeros((2, 11), np.float32)}),
            "must be float64 of .* not float32",
        ),
    ],
)
def test_state_that_does_not_fit_the_learner_is_rejected(
    change: Callable[[dict[str, Any], dict[str, Any]], None], words: str, finished: Copy, tmp_path: Path
) -> None:
    folder = finished(tmp_path / "run")
    rewrite(checkpoint_paths(folder)[-1], change)
    with pytest.raises(LearnerStateError, match=words) as caught:
        resume(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [-1, 10**30, 1.5, True, "6"])
@pytest.mark.parametrize("name", ["step", "length", "best_step"])
def test_absurd_step_numbers_are_not_a_checkpoint(
    name: str, value: object, finished: Copy, tmp_path: Path
) -> None:
    path = checkpoint_paths(finished(tmp_path / "run"))[-1]
    rewrite(path, lambda arrays, header: header.update({name: value}))
    with pytest.raises(WeightsError, match="is not a checkpoint"):
        read_progress(path)
