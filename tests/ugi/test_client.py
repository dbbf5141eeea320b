"""The conversation with an engine: fences, deadlines, stops, and what breaks it."""

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from boardgames.errors import EngineError, MalformedMoveError
from boardgames.playing import Stop
from boardgames.ugi import client as module
from boardgames.ugi.client import Client, Deadline
from boardgames.ugi.text import Info

pytestmark = pytest.mark.skipif(os.name != "posix", reason="engines need POSIX pipes")

FAKES = str(Path(__file__).with_name("fakes.py"))
POSITION = "position startpos"
opened: list[Client] = []


@pytest.fixture(autouse=True)
def _closing() -> Iterator[None]:
    yield
    while opened:
        opened.pop().program.kill()


def greeted(mode: str, seconds: float = 20.0, **settings: str) -> Client:
    made = Client([sys.executable, FAKES, mode], f"the engine {mode!r}", settings=settings, seconds=seconds)
    opened.append(made)
    return made


def test_a_move_comes_with_what_was_said_of_it() -> None:
    answer = greeted("plain").go(POSITION, "go", deadline=Deadline(20))
    assert answer.move == "4"
    assert answer.info == Info(3, 77, ("cp", 25), ("4", "1", "4", "nonsense"))


def test_an_answer_too_many_is_not_taken_for_the_next() -> None:
    client = greeted("twice")
    moves = [client.go(POSITION, "go", deadline=Deadline(20)).move for _ in range(5)]
    assert moves == ["4"] * 5


@pytest.mark.parametrize("mode", ["rubbish", "loud"])
def test_rubbish_around_the_answer_is_passed_over(mode: str) -> None:
    assert greeted(mode).go(POSITION, "go", deadline=Deadline(20)).move == "4"


@pytest.mark.parametrize("mode", ["two-moves", "no-word"])
def test_a_bestmove_without_exactly_one_move_is_malformed(mode: str) -> None:
    with pytest.raises(
        MalformedMoveError, match=r"expected one move after bestmove from the engine .*: 'bestmove"
    ):
        greeted(mode).go(POSITION, "go", deadline=Deadline(20))


def test_an_engine_without_a_move_is_quoted() -> None:
    with pytest.raises(EngineError, match=r"^the engine 'no-move' gave no move: the book is lost$"):
        greeted("no-move").go(POSITION, "go", deadline=Deadline(20))


@pytest.mark.parametrize("mode", ["hang", "flood", "blank-flood", "endless-line", "stderr-flood", "waits"])
def test_a_deadline_holds_whatever_the_engine_does(mode: str) -> None:
    client = greeted(mode)
    with pytest.raises(EngineError, match=r"gave no bestmove within 0\.2 s"):
        client.go(POSITION, "go", deadline=Deadline(0.2))


def test_an_engine_that_does_not_greet_is_given_up() -> None:
    with pytest.raises(EngineError, match=r"^the engine 'silent' gave no ugiok within 0\.2 s$"):
        greeted("silent", seconds=0.2)


@pytest.mark.parametrize(("mode", "code"), [("exit-at-greeting", 0), ("exit-at-once", 1)])
def test_an_engine_that_ends_at_the_start_says_how(mode: str, code: int) -> None:
    with pytest.raises(EngineError, match=rf"^the engine '{mode}' ended \(exit code {code}\)"):
        greeted(mode)


def test_a_stop_is_passed_on_and_reports_are_heard() -> None:
    stop, infos = Stop(), []

    def heard(info: Info) -> None:
        infos.append((info.score, info.line))
        threading.Thread(target=stop.set).start()

    answer = greeted("waits").go(POSITION, "go infinite", deadline=Deadline(20), stop=stop, heard=heard)
    assert answer.move == "4"
    assert infos == [(("mate", 3), ("4", "1", "4"))]


def test_an_engine_that_does_not_heed_a_stop_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STOP_GRACE_S", 0.1)
    stop = Stop()
    stop.set()
    with pytest.raises(EngineError, match=r"gave no bestmove within 0\.1 s"):
        greeted("hang").go(POSITION, "go", deadline=Deadline(600), stop=stop)


def test_options_are_set_as_the_engine_writes_them() -> None:
    client = greeted("echo", level="3")
    client.new_match(seconds=20, settings={"SEED": "7"})
    client.program.read(time.monotonic() + 0.1)
    assert str(client.program.complaint("said")).endswith(
        ("said: uginewgame", "said: setoption name seed value 7")
    )


def test_an_option_that_the_engine_does_not_have_is_named() -> None:
    with pytest.raises(
        EngineError, match=r"expected an option of the engine 'plain': 'Levle'; did you mean 'Level'"
    ):
        greeted("plain", Levle="3")
