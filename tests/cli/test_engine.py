"""`boardgames engine` on real pipes, as other programs use it: protocol, stray output, ends of the input."""

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from waiting import TIMEOUT_S

import boardgames

Run = Callable[..., Any]
GAMES = pytest.mark.parametrize("game", ["abalone", "connect4", "hexifence"])
DOCUMENT = Path(__file__).parents[2] / "docs" / "engines.md"
PRINTING = """
import ctypes, os, sys
from boardgames.cli.main import main
from boardgames.players.simple import Random
choose = Random.choose
def loud(self, *rest):
    print("chatter of Python", flush=True)
    ctypes.CDLL(None).puts(b"chatter of C")
    ctypes.CDLL(None).fflush(None)
    print("stdin is empty:", os.path.samestat(os.fstat(0), os.stat(os.devnull)))
    return choose(self, *rest)
Random.choose = loud
main(["engine", "connect4", "--agent", "random"])
"""


class Pipes:
    """The program on pipes: sends lines and reads answers."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def tell(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def until(self, start: str) -> list[str]:
        """Return the lines up to and including one that starts with this text."""
        assert self.process.stdout is not None
        lines: list[str] = []
        while not lines or not lines[-1].startswith(start):
            lines.append(self.process.stdout.readline().rstrip("\n"))
            assert self.process.poll() is None, lines
        return lines

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def started(home: Path) -> Iterator[Callable[..., Pipes]]:
    """Return a function that starts `boardgames engine` with arguments."""
    opened: list[Pipes] = []

    def start(*arguments: str) -> Pipes:
        opened.append(Pipes("-m", "boardgames", "engine", *arguments))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def test_the_transcript_in_the_documentation_is_accurate(bg_on_descriptors: Run) -> None:
    blocks = re.findall(
        r"^```text\n\$ boardgames (engine .*)\n([\s\S]*?)^```", DOCUMENT.read_text("utf-8"), re.MULTILINE
    )
    assert blocks
    for arguments, transcript in blocks:
        lines = transcript.splitlines()
        typed = "".join(f"{line[2:]}\n" for line in lines if line.startswith("> "))
        said = bg_on_descriptors(*arguments.split(), typed=typed).out
        shown = "".join(f"{line[2:]}\n" for line in lines if line.startswith("< "))
        assert plain(said) == plain(shown)


def plain(said: str) -> str:
    """Return the parts of the answers that are the same in every run and version."""
    return re.sub(r"(time|nps) \d+", r"\1 N", re.sub(r"boardgames \d\S*", "boardgames N", said))


@pytest.mark.slow
@GAMES
def test_a_strict_runner_can_play_a_whole_match_with_the_engine(
    game: str, started: Callable[..., Pipes]
) -> None:
    engines = [
        started(game, "--agent", "alphabeta:depth=1"),
        started(game, "--agent", "random", "--seed", "1"),
    ]
    position = boardgames.load(game).start()
    moves: list[str] = []
    for engine in engines:
        engine.tell("ugi")
        engine.until("ugiok")
        engine.tell("uginewgame", "isready")
        engine.until("readyok")
    while len(moves) < 60:
        for engine in engines:
            engine.tell("position startpos" + (" moves " + " ".join(moves) if moves else ""), "isready")
            engine.until("readyok")
            engine.tell("query gameover", "query p1turn", "query result")
            assert engine.until("response")[-1] == f"response {str(position.outcome is not None).lower()}"
            turn, result = engine.until("response")[-1], engine.until("response")[-1]
        if position.outcome is not None:
            winner = position.outcome.winner
            assert result == f"response {'draw' if winner is None else f'p{winner + 1}win'}"
            break
        assert turn == f"response {str(position.side_to_move == 0).lower()}"
        mover = engines[position.side_to_move]
        mover.tell("go p1time 1000 p2time 1000 p1inc 0 p2inc 0")
        answer = mover.until("bestmove")[-1].split()
        assert len(answer) == 2
        moves.append(answer[1])
        position = position.apply(answer[1])
    for engine in engines:
        engine.tell("quit")
        assert engine.process.wait(60) == 0


@pytest.mark.slow
@GAMES
def test_a_stop_is_answered_quickly(game: str, started: Callable[..., Pipes]) -> None:
    engine = started(game, "--agent", "alphabeta")
    engine.tell("isready")
    engine.until("readyok")
    slowest = 0.0
    for _ in range(10):
        engine.tell("go infinite", "isready")
        engine.until("readyok")
        time.sleep(0.02)
        asked = time.monotonic()
        engine.tell("stop")
        engine.until("bestmove")
        slowest = max(slowest, time.monotonic() - asked)
    assert slowest < 60.0  # only a hang takes longer; on an idle machine it takes a millisecond


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait as long as a busy machine needs for the answer of a search that was stopped."""
    monkeypatch.setattr("boardgames.ugi.server.STOP_TIMEOUT_S", TIMEOUT_S)


@pytest.mark.usefixtures("patient")
def test_the_end_of_the_input_ends_the_engine_even_during_a_search(bg_on_descriptors: Run) -> None:
    ran = bg_on_descriptors("engine", "abalone", typed="position startpos\ngo infinite")
    assert ran.code == 0
    assert ran.out.splitlines()[-1].startswith("bestmove ")
    assert ran.err == ""


def test_the_end_of_the_input_lets_a_search_with_a_limit_finish(bg_on_descriptors: Run) -> None:
    ran = bg_on_descriptors("engine", "connect4", typed="position startpos\ngo depth 5\n")
    assert ran.code == 0
    *_, info, answer = ran.out.splitlines()
    assert info.startswith("info depth 5 ")
    assert answer.startswith("bestmove ")


@pytest.mark.usefixtures("patient")
def test_quit_cuts_a_search_short(bg_on_descriptors: Run) -> None:
    ran = bg_on_descriptors("engine", "abalone", typed="position startpos\ngo depth 60\nquit\n")
    assert ran.code == 0
    *_, info, answer = ran.out.splitlines()
    assert int(info.split()[2]) < 8  # a search that may finish would get deeper within its minute
    assert answer.startswith("bestmove ")


def test_quit_ends_the_engine_at_once(bg_on_descriptors: Run) -> None:
    ran = bg_on_descriptors("engine", "abalone", typed="quit\nugi\n")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["connect5"], "error: no such game 'connect5'"),
        (["connect4", "--agent", "nobody"], "error: connect4 has no agent 'nobody'"),
        (["connect4", "--agent", "alphabeta:deep=3"], "error: agent 'alphabeta' has no option 'deep'"),
        (["connect4", "--agent", "human"], "error: 'human' cannot run as an engine"),
        (["connect4", "--layout", "round"], "error: connect4 has no layout 'round'"),
        (["connect4", "--option", "rows=99"], "error: rows must be 4 to 8, not '99'"),
        (["connect4", "--seed", "-1"], "error: "),
    ],
)
def test_an_invalid_setup_gives_a_one_line_error(
    bg_on_descriptors: Run, arguments: list[str], message: str
) -> None:
    ran = bg_on_descriptors("engine", *arguments, typed="isready\n")
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith(message)
    assert ran.err.count("\n") == 1


@pytest.mark.slow
def test_an_interrupt_ends_the_engine_without_a_message(started: Callable[..., Pipes]) -> None:
    engine = started("connect4")
    engine.tell("go infinite")
    engine.until("info depth 2")
    engine.process.send_signal(signal.SIGINT)
    _, err = engine.process.communicate(timeout=TIMEOUT_S)
    assert engine.process.returncode == 130
    assert err == ""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="C's output is found by name on POSIX")
def test_output_of_an_agent_does_not_disturb_the_protocol(home: Path) -> None:
    typed = "position startpos\ngo\nisready\nposition startpos moves 4\ngo\n"
    done = subprocess.run(
        [sys.executable, "-c", PRINTING],
        input=typed + "isready\n" * 20,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    assert {line.split()[0] for line in done.stdout.splitlines()} <= {"info", "bestmove", "readyok"}
    assert "chatter" not in done.stdout
    assert "chatter of Python" in done.stderr
    assert "chatter of C" in done.stderr
    assert "stdin is empty: True" in done.stderr


@pytest.mark.slow
def test_arbitrary_bytes_do_not_end_the_engine(program: Run) -> None:
    noise = random.Random(1)
    typed = b"".join(noise.randbytes(noise.randrange(60)) + b"\n" for _ in range(300))
    typed += b"position startpos moves " + b"4 " * 1_000_000 + b"\n" + b"\xff\xfe\n\0\n"
    ran = program("engine", "connect4", typed=typed + b"\nisready\n")
    assert ran.code == 0
    assert ran.out.endswith("readyok\n")
    assert "info string ignored a line longer than 1048576 bytes" in ran.out


def test_a_closed_output_ends_the_engine(home: Path) -> None:
    source, target = os.pipe()
    os.close(source)
    process = subprocess.Popen(
        [sys.executable, "-m", "boardgames", "engine", "connect4"],
        stdin=subprocess.PIPE,
        stdout=target,
        stderr=subprocess.PIPE,
    )
    os.close(target)
    _, err = process.communicate(b"ugi\nisready\n", timeout=TIMEOUT_S)
    assert (process.returncode, err) == (0, b"")


@pytest.mark.slow
def test_non_blocking_pipes_are_supported(home: Path) -> None:
    asked, heard = os.pipe(), os.pipe()
    os.set_blocking(asked[0], False)
    os.set_blocking(heard[1], False)
    command = [sys.executable, "-m", "boardgames", "engine", "connect4"]
    with subprocess.Popen(command, stdin=asked[0], stdout=heard[1], stderr=subprocess.PIPE) as process:
        os.close(asked[0])
        os.close(heard[1])
        with os.fdopen(asked[1], "wb", buffering=0) as to, os.fdopen(heard[0], "rb") as out:
            to.write(b"isready\n")
            assert out.readline() == b"readyok\n"
            writer = threading.Thread(target=to.write, args=(b"isready\n" * 20_000 + b"quit\n",))
            writer.start()
            time.sleep(0.5)  # until the pipe is full
            assert all(out.readline() == b"readyok\n" for _ in range(20_000))
            writer.join(60)
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""
