"""How the program is called in the commands that it prints."""

import os
import shlex
import sys
from pathlib import Path

import pytest

from boardgames.cli.program import PROGRAM, command_here

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs have another suffix")


def program_in(folder: Path) -> Path:
    """Create a program with the name of ours."""
    folder.mkdir(parents=True)
    path = folder / PROGRAM
    path.touch(0o755)
    return path


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the program of an environment that is not active."""
    path = program_in(tmp_path / "my environment" / "bin")
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(path.parent))
    monkeypatch.setenv("PATH", os.defpath)
    return path


@pytest.mark.parametrize("folder", [".", "my environment", "my environment/bin", "elsewhere"])
def test_the_command_finds_the_program_from_the_current_folder(
    folder: str, installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    monkeypatch.chdir(tmp_path / folder)
    word, *rest = shlex.split(command_here("boardgames play --resume"))
    assert rest == ["play", "--resume"]
    assert "/" in word, "a shell looks for other words on PATH"
    assert Path(word).samefile(installed)


def test_the_program_of_another_environment_is_not_taken_for_ours(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(program_in(tmp_path / "other").parent))
    assert shlex.split(command_here("boardgames play"))[0] == str(installed)
    link = tmp_path / "links" / PROGRAM
    link.parent.mkdir()
    link.symlink_to(installed)
    monkeypatch.setenv("PATH", str(link.parent))
    assert command_here("boardgames play") == "boardgames play"


def test_a_command_is_printed_after_the_current_folder_was_deleted(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert shlex.split(command_here("boardgames play"))[0] == str(installed)
