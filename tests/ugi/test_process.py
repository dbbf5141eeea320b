"""External programs: time and memory are bounded, they always end, and errors quote their stderr."""

import logging
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import is_alive, wait_until_dead
from waiting import TIMEOUT_S

from boardgames.errors import EngineError, FileError
from boardgames.ugi import process
from boardgames.ugi.process import RECEIVED, SENT, EngineProcess, LineBuffer, close_log, open_log

needs_posix = pytest.mark.skipif(os.name != "posix", reason="engines need POSIX pipes")

FAKE_ENGINE = str(Path(__file__).with_name("fake_engine.py"))
Start = Callable[..., EngineProcess]


@pytest.fixture
def start() -> Iterator[Start]:
    """Return a function that starts the fake engine in a mode; it is killed after the test."""
    started: list[EngineProcess] = []

    def start(mode: str, *arguments: str, log: logging.Logger | None = None) -> EngineProcess:
        command = [sys.executable, FAKE_ENGINE, mode, *arguments]
        started.append(EngineProcess(command, f"the engine {mode!r}", log=log))
        return started[-1]

    yield start
    for program in started:
        program.kill()


def read_line(program: EngineProcess) -> str:
    line = program.read(time.monotonic() + TIMEOUT_S)
    assert line is not None
    return line


# --- lines -------------------------------------------------------------------


@given(data=st.binary(max_size=200), cuts=st.lists(st.integers(0, 200), max_size=10))
def test_lines_do_not_depend_on_how_the_bytes_are_split(data: bytes, cuts: list[int]) -> None:
    whole, pieces = LineBuffer(), LineBuffer()
    places = [0, *sorted(cuts), len(data)]
    lines = [line for start, end in pairwise(places) for line in pieces.feed(data[start:end])]
    assert lines == whole.feed(data)


def test_invalid_utf8_is_replaced() -> None:
    assert LineBuffer().feed(b"\xff\xfe quit\n") == ["\ufffd\ufffd quit"]


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_an_overlong_line_is_dropped_and_counted(size: int) -> None:
    buffer, lines = LineBuffer(max_line=10), []
    data = b"first\n" + b"x" * 990 + b"\nsecond\n"
    for start in range(0, len(data), size):
        lines += buffer.feed(data[start : start + size])
    assert lines == ["first", "second"]
    assert buffer.dropped == 1


def test_an_endless_line_uses_bounded_memory() -> None:
    buffer = LineBuffer(max_line=100)
    for _ in range(1000):
        assert buffer.feed(b"x" * 90) == []
        assert len(buffer._rest) <= 190


# --- the log -----------------------------------------------------------------


def note(log: logging.Logger, mark: str, line: str) -> None:
    log.debug("%s", line, extra={"engine": 17, "mark": mark})


def test_the_log_appends_lines_with_utc_time_process_and_direction(tmp_path: Path) -> None:
    file = tmp_path / "engine.log"
    file.write_text("an older line\n", encoding="ascii")
    log = open_log(str(file))
    sent = {
        "msg": "go movetime 100",
        "levelno": logging.DEBUG,
        "created": 1_000_000_000.0625,
        "msecs": 62.5,
        "engine": 17,
        "mark": SENT,
    }
    log.handle(logging.makeLogRecord(sent))
    note(log, RECEIVED, "bestmove 4")
    close_log(log)
    older, first, second = file.read_text("utf-8").splitlines()
    assert (older, first) == ("an older line", "2001-09-09 01:46:40.062 17 > go movetime 100")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} 17 < bestmove 4", second)


def test_the_log_goes_to_its_file_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    logs = [open_log(str(tmp_path / name)) for name in "ab"]
    note(logs[0], SENT, "isready")
    close_log(logs[0])
    assert caplog.records == []
    assert (tmp_path / "b").read_text() == ""


def test_a_closed_log_is_opened_again(tmp_path: Path) -> None:
    log = open_log(str(tmp_path / "engine.log"))
    for _ in range(2):
        note(log, SENT, "isready")
        close_log(log)
    assert len((tmp_path / "engine.log").read_text().splitlines()) == 2


def test_lines_of_concurrent_writers_stay_whole(tmp_path: Path) -> None:
    file = tmp_path / "engine.log"

    def write(letter: str) -> None:
        log = open_log(str(file))
        for _ in range(50):
            note(log, SENT, letter * 20_000)  # more than a buffer of Python's holds
        close_log(log)

    writers = [threading.Thread(target=write, args=(letter,)) for letter in "abcd"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    lines = [line.split()[-1] for line in file.read_text("utf-8").splitlines()]
    assert sorted(lines) == sorted(letter * 20_000 for letter in "abcd" for _ in range(50))


def test_a_log_that_cannot_be_written_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot write the log '.*folder'"):
        open_log(str(tmp_path / "no" / "such" / "folder"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_ignored(capfd: pytest.CaptureFixture[str]) -> None:
    log = open_log("/dev/full")
    note(log, SENT, "isready")
    close_log(log)
    assert capfd.readouterr().err == ""


def test_a_folder_that_was_deleted_is_ignored(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    log = open_log(str(folder / "engine.log"))
    (folder / "engine.log").unlink()
    folder.rmdir()
    note(log, SENT, "isready")


# --- programs ----------------------------------------------------------------


@needs_posix
def test_lines_are_exchanged_in_both_directions(start: Start) -> None:
    program = start("plain")
    program.send("isready")
    assert read_line(program) == "readyok"
    assert program.read(time.monotonic() + 0.01) is None


@needs_posix
@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        (
            "exit-at-once",
            "the engine 'exit-at-once' exited with code 1: ImportError: no module named 'brain'",
        ),
        ("exit", "the engine 'exit' exited with code 3: out of ideas"),
        ("killed", "the engine 'killed' was killed by signal 9"),
        ("closed-stdout", "the engine 'closed-stdout' closed its stdin or stdout"),
    ],
)
def test_the_error_says_how_the_program_ended(
    mode: str, reason: str, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "EXIT_TIMEOUT_S", 0.05 if mode == "closed-stdout" else TIMEOUT_S)
    program = start(mode)
    with suppress(EngineError):  # it may already have ended
        program.send("go")
    with pytest.raises(EngineError) as caught:
        read_line(program)
    assert str(caught.value) == reason
    monkeypatch.undo()


@needs_posix
def test_a_command_that_cannot_be_executed_ends_with_the_reason() -> None:
    program = EngineProcess(["no-such-program-at-all"], "the engine 'x'")
    with pytest.raises(EngineError, match=r"exited with code 127: .*not found"):
        read_line(program)
    program.kill()


@needs_posix
@pytest.mark.parametrize("mode", ["flood", "flood-of-newlines", "endless-line", "flood-of-stderr", "hang"])
def test_time_and_memory_are_bounded_for_any_output(mode: str, start: Start) -> None:
    program = start(mode)
    program.send("isready")
    assert read_line(program) == "readyok"
    program.send("go")
    deadline, largest = time.monotonic() + 0.1, 0
    while time.monotonic() < deadline:
        program.read(deadline)
        largest = max(largest, len(program._stdout_lines._rest), len(program._stderr_lines._rest))
        assert len(program._received) <= process.READ_BYTES
    assert largest <= process.MAX_ENGINE_LINE + process.READ_BYTES


@needs_posix
def test_a_program_that_does_not_read_times_out(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    program = start("silent")
    monkeypatch.setattr(process, "SEND_TIMEOUT_S", 0.05)
    with pytest.raises(EngineError, match="did not read its input in time"):
        program.send("x" * 1_000_000)


@needs_posix
def test_a_program_that_reads_slowly_gets_no_extra_time(start: Start) -> None:
    program = start("slow-reader")
    program.send("uginewgame")
    assert read_line(program) == "readyok"
    with pytest.raises(EngineError, match="did not read its input in time"):
        program.send("x" * 20_000_000, deadline=time.monotonic() + 0.2)  # reading it all would take minutes


@needs_posix
def test_the_log_has_every_line_in_both_directions(tmp_path: Path, start: Start) -> None:
    file = tmp_path / "engine.log"
    log = open_log(str(file))
    failing, plain = (start(mode, log=log) for mode in ("exit", "plain"))
    failing.send("go")
    with pytest.raises(EngineError, match="out of ideas"):
        read_line(failing)
    plain.send("isready \x1b[2J")
    plain.send("isready")
    read_line(plain)
    for program in (failing, plain):
        program.close()
    lines = [line.split(maxsplit=3) for line in file.read_text("utf-8").splitlines()]
    assert [text for *_, pid, text in lines if int(pid) == failing._process.pid][:5] == [
        f"* started: {sys.executable} {FAKE_ENGINE} exit",
        "> go",
        "! warming up",
        "! out of ideas",
        "* exited with code 3",
    ]
    assert [text for *_, pid, text in lines if int(pid) == plain._process.pid][1:5] == [
        "> isready ?[2J",
        "> isready",
        "< readyok",
        "> quit",
    ]


@needs_posix
def test_close_kills_a_program_that_ignores_quit_and_its_children(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "EXIT_TIMEOUT_S", 0.05)
    pids = tmp_path / "pids"
    program = start("child", str(pids))
    program.send("isready")
    read_line(program)
    own, *children = map(int, pids.read_text().split())
    assert is_alive(own)
    assert all(map(is_alive, children))
    program.close()
    wait_until_dead(own, *children)


@needs_posix
def test_close_may_be_repeated(start: Start) -> None:
    program = start("plain")
    for _ in range(3):
        program.close()
        program.kill()
    with pytest.raises(EngineError, match="has been closed"):
        program.send("isready")
    with pytest.raises(EngineError, match="has been closed"):
        program.read(time.monotonic() + TIMEOUT_S)


@needs_posix
def test_a_forked_child_leaves_the_program_of_its_parent_alone(start: Start) -> None:
    program = start("plain")
    program._owner = os.getppid()  # as if this process had been forked
    pid = program._process.pid
    assert not program.is_ours
    program.close()
    assert is_alive(pid)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
