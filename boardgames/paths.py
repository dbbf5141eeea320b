"""The user's folders, and atomic writing of files.

All folders are below `BOARDGAMES_HOME` if it is set; otherwise platformdirs
chooses the system's usual folders. Apart from the command line, this is
the only module that reads environment variables.
"""

import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from boardgames.errors import FileError, quote

APPLICATION = "boardgames"
MAX_TEXT_BYTES = 1 << 28
"""Maximum size of a text, enough for about 500,000 matches."""


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
        If the folder cannot be created, or a file of this name exists.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        is_ours = any(folder.is_relative_to(ours) for ours in (data_folder(), runs_folder()))
        advice = "; set BOARDGAMES_HOME to a folder that you can write to" if is_ours else ""
        raise FileError(f"cannot create the folder {folder}: {describe_os_error(error)}{advice}") from None
    return folder


def read_text(path: Path, *, exact: bool = False, limit: int = MAX_TEXT_BYTES) -> str:
    """Return the text of a UTF-8 file, with line feeds as line ends.

    Parameters
    ----------
    path : Path
        The file.
    exact : bool
        Keep line ends and a byte order mark as they are.
    limit : int
        Maximum number of bytes.

    Raises
    ------
    FileError
        If the file is missing, unreadable, not UTF-8 or longer than `limit`.
    """
    data = read_bytes(path, limit=limit)
    try:
        text = data.decode("utf-8" if exact else "utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(f"cannot read {path}: not UTF-8 text") from None
    return text if exact else text.replace("\r\n", "\n").replace("\r", "\n")


def read_any_text(path: Path) -> tuple[str, str]:
    """Return the text of a file, and a warning if it is not UTF-8, otherwise an empty string.

    Raises
    ------
    FileError
        If the file is missing or unreadable, or does not contain text.
    """
    return decode_any_text(read_bytes(path), str(path))


def decode_any_text(data: bytes, name: str) -> tuple[str, str]:
    r"""Decode text; return it with a warning if it is not UTF-8, otherwise with an empty string.

    Parameters
    ----------
    data : bytes
        The content of a file or a stream.
    name : str
        Name of the file or stream for error messages.

    Raises
    ------
    FileError
        If the content is not text.

    Examples
    --------
    >>> decode_any_text(b"J\xf6rg", "names.txt")
    ('Jörg', 'not UTF-8, read as Latin-1')
    """
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        if b"\0" in data:
            raise FileError(f"cannot read {name}: not text") from None
        return data.decode("latin-1"), "not UTF-8, read as Latin-1"


def read_bytes(path: Path, *, limit: int = MAX_TEXT_BYTES) -> bytes:
    """Return the content of a file; raises FileError if it is unreadable or has more than `limit` bytes."""
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {path}: {describe_os_error(error)}") from None
    if len(data) > limit:  # the file may be an endless device
        raise FileError(f"cannot read {path}: longer than {limit:,} bytes")
    return data


def write_atomic(path: Path, content: str | bytes | bytearray, *, follow_links: bool = True) -> None:
    """Write `content` completely or not at all: write a temporary file, sync it and rename it.

    An existing file keeps its permissions.

    Parameters
    ----------
    path : Path
        The file; its folder is created if necessary.
    content : str, bytes or bytearray
        Text is written as UTF-8.
    follow_links : bool
        If `path` is a symbolic link, write the file that it points to instead of replacing the link.

    Raises
    ------
    FileError
        If the folder or the file cannot be written; an existing file does not change.
    """
    try:
        data = content.encode() if isinstance(content, str) else content
        _replace(_resolve(path) if follow_links or not path.is_symlink() else path, data)
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(f"cannot write {path}: {describe_os_error(error)}") from None


def check_folder(path: Path) -> None:
    """Raise FileError if the folder of a file named by the user does not exist, since it may be a typo."""
    try:
        folder = _target(path).parent
        if folder.is_dir():
            return
        reason = f"{folder} is not a folder" if folder.exists() else f"the folder {folder} does not exist"
    except (OSError, ValueError) as error:
        reason = describe_os_error(error)
    raise FileError(f"cannot write {path}: {reason}")


def check_writable(path: Path) -> None:
    """Raise FileError if `write_atomic` could not write `path`; call it before long computations."""
    try:
        with tempfile.TemporaryFile(prefix=".", dir=_resolve(path).parent):
            pass
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(f"cannot write {path}: {describe_os_error(error)}") from None


def _resolve(path: Path) -> Path:
    """Follow a symbolic link, check that the target is a regular file or new, and create its folder."""
    target = _target(path)
    if target.exists() and not target.is_file():
        raise OSError("is a directory" if target.is_dir() else "not a regular file")
    make_folder(target.parent)
    return target


def _target(path: Path) -> Path:
    """Return the target of a symbolic link, or the path itself if it is none."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _replace(path: Path, data: bytes | bytearray) -> None:
    """Write `data` to a file beside `path` and rename it; leave nothing behind if that fails."""
    is_file = path.is_file() and not path.is_symlink()
    mode = stat.S_IMODE(path.stat().st_mode) if is_file else 0o666 & ~_umask()
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


def find_path(text: str) -> Path | None:
    """Return a text as a path if the path exists, has a folder or has an extension, otherwise None.

    Examples
    --------
    >>> find_path("no-such-name"), find_path("td.safetensors").name
    (None, 'td.safetensors')
    """
    try:
        path = Path(text).expanduser()
        is_path = path.exists() or len(path.parts) > 1 or bool(path.suffix)
    except (OSError, ValueError, RuntimeError):  # too long, invalid characters, or an unknown user's home
        return None
    return path if text and is_path else None


def describe_os_error(error: OSError | ValueError) -> str:
    """Return the reason why a file operation failed, in lower case, for the end of a message.

    Examples
    --------
    >>> describe_os_error(FileNotFoundError(2, "No such file or directory", "x"))
    'no such file or directory'
    """
    return (getattr(error, "strerror", None) or str(error)).lower()


def check_current_folder() -> None:
    """Raise FileError if the current folder cannot be used, for example because it has been deleted."""
    try:
        Path.cwd()
    except OSError as error:
        reason = describe_os_error(error)
        raise FileError(f"cannot use the current folder ({reason}); change to another one") from None


def check_home() -> None:
    """Raise FileError if `BOARDGAMES_HOME` cannot be a folder."""
    home = _below_home(".")
    try:
        paths = () if home is None else (home.absolute(), *home.absolute().parents)
        is_folder = home is None or next(path for path in paths if path.exists()).is_dir()
    except (OSError, ValueError) as error:
        raise FileError(
            f"cannot use BOARDGAMES_HOME, {quote(str(home))}: {describe_os_error(error)}"
        ) from None
    if not is_folder:
        raise FileError(f"BOARDGAMES_HOME must be a folder, not {quote(str(home))}")


def _below_home(name: str) -> Path | None:
    home = os.environ.get("BOARDGAMES_HOME")
    try:
        return Path(home).expanduser() / name if home else None
    except RuntimeError:
        raise FileError(f"BOARDGAMES_HOME names the home folder of an unknown user: {home!r}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def environment_variables(values: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for processes that are started in the block, and restore them afterwards."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
