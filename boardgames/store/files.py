"""The database as a file: made whole, looked at before it is opened, set aside if it is damaged.

A file comes to its place complete, by a link that never replaces another. So
an empty file there is damage, never one that is being made.

Source of the header: "Database File Format", sqlite.org/fileformat2.html.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from boardgames.errors import StoreError
from boardgames.paths import data_folder, make_folder
from boardgames.store.schema import APPLICATION_ID, VERSION

NAME = "matches.db"
COMPANIONS = ("-wal", "-shm")
"""Ends of the names of the files in which SQLite keeps what is not in the database yet."""

_HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\0"
_USER_VERSION = slice(60, 64)
_APPLICATION_ID = slice(68, 72)

Identity = tuple[int, int]
"""Device and number of a file, which stay when it gets another name."""


def default_path() -> Path:
    """Return where the user's matches are kept; nothing may be there yet."""
    return data_folder() / NAME


def has_store(path: Path | None = None) -> bool:
    """Say whether there is a file of matches, the user's by default, which `Store` would else make."""
    try:
        (default_path() if path is None else path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # something is there, and `Store` says why it cannot be had
        return True
    return True


def identity_of(path: Path) -> Identity:
    """Return which file it is that now has this name."""
    found = path.stat()
    return found.st_dev, found.st_ino


def make_missing(path: Path, fill: Callable[[Path], None]) -> None:
    """Make the file, filled, if there is none; one that another process makes first stays.

    Raises
    ------
    StoreError
        If the companions of a lost database are there, which would spoil a new one.
    """
    if path.exists():
        return
    for end in COMPANIONS:
        companion = path.with_name(path.name + end)
        if companion.exists() and not path.exists():
            raise StoreError(f"expected no {companion.name} without its database, move it away: {companion}")
    publish(path, fill)


def publish(path: Path, fill: Callable[[Path], None]) -> bool:
    """Make a file under another name, then give it its own; say whether that name was free."""
    make_folder(path.parent)
    with tempfile.TemporaryDirectory(prefix=f".{path.name[:20]}.", dir=path.parent) as folder:
        temporary = Path(folder) / path.name
        fill(temporary)
        _sync(temporary)
        is_free = _link(temporary, path)
    _sync(path.parent)
    return is_free


def header_fault(path: Path) -> str:
    """Say what shows that a file is damaged, reading its first bytes alone; nothing if none does.

    Raises
    ------
    StoreError
        If it is no file, another program's, or of a newer version.
    """
    if not path.is_file():
        raise StoreError(f"expected a file as database of matches: {path}")
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if not header:
        return "it is empty"
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        return "it is no database"
    if int.from_bytes(header[_APPLICATION_ID], "big") != APPLICATION_ID:
        raise StoreError(f"expected a database of matches: {path} is another program's")
    check_version(path, int.from_bytes(header[_USER_VERSION], "big"))
    return ""


def check_version(path: Path, version: int) -> None:
    """Raise StoreError if a newer program has written the file."""
    if version > VERSION:
        raise StoreError(
            f"expected a database of version {VERSION} at most, a newer boardgames has written it: "
            f"{path} has version {version}"
        )


def set_aside(path: Path, identity: Identity) -> Path | None:
    """Give a file and its companions names with the date; return the new one, None if it has gone.

    Parameters
    ----------
    path : Path
        Where it is.
    identity : (int, int)
        Which file is meant: another process may have set it aside and made a new one.
    """
    if not path.exists() or identity_of(path) != identity:
        return None
    aside = next(name for name in dated_names(path, "damaged") if _claim(name))
    for end in COMPANIONS:  # first: they would spoil a new database
        companion = path.with_name(path.name + end)
        if companion.exists():
            companion.rename(aside.with_name(aside.name + end))
    path.replace(aside)
    _sync(path.parent)
    return aside


def dated_names(path: Path, word: str) -> Iterator[Path]:
    """Yield names for what is put beside a file, each with the word and the date, UTC."""
    name = f"{path.name}.{word}-{datetime.now(UTC).strftime('%Y%m%d-%H%M%S')}"
    yield path.with_name(name)
    for number in count(2):
        yield path.with_name(f"{name}-{number}")


def _claim(path: Path) -> bool:
    """Say whether a name was free; an empty file stands there now, so that nobody else takes it."""
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _link(temporary: Path, path: Path) -> bool:
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        return False
    except OSError:
        # a file system without links; elsewhere the next line fails as well and says why
        if path.exists():
            return False
        temporary.rename(path)
    return True


def _sync(path: Path) -> None:
    """Bring a file or the names in a folder to the disk; Windows does the latter by itself."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
