"""The user's folders, and atomic writing of files.

All folders are below `BOARDGAMES_HOME` if it is set; otherwise platformdirs
chooses the system's usual folders. Apart from the command line, this is
the only module that reads environment variables.
"""

import os
import stat
import tempfile
from pathlib import Path

import platformdirs

from boardgames.errors import FileError

APPLICATION = "boardgames"
MAX_TEXT_LENGTH = 1 << 28
"""Characters; about 500,000 matches."""


def data_folder() -> Path:
    """Return the folder of records, matches and ratings; it may not exist yet."""
    return _below_home("data") or Path(platformdirs.user_data_dir(APPLICATION, appauthor=False))


def cache_folder() -> Path:
    """Return the folder of files that can be regenerated; it may not exist yet."""
    return _below_home("cache") or Path(platformdirs.user_cache_dir(APPLICATION, appauthor=False))


def runs_folder() -> Path:
    """Return the folder of training runs; it may not exist yet."""
    return _below_home("runs") or data_folder() / "runs"


def blocked_plugins() -> frozenset[str]:
    """Return the plug-ins that `BOARDGAMES_BLOCK` (comma-separated names) disables."""
    names = os.environ.get("BOARDGAMES_BLOCK", "").split(",")
    return frozenset(name.strip() for name in names if name.strip())


def make_folder(folder: Path) -> Path:
    """Create `folder` and its parents unless they exist, and return it.

    Raises
    ------
    FileError
        If it cannot be created or is not a folder.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise FileError(f"cannot create the folder {folder}: {_reason(error)}") from None
    return folder


def read_text(path: Path, *, exact: bool = False) -> str:
    """Return the text of a UTF-8 file, with line feeds as line ends.

    Parameters
    ----------
    path : Path
        The file.
    exact : bool
        Keep line ends and a byte order mark as they are.

    Raises
    ------
    FileError
        If the file is missing, unreadable, not UTF-8 or unreasonably long.
    """
    encoding, newline = ("utf-8", "") if exact else ("utf-8-sig", None)
    try:
        with path.open(encoding=encoding, newline=newline) as file:
            text = file.read(MAX_TEXT_LENGTH + 1)
    except UnicodeDecodeError:
        raise FileError(f"cannot read {path}: not UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {path}: {_reason(error)}") from None
    if len(text) > MAX_TEXT_LENGTH:  # for example an endless device
        raise FileError(f"cannot read {path}: longer than {MAX_TEXT_LENGTH:,} characters")
    return text


def write_atomic(path: Path, content: str | bytes) -> None:
    """Write `content` completely or not at all: to a temporary name, sync, rename.

    A symbolic link is followed, and an existing file keeps its permissions.

    Raises
    ------
    FileError
        If the folder or the file cannot be written; an existing file does not change.
    """
    try:
        data = content.encode() if isinstance(content, str) else content
        _replace(_resolve(path), data)
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(f"cannot write {path}: {_reason(error)}") from None


def check_writable(path: Path) -> None:
    """Raise FileError if `write_atomic` could not write `path`; call it before long computations."""
    try:
        with tempfile.TemporaryFile(prefix=".", dir=_resolve(path).parent):
            pass
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(f"cannot write {path}: {_reason(error)}") from None


def _resolve(path: Path) -> Path:
    """Return the path to write: an existing regular file or a new name. Creates its folder if necessary."""
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    if target.exists() and not target.is_file():
        raise OSError("is a directory" if target.is_dir() else "not a regular file")
    make_folder(target.parent)
    return target


def _replace(path: Path, data: bytes) -> None:
    """Write `data` to a file beside `path` and rename it; leave no file behind on errors."""
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


def _below_home(name: str) -> Path | None:
    home = os.environ.get("BOARDGAMES_HOME")
    try:
        return Path(home).expanduser() / name if home else None
    except RuntimeError:
        raise FileError(f"BOARDGAMES_HOME is in the home folder of an unknown user: {home!r}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _reason(error: OSError | ValueError) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
