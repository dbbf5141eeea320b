"""Builds distributions for tests, with a build backend that is installed once for all tests."""

import os
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

import pytest
from filelock import FileLock
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")


def shared_folder(factory: pytest.TempPathFactory, name: str) -> Path:
    """Return a folder that all processes of a test run share; a process that fills it must lock it."""
    base = factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name


def build_variables(factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment variables of a process that builds with `--no-build-isolation`."""
    folder = shared_folder(factory, "backend")
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            command = [*PIP, "install", "--quiet", "--target", str(folder), "hatchling"]
            # the Makefile names the file of pinned versions relative to this folder
            subprocess.run(command, cwd=ROOT, check=True)
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH", ""))))
    return {**os.environ, "PYTHONPATH": path}


def build_wheels(factory: pytest.TempPathFactory, sources: Iterable[Path]) -> dict[str, Path]:
    """Build wheels, once for all processes of a test run, and return their paths by distribution."""
    folder, variables = shared_folder(factory, "wheels"), build_variables(factory)
    build = [*PIP, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            subprocess.run([*build, *map(str, sources)], cwd=ROOT, env=variables, check=True)
    return {wheel.name.partition("-")[0]: wheel for wheel in folder.glob("*.whl")}


def link_requirements(name: str, folder: Path) -> None:
    """Link all requirements of an installed distribution into a folder, without those of extras."""
    waiting, met = [name], {name}
    while waiting:
        for requirement in map(Requirement, distribution(waiting.pop()).requires or ()):
            needed = requirement.name.lower()
            if needed in met or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
                continue
            met.add(needed)
            waiting.append(needed)
            found = distribution(needed)
            for part in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
                if not (folder / part).exists():
                    (folder / part).symlink_to(Path(str(found.locate_file(part))))
