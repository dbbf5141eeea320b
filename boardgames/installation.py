"""Descriptions of the code that a process runs, which two processes can compare.

The code consists of the core, the plug-ins in use and the packages these import, hashed with their
data files. A package is hashed when it is first described. If its files change later, it counts as
different from every other copy, because the process may still run the old code.
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
_FOR_GAMES = re.compile(r"\bextra\s*==\s*['\"]games['\"]")
"""Matches requirements of the extra that installs the games, which are plug-ins."""


@dataclass(frozen=True, slots=True)
class Needs:
    """The code that some tasks need, as returned by `needs_of`.

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
    """Return the code that functions need, and the code of all plug-ins that this process uses.

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


@dataclass(frozen=True, slots=True)
class Code:
    """The code that a process has, as returned by `describe`. Missing packages and entries have empty texts.

    Attributes
    ----------
    versions : dict of str to str
        Versions of Python and libraries; versions and hashes of packages, by distribution.
    entries : dict of str to str
        The plug-in and target of each entry, by its kind and name, such as `game 'nim'`.
    """

    versions: dict[str, str]
    entries: dict[str, str]


def describe(needs: Needs, *, max_age_s: float = 0.0) -> Code:
    """Return the versions and hashes of the needed code in this process.

    Parameters
    ----------
    needs : Needs
        What to describe.
    max_age_s : float
        An earlier result of this process is returned if it is at most this many seconds old.

    Examples
    --------
    >>> describe(needs_of()).versions["Python"] == platform.python_version()
    True
    """
    with _lock:
        now = time.monotonic()
        if needs not in _reports or now - _reports[needs][0] > max_age_s:
            _reports[needs] = now, _described(needs)
        return _reports[needs][1]


def differences(ours: Code, theirs: Code) -> list[str]:
    """Return how the code of another process differs from ours, as phrases such as "no game 'nim'".

    Both arguments are results of `describe` for the same needs.

    Examples
    --------
    >>> differences(Code({"NumPy": "2.1.0"}, {}), Code({"NumPy": "2.0.1"}, {}))
    ['NumPy 2.0.1 instead of 2.1.0']
    >>> differences(Code({"boardgames-core": "0.1.0 a5"}, {}), Code({"boardgames-core": "0.1.0 7c"}, {}))
    ['boardgames-core 0.1.0 with other code']
    >>> differences(Code({}, {"game 'nim'": "nim nim.game:Nim"}), Code({}, {}))
    ["no game 'nim'"]
    """
    # other code may offer other entries; report only the cause
    return _phrases(ours.versions, theirs.versions, _other_version) or _phrases(
        ours.entries, theirs.entries, _other_entry
    )


def changed_since_start(code: Code) -> list[str]:
    """Return the distributions whose files have changed since this process first described them."""
    return [name for name, text in code.versions.items() if text.endswith(f" {CHANGED}")]


def code_stamp(objects: Iterable[object]) -> str:
    """Return a hash of the source and data files of the packages that define the given objects.

    The core is always included. Of packages with more than `MAX_HASHED_FILES`
    files (libraries), only the names and sizes of files are hashed.

    Examples
    --------
    >>> code_stamp([dict]) == code_stamp([])
    True
    """
    packages = {str(getattr(one, "__module__", "")).partition(".")[0] for one in objects}
    others = sorted(packages - sys.stdlib_module_names - {CORE})
    with _lock:
        # the core has hundreds of files, which are read only once
        core = _snapshots.get(CORE) or _snapshot(CORE)
        hashes = [core.first, *(_snapshot(package).digest for package in others)]
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
    """Return the needs of packages: the packages and all that they import, directly or indirectly."""
    found = {CORE}
    waiting = list(roots)
    while waiting:
        package = waiting.pop()
        if package not in found and _package_files(package):
            found.add(package)
            waiting += sorted(_imported(package))
    return Needs(tuple((package, _distribution(package)) for package in sorted(found)), entries)


def _imported(package: str) -> set[str]:
    """Return the top-level packages that a package imports, except libraries that the core requires.

    `_described` adds the versions of the libraries that matter.
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
    """Return the names of the distributions that the core and its extras require, except plug-ins."""
    try:
        lines = requires(CORE_DISTRIBUTION) or []
    except PackageNotFoundError:  # a checkout that is not installed
        lines = []
    lines = [line for line in lines if not _FOR_GAMES.search(line)]
    lines = [*lines, "numpy", "numba", "llvmlite"]
    return frozenset(re.split(r"[^\w.-]", line)[0].lower().replace("-", "_") for line in lines)


# --- what is installed ----------------------------------------------------------


@dataclass(slots=True)
class _Snapshot:
    """Hashes of a package's files: `first` when this process first read them, `digest` at the last change."""

    first: str
    digest: str
    facts: tuple[tuple[str, int, int], ...]


_lock = threading.Lock()
_snapshots: dict[str, _Snapshot] = {}
_reports: dict[Needs, tuple[float, Code]] = {}


def _described(needs: Needs) -> Code:
    import llvmlite  # imported late: without it, workers that compile nothing start in a third of the time
    import numba
    import numpy as np

    versions = {
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "Numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
    }
    for package, distribution in needs.packages:
        versions[distribution] = _state(package)
    entries = {}
    for kind, name, game in needs.entries:
        subject = f"{plugins.singular(kind)} {name!r}" + ("" if game is None else f" for {game!r}")
        entries[subject] = _offered(kind, name, game)
    return Code(versions, entries)


def _phrases(
    ours: Mapping[str, str], theirs: Mapping[str, str], phrase: Callable[[str, str, str], str]
) -> list[str]:
    pairs = {name: (our, theirs.get(name, "")) for name, our in ours.items()}
    return [
        phrase(name, our, their) if their else f"no {name}"
        for name, (our, their) in pairs.items()
        if our != their
    ]


def _other_entry(name: str, our: str, their: str) -> str:
    return f"another {name}, from plug-in {their.partition(' ')[0]!r}"


def _other_version(name: str, our: str, their: str) -> str:
    (our_version, _, _), (version, _, digest) = our.partition(" "), their.partition(" ")
    if version != our_version:
        return f"{name} {version} instead of {our_version}"
    what = name if version == NO_VERSION else f"{name} {version}"
    if digest == CHANGED:
        return f"{what}, whose files have changed since it was started"
    return f"{what} with other code"


def _state(package: str) -> str:
    """Return version and hash of a package, version and `CHANGED`, or "" if there is no such package."""
    snapshot = _snapshot(package)
    if not snapshot.facts:
        return ""
    is_same = snapshot.digest == snapshot.first
    return f"{_version(package)} {snapshot.first[:16] if is_same else CHANGED}"


def _snapshot(package: str) -> _Snapshot:
    """Return the hashes of a package, reading its files again if they have changed; needs the lock."""
    files = _package_files(package)
    facts = tuple(_facts(files))
    snapshot = _snapshots.get(package)
    if snapshot is None:
        digest = _hash(package, files)
        snapshot = _snapshots[package] = _Snapshot(digest, digest, facts)
    elif snapshot.facts != facts:
        snapshot.digest, snapshot.facts = _hash(package, files), facts
    return snapshot


def _facts(files: Mapping[str, Path]) -> Iterator[tuple[str, int, int]]:
    for name, path in files.items():
        with suppress(OSError):
            facts = path.stat()
            yield name, facts.st_size, facts.st_mtime_ns


def _version(package: str) -> str:
    """Return the version of a package as one word."""
    try:
        return str(metadata(_distribution(package))["Version"] or NO_VERSION).split()[0]
    except Exception:  # noqa: BLE001 - the metadata may be missing or malformed in any way
        return NO_VERSION


@cache
def _distribution(package: str) -> str:
    """Return the distribution of the core or a plug-in, or the name of any other package itself."""
    if package == CORE:
        return CORE_DISTRIBUTION
    with suppress(Exception):  # raised if the metadata of any distribution is malformed
        for point in entry_points(group=PROJECT):
            if re.split(r"[.:]", point.value)[0] == package and point.dist is not None:
                return str(point.dist.metadata["Name"] or package)
    return package


def _hash(package: str, files: Mapping[str, Path]) -> str:
    digest = hashlib.sha256()
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
