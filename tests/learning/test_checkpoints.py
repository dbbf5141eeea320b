"""Checkpoints of a run: what they hold, and those that are damaged or belong to another run."""

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training import SMALL, content, resume, small, train
from training import finished as finished  # noqa: PLC0414 - a fixture
from training import walker as walker  # noqa: PLC0414 - a fixture

import boardgames
from boardgames.errors import LearnerStateError, WeightsError
from boardgames.executors import InProcess
from boardgames.learning.checkpoints import checkpoint_paths, read_progress
from boardgames.learning.config import Config
from boardgames.learning.runs import Run
from boardgames.learning.trainer import Trainer
from boardgames.weights import find_weights
from boardgames.weights.files import read_arrays, write_arrays

Walk = Callable[..., Config]
Copy = Callable[[Path], Path]
EVOLVE = {"population": 2, "survivors": 1, "training_matches": 1, "tournament_matches": 2, "test_matches": 2}


def test_checkpoints_are_weights_with_provenance(home: Path) -> None:
    trainer = train(home / "runs" / "first", small())
    weights, features = find_weights("first", boardgames.load("connect4"))
    assert features.name == "lines"
    assert tuple(weights.values) == trainer.steps[trainer.progress.best_step - 1].weights
    made_by = weights.provenance
    assert (made_by["learner"], made_by["seed"], made_by["step"]) == ("td", 7, trainer.progress.best_step)
    assert made_by["settings"]["alpha"] == 0.1
    assert made_by["metrics"]["score"] == trainer.progress.best


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
def test_file_with_an_absurd_step_number_is_not_a_checkpoint(
    name: str, value: object, finished: Copy, tmp_path: Path
) -> None:
    path = checkpoint_paths(finished(tmp_path / "run"))[-1]
    rewrite(path, lambda arrays, header: header.update({name: value}))
    with pytest.raises(WeightsError, match="is not a checkpoint"):
        read_progress(path)
