"""The conversation with an engine: fences, deadlines, stops, and what breaks it."""

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from boardgames.errors import EngineError, MalformedMoveError
from boardgames.player import Stop
from boardgames.ugi import client as module
from boardgames.ugi import process
from boardgames.ugi.client import Client, Deadline
from boardgames.ugi.process import Log
from boardgames.ugi.protocol import Info

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
    with pytest.raises(EngineError, match=r"gave no bestmove within 1 s"):
        client.go(POSITION, "go", deadline=Deadline(1.0))


def test_an_engine_that_does_not_greet_is_given_up() -> None:
    with pytest.raises(
        EngineError, match=r"^the engine 'silent' gave no ugiok within 0\.2 s \(it said nothing; "
    ):
        greeted("silent", seconds=0.2)


def test_what_came_instead_of_a_greeting_is_told() -> None:
    reason = r"gave no ugiok within 5 s \(its first line was 'id name fake'; does it flush its output\?\)$"
    with pytest.raises(EngineError, match=reason):
        greeted("speaks-uci", seconds=5)


def test_a_deadline_holds_for_what_an_engine_is_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SEND_S", 600.0)
    client = greeted("dribbles")
    client.program.send("uginewgame")
    began = time.monotonic()
    with pytest.raises(EngineError, match="has not read in time what it was told"):
        client.go("position fen " + "x" * 20_000_000, "go", deadline=Deadline(2.0))
    assert time.monotonic() - began < 60  # all of it would take minutes


def test_an_answer_is_followed_by_the_last_words() -> None:
    client = greeted("talks-past-us")
    client.go(POSITION, "go", deadline=Deadline(20))
    assert (
        client.last_words() == "; its last info string: expected 7 columns; its last line on stderr: columns?"
    )
    assert greeted("plain").last_words() == ""


def test_the_best_line_alone_is_taken_in() -> None:
    info = greeted("ranks").go(POSITION, "go", deadline=Deadline(20)).info
    assert info == Info(5, 90, ("cp", 40), ("4", "1"))


@pytest.mark.parametrize(
    ("options", "settings", "told"),
    [
        pytest.param({"columns": "5", "rows": "6"}, {}, ["columns value 5"], id="other default"),
        pytest.param({"columns": "7"}, {}, [], id="same default"),
        pytest.param({"dimension": "3"}, {}, [], id="not offered"),
        pytest.param({"columns": "5"}, {"COLUMNS": "4"}, ["Columns value 4"], id="user decides"),
    ],
)
def test_an_engine_is_set_to_the_game_where_it_offers_that(
    options: dict[str, str], settings: dict[str, str], told: list[str], tmp_path: Path
) -> None:
    log = tmp_path / "log"
    client = Client(
        [sys.executable, FAKES, "sized"],
        "it",
        settings=settings,
        seconds=20,
        game_options=options,
        log=Log(str(log)),
    )
    opened.append(client)
    lines = [line.partition("> setoption name ") for line in log.read_text("utf-8").splitlines()]
    assert [after.lower() for _, found, after in lines if found] == [line.lower() for line in told]


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
