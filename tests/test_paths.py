"""The user's folders, and atomic writing."""

import os
import stat
from pathlib import Path

import pytest

from boardgames import paths
from boardgames.errors import FileError
from boardgames.paths import check_folder


def test_all_folders_are_below_boardgames_home(home: Path) -> None:
    assert {paths.data_folder(), paths.cache_folder(), paths.runs_folder()} == {
        home / "data",
        home / "cache",
        home / "runs",
    }


def test_boardgames_home_may_start_with_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDGAMES_HOME", "~/games")
    assert paths.data_folder() == Path.home() / "games" / "data"


def test_folders_without_boardgames_home_are_the_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOARDGAMES_HOME", raising=False)
    assert paths.data_folder().name == paths.APPLICATION
    assert paths.runs_folder() == paths.data_folder() / "runs"


def test_empty_boardgames_home_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDGAMES_HOME", "")
    assert paths.data_folder().is_absolute()


def test_folders_are_not_created_before_they_are_needed(home: Path) -> None:
    paths.data_folder()
    assert not home.exists()


def test_blocked_plugins_are_comma_separated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDGAMES_BLOCK", "abalone, hexifence,,")
    assert paths.blocked_plugins() == {"abalone", "hexifence"}


def test_no_plugin_is_blocked_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOARDGAMES_BLOCK", raising=False)
    assert paths.blocked_plugins() == frozenset()


def test_make_folder_creates_parents_and_accepts_an_existing_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert paths.make_folder(folder) == paths.make_folder(folder)
    assert folder.is_dir()


def test_make_folder_below_a_file_raises(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"cannot create the folder .*file"):
        paths.make_folder(tmp_path / "file" / "folder")


@pytest.mark.parametrize("name", ["data", "runs"])
def test_where_our_own_folder_cannot_be_made_the_error_names_boardgames_home(home: Path, name: str) -> None:
    home.mkdir(exist_ok=True)
    (home / name).write_text("")
    with pytest.raises(FileError, match=r"; set BOARDGAMES_HOME to a folder that you can write to$"):
        paths.make_folder(home / name / "folder")


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


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_write_atomic_respects_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        paths.write_atomic(tmp_path / "file", "")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_read_text_skips_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfa1b2")
    assert paths.read_text(tmp_path / "file") == "a1b2"


def test_read_text_of_a_missing_file_raises(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot read .*missing: no such file or directory"):
        paths.read_text(tmp_path / "missing")


def test_read_text_of_a_binary_file_raises(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match=r"cannot read .*file: not UTF-8 text"):
        paths.read_text(tmp_path / "file")


def test_boardgames_home_of_an_unknown_user_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDGAMES_HOME", "~no-such-user/games")
    with pytest.raises(FileError, match="BOARDGAMES_HOME names the home folder of an unknown user"):
        paths.cache_folder()


def test_write_atomic_accepts_the_longest_file_name(tmp_path: Path) -> None:
    path = tmp_path / ("\N{SNOWMAN}" * 85)
    paths.write_atomic(path, "x")
    assert path.read_text() == "x"


def test_write_atomic_of_a_lone_surrogate_raises(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot write .*file: "):
        paths.write_atomic(tmp_path / "file", "\ud800")
    assert not list(tmp_path.iterdir())


def test_interrupted_write_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        paths.write_atomic(tmp_path / "file", "x")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_write_atomic_keeps_permissions(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o600)
    paths.write_atomic(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need a privilege")
def test_write_atomic_follows_a_symbolic_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    paths.write_atomic(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_folder_is_checked_where_a_link_leads(tmp_path: Path) -> None:
    (tmp_path / "good").symlink_to(tmp_path / "x.svg")
    (tmp_path / "bad").symlink_to(tmp_path / "missing" / "x.svg")
    check_folder(tmp_path / "good")
    check_folder(Path("x.svg"))
    with pytest.raises(FileError, match=r"bad: the folder .*missing does not exist"):
        check_folder(tmp_path / "bad")


def test_write_atomic_does_not_replace_a_special_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="not a regular file"):
        paths.write_atomic(tmp_path / "pipe", "x")
    assert (tmp_path / "pipe").is_fifo()


def test_read_text_limits_the_length(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("x" * 1000)
    assert len(paths.read_text(path, limit=1000)) == 1000
    path.write_text("x" * 1001)
    with pytest.raises(FileError, match="longer than 1,000 bytes"):
        paths.read_text(path, limit=1000)


def test_write_atomic_replaces_a_link_if_it_must_not_follow_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    paths.write_atomic(tmp_path / "link", "new", follow_links=False)
    assert not (tmp_path / "link").is_symlink()
    assert [(tmp_path / name).read_text() for name in ("file", "link")] == ["old", "new"]
