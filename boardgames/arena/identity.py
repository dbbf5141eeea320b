"""What makes two arenas the same: the code they run and what they were asked for."""

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

LEFT_OUT = frozenset({".pyc", ".pyo"})
MOST_FILES = 500


def code_stamp(things: Iterable[object]) -> str:
    """Return a hash of the source and data files of the packages that classes and functions come from.

    The core's own is always among them. Of a package with more than
    `MOST_FILES`, a library, only the names and sizes count.

    Examples
    --------
    >>> code_stamp([dict]) == code_stamp([])
    True
    """
    packages = {"boardgames", *(str(getattr(thing, "__module__", "")).partition(".")[0] for thing in things)}
    digest = hashlib.sha256()
    for package in sorted(packages - sys.stdlib_module_names):
        files = _files(package)
        for name, path in files.items():
            digest.update(f"{package} {name}\0".encode())
            content = path.read_bytes() if len(files) <= MOST_FILES else str(path.stat().st_size).encode()
            digest.update(content)
    return digest.hexdigest()[:16]


def key_of(settings: Mapping[str, object]) -> str:
    """Return a hash of settings, in whatever order they are written.

    Examples
    --------
    >>> key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:32]


def _files(package: str) -> dict[str, Path]:
    """Return the files of a package by their places in it, or the one of a module."""
    module = sys.modules.get(package)
    folders = [Path(folder) for folder in getattr(module, "__path__", ())]
    file = getattr(module, "__file__", None)
    if not folders:
        return {} if file is None else {Path(file).name: Path(file)}
    return {
        found.relative_to(folder).as_posix(): found
        for folder in folders
        for found in sorted(folder.rglob("*"))
        if found.suffix not in LEFT_OUT and found.is_file()
    }
