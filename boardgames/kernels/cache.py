"""A cache of compiled kernels, in folders named by a hash of everything they depend on.

Numba itself checks only the file that contains a kernel, so a changed constant
in another file would leave stale code in use. Here each package has a folder
whose name is a stamp: a hash of the sources of the package, of the modules of
`boardgames` that contain kernels, of every package it imports kernels from, and
of imported packages in a working tree; of the names, sizes and times of its
data files; of the versions of Numba, llvmlite and Python; and of the flags that
change code. The folder has one file for each kernel: a checksum and Numba's
serialisation. As that is a pickle, folders and files are used only if they
belong to this user and nobody else can write to them.

This relies on private parts of Numba. The supported versions are pinned in
pyproject.toml, and tests/kernels/test_cache.py tests the installed one.
"""

import hashlib
import importlib.util
import inspect
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
import time
import types
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import config
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from boardgames.paths import cache_folder

KEPT_STAMPS = 3
KEPT_DAYS = 14
CHECKSUM_BYTES = 32
MAX_PACKAGE_FILES = 500
"""A package with more source files than this is assumed to contain no kernels."""

_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+([\w.]+)|import[ \t]+([\w., \t]+))", re.MULTILINE)
_KERNEL = re.compile(rb"^[ \t]*@kernel\(", re.MULTILINE)
_CORE = Path(__file__).parent.parent
_FOREIGN = frozenset(sys.stdlib_module_names) | {"numba", "numpy", "llvmlite", "boardgames"}
_INSTALLED = frozenset({"site-packages", "dist-packages"})
_FLAGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX")


class StampedCache(_Cache):  # type: ignore[misc]  # Numba has no type stubs
    """The compiled code of one function, in its package's stamped folder.

    Any problem with a file counts as a cache miss, and file system errors while
    saving are ignored: neither raises an exception.

    Parameters
    ----------
    function : function
        The function to compile.
    may_count : bool
        If False, code that counts references to arrays is not saved.
    check : callable
        Called with the result of a compilation, which fails with the exception that it
        raises.
    """

    def __init__(
        self,
        function: types.FunctionType,
        *,
        may_count: bool = True,
        check: Callable[[Any], None] = lambda result: None,  # Numba has no type stubs
    ) -> None:
        self._folder = kernel_folder(function)
        self._function, self._may_count, self._check = function, may_count, check
        self.identity = identity(function)

    @property
    def cache_path(self) -> str:
        """Return the path of the folder, or an empty string if kernels are not cached."""
        return str(self._folder or "")

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the cached function, or None."""
        target_context.refresh()
        path = self._path(signature, target_context.codegen())
        if path is None:
            return None
        try:
            content = _read_private(path)
            checksum, body = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
            if hashlib.sha256(body).digest() != checksum:
                return None
            return CompileResult._rebuild(target_context, *pickle.loads(body))  # noqa: S301 - our own folder
        except Exception:  # noqa: BLE001 - a damaged file is a miss, whatever Numba does with it
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Check the compiled function, then write it atomically."""
        self._check(result)
        path = self._path(signature, result.codegen)
        if path is None or result.library.has_dynamic_globals:
            return
        if not self._may_count and counts_references(result.library):
            return
        body = dumps(result._reduce())
        temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}.tmp")
        try:
            with open(temporary, "xb", opener=_open_private) as file:
                file.write(hashlib.sha256(body).digest() + body)
            temporary.replace(path)
        except OSError:
            with suppress(OSError):
                temporary.unlink()

    def enable(self) -> None:
        """Do nothing: the cache is always on."""

    def disable(self) -> None:
        """Do nothing: the cache is always on."""

    def flush(self) -> None:
        """Do nothing: changed sources get a new stamp."""

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        if self._folder is None:
            return None
        key = repr((signature, codegen.magic_tuple(), self.identity))
        digest = hashlib.sha256(key.encode()).hexdigest()[:16]
        name = re.sub(r"\W", "_", f"{self._function.__module__}.{self._function.__name__}")
        return self._folder / f"{name}-{digest}.kernel"


def counts_references(library: Any) -> bool:
    """Return True if new code, or code linked to it, creates arrays or counts references to them."""
    return any(function.name.startswith("NRT_") for function in library._final_module.functions)


def identity(function: types.FunctionType) -> str:
    """Return a hash, 16 hexadecimal digits, of a function's location and closure."""
    return hashlib.sha256(_described(function).encode()).hexdigest()[:16]


def kernel_folder(function: types.FunctionType) -> Path | None:
    """Return the existing cache folder of a function, or None.

    A function typed at a prompt has no folder, and without a private folder
    nothing is cached.
    """
    module = function.__module__
    if module != "__main__" and module.partition(".")[0] in sys.modules:
        package, root = _package_of(module)
        return _package_folder(package, root)
    try:
        source = Path(inspect.getfile(function)).absolute()
    except TypeError:
        return None
    while (source.parent / "__init__.py").is_file():  # run with -m: hash the whole package
        source = source.parent
    return _package_folder(source.stem, source) if source.exists() else None


def stamp(package: str, root: Path) -> str:
    """Return the hash, 24 hexadecimal digits, of everything that compiled code depends on."""
    digest = hashlib.sha256()
    versions = (numba.__version__, llvmlite.__version__, sys.version, sys.implementation.name)
    flags = [repr(getattr(config, flag, None)) for flag in _FLAGS]
    digest.update("\n".join((package, *versions, *flags)).encode())
    folders = list(_core_sources())
    if root != _CORE:
        folders += [root, *_needed_packages(root)]
    for folder in folders:
        _hash_tree(digest, folder)
    return digest.hexdigest()[:24]


@cache
def _package_folder(package: str, root: Path | None) -> Path | None:
    base = _base_folder()
    if root is None or base is None:
        return None
    try:
        folder = base / package / stamp(package, root)
        for place in (folder.parent, folder):
            if place.is_symlink() or not _is_usable(place):
                warnings.warn(
                    f"{place} is not a private folder: kernels of {package} are not cached; remove it",
                    stacklevel=2,
                )
                return None
        os.utime(folder)
    except OSError:
        return None
    _sweep(folder.parent, keep=folder)
    return folder


@cache
def _base_folder() -> Path | None:
    home, spare = cache_folder() / "kernels", _temporary_folder()
    if _is_usable(home):
        return home
    if not spare.is_symlink() and _is_usable(spare):  # in a shared folder anyone may create a link
        warnings.warn(f"{home} is not a private folder: kernels are cached in {spare}", stacklevel=2)
        return spare
    warnings.warn(f"neither {home} nor {spare} is a private folder: kernels are not cached", stacklevel=2)
    return None


def _temporary_folder() -> Path:
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"boardgames-kernels-{user}"


def _is_usable(folder: Path) -> bool:
    """Create the folder if necessary; return True if this user, and nobody else, can write to it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = folder.stat()
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK) and _is_private(facts)


def _is_private(facts: os.stat_result) -> bool:
    """Return True if a file or folder belongs to this user and nobody else can write to it."""
    if not hasattr(os, "getuid"):  # on Windows a user's folders are private
        return True
    return facts.st_uid == os.getuid() and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _read_private(path: Path) -> bytes:
    """Return the content of a file; raises OSError if it is a link or others could have written to it."""
    with open(path, "rb", opener=_open_private) as file:
        if not _is_private(os.fstat(file.fileno())):
            raise PermissionError(f"{path} is not private")
        return file.read()


def _open_private(path: str, flags: int) -> int:
    """Open a file without following a link; a new file is private, whatever the umask."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


def _package_of(module: str) -> tuple[str, Path | None]:
    """Return the outermost package of a module that has a file, skipping namespace packages."""
    names = module.split(".")
    for length in range(1, len(names) + 1):
        package = ".".join(names[:length])
        root = _package_root(package)
        if root is not None:
            return package, root
        if _origin(package) is not None:
            break
    return module, None


@cache
def _package_root(package: str) -> Path | None:
    origin = _origin(package)
    if not origin or not origin.endswith(".py") or not Path(origin).is_file():
        return None
    path = Path(origin)
    return path.parent if path.name == "__init__.py" else path


def _origin(package: str) -> str | None:
    """Return the file of a package or module: None for a namespace package, "" if it does not exist."""
    module = sys.modules.get(package)
    if module is not None:
        return getattr(module, "__file__", None)
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return ""
    return spec.origin if spec is not None else ""


@cache
def _core_sources() -> tuple[Path, ...]:
    """List the modules and packages of `boardgames` that contain kernels."""
    places = sorted(_CORE.iterdir())
    return tuple(
        place for place in places if any(_KERNEL.search(path.read_bytes()) for path in _sources(place))
    )


def _needed_packages(root: Path) -> list[Path]:
    """List the packages that a package imports, even indirectly, and that its kernels may depend on."""
    needed: list[Path] = []
    waiting = [root]
    while waiting:
        for name in sorted(_imported(waiting.pop())):
            other = _package_of(name)[1]
            if other is not None and other != root and other not in needed and _may_matter(other):
                needed.append(other)
                waiting.append(other)
    return needed


def _imported(root: Path) -> set[str]:
    """Return the modules that a package imports, without the standard library and the core."""
    names = set()
    for path in _sources(root):
        for origin, listed in _IMPORT.findall(path.read_bytes()):
            texts = [origin] if origin else [text.split()[0] for text in listed.split(b",") if text.split()]
            names |= {text.decode() for text in texts if not text.startswith(b".")}
    return {name for name in names if name.partition(".")[0] not in _FOREIGN}


def _may_matter(root: Path) -> bool:
    if _INSTALLED.isdisjoint(root.parts):
        return True
    sources = list(islice(_sources(root), MAX_PACKAGE_FILES + 1))
    return len(sources) <= MAX_PACKAGE_FILES and any(
        b"boardgames.kernels" in path.read_bytes() for path in sources
    )


def _sources(root: Path) -> Iterator[Path]:
    if root.is_dir():
        yield from sorted(root.rglob("*.py"))
    elif root.suffix == ".py":
        yield root


def _hash_tree(digest: Any, root: Path) -> None:
    for path in [root] if root.is_file() else sorted(root.rglob("*")):
        if path.suffix in (".pyc", ".tmp") or not path.is_file():
            continue
        digest.update(path.relative_to(root.parent).as_posix().encode())
        if path.suffix == ".py":
            digest.update(path.read_bytes())
        else:
            facts = path.stat()
            digest.update(f"{facts.st_size} {facts.st_mtime_ns}".encode())


def _described(value: object, within: tuple[object, ...] = ()) -> str:
    """Describe the value of a closure in a text that is the same in every process."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    function = getattr(value, "py_func", getattr(value, "_defn", value))  # of a kernel or an intrinsic
    if isinstance(function, types.FunctionType):
        cells = [] if function in within else _enclosed(function, (*within, function))
        return f"{function.__module__}.{function.__qualname__} {function.__code__.co_firstlineno} {cells}"
    return repr(value)


def _enclosed(function: types.FunctionType, within: tuple[object, ...]) -> list[str]:
    texts = []
    for cell in function.__closure__ or ():
        try:
            texts.append(_described(cell.cell_contents, within))
        except ValueError:  # a recursive function is compiled before its own name is defined
            texts.append("empty")
    return texts


def _sweep(folder: Path, keep: Path) -> None:
    """Remove folders that are old and not among the newest; a race with another process is harmless."""
    try:
        stamps = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in stamps[KEPT_STAMPS:]:
            if path != keep and time.time() - path.stat().st_mtime > KEPT_DAYS * 86_400:
                doomed = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.removed")
                path.rename(doomed)
                shutil.rmtree(doomed, ignore_errors=True)
    except OSError:
        return
