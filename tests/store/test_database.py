"""The database file under stress: damage, other versions, full disks, kills, concurrent processes."""

import errno
import os
import random
import shutil
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from store_processes import StoreProcess, add_matches, fill_disk

from boardgames.errors import StoreError
from boardgames.record import Record
from boardgames.store import NewMatch, Store, database, has_store
from boardgames.store.database import create_atomically
from boardgames.store.schema import APPLICATION_ID, MIGRATIONS, VERSION, migrate, schema_version

Make = Callable[..., NewMatch]
Start = Callable[..., StoreProcess]
PAGE_BYTES = 4096
OLD_MATCHES = 40
IS_ROOT = not hasattr(os, "geteuid") or os.geteuid() == 0

not_as_root = pytest.mark.skipif(IS_ROOT, reason="root ignores permissions")


@pytest.fixture(autouse=True)
def _no_temporary_files_remain(path: Path) -> Iterator[None]:
    yield
    hidden = list(path.parent.glob(".*")) if path.parent.is_dir() else []
    assert hidden == []
    shutil.rmtree(path.parent, ignore_errors=True)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with 200 matches, to be copied."""
    path = tmp_path_factory.mktemp("filled") / "matches.db"
    with Store(path) as store:
        record = Record("connect4", start="-", names=("Ann", "Bob"), moves=tuple("1234567" * 5))
        store.add([NewMatch.from_record(record, variant="")] * 200)
    return path


def copy(filled: Path, path: Path) -> None:
    path.parent.mkdir(parents=True)
    shutil.copyfile(filled, path)


def add(path: Path, match: Make, count: int = 1) -> list[int]:
    with Store(path) as store:
        return store.add([match("4", fault=str(number)) for number in range(count)])


def files(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.parent.iterdir()}


def pragma(path: Path, name: str) -> object:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


def make_version_1(path: Path) -> None:
    """Create a file as the first version wrote it."""
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection, 0)
        connection.execute(
            "INSERT INTO players (agent, fingerprint, limits)"
            " VALUES ('Ann', '', ''), ('Bob', 'b0b', '100 nodes')"
        )
        connection.executemany(
            "INSERT INTO matches (played, game, variant, first, second, winner, termination, plies,"
            " first_seconds, second_seconds, fault, course, text, record)"
            " VALUES ('2026-01-31T00:00:00Z', 'connect4', 'rows=4', 1, 2, 1, 'time', ?, 0.5, 1.5, 'slow',"
            " ?, x'01', 'the record')",
            [(number, bytes([number])) for number in range(OLD_MATCHES)],
        )


# --- new files ---------------------------------------------------------------------


def test_new_file_is_marked_as_ours_and_has_no_companions(path: Path) -> None:
    Store(path).close()
    assert [file.name for file in path.parent.iterdir()] == ["matches.db"]
    assert pragma(path, "application_id") == APPLICATION_ID
    assert pragma(path, "user_version") == VERSION
    assert pragma(path, "journal_mode") == "wal"


def test_commits_are_synchronous(store: Store) -> None:
    full = 2
    assert store._database.rows("PRAGMA synchronous") == [(full,)]


def test_store_exists_once_it_has_been_opened(path: Path, home: Path) -> None:
    assert not has_store(path)
    assert not has_store()
    Store(path).close()
    Store().close()
    assert has_store(path)
    assert has_store()
    assert not has_store(path / "below")


def test_no_new_file_is_created_beside_the_log_of_a_lost_one(path: Path) -> None:
    path.parent.mkdir()
    log = path.with_name("matches.db-wal")
    log.write_bytes(b"what was not in the database yet")
    with pytest.raises(StoreError, match=r"matches\.db-wal exists without its database"):
        Store(path)
    assert files(path) == {"matches.db-wal": b"what was not in the database yet"}


def test_symbolic_link_is_followed(path: Path, tmp_path: Path, match: Make) -> None:
    add(path, match)
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with Store(link) as store:
        assert store.add([match()]) == [2]
    assert not list(tmp_path.glob("link.db-*"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not allow these names")
@pytest.mark.parametrize(
    "name", ["a b", "50%25?mode=ro#x", "ä\udce9"], ids=["space", "special in URIs", "not UTF-8"]
)
def test_directory_may_have_any_name(name: str, tmp_path: Path, match: Make) -> None:
    path = tmp_path / name / "matches.db"
    add(path, match)
    assert path.is_file()


@pytest.mark.parametrize("has_links", [True, False], ids=["hard links", "no hard links"])
def test_creating_a_file_never_replaces_another(
    has_links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_link(path: Path, target: Path) -> None:
        raise OSError("a file system without links")

    def fill(temporary: Path) -> None:
        assert not path.exists() or path.read_text() == "first"
        temporary.write_text("second")

    if not has_links:
        monkeypatch.setattr(Path, "hardlink_to", no_link)
    path = tmp_path / "new"
    assert create_atomically(path, fill)
    assert path.read_text() == "second"
    path.write_text("first")
    assert not create_atomically(path, fill)
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_failed_creation_leaves_no_files(tmp_path: Path) -> None:
    def fill(temporary: Path) -> None:
        temporary.write_text("half")
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        create_atomically(tmp_path / "new", fill)
    assert list(tmp_path.iterdir()) == []


# --- damage ------------------------------------------------------------------------


def garbage(path: Path) -> None:
    path.write_bytes(b"no database at all" * 1000)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def few_bytes(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50])


def half_a_page(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: PAGE_BYTES // 2])


def half_the_file(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def last_page_missing(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-PAGE_BYTES])


def page_of_noise(path: Path) -> None:
    data = bytearray(path.read_bytes())
    middle = len(data) // PAGE_BYTES // 2 * PAGE_BYTES
    data[middle : middle + PAGE_BYTES] = random.Random(1).randbytes(PAGE_BYTES)
    path.write_bytes(data)


def page_of_zeros(path: Path) -> None:
    data = bytearray(path.read_bytes())
    middle = len(data) // PAGE_BYTES // 2 * PAGE_BYTES
    data[middle : middle + PAGE_BYTES] = bytes(PAGE_BYTES)
    path.write_bytes(data)


DAMAGES = [
    garbage,
    empty,
    few_bytes,
    half_a_page,
    half_the_file,
    last_page_missing,
    page_of_noise,
    page_of_zeros,
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damaged_file_is_set_aside_and_a_new_one_started(
    damage: Callable[[Path], None], path: Path, filled: Path, match: Make
) -> None:
    copy(filled, path)
    damage(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is damaged") as caught:
        Store(path)
    (aside,) = path.parent.iterdir()
    assert aside.name.startswith("matches.db.damaged-20")
    assert aside.read_bytes() == before
    assert str(path) in str(caught.value)
    assert str(aside) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert add(path, match) == [1]


@pytest.mark.parametrize("damage", [garbage, empty], ids=lambda damage: damage.__name__)
def test_log_is_set_aside_with_its_file(damage: Callable[[Path], None], path: Path, filled: Path) -> None:
    copy(filled, path)
    damage(path)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).write_text(suffix)
    with pytest.raises(StoreError):
        Store(path)
    aside = min(file.name for file in path.parent.iterdir())
    assert {name: content for name, content in files(path).items() if name != aside} == {
        f"{aside}-wal": b"-wal",
        f"{aside}-shm": b"-shm",
    }


def test_damaged_file_is_set_aside_and_not_the_link_to_it(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    garbage(path)
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with pytest.raises(StoreError, match="was set aside"):
        Store(link)
    assert link.is_symlink()
    assert [file.name.partition("-")[0] for file in path.parent.iterdir()] == ["matches.db.damaged"]


def test_setting_aside_never_replaces_a_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class StoppedClock:
        @staticmethod
        def now(zone: object) -> "StoppedClock":
            return StoppedClock()

        def strftime(self, form: str) -> str:
            return "20260131-000000"

    monkeypatch.setattr("boardgames.store.database.datetime", StoppedClock)
    for number in range(3):
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"garbage {number}")
        with pytest.raises(StoreError):
            Store(path)
    assert files(path) == {
        "matches.db.damaged-20260131-000000": b"garbage 0",
        "matches.db.damaged-20260131-000000-2": b"garbage 1",
        "matches.db.damaged-20260131-000000-3": b"garbage 2",
    }


def test_damage_of_a_large_file_is_found_when_it_is_read(
    path: Path, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy(filled, path)
    page_of_noise(path)
    monkeypatch.setattr(database, "MAX_CHECKED_BYTES", 0)
    with Store(path) as store:
        with pytest.raises(StoreError, match="is damaged"):
            list(store.matches())
        with pytest.raises(StoreError, match="is closed"):
            list(store.matches())
    assert not path.exists()


def test_damage_is_found_when_writing(
    path: Path, filled: Path, match: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy(filled, path)
    monkeypatch.setattr(database, "MAX_CHECKED_BYTES", 0)  # so that no page is cached yet
    with Store(path) as store:
        with path.open("r+b") as file:  # all pages but the first, while the store is open
            file.seek(PAGE_BYTES)
            file.write(b"\xff" * (path.stat().st_size - PAGE_BYTES))
        with pytest.raises(StoreError, match="is damaged"):
            store.add([match()])
    assert [name for name in files(path) if ".damaged-" not in name] == []


def test_invalid_utf_8_is_damage(path: Path, match: Make) -> None:
    add(path, match)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE matches SET fault = CAST(x'ff' AS TEXT)")
    with Store(path) as store, pytest.raises(StoreError, match="text is not UTF-8"):
        list(store.matches())
    assert not path.exists()


def test_store_that_finds_the_damage_late_does_not_set_the_new_file_aside(
    path: Path, filled: Path, match: Make
) -> None:
    copy(filled, path)
    with Store(path) as late:
        path.rename(path.with_name("elsewhere"))
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        add(path, match, 3)
        with pytest.raises(StoreError, match="has already been set aside"):
            late._database._fail_damaged("some page")
    with Store(path) as store:
        assert len(list(store.matches())) == 3


# --- other versions and programs ---------------------------------------------------


def test_newer_schema_version_is_rejected_and_left_alone(path: Path, match: Make) -> None:
    add(path, match)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = files(path)
    with pytest.raises(StoreError, match=f"newer boardgames: its schema version is {VERSION + 1}"):
        Store(path)
    assert files(path) == before


def test_newer_schema_version_in_the_log_is_rejected(path: Path, match: Make) -> None:
    add(path, match)
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {VERSION + 1}")
        with pytest.raises(StoreError, match=f"version is {VERSION + 1}"):
            Store(path)
    assert path.is_file()


def test_database_of_another_program_is_rejected_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE matches (id INTEGER)")
    before = files(path)
    with pytest.raises(StoreError, match="of another program"):
        Store(path)
    assert files(path) == before


def test_version_1_is_migrated_with_all_its_matches(path: Path, match: Make) -> None:
    make_version_1(path)
    with Store(path) as store:
        matches = list(store.matches())
        assert [one.plies for one in matches] == list(range(OLD_MATCHES))[::-1]
        newest = matches[0]
        assert (newest.players[1].fingerprint, newest.variant, newest.winner) == ("b0b", "rows=4", 1)
        assert (newest.record, newest.seconds, newest.fault) == ("the record", (0.5, 1.5), "slow")
        assert (newest.run, newest.number) == (None, None)
        assert sum(result.count for result in store.result_counts("connect4", "rows=4")) == OLD_MATCHES
        run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
        assert store.add([match(run=run, number=1)]) == [OLD_MATCHES + 1]


def test_migration_leaves_a_backup_of_the_older_version(path: Path) -> None:
    make_version_1(path)
    Store(path).close()
    (backup,) = (file for file in path.parent.iterdir() if file != path)
    assert backup.name.startswith("matches.db.version-1-20")
    assert pragma(backup, "user_version") == 1
    assert pragma(backup, "integrity_check") == "ok"
    with closing(sqlite3.connect(backup)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM matches").fetchone() == (OLD_MATCHES,)


def test_failed_migration_leaves_the_older_version(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_version_1(path)
    broken = (MIGRATIONS[0], (*MIGRATIONS[1], "CREATE TABLE runs (id INTEGER)"))
    with monkeypatch.context() as patched:
        patched.setattr("boardgames.store.schema.MIGRATIONS", broken)
        with pytest.raises(StoreError, match="already exists"):
            Store(path)
    assert pragma(path, "user_version") == 1
    with Store(path) as store:
        assert len(list(store.matches())) == OLD_MATCHES


def test_migration_that_another_process_did_first_is_not_repeated(
    path: Path, match: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(path, match)  # as the other process leaves it in the meantime
    outdated = iter([1, 1])
    monkeypatch.setattr(database, "schema_version", lambda c: next(outdated, None) or schema_version(c))
    with Store(path) as store:
        assert len(list(store.matches())) == 1
        assert [file.name for file in path.parent.glob("*.version-*")] == []


@pytest.mark.slow
def test_two_processes_that_migrate_at_once_do_it_once(path: Path, start: Start) -> None:
    make_version_1(path)
    processes = [start(add_matches, 20, "Ann") for _ in range(2)]
    assert [len(process.rest()) for process in processes] == [21, 21]
    with Store(path) as store:
        assert len(list(store.matches())) == OLD_MATCHES + 40
    assert len(list(path.parent.glob("matches.db.version-1-*"))) == 1


# --- concurrent use ----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 4])
def test_processes_that_create_and_write_at_once_lose_nothing(count: int, path: Path, start: Start) -> None:
    each = 100
    processes = [start(add_matches, each, f"player {number}") for number in range(count)]
    seen = 0
    while any(process.process.is_alive() for process in processes):
        if path.exists():  # read while the others write
            with Store(path) as store:
                now = len(list(store.matches()))
            assert now >= seen
            seen = now
    sent = [process.rest() for process in processes]
    assert [messages[0] for messages in sent] == ["open"] * count
    with Store(path) as store:
        stored = list(store.matches())
    ids = sorted(number for messages in sent for number in messages[1:])
    assert ids == sorted(one.id for one in stored) == list(range(1, count * each + 1))
    names = [one.players[0].agent for one in stored]
    assert {names.count(f"player {number}") for number in range(count)} == {each}
    assert [file.name for file in path.parent.iterdir()] == ["matches.db"]


def test_second_store_of_a_process_does_not_drop_the_locks_of_the_first(
    path: Path, match: Make, start: Start
) -> None:
    with Store(path) as first:
        Store(path).close()
        assert first.add([match()]) == [1]
        # without the locks the other process would believe it is the last one and delete the log
        assert start(add_matches, 1, "Ann").rest() == ["open", 2]
        assert first.add([match()]) == [3]
        with Store(path) as second:  # this would miss what the first one wrote to the deleted log
            assert len(list(second.matches())) == 3


def test_reader_does_not_wait_for_a_writer(path: Path, match: Make) -> None:
    add(path, match, 3)
    with Store(path) as writing, Store(path) as reading, writing._database.transaction() as connection:
        connection.execute("DELETE FROM matches")
        assert len(list(reading.matches())) == 3


def test_lock_that_is_not_released_is_an_error_but_not_damage(
    path: Path, match: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(path, match)
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.1)
    locked = pytest.raises(StoreError, match="database is locked")
    with Store(path) as holder, Store(path) as other, holder._database.transaction(), locked:
        other.add([match()])
    with Store(path) as store:
        assert len(list(store.matches())) == 1


def test_use_from_another_thread_is_reported(store: Store) -> None:
    caught: list[BaseException] = []

    def use() -> None:
        try:
            store.runs()
        except StoreError as error:
            caught.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join(60)
    assert [type(error) for error in caught] == [StoreError]


@pytest.mark.slow
def test_fifty_kills_lose_no_match_that_was_reported_as_stored(path: Path, start: Start) -> None:
    generator, rounds = random.Random(5), 0
    reported: list[int] = []
    while rounds < 25 or len(reported) <= 50:
        rounds += 1
        processes = [start(add_matches, 100_000, name) for name in ("Ann", "Cid")]
        assert [process.receive() for process in processes] == ["open", "open"]
        for process in processes:
            time.sleep(generator.uniform(0.0, 0.1))
            process.kill()
        for process in processes:
            reported += process.rest()
    with Store(path) as store:
        stored = {one.id for one in store.matches()}
    assert len(set(reported)) == len(reported)
    assert set(reported) <= stored
    assert len(stored) <= len(reported) + 2 * rounds  # each kill may come between commit and report
    assert pragma(path, "integrity_check") == "ok"


# --- unusable places ---------------------------------------------------------------


def test_directory_in_place_of_the_file_is_rejected(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StoreError, match="is not a file"):
        Store(path)
    assert path.is_dir()


def test_a_read_only_folder_without_a_store_is_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    path.parent.mkdir()
    monkeypatch.setattr(database, "create_atomically", fail)
    monkeypatch.setattr(os, "access", lambda asked, mode: asked != path.parent)
    with pytest.raises(StoreError, match="the folder is read-only; make it writable, or set BOARDGAMES_HOME"):
        Store(path)


def test_directory_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot create the folder"):
        Store(tmp_path / "file" / "matches.db")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a directory that root cannot write to")
def test_read_only_directory_is_reported() -> None:
    with pytest.raises(StoreError, match=r"cannot use the store /proc/.*matches\.db"):
        Store(Path("/proc/self/matches.db"))


@not_as_root
def test_directory_without_write_permission_is_reported(path: Path, match: Make) -> None:
    add(path, match)
    path.parent.chmod(0o555)
    try:
        with pytest.raises(StoreError, match="cannot use the store"):
            Store(path)
    finally:
        path.parent.chmod(0o755)
    with Store(path) as store:
        assert len(list(store.matches())) == 1


@not_as_root
def test_damaged_file_that_cannot_be_set_aside_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("garbage")
    path.parent.chmod(0o555)
    try:
        with pytest.raises(StoreError, match="cannot be set aside: permission denied"):
            Store(path)
    finally:
        path.parent.chmod(0o755)
    assert files(path) == {"matches.db": b"garbage"}


@not_as_root
def test_read_only_file_can_be_read(path: Path, match: Make) -> None:
    add(path, match)
    path.chmod(0o444)
    with Store(path) as store:
        assert len(list(store.matches())) == 1
        with pytest.raises(StoreError, match="readonly"):
            store.add([match()])
    assert path.is_file()


@pytest.mark.parametrize("moved", ["moved", "replaced"])
def test_nothing_is_written_to_a_file_that_was_moved_or_replaced(
    moved: str, tmp_path: Path, match: Make
) -> None:
    path = tmp_path / "matches.db"
    with Store(path) as store:
        store.add([match()])
        for file in tmp_path.glob("matches.db*"):
            file.rename(tmp_path / f"away-{file.name}")
        if moved == "replaced":
            Store(path).close()
        with pytest.raises(StoreError, match="was moved or replaced"):
            store.add([match()])


def test_full_disk_loses_nothing_that_was_stored(path: Path, match: Make) -> None:
    ids = add(path, match, 20)
    with Store(path) as store:
        pages = store._database.rows("PRAGMA page_count")[0][0]
        store._database.rows(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(StoreError, match="database or disk is full"):
            store.add([match(*"1234567" * 5)] * 100)
        assert [one.id for one in store.matches()] == ids[::-1]
    with Store(path) as store:
        assert len(store.add([match()])) == 1


def test_a_new_file_is_whole_before_it_is_closed(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def copying(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
        """Copy the file alone: on a full disk, what is still in its log is lost without an error."""
        with closing(connection):
            yield connection
            shutil.copy(connection.execute("PRAGMA database_list").fetchone()[2], tmp_path / "copy.db")

    with monkeypatch.context() as patch:
        patch.setattr(database, "closing", copying)
        Store(path).close()
    with closing(sqlite3.connect(tmp_path / "copy.db")) as connection:
        assert connection.execute("PRAGMA quick_check").fetchone()[0] == "ok"
        assert schema_version(connection) == VERSION


@pytest.mark.parametrize(("free", "reason"), [(4096, "the disk is full"), (1 << 30, "disk I/O error")])
def test_a_full_disk_is_told_apart_from_other_failures(
    free: int, reason: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    with (
        Store(path) as store,
        pytest.raises(StoreError, match=f"{reason}$"),
        store._database.reporting_errors(),
    ):
        raise error
    assert [file.name for file in path.parent.iterdir()] == ["matches.db"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on file size")
@pytest.mark.parametrize("limit", [1000, 30_000, 200_000, 400_000])
def test_disk_that_fills_up_is_reported(limit: int, path: Path, start: Start) -> None:
    ((count, message),) = start(fill_disk, limit).rest()
    assert message.startswith(f"cannot use the store {path}: ")
    with Store(path) as store:
        assert len(list(store.matches())) == count
    assert [file.name for file in path.parent.iterdir()] == ["matches.db"]


@pytest.mark.parametrize(
    ("code", "read_only", "reason"),
    [
        (sqlite3.SQLITE_CANTOPEN, "folder", "the folder is read-only; .* BOARDGAMES_HOME to another folder"),
        (
            sqlite3.SQLITE_READONLY_DBMOVED,
            "file",
            "the file is read-only; .* BOARDGAMES_HOME to another folder",
        ),
        (sqlite3.SQLITE_PROTOCOL, "nothing", ".*: the file system cannot lock .* to a local folder"),
        (sqlite3.SQLITE_IOERR_SHMMAP, "nothing", ".*: the file system cannot lock .* to a local folder"),
        (sqlite3.SQLITE_CANTOPEN, "nothing", "unable to open database file"),
        (sqlite3.SQLITE_BUSY, "folder", "unable to open database file"),
    ],
)
def test_a_read_only_store_is_told_apart_from_other_failures(
    code: int, read_only: str, reason: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permissions do not bind root, so the system's answers are replaced."""
    error = sqlite3.OperationalError("unable to open database file")
    error.sqlite_errorcode = code
    with Store(path) as store:
        blocked = {"folder": path.parent, "file": path}.get(read_only)
        monkeypatch.setattr(os, "access", lambda asked, mode: asked != blocked)
        with (
            pytest.raises(StoreError, match=f"cannot use the store {path}: {reason}$"),
            store._database.reporting_errors(),
        ):
            raise error
