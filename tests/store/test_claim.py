"""One store at a time may go on with a run, whatever becomes of the others."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from boardgames.errors import MatchError, StoreError
from boardgames.store import Store

CLAIMER = Path(__file__).with_name("claimer.py")
Claimer = Callable[[], "subprocess.Popen[str]"]


@pytest.fixture
def run(store: Store) -> int:
    """Keep a run, the first one."""
    return store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id


@pytest.fixture
def claimer(path: Path) -> Iterator[Claimer]:
    """Return a function that starts a program which claims run 1; those that are left are ended."""
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        command = [sys.executable, str(CLAIMER), str(path)]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=60)


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def locks(path: Path) -> list[str]:
    return [file.name for file in path.parent.glob("*.lock")]


def test_a_run_is_claimed_by_one_store_of_a_process(store: Store, run: int, path: Path) -> None:
    with Store(path) as other:
        assert store.claim_run(run)
        assert store.claim_run(run)
        assert not other.claim_run(run)


def test_another_run_is_free(store: Store, run: int, path: Path) -> None:
    second = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    with Store(path) as other:
        assert store.claim_run(run)
        assert other.claim_run(second)


def test_a_store_that_is_closed_gives_its_claims_back(store: Store, run: int, path: Path) -> None:
    with Store(path) as other:
        assert other.claim_run(run)
        assert locks(path) == [f"matches.db.run-{run}.lock"]
    assert locks(path) == []
    assert store.claim_run(run)


def test_another_process_is_refused_until_this_one_ends_its_work(
    store: Store, run: int, path: Path, claimer: Claimer
) -> None:
    with Store(path) as first:
        assert first.claim_run(run)
        assert said(claimer()) == "False"
    process = claimer()
    assert said(process) == "True"
    assert not store.claim_run(run)
    process.communicate("\n", timeout=60)
    assert store.claim_run(run)


def test_a_process_that_is_killed_leaves_its_run_free(
    store: Store, run: int, path: Path, claimer: Claimer
) -> None:
    process = claimer()
    assert said(process) == "True"
    process.kill()
    process.wait(60)
    assert store.claim_run(run)
    store.close()
    assert locks(path) == []


def test_a_file_that_was_left_behind_does_no_harm(store: Store, run: int, path: Path) -> None:
    path.with_name(f"matches.db.run-{run}.lock").write_text("from long ago")
    assert store.claim_run(run)


@pytest.mark.parametrize("number", [1, 10**30], ids=["none", "too large"])
def test_a_run_that_is_not_kept_is_refused_and_leaves_no_file(number: int, store: Store, path: Path) -> None:
    with pytest.raises((MatchError, StoreError), match=r"^expected (a run that is kept|numbers of 64 bits)"):
        store.claim_run(number)
    assert locks(path) == []


def test_a_closed_store_claims_nothing(store: Store, run: int, path: Path) -> None:
    store.close()
    with pytest.raises(StoreError, match="expected an open database"):
        store.claim_run(run)
    assert locks(path) == []


def test_a_file_that_cannot_be_made_is_one_line(store: Store, run: int, path: Path) -> None:
    path.with_name(f"matches.db.run-{run}.lock").mkdir()
    with pytest.raises(StoreError, match=r"^expected a file that can be locked: .*\.lock \("):
        store.claim_run(run)
