"""No engine outlives us: whatever ends this process, the guardian ends the engines."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from processes import is_alive, wait_until_dead
from waiting import PATIENCE_S

from boardgames.ugi.watchdog import Guard, watch

pytestmark = pytest.mark.skipif(os.name != "posix", reason="engines need POSIX pipes")

FAKES = Path(__file__).with_name("fakes.py")
OWNER = """
import os, sys, time
from boardgames.ugi.process import EngineProcess

import os

import pytest

from boardgames.ugi.watchdog import watch
programs = [EngineProcess([sys.executable, sys.argv[1], "family", name], "it") for name in sys.argv[2:]]
for program in programs:
    program.send("isready")
    program.read(time.monotonic() + 60)
print("ready", flush=True)
sys.stdin.readline()
"""
FORKING = OWNER.replace('print("ready"', "if os.fork() == 0: time.sleep(60)\nprint('ready'")


def sleeper() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(["sleep", "600"], start_new_session=True)


@pytest.mark.parametrize("way", [signal.SIGKILL, signal.SIGTERM, None], ids=["killed", "terminated", "done"])
@pytest.mark.parametrize("script", [OWNER, FORKING], ids=["alone", "forking"])
def test_engines_and_their_children_end_with_their_owner(
    way: signal.Signals | None, script: str, tmp_path: Path
) -> None:
    names = [str(tmp_path / name) for name in "ab"]
    owner = subprocess.Popen(
        [sys.executable, "-c", script, str(FAKES), *names],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert owner.stdout is not None
    assert owner.stdin is not None
    assert owner.stdout.readline() == b"ready\n"
    family = [int(pid) for name in names for pid in Path(name).read_text().split()]
    assert all(map(is_alive, family))
    if way is None:
        owner.stdin.write(b"\n")
        owner.stdin.flush()
    else:
        owner.send_signal(way)
    owner.wait(PATIENCE_S)
    wait_until_dead(*family)
    if script is FORKING:
        os.killpg(owner.pid, signal.SIGKILL)  # the fork, which has slept through all this
    owner.stdin.close()
    owner.stdout.close()


def test_a_group_that_was_forgotten_is_left_alone() -> None:
    guard, kept, killed = Guard(), sleeper(), sleeper()
    guard.watch(kept.pid)
    guard.watch(killed.pid)
    guard.forget(kept.pid)
    guard.close()
    assert killed.wait(PATIENCE_S) == -signal.SIGKILL
    assert kept.poll() is None
    kept.kill()
    kept.wait()


def test_there_is_one_guardian_in_a_session_of_its_own() -> None:
    guard, program = Guard(), sleeper()
    guard.watch(program.pid)
    first = guard.pid
    guard.watch(program.pid)
    assert guard.pid == first
    assert first is not None
    assert os.getsid(first) == first
    guard.close()
    assert guard.pid is None
    program.wait(PATIENCE_S)


def test_a_guardian_that_is_gone_is_replaced_and_told_again() -> None:
    guard, program, other = Guard(), sleeper(), sleeper()
    guard.watch(program.pid)
    first = guard.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    wait_until_dead(first)
    guard.watch(other.pid)
    assert guard.pid != first
    guard.close()
    assert program.wait(PATIENCE_S) == other.wait(PATIENCE_S) == -signal.SIGKILL


def test_orders_are_read_until_the_pipe_ends() -> None:
    source, target = os.pipe()
    for piece in (b"+7", b"1\n+72\n", b"-71\n+7"):
        os.write(target, piece)
    os.close(target)
    assert watch(source, os.getppid()) == {72}
    os.close(source)


def test_the_end_of_the_parent_is_seen_though_somebody_holds_the_pipe() -> None:
    source, target = os.pipe()
    os.write(target, b"+71\n")
    assert watch(source, os.getpid()) == {71}  # not our parent
    os.close(source)
    os.close(target)
