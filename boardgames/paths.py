"""The user's folders, and writing a file so that it is whole or absent.

`BOARDGAMES_HOME` puts everything below one folder; without it platformdirs
gives each system's own places. Apart from the command line, this module is
the only reader of the environment.
"""

import os
import stat
import tempfile
from pathlib import Path

import platformdirs

from boardgames.errors import FileError

APPLICATION = "boardgames"
LARGEST_TEXT = 1 << 28
"""Characters; about 500,000 matches."""


def data_folder() -> Path:
    """Return the folder of records, matches and ratings; it may not exist yet."""
    return _home("data") or Path(platformdirs.user_data_dir(APPLICATION, appauthor=False))


def cache_folder() -> Path:
    """Return the folder of what can be made again; it may not exist yet."""
    return _home("cache") or Path(platformdirs.user_cache_dir(APPLICATION, appauthor=False))


def runs_folder() -> Path:
    """Return the folder of training runs; it may not exist yet."""
    return _home("runs") or data_folder() / "runs"


def blocked_plugins() -> frozenset[str]:
    """Return the plug-ins that `BOARDGAMES_BLOCK` (names with commas) keeps out."""
    names = os.environ.get("BOARDGAMES_BLOCK", "").split(",")
    return frozenset(name.strip() for name in names if name.strip())


def make_folder(folder: Path) -> Path:
    """Make `folder` with its parents and return it.

    Raises
    ------
    FileError
        If it cannot be made or is not a folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise FileError(f"expected a folder that can be made: {folder} ({_reason(error)})") from None
    return folder


def read_text(path: Path, *, exact: bool = False) -> str:
    """Return the UTF-8 text of a file, its lines ended by a line feed.

    Parameters
    ----------
    path : Path
        A file.
    exact : bool
        Keep line ends and a byte order mark as they are.

    Raises
    ------
    FileError
        If it is missing, unreadable, not UTF-8 or longer than any text should be.
    """
    encoding, newline = ("utf-8", "") if exact else ("utf-8-sig", None)
    try:
        with path.open(encoding=encoding, newline=newline) as file:
            text = file.read(LARGEST_TEXT + 1)
    except UnicodeDecodeError:
        raise FileError(f"expected a file of UTF-8 text: {path}") from None
    except (OSError, ValueError) as error:
        raise FileError(f"expected a readable file: {path} ({_reason(error)})") from None
    if len(text) > LARGEST_TEXT:  # a device that never ends, say
        raise FileError(f"expected a file of at most {LARGEST_TEXT:,} characters: {path}")
    return text


def write_atomic(path: Path, content: str | bytes) -> None:
    """Put `content` at `path`, whole or not at all: temporary name, sync, rename.

    A link goes on leading to its file, and a file keeps its permissions.

    Raises
    ------
    FileError
        If the folder or the file cannot be written; what was there stays.
    """
    try:
        data = content.encode() if isinstance(content, str) else content
        _replace(_target(path), data)
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(f"expected a file that can be written: {path} ({_reason(error)})") from None


def check_writable(path: Path) -> None:
    """Complain of a file that `write_atomic` could not write, before time is spent on what shall stand there.

    Raises
    ------
    FileError
        If it is no regular file, or nothing can be put into its folder.
    """
    try:
        with tempfile.TemporaryFile(prefix=".", dir=_target(path).parent):
            pass
    except (OSError, ValueError) as error:
        raise FileError(f"expected a file that can be written: {path} ({_reason(error)})") from None


def _target(path: Path) -> Path:
    """Return what a path leads to, a regular file or nothing yet, whose folder is then there."""
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    if target.exists() and not target.is_file():
        raise OSError("is a directory" if target.is_dir() else "no regular file")
    make_folder(target.parent)
    return target


def _replace(path: Path, data: bytes) -> None:
    """Write `data` beside `path` and rename it; whatever stops that, nothing is left behind."""
    mode = stat.S_IMODE(path.stat().st_mode) if path.is_file() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:20]}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _home(room: str) -> Path | None:
    home = os.environ.get("BOARDGAMES_HOME")
    try:
        return Path(home).expanduser() / room if home else None
    except RuntimeError:
        raise FileError(f"expected a home folder that is known in BOARDGAMES_HOME: {home!r}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _reason(error: OSError | ValueError) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
