"""A cache of compiled kernels: one file for each kernel, named by a hash of what its code depends on.

Numba's own cache checks only the file that contains a kernel, so it would keep using old code
after a constant in another file has changed. Here, the file name is a hash of the kernel's identity
(`boardgames.kernels.identity`), its signature and the processor. A file contains a checksum and the
code as Numba serialises it. As this is a pickle, folders and files are used only if they belong to
this user and nobody else can write to them.

This relies on private parts of Numba. The supported versions are pinned in pyproject.toml, and
tests/kernels/test_cache.py tests the installed version.
"""

import hashlib
import os
import pickle
import re
import shutil
import stat
import tempfile
import time
import uuid
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core import config
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from boardgames.errors import KernelError
from boardgames.kernels.identity import identity
from boardgames.kernels.lazy import Kernel
from boardgames.paths import cache_folder

KEPT_DAYS = 30
CHECKSUM_BYTES = 32
_FLAGS = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX")
_DAY_S = 86_400


class KernelCache(_Cache):  # type: ignore[misc]  # Numba has no type stubs
    """The cache for the compiled code of one function, in the folder of its package.

    Any problem with a file counts as a cache miss, and file system errors while
    saving are ignored: neither raises an exception.

    Parameters
    ----------
    kernel : Kernel
        The kernel to compile.
    may_count : bool
        If False, code that counts references to arrays is not saved.
    check : callable
        Called with the result of a compilation; if it raises an exception, the
        compilation fails with it.
    """

    def __init__(
        self,
        kernel: Kernel,
        *,
        may_count: bool = True,
        check: Callable[[Any], None] = lambda result: None,  # Numba has no type stubs
    ) -> None:
        self._folder = kernel_folder(kernel.__module__)
        self._kernel, self.may_count, self._check = kernel, may_count, check
        self._function = kernel.py_func
        self.identity = compiled_identity(kernel.identity)
        self.is_current = True

    def look_again(self) -> None:
        """Update `is_current`: True if the function would still compile to the code of its definition."""
        one = self._kernel
        self.is_current = identity(one.py_func, one.signature, one.inline) == one.identity

    @property
    def cache_path(self) -> str:
        """Return the path of the folder, or an empty string if kernels are not cached."""
        return str(self._folder or "")

    def contains(self, signature: Any, target_context: Any) -> bool:
        """Return True if there is a file for this signature, which may still be damaged."""
        path = self._path(signature, target_context.codegen())
        return path is not None and path.is_file()

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the cached function, or None.

        Raises
        ------
        KernelError
            If the function is not cached, and would now compile to other code than when it was defined.
        """
        target_context.refresh()
        path = self._path(signature, target_context.codegen())
        if path is None:
            return None
        found = self._load(path, target_context)
        if found is None:
            name = f"{self._function.__module__}.{self._function.__name__}"
            if not self.is_current:
                raise KernelError(
                    f"{name} is not compiled, and code or constants that it uses have changed since it was "
                    "defined; reload its module"
                )
        return found

    def _load(self, path: Path, target_context: Any) -> Any:
        """Return the function in a file of the cache, or None."""
        try:
            content = _read_private(path)
            checksum, body = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
            if self._checksum(body) != checksum:
                return None
            return CompileResult._rebuild(target_context, *pickle.loads(body))  # noqa: S301 - our own folder
        except Exception:  # noqa: BLE001 - a damaged file is a miss, whatever Numba does with it
            return None

    def _checksum(self, body: bytes) -> bytes:
        """Return the checksum of a cache file; it covers the identity, so that a renamed file is a miss."""
        return hashlib.sha256(self.identity.encode() + body).digest()

    def save_overload(self, signature: Any, result: Any) -> None:
        """Check the compiled function, then write it atomically."""
        self._check(result)
        path = self._path(signature, result.codegen)
        if path is None or result.library.has_dynamic_globals:
            return
        if not self.may_count and counts_references(result.library):
            return
        body = dumps(result._reduce())
        temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}.tmp")
        try:
            with open(temporary, "xb", opener=_open_private) as file:
                file.write(self._checksum(body) + body)
            temporary.replace(path)
        except OSError:
            with suppress(OSError):
                temporary.unlink()
        _sweep(path.parent)

    def enable(self) -> None:
        """Do nothing: the cache is always on."""

    def disable(self) -> None:
        """Do nothing: the cache is always on."""

    def flush(self) -> None:
        """Do nothing: code that has changed has another identity."""

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        if self._folder is None:
            return None
        key = repr((signature, codegen.magic_tuple(), self.identity))
        digest = hashlib.sha256(key.encode()).hexdigest()[:16]
        name = re.sub(r"\W", "_", f"{self._function.__module__}.{self._function.__name__}")
        return self._folder / f"{name}-{digest}.kernel"


def compiled_identity(identity_of_kernel: str) -> str:
    """Return a hash, 16 hexadecimal digits, of a kernel's identity, the compiler's version and its flags."""
    versions = (numba.__version__, llvmlite.__version__)
    key = (identity_of_kernel, versions, [repr(getattr(config, flag, None)) for flag in _FLAGS])
    return hashlib.sha256(repr(key).encode()).hexdigest()[:16]


def counts_references(library: Any) -> bool:
    """Return True if compiled code, or code linked to it, creates arrays or counts references to them."""
    return any(function.name.startswith("NRT_") for function in library._final_module.functions)


@cache
def kernel_folder(module: str) -> Path | None:
    """Create and return the cache folder of a module's package; None if there is no private folder."""
    base = _base_folder()
    if base is None:
        return None
    folder = base / re.sub(r"\W", "_", module.partition(".")[0])
    if folder.is_symlink() or not _is_usable(folder):
        warnings.warn(
            f"{folder} is not a folder that only you can write to: kernels are not cached; remove it",
            stacklevel=2,
        )
        return None
    return folder


@cache
def _base_folder() -> Path | None:
    home, spare = cache_folder() / "kernels", _temporary_folder()
    if _is_usable(home):
        return home
    if not spare.is_symlink() and _is_usable(spare):  # in a shared folder anyone may create a link
        warnings.warn(
            f"{home} is not a folder that only you can write to: kernels are cached in {spare}", stacklevel=2
        )
        return spare
    warnings.warn(
        f"neither {home} nor {spare} is a folder that only you can write to: kernels are not cached",
        stacklevel=2,
    )
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
        facts = os.fstat(file.fileno())
        if not _is_private(facts):
            raise PermissionError(f"{path} is not private")
        if time.time() - facts.st_mtime > _DAY_S:  # the file's age is the time since it was last used
            with suppress(OSError):
                os.utime(path)
        return file.read()


def _open_private(path: str, flags: int) -> int:
    """Open a file without following a link; a new file is private, regardless of the umask."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


@cache
def _sweep(folder: Path) -> None:
    """Remove files unused for `KEPT_DAYS`, once per process; races with other processes are harmless."""
    with suppress(OSError):
        for path in folder.iterdir():
            if time.time() - path.stat().st_mtime < KEPT_DAYS * _DAY_S:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
