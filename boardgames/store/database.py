"""The database file of the store: created atomically, checked when opened, set aside if damaged.

The file is in WAL mode (sqlite.org/wal.html), so readers and a writer do not
block each other. With `synchronous = FULL` a commit is on disk when it returns.

The whole file is checked each time it is opened (`PRAGMA quick_check`). For
100,000 matches of 70 plies (168 MB) this took 0.12 s, or 2.4 s if the file
first had to be read from a disk at 70 MB/s. Files larger than
`MAX_CHECKED_BYTES` are not checked; damage is then found when a damaged page is
read.

A new file is written under a temporary name and linked to its place, which
never replaces another file. Therefore an empty file is damaged, not one that is
still being created.

On POSIX systems a process that opens and closes a file loses all its locks on it, including SQLite's
(sqlite.org/howtocorrupt.html, 2.2). Another process could then assume that it is the last one that uses the
file, and delete the log. Therefore, while this process has a connection to the file, nothing here opens it
except through SQLite.
"""

import errno
import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, NoReturn
from weakref import WeakSet

from boardgames.errors import FileError, StoreError, quote
from boardgames.paths import data_folder, make_folder
from boardgames.store.schema import APPLICATION_ID, MIGRATIONS, VERSION, migrate, schema_version

FILE_NAME = "matches.db"
COMPANION_SUFFIXES = ("-wal", "-shm")
"""Suffixes of the files that hold changes which SQLite has not written to the database yet."""
BUSY_TIMEOUT_S = 60.0
MAX_CHECKED_BYTES = 1 << 29
MIN_FREE_BYTES = 1 << 16
"""With less free space, SQLite may not be able to create the companions."""

# the header of a database file, sqlite.org/fileformat2.html
_HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\0"
_USER_VERSION = slice(60, 64)
_APPLICATION_ID = slice(68, 72)

_PRIMARY_CODE = 0xFF
_DAMAGE_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_READ_ONLY_CODES = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
_LOCKING_CODES = (
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_IOERR_LOCK,
    sqlite3.SQLITE_IOERR_SHMLOCK,
    sqlite3.SQLITE_IOERR_SHMMAP,
    sqlite3.SQLITE_IOERR_SHMOPEN,
)
_READ_ONLY_ERRORS = (errno.EACCES, errno.EPERM, errno.EROFS)
_PRAGMAS = ("synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON", "foreign_keys = ON")

Row = tuple[Any, ...]  # columns can have any type
FileId = tuple[int, int]
"""Device and inode of a file, which renaming does not change."""

_opening = threading.RLock()  # held while a file is opened or closed
_open_databases: "WeakSet[Database]" = WeakSet()


def default_path() -> Path:
    """Return the path of the user's store, whether or not it exists."""
    return data_folder() / FILE_NAME


def has_store(path: Path | None = None) -> bool:
    """Return True if a store exists (by default the user's); never creates one."""
    try:
        (default_path() if path is None else path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # the file exists; opening it will report the problem
        return True
    return True


class Database:
    """An open database file, created if missing and migrated to the current schema version.

    A damaged file is set aside together with its companions. The error names
    the new path, and the next time the database is opened, a new file is
    created.

    Raises
    ------
    StoreError
        If the file cannot be used, is damaged, was written by a newer version,
        or belongs to another program.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     database = Database(Path(folder) / "matches.db")
    ...     with database.transaction() as connection:
    ...         _ = connection.execute("INSERT INTO players VALUES (1, 'Ann', '', '')")
    ...     rows = database.rows("SELECT agent FROM players")
    ...     database.close()
    >>> rows
    [('Ann',)]
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))  # SQLite puts its other files beside the file, not a link
        self._connection: sqlite3.Connection | None = None
        self._file_id: FileId = (0, 0)
        with self.reporting_errors():
            _create_missing(self.path)
            with _opening:
                self._file_id = _file_id(self.path)
                damage = "" if self._is_open_in_this_process() else _header_damage(self.path)
                if damage:
                    self._fail_damaged(damage)
                self._connection = _connect(self.path)
                _open_databases.add(self)
            self._prepare()

    def rows(self, query: str, *parameters: object) -> list[Row]:
        """Run a query and return its rows."""
        with self.reporting_errors():
            return self.connection.execute(query, parameters).fetchall()

    def named(self, query: str, parameters: Mapping[str, object]) -> list[Row]:
        """Run a query with named parameters and return its rows."""
        with self.reporting_errors():
            return self.connection.execute(query, parameters).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run a `with` block as one write transaction: either everything is committed or nothing.

        Raises
        ------
        StoreError
            If another process holds the write lock for too long, or writing
            fails.
        """
        with self.reporting_errors():
            connection = self.connection
            connection.execute("BEGIN IMMEDIATE")
            if not self.path.exists() or _file_id(self.path) != self._file_id:
                connection.execute("ROLLBACK")
                raise StoreError(f"{self.path} was moved or replaced while it was open")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # after some errors SQLite has already rolled back
                    connection.execute("ROLLBACK")
                raise

    @property
    def connection(self) -> sqlite3.Connection:
        """Return the open connection.

        Raises
        ------
        StoreError
            If the database has been closed.
        """
        if self._connection is None:
            raise StoreError(f"the store {self.path} is closed")
        return self._connection

    @contextmanager
    def reporting_errors(self) -> Iterator[None]:
        """Turn errors of SQLite and of the system into StoreError, and set a damaged file aside."""
        try:
            yield
        except StoreError:
            raise
        except UnicodeDecodeError:
            self._fail_damaged("some text is not UTF-8")
        except UnicodeEncodeError as error:
            raise StoreError(f"cannot store {quote(error.object)}: it is not valid UTF-8") from None
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE in _DAMAGE_CODES:
                self._fail_damaged(str(error))
            full = "the disk is full" if self._may_lack_space(error) else ""
            reason = full or self._read_only_reason(error) or _locking_reason(error) or error
            raise StoreError(f"cannot use the store {self.path}: {reason}") from error
        except FileError as error:
            raise StoreError(str(error)) from None
        except OSError as error:
            reason = self._read_only_reason(error) or _reason(error)
            raise StoreError(f"cannot use the store {self.path}: {reason}") from error
        except OverflowError:
            raise StoreError(f"a number of more than 64 bits does not fit in {self.path}") from None

    def close(self) -> None:
        """Close the connection. May be called again."""
        with _opening:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def _may_lack_space(self, error: sqlite3.Error) -> bool:
        """Return True for an error that does not mention a full disk although the disk is full."""
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
        if code not in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
            return False
        try:
            return shutil.disk_usage(self.path.parent).free < MIN_FREE_BYTES
        except OSError:
            return False

    def _read_only_reason(self, error: OSError | sqlite3.Error) -> str:
        """Say what is read-only and what to do; return an empty string if the error has another cause."""
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
        number = getattr(error, "errno", None)
        if code not in _READ_ONLY_CODES and number not in _READ_ONLY_ERRORS:
            return ""
        paths = {"folder": self.path.parent, "file": self.path}
        for kind, path in paths.items():
            if path.exists() and not os.access(path, os.W_OK):
                return f"the {kind} is read-only; make it writable, or set BOARDGAMES_HOME to another folder"
        return ""

    def _is_open_in_this_process(self) -> bool:
        return any(
            other._connection is not None and other._file_id == self._file_id
            for other in list(_open_databases)
        )

    def _prepare(self) -> None:
        try:
            _check_version(self.path, schema_version(self.connection))
            self._check_integrity()
            self._migrate()
        except BaseException:
            self.close()
            raise

    def _check_integrity(self) -> None:
        if self.path.stat().st_size > MAX_CHECKED_BYTES:
            return
        problem = self.connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            self._fail_damaged(str(problem))

    def _migrate(self) -> None:
        """Apply the missing migrations, each in a transaction, since other processes may do the same."""
        has_backup = False
        while schema_version(self.connection) < VERSION:
            with self.transaction() as connection:
                version = schema_version(connection)  # no other process can change it now
                if version == VERSION:
                    return
                if not has_backup:
                    self._back_up(version)
                    has_backup = True
                migrate(connection, version)

    def _back_up(self, version: int) -> None:
        """Copy the committed state to a new file beside this one."""
        for path in _dated_paths(self.path, f"version-{version}"):
            if create_atomically(path, self._copy_to):
                return

    def _copy_to(self, path: Path) -> None:
        with closing(_connect(self.path)) as source, closing(sqlite3.connect(path)) as target:
            source.backup(target)

    def _fail_damaged(self, reason: str) -> NoReturn:
        reason = " ".join(reason.split())
        try:
            self.close()
            aside = _set_aside(self.path, self._file_id)
        except (OSError, sqlite3.Error) as error:
            consequence = f"cannot be set aside: {_reason(error)}"
        else:
            consequence = "has already been set aside" if aside is None else f"was set aside as {aside}"
        raise StoreError(f"{self.path} is damaged ({reason}) and {consequence}")


def _locking_reason(error: sqlite3.Error) -> str:
    """Say what to do if the file system has no locks or shared memory; empty for other errors."""
    if getattr(error, "sqlite_errorcode", 0) not in _LOCKING_CODES:
        return ""
    return (
        f"{error}: the file system cannot lock or share memory, as on some network drives; "
        "set BOARDGAMES_HOME to a local folder"
    )


def create_atomically(path: Path, fill: Callable[[Path], None]) -> bool:
    """Create a file under a temporary name and link it to `path`; return False if that exists already.

    Parameters
    ----------
    fill : callable
        Writes the file to the path that it is given.
    """
    make_folder(path.parent)
    with tempfile.TemporaryDirectory(prefix=f".{path.name[:20]}.", dir=path.parent) as folder:
        temporary = Path(folder) / path.name
        fill(temporary)
        _sync(temporary)
        is_created = _link(temporary, path)
    _sync(path.parent)
    return is_created


def _create_missing(path: Path) -> None:
    """Create an empty database if there is none; another process may have been faster.

    Raises
    ------
    StoreError
        If companions of a missing database exist, which would corrupt a new one.
    """
    if path.exists():
        return
    for suffix in COMPANION_SUFFIXES:
        companion = path.with_name(path.name + suffix)
        if companion.exists() and not path.exists():
            raise StoreError(f"{companion} exists without its database; move it away")
    create_atomically(path, _create_database)


def _create_database(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        for version in range(len(MIGRATIONS)):
            migrate(connection, version)
        connection.execute("COMMIT")
        # this comes last, because closing a log that does not fit on the disk silently leaves half a database
        connection.execute("PRAGMA journal_mode = WAL")


def _connect(path: Path) -> sqlite3.Connection:
    """Connect to an existing file."""
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rw", uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None
    )
    connection.text_factory = bytes.decode
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def _header_damage(path: Path) -> str:
    """Return what is wrong with the first bytes of a file, or an empty string.

    Raises
    ------
    StoreError
        If it is not a file, belongs to another program, or was written by a
        newer version.
    """
    if not path.is_file():
        raise StoreError(f"the store {path} is not a file")
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if not header:
        return "it is empty"
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        return "it is not a database"
    if int.from_bytes(header[_APPLICATION_ID], "big") != APPLICATION_ID:
        raise StoreError(f"{path} is a database of another program")
    _check_version(path, int.from_bytes(header[_USER_VERSION], "big"))
    return ""


def _check_version(path: Path, version: int) -> None:
    if version > VERSION:
        raise StoreError(
            f"{path} was written by a newer boardgames: its schema version is {version}, "
            f"this program supports versions up to {VERSION}"
        )


def _set_aside(path: Path, file_id: FileId) -> Path | None:
    """Rename a file and its companions; return the new path, or None if the file has been replaced.

    Parameters
    ----------
    path : Path
        The damaged file.
    file_id : FileId
        Identifies the file, because another process may have set it aside and created a new
        one.
    """
    if not path.exists() or _file_id(path) != file_id:
        return None
    aside = next(name for name in _dated_paths(path, "damaged") if _reserve(name))
    for suffix in COMPANION_SUFFIXES:  # move companions first, because they would corrupt a new database
        companion = path.with_name(path.name + suffix)
        if companion.exists():
            companion.rename(aside.with_name(aside.name + suffix))
    path.replace(aside)
    _sync(path.parent)
    return aside


def _dated_paths(path: Path, word: str) -> Iterator[Path]:
    """Yield paths in the folder of `path` whose names contain `word` and the date in UTC."""
    name = f"{path.name}.{word}-{datetime.now(UTC).strftime('%Y%m%d-%H%M%S')}"
    yield path.with_name(name)
    for number in count(2):
        yield path.with_name(f"{name}-{number}")


def _reserve(path: Path) -> bool:
    """Create an empty file, so that no other process takes the name; return False if it exists."""
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _link(temporary: Path, path: Path) -> bool:
    """Give a file its final name; return False if `path` exists."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        return False
    except OSError:
        # this file system probably has no hard links; if there is another problem, renaming also fails
        if path.exists():
            return False
        temporary.rename(path)
    return True


def _sync(path: Path) -> None:
    """Flush a file or a directory to disk. Windows needs no flush of directories."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _file_id(path: Path) -> FileId:
    status = path.stat()
    return status.st_dev, status.st_ino


def _reason(error: OSError | sqlite3.Error) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
