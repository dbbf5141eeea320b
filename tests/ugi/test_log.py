"""The log of what engines say: whole lines, from any number of writers, that never stop a match."""

import os
import threading
from pathlib import Path

import pytest

from boardgames.errors import FileError
from boardgames.ugi.log import HEARD, SENT, Log


def test_lines_are_appended_with_time_process_and_mark(tmp_path: Path) -> None:
    file = tmp_path / "engine.log"
    file.write_text("what was there\n", encoding="ascii")
    log = Log(str(file), clock=lambda: 1_000_000_000.0625)
    log.note(SENT, "go movetime 100", process=17)
    log.note(HEARD, "bestmove \x1b[2J4\u00e9", process=17)
    lines = file.read_text("utf-8").splitlines()
    assert lines[:2] == ["what was there", "2001-09-09 01:46:40.062 17 > go movetime 100"]
    assert len(lines) == 3
    assert "\x1b" not in lines[2]


def test_lines_of_many_writers_stay_whole(tmp_path: Path) -> None:
    file = tmp_path / "engine.log"

    def write(sign: str) -> None:
        log = Log(str(file))
        for _ in range(200):
            log.note(SENT, sign * 500, process=1)

    writers = [threading.Thread(target=write, args=(sign,)) for sign in "abcd"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    lines = [line.split()[-1] for line in file.read_text("utf-8").splitlines()]
    assert sorted(lines) == sorted(sign * 500 for sign in "abcd" for _ in range(200))


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="expected a file that can be written: "):
        Log(str(tmp_path / "no" / "such" / "folder"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk is /dev/full")
def test_a_full_disk_stops_nothing() -> None:
    Log("/dev/full").note(SENT, "isready", process=os.getpid())


def test_a_folder_that_has_gone_stops_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    log = Log(str(folder / "engine.log"))
    (folder / "engine.log").unlink()
    folder.rmdir()
    log.note(SENT, "isready", process=1)
