"""One connection to the file of matches: opened with care, every error told in one line.

The file is in WAL mode (sqlite.org/wal.html), so readers and a writer do not
wait for each other. With `synchronous = FULL` a commit is on the disk when it
returns.

The whole file is looked over (`PRAGMA quick_check`) at every opening. For
100,000 matches of 70 plies in 168 MB that took 0.12 s, less than starting the
program, and 2.4 s where the system had to read them from a disk of 70 MB/s
first. Larger files than `CHECKED_BYTES` are trusted until a damaged page is
read.

On POSIX systems a process that opens and closes a file gives up its locks on
it, SQLite's as well (sqlite.org/howtocorrupt.html, 2.2). So nothing here opens
the file past SQLite while this process has a connection to it: else another
process would take itself for the last one and remove the log under this one.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NoReturn
from weakref import WeakSet

from boardgames.errors import FileError, StoreError, shown
from boardgames.store.files import (
    Identity,
    check_version,
    dated_names,
    header_fault,
    identity_of,
    make_missing,
    publish,
    set_aside,
)
from boardgames.store.schema import STEPS, VERSION, take_step, version_of

BUSY_TIMEOUT_S = 60.0
CHECKED_BYTES = 1 << 29

_PRIMARY_CODE = 0xFF
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_SETTINGS = ("synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON", "foreign_keys = ON")

Row = tuple[Any, ...]  # what a query asks for

_opening = threading.RLock()  # held while a file is opened or closed
_opened: "WeakSet[Database]" = WeakSet()


class Database:
    """The file of matches, made, led to the present version and looked over.

    A damaged file is set aside with its companions, and the error names both;
    the next one who opens it begins a new file.

    Parameters
    ----------
    path : Path
        Where it is, or will be.

    Raises
    ------
    StoreError
        If it cannot be had, is damaged, newer than this program, or not ours.

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
        self.path = Path(os.path.realpath(path))  # a link leads to the file and its companions
        self._connection: sqlite3.Connection | None = None
        self._identity: Identity = (0, 0)
        with self.telling():
            make_missing(self.path, _fill)
            with _opening:
                self._identity = identity_of(self.path)
                fault = "" if self._is_open_here() else header_fault(self.path)
                if fault:
                    self._fail_damaged(fault)
                self._connection = _connected(self.path)
                _opened.add(self)
            self._prepare()

    def rows(self, query: str, *parameters: object) -> list[Row]:
        """Return what a query finds."""
        with self.telling():
            return self.connection.execute(query, parameters).fetchall()

    def named(self, query: str, parameters: Mapping[str, object]) -> list[Row]:
        """Return what a query with names in place of question marks finds."""
        with self.telling():
            return self.connection.execute(query, parameters).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Do everything within or nothing, alone with the right to write.

        Raises
        ------
        StoreError
            If another process keeps that right too long, or writing fails.
        """
        with self.telling():
            connection = self.connection
            connection.execute("BEGIN IMMEDIATE")
            if not self.path.exists() or identity_of(self.path) != self._identity:
                connection.execute("ROLLBACK")
                raise StoreError(f"expected the database that was opened: {self.path} has been taken away")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # some errors have rolled it back already
                    connection.execute("ROLLBACK")
                raise

    @property
    def connection(self) -> sqlite3.Connection:
        """Return the open connection.

        Raises
        ------
        StoreError
            If it has been closed.
        """
        if self._connection is None:
            raise StoreError(f"expected an open database of matches: {self.path} is closed")
        return self._connection

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Turn the errors of SQLite and of the system into StoreError; set a damaged file aside."""
        try:
            yield
        except StoreError:
            raise
        except UnicodeDecodeError:
            self._fail_damaged("a text is not UTF-8")
        except UnicodeEncodeError as error:
            raise StoreError(f"expected text that UTF-8 can hold: {shown(error.object)}") from None
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE in _DAMAGE:
                self._fail_damaged(str(error))
            raise StoreError(f"expected a database that can be used: {self.path} ({error})") from error
        except FileError as error:
            raise StoreError(str(error)) from None
        except OSError as error:
            raise StoreError(
                f"expected a database that can be used: {self.path} ({_reason(error)})"
            ) from error
        except OverflowError:
            raise StoreError(f"expected numbers of 64 bits for {self.path}: a longer one came") from None

    def close(self) -> None:
        """Give the file back, any number of times."""
        with _opening:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def _is_open_here(self) -> bool:
        return any(
            other._connection is not None and other._identity == self._identity for other in list(_opened)
        )

    def _prepare(self) -> None:
        try:
            check_version(self.path, version_of(self.connection))
            self._look_over()
            self._migrate()
        except BaseException:
            self.close()
            raise

    def _look_over(self) -> None:
        if self.path.stat().st_size > CHECKED_BYTES:
            return
        fault = self.connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if fault != "ok":
            self._fail_damaged(str(fault))

    def _migrate(self) -> None:
        """Take the steps that are left, each in a transaction; other processes may be at it too."""
        is_copied = False
        while version_of(self.connection) < VERSION:
            with self.transaction() as connection:
                version = version_of(connection)  # nobody else changes it now
                if version == VERSION:
                    return
                if not is_copied:
                    self._copy(version)
                    is_copied = True
                take_step(connection, version)

    def _copy(self, version: int) -> None:
        """Copy what is committed to a file beside this one; no file is replaced."""
        for name in dated_names(self.path, f"version-{version}"):
            if publish(name, self._copy_to):
                return

    def _copy_to(self, path: Path) -> None:
        with closing(_connected(self.path)) as source, closing(sqlite3.connect(path)) as target:
            source.backup(target)

    def _fail_damaged(self, reason: str) -> NoReturn:
        reason = " ".join(reason.split())
        try:
            self.close()
            aside = set_aside(self.path, self._identity)
        except (OSError, sqlite3.Error) as error:
            where = f"cannot be set aside ({_reason(error)})"
        else:
            where = "has been set aside already" if aside is None else f"is set aside as {aside}"
        raise StoreError(f"expected a whole database: {self.path} is damaged ({reason}) and {where}")


def _connected(path: Path) -> sqlite3.Connection:
    """Return a connection to a file that is there; none is made."""
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rw", uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None
    )
    connection.text_factory = bytes.decode
    try:
        for setting in _SETTINGS:
            connection.execute(f"PRAGMA {setting}")
    except BaseException:
        connection.close()
        raise
    return connection


def _reason(error: OSError | sqlite3.Error) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def _fill(path: Path) -> None:
    """Make an empty database of the present version."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN")
        for version in range(len(STEPS)):
            take_step(connection, version)
        connection.execute("COMMIT")
