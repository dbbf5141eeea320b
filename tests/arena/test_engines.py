"""Arenas of engines that misbehave at random: every fault is counted, nothing hangs or is left behind."""

import sys
import time
from pathlib import Path

import pytest
from processes import usage, wait_until_freed

import boardgames
from boardgames.arena.arena import Arena
from boardgames.arena.plan import Plan
from boardgames.arena.report import Report
from boardgames.clock import TimeControl
from boardgames.executors import open_executor
from boardgames.store import Store

CHAOTIC_ENGINE = Path(__file__).parents[1] / "ugi" / "chaotic_engine.py"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def running_engines() -> list[str]:
    """Return the command lines of engines of this test that are running."""
    engines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        engines += [" ".join(words)] if str(CHAOTIC_ENGINE) in words else []
    return engines


def outlasting_engines(seconds: float = 60.0) -> list[str]:
    """Return the engines that still run after some time, in which a watchdog kills those that are left."""
    deadline = time.monotonic() + seconds
    while (engines := running_engines()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return engines


def play_match(folder: Path, *, matches: int, workers: int) -> tuple[Report, list[int]]:
    """Play a match of two such engines; return the report, and how often each misbehaved."""
    logs = [folder / name for name in ("one.log", "two.log")]
    agents = tuple(f'engine:command="{sys.executable} {CHAOTIC_ENGINE} {log} 0.05"' for log in logs)
    limit = TimeControl(move=4.0, margin=1.0)
    plan = Plan(game=boardgames.load("connect4"), agents=agents, matches=matches, time=limit)
    with Store(folder / "matches.db") as store, open_executor(workers) as executor:
        report = Arena(plan, seed=1, store=store).run(executor)
    return report, [len(log.read_text().split()) if log.exists() else 0 for log in logs]


@pytest.mark.slow
@pytest.mark.parametrize(("matches", "workers"), [(8, 1), (12, 2)])
def test_misbehaving_engines_lose_and_leave_nothing_behind(
    matches: int, workers: int, tmp_path: Path
) -> None:
    play_match(
        tmp_path, matches=2, workers=workers
    )  # so that files that Python opens only once are already open
    before = usage()
    (tmp_path / "new").mkdir()
    report, faults = play_match(tmp_path / "new", matches=matches, workers=workers)
    assert report.matches == matches
    assert [sum(standing.faults.values()) for standing in report.standings] == faults
    assert sum(faults) > 0
    with Store(tmp_path / "new" / "matches.db") as store:
        faulty = [match for match in store.matches() if match.fault]
    assert len(faulty) == sum(faults)
    assert all(match.termination in ("crash", "time", "illegal-move") for match in faulty)
    assert outlasting_engines() == []
    wait_until_freed(before)
