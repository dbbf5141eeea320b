"""Free memory on Linux: of the machine, of a container, or unknown."""

from pathlib import Path

import pytest

from boardgames import machine
from boardgames.machine import free_memory

MEMINFO = "MemTotal:        8000 kB\nMemFree:          100 kB\nMemAvailable:    3000 kB\n"


@pytest.fixture
def linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder in place of the system's files."""
    monkeypatch.setattr(machine, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(machine, "CGROUP", tmp_path)
    return tmp_path


def write_container(folder: Path, limit: str, used: int, cached: int) -> None:
    """Write the files with which Linux describes a container."""
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 1\nfile {cached}\nkernel 2\n")


def test_free_memory_is_unknown_without_these_files(linux: Path) -> None:
    assert free_memory() is None


def test_free_memory_of_a_machine(linux: Path) -> None:
    (linux / "meminfo").write_text(MEMINFO)
    assert free_memory() == 3000 * 1024


def test_free_memory_of_a_container(linux: Path) -> None:
    (linux / "meminfo").write_text(MEMINFO)
    write_container(linux, "1000000", used=700_000, cached=200_000)
    assert free_memory() == 500_000


def test_free_memory_of_a_full_container_is_zero(linux: Path) -> None:
    write_container(linux, "1000", used=5000, cached=0)
    assert free_memory() == 0


def test_container_without_a_limit_has_the_memory_of_the_machine(linux: Path) -> None:
    (linux / "meminfo").write_text(MEMINFO)
    write_container(linux, "max", used=5000, cached=0)
    assert free_memory() == 3000 * 1024


@pytest.mark.parametrize("text", ["", "MemAvailable:", "MemAvailable: lots kB", "MemTotal: 5 kB"])
def test_free_memory_is_unknown_if_the_files_are_malformed(linux: Path, text: str) -> None:
    (linux / "meminfo").write_text(text)
    (linux / "memory.max").write_text("12")
    assert free_memory() is None
