"""Keep compiled kernels in a folder named by a stamp of all they depend on.

Stock Numba looks at a kernel's own file only, so a constant changed in
another file leaves stale code behind. Here each package gets a folder whose
name hashes the sources of the package, of `boardgames.kernels` and
`boardgames.search`, of every package it imports kernels from, the names,
sizes and times of its data files, the versions of Numba, llvmlite and Python,
and the flags that change code. The folder holds one file a kernel: a checksum
and Numba's own serialisation. That is a pickle, so only folders that this
user owns, and nobody else can write, are used.

The classes below stand on private parts of Numba; the supported range is
pinned in pyproject.toml and tests/kernels/test_cache.py runs against the
installed version.
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
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core import config
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from boardgames.paths import cache_folder

KEPT_STAMPS = 3
KEPT_DAYS = 14
CHECKSUM_BYTES = 32

_SHARED_ROOMS = ("kernels", "search")
_IMPORT = re.compile(r"^\s*(?:from|import)\s+([A-Za-z_]\w*)", re.MULTILINE)
_FOREIGN = frozenset(sys.stdlib_module_names) | {"numba", "numpy", "llvmlite", "boardgames"}
_FLAGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")


class StampedCache(_Cache):  # type: ignore[misc]  # Numba has no type stubs
    """The compiled code of one function, in its package's stamped folder.

    Loading takes anything wrong with a file for a miss; saving ignores errors
    of the file system. Neither ever raises.
    """

    def __init__(self, function: types.FunctionType) -> None:
        self._folder = kernel_folder(function)
        self._function = function

    @property
    def cache_path(self) -> str:
        """Return the folder as text, or nothing where kernels are not kept."""
        return str(self._folder or "")

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled function, or None where there is none."""
        target_context.refresh()
        path = self._path(signature, target_context.codegen())
        if path is None:
            return None
        try:
            content = path.read_bytes()
            checksum, body = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
            if hashlib.sha256(body).digest() != checksum:
                return None
            return CompileResult._rebuild(target_context, *pickle.loads(body))
        except Exception:  # whatever a damaged or foreign file makes Numba do, it is a miss
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write the compiled function; the file is whole or absent."""
        path = self._path(signature, result.codegen)
        if path is None or result.library.has_dynamic_globals:
            return
        body = dumps(result._reduce())
        temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}.tmp")
        try:
            temporary.write_bytes(hashlib.sha256(body).digest() + body)
            os.replace(temporary, path)
        except OSError:
            temporary.unlink(missing_ok=True)

    def enable(self) -> None:
        """Do nothing: a kernel's cache is never switched."""

    def disable(self) -> None:
        """Do nothing: a kernel's cache is never switched."""

    def flush(self) -> None:
        """Do nothing: a new stamp leaves old code behind."""

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        if self._folder is None:
            return None
        function = self._function
        cells = [repr(cell.cell_contents) for cell in function.__closure__ or ()]
        key = repr((signature, codegen.magic_tuple(), cells, function.__code__.co_firstlineno))
        digest = hashlib.sha256(key.encode()).hexdigest()[:16]
        name = re.sub(r"\W", "_", f"{function.__module__}.{function.__name__}")
        return self._folder / f"{name}-{digest}.kernel"


def kernel_folder(function: types.FunctionType) -> Path | None:
    """Return the folder of a function's compiled code, made and ready to use.

    A function that stands in no file (typed at a prompt) has none, and where
    no private folder can be had nothing is kept: both give None.
    """
    package = function.__module__.partition(".")[0]
    if package == "__main__" or package not in sys.modules:
        try:
            source = Path(inspect.getfile(function))
        except TypeError:
            return None
        return _package_folder(source.stem, source) if source.is_file() else None
    return _package_folder(package, _package_root(package))


def is_warm(package: str) -> bool:
    """Say whether kernels of `package` as it is now have been compiled before.

    Examples
    --------
    >>> is_warm("no_such_package")
    False
    """
    root = _package_root(package)
    base = _base_folder() if root is not None else None
    if base is None or root is None:
        return False
    return any((base / package / stamp(package, root)).glob("*.kernel"))


def stamp(package: str, root: Path) -> str:
    """Return the hash, 24 hexadecimal digits, of all that compiled code depends on."""
    digest = hashlib.sha256()
    versions = (numba.__version__, llvmlite.__version__, sys.version, sys.implementation.name)
    flags = [repr(getattr(config, flag, None)) for flag in _FLAGS]
    digest.update("\n".join((package, *versions, *flags)).encode())
    core = Path(__file__).parent.parent
    folders = [core / room for room in _SHARED_ROOMS]
    if package != "boardgames":
        folders += [root, *_kernel_packages(root)]
    for folder in folders:
        _hash_tree(digest, folder)
    return digest.hexdigest()[:24]


@cache
def _package_folder(package: str, root: Path | None) -> Path | None:
    base = _base_folder()
    if root is None or base is None:
        return None
    folder = base / package / stamp(package, root)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError:
        return None
    _sweep(folder.parent, keep=folder)
    return folder


@cache
def _base_folder() -> Path | None:
    for folder in (cache_folder() / "kernels", _temporary_folder()):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        if _is_private(folder):
            return folder
        warnings.warn(f"compiled kernels are not kept in {folder}: not this user's alone", stacklevel=2)
    warnings.warn("no folder for compiled kernels can be written: each start compiles", stacklevel=2)
    return None


def _temporary_folder() -> Path:
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"boardgames-kernels-{user}"


def _is_private(folder: Path) -> bool:
    if not os.access(folder, os.W_OK | os.X_OK):
        return False
    if not hasattr(os, "getuid"):  # Windows keeps a user's folders apart by itself
        return True
    facts = folder.stat()
    return facts.st_uid == os.getuid() and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@cache
def _package_root(package: str) -> Path | None:
    module = sys.modules.get(package)
    origin = getattr(module, "__file__", None)
    if origin is None:
        try:
            found = importlib.util.find_spec(package)
        except (ImportError, ValueError):
            return None
        origin = found.origin if found is not None else None
    if origin is None or not origin.endswith(".py"):
        return None
    path = Path(origin)
    return path.parent if path.name == "__init__.py" else path


def _kernel_packages(root: Path, seen: frozenset[Path] = frozenset()) -> list[Path]:
    """List the packages that a package imports from and that hold kernels, each once."""
    found: list[Path] = []
    names = {name for path in _sources(root) for name in _IMPORT.findall(path.read_text("utf-8"))}
    for name in sorted(names - _FOREIGN):
        other = _package_root(name)
        if other is None or other == root or other in seen or other in found:
            continue
        if any("boardgames.kernels" in path.read_text("utf-8") for path in _sources(other)):
            found.append(other)
            found += _kernel_packages(other, seen | {root, *found})
    return found


def _sources(root: Path) -> Iterator[Path]:
    yield from [root] if root.is_file() else sorted(root.rglob("*.py"))


def _hash_tree(digest: Any, root: Path) -> None:
    for path in [root] if root.is_file() else sorted(root.rglob("*")):
        if path.suffix in (".pyc", ".tmp") or not path.is_file():
            continue
        digest.update(str(path.relative_to(root)).encode())
        if path.suffix == ".py":
            digest.update(path.read_bytes())
        else:
            facts = path.stat()
            digest.update(f"{facts.st_size} {facts.st_mtime_ns}".encode())


def _sweep(folder: Path, keep: Path) -> None:
    """Remove stamps that are old and not among the newest; a lost race is no matter."""
    try:
        stamps = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in stamps[KEPT_STAMPS:]:
            if path != keep and time.time() - path.stat().st_mtime > KEPT_DAYS * 86_400:
                doomed = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.removed")
                path.rename(doomed)
                shutil.rmtree(doomed, ignore_errors=True)
    except OSError:
        return
