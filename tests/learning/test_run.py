"""Run: what the folder of a run has, who may write to it, and what a kill in the middle leaves."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from training import content, small
from training import walker as walker  # noqa: PLC0414 - a fixture

import boardgames
from boardgames.errors import FileError, UnknownNameError, WeightsError
from boardgames.executors import InProcess
from boardgames.learning.config import Config
from boardgames.learning.metrics import read_metrics
from boardgames.learning.run import Run, checkpoints, find_run, is_claimed
from boardgames.learning.trainer import Trainer
from boardgames.weights import find_weights

Walk = Callable[..., Config]


def trained(folder: Path, config: Config) -> Trainer:
    with Run.create(folder, config) as run:
        trainer = Trainer(run)
        trainer.train(InProcess())
    return trainer


def resumed(folder: Path) -> Trainer:
    with Run.open(folder) as run:
        trainer = Trainer(run)
        trainer.train(InProcess())
    return trainer


def test_a_run_leaves_config_metrics_and_the_last_and_best_checkpoints(walker: Walk, tmp_path: Path) -> None:
    trainer = trained(tmp_path / "run", walker(steps=12))
    assert sorted(path.name for path in (tmp_path / "run").iterdir() if path.is_file()) == [
        "config.toml",
        "metrics.jsonl",
    ]
    names = [path.name for path in checkpoints(tmp_path / "run")]
    assert names == [f"step-0000{step}.safetensors" for step in (10, 11, 12)]
    lines = (tmp_path / "run" / "metrics.jsonl").read_text("utf-8").splitlines()
    told = [json.loads(line) for line in lines]
    assert [line["step"] for line in told] == list(range(1, 13))
    assert all(set(line) == {"schema", "step", "seconds", "metrics", "weights"} for line in told)
    assert told[-1]["metrics"] == {"score": trainer.steps[-1].weights[0], "odd": None}
    assert told[-1]["weights"] == list(trainer.steps[-1].weights)


def test_the_best_checkpoint_is_that_of_the_highest_score(walker: Walk, tmp_path: Path) -> None:
    trainer = trained(tmp_path / "run", walker(steps=40))
    scores = {step.step: step.metrics["score"] for step in trainer.steps}
    best = max(scores, key=lambda step: (scores[step], step))
    assert 1 < best < 38  # none of the last, which are there anyway
    assert (trainer.progress.best_step, trainer.progress.best) == (best, scores[best])
    with Run.open(tmp_path / "run") as run:
        for path in checkpoints(run.folder):
            path.unlink()
        assert Trainer(run).progress.step == best


def test_of_equal_scores_the_later_is_the_best(tmp_path: Path) -> None:
    trainer = trained(tmp_path / "run", small(test_matches=0))
    assert {step.metrics["score"] for step in trainer.steps} == {0.5}
    assert trainer.progress.best_step == 6


def test_without_a_score_the_last_is_the_best(walker: Walk, tmp_path: Path) -> None:
    trainer = trained(tmp_path / "run", walker(measured=False))
    assert (trainer.progress.best, trainer.progress.best_step) == (None, 5)
    files = content(tmp_path / "run")
    assert files["best.safetensors"] == files["step-000005.safetensors"]


def test_checkpoints_are_weights_to_play_with(home: Path, tmp_path: Path) -> None:
    trainer = trained(home / "runs" / "first", small())
    game = boardgames.load("connect4")
    weights, features = find_weights("first", game)
    assert features.name == "lines"
    assert tuple(weights.values) == trainer.steps[trainer.progress.best_step - 1].weights
    told = weights.provenance
    assert (told["learner"], told["seed"], told["step"]) == ("td", 7, trainer.progress.best_step)
    assert told["settings"]["alpha"] == 0.1
    assert told["metrics"]["score"] == trainer.progress.best


def test_equal_runs_have_equal_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        trained(tmp_path / name, small())
    assert content(tmp_path / "one") == content(tmp_path / "two")


def test_a_folder_that_holds_something_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(FileError, match="expected a new or empty folder"):
        Run.create(tmp_path, small())
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_run_that_cannot_be_begun_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: object) -> None:
        raise FileError("no space left on device")

    monkeypatch.setattr("boardgames.learning.run.write_atomic", full)
    with pytest.raises(FileError, match="no space"):
        Run.create(tmp_path / "run", small())
    assert not (tmp_path / "run").exists()


def test_two_never_have_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardgames.learning.run.PATIENCE_S", 0.0)
    folder = tmp_path / "run"
    with Run.create(folder, small()):
        assert is_claimed(folder)
        with pytest.raises(FileError, match="no other process has"):
            Run.open(folder)
    assert not is_claimed(folder)
    Run.open(folder).close()


def test_the_files_of_a_killed_process_keep_nobody_out_and_go(walker: Walk, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "lock").touch()
    (folder / ".config.toml.abc").touch()
    trained(folder, walker())
    left = [".metrics.jsonl.x1", "checkpoints/.step-000003.safetens.x2", "checkpoints/.best.safetensors.x3"]
    for name in left:
        (folder / name).touch()
    Run.open(folder).close()
    assert not any((folder / name).exists() for name in left)


def test_a_run_that_was_killed_before_its_first_checkpoint_begins(walker: Walk, tmp_path: Path) -> None:
    Run.create(tmp_path / "run", walker()).close()
    resumed(tmp_path / "run")
    trained(tmp_path / "whole", walker())
    assert content(tmp_path / "run") == content(tmp_path / "whole")


@pytest.mark.parametrize("damage", [b"", b"no weights at all", None], ids=["empty", "rubbish", "half"])
def test_from_a_damaged_checkpoint_one_goes_back_to_the_one_before(
    damage: bytes | None, walker: Walk, tmp_path: Path
) -> None:
    for name in ("run", "whole"):
        trained(tmp_path / name, walker())
    newest = checkpoints(tmp_path / "run")[-1]
    newest.write_bytes(newest.read_bytes()[:-8] if damage is None else damage)
    with pytest.warns(RuntimeWarning, match="a checkpoint is left out: .*step-000005"):
        trainer = resumed(tmp_path / "run")
    assert trainer.progress.step == 5
    assert content(tmp_path / "run") == content(tmp_path / "whole")


def test_where_only_the_best_checkpoint_is_whole_one_goes_back_to_that(walker: Walk, tmp_path: Path) -> None:
    for name in ("run", "whole"):
        trainer = trained(tmp_path / name, walker(steps=40))
    for path in checkpoints(tmp_path / "run"):
        path.write_bytes(b"")
    with warnings.catch_warnings(record=True), Run.open(tmp_path / "run") as run:
        again = Trainer(run)
        assert again.progress.step == len(again.steps) == trainer.progress.best_step
        again.train(InProcess())
    assert content(tmp_path / "run") == content(tmp_path / "whole")


def test_a_run_of_damaged_checkpoints_only_is_an_error(walker: Walk, tmp_path: Path) -> None:
    trained(tmp_path / "run", walker())
    for path in (tmp_path / "run" / "checkpoints").iterdir():
        path.write_bytes(b"")
    with pytest.warns(RuntimeWarning), pytest.raises(WeightsError, match="a checkpoint that can be read"):
        resumed(tmp_path / "run")


def test_checkpoints_of_other_features_are_not_gone_on_with(tmp_path: Path) -> None:
    for name, game in (("run", "connect4"), ("other", "abalone")):
        trained(tmp_path / name, Config(game, seed=1, settings={"steps": 1, "matches": 2, "test_matches": 0}))
    for path in (tmp_path / "other" / "checkpoints").iterdir():
        path.replace(tmp_path / "run" / "checkpoints" / path.name)
    with pytest.warns(RuntimeWarning, match="weights of connect4"), pytest.raises(WeightsError):
        resumed(tmp_path / "run")


def test_metrics_of_steps_that_are_lost_are_cut_off(walker: Walk, tmp_path: Path) -> None:
    for name in ("run", "whole"):
        trained(tmp_path / name, walker())
    for path in checkpoints(tmp_path / "run")[1:]:
        path.unlink()
    with (tmp_path / "run" / "metrics.jsonl").open("a") as file:
        file.write('{"schema": 1, "step": 6, "sec')  # a kill came here
    with Run.open(tmp_path / "run") as run:
        assert [step.step for step in Trainer(run).steps] == [1, 2, 3]
        assert [step.step for step in read_metrics(run.metrics_path)] == [1, 2, 3]
    resumed(tmp_path / "run")
    assert content(tmp_path / "run") == content(tmp_path / "whole")


def test_a_kill_between_a_checkpoint_and_the_best_is_mended(walker: Walk, tmp_path: Path) -> None:
    for name in ("run", "whole"):
        trained(tmp_path / name, walker(measured=False))
    (tmp_path / "run" / "checkpoints" / "best.safetensors").unlink()
    resumed(tmp_path / "run")
    assert content(tmp_path / "run") == content(tmp_path / "whole")


def test_runs_are_found_by_name_and_path(home: Path, walker: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = home / "runs" / "slow"
    Run.create(folder, walker()).close()
    monkeypatch.chdir(home)
    for text in ("slow", "runs/slow", str(folder)):
        assert find_run(text).resolve() == folder.resolve()
    for text in ("slo", "", "no/such", "\0", "x" * 10_000, "~nobody/x"):
        with pytest.raises(UnknownNameError, match="expected a training run: "):
            find_run(text)
    with pytest.raises(UnknownNameError, match="did you mean 'slow'"):
        find_run("slo")


def test_a_folder_without_a_config_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="folder of a training run"):
        Run.open(tmp_path)
    assert list(tmp_path.iterdir()) == []
