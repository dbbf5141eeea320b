"""Run: what the folder of a run has, who may write to it, and what a kill in the middle leaves."""

import json
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from training import SMALL, content, small
from training import walker as walker  # noqa: PLC0414 - a fixture

import boardgames
from boardgames.errors import FileError, LearnerStateError, OptionError, UnknownNameError, WeightsError
from boardgames.executors import InProcess
from boardgames.learning.checkpoint import Progress, read_progress
from boardgames.learning.config import Config
from boardgames.learning.metrics import Stepped, cut, read_metrics
from boardgames.learning.run import Run, checkpoints, find_run, is_claimed
from boardgames.learning.trainer import Trainer
from boardgames.weights import find_weights
from boardgames.weights.files import read_arrays, write_arrays

Walk = Callable[..., Config]
EVOLVED = {"population": 2, "survivors": 1, "training_matches": 1, "tournament_matches": 2, "test_matches": 2}


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


def test_of_equal_scores_the_later_is_the_best() -> None:
    progress = Progress().after({"score": 0.5}, "score").after({"score": 0.5}, "score")
    assert progress.best_step == 2


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


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (Config("abalone", seed=7, settings=SMALL), "this run, game 'connect4': .* has 'abalone'"),
        (Config("connect4", "evolve", seed=7, settings=EVOLVED), "learner 'td': .* has 'evolve'"),
        (small(alpha=0.01), r"setting alpha 0\.1: .* has 0\.01"),
        (Config("connect4", seed=8, settings=SMALL), "seed 7: .* has 8"),
        (Config("connect4", seed=7, options={"rows": 5}, settings=SMALL), "option rows 6: .* has 5"),
    ],
    ids=["game", "learner", "setting", "seed", "option"],
)
def test_checkpoints_of_another_run_are_not_gone_on_with(other: Config, words: str, tmp_path: Path) -> None:
    trained(tmp_path / "run", small())
    with Run.create(tmp_path / "other", other) as run, pytest.raises(KeyboardInterrupt):
        Trainer(run).train(InProcess(), interrupt)
    for path in (tmp_path / "other" / "checkpoints").iterdir():
        path.replace(tmp_path / "run" / "checkpoints" / path.name.replace("000001", "000006"))
    with pytest.raises(LearnerStateError, match=words) as caught:
        resumed(tmp_path / "run")
    assert "\n" not in str(caught.value)


def test_the_best_of_another_run_is_not_taken_either(tmp_path: Path) -> None:
    for name, alpha in (("run", 0.1), ("other", 0.01)):
        trained(tmp_path / name, small(alpha=alpha))
    best = Path("checkpoints") / "best.safetensors"
    (tmp_path / "other" / best).replace(tmp_path / "run" / best)
    with pytest.raises(LearnerStateError, match="setting alpha"):
        resumed(tmp_path / "run")


def forge(path: Path, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    """Write a checkpoint anew, its arrays and header changed."""
    arrays, header = read_arrays(path)
    change(arrays, header)
    write_arrays(path, arrays, header)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda arrays, header: header["state"].pop("leader"), "with scalars step, seed, leader"),
        (lambda arrays, header: header["state"].update(step="6"), "with scalars step, seed, leader"),
        (lambda arrays, header: header["state"].update(step=-6), "a number of steps: -6"),
        (lambda arrays, header: header["state"].update(leader=7), "goes on from: .*IndexError"),
        (lambda arrays, header: arrays.pop("state.players"), "with arrays players"),
        (lambda arrays, header: arrays.update({"state.players": np.zeros((2, 3))}), "players of shape"),
        (
            lambda arrays, header: arrays.update({"state.players": np.zeros((2, 11), np.float32)}),
            "float64: .* float32",
        ),
    ],
)
def test_a_state_that_does_not_fit_is_refused_in_one_line(
    change: Callable[[dict[str, Any], dict[str, Any]], None], words: str, tmp_path: Path
) -> None:
    trained(tmp_path / "run", small())
    forge(checkpoints(tmp_path / "run")[-1], change)
    with pytest.raises(LearnerStateError, match=words) as caught:
        resumed(tmp_path / "run")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [-1, 10**30, 1.5, True, "6"])
@pytest.mark.parametrize("name", ["step", "length", "best_step"])
def test_absurd_numbers_of_steps_make_no_checkpoint(name: str, value: object, tmp_path: Path) -> None:
    trained(tmp_path / "run", small(steps=1))
    path = checkpoints(tmp_path / "run")[-1]
    forge(path, lambda arrays, header: header.update({name: value}))
    with pytest.raises(WeightsError, match="expected a checkpoint: "):
        read_progress(path)


def test_a_checkpoint_by_another_name_is_left_out(walker: Walk, tmp_path: Path) -> None:
    trained(tmp_path / "run", walker())
    newest = checkpoints(tmp_path / "run")[-1]
    newest.with_name("step-000099.safetensors").write_bytes(newest.read_bytes())
    with pytest.warns(RuntimeWarning, match="of the step of its name: .* has 5"):
        assert resumed(tmp_path / "run").progress.step == 5


def test_a_run_that_lost_all_its_checkpoints_does_not_begin_anew(walker: Walk, tmp_path: Path) -> None:
    trained(tmp_path / "run", walker())
    before = (tmp_path / "run" / "metrics.jsonl").read_bytes()
    for path in (tmp_path / "run" / "checkpoints").iterdir():
        path.unlink()
    with pytest.raises(WeightsError, match="expected the checkpoints of a run that has begun"):
        resumed(tmp_path / "run")
    assert (tmp_path / "run" / "metrics.jsonl").read_bytes() == before


def test_a_config_without_a_seed_is_refused(walker: Walk, tmp_path: Path) -> None:
    Run.create(tmp_path / "run", walker()).close()
    path = tmp_path / "run" / "config.toml"
    path.write_text(path.read_text().replace("seed = 3\n", ""))
    with pytest.raises(OptionError, match=r"expected a seed in .*config\.toml: it has none"):
        Run.open(tmp_path / "run")
    assert not (tmp_path / "run" / "lock").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX systems")
@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("config.toml", UnknownNameError, "has no config.toml"),
        ("metrics.jsonl", FileError, "expected a file: .* is none"),
    ],
)
def test_pipes_in_a_run_are_not_waited_for(
    name: str, error: type[Exception], words: str, walker: Walk, tmp_path: Path
) -> None:
    trained(tmp_path / "run", walker())
    (tmp_path / "run" / name).unlink()
    os.mkfifo(tmp_path / "run" / name)
    with pytest.raises(error, match=words):
        resumed(tmp_path / "run")


@pytest.mark.parametrize(
    "damage",
    [
        '"score": NaN',
        '"score": Infinity',
        '"score": 1e999',
        '"score": ' + "1" * 400,
        '"score": "1"',
        '"score": true',
    ],
)
def test_lines_whose_numbers_are_none_are_cut_off(damage: str, tmp_path: Path) -> None:
    line = Stepped(1, 0.5, {"score": 0.5}, (1.0,)).as_line()
    others = [
        line.replace('"step": 1', f'"step": {step}') for step in ("1e999", "-1", "1.0", "true", "1" * 40)
    ]
    path = tmp_path / "metrics.jsonl"
    path.write_text("".join([line, line.replace('"score": 0.5', damage), *others]))
    assert cut(path, 10**9) == [Stepped(1, 0.5, {"score": 0.5}, (1.0,))]
    assert path.read_text() == line


def test_names_that_no_line_can_show_are_refused(walker: Walk, tmp_path: Path) -> None:
    for name in ("a\nb", "a\x1b[2J", "a\x7f"):
        with pytest.raises(OptionError, match="expected a name of printable signs"):
            Run.create(tmp_path / name, walker())
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileError, match=r"expected a folder that can be made: .*name too long"):
        Run.create(tmp_path / ("x" * 300), walker())


def test_a_config_that_could_not_be_read_again_makes_no_run(walker: Walk, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="expected at most 65,536 bytes"):
        Run.create(tmp_path / "run", walker(note="x" * 70_000))
    assert not (tmp_path / "run").exists()


def test_a_folder_of_a_temporary_name_stops_nobody(walker: Walk, tmp_path: Path) -> None:
    trained(tmp_path / "run", walker())
    (tmp_path / "run" / ".config.toml.abc").mkdir()
    assert resumed(tmp_path / "run").is_done


def interrupt(trainer: Trainer) -> None:
    raise KeyboardInterrupt


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
