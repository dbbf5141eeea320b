"""Commands with `--cluster`: refusing other code, and failures in the middle of the work."""

import io
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from clusters import seeming_slurm, started_cluster
from rich.console import Console
from training import content
from waiting import TIMEOUT_S

import boardgames_connect4
from boardgames.cli.progress import new_bars
from boardgames.errors import BoardgamesError, ClusterError, WorkerError
from boardgames.executors import InProcess

TRAINING = (
    "train", "connect4", "--seed", "5", "--set", "matches=4", "--set", "test_matches=0", "--measure", "0",
)  # fmt: skip
TEN_STEPS = (*TRAINING, "--set", "steps=10", "--run", "first")
ARENA = ("arena", "connect4", "greedy", "random", "--matches", "40", "--seed", "3")
EXPERIMENT = (
    "experiment", "connect4", "basic-training", "--set", "repetitions=2", "--option", "columns=5",
    "--option", "rows=4", "--seed", "7",
)  # fmt: skip

Run = Callable[..., Any]


class Failing(InProcess):
    """Fails at a task, as a cluster does whose scheduler dies."""

    def __init__(self, tasks: int, error: BoardgamesError) -> None:
        self.tasks, self.error = tasks, error

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        self.tasks -= 1
        if self.tasks < 0:
            raise self.error
        return super().submit(fn, *args, **kwargs)


@pytest.mark.parametrize(
    ("command", "tasks", "continuing", "kind"),
    [
        (TEN_STEPS, 18, "train --resume first", ClusterError),
        (TEN_STEPS, 18, "train --resume first", WorkerError),
        ((*ARENA, "--fresh"), 5, " ".join(ARENA), ClusterError),
        (EXPERIMENT, 1, " ".join(EXPERIMENT), WorkerError),
        (EXPERIMENT[:-2], 1, r"experiment --seed \d+ " + " ".join(EXPERIMENT[1:-2]), ClusterError),
    ],
    ids=["train", "train and its workers", "arena", "experiment", "experiment without a seed"],
)
def test_a_failing_cluster_gives_one_line_with_the_command_that_continues(
    kind: type[BoardgamesError],
    command: tuple[str, ...],
    tasks: int,
    continuing: str,
    bg: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    error = kind("it has died")

    @contextmanager
    def failing(*arguments: object, **more: object) -> Iterator[Executor]:
        yield Failing(tasks, error)

    with monkeypatch.context() as patch:
        patch.setattr("boardgames.executors.open_executor", failing)
        failed = bg(*command)
    shown = re.fullmatch(rf"error: it has died; to continue, run: boardgames ({continuing})\n", failed.err)
    assert failed.code == 2
    assert shown is not None
    unmeasured = ("--measure", "0") if command[0] == "train" else ()
    resumed = bg(*shlex.split(shown[1]), "--workers", "1", *unmeasured)
    assert resumed.code == 0
    assert re.search("resuming", resumed.err + resumed.out)


def test_progress_bars_show_what_the_workers_do() -> None:
    console = Console(file=io.StringIO(), width=120)
    bars = new_bars(console, lambda: "2 workers, 24 tasks/s")
    bars.add_task("steps", total=10)
    with console.capture() as shown:
        console.print(bars.get_renderable())
    assert "2 workers, 24 tasks/s" in shown.get()


@pytest.mark.slow
@pytest.mark.parametrize("command", [TEN_STEPS, ARENA, EXPERIMENT], ids=lambda command: command[0])
def test_a_worker_with_other_code_is_refused_by_name(
    command: tuple[str, ...], bg: Run, mixed: str, home: Path
) -> None:
    refused = bg(*command, "--cluster", mixed)
    assert refused.code == 2
    assert re.fullmatch(
        r"error: worker 127\.0\.0\.1:\d+ has boardgames-connect4 \S+ with other code: install the same .*\n",
        refused.err,
    )
    assert not (home / "runs" / "first" / "metrics.jsonl").exists()


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a cluster of two workers, one of which has an edited copy of Connect Four."""
    folder = tmp_path_factory.mktemp("mixed")
    copy = folder / "code" / "boardgames_connect4"
    shutil.copytree(Path(str(boardgames_connect4.__file__)).parent, copy)
    with (copy / "evaluation.py").open("a") as file:
        file.write("\n# edited\n")
    pytest.importorskip("distributed")
    with started_cluster(folder) as started:
        started.start_worker()
        started.start_worker(copy.parent)
        started.wait_for_workers(2)
        yield started.address


@pytest.mark.slow
def test_training_survives_the_death_of_the_scheduler(bg: Run, home: Path, tmp_path: Path) -> None:
    """It is resumed without a cluster, and ends with the same weights as if nothing had happened."""
    pytest.importorskip("distributed")
    long = (*TRAINING, "--set", "steps=300")
    with started_cluster(tmp_path) as started:
        started.start_worker()
        command = (sys.executable, "-m", "boardgames", *long, "--run", "first", "--cluster", started.address)
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            assert program.stdout is not None
            assert program.stderr is not None
            while not program.stdout.readline().startswith(b"step 3 "):
                assert program.poll() is None, program.stderr.read()
            started.scheduler.send_signal(signal.SIGKILL)
            _, err = program.communicate(timeout=TIMEOUT_S)
    assert program.returncode == 2
    assert re.fullmatch(
        rb"error: the scheduler at '.*' has died or .*; to continue, run: boardgames train --resume first\n",
        err,
    )
    assert bg("train", "--resume", "first", "--workers", "1").code == 0
    assert bg(*long, "--run", "second", "--workers", "1").code == 0
    assert content(home / "runs" / "first") == content(home / "runs" / "second")


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the folder of the jobs of a batch system on this machine; jobs that are left are killed."""
    if find_spec("dask_jobqueue") is None:
        pytest.skip("dask-jobqueue is not installed")
    if shutil.which("setsid") is None:
        pytest.skip("there is no setsid")
    monkeypatch.setenv("PATH", f"{seeming_slurm(tmp_path)}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    yield tmp_path / "jobs"
    for process in running_jobs(tmp_path / "jobs"):
        os.killpg(process, signal.SIGKILL)


def running_jobs(folder: Path) -> list[int]:
    """Return the process groups of the jobs that have not ended, the oldest first."""
    groups = []
    for path in sorted(folder.glob("*.pid"), key=lambda path: path.stat().st_mtime_ns):
        with suppress(ProcessLookupError):
            os.killpg(int(path.read_text()), 0)
            groups.append(int(path.read_text()))
    return groups


def write_slurm_toml(workers: str) -> None:
    Path("slurm.toml").write_text(
        'cores = 1\nmemory = "1 GB"\n[scheduler_options]\nhost = "127.0.0.1"\n'
        f'dashboard_address = "127.0.0.1:0"\n[workers]\n{workers}'
    )


def test_no_job_is_submitted_if_the_file_is_wrong(bg: Run, slurm: Path) -> None:
    write_slurm_toml("number = 1\nqueue = 'x'\n")
    refused = bg(*ARENA, "--cluster", "slurm:slurm.toml")
    assert refused.code == 2
    assert refused.err == (
        "error: slurm.toml: [workers] has no key 'queue'; keys of the cluster come before the first table\n"
    )
    assert list(slurm.iterdir()) == []


@pytest.mark.slow
def test_a_refused_job_ends_the_command_and_its_output_is_quoted(bg: Run, slurm: Path) -> None:
    write_slurm_toml("number = 1\n")
    (slurm / "full").touch()
    refused = bg(*ARENA, "--cluster", "slurm:slurm.toml")
    assert refused.code == 2
    assert re.fullmatch(
        r"starting the cluster of slurm\.toml\n"
        r"error: cannot start workers: sbatch \S+: sbatch: error: the queue is full\n",
        refused.err,
    )


@pytest.mark.slow
def test_starting_and_ending_jobs_do_not_change_the_learned_weights(bg: Run, home: Path, slurm: Path) -> None:
    """More jobs are submitted when there are tasks, one is killed, and none is left at the end."""
    write_slurm_toml("minimum = 1\nmaximum = 2\n")
    long = (*TRAINING, "--set", "steps=300")
    command = (sys.executable, "-m", "boardgames", *long, "--run", "first", "--cluster", "slurm:slurm.toml")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        while not program.stdout.readline().startswith(b"step 3 "):
            assert program.poll() is None, program.stderr.read()
        os.killpg(running_jobs(slurm)[0], signal.SIGKILL)
        _, err = program.communicate(timeout=TIMEOUT_S)
    assert program.returncode == 0, err
    assert re.search(rb"^[2-9] workers: .* tasks/s$", err.splitlines()[-1])
    assert len(list(slurm.glob("*.pid"))) >= 2
    assert bg(*long, "--run", "second", "--workers", "1").code == 0
    assert content(home / "runs" / "first") == content(home / "runs" / "second")
    wait_for(lambda: not running_jobs(slurm))


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
