"""A file comes to its place whole and replaces none."""

from pathlib import Path

import pytest

from boardgames.store.files import publish


@pytest.mark.parametrize("has_links", [True, False], ids=["links", "no links"])
def test_a_file_that_comes_first_stays(
    has_links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_link(path: Path, target: Path) -> None:
        raise OSError("a file system without links")

    def fill(temporary: Path) -> None:
        assert not path.exists() or path.read_text() == "first"
        temporary.write_text("second")

    if not has_links:
        monkeypatch.setattr(Path, "hardlink_to", no_link)
    path = tmp_path / "new"
    assert publish(path, fill)
    assert path.read_text() == "second"
    path.write_text("first")
    assert not publish(path, fill)
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    def fill(temporary: Path) -> None:
        temporary.write_text("half")
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        publish(tmp_path / "new", fill)
    assert list(tmp_path.iterdir()) == []
