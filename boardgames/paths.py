"""The user's folders, and writing a file so that it is whole or absent.

`BOARDGAMES_HOME` puts everything below one folder; without it platformdirs
gives each system's own places. Apart from the command line, this module is
the only reader of the environment.
"""

import os
import tempfile
from pathlib import Path

import platformdirs

from boardgames.errors import FileError

APPLICATION = "boardgames"


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
    except OSError as error:
        raise FileError(f"expected a folder that can be made: {folder} ({_reason(error)})") from None
    return folder


def read_text(path: Path) -> str:
    """Return the UTF-8 text of a file.

    Raises
    ------
    FileError
        If it is missing, unreadable or not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FileError(f"expected a readable file: {path} ({_reason(error)})") from None
    except UnicodeDecodeError:
        raise FileError(f"expected a file of UTF-8 text: {path}") from None


def write_atomic(path: Path, content: str | bytes) -> None:
    """Put `content` at `path`, whole or not at all: temporary name, sync, rename.

    Raises
    ------
    FileError
        If the folder or the file cannot be written; what was there stays.
    """
    data = content.encode() if isinstance(content, str) else content
    make_folder(path.parent)
    temporary = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise FileError(f"expected a file that can be written: {path} ({_reason(error)})") from None


def _home(room: str) -> Path | None:
    home = os.environ.get("BOARDGAMES_HOME")
    return Path(home).expanduser() / room if home else None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
