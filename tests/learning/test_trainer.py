"""Trainer: steps, interruptions, kills, workers; what comes out never depends on them."""

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

import pytest
from training import SMALL, Walker, add_plugin, content, small
from training import walker as walker  # noqa: PLC0414 - a fixture
from waiting import PATIENCE_S

from boardgames.errors import FileError, PluginError, WeightsError
from boardgames.executors import InProcess, ProcessPool, open_executor
from boardgames.hookspecs import hookimpl
from boardgames.learner import LearnerState
from boardgames.learning.checkpoint import Progress
from boardgames.learning.config import Config
from boardgames.learning.metrics import read_metrics
from boardgames.learning.run import Run, checkpoints
from boardgames.learning.trainer import Trainer

PROGRAM = (sys.executable, "-m", "boardgames.cli")
KILLS = 20
STEPS = 600
"""More than are done before the last kill."""

Walk = Callable[..., Config]


def trained(folder: Path, config: Config, executor: Executor | None = None) -> Trainer:
    with Run.create(folder, config) as run:
        trainer = Trainer(run)
        trainer.train(executor or InProcess())
    return trainer


def resumed(folder: Path) -> Trainer:
    with Run.open(folder) as run:
        trainer = Trainer(run)
        trainer.train(InProcess())
    return trainer


def test_an_interrupt_after_a_step_is_saved_finds_it_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = Run.save

    def interrupted(run: Run, state: LearnerState, progress: Progress) -> None:
        save(run, state, progress)
        if progress.step == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Run, "save", interrupted)
    with Run.create(tmp_path / "run", small()) as run:
        trainer = Trainer(run)
        with pytest.raises(KeyboardInterrupt):
            trainer.train(InProcess())
    assert (trainer.progress.step, len(trainer.steps)) == (2, 2)
    assert checkpoints(tmp_path / "run")[-1].name == "step-000002.safetensors"


@pytest.mark.parametrize("step", range(1, 6))
def test_an_interrupted_run_that_is_gone_on_with_has_the_bytes_of_one_that_was_not(
    step: int, walker: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained(tmp_path / "whole", walker())
    monkeypatch.setattr(Walker, "interrupt", step)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "run", walker())
    assert checkpoints(tmp_path / "run")[-1].name == f"step-00000{step - 1}.safetensors"
    monkeypatch.setattr(Walker, "interrupt", None)
    assert resumed(tmp_path / "run").is_done
    assert content(tmp_path / "run") == content(tmp_path / "whole")


def test_td_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    trained(tmp_path / "whole", small())

    def stop(trainer: Trainer) -> None:
        if trainer.progress.step == 3:
            raise KeyboardInterrupt

    with Run.create(tmp_path / "run", small()) as run, pytest.raises(KeyboardInterrupt):
        Trainer(run).train(InProcess(), stop)
    resumed(tmp_path / "run")
    assert content(tmp_path / "run") == content(tmp_path / "whole")


def test_a_finished_run_has_nothing_left_to_do(walker: Walk, tmp_path: Path) -> None:
    trained(tmp_path / "run", walker())
    before = content(tmp_path / "run")
    with Run.open(tmp_path / "run") as run:
        trainer = Trainer(run)
        assert trainer.is_done
        trainer.train(InProcess(), lambda trainer: pytest.fail("a step was made"))
    assert content(tmp_path / "run") == before


def test_a_listener_hears_of_every_step_once_it_is_saved(walker: Walk, tmp_path: Path) -> None:
    heard = []

    def listener(trainer: Trainer) -> None:
        newest = checkpoints(trainer.run.folder)[-1].name
        heard.append((trainer.progress.step, newest, len(read_metrics(trainer.run.metrics_path))))

    with Run.create(tmp_path, walker()) as run:
        Trainer(run).train(InProcess(), listener)
    assert heard == [(step, f"step-00000{step}.safetensors", step) for step in range(1, 6)]


def test_steps_take_the_time_that_the_clock_says(walker: Walk, tmp_path: Path) -> None:
    ticks = iter(range(100))
    with Run.create(tmp_path, walker()) as run:
        trainer = Trainer(run, clock=lambda: float(next(ticks)))
        trainer.train(InProcess())
    assert [step.seconds for step in trainer.steps] == [1.0] * 5


def test_a_plugin_that_raises_is_named_once_and_does_not_stop_training(
    walker: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, int, dict[str, float], Path]] = []

    class Hears:
        @hookimpl
        def bg_training_stepped(self, run: str, step: int, metrics: dict[str, float], folder: Path) -> None:
            told.append((run, step, metrics, folder))
            raise ValueError("no ear")

    config = walker()
    add_plugin(monkeypatch, Hears())
    with Run.create(tmp_path / "run", config) as run:
        trainer = Trainer(run)
        with pytest.warns(RuntimeWarning) as warned:
            trainer.train(InProcess())
    assert [str(warning.message) for warning in warned] == [
        "bg_training_stepped of Hears raised ValueError: no ear; training goes on"
    ]
    assert [one[1] for one in told] == [1, 2, 3, 4, 5]
    assert told[0][0] == "run"
    assert told[0][2] == {"score": trainer.steps[0].metrics["score"]}  # what is not finite is left out
    assert told[0][3] == tmp_path / "run"


def test_code_that_has_changed_is_pointed_out_and_training_goes_on(
    walker: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Walker.interrupt = 3
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "run", walker())
    Walker.interrupt = None
    monkeypatch.setattr("boardgames.learning.trainer.code_stamp", lambda things: "other")
    with pytest.warns(RuntimeWarning, match="the code has changed since run was begun"):
        assert resumed(tmp_path / "run").is_done


def test_a_step_that_was_stopped_while_it_was_saved_is_told_once(
    walker: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = Run.save

    def stopped(run: Run, state: LearnerState, progress: Progress) -> None:
        if progress.step == 3:
            raise KeyboardInterrupt
        saved(run, state, progress)

    with Run.create(tmp_path / "run", walker()) as run:
        trainer = Trainer(run)
        monkeypatch.setattr(Run, "save", stopped)
        with pytest.raises(KeyboardInterrupt):
            trainer.train(InProcess())
        monkeypatch.setattr(Run, "save", saved)
        trainer.train(InProcess())
    trained(tmp_path / "whole", walker())
    assert content(tmp_path / "run") == content(tmp_path / "whole")
    assert [step.step for step in trainer.steps] == [1, 2, 3, 4, 5]


def test_a_learner_that_tells_a_story_is_cut_short(
    walker: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(learner: Walker, state: LearnerState) -> None:
        raise ValueError("x\n" * 1000)

    monkeypatch.setattr(Walker, "weights", fail)
    with pytest.raises(PluginError, match="learner 'walker' is broken: ValueError: x x x") as caught:
        trained(tmp_path / "run", walker())
    assert len(str(caught.value)) < 250


def test_weights_that_no_file_takes_end_training_with_the_same_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small()
    monkeypatch.setattr("boardgames.learning.trainer.LARGEST_WEIGHT", 1e-3)
    with pytest.raises(WeightsError, match=r"from step 1: .* \(a smaller learning rate may help\)"):
        trained(tmp_path / "run", config)
    assert read_metrics(tmp_path / "run" / "metrics.jsonl") == []


def test_a_learner_that_raises_is_named(walker: Walk, tmp_path: Path) -> None:
    with pytest.raises(PluginError, match="learner 'walker' is broken: ValueError: no way on"):
        trained(tmp_path / "run", walker(fails=3))
    assert checkpoints(tmp_path / "run")[-1].name == "step-000002.safetensors"


def test_weights_without_bounds_end_training_before_they_are_saved(walker: Walk, tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="expected finite weights from step 3"):
        trained(tmp_path / "run", walker(grows=3))
    assert checkpoints(tmp_path / "run")[-1].name == "step-000002.safetensors"
    assert [step.step for step in read_metrics(tmp_path / "run" / "metrics.jsonl")] == [1, 2]


def test_a_disk_that_is_full_leaves_the_checkpoints_before(
    walker: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from boardgames.learning import run as module

    written = module.write_atomic

    def full_at_step_3(path: Path, content: str | bytes) -> None:
        if "step-000003" in path.name:
            raise FileError("expected a file that can be written: no space left on device")
        written(path, content)

    monkeypatch.setattr(module, "write_atomic", full_at_step_3)
    with pytest.raises(FileError, match="no space left"):
        trained(tmp_path / "run", walker())
    monkeypatch.setattr(module, "write_atomic", written)
    resumed(tmp_path / "run")
    trained(tmp_path / "whole", walker())
    assert content(tmp_path / "run") == content(tmp_path / "whole")


@pytest.mark.slow
def test_any_number_of_workers_and_a_cluster_give_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    for name, workers, cluster in (("one", 1, None), ("two", 2, None), ("cluster", 2, "local")):
        with open_executor(workers, cluster=cluster) as executor:
            trained(tmp_path / name, small(), executor)
    assert content(tmp_path / "one") == content(tmp_path / "two") == content(tmp_path / "cluster")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kills a process by a signal")
def test_workers_that_are_killed_change_nothing(tmp_path: Path) -> None:
    config = small(steps=12, matches=1000)
    trained(tmp_path / "whole", config)
    killed: list[int] = []

    def kill(pool: ProcessPool) -> None:
        worker = pool._lanes[len(killed) % 2]._worker
        assert worker is not None
        killed.append(worker._process.pid)
        worker.kill()

    with ProcessPool(2) as pool, Run.create(tmp_path / "run", config) as run:

        def listener(trainer: Trainer) -> None:
            if trainer.progress.step in (2, 5):
                threading.Timer(0.02, kill, [pool]).start()  # in the middle of the next step

        Trainer(run).train(pool, listener)
    assert len(set(killed)) == 2
    assert content(tmp_path / "run") == content(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no kill -9")
def test_killed_at_twenty_instants_a_run_ends_with_the_bytes_of_one_that_was_not(tmp_path: Path) -> None:
    folder, chance = tmp_path / "run", random.Random()
    settings = {**SMALL, "steps": STEPS}
    config = tmp_path / "config.toml"
    config.write_text(Config("connect4", seed=7, settings=settings).as_toml())
    kills, in_training = 0, 0
    while kills < KILLS:
        begun = (folder / "config.toml").exists()
        chosen = ["--resume", str(folder)] if begun else ["--config", str(config), "--run", str(folder)]
        process = subprocess.Popen(
            [*PROGRAM, "train", *chosen, "--workers", "1"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        before = size(folder)
        if kills % 4:  # the others come anywhere, while the program starts too
            wait_for_steps(folder, before, process)
        time.sleep(chance.uniform(0, 0.15 if kills % 4 else 1.5))
        process.kill()
        _, told = process.communicate()
        assert process.returncode == -signal.SIGKILL, told
        kills += 1
        in_training += size(folder) != before
    assert in_training >= KILLS // 2
    assert checkpoints(folder)[-1].name < f"step-{STEPS:06d}.safetensors"  # no kill came after the end
    resumed(folder)
    trained(tmp_path / "whole", Config.read(folder / "config.toml"))
    assert content(folder) == content(tmp_path / "whole")


def size(folder: Path) -> int:
    path = folder / "metrics.jsonl"
    return path.stat().st_size if path.exists() else 0


def wait_for_steps(folder: Path, before: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE_S
    while size(folder) == before and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.001)
