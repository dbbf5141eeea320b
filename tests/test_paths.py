"""The user's folders, and files that are whole or absent."""

import os
import stat
from pathlib import Path

import pytest

from boardgames import paths
from boardgames.errors import FileError


def test_boardgames_home_holds_every_folder(home: Path) -> None:
    assert {paths.data_folder(), paths.cache_folder(), paths.runs_folder()} == {
        home / "data",
        home / "cache",
        home / "runs",
    }


def test_boardgames_home_may_begin_with_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDGAMES_HOME", "~/games")
    assert paths.data_folder() == Path.home() / "games" / "data"


def test_without_boardgames_home_the_system_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOARDGAMES_HOME", raising=False)
    assert paths.data_folder().name == paths.APPLICATION
    assert paths.runs_folder() == paths.data_folder() / "runs"


def test_an_empty_boardgames_home_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDGAMES_HOME", "")
    assert paths.data_folder().is_absolute()


def test_asking_for_a_folder_does_not_make_it(home: Path) -> None:
    paths.data_folder()
    assert not home.exists()


def test_blocked_plugins_are_read_with_commas_and_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDGAMES_BLOCK", "abalone, hexifence,,")
    assert paths.blocked_plugins() == {"abalone", "hexifence"}


def test_no_plugin_is_blocked_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOARDGAMES_BLOCK", raising=False)
    assert paths.blocked_plugins() == frozenset()


def test_make_folder_makes_parents_and_takes_what_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert paths.make_folder(folder) == paths.make_folder(folder)
    assert folder.is_dir()


def test_make_folder_below_a_file_is_a_file_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"expected a folder that can be made: .*file"):
        paths.make_folder(tmp_path / "file" / "folder")


@pytest.mark.parametrize(
    "content", ["marbles\n", "e4 \N{WHITE HEXAGON}", b"\x00\xff"], ids=["text", "unicode", "bytes"]
)
def test_write_atomic_writes_exactly_the_content(tmp_path: Path, content: str | bytes) -> None:
    paths.write_atomic(tmp_path / "folder" / "file", content)
    expected = content.encode() if isinstance(content, str) else content
    assert (tmp_path / "folder" / "file").read_bytes() == expected


def test_write_atomic_keeps_the_old_content_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    paths.write_atomic(path, "old")

    def fail(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FileError, match="no space left on device"):
        paths.write_atomic(path, "new")
    assert path.read_text() == "old"


def test_write_atomic_leaves_no_temporary_file_when_it_fails(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError):
        paths.write_atomic(tmp_path / "folder", "a folder cannot be replaced by a file")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such bits")
def test_write_atomic_gives_the_rights_that_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        paths.write_atomic(tmp_path / "file", "")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_read_text_passes_over_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfa1b2")
    assert paths.read_text(tmp_path / "file") == "a1b2"


def test_read_text_of_a_missing_file_is_a_file_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"expected a readable file: .*missing \(no such file or directory\)"):
        paths.read_text(tmp_path / "missing")


def test_read_text_of_other_bytes_is_a_file_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="expected a file of UTF-8 text"):
        paths.read_text(tmp_path / "file")


def test_a_home_folder_that_nobody_knows_is_a_file_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDGAMES_HOME", "~no-such-user/games")
    with pytest.raises(FileError, match="BOARDGAMES_HOME"):
        paths.cache_folder()


def test_the_longest_name_that_a_file_can_have_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("\N{SNOWMAN}" * 85)
    paths.write_atomic(path, "x")
    assert path.read_text() == "x"


def test_text_that_is_no_unicode_is_a_file_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="expected a file that can be written"):
        paths.write_atomic(tmp_path / "file", "\ud800")
    assert not list(tmp_path.iterdir())


def test_an_interrupted_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        paths.write_atomic(tmp_path / "file", "x")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o600)
    paths.write_atomic(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_goes_on_leading_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    paths.write_atomic(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="no regular file"):
        paths.write_atomic(tmp_path / "pipe", "x")
    assert (tmp_path / "pipe").is_fifo()


def test_a_file_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("boardgames.paths.LARGEST_TEXT", 1000)
    path = tmp_path / "long.txt"
    path.write_text("x" * 1000)
    assert len(paths.read_text(path)) == 1000
    path.write_text("x" * 1001)
    with pytest.raises(FileError, match="at most 1,000 characters"):
        paths.read_text(path)
