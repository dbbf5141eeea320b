"""Clusters of `distributed`, started as users do: a scheduler and workers, each in its own process."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waiting import TIMEOUT_S

TESTS = Path(__file__).parent
QUIET = ("--host", "127.0.0.1", "--no-dashboard")


class Cluster:
    """A scheduler on loopback, with no workers at first; made by `started_cluster`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.programs: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", str(file), "--no-show")
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            try:
                self.address = str(json.loads(file.read_text())["address"])
                break
            except (OSError, ValueError):  # the file has not been written yet
                assert time.monotonic() < deadline
                time.sleep(0.05)

    def start_worker(self, code: Path | None = None) -> "subprocess.Popen[bytes]":
        """Start a worker that prefers packages in the folder `code` to the installed ones."""
        return self._start("worker", self.address, "--nthreads", "1", "--no-nanny", code=code)

    def wait_for_workers(self, count: int) -> None:
        """Wait until this many workers have joined the scheduler."""
        from distributed import Client

        with Client(self.address) as client:  # type: ignore[no-untyped-call]  # distributed is partly typed
            client.wait_for_workers(count, timeout=TIMEOUT_S)

    def _start(self, kind: str, *arguments: str, code: Path | None = None) -> "subprocess.Popen[bytes]":
        paths = [*([str(code)] if code is not None else []), str(TESTS), os.environ.get("PYTHONPATH", "")]
        program = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *arguments, *QUIET],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )
        self.programs.append(program)
        return program


@contextmanager
def started_cluster(folder: Path) -> Iterator[Cluster]:
    """Start and yield a cluster, and kill its processes at the end."""
    cluster = Cluster(folder)
    try:
        yield cluster
    finally:
        for program in reversed(cluster.programs):
            program.kill()
            program.wait()


def seeming_slurm(folder: Path) -> Path:
    """Write imitations of `sbatch` and `scancel` that run jobs as local processes, and return their folder.

    The number of a job is the process ID of its `sbatch`. The process ID of the job itself is in the file
    `NUMBER.pid`. While a file `full` exists, jobs are refused.
    """
    jobs, programs = folder / "jobs", folder / "programs"
    for made in (jobs, programs):
        made.mkdir()
    submit = f"""#!/bin/sh
if [ -e '{jobs}/full' ]; then echo "sbatch: error: the queue is full" >&2; exit 1; fi
cp "$1" '{jobs}'/$$.sh
setsid sh '{jobs}'/$$.sh >'{jobs}'/$$.log 2>&1 &
echo $! >'{jobs}'/$$.pid
echo "Submitted batch job $$"
"""
    cancel = f"""#!/bin/sh
kill -- -$(cat '{jobs}'/$1.pid)
"""
    for name, text in (("sbatch", submit), ("scancel", cancel)):
        path = programs / name
        path.write_text(text)
        path.chmod(0o755)
    return programs
