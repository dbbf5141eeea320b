"""Descriptions of the code that a process runs, which two processes can compare.

The code is that of the core, of the plug-ins from which something was loaded by name, and of the
packages that these import; it is hashed with its data files, by content. A process hashes a package
when it is first asked. If the files change later, it may still run what it loaded before, so a package
that has changed since then equals nothing.
"""

import hashlib
import importlib.util
import platform
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, entry_points, metadata, requires
from pathlib import Path

import llvmlite
import numba
import numpy as np

from boardgames import plugins
from boardgames.hookspecs import PROJECT
from boardgames.plugins import Kind

CORE = "boardgames"
CORE_DISTRIBUTION = "boardgames-core"
MAX_HASHED_FILES = 500
COMPILED_SUFFIXES = frozenset({".pyc", ".pyo"})
CHANGED = "changed"
NO_VERSION = "?"

_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+(\w+)[\w.]*[ \t]+import|import[ \t]+([\w., \t]+))", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Needs:
    """The code that some work needs; made by `needs_of`.

    Attributes
    ----------
    packages : tuple of (str, str)
        Top-level packages and the names of their distributions.
    entries : tuple of (Kind, str, str or None)
        Kinds, names and games of what was loaded through the registry of plug-ins.
    """

    packages: tuple[tuple[str, str], ...]
    entries: tuple[tuple[Kind, str, str | None], ...]


def needs_of(functions: Iterable[Callable[..., object]] = ()) -> Needs:
    """Return what is needed to run functions together with all plug-ins that this process has used.

    Examples
    --------
    >>> ("boardgames", "boardgames-core") in needs_of().packages
    True
    """
    registry = plugins.registry()
    entries = tuple(sorted((one for one in registry.loaded if _offered(*one)), key=repr))
    targets = [offer.partition(" ")[2] for offer in (_offered(*entry) for entry in entries)]
    modules = [*targets, *(str(getattr(_unwrapped(function), "__module__", "")) for function in functions)]
    roots = sorted({name.partition(":")[0].partition(".")[0] for name in modules})
    return _closure(tuple(root for root in roots if root and root != "__main__"), entries)


def describe(needs: Needs, *, max_age_s: float = 0.0) -> dict[str, str]:
    """Return the versions and hashes of what is needed, as this process has it; "" for what is missing.

    Parameters
    ----------
    needs : Needs
        What to describe.
    max_age_s : float
        An earlier answer of this process may be used if it is not older than this, in seconds.

    Examples
    --------
    >>> describe(needs_of())["Python"] == platform.python_version()
    True
    """
    with _lock:
        now = time.monotonic()
        if needs not in _reports or now - _reports[needs][0] > max_age_s:
            _reports[needs] = now, _described(needs)
        return _reports[needs][1]


def differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    """Return what another process has that differs from what we have, as phrases that follow "has".

    Both are results of `describe` for the same needs.

    Examples
    --------
    >>> differences({"NumPy": "2.1.0"}, {"NumPy": "2.0.1"})
    ['NumPy 2.0.1 instead of 2.1.0']
    >>> differences({"boardgames-core": "0.1.0 a5"}, {"boardgames-core": "0.1.0 7c"})
    ['boardgames-core 0.1.0 with other code']
    >>> differences({"game 'nim'": "nim nim.game:Nim"}, {})
    ["no game 'nim'"]
    """
    different = [(name, text, theirs.get(name, "")) for name, text in ours.items()]
    phrases = {name: _difference(name, our, their) for name, our, their in different if our != their}
    code = [phrase for name, phrase in phrases.items() if "'" not in name]
    return code or list(phrases.values())  # other code may offer other things; say only the cause


def changed_since_start(report: Mapping[str, str]) -> list[str]:
    """Return the distributions whose files have changed since this process first described them."""
    return [name for name, text in report.items() if text.endswith(f" {CHANGED}")]


def code_stamp(objects: Iterable[object]) -> str:
    """Return a hash of the source and data files of the packages that define classes or functions.

    The core is always included. Of packages with more than `MAX_HASHED_FILES`
    files (libraries), only the names and sizes of files are hashed.

    Examples
    --------
    >>> code_stamp([dict]) == code_stamp([])
    True
    """
    packages = {str(getattr(one, "__module__", "")).partition(".")[0] for one in objects}
    others = sorted(packages - sys.stdlib_module_names - {CORE})
    hashes = [_core_hash(), *map(_package_hash, others)]
    return hashlib.sha256("".join(hashes).encode()).hexdigest()[:16]


# --- what is needed -------------------------------------------------------------


def _unwrapped(function: Callable[..., object]) -> Callable[..., object]:
    while isinstance(function, partial):
        function = function.func
    return function


def _offered(kind: Kind, name: str, game: str | None) -> str:
    """Return the plug-in and target of an entry as text, or "" if nothing is offered under this name."""
    for offer in plugins.registry().offers(kind, game):
        if offer.entry.name == name:
            return f"{offer.plugin} {offer.entry.target}"
    return ""


@cache
def _closure(roots: tuple[str, ...], entries: tuple[tuple[Kind, str, str | None], ...]) -> Needs:
    """Return the needs of packages: they and what they import, directly or not."""
    found = {CORE}
    waiting = list(roots)
    while waiting:
        package = waiting.pop()
        if package not in found and _package_files(package):
            found.add(package)
            waiting += sorted(_imported(package))
    return Needs(tuple((package, _distribution(package)) for package in sorted(found)), entries)


def _imported(package: str) -> set[str]:
    """Return the top-level packages that a package imports, without what the core itself requires.

    Where the versions of those matter, `_described` has them.
    """
    names: set[str] = set()
    for path in _package_files(package).values():
        if path.suffix == ".py":
            for origin, listed in _IMPORT.findall(path.read_bytes()):
                words = (
                    [origin] if origin else [word for text in listed.split(b",") for word in text.split()[:1]]
                )
                names |= {word.decode().partition(".")[0] for word in words}
    return names - sys.stdlib_module_names - _required_by_core()


@cache
def _required_by_core() -> frozenset[str]:
    """Return the names of the distributions that the core requires, with all its extras."""
    try:
        lines = requires(CORE_DISTRIBUTION) or []
    except PackageNotFoundError:  # a checkout on the path
        lines = []
    lines = [*lines, "numpy", "numba", "llvmlite"]
    return frozenset(re.split(r"[^\w.-]", line)[0].lower().replace("-", "_") for line in lines)


# --- what is installed ----------------------------------------------------------


@dataclass(slots=True)
class _Snapshot:
    """A package as it was when this process first hashed it."""

    facts: tuple[tuple[str, int, int], ...]
    digest: str


_lock = threading.Lock()
_snapshots: dict[str, _Snapshot] = {}
_reports: dict[Needs, tuple[float, dict[str, str]]] = {}


def _described(needs: Needs) -> dict[str, str]:
    report = {
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "Numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
    }
    for package, distribution in needs.packages:
        report[distribution] = _state(package)
    for kind, name, game in needs.entries:
        subject = f"{plugins.singular(kind)} {name!r}" + ("" if game is None else f" for {game!r}")
        report[subject] = _offered(kind, name, game)
    return report


def _difference(name: str, our: str, their: str) -> str:
    if not their:
        return f"no {name}"
    (our_version, _, _), (version, _, digest) = our.partition(" "), their.partition(" ")
    if "'" in name:
        return f"another {name}, from plug-in {version!r}"
    if version != our_version:
        return f"{name} {version} instead of {our_version}"
    what = name if version == NO_VERSION else f"{name} {version}"
    if digest == CHANGED:
        return f"{what}, whose files have changed since it was started"
    return f"{what} with other code"


def _state(package: str) -> str:
    """Return version and hash of a package, or version and `CHANGED`, or "" if there is none."""
    files = _package_files(package)
    if not files:
        return ""
    facts = tuple(_facts(files))
    snapshot = _snapshots.get(package)
    if snapshot is None:
        snapshot = _snapshots[package] = _Snapshot(facts, _package_hash(package))
    elif snapshot.facts != facts:
        if _package_hash(package) != snapshot.digest:
            return f"{_version(package)} {CHANGED}"
        snapshot.facts = facts
    return f"{_version(package)} {snapshot.digest[:16]}"


def _facts(files: Mapping[str, Path]) -> Iterator[tuple[str, int, int]]:
    for name, path in files.items():
        with suppress(OSError):
            facts = path.stat()
            yield name, facts.st_size, facts.st_mtime_ns


def _version(package: str) -> str:
    """Return the version of a package as one word."""
    try:
        return str(metadata(_distribution(package))["Version"] or NO_VERSION).split()[0]
    except Exception:  # noqa: BLE001 - there is none, or its parser raises whatever the file leads it to
        return NO_VERSION


@cache
def _distribution(package: str) -> str:
    """Return the distribution of the core or a plug-in; other packages go by their own names."""
    if package == CORE:
        return CORE_DISTRIBUTION
    with suppress(Exception):  # raised if the metadata of any distribution is malformed
        for point in entry_points(group=PROJECT):
            if re.split(r"[.:]", point.value)[0] == package and point.dist is not None:
                return str(point.dist.metadata["Name"] or package)
    return package


@cache
def _core_hash() -> str:
    """Return the hash of the core, whose hundreds of files are read only once in a process."""
    return _package_hash(CORE)


def _package_hash(package: str) -> str:
    digest = hashlib.sha256()
    files = _package_files(package)
    for name, path in files.items():
        digest.update(f"{package} {name}\0".encode())
        is_hashed = len(files) <= MAX_HASHED_FILES
        digest.update(path.read_bytes() if is_hashed else str(path.stat().st_size).encode())
    return digest.hexdigest()


def _package_files(package: str) -> dict[str, Path]:
    """Return the files of a package by their relative paths, or the single file of a module."""
    folders, file = _places(package)
    if not folders:
        return {} if file is None else {file.name: file}
    return {
        path.relative_to(folder).as_posix(): path
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.suffix not in COMPILED_SUFFIXES and path.is_file()
    }


def _places(package: str) -> tuple[list[Path], Path | None]:
    """Return the folders of a package, or the file of a module; a package need not have been imported."""
    module = sys.modules.get(package)
    spec = getattr(module, "__spec__", None)
    if module is None:
        try:
            spec = importlib.util.find_spec(package)
        except (ImportError, ValueError):
            return [], None
    folders = getattr(module, "__path__", None) or getattr(spec, "submodule_search_locations", None) or ()
    file = getattr(module, "__file__", None) or getattr(spec, "origin", None)
    is_source = file is not None and Path(file).is_file()
    return [Path(folder) for folder in folders], Path(file) if file is not None and is_source else None
