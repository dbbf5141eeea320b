"""The folder of a run: its files, its lock, damaged checkpoints, and recovery after a kill."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from training import Walker, content, resume, small, train
from training import finished as finished  # noqa: PLC0414 - a fixture
from training import walker as walker  # noqa: PLC0414 - a fixture

from boardgames.errors import FileError, OptionError, UnknownNameError
from boardgames.executors import InProcess
from boardgames.learning.checkpoints import checkpoint_paths
from boardgames.learning.config import Config
from boardgames.learning.metrics import read_metrics
from boardgames.learning.runs import Run, find_run, is_running
from boardgames.learning.trainer import Trainer

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


def test_last_step_is_best_without_scores(walker: Walk, tmp_path: Path) -> None:
    trainer = train(tmp_path / "run", walker(measured=False))
    assert (trainer.progress.best, trainer.progress.best_step) == (None, 5)
    files = content(tmp_path / "run")
    assert files["best.safetensors"] == files["step-000005.safetensors"]


def test_equal_runs_have_equal_bytes(finished: Copy, tmp_path: Path) -> None:
    train(tmp_path / "again", small())
    assert content(tmp_path / "again") == content(finished(tmp_path / "run"))


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


def test_hard_links_to_the_metrics_keep_their_content(walker: Walk, tmp_path: Path) -> None:
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


def test_best_checkpoint_that_is_missing_after_a_kill_is_rewritten(walker: Walk, tmp_path: Path) -> None:
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
