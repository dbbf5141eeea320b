"""Trainer: steps, interrupts, kills and workers, none of which changes the result."""

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from training import EVOLVE, SMALL, Walker, add_plugin, content, resume, small, train
from training import finished as finished  # noqa: PLC0414 - a fixture
from training import walker as walker  # noqa: PLC0414 - a fixture
from waiting import TIMEOUT_S

from boardgames.errors import FileError, PluginError, WeightsError
from boardgames.executors import InProcess, ProcessPool
from boardgames.hookspecs import hookimpl
from boardgames.learner import LearnerState
from boardgames.learning import runs
from boardgames.learning.checkpoints import checkpoint_paths
from boardgames.learning.config import Config
from boardgames.learning.metrics import Progress, read_metrics
from boardgames.learning.runs import Run
from boardgames.learning.trainer import Trainer
from boardgames.paths import write_atomic

PROGRAM = (sys.executable, "-m", "boardgames")
KILLS = 4
STEPS = 600
"""More steps than are done before the last kill."""

Walk = Callable[..., Config]
Copy = Callable[[Path], Path]

# --- steps ------------------------------------------------------------------


def test_finished_run_has_no_steps_left(walker: Walk, tmp_path: Path) -> None:
    train(tmp_path / "run", walker())
    before = content(tmp_path / "run")
    with Run.open(tmp_path / "run") as run:
        trainer = Trainer(run)
        assert trainer.is_done
        trainer.train(InProcess(), lambda trainer: pytest.fail("a step was done"))
    assert content(tmp_path / "run") == before


def test_listener_is_called_after_each_step_is_saved(walker: Walk, tmp_path: Path) -> None:
    calls = []

    def listener(trainer: Trainer) -> None:
        newest = checkpoint_paths(trainer.run.folder)[-1].name
        calls.append((trainer.progress.step, newest, len(read_metrics(trainer.run.metrics_path))))

    with Run.create(tmp_path, walker()) as run:
        Trainer(run).train(InProcess(), listener)
    assert calls == [(step, f"step-00000{step}.safetensors", step) for step in range(1, 6)]


def test_steps_are_timed_by_the_clock(walker: Walk, tmp_path: Path) -> None:
    ticks = iter(range(100))
    with Run.create(tmp_path, walker()) as run:
        trainer = Trainer(run, clock=lambda: float(next(ticks)))
        trainer.train(InProcess())
    assert [step.seconds for step in trainer.steps] == [1.0] * 5


def test_share_of_the_time_grows_within_a_step(tmp_path: Path) -> None:
    class Watching(InProcess):
        def submit(self, *task: Any, **more: Any) -> Any:
            shares.append(trainer.time_share())
            return super().submit(*task, **more)

    shares: list[float | None] = []
    config = Config("connect4", "evolve", seed=1, settings=EVOLVE)
    with Run.create(tmp_path / "run", config) as run:
        trainer = Trainer(run)
        assert trainer.time_share() == 0
        trainer.train(Watching())
        assert trainer.time_share() == 1
        training, tournament = (
            3 * 1,
            0.2 * 3 * 2 + 0.7 * 2,
        )  # matches, of which most in a tournament are short
        first = [done / 3 * training for done in range(3)]
        second = [training + done / 4 * tournament for done in range(4)]
        in_all = 2 * (training + tournament)
        assert shares[:7] == pytest.approx([one / in_all for one in first + second])
        assert all(one is not None and other is not None and one <= other for one, other in pairwise(shares))


def test_share_of_the_time_is_unknown_without_a_length(walker: Walk, tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", walker()) as run:
        assert Trainer(run).time_share() is None


def test_plugin_hook_that_raises_is_reported_once_and_training_continues(
    walker: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, int, dict[str, float], Path]] = []

    class Listener:
        @hookimpl
        def bg_training_stepped(self, run: str, step: int, metrics: dict[str, float], folder: Path) -> None:
            calls.append((run, step, metrics, folder))
            raise ValueError("not now")

    config = walker()
    add_plugin(monkeypatch, Listener())
    with Run.create(tmp_path / "run", config) as run:
        trainer = Trainer(run)
        with pytest.warns(RuntimeWarning) as warned:
            trainer.train(InProcess())
    assert [str(warning.message) for warning in warned] == [
        "plug-in 'Listener', hook bg_training_stepped, raised ValueError: not now"
    ]
    assert [step for _, step, _, _ in calls] == [1, 2, 3, 4, 5]
    score = trainer.steps[0].metrics["score"]
    # the metric that is not finite is left out
    assert calls[0] == ("run", 1, {"score": score}, tmp_path / "run")


# --- interrupts -------------------------------------------------------------


@pytest.mark.parametrize("step", range(1, 6))
def test_interrupted_run_resumes_to_the_same_bytes(
    step: int, walker: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(tmp_path / "whole", walker())
    monkeypatch.setattr(Walker, "interrupt", step)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", walker())
    assert checkpoint_paths(tmp_path / "run")[-1].name == f"step-00000{step - 1}.safetensors"
    monkeypatch.setattr(Walker, "interrupt", None)
    assert resume(tmp_path / "run").is_done
    assert content(tmp_path / "run") == content(tmp_path / "whole")


def test_td_resumes_to_the_same_bytes(finished: Copy, tmp_path: Path) -> None:
    def stop(trainer: Trainer) -> None:
        if trainer.progress.step == 3:
            raise KeyboardInterrupt

    with Run.create(tmp_path / "run", small()) as run, pytest.raises(KeyboardInterrupt):
        Trainer(run).train(InProcess(), stop)
    resume(tmp_path / "run")
    assert content(tmp_path / "run") == content(finished(tmp_path / "whole"))


def test_step_counts_if_the_interrupt_comes_after_its_checkpoint(
    walker: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = Run.save_checkpoint

    def save_and_interrupt(run: Run, state: LearnerState, progress: Progress) -> None:
        save(run, state, progress)
        if progress.step == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Run, "save_checkpoint", save_and_interrupt)
    with Run.create(tmp_path / "run", walker()) as run:
        trainer = Trainer(run)
        with pytest.raises(KeyboardInterrupt):
            trainer.train(InProcess())
    assert (trainer.progress.step, len(trainer.steps)) == (2, 2)
    assert checkpoint_paths(tmp_path / "run")[-1].name == "step-000002.safetensors"


def test_step_interrupted_before_its_checkpoint_is_recorded_once(
    walker: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = Run.save_checkpoint

    def interrupted(run: Run, state: LearnerState, progress: Progress) -> None:
        if progress.step == 3:
            raise KeyboardInterrupt
        save(run, state, progress)

    with Run.create(tmp_path / "run", walker()) as run:
        trainer = Trainer(run)
        monkeypatch.setattr(Run, "save_checkpoint", interrupted)
        with pytest.raises(KeyboardInterrupt):
            trainer.train(InProcess())
        monkeypatch.setattr(Run, "save_checkpoint", save)
        trainer.train(InProcess())
    train(tmp_path / "whole", walker())
    assert content(tmp_path / "run") == content(tmp_path / "whole")
    assert [step.step for step in trainer.steps] == [1, 2, 3, 4, 5]


def test_a_warning_reports_changed_code_and_training_resumes(
    walker: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Walker.interrupt = 3
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", walker())
    Walker.interrupt = None
    monkeypatch.setattr("boardgames.learning.trainer.code_stamp", lambda things: "other")
    with pytest.warns(RuntimeWarning, match="the code has changed since the last checkpoint of run"):
        assert resume(tmp_path / "run").is_done


# --- errors -----------------------------------------------------------------


def test_learner_that_raises_is_named(walker: Walk, tmp_path: Path) -> None:
    with pytest.raises(PluginError, match="learner 'walker' is broken: ValueError: out of luck"):
        train(tmp_path / "run", walker(fails=3))
    assert checkpoint_paths(tmp_path / "run")[-1].name == "step-000002.safetensors"


def test_long_error_of_a_learner_is_shortened(
    walker: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(learner: Walker, state: LearnerState) -> None:
        raise ValueError("x\n" * 1000)

    monkeypatch.setattr(Walker, "weights", fail)
    with pytest.raises(PluginError, match="learner 'walker' is broken: ValueError: x x x") as caught:
        train(tmp_path / "run", walker())
    assert len(str(caught.value)) < 250


def test_diverging_weights_stop_training_before_they_are_saved(walker: Walk, tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="diverged in step 3; a smaller learning rate may help"):
        train(tmp_path / "run", walker(grows=3))
    assert checkpoint_paths(tmp_path / "run")[-1].name == "step-000002.safetensors"
    assert [step.step for step in read_metrics(tmp_path / "run" / "metrics.jsonl")] == [1, 2]


def test_weights_too_large_for_a_file_have_diverged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boardgames.learning.base.WeightsLearner.max_weight", 1e-3)
    with pytest.raises(WeightsError, match=r"diverged in step 1 with alpha=0.1; choose a smaller alpha"):
        train(tmp_path / "run", small())
    assert read_metrics(tmp_path / "run" / "metrics.jsonl") == []


def test_full_disk_leaves_earlier_checkpoints(
    walker: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = write_atomic

    def full_at_step_3(path: Path, content: str | bytes, *, follow_links: bool = True) -> None:
        if "step-000003" in path.name:
            raise FileError("no space left on device")
        write(path, content, follow_links=follow_links)

    monkeypatch.setattr(runs, "write_atomic", full_at_step_3)
    with pytest.raises(FileError, match="no space left"):
        train(tmp_path / "run", walker())
    monkeypatch.setattr(runs, "write_atomic", write)
    resume(tmp_path / "run")
    train(tmp_path / "whole", walker())
    assert content(tmp_path / "run") == content(tmp_path / "whole")


# --- workers and processes --------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kills a process by a signal")
def test_killed_workers_change_nothing(tmp_path: Path) -> None:
    config = small(steps=6, matches=600)
    train(tmp_path / "whole", config)
    killed: list[int] = []

    def kill(pool: ProcessPool) -> None:
        worker = pool._supervisors[len(killed) % 2]._worker
        assert worker is not None
        assert worker._process.pid is not None
        killed.append(worker._process.pid)
        worker.kill()

    with ProcessPool(2) as pool, Run.create(tmp_path / "run", config) as run:

        def listener(trainer: Trainer) -> None:
            if trainer.progress.step in (2, 4):
                threading.Timer(0.02, kill, [pool]).start()  # during the next step

        Trainer(run).train(pool, listener)
    assert len(set(killed)) == 2
    assert content(tmp_path / "run") == content(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_run_killed_several_times_ends_with_the_same_bytes(tmp_path: Path) -> None:
    """Half of the kills come while steps are done, the others at any time after the start."""
    folder, chance = tmp_path / "run", random.Random()
    config = Config("connect4", seed=7, settings={**SMALL, "steps": STEPS})
    path = tmp_path / "config.toml"
    path.write_text(config.as_toml())
    kills_in_training = 0
    for number in range(KILLS):
        is_new = not (folder / "config.toml").exists()
        arguments = ["--config", str(path), "--run", str(folder)] if is_new else ["--resume", str(folder)]
        process = subprocess.Popen(
            [*PROGRAM, "train", *arguments, "--workers", "1"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        before = size(folder)
        if number % 2:
            wait_for_steps(folder, before, process)
        time.sleep(chance.uniform(0, 0.15 if number % 2 else 1.5))
        process.kill()
        _, errors = process.communicate()
        assert process.returncode == -signal.SIGKILL, errors
        kills_in_training += size(folder) > before
    assert kills_in_training >= KILLS // 2
    assert checkpoint_paths(folder)[-1].name < f"step-{STEPS:06d}.safetensors"  # no kill after the end
    resume(folder)
    train(tmp_path / "whole", Config.read(folder / "config.toml"))
    assert content(folder) == content(tmp_path / "whole")


def size(folder: Path) -> int:
    path = folder / "metrics.jsonl"
    return path.stat().st_size if path.exists() else 0


def wait_for_steps(folder: Path, before: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + TIMEOUT_S
    # a resumed run may drop steps first and repeat them
    while size(folder) <= before and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.001)
