"""Claims on runs: only one store at a time works on a run, and a kill releases it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from store_processes import StoreProcess, claim_run

from boardgames.errors import MatchError, StoreError
from boardgames.store import Store


@pytest.fixture
def run(store: Store) -> int:
    """Return the ID of a stored run, 1."""
    return store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id


def lock_files(path: Path) -> list[str]:
    return [file.name for file in path.parent.glob("*.lock")]


def test_run_is_claimed_by_one_store_of_a_process(store: Store, run: int, path: Path) -> None:
    with Store(path) as other:
        assert store.claim_run(run)
        assert store.claim_run(run)
        assert not other.claim_run(run)


def test_claim_leaves_other_runs_free(store: Store, run: int, path: Path) -> None:
    second = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
    with Store(path) as other:
        assert store.claim_run(run)
        assert other.claim_run(second)


def test_closing_a_store_releases_its_claims(store: Store, run: int, path: Path) -> None:
    with Store(path) as other:
        assert other.claim_run(run)
        assert lock_files(path) == [f"matches.db.run-{run}.lock"]
    assert lock_files(path) == []
    assert store.claim_run(run)


def test_claims_exclude_other_processes_until_they_are_closed_or_killed(
    store: Store, run: int, path: Path, start: Callable[..., StoreProcess]
) -> None:
    other = start(claim_run)
    with Store(path) as first:
        assert first.claim_run(run)
        assert other.ask(run) is False
    assert other.ask(run) is True
    assert not store.claim_run(run)
    other.kill()
    assert other.rest() == []
    assert store.claim_run(run)
    store.close()
    assert lock_files(path) == []


def test_leftover_lock_file_does_no_harm(store: Store, run: int, path: Path) -> None:
    path.with_name(f"matches.db.run-{run}.lock").write_text("left over")
    assert store.claim_run(run)


@pytest.mark.parametrize("run", [1, 10**30], ids=["missing", "too large"])
def test_claiming_a_run_that_does_not_exist_fails_and_leaves_no_file(
    run: int, store: Store, path: Path
) -> None:
    with pytest.raises((MatchError, StoreError), match=r"there is no run 1|more than 64 bits"):
        store.claim_run(run)
    assert lock_files(path) == []


def test_closed_store_cannot_claim_a_run(store: Store, run: int, path: Path) -> None:
    store.close()
    with pytest.raises(StoreError, match="is closed"):
        store.claim_run(run)
    assert lock_files(path) == []


def test_lock_file_that_cannot_be_created_is_reported(store: Store, run: int, path: Path) -> None:
    path.with_name(f"matches.db.run-{run}.lock").mkdir()
    with pytest.raises(StoreError, match=r"^cannot lock .*\.lock: "):
        store.claim_run(run)
