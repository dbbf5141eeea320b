"""No engine outlives this process: however it ends, the watchdog kills the engines."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from processes import is_alive, wait_until_dead
from waiting import TIMEOUT_S

from boardgames.ugi import watchdog as module
from boardgames.ugi.watchdog import Watchdog, wait_for_parent

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX")

FAKE_ENGINE = Path(__file__).with_name("fake_engine.py")
OWNER = """
import os, sys, time
from boardgames.ugi.process import EngineProcess
programs = [EngineProcess([sys.executable, sys.argv[1], "child", name], "it") for name in sys.argv[2:]]
for program in programs:
    program.send("isready")
    program.read(time.monotonic() + 60)
print("ready", flush=True)
sys.stdin.readline()
"""
FORKING_OWNER = OWNER.replace('print("ready"', "if os.fork() == 0: time.sleep(60)\nprint('ready'")


def start_sleeper() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(["sleep", "600"], start_new_session=True)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, None], ids=["killed", "terminated", "exits"])
@pytest.mark.parametrize("script", [OWNER, FORKING_OWNER], ids=["alone", "forking"])
def test_engines_and_their_children_end_with_their_owner(
    how: signal.Signals | None, script: str, tmp_path: Path
) -> None:
    names = [str(tmp_path / name) for name in ("ab" if script is OWNER else "a")]
    owner = subprocess.Popen(
        [sys.executable, "-c", script, str(FAKE_ENGINE), *names],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert owner.stdout is not None
    assert owner.stdin is not None
    assert owner.stdout.readline() == b"ready\n"
    pids = [int(pid) for name in names for pid in Path(name).read_text().split()]
    assert all(map(is_alive, pids))
    if how is None:
        owner.stdin.write(b"\n")
        owner.stdin.flush()
    else:
        owner.send_signal(how)
    owner.wait(TIMEOUT_S)
    wait_until_dead(*pids)
    if script is FORKING_OWNER:
        os.killpg(owner.pid, signal.SIGKILL)  # the forked child still sleeps
    owner.stdin.close()
    owner.stdout.close()


def test_a_forgotten_group_is_not_killed() -> None:
    watchdog, kept, killed = Watchdog(), start_sleeper(), start_sleeper()
    watchdog.watch(kept.pid)
    watchdog.watch(killed.pid)
    watchdog.forget(kept.pid)
    watchdog.close()
    assert killed.wait(TIMEOUT_S) == -signal.SIGKILL
    assert kept.poll() is None
    kept.kill()
    kept.wait()


def test_all_engines_share_one_watchdog_in_a_session_of_its_own() -> None:
    watchdog, program = Watchdog(), start_sleeper()
    watchdog.watch(program.pid)
    first = watchdog.pid
    watchdog.watch(program.pid)
    assert watchdog.pid == first
    assert first is not None
    assert os.getsid(first) == first
    watchdog.close()
    assert watchdog.pid is None
    program.wait(TIMEOUT_S)


def test_a_dead_watchdog_is_replaced_and_the_new_one_watches_the_same_groups() -> None:
    watchdog, program, other = Watchdog(), start_sleeper(), start_sleeper()
    watchdog.watch(program.pid)
    first = watchdog.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    wait_until_dead(first)
    watchdog.watch(other.pid)
    assert watchdog.pid != first
    watchdog.close()
    assert program.wait(TIMEOUT_S) == other.wait(TIMEOUT_S) == -signal.SIGKILL


def test_commands_are_read_until_the_pipe_closes() -> None:
    pipe, end = os.pipe()
    for piece in (b"+7", b"1\n+72\n", b"-71\n+7"):
        os.write(end, piece)
    os.close(end)
    assert wait_for_parent(pipe, os.getppid()) == {72}
    os.close(pipe)


def test_the_end_of_the_parent_is_detected_even_if_the_pipe_is_still_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "POLL_INTERVAL_S", 0.01)
    pipe, end = os.pipe()
    os.write(end, b"+71\n")
    assert wait_for_parent(pipe, os.getpid()) == {71}  # this process is not its own parent
    os.close(pipe)
    os.close(end)
