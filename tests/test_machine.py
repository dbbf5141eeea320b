"""Free memory as Linux tells it: of the machine, of a container, or not at all."""

from pathlib import Path

import pytest

from boardgames import machine
from boardgames.machine import free_memory

MEMINFO = "MemTotal:        8000 kB\nMemFree:          100 kB\nMemAvailable:    3000 kB\n"


@pytest.fixture
def linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder where the system's files would be."""
    monkeypatch.setattr(machine, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(machine, "GROUP", tmp_path)
    return tmp_path


def limit_to(folder: Path, limit: str, used: int, held: int) -> None:
    """Write the files of a container."""
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 1\nfile {held}\nkernel 2\n")


def test_nothing_is_known_where_the_system_tells_nothing(linux: Path) -> None:
    assert free_memory() is None


def test_memory_is_what_can_be_taken_without_swapping(linux: Path) -> None:
    (linux / "meminfo").write_text(MEMINFO)
    assert free_memory() == 3000 * 1024


def test_a_container_may_have_less(linux: Path) -> None:
    (linux / "meminfo").write_text(MEMINFO)
    limit_to(linux, "1000000", used=700_000, held=200_000)
    assert free_memory() == 500_000


def test_a_container_may_be_full(linux: Path) -> None:
    limit_to(linux, "1000", used=5000, held=0)
    assert free_memory() == 0


def test_a_container_without_a_limit_has_what_the_machine_has(linux: Path) -> None:
    (linux / "meminfo").write_text(MEMINFO)
    limit_to(linux, "max", used=5000, held=0)
    assert free_memory() == 3000 * 1024


@pytest.mark.parametrize("text", ["", "MemAvailable:", "MemAvailable: lots kB", "MemTotal: 5 kB"])
def test_what_cannot_be_read_is_not_known(linux: Path, text: str) -> None:
    (linux / "meminfo").write_text(text)
    (linux / "memory.max").write_text("12")
    assert free_memory() is None
