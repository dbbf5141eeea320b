"""What makes two arenas the same: the code they run and what they were asked for."""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

LEFT_OUT = frozenset({".pyc", ".pyo"})


def code_stamp(things: Iterable[object]) -> str:
    """Return a hash of the source and data files of the packages that classes and functions come from.

    The core's own is always among them. Matches of two programs that differ in
    a line are never counted together.

    Examples
    --------
    >>> code_stamp([dict]) == code_stamp([])
    True
    """
    packages = {"boardgames", *(str(getattr(thing, "__module__", "")).partition(".")[0] for thing in things)}
    digest = hashlib.sha256()
    for package in sorted(packages - sys.stdlib_module_names):
        for path in _files(package):
            digest.update(f"{package} {path.name}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def key_of(settings: Mapping[str, object]) -> str:
    """Return a hash of settings, in whatever order they are written.

    Examples
    --------
    >>> key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:32]


def _files(package: str) -> Iterator[Path]:
    file = getattr(sys.modules.get(package), "__file__", None)
    if file is None:
        return
    path = Path(file)
    if path.name != "__init__.py":
        yield path
        return
    inside = (found for found in path.parent.rglob("*") if found.suffix not in LEFT_OUT)
    yield from sorted(found for found in inside if found.is_file())
