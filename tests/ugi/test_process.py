"""Programs as they come: spoken to within bounds, ended for good, told by their last words."""

import os
import sys
import time
from pathlib import Path

import pytest
from processes import is_alive, wait_until_dead
from waiting import PATIENCE_S

from boardgames.errors import EngineError
from boardgames.ugi import process
from boardgames.ugi.log import Log
from boardgames.ugi.process import EngineProcess

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
    assert most <= process.LONGEST_LINE + process.READ_BYTES
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
