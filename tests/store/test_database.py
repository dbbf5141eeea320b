"""The file of matches under ill treatment: damage, newer and older versions, full disks, kills, crowds."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from boardgames.errors import StoreError
from boardgames.record import Record
from boardgames.store import NewMatch, Store, database, has_store
from boardgames.store.schema import APPLICATION_ID, STEPS, VERSION, take_step, version_of

Make = Callable[..., NewMatch]
Writer = Callable[..., "subprocess.Popen[str]"]
PAGE_BYTES = 4096
OLD = 40
IS_ROOT = not hasattr(os, "geteuid") or os.geteuid() == 0


def files(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.parent.iterdir()}


def fill(path: Path, match: Make, count: int = 200) -> list[int]:
    with Store(path) as store:
        return store.add([match(*"1234567" * 5, fault=str(number)) for number in range(count)])


def pragma(path: Path, name: str) -> object:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


def make_version_1(path: Path, count: int = OLD) -> None:
    """Make a file as the first version wrote it."""
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        take_step(connection, 0)
        connection.execute(
            "INSERT INTO players (agent, fingerprint, limits)"
            " VALUES ('Ann', '', ''), ('Bob', 'b0b', '100 nodes')"
        )
        connection.executemany(
            "INSERT INTO matches (played, game, variant, first, second, winner, termination, plies,"
            " first_seconds, second_seconds, fault, course, text, record)"
            " VALUES ('2026-01-31T00:00:00Z', 'connect4', 'rows=4', 1, 2, 1, 'time', ?, 0.5, 1.5, 'slow',"
            " ?, x'01', 'the record')",
            [(number, bytes([number])) for number in range(count)],
        )


# --- a new file --------------------------------------------------------------------


def test_a_new_file_is_ours_and_alone(path: Path) -> None:
    Store(path).close()
    assert [file.name for file in path.parent.iterdir()] == ["matches.db"]
    assert pragma(path, "application_id") == APPLICATION_ID
    assert pragma(path, "user_version") == VERSION
    assert pragma(path, "journal_mode") == "wal"


def test_a_commit_reaches_the_disk(store: Store) -> None:
    full = 2
    assert store._database.rows("PRAGMA synchronous") == [(full,)]


def test_a_new_file_is_never_made_beside_the_log_of_a_lost_one(path: Path) -> None:
    path.parent.mkdir()
    log = path.with_name("matches.db-wal")
    log.write_bytes(b"what was not in the database yet")
    with pytest.raises(StoreError, match=r"expected no matches\.db-wal without its database"):
        Store(path)
    assert files(path) == {"matches.db-wal": b"what was not in the database yet"}


def test_a_link_leads_to_the_file(path: Path, tmp_path: Path, match: Make) -> None:
    fill(path, match, 1)
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with Store(link) as store:
        assert store.add([match()]) == [2]
    assert not list(tmp_path.glob("link.db-*"))


@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not allow")
@pytest.mark.parametrize(
    "name", ["a b", "50%25?mode=ro#x", "ä\udce9"], ids=["space", "signs of addresses", "bytes"]
)
def test_any_name_of_a_folder_will_do(name: str, tmp_path: Path, match: Make) -> None:
    path = tmp_path / name / "matches.db"
    fill(path, match, 1)
    assert path.is_file()


# --- damage ------------------------------------------------------------------------


def garbage(path: Path) -> None:
    path.write_bytes(b"no database at all" * 1000)


def nothing(path: Path) -> None:
    path.write_bytes(b"")


def few_bytes(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50])


def half_a_page(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: PAGE_BYTES // 2])


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def without_the_last_page(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-PAGE_BYTES])


def a_page_of_noise(path: Path) -> None:
    data = bytearray(path.read_bytes())
    middle = len(data) // PAGE_BYTES // 2 * PAGE_BYTES
    data[middle : middle + PAGE_BYTES] = random.Random(1).randbytes(PAGE_BYTES)
    path.write_bytes(data)


def a_page_of_zeros(path: Path) -> None:
    data = bytearray(path.read_bytes())
    middle = len(data) // PAGE_BYTES // 2 * PAGE_BYTES
    data[middle : middle + PAGE_BYTES] = bytes(PAGE_BYTES)
    path.write_bytes(data)


DAMAGES = [
    garbage,
    nothing,
    few_bytes,
    half_a_page,
    half,
    without_the_last_page,
    a_page_of_noise,
    a_page_of_zeros,
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_file_is_set_aside_and_the_next_is_new(
    damage: Callable[[Path], None], path: Path, match: Make
) -> None:
    fill(path, match)
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
    assert fill(path, match, 1) == [1]


@pytest.mark.parametrize("damage", [garbage, nothing], ids=lambda damage: damage.__name__)
def test_the_log_is_set_aside_with_its_file(damage: Callable[[Path], None], path: Path, match: Make) -> None:
    fill(path, match, 1)
    damage(path)
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).write_text(end)
    with pytest.raises(StoreError):
        Store(path)
    aside = min(file.name for file in path.parent.iterdir())
    assert {name: content for name, content in files(path).items() if name != aside} == {
        f"{aside}-wal": b"-wal",
        f"{aside}-shm": b"-shm",
    }


def test_a_damaged_file_is_set_aside_and_not_the_link_to_it(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    garbage(path)
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with pytest.raises(StoreError, match="is set aside"):
        Store(link)
    assert link.is_symlink()
    assert [file.name.partition("-")[0] for file in path.parent.iterdir()] == ["matches.db.damaged"]


def test_setting_aside_replaces_nothing(path: Path, match: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    class Still:
        @staticmethod
        def now(zone: object) -> "Still":
            return Still()

        def strftime(self, form: str) -> str:
            return "20260131-000000"

    monkeypatch.setattr("boardgames.store.files.datetime", Still)
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


def test_damage_of_a_large_file_is_found_where_it_is_read(
    path: Path, match: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path, match)
    a_page_of_noise(path)
    monkeypatch.setattr(database, "CHECKED_BYTES", 0)
    with Store(path) as store:
        with pytest.raises(StoreError, match="is damaged"):
            list(store.matches())
        with pytest.raises(StoreError, match="is closed"):
            list(store.matches())
    assert not path.exists()


def test_damage_is_found_while_writing_too(path: Path, match: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path, match)
    monkeypatch.setattr(database, "CHECKED_BYTES", 0)  # nothing of it is in the store's memory then
    with Store(path) as store:
        with path.open("r+b") as file:  # all pages but the first, below the open store
            file.seek(PAGE_BYTES)
            file.write(b"\xff" * (path.stat().st_size - PAGE_BYTES))
        with pytest.raises(StoreError, match="is damaged"):
            store.add([match()])
    assert [name for name in files(path) if ".damaged-" not in name] == []


def test_a_text_that_is_none_is_damage(path: Path, match: Make) -> None:
    fill(path, match, 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE matches SET fault = CAST(x'ff' AS TEXT)")
    with Store(path) as store, pytest.raises(StoreError, match="a text is not UTF-8"):
        list(store.matches())
    assert not path.exists()


def test_who_sees_the_damage_late_does_not_set_the_new_file_aside(path: Path, match: Make) -> None:
    fill(path, match)
    with Store(path) as late:
        path.rename(path.with_name("elsewhere"))
        for end in ("-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        fill(path, match, 3)
        with pytest.raises(StoreError, match="has been set aside already"):
            late._database._fail_damaged("it was")
    with Store(path) as store:
        assert len(list(store.matches())) == 3


# --- whose file it is --------------------------------------------------------------


def test_a_newer_version_is_refused_and_left_alone(path: Path, match: Make) -> None:
    fill(path, match, 1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = files(path)
    with pytest.raises(
        StoreError, match=f"expected a database of version {VERSION} at most.*version {VERSION + 1}"
    ):
        Store(path)
    assert files(path) == before


def test_a_newer_version_in_the_log_is_refused_too(path: Path, match: Make) -> None:
    fill(path, match, 1)
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {VERSION + 1}")
        with pytest.raises(StoreError, match=f"version {VERSION + 1}"):
            Store(path)
    assert path.is_file()


def test_a_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE matches (id INTEGER)")
    before = files(path)
    with pytest.raises(StoreError, match="is another program's"):
        Store(path)
    assert files(path) == before


# --- older versions ----------------------------------------------------------------


def test_a_file_of_version_1_opens_with_everything_there(path: Path, match: Make) -> None:
    make_version_1(path)
    with Store(path) as store:
        kept = list(store.matches())
        assert [found.plies for found in kept] == list(range(OLD))[::-1]
        first = kept[0]
        assert (first.players[1].fingerprint, first.variant, first.winner) == ("b0b", "rows=4", 1)
        assert (first.record, first.seconds, first.fault) == ("the record", (0.5, 1.5), "slow")
        assert (first.run, first.number) == (None, None)
        assert sum(found.times for found in store.encounters("connect4", "rows=4")) == OLD
        run = store.begin_run("arena", "connect4", key="k", settings={}, seed=1).id
        assert store.add([match(run=run, number=1)]) == [OLD + 1]


def test_a_copy_of_the_older_version_stays(path: Path) -> None:
    make_version_1(path)
    Store(path).close()
    (copy,) = (file for file in path.parent.iterdir() if file != path)
    assert copy.name.startswith("matches.db.version-1-20")
    assert pragma(copy, "user_version") == 1
    assert pragma(copy, "integrity_check") == "ok"
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM matches").fetchone() == (OLD,)


def test_a_step_that_fails_leaves_the_older_version(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_version_1(path)
    broken = (STEPS[0], (*STEPS[1], "CREATE TABLE runs (id INTEGER)"))
    with monkeypatch.context() as patched:
        patched.setattr("boardgames.store.schema.STEPS", broken)
        with pytest.raises(StoreError, match="already exists"):
            Store(path)
    assert pragma(path, "user_version") == 1
    with Store(path) as store:
        assert len(list(store.matches())) == OLD


def test_a_step_that_another_takes_first_is_not_taken_again(
    path: Path, match: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path, match, 1)  # as another process has left it by now
    seen_before = iter([1, 1])
    monkeypatch.setattr(database, "version_of", lambda held: next(seen_before, None) or version_of(held))
    with Store(path) as store:
        assert len(list(store.matches())) == 1
        assert [file.name for file in path.parent.glob("*.version-*")] == []


@pytest.mark.slow
def test_two_that_migrate_at_once_do_it_once(path: Path, writer: Writer) -> None:
    make_version_1(path)
    two = [writer(20), writer(20)]
    told = [process.communicate(timeout=120) for process in two]
    assert [process.returncode for process in two] == [0, 0], told
    with Store(path) as store:
        assert len(list(store.matches())) == OLD + 40
    assert len(list(path.parent.glob("matches.db.version-1-*"))) == 1


# --- many at once ------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 4])
def test_processes_that_begin_and_write_at_once_lose_nothing(count: int, path: Path, writer: Writer) -> None:
    each = 100
    processes = [writer(each, f"player {number}") for number in range(count)]
    seen = 0
    while any(process.poll() is None for process in processes):
        if path.exists():  # a reader all the while
            with Store(path) as store:
                now = len(list(store.matches()))
            assert now >= seen
            seen = now
    told = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0] * count, told
    printed = [int(line) for out, _ in told for line in out.split()[1:]]
    with Store(path) as store:
        kept = list(store.matches())
    assert sorted(printed) == sorted(found.id for found in kept) == list(range(1, count * each + 1))
    names = [found.players[0].agent for found in kept]
    assert {names.count(f"player {number}") for number in range(count)} == {each}
    assert [file.name for file in path.parent.iterdir()] == ["matches.db"]


def test_stores_of_one_process_leave_each_other_the_locks(path: Path, match: Make, writer: Writer) -> None:
    with Store(path) as first:
        Store(path).close()
        for number in (1, 3):
            assert first.add([match()]) == [number]
            # a process that took itself for the last one would remove the log, and `first` not notice
            assert writer(1).communicate(timeout=60) == (f"open\n{number + 1}\n", "")
    with Store(path) as store:
        assert len(list(store.matches())) == 4


def test_a_reader_waits_for_no_writer(path: Path, match: Make) -> None:
    fill(path, match, 3)
    with Store(path) as writing, Store(path) as reading, writing._database.transaction() as connection:
        connection.execute("DELETE FROM matches")
        assert len(list(reading.matches())) == 3


def test_a_lock_that_stays_is_an_error_and_no_damage(
    path: Path, match: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(path, match, 1)
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.1)
    locked = pytest.raises(StoreError, match="database is locked")
    with Store(path) as holder, Store(path) as other, holder._database.transaction(), locked:
        other.add([match()])
    with Store(path) as store:
        assert len(list(store.matches())) == 1


def test_a_store_belongs_to_one_thread(store: Store) -> None:
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
def test_fifty_kills_lose_no_match_that_was_said_to_be_kept(path: Path, writer: Writer) -> None:
    generator, printed, rounds = random.Random(5), [], 0
    while rounds < 25 or len(printed) <= 50:
        rounds += 1
        two = [writer(100_000, "Ann"), writer(100_000, "Cid")]
        for process in two:
            assert process.stdout is not None
            assert process.stdout.readline() == "open\n", process.communicate(timeout=60)
        for process in two:
            time.sleep(generator.uniform(0.0, 0.1))
            process.kill()
        for process in two:
            # not communicate(), which begins behind what readline() has read ahead
            assert process.stdout is not None
            printed += [int(line) for line in process.stdout]
            process.wait(60)
    with Store(path) as store:
        kept = {found.id for found in store.matches()}
    assert len(set(printed)) == len(printed)
    assert set(printed) <= kept
    assert len(kept) <= len(printed) + 2 * rounds  # what a kill kept from being told
    assert pragma(path, "integrity_check") == "ok"


def test_a_store_is_there_once_it_has_been_made(path: Path, home: Path) -> None:
    assert not has_store(path)
    assert not has_store()
    Store(path).close()
    Store().close()
    assert has_store(path)
    assert has_store()
    assert not has_store(path / "below")


# --- places that will not do ---------------------------------------------------------


def test_a_folder_in_place_of_the_file_is_refused(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StoreError, match="expected a file as database of matches"):
        Store(path)
    assert path.is_dir()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot create the folder"):
        Store(tmp_path / "file" / "matches.db")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="a folder that not even root can write to")
def test_a_folder_that_is_read_only_is_one_line() -> None:
    with pytest.raises(StoreError, match=r"expected a database that can be used: /proc/.*matches\.db"):
        Store(Path("/proc/self/matches.db"))


@pytest.mark.skipif(IS_ROOT, reason="root may write anywhere")
def test_a_folder_without_the_right_to_write_is_one_line(path: Path, match: Make) -> None:
    fill(path, match, 1)
    path.parent.chmod(0o555)
    try:
        with pytest.raises(StoreError, match="expected a database that can be used"):
            Store(path)
    finally:
        path.parent.chmod(0o755)
    with Store(path) as store:
        assert len(list(store.matches())) == 1


@pytest.mark.skipif(IS_ROOT, reason="root may write anywhere")
def test_damage_that_cannot_be_set_aside_is_left_as_it_is(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("garbage")
    path.parent.chmod(0o555)
    try:
        with pytest.raises(StoreError, match=r"cannot be set aside \(permission denied\)"):
            Store(path)
    finally:
        path.parent.chmod(0o755)
    assert files(path) == {"matches.db": b"garbage"}


@pytest.mark.skipif(IS_ROOT, reason="root may write anywhere")
def test_a_file_that_is_read_only_is_read_and_not_written(path: Path, match: Make) -> None:
    fill(path, match, 1)
    path.chmod(0o444)
    with Store(path) as store:
        assert len(list(store.matches())) == 1
        with pytest.raises(StoreError, match="readonly"):
            store.add([match()])
    assert path.is_file()


def test_a_full_disk_keeps_what_was_kept(path: Path, match: Make) -> None:
    ids = fill(path, match, 20)
    with Store(path) as store:
        pages = store._database.rows("PRAGMA page_count")[0][0]
        store._database.rows(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(StoreError, match="database or disk is full"):
            store.add([match(*"1234567" * 5)] * 100)
        assert [found.id for found in store.matches()] == ids[::-1]
    with Store(path) as store:
        assert len(store.add([match()])) == 1


FULL = """
import resource, signal, sys
from pathlib import Path
from boardgames.errors import StoreError
from boardgames.record import Record
from boardgames.record import Record
from boardgames.store import NewMatch, Store
match = NewMatch.of(Record("connect4", start="-", moves=("4",) * 6), variant="")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
kept = 0
try:
    with Store(Path(sys.argv[1])) as store:
        while True:
            kept += len(store.add([match] * 10))
            sys.stdout.write(f"{kept}\\n")
except StoreError as error:
    sys.stdout.write(str(error))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits on the size of files")
@pytest.mark.parametrize("limit", [1000, 30_000, 200_000, 400_000])
def test_a_disk_that_fills_up_is_one_line(limit: int, path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path), str(limit)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    *kept, told = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert told.startswith(f"expected a database that can be used: {path} (")
    with Store(path) as store:
        assert len(list(store.matches())) == (int(kept[-1]) if kept else 0)
    assert [file.name for file in path.parent.iterdir()] == ["matches.db"]


@pytest.fixture(autouse=True)
def _nothing_is_left_behind(path: Path) -> Iterator[None]:
    yield
    hidden = list(path.parent.glob(".*")) if path.parent.is_dir() else []
    assert hidden == []
    shutil.rmtree(path.parent, ignore_errors=True)


@pytest.mark.parametrize("taken", ["removed", "replaced"])
def test_nothing_is_written_to_a_file_that_has_been_taken_away(taken: str, tmp_path: Path) -> None:
    path = tmp_path / "matches.db"
    match = NewMatch.of(Record("connect4", start="-", moves=("4",)))
    with Store(path) as store:
        store.add([match])
        for found in tmp_path.glob("matches.db*"):
            found.rename(tmp_path / f"away-{found.name}")
        if taken == "replaced":
            Store(path).close()
        with pytest.raises(StoreError, match="has been taken away"):
            store.add([match])
