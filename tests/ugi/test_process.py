"""Programs as they come: spoken to within bounds, ended for good, told by their last words."""

import os
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import is_alive, wait_until_dead
from waiting import PATIENCE_S

from boardgames.errors import EngineError, FileError
from boardgames.ugi import process
from boardgames.ugi.process import HEARD, SENT, EngineProcess, Lines, Log

pytestmark = pytest.mark.skipif(os.name != "posix", reason="engines need POSIX pipes")

FAKES = str(Path(__file__).with_name("fakes.py"))


def started(mode: str, *arguments: str) -> EngineProcess:
    return EngineProcess([sys.executable, FAKES, mode, *arguments], f"the engine {mode!r}")


def heard(program: EngineProcess) -> str:
    line = program.read(time.monotonic() + PATIENCE_S)
    assert line is not None
    return line


def answer_to_go(program: EngineProcess) -> None:
    program.send("go")
    heard(program)


def test_lines_go_there_and_back() -> None:
    program = started("plain")
    program.send("isready")
    assert heard(program) == "readyok"
    assert program.read(time.monotonic() + 0.01) is None
    program.close()


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (
            "exit-at-once",
            "the engine 'exit-at-once' ended (exit code 1): ImportError: no module named 'brain'",
        ),
        ("exit", "the engine 'exit' ended (exit code 3): out of ideas"),
        ("killed", "the engine 'killed' ended (signal 9)"),
        ("closed-stdout", "the engine 'closed-stdout' has closed its input or output"),
    ],
)
def test_how_it_ended_is_told_with_its_last_words(mode: str, words: str) -> None:
    program = started(mode)
    with pytest.raises(EngineError) as caught:
        answer_to_go(program)
    program.kill()
    assert str(caught.value) == words


def test_a_command_that_is_no_program_ends_with_the_reason() -> None:
    program = EngineProcess(["no-such-program-at-all"], "the engine 'x'")
    with pytest.raises(EngineError, match=r"ended \(exit code 127\): .*not found"):
        heard(program)
    program.kill()


@pytest.mark.parametrize("mode", ["flood", "blank-flood", "endless-line", "stderr-flood", "hang"])
def test_whatever_it_says_time_and_memory_are_bounded(mode: str) -> None:
    program = started(mode)
    program.send("go")
    until, most = time.monotonic() + 0.3, 0
    while time.monotonic() < until:
        program.read(until)
        most = max(most, len(program._lines._rest), len(program._errors._rest))
        assert len(program._heard) <= process.READ_BYTES
    assert most <= process.LONGEST_ENGINE_LINE + process.READ_BYTES
    program.kill()


def test_a_program_that_reads_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SEND_S", 0.1)
    program = started("silent")
    with pytest.raises(EngineError, match="has not read in time what it was told"):
        program.send("x" * 1_000_000)
    program.kill()


def test_a_log_has_every_line_there_and_back(tmp_path: Path) -> None:
    file = tmp_path / "engine.log"
    programs = [
        EngineProcess([sys.executable, FAKES, mode], "the engine", log=Log(str(file)))
        for mode in ("exit", "plain")
    ]
    with pytest.raises(EngineError, match="out of ideas"):
        answer_to_go(programs[0])
    programs[1].send("isready")
    heard(programs[1])
    for program in programs:
        program.close()
    pids = [program._process.pid for program in programs]
    said = [line.split(maxsplit=3) for line in file.read_text("utf-8").splitlines()]
    assert [last for *_, pid, last in said if int(pid) == pids[0]][:5] == [
        f"* started: {sys.executable} {FAKES} exit",
        "> go",
        "! warming up",
        "! out of ideas",
        "* ended (exit code 3)",
    ]
    assert [last for *_, pid, last in said if int(pid) == pids[1]][1:4] == [
        "> isready",
        "< readyok",
        "> quit",
    ]


def test_the_end_reaches_a_program_that_heeds_nothing_and_its_children(tmp_path: Path) -> None:
    told = tmp_path / "told"
    program = started("family", str(told))
    program.send("isready")
    heard(program)
    own, child = map(int, told.read_text().split())
    assert is_alive(own)
    assert is_alive(child)
    program.close()
    wait_until_dead(own, child)


def test_closing_may_be_repeated() -> None:
    program = started("plain")
    for _ in range(3):
        program.close()
        program.kill()
    with pytest.raises(EngineError, match="has been ended"):
        program.send("isready")
    with pytest.raises(EngineError, match="has been ended"):
        program.read(time.monotonic() + PATIENCE_S)


def test_a_forked_process_leaves_its_parents_program_alone() -> None:
    program = started("plain")
    program._owner = os.getppid()  # as it looks from a forked process
    pid = program._process.pid
    assert not program.is_own()
    program.close()
    assert is_alive(pid)
    os.kill(pid, 9)
    os.waitpid(pid, 0)


@given(data=st.binary(max_size=200), cuts=st.lists(st.integers(0, 200), max_size=10))
def test_lines_do_not_depend_on_how_the_bytes_are_cut(data: bytes, cuts: list[int]) -> None:
    whole, pieces = Lines(), Lines()
    places = [0, *sorted(cuts), len(data)]
    found = [line for start, end in pairwise(places) for line in pieces.feed(data[start:end])]
    assert found == whole.feed(data)


def test_bytes_that_are_no_text_are_read_all_the_same() -> None:
    assert Lines().feed(b"\xff\xfe quit\n") == ["\ufffd\ufffd quit"]


@pytest.mark.parametrize("piece", [1, 7, 64, 1000])
def test_a_line_that_is_too_long_is_dropped_alone_and_counted(piece: int) -> None:
    lines, found = Lines(longest=10), []
    data = b"first\n" + b"x" * 990 + b"\nsecond\n"
    for start in range(0, len(data), piece):
        found += lines.feed(data[start : start + piece])
    assert found == ["first", "second"]
    assert lines.dropped == 1


def test_an_endless_line_takes_no_memory() -> None:
    lines = Lines(longest=100)
    for _ in range(1000):
        assert lines.feed(b"x" * 90) == []
        assert len(lines._rest) <= 190


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
